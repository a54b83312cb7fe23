//! Tests of the session's sums by node against frames that are stored.

use super::programs::MS_PER_TICK;
use super::session::limits;
use crate::clock::Ticks;
use crate::process::delta::NodeDelta;
use crate::process::frame::ended_frame::{Frame, GpuDelta, ThreadDeltas};
use crate::process::frame::session::{Parts, Session};
use crate::session_part::{BANDS, BUCKETS, SessionPart};
use proptest::prelude::*;
use std::time::Duration;

/// A frame of a few nodes of two threads, by nanoseconds.
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

/// The buckets that frames fall into, given when each begins: lists of frames, which merge in pairs from the front
/// when there are too many.
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

/// What a part has of a node: ticks, entries, the error and the untimed entries.
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

fn sums_of(session: &Session, parts: Parts, thread: usize) -> Vec<NodeValues> {
    let sums = session.sums(thread, parts);
    let sum = |node: usize| {
        let of = sums.nodes.get(node).copied().unwrap_or_default();
        let sampled = sums.sampled.get(node).copied().unwrap_or_default();
        (of.ticks, of.entries, sampled.error.abs(), sampled.untimed)
    };
    (0..40).map(sum).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each part has the sums of its frames, to the tick, the call and the error; and all parts those of all.
    #[test]
    fn bands_and_buckets_have_the_sums_of_their_frames(
        frames in prop::collection::vec(stored(), 1..400),
        width in 1u64..20_000_000,
    ) {
        let mut session = Session::new();
        session.set_limits(Some(limits()));
        session.set_first_width(width);
        let (mut now, mut begins) = (0, Vec::new());
        for (at, stored) in frames.iter().enumerate() {
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
            session.add(&frame, |_| 40);
            now += stored.ticks;
        }
        let band_of = |frame: &Stored| {
            let ms = frame.ticks as f64 * MS_PER_TICK;
            limits().iter().filter(|limit| ms > limit.as_secs_f64() * 1e3).count()
        };
        let buckets = naive_buckets(&begins, width);
        prop_assert_eq!(session.buckets().len(), buckets.len());
        let in_band = |band: usize| -> Vec<&Stored> {
            frames.iter().filter(|frame| band_of(frame) == band).collect()
        };
        let bands = (0..BANDS).map(|band| (SessionPart::band(band), in_band(band)));
        let times = buckets.iter().map(|bucket| {
            // Any moment of it.
            let moment = Duration::from_nanos(begins[bucket[bucket.len() / 2]]);
            let members: Vec<&Stored> = bucket.iter().map(|at| &frames[*at]).collect();
            (SessionPart::time(moment, moment), members)
        });
        let all: Vec<&Stored> = frames.iter().collect();
        let whole = [
            (SessionPart::all(), all.clone()),
            (SessionPart::time(Duration::ZERO, Duration::MAX), all),
        ];
        for (part, members) in bands.chain(times).chain(whole) {
            let parts = session.parts(&part);
            let of = session.frames(parts);
            prop_assert_eq!(of.count, members.len() as u64);
            prop_assert_eq!(of.ticks, members.iter().map(|frame| frame.ticks).sum::<u64>());
            prop_assert_eq!(of.sampler_ns, 3 * of.count);
            for thread in 0..2 {
                prop_assert_eq!(sums_of(&session, parts, thread), naive_sums(&members, thread));
                let was_in = members.iter().filter(|frame| !frame.deltas[thread].is_empty());
                prop_assert_eq!(session.thread_frames(thread, parts), was_in.count() as u64);
            }
            // The others are those that are left.
            let others = session.frames(session.parts(&part.complement()));
            prop_assert_eq!(others.count + of.count, frames.len() as u64);
        }
    }
}

#[test]
fn memory_is_the_documented_formula_and_constant_in_time() {
    let mut session = Session::new();
    session.set_first_width(1);
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
        session.add(&frame, |_| nodes as usize);
        session.bytes_for_tests()
    };
    assert_eq!(add(1, 33, 0.0), 48 * 672);
    for number in 2..1_000 {
        assert_eq!(add(number, 33, 0.0), 48 * 672);
    }
    assert_eq!(add(1_000, 48, 0.0), 48 * 672);
    assert_eq!(add(1_001, 48, 1.0), 48 * (672 + 640));
}

/// GPU times are on the nodes of the thread that submitted the work; those of the GPU are its own thread's.
#[test]
fn gpu_times_take_320_bytes_a_node_of_the_thread_that_submitted_the_work() {
    const LIMIT: u64 = 1_000;
    let mut session = Session::new();
    session.set_first_width(1);
    let lens = |nodes: [usize; 3]| move |thread: u32| nodes[thread as usize];
    let mut add = |number: u64, nodes: u32, is_on_gpu: bool| {
        let delta = |node: u32| NodeDelta {
            ticks: number,
            entries: 1,
            node,
            error: 0.0,
        };
        let deltas: Vec<NodeDelta> = (0..nodes).map(delta).collect();
        // A thread that submits work, the GPU, and a thread that submits none.
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
        session.add(&frame, lens([nodes as usize, 0, 5]));
        if is_on_gpu {
            let submitter = GpuDelta {
                ticks: number,
                thread: 0,
                node: nodes - 1,
            };
            session.add_gpu(
                (number, frame.ms()),
                (1, &frame.deltas[..3]),
                &[submitter],
                lens([nodes as usize, 3, 5]),
            );
        }
        session.bytes_for_tests()
    };
    // Rounded up to 16 nodes a thread.
    let others = 16 * 672;
    assert_eq!(add(1, 33, false), 48 * 672 + others);
    for number in 2..LIMIT {
        assert_eq!(add(number, 33, true), 48 * (672 + 320) + others + 16 * 672);
    }
    let wanted = 64 * (672 + 320) + others + 16 * 672;
    assert_eq!(add(LIMIT, 64, true), wanted);
    assert_eq!(add(LIMIT + 1, 64, false), wanted);
}
