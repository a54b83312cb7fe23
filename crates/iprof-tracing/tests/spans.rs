//! Tests that spans become the expected zones, with the subscriber and with the layer.

#[path = "../../../tests/support/stacks.rs"]
mod stacks;

use iprof::ZoneBuilder;
use iprof_tracing::{Layer, Options, Subscriber};
use proptest::prelude::*;
use stacks::wanted;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};
use tracing::instrument::{Instrument, WithSubscriber};
use tracing::level_filters::LevelFilter;
use tracing::{Dispatch, Level, Span, dispatcher, info_span};
use tracing_subscriber::filter::{EnvFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;

/// Serializes the tests, because one test sets the limit on names.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn options() -> Options {
    Options::new().named_by("name").named_by("title")
}

fn collectors() -> [(&'static str, Dispatch); 2] {
    let registry = tracing_subscriber::registry().with(Layer::with_options(options()));
    let subscriber = Subscriber::with_options(options());
    [
        ("subscriber", Dispatch::new(subscriber)),
        ("layer", Dispatch::new(registry)),
    ]
}

/// Returns the entries on a thread whose collector is `dispatch`.
fn entries(
    name: &str,
    dispatch: &Dispatch,
    f: impl FnOnce() + Send + 'static,
) -> BTreeMap<String, u64> {
    let dispatch = dispatch.clone();
    stacks::entries(name, move || dispatcher::with_default(&dispatch, f))
}

/// Runs `f` with each collector and checks the entries.
fn each<const N: usize>(test: &str, f: fn(), of: [(&str, u64); N]) {
    let _alone = alone();
    for (kind, dispatch) in collectors() {
        let name = format!("{test}, {kind}");
        assert_eq!(entries(&name, &dispatch, f), wanted(of), "{name}");
    }
}

#[tracing::instrument]
fn outer(depth: u32) {
    if depth > 0 {
        outer(depth - 1);
    }
    iprof::zone!(between);
    inner();
}

#[tracing::instrument(name = "the inner one", level = "trace")]
fn inner() {
    tracing::info!("an event is no zone");
}

#[test]
fn spans_and_zones_share_one_tree() {
    let f = || {
        outer(1);
        let span = info_span!("by hand");
        span.follows_from(Span::current());
        span.in_scope(inner);
        span.clone().in_scope(inner);
        let child = info_span!(parent: &span, "child");
        child.in_scope(|| child.in_scope(inner));
    };
    let of = [
        ("outer", 1),
        ("outer/outer", 1),
        ("outer/outer/between", 1),
        ("outer/outer/between/the inner one", 1),
        ("outer/between", 1),
        ("outer/between/the inner one", 1),
        ("by hand", 2),
        ("by hand/the inner one", 2),
        ("child", 1),
        ("child/child", 1),
        ("child/child/the inner one", 1),
    ];
    each("mixed", f, of);
    let snapshot = iprof::snapshot();
    let zone = snapshot.zones.iter().find(|it| &*it.name == "by hand");
    assert_eq!(&*zone.unwrap().file, file!());
}

#[test]
fn field_values_are_part_of_the_name() {
    struct Says<'a>(&'a str);
    impl std::fmt::Debug for Says<'_> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            // Create a span while another span is being created. If `tracing` detects this, it ignores the inner span.
            info_span!("says", name = 1).in_scope(|| f.write_str(self.0))
        }
    }
    let f = || {
        for name in ["gravity", "collisions", "gravity"] {
            info_span!("system", name, other = 3).in_scope(|| {
                info_span!("of debug", title = ?Says(name)).in_scope(|| {});
            });
        }
        info_span!("system", name = tracing::field::Empty).in_scope(|| {});
        let late = info_span!("late", name = tracing::field::Empty);
        late.record("name", "too late");
        late.in_scope(|| {});
        info_span!("both", name = tracing::field::Empty, title = 7).in_scope(|| {});
        info_span!("other field", other = 7).in_scope(|| {});
    };
    let of = [
        ("system::gravity", 2),
        ("system::gravity/of debug::gravity", 2),
        ("system::collisions", 1),
        ("system::collisions/of debug::collisions", 1),
        ("system", 1),
        ("late", 1),
        ("both::7", 1),
        ("other field", 1),
    ];
    each("named", f, of);
}

