//! One thread's context tree on the processing side: adds the thread's new nodes and ends frames, with exact times or,
//! for untimed nodes, estimated times.
//!
//! # The frame of a running thread
//!
//! All of a thread's counters are cumulative. A frame's deltas are the counts so far, plus the current node's open
//! time, minus the amounts *attributed* to earlier frames. The thread may keep running while its counters are read, so
//! the sum may differ slightly from the time that passed. `deltas::adjust_sum` corrects the deltas so that a thread's
//! self times add up to the frame exactly. Time taken from a node is not attributed, so the node receives it in the
//! next frame. Errors therefore last one frame and are as long as the reading took, and nothing is lost or counted
//! twice.
//!
//! # When the counter is set back
//!
//! The counter may also be set ahead by years (`clock::since`). As tick counts are modulo 2^64, this is the same as
//! setting it back by even more.
//!
//! After that, the attributed amounts refer to a counter that no longer exists. A thread that has left a zone since
//! then has noticed, and continues with the new counter ([`ThreadRecord`]). Its counts so far are marked as attributed.
//! A thread that is sleeping in a zone hasn't noticed. Until it enters or leaves a zone, its frames continue with its
//! own time, which is the counter plus the amount by which it was set back ([`SleepingThread`]).
//!
//! # The cost of a live node
//!
//! When a program calls `update`, its own work has evicted this data from the caches, so the cost is memory traffic.
//! For each live node, `update` reads 64 bytes of [`Node`] and 8 bytes of [`NodeLink`]. It reads and writes 40 bytes of
//! [`NodeState`] and 40 bytes of averages, and writes 24 bytes of [`NodeDelta`] and 8 bytes of sums. Each is accessed
//! once. [`heat`](crate::heat) adds 72 bytes for a zone with one caller, and for each additional pair of caller and
//! zone. The data is stored in the order in which the nodes were created, which is mostly the order of the walk, so
//! processors prefetch it. Explicit prefetches don't help, because bandwidth is the limit.
//!
//! # Idle nodes cost nothing
//!
//! The walk starts at the root and only visits the children of nodes that have been on the stack since the last walk.
//! There are three ways for a node to have been on the stack:
//!
//! * It was entered since the last walk.
//! * It was on the stack when the last frame's reading was taken.
//! * It was entered after that reading but before the walk reached it. The walk saw the entry, because entries are
//!   counted after the node has become current.
//!
//! So it is enough to follow new entries, entries that were new in the last frame, and the stacks of the last reading
//! and of this one. After a failed reading, this walk and the next one visit all nodes.
//!
//! A node's time is added just after the node is left, and the thread may be descheduled at that point for many frames.
//! Then the reading shows the parent as current, and the walk checks the parent's children. So the check for an idle
//! node compares its time as well as its entries.

mod deltas;
#[cfg(all(test, loom))]
mod loom_tests;
mod nodes;

pub use nodes::{NodeLink, TreeNode};

use crate::NONE;
use crate::indices::Indices;
use crate::moving_average::{AverageClock, Averages};
use crate::session::sums::NodeSum;
use crate::session::totals::SessionTotals;
use crate::untimed_nodes::{Estimator, Member, NodeDelta, NodeVariances, TimedNodes};
use iprof_gather::clock::Ticks;
use iprof_gather::mode::cutoff;
use iprof_gather::{Node, ThreadRecord};
use std::collections::HashMap;

/// The number of seconds for which averages count as sampled after the last sampled frame. By then, that frame's weight
/// in the slower average has dropped to a tenth.
const REMEMBERED_90: f64 = 2.5;

/// The part of a node's state that is read in every frame in which the node is live.
#[derive(Clone, Debug)]
struct NodeState {
    node: &'static Node,
    /// The ticks and entries attributed to frames so far.
    ticks: Ticks,
    entries: u64,
    /// The last frame in which the node was entered, or was on the stack at the start or the end.
    live_in: u32,
    /// Whether the node was on the stack at the end of the last frame.
    open: bool,
    /// Whether the node is on the stack at the end of this frame. Reset when the walk visits the node.
    open_now: bool,
    is_counter: bool,
    /// Whether the node has been timed since [`RareNodeState::untimed_in`].
    timed_since: bool,
    first_child: u32,
    next_sibling: u32,
}

