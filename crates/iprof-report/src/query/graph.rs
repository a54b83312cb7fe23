//! Builds the frame graph from history, with one bar per remembered frame that shows the self times of its zones.
//! `bucket_bars.rs` builds the bars for the session's buckets.

use crate::graph::{Bar, Graph, GraphMark, GraphSet, GraphZone, Segment};
use crate::query::bucket_bars::BucketBars;
use crate::query::{named_values, session_values};
use crate::view::{View, is_call_graph};
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::frame::Frame;
use iprof_process::gpu::MAX_WAITING;
use iprof_process::history::History;
use iprof_process::indices::GLOBAL;
use iprof_process::session::BANDS;
use iprof_process::session::parts::Bucket;
use iprof_process::text_parts::push_moment;
use iprof_process::thread_tree::TreeNode;
use iprof_process::{ThreadId, Threads};
use std::collections::VecDeque;
use std::fmt::Write;
use std::time::Duration;

/// A graph's state between updates, and buffers for reuse.
#[derive(Debug, Default)]
pub struct GraphWork {
    thread: Option<u32>,
    /// The named value drawn as a line, and the threads that it is summed over.
    value: Option<(u32, Threads)>,
    spare: Vec<Bar>,
    /// The number of segments to reserve for a bar: the maximum number of deltas in a frame, so that reused bars never
    /// grow.
    segments: usize,
    /// The time of each zone; all zeros except while a bar is being filled.
    by_zone: Vec<u64>,
    /// The [`Indices::renamed`](iprof_process::indices::Indices::renamed) counter when the zone names were last copied.
    renamed: u64,
    longest: Option<Longest>,
    /// The set that the graph shows.
    set: Option<Frames>,
    /// A buffer for frame lengths, used to find the members of `set`.
    times: Vec<f64>,
    /// The part of the session that the graph shows, and the band limits in its name.
    part: Option<(Frames, [Duration; BANDS - 1])>,
    /// Whether bars are session buckets.
    shows_session: bool,
    /// The bars that are currently not shown: frame bars while `shows_session` is set, otherwise bucket bars.
    others: VecDeque<Bar>,
    buckets: BucketBars,
}

/// The longest frame among those up to `up_to`.
#[derive(Clone, Copy, Debug)]
struct Longest {
    number: u64,
    ms: f64,
    up_to: u64,
}

