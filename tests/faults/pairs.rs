//! Tests `begin!` and `end!` calls that don't match or aren't recorded.

use crate::measured::{alone, faults};
use crate::recorded::entries_on;
use iprof::{Snapshot, Timing};
use std::thread;

iprof::define_zone!(OUTER, "outer");

fn on_a_thread(name: &str, f: impl FnOnce() + Send + 'static) {
    let builder = thread::Builder::new().name(name.into());
    builder.spawn(f).unwrap().join().unwrap();
}

/// Counts entries at the root.
fn entries_outside(recorded: &Snapshot, thread: &str, zone: &str) -> u64 {
    let threads = recorded.threads.iter().filter(|t| *t.name == *thread);
    let nodes = threads.flat_map(|thread| &thread.nodes);
    let is_it = |of: u32| *recorded.zones[of as usize].name == *zone;
    let outside = nodes.filter(|node| node.parent == 0 && is_it(node.zone));
    outside.map(|node| node.entries).sum()
}

fn begin_unrecorded() {
    iprof::set_recording(false);
    iprof::begin!(unrecorded);
    iprof::set_recording(true);
}

#[test]
fn missing_end_is_ignored_after_its_parent_ends() {
    let _alone = alone();
    for timing in [Timing::Exact, Timing::SAMPLED, Timing::AUTO] {
        iprof::set_timing(timing);
        let name = format!("missing {timing:?}");
        for owner in 1..=3 {
            on_a_thread(&name, || {
                {
                    iprof::zone!(&OUTER);
                    begin_unrecorded();
                    begin_unrecorded();
                }
                iprof::begin!(&OUTER);
                begin_unrecorded();
                // This `end!` matches the last `begin!`. The earlier `begin!`s without an `end!` are forgotten.
                iprof::end!(unrecorded);
                iprof::end!(&OUTER);
                {
                    iprof::zone!(after_outer);
                    begin_unrecorded();
                }
                iprof::begin!(&OUTER);
                begin_unrecorded();
                // The outer zone is closed while an inner zone is still open, regardless of missing `end!` calls.
                iprof::begin!(inside);
                iprof::end!(&OUTER);
                iprof::begin!(&OUTER);
                iprof::end!(&OUTER);
                iprof::zone!(after_all);
                // A missing `end!` on this thread must not affect the next thread with the same name.
                begin_unrecorded();
            });
            let recorded = iprof::snapshot();
            for (zone, each) in [("outer", 4), ("after_outer", 1), ("after_all", 1)] {
                let [all, outside] =
                    [entries_on, entries_outside].map(|f| f(&recorded, &name, zone));
                let expected = each * owner;
                assert_eq!([all, outside], [expected; 2], "{timing:?} {zone} {owner}");
            }
        }
        iprof::update(true);
        let warnings = faults();
        assert!(
            warnings.len() == 1 && warnings[0].contains("closed implicitly: 3 times"),
            "{timing:?}: {warnings:?}"
        );
        iprof::reset();
    }
}

/// Simulates a program in which a key turns recording on and off.
#[test]
fn begin_while_timing_is_off_is_paired_or_ignored() {
    let _alone = alone();
    for timing in [Timing::Exact, Timing::SAMPLED] {
        iprof::set_timing(timing);
        let name = format!("switched {timing:?}");
        let thread = name.clone();
        on_a_thread(&thread, move || {
            for is_missing in [false, true, false] {
                {
                    iprof::zone!(&OUTER);
                    iprof::set_timing(Timing::Off);
                    iprof::begin!(level);
                    iprof::set_timing(timing);
                    if !is_missing {
                        iprof::end!(level);
                    }
                }
                iprof::begin!(&OUTER);
                iprof::end!(&OUTER);
                // This frame is discarded, because timing was off during part of it.
                iprof::update(true);
                {
                    iprof::zone!(next_level);
                }
                iprof::update(true);
            }
        });
        let recorded = iprof::snapshot();
        for entries in [entries_on, entries_outside] {
            assert_eq!(entries(&recorded, &name, "next_level"), 3, "{timing:?}");
        }
        iprof::update(true);
        assert_eq!(faults(), [] as [String; 0], "{timing:?}");
        iprof::reset();
    }
}
