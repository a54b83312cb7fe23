//! What a sampling profiler found: plain data.

use std::sync::Arc;

/// What [`start_profiling`](crate::start_profiling) has found when
/// [`finish_profiling`](crate::finish_profiling) ends it: which part of all samples was in which
/// stack of zones, on all threads together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampledProfile {
    /// How many threads were looked at. One that begins where another of its name has ended goes on
    /// in its place, so that is how many there were at once.
    pub threads: usize,
    /// How many samples were taken, of all threads together.
    pub samples: u64,
    /// The tree of zones: below each row what it calls, the largest first.
    pub rows: Vec<SampledRow>,
}

/// A zone on a stack of others, or what is in none.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledRow {
    /// The zone's name; `other` for what is in no row beside this one, and at the top `other
    /// (outside of any label)`.
    pub name: Arc<str>,
    /// How many rows it lies below: 0 at the top.
    pub depth: usize,
    /// Samples of this stack and of all that goes on from it.
    pub samples: u64,
    /// Whether it is a row for the rest.
    pub is_other: bool,
}

impl SampledProfile {
    /// So many samples as a percentage of all; 0 if there are none.
    pub fn percent(&self, samples: u64) -> f64 {
        100.0 * samples as f64 / self.samples.max(1) as f64
    }
}
