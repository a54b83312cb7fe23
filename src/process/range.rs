//! The mean of several remembered frames.

use super::core::Process;
use super::history::{Frame, GpuSample, Sample};
use super::spread::Sampled;
use super::values::{Span, ThreadValues, Values, gpu_frame_ms};
use super::view::View;
use crate::timing::Timing;

impl Process {
    /// What the threads that `view` shows did in some remembered frames, per frame and in
    /// milliseconds: frames may have ticks of different length.
    pub(super) fn values_of_frames<'f, I: Iterator<Item = &'f Frame>>(
        &self,
        view: &View,
        frames: impl Fn() -> I,
    ) -> Values<'_> {
        let in_view = self.threads_in_view(view.threads);
        let mut span = Span::default();
        let (mut ms, mut sampler, mut timing) = (0.0, 0.0, Timing::default());
        let shows_gpu = self.shows_gpu(view.threads);
        // What the GPU did is the mean of the frames of which it is known.
        let mut with_gpu = 0;
        for frame in frames() {
            if span.count == 0 {
                span.first = frame.number;
            }
            (span.last, span.count) = (frame.number, span.count + 1);
            ms += frame.ms();
            sampler += frame.sampler_ns as f64 * 1e-6 * self.looked_at(frame, &in_view);
            timing = frame.timing;
            with_gpu += u32::from(self.has_gpu(frame));
        }
        let per_frame = 1.0 / span.count.max(1) as f64;
        let per_frame_with_gpu = 1.0 / f64::from(with_gpu.max(1));
        let threads = in_view.iter().map(|at| {
            let tree = &self.threads[*at].tree;
            let mut sum = Sum::new(ThreadValues::idle(tree.nodes()));
            let weight = if shows_gpu {
                per_frame_with_gpu
            } else {
                per_frame
            };
            for frame in frames() {
                let samples = frame.samples_of(*at as u32);
                sum.add(samples, frame.ms_per_tick * weight, weight);
                sum.add_gpu(
                    frame.gpu_of(*at as u32),
                    frame.ms_per_tick * per_frame_with_gpu,
                );
            }
            let mut values = sum.finish();
            values.net = view.net_times.then(|| values.self_time.clone());
            for frame in frames().filter(|_| !shows_gpu) {
                let cost = self.cost.get().times(frame.ms_per_tick);
                for sample in frame.samples_of(*at as u32).iter().filter(|at| at.node > 0) {
                    let entries = sample.entries as f64 * per_frame;
                    let is_timed = sample.error <= 0.0;
                    values.charge_node(sample.node as usize, entries, is_timed, cost, tree);
                }
            }
            values
        });
        let threads: Vec<_> = threads.collect();
        Values {
            ms: 1.0,
            frame_ms: match shows_gpu {
                true => gpu_frame_ms(&threads, 1.0),
                false => ms * per_frame,
            },
            threads,
            frames: Some(span),
            timing: match shows_gpu {
                true => Timing::Exact,
                false => timing,
            },
            whole: false,
            fades: false,
            sampler: sampler * per_frame,
        }
    }
}

/// A thread's frames added up.
struct Sum<'a> {
    values: ThreadValues<'a>,
    /// By node: its standard errors added up, and whether it ever ran on another one's clock. As
    /// long as nothing was sampled there are none.
    errors: Vec<f64>,
    is_member: Vec<bool>,
}

impl<'a> Sum<'a> {
    fn new(values: ThreadValues<'a>) -> Sum<'a> {
        Sum {
            values,
            errors: Vec::new(),
            is_member: Vec::new(),
        }
    }

    /// Adds a frame with its weights: by what to multiply ticks, and entries.
    fn add(&mut self, samples: &[Sample], ms_per_tick: f64, weight: f64) {
        for sample in samples {
            let node = sample.node as usize;
            self.values.self_time[node] += sample.ticks as f64 * ms_per_tick;
            self.values.entries[node] += sample.entries as f64 * weight;
            if sample.error != 0.0 {
                let nodes = self.values.nodes.len();
                self.errors.resize(nodes, 0.0);
                self.is_member.resize(nodes, false);
                self.errors[node] += f64::from(sample.error.abs()) * ms_per_tick;
                self.is_member[node] |= sample.error > 0.0;
            }
        }
    }

    /// Adds what the GPU did for the thread in a frame.
    fn add_gpu(&mut self, samples: &[GpuSample], ms_per_tick: f64) {
        for sample in samples {
            self.values.gpu.resize(self.values.nodes.len(), 0.0);
            self.values.gpu[sample.node as usize] += sample.ticks as f64 * ms_per_tick;
        }
    }

    /// Nodes that shared a clock in any of the frames are one group: of all of them together the
    /// time is exact.
    fn finish(mut self) -> ThreadValues<'a> {
        if !self.errors.is_empty() {
            let variance = self.errors.iter().map(|error| error * error).collect();
            let mut group: Vec<u32> = (0..self.values.nodes.len() as u32).collect();
            // Parents come before their children.
            for node in 1..group.len() {
                if self.is_member[node] {
                    group[node] = group[self.values.nodes[node].parent as usize];
                }
            }
            self.values.sampled = Some(Sampled::new(variance, group, &self.values.self_time));
        }
        self.values
    }
}
