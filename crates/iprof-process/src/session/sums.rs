//! Per-node sums for each of the session's bands and buckets.
//!
//! # Typical frames cost nothing
//!
//! A thread tree provides its nodes' [totals](Totals) over all recorded frames at no cost per frame. Most sums are
//! derived from the totals:
//!
//! * A bucket stores the totals at its end. The bucket's sums are these totals minus the totals at the end of the
//!   previous bucket. For the last bucket, the current totals are used. To merge two neighbors, the totals between them
//!   are dropped.
//! * The sums of all bands add up to the totals. So one band, the *base*, stores no sums: they are the totals minus the
//!   sums of all other bands. The base is the most common band among recent frames
//!   ([`BaseBand`](super::parts::BaseBand)). Only frames in other bands are added to a row.
//!
//! Time outside frames, and time from before the bands were cleared, belongs to no band or bucket. It is stored in the
//! rows of the base and of the last bucket, which are otherwise unused, so that it can be subtracted.
//!
//! # Memory
//!
//! Nodes are stored in blocks of [`BLOCK`]. A block stores the rows of all parts side by side, because a frame's nodes
//! are mostly neighbors. Blocks never move, so nothing is copied when a tree grows. For each part, a node takes
//!
//! ```text
//! 16 bytes, + 16 bytes on a thread that was ever sampled, + 8 bytes on one that submitted work to the GPU
//! ```
//!
//! Consecutive frames outside the base are mostly in the same band. They are first summed in a per-node list, which is
//! much faster to walk than the blocks. The list is added to the blocks when a frame in a different band arrives.

use crate::frame::GpuDelta;
use crate::session::{BANDS, BUCKETS};
use crate::untimed_nodes::NodeDelta;
use iprof_gather::clock::Ticks;

pub const BLOCK: usize = 16;
/// The number of parts. Bands come first, then the buckets by slot.
const PARTS: usize = BANDS + BUCKETS;

/// A set of parts, as one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartBits(u64);

impl PartBits {
    pub fn bands(bits: u32) -> PartBits {
        PartBits(u64::from(bits) & ((1 << BANDS) - 1))
    }

    pub fn slots(bits: u32) -> PartBits {
        PartBits(u64::from(bits) << BANDS)
    }

    pub fn all() -> PartBits {
        PartBits((1 << PARTS) - 1)
    }

    pub fn band(band: usize) -> PartBits {
        PartBits(1 << band)
    }

    pub fn slot(slot: usize) -> PartBits {
        PartBits(1 << (BANDS + slot))
    }

    pub fn of(band: Option<usize>, slot: Option<usize>) -> PartBits {
        let bit = |part: Option<usize>| part.map_or(0, |part| 1 << part);
        PartBits(bit(band) | bit(slot.map(|slot| BANDS + slot)))
    }

    pub fn with(self, more: PartBits) -> PartBits {
        PartBits(self.0 | more.0)
    }

    fn without(self, others: PartBits) -> PartBits {
        PartBits(self.0 & !others.0)
    }

    fn has(self, part: usize) -> bool {
        self.0 >> part & 1 == 1
    }

    fn iter(self) -> impl Iterator<Item = usize> {
        positions(self.0)
    }
}

pub trait Addend: Copy + Default {
    fn add(&mut self, other: Self);
}

/// A node's self time and entries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeSum {
    pub ticks: Ticks,
    /// The number of entries. For a named value's node, the sum in steps, modulo 2^64.
    pub entries: u64,
}

impl Addend for NodeSum {
    fn add(&mut self, other: NodeSum) {
        self.ticks = self.ticks.wrapping_add(other.ticks);
        self.entries = self.entries.wrapping_add(other.entries);
    }
}

impl NodeSum {
    pub fn of(delta: &NodeDelta) -> NodeSum {
        NodeSum {
            ticks: delta.ticks,
            entries: delta.entries,
        }
    }

    pub fn less(self, other: NodeSum) -> NodeSum {
        NodeSum {
            ticks: self.ticks.wrapping_sub(other.ticks),
            entries: self.entries.wrapping_sub(other.entries),
        }
    }
}

pub trait Totals {
    fn nodes(&self, thread: u32) -> usize;

    /// Returns a node's total over all recorded frames, including the frame being added. Zero if the node doesn't
    /// exist.
    fn total(&self, thread: u32, node: usize) -> NodeSum;

    /// Whether a thread's times in the newest frame may have errors.
    fn is_sampled(&self, thread: u32) -> bool;
}

