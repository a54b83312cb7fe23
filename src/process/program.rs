//! The running program, behind one lock: its recorded data, and what runs beside it.

#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
use super::fork;
#[cfg(feature = "environment")]
use super::timing_variables;
use crate::clock::Pair;
use crate::gather::{self, ThreadRecord};
use crate::process::frame::profiler::Profiler;
use crate::process::sampling::Sessions;
use crate::sample::SampleCounts;
use crate::sync::FairMutex;

static PROGRAM: FairMutex<Option<Program>> = FairMutex::new(None);

/// See the module's comment.
#[derive(Debug)]
pub(crate) struct Program {
    pub(super) profiler: Profiler,
    /// The records of all threads that were known the last time.
    records: Vec<&'static ThreadRecord>,
    pub(super) sessions: Sessions,
    /// Whether the [budget thread](super::budget_thread) runs.
    pub(super) has_budget_thread: bool,
}

/// Locks the program and calls `f` with it. Threads that read in a loop cannot keep the end of a frame waiting.
pub(super) fn with_program<R>(f: impl FnOnce(&mut Program) -> R) -> R {
    PROGRAM.with(|program| f(program.get_or_insert_with(Program::new)))
}

/// Locks the program and calls `f` with its recorded data.
pub(super) fn with_profiler<R>(f: impl FnOnce(&mut Profiler) -> R) -> R {
    with_program(|program| f(&mut program.profiler))
}

/// As [`Program::with_records`], after the GPU times have been fetched. Everything is read while the program is
/// locked, so that two threads that call `update` at once see the same threads, in an order of time.
pub(super) fn with_all_threads(
    take: fn(&mut SampleCounts),
    f: impl FnOnce(&mut Profiler, &[&'static ThreadRecord], Pair),
) {
    with_program(|program| {
        if_reported!(program.profiler.fetch_gpu(gather::gpu::end_frame));
        program.with_records(take, f);
    });
}

/// Creates the profiler, which sets the timing mode from the environment, unless it exists already.
/// Never waits: a thread that holds the lock, perhaps this one, creates the profiler.
#[cfg(feature = "environment")]
pub(crate) fn begin() {
    PROGRAM.try_with(|program| {
        program.get_or_insert_with(Program::new);
    });
}

/// The lock of the running program, for `fork`.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(super) fn mutex() -> &'static FairMutex<Option<Program>> {
    &PROGRAM
}

impl Program {
    fn new() -> Program {
        #[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
        fork::register();
        let program = Program {
            profiler: Profiler::new(gather::anchor().0),
            records: Vec::new(),
            sessions: Sessions::default(),
            has_budget_thread: false,
        };
        #[cfg(feature = "environment")]
        let program = timing_variables::configured(program);
        program
    }

    /// Calls `f` with every thread's record and the time, after `take` has fetched the samples.
    pub(super) fn with_records<R>(
        &mut self,
        take: fn(&mut SampleCounts),
        f: impl FnOnce(&mut Profiler, &[&'static ThreadRecord], Pair) -> R,
    ) -> R {
        // Before the records are fetched: then the threads of all samples are among the records.
        self.profiler.take_hits(take);
        let now = || Pair::read(gather::anchor().1);
        let (profiler, records) = self.profiler_and_records();
        f(profiler, records, now())
    }

    /// The recorded data, and the records of all threads.
    pub(super) fn profiler_and_records(&mut self) -> (&mut Profiler, &[&'static ThreadRecord]) {
        gather::append_new_records(&mut self.records);
        (&mut self.profiler, &self.records)
    }
}
