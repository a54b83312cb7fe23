//! Computes the times of a report's rows in other remembered frames, without building more reports.
//!
//! A row's time is the sum of self times of nodes and of whole subtrees, which [`RowSums`] can
//! [record](RowSums::with_terms). Call path rows and folded rows are sums of other rows, given by links that are
//! followed in order. The rules that assign each moment to a row are therefore in only one place, and the times agree
//! with the report.
//!
//! Nodes are listed in tree-walk order, so a subtree is a range. Each term of a row is then the difference between two
//! prefix sums. The list contains only nodes with time in at least one of the frames. Sums are whole ticks.

use crate::query::sums::{RowSums, Term};
use crate::report::ColumnId;
use crate::report::RowKey;
use iprof_process::subtree::{self, Step};
use iprof_process::thread_tree::TreeNode;
use std::collections::HashMap;
use std::ops::Range;

/// The recorded terms of a report's rows.
#[derive(Debug, Default)]
pub struct RowPlan {
    terms: Vec<Term>,
    /// Pairs of rows, to be followed in order. The first row's sum is added to the second's.
    links: Vec<[u32; 2]>,
    rows: u32,
    by_key: HashMap<RowKey, u32>,
}

impl RowPlan {
    /// Adds the rows of `sums`. Returns the number of the first one.
    pub fn add(&mut self, sums: RowSums) -> u32 {
        let first = self.rows;
        let (count, terms) = sums.into_terms();
        let terms = terms.into_iter().flat_map(|terms| terms.list);
        self.terms.extend(terms.map(|term| Term {
            row: first + term.row,
            ..term
        }));
        self.rows += count as u32;
        first
    }

    /// Adds a row that sums other rows, and returns its number.
    pub fn add_row(&mut self) -> u32 {
        self.rows += 1;
        self.rows - 1
    }

    /// Adds the sum of row `from` to row `to`. Nothing may be added to `from` afterward.
    pub fn link(&mut self, from: u32, to: u32) {
        self.links.push([from, to]);
    }

    pub fn set_key(&mut self, key: RowKey, row: u32) {
        self.by_key.insert(key, row);
    }

    pub fn row_of(&self, key: RowKey) -> Option<u32> {
        self.by_key.get(&key).copied()
    }

    /// Prepares the plan for summing the `live` nodes of the threads.
    pub fn prepare(&self, threads: &[&[TreeNode]], live: &[Vec<bool>]) -> FrameSums {
        let mut count = 0;
        let mut positions = Vec::with_capacity(threads.len());
        for (nodes, live) in threads.iter().zip(live) {
            let mut of_nodes = vec![Positions::default(); nodes.len()];
            let parent = |node: usize| nodes[node].parent as usize;
            subtree::walk(nodes.len(), parent, |step| match step {
                Step::Enter(node) => {
                    of_nodes[node].begin = count;
                    count += u32::from(live[node]);
                    of_nodes[node].end = count;
                }
                Step::Leave(node) => of_nodes[node].end_of_subtree = count,
            });
            positions.push(of_nodes);
        }
        let range = |term: &Term| {
            let of_node = &positions[term.thread as usize][term.node as usize];
            let end = match term.is_subtree {
                true => of_node.end_of_subtree,
                false => of_node.end,
            };
            (of_node.begin < end).then_some((of_node.begin..end, term.row))
        };
        FrameSums {
            ranges: self.terms.iter().filter_map(range).collect(),
            links: self.links.clone(),
            numbers: vec![0; count as usize],
            sums: vec![0; count as usize + 1],
            rows: vec![0; self.rows as usize],
            positions,
        }
    }
}

/// The range of a node and its subtree in the list of live nodes, with parents first.
#[derive(Clone, Copy, Debug, Default)]
struct Positions {
    begin: u32,
    end: u32,
    end_of_subtree: u32,
}

/// A plan that is applied to one frame at a time.
#[derive(Debug)]
pub struct FrameSums {
    /// The ranges by thread and node.
    positions: Vec<Vec<Positions>>,
    /// The ranges to sum, and the row that each is added to.
    ranges: Vec<(Range<u32>, u32)>,
    links: Vec<[u32; 2]>,
    /// The number added at each position; all 0 between frames.
    numbers: Vec<u64>,
    /// The sum of all numbers before each position.
    sums: Vec<u64>,
    rows: Vec<u64>,
}

/// Sums wrap around because the sum of a named value may be negative, represented modulo 2^64.
impl FrameSums {
    /// Adds a number to a live node. `thread` is the thread's index among those in view.
    pub fn add(&mut self, thread: usize, node: usize, number: u64) {
        let position = self.positions[thread][node].begin as usize;
        self.numbers[position] = self.numbers[position].wrapping_add(number);
    }

