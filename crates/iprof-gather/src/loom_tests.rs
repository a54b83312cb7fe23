//! Loom tests of a recording thread and its readers, in every interleaving that the memory model allows:
//! `RUSTFLAGS="--cfg loom" cargo test -p iprof-gather --features enable --profile loom`.

use super::mode::cutoff;
use super::node::{Node, class};
use super::record::{Reading, ThreadRecord};
use crate::Zone;
use crate::sync::{model, run_with_reader};

static A: Zone = Zone::new("a", "", 0, "");
static B: Zone = Zone::new("b", "", 0, "");
static C: Zone = Zone::new("c", "", 0, "");

/// The current node, its timed ancestor, the closed ticks, and the start of the running clock.
type Moment = (u32, u32, u64, u64);

fn node(
    record: &'static ThreadRecord,
    parent: &'static Node,
    zone: &'static Zone,
) -> &'static Node {
    record.node_for(parent, zone).unwrap()
}

/// Creates a record whose owner begins at 0.
fn begun() -> (&'static ThreadRecord, &'static Node) {
    let record = ThreadRecord::new(String::new()).unwrap();
    record.begin(0);
    (record, record.current().unwrap())
}

fn moment(reading: Reading) -> Moment {
    (
        reading.node,
        reading.timed_ancestor,
        reading.ticks,
        reading.started,
    )
}

/// Asserts that a reading, if any, is one of the given moments.
fn assert_is_one_of(moments: &[Moment], reading: Option<Reading>) {
    if let Some(reading) = reading {
        assert!(moments.contains(&moment(reading)), "{reading:?}");
    }
}

#[test]
fn reading_is_consistent() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        let writer = || {
            record.enter(a, 10);
            record.leave(a, root, 25);
            record.enter(a, 30);
        };
        let moments = [(0, 0, 0, 0), (1, 1, 0, 10), (0, 0, 10, 25), (1, 1, 15, 30)];
        assert_is_one_of(&moments, run_with_reader(writer, || record.read()));
    });
}

#[test]
fn reading_is_consistent_among_untimed_nodes() {
    model(|| {
        let (record, root) = begun();
        let [a, b, c] = [&A, &B, &C].map(|zone| node(record, root, zone));
        // Only `b` is timed.
        record.change_clocks(
            cutoff::AUTO,
            &[(1, class::UNTIMED_BY_AUTO), (3, class::UNTIMED_BY_AUTO)],
            || 0,
        );
        record.enter_untimed(a);
        let writer = || {
            record.leave_untimed(root);
            record.enter(b, 10);
            record.leave(b, root, 25);
            record.enter_untimed(c);
        };
        let moments = [
            (1, 0, 0, 0),
            (0, 0, 0, 0),
            (2, 2, 0, 10),
            (0, 0, 10, 25),
            (3, 0, 10, 25),
        ];
        assert_is_one_of(&moments, run_with_reader(writer, || record.read()));
    });
}

#[test]
fn reading_is_consistent_above_timed_ancestor() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        let b = node(record, a, &B);
        record.change_clocks(cutoff::AUTO, &[(2, class::UNTIMED_BY_AUTO)], || 0);
        record.enter(a, 10);
        record.enter_untimed(b);
        let writer = || {
            record.leave_untimed(a);
            record.leave(a, root, 25);
            record.enter(a, 30);
        };
        let moments = [(2, 1, 0, 10), (1, 1, 0, 10), (0, 0, 10, 25), (1, 1, 15, 30)];
        assert_is_one_of(&moments, run_with_reader(writer, || record.read()));
    });
}

#[test]
fn reading_is_consistent_while_several_zones_close() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        let b = node(record, a, &B);
        let c = node(record, b, &C);
        record.change_clocks(cutoff::AUTO, &[(3, class::UNTIMED_BY_AUTO)], || 0);
        record.enter(a, 10);
        record.enter(b, 20);
        record.enter_untimed(c);
        let writer = || {
            // Moves the clock from `b` directly to the root, past the timed `a`, and back.
            record.close(a, || 35);
            record.enter(a, 40);
            record.enter(b, 45);
        };
        let moments = [
            (3, 2, 0, 20),
            (0, 0, 10, 35),
            (1, 1, 10, 40),
            (2, 2, 15, 45),
        ];
        assert_is_one_of(&moments, run_with_reader(writer, || record.read()));
    });
}

#[test]
fn reading_is_consistent_while_new_zone_closes() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        let writer = || {
            record.enter(a, 10);
            record.close(a, || 25);
        };
        let moments = [(0, 0, 0, 0), (1, 1, 0, 10), (0, 0, 10, 25)];
        assert_is_one_of(&moments, run_with_reader(writer, || record.read()));
    });
}

#[test]
fn reading_is_consistent_while_one_clock_runs() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        let b = node(record, a, &B);
        record.change_clocks(cutoff::SAMPLED, &[], || 5);
        record.enter_untimed(a);
        record.enter_untimed(b);
        let writer = || {
            record.close(a, || {
                unreachable!("the clock should keep running without being read")
            });
            record.enter_untimed(a);
            record.end(20);
        };
        let moments = [(2, 0, 5, 5), (0, 0, 5, 5), (1, 0, 5, 5)];
        assert_is_one_of(&moments, run_with_reader(writer, || record.read()));
        assert!(record.read().is_none());
    });
}