#[test]
fn equal_texts_share_a_zone() {
    fn enter(value: impl tracing::Value) {
        info_span!("any", name = value).in_scope(|| {});
    }
    let f = || {
        // Run twice, because the first round creates the zones.
        for _ in 0..2 {
            enter(5_u64);
            enter(5_i32);
            enter("5");
            enter(-5_i64);
            enter(5_u128);
            enter(i64::MIN);
            enter(u64::MAX);
            enter(true);
            enter(false);
            enter("true");
            enter(1);
            enter(0_u8);
            enter(2.5);
        }
    };
    let of = [
        ("any::5", 8),
        ("any::-5", 2),
        ("any::-9223372036854775808", 2),
        ("any::18446744073709551615", 2),
        ("any::true", 4),
        ("any::false", 2),
        ("any::1", 2),
        ("any::0", 2),
        ("any::2.5", 2),
    ];
    each("any", f, of);
}

#[test]
fn names_beyond_the_limit_share_a_zone() {
    let _alone = alone();
    for (kind, dispatch) in collectors() {
        ZoneBuilder::set_limit(0);
        let name = format!("limit, {kind}");
        let found = entries(&name, &dispatch, || {
            for at in 0..50 {
                info_span!("request", name = at).in_scope(|| {});
                info_span!("place of its own").in_scope(|| {});
            }
        });
        ZoneBuilder::set_limit(ZoneBuilder::DEFAULT_LIMIT);
        assert_eq!(found, wanted([("(other names)", 100)]), "{kind}");
        // Rejected names get a zone once there is room.
        let found = entries(&(name + " again"), &dispatch, || {
            info_span!("request of a kind", name = 7).in_scope(|| {});
        });
        assert_eq!(found, wanted([("request of a kind::7", 1)]), "{kind}");
    }
}

/// Creates more spans than fit into the layer's table without sharing places.
#[test]
fn colliding_spans_keep_their_names() {
    let f = || {
        let name = |at: usize| ["even", "odd"][at % 2];
        for _ in 0..2 {
            let spans: Vec<Span> = (0..40_000)
                .map(|at| info_span!("kept", name = name(at)))
                .collect();
            let place = info_span!("kept by place");
            for span in spans.iter().chain([&place]) {
                span.in_scope(|| {});
            }
        }
    };
    let of = [
        ("kept::even", 40_000),
        ("kept::odd", 40_000),
        ("kept by place", 2),
    ];
    each("many", f, of);
}

#[test]
fn long_values_are_cut() {
    let _alone = alone();
    let value = "\u{20AC}".repeat(1_000);
    for (kind, dispatch) in collectors() {
        let value = value.clone();
        let found = entries(&format!("long, {kind}"), &dispatch, move || {
            info_span!("long", name = value).in_scope(|| {});
        });
        let names: Vec<usize> = found.keys().map(String::len).collect();
        assert!(matches!(names[..], [990..=1_000]), "{names:?}");
    }
}

#[test]
fn out_of_order_guards_close_inner_spans() {
    let f = || {
        let (a, b) = (info_span!("a").entered(), info_span!("b").entered());
        drop(a);
        info_span!("sibling").in_scope(|| {});
        drop(b);
        let _around = info_span!("around").entered();
        std::mem::forget(info_span!("leaked").entered());
        info_span!("below leaked").in_scope(|| {});
        drop(_around);
        info_span!("sibling").in_scope(|| {});
    };
    let of = [
        ("a", 1),
        ("a/b", 1),
        ("sibling", 2),
        ("around", 1),
        ("around/leaked", 1),
        ("around/leaked/below leaked", 1),
    ];
    each("order", f, of);
}

