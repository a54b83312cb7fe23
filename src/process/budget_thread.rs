//! Keeps the budget of a program that does not call `update`: a thread that is there until it does.
//!
//! It is `update` that decides which nodes may read the clock, since it knows what a frame's zones
//! did. A program that never calls it, or is still loading, has to stay within the budget as well.
//! For its sake this thread takes in [stretches](super::first_frame) of the frame that does not end.

use super::core::Process;
use super::{follow_timing, snapshots, with_process};
use crate::gather::{self, cost, switch};
use crate::timing::Timing;
use std::thread;
use std::time::Duration;

const THREAD: &str = "iprof budget";
/// The first stretch; each is twice as long as the one before, up to the longest. What is found
/// out first is what costs most, and a program may be over soon.
const FIRST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_millis(160);
/// In each stretch what a zone costs is measured so often, a microsecond each time.
const MEASUREMENTS: u32 = 8;

/// Has the budget kept while there are no frames, if there is one. Where the system starts no
/// thread, the first `update` is the first to look.
pub(super) fn begin(process: &mut Process) {
    if is_needed(process) && !process.has_budget_thread {
        process.has_budget_thread = gather::spawn_unrecorded(THREAD, run).is_ok();
    }
}

fn is_needed(process: &Process) -> bool {
    matches!(process.timing, Timing::Auto { .. }) && !process.has_frames
}

fn run() {
    let mut stretch = FIRST;
    loop {
        thread::sleep(stretch);
        if !with_process(end_stretch) {
            return;
        }
        stretch = (stretch * 2).min(LONGEST);
    }
}

/// Returns whether there is to be another one.
fn end_stretch(process: &mut Process) -> bool {
    process.has_budget_thread = is_needed(process);
    if !process.has_budget_thread {
        return false;
    }
    for _ in 0..MEASUREMENTS {
        process.measured(cost::measure());
    }
    snapshots::with_records(process, |process, records, now| {
        if process.end_stretch(records, now) {
            switch::announce_orders();
        }
    });
    follow_timing(process);
    true
}
