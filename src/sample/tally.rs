//! What the sampler found: how often each node was on top.

use crate::gather::Node;
use std::collections::HashMap;

/// Hits by thread and node; memory is bounded by the nodes there are.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// By the thread's place among all records, and the node's address.
    hits: HashMap<(u32, usize), (&'static Node, u32)>,
    /// How often it looked, and what that took of a processor, in nanoseconds.
    pub(crate) looks: u32,
    pub(crate) spent_ns: u64,
}

impl Tally {
    /// Adds a hit. Nothing of the node is read: its owner is writing to it at this moment, most
    /// likely.
    pub(crate) fn add(&mut self, thread: u32, node: &'static Node) {
        let place = std::ptr::from_ref(node) as usize;
        self.add_all((thread, place), node, 1);
    }

    fn add_all(&mut self, place: (u32, usize), node: &'static Node, count: u32) {
        // Without memory for it, it was not seen.
        if self.hits.try_reserve(1).is_err() {
            return;
        }
        let (_, hits) = self.hits.entry(place).or_insert((node, 0));
        // A program that never asks is sampled for months.
        *hits = hits.saturating_add(count);
    }

    /// Moves what `other` found to this; `other` keeps its memory.
    pub(crate) fn absorb(&mut self, other: &mut Tally) {
        for (place, (node, count)) in other.hits.drain() {
            self.add_all(place, node, count);
        }
        self.looks = self.looks.saturating_add(std::mem::take(&mut other.looks));
        self.spent_ns += std::mem::take(&mut other.spent_ns);
    }

    /// Thread, index of the node, and how often it was on top.
    pub(crate) fn hits(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.hits
            .iter()
            .map(|((thread, _), (node, count))| (*thread, node.index(), *count))
    }

    /// The thread's place, the node, and how often it was on top.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (u32, &'static Node, u32)> {
        let hits = self.hits.iter();
        hits.map(|((thread, _), (node, count))| (*thread, *node, *count))
    }

    /// Forgets everything but its memory.
    pub(crate) fn clear(&mut self) {
        self.hits.clear();
        self.looks = 0;
        self.spent_ns = 0;
    }
}