/// The rows that make up the sum over some parts: rows to add, rows to subtract, and possibly the current totals.
#[derive(Clone, Copy, Debug, Default)]
pub struct SignedRows {
    pub added: PartBits,
    pub subtracted: PartBits,
    pub has_total: bool,
}

impl SignedRows {
    pub fn of_bands(bands: PartBits, base: usize) -> SignedRows {
        if !bands.has(base) {
            return SignedRows {
                added: bands,
                ..SignedRows::default()
            };
        }
        let others = PartBits::bands(u32::MAX).without(bands);
        SignedRows {
            added: PartBits::default(),
            subtracted: others.with(PartBits::band(base)),
            has_total: true,
        }
    }
}

/// The sums of a node's sampled times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampledSum {
    /// The sum of the frames' standard errors in ticks. As in [`NodeDelta`], negative if the node was timed in all of
    /// the frames.
    pub error: f64,
    /// The number of entries in frames in which the node was untimed.
    pub untimed: u64,
}

impl Addend for SampledSum {
    fn add(&mut self, other: SampledSum) {
        let is_member = self.error > 0.0 || other.error > 0.0;
        let error = self.error.abs() + other.error.abs();
        self.error = if is_member { error } else { -error };
        self.untimed = self.untimed.wrapping_add(other.untimed);
    }
}

impl Addend for Ticks {
    fn add(&mut self, other: Ticks) {
        *self = self.wrapping_add(other);
    }
}

/// Sums by node and part.
#[derive(Debug, Default)]
struct Table<T> {
    blocks: Vec<Box<[[T; BLOCK]; PARTS]>>,
}

impl<T: Addend> Table<T> {
    /// Makes room for `nodes` nodes.
    fn grow(&mut self, nodes: usize) {
        while self.blocks.len() * BLOCK < nodes {
            // `Box::new` would put 10 KB on the stack, and the program's first zone may run on a small stack.
            let block = vec![[T::default(); BLOCK]; PARTS].try_into();
            self.blocks.push(
                block.unwrap_or_else(|_| unreachable!("the list has one row for each of PARTS")),
            );
        }
    }

    /// Adds to a node. The table must have room for it.
    fn add(&mut self, node: u32, parts: PartBits, addend: T) {
        let node = node as usize;
        for part in parts.iter() {
            self.blocks[node / BLOCK][part][node % BLOCK].add(addend);
        }
    }

    /// Moves the sums of one part into another.
    fn merge(&mut self, from: usize, into: usize) {
        for block in &mut self.blocks {
            let more = std::mem::replace(&mut block[from], [T::default(); BLOCK]);
            for (sum, more) in block[into].iter_mut().zip(more) {
                sum.add(more);
            }
        }
    }

    fn clear(&mut self, parts: PartBits) {
        for block in &mut self.blocks {
            for part in parts.iter() {
                block[part] = [T::default(); BLOCK];
            }
        }
    }

    fn sums(&self, parts: PartBits) -> impl Iterator<Item = T> {
        self.blocks.iter().flat_map(move |block| {
            let mut sums = [T::default(); BLOCK];
            for part in parts.iter() {
                for (sum, more) in sums.iter_mut().zip(block[part]) {
                    sum.add(more);
                }
            }
            sums
        })
    }

    #[cfg(any(test, feature = "test-support"))]
    fn bytes(&self) -> usize {
        self.blocks.len() * size_of::<[[T; BLOCK]; PARTS]>()
    }
}

/// The sums of recent frames of one band, not yet added to the band's row.
#[derive(Debug, Default)]
struct Newest {
    band: usize,
    /// Each node's sum. There is room for all nodes in the blocks.
    sums: Vec<NodeSum>,
    /// One bit per block, set if any of the block's nodes may have a sum in this list.
    marks: Vec<u64>,
}

impl Newest {
    fn grow(&mut self, blocks: usize) {
        self.sums.resize(blocks * BLOCK, NodeSum::default());
        self.marks.resize(blocks.div_ceil(64), 0);
    }

    /// Adds a frame. There must be room for its nodes.
    fn add(&mut self, deltas: &[NodeDelta]) {
        let (sums, marks) = (&mut self.sums[..], &mut self.marks[..]);
        // Nodes in the same block are mostly consecutive.
        let mut marked = usize::MAX;
        for delta in deltas {
            let node = delta.node as usize;
            sums[node].add(NodeSum::of(delta));
            let block = node / BLOCK;
            if block != marked {
                marked = block;
                marks[block / 64] |= 1 << (block % 64);
            }
        }
    }

