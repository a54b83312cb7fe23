//! Keeps the budget of a program that does not call `update`: a thread that is there until it does.
//!
//! It is `update` that decides which nodes may read the clock, since it knows what a frame's zones
//! did. A program that never calls it, or is still loading, has to stay within the budget as well.
//! For its sake this thread takes in [stretches](super::first_frame) of the frame that does not end.

use super::core::Process;
use super::{follow_timing, with_process, with_records};
use crate::clock::Instant;
use crate::gather::{self, cost, switch};
use crate::sample;
use crate::timing::Timing;
use std::thread;
use std::time::Duration;

const THREAD: &str = "iprof budget";
/// The first stretch; each is twice as long as the one before, up to the longest. What is found
/// out first is what costs most, and a program may be over soon.
const FIRST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_millis(160);
/// Where there are very many stacks, taking in a stretch takes this part of it at most, unless the
/// stretch would be longer than that.
const PART: u32 = 100;
const LONGEST_OF_ALL: Duration = Duration::from_secs(1);
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
    let (mut stretch, mut took) = (FIRST, Duration::ZERO);
    loop {
        thread::sleep(pause(stretch, took));
        took = match with_process(end_stretch) {
            Some(took) => took,
            None => return,
        };
        stretch = (stretch * 2).min(LONGEST);
    }
}

/// How long to sleep for a stretch, by what it took to take in the last one.
fn pause(stretch: Duration, took: Duration) -> Duration {
    stretch.max((took * PART).min(LONGEST_OF_ALL))
}

/// Returns how long it took, if there is to be another one.
fn end_stretch(process: &mut Process) -> Option<Duration> {
    process.has_budget_thread = is_needed(process);
    if !process.has_budget_thread {
        return None;
    }
    let start = Instant::now();
    for _ in 0..MEASUREMENTS {
        process.measured(cost::measure());
    }
    with_records(
        process,
        sample::take_unless_busy,
        |process, records, now| {
            if process.make_room(records, true) {
                let records = process.ingested(records);
                if process.end_stretch(records, now) {
                    switch::announce_orders();
                }
            }
        },
    );
    follow_timing(process);
    Some(start.elapsed())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::pause;
    use std::time::Duration;

    #[test]
    fn what_takes_long_is_done_less_often() {
        let ms = Duration::from_millis;
        for (stretch, took, wanted) in [(10, 0, 10), (160, 1, 160), (160, 5, 500), (10, 90, 1_000)]
        {
            assert_eq!(pause(ms(stretch), ms(took)), ms(wanted));
        }
    }
}
