//! Tells whether a thread sleeps over a setting back of the machine's counter, which `deltas` finds: the times of its open
//! zones would wrap around.

use super::{SleepingThread, ThreadTree};
use crate::clock::{self, Ticks};
use crate::gather::Reading;

impl ThreadTree {
    /// Detects whether the thread sleeps while the counter is set back, by `back` ticks in this
    /// frame. Returns whether what the thread counted so far has no place in time and is to be
    /// marked as attributed.
    pub(super) fn detect_set_back(
        &mut self,
        reading: Option<Reading>,
        now: Ticks,
        back: Option<Ticks>,
    ) -> bool {
        let before = self.asleep;
        let is_still = |asleep: &SleepingThread| {
            reading.is_some_and(|r| {
                (r.timed_ancestor, r.started) == (asleep.timed_ancestor, asleep.started)
            })
        };
        self.asleep = match (before.filter(is_still), back, reading) {
            (Some(asleep), back, _) => Some(SleepingThread {
                set_back_by: asleep.set_back_by.wrapping_add(back.unwrap_or(0)),
                ..asleep
            }),
            (None, Some(back), Some(reading)) if clock::since(reading.started, now).is_none() => {
                Some(SleepingThread {
                    timed_ancestor: reading.timed_ancestor,
                    started: reading.started,
                    set_back_by: back,
                })
            }
            _ => None,
        };
        self.asleep.is_none() && (before.is_some() || back.is_some())
    }
}
