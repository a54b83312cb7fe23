//! Zones that were not closed as they were opened: nothing breaks, they are counted and named.

use crate::Zone;
use crate::sync::{AtomicU64, Mutex, Ordering::Relaxed, const_unless_modelled};

/// What can be wrong with the order of entries and exits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A zone was still open when one below it on the stack closed: a forgotten guard, a `begin!`
    /// without `end!`, an end in the wrong order. It was closed with the lower one.
    LeftOpen,
    /// An end for a zone that is not open, or no longer. It was ignored.
    EndWithoutBegin,
    /// A zone could not be entered since the thread has as many nodes as it may. Its time is its
    /// caller's.
    Dropped,
    /// A zone could not be entered since there was no memory for its node. Its time is its
    /// caller's.
    NoMemory,
    /// A zone of a signal handler that interrupted the thread while it made a node. Its time is its
    /// caller's.
    Interrupted,
}

impl Fault {
    pub(crate) const ALL: [Fault; 5] = [
        Fault::LeftOpen,
        Fault::EndWithoutBegin,
        Fault::Dropped,
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
    const_unless_modelled! {
        pub(super) fn new() -> FaultLog {
            FaultLog {
                #[cfg(not(loom))]
                counts: [const { AtomicU64::new(0) }; Fault::ALL.len()],
                #[cfg(loom)]
                counts: Default::default(),
                last: Mutex::new([None; Fault::ALL.len()]),
            }
        }
    }

    /// Counts a fault of a zone that cannot be named.
    pub(super) fn count(&self, fault: Fault) {
        self.counts[fault as usize].fetch_add(1, Relaxed);
    }

    /// Counts a fault. Never waits: while the log is being read, the name is not noted.
    pub(super) fn add(&self, fault: Fault, zone: &'static Zone) {
        self.count(fault);
        if let Ok(mut last) = self.last.try_lock() {
            last[fault as usize] = Some(zone);
        }
    }

    /// How often, and the zone of the last time. Never waits either: the one who notes a name may be
    /// in no copy of the process.
    pub(super) fn read(&self, fault: Fault) -> (u64, Option<&'static Zone>) {
        let count = self.counts[fault as usize].load(Relaxed);
        let last = crate::sync::try_lock(&self.last);
        (count, last.and_then(|last| last[fault as usize]))
    }
}
