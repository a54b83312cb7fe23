//! Tests futures and streams in zones. Each poll counts as an entry on the thread that polls, even if the future is
//! later dropped or panics. This file is long because each way of polling needs a separate future.

#[path = "support/stacks.rs"]
mod stacks;

use futures_util::{FutureExt, Stream, StreamExt, pin_mut, select, stream};
use iprof::{InZone, ZoneBuilder};
use proptest::prelude::*;
use stacks::{entries, wanted};
use std::collections::BTreeMap;
use std::error::Error;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// Polls until the future is ready, and counts the polls.
fn run<F: Future>(future: F) -> (F::Output, u32) {
    let mut future = pin!(future);
    for polls in 1.. {
        if let Poll::Ready(output) = poll(future.as_mut()) {
            return (output, polls);
        }
    }
    unreachable!()
}

fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn waits(mut times: u32) -> impl Future<Output = ()> {
    poll_fn(move |context| {
        if times == 0 {
            return Poll::Ready(());
        }
        times -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

#[iprof::instrument]
async fn outer(times: u32) -> u32 {
    waits(1).await;
    inner(times).await + leaf()
}

#[iprof::instrument(name = "the inner one", idle)]
async fn inner(times: u32) -> u32 {
    waits(times).await;
    if times == 5 {
        return 50;
    }
    times
}

#[iprof::instrument]
fn leaf() -> u32 {
    1
}

/// Tests that the returned values are coerced to the return type.
#[iprof::instrument]
async fn coerces(
    text: &str,
    mut log: impl FnMut(&str),
) -> Result<Box<dyn Fn() -> u32>, Box<dyn Error>> {
    log(text);
    let number: u32 = text.parse()?;
    if number == 0 {
        return Err("zero".into());
    }
    Ok(Box::new(move || number))
}

#[iprof::instrument]
async fn has_no_name<'a>(all: &'a [u32]) -> impl Iterator<Item = u32> + use<'a> {
    all.iter().copied()
}

#[iprof::instrument]
async fn counts(at: &mut u32) -> &mut u32 {
    *at += 1;
    at
}

#[test]
fn async_function_is_entered_once_per_poll() {
    let found = entries("async functions", || {
        assert_eq!(run(outer(2)), (3, 4));
        assert_eq!(run(outer(5)), (51, 7));
        let mut seen = String::new();
        let number = run(coerces("3", |text| seen += text)).0.unwrap();
        assert_eq!((number(), &*seen), (3, "3"));
        assert!(run(coerces("x", |_| ())).0.is_err());
        assert!(run(coerces("0", |_| ())).0.is_err());
        assert_eq!(run(has_no_name(&[1, 2])).0.sum::<u32>(), 3);
        *run(counts(&mut 1)).0 += 1;
    });
    let wanted = wanted([
        ("outer", 11),
        ("outer/the inner one", 9),
        ("outer/leaf", 2),
        ("coerces", 3),
        ("has_no_name", 1),
        ("counts", 1),
    ]);
    assert_eq!(found, wanted);
    let snapshot = iprof::snapshot();
    let inner = snapshot
        .zones
        .iter()
        .find(|zone| &*zone.name == "the inner one");
    assert!(inner.unwrap().is_idle);
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A copy of the code that `async-trait` generates.
#[allow(clippy::type_complexity)]
trait Loads {
    fn load<'life0, 'life1, 'async_trait>(
        &'life0 self,
        path: &'life1 str,
    ) -> Pin<
        Box<dyn Future<Output = Result<usize, Box<dyn Error + Send + Sync>>> + Send + 'async_trait>,
    >
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        Self: 'async_trait;
}

struct Disk(u32);

#[iprof::instrument]
impl Loads for Disk {
    fn load<'life0, 'life1, 'async_trait>(
        &'life0 self,
        path: &'life1 str,
    ) -> Pin<
        Box<dyn Future<Output = Result<usize, Box<dyn Error + Send + Sync>>> + Send + 'async_trait>,
    >
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(async move {
            waits(self.0).await;
            let size: u8 = path.len().try_into()?;
            Ok(size.into())
        })
    }
}

