//! Processing: turns raw counters into reports. (IProf: `prof_process.c`.)
//!
//! | module | task |
//! |---|---|
//! | [`frame`] | ingests the recorded data: trees, deltas, averages, heat, history, totals, GPU times |
//! | [`untimed`] | estimates the times of untimed nodes, and keeps the budget of [`Timing::Auto`] |
//! | [`view`] | the view: which frame, threads, rows and order to show |
//! | [`query`] | builds reports and graphs for a view |
//! | `view_queries` | a view's methods that query the running program |
//! | `shown`, `default_view` | what a view has on the screen; the default view with that |
//! | `key` | what a row is of: a zone, at a recursion depth |
//! | `end_frame`, `thread_list` | the end of a frame on every thread; the threads as users see them |
//! | `program` | the running program: the lock, the recorded data, sampling sessions, the budget thread |
//!
//! The way of a tick: [`end_frame`] ends the frame on every thread (`frame::profiler`), reads what each thread
//! has recorded (`frame::thread_tree`), divides the time of untimed nodes (`untimed::estimate`), and adds
//! the result to averages (`moving_average`) and history (`frame::history`). A report is built when it is asked
//! for (`query::report_builder`): the values of nodes for the view's frames (`query::values`), their sums by row
//! (`query::sums`), rows with columns (`query::columns`) in their order (`query::outline`). `shown` hands
//! it to the overlay, where `draw::report_layout` turns it into vertices and a painter draws them.
//!
//! [`Profiler`](frame::profiler::Profiler) is the recorded data. Its fields are those of `frame`; the other modules
//! read it by its methods (`frame::interface`): `query` answers a [`View`] by plain values, a [`Report`] or a graph;
//! `snapshots` and `frame_snapshots` make theirs. `program` holds it under its lock, with what runs beside it.
//!
//! Before the first `update`, and in programs that never call it, a frame may be processed in
//! intervals, to keep a budget meanwhile: [`frame::first_frame`], `budget_thread`.
//!
//! Recording threads never run code of this module.
//!
//! Without the feature `enable` there are only the functions and types that a host can name, which then do nothing, and
//! the view, which is state alone: libraries are compiled so.

#[cfg(feature = "enable")]
mod budget_thread;
#[cfg(feature = "enable")]
pub(crate) mod default_view;
#[cfg(feature = "enable")]
mod delta;
#[cfg(feature = "enable")]
mod end_frame;
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
mod fork;
#[cfg(feature = "enable")]
mod frame;
mod frame_snapshots;
mod key;
#[cfg(feature = "enable")]
mod moving_average;
#[cfg(feature = "enable")]
mod program;
#[cfg(feature = "enable")]
mod query;
mod sampling;
#[cfg(feature = "enable")]
pub(crate) mod shown;
mod snapshots;
#[cfg(all(test, not(loom), feature = "enable"))]
mod tests;
#[cfg(feature = "enable")]
mod thread_list;
#[cfg(feature = "environment")]
mod timing_variables;
#[cfg(feature = "enable")]
mod untimed;
pub(crate) mod view;
mod view_queries;

#[cfg(feature = "enable")]
pub(crate) use end_frame::end_frame;
#[cfg(feature = "environment")]
pub(crate) use frame::environment_warnings::warn_of_environment;
#[cfg(any(
    feature = "http",
    all(unix, feature = "environment", feature = "signal")
))]
pub(crate) use frame_snapshots::newest_frame;
pub use frame_snapshots::{FrameSnapshots, frame_snapshots};
#[cfg(feature = "environment")]
pub(crate) use program::begin;
pub use sampling::{SamplingSession, StartSamplingError, register_thread};
pub use snapshots::{dump, snapshot};
#[cfg(any(feature = "environment", feature = "http"))]
pub(crate) use snapshots::{recorded_size, try_snapshot};
#[cfg(feature = "environment")]
pub(crate) use timing_variables::misread_timing;
#[cfg(all(feature = "environment", any(all(test, not(loom)), fuzzing)))]
pub(crate) use timing_variables::read_timing;
#[cfg(all(any(test, fuzzing), feature = "environment", not(loom)))]
pub(crate) use timing_variables::timing as timing_asked_for;
pub use view::{Baseline, View};

