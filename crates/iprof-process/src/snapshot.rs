//! A snapshot is plain data: everything recorded, or one frame, by call stack. Exporters write files from it.

#[doc(hidden)]
pub mod builder;
mod invalid;

pub use builder::FrameSnapshots;
pub use invalid::InvalidSnapshotError;

use crate::about::About;
use crate::subtree;
// This is re-exported for `SnapshotThread::walk`.
#[doc(hidden)]
pub(crate) use crate::subtree::Step;
#[doc(hidden)]
pub use iprof_gather::zone::{IDLE_OUTSIDE, OUTSIDE_ZONES, UNNAMED};
use std::sync::Arc;
use std::time::Duration;

/// Everything recorded up to a certain moment, on every thread, by call stack.
///
/// Times are whole ticks of the timestamp counter until they are converted to nanoseconds, so sums are exact. The
/// [ticks](SnapshotNode::ticks) of a thread's nodes sum to the time for which the thread was recorded.
///
/// [`since`](Snapshot::since) returns the data recorded between two snapshots.
///
/// Snapshots can also be built by hand. All exporters [check](Snapshot::validate) a snapshot before they write it.
///
/// ```
/// use iprof::{Snapshot, SnapshotThread, SnapshotZone};
///
/// let mut snapshot = Snapshot::default();
/// let work = snapshot.intern_zone(SnapshotZone::new("work", "src/main.rs", 12));
/// let mut thread = SnapshotThread::new("main");
/// let node = thread.child(SnapshotThread::ROOT, work);
/// thread.nodes[node].ticks = 1_500_000;
/// thread.nodes[node].entries = 3;
/// snapshot.threads.push(thread);
/// assert_eq!(snapshot.ns(1_500_000), 1_500_000.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The zones that nodes refer to. The first one is `(outside zones)`, which holds the time outside all zones.
    pub zones: Vec<SnapshotZone>,
    /// The threads, in the order in which they entered their first zones. Ended threads are included until `reset`.
    pub threads: Vec<SnapshotThread>,
    /// The [named values](macro.value.html) that the program has added to.
    pub values: Vec<ValueInfo>,
    /// The [zone budgets](macro.zone.html), by index in `zones`, with their misses. A frame's snapshot has none.
    pub budgets: Vec<(u32, ZoneBudget)>,
    /// The length of a tick in nanoseconds, above 0.
    pub ns_per_tick: f64,
    /// The number of ticks from the beginning of the recording to its end.
    pub ticks: u64,
    /// The number of frames recorded in that time, not counting discarded frames.
    pub frames: u64,
    /// The number of [resets](fn.reset.html) before the snapshot.
    pub resets: u64,
    /// The program that was recorded, for display only.
    pub about: About,
}

/// A zone's budget, set by [`set_zone_budget`](fn.set_zone_budget.html) or the zone's definition, and its misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZoneBudget {
    /// The maximum time that the zone and everything it calls should take in a frame, on one thread.
    pub limit: Duration,
    /// The number of recorded frames since this limit was set, or since the last [`reset`](fn.reset.html).
    pub frames: u64,
    /// The number of these frames in which the zone exceeded the limit on at least one thread.
    pub misses: u64,
}

/// A zone in a snapshot: its name and its source location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SnapshotZone {
    /// The zone's name, which may be any text.
    pub name: Arc<str>,
    /// The source file that defines the zone, with the path that the compiler was given. Empty if there is none.
    pub file: Arc<str>,
    /// The line in `file`, starting from 1, or 0 if there is none.
    pub line: u32,
    /// Whether the program only waits in the zone (see [`zone!`](macro.zone.html)). Always false for the first zone,
    /// whose time is idle only on some threads: see [`SnapshotThread::is_idle_outside_zones`].
    pub is_idle: bool,
    /// Whether it is one of iprof's own zones, such as `iprof_update`.
    pub is_own: bool,
}

/// A thread's recorded data, as a tree of call stacks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SnapshotThread {
    /// The thread's name. Several threads may have the same name.
    pub name: Arc<str>,
    /// Whether the thread has ended.
    pub has_ended: bool,
    /// Whether this is the GPU, whose zones are [GPU zones](macro.gpu_zone.html). The GPU works in parallel with the
    /// threads, so sums over all threads don't include it.
    pub is_gpu: bool,
    /// Whether the root's self time, the time outside zones, counts as idle. It counts as work only on the thread that
    /// calls [`update`](fn.update.html), or on the first thread if none does.
    pub is_idle_outside_zones: bool,
    /// The thread's context tree, with parents before their children. The first node is the root. It is its own parent,
    /// and its zone is `(outside zones)`.
    pub nodes: Vec<SnapshotNode>,
    /// The sums of named values at the nodes above, at most one for each node and value.
    pub values: Vec<SnapshotValue>,
}