#[iprof::instrument]
impl Disk {
    async fn size(&self, path: String) -> usize {
        self.load(&path).await.unwrap_or_default()
    }

    fn sizes(&mut self) -> Boxed<'_, u32> {
        self.0 += 1;
        async {
            waits(1).await;
            self.0
        }
        .boxed()
    }

    fn later(&self) -> impl Future<Output = u32> {
        async move {
            waits(2).await;
            self.0
        }
    }
}

#[test]
fn async_block_function_is_entered_once_per_poll() {
    let found = entries("boxed", || {
        let mut disk = Disk(1);
        assert_eq!(run(disk.size("path".into())), (4, 2));
        assert!(run(disk.load(&"x".repeat(300))).0.is_err());
        assert_eq!(run(disk.sizes()), (2, 2));
        assert_eq!(run(disk.later()), (2, 3));
    });
    let wanted = wanted([
        ("Disk::size", 2),
        ("Disk::size/Disk::load", 2),
        ("Disk::load", 2),
        ("Disk::sizes", 2),
        ("Disk::later", 3),
    ]);
    assert_eq!(found, wanted);
}

iprof::define_zone!(DOWNLOAD, "download");
iprof::define_zone!(STREAM, "stream");

fn is_send<T: Send>(value: T) -> T {
    value
}

#[test]
fn wrapped_futures_accept_any_kind_of_zone() {
    let found = entries("wrapped", || {
        let both = async {
            waits(2).in_zone(&DOWNLOAD).await;
            let zone = ZoneBuilder::new("made").build();
            async { leaf() }.in_zone(zone).await
        };
        let both = is_send(both.in_zone(ZoneBuilder::new("both").build()));
        assert_eq!(run(both), (1, 3));
    });
    let wanted = wanted([
        ("both", 3),
        ("both/download", 3),
        ("both/made", 1),
        ("both/made/leaf", 1),
    ]);
    assert_eq!(found, wanted);
}

#[test]
fn stream_is_entered_once_per_poll() {
    let found = entries("stream", || {
        let numbers = stream::iter(1..=3).then(|number| async move {
            waits(number).await;
            leaf() + number
        });
        let numbers = numbers.in_zone(&STREAM);
        assert_eq!(numbers.size_hint(), (3, Some(3)));
        assert_eq!(run(numbers.collect::<Vec<u32>>()), (vec![2, 3, 4], 7));
    });
    // The stream is polled once per item, once per wait, and once for the end.
    let wanted = wanted([("stream", 3 + 6 + 1), ("stream/leaf", 3)]);
    assert_eq!(found, wanted);
}

#[test]
fn select_and_join_branches_are_siblings() {
    let found = entries("select", || {
        let race = async {
            let fast = inner(2).fuse();
            let slow = waits(9).in_zone(&DOWNLOAD).fuse();
            pin_mut!(fast, slow);
            let mut polls = 0;
            loop {
                select! {
                    two = fast => break two + polls,
                    () = slow => unreachable!(),
                    () = waits(0).fuse() => polls += 100,
                }
                waits(1).await;
            }
        };
        let (output, _) = run(race);
        assert_eq!(output % 100, 2);
        run(futures_util::future::join(outer(1), outer(0)));
    });
    assert_eq!(found["outer"], 3 + 2);
    assert_eq!(found["outer/the inner one"], 2 + 1);
    let paths: Vec<&str> = found.keys().map(|path| &**path).collect();
    let expected = [
        "download",
        "outer",
        "outer/leaf",
        "outer/the inner one",
        "the inner one",
    ];
    assert_eq!(paths, expected);
    assert_eq!(found["the inner one"], 3);
}