    fn block(&self, block: usize) -> &[NodeSum] {
        &self.sums[block * BLOCK..][..BLOCK]
    }
}

#[derive(Debug)]
pub struct SessionSums {
    /// For each part, the number of frames that the thread was in.
    frames: [u64; PARTS],
    /// The rows of all parts. A band's row does not include `newest`.
    rows: Table<NodeSum>,
    newest: Newest,
    /// Sums for sampled times. Empty until something is sampled.
    sampled: Table<SampledSum>,
    /// The GPU time of the work submitted by each node. Empty until a node submits work.
    gpu: Table<Ticks>,
}

impl Default for SessionSums {
    fn default() -> Self {
        SessionSums {
            frames: [0; PARTS],
            rows: Table::default(),
            newest: Newest::default(),
            sampled: Table::default(),
            gpu: Table::default(),
        }
    }
}

/// The parameter `total` of these methods returns a node's current total.
impl SessionSums {
    pub fn grow(&mut self, nodes: usize) {
        if nodes > self.rows.blocks.len() * BLOCK {
            self.rows.grow(nodes);
            // This list grows along with the rows, so that only frames with new nodes allocate.
            self.newest.grow(self.rows.blocks.len());
            if !self.sampled.blocks.is_empty() {
                self.sampled.grow(nodes);
            }
        }
    }

    pub fn count_frame(&mut self, parts: PartBits) {
        for part in parts.iter() {
            self.frames[part] += 1;
        }
    }

    /// Adds a frame to a band other than the base. There must be room for its nodes, as in the methods below.
    pub fn add_to_band(&mut self, band: usize, deltas: &[NodeDelta]) {
        if band != self.newest.band {
            self.flush_newest();
            self.newest.band = band;
        }
        self.newest.add(deltas);
    }

    pub fn add_to_rows(&mut self, rows: PartBits, deltas: impl Iterator<Item = NodeDelta>) {
        for delta in deltas {
            self.rows.add(delta.node, rows, NodeSum::of(&delta));
        }
    }

    pub fn add_errors(&mut self, parts: PartBits, deltas: &[NodeDelta]) {
        for delta in deltas.iter().filter(|delta| delta.error != 0.0) {
            self.sampled.grow(self.rows.blocks.len() * BLOCK);
            let is_untimed = delta.error > 0.0;
            let sampled = SampledSum {
                error: delta.error.into(),
                untimed: if is_untimed { delta.entries } else { 0 },
            };
            self.sampled.add(delta.node, parts, sampled);
        }
    }

    /// Adds the GPU times of the work that the thread's nodes submitted in a frame.
    pub fn add_gpu(&mut self, parts: PartBits, deltas: &[GpuDelta], nodes: usize) {
        self.gpu.grow(nodes);
        for delta in deltas {
            self.gpu.add(delta.node, parts, delta.ticks);
        }
    }

    /// Ends the last bucket just before the frame with `deltas`, which the totals must already include. The next bucket
    /// is stored in the slot `next`.
    pub fn end_bucket(
        &mut self,
        slot: usize,
        next: usize,
        total: impl Fn(usize) -> NodeSum,
        deltas: &[NodeDelta],
    ) {
        let (row, next) = (BANDS + slot, BANDS + next);
        for (at, block) in self.rows.blocks.iter_mut().enumerate() {
            block[next] = block[row];
            for (node, sum) in (at * BLOCK..).zip(&mut block[row]) {
                *sum = total(node).less(*sum);
            }
        }
        for delta in deltas {
            let node = delta.node as usize;
            let sum = &mut self.rows.blocks[node / BLOCK][row][node % BLOCK];
            *sum = sum.less(NodeSum::of(delta));
        }
    }

    /// Merges the bucket in slot `from` into the next bucket, in slot `into`.
    pub fn merge_slots(&mut self, from: usize, into: usize) {
        let (from, into) = (BANDS + from, BANDS + into);
        self.frames[into] += std::mem::take(&mut self.frames[from]);
        self.sampled.merge(from, into);
        self.gpu.merge(from, into);
    }

