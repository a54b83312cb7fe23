//! From raw data to what is shown. (IProf: `prof_process.c`.)
//!
//! `update` ends a frame: [`tree`] takes from every thread what it did since the last time,
//! [`history`] keeps it, [`average`] and [`heat`] follow it; [`gpu`] enters what the GPU did in
//! frames that are over. What comes before the first `update` is taken in by stretches where a budget
//! has to be kept meanwhile: [`first_frame`], [`budget_thread`]. A [`View`] says what to look at,
//! [`values`] fetches it, [`sums`] adds it up by zone and [`unions`] by sets of zones, [`rows`]
//! makes the report. [`display`] is the program's default view on the screen.
//!
//! Nothing here is touched by a recording thread.

mod average;
mod bars;
mod budget;
mod budget_thread;
mod chains;
mod columns;
mod compare;
mod core;
mod detours;
pub(crate) mod display;
#[cfg_attr(not(feature = "environment"), allow(dead_code))]
mod environment;
mod estimate;
mod families;
mod first_frame;
mod fold;
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
mod fork;
mod frame_snapshots;
mod gpu;
mod group;
mod growth;
mod heat;
mod history;
mod moments;
mod outline;
mod path;
mod profiling;
mod range;
mod ranking;
mod rows;
mod snapshots;
mod spread;
mod sums;
#[cfg(all(test, not(loom), feature = "enable"))]
mod tests;
mod totals;
mod tree;
mod unions;
mod values;
mod view;
mod zones;

#[cfg(all(feature = "environment", any(all(test, not(loom)), fuzzing)))]
pub(crate) use environment::read_timing;
#[cfg(all(any(test, fuzzing), feature = "environment", not(loom)))]
pub(crate) use environment::timing as timing_asked_for;
#[cfg(feature = "environment")]
pub(crate) use environment::{misread_timing, warn_of_environment};
pub use frame_snapshots::{FrameSnapshots, frame_snapshots};
pub use profiling::{ProfilingError, finish_profiling, register_thread, start_profiling};
#[cfg(any(feature = "environment", feature = "http"))]
pub(crate) use snapshots::recorded_size;
pub use snapshots::{dump, snapshot};
pub use view::{Baseline, ThreadId, Threads, View};

use crate::action::Action;
use crate::clock::Pair;
use crate::gather;
use crate::gather::switch::{self, cutoff};
use crate::graph::Graph;
use crate::report::{Recursion, Report, ReportMode, Sort};
use crate::sample::{self, Tally};
use crate::sync::{Mutex, lock};
use crate::timing::Timing;
use display::with_display;

/// Whether this build records: without the feature `enable` everything is here and does nothing.
pub(crate) const fn is_recording_possible() -> bool {
    cfg!(feature = "enable")
}

static PROCESS: Mutex<Option<core::Process>> = Mutex::new(None);

/// Calls `f` with all that was measured.
fn with_process<R>(f: impl FnOnce(&mut core::Process) -> R) -> R {
    f(lock(&PROCESS).get_or_insert_with(new_process))
}

fn new_process() -> core::Process {
    #[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
    fork::follow();
    let process = core::Process::new(gather::anchor().0);
    #[cfg(feature = "environment")]
    let process = environment::following(process);
    process
}

/// Has the environment's timing hold from here on, unless it does already. Never waits: who holds
/// the lock, this thread perhaps, has seen to it.
#[cfg(feature = "environment")]
pub(crate) fn begin() {
    if let Some(mut process) = crate::sync::try_lock(&PROCESS) {
        process.get_or_insert_with(new_process);
    }
}

