//! Builds snapshots of everything recorded so far, and snapshots of remembered frames.
//!
//! Data from past frames comes from the [`totals`](crate::session::totals). To include the frame in progress, that
//! frame is ended on a copy of each thread's tree, so taking a snapshot can't change frames, averages or estimates.

use crate::NONE;
use crate::about::About;
use crate::indices::GLOBAL;
use crate::profiler::Profiler;
use crate::snapshot::ZoneBudget;
use crate::snapshot::{
    FrameSnapshot, Snapshot, SnapshotNode, SnapshotThread, SnapshotValue, SnapshotZone,
};
use crate::thread::Thread;
use crate::untimed_nodes::{NodeDelta, NodeVariances};
use iprof_gather::clock::Pair;
use iprof_gather::{self as gather, ThreadRecord};
use std::collections::HashSet;
use std::ops::{Bound, RangeBounds};

/// Implements [`snapshot`](fn.snapshot.html). If `was_off` is set, the data since the last frame is going to be
/// discarded.
pub fn snapshot_of(
    profiler: &mut Profiler,
    records: &[&'static ThreadRecord],
    now: Pair,
    was_off: bool,
) -> Snapshot {
    profiler.catch_up(records, now);
    let has_open_frame = !(profiler.is_paused() || was_off);
    let until = has_open_frame.then_some(now);
    let open_time = until.map(|now| profiler.frame_clock().time_until(now));
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
            .wrapping_add(open_time.map_or(0, |time| time.ticks)),
        frames: since_reset.frames,
        resets: since_reset.reset_count,
        ..Snapshot::default()
    }
}

fn budgets(profiler: &Profiler) -> Vec<(u32, ZoneBudget)> {
    let budgets = profiler.zone_budgets();
    let of = |zone: u32| Some((zone_at(profiler, zone), budgets.zone_budget(zone)?));
    budgets.zones().filter_map(of).collect()
}

/// Converts a zone's index to its index in a snapshot. Snapshots don't list named values as zones.
fn zone_at(profiler: &Profiler, zone: u32) -> u32 {
    let values = profiler.indices().values();
    zone - values.partition_point(|value| *value < zone) as u32
}

