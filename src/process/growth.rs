//! Memory for what is new: reserved before any of it is ingested.
//!
//! An allocation that fails ends the program; a reservation that fails does not. So when `update` is
//! about to need more memory than before (new call stacks, threads or frames, another timing), it
//! reserves an upper bound of that in one piece, and gives it back to the allocations that follow. If
//! the system refuses, nothing new is ingested from then on, a warning says so, and what is known goes
//! on to be measured. [`reset`](crate::reset) begins anew. A report, a graph or a snapshot reserves
//! what it takes, and is empty if that is refused.
//!
//! That holds where the system refuses: a limit of the process's addresses, 32 bits, a browser's
//! page, Windows. Linux grants what it does not have, and ends some process later. And
//! another thread of the host may take the memory between the two: then the host would have
//! failed at its own next allocation.

use super::core::Process;
use crate::gather::ThreadRecord;
use crate::memory::can_allocate;
use crate::timing::Timing;

/// What reports say when nothing new is ingested.
pub(super) const STOPPED: &str =
    "out of memory: new call stacks, threads and frames are not recorded until a reset";
/// What a report is that there is no memory for.
pub(super) const NO_REPORT: &str = "out of memory: no report";
pub(super) const NO_DUMP: &str = "iprof: out of memory: no dump\n";

/// Bytes that one more node takes at most in a frame, every list in which it comes being
/// doubled and all of its names being new; and that a known one takes in the same lists.
const NEW_NODE: usize = 2_048;
const KNOWN_NODE: usize = 768;
/// Beside its nodes, a thread.
const THREAD: usize = 4_096;
/// In any case.
const ALWAYS: usize = 128 << 10;
/// What a node takes in a report and in a snapshot.
const IN_REPORT: usize = 1_024;
const IN_SNAPSHOT: usize = 768;

/// What decides how much memory a frame needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Size {
    nodes: usize,
    threads: usize,
    /// Nodes without clocks.
    untimed: usize,
    frames: usize,
    timing: Timing,
}

/// How far there is memory.
#[derive(Debug, Default)]
pub(super) struct Growth {
    /// That of the last frame that was ingested whole.
    size: Size,
    /// Whether nothing new is ingested.
    pub(super) has_stopped: bool,
}

impl Process {
    /// Whether there is memory to end a frame of `records`, for what is known at least. Ingesting what
    /// is new stops if there is none for that.
    pub(super) fn make_room(&mut self, records: &[&'static ThreadRecord], keep: bool) -> bool {
        let known: usize = self.threads.iter().map(|t| t.tree.nodes().len()).sum();
        let frames = self.history.growing_len();
        if !self.growth.has_stopped {
            let nodes = records.iter().map(|record| record.node_count() as usize);
            let untimed = self.threads.iter().map(|t| t.budget.short() as usize);
            let size = Size {
                nodes: nodes.sum(),
                threads: records.len(),
                untimed: untimed.sum(),
                frames,
                timing: self.timing,
            };
            if size == self.growth.size {
                return true;
            }
            let new = size.nodes.saturating_sub(known);
            let bytes = NEW_NODE * new
                + KNOWN_NODE * known
                + THREAD * size.threads
                + 3 * self.history.bytes_to_grow()
                + 4 * size_of_val(&self.spare.samples[..])
                + ALWAYS;
            if can_allocate(bytes) {
                if keep {
                    self.growth.size = size;
                }
                return true;
            }
            self.stop_growing(true);
        }
        can_allocate(KNOWN_NODE / 2 * known + ALWAYS / 2)
    }

    /// From here on nothing new is ingested, or it is again.
    fn stop_growing(&mut self, stops: bool) {
        self.growth.has_stopped = stops;
        self.growth.size = Size::default();
        self.names.is_closed = stops;
        self.history.hold(stops);
    }

    /// Of `records`, those that are ingested: new ones come last.
    pub(super) fn ingested<'a>(
        &self,
        records: &'a [&'static ThreadRecord],
    ) -> &'a [&'static ThreadRecord] {
        match self.growth.has_stopped {
            true => &records[..self.threads.len().min(records.len())],
            false => records,
        }
    }

    /// What was not ingested for want of memory begins here, if there is memory again.
    pub(super) fn grow_again(
        &mut self,
        records: &[&'static ThreadRecord],
        now: crate::clock::Ticks,
    ) {
        if !self.growth.has_stopped {
            return;
        }
        self.stop_growing(false);
        if !self.make_room(records, false) || self.growth.has_stopped {
            return;
        }
        self.meet(records);
        for thread in &mut self.threads {
            thread.tree.begin_anew(now, &mut self.names);
        }
    }

    /// Whether there is memory for a report.
    pub(super) fn has_room_for_report(&self) -> bool {
        let nodes: usize = self.threads.iter().map(|t| t.tree.nodes().len()).sum();
        can_allocate(IN_REPORT * (nodes + self.names.zone_count()) + ALWAYS)
    }

    /// Whether there is memory for a graph.
    pub(super) fn has_room_for_graph(&self) -> bool {
        can_allocate(2 * self.history.bytes() + ALWAYS)
    }

    /// Whether there is memory for a snapshot of these records.
    pub(super) fn has_room_for_snapshot(&self, records: &[&'static ThreadRecord]) -> bool {
        let records = self.ingested(records).iter();
        let nodes: usize = records.map(|record| record.node_count() as usize).sum();
        let known: usize = self.threads.iter().map(|t| t.tree.nodes().len()).sum();
        let new = match self.growth.has_stopped {
            true => 0,
            false => nodes.saturating_sub(known),
        };
        can_allocate(IN_SNAPSHOT * known + NEW_NODE * new + ALWAYS)
    }
}