#[test]
fn reading_is_consistent_while_cutoff_changes() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        record.enter(a, 10);
        let writer = || {
            record.change_clocks(cutoff::SAMPLED, &[], || 25);
            record.change_clocks(cutoff::EXACT, &[], || 30);
        };
        let moments = [(1, 1, 0, 10), (1, 0, 10, 25), (1, 1, 15, 30)];
        // No reader may see the state between the stop of one clock and the start of the other.
        assert_is_one_of(&moments, run_with_reader(writer, || record.read()));
        assert_eq!(record.read().map(moment), Some((1, 1, 15, 30)));
    });
}

#[test]
fn reading_is_consistent_across_leave_and_cutoff() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        record.enter(a, 10);
        let writer = || {
            record.leave(a, root, 20);
            record.change_clocks(cutoff::SAMPLED, &[], || 25);
            record.enter_untimed(a);
        };
        let moments = [
            (1, 1, 0, 10),
            (0, 0, 10, 20),
            (0, 0, 15, 25),
            (1, 0, 15, 25),
        ];
        assert_is_one_of(&moments, run_with_reader(writer, || record.read()));
    });
}

#[test]
fn reading_is_consistent_while_reclassifying() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        let b = node(record, a, &B);
        record.change_clocks(cutoff::AUTO, &[], || 5);
        record.enter(a, 10);
        record.enter(b, 20);
        let writer = || {
            // Both nodes become untimed, then the lower node becomes timed again.
            let both = [(1, class::UNTIMED_BY_AUTO), (2, class::UNTIMED_BY_AUTO)];
            record.change_clocks(cutoff::AUTO, &both, || 35);
            record.change_clocks(cutoff::AUTO, &[(1, class::TIMED_BY_AUTO)], || 40);
        };
        let moments = [(2, 2, 0, 20), (2, 0, 10, 35), (2, 1, 10, 40)];
        assert_is_one_of(&moments, run_with_reader(writer, || record.read()));
        assert_eq!(record.read().map(moment), Some((2, 1, 10, 40)));
    });
}

#[test]
fn published_nodes_can_be_read() {
    model(|| {
        let (record, root) = begun();
        let writer = || {
            let a = node(record, root, &A);
            record.enter(a, 10);
            let b = node(record, a, &B);
            record.enter(b, 20);
        };
        run_with_reader(writer, || {
            let reading = record.read();
            let count = record.node_count();
            for index in 0..count {
                let node = record.node(index).unwrap();
                assert!(node.is_initialized());
                assert!(node.parent_index().is_none_or(|parent| parent < index));
            }
            // The current node was published before it became current.
            assert!(reading.is_none_or(|reading| reading.node < count));
        });
        assert_eq!(record.node_count(), 3);
    });
}

#[test]
fn samples_never_see_incomplete_nodes() {
    model(|| {
        let (record, root) = begun();
        let owners = || {
            let a = node(record, root, &A);
            record.enter(a, 10);
            record.end(20);
            // The next owner is another thread, and the registry's lock orders the two.
            record.begin(30);
            let b = node(record, root, &B);
            record.change_clocks(cutoff::SAMPLED, &[], || 40);
            record.enter_untimed(b);
        };
        run_with_reader(owners, || {
            // Do what the sampler does.
            if let Some(node) = record.current() {
                assert!(node.is_initialized());
                assert!(node.index() < record.node_count());
            }
        });
    });
}

#[test]
fn ownership_is_consistent_while_owner_changes() {
    model(|| {
        let record = ThreadRecord::new(String::new()).unwrap();
        record.begin(100);
        let owners = || {
            record.end(110);
            // The next owner is another thread, and the registry's lock orders the two.
            record.begin(150);
        };
        let (ownership, reading) =
            run_with_reader(owners, || (record.ownership(160), record.read()));
        // The record is owned by the first thread, not owned, or owned by the second thread.
        assert!(
            [(1, 60), (2, 10), (3, 20)].contains(&ownership),
            "{ownership:?}"
        );
        assert_is_one_of(&[(0, 0, 0, 100), (0, 0, 10, 150)], reading);
        assert_eq!(record.ownership(160), (3, 20));
    });
}

#[test]
fn ownership_is_consistent_during_short_thread() {
    model(|| {
        let record = ThreadRecord::new(String::new()).unwrap();
        record.begin(100);
        record.end(110);
        let owner = || {
            record.begin(150);
            record.end(170);
        };
        let ownership = run_with_reader(owner, || record.ownership(190));
        assert!(
            [(2, 10), (3, 50), (4, 30)].contains(&ownership),
            "{ownership:?}"
        );
    });
}

#[test]
fn unowned_record_has_complete_times() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        record.enter(a, 10);
        let found = run_with_reader(
            || record.end(25),
            || {
                (!record.is_owned()).then(|| {
                    let current = record.current().map(Node::index);
                    (current, root.ticks(), a.ticks(), record.ownership(100).1)
                })
            },
        );
        assert!(found.is_none_or(|found| found == (None, 10, 15, 25)));
    });
}
