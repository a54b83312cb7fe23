//! Sums by node, for each of a fixed number of parts of the session: its bands, and its buckets.
//!
//! Nodes are stored in blocks of [`BLOCK`]. In a block the sums of each part stand side by side: a frame's nodes are mostly
//! neighbors. Blocks never move, so a tree that grows has nothing copied. For each part, a node takes
//!
//! ```text
//! 16 bytes, + 16 bytes on a thread that was ever sampled, + 8 bytes on one that submitted work to the GPU
//! ```
//!
//! Most frames are added to the parts of the frame before, or of the one before that, as their length is about the limit
//! of two bands. So they are summed in one of two lists first, in the order of nodes, which is walked much faster than the
//! blocks, and added to the blocks of all these parts when others come.

use crate::bits::positions;
use crate::clock::Ticks;
use crate::process::delta::NodeDelta;
use crate::process::frame::ended_frame::GpuDelta;
use crate::session_part::{BANDS, BUCKETS};

/// Nodes in a block.
pub(crate) const BLOCK: usize = 16;
/// The bands, and then the buckets by slot.
const PARTS: usize = BANDS + BUCKETS;

/// Some parts, by bit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PartBits(u64);

impl PartBits {
    /// Bands by bit; those that there are not are left out.
    pub(crate) fn bands(bits: u32) -> PartBits {
        PartBits(u64::from(bits) & ((1 << BANDS) - 1))
    }

    /// Slots of buckets by bit.
    pub(crate) fn slots(bits: u32) -> PartBits {
        PartBits(u64::from(bits) << BANDS)
    }

    pub(crate) fn of(band: Option<usize>, slot: Option<usize>) -> PartBits {
        let bit = |part: Option<usize>| part.map_or(0, |part| 1 << part);
        PartBits(bit(band) | bit(slot.map(|slot| BANDS + slot)))
    }

    fn iter(self) -> impl Iterator<Item = usize> {
        positions(self.0)
    }
}

/// What is summed.
pub(crate) trait Addend: Copy + Default {
    fn add(&mut self, other: Self);
}

/// Self time and entries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct NodeSum {
    pub(crate) ticks: Ticks,
    /// Of the node of a named value: its sum in steps, modulo 2^64.
    pub(crate) entries: u64,
}

impl Addend for NodeSum {
    fn add(&mut self, other: NodeSum) {
        self.ticks = self.ticks.wrapping_add(other.ticks);
        self.entries = self.entries.wrapping_add(other.entries);
    }
}

/// What is known of sampled times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SampledSum {
    /// The sum of the frames' standard errors in ticks. Negative as long as the node was timed, as in [`NodeDelta`].
    pub(crate) error: f64,
    /// The entries in frames in which the node was untimed.
    pub(crate) untimed: u64,
}

impl Addend for SampledSum {
    fn add(&mut self, other: SampledSum) {
        let is_member = self.error > 0.0 || other.error > 0.0;
        let error = self.error.abs() + other.error.abs();
        self.error = if is_member { error } else { -error };
        self.untimed = self.untimed.wrapping_add(other.untimed);
    }
}

/// GPU time.
impl Addend for Ticks {
    fn add(&mut self, other: Ticks) {
        *self = self.wrapping_add(other);
    }
}

/// A sum by node and part.
#[derive(Debug)]
struct Table<T> {
    blocks: Vec<Box<[[T; BLOCK]; PARTS]>>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { blocks: Vec::new() }
    }
}

impl<T: Addend> Table<T> {
    /// Makes room for so many nodes.
    fn grow(&mut self, nodes: usize) {
        while self.blocks.len() * BLOCK < nodes {
            let block = [[T::default(); BLOCK]; PARTS];
            self.blocks.push(Box::new(block));
        }
    }

    /// Adds to a node that there is room for.
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

    /// Sets the sums of some parts to zero.
    fn clear(&mut self, parts: PartBits) {
        for block in &mut self.blocks {
            for part in parts.iter() {
                block[part] = [T::default(); BLOCK];
            }
        }
    }

