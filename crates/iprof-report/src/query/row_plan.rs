//! Sums the rows of a report again for any remembered frame, without another report: replays what [`RowSums`] wrote down
//! that it added to each row.
//!
//! A row's time is a sum of self times of nodes and of whole subtrees of theirs, written down where it is
//! [asked for](RowSums::with_terms). Rows that stand for others, those of call paths and of folded
//! ones, are sums of rows: links, followed in order. So each rule of a report, which moment belongs to which row, is
//! in one place, and the plan of a row is as right as its value.
//!
//! Nodes are listed in the order of a walk through their tree, in which a subtree is a range. So either part of a row is
//! the difference of two sums over the beginning of the list. The list has only the nodes with time in any of the frames.
//! Sums are whole ticks.

use crate::query::sums::{RowSums, Term};
use crate::report::RowKey;
use iprof_process::subtree::{self, Step};
use iprof_process::thread_tree::TreeNode;
use std::collections::HashMap;
use std::ops::Range;

/// See the module's comment.
#[derive(Debug, Default)]
pub struct RowPlan {
    terms: Vec<Term>,
    /// In order: the first row's sum is added to that of the second one.
    links: Vec<[u32; 2]>,
    rows: u32,
    by_key: HashMap<RowKey, u32>,
}

impl RowPlan {
    /// Adds the rows of some sums; returns the number of the first one.
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

    /// Adds a row that stands for others; returns its number.
    pub fn add_row(&mut self) -> u32 {
        self.rows += 1;
        self.rows - 1
    }

    /// Adds the sum of row `from`, to which nothing is added later, to that of row `to`.
    pub fn link(&mut self, from: u32, to: u32) {
        self.links.push([from, to]);
    }

    /// Says which row of the report it is.
    pub fn name(&mut self, key: RowKey, row: u32) {
        self.by_key.insert(key, row);
    }

    pub fn row_of(&self, key: RowKey) -> Option<u32> {
        self.by_key.get(&key).copied()
    }

    /// Makes the plan ready to sum the nodes of these threads that are `live`.
    pub fn finish(&self, threads: &[&[TreeNode]], live: &[Vec<bool>]) -> Summing {
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
        Summing {
            ranges: self.terms.iter().filter_map(range).collect(),
            links: self.links.clone(),
            numbers: vec![0; count as usize],
            sums: vec![0; count as usize + 1],
            rows: vec![0; self.rows as usize],
            positions,
        }
    }
}

/// Positions of a node and its subtree among the live nodes of all threads, parents before their children.
#[derive(Clone, Copy, Debug, Default)]
struct Positions {
    begin: u32,
    end: u32,
    end_of_subtree: u32,
}

/// A plan at work on one frame after the other.
#[derive(Debug)]
pub struct Summing {
    /// By thread and node.
    positions: Vec<Vec<Positions>>,
    /// Ranges of positions, and the rows to which they are added.
    ranges: Vec<(Range<u32>, u32)>,
    links: Vec<[u32; 2]>,
    /// By position; 0 between frames.
    numbers: Vec<u64>,
    /// By position: the sum of the numbers before it.
    sums: Vec<u64>,
    rows: Vec<u64>,
}

/// Sums wrap around: what was added to a named value may be below zero, as a number modulo 2^64.
impl Summing {
    /// Adds a number of a live node; `thread` is its position among those in view.
    pub fn put(&mut self, thread: usize, node: usize, number: u64) {
        let position = self.positions[thread][node].begin as usize;
        self.numbers[position] = self.numbers[position].wrapping_add(number);
    }

    /// By row: the sums of what was put since the last time.
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
