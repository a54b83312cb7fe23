//! Computes each node's mean values over several remembered frames.

use crate::query::named_values;
use crate::query::values::{Detail, NodeValues, Span, ThreadValues, share_in_view};
use crate::report::ColumnId;
use crate::view::View;
use iprof_process::Profiler;
use iprof_process::frame::{Frame, GpuDelta};
use iprof_process::untimed_nodes::{NodeDelta, NodeVariances};

impl<'a> NodeValues<'a> {
    /// Returns the mean values of several remembered frames for the threads in view. They are in milliseconds, because
    /// ticks may have different lengths in different frames.
    pub fn of_frames<'f, I: Iterator<Item = &'f Frame>>(
        profiler: &'a Profiler,
        view: &View,
        detail: Detail,
        frames: impl Fn() -> I,
    ) -> NodeValues<'a> {
        let in_view = profiler.threads_in_view(view.threads());
        let mut span = Span::default();
        let (mut ms, mut sampler, mut timing) = (0.0, 0.0, profiler.timing());
        let shows_gpu = profiler.shows_gpu(view.threads());
        let shown_value = named_values::shown(profiler, view);
        // GPU times are averaged over the frames that have GPU times.
        let mut with_gpu = 0;
        for frame in frames() {
            if span.count == 0 {
                span.first = frame.number;
            }
            (span.last, span.count) = (frame.number, span.count + 1);
            ms += frame.ms();
            sampler += frame.sampler_ns as f64 * 1e-6 * share_in_view(profiler, frame, &in_view);
            timing = frame.timing;
            with_gpu += u32::from(profiler.has_gpu(frame));
        }
        let per_frame = 1.0 / span.count.max(1) as f64;
        let per_frame_with_gpu = 1.0 / f64::from(with_gpu.max(1));
        let threads = in_view.iter().map(|at| {
            let tree = profiler.threads()[*at].tree();
            let mut sum = Sum {
                values: ThreadValues::empty(profiler, *at),
                errors: Vec::new(),
                is_member: Vec::new(),
            };
            let weight = if shows_gpu {
                per_frame_with_gpu
            } else {
                per_frame
            };
            for frame in frames() {
                let deltas = frame.deltas_of(*at as u32);
                sum.add(deltas, frame.ms_per_tick * weight, weight);
                if detail == Detail::All {
                    sum.add_gpu(
                        frame.gpu_of(*at as u32),
                        frame.ms_per_tick * per_frame_with_gpu,
                    );
                }
            }
            let mut values = sum.finish();
            values.take_values(shown_value);
            if detail == Detail::Times {
                return values;
            }
            values.net = view
                .column(ColumnId::NetTime)
                .then(|| values.self_time.clone());
            for frame in frames().filter(|_| !shows_gpu) {
                let cost = profiler.zone_cost().times(frame.ms_per_tick);
                for delta in frame.deltas_of(*at as u32).iter().filter(|at| at.node > 0) {
                    let entries = delta.count() * per_frame;
                    let is_timed = delta.error <= 0.0;
                    values.charge_node(delta.node as usize, entries, is_timed, cost, tree);
                }
            }
            values
        });
        let threads = threads.collect();
        let values = NodeValues {
            ms: 1.0,
            frame_ms: ms * per_frame,
            threads,
            frames: Some(span),
            timing,
            whole: false,
            fades: false,
            sampler: sampler * per_frame,
        };
        values.with_gpu_frame_time(shows_gpu)
    }
}

/// A thread's sums over all frames.
struct Sum<'a> {
    values: ThreadValues<'a>,
    /// The sum of each node's standard errors. Empty unless something was sampled.
    errors: Vec<f64>,
    /// Whether each node was untimed in any of the frames. Empty unless something was sampled.
    is_member: Vec<bool>,
}

impl<'a> Sum<'a> {
    /// Adds a frame: multiplies ticks by `ms_per_tick`, and entries by `weight`.
    fn add(&mut self, deltas: &[NodeDelta], ms_per_tick: f64, weight: f64) {
        for delta in deltas {
            let node = delta.node as usize;
            self.values.self_time[node] += delta.ticks as f64 * ms_per_tick;
            self.values.entries[node] += delta.count() * weight;
            if delta.error != 0.0 {
                let nodes = self.values.nodes.len();
                self.errors.resize(nodes, 0.0);
                self.is_member.resize(nodes, false);
                self.errors[node] += f64::from(delta.error.abs()) * ms_per_tick;
                self.is_member[node] |= delta.error > 0.0;
            }
        }
    }

    fn add_gpu(&mut self, deltas: &[GpuDelta], ms_per_tick: f64) {
        for delta in deltas {
            self.values.gpu.resize(self.values.nodes.len(), 0.0);
            self.values.gpu[delta.node as usize] += delta.ticks as f64 * ms_per_tick;
        }
    }

    /// Merges nodes that shared a clock in any of the frames into one timer group, whose total time is exact.
    fn finish(mut self) -> ThreadValues<'a> {
        let parent = |node: usize| self.values.nodes[node].parent as usize;
        let errors = self.errors.iter().zip(&self.is_member);
        let errors = errors.map(|(error, is_member)| if *is_member { *error } else { -*error });
        self.values.sampled =
            NodeVariances::of_errors(&self.values.self_time, parent, errors.enumerate());
        self.values
    }
}