#[test]
fn future_dropped_midway_leaves_nothing_open() {
    let found = entries("dropped", || {
        let mut future = Box::pin(outer(7));
        assert!(poll(future.as_mut()).is_pending());
        assert!(poll(future.as_mut()).is_pending());
        {
            iprof::zone!(around);
            drop(future);
            leaf();
        }
        // Create and drop a second future, which is never polled.
        drop(outer(1));
        leaf();
    });
    let wanted = wanted([
        ("outer", 2),
        ("outer/the inner one", 1),
        ("around", 1),
        ("around/leaf", 1),
        ("leaf", 1),
    ]);
    assert_eq!(found, wanted);
}

#[test]
fn panic_in_poll_closes_its_zones() {
    let found = entries("panics", || {
        let panics = async {
            leaf();
            panic!("a test panic")
        };
        let poll = || run(panics.in_zone(&DOWNLOAD)).0;
        let poll = std::panic::AssertUnwindSafe(poll);
        let result: Result<(), _> = std::panic::catch_unwind(poll);
        assert!(result.is_err());
        leaf();
    });
    let wanted = wanted([("download", 1), ("download/leaf", 1), ("leaf", 1)]);
    assert_eq!(found, wanted);
}

#[test]
fn future_time_excludes_waiting() {
    const WAIT: Duration = Duration::from_millis(30);
    let work = || {
        let start = Instant::now();
        while start.elapsed() < WAIT / 3 {}
        start.elapsed().as_secs_f64() * 1e9
    };
    let run = move || {
        let task = async move {
            let before = work();
            waits(1).await;
            before + work()
        };
        let mut task = pin!(task.in_zone(ZoneBuilder::new("task").build()));
        assert!(poll(task.as_mut()).is_pending());
        thread::sleep(WAIT);
        match poll(task) {
            Poll::Ready(truth) => truth,
            Poll::Pending => unreachable!(),
        }
    };
    let thread = thread::Builder::new().name("timed task".into());
    let truth = thread.spawn(run).unwrap().join().unwrap();
    let snapshot = iprof::snapshot();
    let thread = snapshot.threads.iter().find(|it| &*it.name == "timed task");
    let nodes = thread.unwrap().nodes.iter();
    let mut of_task = nodes.filter(|node| &*snapshot.zones[node.zone as usize].name == "task");
    let ns = snapshot.ns(of_task.next().unwrap().ticks);
    assert!(
        (ns - truth).abs() < 0.2e6 + 0.02 * truth,
        "{ns} ns, expected {truth}"
    );
}

#[derive(Clone, Debug)]
enum Step {
    Wait,
    /// Works for a while, and stores how many nanoseconds that took.
    Work(Arc<AtomicU64>),
    Call(bool, Vec<Step>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let work = || Just(()).prop_map(|()| Step::Work(Arc::default()));
    let leaf = prop::collection::vec(prop_oneof![Just(Step::Wait), work()], 0..3);
    leaf.prop_recursive(4, 24, 4, move |within| {
        let call = (any::<bool>(), within).prop_map(|(which, steps)| Step::Call(which, steps));
        prop::collection::vec(prop_oneof![Just(Step::Wait), work(), call], 0..5)
    })
}

#[iprof::instrument]
async fn one(steps: Vec<Step>) {
    all(steps).await;
}

#[iprof::instrument]
fn two(steps: Vec<Step>) -> Boxed<'static, ()> {
    Box::pin(async move { all(steps).await })
}

fn all(steps: Vec<Step>) -> Boxed<'static, ()> {
    Box::pin(async move {
        for step in steps {
            match step {
                Step::Wait => waits(1).await,
                Step::Work(took) => {
                    let start = Instant::now();
                    while start.elapsed() < Duration::from_micros(20) {}
                    took.store(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
                }
                Step::Call(true, steps) => one(steps).await,
                Step::Call(false, steps) => two(steps).await,
            }
        }
    })
}

/// The entries and work expected from one thread's polls.
#[derive(Default)]
struct Oracle {
    entries: BTreeMap<String, u64>,
    work_ns: BTreeMap<String, f64>,
}

/// A model of a future: its active calls, each with its remaining steps.
struct Calls(Vec<(String, Vec<Step>)>);

