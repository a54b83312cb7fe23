//! What a view looks at, laid out by node: a remembered frame, a range of them, the newest one, or an
//! average.

use super::core::Process;
use super::history::{Frame, Part, Sample};
use super::spread::Sampled;
use super::tree::{ThreadTree, TreeNode};
use super::view::{Baseline, FrameChoice, View};
use crate::gather::cost::ZoneCost;
use crate::timing::Timing;

/// How many frames before a remembered one, and after it, it is compared with.
const FRAMES_AROUND: usize = 30;

/// Self times and entries of every node of the threads in view.
///
/// Times are multiplied by `ms` once they are summed: of a frame they are whole ticks until then,
/// so that their sums are exact (to 2^53 ticks, a month).
#[derive(Debug)]
pub(crate) struct Values<'a> {
    pub(crate) threads: Vec<ThreadValues<'a>>,
    pub(crate) ms: f64,
    pub(crate) frame_ms: f64,
    /// The remembered frames; none if this is now.
    pub(crate) frames: Option<Span>,
    /// How zones got their times then.
    pub(crate) timing: Timing,
    /// Whether these are counts of one frame, not averages.
    pub(crate) whole: bool,
    /// Whether what is over fades away bit by bit, and never quite.
    pub(crate) fades: bool,
    /// What the sampler took to look at these threads.
    pub(crate) sampler: f64,
}

/// Remembered frames, one or several: the numbers of the first and the last, and how many are
/// remembered of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) count: usize,
}

/// A thread in view.
#[derive(Debug)]
pub(crate) struct ThreadValues<'a> {
    pub(crate) nodes: &'a [TreeNode],
    pub(crate) self_time: Vec<f64>,
    pub(crate) entries: Vec<f64>,
    /// Self times without what recording added to them, if the view shows them.
    pub(crate) net: Option<Vec<f64>>,
    /// Time of the GPU on behalf of each node itself; nothing if none is known.
    pub(crate) gpu: Vec<f64>,
    /// What recording cost.
    pub(crate) cost: f64,
    /// Which times were sampled, if any were.
    pub(crate) sampled: Option<Sampled>,
}

