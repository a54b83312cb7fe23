//! Sums by node, for each of a fixed number of parts of the session.
//!
//! Nodes are stored in blocks of [`BLOCK`]. In a block the sums of each part stand side by side: a frame adds to one
//! part, and its nodes are mostly neighbors. Blocks never move, so a tree that grows has nothing copied. For each part,
//! a node takes
//!
//! ```text
//! 16 bytes, + 16 bytes on a thread that was ever sampled, + 8 bytes on one that submitted work to the GPU
//! ```
//!
//! Most frames are added to the part of the frame before. So they are summed in a list of their own first, in the order of
//! nodes, which is walked much faster than the blocks, and moved to the blocks when another part comes.

use crate::clock::Ticks;
use crate::process::delta::NodeDelta;
use crate::process::frame::ended_frame::GpuDelta;

/// Nodes in a block.
pub(crate) const BLOCK: usize = 16;

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
struct Table<T, const PARTS: usize> {
    blocks: Vec<Box<[[T; BLOCK]; PARTS]>>,
}

impl<T, const PARTS: usize> Default for Table<T, PARTS> {
    fn default() -> Self {
        Table { blocks: Vec::new() }
    }
}

impl<T: Addend, const PARTS: usize> Table<T, PARTS> {
    /// Makes room for so many nodes.
    fn grow(&mut self, nodes: usize) {
        while self.blocks.len() * BLOCK < nodes {
            let block = [[T::default(); BLOCK]; PARTS];
            self.blocks.push(Box::new(block));
        }
    }

    /// Adds to a node that there is room for.
    fn add(&mut self, node: u32, part: usize, addend: T) {
        let node = node as usize;
        self.blocks[node / BLOCK][part][node % BLOCK].add(addend);
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

    /// Sets all sums to zero.
    fn clear(&mut self) {
        for block in &mut self.blocks {
            **block = [[T::default(); BLOCK]; PARTS];
        }
    }

    /// The sums of some parts, by node: the parts whose bits are set.
    fn sums(&self, parts: u32) -> impl Iterator<Item = T> {
        let chosen = move |part: &usize| parts >> part & 1 == 1;
        self.blocks.iter().flat_map(move |block| {
            let mut sums = [T::default(); BLOCK];
            for part in (0..PARTS).filter(chosen) {
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

/// The sums of frames in a row that belong to one part.
#[derive(Debug, Default)]
struct Newest {
    part: usize,
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

    fn clear(&mut self) {
        self.sums.fill(NodeSum::default());
        self.marks.fill(0);
    }
}

/// The sums of a thread's nodes.
#[derive(Debug)]
pub(crate) struct SessionSums<const PARTS: usize> {
    /// By part: in how many frames the thread was.
    frames: [u64; PARTS],
    /// Without what is in `newest`.
    nodes: Table<NodeSum, PARTS>,
    newest: Newest,
    /// Empty as long as nothing was sampled.
    sampled: Table<SampledSum, PARTS>,
    /// Of the work that each node submitted; empty as long as none did.
    gpu: Table<Ticks, PARTS>,
}

impl<const PARTS: usize> Default for SessionSums<PARTS> {
    fn default() -> Self {
        SessionSums {
            frames: [0; PARTS],
            nodes: Table::default(),
            newest: Newest::default(),
            sampled: Table::default(),
            gpu: Table::default(),
        }
    }
}

impl<const PARTS: usize> SessionSums<PARTS> {
    /// Adds a frame to a part. The thread has so many nodes.
    pub(crate) fn add(&mut self, part: usize, deltas: &[NodeDelta], nodes: usize) {
        self.frames[part] += 1;
        if part != self.newest.part {
            self.settle();
            self.newest.part = part;
        }
        if nodes > self.newest.sums.len() {
            self.nodes.grow(nodes);
            self.newest.grow(self.nodes.blocks.len());
        }
        if !self.sampled.blocks.is_empty() {
            self.sampled.grow(nodes);
        }
        if !self.newest.add(deltas) {
            return;
        }
        for delta in deltas.iter().filter(|delta| delta.error != 0.0) {
            self.sampled.grow(nodes);
            let is_untimed = delta.error > 0.0;
            let sampled = SampledSum {
                error: delta.error.into(),
                untimed: if is_untimed { delta.entries } else { 0 },
            };
            self.sampled.add(delta.node, part, sampled);
        }
    }

    /// Moves the newest frames' sums to their part.
    fn settle(&mut self) {
        for word in 0..self.newest.marks.len() {
            let mut left = std::mem::take(&mut self.newest.marks[word]);
            while left != 0 {
                let block = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                let sums = self.newest.take(block);
                let into = &mut self.nodes.blocks[block][self.newest.part];
                for (sum, more) in into.iter_mut().zip(sums) {
                    sum.add(more);
                }
            }
        }
    }

    /// Adds the GPU times of the work that the thread's nodes submitted in a frame.
    pub(crate) fn add_gpu(&mut self, part: usize, deltas: &[GpuDelta], nodes: usize) {
        self.gpu.grow(nodes);
        for delta in deltas {
            self.gpu.add(delta.node, part, delta.ticks);
        }
    }

    pub(crate) fn merge(&mut self, from: usize, into: usize) {
        self.settle();
        self.frames[into] += std::mem::take(&mut self.frames[from]);
        self.nodes.merge(from, into);
        self.sampled.merge(from, into);
        self.gpu.merge(from, into);
    }

    /// Sets all sums to zero, and keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.frames = [0; PARTS];
        self.nodes.clear();
        self.newest.clear();
        self.sampled.clear();
        self.gpu.clear();
    }

    /// In how many frames of some parts the thread was.
    pub(crate) fn frames(&self, parts: u32) -> u64 {
        let frames = self.frames.iter().enumerate();
        let chosen = frames.filter(|(part, _)| parts >> part & 1 == 1);
        chosen.map(|(_, frames)| frames).sum()
    }

    /// The sums of one part.
    pub(crate) fn of_part(&self, part: usize) -> impl Iterator<Item = NodeSum> {
        let blocks = self.nodes.blocks.iter();
        let newest = (part == self.newest.part).then_some(&self.newest.sums[..]);
        let settled = blocks.flat_map(move |block| block[part]);
        settled.enumerate().map(move |(node, mut sum)| {
            sum.add(newest.map_or(NodeSum::default(), |newest| newest[node]));
            sum
        })
    }

    /// The sums of some parts: those whose bits are set.
    pub(crate) fn of_parts(&self, parts: u32) -> NodeSums {
        let mut nodes: Vec<NodeSum> = self.nodes.sums(parts).collect();
        if parts >> self.newest.part & 1 == 1 {
            for (sum, more) in nodes.iter_mut().zip(&self.newest.sums) {
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
        let newest = size_of_val(&self.newest.sums[..]);
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
