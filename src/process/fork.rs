//! Makes `fork` safe: takes all of the profiler's locks before it, releases them after it, and in the
//! child process ends the records of all other threads.
//!
//! The child has one thread, the caller of `fork`. A lock held by another thread would stay locked there
//! forever, so all of the profiler's locks are taken before the fork, in the profiler's order, and released
//! afterward in both processes. In the child the records of all other threads end. The profiler's own threads
//! do not exist there; they are started again when they are needed.
//!
//! The standard library does not protect its own locks this way: a child that is forked while another thread
//! starts or ends may be unable to start threads. Then it has no sampler and writes no profile.
//!
//! Locks are held at most as long as a report, a snapshot or a closure of [`with_view`](crate::with_view)
//! takes. A thread that waits longer than [`LOCK_TIMEOUT`] holds one of the locks itself, because it called
//! `fork` in a signal handler; the fork then proceeds without the locks, and the child records nothing more.

#![allow(unsafe_code)] // Only the C library announces forks.

use crate::about::About;
use crate::gather::{self, ThreadRecord, gpu, mode};
#[cfg(feature = "report")]
use crate::process::default_view::{self, DefaultView};
use crate::process::program::{self, Program};
use crate::process::sampling;
use crate::sample;
use crate::sync::{HeldQueue, MutexGuard, Ordering::Relaxed, StaticBool, lock_within};
use std::cell::Cell;
use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

/// How long to wait for all locks.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

unsafe extern "C" {
    // SAFETY: the signature is that of POSIX. It may be called at any time, from any thread, with any
    // functions; the handlers of a library are removed when the library is unloaded.
    safe fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

/// All locks that another thread may hold when the process forks, except those of GL contexts, which do not
/// survive a fork. The locks within a record are only tried, never waited for, or belong to a record that is
/// no longer read.
struct Locks {
    // Released in this order.
    records: MutexGuard<'static, Vec<&'static ThreadRecord>>,
    sampler: sample::Held,
    _post: MutexGuard<'static, gpu::GpuMailbox>,
    program: MutexGuard<'static, Option<Program>>,
    /// `None` if this thread holds the lock already, in a closure of [`with_view`](crate::with_view), which
    /// releases it in both processes.
    #[cfg(feature = "report")]
    _display: Option<MutexGuard<'static, Option<DefaultView>>>,
}

/// The locks, and the queue of threads that wait for the profiler's.
struct Held {
    /// Nothing if this thread holds one of them.
    locks: Option<Locks>,
    queue: Option<HeldQueue<'static>>,
}

thread_local! {
    /// The locks, from before the fork until after it. It has no destructor, so that it works on a thread that
    /// is ending.
    static HELD: Cell<Option<ManuallyDrop<Held>>> = const { Cell::new(None) };
}

/// Registers the handlers, once.
pub(super) fn register() {
    static IS_REGISTERED: StaticBool = StaticBool::new(false);
    if !IS_REGISTERED.swap(true, Relaxed) {
        // It fails if there is no memory; then a child is unprotected.
        pthread_atfork(Some(before), Some(after), Some(in_copy));
    }
}

impl Held {
    fn take() -> Held {
        // A value that another thread is initializing would never become ready in the child.
        gather::anchor();
        let _ = About::this_process();
        let mut queue = None;
        Held {
            locks: Locks::take(&mut queue),
            queue,
        }
    }
}

impl Locks {
    fn take(queue: &mut Option<HeldQueue<'static>>) -> Option<Locks> {
        let end = Instant::now() + LOCK_TIMEOUT;
        #[cfg(feature = "report")]
        let display = match default_view::is_changing() {
            true => None,
            false => Some(lock_within(default_view::mutex(), end)?),
        };
        let (held, program) = program::mutex().lock_for_fork(end)?;
        *queue = Some(held);
        let program = program?;
        let post = lock_within(gpu::mutex(), end)?;
        let sampler = sample::lock_for_fork(end)?;
        let records = gather::lock_for_fork(end)?;
        Some(Locks {
            records,
            sampler,
            _post: post,
            program,
            #[cfg(feature = "report")]
            _display: display,
        })
    }
}

/// Must not panic: a panic must not unwind into the C library.
extern "C" fn before() {
    HELD.set(Some(ManuallyDrop::new(Held::take())));
}

extern "C" fn after() {
    if let Some(held) = HELD.take() {
        drop(ManuallyDrop::into_inner(held));
    }
}

extern "C" fn in_copy() {
    let Some(held) = HELD.take() else {
        return;
    };
    let mut held = ManuallyDrop::into_inner(held);
    if let Some(queue) = &mut held.queue {
        queue.forget_waiting();
    }
    let Some(held) = &mut held.locks else {
        mode::turn_off();
        return;
    };
    gather::abandon_others(&held.records);
    held.sampler.forget_thread();
    if let Some(program) = &mut *held.program {
        program.has_budget_thread = false;
        sampling::forget_session(program);
    }
}
