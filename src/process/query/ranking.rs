//! An ordered list that inserts each new member before the first member whose threshold it exceeds;
//! `outline` keeps rows in their places by it.
//!
//! A member has a value and a threshold (`mark`) that a later member's value must exceed to be inserted
//! before it. A linear search per insertion would take the square of the number of members. But the
//! first member whose threshold is below a given value has a threshold smaller than all thresholds
//! before it. Only such members matter: along the list their thresholds fall, so a map ordered by
//! threshold holds them.

use crate::process::NONE;
use std::collections::BTreeMap;

/// The list; see the module. Members are numbers from 0 up.
#[derive(Debug)]
pub(crate) struct Ranking {
    /// By member: the next and the previous one; [`NONE`] if not in the list. The last entry of each
    /// stands for both ends of the list.
    next: Vec<u32>,
    before: Vec<u32>,
    /// Members whose thresholds are smaller than all before them, by threshold.
    lowest: BTreeMap<u64, u32>,
}

impl Ranking {
    /// An empty list for at most `members` members.
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

    /// Inserts a member before the first one whose threshold is below `value`, or else at the end.
    pub(crate) fn put(&mut self, member: u32, value: f64, mark: f64) {
        // NaN is neither below nor above any number.
        let smaller = match value.is_nan() {
            true => None,
            false => self.lowest.range(..ordered(value)).next_back(),
        };
        let at = smaller.map_or(self.end(), |(_, at)| *at);
        // The thresholds kept for the members before this position all exceed those from here on.
        if self.is_lowest(mark, ordered(value), at != self.end()) {
            self.lowest.insert(ordered(mark), member);
        }
        let before = std::mem::replace(&mut self.before[at as usize], member);
        self.next[before as usize] = member;
        self.before[member as usize] = before;
        self.next[member as usize] = at;
    }

    /// Gives all members new thresholds.
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

    /// All members in order.
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

    /// Whether a threshold is smaller than all thresholds before the position where `value` is inserted.
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

/// Maps a number to bits that sort like the numbers; both zeros map to the same bits.
fn ordered(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    match bits >> 63 {
        0 => bits | 1 << 63,
        _ => !bits,
    }
}
