//! Builds the snapshot of a remembered frame.

use crate::process::NONE;
use crate::process::frame::profiler::Profiler;
use crate::process::frame::thread::Thread;
use crate::process::snapshots::builder::zone;
use crate::process::untimed::{NodeDelta, NodeVariances};
use crate::process::zone_key::GLOBAL;
use crate::snapshot::{
    FrameSnapshot, Snapshot, SnapshotNode, SnapshotThread, SnapshotValue, SnapshotZone,
};
use std::collections::HashSet;

/// The snapshot of the first remembered frame within these numbers, both included.
pub(in crate::process) fn frame_snapshot(
    profiler: &Profiler,
    first: u64,
    last: u64,
) -> Option<FrameSnapshot> {
    let frame = profiler.history().between(first, last).next()?;
    let mut zones = Zones::new(profiler);
    // The zone of the root comes first, whether or not there are threads.
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

/// A thread's nodes with data in a frame, and their ancestors; and the sums of values.
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
    let mut values = Vec::new();
    for delta in deltas {
        if let Some(value) = value_at(delta.node) {
            let parent = position(tree[delta.node as usize].parent) as u32;
            values.push(SnapshotValue::new(
                parent,
                value as u32,
                delta.entries as i64,
            ));
            continue;
        }
        let node = &mut nodes[position(delta.node)];
        (node.ticks, node.entries) = (delta.ticks, delta.entries);
    }
    let of_zones = deltas.iter().filter(|delta| value_at(delta.node).is_none());
    add_errors(&mut nodes, of_zones, position);
    (nodes, values)
}

/// Sets the standard errors of times, in ticks; `position` maps a node to its index in the snapshot.
fn add_errors<'d>(
    nodes: &mut [SnapshotNode],
    deltas: impl Iterator<Item = &'d NodeDelta>,
    position: impl Fn(u32) -> usize,
) {
    let times: Vec<f64> = nodes.iter().map(|node| node.ticks as f64).collect();
    let errors = deltas.map(|delta| (position(delta.node), f64::from(delta.error)));
    let parent = |node: usize| nodes[node].parent as usize;
    let Some(sampled) = NodeVariances::of_errors(&times, parent, errors) else {
        return;
    };
    for (at, node) in nodes.iter_mut().enumerate() {
        node.error = sampled.error(at, times[at]);
    }
}