impl Calls {
    fn new(steps: &[Step]) -> Calls {
        let steps = steps.iter().rev().cloned().collect();
        Calls(vec![("one".into(), steps)])
    }

    /// Models a poll: counts an entry for each call that is active or begins, and the work done in each call.
    fn poll(&mut self, on: &mut Oracle) {
        let mut enter = |path: &str| *on.entries.entry(path.into()).or_default() += 1;
        self.0.iter().for_each(|(path, _)| enter(path));
        while let Some((path, left)) = self.0.last_mut() {
            match left.pop() {
                Some(Step::Wait) => return,
                Some(Step::Work(took)) => {
                    *on.work_ns.entry(path.clone()).or_default() +=
                        took.load(Ordering::Relaxed) as f64;
                }
                Some(Step::Call(is_one, steps)) => {
                    let path = format!("{path}/{}", if is_one { "one" } else { "two" });
                    enter(&path);
                    self.0.push((path, steps.into_iter().rev().collect()));
                }
                None => drop(self.0.pop()),
            }
        }
    }
}

/// A thread that polls each received future once and sends it back.
struct Polling {
    to: mpsc::Sender<Boxed<'static, ()>>,
    from: mpsc::Receiver<Boxed<'static, ()>>,
    /// The polling thread, which ends when `to` is dropped. It returns the entries, and the nanoseconds spent in polls
    /// and in dropping completed futures.
    entries: thread::JoinHandle<(BTreeMap<String, u64>, f64)>,
}

fn polling(name: String) -> Polling {
    let (to, work) = mpsc::channel::<Boxed<'static, ()>>();
    let (back, from) = mpsc::channel::<Boxed<'static, ()>>();
    let polled = Arc::new(AtomicU64::new(0));
    let noted = polled.clone();
    let polls = move || {
        for mut future in work {
            let start = Instant::now();
            let is_ready = poll(future.as_mut()).is_ready();
            let rest = if is_ready { Box::pin(async {}) } else { future };
            noted.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
            back.send(rest).unwrap();
        }
    };
    let entries = thread::spawn(move || {
        let entries = entries(&name, polls);
        (entries, polled.load(Ordering::Relaxed) as f64)
    });
    Polling { to, from, entries }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn polls_are_recorded_on_the_polling_thread(
        plans in prop::collection::vec(steps(), 1..4),
        polls in prop::collection::vec((any::<prop::sample::Index>(), 0..2usize), 0..30),
    ) {
        static CASE: AtomicUsize = AtomicUsize::new(0);
        let case = CASE.fetch_add(1, Ordering::Relaxed);
        let threads = [0, 1].map(|at| polling(format!("polling {case} {at}")));
        let mut oracle: [Oracle; 2] = Default::default();
        let mut calls: Vec<Calls> = plans.iter().map(|plan| Calls::new(plan)).collect();
        let mut futures: Vec<Option<Boxed<'static, ()>>> =
            plans.into_iter().map(|plan| Some(Box::pin(one(plan)) as Boxed<'static, ()>)).collect();
        for (which, on) in polls {
            let at = which.index(futures.len());
            threads[on].to.send(futures[at].take().unwrap()).unwrap();
            futures[at] = Some(threads[on].from.recv().unwrap());
            calls[at].poll(&mut oracle[on]);
        }
        // Some futures are dropped before they complete.
        drop(futures);
        for (at, (thread, wanted)) in threads.into_iter().zip(oracle).enumerate() {
            drop(thread.to);
            let (entries, polled_ns) = thread.entries.join().unwrap();
            prop_assert_eq!(entries, wanted.entries);
            // Work must be attributed to the calls that did it, and time between polls must not be attributed to any
            // call.
            let found = stacks::self_ns(&format!("polling {case} {at}"));
            for (path, work) in &wanted.work_ns {
                prop_assert!(found[path] >= work * 0.99 - 500.0, "{path}: {found:?}, {work}");
            }
            let sum: f64 = found.values().sum();
            prop_assert!(sum <= polled_ns * 1.01 + 500.0, "{sum} ns in zones, {polled_ns} in polls");
        }
    }
}