impl NodeState {
    fn attributed(&self) -> NodeSum {
        NodeSum {
            ticks: self.ticks,
            entries: self.entries,
        }
    }
}

/// The part of a node's state that is only read if nodes are untimed or children are added.
#[derive(Clone, Debug)]
struct RareNodeState {
    last_child: u32,
    /// The timed ancestor in the last frame in which the node was a member of a timer group.
    timed_ancestor: u32,
    /// The last frame in which the node was untimed.
    untimed_in: u32,
    /// The value of [`ThreadTree::recorded_seconds`] at the end of the last recorded frame in which the node was
    /// untimed.
    untimed_at: f64,
}

/// A thread's context tree, with its nodes' state and averages.
#[derive(Clone, Debug)]
pub struct ThreadTree {
    record: &'static ThreadRecord,
    nodes: Vec<TreeNode>,
    zone_stack: ZoneStack,
    links: Vec<NodeLink>,
    states: Vec<NodeState>,
    rare: Vec<RareNodeState>,
    averages: Vec<Averages<2>>,
    /// The sum of all attributed ticks.
    attributed_ticks: Ticks,
    /// The amounts included in recorded frames.
    totals: SessionTotals,
    boundary: Ticks,
    /// The number of counter resets that the thread had noticed by the end of the last frame.
    counter_resets: u32,
    asleep: Option<SleepingThread>,
    /// Whether no thread owned the record at the end of the last frame.
    ended: bool,
    /// The value of `ended` one frame earlier.
    had_ended: bool,
    /// The record's owner generation at the end of the last frame.
    generation: Option<u32>,
    /// The last owner generation that had ended when all counts were attributed.
    finished_generation: Option<u32>,
    /// The number of frames so far, including discarded ones.
    frame: u32,
    /// The last frame whose walk has to visit all nodes.
    full_walk_until: u32,
    counter_count: u32,
    value_nodes: Vec<(u32, u32)>,
    untimed_count: u32,
    /// The number of times that nodes had become timed or untimed by the end of the last frame.
    clock_changes: u32,
    sampled: bool,
    /// Whether some nodes were untimed in the last recorded frame.
    sampled_now: bool,
    /// The recorded seconds since any node was last untimed.
    since_sampled: f64,
    recorded_seconds: f64,
    /// The value of `recorded_seconds` after the last frame in which all nodes were timed.
    exact_until: f64,
    /// The nodes that samples since the last frame found on top of the stack, with the number of hits.
    hits: Vec<(u32, u32)>,
    estimator: Estimator,
    members: Vec<Member>,
    /// The deltas from the nodes' own clocks, before the time of timer groups is divided.
    clocks: Vec<NodeDelta>,
}

/// A thread that has not entered or left a zone since the counter was set back.
#[derive(Clone, Copy, Debug)]
struct SleepingThread {
    timed_ancestor: u32,
    /// The start of the thread's open time, on the old counter.
    started: Ticks,
    /// The total amount by which the counter was set back.
    set_back_by: Ticks,
}

/// Rules for assigning a frame's nodes to timer groups.
#[derive(Clone, Copy, Debug)]
struct GroupRules {
    cutoff: u8,
    /// Whether any node may have been untimed during part of the frame.
    any_briefly_untimed: bool,
    /// Whether the frame is recorded. Reports use the timer groups of the last recorded frame.
    is_recorded: bool,
}

impl TimedNodes for ThreadTree {
    fn is_counter(&self, node: u32) -> bool {
        self.has_counters() && self.states[node as usize].is_counter
    }

    fn average(&self, node: u32) -> &Averages<2> {
        &self.averages[node as usize]
    }
}