    /// Returns each row's sum of everything added since the last call.
    pub fn sum_up(&mut self) -> &[u64] {
        let mut sum = 0_u64;
        for (number, after) in self.numbers.iter_mut().zip(&mut self.sums[1..]) {
            sum = sum.wrapping_add(std::mem::take(number));
            *after = sum;
        }
        self.rows.fill(0);
        for (range, row) in &self.ranges {
            let before = self.sums[range.start as usize];
            let sum = self.sums[range.end as usize].wrapping_sub(before);
            let row = &mut self.rows[*row as usize];
            *row = row.wrapping_add(sum);
        }
        for [from, to] in &self.links {
            let sum = self.rows[*from as usize];
            let to = &mut self.rows[*to as usize];
            *to = to.wrapping_add(sum);
        }
        &self.rows
    }
}

/// The distribution of times or values per frame, see [`ColumnId`](crate::ColumnId#times-per-frame).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimesPerFrame {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
    pub deviation: f64,
    /// The mean of the slowest 1% of frames. The number of frames is rounded up.
    pub slowest: f64,
}

fn rank(percent: usize, count: usize) -> usize {
    (count * percent).div_ceil(100).saturating_sub(1)
}

impl TimesPerFrame {
    /// Computes the distribution of `times`, which are reordered. Returns `None` if there are none.
    pub fn of(times: &mut [f64]) -> Option<TimesPerFrame> {
        let count = times.len();
        if count == 0 {
            return None;
        }
        let mean = times.iter().sum::<f64>() / count as f64;
        let squares: f64 = times.iter().map(|time| (time - mean) * (time - mean)).sum();
        // The slowest 1%, rounded up, starts at or above the 99th percentile, so one selection serves both.
        let slow = count - count.div_ceil(100);
        let (below, first, above) = times.select_nth_unstable_by(slow, f64::total_cmp);
        let first = *first;
        let above = || above.iter().copied();
        let max = above().fold(first, f64::max);
        let slowest = (first + above().sum::<f64>()) / (count - slow) as f64;
        let mut at = |percent: usize| match rank(percent, count) {
            at if at == slow => first,
            at => *below.select_nth_unstable_by(at, f64::total_cmp).1,
        };
        // No rank is above `slow`: n - ⌈n / 100⌉ ≥ ⌈99 n / 100⌉ - 1.
        let (p99, p95, p50) = (at(99), at(95), at(50));
        Some(TimesPerFrame {
            p50,
            p95,
            p99,
            max,
            deviation: (squares / count as f64).sqrt(),
            slowest,
        })
    }

    pub fn value(&self, column: ColumnId) -> Option<f64> {
        Some(match column {
            ColumnId::P50 | ColumnId::ValueP50 => self.p50,
            ColumnId::P95 | ColumnId::ValueP95 => self.p95,
            ColumnId::P99 | ColumnId::ValueP99 => self.p99,
            ColumnId::MaxTime | ColumnId::ValueMax => self.max,
            ColumnId::Deviation | ColumnId::ValueDeviation => self.deviation,
            _ => return None,
        })
    }
}

/// Computes the distribution from sorted times, directly from its definition.
#[cfg(all(test, not(loom)))]
pub fn naive(times: &[f64]) -> TimesPerFrame {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let percentile = |p: f64| sorted[(p / 100.0 * count).ceil() as usize - 1];
    let mean = times.iter().sum::<f64>() / count;
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    let slowest = &sorted[sorted.len() - sorted.len().div_ceil(100)..];
    TimesPerFrame {
        p50: percentile(50.0),
        p95: percentile(95.0),
        p99: percentile(99.0),
        max: sorted[sorted.len() - 1],
        deviation: (squares / count).sqrt(),
        slowest: slowest.iter().sum::<f64>() / slowest.len() as f64,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn percentile_matches_sorted_times(times in prop::collection::vec(0.0..9.0f64, 1..450)) {
            let wanted = naive(&times);
            let found = TimesPerFrame::of(&mut times.clone()).unwrap();
            prop_assert!((found.slowest - wanted.slowest).abs() < 1e-12);
            let found = TimesPerFrame { slowest: wanted.slowest, ..found };
            prop_assert_eq!(found, wanted);
        }
    }

    #[test]
    fn single_time_is_every_percentile() {
        let one = TimesPerFrame::of(&mut [3.0]).unwrap();
        assert_eq!([one.p50, one.p95, one.p99, one.max, one.slowest], [3.0; 5]);
        assert_eq!(one.deviation, 0.0);
        assert_eq!(TimesPerFrame::of(&mut []), None);
    }
}