impl<'a> ThreadValues<'a> {
    /// Of a thread that did nothing.
    pub(crate) fn idle(nodes: &'a [TreeNode]) -> ThreadValues<'a> {
        let zeros = vec![0.0; nodes.len()];
        ThreadValues {
            nodes,
            self_time: zeros.clone(),
            entries: zeros,
            net: None,
            gpu: Vec::new(),
            cost: 0.0,
            sampled: None,
        }
    }

    /// Finds what recording cost, by what a zone costs in the unit of the times, and takes it out
    /// of net times if `net`.
    fn charge(&mut self, cost: ZoneCost, tree: &ThreadTree, net: bool) {
        self.net = net.then(|| self.self_time.clone());
        for index in 1..self.nodes.len() {
            let sampled = self.sampled.as_ref();
            let is_timed = sampled.is_none_or(|sampled| sampled.group[index] == index as u32);
            self.charge_node(index, self.entries[index], is_timed, cost, tree);
        }
    }

    /// Charges a node, which is not the root, for so many entries.
    ///
    /// A zone that reads the clock is charged for what it measures of that itself; the rest is its
    /// caller's, as is all of the cost of one that only counts.
    pub(crate) fn charge_node(
        &mut self,
        index: usize,
        entries: f64,
        is_timed: bool,
        cost: ZoneCost,
        tree: &ThreadTree,
    ) {
        if entries == 0.0 || tree.is_counter(index as u32) {
            return;
        }
        let (inside, all) = if is_timed {
            (cost.inside, cost.timed)
        } else {
            (0.0, cost.counted)
        };
        self.cost += entries * all;
        if let Some(times) = &mut self.net {
            times[index] -= entries * inside;
            times[self.nodes[index].parent as usize] -= entries * (all - inside);
        }
    }
}

impl Process {
    /// The values that `view` looks at.
    pub(super) fn values(&self, view: &View) -> Values<'_> {
        let empty = |at: usize| ThreadValues::idle(self.threads[at].tree.nodes());
        let (frame, remembered) = match view.frame {
            FrameChoice::Number(number) => (self.history.nearest(number), true),
            FrameChoice::Range(from, to) => {
                let (first, last) = (from.min(to), from.max(to));
                if self.history.between(first, last).nth(1).is_some() {
                    return self.values_of_frames(view, || self.history.between(first, last));
                }
                // A range of one frame is that frame, and of none the nearest.
                let one = self.history.between(first, last).next();
                (one.or_else(|| self.history.nearest(last)), true)
            }
            FrameChoice::Now => (self.history.newest(), false),
        };
        // What the GPU did in the newest frame is not known yet.
        let gpu_frame = match remembered {
            true => frame,
            false => self.newest_with_gpu(),
        };
        let shows_gpu = self.shows_gpu(view.threads);
        let frame = if shows_gpu { gpu_frame } else { frame };
        let in_view = self.threads_in_view(view.threads);
        let looked_at = frame.map_or(0.0, |frame| self.looked_at(frame, &in_view));
        let is_average = !remembered && view.average > 0;
        // The average of one frame is that frame; averages that know it by its stretches have others.
        if !is_average || self.kept_frames < 2 {
            let mut threads = Vec::new();
            for at in in_view {
                let mut values = empty(at);
                let samples = frame.map_or(&[][..], |frame| frame.samples_of(at as u32));
                for sample in samples {
                    values.self_time[sample.node as usize] = sample.ticks as f64;
                    values.entries[sample.node as usize] = sample.entries as f64;
                }
                values.sampled = sampled(&values, samples);
                if shows_gpu {
                    values.charge(ZoneCost::default(), &self.threads[at].tree, view.net_times);
                } else {
                    values.charge(self.cost.get(), &self.threads[at].tree, view.net_times);
                    values.gpu = gpu_times(frame, gpu_frame, at as u32, values.nodes.len());
                }
                threads.push(values);
            }
            return Values {
                ms: frame.map_or(1.0, |frame| frame.ms_per_tick),
                frame_ms: match shows_gpu {
                    true => gpu_frame_ms(&threads, frame.map_or(1.0, |frame| frame.ms_per_tick)),
                    false => frame.map_or(0.0, |frame| frame.ms()),
                },
                threads,
                frames: frame.filter(|_| remembered).map(|frame| Span {
                    first: frame.number,
                    last: frame.number,
                    count: 1,
                }),
                timing: match frame.filter(|_| remembered) {
                    _ if shows_gpu => Timing::Exact,
                    Some(frame) => frame.timing,
                    None => self.timing,
                },
                whole: !is_average,
                fades: is_average,
                sampler: frame.map_or(0.0, Frame::sampler_ticks) * looked_at,
            };
        }
        let slot = view.average - 1;
        let mut threads = Vec::new();
        let clock = self.clock_of(view.threads);
        for at in in_view {
            let mut values = empty(at);
            for (index, averages) in self.threads[at].tree.averages().iter().enumerate() {
                [values.self_time[index], values.entries[index]] = averages.get(clock, slot);
            }
            let tree = &self.threads[at].tree;
            if shows_gpu {
                values.charge(ZoneCost::default(), tree, view.net_times);
                threads.push(values);
                continue;
            }
            let gpu = self.threads[at].gpu.iter();
            values.gpu = gpu.map(|gpu| gpu.get(&self.gpu.clock, slot)[0]).collect();
            if !values.gpu.is_empty() {
                values.gpu.resize(values.nodes.len(), 0.0);
            }
            values.sampled = tree.sampled_averages(&values.self_time, &self.clock, slot);
            let ms_per_tick = self.history.newest().map_or(0.0, |frame| frame.ms_per_tick);
            values.charge(self.cost.get().times(ms_per_tick), tree, view.net_times);
            threads.push(values);
        }
        let [frame_ms] = self.frame_ms.get(&self.clock, slot);
        let [sampler_ms] = self.sampler_ms.get(&self.clock, slot);
        Values {
            ms: 1.0,
            frame_ms: match shows_gpu {
                true => gpu_frame_ms(&threads, 1.0),
                false => frame_ms,
            },
            threads,
            frames: None,
            timing: match shows_gpu {
                true => Timing::Exact,
                false => self.timing,
            },
            whole: false,
            fades: true,
            sampler: sampler_ms * looked_at,
        }
    }
}

