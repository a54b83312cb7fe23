//! Everything that was recorded, at any moment: taken without ending a frame.
//!
//! What frames that were kept got is known ([`totals`](super::totals)). What the frame that is being
//! recorded has got so far is found by ending it on a copy of each thread's tree. So a snapshot
//! leaves no trace in frames, averages, or what is learned of sampled times, by construction.
//! (Where a budget has to be kept without frames, that one is [taken in](super::first_frame) by
//! stretches; of the last stretch holds the same.)

use super::core::Process;
use super::growth;
use super::{with_process, with_records};
use crate::about::About;
use crate::clock::{self, Pair};
use crate::gather::{self, ThreadRecord, switch};
use crate::memory::can_allocate;
use crate::sample;
use crate::snapshot::{Snapshot, SnapshotNode, SnapshotThread, SnapshotZone};
use crate::timing::Timing;
#[cfg(any(feature = "environment", feature = "http"))]
use std::collections::HashSet;

/// Everything that was recorded up to now, on every thread, since the program's start or the last
/// [`reset`](crate::reset): at any moment, from any thread, with zones open, whose time so far is in
/// it. Nothing is stopped for it, and frames go on as if it had not been taken.
///
/// In it are all frames that [`update`](crate::update) has kept, and what has been recorded since
/// the last one; but not this if that frame was thrown away, because then the program is paused. A
/// program that never calls `update` has all of it in one frame that does not end. What is thrown
/// away of that is the time while timing was [off](crate::Timing::Off).
///
/// The GPU is a thread `GPU`, once there are [GPU zones](crate::gpu_zone!): what it did in kept frames
/// of which that is known by now, which it is some frames later.
///
/// Sampled times come with their errors. Two snapshots tell what was recorded between them:
/// [`Snapshot::since`].
///
/// It takes memory and time by the number of stacks there are, entered or not: 10 to 40 ns each, in
/// which an `update` on another thread waits. Without the feature `enable` it is empty, and
/// where the system has no memory for it.
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
pub fn snapshot() -> Snapshot {
    if !super::is_recording_possible() {
        return Snapshot::default();
    }
    let mut snapshot = with_process(|process| {
        with_records(
            process,
            sample::take_unless_busy,
            |process, records, now| {
                if !process.has_room_for_snapshot(records) {
                    return Snapshot::default();
                }
                let was_off = switch::has_been_off() || process.timing == Timing::Off;
                process.snapshot(records, now, was_off)
            },
        )
    });
    snapshot.about = About::this_process();
    snapshot
}

/// How many nodes and zones a snapshot of now would have, for who has to know before it is taken.
#[cfg(any(feature = "environment", feature = "http"))]
pub(crate) fn recorded_size() -> (usize, usize) {
    if !super::is_recording_possible() {
        return (0, 0);
    }
    with_process(|process| {
        let mut records = std::mem::take(&mut process.records);
        gather::complete(&mut records);
        let (mut nodes, mut new_zones) = (0, HashSet::new());
        for (at, record) in records.iter().enumerate() {
            let count = record.node_count();
            nodes += count as usize;
            // Those that no frame has seen yet.
            let known = process
                .threads
                .get(at)
                .map_or(0, |of| of.tree.nodes().len());
            let new = (known as u32..count).filter_map(|node| record.node(node));
            new_zones.extend(new.map(|node| std::ptr::from_ref(node.zone())));
        }
        process.records = records;
        (nodes, process.names.zone_count() + new_zones.len())
    })
}