    /// The sums of some parts, by node.
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

    #[cfg(all(test, not(loom)))]
    fn bytes(&self) -> usize {
        self.blocks.len() * size_of::<[[T; BLOCK]; PARTS]>()
    }
}

/// The sums of frames in a row that belong to the same parts.
#[derive(Debug, Default)]
struct Newest {
    parts: PartBits,
    /// By node; as many as there are in blocks.
    sums: Vec<NodeSum>,
    /// By block, a bit: whether any of its nodes may have a sum here.
    marks: Vec<u64>,
}

impl Newest {
    fn grow(&mut self, blocks: usize) {
        self.sums.resize(blocks * BLOCK, NodeSum::default());
        self.marks.resize(blocks.div_ceil(64), 0);
    }

    /// Adds a frame, whose nodes there is room for. Returns whether any of its times has an error.
    fn add(&mut self, deltas: &[NodeDelta]) -> bool {
        let (sums, marks) = (&mut self.sums[..], &mut self.marks[..]);
        // Nodes of a block mostly come one after the other.
        let (mut marked, mut errors) = (usize::MAX, 0);
        for delta in deltas {
            let node = delta.node as usize;
            let sum = &mut sums[node];
            sum.ticks = sum.ticks.wrapping_add(delta.ticks);
            sum.entries = sum.entries.wrapping_add(delta.entries);
            // Without the sign of a zero.
            errors |= delta.error.to_bits() << 1;
            let block = node / BLOCK;
            if block != marked {
                marked = block;
                marks[block / 64] |= 1 << (block % 64);
            }
        }
        errors != 0
    }

    /// The sums of a block's nodes, and none in their place.
    fn take(&mut self, block: usize) -> [NodeSum; BLOCK] {
        let mut taken = [NodeSum::default(); BLOCK];
        taken.swap_with_slice(&mut self.sums[block * BLOCK..][..BLOCK]);
        taken
    }
}

/// The sums of a thread's nodes.
#[derive(Debug)]
pub(crate) struct SessionSums {
    /// By part: in how many frames the thread was.
    frames: [u64; PARTS],
    /// Without what is in `newest`.
    nodes: Table<NodeSum>,
    /// Of different parts.
    newest: [Newest; 2],
    /// Which of the two the last frame is in.
    last: usize,
    /// Empty as long as nothing was sampled.
    sampled: Table<SampledSum>,
    /// Of the work that each node submitted; empty as long as none did.
    gpu: Table<Ticks>,
}

impl Default for SessionSums {
    fn default() -> Self {
        SessionSums {
            frames: [0; PARTS],
            nodes: Table::default(),
            newest: Default::default(),
            last: 0,
            sampled: Table::default(),
            gpu: Table::default(),
        }
    }
}

impl SessionSums {
    /// Adds a frame to some parts. The thread has so many nodes.
    pub(crate) fn add(&mut self, parts: PartBits, deltas: &[NodeDelta], nodes: usize) {
        for part in parts.iter() {
            self.frames[part] += 1;
        }
        if parts != self.newest[self.last].parts {
            self.last ^= 1;
        }
        if parts != self.newest[self.last].parts {
            self.settle(self.last);
            self.newest[self.last].parts = parts;
        }
        if nodes > self.nodes.blocks.len() * BLOCK {
            self.nodes.grow(nodes);
            // Both, so that nothing grows in a frame without a new node.
            for newest in &mut self.newest {
                newest.grow(self.nodes.blocks.len());
            }
        }
        if !self.sampled.blocks.is_empty() {
            self.sampled.grow(nodes);
        }
        if !self.newest[self.last].add(deltas) {
            return;
        }
        for delta in deltas.iter().filter(|delta| delta.error != 0.0) {
            self.sampled.grow(nodes);
            let is_untimed = delta.error > 0.0;
            let sampled = SampledSum {
                error: delta.error.into(),
                untimed: if is_untimed { delta.entries } else { 0 },
            };
            self.sampled.add(delta.node, parts, sampled);
        }
    }

