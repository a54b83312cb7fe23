//! The running program, behind one lock: its recorded data, and what runs beside it.

#[cfg(feature = "environment")]
use super::timing_variables;
use crate::clock::Pair;
use crate::gather::{self, ThreadRecord};
use crate::process::frame::profiler::Profiler;
use crate::process::sampling::Sessions;
use crate::sample::SampleCounts;
use crate::sync::{Created, FairMutex, Guard};

static PROGRAM: FairMutex<Option<Program>> = FairMutex::new(None);

/// See the module's comment.
#[derive(Debug)]
pub(crate) struct Program {
    pub(super) profiler: Profiler,
    /// The records of all threads that were known the last time.
    records: Vec<&'static ThreadRecord>,
    pub(super) sessions: Sessions,
}

/// The program while it is locked.
pub(super) type LockedProgram = Created<'static, Program>;

/// Locks the program. Threads that read in a loop cannot keep the end of a frame waiting.
pub(super) fn lock() -> LockedProgram {
    Created::new(Guard::new(|| PROGRAM.lock()), Program::new)
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
        let mut program = Program {
            profiler: Profiler::new(gather::anchor().0),
            records: Vec::new(),
            sessions: Sessions::default(),
        };
        #[cfg(feature = "environment")]
        timing_variables::configure(&mut program);
        program
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
