//! Snapshots of remembered frames, one by one, for export.

use crate::about::About;
use crate::process::IS_RECORDING_POSSIBLE;
use crate::process::NONE;
use crate::process::delta::NodeDelta;
use crate::process::frame::indices::GLOBAL;
use crate::process::frame::profiler::Profiler;
use crate::process::frame::thread::Thread;
use crate::process::program::with_profiler;
use crate::process::snapshots::zone;
use crate::process::untimed::NodeVariances;
use crate::snapshot::{FrameSnapshot, Snapshot, SnapshotNode, SnapshotThread, SnapshotZone};
use std::collections::HashSet;
use std::ops::{Bound, RangeBounds};

/// Snapshots of the remembered frames with these numbers, oldest first: of the newest frames, as many
/// as [`set_history`](crate::set_history) says, and of those kept longer because they are among the
/// [longest](crate::set_longest_frames) or [marked](crate::mark). So the numbers may have gaps.
///
/// The iterator fetches each frame on demand, and an `update` waits for that frame alone. It skips frames that
/// were forgotten before it reached them; with an open range it includes frames recorded in the
/// meantime. A snapshot holds the data that the frame's report shows: exactly to the tick, times and
/// entries of every stack that was entered or had time in the frame. Samples are not remembered by
/// frame, so the nodes' `samples` are 0. Without the feature `enable` there are no frames.
///
/// ```
/// for _ in 0..3 {
///     iprof::zone!(frame);
///     iprof::update(true);
/// }
/// for frame in iprof::frame_snapshots(2..) {
///     println!("frame {}: {} ticks", frame.number, frame.recorded.ticks);
/// }
/// ```
pub fn frame_snapshots(numbers: impl RangeBounds<u64>) -> FrameSnapshots {
    let first = match numbers.start_bound() {
        Bound::Included(first) => *first,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match numbers.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => u64::MAX,
    };
    FrameSnapshots {
        first,
        end,
        about: About::this_process(),
    }
}

/// An iterator over remembered frames, oldest first: see [`frame_snapshots`].
#[derive(Clone, Debug)]
#[must_use = "an iterator does nothing until it is advanced"]
pub struct FrameSnapshots {
    /// The least possible number of the next frame.
    first: u64,
    /// The end of the numbers, exclusive.
    end: u64,
    about: About,
}

impl Iterator for FrameSnapshots {
    type Item = FrameSnapshot;

    fn next(&mut self) -> Option<FrameSnapshot> {
        if !IS_RECORDING_POSSIBLE || self.first >= self.end {
            return None;
        }
        let mut next =
            with_profiler(|profiler| frame_snapshot(profiler, self.first, self.end - 1))?;
        self.first = next.number + 1;
        next.recorded.about = self.about.clone();
        Some(next)
    }
}

/// The number of the newest frame; 0 before the first one ends.
#[cfg(any(
    feature = "http",
    all(unix, feature = "environment", feature = "signal")
))]
pub(crate) fn newest_frame() -> u64 {
    match IS_RECORDING_POSSIBLE {
        true => with_profiler(|profiler| profiler.frames()),
        false => 0,
    }
}

/// The snapshot of the first remembered frame within these numbers, both included.
pub(super) fn frame_snapshot(profiler: &Profiler, first: u64, last: u64) -> Option<FrameSnapshot> {
    let frame = profiler.history().between(first, last).next()?;
    if !profiler.has_room_for_snapshot(&[]) {
        return None;
    }
    let mut zones = Zones::new(profiler);
    // The zone of the root comes first, whether or not there are threads.
    zones.number(GLOBAL);
    let threads = profiler.threads().iter().enumerate().map(|(at, thread)| {
        let deltas = frame.deltas_of(at as u32);
        SnapshotThread {
            has_ended: profiler.has_ended(at),
            is_idle_outside_zones: profiler.is_idle_outside_zones(at),
            nodes: nodes(deltas, thread, &mut zones),
            ..SnapshotThread::new(&thread.name())
        }
    });
    let recorded = Snapshot {
        threads: threads.collect(),
        zones: zones.found,
        ns_per_tick: frame.ms_per_tick * 1e6,
        ticks: frame.ticks,
        frames: 1,
        ..Snapshot::default()
    };
    let marks = profiler.history().marks().iter();
    let marks = marks.filter(|mark| mark.frame == frame.number);
    Some(FrameSnapshot {
        number: frame.number,
        begin_ns: frame.begin_ns,
        marks: marks.map(|mark| mark.name.clone()).collect(),
        recorded,
    })
}

/// The zones of a frame, renumbered.
struct Zones<'a> {
    profiler: &'a Profiler,
    /// By old number: the new one, or [`NONE`] if the frame does not have the zone.
    new: Vec<u32>,
    found: Vec<SnapshotZone>,
}

impl Zones<'_> {
    fn new(profiler: &Profiler) -> Zones<'_> {
        Zones {
            profiler,
            new: vec![NONE; profiler.indices().zone_count()],
            found: Vec::new(),
        }
    }

    fn number(&mut self, old: u32) -> u32 {
        let new = &mut self.new[old as usize];
        if *new == NONE {
            *new = self.found.len() as u32;
            self.found.push(zone(self.profiler.indices().at(old)));
        }
        *new
    }
}

/// A thread's nodes with data in a frame, and their ancestors.
fn nodes(deltas: &[NodeDelta], thread: &Thread, zones: &mut Zones<'_>) -> Vec<SnapshotNode> {
    let tree = thread.tree().nodes();
    let mut wanted = HashSet::from([0]);
    for delta in deltas {
        let mut at = delta.node;
        // Below a node that is wanted already, all are.
        while wanted.insert(at) {
            at = tree[at as usize].parent;
        }
    }
    // A parent has a smaller number than its children.
    let mut wanted: Vec<u32> = wanted.into_iter().collect();
    wanted.sort_unstable();
    let position = |node: u32| wanted.binary_search(&node).unwrap_or_default();
    let mut nodes: Vec<SnapshotNode> = wanted
        .iter()
        .map(|node| SnapshotNode {
            parent: position(tree[*node as usize].parent) as u32,
            zone: zones.number(tree[*node as usize].zone),
            ..SnapshotNode::default()
        })
        .collect();
    for delta in deltas {
        let node = &mut nodes[position(delta.node)];
        (node.ticks, node.entries) = (delta.ticks, delta.entries);
    }
    add_errors(&mut nodes, deltas, position);
    nodes
}

/// Sets the standard errors of times, in ticks; `position` maps a node to its index in the snapshot.
fn add_errors(nodes: &mut [SnapshotNode], deltas: &[NodeDelta], position: impl Fn(u32) -> usize) {
    let times: Vec<f64> = nodes.iter().map(|node| node.ticks as f64).collect();
    let errors = deltas.iter();
    let errors = errors.map(|delta| (position(delta.node), f64::from(delta.error)));
    let parent = |node: usize| nodes[node].parent as usize;
    let Some(sampled) = NodeVariances::of_errors(&times, parent, errors) else {
        return;
    };
    for (at, node) in nodes.iter_mut().enumerate() {
        node.error = sampled.error(at, times[at]);
    }
}
