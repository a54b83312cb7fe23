//! The running program: its profiler and its default view behind one lock, and the functions that use them.
//!
//! | module | task |
//! |---|---|
//! | this one | the lock, the profiler |
//! | `default_view`, `settings` | functions for the default view, and for recorded data |
//! | `display_state`, `graph_view` | a view's state on the screen, and its graph's display settings |
//! | `end_frame`, `timing_mode` | ending a frame, changing the timing mode |
//! | `snapshots`, `sampling` | snapshots, and sampling profiles |
//! | `slow_frames`, `stalls` | callbacks after slow frames, detection of stalls |
//!
//! Recorded data is in `iprof-process`, and reports are in `iprof-report`. Recording threads never run code in this
//! module. Without the `enable` feature, everything here works on empty data.

mod config;
mod default_view;
pub(crate) mod display_state;
pub(crate) mod end_frame;
mod graph_view;
mod sampling;
mod settings;
mod slow_frames;
mod snapshots;
mod stalls;
#[cfg(all(test, not(loom), feature = "enable"))]
mod tests;
mod timing_mode;

pub use config::{Config, config, configure};
pub use default_view::{
    act, move_cursor, move_frame, report, select, select_parent, set_average, set_cursor,
    set_frame, set_recursion, set_report_mode, with_view, write_report,
};
pub use end_frame::update;
#[doc(inline)]
pub use iprof_export::Format;
#[cfg(any(feature = "environment", feature = "export"))]
#[doc(inline)]
pub use iprof_export::{WriteFileError, write_file};
#[doc(inline)]
pub use iprof_process::{
    About, FrameSnapshot, Frames, InvalidSnapshotError, OverBudgetError, ParseNameError, Profiler,
    SlowFrame, Snapshot, SnapshotNode, SnapshotThread, SnapshotValue, SnapshotZone, ThreadId,
    ThreadInfo, Threads, Timing, ValueInfo, ZoneBudget, assert_budget,
};
#[doc(inline)]
pub use iprof_report::{
    Action, Average, Bar, Baseline, CallPath, ColumnId, Expansion, Flame, FlameNode, FlameStep,
    Graph, GraphBucket, GraphMark, GraphSet, GraphStyle, GraphZone, Recursion, Report, ReportMode,
    Row, RowKey, Segment, ShownValue, Sort, Unit, Value, View,
};
pub use sampling::{SampledProfile, SampledRow, SamplingSession, StartSamplingError};
pub use settings::{
    history_bytes, mark, missed_frames, named_values, reset, session_bands, set_timing,
    set_zone_budget, threads, timing, zone_budgets,
};
pub use slow_frames::on_slow_frame;
pub use snapshots::{dump, frame_snapshots, snapshot};
pub use stalls::{Stall, StalledThread, StalledZone, last_stall, set_stall_timeout};

use crate::clock::Pair;
use crate::gather::{self, ThreadRecord};
use crate::program::display_state::DisplayState;
use crate::program::sampling::Sessions;
use crate::sample::SampleCounts;
use crate::sync::{FairMutex, Guard, LazyGuard};
#[cfg(any(feature = "environment", feature = "http"))]
use iprof_control::RunningProgram;
use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::{Rc, Weak};

static PROGRAM: FairMutex<Option<Program>> = FairMutex::new(None);

/// The running program, as passed to `iprof-control`.
#[cfg(any(feature = "environment", feature = "http"))]
#[cfg_attr(any(loom, miri), allow(dead_code))] // Loom and Miri have no environment.
pub(crate) static RUNNING_PROGRAM: RunningProgram = RunningProgram {
    snapshot,
    newest_frame: snapshots::newest_frame,
    frame_snapshots: snapshots::frames_of,
    write_report: |out| write_report(out),
    last_stall: || last_stall().map(|stall| stall.to_string()),
    begin: Program::begin,
    on_slow_frame: slow_frames::on_slow_frame_of_environment,
    set_stall_timeout,
    write_stalls_by: stalls::write_stalls_by,
};

thread_local! {
    /// Whether the host holds the lock on this thread, through `profiler` or `with_view`.
    static IS_HELD: Cell<bool> = const { Cell::new(false) };
    /// The lock that the host holds on this thread.
    static HELD: RefCell<Weak<LockedProgram>> = const { RefCell::new(Weak::new()) };
}

/// The profiler, the records that it reads, and the default view.
#[derive(Debug)]
pub(crate) struct Program {
    /// Boxed, like the default view, because a thread with a small stack may create the program.
    profiler: Box<Profiler>,
    /// The records of all threads registered so far.
    records: Vec<&'static ThreadRecord>,
    sessions: Sessions,
    default: Box<DefaultView>,
}

/// The default view and its state on the screen.
#[derive(Debug)]
struct DefaultView {
    view: View,
    display: DisplayState,
}

impl DefaultView {
    /// Creates the default view. A separate function releases the view's stack space before the program runs on.
    #[inline(never)]
    fn new() -> Box<DefaultView> {
        Box::new(DefaultView {
            view: View::default(),
            display: DisplayState::default(),
        })
    }
}

pub(crate) type LockedProgram = LazyGuard<'static, Program>;

/// Locks the program.
///
/// The lock is fair, so threads that read in a loop cannot starve the end of a frame. If this thread is panicking with
/// the lock held, as in a panic hook, this returns an empty program.
///
/// # Panics
///
/// Panics if the host [holds](IS_HELD) the lock on this thread and the thread is not panicking.
pub(crate) fn lock() -> LockedProgram {
    if IS_HELD.get() {
        assert!(
            std::thread::panicking(),
            "called while this thread has iprof's lock, in a closure of `with_view` or by a guard of `profiler()`: \
             call it before or after"
        );
        return LazyGuard::new(Guard::Empty(Box::new(None)), Program::empty);
    }
    LazyGuard::new(Guard::new(|| PROGRAM.lock()), Program::new)
}

