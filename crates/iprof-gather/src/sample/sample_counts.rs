//! Counts samples per node: how often the sampler found each node on top of its thread's stack.

use crate::Node;
use std::collections::HashMap;

/// Hits by thread and node; memory is bounded by the number of nodes.
#[derive(Debug, Default)]
pub struct SampleCounts {
    /// By the thread's index among all records, and the node's address.
    hits: HashMap<(u32, usize), (&'static Node, u32)>,
    /// The number of samples, and the processor time that they took, in nanoseconds.
    pub samples: u32,
    pub spent_ns: u64,
}

impl SampleCounts {
    /// Adds a hit. Reads nothing of the node, since its owner is most likely writing to it at this
    /// moment.
    pub fn add(&mut self, thread: u32, node: &'static Node) {
        let place = std::ptr::from_ref(node) as usize;
        self.add_all((thread, place), node, 1);
    }

    fn add_all(&mut self, place: (u32, usize), node: &'static Node, count: u32) {
        // Without memory for the hit, it is dropped.
        if self.hits.try_reserve(1).is_err() {
            return;
        }
        let (_, hits) = self.hits.entry(place).or_insert((node, 0));
        // A program that never asks for the counts may be sampled for months.
        *hits = hits.saturating_add(count);
    }

    /// Moves the counts of `other` to `self`; `other` keeps its memory.
    pub fn absorb(&mut self, other: &mut SampleCounts) {
        for (place, (node, count)) in other.hits.drain() {
            self.add_all(place, node, count);
        }
        self.samples = self
            .samples
            .saturating_add(std::mem::take(&mut other.samples));
        self.spent_ns += std::mem::take(&mut other.spent_ns);
    }

    /// Thread, index of the node, and how often it was on top.
    pub fn hits(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.hits
            .iter()
            .map(|((thread, _), (node, count))| (*thread, node.index(), *count))
    }

    /// The thread's index, the node, and how often it was on top.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, &'static Node, u32)> {
        let hits = self.hits.iter();
        hits.map(|((thread, _), (node, count))| (*thread, *node, *count))
    }

    /// Removes all counts but keeps the memory.
    pub fn clear(&mut self) {
        self.hits.clear();
        self.samples = 0;
        self.spent_ns = 0;
    }
}
