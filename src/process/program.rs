//! The running program, behind one lock: its recorded data, the default view, and what runs beside them.

#[cfg(feature = "environment")]
use super::timing_variables;
use crate::clock::Pair;
use crate::gather::{self, ThreadRecord};
use crate::process::frame::profiler::Profiler;
use crate::process::sampling::Sessions;
use crate::process::shown::Shown;
use crate::process::view::View;
use crate::sample::SampleCounts;
use crate::sync::{Created, FairMutex, Guard};
use std::cell::Cell;
use std::ops::Deref;

static PROGRAM: FairMutex<Option<Program>> = FairMutex::new(None);

thread_local! {
    /// Whether the host has the lock on this thread: in a closure of [`with_view`](crate::with_view()), or by a
    /// [`ProfilerGuard`].
    static IS_HELD: Cell<bool> = const { Cell::new(false) };
}

/// See the module's comment.
#[derive(Debug)]
pub(crate) struct Program {
    pub(super) profiler: Profiler,
    /// The records of all threads that were known the last time.
    records: Vec<&'static ThreadRecord>,
    pub(super) sessions: Sessions,
    /// Not in place: a thread with a small stack may create the program.
    pub(super) default: Box<DefaultView>,
}

/// The default view, and what it has on the screen.
#[derive(Debug)]
pub(super) struct DefaultView {
    pub(super) view: View,
    pub(super) shown: Shown,
}

impl DefaultView {
    /// Outlined, so that it is on the stack for a moment alone.
    #[inline(never)]
    fn new() -> Box<DefaultView> {
        Box::new(DefaultView {
            view: View::new(),
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
             call it after that"
        );
        return Created::new(Guard::Forked(Box::new(None)), Program::empty);
    }
    Created::new(Guard::new(|| PROGRAM.lock()), Program::new)
}

/// Whether this thread panics while the host [has](IS_HELD) the lock, so that [`lock`] returns an empty program.
pub(super) fn is_held_by_panic() -> bool {
    IS_HELD.get() && std::thread::panicking()
}

/// Notes that the host has the lock, until it is dropped.
pub(super) struct Held(());

impl Held {
    pub(super) fn new() -> Held {
        IS_HELD.set(true);
        Held(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        IS_HELD.set(false);
    }
}

/// The running program's [`Profiler`], locked: see [`profiler`].
///
/// While it lives, [`update`](crate::update) waits on other threads, and on this one all functions of this crate panic that
/// need the same lock. Recording goes on.
#[must_use = "it keeps the profiler locked"]
pub struct ProfilerGuard {
    // Dropped before the lock is released.
    _held: Held,
    program: LockedProgram,
    // It is this thread that has the lock.
    _not_send: std::marker::PhantomData<*const ()>,
}

/// Locks the running program's profiler, for [views](View) of your own to read.
///
/// ```
/// # iprof::update(true);
/// let mut view = iprof::View::new();
/// view.set_report_mode(iprof::ReportMode::CallTree);
/// let report = view.report(&iprof::profiler());
/// ```
///
/// # Panics
///
/// If this thread has the lock already: in a closure of [`with_view`](crate::with_view()), or by another guard.
pub fn profiler() -> ProfilerGuard {
    let program = lock();
    ProfilerGuard {
        _held: Held::new(),
        program,
        _not_send: std::marker::PhantomData,
    }
}

impl Deref for ProfilerGuard {
    type Target = Profiler;

    fn deref(&self) -> &Profiler {
        &self.program.profiler
    }
}

impl std::fmt::Debug for ProfilerGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ProfilerGuard")
    }
}

/// Locks the program and calls `f` with its recorded data.
pub(super) fn with_profiler<R>(f: impl FnOnce(&mut Profiler) -> R) -> R {
    f(&mut lock().profiler)
}

/// Creates the profiler, which sets the timing mode from the environment, unless it exists already.
/// Never waits: a thread that holds the lock, perhaps this one, creates the profiler.
#[cfg(feature = "environment")]
pub(crate) fn begin() {
    if let Some(mut program) = PROGRAM.try_lock() {
        program.get_or_insert_with(Program::new);
    }
}

impl Program {
    fn new() -> Program {
        #[cfg_attr(not(feature = "environment"), allow(unused_mut))]
        let mut program = Program::empty();
        #[cfg(feature = "environment")]
        timing_variables::configure(&mut program);
        program
    }

    /// Without a look at the environment.
    fn empty() -> Program {
        let default = DefaultView::new();
        Program {
            profiler: Profiler::new(gather::anchor().0),
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
    pub(super) fn records_at_end(
        &mut self,
        take: fn(&mut SampleCounts),
    ) -> (&mut Profiler, &[&'static ThreadRecord], Pair) {
        self.profiler.fetch_gpu(gather::gpu::end_frame);
        self.records_now(take)
    }

    /// The recorded data, the records of all threads, and the time, after `take` has fetched the samples.
    pub(super) fn records_now(
        &mut self,
        take: fn(&mut SampleCounts),
    ) -> (&mut Profiler, &[&'static ThreadRecord], Pair) {
        // Before the records are fetched: then the threads of all samples are among the records.
        self.profiler.take_hits(take);
        let (profiler, records) = self.profiler_and_records();
        (profiler, records, Pair::read(gather::anchor().1))
    }

    /// The recorded data, and the records of all threads.
    pub(super) fn profiler_and_records(&mut self) -> (&mut Profiler, &[&'static ThreadRecord]) {
        gather::append_new_records(&mut self.records);
        (&mut self.profiler, &self.records)
    }
}
