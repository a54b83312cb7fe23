//! Sums node values by row, for lists and the call graph.
//!
//! # Every moment is counted once
//!
//! At any moment, a thread has exactly one stack. These definitions handle recursion without correcting any sum:
//!
//! - A zone's hierarchical time is the time of all stacks that contain the zone, no matter how many times.
//! - Among a zone's callers, a moment belongs to the caller of the zone's *outermost* occurrence. The callers' rows
//!   therefore sum to the zone.
//! - Among a zone's callees, a moment belongs to the callee of the zone's *innermost* occurrence. If that is the top of
//!   the stack, the moment counts as the zone's self time. The callees' hierarchical times therefore sum to the zone's
//!   hierarchical time minus its self time.
//!
//! Each node represents a stack, and parents come before their children in the list of nodes. One pass finds the
//! outermost and innermost occurrences for all nodes, in linear time however deep the recursion.
//!
//! With [`Recursion::Spread`], a row is a zone at one recursion depth, so no stack contains a row twice.

use crate::query::values::{NodeValues, ThreadValues};
use crate::report::{ColumnId, Recursion};
use iprof_process::NONE;
use iprof_process::subtree;
use iprof_process::thread::NodeList;
use iprof_process::thread_tree::TreeNode;
use iprof_process::untimed_nodes::{RowVariances, SubtreeVariances};

/// Averages never reach zero, so averages below both limits count as faded and are hidden. The limits are so small that
/// the remaining rows still add up to within a tenth of a nanosecond per row.
pub const FADED_MS: f64 = 1e-7;
pub const FADED_ENTRIES: f64 = 1e-4;

/// The sums of a row, in the unit of [`NodeValues`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowTotals {
    pub self_time: f64,
    pub hier: f64,
    pub entries: f64,
    /// Self time without the recording overhead.
    pub net: f64,
    /// The variance of the self time.
    pub self_variance: f64,
    /// The variance of the hierarchical time.
    pub hier_variance: f64,
    /// GPU time submitted by the row itself.
    pub gpu_self: f64,
    /// GPU time submitted by the row itself and everything that it called.
    pub gpu_hier: f64,
    /// Steps added to the shown value by the row itself.
    pub named_self: f64,
    /// Steps added to the shown value by the row itself and everything that it called.
    pub named_hier: f64,
}

/// The values for a main time, which is [self](ColumnId::SelfTime) or [hierarchical](ColumnId::HierarchicalTime) time.
impl RowTotals {
    pub fn time(&self, time: ColumnId) -> f64 {
        match time {
            ColumnId::SelfTime => self.self_time,
            _ => self.hier,
        }
    }

    pub fn variance(&self, time: ColumnId) -> f64 {
        match time {
            ColumnId::SelfTime => self.self_variance,
            _ => self.hier_variance,
        }
    }

    pub fn gpu(&self, time: ColumnId) -> f64 {
        match time {
            ColumnId::SelfTime => self.gpu_self,
            _ => self.gpu_hier,
        }
    }

    /// Returns the sum of the shown value, in steps; 0 if it has faded or is zero except for rounding.
    pub fn named(&self, time: ColumnId) -> f64 {
        let named = match time {
            ColumnId::SelfTime => self.named_self,
            _ => self.named_hier,
        };
        if named.abs() < FADED_ENTRIES {
            0.0
        } else {
            named
        }
    }

    /// Adds another row's own sums, except variances.
    fn add_self(&mut self, other: RowTotals) {
        self.self_time += other.self_time;
        self.entries += other.entries;
        self.net += other.net;
        self.gpu_self += other.gpu_self;
        self.named_self += other.named_self;
    }

    /// Adds another row's hierarchical sums, except variances.
    fn add_hier(&mut self, other: RowTotals) {
        self.hier += other.hier;
        self.gpu_hier += other.gpu_hier;
        self.named_hier += other.named_hier;
    }
}

/// Totals by row. The last row is the idle time outside zones, which is not included in the root's row.
#[derive(Debug)]
pub struct TotalsByRow {
    pub totals: Vec<RowTotals>,
    /// The maximum recursion depth of each row; 0 if the zone did not call itself.
    pub deepest: Vec<u32>,
    /// Whether each row has callees.
    pub calls: Vec<bool>,
}