/// A named value's sum at a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotValue {
    /// The node's index in [`SnapshotThread::nodes`].
    pub node: u32,
    /// The value's index in [`Snapshot::values`].
    pub value: u32,
    /// The sum, in [steps](ValueInfo::steps).
    pub steps: i64,
}

/// A call stack, and the data recorded while the thread was in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SnapshotNode {
    /// The parent's index in [`SnapshotThread::nodes`].
    pub parent: u32,
    /// The zone's index in [`Snapshot::zones`].
    pub zone: u32,
    /// The number of times that the node was entered. The count is exact in every timing mode.
    pub entries: u64,
    /// The self time in ticks.
    pub ticks: u64,
    /// The standard error of `ticks`, in ticks, or 0 if the time was not sampled.
    pub error: f64,
    /// The number of samples that found the node on top of the stack.
    pub samples: u64,
}

/// One frame's recorded data, as returned by [`frame_snapshots`](fn.frame_snapshots.html).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameSnapshot {
    /// The frame's number, starting from 1. Discarded frames have no number.
    pub number: u64,
    /// The time at which the frame began, in nanoseconds since the program's first zone.
    pub begin_ns: u64,
    /// The names that the frame was [marked](fn.mark.html) with.
    pub marks: Vec<Arc<str>>,
    /// The recorded data. Its [`ticks`](Snapshot::ticks) field is the length of the frame.
    pub recorded: Snapshot,
}

impl Default for Snapshot {
    /// Returns an empty snapshot, which only contains the zone `(outside zones)`. A tick is a nanosecond.
    fn default() -> Snapshot {
        Snapshot {
            zones: vec![SnapshotZone::new(OUTSIDE_ZONES, "", 0)],
            threads: Vec::new(),
            values: Vec::new(),
            budgets: Vec::new(),
            ns_per_tick: 1.0,
            ticks: 0,
            frames: 0,
            resets: 0,
            about: About::default(),
        }
    }
}

impl Snapshot {
    /// Returns the index of the zone that equals `zone` in all fields. Adds `zone` if there is none.
    pub fn intern_zone(&mut self, zone: SnapshotZone) -> u32 {
        let found = self.zones.iter().position(|known| *known == zone);
        let at = found.unwrap_or_else(|| {
            self.zones.push(zone);
            self.zones.len() - 1
        });
        at as u32
    }

    /// Whether a node's self time is idle: either the node's zone is an idle zone, or the node is the root and time
    /// outside zones is idle on this thread.
    #[doc(hidden)]
    pub fn is_idle(&self, thread: &SnapshotThread, node: usize) -> bool {
        match node {
            SnapshotThread::ROOT => thread.is_idle_outside_zones,
            _ => self.zones[thread.nodes[node].zone as usize].is_idle,
        }
    }

    /// Iterates over the threads other than the GPU. Their times can be added up.
    #[doc(hidden)]
    pub fn cpu_threads(&self) -> impl Iterator<Item = &SnapshotThread> + Clone {
        self.threads.iter().filter(|thread| !thread.is_gpu)
    }

    /// Iterates over the GPU's thread, if any GPU time was measured.
    #[doc(hidden)]
    pub fn gpu_threads(&self) -> impl Iterator<Item = &SnapshotThread> + Clone {
        self.threads.iter().filter(|thread| thread.is_gpu)
    }

    /// Converts ticks to nanoseconds.
    #[must_use]
    pub fn ns(&self, ticks: u64) -> f64 {
        ticks as f64 * self.ns_per_tick
    }

    /// Returns the data recorded since `earlier`, a snapshot of the same program.
    ///
    /// The result contains the differences in counts and times. If there was a [reset](fn.reset.html) in between, it
    /// contains everything since the reset. Threads are matched by position and name.
    ///
    /// Differences between counts or exact times are exact. A sampled time may turn out to be less than was estimated
    /// when `earlier` was taken. The difference is then 0, and the thread's other sampled times are reduced so that the
    /// sum is correct. Standard errors are at least as large as these corrections.
    ///
    /// Don't take `earlier` in a frame that may be discarded with `update(false)`. It would contain data that is
    /// missing in the later snapshot, and differences never go below 0.
    #[must_use]
    pub fn since(&self, earlier: &Snapshot) -> Snapshot {
        self.clone().into_since(earlier)
    }

