//! Tests the session's sums by node against stored frames.

use super::FRAME_BUDGET;
use super::programs::MS_PER_TICK;
use super::session::limits;
use iprof_gather::clock::Ticks;
use iprof_process::Frames;
use iprof_process::frame::{Frame, GpuDelta, ThreadDeltas};
use iprof_process::session::Session;
use iprof_process::session::parts::Parts;
use iprof_process::session::sums::{Addend, NodeSum, Totals};
use iprof_process::session::{BANDS, BUCKETS};
use iprof_process::untimed_nodes::NodeDelta;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

/// A frame with a few nodes on each of two threads. Times are in nanoseconds.
#[derive(Clone, Debug)]
struct Stored {
    ticks: Ticks,
    pause: Ticks,
    deltas: [Vec<NodeDelta>; 2],
}

fn stored() -> impl Strategy<Value = Stored> {
    let delta = (0u32..40, 0u64..1_000_000, any::<u8>(), -1i8..2);
    let deltas = || {
        prop::collection::btree_map(0u32..40, delta.clone(), 0..6).prop_map(|deltas| {
            let delta = |(node, (_, ticks, entries, sign)): (u32, (u32, u64, u8, i8))| NodeDelta {
                ticks,
                entries: u64::from(entries),
                node,
                error: f32::from(sign) * 8.0,
            };
            deltas.into_iter().map(delta).collect::<Vec<_>>()
        })
    };
    let pause = prop_oneof![9 => Just(0), 1 => 0u64..9_000_000];
    let ticks = prop_oneof![0u64..20_000, 0u64..2_000_000, 0u64..200_000_000];
    (ticks, pause, deltas(), deltas()).prop_map(|(ticks, pause, one, other)| Stored {
        ticks,
        pause,
        deltas: [one, other],
    })
}

/// Generates phases of frames. In some phases, most frames are equally long.
fn phases() -> impl Strategy<Value = Vec<Stored>> {
    let usual = prop::option::of(prop_oneof![
        0u64..20_000,
        0u64..2_000_000,
        0u64..200_000_000
    ]);
    let phase = (usual, prop::collection::vec(stored(), 1..80));
    let of_phase = |(usual, mut frames): (Option<Ticks>, Vec<Stored>)| {
        for stored in frames.iter_mut().filter(|stored| stored.ticks % 4 > 0) {
            stored.ticks = usual.unwrap_or(stored.ticks);
        }
        frames
    };
    prop::collection::vec(phase.prop_map(of_phase), 1..10).prop_map(|phases| phases.concat())
}

/// Assigns frames to buckets, given each frame's begin time. When there are too many buckets, pairs are merged,
/// starting from the front.
fn naive_buckets(begins: &[u64], mut width: u64) -> Vec<Vec<usize>> {
    let mut buckets: Vec<Vec<usize>> = Vec::new();
    let mut doubled = 0;
    for (at, begin) in begins.iter().enumerate() {
        let is_new = buckets
            .last()
            .is_none_or(|last| begins[last[0]] + width <= *begin);
        if !is_new {
            buckets.last_mut().unwrap().push(at);
            continue;
        }
        if buckets.len() == BUCKETS {
            if doubled == 0 {
                width *= 2;
            }
            let more = buckets.remove(doubled + 1);
            buckets[doubled].extend(more);
            doubled = (doubled + 1) % (BUCKETS / 2);
        }
        buckets.push(vec![at]);
    }
    buckets
}

/// A node's data in one part: ticks, entries, error and untimed entries.
type NodeValues = (u64, u64, f64, u64);

fn naive_sums(frames: &[&Stored], thread: usize) -> Vec<NodeValues> {
    let mut sums = vec![(0, 0, 0.0, 0); 40];
    for delta in frames.iter().flat_map(|frame| &frame.deltas[thread]) {
        let sum = &mut sums[delta.node as usize];
        sum.0 += delta.ticks;
        sum.1 += delta.entries;
        sum.2 += f64::from(delta.error.abs());
        if delta.error > 0.0 {
            sum.3 += delta.entries;
        }
    }
    sums
}

/// The totals of each thread's tree, added up frame by frame.
#[derive(Default)]
pub(super) struct TestTotals {
    nodes: [usize; 3],
    sums: BTreeMap<(u32, usize), NodeSum>,
}