/// Returns the root's totals including idle time outside zones, given `totals` as in [`TotalsByRow`].
pub fn with_idle(totals: &[RowTotals], root: u32) -> RowTotals {
    let mut root = totals[root as usize];
    let idle = totals.last().copied().unwrap_or_default();
    root.add_self(idle);
    // The variances are independent because the times come from different threads.
    root.self_variance += idle.self_variance;
    root
}

/// Returns the totals of all `count` rows and of the idle time outside zones. With `on_behalf_of`, they cover only what
/// that row called: everything above its outermost node on the stack, except the row itself.
pub fn totals_by_row(
    values: &NodeValues<'_>,
    recursion: Recursion,
    count: usize,
    on_behalf_of: Option<u32>,
) -> TotalsByRow {
    let mut rows = RowSums::new(count + 1);
    let others = add_totals_by_row(&mut rows, values, recursion, count, on_behalf_of);
    TotalsByRow {
        totals: rows.into_totals(),
        ..others
    }
}

/// Like [`totals_by_row`], but adds the totals to `rows`.
pub fn add_totals_by_row(
    rows: &mut RowSums,
    values: &NodeValues<'_>,
    recursion: Recursion,
    count: usize,
    on_behalf_of: Option<u32>,
) -> TotalsByRow {
    let idle_outside = count as u32;
    let count = count + 1;
    let (mut deepest, mut calls) = (vec![0; count], vec![false; count]);
    for (at, thread) in values.threads.iter().enumerate() {
        let caller = on_behalf_of.map(|row| outermost_nodes(thread.nodes, recursion, row));
        Subtrees::new(thread).sum_up(thread, |subtrees, index| {
            let node = &thread.nodes[index];
            let row = recursion.row_of(node);
            let is_counted = match &caller {
                None => true,
                Some(caller) => caller[index] != NONE && Some(row) != on_behalf_of,
            };
            let is_outermost = match &caller {
                _ if recursion == Recursion::Spread || node.level == 0 => true,
                None => false,
                // The zone's next enclosing node is below the caller's outermost node on the stack.
                Some(caller) => node.next_alike < caller[index],
            };
            if index > 0 && !thread.is_value(index) {
                let caller = recursion.row_of(&thread.nodes[node.parent as usize]);
                calls[caller as usize] |= caller != row;
            }
            if is_counted {
                if index == 0 && thread.is_idle_outside {
                    rows.add_self(idle_outside, at, thread, index);
                    rows.add_time(idle_outside, at, thread, index);
                } else {
                    rows.add_self(row, at, thread, index);
                }
                if is_outermost {
                    rows.add_subtree(row, at, thread, index, subtrees);
                }
                if subtrees.hier[index] > 0.0 || thread.entries[index] > 0.0 {
                    let deepest = &mut deepest[row as usize];
                    *deepest = node.level.max(*deepest);
                }
            }
        });
    }
    TotalsByRow {
        totals: Vec::new(),
        deepest,
        calls,
    }
}

/// The sums over each node's subtree, which is the node and everything called from it.
pub struct Subtrees<'a> {
    hier: NodeList<'a>,
    /// `None` if nothing was sampled.
    variances: Option<SubtreeVariances>,
    /// GPU time; empty if there is none.
    gpu: Vec<f64>,
    /// The amounts added to the shown value; empty if there are none.
    named: Vec<f64>,
}

