//! The frame that goes on until `update` is called for the first time, taken in by stretches.
//!
//! A budget has to be kept in it, too, however long it is, and which nodes read the clock is decided
//! by what they did in a time that has passed. So the frame is taken in [stretch](Process::end_stretch)
//! by stretch. To the budget, and to all that is learned of sampled times, a stretch is what a frame
//! is; in history there is one frame, with the sums of all stretches, and averages begin anew with it.

use super::core::{Process, Thread};
use super::history::{Frame, Part, Sample};
use super::totals::Known;
use crate::clock::{Pair, Ticks};
use crate::gather::ThreadRecord;

/// What was taken in so far.
#[derive(Debug)]
pub(super) struct FirstFrame {
    begin_ns: u64,
    ticks: Ticks,
    ms: f64,
    sampler_ns: u64,
    threads: Vec<ThreadSums>,
    /// By thread: what had been kept before.
    before: Vec<Known>,
}

/// What a thread did.
#[derive(Debug, Default)]
struct ThreadSums {
    /// By node, if it did anything. Of errors, only the signs count.
    nodes: Vec<Option<Sample>>,
}

impl FirstFrame {
    /// Adds a stretch.
    fn add(&mut self, stretch: &Frame) {
        self.ticks = self.ticks.wrapping_add(stretch.ticks);
        self.ms += stretch.ms();
        self.sampler_ns += stretch.sampler_ns;
        for part in &stretch.parts {
            let thread = part.thread as usize;
            if self.threads.len() <= thread {
                self.threads.resize_with(thread + 1, ThreadSums::default);
            }
            self.threads[thread].add(&stretch.samples[part.start as usize..part.end as usize]);
        }
    }

    /// Makes `frame` the whole.
    fn write_to(self, frame: &mut Frame, threads: &[Thread]) {
        frame.begin_ns = self.begin_ns;
        frame.ticks = self.ticks;
        if self.ticks > 0 {
            frame.ms_per_tick = self.ms / self.ticks as f64;
        }
        frame.sampler_ns = self.sampler_ns;
        frame.parts.clear();
        frame.samples.clear();
        let mut before = self.before.into_iter();
        for ((id, sums), thread) in (0..).zip(self.threads).zip(threads) {
            let before = before.next().unwrap_or_default();
            let start = frame.samples.len() as u32;
            for mut sample in sums.nodes.into_iter().flatten() {
                if sample.error != 0.0 {
                    // Stretches err together, by what one has learned from another: so their errors are
                    // not of use, but all samples together are.
                    let error = thread.tree.error_since(&before, sample.node) as f32;
                    sample.error = error.copysign(sample.error);
                }
                frame.samples.push(sample);
            }
            let end = frame.samples.len() as u32;
            if end > start {
                frame.parts.push(Part {
                    thread: id,
                    start,
                    end,
                });
            }
        }
    }
}

impl ThreadSums {
    fn add(&mut self, samples: &[Sample]) {
        for sample in samples {
            let node = sample.node as usize;
            if self.nodes.len() <= node {
                self.nodes.resize(node + 1, None);
            }
            match &mut self.nodes[node] {
                Some(sum) => {
                    sum.ticks = sum.ticks.wrapping_add(sample.ticks);
                    sum.entries += sample.entries;
                    // Whoever ran on another's clock once is a member of its group.
                    let is_member = sum.error > 0.0 || sample.error > 0.0;
                    sum.error = match is_member {
                        true => sum.error.max(sample.error),
                        false => sum.error.min(sample.error),
                    };
                }
                none => *none = Some(*sample),
            }
        }
    }
}

impl Process {
    /// Of a program that does not call `update`: takes in what it did since the last stretch, up to
    /// `now`. Returns whether nodes were ordered to read the clock, or not to. `records` is as for
    /// [`update`](Self::update).
    pub(crate) fn end_stretch(&mut self, records: &[&'static ThreadRecord], now: Pair) -> bool {
        if self.first_frame.is_none() {
            let threads = self.threads.iter();
            self.first_frame = Some(FirstFrame {
                begin_ns: self.boundary.ns,
                ticks: 0,
                ms: 0.0,
                sampler_ns: 0,
                threads: Vec::new(),
                before: threads.map(|thread| thread.tree.known_totals()).collect(),
            });
        }
        let mut stretch = self.end_frame(records, now, true);
        self.take_in(&mut stretch);
        let has_orders = self.keep_budget(&stretch);
        if let Some(first) = &mut self.first_frame {
            first.add(&stretch);
        }
        self.spare = stretch;
        has_orders
    }

    /// The first frame as a whole, if it was taken in by stretches, of which `frame` is the last; any
    /// other frame as it is.
    pub(super) fn complete_first_frame(&mut self, mut frame: Frame) -> Frame {
        if let Some(mut first) = self.first_frame.take() {
            first.add(&frame);
            first.write_to(&mut frame, &self.threads);
            self.clock.end_first_frame();
        }
        frame
    }

    /// The first frame is not kept.
    pub(super) fn throw_first_frame_away(&mut self) {
        let Some(first) = self.first_frame.take() else {
            return;
        };
        self.kept_ticks = self.kept_ticks.wrapping_sub(first.ticks);
        let mut before = first.before.into_iter();
        for thread in &mut self.threads {
            thread.tree.go_back_to(before.next().unwrap_or_default());
        }
        self.clock.forget();
    }

    /// What was taken in of the first frame is kept, but not as a part of it.
    pub(super) fn forget_first_frame(&mut self) {
        if self.first_frame.take().is_some() {
            self.clock.forget();
        }
    }
}
