//! A list into which each new member is put before the first one that it is larger than.
//!
//! Members have two numbers: how large they are, and the mark that others have to exceed to come
//! before them. Asking one member after the other takes the square of their number. But the first
//! member whose mark is below some number has a mark that is smaller than all marks before it. Only
//! such members matter: along the list their marks fall, so they are kept in a map by their marks.

use super::tree::NONE;
use std::collections::BTreeMap;

/// See the module. Members are numbers from 0 on.
#[derive(Debug)]
pub(crate) struct Ranking {
    /// By member the next and the one before; [`NONE`] at the ends. The last place of each stands for
    /// both ends of the list.
    next: Vec<u32>,
    before: Vec<u32>,
    /// Members with marks smaller than all before them, by mark.
    lowest: BTreeMap<u64, u32>,
}

impl Ranking {
    /// An empty list of at most so many members.
    pub(crate) fn new(members: usize) -> Ranking {
        let end = members as u32;
        let mut links = vec![NONE; members + 1];
        links[members] = end;
        Ranking {
            next: links.clone(),
            before: links,
            lowest: BTreeMap::new(),
        }
    }

    /// Puts a member before the first one whose mark is below `value`, or else at the end.
    pub(crate) fn put(&mut self, member: u32, value: f64, mark: f64) {
        // What is not a number is below nothing, and above nothing.
        let smaller = match value.is_nan() {
            true => None,
            false => self.lowest.range(..ordered(value)).next_back(),
        };
        let at = smaller.map_or(self.end(), |(_, at)| *at);
        // All marks before this place are larger than the marks from here on that matter.
        if self.is_lowest(mark, ordered(value), at != self.end()) {
            self.lowest.insert(ordered(mark), member);
        }
        let before = std::mem::replace(&mut self.before[at as usize], member);
        self.next[before as usize] = member;
        self.before[member as usize] = before;
        self.next[member as usize] = at;
    }

    /// Gives all members other marks.
    pub(crate) fn mark(&mut self, mark: impl Fn(u32) -> f64) {
        let members = self.members();
        self.lowest.clear();
        for member in members {
            let mark = mark(member);
            let least = self.lowest.keys().next();
            if !mark.is_nan() && least.is_none_or(|least| ordered(mark) < *least) {
                self.lowest.insert(ordered(mark), member);
            }
        }
    }

    /// All members in their order.
    pub(crate) fn members(&self) -> Vec<u32> {
        let first = self.next[self.end() as usize];
        let next = |member: &u32| Some(self.next[*member as usize]);
        std::iter::successors(Some(first), next)
            .take_while(|member| *member != self.end())
            .collect()
    }

    fn end(&self) -> u32 {
        (self.next.len() - 1) as u32
    }

    /// Whether a mark is smaller than all marks before the place at which `value` goes.
    fn is_lowest(&self, mark: f64, value: u64, has_smaller_behind: bool) -> bool {
        if mark.is_nan() {
            return false;
        }
        let mut before = match has_smaller_behind {
            true => self.lowest.range(value..),
            false => self.lowest.range(..),
        };
        before
            .next()
            .is_none_or(|(least, _)| ordered(mark) < *least)
    }
}

/// Bits that are in the order of the numbers; both zeros are the same.
fn ordered(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    match bits >> 63 {
        0 => bits | 1 << 63,
        _ => !bits,
    }
}
