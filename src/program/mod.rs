//! The running program: its profiler and its default view behind one lock, and the crate's functions on both.
//!
//! | module | task |
//! |---|---|
//! | this one | the lock, the profiler, sampling sessions |
//! | `default_view`, `settings` | the crate's functions on the default view, and on what is recorded |
//! | `shown`, `graph_view` | what a view has on the screen; how its graph is shown |
//! | `end_frame`, `timing_mode` | take the locked program through a frame's end; change the timing mode |
//! | `snapshots`, `sampling` | snapshots, and profiles of samples |
//! | `slow_frames`, `stalls` | call back after frames that took longer; detect that no frame ends |
//!
//! What is recorded is in `iprof-process`, and what a view makes of it in `iprof-report`. Recording threads never run code of
//! this module. Without the feature `enable` no thread has a record, and all of this works on nothing.

mod config;
mod default_view;
pub(crate) mod end_frame;
mod graph_view;
mod sampling;
mod settings;
pub(crate) mod shown;
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
use crate::program::sampling::Sessions;
use crate::program::shown::Shown;
use crate::sample::SampleCounts;
use crate::sync::{Created, FairMutex, Guard};
#[cfg(any(feature = "environment", feature = "http"))]
use iprof_control::RunningProgram;
use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::{Rc, Weak};

static PROGRAM: FairMutex<Option<Program>> = FairMutex::new(None);

/// The running program as `iprof-control` reaches it.
#[cfg(any(feature = "environment", feature = "http"))]
#[cfg_attr(any(loom, miri), allow(dead_code))] // No model has an environment, nor has the interpreter.
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
    /// Whether the host has the lock on this thread.
    static IS_HELD: Cell<bool> = const { Cell::new(false) };
    /// The lock that the host has on this thread.
    static HELD: RefCell<Weak<LockedProgram>> = const { RefCell::new(Weak::new()) };
}

/// See the module's comment.
#[derive(Debug)]
pub(crate) struct Program {
    /// Not in place, like the default view: a thread with a small stack may create the program.
    profiler: Box<Profiler>,
    /// The records of all threads that were known the last time.
    records: Vec<&'static ThreadRecord>,
    sessions: Sessions,
    default: Box<DefaultView>,
}

/// The default view, and what it has on the screen.
#[derive(Debug)]
struct DefaultView {
    view: View,
    shown: Shown,
}

impl DefaultView {
    /// Outlined, so that it is on the stack for a moment alone.
    #[inline(never)]
    fn new() -> Box<DefaultView> {
        Box::new(DefaultView {
            view: View::default(),
            shown: Shown::default(),
        })
    }
}

/// The program while it is locked.
pub(crate) type LockedProgram = Created<'static, Program>;

/// Locks the program. Threads that read in a loop cannot keep the end of a frame waiting. While this thread panics with the
/// lock held, as a panic hook or a destructor may call, the program is an empty one.
///
/// # Panics
///
/// Where the host [has](IS_HELD) the lock.
pub(crate) fn lock() -> LockedProgram {
    if IS_HELD.get() {
        assert!(
            std::thread::panicking(),
            "called while this thread has iprof's lock, in a closure of `with_view` or by a guard of `profiler()`: \
             call it before or after"
        );
        return Created::new(Guard::Empty(Box::new(None)), Program::empty);
    }
    Created::new(Guard::new(|| PROGRAM.lock()), Program::new)
}

/// Whether this thread panics while the host [has](IS_HELD) the lock, so that [`lock`] returns an empty program.
fn is_held_by_panic() -> bool {
    IS_HELD.get() && std::thread::panicking()
}

/// The lock as the host has it on this thread, once or more: in a closure of [`with_view`](crate::with_view()), and by
/// guards of [`profiler`].
struct Held {
    program: Rc<LockedProgram>,
}

impl Held {
    /// Locks the program for the host, as [`lock`] does.
    fn new() -> Held {
        let program = Rc::new(lock());
        // It fails at the end of a thread: then there is one guard at a time.
        let _ = HELD.try_with(|held| *held.borrow_mut() = Rc::downgrade(&program));
        IS_HELD.set(true);
        Held { program }
    }

    /// The lock that this thread has, or a new one.
    fn shared() -> Held {
        let held = HELD.try_with(|held| held.borrow().upgrade()).ok().flatten();
        held.map_or_else(Held::new, |program| Held { program })
    }

    fn program(&self) -> &Program {
        &self.program
    }

    /// # Panics
    ///
    /// If there is another one.
    fn program_mut(&mut self) -> &mut Program {
        // Nothing shares it from here on.
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

/// The running program's [`Profiler`], locked: see [`profiler`].
///
/// While it lives, [`update`](crate::update) waits on other threads, and on this one all functions of this crate panic that
/// change what is recorded or shown, but zones. Recording goes on.
#[must_use = "it keeps the profiler locked"]
pub struct ProfilerGuard(Held);

/// Locks the running program's profiler, for [views](View) of your own to read. Further guards of the same thread share
/// the lock.
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

/// Locks the program and calls `f` with its recorded data.
fn with_profiler<R>(f: impl FnOnce(&mut Profiler) -> R) -> R {
    f(&mut lock().profiler)
}

/// Outlined, so that it is on the stack for a moment alone.
#[inline(never)]
fn new_profiler() -> Box<Profiler> {
    Box::new(Profiler::new(gather::anchor().0))
}

impl Program {
    /// Creates the profiler, which sets the timing mode from the environment, unless it exists already.
    /// Never waits: a thread that holds the lock, perhaps this one, creates the profiler.
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

    /// Without a look at the environment.
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

    /// As [`records_now`](Self::records_now), after the GPU times have been fetched. Everything is read while the program
    /// is locked, so that two threads that call `update` at once see the same threads, in an order of time.
    fn records_at_end(
        &mut self,
        take: fn(&mut SampleCounts),
    ) -> (&mut Profiler, &[&'static ThreadRecord], Pair) {
        self.profiler.fetch_gpu(gather::gpu::end_frame);
        self.records_now(take)
    }

    /// The recorded data, the records of all threads, and the time, after `take` has fetched the samples.
    fn records_now(
        &mut self,
        take: fn(&mut SampleCounts),
    ) -> (&mut Profiler, &[&'static ThreadRecord], Pair) {
        // Before the records are fetched: then the threads of all samples are among the records.
        self.profiler.take_hits(take);
        let (profiler, records) = self.profiler_and_records();
        (profiler, records, Pair::read(gather::anchor().1))
    }

    /// The recorded data, and the records of all threads.
    fn profiler_and_records(&mut self) -> (&mut Profiler, &[&'static ThreadRecord]) {
        gather::append_new_records(&mut self.records);
        (&mut self.profiler, &self.records)
    }
}
