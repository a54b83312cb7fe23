//! Memory reservation: makes sure that there is memory before a frame is ingested, or a report, a
//! graph or a snapshot is built.
//!
//! An allocation that fails ends the program; a reservation that fails does not. So when `update`
//! is about to need more memory than before (new call stacks, threads or frames, another timing
//! mode), it reserves an upper bound, and releases it for the allocations that follow.
//! If the system refuses, `update` ingests nothing new from then on, a warning says so, and known
//! nodes are still measured. [`reset`](crate::reset) starts again. A report, a graph or a snapshot
//! reserves what it needs, and is empty if the reservation fails.
//!
//! This works where the system refuses: with a limit on the process's address space, on 32 bits, on
//! a browser's page, on Windows. Linux grants memory that it does not have, and kills some process
//! later. And another thread of the host may take the memory between reservation and allocation:
//! then the host would have failed at its own next allocation.

use crate::gather::ThreadRecord;
use crate::memory::{can_allocate, sum_of_products};
use crate::process::frame::profiler::Profiler;
#[cfg(feature = "report")]
use crate::process::frame::zone_budgets::ZoneBudgets;
use crate::timing::Timing;

/// The warning of reports when nothing new is ingested.
pub(crate) const STOPPED: &str =
    "out of memory: new call stacks, threads and frames are not recorded until a reset";
/// The report when there is no memory for one.
const NO_REPORT: &str = "out of memory: the report could not be built";

/// Bytes that a new node takes at most in a frame, if every list that contains it doubles and all
/// of its names are new; and bytes that a known node takes in the same lists. Of these, the sums of the session are 640,
/// another 640 once the node is sampled, and 320 once it submits work to the GPU, none of which double, and 16 that do.
const NEW_NODE: usize = 2_144 + 1_600;
const KNOWN_NODE: usize = 832 + 960;
/// Bytes that a node takes in the lists of zones with budgets, while these double: any new zone may have one.
#[cfg(feature = "report")]
const BUDGETS: usize = 3 * ZoneBudgets::BYTES_PER_NODE;
#[cfg(not(feature = "report"))]
const BUDGETS: usize = 0;
/// Bytes that a thread takes besides its nodes: of the sums of the session, a block that is not full.
const THREAD: usize = 4_096 + 16 * 1_600;
/// Bytes that every frame takes.
const ALWAYS: usize = 128 << 10;
/// Bytes that a node takes in a report and in a snapshot.
const IN_REPORT: usize = 1_024;
const IN_SNAPSHOT: usize = 768;
/// Bytes that a node takes in each set of values that a median is taken of: its values, and the sums of a
/// row of its own.
const IN_SET: usize = 320;
/// Bytes that a row takes for its time in each frame.
const IN_FRAME: usize = 8;

/// The quantities that determine how much memory a frame needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Size {
    nodes: usize,
    threads: usize,
    /// Untimed nodes.
    untimed: usize,
    frames: usize,
    /// Zones with a budget.
    budgets: usize,
    timing: Timing,
}

/// Whether there is memory for new data.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    /// The size of the last frame that was ingested entirely.
    size: Size,
    /// Whether nothing new is ingested.
    pub(crate) has_stopped: bool,
}