use crate::action::Action;
use crate::average::Average;
use crate::frame_selection::FrameSelection;
use crate::report::{Recursion, Report, ReportMode};
use crate::threads::ThreadInfo;
use crate::timing::Timing;
#[cfg(feature = "enable")]
use {
    default_view::with_default_view,
    program::{with_profiler, with_program},
};

/// No node, row or group, in place of an index.
pub(crate) const NONE: u32 = u32::MAX;

/// Sets the timing mode from now on, on all threads; the default is [`Timing::Exact`]. Call it at any
/// moment, from any thread, with zones open.
///
/// A thread follows the new mode from its next zone on. Open zones stay open: the time before the
/// change was measured in the old mode, the time after it is measured in the new mode. A zone entered
/// while timing was [off](Timing::Off) is not recorded, but zones that it calls later are. A thread
/// that stays in sampled zones is sampled until its next zone, whatever the mode is.
///
/// Numbers out of range are clamped, see [`Timing`]. If the system cannot start a thread for the
/// sampler, times stay exact, and a warning of the report says so.
///
/// The environment variable `IPROF_TIMING` sets the mode before this function is called, from the
/// program's first zone on; [`Timing`]'s `from_str` describes its format. `IPROF_FREQUENCY` is the rate
/// in Hz if the mode is `sampled` without a rate. Invalid values are reported on stderr and in a
/// warning of the report.
///
/// ```
/// iprof::set_timing(iprof::Timing::AUTO);
/// iprof::update(true);
/// # #[cfg(feature = "enable")]
/// assert_eq!(iprof::timing(), iprof::Timing::Auto { budget: 0.01 });
/// # iprof::set_timing(iprof::Timing::Exact);
/// ```
pub fn set_timing(timing: Timing) {
    if_enabled!({
        with_program(|program| program.set_timing(timing));
        shown::refresh();
    });
}

/// The timing mode: the last one passed to [`set_timing`], with numbers clamped. Without the feature
/// `enable`, [`Timing::Off`].
#[must_use]
pub fn timing() -> Timing {
    if_enabled!(with_profiler(|profiler| profiler.timing()), Timing::Off)
}

/// Discards everything recorded so far: frames, averages, warnings, threads that have ended, GPU times
/// that have not arrived yet. Call it at any moment, from any thread, with zones open.
///
/// ```
/// iprof::update(true);
/// iprof::reset();
/// assert!(iprof::View::new().graph().bars.is_empty());
/// ```
///
/// Call it after a level was loaded, for example, to see the game alone. Open zones stay open; their
/// time counts from now on, their entries were before. Frame numbers continue, and views stay as they
/// are: one that showed a remembered frame shows the oldest there is.
pub fn reset() {
    if_enabled!({
        let Some(main) = crate::gather::local::record() else {
            return;
        };
        // Discards all samples.
        program::with_all_threads(crate::sample::take, |profiler, records, now| {
            profiler.reset(profiler.ingested(records), main, now);
            profiler.resume_growth(records, now.ticks);
        });
        shown::refresh();
    });
}

/// Names the calling thread in reports. By default the name is that given to its
/// [`std::thread::Builder`], or `unnamed`.
///
/// A thread that begins after another of the same name has ended continues the ended thread's counts.
/// So give short-lived threads a few names, not ever new ones: the memory of a name is kept, for 1,024
/// names. Threads with further names share a line called `other threads`, with each other and with
/// threads that have ended: all sums hold, but these threads cannot be told apart any more. And name
/// threads before their first zone: the counts of a thread renamed later have a name that its successor
/// does not have yet when it begins.
///
/// ```
/// std::thread::spawn(|| {
///     iprof::set_thread_name("loader");
///     iprof::zone!(load);
/// });
/// ```
pub fn set_thread_name(name: impl Into<String>) {
    if_enabled!(crate::gather::rename_current_thread(name.into()));
}

/// The threads that recorded something before the last [`update`](crate::update); ended ones only if they did so since
/// the last [`reset`]. In the order of their first recording.
///
/// ```
/// iprof::update(true);
/// for thread in iprof::threads() {
///     let mut view = iprof::View::new();
///     view.set_threads(iprof::Threads::One(thread.id));
///     println!("{}: {} zones", thread.name, view.report().rows.len());
/// }
/// ```
#[must_use]
pub fn threads() -> Vec<ThreadInfo> {
    if_enabled!(
        with_profiler(|profiler| thread_list::infos(profiler)),
        Vec::new()
    )
}

