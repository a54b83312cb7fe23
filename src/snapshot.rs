//! Everything that was recorded, by whole stack: plain data, which files are written from. It knows
//! nothing of where it came from.

use crate::about::About;
use std::sync::Arc;

/// What was recorded up to a moment, on every thread, by full call stack.
///
/// Times are whole ticks of the machine's counter until they are asked for in nanoseconds, so their
/// sums are exact: on each thread the [ticks](SnapshotNode::ticks) of all nodes sum to the time that
/// the thread was recorded for.
///
/// The difference of two snapshots is what was recorded between them: [`since`](Snapshot::since).
///
/// One can be made by hand, too:
///
/// ```
/// use iprof::{Snapshot, SnapshotThread, SnapshotZone};
///
/// let mut snapshot = Snapshot::default();
/// let work = snapshot.zone(SnapshotZone::new("work", "src/main.rs", 12));
/// let mut thread = SnapshotThread::new("main");
/// let node = thread.child(SnapshotThread::ROOT, work);
/// thread.nodes[node].ticks = 1_500_000;
/// thread.nodes[node].entries = 3;
/// snapshot.threads.push(thread);
/// assert_eq!(snapshot.ns(1_500_000), 1_500_000.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// What nodes refer to; the first one is `_global`, which holds what is in no zone.
    pub zones: Vec<SnapshotZone>,
    /// In the order in which they recorded their first zones; ended ones included, until `reset`.
    pub threads: Vec<SnapshotThread>,
    /// Nanoseconds per tick; above 0.
    pub ns_per_tick: f64,
    /// Ticks from the beginning of what was recorded to its end.
    pub ticks: u64,
    /// Frames that ended meanwhile and were kept.
    pub frames: u64,
    /// How often everything had been [reset](crate::reset) before.
    pub resets: u64,
    /// Of which program it is; only shown.
    pub about: About,
}

/// What there is to know of a zone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SnapshotZone {
    /// Its name: any text.
    pub name: Arc<str>,
    /// The source file that defines it, as the compiler was given it; empty if there is none.
    pub file: Arc<str>,
    /// The line of `file`, from 1; 0 if there is none.
    pub line: u32,
}

/// What was recorded on a thread.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotThread {
    /// Its name; several may have the same.
    pub name: Arc<str>,
    /// Whether it has ended.
    pub has_ended: bool,
    /// Its context tree. A parent comes before its children; the first node is the root, which is
    /// its own parent and of the zone `_global`.
    pub nodes: Vec<SnapshotNode>,
}

/// A full stack of zones, and what was recorded while it was just that.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SnapshotNode {
    /// Position of the parent in [`SnapshotThread::nodes`].
    pub parent: u32,
    /// Position in [`Snapshot::zones`].
    pub zone: u32,
    /// How often it was entered: exact in any case.
    pub entries: u64,
    /// Self time in ticks.
    pub ticks: u64,
    /// The standard error of `ticks`, in ticks: 0 of a time that was not sampled.
    pub error: f64,
    /// How often the sampler found it on top.
    pub samples: u64,
}

/// What was recorded in one frame: see [`frame_snapshots`](crate::frame_snapshots).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameSnapshot {
    /// From 1 on: frames that were thrown away have none.
    pub number: u64,
    /// When it began, in nanoseconds since the program's first zone.
    pub begin_ns: u64,
    /// What it was [marked](crate::mark) with.
    pub marks: Vec<Arc<str>>,
    /// What was recorded in it; its [`ticks`](Snapshot::ticks) are how long it was.
    pub recorded: Snapshot,
}

impl Default for Snapshot {
    /// Nothing was recorded. The zone `_global` is there; a tick is a nanosecond.
    fn default() -> Snapshot {
        Snapshot {
            zones: vec![SnapshotZone::new("_global", "", 0)],
            threads: Vec::new(),
            ns_per_tick: 1.0,
            ticks: 0,
            frames: 0,
            resets: 0,
            about: About::default(),
        }
    }
}

impl Snapshot {
    /// The position of a zone that is like `zone` in all, which is added if there is none.
    pub fn zone(&mut self, zone: SnapshotZone) -> u32 {
        let found = self.zones.iter().position(|known| *known == zone);
        let at = found.unwrap_or_else(|| {
            self.zones.push(zone);
            self.zones.len() - 1
        });
        at as u32
    }