/// Returns whether this thread is panicking while the host [holds](IS_HELD) the lock, in which case [`lock`] returns an
/// empty program.
fn is_held_by_panic() -> bool {
    IS_HELD.get() && std::thread::panicking()
}

/// The lock while the host holds it on this thread, in a [`with_view`](crate::with_view()) closure and through
/// [`profiler`] guards, which share it.
struct Held {
    program: Rc<LockedProgram>,
}

impl Held {
    fn new() -> Held {
        let program = Rc::new(lock());
        // `try_with` fails while the thread's locals are being destroyed. In that case, guards cannot share the lock.
        let _ = HELD.try_with(|held| *held.borrow_mut() = Rc::downgrade(&program));
        IS_HELD.set(true);
        Held { program }
    }

    /// Shares the lock that this thread holds, or locks the program.
    fn shared() -> Held {
        let held = HELD.try_with(|held| held.borrow().upgrade()).ok().flatten();
        held.map_or_else(Held::new, |program| Held { program })
    }

    fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the program for modification.
    ///
    /// # Panics
    ///
    /// Panics if the lock is shared.
    fn program_mut(&mut self) -> &mut Program {
        // From here on, no guard can share the lock.
        let _ = HELD.try_with(|held| *held.borrow_mut() = Weak::new());
        Rc::get_mut(&mut self.program)
            .expect("the guard of `profiler()` is dropped before `with_view` returns")
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if Rc::strong_count(&self.program) == 1 {
            IS_HELD.set(false);
        }
    }
}

/// The running program's [`Profiler`], locked by [`profiler`].
///
/// While the guard is alive, [`update`](crate::update) blocks on other threads. On this thread, any function in this
/// crate that changes recording or the default view panics. Zones still work, and recording continues.
#[must_use = "if unused, the lock is released immediately"]
pub struct ProfilerGuard(Held);

/// Locks the running program's profiler, so that you can build reports from your own [views](View). Further guards on
/// the same thread share the lock.
///
/// ```
/// # iprof::update(true);
/// let mut view = iprof::View::default();
/// view.report_mode = iprof::ReportMode::CallTree;
/// let report = view.report(&iprof::profiler());
/// ```
pub fn profiler() -> ProfilerGuard {
    ProfilerGuard(Held::shared())
}

impl Deref for ProfilerGuard {
    type Target = Profiler;

    fn deref(&self) -> &Profiler {
        &self.0.program().profiler
    }
}

impl std::fmt::Debug for ProfilerGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ProfilerGuard")
    }
}

fn with_profiler<R>(f: impl FnOnce(&mut Profiler) -> R) -> R {
    f(&mut lock().profiler)
}

/// Creates the profiler. A separate function releases the profiler's stack space before the program runs on.
#[inline(never)]
fn new_profiler() -> Box<Profiler> {
    Box::new(Profiler::new(gather::anchor().0))
}

impl Program {
    /// Creates the program unless it exists. Creating it sets the timing mode from the environment. Never blocks: if
    /// the lock is held, its holder creates the program.
    pub(crate) fn begin() {
        if let Some(mut program) = PROGRAM.try_lock() {
            program.get_or_insert_with(Program::new);
        }
    }

    fn new() -> Program {
        #[cfg_attr(not(feature = "environment"), allow(unused_mut))]
        let mut program = Program::empty();
        #[cfg(feature = "environment")]
        program.configure_from_environment();
        program
    }

    #[cfg(feature = "environment")]
    fn configure_from_environment(&mut self) {
        use iprof_control::environment::{frame_budget_of_environment, timing_of_environment};
        match timing_of_environment() {
            Ok(Some(timing)) => self.set_timing(timing),
            Ok(None) => {}
            Err(warning) => self.profiler.add_environment_warning(warning),
        }
        match frame_budget_of_environment() {
            Some(Ok(budget)) => self.profiler.set_frame_budget(budget),
            Some(Err(warning)) => self.profiler.add_environment_warning(warning),
            None => {}
        }
    }

    /// Returns a new program that ignores the environment.
    fn empty() -> Program {
        let default = DefaultView::new();
        Program {
            profiler: new_profiler(),
            records: Vec::new(),
            sessions: Sessions::default(),
            default,
        }
    }

    pub(crate) fn profiler(&self) -> &Profiler {
        &self.profiler
    }

    pub(crate) fn profiler_mut(&mut self) -> &mut Profiler {
        &mut self.profiler
    }

    /// Fetches the GPU times, and then does the same as [`records_now`](Self::records_now). The lock is held, so
    /// concurrent `update` calls see the same threads at increasing times.
    fn records_at_end(
        &mut self,
        take: fn(&mut SampleCounts),
    ) -> (&mut Profiler, &[&'static ThreadRecord], Pair) {
        self.profiler.fetch_gpu(gather::gpu::end_frame);
        self.records_now(take)
    }

    /// Fetches the samples with `take`, and returns the profiler, the records of all threads, and the time.
    fn records_now(
        &mut self,
        take: fn(&mut SampleCounts),
    ) -> (&mut Profiler, &[&'static ThreadRecord], Pair) {
        // The samples are fetched before the records, so that every sampled thread is among the records.
        self.profiler.take_hits(take);
        let (profiler, records) = self.profiler_and_records();
        (profiler, records, Pair::read(gather::anchor().1))
    }

    fn profiler_and_records(&mut self) -> (&mut Profiler, &[&'static ThreadRecord]) {
        gather::append_new_records(&mut self.records);
        (&mut self.profiler, &self.records)
    }
}