/// Sets how many frames are remembered: 1,024 by default, at least 1. If more are remembered now, the
/// oldest are forgotten.
///
/// ```
/// iprof::set_history(10_000);
/// iprof::update(true);
/// println!("{} bytes so far", iprof::history_bytes());
/// ```
///
/// A frame takes 128 bytes (less with addresses of 32 bits), 12 per thread with data and 24 per call
/// stack that was entered or had time in it: a thousand frames of 250 stacks take 6 MB. With [GPU
/// zones](crate::gpu_zone!) the GPU is a thread, too, and each stack that submitted work to it takes
/// another 16 bytes. Memory is allocated as frames are recorded. Once history is full, the oldest
/// frame's memory is reused for the newest, and grows if that is larger. Frames [kept
/// longer](set_longest_frames) come on top, 16 by default. [`history_bytes`] returns the total.
pub fn set_history(frames: usize) {
    if_enabled!(with_profiler(|profiler| profiler
        .history_mut()
        .set_capacity(frames)));
}

/// Limits the bytes that the remembered frames take together; `None`, the default, is no limit. As many
/// frames are remembered as fit, at most those of [`set_history`], and half of the limit is for the
/// [longest](set_longest_frames) and the [marked](mark) frames. The newest frame stays in any case, even
/// with a limit of 0.
///
/// ```
/// iprof::set_history_memory(Some(8 << 20));
/// # iprof::set_history_memory(None);
/// ```
pub fn set_history_memory(bytes: Option<usize>) {
    let bytes = bytes.unwrap_or(usize::MAX);
    if_enabled!(with_profiler(|profiler| profiler
        .history_mut()
        .set_memory_limit(bytes)));
}

/// Sets how many of the longest frames are kept, with all their data, when they get too old for
/// [`set_history`]: 16 by default. A program's first frames are often the longest, so call [`reset`]
/// once it has started.
///
/// A kept frame keeps its memory, and [`update`](crate::update) allocates more if the frame it replaces was smaller.
pub fn set_longest_frames(frames: usize) {
    if_enabled!(with_profiler(|profiler| profiler
        .history_mut()
        .set_longest(frames)));
}

/// Marks the frame being recorded with a name, `"level loaded"` for example; while profiling is paused,
/// the next recorded frame. Call it from any thread. [`FrameSelection::Marked`] and
/// [`View::previous_mark`] show the frame again; reports and the graph show its name. The newest 64
/// marked frames are kept when they get too old for [`set_history`].
///
/// ```
/// iprof::mark("level loaded");
/// iprof::update(true);
/// let mut view = iprof::View::new();
/// view.set_frames(iprof::FrameSelection::Marked("level loaded".into()));
/// # #[cfg(feature = "enable")]
/// assert_eq!(view.frames(), iprof::FrameSelection::Number(1));
/// ```
pub fn mark(name: &str) {
    if_enabled!(with_profiler(|profiler| profiler.mark(name.into())));
}

/// The bytes that the remembered frames take, without the allocator's overhead; 0 before the first
/// frame. See [`set_history`] for the formula.
#[must_use]
pub fn history_bytes() -> usize {
    if_enabled!(with_profiler(|profiler| profiler.history().bytes()), 0)
}

/// Sets how many times a second reports on the screen may change their numbers: `Some(10.0)` by default, clamped to
/// 0.001 to 1,000; NaN means 10. `None` means every frame. Controls take effect at once in any case.
///
/// ```
/// iprof::set_refresh_rate(None);
/// # iprof::set_refresh_rate(Some(10.0));
/// ```
pub fn set_refresh_rate(times_per_second: Option<f32>) {
    if_enabled!({
        let refresh = match times_per_second {
            Some(rate) if rate.is_nan() => shown::REFRESH,
            Some(rate) => std::time::Duration::from_secs_f32(rate.clamp(1e-3, 1e3).recip()),
            None => std::time::Duration::ZERO,
        };
        shown::set_refresh(refresh);
    });
}

// ---- the controls of the C API, on the default view -------------------------------------------

/// Sets what the rows of the default view are: [`View::set_report_mode`].
pub fn set_report_mode(mode: ReportMode) {
    with_view(|view| view.set_report_mode(mode));
}

/// Moves the cursor by `delta` rows, downwards if positive: [`View::move_cursor`] of the default view.
pub fn move_cursor(delta: i32) {
    control(|view, shown| view.move_cursor_in(shown, delta));
}

