//! The sampler's hits since the last frame, on all threads, until the frame ends and each goes to its thread's tree; and
//! what sampling took.

use crate::profiler::Profiler;
use iprof_gather::sample::{SampleCost, SampleCounts};

/// See the module's comment.
#[derive(Debug, Default)]
pub(crate) struct SampledHits {
    /// Thread, node, how often.
    list: Vec<(u32, u32, u32)>,
    /// Memory that is reused to fetch hits.
    fetched: SampleCounts,
    /// The sampler's processor time since the last frame.
    sampler_ns: u64,
    /// The measured cost of a sample.
    cost: SampleCost,
}

#[doc(hidden)]
impl Profiler {
    /// Adds the sampler's hits since the last call, which `take` puts into empty counts. Threads
    /// are given by their index in the records.
    pub fn take_hits(&mut self, take: impl FnOnce(&mut SampleCounts)) {
        self.hits.fetch(take);
    }
}

impl SampledHits {
    fn fetch(&mut self, take: impl FnOnce(&mut SampleCounts)) {
        take(&mut self.fetched);
        self.list.extend(self.fetched.hits());
        self.sampler_ns += self.fetched.spent_ns;
        self.cost.observe(&self.fetched);
        self.fetched.clear();
    }

    /// Merges hits of the same node, so that hits take no more memory than there are nodes, however
    /// long the frame is.
    pub(crate) fn merge(&mut self) {
        self.list
            .sort_unstable_by_key(|(thread, node, _)| (*thread, *node));
        self.list.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            if is_same {
                kept.2 = kept.2.saturating_add(next.2);
            }
            is_same
        });
    }

    /// The hits of a thread: node, how often.
    pub(crate) fn of_thread(&self, thread: u32) -> impl Iterator<Item = (u32, u32)> {
        let hits = self.list.iter().filter(move |(of, ..)| *of == thread);
        hits.map(|(_, node, count)| (*node, *count))
    }

    /// Removes all hits: thread, node, how often.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.list.drain(..)
    }

    /// The sampler's processor time since the last call, in nanoseconds.
    pub(crate) fn take_sampler_ns(&mut self) -> u64 {
        std::mem::take(&mut self.sampler_ns)
    }

    /// The processor time of a sample, in nanoseconds.
    pub(crate) fn ns_per_sample(&self) -> f64 {
        self.cost.ns()
    }
}
