//! Builds the session graph: one bar per bucket with its zones' mean self times. The bars show the same thread as
//! per-frame bars. Only the bars of changed buckets are rebuilt.

use crate::graph::{Bar, Graph, GraphBucket, Segment};
use crate::query::named_values;
use crate::view::View;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::session::Session;
use iprof_process::session::parts::{Bucket, PartFrames};
use std::time::Duration;

/// The bucket contents that the bars were built from, and spare bars to reuse.
#[derive(Debug, Default)]
pub(super) struct BucketBars {
    /// The frames in each bar's bucket at the time the bar was built.
    made_of: Vec<PartFrames>,
    spare: Vec<Bar>,
}

impl BucketBars {
    pub(super) fn forget(&mut self) {
        self.made_of.clear();
    }

    /// Updates the bars of `graph`, which must be empty or bucket bars, and marks the bars that `view` shows. `by_zone`
    /// holds a zero for each zone, before and after the call.
    pub(super) fn update(
        &mut self,
        profiler: &Profiler,
        view: &View,
        thread: u32,
        by_zone: &mut [u64],
        graph: &mut Graph,
    ) {
        let session = profiler.session();
        self.drop_merged(session, graph);
        for (at, bucket) in session.buckets().iter().enumerate() {
            if self.made_of.get(at) == Some(&bucket.frames) {
                continue;
            }
            if at == self.made_of.len() {
                self.made_of.push(PartFrames::default());
                graph.bars.push_back(self.spare.pop().unwrap_or_default());
            }
            self.made_of[at] = bucket.frames;
            let mut bar = std::mem::take(&mut graph.bars[at]);
            fill(&mut bar, profiler, thread, bucket, by_zone);
            bar.value = match (&graph.value, named_values::shown(profiler, view)) {
                (Some(value), Some(zone)) => {
                    let per_frame = 1.0 / bucket.frames.count.max(1) as f64;
                    value.amount(steps_in(profiler, view, bucket, zone)) * per_frame
                }
                _ => 0.0,
            };
            let zones = &graph.zones;
            let order = |segment: &Segment| (zones[segment.zone as usize].is_idle, segment.zone);
            bar.segments.sort_unstable_by_key(order);
            graph.bars[at] = bar;
        }
        graph.buckets.clear();
        let is_frame_thread = thread == profiler.frame_thread();
        let is_gpu = profiler.is_gpu(thread);
        let buckets = session.buckets().iter();
        graph.buckets.extend(buckets.map(|bucket| GraphBucket {
            begin: Duration::from_nanos(bucket.begin_ns),
            end: Duration::from_nanos(bucket.end_ns),
            first: bucket.frames.first,
            last: bucket.frames.last,
            count: count(bucket, is_gpu),
            longest_ms: match is_frame_thread {
                true => bucket.frames.longest_ms,
                false => 0.0,
            },
            shown: 0,
        }));
        mark_shown(session, view, graph);
    }

    /// Removes the bars of buckets that were forgotten or merged into earlier ones.
    fn drop_merged(&mut self, session: &Session, graph: &mut Graph) {
        let buckets = session.buckets();
        for (at, bucket) in buckets.iter().enumerate() {
            let is_merged = |made_of: &PartFrames| made_of.first < bucket.frames.first;
            while self.made_of.get(at).is_some_and(is_merged) {
                self.made_of.remove(at);
                self.spare.extend(graph.bars.remove(at));
            }
        }
        self.made_of.truncate(buckets.len());
        self.spare.extend(graph.bars.drain(self.made_of.len()..));
    }
}

fn count(bucket: &Bucket, is_gpu: bool) -> u64 {
    match is_gpu {
        true => bucket.frames.with_gpu,
        false => bucket.frames.count,
    }
}

fn fill(bar: &mut Bar, profiler: &Profiler, thread: u32, bucket: &Bucket, by_zone: &mut [u64]) {
    bar.frame = bucket.frames.last;
    bar.segments.clear();
    let ms_per_tick = match bucket.frames.ticks {
        0 => 0.0,
        ticks => bucket.frames.ms / ticks as f64,
    };
    let count = count(bucket, profiler.is_gpu(thread)).max(1);
    let ms = |ticks: u64| ticks as f64 * ms_per_tick / count as f64;
    let total = ticks_by_zone(profiler, thread, bucket, by_zone);
    bar.ms = ms(total);
    for (ticks, zone) in by_zone.iter_mut().zip(0..) {
        let ticks = std::mem::take(ticks);
        if ticks > 0 {
            bar.segments.push(Segment {
                zone,
                ms: ms(ticks) as f32,
            });
        }
    }
}

/// Adds a thread's self times in a bucket to `by_zone`, in ticks, and returns their total.
pub fn ticks_by_zone(
    profiler: &Profiler,
    thread: u32,
    bucket: &Bucket,
    by_zone: &mut [u64],
) -> u64 {
    let Some(of_thread) = profiler.threads().get(thread as usize) else {
        return 0;
    };
    let nodes = of_thread.tree().nodes().iter();
    let sums = profiler.bucket_sums(thread as usize, bucket);
    nodes.zip(sums).fold(0, |total, (node, sum)| {
        by_zone[node.zone as usize] += sum.ticks;
        total + sum.ticks
    })
}

/// Returns how much was added to a value during a bucket, on all threads in view, in steps.
fn steps_in(profiler: &Profiler, view: &View, bucket: &Bucket, value: u32) -> i64 {
    let in_view = profiler.threads_in_view(view.threads());
    in_view.iter().fold(0, |steps: i64, at| {
        let nodes = profiler.threads()[*at].tree().nodes().iter();
        let sums = profiler.bucket_sums(*at, bucket);
        let of_value = nodes.zip(sums).filter(|(node, _)| node.zone == value);
        of_value.fold(steps, |steps, (_, sum)| {
            steps.wrapping_add(sum.entries as i64)
        })
    })
}

/// Marks a single shown bucket with the cursor, and any other shown part of the session as a set of bars.
fn mark_shown(session: &Session, view: &View, graph: &mut Graph) {
    if let Frames::Number(number) = view.frame {
        // A frame kept among the longest may be older than the session.
        let bucket = session.bucket_of(number).map(|at| &session.buckets()[at]);
        graph.cursor = bucket.map(|bucket| bucket.frames.last);
    }
    let Some(part) = view.shown_part() else {
        return;
    };
    let parts = session.parts(part);
    for (of_graph, bucket) in graph.buckets.iter_mut().zip(session.buckets()) {
        of_graph.shown = session.count_in(bucket, parts);
    }
    if let Some(at) = session.only_bucket(part) {
        graph.cursor = graph.bars.get(at).map(|bar| bar.frame);
    } else if let Some(set) = &mut graph.set {
        let shown = graph.buckets.iter().filter(|bucket| bucket.shown > 0);
        set.frames.extend(shown.map(|bucket| bucket.last));
    }
}