    /// Does the same as [`since`](Snapshot::since), reusing this snapshot's memory.
    #[doc(hidden)]
    pub fn into_since(mut self, earlier: &Snapshot) -> Snapshot {
        if self.resets != earlier.resets {
            return self;
        }
        self.ticks = self.ticks.saturating_sub(earlier.ticks);
        self.frames = self.frames.saturating_sub(earlier.frames);
        for (thread, before) in self.threads.iter_mut().zip(&earlier.threads) {
            if thread.name == before.name {
                thread.subtract(before);
            }
        }
        for (zone, budget) in &mut self.budgets {
            // When a limit changes, its frames are counted from 0 again.
            let same = |(of, before): &&(u32, ZoneBudget)| {
                (of, before.limit) == (&*zone, budget.limit) && before.frames <= budget.frames
            };
            if let Some((_, before)) = earlier.budgets.iter().find(same) {
                budget.frames -= before.frames;
                budget.misses = budget.misses.saturating_sub(before.misses);
            }
        }
        self
    }
}

impl SnapshotZone {
    /// Returns a zone defined at the given file and line. The zone is neither idle nor one of iprof's own.
    #[must_use]
    pub fn new(name: &str, file: &str, line: u32) -> SnapshotZone {
        SnapshotZone {
            name: name.into(),
            file: file.into(),
            line,
            is_idle: false,
            is_own: false,
        }
    }
}

impl SnapshotThread {
    /// The root's index.
    pub const ROOT: usize = 0;

    /// Returns an empty thread, which only contains a root.
    #[must_use]
    pub fn new(name: &str) -> SnapshotThread {
        SnapshotThread {
            name: name.into(),
            has_ended: false,
            is_gpu: false,
            is_idle_outside_zones: false,
            nodes: vec![SnapshotNode::default()],
            values: Vec::new(),
        }
    }

