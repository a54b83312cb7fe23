//! Builds snapshots: all data recorded so far as plain data, at any moment and without ending a frame.
//!
//! The data of recorded frames is in the [`totals`](crate::process::frame::session::totals). The data of the
//! frame in progress comes from ending that frame on a copy of each thread's tree. So a snapshot cannot
//! change frames, averages, or the estimates of sampled times, by construction.

use crate::clock::Pair;
use crate::gather::{self, ThreadRecord, mode};
use crate::process::frame::profiler::Profiler;
use crate::process::program::{self, Program};
use crate::sample;
use crate::snapshot::{
    Snapshot, SnapshotBudget, SnapshotNode, SnapshotThread, SnapshotValue, SnapshotZone,
};
use crate::timing::Timing;

/// What has been recorded so far.
pub(super) fn snapshot() -> Snapshot {
    let mut program = program::lock();
    let (profiler, records, now) = program.records_now(sample::try_take);
    let was_off = mode::has_been_off() || profiler.timing() == Timing::Off;
    snapshot_of(profiler, records, now, was_off)
}

/// In a program that does not call `update`: records the data so far, or discards it.
pub(in crate::process) fn record_or_discard(program: &mut Program, is_recorded: bool) {
    let (profiler, records, now) = program.records_now(sample::try_take);
    profiler.end_outside_frames(records, now, is_recorded);
}

/// See [`snapshot`](crate::snapshot). `records` as for [`Profiler::end_frame`]. With `was_off`, the data since the
/// last frame will be discarded.
pub(in crate::process) fn snapshot_of(
    profiler: &mut Profiler,
    records: &[&'static ThreadRecord],
    now: Pair,
    was_off: bool,
) -> Snapshot {
    profiler.catch_up(records, now);
    let goes_on = !(profiler.is_paused() || was_off);
    let until = goes_on.then_some(now);
    let open = until.map(|now| profiler.frame_clock().time_until(now));
    let threads = 0..profiler.threads().len();
    let threads = threads.map(|at| thread_at(profiler, at, until)).collect();
    let since_reset = profiler.since_reset();
    let zones = profiler.indices().zones();
    let zones = zones.filter(|zone| zone.unit().is_none()).map(zone);
    Snapshot {
        threads,
        zones: zones.collect(),
        values: profiler.indices().value_infos().collect(),
        budgets: budgets(profiler),
        ns_per_tick: profiler.frame_clock().ms_per_tick() * 1e6,
        ticks: since_reset
            .ticks
            .wrapping_add(open.map_or(0, |time| time.ticks)),
        frames: since_reset.frames,
        resets: since_reset.resets,
        ..Snapshot::default()
    }
}

fn budgets(profiler: &Profiler) -> Vec<SnapshotBudget> {
    let budgets = profiler.zone_budgets();
    let of = |zone: u32| {
        let budget = budgets.of(zone)?;
        let limit_ns = budget.limit.as_nanos() as u64;
        let counts = [budget.frames, budget.misses];
        let zone = zone_at(profiler, zone);
        Some(SnapshotBudget::new(zone, limit_ns, counts))
    };
    budgets.zones().filter_map(of).collect()
}

/// Where a zone is in a snapshot, which has those that are no values.
fn zone_at(profiler: &Profiler, zone: u32) -> u32 {
    let values = profiler.indices().values();
    zone - values.partition_point(|value| *value < zone) as u32
}

/// A thread's data in all recorded frames, and with `until` also in the frame in progress up to
/// that moment.
pub(in crate::process) fn thread_at(
    profiler: &mut Profiler,
    at: usize,
    until: Option<Pair>,
) -> SnapshotThread {
    let totals = profiler.totals_of(at, until);
    // In rising order. What follows a value in a list moves up.
    let all_values = profiler.indices().values();
    let (mut nodes, mut values) = (Vec::with_capacity(totals.len()), Vec::new());
    // By node: its position among those that are no values.
    let mut positions: Vec<u32> = Vec::with_capacity(totals.len());
    for (node, totals) in &totals {
        positions.push(nodes.len() as u32);
        let parent = positions[node.parent as usize];
        match all_values.binary_search(&node.zone) {
            Ok(value) => {
                let steps = totals.entries as i64;
                values.push(SnapshotValue::new(parent, value as u32, steps));
            }
            Err(_) => nodes.push(SnapshotNode {
                parent,
                zone: zone_at(profiler, node.zone),
                entries: totals.entries,
                ticks: totals.ticks,
                error: totals.error,
                samples: totals.hits,
            }),
        }
    }
    SnapshotThread {
        nodes,
        values,
        has_ended: profiler.has_ended(at),
        is_gpu: profiler.is_gpu(at as u32),
        is_idle_outside_zones: profiler.is_idle_outside_zones(at),
        ..SnapshotThread::new(&profiler.threads()[at].name())
    }
}

/// A zone of a snapshot. `(outside zones)` has no source location.
pub(in crate::process) fn zone(zone: &'static crate::Zone) -> SnapshotZone {
    if std::ptr::eq(zone, &gather::GLOBAL) {
        return SnapshotZone::new(&zone.label(), "", 0);
    }
    let mut of_snapshot = SnapshotZone::new(&zone.label(), zone.file(), zone.line());
    of_snapshot.is_idle = zone.is_idle();
    of_snapshot.is_own = zone.is_own();
    of_snapshot
}
