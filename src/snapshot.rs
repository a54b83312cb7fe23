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

impl Default for Snapshot {
    /// Nothing was recorded. The zone `_global` is there; a tick is a nanosecond.
    fn default() -> Snapshot {
        Snapshot {
            zones: vec![SnapshotZone::new("_global", "", 0)],
            threads: Vec::new(),
            ns_per_tick: 1.0,
            ticks: 0,
            frames: 0,
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
    /// taken out. Where something was [reset](crate::reset) meanwhile nothing goes below 0. Threads
    /// are the same if they have the same place and name.
    pub fn since(&self, earlier: &Snapshot) -> Snapshot {
        let mut since = self.clone();
        since.ticks = self.ticks.saturating_sub(earlier.ticks);
        since.frames = self.frames.saturating_sub(earlier.frames);
        for (thread, before) in since.threads.iter_mut().zip(&earlier.threads) {
            if thread.name == before.name {
                thread.take_out(before);
            }
        }
        since
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
        // Nodes keep their places as long as the thread keeps its own.
        for (node, before) in self.nodes.iter_mut().zip(&before.nodes) {
            if (node.parent, node.zone) != (before.parent, before.zone) {
                break;
            }
            node.entries = node.entries.saturating_sub(before.entries);
            node.ticks = node.ticks.saturating_sub(before.ticks);
            node.samples = node.samples.saturating_sub(before.samples);
            // What was unsure then is part of what is unsure now.
            let variance = node.error * node.error - before.error * before.error;
            node.error = variance.max(0.0).sqrt();
        }
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
    fn a_difference_is_what_came_since_and_never_below_nothing() {
        let earlier = snapshot();
        let mut later = snapshot();
        later.ticks += 50;
        later.threads[0].nodes[2].ticks += 49;
        later.threads[0].nodes[2].entries += 2;
        later.threads[0].nodes[3].entries = 0; // Reset, and not entered since.
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
}
