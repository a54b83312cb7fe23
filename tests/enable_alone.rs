//! With the feature `enable` alone: zones are recorded in all timing modes, frames end and are discarded, and a snapshot,
//! the dump and a sampling session have the data. There are no views, no history, and no crate that asks the system.
#![cfg(all(feature = "enable", not(feature = "report")))]

#[path = "support/busy.rs"]
mod busy;

use busy::{again_if_busy, spin};
use iprof::{Snapshot, SnapshotNode, Timing};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const MS: Duration = Duration::from_millis(1);

/// One test at a time, with nothing recorded so far.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    iprof::set_timing(Timing::Exact);
    // Ends the frame in which the last test had it off.
    iprof::update(true);
    iprof::reset();
    guard
}

/// The node of a zone on this thread, which has one.
fn node(snapshot: &Snapshot, zone: &str) -> SnapshotNode {
    let current = std::thread::current();
    let is_mine = |name: &str| Some(name) == current.name();
    let mine = snapshot.threads.iter().find(|thread| is_mine(&thread.name));
    let is_it = |node: &&SnapshotNode| &*snapshot.zones[node.zone as usize].name == zone;
    *mine.unwrap().nodes.iter().find(is_it).unwrap()
}

fn work(time: Duration) -> Duration {
    iprof::zone!(work);
    spin(time)
}

#[test]
fn frames_are_counted_and_what_is_discarded_is_in_none() {
    let _alone = alone();
    let mut truth = Duration::ZERO;
    for at in 0..10 {
        let passed = work(MS);
        let is_recorded = at % 2 == 0;
        iprof::update(is_recorded);
        if is_recorded {
            truth += passed;
        }
    }
    iprof::mark("nobody sees it");
    let snapshot = iprof::snapshot();
    assert_eq!(snapshot.frames, 5);
    let found = node(&snapshot, "work");
    assert_eq!((found.entries, found.error), (5, 0.0));
    let (got, truth) = (snapshot.ns(found.ticks) * 1e-6, busy::ms(truth));
    assert!((got - truth).abs() < 0.2 + 0.02 * truth, "{got} of {truth}");
    // Paused: time since the last frame, which was discarded, is in none.
    work(MS);
    assert_eq!(node(&iprof::snapshot(), "work").entries, 5);
    assert_eq!(node(&iprof::snapshot(), "iprof_update").entries, 5);
}

#[test]
fn a_reset_forgets_frames_and_times() {
    let _alone = alone();
    // A row, for the dump has the program's path, too, which may have the word in it.
    let has_row = || iprof::dump().contains("- work\n");
    work(MS);
    iprof::update(true);
    assert!(has_row(), "{}", iprof::dump());
    iprof::reset();
    let snapshot = iprof::snapshot();
    assert_eq!(snapshot.frames, 0);
    assert_eq!(node(&snapshot, "work").entries, 0);
    assert!(!has_row(), "{}", iprof::dump());
}

#[test]
fn sampled_frames_have_times_with_errors() {
    again_if_busy(|| {
        let _alone = alone();
        iprof::set_timing(Timing::Sampled { hz: 2_000.0 });
        let (mut long, mut short) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..100 {
            {
                iprof::zone!(long);
                long += spin(3 * MS);
            }
            {
                iprof::zone!(short);
                short += spin(MS);
            }
            iprof::update(true);
        }
        let snapshot = iprof::snapshot();
        iprof::set_timing(Timing::Exact);
        for (zone, truth) in [("long", long), ("short", short)] {
            let found = node(&snapshot, zone);
            let ms = |ticks: f64| ticks * snapshot.ns_per_tick * 1e-6;
            let (got, error) = (ms(found.ticks as f64), ms(found.error));
            assert_eq!(found.entries, 100);
            assert!(found.samples > 0 && error > 0.0, "{found:?}");
            let truth = busy::ms(truth);
            assert!(
                (got - truth).abs() < 5.0 * error,
                "{got} ± {error} of {truth}"
            );
        }
    });
}

/// The calls of `often` cost more than the budget, so they are sampled; `seldom` stays exact.
#[test]
fn a_budget_is_kept_from_frame_to_frame() {
    let _alone = alone();
    iprof::set_timing(Timing::Auto { budget: 0.001 });
    let start = Instant::now();
    let sampled = loop {
        {
            iprof::zone!(seldom);
            spin(MS);
        }
        for _ in 0..5_000 {
            iprof::zone!(often);
            std::hint::black_box(());
        }
        iprof::update(true);
        let snapshot = iprof::snapshot();
        assert_eq!(node(&snapshot, "seldom").error, 0.0);
        if node(&snapshot, "often").error > 0.0 {
            break snapshot;
        }
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{}",
            iprof::dump()
        );
    };
    iprof::set_timing(Timing::Exact);
    assert_eq!(node(&sampled, "often").entries, 5_000 * sampled.frames);
}

#[test]
fn a_session_samples_whatever_the_timing_is() {
    let _alone = alone();
    iprof::set_timing(Timing::Off);
    let session = iprof::SamplingSession::start(5_000.0).unwrap();
    work(200 * MS);
    let profile = session.finish();
    iprof::set_timing(Timing::Exact);
    assert!(
        profile.rows.iter().any(|row| &*row.name == "work"),
        "{profile:?}"
    );
}

#[test]
fn texts_that_need_no_feature_have_the_data() {
    let _alone = alone();
    work(MS);
    let mut folded = Vec::new();
    iprof::snapshot().write_folded(&mut folded).unwrap();
    let folded = String::from_utf8(folded).unwrap();
    assert!(folded.contains(";work "), "{folded}");
    assert!(iprof::dump().contains("- work"), "{}", iprof::dump());
}
