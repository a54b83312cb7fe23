//! Sampling: a thread reads every other thread's current node at random intervals.
//!
//! | file | contents |
//! |---|---|
//! | `thread_cpu_time.rs` | the calling thread's processor time |
//! | `sampler.rs` | the sampler threads, for the program and for a sampling profile, and when a sample is due |

use crate::Node;
use std::collections::HashMap;

mod sampler;
mod thread_cpu_time;

const THREAD: &str = "iprof sampler";

pub use sampler::{ProfileSampler, set_rate, take, try_take};

/// How many times the sampler found each node on top of its thread's stack. The memory use is bounded by the number of
/// nodes.
#[derive(Debug, Default)]
pub struct SampleCounts {
    /// The hits, keyed by the thread's index among all records and the node's address.
    hits: HashMap<(u32, usize), (&'static Node, u32)>,
    /// The number of samples.
    pub samples: u32,
    /// The CPU time spent on the samples, in nanoseconds.
    pub spent_ns: u64,
}

impl SampleCounts {
    /// Adds a hit. Does not access the node, which its owner is most likely writing to.
    pub fn add(&mut self, thread: u32, node: &'static Node) {
        let place = std::ptr::from_ref(node) as usize;
        self.add_all((thread, place), node, 1);
    }

    fn add_all(&mut self, place: (u32, usize), node: &'static Node, count: u32) {
        // If there is no memory for a hit, drop it.
        if self.hits.try_reserve(1).is_err() {
            return;
        }
        let (_, hits) = self.hits.entry(place).or_insert((node, 0));
        // Saturate, because a program that never reads the counts may be sampled for months.
        *hits = hits.saturating_add(count);
    }

    /// Moves the counts of `other` to `self`. `other` keeps its memory.
    pub fn absorb(&mut self, other: &mut SampleCounts) {
        for (place, (node, count)) in other.hits.drain() {
            self.add_all(place, node, count);
        }
        self.samples = self
            .samples
            .saturating_add(std::mem::take(&mut other.samples));
        self.spent_ns += std::mem::take(&mut other.spent_ns);
    }

    /// Returns thread indices, node indices, and how many times each node was on top.
    pub fn hits(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.hits
            .iter()
            .map(|((thread, _), (node, count))| (*thread, node.index(), *count))
    }

    /// Returns thread indices, nodes, and how many times each node was on top.
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

/// The cost reported before anything has been measured.
const USUAL_NS: f64 = 1_000.0;
/// The weight of a new measurement, per sample.
const WEIGHT: f64 = 0.01;
/// The measured value replaces the reported one when the two differ by this factor.
const STEP: f64 = 1.25;

/// The smoothed CPU time per sample. Sampling rates depend on this value, so it must not change with every frame.
#[derive(Debug)]
pub struct SampleCost {
    measured_ns: f64,
    reported_ns: f64,
}

impl Default for SampleCost {
    fn default() -> SampleCost {
        SampleCost {
            measured_ns: 0.0,
            reported_ns: USUAL_NS,
        }
    }
}

impl SampleCost {
    /// Adds a frame's samples.
    pub fn observe(&mut self, found: &SampleCounts) {
        if found.samples == 0 || found.spent_ns == 0 {
            return;
        }
        let samples = f64::from(found.samples);
        let each = found.spent_ns as f64 / samples;
        if self.measured_ns == 0.0 {
            self.measured_ns = each;
        }
        self.measured_ns += (each - self.measured_ns) * (1.0 - (1.0 - WEIGHT).powf(samples));
        let off = self.measured_ns / self.reported_ns;
        if !(STEP.recip()..=STEP).contains(&off) {
            self.reported_ns = self.measured_ns;
        }
    }

    pub fn ns(&self) -> f64 {
        self.reported_ns
    }
}

#[cfg(all(test, not(loom)))]
mod sample_cost_tests {
    use super::*;

    fn samples(samples: u32, each_ns: u64) -> SampleCounts {
        let mut sample_counts = SampleCounts::default();
        sample_counts.samples = samples;
        sample_counts.spent_ns = u64::from(samples) * each_ns;
        sample_counts
    }

    #[test]
    fn reported_cost_follows_only_lasting_changes() {
        let mut cost = SampleCost::default();
        cost.observe(&samples(0, 0));
        assert_eq!(cost.ns(), USUAL_NS);
        cost.observe(&samples(10, 15_000));
        assert_eq!(cost.ns(), 15_000.0);
        for each in [14_000, 16_000, 17_500, 13_000] {
            cost.observe(&samples(16, each));
            assert_eq!(cost.ns(), 15_000.0);
        }
        for _ in 0..100 {
            cost.observe(&samples(16, 30_000));
        }
        assert!((24_000.0..=30_000.0).contains(&cost.ns()), "{}", cost.ns());
    }
}
