//! The protocols between a recording thread and its readers, in every order that the memory model
//! allows. `./dev test` runs these under `--cfg loom`.
//!
//! A reader of these stores nothing that a recording thread reads (orders come behind a lock). So
//! whatever it may find while that thread runs, it may also find afterwards, as values that are
//! old: the memory model sets no term for a store to arrive. Hence [`beside`] lets the recording
//! thread go first and the reader then choose among all values that it may still find, and
//! [`model`] tries no other order of the two.
//!
//! It would be in vain, too: loom (0.7.2) tries another order where it sees that a store follows
//! another thread's load of the same place, but if the thread that stores has loaded the place
//! itself in between, it does not see that. Recording threads do so all the time.

use super::node::{Node, class};
use super::record::{Reading, ThreadRecord};
use super::switch::cutoff;
use crate::Zone;
use loom::{model::Builder, thread};

static A: Zone = Zone::new("a", "", 0, "");
static B: Zone = Zone::new("b", "", 0, "");
static C: Zone = Zone::new("c", "", 0, "");

/// Checks `f` with whatever the reader of [`beside`] may find. At most six stores to one place, for
/// loom forgets older ones.
pub(crate) fn model(f: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    // As the module says.
    builder.preemption_bound = Some(0);
    builder.check(f);
}

/// Runs `reader` on a thread of its own, at any time while `writer` runs; returns what it found.
pub(crate) fn beside<T: 'static>(
    writer: impl FnOnce(),
    reader: impl FnOnce() -> T + Send + 'static,
) -> T {
    let reader = thread::spawn(reader);
    writer();
    reader.join().unwrap()
}

/// Node, account, closed ticks, since when the clock runs.
type Moment = (u32, u32, u64, u64);

fn node(
    record: &'static ThreadRecord,
    parent: &'static Node,
    zone: &'static Zone,
) -> &'static Node {
    record.node_for(parent, zone).unwrap()
}

/// A record whose owner begins at 0.
fn begun() -> (&'static ThreadRecord, &'static Node) {
    let record = ThreadRecord::new(String::new()).unwrap();
    record.begin(0);
    (record, record.current().unwrap())
}

fn moment(reading: Reading) -> Moment {
    (
        reading.node,
        reading.account,
        reading.ticks,
        reading.started,
    )
}

/// Where the thread is, what was closed there, and since when it is there again: all of that was so
/// at one of these moments.
fn assert_is_one_of(moments: &[Moment], reading: Option<Reading>) {
    if let Some(reading) = reading {
        assert!(moments.contains(&moment(reading)), "{reading:?}");
    }
}

#[test]
fn a_reading_is_of_one_moment() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        let writer = || {
            record.enter(root, a, 10);
            record.leave(a, root, 25);
            record.enter(root, a, 30);
        };
        let moments = [(0, 0, 0, 0), (1, 1, 0, 10), (0, 0, 10, 25), (1, 1, 15, 30)];
        assert_is_one_of(&moments, beside(writer, || record.read()));
    });
}

#[test]
fn a_reading_among_nodes_without_clocks_is_of_one_moment() {
    model(|| {
        let (record, root) = begun();
        let [a, b, c] = [&A, &B, &C].map(|zone| node(record, root, zone));
        // Only `b` has a clock.
        record.change_clocks(cutoff::AUTO, &[(1, class::SHORT), (3, class::SHORT)], || 0);
        record.enter_untimed(a);
        let writer = || {
            record.leave_untimed(root);
            record.enter(root, b, 10);
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
        assert_is_one_of(&moments, beside(writer, || record.read()));
    });
}

#[test]
fn a_reading_above_an_account_is_of_one_moment() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        let b = node(record, a, &B);
        record.change_clocks(cutoff::AUTO, &[(2, class::SHORT)], || 0);
        record.enter(root, a, 10);
        record.enter_untimed(b);
        let writer = || {
            record.leave_untimed(a);
            record.leave(a, root, 25);
            record.enter(root, a, 30);
        };
        let moments = [(2, 1, 0, 10), (1, 1, 0, 10), (0, 0, 10, 25), (1, 1, 15, 30)];
        assert_is_one_of(&moments, beside(writer, || record.read()));
    });
}

#[test]
fn a_reading_while_several_zones_close_at_once_is_of_one_moment() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        let b = node(record, a, &B);
        let c = node(record, b, &C);
        record.change_clocks(cutoff::AUTO, &[(3, class::SHORT)], || 0);
        record.enter(root, a, 10);
        record.enter(a, b, 20);
        record.enter_untimed(c);
        let writer = || {
            // From one account to another that is not its parent's, and back.
            record.close(a, || 35);
            record.enter(root, a, 40);
            record.enter(a, b, 45);
        };
        let moments = [
            (3, 2, 0, 20),
            (0, 0, 10, 35),
            (1, 1, 10, 40),
            (2, 2, 15, 45),
        ];
        assert_is_one_of(&moments, beside(writer, || record.read()));
    });
}

#[test]
fn a_reading_while_a_zone_closes_that_was_just_entered_is_of_one_moment() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        let writer = || {
            record.enter(root, a, 10);
            record.close(a, || 25);
        };
        let moments = [(0, 0, 0, 0), (1, 1, 0, 10), (0, 0, 10, 25)];
        assert_is_one_of(&moments, beside(writer, || record.read()));
    });
}

