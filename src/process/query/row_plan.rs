//! Sums the rows of a report again for any remembered frame, without another report: replays what [`RowSums`] wrote down
//! that it added to each row.
//!
//! A row's time is a sum of self times of nodes and of whole subtrees of theirs, written down where it is
//! [asked for](RowSums::with_terms). Rows that stand for others, those of call paths and of folded
//! ones, are sums of rows: links, followed in order. So each rule of a report, which moment belongs to which row, stands
//! in one place, and the plan of a row is as right as its value.
//!
//! Sums are whole ticks. Some frames are summed beside one another ([`Lanes`]), as most time goes into the walk over
//! nodes: it is linear in the nodes with time, and in the rows.

use crate::bits::positions;
use crate::process::frame::thread_tree::TreeNode;
use crate::process::query::sums::{RowSums, Term};
use crate::report::RowKey;
use std::collections::HashMap;

/// How many frames are summed beside one another: a node takes a line of the cache.
pub(crate) const LANES: usize = 8;
/// A number for each frame that is summed.
pub(crate) type Lanes = [u64; LANES];

/// See the module's comment.
#[derive(Debug, Default)]
pub(crate) struct RowPlan {
    terms: Vec<Term>,
    /// In order: the first row's sum is added to that of the second one.
    links: Vec<[u32; 2]>,
    rows: u32,
    by_key: HashMap<RowKey, u32>,
}

impl RowPlan {
    /// Adds the rows of some sums; returns the number of the first one.
    pub(crate) fn add(&mut self, sums: RowSums) -> u32 {
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
    pub(crate) fn add_row(&mut self) -> u32 {
        self.rows += 1;
        self.rows - 1
    }

    /// Adds the sum of row `from`, to which nothing is added later, to that of row `to`.
    pub(crate) fn link(&mut self, from: u32, to: u32) {
        self.links.push([from, to]);
    }

    /// Says which row of the report it is.
    pub(crate) fn name(&mut self, key: RowKey, row: u32) {
        self.by_key.insert(key, row);
    }

    pub(crate) fn row_of(&self, key: RowKey) -> Option<u32> {
        self.by_key.get(&key).copied()
    }

    /// Makes the plan ready to sum, on these threads.
    pub(crate) fn finish<'a>(&self, threads: &[&'a [TreeNode]]) -> Summing<'a> {
        let mut of_threads: Vec<ThreadPlan<'a>> =
            threads.iter().map(|nodes| ThreadPlan::new(nodes)).collect();
        // Counts terms by node, then places them.
        for term in &self.terms {
            of_threads[term.thread as usize].starts[term.node as usize + 1] += 1;
        }
        for thread in &mut of_threads {
            for at in 1..thread.starts.len() {
                thread.starts[at] += thread.starts[at - 1];
            }
            thread.targets = vec![0; thread.starts.last().copied().unwrap_or_default() as usize];
        }
        let mut ends: Vec<Vec<u32>> = of_threads.iter().map(|of| of.starts.clone()).collect();
        for term in &self.terms {
            let end = &mut ends[term.thread as usize][term.node as usize];
            let thread = &mut of_threads[term.thread as usize];
            let flag = if term.is_subtree { SUBTREE } else { 0 };
            thread.targets[*end as usize] = term.row | flag;
            thread.has_subtrees |= term.is_subtree;
            *end += 1;
        }
        Summing {
            threads: of_threads,
            links: self.links.clone(),
            rows: vec![Lanes::default(); self.rows as usize],
        }
    }
}

/// Flag of a row to which a node's subtree is added.
const SUBTREE: u32 = 1 << 31;

/// The nodes of a thread, and the rows to which they are added.
#[derive(Debug)]
struct ThreadPlan<'a> {
    nodes: &'a [TreeNode],
    /// By node: where its rows begin in `targets`.
    starts: Vec<u32>,
    targets: Vec<u32>,
    has_subtrees: bool,
    /// By node: its numbers; 0 between sums.
    sums: Vec<Lanes>,
    /// By node, a bit: whether it has numbers.
    marks: Vec<u64>,
}

impl<'a> ThreadPlan<'a> {
    fn new(nodes: &'a [TreeNode]) -> ThreadPlan<'a> {
        ThreadPlan {
            nodes,
            starts: vec![0; nodes.len() + 1],
            targets: Vec::new(),
            has_subtrees: false,
            sums: vec![Lanes::default(); nodes.len()],
            marks: vec![0; nodes.len().div_ceil(64)],
        }
    }

    /// Adds the numbers of nodes to their rows, and forgets them.
    fn sum_up(&mut self, rows: &mut [Lanes]) {
        let mut add = |targets: &[u32], numbers: &Lanes, flag: u32| {
            for target in targets.iter().filter(|target| **target & SUBTREE == flag) {
                add(&mut rows[(target & !SUBTREE) as usize], numbers);
            }
        };
        let targets = |node: usize| self.starts[node] as usize..self.starts[node + 1] as usize;
        for word in 0..self.marks.len() {
            for bit in positions(self.marks[word]) {
                let node = word * 64 + bit;
                add(&self.targets[targets(node)], &self.sums[node], 0);
                if !self.has_subtrees {
                    self.sums[node] = Lanes::default();
                }
            }
        }
        if !self.has_subtrees {
            self.marks.fill(0);
            return;
        }
        // Children come after their parents.
        for word in (0..self.marks.len()).rev() {
            while self.marks[word] != 0 {
                let bit = 63 - self.marks[word].leading_zeros() as usize;
                self.marks[word] &= !(1 << bit);
                let node = word * 64 + bit;
                let numbers = std::mem::take(&mut self.sums[node]);
                add(&self.targets[targets(node)], &numbers, SUBTREE);
                if node > 0 {
                    let parent = self.nodes[node].parent as usize;
                    self.marks[parent / 64] |= 1 << (parent % 64);
                    self::add(&mut self.sums[parent], &numbers);
                }
            }
        }
    }
}

fn add(sums: &mut Lanes, numbers: &Lanes) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        // Signatures wrap around.
        *sum = sum.wrapping_add(*number);
    }
}

/// A plan at work.
#[derive(Debug)]
pub(crate) struct Summing<'a> {
    threads: Vec<ThreadPlan<'a>>,
    links: Vec<[u32; 2]>,
    rows: Vec<Lanes>,
}

impl Summing<'_> {
    /// Adds a number of a node in a lane; `thread` is its position among those in view.
    pub(crate) fn put(&mut self, thread: usize, node: usize, lane: usize, number: u64) {
        let thread = &mut self.threads[thread];
        thread.marks[node / 64] |= 1 << (node % 64);
        let sum = &mut thread.sums[node][lane];
        *sum = sum.wrapping_add(number);
    }

    /// By row: the sums of what was put since the last time.
    pub(crate) fn sum_up(&mut self) -> &[Lanes] {
        self.rows.fill(Lanes::default());
        for thread in &mut self.threads {
            thread.sum_up(&mut self.rows);
        }
        for [from, to] in &self.links {
            let numbers = self.rows[*from as usize];
            add(&mut self.rows[*to as usize], &numbers);
        }
        &self.rows
    }
}
