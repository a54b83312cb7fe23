//! Finds a zone's spikes: remembered frames in which it took far more time than usual.

use super::baseline_values::median;
use crate::report::{Recursion, ReportMode, RowKey, RowKind};
use crate::view::View;
use iprof_process::Profiler;
use iprof_process::indices::{GLOBAL, ZoneKey};

/// A spike must exceed the median by this factor.
const FACTOR: f64 = 1.5;
/// A spike must also exceed the median by this many median absolute deviations, about five standard deviations.
const DEVIATIONS: f64 = 8.0;
/// A spike must also exceed the median by this fraction of the median frame. Smaller increases hardly lengthen the
/// frame.
const LEAST_PART: f64 = 0.05;

/// Returns the numbers, in ascending order, of the frames in which a row's zone took far more time than usual.
///
/// Compares the zone's self time if the view lists self times, otherwise its hierarchical time, on the threads in view.
/// The usual time is the median over the newest frames, including those that did not enter the zone. Of consecutive
/// spikes, only the longest counts. A row that covers several zones has no spikes.
pub fn zone_spikes(profiler: &Profiler, view: &View, row: RowKey) -> Vec<u64> {
    if row.kind != RowKind::Zone {
        return Vec::new();
    }
    let history = profiler.history();
    let nodes = nodes_of(profiler, view, row);
    let times: Vec<(u64, f64)> = history
        .iter()
        .map(|frame| {
            let deltas = nodes.iter().flat_map(|(thread, is_counted)| {
                let deltas = frame.deltas_of(*thread).iter();
                deltas.filter(|delta| is_counted[delta.node as usize])
            });
            let ticks: u64 = deltas.map(|delta| delta.ticks).sum();
            (frame.number, ticks as f64 * frame.ms_per_tick)
        })
        .collect();
    let oldest = history.oldest_in_ring().unwrap_or_default();
    let newest_times = || times.iter().filter(|(number, _)| *number >= oldest);
    let usual_ms = median(newest_times().map(|(_, ms)| *ms));
    let deviation = median(newest_times().map(|(_, ms)| (ms - usual_ms).abs()));
    let newest = history.iter().filter(|frame| frame.number >= oldest);
    let frame_ms = median(newest.map(iprof_process::frame::Frame::ms));
    let limit_ms = (usual_ms * FACTOR)
        .max(usual_ms + DEVIATIONS * deviation)
        .max(usual_ms + LEAST_PART * frame_ms);
    let neighbor_ms = |at: usize, number: u64| {
        let neighbor = times.get(at).filter(|(other, _)| *other == number);
        neighbor.map_or(0.0, |(_, ms)| *ms)
    };
    let is_spike = |at: usize| {
        let (number, ms) = times[at];
        // If two frames are equally long, the first is the spike.
        ms > limit_ms
            && ms > neighbor_ms(at.wrapping_sub(1), number - 1)
            && ms >= neighbor_ms(at + 1, number + 1)
    };
    let spikes = (0..times.len()).filter(|at| is_spike(*at));
    spikes.map(|at| times[at].0).collect()
}

/// Returns, for each thread in view, which of its nodes count toward the row's time.
fn nodes_of(profiler: &Profiler, view: &View, row: RowKey) -> Vec<(u32, Vec<bool>)> {
    let key = ZoneKey {
        zone: row.zone,
        level: row.level,
    };
    let found = match view.recursion {
        Recursion::Flatten => Some(key.zone),
        Recursion::Spread => profiler.indices().find_spread(key),
    };
    let is_self = view.report_mode == ReportMode::SelfTime;
    let is_idle_outside = row == RowKey::idle_outside_zones(GLOBAL);
    let mut threads = profiler.threads_in_view(view.threads());
    if is_self && row.zone == GLOBAL || is_idle_outside {
        threads.retain(|at| profiler.is_idle_outside_zones(*at) == is_idle_outside);
    }
    let nodes = |at: usize| {
        let mut is_counted: Vec<bool> = Vec::new();
        // Nodes come after their parents, so a parent's entry is already known.
        for (node, number) in profiler.threads()[at].tree().nodes().iter().zip(0..) {
            let is_below = |parent: u32| parent < number && is_counted[parent as usize];
            let is_inside = !is_self && !is_idle_outside && is_below(node.parent);
            is_counted.push(is_inside || Some(view.recursion.row_of(node)) == found);
        }
        (at as u32, is_counted)
    };
    threads.into_iter().map(nodes).collect()
}