/// Returns a thread's data from all recorded frames. If `until` is set, includes the frame in progress up to that
/// moment.
pub fn thread_at(profiler: &mut Profiler, at: usize, until: Option<Pair>) -> SnapshotThread {
    let totals = profiler.totals_of(at, until);
    // Value zones in ascending order. Zones after a value move up by one, because the value's own zone is left out.
    let all_values = profiler.indices().values();
    let (mut nodes, mut values) = (Vec::with_capacity(totals.len()), Vec::new());
    // The position of each node among the nodes that are not values.
    let mut positions: Vec<u32> = Vec::with_capacity(totals.len());
    for (node, totals) in &totals {
        positions.push(nodes.len() as u32);
        let parent = positions[node.parent as usize];
        match all_values.binary_search(&node.zone) {
            Ok(value) => {
                let steps = totals.entries as i64;
                values.push(SnapshotValue {
                    node: parent,
                    value: value as u32,
                    steps,
                });
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

/// Returns a zone of a snapshot. `(outside zones)` has no source location.
pub fn zone(zone: &'static iprof_gather::Zone) -> SnapshotZone {
    if std::ptr::eq(zone, &gather::GLOBAL) {
        return SnapshotZone::new(&zone.label(), "", 0);
    }
    SnapshotZone {
        is_idle: zone.is_idle(),
        is_own: zone.is_own(),
        ..SnapshotZone::new(&zone.label(), zone.file(), zone.line())
    }
}

/// Returns a snapshot of the first remembered frame between `first` and `last`, inclusive.
pub fn frame_snapshot(profiler: &Profiler, first: u64, last: u64) -> Option<FrameSnapshot> {
    let frame = profiler.history().between(first, last).next()?;
    let mut zones = Zones::new(profiler);
    // The root's zone comes first, even if there are no threads.
    zones.number(GLOBAL);
    let threads = profiler.threads().iter().enumerate().map(|(at, thread)| {
        let deltas = frame.deltas_of(at as u32);
        let (nodes, values) = nodes(profiler, deltas, thread, &mut zones);
        SnapshotThread {
            has_ended: profiler.has_ended(at),
            is_gpu: profiler.is_gpu(at as u32),
            is_idle_outside_zones: profiler.is_idle_outside_zones(at),
            nodes,
            values,
            ..SnapshotThread::new(&thread.name())
        }
    });
    let recorded = Snapshot {
        threads: threads.collect(),
        zones: zones.found,
        values: profiler.indices().value_infos().collect(),
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

struct Zones<'a> {
    profiler: &'a Profiler,
    /// New zone numbers, indexed by old number. [`NONE`] if the zone isn't in the frame.
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

/// Returns a thread's nodes that have data in a frame, with their ancestors, and the sums of values.
fn nodes(
    profiler: &Profiler,
    deltas: &[NodeDelta],
    thread: &Thread,
    zones: &mut Zones<'_>,
) -> (Vec<SnapshotNode>, Vec<SnapshotValue>) {
    let tree = thread.tree().nodes();
    let (all_values, value_nodes) = (profiler.indices().values(), thread.tree().value_nodes());
    let value_at = |node: u32| {
        let at = value_nodes.binary_search_by_key(&node, |at| at.0).ok()?;
        all_values.binary_search(&value_nodes[at].1).ok()
    };
    let mut wanted = HashSet::from([0]);
    for delta in deltas {
        let mut at = match value_at(delta.node) {
            Some(_) => tree[delta.node as usize].parent,
            None => delta.node,
        };
        // If a node is in the set, so are all of its ancestors.
        while wanted.insert(at) {
            at = tree[at as usize].parent;
        }
    }
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
    let mut values = Vec::new();
    for delta in deltas {
        if let Some(value) = value_at(delta.node) {
            let parent = position(tree[delta.node as usize].parent) as u32;
            values.push(SnapshotValue {
                node: parent,
                value: value as u32,
                steps: delta.entries as i64,
            });
            continue;
        }
        let node = &mut nodes[position(delta.node)];
        (node.ticks, node.entries) = (delta.ticks, delta.entries);
    }
    let times: Vec<f64> = nodes.iter().map(|node| node.ticks as f64).collect();
    let of_zones = deltas.iter().filter(|delta| value_at(delta.node).is_none());
    let errors = of_zones.map(|delta| (position(delta.node), f64::from(delta.error)));
    let parent = |node: usize| nodes[node].parent as usize;
    if let Some(sampled) = NodeVariances::of_errors(&times, parent, errors) {
        for (at, node) in nodes.iter_mut().enumerate() {
            node.error = sampled.error(at, times[at]);
        }
    }
    (nodes, values)
}

/// An iterator over remembered frames from oldest to newest, returned by [`frame_snapshots`](fn.frame_snapshots.html).
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct FrameSnapshots {
    first: u64,
    end: u64,
    about: About,
    fetch: fn(u64, u64) -> Option<FrameSnapshot>,
}

#[doc(hidden)]
impl FrameSnapshots {
    /// Returns an iterator over this process's frames in a range of numbers.
    pub fn new(
        numbers: impl RangeBounds<u64>,
        fetch: fn(u64, u64) -> Option<FrameSnapshot>,
    ) -> FrameSnapshots {
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
            fetch,
        }
    }
}

impl Iterator for FrameSnapshots {
    type Item = FrameSnapshot;

    fn next(&mut self) -> Option<FrameSnapshot> {
        if self.first >= self.end {
            return None;
        }
        let mut next = (self.fetch)(self.first, self.end - 1)?;
        self.first = next.number + 1;
        next.recorded.about = self.about.clone();
        Some(next)
    }
}