impl ThreadTree {
    /// Creates an empty tree. `boundary` is the time at which the last frame ended.
    pub fn new(record: &'static ThreadRecord, boundary: Ticks) -> ThreadTree {
        ThreadTree {
            record,
            nodes: Vec::new(),
            zone_stack: ZoneStack::default(),
            links: Vec::new(),
            states: Vec::new(),
            rare: Vec::new(),
            averages: Vec::new(),
            attributed_ticks: 0,
            totals: SessionTotals::default(),
            boundary,
            counter_resets: 0,
            asleep: None,
            ended: false,
            had_ended: false,
            generation: None,
            finished_generation: None,
            frame: 2,
            full_walk_until: 0,
            counter_count: 0,
            value_nodes: Vec::new(),
            untimed_count: 0,
            clock_changes: 0,
            sampled: false,
            sampled_now: false,
            since_sampled: f64::INFINITY,
            recorded_seconds: 0.0,
            exact_until: 0.0,
            hits: Vec::new(),
            estimator: Estimator::default(),
            members: Vec::new(),
            clocks: Vec::new(),
        }
    }

    #[inline]
    pub fn record(&self) -> &'static ThreadRecord {
        self.record
    }

    #[inline]
    pub fn set_untimed_count(&mut self, untimed_count: u32) {
        self.untimed_count = untimed_count;
    }

    /// Returns the variances of the averages in `slot`, whose current values are `self_time`. Returns `None` if nothing
    /// was sampled recently.
    pub fn sampled_averages(
        &self,
        self_time: &[f64],
        clock: &AverageClock,
        slot: usize,
    ) -> Option<NodeVariances> {
        if self.since_sampled > REMEMBERED_90 {
            return None;
        }
        // A node that became timed recently still counts as sampled, because most of its average was sampled.
        let mut group = Vec::with_capacity(self_time.len());
        for (node, rare) in self.rare.iter().enumerate() {
            let is_member = self.recorded_seconds - rare.untimed_at <= REMEMBERED_90;
            group.push(match is_member {
                true => group[self.nodes[node].parent as usize],
                false => node as u32,
            });
        }
        let estimator = &self.estimator;
        Some(estimator.average_variances(group, self_time, clock, slot))
    }

    /// Whether some nodes were untimed in the last recorded frame. If not, no delta has an error.
    #[inline]
    pub fn is_sampled_now(&self) -> bool {
        self.sampled_now
    }

    /// Adds the newest frame's standard errors to their averages. `clock` must have last advanced over that frame.
    #[inline]
    pub fn average_errors(&mut self, clock: &AverageClock, ms_per_tick: f64) {
        if self.sampled_now {
            self.estimator
                .average_errors(&self.members, clock, ms_per_tick);
        }
    }

    /// Returns the nodes. The root is first, and parents come before their children.
    #[inline]
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    #[inline]
    pub fn has_counters(&self) -> bool {
        self.counter_count > 0
    }

    /// Returns the nodes of named values, in ascending order, with their zones. A value's sum at a node is stored as
    /// the entry count of a child node.
    #[inline]
    pub fn value_nodes(&self) -> &[(u32, u32)] {
        &self.value_nodes
    }

    /// Returns the node properties needed to sum up a frame.
    #[inline]
    pub fn links(&self) -> &[NodeLink] {
        &self.links
    }

    #[inline]
    pub fn averages(&self) -> &[Averages<2>] {
        &self.averages
    }

    #[inline]
    pub fn averages_mut(&mut self) -> &mut [Averages<2>] {
        &mut self.averages
    }

    /// Adds `count` samples, taken since the last frame, with `node` on top of the stack.
    #[inline]
    pub fn add_hits(&mut self, node: u32, count: u32) {
        self.hits.push((node, count));
    }

    /// Discards everything learned from samples. Averages count as exact until the next sampled frame.
    pub fn forget_samples(&mut self) {
        self.estimator = Estimator::default();
        self.since_sampled = f64::INFINITY;
        for rare in &mut self.rare {
            rare.untimed_at = f64::NEG_INFINITY;
        }
    }

    /// Ends the frame at `now`, and appends the deltas of all live nodes to `deltas`, parents before their children.
    ///
    /// A tick takes about `ms_per_tick`. Unless `is_recorded` is set, the frame and its samples are discarded.
    pub fn end_frame(
        &mut self,
        now: Ticks,
        ms_per_tick: f64,
        indices: &mut Indices,
        is_recorded: bool,
        deltas: &mut Vec<NodeDelta>,
    ) {
        // This is checked first. If the record has no owner now, the reading will be complete.
        self.had_ended = std::mem::replace(&mut self.ended, !self.record.is_owned());
        // Changes and cutoff are read before the nodes. If the thread applies a change later, the next frame sees it.
        let changes = self.record.clock_changes();
        // With two changes, the first may have made a node untimed, and the second may have made it timed again.
        let any_briefly_untimed =
            changes.wrapping_sub(std::mem::replace(&mut self.clock_changes, changes)) > 1;
        let cutoff = self.record.cutoff();
        let sampled = match cutoff {
            cutoff::EXACT => false,
            // A node that will become timed again stays untimed until the thread applies the change.
            cutoff::AUTO => self.untimed_count > 0 || self.record.has_pending(),
            _ => true,
        };
        let reading = self.record.read();
        self.add_new_nodes(indices);
        self.frame = self.frame.wrapping_add(1);
        if reading.is_none() && self.record.is_owned() {
            self.full_walk_until = self.frame.wrapping_add(1);
        }
        let was_sampled = std::mem::replace(&mut self.sampled, sampled);
        if !(was_sampled || sampled || any_briefly_untimed) {
            // The sampler is running because of a different thread. The samples are only counted, because no later
            // frame has to compensate for this one.
            for (node, count) in self.hits.drain(..).filter(|_| is_recorded) {
                self.totals.shares.add_hits(node, count);
            }
            let start = deltas.len();
            let passed = self.collect_deltas(now, reading, None, deltas);
            if !is_recorded {
                self.totals.exclude(&deltas[start..]);
            } else {
                let seconds = passed as f64 * ms_per_tick * 1e-3;
                self.since_sampled += seconds;
                self.recorded_seconds += seconds;
                self.exact_until = self.recorded_seconds;
                self.sampled_now = false;
            }
            return;
        }
        let groups = GroupRules {
            cutoff,
            any_briefly_untimed,
            is_recorded,
        };
        if !is_recorded {
            self.hits.clear();
            let start = deltas.len();
            self.collect_deltas(now, reading, Some(groups), deltas);
            self.totals.exclude(&deltas[start..]);
            return;
        }
        for (node, count) in self.hits.drain(..) {
            self.estimator.add_hits(node, count);
            self.totals.shares.add_hits(node, count);
        }
        let mut clocks = std::mem::take(&mut self.clocks);
        clocks.clear();
        let passed = self.collect_deltas(now, reading, Some(groups), &mut clocks);
        let mut next = clocks.iter().peekable();
        for member in &mut self.members {
            if let Some(clock) = next.next_if(|clock| clock.node == member.node) {
                (member.ticks, member.entries) = (clock.ticks, clock.entries);
            }
        }
        let seconds = passed as f64 * ms_per_tick * 1e-3;
        self.since_sampled = 0.0;
        self.recorded_seconds += seconds;
        self.sampled_now = true;
        let start = deltas.len();
        self.estimator
            .apportion(&self.members, seconds, ms_per_tick, deltas);
        self.totals.exclude(&clocks);
        self.totals.include(&deltas[start..]);
        let shares = &mut self.totals.shares;
        shares.add_frame(&self.estimator, &self.members, &deltas[start..]);
        self.clocks = clocks;
    }

    fn add_new_nodes(&mut self, indices: &mut Indices) {
        for index in self.nodes.len() as u32..self.record.node_count() {
            let Some(node) = self.record.node(index) else {
                break;
            };
            let zone = indices.zone(node.zone());
            if node.zone().unit().is_some() {
                self.value_nodes.push((index, zone));
            }
            let parent = node.parent_index().unwrap_or(0);
            let tree_node = self.tree_node(index, parent, zone, indices);
            self.links.push(NodeLink::of(&tree_node));
            self.nodes.push(tree_node);
            self.averages.push(Averages::default());
            self.states.push(NodeState {
                node,
                ticks: 0,
                entries: 0,
                live_in: 0,
                open: false,
                open_now: false,
                is_counter: false,
                timed_since: false,
                first_child: NONE,
                next_sibling: NONE,
            });
            self.rare.push(RareNodeState {
                last_child: NONE,
                timed_ancestor: index,
                untimed_in: 0,
                untimed_at: f64::NEG_INFINITY,
            });
            if index > 0 {
                let siblings = &mut self.rare[parent as usize];
                let before = std::mem::replace(&mut siblings.last_child, index);
                match self.states.get_mut(before as usize) {
                    Some(before) => before.next_sibling = index,
                    None => self.states[parent as usize].first_child = index,
                }
            }
        }
    }

    fn tree_node(&mut self, index: u32, parent: u32, zone: u32, indices: &mut Indices) -> TreeNode {
        // The root is its own parent but has no ancestors.
        let outer = (index > 0).then(|| {
            let nodes = &self.nodes;
            self.zone_stack.go_to(parent, |node| {
                let node = nodes[node as usize];
                (node.parent, node.zone)
            });
            self.zone_stack.innermost(zone)
        });
        let next_alike = outer.flatten();
        let outer = next_alike.map(|outer| self.nodes[outer as usize]);
        let level = outer.map_or(0, |outer| outer.level + 1);
        let edge = match outer {
            Some(outer) => outer.edge,
            None => {
                let caller = self
                    .nodes
                    .get(parent as usize)
                    .map_or(zone, |node| node.zone);
                indices.edge(caller, zone)
            }
        };
        let spread = indices.spread(zone, level);
        TreeNode {
            parent,
            zone,
            spread,
            level,
            edge,
            outermost: outer.map_or(index, |outer| outer.outermost),
            next_alike: next_alike.unwrap_or(NONE),
        }
    }
}

