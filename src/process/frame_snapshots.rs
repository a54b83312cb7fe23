//! Remembered frames as plain data, one by one: for who writes them to a file.

use super::core::{Process, Thread};
use super::history::Sample;
use super::snapshots::zone;
use super::spread::Sampled;
use super::tree::{NONE, TreeNode};
use super::zones::GLOBAL;
use super::{is_recording_possible, with_process};
use crate::about::About;
use crate::snapshot::{FrameSnapshot, Snapshot, SnapshotNode, SnapshotThread, SnapshotZone};
use std::ops::{Bound, RangeBounds};

/// What was recorded in each of the remembered frames of these numbers, from old to new: the newest
/// ones, as many as [`set_history`](crate::set_history) says, and those that stay because they are
/// among the [longest](crate::set_worst_frames) or [marked](crate::mark). So there may be gaps in
/// the numbers.
///
/// Each is fetched when it is asked for, in which time an `update` waits; one that was forgotten
/// meanwhile is left out, and frames that come meanwhile are among them, if the range is open. In a
/// frame is what its report shows: to the tick, the times and the entries of every stack that was
/// entered or had time in it. What the sampler found is not remembered by frame, so `samples` are 0.
/// Without the feature `enable` there are none.
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

/// Remembered frames, from old to new: [`frame_snapshots`].
#[derive(Clone, Debug)]
pub struct FrameSnapshots {
    /// The number of the next one at least.
    first: u64,
    /// All numbers are below it.
    end: u64,
    about: About,
}

impl Iterator for FrameSnapshots {
    type Item = FrameSnapshot;

    fn next(&mut self) -> Option<FrameSnapshot> {
        if !is_recording_possible() || self.first >= self.end {
            return None;
        }
        let mut next = with_process(|process| process.frame_snapshot(self.first, self.end - 1))?;
        self.first = next.number + 1;
        next.recorded.about = self.about.clone();
        Some(next)
    }
}

impl Process {
    /// What was recorded in the first remembered frame of these numbers, both included.
    pub(crate) fn frame_snapshot(&self, first: u64, last: u64) -> Option<FrameSnapshot> {
        let frame = self.history.between(first, last).next()?;
        if !self.has_room_for_snapshot(&[]) {
            return None;
        }
        let mut zones = Zones::new(self);
        // The root's, which comes first whatever threads there are.
        zones.number(GLOBAL);
        let threads = self.threads.iter().enumerate().map(|(at, thread)| {
            let samples = frame.samples_of(at as u32);
            SnapshotThread {
                has_ended: self.has_ended(at),
                nodes: nodes(samples, thread, &mut zones),
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
        let marks = self.history.marks().iter();
        let marks = marks.filter(|mark| mark.frame == frame.number);
        Some(FrameSnapshot {
            number: frame.number,
            begin_ns: frame.begin_ns,
            marks: marks.map(|mark| mark.name.clone()).collect(),
            recorded,
        })
    }
}

/// The zones that a frame has, by new numbers.
struct Zones<'a> {
    process: &'a Process,
    /// By old number; [`NONE`] of those that the frame has not.
    new: Vec<u32>,
    found: Vec<SnapshotZone>,
}

impl Zones<'_> {
    fn new(process: &Process) -> Zones<'_> {
        Zones {
            process,
            new: vec![NONE; process.names.zone_count()],
            found: Vec::new(),
        }
    }

    fn number(&mut self, old: u32) -> u32 {
        let new = &mut self.new[old as usize];
        if *new == NONE {
            *new = self.found.len() as u32;
            self.found.push(zone(self.process.names.at(old)));
        }
        *new
    }
}

/// A thread's nodes that did something in a frame, and those that they stand on.
fn nodes(samples: &[Sample], thread: &Thread, zones: &mut Zones<'_>) -> Vec<SnapshotNode> {
    let tree = thread.tree.nodes();
    let mut wanted = vec![0];
    for sample in samples {
        let mut at = sample.node;
        while at != 0 {
            wanted.push(at);
            at = tree[at as usize].parent;
        }
    }
    // A parent has a smaller number than its children.
    wanted.sort_unstable();
    wanted.dedup();
    let place = |node: u32| wanted.binary_search(&node).unwrap_or_default();
    let mut nodes: Vec<SnapshotNode> = wanted
        .iter()
        .map(|node| SnapshotNode {
            parent: place(tree[*node as usize].parent) as u32,
            zone: zones.number(tree[*node as usize].zone),
            ..SnapshotNode::default()
        })
        .collect();
    for sample in samples {
        let node = &mut nodes[place(sample.node)];
        (node.ticks, node.entries) = (sample.ticks, sample.entries);
    }
    if samples.iter().any(|sample| sample.error != 0.0) {
        add_errors(&mut nodes, samples, tree, place);
    }
    nodes
}

/// The errors of times, in ticks: `place` tells where a node is.
fn add_errors(
    nodes: &mut [SnapshotNode],
    samples: &[Sample],
    tree: &[TreeNode],
    place: impl Fn(u32) -> usize,
) {
    let mut variance = vec![0.0; nodes.len()];
    let mut group: Vec<u32> = (0..nodes.len() as u32).collect();
    for sample in samples {
        let at = place(sample.node);
        variance[at] = f64::from(sample.error).powi(2);
        if sample.error > 0.0 {
            // Parents come before their children.
            group[at] = group[place(tree[sample.node as usize].parent)];
        }
    }
    let times: Vec<f64> = nodes.iter().map(|node| node.ticks as f64).collect();
    let sampled = Sampled::new(variance, group, &times);
    for (at, node) in nodes.iter_mut().enumerate() {
        let whole = sampled.whole[sampled.group[at] as usize];
        node.error = sampled.part(at, times[at]).variance_in(whole).sqrt();
    }
}