impl GraphWork {
    /// Updates `graph` to show what `view` selects from history or the session. Existing bars are kept if they still
    /// show the same thread.
    pub fn update(
        &mut self,
        profiler: &Profiler,
        view: &View,
        shows_session: bool,
        graph: &mut Graph,
    ) {
        let (history, indices) = (profiler.history(), profiler.indices());
        let thread = match view.threads() {
            // With all threads in view, the bars show the thread that calls `update`. Each bar then represents a frame.
            Threads::All | Threads::Frame => profiler.frame_thread(),
            Threads::One(thread) | Threads::Group(thread) => thread.0,
        };
        let value = named_values::shown(profiler, view);
        let value_of = value.map(|value| (value, view.threads()));
        if self.thread.replace(thread) != Some(thread) || self.value != value_of {
            self.forget_bars(graph);
            self.value = value_of;
            graph.value = value.map(|value| named_values::info(profiler, value));
        }
        write_title(
            profiler,
            view.threads(),
            thread,
            shows_session,
            &mut graph.title,
        );
        graph.capacity = history.capacity();
        (graph.cursor, graph.range) = match view.frames() {
            Frames::Number(number) => (Some(number), None),
            Frames::Range { first, last } => (None, Some((first, last))),
            _ => (None, None),
        };
        self.fill_set(history, view, graph);
        self.fill_part(profiler, view, shows_session, graph);
        graph.budget_ms = profiler.frame_budget().as_secs_f32() * 1e3;
        let budgets = profiler.zone_budgets();
        let of_frames = budgets.frame_budget_misses();
        graph.missed = (of_frames.misses, of_frames.frames);
        let selected = is_call_graph(view.report_mode).then_some(view.selected().zone);
        graph.zone_budget = selected.and_then(|zone| {
            let ms = budgets.zone_budget(zone)?.limit.as_secs_f32() * 1e3;
            Some((indices.distinct_name(zone).clone(), ms))
        });
        graph.last_of_start_up = history.last_of_start_up();
        graph.longest = self.longest(history, graph.last_of_start_up);
        let marks = history.marks();
        if !graph
            .marks
            .iter()
            .map(|mark| mark.frame)
            .eq(marks.iter().map(|mark| mark.frame))
        {
            graph.marks.clear();
            graph.marks.extend(marks.iter().map(|mark| GraphMark {
                frame: mark.frame,
                name: mark.name.clone(),
            }));
        }
        if self.renamed != indices.renamed() {
            self.renamed = indices.renamed();
            graph.zones.clear();
        }
        let is_idle = |zone: u32| match zone {
            GLOBAL => profiler.is_idle_outside_zones(thread as usize),
            zone => indices.is_idle(zone),
        };
        let mut was_idle = graph.zones.iter().map(|zone| zone.is_idle).zip(0..);
        if was_idle.any(|(was_idle, zone)| was_idle != is_idle(zone)) {
            // Rebuild all bars, because idle zones come last in each bar.
            graph.zones.clear();
            self.forget_bars(graph);
        }
        for zone in graph.zones.len() as u32..indices.zone_count() as u32 {
            graph.zones.push(GraphZone {
                name: indices.distinct_name(zone).clone(),
                is_idle: is_idle(zone),
            });
        }
        self.by_zone.resize(indices.zone_count(), 0);
        if self.shows_session != shows_session {
            self.shows_session = shows_session;
            std::mem::swap(&mut self.others, &mut graph.bars);
            graph.buckets.clear();
            self.buckets.forget();
        }
        if shows_session {
            let by_zone = &mut self.by_zone;
            self.buckets.update(profiler, view, thread, by_zone, graph);
            return;
        }

        // Except for kept frames, history forgets the oldest frames first, so only bars older than the ring have to be
        // checked.
        let is_remembered = |bar: &Bar| history.find(bar.frame).is_some();
        let oldest = history.oldest_in_ring().unwrap_or(u64::MAX);
        let old = graph
            .bars
            .iter()
            .take_while(|bar| bar.frame < oldest)
            .count();
        let spare = &mut self.spare;
        for at in (0..old).rev() {
            if !is_remembered(&graph.bars[at]) {
                spare.extend(graph.bars.remove(at));
            }
        }
        if profiler.is_gpu(thread) {
            // Rebuild the newest bars, because their frames' GPU times may have arrived since the bars were built.
            let newest = graph.bars.back().map_or(0, |bar| bar.frame);
            let is_settled = |bar: &Bar| bar.frame + MAX_WAITING as u64 <= newest;
            let settled = graph.bars.iter().take_while(|bar| is_settled(bar)).count();
            spare.extend(graph.bars.drain(settled..));
        }
        let newest = graph.bars.back().map_or(0, |bar| bar.frame);
        let missing = history
            .iter()
            .rev()
            .take_while(|frame| frame.number > newest)
            .count();
        let nodes = profiler
            .threads()
            .get(thread as usize)
            .map_or(&[][..], |t| t.tree().nodes());
        for frame in history.iter().skip(history.len() - missing) {
            let mut bar = spare.pop().unwrap_or_default();
            self.segments = self.segments.max(frame.deltas_of(thread).len());
            bar.segments.clear();
            bar.segments.reserve_exact(self.segments);
            fill(&mut bar, frame, thread, nodes, &mut self.by_zone);
            let steps = value.map(|value| steps_in(profiler, view.threads(), frame, value));
            let of_value = graph.value.as_ref().zip(steps);
            bar.value = of_value.map_or(0.0, |(value, steps)| value.amount(steps));
            // Zones are in the same order in every bar so that they form bands, with work at the bottom.
            let zones = &graph.zones;
            let order = |segment: &Segment| (zones[segment.zone as usize].is_idle, segment.zone);
            bar.segments.sort_unstable_by_key(order);
            graph.bars.push_back(bar);
        }
        self.spare.truncate(MAX_WAITING);
    }

    /// Forgets all bars, so that they are rebuilt.
    fn forget_bars(&mut self, graph: &mut Graph) {
        graph.bars.clear();
        graph.buckets.clear();
        self.others.clear();
        self.buckets.forget();
    }

    fn fill_part(
        &mut self,
        profiler: &Profiler,
        view: &View,
        shows_session: bool,
        graph: &mut Graph,
    ) {
        let Some(part) = view.shown_part() else {
            self.part = None;
            return;
        };
        let session = profiler.session();
        if shows_session && session.only_bucket(part).is_some() {
            // The cursor is already on this bucket.
            self.part = None;
            graph.set = None;
            return;
        }
        let shown = graph.set.get_or_insert_with(GraphSet::default);
        let limits = session.limits();
        let is_named = self.part.as_ref();
        let is_named = is_named.is_some_and(|(of, at)| of == part && *at == limits);
        // Bucket ends and percentages change with each frame and whenever buckets merge.
        let changes = !matches!(part.without_complement().0, Frames::SessionBands(1.., 1..));
        if !is_named || changes {
            shown.name.clear();
            session_values::push_frames_name(session, part, &mut shown.name);
            self.part = Some((part.clone(), limits));
        }
        shown.frames.clear();
        if !shows_session {
            let parts = session.parts(part);
            let frames = profiler.history().iter();
            let frames = frames.map(|frame| (frame.number, frame.ms()));
            let members = frames.filter(|frame| session.is_in(parts, *frame));
            shown.frames.extend(members.map(|(number, _)| number));
        }
    }