impl<'a> Subtrees<'a> {
    /// Starts with each node's own values.
    pub fn new(thread: &ThreadValues<'a>) -> Subtrees<'a> {
        let sampled = thread.sampled.as_ref();
        Subtrees {
            hier: thread.self_time.clone(),
            variances: sampled.map(|sampled| SubtreeVariances::new(sampled, &thread.self_time)),
            gpu: thread.gpu.clone(),
            named: thread.named.clone(),
        }
    }

    /// Completes all nodes' sums, children first, and calls `each` with each node.
    pub fn sum_up(mut self, thread: &ThreadValues<'_>, each: impl FnMut(&Subtrees<'_>, usize)) {
        let parent = |node: usize| thread.nodes[node].parent as usize;
        let pass_up = |subtrees: &mut Subtrees<'_>, node: usize, parent: usize| {
            subtrees.pass_up(thread, node, parent);
        };
        subtree::sum_up(&mut self, thread.nodes.len(), parent, pass_up, each);
    }

    /// Adds a node whose sums are complete to its parent.
    pub fn pass_up(&mut self, thread: &ThreadValues<'_>, node: usize, parent: usize) {
        self.hier[parent] += self.hier[node];
        if let (Some(sampled), Some(variances)) = (&thread.sampled, &mut self.variances) {
            variances.pass_up(sampled, node, parent);
        }
        for list in [&mut self.gpu, &mut self.named] {
            if let Some(sum) = list.get(node).copied() {
                list[parent] += sum;
            }
        }
    }
}

/// A term of a row's time: the self time of a node, or the time of its subtree.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// The thread's index among those in view.
    pub thread: u32,
    pub node: u32,
    pub row: u32,
    pub is_subtree: bool,
}

/// A record of the terms that were added to each row.
#[derive(Debug)]
pub struct Terms {
    /// The recorded time: [`ColumnId::SelfTime`] or [`ColumnId::HierarchicalTime`].
    time: ColumnId,
    pub list: Vec<Term>,
}

/// Sums over nodes for each row, with their variances.
#[derive(Debug)]
pub struct RowSums {
    totals: Vec<RowTotals>,
    self_variances: RowVariances,
    hier_variances: RowVariances,
    terms: Option<Terms>,
}

impl RowSums {
    pub fn new(count: usize) -> RowSums {
        RowSums {
            totals: vec![RowTotals::default(); count],
            self_variances: RowVariances::default(),
            hier_variances: RowVariances::default(),
            terms: None,
        }
    }

    /// Creates sums that record where `time` was added.
    pub fn with_terms(count: usize, time: ColumnId) -> RowSums {
        RowSums {
            terms: Some(Terms {
                time,
                list: Vec::new(),
            }),
            ..RowSums::new(count)
        }
    }

    /// Returns the number of rows, and the record of what was added to them.
    pub fn into_terms(self) -> (usize, Option<Terms>) {
        (self.totals.len(), self.terms)
    }

    /// Records that a node's self time, or with `is_subtree` its whole subtree, was added to a row's `time`.
    fn record_term(&mut self, time: ColumnId, row: u32, at: usize, node: usize, is_subtree: bool) {
        if let Some(terms) = &mut self.terms
            && terms.time == time
        {
            terms.list.push(Term {
                thread: at as u32,
                node: node as u32,
                row,
                is_subtree,
            });
        }
    }

    pub fn grow(&mut self, count: usize) {
        self.totals
            .resize(self.totals.len().max(count), RowTotals::default());
    }

    /// Adds a node's own values to a row's own values.
    pub fn add_self(&mut self, row: u32, at: usize, thread: &ThreadValues<'_>, node: usize) {
        let totals = &mut self.totals[row as usize];
        totals.self_time += thread.self_time[node];
        totals.entries += thread.entries[node];
        totals.net += thread.net.as_ref().map_or(0.0, |net| net[node]);
        totals.gpu_self += thread.gpu.get(node).copied().unwrap_or(0.0);
        totals.named_self += thread.named.get(node).copied().unwrap_or(0.0);
        if let Some(sampled) = &thread.sampled {
            let part = sampled.part(node, thread.self_time[node]);
            self.self_variances.add(row, at, sampled, node, part);
        }
        self.record_term(ColumnId::SelfTime, row, at, node, false);
    }

    /// Adds a node's subtree to a row's hierarchical times.
    pub fn add_subtree(
        &mut self,
        row: u32,
        at: usize,
        thread: &ThreadValues<'_>,
        node: usize,
        subtrees: &Subtrees<'_>,
    ) {
        self.totals[row as usize].hier += subtrees.hier[node];
        if let (Some(sampled), Some(subtrees)) = (&thread.sampled, &subtrees.variances) {
            let part = subtrees.part(node);
            self.hier_variances.add(row, at, sampled, node, part);
        }
        self.add_others_hier(row, [&subtrees.gpu, &subtrees.named], node);
        self.record_term(ColumnId::HierarchicalTime, row, at, node, true);
    }