    pub fn change_base(&mut self, base: usize, next: usize, total: impl Fn(usize) -> NodeSum) {
        self.flush_newest();
        let bands = PartBits::bands(u32::MAX);
        for (at, block) in self.rows.blocks.iter_mut().enumerate() {
            let mut of_base: [NodeSum; BLOCK] =
                std::array::from_fn(|node| total(at * BLOCK + node));
            for band in bands.iter() {
                for (sum, less) in of_base.iter_mut().zip(block[band]) {
                    *sum = sum.less(less);
                }
            }
            block[next] = block[base];
            block[base] = of_base;
        }
    }

    /// Clears all bands. The totals so far no longer belong to any band.
    pub fn clear_bands(&mut self, base: usize, total: impl Fn(usize) -> NodeSum) {
        self.clear(PartBits::bands(u32::MAX));
        for (at, block) in self.rows.blocks.iter_mut().enumerate() {
            block[base] = std::array::from_fn(|node| total(at * BLOCK + node));
        }
    }

    /// Sets some parts to zero without freeing their memory.
    pub fn clear(&mut self, parts: PartBits) {
        self.flush_newest();
        parts.iter().for_each(|part| self.frames[part] = 0);
        self.rows.clear(parts);
        self.sampled.clear(parts);
        self.gpu.clear(parts);
    }

    /// Moves the newest frames' sums to their band's row.
    fn flush_newest(&mut self) {
        let Newest { band, sums, marks } = &mut self.newest;
        for (word, marks) in marks.iter_mut().enumerate() {
            for bit in positions(std::mem::take(marks)) {
                let block = word * 64 + bit;
                let row = &mut self.rows.blocks[block][*band];
                let newest = &mut sums[block * BLOCK..][..BLOCK];
                for (sum, more) in row.iter_mut().zip(newest) {
                    sum.add(std::mem::take(more));
                }
            }
        }
    }

    /// Returns the number of frames in `parts` that the thread was in. `parts` must be only bands or only buckets, so
    /// that no frame counts twice.
    pub fn frames(&self, parts: PartBits) -> u64 {
        parts.iter().map(|part| self.frames[part]).sum()
    }

    /// Returns each node's sum over the given rows.
    pub fn sum_rows(
        &self,
        signed: SignedRows,
        total: impl Fn(usize) -> NodeSum,
    ) -> impl Iterator<Item = NodeSum> {
        let blocks = self.rows.blocks.iter().enumerate();
        blocks.flat_map(move |(at, block)| {
            let mut sums = [NodeSum::default(); BLOCK];
            if signed.has_total {
                sums = std::array::from_fn(|node| total(at * BLOCK + node));
            }
            let mut add = |rows: &[NodeSum]| {
                let sums = sums.iter_mut().zip(rows);
                sums.for_each(|(sum, more)| sum.add(*more));
            };
            signed.added.iter().for_each(|part| add(&block[part]));
            if signed.added.has(self.newest.band) {
                add(self.newest.block(at));
            }
            let mut subtract = |rows: &[NodeSum]| {
                let sums = sums.iter_mut().zip(rows);
                sums.for_each(|(sum, less)| *sum = sum.less(*less));
            };
            signed
                .subtracted
                .iter()
                .for_each(|part| subtract(&block[part]));
            if signed.subtracted.has(self.newest.band) {
                subtract(self.newest.block(at));
            }
            sums
        })
    }

    /// Returns all sums over some parts, which must be only bands or only buckets.
    pub fn sum_parts(
        &self,
        parts: PartBits,
        signed: SignedRows,
        total: impl Fn(usize) -> NodeSum,
    ) -> NodeSums {
        NodeSums {
            nodes: self.sum_rows(signed, total).collect(),
            sampled: self.sampled.sums(parts).collect(),
            gpu: self.gpu.sums(parts).collect(),
        }
    }

    #[cfg(any(test, feature = "test-support"))]
    pub fn bytes(&self) -> usize {
        let newest = size_of_val(&self.newest.sums[..]);
        self.rows.bytes() + newest + self.sampled.bytes() + self.gpu.bytes()
    }
}

/// Per-node sums. Nodes past the end of a list have no sums.
#[derive(Debug, Default)]
pub struct NodeSums {
    pub nodes: Vec<NodeSum>,
    /// The sums for sampled times. Empty if nothing was sampled.
    pub sampled: Vec<SampledSum>,
    /// The GPU time of submitted work. Empty if no node submitted any.
    pub gpu: Vec<Ticks>,
}

/// Iterates over the positions of the set bits, lowest first.
#[inline(always)]
pub fn positions(bits: u64) -> impl Iterator<Item = usize> {
    let mut left = bits;
    std::iter::from_fn(move || {
        let at = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(at)
    })
}
