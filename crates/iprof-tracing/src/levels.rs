//! An array that only grows, in levels that double in size: its elements never move, so readers need no lock.

use std::sync::OnceLock;

/// So many levels that a `u32` is an index of them.
const LEVELS: usize = 27;
/// The size of the first.
const FIRST: u32 = 64;

#[derive(Debug)]
pub(crate) struct Levels<T>([OnceLock<Box<[T]>>; LEVELS]);

impl<T: Default> Levels<T> {
    pub(crate) fn new() -> Levels<T> {
        Levels([const { OnceLock::new() }; LEVELS])
    }

    /// A level that was made.
    #[inline]
    pub(crate) fn level(&self, level: usize) -> Option<&[T]> {
        Some(self.0.get(level)?.get()?)
    }

    /// All levels in turn; each is made if it is not yet.
    pub(crate) fn made(&self) -> impl Iterator<Item = &[T]> {
        self.0.iter().enumerate().map(|(level, made)| {
            let make = || (0..(FIRST as usize) << level).map(|_| T::default());
            &**made.get_or_init(|| make().collect())
        })
    }

    /// The element of that index, if its level was made.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        let (level, at) = place(index)?;
        self.level(level)?.get(at)
    }

    /// The element of that index.
    pub(crate) fn get_or_make(&self, index: u32) -> Option<&T> {
        let (level, at) = place(index)?;
        self.made().nth(level)?.get(at)
    }
}

/// Level and place in it: those before it have `FIRST * (2^level - 1)` elements.
#[inline]
fn place(index: u32) -> Option<(usize, usize)> {
    let shifted = index.checked_add(FIRST)?;
    let level = shifted.ilog2() - FIRST.ilog2();
    Some((level as usize, (shifted - (FIRST << level)) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    #[test]
    fn every_index_has_an_element_of_its_own() {
        let all = Levels::<AtomicU32>::new();
        assert!(all.get(0).is_none());
        for index in 0..1_000 {
            let element = all.get_or_make(index).unwrap();
            assert_eq!(element.swap(index + 1, Relaxed), 0, "{index}");
        }
        for index in 0..1_000 {
            assert_eq!(all.get(index).unwrap().load(Relaxed), index + 1);
        }
        assert!(all.get(u32::MAX).is_none());
    }
}
