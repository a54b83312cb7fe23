//! A table by index, filled with defaults in levels that double in size: its elements never move, so readers need no lock.

use std::sync::OnceLock;

/// The size of the first level.
const FIRST: u32 = 1_024;
/// So many further ones that a `u32` is an index of them.
const FURTHER: usize = 22;

#[derive(Debug)]
pub(crate) struct Levels<T> {
    /// By itself, for it is nearly always the one.
    first: Box<[T]>,
    further: [OnceLock<Box<[T]>>; FURTHER],
}

impl<T: Default> Levels<T> {
    pub(crate) fn new() -> Levels<T> {
        Levels {
            first: of_size(FIRST as usize),
            further: [const { OnceLock::new() }; FURTHER],
        }
    }

    /// A level that was made.
    #[inline]
    pub(crate) fn level(&self, level: usize) -> Option<&[T]> {
        match level.checked_sub(1) {
            None => Some(&self.first),
            Some(further) => Some(self.further.get(further)?.get()?),
        }
    }

    /// All levels in turn; each is made if it is not yet.
    pub(crate) fn made(&self) -> impl Iterator<Item = &[T]> {
        let further = self.further.iter().zip(1..).map(|(made, level)| {
            let level = made.get_or_init(|| of_size((FIRST as usize) << level));
            &**level
        });
        std::iter::once(&*self.first).chain(further)
    }

    /// The element of that index, if its level was made.
    #[inline(always)]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        if let Some(element) = self.first.get(index as usize) {
            return Some(element);
        }
        let (level, at) = place(index)?;
        self.level(level)?.get(at)
    }

    /// The element of that index.
    pub(crate) fn get_or_make(&self, index: u32) -> Option<&T> {
        let (level, at) = place(index)?;
        self.made().nth(level)?.get(at)
    }
}

fn of_size<T: Default>(size: usize) -> Box<[T]> {
    (0..size).map(|_| T::default()).collect()
}

/// Level and place in it: those before it have `FIRST * (2^level - 1)` elements.
#[cold]
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
        assert!(all.get(1_024).is_none());
        for index in 0..10_000 {
            let element = all.get_or_make(index).unwrap();
            assert_eq!(element.swap(index + 1, Relaxed), 0, "{index}");
        }
        for index in 0..10_000 {
            assert_eq!(all.get(index).unwrap().load(Relaxed), index + 1);
        }
        assert!(all.get(u32::MAX).is_none());
    }
}