/// All that was recorded up to now as text, for a console or a log: the trees that
/// [`Snapshot::write_tree`] writes of a [`snapshot`]. At any moment, from any thread; nothing is
/// stopped for it, and frames go on. Without the feature `enable` there are no threads in it.
///
/// With [`reset`](crate::reset) before what is of interest, and this after it, a part of a program's
/// run is measured by itself.
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
pub fn dump() -> String {
    let recorded = snapshot();
    let nodes: usize = recorded
        .threads
        .iter()
        .map(|thread| thread.nodes.len())
        .sum();
    if !can_allocate(IN_DUMP * (nodes + 64)) {
        return growth::NO_DUMP.to_owned();
    }
    let mut text = Vec::new();
    // Memory takes all that is written to it.
    let _ = recorded.write_tree(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Bytes that a node takes as text, at most, and while it is written.
const IN_DUMP: usize = 1_024;

/// Of a program that does not call `update`, what it did so far is kept, or thrown away.
pub(super) fn set_apart(process: &mut Process, keep: bool) {
    with_records(
        process,
        sample::take_unless_busy,
        |process, records, now| {
            process.set_apart(records, now, keep);
        },
    );
}

impl Process {
    /// See [`snapshot`]. `records` is as for [`update`](Self::update); with `was_off`, what was
    /// recorded since the last frame is going to be thrown away.
    pub(crate) fn snapshot(
        &mut self,
        records: &[&'static ThreadRecord],
        now: Pair,
        was_off: bool,
    ) -> Snapshot {
        self.rate.observe(now);
        self.meet(records);
        self.unite_hits();
        let goes_on = !(self.paused || was_off);
        let frame = goes_on.then(|| {
            let ms_per_tick = self.rate.ms_per_tick_between(self.boundary, now);
            (now.ticks, ms_per_tick)
        });
        let open_ticks = frame.map_or(0, |(now, _)| clock::passed(self.boundary.ticks, now));
        let mut threads = Vec::with_capacity(self.threads.len());
        for at in 0..self.threads.len() {
            threads.push(self.thread_at(at, frame));
        }
        let mut snapshot = Snapshot {
            threads,
            zones: self.names.zones().map(zone).collect(),
            ..Snapshot::default()
        };
        if snapshot.zones.is_empty() {
            snapshot.zones = Snapshot::default().zones;
        }
        snapshot.ns_per_tick = self.rate.ms_per_tick() * 1e6;
        snapshot.ticks = self.kept_ticks.wrapping_add(open_ticks);
        snapshot.frames = self.kept_frames;
        snapshot.resets = self.resets;
        snapshot
    }

    /// What a thread did in all that was kept, and with `frame` up to then in the one that goes on.
    pub(super) fn thread_at(&mut self, at: usize, frame: Option<(u64, f64)>) -> SnapshotThread {
        let hits = self.hits.iter().filter(|(thread, ..)| *thread == at as u32);
        let tree = &mut self.threads[at].tree;
        let totals = tree.totals(
            frame,
            hits.map(|(_, node, count)| (*node, *count)),
            &mut self.names,
        );
        let name = self.threads[at].name();
        let nodes = totals.iter().map(|(node, totals)| SnapshotNode {
            parent: node.parent,
            zone: node.zone,
            entries: totals.entries,
            ticks: totals.ticks,
            error: totals.error,
            samples: totals.hits,
        });
        let mut nodes: Vec<SnapshotNode> = nodes.collect();
        if self.gpu.is(at as u32) {
            // Nobody counts there while it happens: it is known later, frame by frame.
            for (at, node) in nodes.iter_mut().enumerate() {
                (node.ticks, node.entries) = self.gpu_total(at);
            }
        }
        SnapshotThread {
            nodes,
            has_ended: self.has_ended(at),
            ..SnapshotThread::new(&name)
        }
    }

    /// Whether a thread has ended, and none of its name has begun since. The GPU does not.
    pub(super) fn has_ended(&self, at: usize) -> bool {
        !(self.threads[at].tree.record().is_owned() || self.gpu.is(at as u32))
    }
}

/// `_global` is in no file of the program.
pub(super) fn zone(zone: &'static crate::Zone) -> SnapshotZone {
    if std::ptr::eq(zone, &gather::GLOBAL) {
        return SnapshotZone::new(&zone.label(), "", 0);
    }
    SnapshotZone::new(&zone.label(), zone.file(), zone.line())
}