#[test]
fn exit_on_another_thread_closes_nothing() {
    let _alone = alone();
    for (kind, dispatch) in collectors() {
        let enters = entries(&format!("enters, {kind}"), &dispatch, {
            let dispatch = dispatch.clone();
            move || {
                let _around = info_span!("around").entered();
                let span = info_span!("moved");
                let id = span.id().unwrap();
                dispatch.enter(&id);
                let name = format!("leaves of {:?}", thread::current().name());
                let (other, left) = (dispatch.clone(), id.clone());
                let found = entries(&name, &dispatch, move || {
                    other.exit(&left);
                    info_span!("there").in_scope(|| {});
                });
                assert_eq!(found, wanted([("there", 1)]));
                info_span!("here").in_scope(|| {});
                // No span has this id.
                let none = tracing::span::Id::from_u64(u64::MAX);
                dispatch.enter(&none);
                dispatch.exit(&none);
            }
        });
        let of = [("around", 1), ("around/moved", 1), ("around/moved/here", 1)];
        assert_eq!(enters, wanted(of));
    }
}

#[test]
fn span_may_be_closed_on_another_thread() {
    let f = || {
        let span = info_span!("travels");
        span.in_scope(|| {
            let clone = span.clone();
            thread::spawn(move || drop(clone)).join().unwrap();
            inner();
        });
        thread::spawn(move || drop(span)).join().unwrap();
        inner();
    };
    let of = [
        ("travels", 1),
        ("travels/the inner one", 1),
        ("the inner one", 1),
    ];
    each("closed elsewhere", f, of);
}

#[test]
fn filters_choose_by_level_and_target() {
    fn all() {
        tracing::error_span!("error").in_scope(|| {});
        tracing::debug_span!("debug").in_scope(|| {});
        tracing::trace_span!(target: "a", "below").in_scope(|| {});
        tracing::trace_span!(target: "a::b", "a::b").in_scope(|| {});
        tracing::info_span!(target: "a::b::c", "a::b::c").in_scope(|| {});
        tracing::error_span!(target: "a::bc", "a::bc").in_scope(|| {});
        tracing::info!(target: "a", "event");
    }
    let _alone = alone();
    let own = Subscriber::new()
        .with_max_level(Level::INFO)
        .with_target("a", LevelFilter::OFF)
        .with_target("a", LevelFilter::TRACE)
        .with_target("a::bc", LevelFilter::OFF)
        .with_target("a::b", LevelFilter::INFO);
    let targets = Targets::new()
        .with_default(LevelFilter::INFO)
        .with_target("a", LevelFilter::TRACE)
        .with_target("a::bc", LevelFilter::OFF)
        .with_target("a::b", LevelFilter::INFO);
    let of_environment = EnvFilter::new("info,a=trace,a::bc=off,a::b=info");
    use tracing_subscriber::Layer as _;
    let registry = tracing_subscriber::registry;
    let all_ways = [
        ("own", Dispatch::new(own)),
        (
            "targets",
            Dispatch::new(registry().with(Layer::new().with_filter(targets))),
        ),
        (
            "environment",
            Dispatch::new(registry().with(Layer::new()).with(of_environment)),
        ),
    ];
    for (kind, dispatch) in all_ways {
        let found = entries(&format!("filter, {kind}"), &dispatch, all);
        let of = wanted([("error", 1), ("below", 1), ("a::b::c", 1)]);
        assert_eq!(found, of, "{kind}");
    }
}

/// Returns a future that is pending `times` times.
fn waits(mut times: u32) -> impl Future<Output = ()> {
    std::future::poll_fn(move |_| {
        if times == 0 {
            return Poll::Ready(());
        }
        times -= 1;
        Poll::Pending
    })
}

fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn future_is_entered_once_per_poll() {
    const WORK: Duration = Duration::from_millis(4);
    fn work() -> Duration {
        let start = Instant::now();
        while start.elapsed() < WORK {}
        start.elapsed()
    }
    #[tracing::instrument(skip_all)]
    async fn task(truth: Arc<Mutex<Vec<Duration>>>) {
        for _ in 0..4 {
            let took = work();
            truth.lock().unwrap().push(took);
            waits(1).await;
        }
    }
    let _alone = alone();
    for (kind, dispatch) in collectors() {
        let truth = Arc::new(Mutex::new(Vec::new()));
        let mut future = Box::pin(task(truth.clone()).with_subscriber(dispatch));
        for at in 0..5 {
            let name = format!("poll {at}, {kind}");
            let (back, rest) = mpsc::channel();
            let found = stacks::entries(&name, move || {
                let _ = poll(future.as_mut());
                back.send(future).unwrap();
            });
            future = rest.recv().unwrap();
            // The last poll also drops the future, which `tracing` counts as an entry.
            let entries = found["task"];
            assert!(entries == 1 || at == 4 && entries == 2, "{name}: {found:?}");
            thread::sleep(WORK);
            let snapshot = iprof::snapshot();
            let thread = snapshot.threads.iter().find(|it| *it.name == name);
            let nodes = thread.unwrap().nodes.iter();
            let mut of_task = nodes.filter(|it| &*snapshot.zones[it.zone as usize].name == "task");
            let ns = snapshot.ns(of_task.next().unwrap().ticks);
            let truth = truth.lock().unwrap().get(at).copied().unwrap_or_default();
            let truth = truth.as_secs_f64() * 1e9;
            assert!(
                (ns - truth).abs() < 1e6 + 0.02 * truth,
                "{name}: {ns} of {truth}"
            );
        }
    }
}

