//! Tests programs that never call `update`. Zones are recorded, and snapshots contain them.
#![cfg(feature = "enable")]

#[path = "support/busy.rs"]
mod busy;

use busy::again_if_busy;
use iprof::{Snapshot, SnapshotNode, SnapshotThread, Timing};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// Runs one test at a time, and resets the profiler first.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    iprof::set_timing(Timing::Exact);
    iprof::reset();
    guard
}

/// Works for `time`. Returns the actual duration in milliseconds.
fn spin(time: Duration) -> f64 {
    busy::ms(busy::spin(time))
}

const MS: Duration = Duration::from_millis(1);

fn node(snapshot: &Snapshot, thread: &str, stack: &[&str]) -> Option<SnapshotNode> {
    let running = |found: &&SnapshotThread| &*found.name == thread;
    let nodes = &snapshot.threads.iter().find(running)?.nodes;
    let mut at = SnapshotThread::ROOT;
    for name in stack {
        let is_it = |child: usize| {
            let node = nodes[child];
            node.parent as usize == at && &*snapshot.zones[node.zone as usize].name == *name
        };
        at = (1..nodes.len()).find(|child| is_it(*child))?;
    }
    Some(nodes[at])
}

fn ms(snapshot: &Snapshot, thread: &str, stack: &[&str]) -> f64 {
    node(snapshot, thread, stack).map_or(0.0, |node| snapshot.ns(node.ticks) * 1e-6)
}

fn entries(snapshot: &Snapshot, thread: &str, stack: &[&str]) -> u64 {
    node(snapshot, thread, stack).map_or(0, |node| node.entries)
}

/// Compares with a tolerance of 0.2 ms and 2%.
fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 0.2 + 0.02 * b
}

#[test]
fn snapshots_include_open_zones() {
    let _alone = alone();
    let (start, started) = mpsc::channel::<()>();
    let (send_ms, spun_ms) = mpsc::channel::<f64>();
    let worker = std::thread::Builder::new().name("opener".into());
    let worker = worker.spawn(move || {
        iprof::zone!(outer);
        for () in started {
            iprof::zone!(inner);
            send_ms.send(spin(5 * MS)).unwrap();
        }
    });
    let mut truth = 0.0;
    for round in 1..=3 {
        start.send(()).unwrap();
        truth += spun_ms.recv().unwrap();
        let snapshot = iprof::snapshot();
        let inner = ms(&snapshot, "opener", &["outer", "inner"]);
        assert!(
            inner >= truth * 0.98 && inner < truth + 20.0,
            "{inner} ms, expected {truth}"
        );
        assert_eq!(entries(&snapshot, "opener", &["outer", "inner"]), round);
        assert_eq!(entries(&snapshot, "opener", &["outer"]), 1);
        assert_eq!(snapshot.frames, 0);
    }
    // Open zones' times grow, even while a zone is waiting.
    let (outside, earlier, inside) = (Instant::now(), iprof::snapshot(), Instant::now());
    std::thread::sleep(20 * MS);
    let inside = inside.elapsed().as_secs_f64() * 1e3;
    let since = iprof::snapshot().since(&earlier);
    let outside = outside.elapsed().as_secs_f64() * 1e3;
    // A snapshot reflects some moment during the call, however long the call takes.
    let is_between = |ms: f64| inside * 0.98 - 0.2 <= ms && ms <= outside * 1.02 + 0.2;
    assert!(is_between(ms(&since, "opener", &["outer"])));
    assert!(is_between(since.ns(since.ticks) * 1e-6));
    drop(start);
    worker.unwrap().join().unwrap();
    let ended = iprof::snapshot();
    let thread = ended
        .threads
        .iter()
        .find(|thread| &*thread.name == "opener");
    assert!(thread.unwrap().has_ended);
    assert_eq!(entries(&ended, "opener", &["outer", "inner"]), 3);
}

#[test]
fn each_threads_nodes_sum_to_elapsed_time() {
    let _alone = alone();
    iprof::zone!(all);
    for _ in 0..100 {
        iprof::zone!(part);
        std::hint::black_box(spin(MS / 20));
    }
    let snapshot = iprof::snapshot();
    let name = std::thread::current().name().unwrap().to_owned();
    let mine = snapshot.threads.iter().find(|thread| *thread.name == *name);
    let ticks: u64 = mine.unwrap().nodes.iter().map(|node| node.ticks).sum();
    // Both values are the time since the reset, because this thread already existed then.
    assert_eq!(ticks, snapshot.ticks);
}

#[test]
fn any_thread_can_dump_all_threads() {
    fn dumped() {
        iprof::zone!(dumped);
    }
    let _alone = alone();
    dumped();
    iprof::zone!(still_open);
    let dump = || std::thread::spawn(iprof::dump).join().unwrap();
    let rows = |text: &str, entries: &str, name: &str| {
        let rows = text.lines().filter(|row| {
            let is_it = row.ends_with(&format!("- {name}"));
            is_it && row.split_whitespace().next() == Some(entries)
        });
        rows.count()
    };
    let text = dump();
    assert_eq!(rows(&text, "1", "dumped"), 1, "{text}");
    assert_eq!(rows(&text, "1", "still_open"), 1, "{text}");
    iprof::reset();
    let text = dump();
    assert!(!text.contains("dumped"), "{text}");
}

