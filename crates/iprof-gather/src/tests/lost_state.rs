//! Tests of a thread that has lost its recording state. Where the system allocates thread-locals separately, a thread
//! loses its state while it ends, and a destructor that runs later finds a new state. These tests drop the state on
//! purpose, on all systems.

use crate::{OpenZone, ThreadRecord, local, registry};
use std::thread;

const NAME: &str = "lost state";

/// Returns the name of the zone that is open on a record's thread.
fn current(record: &ThreadRecord) -> Option<String> {
    let node = record.current()?;
    node.parent().map(|_| node.zone().label())
}

fn on_thread<R: Send + 'static>(f: impl FnOnce() -> R + Send + 'static) -> R {
    let thread = thread::Builder::new().name(NAME.into());
    thread.spawn(f).unwrap().join().unwrap()
}

/// Does everything that a destructor may do, and checks that no zone is entered.
fn enter_all(record: &'static ThreadRecord) {
    let (nodes, top) = (record.node_count(), current(record));
    {
        zone!(late);
        begin!(late_pair);
        counter!(late_thing);
        end!(late_pair);
        let mut open = open_zone!(late_open);
        relabel!(open, late_relabeled);
        drop(open);
        local::set_recording_off(true);
        zone!(late_and_off);
        local::set_recording_off(false);
        zone!(late_and_on);
    }
    assert_eq!((record.node_count(), current(record)), (nodes, top));
    let own = registry::own_record().expect("the thread should still own its record");
    assert!(std::ptr::eq(own, record));
}

#[test]
fn guards_close_zones_after_state_is_lost() {
    let record = on_thread(|| {
        let outer: OpenZone = open_zone!(outer);
        let middle = open_zone!(middle);
        begin!(pair);
        let inner = open_zone!(inner);
        let record = local::record().unwrap();
        local::lose_state();
        assert_eq!(current(record).as_deref(), Some("inner"));
        enter_all(record);
        drop(inner);
        assert_eq!(current(record).as_deref(), Some("pair"));
        local::lose_state();
        end!(pair);
        assert_eq!(current(record).as_deref(), Some("middle"));
        // Drop the guards in the wrong order, so that the inner zone is closed along with the outer one.
        drop(outer);
        assert_eq!(current(record), None);
        enter_all(record);
        drop(middle);
        assert_eq!(current(record), None);
        record
    });
    // The next thread with the same name takes over the record and uses it.
    assert!(record.is_free());
    on_thread(move || {
        zone!(again);
        assert!(std::ptr::eq(local::record().unwrap(), record));
        assert_eq!(current(record).as_deref(), Some("again"));
    });
    let mut records = Vec::new();
    registry::append_new_records(&mut records);
    assert_eq!(
        records
            .iter()
            .filter(|record| record.is_named(NAME))
            .count(),
        1
    );
}