    /// So many ticks in nanoseconds.
    pub fn ns(&self, ticks: u64) -> f64 {
        ticks as f64 * self.ns_per_tick
    }

    /// What was recorded since `earlier` was taken of the same program: its counts and times are
    /// taken out. If everything was [reset](crate::reset) meanwhile, what was recorded since then,
    /// which is all of this one. Threads are the same if they have the same place and name.
    ///
    /// Counts and exact times are exact in the difference, too. Of a sampled time it may become
    /// known later that it was less than was thought when `earlier` was taken: where the difference
    /// would be below 0 it is 0, other sampled times of the thread are less by as much, so that the
    /// sum is right, and the errors are at least what was found to be wrong.
    ///
    /// One thing is missing from it: a frame that was going on when `earlier` was taken and was
    /// thrown away by `update(false)` afterwards is in `earlier`, and nothing goes below 0. So take
    /// none in the middle of a frame that may be thrown away.
    pub fn since(&self, earlier: &Snapshot) -> Snapshot {
        self.clone().into_since(earlier)
    }

    /// As [`since`](Snapshot::since), in the same memory.
    pub(crate) fn into_since(mut self, earlier: &Snapshot) -> Snapshot {
        if self.resets != earlier.resets {
            return self;
        }
        self.ticks = self.ticks.saturating_sub(earlier.ticks);
        self.frames = self.frames.saturating_sub(earlier.frames);
        for (thread, before) in self.threads.iter_mut().zip(&earlier.threads) {
            if thread.name == before.name {
                thread.take_out(before);
            }
        }
        self
    }
}

impl SnapshotZone {
    /// A zone of that name, defined in that line of that file.
    pub fn new(name: &str, file: &str, line: u32) -> SnapshotZone {
        SnapshotZone {
            name: name.into(),
            file: file.into(),
            line,
        }
    }
}

impl SnapshotThread {
    /// Where the root is.
    pub const ROOT: usize = 0;

    /// A thread on which nothing was recorded: it has a root.
    pub fn new(name: &str) -> SnapshotThread {
        SnapshotThread {
            name: name.into(),
            has_ended: false,
            nodes: vec![SnapshotNode::default()],
        }
    }

    /// The position of the child of a node that is of that zone; it is made if there is none.
    pub fn child(&mut self, parent: usize, zone: u32) -> usize {
        let is_it = |node: &SnapshotNode| node.parent as usize == parent && node.zone == zone;
        let later = parent + 1;
        let found = self.nodes.get(later..).unwrap_or_default();
        match found.iter().position(is_it) {
            Some(at) => later + at,
            None => {
                self.nodes.push(SnapshotNode {
                    parent: parent as u32,
                    zone,
                    ..SnapshotNode::default()
                });
                self.nodes.len() - 1
            }
        }
    }

    /// By node: its ticks and those of all nodes below it. Recursion counts as often as it is on
    /// the stack: of a zone's nodes only the outermost may be summed up.
    pub fn subtree_ticks(&self) -> Vec<u64> {
        let mut sums: Vec<u64> = self.nodes.iter().map(|node| node.ticks).collect();
        for (at, node) in self.nodes.iter().enumerate().skip(1).rev() {
            sums[node.parent as usize] += sums[at];
        }
        sums
    }

    /// By node: whether any of that was sampled. Not so of the root: a thread's time is what passed.
    pub(crate) fn is_subtree_sampled(&self) -> Vec<bool> {
        let mut sampled: Vec<bool> = self.nodes.iter().map(|node| node.error > 0.0).collect();
        for (at, node) in self.nodes.iter().enumerate().skip(1).rev() {
            sampled[node.parent as usize] |= sampled[at];
        }
        if let Some(root) = sampled.first_mut() {
            *root = false;
        }
        sampled
    }

