//! The budget thread: keeps the recording cost within the budget until the program first calls
//! `update`.
//!
//! `update` decides which nodes read the clock, from what each node did in the frame. A program
//! that never calls `update`, or is still loading, has to stay within the budget as well. For such
//! a program this thread ingests the unfinished first frame in
//! [intervals](crate::process::frame::first_frame). It ends with the first call of `update`.

use crate::clock::Instant;
use crate::gather::{self, cost, mode};
use crate::process::frame::profiler::Profiler;
use crate::process::program::{self, Program};
use crate::process::timing_mode::follow_timing;
use crate::sample;
use crate::timing::Timing;
use std::thread;
use std::time::Duration;

const THREAD: &str = "iprof budget";
/// The first interval. Each interval is twice as long as the one before, up to
/// [`LONGEST_INTERVAL`]. The first intervals are short because they find the most expensive nodes,
/// and the program may end soon.
const FIRST_INTERVAL: Duration = Duration::from_millis(10);
const LONGEST_INTERVAL: Duration = Duration::from_millis(160);
/// With very many call stacks, ingesting an interval takes at most one part in
/// [`INTERVAL_PER_COST`] of the interval, unless the interval would then be longer than
/// [`LONGEST_SLOW_INTERVAL`].
const INTERVAL_PER_COST: u32 = 100;
const LONGEST_SLOW_INTERVAL: Duration = Duration::from_secs(1);
/// Number of measurements of the cost of a zone in each interval, a microsecond each.
const MEASUREMENTS: u32 = 8;

/// Starts the budget thread if there is a budget and no frame yet. If the system cannot start a
/// thread, the first `update` is the first to enforce the budget.
pub(crate) fn begin(program: &mut Program) {
    if is_needed(&program.profiler) && !program.has_budget_thread {
        program.has_budget_thread = gather::spawn_unrecorded(THREAD, run).is_ok();
    }
}

fn is_needed(profiler: &Profiler) -> bool {
    matches!(profiler.timing(), Timing::Auto { .. }) && !profiler.has_frames()
}

fn run() {
    let (mut interval, mut cost) = (FIRST_INTERVAL, Duration::ZERO);
    loop {
        thread::sleep(pause(interval, cost));
        cost = match end_interval(&mut program::lock()) {
            Some(cost) => cost,
            None => return,
        };
        interval = (interval * 2).min(LONGEST_INTERVAL);
    }
}

/// The time to sleep for an interval, given how long ingesting the last one took.
fn pause(interval: Duration, cost: Duration) -> Duration {
    interval.max((cost * INTERVAL_PER_COST).min(LONGEST_SLOW_INTERVAL))
}

/// Ingests an interval. Returns how long that took, or `None` if no further interval is needed.
fn end_interval(program: &mut Program) -> Option<Duration> {
    program.has_budget_thread = is_needed(&program.profiler);
    if !program.has_budget_thread {
        return None;
    }
    let start = Instant::now();
    for _ in 0..MEASUREMENTS {
        program.profiler.add_cost_measurement(cost::measure(false));
    }
    let (profiler, records, now) = program.records_now(sample::try_take);
    if profiler.reserve_for_frame(records, true) {
        let records = profiler.ingested(records);
        if profiler.end_interval(records, now) {
            mode::announce_reclassification();
        }
    }
    follow_timing(profiler);
    Some(start.elapsed())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::pause;
    use std::time::Duration;

    #[test]
    fn slow_ingestion_makes_intervals_longer() {
        let ms = Duration::from_millis;
        for (interval, cost, wanted) in [(10, 0, 10), (160, 1, 160), (160, 5, 500), (10, 90, 1_000)]
        {
            assert_eq!(pause(ms(interval), ms(cost)), ms(wanted));
        }
    }
}
