//! Computes the values that a view shows, by node, including recording cost and net times.

use crate::query::named_values;
use crate::report::ColumnId;
use crate::view::View;
use iprof_gather::cost::ZoneCost;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::Timing;
use iprof_process::frame::{Frame, ThreadDeltas};
use iprof_process::thread::NodeList;
use iprof_process::thread_tree::{ThreadTree, TreeNode};
use iprof_process::untimed_nodes::{NodeDelta, NodeVariances, TimedNodes};

/// The self times and entries of all nodes of the threads in view.
///
/// Times are multiplied by `ms` after summation. For a single frame, they are whole ticks until then, so their sums are
/// exact up to 2^53 ticks, which is a month.
#[derive(Debug)]
pub struct NodeValues<'a> {
    pub threads: Vec<ThreadValues<'a>>,
    pub ms: f64,
    pub frame_ms: f64,
    /// The remembered frames; `None` for the newest frame or an average.
    pub frames: Option<Span>,
    pub timing: Timing,
    /// Whether entry counts are whole numbers because the values come from a single frame.
    pub whole: bool,
    /// Whether these are averages, which fade after a zone has ended but never reach zero.
    pub fades: bool,
    /// The sampler's time attributed to the threads in view.
    pub sampler: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Only self times and entries.
    Times,
    /// All of [`ThreadValues`].
    All,
}

/// A range of remembered frames, and how many of its frames are still remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub first: u64,
    pub last: u64,
    pub count: usize,
}

#[derive(Debug)]
pub struct ThreadValues<'a> {
    /// The index among all threads.
    pub at: usize,
    pub nodes: &'a [TreeNode],
    /// Whether the root's self time is idle.
    pub is_idle_outside: bool,
    pub self_time: NodeList<'a>,
    pub entries: NodeList<'a>,
    /// Self times without the recording overhead, if the view shows them.
    pub net: Option<NodeList<'a>>,
    /// The GPU time submitted by each node itself; empty if there is none.
    pub gpu: Vec<f64>,
    /// The steps added to the shown named value at each node; empty if nothing was added.
    pub named: Vec<f64>,
    /// The nodes of named values, which have no rows.
    pub value_nodes: &'a [(u32, u32)],
    /// The recording overhead.
    pub cost: f64,
    /// The variances of sampled times, if any were sampled.
    pub sampled: Option<NodeVariances>,
}