#[test]
fn a_reading_while_zones_close_on_one_clock_is_of_one_moment() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        let b = node(record, a, &B);
        record.change_clocks(cutoff::SAMPLED, &[], || 5);
        record.enter_untimed(a);
        record.enter_untimed(b);
        let writer = || {
            record.close(a, || unreachable!("the clock runs on"));
            record.enter_untimed(a);
            record.end(20);
        };
        let moments = [(2, 0, 5, 5), (0, 0, 5, 5), (1, 0, 5, 5)];
        assert_is_one_of(&moments, beside(writer, || record.read()));
        assert!(record.read().is_none());
    });
}

#[test]
fn a_reading_while_the_cutoff_changes_is_of_one_moment() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        record.enter(root, a, 10);
        let writer = || {
            record.change_clocks(cutoff::SAMPLED, &[], || 25);
            record.change_clocks(cutoff::EXACT, &[], || 30);
        };
        let moments = [(1, 1, 0, 10), (1, 0, 10, 25), (1, 1, 15, 30)];
        // No moment: that of the root's clock between its stop and the start of another.
        assert_is_one_of(&moments, beside(writer, || record.read()));
        assert_eq!(record.read().map(moment), Some((1, 1, 15, 30)));
    });
}

#[test]
fn a_reading_while_a_thread_moves_and_changes_its_clocks_is_of_one_moment() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        record.enter(root, a, 10);
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
        assert_is_one_of(&moments, beside(writer, || record.read()));
    });
}

#[test]
fn a_reading_while_nodes_get_other_classes_is_of_one_moment() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        let b = node(record, a, &B);
        record.change_clocks(cutoff::AUTO, &[], || 5);
        record.enter(root, a, 10);
        record.enter(a, b, 20);
        let writer = || {
            // Both lose their clocks, then the lower one gets its clock back.
            let both = [(1, class::SHORT), (2, class::SHORT)];
            record.change_clocks(cutoff::AUTO, &both, || 35);
            record.change_clocks(cutoff::AUTO, &[(1, class::LONG)], || 40);
        };
        let moments = [(2, 2, 0, 20), (2, 0, 10, 35), (2, 1, 10, 40)];
        assert_is_one_of(&moments, beside(writer, || record.read()));
        assert_eq!(record.read().map(moment), Some((2, 1, 10, 40)));
    });
}

#[test]
fn a_node_that_is_published_can_be_read() {
    model(|| {
        let (record, root) = begun();
        let writer = || {
            let a = node(record, root, &A);
            record.enter(root, a, 10);
            let b = node(record, a, &B);
            record.enter(a, b, 20);
        };
        beside(writer, || {
            let reading = record.read();
            let count = record.node_count();
            for index in 0..count {
                let node = record.node(index).unwrap();
                assert!(node.is_made());
                assert!(node.parent_index().is_none_or(|parent| parent < index));
            }
            // The node that a thread is on was published before.
            assert!(reading.is_none_or(|reading| reading.node < count));
        });
        assert_eq!(record.node_count(), 3);
    });
}

#[test]
fn a_glance_finds_no_node_or_one_that_is_made() {
    model(|| {
        let (record, root) = begun();
        let owners = || {
            let a = node(record, root, &A);
            record.enter(root, a, 10);
            record.end(20);
            // The next owner is another thread; the registry's lock orders the two.
            record.begin(30);
            let b = node(record, root, &B);
            record.change_clocks(cutoff::SAMPLED, &[], || 40);
            record.enter_untimed(b);
        };
        beside(owners, || {
            // What the sampler does.
            if let Some(node) = record.current() {
                assert!(node.is_made());
                assert!(node.index() < record.node_count());
            }
        });
    });
}

#[test]
fn a_record_that_changes_hands_knows_how_long_it_was_owned() {
    model(|| {
        let record = ThreadRecord::new(String::new()).unwrap();
        record.begin(100);
        let owners = || {
            record.end(110);
            // The next owner is another thread; the registry's lock orders the two.
            record.begin(150);
        };
        let (tenure, reading) = beside(owners, || (record.tenure(160), record.read()));
        // Seen as the first owner's, as nobody's, or as the second owner's.
        assert!([(1, 60), (2, 10), (3, 20)].contains(&tenure), "{tenure:?}");
        assert_is_one_of(&[(0, 0, 0, 100), (0, 0, 10, 150)], reading);
        assert_eq!(record.tenure(160), (3, 20));
    });
}

#[test]
fn a_record_that_is_taken_over_and_given_back_knows_how_long_it_was_owned() {
    model(|| {
        let record = ThreadRecord::new(String::new()).unwrap();
        record.begin(100);
        record.end(110);
        let owner = || {
            record.begin(150);
            record.end(170);
        };
        let tenure = beside(owner, || record.tenure(190));
        assert!([(2, 10), (3, 50), (4, 30)].contains(&tenure), "{tenure:?}");
    });
}

#[test]
fn a_record_without_an_owner_has_all_that_was_measured() {
    model(|| {
        let (record, root) = begun();
        let a = node(record, root, &A);
        record.enter(root, a, 10);
        let found = beside(
            || record.end(25),
            || {
                (!record.is_owned()).then(|| {
                    let current = record.current().map(Node::index);
                    (current, root.ticks(), a.ticks(), record.tenure(100).1)
                })
            },
        );
        assert!(found.is_none_or(|found| found == (None, 10, 15, 25)));
    });
}