/// Ends the frame on every thread. Call it once per frame, by custom always on the same thread: the
/// graph shows the frames of the thread that called last, and that thread's report sums to the
/// frame.
///
/// With `record`, the frame goes into averages and history; without, it is thrown away: profiling
/// is paused and what is shown stays. Pass `false` while your simulation is paused, say.
///
/// The first frame begins with the program's first zone on whatever thread, or with the first
/// call of a function of this crate that measures. Time that a thread
/// spends in zones that are open at the end of the frame, here or elsewhere, belongs to this frame;
/// entries belong to the frame in which they happen. What this function costs shows as the zone
/// `iprof_update`.
///
/// ```
/// for _ in 0..3 {
///     iprof::zone!(frame);
///     iprof::update(true);
/// }
/// ```
pub fn update(record: bool) {
    if !is_recording_possible() {
        return;
    }
    crate::zone!(iprof_update);
    let Some(main) = gather::local::record() else {
        return;
    };
    with_all_threads(sample::take_unless_busy, |process, records, now| {
        // Without memory for it this is no frame: it goes on until there is some.
        if !process.make_room(records, record) {
            return;
        }
        let records = process.ingested(records);
        // Asked in any case: a frame that is thrown away anyhow is over for this, too.
        // A profile may have zones recorded while timing is off, but not for frames.
        let was_off = switch::was_off() || process.timing == Timing::Off;
        let keep = record && !was_off;
        let frames = process.frames_seen();
        // While nothing is recorded, nothing that is shown changes; what a zone costs is part of
        // it.
        let measures = frames < FIRST_MEASUREMENTS || frames % MEASURE_EACH == 0;
        if measures && keep {
            process.measured(gather::cost::measure());
        }
        if process.update(records, main, now, keep) {
            switch::announce_orders();
        }
        follow_timing(process);
    });
}

/// What a zone costs is measured in the first frames, and then in one of so many.
const FIRST_MEASUREMENTS: u64 = 64;
const MEASURE_EACH: u64 = 16;

/// Chooses how zones get their times from here on, on all threads: [`Timing::Exact`] unless this is
/// called. At any moment, from any thread, with zones open.
///
/// A thread goes by it from its next zone on. Zones that are open stay open: what they did before
/// was measured as before, what they do from then on as they are told now. A zone that was entered
/// while timing was [off](Timing::Off) is not recorded, but what it calls later is. A thread that
/// stays in zones that are sampled is sampled until its next zone, whatever timing is now.
///
/// Numbers out of range are clamped, see [`Timing`]. If the system starts no thread for the
/// sampler, times stay exact, and a warning line of the report says so.
///
/// The environment variable `IPROF_TIMING` says what timing is before this is called, from the
/// program's first zone on: see [`Timing`]'s `from_str` for how
/// it is written. `IPROF_FREQUENCY` is the rate in Hz if that is `sampled` without one. What cannot be
/// read is named on stderr and by a warning line of the report.
///
/// ```
/// iprof::set_timing(iprof::Timing::AUTO);
/// iprof::update(true);
/// # #[cfg(feature = "enable")]
/// assert_eq!(iprof::timing(), iprof::Timing::Auto { budget: 0.01 });
/// # iprof::set_timing(iprof::Timing::Exact);
/// ```
pub fn set_timing(timing: Timing) {
    if is_recording_possible() {
        with_process(|process| change_timing(process, timing));
        with_display(|display| display.refresh());
    }
}

/// See [`set_timing`].
fn change_timing(process: &mut core::Process, timing: Timing) {
    let timing = timing.clamped();
    let (was_off, is_off) = (process.timing == Timing::Off, timing == Timing::Off);
    if was_off != is_off && !process.has_frames {
        snapshots::set_apart(process, !was_off);
    }
    process.timing = timing;
    if was_off {
        switch::note_off();
    }
    follow_timing(process);
    match process.timing {
        Timing::Exact => switch::turn_on(cutoff::EXACT),
        Timing::Sampled { .. } => switch::turn_on(cutoff::SAMPLED),
        Timing::Auto { .. } => {
            switch::turn_on(cutoff::AUTO);
            budget_thread::begin(process);
        }
        Timing::Off if process.profile.is_some() => switch::turn_on(cutoff::SAMPLED),
        Timing::Off => switch::turn_off(),
    }
    if !process.has_frames {
        // What was off is set apart: the frame that goes on is none of those.
        switch::was_off();
    }
}

/// How zones get their times at present: what [`set_timing`] was told last, with numbers in their
/// ranges. Without the feature `enable`, [`Timing::Off`].
pub fn timing() -> Timing {
    if is_recording_possible() {
        with_process(|process| process.timing)
    } else {
        Timing::Off
    }
}

/// Has the sampler do what timing asks for.
fn follow_timing(process: &mut core::Process) {
    if let Err(reason) = sample::set_rate(process.sampler_hz()) {
        process.timing = Timing::Exact;
        process.no_sampler = Some(reason.to_string());
        switch::turn_on(cutoff::EXACT);
    }
}