#[test]
fn reset_forgets_earlier_time_of_open_zones() {
    let _alone = alone();
    let name = std::thread::current().name().unwrap().to_owned();
    let _open = iprof::open_zone!(long);
    spin(10 * MS);
    assert!(ms(&iprof::snapshot(), &name, &["long"]) > 9.0);
    iprof::reset();
    let start = Instant::now();
    spin(2 * MS);
    let snapshot = iprof::snapshot();
    let passed = start.elapsed().as_secs_f64() * 1e3;
    let long = ms(&snapshot, &name, &["long"]);
    assert!(
        long >= 1.9 && long <= passed + 0.5,
        "{long} ms recorded, {passed} passed"
    );
    assert_eq!(
        entries(&snapshot, &name, &["long"]),
        0,
        "the zone was entered before the reset"
    );
}

#[test]
fn time_while_timing_is_off_belongs_to_no_zone() {
    let _alone = alone();
    let name = std::thread::current().name().unwrap().to_owned();
    let work = |time| {
        iprof::zone!(work);
        spin(time)
    };
    let mut truth = work(3 * MS);
    iprof::set_timing(Timing::Off);
    work(20 * MS);
    let off = iprof::snapshot();
    assert!(is_near(ms(&off, &name, &["work"]), truth));
    iprof::set_timing(Timing::Exact);
    truth += work(3 * MS);
    let on = iprof::snapshot();
    assert!(is_near(ms(&on, &name, &["work"]), truth));
    assert_eq!(entries(&on, &name, &["work"]), 2);
    let in_all = on.ns(on.ticks) * 1e-6;
    assert!(
        in_all < truth + 10.0,
        "{in_all} ms should exclude the time when timing was off"
    );
}

#[test]
fn sampled_times_are_within_their_error() {
    again_if_busy(|| check_sampled_times(Timing::Sampled { hz: 5000.0 }));
}

/// Without frames, `Auto` can't find out for which zones it may read the clock.
#[test]
fn auto_samples_all_zones() {
    again_if_busy(|| check_sampled_times(Timing::Auto { budget: 0.1 }));
}

fn check_sampled_times(timing: Timing) {
    let _alone = alone();
    iprof::set_timing(timing);
    let name = std::thread::current().name().unwrap().to_owned();
    let (mut long, mut short, mut rounds) = (0.0, 0.0, 0);
    let start = Instant::now();
    // Repeat until there are enough samples. This takes longer on a busy machine.
    let found = loop {
        for _ in 0..150 {
            {
                iprof::zone!(long);
                long += spin(3 * MS);
            }
            iprof::zone!(short);
            short += spin(MS);
        }
        rounds += 150;
        let snapshot = iprof::snapshot();
        assert_eq!(snapshot.frames, 0);
        let mine = snapshot.threads.iter().find(|thread| *thread.name == *name);
        let ticks: u64 = mine.unwrap().nodes.iter().map(|node| node.ticks).sum();
        assert_eq!(ticks, snapshot.ticks);
        let found = [("long", long), ("short", short)].map(|(zone, truth)| {
            let found = node(&snapshot, &name, &[zone]).unwrap();
            assert_eq!(found.entries, rounds);
            assert!(found.error > 0.0, "{zone} should be sampled");
            let ms = |ticks: f64| ticks * snapshot.ns_per_tick * 1e-6;
            (
                found.samples,
                ms(found.ticks as f64),
                ms(found.error),
                truth,
            )
        });
        let is_enough = |(samples, _, error, truth): &(u64, f64, f64, f64)| {
            *samples > 50 && *error < 0.25 * truth
        };
        if found.iter().all(is_enough) {
            break found;
        }
        let is_busy = busy::lost_part() > busy::BUSY;
        let in_time = start.elapsed() < Duration::from_secs(20);
        assert!(is_busy && in_time, "{found:?}");
    };
    iprof::set_timing(Timing::Exact);
    for (_, got, error, truth) in found {
        assert!(error > 0.0, "{got} ms should have an error");
        assert!(
            (got - truth).abs() < 5.0 * error,
            "{got} ± {error} ms, expected {truth}"
        );
    }
}

#[test]
fn snapshot_names_its_program() {
    let _alone = alone();
    let about = iprof::snapshot().about;
    assert!(about.program.contains("no_update"), "{about:?}");
    assert!(
        about.taken.is_some() && !about.machine.is_empty(),
        "{about:?}"
    );
}

#[test]
fn snapshots_from_many_threads_change_no_result() {
    let _alone = alone();
    let take = || {
        let mut last = 0;
        for _ in 0..20 {
            let next = entries(&iprof::snapshot(), "busy", &["turn"]);
            assert!(next >= last, "{next} after {last}");
            last = next;
        }
    };
    let turns = std::thread::scope(|scope| {
        let takers: Vec<_> = (0..3).map(|_| scope.spawn(take)).collect();
        let busy = std::thread::Builder::new().name("busy".into());
        let busy = busy.spawn_scoped(scope, || {
            let mut turns = 0;
            while !takers.iter().all(|taker| taker.is_finished()) {
                iprof::zone!(turn);
                iprof::zone!(inner);
                turns += 1;
            }
            for taker in takers {
                taker.join().unwrap();
            }
            turns
        });
        busy.unwrap().join().unwrap()
    });
    let snapshot = iprof::snapshot();
    assert_eq!(entries(&snapshot, "busy", &["turn"]), turns);
    assert_eq!(entries(&snapshot, "busy", &["turn", "inner"]), turns);
}