#[cfg(any(test, feature = "test-support"))]
impl ThreadTree {
    #[inline]
    pub fn totals_for_tests(&self) -> Vec<crate::session::totals::NodeTotals> {
        let totals = self.totals_so_far().into_iter();
        totals.map(|(_, totals)| totals).collect()
    }

    #[inline]
    pub fn attributed_for_tests(&self, node: usize) -> (Ticks, u64) {
        (self.states[node].ticks, self.states[node].entries)
    }
}

/// A stack of node indices, with a lookup by zone.
///
/// Finds a zone's innermost node on a new node's call stack, to recognize recursion. Searching the stack for each new
/// node would be quadratic in the depth of a chain. But nodes are added in the order in which they were created, so a
/// node is usually near the previous one. This type keeps the previous node's stack and only changes the difference.
#[derive(Clone, Debug, Default)]
pub(crate) struct ZoneStack {
    stack: Vec<u32>,
    by_zone: HashMap<u32, Vec<u32>>,
    /// The nodes that have yet to be pushed to reach the target.
    ahead: Vec<u32>,
}

impl ZoneStack {
    /// Moves to the stack of `node`. `parent_and_zone` returns a node's parent and zone. The root is its own parent.
    pub(crate) fn go_to(&mut self, node: u32, parent_and_zone: impl Fn(u32) -> (u32, u32)) {
        // A parent has a lower index than its child. So of the two top nodes, the one with the higher index isn't on
        // the other stack.
        let mut target = node;
        self.ahead.clear();
        loop {
            match self.stack.last() {
                Some(top) if *top == target => break,
                Some(top) if *top > target => {
                    let (_, zone) = parent_and_zone(*top);
                    self.stack.pop();
                    if let Some(nodes) = self.by_zone.get_mut(&zone) {
                        nodes.pop();
                    }
                }
                _ => {
                    self.ahead.push(target);
                    let (parent, _) = parent_and_zone(target);
                    if parent == target {
                        break;
                    }
                    target = parent;
                }
            }
        }
        while let Some(node) = self.ahead.pop() {
            self.stack.push(node);
            let (_, zone) = parent_and_zone(node);
            self.by_zone.entry(zone).or_default().push(node);
        }
    }

