//! The mode epoch: the program-wide recording state in one number, which encodes whether recording is on and which
//! classes of nodes read the clock.
//!
//! A zone has to check whether recording is on, and whether anything has changed for its thread. Because one rarely
//! written number encodes both, these checks take one load and two compares.
//!
//! A node reads the clock if its [`class`](super::node::class) is smaller than its thread's *cutoff*. A thread adopts a
//! new epoch's cutoff when it next enters a zone (`ThreadRecord::try_apply_mode`). Until then it continues as before,
//! and readers use the cutoff that the thread has applied. So the epoch may change at any time, no matter which zones
//! are open.

use crate::sync::{CachePadded, Ordering::Relaxed, StaticBool, StaticU32, is_forked};

/// The bit that is set while recording is off.
pub(super) const OFF: u32 = 1;
const CUTOFF_SHIFT: u32 = 1;
const CUTOFF_MASK: u32 = 3;
/// One step of the change count in the remaining bits, so that every change produces a new epoch.
const ONE_CHANGE: u32 = 1 << 3;

/// Cutoffs: nodes with a smaller class read the clock.
pub mod cutoff {
    /// No node reads the clock.
    pub const SAMPLED: u8 = 0;
    /// Nodes with long calls read the clock.
    pub const AUTO: u8 = 1;
    /// All nodes read the clock.
    pub const EXACT: u8 = 2;
}

/// The epoch of new threads, which have not applied any epoch yet. No change produces this value, because its cutoff
/// does not exist.
pub(super) const UNSEEN: u32 = u32::MAX;
const _: () = assert!(cutoff_of(UNSEEN) > cutoff::EXACT);

/// The epoch, which every zone reads. It has a cache line to itself, so that the line stays in every core's cache.
static MODE_EPOCH: CachePadded<StaticU32> =
    CachePadded(StaticU32::new((cutoff::EXACT as u32) << CUTOFF_SHIFT));

/// The epoch's address, for C. Rust 1.88 allows no reference to interior mutable data in a constant.
pub(super) const EPOCH: *const StaticU32 = &raw const MODE_EPOCH.0;

/// Whether recording was off at any time since the last [`take_was_off`].
static WAS_OFF: StaticBool = StaticBool::new(false);

#[inline(always)]
pub(super) fn epoch() -> u32 {
    // Relaxed: all other data that a thread reads after a mode change is behind a lock.
    MODE_EPOCH.load(Relaxed)
}

#[inline(always)]
pub(super) fn is_off(epoch: u32) -> bool {
    epoch & OFF != 0
}

pub(super) const fn cutoff_of(epoch: u32) -> u8 {
    (epoch >> CUTOFF_SHIFT & CUTOFF_MASK) as u8
}

/// Turns recording off for the whole program.
pub fn turn_off() {
    note_off();
    change(off);
}

/// Makes [`has_been_off`] return true, as if recording had been off until now, even if zones were recorded.
pub fn note_off() {
    WAS_OFF.store(true, Relaxed);
}

/// Turns recording on with this cutoff. In a child of `fork`, recording stays off.
pub fn turn_on(cutoff: u8) {
    if !is_forked() {
        change(|epoch| on(epoch, cutoff));
    }
}

/// Makes every thread apply [pending reclassifications](super::ThreadRecord::reclassify) when it next enters a zone.
pub fn announce_reclassification() {
    change(next);
}

fn change(to: impl Fn(u32) -> u32) {
    // The update always succeeds, because the closure never returns `None`.
    let _ = MODE_EPOCH.fetch_update(Relaxed, Relaxed, |epoch| Some(to(epoch)));
}

/// Returns a new epoch with the same mode. The count wraps around after half a billion changes.
fn next(epoch: u32) -> u32 {
    epoch.wrapping_add(ONE_CHANGE)
}

fn off(epoch: u32) -> u32 {
    next(epoch | OFF)
}

fn on(epoch: u32, cutoff: u8) -> u32 {
    next(epoch & !(OFF | CUTOFF_MASK << CUTOFF_SHIFT) | u32::from(cutoff) << CUTOFF_SHIFT)
}

/// Returns whether recording is off, or was off at any time since the last [`take_was_off`].
pub fn has_been_off() -> bool {
    WAS_OFF.load(Relaxed) || is_off(epoch())
}

/// Like [`has_been_off`], but also starts over: later calls only report what happens from now on.
pub fn take_was_off() -> bool {
    let was = WAS_OFF.swap(false, Relaxed);
    let is = is_off(epoch());
    if is {
        WAS_OFF.store(true, Relaxed);
    }
    was || is
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const CUTOFFS: [u8; 3] = [cutoff::SAMPLED, cutoff::AUTO, cutoff::EXACT];

    /// Returns epochs of all modes, at the first change and at the last one before the count wraps around.
    fn epochs() -> impl Iterator<Item = u32> {
        let parts = CUTOFFS.into_iter().flat_map(|cutoff| {
            let on = u32::from(cutoff) << CUTOFF_SHIFT;
            [on, on | OFF]
        });
        parts.flat_map(|parts| [parts, parts | !(ONE_CHANGE - 1)])
    }

    #[test]
    fn mode_change_keeps_other_bits() {
        for epoch in epochs() {
            for cutoff in CUTOFFS {
                let on = on(epoch, cutoff);
                assert!(!is_off(on) && cutoff_of(on) == cutoff, "{epoch:#x}");
            }
            let off = off(epoch);
            assert!(is_off(off), "{epoch:#x}");
            assert_eq!(cutoff_of(off), cutoff_of(epoch), "{epoch:#x}");
            let next = next(epoch);
            assert_eq!(is_off(next), is_off(epoch), "{epoch:#x}");
            assert_eq!(cutoff_of(next), cutoff_of(epoch), "{epoch:#x}");
        }
    }

    #[test]
    fn every_change_produces_a_new_epoch() {
        for first in epochs() {
            let (mut epoch, mut seen) = (first, std::collections::HashSet::from([UNSEEN, first]));
            for change in 0..if cfg!(miri) { 20 } else { 1_000 } {
                epoch = match change % 5 {
                    0 | 3 => off(epoch),
                    1 => next(epoch),
                    _ => on(epoch, cutoff_of(epoch)),
                };
                assert!(
                    seen.insert(epoch),
                    "{first:#x}, change {change}: {epoch:#x}"
                );
            }
        }
    }
}