    fn fill_set(&mut self, history: &History, view: &View, graph: &mut Graph) {
        let Some(set) = view.shown_set() else {
            self.set = None;
            if view.shown_part().is_none() {
                graph.set = None;
            }
            return;
        };
        let shown = graph.set.get_or_insert_with(GraphSet::default);
        if self.set.as_ref() != Some(set) {
            shown.name = set.to_string();
            self.set = Some(set.clone());
        }
        shown.frames.clear();
        history.for_each_member(set, &mut self.times, |frame| {
            shown.frames.push(frame.number);
        });
    }

    /// Returns the number of the longest frame after the program's start, or 0. Usually examines only new frames.
    fn longest(&mut self, history: &History, last_of_start_up: u64) -> u64 {
        let newest = history.newest().map_or(0, |frame| frame.number);
        let is_remembered = |known: &Longest| {
            let frame = history
                .find(known.number)
                .filter(|frame| frame.ms() == known.ms);
            frame.is_some() && known.number > last_of_start_up && known.up_to <= newest
        };
        let mut longest = self.longest.filter(is_remembered);
        let up_to = longest.map_or(last_of_start_up, |known| known.up_to);
        let new = history
            .iter()
            .rev()
            .take_while(|frame| frame.number > up_to);
        // If several frames are equally long, the newest wins, as in `History::longest`.
        let new = new.map(|frame| (frame.number, frame.ms()));
        if let Some((number, ms)) = new.min_by(|(_, a), (_, b)| b.total_cmp(a))
            && longest.is_none_or(|known| ms >= known.ms)
        {
            longest = Some(Longest { number, ms, up_to });
        }
        self.longest = longest.map(|known| Longest {
            up_to: newest,
            ..known
        });
        longest.map_or(0, |known| known.number)
    }
}

fn write_title(
    profiler: &Profiler,
    threads: Threads,
    thread: u32,
    shows_session: bool,
    title: &mut String,
) {
    title.clear();
    let what = match shows_session {
        true => "session",
        false => "frames",
    };
    title.push_str(what);
    match threads {
        Threads::All if profiler.processor_threads() < 2 => {}
        _ => {
            let is_gpu = profiler.is_gpu(thread);
            title.push_str(if is_gpu { " of " } else { " of thread " });
            if !profiler.write_thread_title(ThreadId(thread), title) {
                title.clear();
                title.push_str("no such thread");
            }
        }
    }
    if shows_session {
        write_buckets(profiler.session().buckets(), title);
        return;
    }
    // Writing to a `String` cannot fail.
    let kept = profiler.history().kept().len();
    if kept > 0 {
        let _ = write!(title, "  {kept} older frames kept");
    }
    if let Some(limit) = profiler.history().memory_limit() {
        const MB: f64 = 1e6;
        let (held, limit) = (profiler.history().bytes() as f64 / MB, limit as f64 / MB);
        let frames = profiler.history().len();
        let s = if frames == 1 { "" } else { "s" };
        let _ = write!(title, "  {frames} frame{s}, {held:.1} of {limit:.1} MB");
    }
}

fn write_buckets(buckets: &[Bucket], title: &mut String) {
    let Some((first, last)) = buckets.first().zip(buckets.last()) else {
        return;
    };
    let s = if buckets.len() == 1 { "" } else { "s" };
    let _ = write!(title, "  {} bucket{s}, ", buckets.len());
    push_moment(title, Duration::from_nanos(first.begin_ns));
    title.push_str(" to ");
    push_moment(title, Duration::from_nanos(last.end_ns));
}

/// Returns how much was added to a value during a frame, on the given threads, in steps.
fn steps_in(profiler: &Profiler, threads: Threads, frame: &Frame, value: u32) -> i64 {
    let in_view = profiler.threads_in_view(threads);
    let deltas = in_view.iter().flat_map(|at| {
        let nodes = profiler.threads()[*at].tree().nodes();
        let deltas = frame.deltas_of(*at as u32).iter();
        deltas.filter(move |delta| nodes[delta.node as usize].zone == value)
    });
    deltas.fold(0, |sum: i64, delta| sum.wrapping_add(delta.entries as i64))
}

/// Fills the empty `bar` from `frame`. `by_zone` is all zeros before and after.
fn fill(bar: &mut Bar, frame: &Frame, thread: u32, nodes: &[TreeNode], by_zone: &mut [u64]) {
    bar.frame = frame.number;
    let mut total = 0;
    for delta in frame.deltas_of(thread) {
        by_zone[nodes[delta.node as usize].zone as usize] += delta.ticks;
        total += delta.ticks;
    }
    bar.ms = total as f64 * frame.ms_per_tick;
    for delta in frame.deltas_of(thread) {
        let zone = nodes[delta.node as usize].zone;
        let ticks = std::mem::take(&mut by_zone[zone as usize]);
        if ticks > 0 {
            bar.segments.push(Segment {
                zone,
                ms: (ticks as f64 * frame.ms_per_tick) as f32,
            });
        }
    }
}