/// Times of the GPU on behalf of a thread's nodes in `gpu_frame`, in ticks of `frame`.
fn gpu_times(
    frame: Option<&Frame>,
    gpu_frame: Option<&Frame>,
    thread: u32,
    nodes: usize,
) -> Vec<f64> {
    let (Some(frame), Some(gpu_frame)) = (frame, gpu_frame) else {
        return Vec::new();
    };
    let samples = gpu_frame.gpu_of(thread);
    if samples.is_empty() {
        return Vec::new();
    }
    // The same but for what the counter's rate was corrected by in between.
    let scale = match gpu_frame.number == frame.number || frame.ms_per_tick <= 0.0 {
        true => 1.0,
        false => gpu_frame.ms_per_tick / frame.ms_per_tick,
    };
    let mut times = vec![0.0; nodes];
    for sample in samples {
        times[sample.node as usize] = sample.ticks as f64 * scale;
    }
    times
}

/// The GPU's frame is as long as all that is on its thread, see [`gpu`](super::gpu).
pub(super) fn gpu_frame_ms(threads: &[ThreadValues<'_>], ms: f64) -> f64 {
    let times = threads.iter().flat_map(|thread| &thread.self_time);
    times.sum::<f64>() * ms
}

impl Process {
    /// The values that those of `view` are compared with.
    pub(super) fn baseline(&self, view: &View) -> Option<Values<'_>> {
        let mut of_baseline = view.clone();
        of_baseline.net_times = false;
        match view.baseline {
            Baseline::None => return None,
            Baseline::Frame(number) => of_baseline.frame = FrameChoice::Number(number),
            Baseline::Average => {
                if let Some((first, last)) = view.remembered() {
                    let around = || self.history.around(first, last, FRAMES_AROUND);
                    if around().next().is_some() {
                        return Some(self.values_of_frames(&of_baseline, around));
                    }
                }
                of_baseline.frame = FrameChoice::Now;
                of_baseline.average = view.average.max(1);
            }
        }
        Some(self.values(&of_baseline))
    }

    /// Which part of the threads that a frame holds is in view. The sampler looks at all of them
    /// alike, and not at the GPU.
    pub(super) fn looked_at(&self, frame: &Frame, in_view: &[usize]) -> f64 {
        let is_in_view = |part: &&Part| in_view.binary_search(&(part.thread as usize)).is_ok();
        let threads = || frame.parts.iter().filter(|part| !self.gpu.is(part.thread));
        threads().filter(is_in_view).count() as f64 / threads().count().max(1) as f64
    }
}

/// What the signs and sizes of the samples' errors say about groups.
fn sampled(values: &ThreadValues<'_>, samples: &[Sample]) -> Option<Sampled> {
    if samples.iter().all(|sample| sample.error == 0.0) {
        return None;
    }
    let mut variance = vec![0.0; values.nodes.len()];
    let mut group: Vec<u32> = (0..values.nodes.len() as u32).collect();
    // Parents come before their children.
    for sample in samples.iter().filter(|sample| sample.error != 0.0) {
        let node = sample.node as usize;
        variance[node] = f64::from(sample.error) * f64::from(sample.error);
        if sample.error > 0.0 {
            group[node] = group[values.nodes[node].parent as usize];
        }
    }
    Some(Sampled::new(variance, group, &values.self_time))
}
