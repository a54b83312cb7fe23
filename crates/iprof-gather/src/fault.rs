//! Counts a thread's faults: zones closed in the wrong order, or not recorded. The last zone of each kind is kept for
//! the report's warnings. Recording continues after a fault.

use crate::Zone;
use crate::sync::{AtomicU64, Mutex, Ordering::Relaxed, array_of, const_unless_loom};

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A zone was still open when a zone below it on the stack closed, so it was closed along with the lower zone. A
    /// guard was forgotten, an `end!` is missing, or the ends were in the wrong order.
    ClosedImplicitly,
    /// An end was ignored because its zone was not open.
    EndWithoutBegin,
    /// A zone was not recorded because its thread has the maximum number of nodes. Its time is attributed to its
    /// caller.
    StackLimit,
    /// A zone was not recorded because there was no memory for its node. Its time is attributed to its caller.
    NoMemory,
    /// A signal handler's zone was not recorded because its thread was creating a node. Its time is attributed to its
    /// caller.
    Interrupted,
}

impl Fault {
    /// All kinds.
    pub const ALL: [Fault; 5] = [
        Fault::ClosedImplicitly,
        Fault::EndWithoutBegin,
        Fault::StackLimit,
        Fault::NoMemory,
        Fault::Interrupted,
    ];
}

/// A thread's faults.
#[derive(Debug)]
pub(super) struct FaultLog {
    counts: [AtomicU64; Fault::ALL.len()],
    last: Mutex<[Option<&'static Zone>; Fault::ALL.len()]>,
}

impl FaultLog {
    const_unless_loom! {
        pub(super) fn new() -> FaultLog {
            FaultLog {
                counts: array_of![AtomicU64::new(0); Fault::ALL.len()],
                last: Mutex::new([None; Fault::ALL.len()]),
            }
        }
    }

    /// Counts a fault in an unknown zone.
    pub(super) fn count(&self, fault: Fault) {
        self.counts[fault as usize].fetch_add(1, Relaxed);
    }

    /// Counts a fault without ever waiting: while another thread reads the log, only the count changes.
    pub(super) fn add(&self, fault: Fault, zone: &'static Zone) {
        self.count(fault);
        if let Ok(mut last) = self.last.try_lock() {
            last[fault as usize] = Some(zone);
        }
    }

    /// Returns how many times a fault happened, and the zone of its last occurrence. Like [`add`](Self::add), never
    /// waits.
    pub(super) fn read(&self, fault: Fault) -> (u64, Option<&'static Zone>) {
        let count = self.counts[fault as usize].load(Relaxed);
        let last = crate::sync::try_lock(&self.last);
        (count, last.and_then(|last| last[fault as usize]))
    }
}