/// Sets the cursor on row `position`, counted from 0: [`View::set_cursor`] of the default view.
pub fn set_cursor(position: usize) {
    control(|view, shown| view.set_cursor_in(shown, position));
}

/// Shows the call graph of the zone under the cursor: [`View::select`] of the default view.
pub fn select() {
    control(|view, shown| view.select_in(shown));
}

/// Goes to the costliest direct caller of the selected zone: [`View::select_parent`] of the default view.
pub fn select_parent() {
    control(|view, shown| view.select_parent_in(shown));
}

/// Goes `delta` frames forwards, into the past if negative: [`View::move_frame`] of the default view.
pub fn move_frame(delta: i32) {
    with_view(|view| view.move_frame(delta));
}

/// Shows the frame `back` frames before the newest one in the default view ([`FrameSelection::Back`]); 0
/// returns to the live view ([`FrameSelection::Live`]). It takes no frame number.
pub fn set_frame(back: usize) {
    let selection = match back {
        0 => FrameSelection::Live,
        _ => FrameSelection::Back(back),
    };
    with_view(|view| view.set_frames(selection));
}

/// Sets the average that live values are: [`View::set_average`] of the default view.
pub fn set_average(average: Average) {
    with_view(|view| view.set_average(average));
}

/// Sets whether a recursive zone has one row or one per depth: [`View::set_recursion`] of the default view.
pub fn set_recursion(recursion: Recursion) {
    with_view(|view| view.set_recursion(recursion));
}

/// [`View::act`] of the default view: applies an action, and returns whether it concerns a view.
#[allow(clippy::must_use_candidate, reason = "most hosts need not know")]
pub fn act(action: Action) -> bool {
    let mut is_of_view = false;
    control(|view, shown| is_of_view = view.act_in(shown, action));
    is_of_view
}

/// Calls `change` with the default view, and returns what it returns; the change shows at once. For
/// everything that has no function of its own here, and for several changes in one step.
///
/// `change` runs under the default view's lock, so changes by several threads follow each other and none
/// is lost. Keep it short: meanwhile other threads wait that draw or use the default view. Use
/// [`act`] where a change depends on the rows that are on the screen: [`View`]'s methods look at the
/// rows as of now.
///
/// ```
/// iprof::with_view(|view| {
///     view.set_filter("physics");
///     view.set_grouping(true);
/// });
/// let filter = iprof::with_view(|view| view.filter().to_owned());
/// # #[cfg(feature = "enable")]
/// assert_eq!(filter, "physics");
/// ```
///
/// A report takes longer than a change, so build it from a copy:
///
/// ```
/// let view = iprof::with_view(|view| view.clone());
/// let graph = view.graph();
/// ```
///
/// Without the feature `enable`, `change` gets a new view each time, and changes nothing.
///
/// # Panics
///
/// If `change` panics; then the default view stays as it was. If `change` calls this function or another
/// one that needs the default view: it would wait for itself. (A panic hook may call [`report`], [`write_report`] and
/// [`act`] in any case.) These are [`act`], [`report`],
/// [`write_report`], [`Controls::act`](crate::Controls::act), functions that draw
/// the default view or drive it, and those named like methods of [`View`].
pub fn with_view<R>(change: impl FnOnce(&mut View) -> R) -> R {
    if_enabled!(default_view::with_view(change), change(&mut View::new()))
}

/// Changes the default view in response to the report on the screen.
fn control(change: impl FnOnce(&mut View, &Report)) {
    if_enabled!(if !default_view::is_held_by_panic() {
        with_default_view(|display| display.control(change));
    });
}

/// Builds the report that the default view shows, with values as of now: [`View::report`].
///
/// After a panic in a closure of [`with_view`], for a panic hook or a destructor, it has no rows, and a warning says
/// why.
#[must_use]
pub fn report() -> Report {
    if_enabled!(if default_view::is_held_by_panic() {
        return default_view::no_report();
    });
    with_view(|view| view.clone()).report()
}

/// Writes the report of the default view as text: [`View::write_report`]. In a panic hook it says why there is none,
/// if so: see [`report`].
///
/// ```
/// iprof::update(true);
/// iprof::write_report(std::io::stdout())?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Those of `out`.
pub fn write_report(out: impl std::io::Write) -> std::io::Result<()> {
    report().write(out, 2)
}
