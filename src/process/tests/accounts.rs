//! Whose clock runs, by definition; and what cannot be known of a thread for that reason.

use super::oracle::{Moments, Stack};
use crate::gather::class;
use crate::gather::switch::cutoff;

/// Which stacks of a thread have clocks, and the orders that it has not followed yet.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    cutoff: u8,
    /// All stacks there ever were, by the index of their node; and their classes.
    stacks: Vec<Stack>,
    classes: Vec<u8>,
    orders: Vec<(usize, u8)>,
    /// Whether any stack got or lost its clock in this frame.
    has_changed: bool,
    /// How often something was followed in this frame: of two changes nobody knows what was
    /// between.
    follows: u32,
}

impl Clocks {
    pub(super) fn new() -> Clocks {
        Clocks {
            cutoff: cutoff::EXACT,
            stacks: vec![vec![0]],
            classes: vec![class::LONG],
            orders: Vec::new(),
            has_changed: false,
            follows: 0,
        }
    }

    pub(super) fn cutoff(&self) -> u8 {
        self.cutoff
    }

    /// The stack is there from now on.
    pub(super) fn make(&mut self, stack: &Stack) {
        if !self.stacks.contains(stack) {
            self.stacks.push(stack.clone());
            self.classes.push(class::LONG);
        }
    }

    pub(super) fn stacks(&self) -> &[Stack] {
        &self.stacks
    }

    pub(super) fn order(&mut self, at: usize, class: u8) {
        self.orders.push((at, class));
    }

    /// How many stacks are short, or have been ordered to be.
    pub(super) fn short_if_followed(&self) -> u32 {
        let mut classes = self.classes.clone();
        for (at, class) in &self.orders {
            classes[*at] = *class;
        }
        classes.iter().filter(|at| **at == class::SHORT).count() as u32
    }

    pub(super) fn follow(&mut self, cutoff: u8) {
        let before = self.clone();
        self.follows += u32::from(cutoff != self.cutoff || !self.orders.is_empty());
        self.has_changed |= self.follows > 1;
        self.cutoff = cutoff;
        for (at, class) in std::mem::take(&mut self.orders) {
            self.classes[at] = class;
        }
        let mut all = 1..self.stacks.len();
        self.has_changed |= all.any(|at| self.is_timed(at) != before.is_timed(at));
    }

    /// The clocks of the frame that ends; the next one begins.
    pub(super) fn end_frame(&mut self) -> Clocks {
        let ended = self.clone();
        self.has_changed = false;
        self.follows = 0;
        ended
    }

    pub(super) fn has_changed(&self) -> bool {
        self.has_changed
    }

    fn is_timed(&self, at: usize) -> bool {
        match self.cutoff {
            cutoff::EXACT => true,
            cutoff::AUTO => self.classes[at] != class::SHORT,
            _ => false,
        }
    }

    /// The innermost stack below with a clock.
    fn account(&self, at: usize) -> usize {
        let stack = &self.stacks[at];
        let below = (1..=stack.len()).rev().map(|depth| &stack[..depth]);
        let mut below = below.map(|below| self.stacks.iter().position(|s| s == below).unwrap());
        below.find(|at| self.is_timed(*at)).unwrap_or(0)
    }
}

/// Numbers that stand for what is not known of a thread's times over some frames: stacks that ran
/// on one clock get random ones that sum to zero. So a sum over stacks is zero if it holds only
/// whole groups, and then the time of these stacks has to be exact; otherwise hardly ever.
pub(super) fn doubts<'a>(thread: usize, frames: impl Iterator<Item = &'a Clocks>) -> Moments {
    let mut group: Vec<usize> = Vec::new();
    let mut stacks: &[Stack] = &[];
    for clocks in frames {
        stacks = &clocks.stacks;
        group.extend(group.len()..stacks.len());
        for at in 0..stacks.len() {
            // Of a frame in which clocks changed the thread's own time is known, and nothing else.
            let account = if clocks.has_changed {
                0
            } else {
                clocks.account(at)
            };
            let (from, to) = (group[at], group[account]);
            let members = group.iter_mut().filter(|group| **group == from);
            members.for_each(|group| *group = to);
        }
    }
    let mut random = fastrand::Rng::with_seed(thread as u64);
    let mut doubts = Moments::default();
    for (at, group_of_it) in group.iter().enumerate() {
        if group[..at].contains(group_of_it) {
            // Whole numbers that are small enough for their sums to be exact.
            let doubt = random.u64(1..1 << 40) as f64;
            let first = group.iter().position(|group| group == group_of_it).unwrap();
            doubts.0.entry(stacks[at].clone()).or_default().0 += doubt;
            doubts.0.entry(stacks[first].clone()).or_default().0 -= doubt;
        }
    }
    doubts
}
