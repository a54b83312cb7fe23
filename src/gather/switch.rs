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

/// A word that no thread has taken over: threads begin with it. No change makes it, since it asks
/// for a cutoff that there is not.
pub(super) const UNSEEN: u32 = u32::MAX;
const _: () = assert!(cutoff_of(UNSEEN) > cutoff::EXACT);

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
pub(super) const fn cutoff_of(word: u32) -> u8 {
    (word >> CUTOFF_SHIFT & CUTOFF_MASK) as u8
}

/// Nothing is recorded from here on.
pub(crate) fn turn_off() {
    note_off();
    change(off);
}

/// Up to here nothing was to be recorded, whether zones were or not.
pub(crate) fn note_off() {
    WAS_OFF.store(true, Relaxed);
}

/// From here on nodes with a class smaller than `cutoff` read the clock, the others only count.
pub(crate) fn turn_on(cutoff: u8) {
    change(|word| on(word, cutoff));
}

/// Has every thread look for [orders](super::ThreadRecord::order) when it next enters a zone.
pub(crate) fn announce_orders() {
    change(next);
}

fn change(to: impl Fn(u32) -> u32) {
    // Always succeeds.
    let _ = WORD.fetch_update(Relaxed, Relaxed, |word| Some(to(word)));
}

/// The word after one that asks for the same. It is the same again only after half a billion
/// changes.
fn next(word: u32) -> u32 {
    word.wrapping_add(ONE_CHANGE)
}

fn off(word: u32) -> u32 {
    next(word | OFF)
}

fn on(word: u32, cutoff: u8) -> u32 {
    next(word & !(OFF | CUTOFF_MASK << CUTOFF_SHIFT) | u32::from(cutoff) << CUTOFF_SHIFT)
}

/// Whether nothing is recorded now, or was not at some time since [`was_off`] was asked.
pub(crate) fn has_been_off() -> bool {
    WAS_OFF.load(Relaxed) || is_off(word())
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

    const CUTOFFS: [u8; 3] = [cutoff::SAMPLED, cutoff::AUTO, cutoff::EXACT];

    /// All there is to say, at the first change and at the last before the count starts anew.
    fn words() -> impl Iterator<Item = u32> {
        let parts = CUTOFFS.into_iter().flat_map(|cutoff| {
            let on = u32::from(cutoff) << CUTOFF_SHIFT;
            [on, on | OFF]
        });
        parts.flat_map(|parts| [parts, parts | !(ONE_CHANGE - 1)])
    }

    #[test]
    fn a_change_of_the_word_changes_what_it_is_to_and_nothing_else() {
        for word in words() {
            for cutoff in CUTOFFS {
                let on = on(word, cutoff);
                assert!(!is_off(on) && cutoff_of(on) == cutoff, "{word:#x}");
            }
            let off = off(word);
            assert!(is_off(off), "{word:#x}");
            assert_eq!(cutoff_of(off), cutoff_of(word), "{word:#x}");
            let next = next(word);
            assert_eq!(is_off(next), is_off(word), "{word:#x}");
            assert_eq!(cutoff_of(next), cutoff_of(word), "{word:#x}");
        }
    }

    #[test]
    fn every_change_makes_a_word_that_no_thread_has_taken_over() {
        for first in words() {
            let (mut word, mut seen) = (first, std::collections::HashSet::from([UNSEEN, first]));
            for change in 0..1_000 {
                word = match change % 5 {
                    0 | 3 => off(word),
                    1 => next(word),
                    _ => on(word, cutoff_of(word)),
                };
                assert!(seen.insert(word), "{first:#x}, change {change}: {word:#x}");
            }
        }
    }
}
