//! Functions for recorded data, independent of any view: timing, history, budgets, marks, threads.

use crate::program::{self, with_profiler};
use iprof_process::ThreadInfo;
use iprof_process::Timing;
use iprof_process::ValueInfo;
use iprof_process::ZoneBudget;
use iprof_report::query;
use std::time::Duration;

/// Sets the timing mode on all threads; the default is [`Timing::Exact`]. May be called at any time, from any thread.
///
/// A thread switches to the new mode at its next zone. Open zones stay open: their time before the change is measured
/// in the old mode, and their remaining time in the new mode. A zone entered while timing was [off](Timing::Off) is not
/// recorded, but zones that it calls later are. If a thread is in sampled zones when the mode changes, it is sampled
/// until it enters its next zone.
///
/// Numbers out of range are clamped: see [`Timing`]. If the system cannot start a thread for the sampler, times stay
/// exact, and the report shows a warning.
///
/// Until this function is called, the `IPROF_TIMING` environment variable sets the mode, starting at the program's
/// first zone. [`Timing`]'s `from_str` describes the format. `IPROF_FREQUENCY` is the rate in Hz if the mode is
/// `sampled` without a rate. Invalid values are reported on stderr and in a warning in the report.
///
/// ```
/// iprof::set_timing(iprof::Timing::AUTO);
/// iprof::update(true);
/// # if !iprof::is_recording() { return }
/// assert_eq!(iprof::timing(), iprof::Timing::Auto { budget: 0.01 });
/// # iprof::set_timing(iprof::Timing::Exact);
/// ```
pub fn set_timing(timing: Timing) {
    program::lock().set_timing(timing);
}

/// Returns the timing mode last set with [`set_timing`], with numbers clamped. Without the `enable` feature, the mode
/// is [`Timing::Off`].
#[must_use]
pub fn timing() -> Timing {
    with_profiler(|profiler| profiler.timing())
}

/// Discards everything recorded so far: frames, averages, warnings, ended threads, and pending GPU times.
///
/// May be called at any time, from any thread.
///
/// ```
/// iprof::update(true);
/// iprof::reset();
/// assert_eq!(iprof::snapshot().frames, 0);
/// ```
///
/// Call it after loading a level, for example, to see only the game. Open zones stay open: their time counts from now
/// on, but their entries were already counted. Frame numbers continue. Views do not change, except that a view of a
/// remembered frame then shows the oldest available frame.
pub fn reset() {
    let Some(main) = crate::gather::local::record() else {
        return;
    };
    // Discards all samples.
    let mut program = program::lock();
    let (profiler, records, now) = program.records_at_end(crate::sample::take);
    profiler.reset(records, main, now);
    profiler.outdate();
}

/// Returns the threads that had recorded something when [`update`](crate::update) was last called, in the order in
/// which they first recorded. Ended threads are included if they recorded something since the last [`reset`].
///
/// ```
/// iprof::update(true);
/// for thread in iprof::threads() {
///     let mut view = iprof::View::default();
///     view.set_threads(iprof::Threads::One(thread.id));
///     println!("{}: {} zones", thread.name, view.report(&iprof::profiler()).rows.len());
/// }
/// ```
#[must_use]
pub fn threads() -> Vec<ThreadInfo> {
    with_profiler(|profiler| profiler.thread_infos())
}

/// Returns the [named values](crate::value!) that had been added to when [`update`](crate::update) was last called.
///
/// The values are in the order in which [`Action::NextValue`](crate::Action::NextValue) shows them. Each name appears
/// once, with the unit of the first value with that name.
///
/// ```
/// iprof::define_value!(BODIES, "bodies", "body");
/// iprof::value!(BODIES, 3);
/// iprof::update(true);
/// # if !iprof::is_recording() { return }
/// assert_eq!(iprof::named_values(), [iprof::ValueInfo { name: "bodies".into(), unit: "body".into(), steps: 1 }]);
/// ```
#[must_use]
pub fn named_values() -> Vec<ValueInfo> {
    with_profiler(|profiler| query::named_values::infos(profiler))
}

