//! The result of a sampling session as plain data: a tree of zones with their numbers of samples.

use std::sync::Arc;

/// The profile of a [`SamplingSession`](crate::SamplingSession): how many of the samples fell into which
/// stack of zones, all threads together.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SampledProfile {
    /// How many threads were sampled. A thread that begins after another of its name has ended takes
    /// the ended thread's place, so this is the largest number at one time.
    pub threads: usize,
    /// How many samples were taken, of all threads together.
    pub samples: u64,
    /// The tree of zones: each row is followed by its callees, the largest first.
    pub rows: Vec<SampledRow>,
}

/// A zone in the tree of stacks, or the self samples of its parent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SampledRow {
    /// The zone's name; `self` for the parent's samples in none of its callees; at the top
    /// `(outside zones)`.
    pub name: Arc<str>,
    /// The depth of the row: 0 at the top.
    pub depth: usize,
    /// Samples in this stack, and in all stacks that continue it.
    pub samples: u64,
    /// Whether the row holds the self samples of its parent.
    pub is_self: bool,
}

impl SampledProfile {
    /// Returns `samples` as a percentage of all samples; 0 if there are none.
    #[must_use]
    pub fn percent(&self, samples: u64) -> f64 {
        100.0 * samples as f64 / self.samples.max(1) as f64
    }
}