    /// The node at that position, its parent, and so on up to the root; nothing of a position at
    /// which there is no node.
    ///
    /// ```
    /// let mut thread = iprof::SnapshotThread::new("main");
    /// let outer = thread.child(0, 5);
    /// let inner = thread.child(outer, 7);
    /// let zones: Vec<u32> = thread.stack(inner).map(|node| node.zone).collect();
    /// assert_eq!(zones, [7, 5, 0]);
    /// ```
    pub fn stack(&self, node: usize) -> impl Iterator<Item = &SnapshotNode> {
        let mut next = self.nodes.get(node).map(|_| node);
        std::iter::from_fn(move || {
            let at = next?;
            let node = &self.nodes[at];
            next = (at != SnapshotThread::ROOT).then_some(node.parent as usize);
            Some(node)
        })
    }

    /// Gives nodes their ticks and entries, by position.
    #[cfg(test)]
    pub(crate) fn fill(&mut self, values: &[(usize, u64, u64)]) {
        for &(at, ticks, entries) in values {
            self.nodes[at].ticks = ticks;
            self.nodes[at].entries = entries;
        }
    }

    fn take_out(&mut self, before: &SnapshotThread) {
        // What times were thought to be more than they are.
        let mut owed = 0;
        let mut is_sampled: Vec<bool> = self.nodes.iter().map(|node| node.error > 0.0).collect();
        // Nodes keep their places as long as the thread keeps its own.
        let nodes = self.nodes.iter_mut().zip(&before.nodes);
        for ((node, before), is_sampled) in nodes.zip(&mut is_sampled) {
            if (node.parent, node.zone) != (before.parent, before.zone) {
                break;
            }
            *is_sampled |= before.error > 0.0;
            let less = before.ticks.saturating_sub(node.ticks);
            owed += less;
            node.entries = node.entries.saturating_sub(before.entries);
            node.ticks = node.ticks.saturating_sub(before.ticks);
            node.samples = node.samples.saturating_sub(before.samples);
            // What was unsure then is part of what is unsure now.
            let variance = node.error * node.error - before.error * before.error;
            node.error = variance.max(0.0).sqrt();
            if *is_sampled {
                node.error = node.error.max(less as f64);
            }
        }
        let left = self.repay(owed, &is_sampled, true);
        // What a thread did while it was looked at is taken from any time: microseconds at most.
        self.repay(left, &is_sampled, false);
    }

