//! The oracle's timed ancestors. They determine whose clock is running, and therefore which times are unknown.

use super::oracle::{Moments, Stack};
use iprof_gather::class;
use iprof_gather::mode::cutoff;

/// A thread's clocks: which stacks are timed, and which reclassifications are pending.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    cutoff: u8,
    /// All stacks seen so far, indexed by their nodes.
    stacks: Vec<Stack>,
    classes: Vec<u8>,
    pending: Vec<(usize, u8)>,
    /// Whether any stack gained or lost its clock in this frame.
    has_changed: bool,
    /// The number of reclassifications applied in this frame. Between two of them, the state is unknown.
    follows: u32,
}

impl Clocks {
    pub(super) fn new() -> Clocks {
        Clocks {
            cutoff: cutoff::EXACT,
            stacks: vec![vec![0]],
            classes: vec![class::TIMED_BY_AUTO],
            pending: Vec::new(),
            has_changed: false,
            follows: 0,
        }
    }

    pub(super) fn cutoff(&self) -> u8 {
        self.cutoff
    }

    pub(super) fn make(&mut self, stack: &Stack) {
        if !self.stacks.contains(stack) {
            self.stacks.push(stack.clone());
            self.classes.push(class::TIMED_BY_AUTO);
        }
    }

    pub(super) fn stacks(&self) -> &[Stack] {
        &self.stacks
    }

    pub(super) fn reclassify(&mut self, at: usize, class: u8) {
        self.pending.push((at, class));
    }

    /// Returns how many stacks are untimed or have a pending reclassification to untimed.
    pub(super) fn untimed_count(&self) -> u32 {
        let mut classes = self.classes.clone();
        for (at, class) in &self.pending {
            classes[*at] = *class;
        }
        classes
            .iter()
            .filter(|at| **at == class::UNTIMED_BY_AUTO)
            .count() as u32
    }

    pub(super) fn follow(&mut self, cutoff: u8) {
        let before = self.clone();
        self.follows += u32::from(cutoff != self.cutoff || !self.pending.is_empty());
        self.has_changed |= self.follows > 1;
        self.cutoff = cutoff;
        for (at, class) in std::mem::take(&mut self.pending) {
            self.classes[at] = class;
        }
        let mut all = 1..self.stacks.len();
        self.has_changed |= all.any(|at| self.is_timed(at) != before.is_timed(at));
    }

    /// Ends the frame and returns its clocks, then begins the next frame.
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
            cutoff::AUTO => self.classes[at] != class::UNTIMED_BY_AUTO,
            _ => false,
        }
    }

    /// Returns the longest timed stack that is a prefix of this one.
    fn timed_ancestor(&self, at: usize) -> usize {
        let stack = &self.stacks[at];
        let below = (1..=stack.len()).rev().map(|depth| &stack[..depth]);
        let mut below = below.map(|below| self.stacks.iter().position(|s| s == below).unwrap());
        below.find(|at| self.is_timed(*at)).unwrap_or(0)
    }
}

/// Returns numbers that represent the unknown portion of a thread's times over some frames. Stacks that shared a clock
/// get random numbers that sum to zero. A sum is therefore zero if it consists of whole timer groups, whose times must
/// be exact. Otherwise it is almost never zero.
pub(super) fn doubts<'a>(thread: usize, frames: impl Iterator<Item = &'a Clocks>) -> Moments {
    let mut group: Vec<usize> = Vec::new();
    let mut stacks: &[Stack] = &[];
    for clocks in frames {
        stacks = &clocks.stacks;
        group.extend(group.len()..stacks.len());
        for at in 0..stacks.len() {
            // If clocks changed during a frame, only the thread's total time is known.
            let timed_ancestor = if clocks.has_changed {
                0
            } else {
                clocks.timed_ancestor(at)
            };
            let (from, to) = (group[at], group[timed_ancestor]);
            let members = group.iter_mut().filter(|group| **group == from);
            members.for_each(|group| *group = to);
        }
    }
    let mut random = fastrand::Rng::with_seed(thread as u64);
    let mut doubts = Moments::default();
    for (at, group_of_it) in group.iter().enumerate() {
        if group[..at].contains(group_of_it) {
            // Use whole numbers small enough that their sums are exact.
            let doubt = random.u64(1..1 << 40) as f64;
            let first = group.iter().position(|group| group == group_of_it).unwrap();
            doubts.0.entry(stacks[at].clone()).or_default().0 += doubt;
            doubts.0.entry(stacks[first].clone()).or_default().0 -= doubt;
        }
    }
    doubts
}