#[test]
fn current_span_is_the_innermost_one() {
    let f = || {
        assert!(Span::current().is_none());
        let future = info_span!("system", name = "gravity").in_scope(|| {
            iprof::zone!(no_span);
            assert_eq!(Span::current().metadata().unwrap().name(), "system");
            // Entering a clone counts as an entry of the same zone.
            Span::current().in_scope(|| {});
            async {
                inner();
                waits(1).await;
            }
            .in_current_span()
        });
        assert!(Span::current().is_none());
        let mut future = pin!(future);
        assert!(poll(future.as_mut()).is_pending());
        info_span!("polls").in_scope(|| assert!(poll(future.as_mut()).is_ready()));
        assert!(Span::current().is_none());
        // The future runs outside any span.
        assert!(poll(pin!(waits(0).in_current_span())).is_ready());
    };
    let of = [
        ("system::gravity", 3),
        ("system::gravity/no_span", 1),
        ("system::gravity/no_span/system::gravity", 1),
        ("system::gravity/the inner one", 1),
        ("polls", 1),
        ("polls/system::gravity", 1),
    ];
    each("current", f, of);
}

#[test]
fn guard_held_across_await_is_tolerated() {
    async fn keeps(name: &'static str, times: u32) {
        #[allow(clippy::let_unit_value)]
        let _by_mistake = info_span!("kept", name).entered();
        waits(times).await;
        inner();
    }
    let f = || {
        let mut first = pin!(keeps("first", 1));
        let mut second = pin!(keeps("second", 2));
        assert!(poll(second.as_mut()).is_pending());
        assert!(poll(first.as_mut()).is_pending());
        // Polling `first` enters `inner` under both spans and closes the span of `first`.
        assert!(poll(first.as_mut()).is_ready());
        assert!(poll(second.as_mut()).is_pending());
        assert!(poll(second.as_mut()).is_ready());
        inner();
    };
    let of = [
        ("kept::second", 1),
        ("kept::second/kept::first", 1),
        ("kept::second/kept::first/the inner one", 1),
        ("kept::second/the inner one", 1),
        ("the inner one", 1),
    ];
    each("kept", f, of);
}

/// An operation that one of the property test's threads performs on one of the spans.
#[derive(Clone, Copy, Debug)]
enum Step {
    Enter,
    Exit,
    Drop,
    Create,
}

/// The spans' zones. Some spans share a zone.
const NAMES: [&str; 6] = ["s::a", "s::b", "s::a", "s::c", "t", "t"];

fn span(which: usize) -> Span {
    match which {
        0 | 2 => info_span!("s", name = "a"),
        1 => info_span!("s", name = "b"),
        3 => info_span!("s", title = "c", name = tracing::field::Empty),
        // Both spans have the same place in the source.
        _ => tracing::debug_span!("t"),
    }
}

/// The oracle: the open zones (outermost first), and each stack's entries and bounds on its self time. The lower bound
/// excludes the time that the test's steps take.
#[derive(Default)]
struct Oracle {
    open: Vec<&'static str>,
    entries: BTreeMap<String, u64>,
    ns: BTreeMap<String, (f64, f64)>,
    last: Option<During>,
}

/// When a step began and ended.
type During = (Instant, Instant);