    /// Adds only a node's self time to a row's hierarchical time, which [`pass_up`](RowSums::pass_up) completes.
    pub fn add_time(&mut self, row: u32, at: usize, thread: &ThreadValues<'_>, node: usize) {
        let time = thread.self_time[node];
        self.totals[row as usize].hier += time;
        if let Some(sampled) = &thread.sampled {
            let part = sampled.part(node, time);
            self.hier_variances.add(row, at, sampled, node, part);
        }
        self.add_others_hier(row, [&thread.gpu, &thread.named], node);
        self.record_term(ColumnId::HierarchicalTime, row, at, node, false);
    }

    /// Adds a node's GPU time and its amount of the shown value to a row. Each list is indexed by node, or empty.
    fn add_others_hier(&mut self, row: u32, [gpu, named]: [&[f64]; 2], node: usize) {
        let totals = &mut self.totals[row as usize];
        totals.gpu_hier += gpu.get(node).copied().unwrap_or(0.0);
        totals.named_hier += named.get(node).copied().unwrap_or(0.0);
    }

    /// Adds each row's sums to its parent in `above`, which is [`NONE`] at the top level. Parents come first.
    pub fn pass_up(&mut self, above: &[u32]) {
        sum_up_rows(&mut self.totals, above, RowTotals::add_self);
        self.self_variances.pass_up(above);
        self.pass_up_time(above);
    }

    /// Like [`pass_up`](RowSums::pass_up), but only for hierarchical times.
    pub fn pass_up_time(&mut self, above: &[u32]) {
        sum_up_rows(&mut self.totals, above, RowTotals::add_hier);
        self.hier_variances.pass_up(above);
    }

    pub fn totals(&self) -> Vec<RowTotals> {
        self.with_variances(self.totals.clone())
    }

    /// Returns the totals. Unlike [`totals`](RowSums::totals), it doesn't copy the list, which may hold a hundred
    /// thousand rows.
    pub fn into_totals(mut self) -> Vec<RowTotals> {
        let totals = std::mem::take(&mut self.totals);
        self.with_variances(totals)
    }

    fn with_variances(&self, mut totals: Vec<RowTotals>) -> Vec<RowTotals> {
        self.self_variances
            .for_each(|row, variance| totals[row as usize].self_variance += variance);
        self.hier_variances
            .for_each(|row, variance| totals[row as usize].hier_variance += variance);
        totals
    }

    /// Sums rows by set. `set` holds each row's set, below `count`, or [`NONE`]. No node may be in two rows of a set.
    pub fn merged(&self, set: &[u32], count: usize) -> Vec<RowTotals> {
        let mut sets = RowSums::new(count);
        for (set, totals) in set.iter().zip(&self.totals) {
            if let Some(sum) = sets.totals.get_mut(*set as usize) {
                sum.add_self(*totals);
                sum.add_hier(*totals);
            }
        }
        self.self_variances
            .merge_into(&mut sets.self_variances, set);
        self.hier_variances
            .merge_into(&mut sets.hier_variances, set);
        sets.into_totals()
    }
}

/// Adds each row to its parent. Rows beyond the end of `above` have no parent.
fn sum_up_rows(totals: &mut [RowTotals], above: &[u32], add: impl Fn(&mut RowTotals, RowTotals)) {
    const { assert!(NONE == u32::MAX) }; // No row index exceeds `NONE`.
    subtree::sum(&mut totals[..above.len()], |row| above[row] as usize, add);
}

/// Returns the outermost node of `row` on each node's stack, or [`NONE`].
pub fn outermost_nodes(nodes: &[TreeNode], recursion: Recursion, row: u32) -> Vec<u32> {
    let mut outermost = vec![NONE; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        let below = match index {
            0 => NONE,
            _ => outermost[node.parent as usize],
        };
        outermost[index] = match below {
            NONE if recursion.row_of(node) == row => index as u32,
            below => below,
        };
    }
    outermost
}
