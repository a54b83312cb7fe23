//! Budgets of zones by name, and in how many frames these and the frame budget were exceeded.

use crate::process::program::with_profiler;
use crate::zone_budget::ZoneBudget;
use std::time::Duration;

/// Sets the longest that the zones of a name should take in a frame; `None` takes the budget away, also one that
/// stands [in the code](crate::define_zone!). The zones may be entered later. Rounded to a microsecond and clamped to 1 µs
/// to an hour.
///
/// What counts is the hierarchical time of one zone in a frame on one thread: with all that the zone calls, and once
/// where it calls itself. Reports show the rows of a zone in red while it takes longer on a thread in view, in the shown
/// frame or on average; text says `(over budget)` after the name. The tooltip and [`Row::budget`](crate::Row::budget)
/// say in how many frames it took longer, on any thread: see [`zone_budgets`]. Of GPU time nothing is counted.
///
/// A zone takes 4 bytes more, and up to 32 more if it has a budget; `update` looks up its time on each thread.
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
/// # #[cfg(feature = "enable")] {
/// let (name, budget) = iprof::zone_budgets().remove(0);
/// assert_eq!((&*name, budget.misses, budget.frames), ("physics", 1, 1));
/// # }
/// ```
pub fn set_zone_budget(name: &str, budget: Option<Duration>) {
    with_profiler(|profiler| {
        profiler.set_zone_budget(name, budget);
        profiler.outdate();
    });
}

/// The budgets of all zones that were entered so far and have one, with the names that reports give to these zones, in the order in
/// which budgets were set or their zones first entered. Empty without the feature `enable`. See [`set_zone_budget`].
#[must_use]
pub fn zone_budgets() -> Vec<(String, ZoneBudget)> {
    with_profiler(|profiler| {
        let (budgets, indices) = (profiler.zone_budgets(), profiler.indices());
        let name = |zone: u32| indices.distinct_name(zone).to_string();
        let zones = budgets.zones();
        zones
            .filter_map(|zone| Some((name(zone), budgets.of(zone)?)))
            .collect()
    })
}

/// The [frame budget](crate::set_frame_budget), and how many frames exceeded it since it was set to its value, or since the last
/// [`reset`](crate::reset): of a [`ZoneBudget`], here for the frame instead of a zone. Without the feature `enable` no frames
/// are counted.
///
/// ```
/// iprof::update(true);
/// let budget = iprof::missed_frames();
/// assert!(budget.limit == iprof::frame_budget() && budget.misses <= budget.frames);
/// ```
#[must_use]
pub fn missed_frames() -> ZoneBudget {
    with_profiler(|profiler| profiler.zone_budgets().of_frames())
}