impl Oracle {
    /// Adds the time since the last step to the open stack.
    fn time(&mut self, during: During) {
        if let Some(last) = self.last.replace(during)
            && !self.open.is_empty()
        {
            let ns = |from, to: Instant| to.duration_since(from).as_nanos() as f64;
            let (least, most) = self.ns.entry(self.open.join("/")).or_default();
            *least += ns(last.1, during.0);
            *most += ns(last.0, during.1);
        }
    }

    fn step(&mut self, step: Step, name: &'static str) {
        match step {
            Step::Enter => {
                self.open.push(name);
                *self.entries.entry(self.open.join("/")).or_default() += 1;
            }
            Step::Exit => {
                let at = self.open.iter().rposition(|open| *open == name);
                self.open.truncate(at.unwrap_or(self.open.len()));
            }
            Step::Drop | Step::Create => {}
        }
    }
}

/// A thread that runs the closures sent to it.
struct Worker {
    steps: mpsc::Sender<Box<dyn FnOnce() + Send>>,
    done: mpsc::Receiver<During>,
    entries: thread::JoinHandle<BTreeMap<String, u64>>,
}

fn spawn_worker(name: String, dispatch: Dispatch) -> Worker {
    let (steps, received) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
    let (back, done) = mpsc::channel();
    let all = move || {
        for step in received {
            let start = Instant::now();
            step();
            back.send((start, Instant::now())).unwrap();
        }
    };
    let entries = thread::spawn(move || entries(&name, &dispatch, all));
    Worker {
        steps,
        done,
        entries,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_steps_matches_the_oracle(
        steps in prop::collection::vec((
            prop_oneof![4 => Just(Step::Enter), 4 => Just(Step::Exit), 1 => Just(Step::Drop), 1 => Just(Step::Create)],
            0..NAMES.len(),
            0..3usize,
        ), 0..80),
    ) {
        static CASE: AtomicUsize = AtomicUsize::new(0);
        let _alone = alone();
        let case = CASE.fetch_add(1, Ordering::Relaxed);
        for (kind, dispatch) in collectors() {
            let named = |at| format!("case {case} {kind} {at}");
            let threads = [0, 1, 2].map(|at| spawn_worker(named(at), dispatch.clone()));
            let mut oracles: [Oracle; 3] = Default::default();
            let all = NAMES.iter().enumerate();
            let spans: Vec<Option<Span>> =
                dispatcher::with_default(&dispatch, || all.map(|(at, _)| Some(span(at))).collect());
            let spans = Arc::new(Mutex::new(spans));
            for (step, which, on) in &steps {
                let (step, which, spans) = (*step, *which, spans.clone());
                let dispatch = dispatch.clone();
                let is_there = spans.lock().unwrap()[which].is_some();
                let does = move || {
                    let place = &mut spans.lock().unwrap()[which];
                    match (step, &place) {
                        (Step::Drop, _) => *place = None,
                        (Step::Create, _) => *place = Some(span(which)),
                        (Step::Enter, Some(span)) => dispatch.enter(&span.id().unwrap()),
                        (Step::Exit, Some(span)) => dispatch.exit(&span.id().unwrap()),
                        (_, None) => {}
                    }
                };
                threads[*on].steps.send(Box::new(does)).unwrap();
                oracles[*on].time(threads[*on].done.recv().unwrap());
                if is_there {
                    oracles[*on].step(step, NAMES[which]);
                }
            }
            for (at, (thread, mut oracle)) in threads.into_iter().zip(oracles).enumerate() {
                let end = || Box::new(|| ());
                thread.steps.send(end()).unwrap();
                oracle.time(thread.done.recv().unwrap());
                drop(thread.steps);
                prop_assert_eq!(thread.entries.join().unwrap(), oracle.entries, "{} {}", kind, at);
                // Zones that a thread leaves open are closed at some point after the thread ends.
                let found = stacks::self_ns(&named(at));
                let still_open = oracle.open.join("/");
                for (path, (least, most)) in &oracle.ns {
                    let ns = found[path];
                    let is_least = ns >= least * 0.99 - 1e3;
                    let is_most = ns <= most * 1.01 + 1e3 || *path == still_open;
                    prop_assert!(is_least && is_most, "{path}: {ns}, {least} to {most}");
                }
            }
        }
    }
}