    /// Returns the index of the child of `parent` with a given zone. Adds the child if there is none.
    ///
    /// # Panics
    ///
    /// Panics if there is no node `parent`.
    pub fn child(&mut self, parent: usize, zone: u32) -> usize {
        let is_it = |node: &SnapshotNode| node.parent as usize == parent && node.zone == zone;
        let count = self.nodes.len();
        assert!(
            parent < count,
            "parent is {parent}; expected less than {count}, the number of nodes"
        );
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

    /// Returns, for each node, the total ticks of the node and all nodes below it.
    ///
    /// To compute a zone's hierarchical time, sum only its outermost nodes. The ticks of recursive calls are already
    /// included in them. Sums saturate. A node is only added to its parent if the parent comes before it.
    #[must_use]
    pub fn subtree_ticks(&self) -> Vec<u64> {
        let mut sums: Vec<u64> = self.nodes.iter().map(|node| node.ticks).collect();
        subtree::sum(&mut sums, self.parents(), |sum, ticks| {
            *sum = sum.saturating_add(ticks)
        });
        sums
    }

    /// Returns, for each node, whether any time in its subtree was sampled. Never true for the root, because a thread's
    /// total time is exact.
    #[doc(hidden)]
    pub fn is_subtree_sampled(&self) -> Vec<bool> {
        let mut sampled: Vec<bool> = self.nodes.iter().map(|node| node.error > 0.0).collect();
        subtree::sum(&mut sampled, self.parents(), |any, is_sampled| {
            *any |= is_sampled
        });
        if let Some(root) = sampled.first_mut() {
            *root = false;
        }
        sampled
    }

    #[doc(hidden)]
    pub fn parents(&self) -> impl Fn(usize) -> usize {
        |node| self.nodes[node].parent as usize
    }

    /// Walks through all nodes of a thread in a [valid](Snapshot::validate) snapshot. Children are visited in the order
    /// in which they were first entered.
    #[doc(hidden)]
    pub fn walk(&self, each: impl FnMut(Step)) {
        subtree::walk(self.nodes.len(), self.parents(), each);
    }

    /// Iterates from a node up to the root, or up to the first node that doesn't come after its parent. Empty if the
    /// node doesn't exist.
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
            let parent = node.parent as usize;
            next = (parent < at).then_some(parent);
            Some(node)
        })
    }

    #[cfg(any(test, feature = "test-support"))]
    #[doc(hidden)]
    pub fn fill(&mut self, values: &[(usize, u64, u64)]) {
        for &(at, ticks, entries) in values {
            self.nodes[at].ticks = ticks;
            self.nodes[at].entries = entries;
        }
    }

    /// Returns the sums of `count` values in steps, by node and then by value.
    #[doc(hidden)]
    pub fn steps_by_node(&self, count: usize) -> Vec<i64> {
        let mut steps = vec![0i64; self.nodes.len() * count];
        for value in &self.values {
            let sum = &mut steps[value.node as usize * count + value.value as usize];
            *sum = sum.wrapping_add(value.steps);
        }
        steps
    }

    fn subtract(&mut self, before: &SnapshotThread) {
        // A thread's values keep their order: the order in which the thread first added to them.
        for (value, before) in self.values.iter_mut().zip(&before.values) {
            if (value.node, value.value) != (before.node, before.value) {
                break;
            }
            value.steps = value.steps.wrapping_sub(before.steps);
        }
        // The number of ticks by which sampled times had been overestimated. Sums saturate, because a host may have
        // built the snapshots.
        let mut owed = 0u64;
        let mut is_sampled: Vec<bool> = self.nodes.iter().map(|node| node.error > 0.0).collect();
        // A thread's nodes keep their indices.
        let nodes = self.nodes.iter_mut().zip(&before.nodes);
        for ((node, before), is_sampled) in nodes.zip(&mut is_sampled) {
            if (node.parent, node.zone) != (before.parent, before.zone) {
                break;
            }
            *is_sampled |= before.error > 0.0;
            let less = before.ticks.saturating_sub(node.ticks);
            owed = owed.saturating_add(less);
            node.entries = node.entries.saturating_sub(before.entries);
            node.ticks = node.ticks.saturating_sub(before.ticks);
            node.samples = node.samples.saturating_sub(before.samples);
            // The current variance includes the earlier one.
            let variance = node.error * node.error - before.error * before.error;
            node.error = variance.max(0.0).sqrt();
            if *is_sampled {
                node.error = node.error.max(less as f64);
            }
        }
        let left = self.take_ticks(owed, &is_sampled, true);
        // The remainder is due to reading a thread while it runs. It is taken from exact times.
        self.take_ticks(left, &is_sampled, false);
    }

    /// Takes up to `owed` ticks from the sampled or the exact nodes, in proportion to their ticks. Returns the
    /// remainder.
    fn take_ticks(&mut self, owed: u64, is_sampled: &[bool], sampled: bool) -> u64 {
        let nodes = self.nodes.iter_mut().zip(is_sampled);
        let payers = nodes.filter(|(_, is_sampled)| **is_sampled == sampled);
        let mut payers: Vec<&mut SnapshotNode> = payers.map(|(node, _)| node).collect();
        let ticks = payers.iter().map(|node| node.ticks);
        let available = ticks.fold(0, u64::saturating_add);
        let (mut sum, mut taken) = (0u64, 0);
        for node in &mut payers {
            sum = sum.saturating_add(node.ticks);
            // Rounding the running total instead of each part keeps ticks from being lost.
            let until =
                u128::from(owed.min(available)) * u128::from(sum) / u128::from(available.max(1));
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

/// A [named value](macro.value.html) to which the program has added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ValueInfo {
    /// The value's name. Several values may have the same name.
    pub name: Arc<str>,
    /// The unit's name, used for times per unit. May be empty.
    pub unit: Arc<str>,
    /// The number of steps per unit. Sums are whole numbers of steps. 1 for values that are whole numbers.
    pub steps: u32,
}

impl ValueInfo {
    /// Converts steps to units.
    #[must_use]
    pub fn amount(&self, steps: i64) -> f64 {
        steps as f64 / f64::from(self.steps.max(1))
    }

    /// Formats a sum so that it can be parsed again. Whole numbers have no fraction.
    #[doc(hidden)]
    pub fn text(&self, steps: i64) -> String {
        match self.steps {
            0 | 1 => steps.to_string(),
            _ => self.amount(steps).to_string(),
        }
    }

    #[doc(hidden)]
    pub fn unit_or_default(&self) -> &str {
        match &*self.unit {
            "" => "unit",
            unit => unit,
        }
    }

    /// Returns the number of decimal places needed to distinguish steps, limited to what fits in a column.
    #[doc(hidden)]
    pub fn places(&self) -> u32 {
        match self.steps {
            0 | 1 => 0,
            2..=10 => 1,
            11..=100 => 2,
            _ => 3,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Builds a snapshot of the thread `main`. The root (55 ticks) calls `a` (30) and `b` (5), and `a` calls `b` (10).
    fn snapshot() -> Snapshot {
        let mut snapshot = Snapshot::default();
        let a = snapshot.intern_zone(SnapshotZone::new("a", "a.rs", 1));
        let b = snapshot.intern_zone(SnapshotZone::new("b", "b.rs", 2));
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
    fn since_subtracts_misses_with_the_same_limit() {
        let at = |budgets: &[(u32, u64, [u64; 2])]| {
            let mut snapshot = snapshot();
            let budgets = budgets.iter();
            let budget = |(zone, limit_us, [frames, misses]): &(u32, u64, [u64; 2])| {
                let limit = Duration::from_micros(*limit_us);
                let (frames, misses) = (*frames, *misses);
                (
                    *zone,
                    ZoneBudget {
                        limit,
                        frames,
                        misses,
                    },
                )
            };
            snapshot.budgets = budgets.map(budget).collect();
            snapshot
        };
        let earlier = at(&[(1, 500, [10, 4]), (2, 70, [10, 9])]);
        // The first budget is unchanged. The second has a new limit or was set again.
        for (later, second) in [((2, 80, [3, 2]), [3, 2]), ((2, 70, [3, 2]), [3, 2])] {
            let since = at(&[(1, 500, [17, 6]), later]).since(&earlier);
            let counts = since.budgets.iter().map(|(_, of)| [of.frames, of.misses]);
            assert_eq!(counts.collect::<Vec<_>>(), [[7, 2], second]);
        }
    }

    #[test]
    fn zones_and_nodes_are_added_once() {
        let mut snapshot = snapshot();
        assert_eq!(snapshot.intern_zone(SnapshotZone::new("b", "b.rs", 2)), 2);
        assert_eq!(snapshot.intern_zone(SnapshotZone::new("b", "b.rs", 3)), 3);
        let thread = &mut snapshot.threads[0];
        assert_eq!(thread.child(0, 2), 3);
        assert_eq!(thread.child(1, 2), 2);
        assert_eq!(thread.subtree_ticks(), [100, 40, 10, 5]);
    }

    #[test]
    fn since_returns_the_difference() {
        let earlier = snapshot();
        let mut later = snapshot();
        later.ticks += 50;
        later.threads[0].nodes[2].ticks += 49;
        later.threads[0].nodes[2].entries += 2;
        let new = later.threads[0].child(1, 1);
        later.threads[0].nodes[new].ticks = 1;
        later.threads.push(SnapshotThread::new("worker"));
        let values = |all: &[(u32, i64)]| {
            let each = all.iter().map(|(node, steps)| SnapshotValue {
                node: *node,
                value: 0,
                steps: *steps,
            });
            each.collect::<Vec<_>>()
        };
        later.threads[0].values = values(&[(2, 5), (1, -7), (3, 1)]);
        let mut earlier = earlier;
        earlier.threads[0].values = values(&[(2, 9), (1, -6)]);
        let since = later.since(&earlier);
        assert_eq!(since.ticks, 50);
        let thread = &since.threads[0];
        let got: Vec<_> = thread.nodes.iter().map(|n| (n.ticks, n.entries)).collect();
        assert_eq!(got, [(0, 0), (0, 0), (49, 2), (0, 0), (1, 0)]);
        assert_eq!(thread.values, values(&[(2, -4), (1, -1), (3, 1)]));
        assert_eq!(since.threads.len(), 2);
        // A different thread in the same position counts as new.
        let mut other = later.clone();
        other.threads[0].name = "other".into();
        assert_eq!(other.since(&earlier).threads[0], other.threads[0]);
    }

    #[test]
    fn since_after_a_reset_returns_the_later_snapshot() {
        let mut later = snapshot();
        later.resets = 1;
        // There are more entries than before the reset, so the counts alone don't reveal it.
        later.threads[0].nodes[1].entries += 5;
        assert_eq!(later.since(&snapshot()), later);
    }

    /// Tests estimates whose errors shrink as the estimates improve.
    #[test]
    fn sampled_times_absorb_corrections() {
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

    /// A thread keeps running while it is read. The time that this adds is taken from all nodes.
    #[test]
    fn exact_times_absorb_reading_errors() {
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
    fn overestimates_are_taken_from_sampled_times() {
        let mut earlier = snapshot();
        for (node, error) in [(1, 3.0), (2, 3.0), (3, 4.0)] {
            earlier.threads[0].nodes[node].error = error;
        }
        let mut later = earlier.clone();
        // 40 ticks passed: `a` was overestimated by 7, the others gained 31 and 16.
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
