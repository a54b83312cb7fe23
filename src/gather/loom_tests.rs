//! The protocols between a recording thread and its readers, in every order that the memory model
//! allows. `./dev test` runs these under `--cfg loom`.

use super::node::Node;
use super::record::{Reading, ThreadRecord};
use crate::Zone;
use loom::thread;

static A: Zone = Zone::new("a", "", 0, "");
static B: Zone = Zone::new("b", "", 0, "");

fn node(
    record: &'static ThreadRecord,
    parent: &'static Node,
    zone: &'static Zone,
) -> &'static Node {
    record.node_for(parent, zone).unwrap()
}

fn parts(reading: Reading) -> (u32, u64, u64) {
    (reading.node, reading.ticks, reading.started)
}

#[test]
fn a_reading_is_of_one_moment() {
    loom::model(|| {
        let record = ThreadRecord::new(String::new());
        record.begin(0);
        let root = record.current().unwrap();
        let a = node(record, root, &A);
        let writer = thread::spawn(move || {
            record.enter(root, a, 10);
            record.leave(a, root, 25);
            record.enter(root, a, 30);
        });
        if let Some(reading) = record.read() {
            // Where the thread is, what was closed there, and since when it is there again.
            let moments = [(0, 0, 0), (1, 0, 10), (0, 10, 25), (1, 15, 30)];
            assert!(moments.contains(&parts(reading)), "{reading:?}");
        }
        writer.join().unwrap();
    });
}

#[test]
fn a_node_that_is_published_can_be_read() {
    loom::model(|| {
        let record = ThreadRecord::new(String::new());
        record.begin(0);
        let root = record.current().unwrap();
        let writer = thread::spawn(move || {
            let a = node(record, root, &A);
            record.enter(root, a, 10);
            let b = node(record, a, &B);
            record.enter(a, b, 20);
        });
        let reading = record.read();
        let count = record.node_count();
        for index in 0..count {
            let node = record.node(index).unwrap();
            assert!(node.parent_index().is_none_or(|parent| parent < index));
        }
        // The node that a thread is on was published before.
        assert!(reading.is_none_or(|reading| reading.node < count));
        writer.join().unwrap();
        assert_eq!(record.node_count(), 3);
    });
}

#[test]
fn a_record_that_changes_hands_knows_how_long_it_was_owned() {
    loom::model(|| {
        let record = ThreadRecord::new(String::new());
        record.begin(100);
        let owners = thread::spawn(move || {
            record.end(110);
            // The next owner is another thread; the registry's lock orders the two.
            record.begin(150);
        });
        // Seen as the first owner's, as nobody's, or as the second owner's.
        assert!([60, 10, 20].contains(&record.owned_for(160)));
        if let Some(reading) = record.read() {
            assert!(
                [(0, 0, 100), (0, 10, 150)].contains(&parts(reading)),
                "{reading:?}"
            );
        }
        owners.join().unwrap();
        assert_eq!(record.owned_for(160), 20);
    });
}
