//! Computes the mean values of part of the session, by node, and names the part.

use crate::query::named_values;
use crate::query::values::{Detail, NodeValues, Span, ThreadValues};
use crate::report::ColumnId;
use crate::view::View;
use iprof_process::Profiler;
use iprof_process::session::parts::{PartFrames, Parts};
use iprof_process::session::{BANDS, Session, bands_in};
use iprof_process::text_parts::push_moment;
use iprof_process::untimed_nodes::NodeVariances;
use iprof_process::{Frames, number};
use std::fmt::Write;
use std::time::Duration;

impl<'a> NodeValues<'a> {
    /// Returns the mean values of part of the session for the threads in view. Times are sums of whole ticks until they
    /// are multiplied by [`ms`](NodeValues::ms).
    pub fn of_session(
        profiler: &'a Profiler,
        view: &View,
        part: &Frames,
        detail: Detail,
    ) -> NodeValues<'a> {
        let session = profiler.session();
        let parts = session.parts(part);
        let frames = session.frames(parts);
        let in_view = profiler.threads_in_view(view.threads());
        let shows_gpu = profiler.shows_gpu(view.threads());
        let shown_value = named_values::shown(profiler, view);
        let count = match shows_gpu {
            true => frames.with_gpu,
            false => frames.count,
        };
        let per_frame = 1.0 / count.max(1) as f64;
        let ms_per_tick = match frames.ticks {
            0 => 0.0,
            ticks => frames.ms / ticks as f64,
        };
        // GPU times are averaged over the frames that have GPU times.
        let of_gpu = count as f64 / frames.with_gpu.max(1) as f64;
        let threads = in_view.iter().map(|at| {
            let tree = profiler.threads()[*at].tree();
            let mut values = ThreadValues::empty(profiler, *at);
            let sums = profiler.session_sums(*at, parts);
            let nodes = values.nodes.len();
            for (node, sum) in sums.nodes.iter().take(nodes).enumerate() {
                values.self_time[node] = sum.ticks as f64;
                values.entries[node] = sum.entries as i64 as f64;
            }
            values.take_values(shown_value);
            if detail == Detail::All {
                if sums.gpu.iter().any(|ticks| *ticks > 0) {
                    let gpu = sums.gpu.iter().map(|ticks| *ticks as f64 * of_gpu);
                    values.gpu = gpu.take(nodes).collect();
                    values.gpu.resize(nodes, 0.0);
                }
                let parent = |node: usize| values.nodes[node].parent as usize;
                let errors = sums.sampled.iter().take(nodes).map(|sampled| sampled.error);
                values.sampled =
                    NodeVariances::of_errors(&values.self_time, parent, errors.enumerate());
                values.net = view
                    .column(ColumnId::NetTime)
                    .then(|| values.self_time.clone());
                for node in (1..nodes).filter(|_| !shows_gpu) {
                    let untimed =
                        sums.sampled.get(node).map_or(0, |sampled| sampled.untimed) as f64;
                    let timed = values.entries[node] - untimed;
                    values.charge_node(node, untimed, false, profiler.zone_cost(), tree);
                    values.charge_node(node, timed, true, profiler.zone_cost(), tree);
                }
            }
            let entries = values.entries.iter_mut().chain(&mut values.named);
            entries.for_each(|entries| *entries *= per_frame);
            values
        });
        let threads = threads.collect();
        let ms = ms_per_tick * per_frame;
        let sampler_ms = frames.sampler_ns as f64 * 1e-6 * share_in_view(profiler, &in_view, parts);
        let values = NodeValues {
            ms,
            frame_ms: frames.ms * per_frame,
            threads,
            frames: Some(Span {
                first: frames.first,
                last: frames.last,
                count: count as usize,
            }),
            timing: match frames.count {
                0 => profiler.timing(),
                _ => frames.timing,
            },
            whole: count == 1,
            fades: false,
            sampler: match ms_per_tick > 0.0 {
                true => sampler_ms / ms_per_tick,
                false => 0.0,
            },
        };
        values.with_gpu_frame_time(shows_gpu)
    }
}

/// Returns the fraction of the frames' threads that is in view, as for a single [frame](super::values::share_in_view).
fn share_in_view(profiler: &Profiler, in_view: &[usize], parts: Parts) -> f64 {
    let frames = |at: usize| match profiler.is_gpu(at as u32) {
        true => 0,
        false => profiler.session().thread_frames(at, parts),
    };
    let all: u64 = (0..profiler.threads().len()).map(frames).sum();
    let shown: u64 = in_view.iter().map(|at| frames(*at)).sum();
    shown as f64 / all.max(1) as f64
}

/// Names frames for titles. For part of the session, the name includes its limits and its percentage of session time.
pub fn name(session: &Session, part: &Frames) -> String {
    if !part.is_session() || *part.without_complement().0 == Frames::Session {
        return part.to_string();
    }
    let parts = session.parts(part);
    if parts == Parts::Bands(0) {
        return "session: no frames".to_owned();
    }
    let mut frames = String::new();
    push_frames_name(session, part, &mut frames);
    let percent = percent(session, parts, |frames| frames.ms);
    format!("session: {frames} ({percent:.1} % of time)")
}

fn percent(session: &Session, parts: Parts, of: impl Fn(&PartFrames) -> f64) -> f64 {
    let [part, all] = [parts, session.all(parts)].map(|parts| of(&session.frames(parts)));
    if all > 0.0 { part / all * 100.0 } else { 0.0 }
}

pub fn push_frames_name(session: &Session, part: &Frames, out: &mut String) {
    let (part, is_complement) = part.without_complement();
    if is_complement {
        out.push_str("all but ");
    }
    let limits = session.limits();
    let ms = |limit: usize| number(limits[limit].as_secs_f64() * 1e3);
    // Writing to a string cannot fail.
    let _ = match *part {
        Frames::SessionBands(one, other) if bands_in(one, other) == (0, BANDS - 1) => {
            let is_whole = session.frames(Parts::Bands(u32::MAX)).count
                == session.frames(Parts::Slots(u32::MAX)).count;
            out.write_str(match is_whole {
                true => "all frames",
                false => "all frames since the band limits changed",
            })
        }
        Frames::SessionSlowestPercent(share) => {
            let band = session.slowest_band(share);
            let slowest = Parts::Bands(u32::MAX << band);
            let percent = percent(session, slowest, |frames| frames.count as f64);
            let _ = write!(out, "the slowest {} % of frames", number(percent));
            match band.checked_sub(1) {
                Some(limit) => write!(out, ", over {} ms", ms(limit)),
                None => Ok(()),
            }
        }
        Frames::SessionBands(one, other) => match bands_in(one, other) {
            (0, last) => write!(out, "frames up to {} ms", ms(last)),
            (first, last) if last == BANDS - 1 => write!(out, "frames over {} ms", ms(first - 1)),
            (first, last) => write!(out, "frames of {} to {} ms", ms(first - 1), ms(last)),
        },
        Frames::SessionTime(one, other) => match session.buckets_in(one, other) {
            None => out.write_str("no time"),
            Some((first, last)) => {
                let buckets = session.buckets();
                push_moment(out, Duration::from_nanos(buckets[first].begin_ns));
                out.push_str(" to ");
                push_moment(out, Duration::from_nanos(buckets[last].end_ns));
                Ok(())
            }
        },
        _ => out.write_str("all frames"),
    };
}