impl<'a> ThreadValues<'a> {
    pub fn empty(profiler: &'a Profiler, thread: usize) -> ThreadValues<'a> {
        let nodes = profiler.threads()[thread].tree().nodes();
        let zeros = || profiler.threads()[thread].list_pool().zeros(nodes.len());
        ThreadValues {
            at: thread,
            nodes,
            is_idle_outside: profiler.is_idle_outside_zones(thread),
            self_time: zeros(),
            entries: zeros(),
            net: None,
            gpu: Vec::new(),
            named: Vec::new(),
            value_nodes: profiler.threads()[thread].tree().value_nodes(),
            cost: 0.0,
            sampled: None,
        }
    }

    /// Moves the sums of named values out of the counts. Sums of `shown` go to the nodes at which they were added.
    pub fn take_values(&mut self, shown: Option<u32>) {
        for (node, zone) in self.value_nodes {
            let node = *node as usize;
            let sum = std::mem::take(&mut self.entries[node]);
            if sum != 0.0 && Some(*zone) == shown {
                self.named.resize(self.nodes.len(), 0.0);
                self.named[self.nodes[node].parent as usize] += sum;
            }
        }
    }

    pub fn is_value(&self, node: usize) -> bool {
        let find = |node| self.value_nodes.binary_search_by_key(&node, |at| at.0);
        !self.value_nodes.is_empty() && find(node as u32).is_ok()
    }

    /// Computes the recording overhead, and with `net` also the net times. `cost` is in the unit of the times.
    fn charge(&mut self, cost: ZoneCost, tree: &ThreadTree, net: bool) {
        self.net = net.then(|| self.self_time.clone());
        for index in 1..self.nodes.len() {
            let sampled = self.sampled.as_ref();
            let is_timed = sampled.is_none_or(|sampled| sampled.is_timed(index));
            self.charge_node(index, self.entries[index], is_timed, cost, tree);
        }
    }

    /// Adds the overhead of entering a node other than the root `entries` times.
    ///
    /// A timed node's self time contains the portion of its overhead between its two clock reads, and its caller's self
    /// time contains the rest. An untimed node's overhead is entirely in its caller's self time.
    pub fn charge_node(
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

impl<'a> NodeValues<'a> {
    pub fn of_view(profiler: &'a Profiler, view: &View, detail: Detail) -> NodeValues<'a> {
        let (frame, remembered) = match &view.frame {
            Frames::Live => (profiler.history().newest(), false),
            Frames::Number(number) => (profiler.history().nearest(*number), true),
            frames if frames.is_session() => {
                return NodeValues::of_session(profiler, view, frames, detail);
            }
            Frames::Range {
                first: from,
                last: to,
            } => {
                let (first, last) = (*from.min(to), *from.max(to));
                if profiler.history().between(first, last).nth(1).is_some() {
                    return NodeValues::of_frames(profiler, view, detail, || {
                        profiler.history().between(first, last)
                    });
                }
                // A range with only one remembered frame shows that frame's values. An empty range shows the frame
                // nearest to it.
                let one = profiler.history().between(first, last).next();
                (one.or_else(|| profiler.history().nearest(last)), true)
            }
            set => {
                let members = profiler.history().members(set);
                return NodeValues::of_frames(profiler, view, detail, || members.iter().copied());
            }
        };
        // The GPU times of the newest frame have not arrived yet.
        let gpu_frame = match remembered {
            true => frame,
            false => profiler.newest_with_gpu(),
        };
        let shows_gpu = profiler.shows_gpu(view.threads());
        let frame = if shows_gpu { gpu_frame } else { frame };
        let in_view = profiler.threads_in_view(view.threads());
        let shown_value = named_values::shown(profiler, view);
        let share_in_view = frame.map_or(0.0, |frame| share_in_view(profiler, frame, &in_view));
        let slot = view.average.slot().filter(|_| !remembered);
        let is_average = slot.is_some();
        // The average over a single frame consists of that frame's own values.
        let slot = slot.filter(|_| profiler.since_reset().frames > 1);
        let clock = profiler.clock_of(view.threads());
        let newest = profiler.history().newest();
        let cost = match slot {
            _ if shows_gpu => ZoneCost::default(),
            Some(_) => {
                let ms_per_tick = newest.map_or(0.0, |frame| frame.ms_per_tick);
                profiler.zone_cost().times(ms_per_tick)
            }
            None => profiler.zone_cost(),
        };
        let threads = in_view.into_iter().map(|at| {
            let tree = profiler.threads()[at].tree();
            let mut values = ThreadValues::empty(profiler, at);
            let deltas = frame.map_or(&[][..], |frame| frame.deltas_of(at as u32));
            if let Some(slot) = slot {
                let lists = values.self_time.iter_mut().zip(&mut *values.entries);
                for (averages, (time, entries)) in tree.averages().iter().zip(lists) {
                    [*time, *entries] = averages.get(clock, slot);
                }
            } else {
                for delta in deltas {
                    values.self_time[delta.node as usize] = delta.ticks as f64;
                    values.entries[delta.node as usize] = delta.count();
                }
            }
            values.take_values(shown_value);
            if detail == Detail::Times {
                return values;
            }
            match slot {
                // The GPU's own times are exact, and the GPU's thread submits nothing.
                _ if shows_gpu => {}
                Some(slot) => {
                    values.gpu = profiler.average_gpu_ms(at, slot);
                    if !values.gpu.is_empty() {
                        values.gpu.resize(values.nodes.len(), 0.0);
                    }
                    let clock = profiler.average_clock();
                    values.sampled = tree.sampled_averages(&values.self_time, clock, slot);
                }
                None => {
                    values.gpu = gpu_times(frame, gpu_frame, at as u32, values.nodes.len());
                    values.sampled = sampled(&values, deltas);
                }
            }
            values.charge(cost, tree, view.column(ColumnId::NetTime));
            values
        });
        let threads = threads.collect();
        let (ms, frame_ms, sampler) = match (slot, frame) {
            (Some(slot), _) => {
                let frame_ms = profiler.average_frame_ms(slot);
                (1.0, frame_ms, profiler.average_sampler_ms(slot))
            }
            (None, Some(frame)) => (frame.ms_per_tick, frame.ms(), frame.sampler_ticks()),
            (None, None) => (1.0, 0.0, 0.0),
        };
        let remembered = frame.filter(|_| remembered);
        let values = NodeValues {
            ms,
            frame_ms,
            threads,
            frames: remembered.map(|frame| Span {
                first: frame.number,
                last: frame.number,
                count: 1,
            }),
            timing: remembered.map_or(profiler.timing(), |frame| frame.timing),
            whole: !is_average,
            fades: is_average,
            sampler: sampler * share_in_view,
        };
        values.with_gpu_frame_time(shows_gpu)
    }

    /// If [the GPU](iprof_process::gpu) is shown, adjusts the values for it. The GPU's frame time is the sum of all
    /// times on its thread, and all of its times are exact.
    pub fn with_gpu_frame_time(self, shows_gpu: bool) -> NodeValues<'a> {
        match shows_gpu {
            true => NodeValues {
                frame_ms: self.threads_ms(),
                timing: Timing::Exact,
                ..self
            },
            false => self,
        }
    }

    /// Returns the sum of all self times on the threads in view, in milliseconds.
    pub fn threads_ms(&self) -> f64 {
        let times = self.threads.iter().flat_map(|thread| &*thread.self_time);
        times.sum::<f64>() * self.ms
    }

    pub fn busy_threads(&self) -> usize {
        let is_busy = |thread: &&ThreadValues<'_>| thread.self_time.iter().any(|time| *time > 0.0);
        self.threads.iter().filter(is_busy).count()
    }
}

/// Returns a thread's GPU times in `gpu_frame`, in ticks of `frame`.
fn gpu_times(
    frame: Option<&Frame>,
    gpu_frame: Option<&Frame>,
    thread: u32,
    nodes: usize,
) -> Vec<f64> {
    let (Some(frame), Some(gpu_frame)) = (frame, gpu_frame) else {
        return Vec::new();
    };
    let deltas = gpu_frame.gpu_of(thread);
    if deltas.is_empty() {
        return Vec::new();
    }
    // The scale is 1 unless the clock rate was corrected between the two frames.
    let scale = match gpu_frame.number == frame.number || frame.ms_per_tick <= 0.0 {
        true => 1.0,
        false => gpu_frame.ms_per_tick / frame.ms_per_tick,
    };
    let mut times = vec![0.0; nodes];
    for delta in deltas {
        times[delta.node as usize] = delta.ticks as f64 * scale;
    }
    times
}

/// Returns the fraction of a frame's threads that is in view. The sampler samples all threads equally except the GPU's,
/// so this is also their fraction of the sampler's time.
pub fn share_in_view(profiler: &Profiler, frame: &Frame, in_view: &[usize]) -> f64 {
    let is_in_view = |part: &&ThreadDeltas| in_view.binary_search(&(part.thread as usize)).is_ok();
    let is_sampled = |part: &&ThreadDeltas| !profiler.is_gpu(part.thread);
    let threads = || frame.threads.iter().filter(is_sampled);
    threads().filter(is_in_view).count() as f64 / threads().count().max(1) as f64
}

/// Returns the variances of a frame's times, or `None` if the frame was not sampled.
fn sampled(values: &ThreadValues<'_>, deltas: &[NodeDelta]) -> Option<NodeVariances> {
    let parent = |node: usize| values.nodes[node].parent as usize;
    let errors = deltas.iter();
    let errors = errors.map(|delta| (delta.node as usize, f64::from(delta.error)));
    NodeVariances::of_errors(&values.self_time, parent, errors)
}