impl TestTotals {
    fn add(&mut self, thread: u32, deltas: &[NodeDelta]) {
        for delta in deltas {
            let sum = self.sums.entry((thread, delta.node as usize));
            sum.or_default().add(NodeSum::of(delta));
        }
    }

    fn add_frame(&mut self, frame: &Frame) {
        for part in &frame.threads {
            self.add(part.thread, frame.deltas_in(part));
        }
    }
}

impl Totals for &TestTotals {
    fn nodes(&self, thread: u32) -> usize {
        self.nodes[thread as usize]
    }

    fn total(&self, thread: u32, node: usize) -> NodeSum {
        let sum = self.sums.get(&(thread, node));
        sum.copied().unwrap_or_default()
    }

    fn is_sampled(&self, _: u32) -> bool {
        true
    }
}

fn sums_of(session: &Session, parts: Parts, thread: usize, totals: &TestTotals) -> Vec<NodeValues> {
    let sums = session.sums(thread, parts, &totals);
    let sum = |node: usize| {
        let of = sums.nodes.get(node).copied().unwrap_or_default();
        let sampled = sums.sampled.get(node).copied().unwrap_or_default();
        (of.ticks, of.entries, sampled.error.abs(), sampled.untimed)
    };
    (0..40).map(sum).collect()
}

/// An event that happens just before a frame.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// Sets the limits, either to different ones or to the same ones.
    Limits(bool),
    /// Records something that doesn't belong to any frame.
    Outside(u64),
    Reset,
}

/// Returns limits so high that all frames fall into only a few bands.
fn long_limits() -> [Duration; BANDS - 1] {
    limits().map(|limit| limit * 100)
}