/// Marks the frame being recorded with a name, such as `"level loaded"`. While profiling is paused, marks the next
/// recorded frame.
///
/// May be called from any thread. Reports and the graph show the name, and [`Frames::Marked`](crate::Frames::Marked)
/// and [`Action::PreviousMark`](crate::Action::PreviousMark) navigate back to the frame. The newest 64 marked frames
/// are kept even when they become too old for [`Config::history`](crate::Config::history).
///
/// ```
/// iprof::mark("level loaded");
/// iprof::update(true);
/// let mut view = iprof::View::default();
/// view.show_frames(&iprof::profiler(), iprof::Frames::Marked("level loaded".into()));
/// # if !iprof::is_recording() { return }
/// assert_eq!(view.frames(), iprof::Frames::Number(1));
/// ```
pub fn mark(name: &str) {
    with_profiler(|profiler| profiler.mark(name.into()));
}

/// Returns the number of bytes used by remembered frames, excluding allocator overhead; 0 before the first frame. See
/// [`Config::history`](crate::Config::history) for the formula.
#[must_use]
pub fn history_bytes() -> usize {
    with_profiler(|profiler| profiler.history().bytes())
}

/// Returns the limits of the session's bands: see [`Config::session_bands`](crate::Config::session_bands).
#[must_use]
pub fn session_bands() -> [Duration; 7] {
    with_profiler(|profiler| profiler.session().limits())
}

/// Sets the maximum time that zones with this name should take in a frame. `None` removes the budget, even one given
/// [in the code](crate::define_zone!).
///
/// You can call this before the zones are first entered. The budget is rounded to a microsecond and clamped to 1 µs to
/// an hour.
///
/// The budget is compared with the hierarchical time of one zone in a frame on one thread, including everything that
/// the zone calls. Recursion counts once, and GPU time does not count. Reports show a zone's rows in red if it exceeds
/// the budget on a thread in view, in the shown frame or on average. Text reports show `(over budget)` after the name.
/// The tooltip, [`Row::budget`](crate::Row::budget) and [`zone_budgets`] report the number of frames in which the zone
/// exceeded its budget on any thread.
///
/// Budgets take 4 bytes per zone, plus up to 32 bytes for each zone that has a budget. `update` looks up the time of
/// each zone with a budget on each thread.
///
/// ```
/// use std::time::Duration;
///
/// iprof::set_zone_budget("physics", Some(Duration::from_millis(4)));
/// {
///     iprof::zone!(physics);
///     std::thread::sleep(Duration::from_millis(5));
/// }
/// iprof::update(true);
/// # if !iprof::is_recording() { return }
/// let (name, budget) = iprof::zone_budgets().remove(0);
/// assert_eq!((&*name, budget.misses, budget.frames), ("physics", 1, 1));
/// ```
pub fn set_zone_budget(name: &str, budget: Option<Duration>) {
    with_profiler(|profiler| {
        profiler.set_zone_budget(name, budget);
        profiler.outdate();
    });
}

/// Returns the budgets of all zones that have one and were entered, with the zone names that reports show.
///
/// The budgets are in the order in which they were set or their zones were first entered. Without the `enable` feature,
/// there are none. See [`set_zone_budget`].
#[must_use]
pub fn zone_budgets() -> Vec<(String, ZoneBudget)> {
    with_profiler(|profiler| {
        let (budgets, indices) = (profiler.zone_budgets(), profiler.indices());
        let name = |zone: u32| indices.distinct_name(zone).to_string();
        let zones = budgets.zones();
        zones
            .filter_map(|zone| Some((name(zone), budgets.zone_budget(zone)?)))
            .collect()
    })
}

/// Returns the [frame budget](crate::Config::frame_budget), and the number of frames that exceeded it.
///
/// Frames are counted since the budget was set to its current value, or since the last [`reset`](crate::reset). Without
/// the `enable` feature, none are counted. The returned [`ZoneBudget`] is for the whole frame instead of a zone.
///
/// ```
/// iprof::update(true);
/// let budget = iprof::missed_frames();
/// assert!(budget.limit == iprof::config().frame_budget && budget.misses <= budget.frames);
/// ```
#[must_use]
pub fn missed_frames() -> ZoneBudget {
    with_profiler(|profiler| profiler.zone_budgets().frame_budget_misses())
}