/// Forgets everything that was measured so far: frames, averages, warnings, threads that have
/// ended, GPU times that are still to come. At any moment, from any thread, with zones open.
///
/// ```
/// iprof::update(true);
/// iprof::reset();
/// assert!(iprof::graph().bars.is_empty());
/// ```
///
/// Say after a level was loaded, to see only what is played. Zones that are open stay open; their
/// time counts from here, their entries were before. Frames go on counting, and views stay as they
/// are: one that looked at a remembered frame looks at the oldest there is.
pub fn reset() {
    if !is_recording_possible() {
        return;
    }
    let Some(main) = gather::local::record() else {
        return;
    };
    // All that was found is to be forgotten.
    with_all_threads(sample::take, |process, records, now| {
        process.reset(process.ingested(records), main, now);
        process.grow_again(records, now.ticks);
    });
    with_display(|display| display.refresh());
}

/// As [`with_records`], when the GPU's news has been fetched, too. All is asked for while the
/// measurements are locked, so that two threads that update at once see the same threads and an
/// order of time.
fn with_all_threads(
    take: fn(&mut Tally),
    f: impl FnOnce(&mut core::Process, &[&'static gather::ThreadRecord], Pair),
) {
    with_process(|process| {
        process.take_gpu(|news| gather::gpu::with_post(|post| post.end_frame(news)));
        with_records(process, take, f);
    });
}

/// Calls `f` with every thread's record and the time, when `take` has fetched what the sampler
/// found.
fn with_records<R>(
    process: &mut core::Process,
    take: fn(&mut Tally),
    f: impl FnOnce(&mut core::Process, &[&'static gather::ThreadRecord], Pair) -> R,
) -> R {
    // Before the records are: what was found is of threads that are among them.
    process.take_hits(take);
    let mut records = std::mem::take(&mut process.records);
    gather::complete(&mut records);
    let result = f(process, &records, Pair::read(gather::anchor().1));
    process.records = records;
    result
}

/// Names the calling thread in reports. Without, it has the name that its
/// [`std::thread::Builder`] was given, or `unnamed`.
///
/// A thread that begins when another of the same name has ended goes on with the other's counts. So
/// give threads that come and go few names, not ever new ones: a name's memory is kept, for 1,024
/// names. A thread whose name is beyond these shares a line called `other threads` with the next
/// ones, and with a thread that has ended: all sums hold, but who is who is not told any more.
/// And name them before their first zone: what a thread renamed later leaves behind has a name that
/// the next such thread does not have yet when it begins.
///
/// ```
/// std::thread::spawn(|| {
///     iprof::thread_name("loader");
///     iprof::zone!(load);
/// });
/// ```
pub fn thread_name(name: impl Into<String>) {
    if is_recording_possible() {
        gather::rename_current_thread(name.into());
    }
}

/// A thread that has recorded something, for [`View::set_threads`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThreadInfo {
    /// Which one it is, for as long as the program runs.
    pub id: ThreadId,
    /// Its name in reports.
    pub name: String,
    /// Whether it runs. The counts of one that has ended stay until [`reset`]. The GPU, which is
    /// a thread here once a [GPU zone](crate::gpu_zone!) was measured, always does.
    pub running: bool,
}

/// The threads that have recorded something up to the last [`update`], and since the last [`reset`]
/// if they have ended; in the order in which they did so first.
///
/// ```
/// iprof::update(true);
/// for thread in iprof::threads() {
///     let mut view = iprof::View::new();
///     view.set_threads(iprof::Threads::One(thread.id));
///     println!("{}: {} zones", thread.name, view.report().records.len());
/// }
/// ```
pub fn threads() -> Vec<ThreadInfo> {
    if !is_recording_possible() {
        return Vec::new();
    }
    with_process(|process| {
        let info = |(at, thread): (usize, &core::Thread)| ThreadInfo {
            id: ThreadId(at as u32),
            name: thread.tree.record().name(),
            running: thread.tree.record().is_owned() || process.gpu.is(at as u32),
        };
        let threads = process.threads.iter().enumerate();
        threads
            .filter(|(_, thread)| !thread.gone)
            .map(info)
            .collect()
    })
}

/// How many frames are remembered: 1,024 unless told otherwise, at least 1. Fewer than are
/// remembered now forgets the oldest.
///
/// ```
/// iprof::set_history(10_000);
/// iprof::update(true);
/// println!("{} bytes so far", iprof::history_bytes());
/// ```
///
/// A frame takes 128 bytes (less with addresses of 32 bits), 12 per thread that did something and 24 per stack of zones that was
/// entered or had time in it: a thousand frames of 250 stacks take 6 MB. With
/// [GPU zones](crate::gpu_zone!) the GPU is a thread, too, and each stack that submitted work to it
/// takes another 16 bytes. Memory comes with the
/// frames. Once there are as many as are remembered, the oldest one's memory becomes the newest's,
/// and grows if that is larger. Frames that [stay](set_worst_frames) longer come on top, 16 unless
/// told otherwise. [`history_bytes`] tells what all take together.
pub fn set_history(frames: usize) {
    if is_recording_possible() {
        with_process(|process| process.history.set_capacity(frames));
    }
}

/// Bytes that the remembered frames may take together: as many as they like unless this is called.
/// Then there are as many as fit, at most those of [`set_history`], and half of it is for the
/// [longest](set_worst_frames) and the [marked](mark) ones. The newest frame stays in any case.
///
/// ```
/// iprof::set_history_budget(8 << 20);
/// # iprof::set_history_budget(usize::MAX);
/// ```
pub fn set_history_budget(bytes: usize) {
    if is_recording_possible() {
        with_process(|process| process.history.set_budget(bytes));
    }
}

/// How many of the longest frames stay, with all that any remembered frame has, when they get too
/// old for [`set_history`]: 16 unless told otherwise. A program's first frames are often the
/// longest, so [`reset`] once it has started.
///
/// A frame that stays takes its memory along, and [`update`] allocates another if the one that goes
/// instead was smaller.
pub fn set_worst_frames(frames: usize) {
    if is_recording_possible() {
        with_process(|process| process.history.set_worst(frames));
    }
}

/// Marks the frame that is being recorded, or if profiling is paused the next one: "level loaded",
/// say. From any thread. [`View::set_frame_marked`] finds it again, and [`View::previous_mark`];
/// reports and the graph show its name. Marked frames stay when they get too old for
/// [`set_history`], the newest 64 of them.
///
/// ```
/// iprof::mark("level loaded");
/// iprof::update(true);
/// let mut view = iprof::View::new();
/// view.set_frame_marked("level loaded");
/// # #[cfg(feature = "enable")]
/// assert_eq!(view.frame_number(), Some(1));
/// ```
pub fn mark(name: &str) {
    if is_recording_possible() {
        with_process(|process| process.to_mark.push(name.into()));
    }
}

/// Bytes that the remembered frames take at present, without the allocator's own; 0 before the
/// first. [`set_history`] says what they are made of.
pub fn history_bytes() -> usize {
    if !is_recording_possible() {
        return 0;
    }
    with_process(|process| process.history.bytes())
}

/// How often a second the numbers on the screen may change, 10 unless told otherwise; 0 or less,
/// or anything above 1,000, is with every frame. The controls show at once in any case.
pub fn set_refresh_rate(times_per_second: f32) {
    let refresh = if times_per_second > 0.0 && times_per_second <= 1000.0 {
        std::time::Duration::from_secs_f32(times_per_second.max(1e-3).recip())
    } else {
        std::time::Duration::ZERO
    };
    if is_recording_possible() {
        with_display(|display| display.set_refresh(refresh));
    }
}

// ---- the controls of the C API, on the default view -------------------------------------------

/// [`View::set_report_mode`] of the default view.
pub fn set_report_mode(mode: ReportMode) {
    control(|view, _| view.set_report_mode(mode));
}

/// [`View::move_cursor`] of the default view.
pub fn move_cursor(delta: i32) {
    control(|view, shown| view.move_cursor_in(shown, delta));
}

/// [`View::set_cursor`] of the default view.
pub fn set_cursor(position: usize) {
    control(|view, shown| view.set_cursor_in(shown, position));
}

/// [`View::select`] of the default view.
pub fn select() {
    control(|view, shown| view.select_in(shown));
}

/// [`View::select_parent`] of the default view.
pub fn select_parent() {
    control(|view, shown| view.select_parent_in(shown));
}

/// [`View::expand`] of the default view.
pub fn expand() {
    control(|view, shown| view.expand_in(shown));
}

/// [`View::collapse`] of the default view.
pub fn collapse() {
    control(|view, shown| view.collapse_in(shown));
}

/// [`View::go_back`] of the default view.
pub fn go_back() {
    control(|view, _| view.go_back());
}

/// [`View::go_forward`] of the default view.
pub fn go_forward() {
    control(|view, _| view.go_forward());
}

/// [`View::previous_spike`] of the default view.
pub fn previous_spike() {
    control(|view, _| view.previous_spike());
}

/// [`View::next_spike`] of the default view.
pub fn next_spike() {
    control(|view, _| view.next_spike());
}

/// [`View::previous_mark`] of the default view.
pub fn previous_mark() {
    control(|view, _| view.previous_mark());
}

/// [`View::next_mark`] of the default view.
pub fn next_mark() {
    control(|view, _| view.next_mark());
}

/// [`View::set_frame_worst`] of the default view.
pub fn set_frame_worst() {
    control(|view, _| view.set_frame_worst());
}

/// [`View::move_frame`] of the default view.
pub fn move_frame(delta: i32) {
    control(|view, _| view.move_frame(delta));
}

/// [`View::set_frame`] of the default view.
pub fn set_frame(back: usize) {
    control(|view, _| view.set_frame(back));
}

/// [`View::set_range`] of the default view.
pub fn set_range(first: u64, last: u64) {
    control(|view, _| view.set_range(first, last));
}

/// [`View::extend_range`] of the default view.
pub fn extend_range(delta: i32) {
    control(|view, _| view.extend_range(delta));
}

/// [`View::set_average`] of the default view.
pub fn set_average(average: usize) {
    control(|view, _| view.set_average(average));
}

/// [`View::set_recursion`] of the default view.
pub fn set_recursion(recursion: Recursion) {
    control(|view, _| view.set_recursion(recursion));
}

/// [`View::set_sort`] of the default view.
pub fn set_sort(sort: Sort) {
    control(|view, _| view.set_sort(sort));
}

/// [`View::set_sort_reversed`] of the default view.
pub fn set_sort_reversed(reversed: bool) {
    control(|view, _| view.set_sort_reversed(reversed));
}

/// [`View::set_filter`] of the default view.
pub fn set_filter(text: &str) {
    control(|view, _| view.set_filter(text));
}

/// [`View::set_min_share`] of the default view.
pub fn set_min_share(share: f64) {
    control(|view, _| view.set_min_share(share));
}

/// [`View::set_grouping`] of the default view.
pub fn set_grouping(grouping: bool) {
    control(|view, _| view.set_grouping(grouping));
}

/// [`View::act`] of the default view: does what an action says, and returns whether it is about a
/// view.
pub fn act(action: Action) -> bool {
    let mut is_of_view = false;
    control(|view, shown| is_of_view = view.act_in(shown, action));
    is_of_view
}

/// Changes the default view in any other way: `change` gets a copy, which then becomes the view.
/// What another thread changes meanwhile is lost.
///
/// ```
/// iprof::change_view(|view| view.set_graph_style(iprof::GraphStyle::Lines));
/// ```
///
/// # Panics
///
/// If `change` does; then the view stays as it was.
pub fn change_view(change: impl FnOnce(&mut View)) {
    if is_recording_possible() {
        let mut changed = view();
        change(&mut changed);
        control(|view, _| *view = changed);
    }
}

/// A copy of the default view.
pub fn view() -> View {
    if is_recording_possible() {
        with_display(|display| display.view().clone())
    } else {
        View::new()
    }
}

/// Changes the default view by what is on the screen.
fn control(change: impl FnOnce(&mut View, &Report)) {
    if is_recording_possible() {
        with_display(|display| display.control(change));
    }
}

/// [`View::report`] of the default view.
pub fn report() -> Report {
    view().report()
}

/// [`View::graph`] of the default view.
pub fn graph() -> Graph {
    view().graph()
}

/// [`View::write_report`] of the default view.
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
    view().write_report(out)
}
