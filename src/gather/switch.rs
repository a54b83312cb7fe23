//! What the whole program records at present: one word that every zone looks at.
//!
//! A zone has to know whether to record at all, and whether anything has changed for its thread.
//! Both are in one word that is written seldom and read everywhere: a load and two compares.
//!
//! Whether a node reads the clock is not decided by the word, but by the thread's copy of it: a
//! node does if its [`class`](super::node::class) is smaller than the thread's *cutoff*. A thread
//! takes over a new word when it next enters a zone (`ThreadRecord::follow`); until then it goes on
//! as before, and readers go by what the thread does, not by what it was told. So the word can
//! change at any moment, with any zones open.

use crate::sync::{Apart, Ordering::Relaxed, StaticBool, StaticU32};

/// Nothing is recorded.
const OFF: u32 = 1;
const CUTOFF_SHIFT: u32 = 1;
const CUTOFF_MASK: u32 = 3;
/// The rest counts changes, so that every change makes another word.
const ONE_CHANGE: u32 = 1 << 3;

/// Which nodes read the clock: those whose class is smaller.
pub(crate) mod cutoff {
    /// None do.
    pub(crate) const SAMPLED: u8 = 0;
    /// Those that are long enough.
    pub(crate) const AUTO: u8 = 1;
    /// All do.
    pub(crate) const EXACT: u8 = 2;
}

/// A word that no thread has taken over: threads begin with it.
pub(super) const UNSEEN: u32 = u32::MAX;

/// Read by all threads at every zone; on a line of its own, which stays in every core's cache.
static WORD: Apart<StaticU32> = Apart(StaticU32::new((cutoff::EXACT as u32) << CUTOFF_SHIFT));

/// Whether nothing was recorded at some time since somebody asked.
static WAS_OFF: StaticBool = StaticBool::new(false);

/// The word at present.
#[inline(always)]
pub(super) fn word() -> u32 {
    // Relaxed: what a thread has to know besides, it finds behind a lock.
    WORD.load(Relaxed)
}

#[inline(always)]
pub(super) fn is_off(word: u32) -> bool {
    word & OFF != 0
}

/// The cutoff that the word asks for.
pub(super) fn cutoff_of(word: u32) -> u8 {
    (word >> CUTOFF_SHIFT & CUTOFF_MASK) as u8
}

/// Nothing is recorded from here on.
pub(crate) fn turn_off() {
    WAS_OFF.store(true, Relaxed);
    change(|word| word | OFF);
}

/// From here on nodes with a class smaller than `cutoff` read the clock, the others only count.
pub(crate) fn turn_on(cutoff: u8) {
    change(|word| word & !(OFF | CUTOFF_MASK << CUTOFF_SHIFT) | u32::from(cutoff) << CUTOFF_SHIFT);
}

/// Has every thread look for [orders](super::ThreadRecord::order) when it next enters a zone.
pub(crate) fn announce_orders() {
    change(|word| word);
}

fn change(f: impl Fn(u32) -> u32) {
    // Always succeeds. `UNSEEN`, half a billion changes away, is stepped over.
    let _ = WORD.fetch_update(Relaxed, Relaxed, |word| {
        let word = f(word).wrapping_add(ONE_CHANGE);
        Some(if word == UNSEEN {
            word.wrapping_add(ONE_CHANGE)
        } else {
            word
        })
    });
}

/// Whether nothing was recorded now or at any time since this was last asked.
pub(crate) fn was_off() -> bool {
    let was = WAS_OFF.swap(false, Relaxed);
    let is = is_off(word());
    if is {
        WAS_OFF.store(true, Relaxed);
    }
    was || is
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_holds_its_cutoff_and_no_two_changes_make_the_same() {
        let mut word = u32::from(cutoff::EXACT) << CUTOFF_SHIFT;
        for cutoff in [cutoff::SAMPLED, cutoff::AUTO, cutoff::EXACT] {
            word = word & !(CUTOFF_MASK << CUTOFF_SHIFT) | u32::from(cutoff) << CUTOFF_SHIFT;
            assert_eq!(cutoff_of(word), cutoff);
            assert_eq!(cutoff_of(word | OFF), cutoff);
            assert_eq!(cutoff_of(word.wrapping_add(ONE_CHANGE)), cutoff);
        }
        assert!(is_off(word | OFF) && !is_off(word));
    }
}