    /// Returns the innermost node of `zone` on the stack.
    pub(crate) fn innermost(&self, zone: u32) -> Option<u32> {
        self.by_zone
            .get(&zone)
            .and_then(|nodes| nodes.last())
            .copied()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::untimed_nodes::OverheadController;

    #[test]
    fn documented_sizes_are_right() {
        // The memory that `update` accesses for a live node, excluding the node itself, then the rarely accessed
        // memory.
        let live = size_of::<NodeState>() + size_of::<NodeLink>() + size_of::<Averages<2>>();
        let exact = live + size_of::<TreeNode>() + size_of::<RareNodeState>();
        let sampled = Estimator::BYTES_PER_NODE + SessionTotals::BYTES_PER_SAMPLED_NODE;
        let sizes = [live, exact, sampled, OverheadController::BYTES_PER_NODE];
        let documented = [88, 140, 304, 48];
        if cfg!(target_pointer_width = "64") {
            assert_eq!(sizes, documented);
        } else {
            // On 32-bit systems, pointers and the padding before 64-bit numbers are smaller.
            let are_less = sizes
                .iter()
                .zip(&documented)
                .all(|(size, most)| size <= most);
            assert!(are_less, "{sizes:?}");
        }
    }

    /// Tests a node that is on the stack of neither this reading nor the next, and has no new entry in the next frame.
    #[test]
    fn zone_missed_by_walk_is_in_next_frame() {
        use iprof_gather::Zone;
        use iprof_gather::scripted_thread::ScriptedThread;
        static CALLER: Zone = Zone::new("caller", "", 0, "");
        static CALLEE: Zone = Zone::new("callee", "", 0, "");
        let thread = ScriptedThread::begin("walk", 0);
        let mut tree = ThreadTree::new(thread.record(), 0);
        let (mut indices, mut deltas) = (Indices::new(), Vec::new());
        thread.enter(&CALLER, 10);
        thread.enter(&CALLEE, 20);
        thread.leave(30);
        thread.leave(40);
        for now in [50, 60, 70] {
            tree.end_frame(now, 1.0, &mut indices, true, &mut deltas);
        }
        // End a frame in which the thread keeps running while it is read.
        let reading = thread.record().read();
        thread.enter(&CALLER, 80);
        tree.frame += 1;
        tree.collect_deltas(80, reading, None, &mut deltas);
        deltas.clear();
        thread.enter(&CALLEE, 90);
        thread.leave(97);
        thread.leave(99);
        tree.end_frame(100, 1.0, &mut indices, true, &mut deltas);
        let callee = deltas.iter().find(|delta| delta.node == 2);
        assert_eq!(
            callee.map(|delta| (delta.ticks, delta.entries)),
            Some((7, 1))
        );
    }
}

#[cfg(all(test, not(loom)))]
mod zone_stack_tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn innermost_node_matches_a_stack_search(
            tree in prop::collection::vec((any::<prop::sample::Index>(), 0u32..4), 1..60),
            visits in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
        ) {
            let mut nodes = vec![(0u32, 9u32)];
            for (parent, zone) in &tree {
                nodes.push((parent.index(nodes.len()) as u32, *zone));
            }
            let mut stack = ZoneStack::default();
            for visit in visits {
                let node = visit.index(nodes.len()) as u32;
                stack.go_to(node, |node| nodes[node as usize]);
                for zone in 0..4 {
                    let mut at = node;
                    while at != 0 && nodes[at as usize].1 != zone {
                        at = nodes[at as usize].0;
                    }
                    prop_assert_eq!(stack.innermost(zone), Some(at).filter(|at| *at != 0));
                }
            }
        }
    }
}
