//! Builds what `snapshot` and `dump` return: all data recorded so far, as plain data or as text, at
//! any moment and without ending a frame.
//!
//! The data of recorded frames is in the [`totals`](crate::process::frame::session_totals). The data of the
//! frame in progress comes from ending that frame on a copy of each thread's tree. So a snapshot cannot
//! change frames, averages, or the estimates of sampled times, by construction. (If a budget must be
//! kept without frames, the frame is [ingested](crate::process::frame::first_frame) by intervals; the
//! same holds for the last interval.)

use crate::about::About;
use crate::clock::Pair;
use crate::gather::{self, ThreadRecord, mode};
use crate::memory::can_allocate;
use crate::process::frame::memory;
use crate::process::frame::profiler::Profiler;
use crate::process::program::{Program, with_program};
use crate::sample;
use crate::snapshot::{Snapshot, SnapshotNode, SnapshotThread, SnapshotZone};
use crate::timing::Timing;
#[cfg(any(feature = "environment", feature = "http"))]
use std::collections::HashSet;

/// A snapshot of everything recorded so far, on every thread, since the program's start or the last
/// [`reset`](crate::reset). Call it at any moment, from any thread, with zones open; their time so far
/// is included. No thread that records waits for it.
///
/// It holds all frames that [`update`](crate::update) recorded, and the data since the last frame. The
/// data since the last frame is left out if that last frame was discarded, because profiling is paused
/// then. A program that never calls `update` has a single frame that does not end; of that frame, only
/// the time while timing was [off](crate::Timing::Off) is discarded.
///
/// With [GPU zones](crate::gpu_zone!) there is a thread `GPU`. It holds the GPU times that have arrived
/// for recorded frames; they arrive some frames late.
///
/// Sampled times have standard errors. Two snapshots tell what was recorded between them:
/// [`Snapshot::since`].
///
/// Memory and time are proportional to the number of stacks ever seen, entered or not: 10 to 40 ns
/// each, during which an `update` on another thread waits. Threads get their turns in the order in which they
/// ask: where others take snapshots in a loop, an `update` waits for one of each. The snapshot is empty without the feature
/// `enable`, and if the system has no memory for it.
///
/// ```
/// fn work() {
///     iprof::zone!(work);
/// }
/// work();
/// let earlier = iprof::snapshot();
/// work();
/// let since = iprof::snapshot().since(&earlier);
/// # #[cfg(feature = "enable")]
/// assert_eq!(since.threads[0].nodes[1].entries, 1);
/// ```
#[must_use]
pub fn snapshot() -> Snapshot {
    if !super::IS_RECORDING_POSSIBLE {
        return Snapshot::default();
    }
    try_snapshot().unwrap_or_else(|| Snapshot {
        about: About::this_process(),
        ..Snapshot::default()
    })
}

/// As [`snapshot`]; `None` if the system has no memory for it.
pub(crate) fn try_snapshot() -> Option<Snapshot> {
    let snapshot = with_program(|program| {
        program.with_records(sample::try_take, |profiler, records, now| {
            let has_room = profiler.has_room_for_snapshot(records);
            let was_off = mode::has_been_off() || profiler.timing() == Timing::Off;
            has_room.then(|| snapshot_of(profiler, records, now, was_off))
        })
    });
    Some(Snapshot {
        about: About::this_process(),
        ..snapshot?
    })
}

/// The numbers of nodes and of zones that a snapshot would have now, for callers that must allocate
/// before they take it.
#[cfg(any(feature = "environment", feature = "http"))]
pub(crate) fn recorded_size() -> (usize, usize) {
    if !super::IS_RECORDING_POSSIBLE {
        return (0, 0);
    }
    with_program(|program| {
        let (profiler, records) = program.profiler_and_records();
        let (mut nodes, mut new_zones) = (0, HashSet::new());
        for (at, record) in records.iter().enumerate() {
            let count = record.node_count();
            nodes += count as usize;
            // Nodes that no frame has ingested yet.
            let thread = profiler.threads().get(at);
            let known = thread.map_or(0, |thread| thread.tree().nodes().len());
            let new = (known as u32..count).filter_map(|node| record.node(node));
            new_zones.extend(new.map(|node| std::ptr::from_ref(node.zone())));
        }
        (nodes, profiler.indices().zone_count() + new_zones.len())
    })
}

/// Everything recorded so far as text, for a console or a log: [`Snapshot::write_tree`] of a
/// [`snapshot`]. Call it at any moment, from any thread; no thread that records waits for it. Without
/// the feature `enable` it lists no threads.
///
/// To measure one part of a program's run, call [`reset`](crate::reset) before it, and this after it.
///
/// ```
/// iprof::reset();
/// {
///     iprof::zone!(load);
/// }
/// let text = iprof::dump();
/// # #[cfg(feature = "enable")]
/// assert!(text.contains("load"));
/// print!("{text}");
/// ```
#[must_use]
pub fn dump() -> String {
    let recorded = snapshot();
    let nodes: usize = recorded
        .threads
        .iter()
        .map(|thread| thread.nodes.len())
        .sum();
    if !can_allocate(IN_DUMP * (nodes + 64)) {
        return memory::NO_DUMP.to_owned();
    }
    let mut text = Vec::new();
    // Writing to memory never fails.
    let _ = recorded.write_tree(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Most bytes of memory that a node needs in the text and while it is written.
const IN_DUMP: usize = 1_024;

/// In a program that does not call `update`: records the data so far, or discards it.
pub(super) fn record_or_discard(program: &mut Program, is_recorded: bool) {
    program.with_records(sample::try_take, |profiler, records, now| {
        profiler.end_outside_frames(records, now, is_recorded);
    });
}

/// See [`snapshot`]. `records` as for [`Profiler::end_frame`]. With `was_off`, the data since the
/// last frame will be discarded.
pub(super) fn snapshot_of(
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
    Snapshot {
        threads,
        zones: profiler.indices().zones().map(zone).collect(),
        ns_per_tick: profiler.frame_clock().ms_per_tick() * 1e6,
        ticks: since_reset
            .ticks
            .wrapping_add(open.map_or(0, |time| time.ticks)),
        frames: since_reset.frames,
        resets: since_reset.resets,
        ..Snapshot::default()
    }
}

/// A thread's data in all recorded frames, and with `until` also in the frame in progress up to
/// that moment.
pub(super) fn thread_at(profiler: &mut Profiler, at: usize, until: Option<Pair>) -> SnapshotThread {
    let totals = profiler.totals_of(at, until);
    let nodes = totals.iter().map(|(node, totals)| SnapshotNode {
        parent: node.parent,
        zone: node.zone,
        entries: totals.entries,
        ticks: totals.ticks,
        error: totals.error,
        samples: totals.hits,
    });
    SnapshotThread {
        nodes: nodes.collect(),
        has_ended: profiler.has_ended(at),
        is_idle_outside_zones: profiler.is_idle_outside_zones(at),
        ..SnapshotThread::new(&profiler.threads()[at].name())
    }
}

/// A zone of a snapshot. `(outside zones)` has no source location.
pub(super) fn zone(zone: &'static crate::Zone) -> SnapshotZone {
    if std::ptr::eq(zone, &gather::GLOBAL) {
        return SnapshotZone::new(&zone.label(), "", 0);
    }
    let mut of_snapshot = SnapshotZone::new(&zone.label(), zone.file(), zone.line());
    of_snapshot.is_idle = zone.is_idle();
    of_snapshot
}