/// The GPU's thread, whose times arrive a few frames late.
const GPU: u32 = 2;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each part must contain its frames' sums, including entries and errors, exact to the tick. Together, the parts
    /// must contain the sums of all frames.
    #[test]
    fn bands_and_buckets_sum_their_frames(
        frames in phases(),
        events in prop::collection::btree_map(0usize..400, prop_oneof![
            4 => any::<bool>().prop_map(Event::Limits),
            4 => (0u64..1_000_000).prop_map(Event::Outside),
            1 => Just(Event::Reset),
        ], 0..6),
        width in prop_oneof![1u64..20_000_000, 20_000_000u64..2_000_000_000],
        late in 0usize..70,
    ) {
        let mut session = Session::new(FRAME_BUDGET);
        let mut totals = TestTotals { nodes: [40; 3], ..TestTotals::default() };
        let mut now_limits = limits();
        session.set_limits(Some(now_limits), &&totals);
        session.set_first_width(width);
        let (mut now, mut begins) = (0, Vec::new());
        // The first frames since the last reset, and since the limits last changed.
        let (mut first, mut first_of_bands) = (0, 0);
        // The GPU has the same deltas as the first thread, but with one more entry each.
        let on_gpu = |at: usize| -> Vec<NodeDelta> {
            let of_gpu = |delta: &NodeDelta| NodeDelta { entries: delta.entries + 1, error: 0.0, ..*delta };
            frames[at].deltas[0].iter().map(of_gpu).collect()
        };
        let add_late = |session: &mut Session, totals: &mut TestTotals, at: usize| {
            let nodes = on_gpu(at);
            totals.add(GPU, &nodes);
            let submitters: Vec<GpuDelta> = nodes
                .iter()
                .map(|delta| GpuDelta { ticks: delta.ticks, thread: 0, node: delta.node })
                .collect();
            let ms = frames[at].ticks as f64 * MS_PER_TICK;
            session.add_gpu((at as u64 + 1, ms), (GPU, &nodes), &submitters, &&*totals);
        };
        for (at, stored) in frames.iter().enumerate() {
            match events.get(&at) {
                Some(Event::Limits(long)) => {
                    let wanted = if *long { long_limits() } else { limits() };
                    session.set_limits(Some(wanted), &&totals);
                    if wanted != now_limits {
                        (now_limits, first_of_bands) = (wanted, at);
                    }
                }
                Some(Event::Outside(ticks)) => {
                    let delta = NodeDelta { ticks: *ticks, entries: 2, node: (*ticks % 40) as u32, error: 0.0 };
                    for thread in 0..2 {
                        totals.add(thread, &[delta]);
                        session.add_outside_frames(thread, [delta].into_iter(), &&totals);
                    }
                }
                Some(Event::Reset) => {
                    session.clear();
                    session.set_first_width(width);
                    totals.sums.clear();
                    (first, first_of_bands) = (at, at);
                    begins.clear();
                }
                None => {}
            }
            now += stored.pause;
            begins.push(now);
            let mut frame = Frame {
                number: at as u64 + 1,
                begin_ns: now,
                ticks: stored.ticks,
                ms_per_tick: MS_PER_TICK,
                sampler_ns: 3,
                ..Frame::default()
            };
            for (thread, deltas) in (0..).zip(&stored.deltas) {
                let start = frame.deltas.len() as u32;
                frame.deltas.extend_from_slice(deltas);
                let end = frame.deltas.len() as u32;
                if end > start {
                    frame.threads.push(ThreadDeltas { thread, start, end });
                }
            }
            totals.add_frame(&frame);
            session.add(&frame, &&totals);
            now += stored.ticks;
            if let Some(at) = at.checked_sub(late).filter(|at| *at >= first) {
                add_late(&mut session, &mut totals, at);
            }
        }
        for at in frames.len().saturating_sub(late).max(first)..frames.len() {
            add_late(&mut session, &mut totals, at);
        }
        let band_of = |frame: &Stored| {
            let ms = frame.ticks as f64 * MS_PER_TICK;
            now_limits.iter().filter(|limit| ms > limit.as_secs_f64() * 1e3).count()
        };
        let buckets = naive_buckets(&begins, width);
        prop_assert_eq!(session.buckets().len(), buckets.len());
        let in_band = |band: usize| -> Vec<usize> {
            (first_of_bands..frames.len()).filter(|at| band_of(&frames[*at]) == band).collect()
        };
        let bands = (0..BANDS).map(|band| (Frames::SessionBands(band, band), in_band(band)));
        let times = buckets.iter().map(|bucket| {
            // Any moment in the bucket selects that bucket.
            let moment = Duration::from_nanos(begins[bucket[bucket.len() / 2]]);
            let members: Vec<usize> = bucket.iter().map(|at| first + at).collect();
            (Frames::SessionTime(moment, moment), members)
        });
        let all: Vec<usize> = (first..frames.len()).collect();
        let middle = Duration::from_nanos(begins[begins.len() / 2]);
        let of_middle = buckets.iter().position(|bucket| bucket.contains(&(begins.len() / 2)));
        let from_middle = first + buckets[of_middle.unwrap()][0];
        let spans = [
            (Frames::Session, all.clone()),
            (Frames::SessionTime(Duration::ZERO, Duration::MAX), all),
            (Frames::SessionTime(middle, Duration::MAX), (from_middle..frames.len()).collect()),
            (Frames::SessionTime(middle, Duration::MAX).complement(), (first..from_middle).collect()),
            (Frames::SessionBands(0, 7), (first_of_bands..frames.len()).collect()),
            (Frames::SessionBands(2, 4), (2..5).flat_map(in_band).collect()),
            (Frames::SessionBands(2, 4).complement(), [0, 1, 5, 6, 7].into_iter().flat_map(in_band).collect()),
        ];
        for (part, members) in bands.chain(times).chain(spans) {
            let parts = session.parts(&part);
            let of = session.frames(parts);
            let members: Vec<&Stored> = members.iter().map(|at| &frames[*at]).collect();
            prop_assert_eq!(of.count, members.len() as u64);
            prop_assert_eq!(of.with_gpu, members.len() as u64);
            prop_assert_eq!(of.ticks, members.iter().map(|frame| frame.ticks).sum::<u64>());
            prop_assert_eq!(of.sampler_ns, 3 * of.count);
            for thread in 0..2 {
                prop_assert_eq!(sums_of(&session, parts, thread, &totals), naive_sums(&members, thread));
                let was_in = members.iter().filter(|frame| !frame.deltas[thread].is_empty());
                prop_assert_eq!(session.thread_frames(thread, parts), was_in.count() as u64);
            }
            let wanted: Vec<NodeValues> = naive_sums(&members, 0)
                .into_iter()
                .zip(0u32..)
                .map(|((ticks, entries, ..), node)| {
                    let has_node = |frame: &&&Stored| frame.deltas[0].iter().any(|delta| delta.node == node);
                    (ticks, entries + members.iter().filter(has_node).count() as u64, 0.0, 0)
                })
                .collect();
            prop_assert_eq!(sums_of(&session, parts, GPU as usize, &totals), wanted);
            let ticks = session.sums(0, parts, &&totals).gpu;
            let wanted: Vec<u64> = naive_sums(&members, 0).iter().map(|sum| sum.0).collect();
            prop_assert!(ticks.iter().take(40).eq(wanted.iter().take(ticks.len())), "wrong GPU sums: {:?}", ticks);
            if let Some(bucket) = session.only_bucket(&part) {
                let bucket = session.buckets()[bucket];
                let sums: Vec<NodeSum> = session.bucket_sums(0, &bucket, &totals).collect();
                prop_assert_eq!(sums, session.sums(0, parts, &&totals).nodes);
            }
            // The complement contains all other frames.
            let others = session.frames(session.parts(&part.complement()));
            prop_assert_eq!(others.count + of.count, session.frames(session.all(parts)).count);
        }
    }
}