    /// Moves the sums of one list to their parts.
    fn settle(&mut self, at: usize) {
        let newest = &mut self.newest[at];
        for word in 0..newest.marks.len() {
            for bit in positions(std::mem::take(&mut newest.marks[word])) {
                let block = word * 64 + bit;
                let sums = newest.take(block);
                for part in newest.parts.iter() {
                    let into = &mut self.nodes.blocks[block][part];
                    for (sum, more) in into.iter_mut().zip(sums) {
                        sum.add(more);
                    }
                }
            }
        }
    }

    fn settle_all(&mut self) {
        (0..self.newest.len()).for_each(|at| self.settle(at));
    }

    /// Adds the GPU times of the work that the thread's nodes submitted in a frame.
    pub(crate) fn add_gpu(&mut self, parts: PartBits, deltas: &[GpuDelta], nodes: usize) {
        self.gpu.grow(nodes);
        for delta in deltas {
            self.gpu.add(delta.node, parts, delta.ticks);
        }
    }

    /// Moves the sums of one slot into another.
    pub(crate) fn merge_slots(&mut self, from: usize, into: usize) {
        self.settle_all();
        let (from, into) = (BANDS + from, BANDS + into);
        self.frames[into] += std::mem::take(&mut self.frames[from]);
        self.nodes.merge(from, into);
        self.sampled.merge(from, into);
        self.gpu.merge(from, into);
    }

    /// Sets the sums of some parts to zero, and keeps their memory.
    pub(crate) fn clear(&mut self, parts: PartBits) {
        self.settle_all();
        parts.iter().for_each(|part| self.frames[part] = 0);
        self.nodes.clear(parts);
        self.sampled.clear(parts);
        self.gpu.clear(parts);
    }

    /// In how many frames of some parts, all bands or all buckets, the thread was.
    pub(crate) fn frames(&self, parts: PartBits) -> u64 {
        parts.iter().map(|part| self.frames[part]).sum()
    }

    /// The sums of one slot.
    pub(crate) fn of_slot(&self, slot: usize) -> impl Iterator<Item = NodeSum> {
        let part = BANDS + slot;
        let newest = self.newest_in(PartBits(1 << part));
        let blocks = self.nodes.blocks.iter();
        let settled = blocks.flat_map(move |block| block[part]);
        settled.enumerate().map(move |(node, mut sum)| {
            for newest in newest {
                sum.add(newest.get(node).copied().unwrap_or_default());
            }
            sum
        })
    }

    /// The sums by node that are still to be added to some parts; empty lists stand for those of other parts.
    fn newest_in(&self, parts: PartBits) -> [&[NodeSum]; 2] {
        self.newest
            .each_ref()
            .map(|newest| match newest.parts.0 & parts.0 {
                0 => &[][..],
                _ => &newest.sums,
            })
    }

    /// The sums of some parts, all bands or all buckets: of these, a frame is in one.
    pub(crate) fn of_parts(&self, parts: PartBits) -> NodeSums {
        let mut nodes: Vec<NodeSum> = self.nodes.sums(parts).collect();
        for newest in self.newest_in(parts) {
            for (sum, more) in nodes.iter_mut().zip(newest) {
                sum.add(*more);
            }
        }
        NodeSums {
            nodes,
            sampled: self.sampled.sums(parts).collect(),
            gpu: self.gpu.sums(parts).collect(),
        }
    }

    #[cfg(all(test, not(loom)))]
    pub(crate) fn bytes(&self) -> usize {
        let newest = self.newest.iter();
        let newest: usize = newest.map(|newest| size_of_val(&newest.sums[..])).sum();
        self.nodes.bytes() + newest + self.sampled.bytes() + self.gpu.bytes()
    }
}

/// Sums by node, of all nodes that there are sums of: the others have none.
#[derive(Debug, Default)]
pub(crate) struct NodeSums {
    pub(crate) nodes: Vec<NodeSum>,
    /// Empty if nothing was sampled.
    pub(crate) sampled: Vec<SampledSum>,
    /// GPU time of the work that each node submitted; empty if none did.
    pub(crate) gpu: Vec<Ticks>,
}