    /// Takes ticks from the nodes that are sampled, or from those that are not, from each by its part
    /// of them; returns what these have not.
    fn repay(&mut self, owed: u64, is_sampled: &[bool], sampled: bool) -> u64 {
        let nodes = self.nodes.iter_mut().zip(is_sampled);
        let asked = nodes.filter(|(_, is_sampled)| **is_sampled == sampled);
        let mut asked: Vec<&mut SnapshotNode> = asked.map(|(node, _)| node).collect();
        let have: u64 = asked.iter().map(|node| node.ticks).sum();
        let (mut sum, mut taken) = (0, 0);
        for node in &mut asked {
            sum += node.ticks;
            // Up to here, of all: what is rounded is the sum, so no tick is lost.
            let until = u128::from(owed.min(have)) * u128::from(sum) / u128::from(have.max(1));
            let part = until as u64 - taken;
            taken += part;
            node.ticks -= part;
            if sampled {
                node.error = node.error.max(part as f64);
            }
        }
        owed - taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `main`: `a` of 30 ticks, below it `b` of 10, below the root `b` of 5; root 55.
    fn snapshot() -> Snapshot {
        let mut snapshot = Snapshot::default();
        let a = snapshot.zone(SnapshotZone::new("a", "a.rs", 1));
        let b = snapshot.zone(SnapshotZone::new("b", "b.rs", 2));
        let mut thread = SnapshotThread::new("main");
        let under_root = thread.child(SnapshotThread::ROOT, a);
        let under_a = thread.child(under_root, b);
        let alone = thread.child(SnapshotThread::ROOT, b);
        thread.fill(&[
            (0, 55, 0),
            (under_root, 30, 3),
            (under_a, 10, 7),
            (alone, 5, 1),
        ]);
        snapshot.threads.push(thread);
        snapshot.ticks = 100;
        snapshot
    }

    #[test]
    fn zones_and_nodes_are_made_once() {
        let mut snapshot = snapshot();
        assert_eq!(snapshot.zone(SnapshotZone::new("b", "b.rs", 2)), 2);
        assert_eq!(snapshot.zone(SnapshotZone::new("b", "b.rs", 3)), 3);
        let thread = &mut snapshot.threads[0];
        assert_eq!(thread.child(0, 2), 3);
        assert_eq!(thread.child(1, 2), 2);
        assert_eq!(thread.subtree_ticks(), [100, 40, 10, 5]);
    }

    #[test]
    fn a_difference_is_what_came_since() {
        let earlier = snapshot();
        let mut later = snapshot();
        later.ticks += 50;
        later.threads[0].nodes[2].ticks += 49;
        later.threads[0].nodes[2].entries += 2;
        let new = later.threads[0].child(1, 1);
        later.threads[0].nodes[new].ticks = 1;
        later.threads.push(SnapshotThread::new("worker"));
        let since = later.since(&earlier);
        assert_eq!(since.ticks, 50);
        let thread = &since.threads[0];
        let got: Vec<_> = thread.nodes.iter().map(|n| (n.ticks, n.entries)).collect();
        assert_eq!(got, [(0, 0), (0, 0), (49, 2), (0, 0), (1, 0)]);
        assert_eq!(since.threads.len(), 2);
        // Another thread in the same place is all new.
        let mut other = later.clone();
        other.threads[0].name = "other".into();
        assert_eq!(other.since(&earlier).threads[0], other.threads[0]);
    }

    #[test]
    fn after_a_reset_all_there_is_came_since() {
        let mut later = snapshot();
        later.resets = 1;
        // More than before the reset, which cannot be told by the counts.
        later.threads[0].nodes[1].entries += 5;
        assert_eq!(later.since(&snapshot()), later);
    }

    /// As an estimate gets better: what is unsure may become less, too.
    #[test]
    fn a_sampled_time_makes_up_for_others_though_it_is_no_less_sure_than_before() {
        let mut earlier = snapshot();
        for (node, error) in [(1, 3.0), (2, 9.0)] {
            earlier.threads[0].nodes[node].error = error;
        }
        let mut later = earlier.clone();
        // 20 ticks passed.
        for (node, ticks) in [(1, 20), (2, 40)] {
            later.threads[0].nodes[node].ticks = ticks;
            later.threads[0].nodes[node].error = 2.0;
        }
        let since = later.since(&earlier);
        let ticks = since.threads[0].nodes.iter().map(|node| node.ticks);
        assert_eq!(ticks.collect::<Vec<_>>(), [0, 0, 20, 0]);
    }

    /// While it is looked at a thread runs on, and what it does then is taken from all.
    #[test]
    fn exact_times_that_were_a_moment_too_long_leave_the_sum_right() {
        let earlier = snapshot();
        let mut later = earlier.clone();
        for (node, ticks) in [(1, 29), (2, 30)] {
            later.threads[0].nodes[node].ticks = ticks;
        }
        let since = later.since(&earlier);
        let nodes = &since.threads[0].nodes;
        let ticks: Vec<u64> = nodes.iter().map(|node| node.ticks).collect();
        assert_eq!(ticks, [0, 0, 19, 0]);
        assert!(nodes.iter().all(|node| node.error == 0.0));
    }

    #[test]
    fn sampled_times_that_turned_out_to_be_less_are_made_up_for_by_others() {
        let mut earlier = snapshot();
        for (node, error) in [(1, 3.0), (2, 3.0), (3, 4.0)] {
            earlier.threads[0].nodes[node].error = error;
        }
        let mut later = earlier.clone();
        // 40 ticks passed: `a` has 7 less than was thought, the others 31 and 16 more.
        for (node, ticks) in [(1, 23), (2, 41), (3, 21)] {
            later.threads[0].nodes[node].ticks = ticks;
            later.threads[0].nodes[node].error = 5.0;
        }
        let since = later.since(&earlier);
        let nodes = &since.threads[0].nodes;
        let ticks: Vec<u64> = nodes.iter().map(|node| node.ticks).collect();
        assert_eq!(ticks, [0, 0, 27, 13]);
        let errors: Vec<f64> = nodes.iter().map(|node| node.error).collect();
        assert_eq!(errors, [0.0, 7.0, 4.0, 3.0]);
    }
}