#[test]
fn memory_matches_the_formula_and_is_constant() {
    let mut session = Session::new(FRAME_BUDGET);
    session.set_first_width(1);
    let mut totals = TestTotals::default();
    let mut add = |number: u64, nodes: u32, error: f32| {
        let delta = |node: u32| NodeDelta {
            ticks: number,
            entries: 1,
            node,
            error,
        };
        let frame = Frame {
            number,
            begin_ns: number * 1_000,
            ticks: 1_000,
            ms_per_tick: MS_PER_TICK,
            threads: vec![ThreadDeltas {
                thread: 0,
                start: 0,
                end: nodes,
            }],
            deltas: (0..nodes).map(delta).collect(),
            ..Frame::default()
        };
        totals.nodes[0] = nodes as usize;
        totals.add_frame(&frame);
        session.add(&frame, &&totals);
        session.bytes_for_tests()
    };
    assert_eq!(add(1, 33, 0.0), 48 * 656);
    for number in 2..1_000 {
        assert_eq!(add(number, 33, 0.0), 48 * 656);
    }
    assert_eq!(add(1_000, 48, 0.0), 48 * 656);
    assert_eq!(add(1_001, 48, 1.0), 48 * (656 + 640));
}

/// GPU times are stored in the nodes of the thread that submitted the work. The GPU's own nodes have their own sums.
#[test]
fn gpu_times_take_320_bytes_per_submitting_node() {
    const LIMIT: u64 = 1_000;
    let mut session = Session::new(FRAME_BUDGET);
    session.set_first_width(1);
    let mut totals = TestTotals::default();
    let mut add = |number: u64, nodes: u32, is_on_gpu: bool| {
        let delta = |node: u32| NodeDelta {
            ticks: number,
            entries: 1,
            node,
            error: 0.0,
        };
        let deltas: Vec<NodeDelta> = (0..nodes).map(delta).collect();
        // The threads are one that submits work, the GPU, and one that submits none.
        let part = |thread, start, end| ThreadDeltas { thread, start, end };
        let frame = Frame {
            number,
            begin_ns: number * 1_000,
            ticks: 1_000,
            ms_per_tick: MS_PER_TICK,
            threads: vec![part(0, 0, nodes), part(2, 0, 5)],
            deltas,
            ..Frame::default()
        };
        totals.nodes = [nodes as usize, 3, 5];
        totals.add_frame(&frame);
        session.add(&frame, &&totals);
        if is_on_gpu {
            let submitter = GpuDelta {
                ticks: number,
                thread: 0,
                node: nodes - 1,
            };
            totals.add(1, &frame.deltas[..3]);
            session.add_gpu(
                (number, frame.ms()),
                (1, &frame.deltas[..3]),
                &[submitter],
                &&totals,
            );
        }
        session.bytes_for_tests()
    };
    // Sizes are rounded up to 16 nodes per thread.
    let others = 16 * 656;
    assert_eq!(add(1, 33, false), 48 * 656 + others);
    for number in 2..LIMIT {
        assert_eq!(add(number, 33, true), 48 * (656 + 320) + others + 16 * 656);
    }
    let wanted = 64 * (656 + 320) + others + 16 * 656;
    assert_eq!(add(LIMIT, 64, true), wanted);
    assert_eq!(add(LIMIT + 1, 64, false), wanted);
}