impl Profiler {
    /// Returns whether there is memory to end a frame of `records`, at least for known nodes. Stops
    /// ingesting new data if there is no memory for that.
    pub(crate) fn reserve_for_frame(
        &mut self,
        records: &[&'static ThreadRecord],
        is_recorded: bool,
    ) -> bool {
        let known: usize = self.threads.iter().map(|t| t.tree.nodes().len()).sum();
        let frames = if_reported!(self.reports.history.growing_len(), 0);
        if !self.growth.has_stopped {
            let nodes = records.iter().map(|record| record.node_count() as usize);
            let untimed = self
                .threads
                .iter()
                .map(|t| t.budget.untimed_count() as usize);
            let size = Size {
                nodes: nodes.sum(),
                threads: records.len(),
                untimed: untimed.sum(),
                frames,
                budgets: if_reported!(self.reports.zone_budgets.count(), 0),
                timing: self.timing,
            };
            if size == self.growth.size {
                return true;
            }
            let new = size.nodes.saturating_sub(known);
            let bytes = sum_of_products([
                (NEW_NODE, new),
                (KNOWN_NODE, known),
                (THREAD, size.threads),
                (BUDGETS, new),
                (BUDGETS, known),
                (3, if_reported!(self.reports.history.bytes_to_grow(), 0)),
                (4, size_of_val(&self.spare.deltas[..])),
                (ALWAYS, 1),
            ]);
            if can_allocate(bytes) {
                if is_recorded {
                    self.growth.size = size;
                }
                return true;
            }
            self.set_growth_stopped(true);
        }
        can_allocate(sum_of_products([(KNOWN_NODE / 2, known), (ALWAYS / 2, 1)]))
    }

    /// Stops ingesting new data, or starts again.
    fn set_growth_stopped(&mut self, stops: bool) {
        self.growth.has_stopped = stops;
        self.growth.size = Size::default();
        self.indices.is_closed = stops;
        if_reported!(self.reports.history.set_frozen(stops));
    }

    /// The records that are ingested: new records are the last of `records`.
    pub(crate) fn ingested<'a>(
        &self,
        records: &'a [&'static ThreadRecord],
    ) -> &'a [&'static ThreadRecord] {
        match self.growth.has_stopped {
            true => &records[..self.threads.len().min(records.len())],
            false => records,
        }
    }

    /// Starts ingesting new data again at `now`, if there is memory.
    pub(crate) fn resume_growth(
        &mut self,
        records: &[&'static ThreadRecord],
        now: crate::clock::Ticks,
    ) {
        if !self.growth.has_stopped {
            return;
        }
        self.set_growth_stopped(false);
        if !self.reserve_for_frame(records, false) || self.growth.has_stopped {
            return;
        }
        self.add_new_threads(records);
        for thread in &mut self.threads {
            thread.tree.skip_to_now(now, &mut self.indices);
        }
    }

    /// Whether there is memory for a report with that many sets of values besides those that it shows and
    /// one to compare them with, and with the times of each row in each frame.
    #[cfg(feature = "report")]
    pub(crate) fn has_room_for_report(&self, sets: usize, has_frames: bool) -> bool {
        let nodes: usize = self.threads.iter().map(|t| t.tree.nodes().len()).sum();
        let frames = match has_frames {
            true => self.reports.history.len(),
            false => 0,
        };
        let each = sum_of_products([(IN_REPORT, 1), (IN_SET, sets), (IN_FRAME, frames)]);
        let rows = nodes + self.indices.zone_count();
        can_allocate(sum_of_products([(each, rows), (ALWAYS, 1)]))
    }

    /// The warnings of a report that there is no memory for.
    #[cfg(feature = "report")]
    pub(crate) fn warnings_without_report(&self) -> Vec<String> {
        let stopped = self.growth.has_stopped.then_some(STOPPED);
        let warnings = [NO_REPORT].into_iter().chain(stopped);
        warnings.map(str::to_owned).collect()
    }

    /// Whether there is memory for a graph.
    #[cfg(feature = "report")]
    pub(crate) fn has_room_for_graph(&self) -> bool {
        can_allocate(sum_of_products([
            (2, self.reports.history.bytes()),
            (ALWAYS, 1),
        ]))
    }

    /// Whether there is memory for a snapshot of these records.
    pub(crate) fn has_room_for_snapshot(&self, records: &[&'static ThreadRecord]) -> bool {
        let records = self.ingested(records).iter();
        let nodes: usize = records.map(|record| record.node_count() as usize).sum();
        let known: usize = self.threads.iter().map(|t| t.tree.nodes().len()).sum();
        let new = match self.growth.has_stopped {
            true => 0,
            false => nodes.saturating_sub(known),
        };
        can_allocate(sum_of_products([
            (IN_SNAPSHOT, known),
            (NEW_NODE, new),
            (ALWAYS, 1),
        ]))
    }
}

#[cfg(all(test, not(loom), feature = "report"))]
mod tests {
    use super::*;
    use crate::Zone;
    use crate::clock::Pair;
    use crate::gather::scripted_thread::ScriptedThread;
    use std::time::Duration;

    static ZONES: [Zone; 40] = [const { Zone::new("z", "", 0, "") }; 40];

    /// Call stacks of 40 zones that are called by each other and on their own.
    fn enter_all(thread: &ScriptedThread, now: &mut u64) {
        for pair in ZONES.windows(2) {
            for zone in pair {
                *now += 10;
                thread.enter(zone, *now);
            }
            for _ in pair {
                *now += 10;
                thread.leave(*now);
            }
        }
    }

    #[test]
    fn zones_with_budgets_are_within_what_is_reserved_for_them() {
        let thread = ScriptedThread::begin("main", 0);
        let mut profiler = Profiler::new(Pair::both(0));
        let mut now = 0;
        let mut frame = |profiler: &mut Profiler| {
            enter_all(&thread, &mut now);
            assert!(profiler.reserve_for_frame(&[thread.record()], true));
            profiler.end_frame(&[thread.record()], thread.record(), Pair::both(now), true);
            profiler.growth.size
        };
        let before = frame(&mut profiler);
        assert_eq!((before.budgets, frame(&mut profiler).budgets), (0, 0));
        profiler.set_zone_budget("z", Some(Duration::from_micros(1)));
        // Their lists have grown: memory is reserved again.
        assert_eq!(frame(&mut profiler).budgets, ZONES.len());
        #[cfg(target_pointer_width = "64")]
        assert_eq!(
            ZoneBudgets::BYTES_PER_NODE,
            4 + 32,
            "as the documentation says"
        );
        let nodes = profiler.threads[0].tree.nodes().len();
        assert_eq!(nodes, 79);
        let bytes = profiler.zone_budgets().bytes();
        let reserved = BUDGETS * nodes;
        assert!(
            bytes <= reserved && 12 * bytes > reserved,
            "{bytes} {reserved}"
        );
    }
}
