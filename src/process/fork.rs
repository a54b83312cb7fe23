//! Makes `fork` safe: takes all of the profiler's locks before it, releases them after it, and in the
//! child process ends the records of all other threads.
//!
//! The child process, the copy, has one thread: the caller. What others had locked would stay locked
//! there for ever; so whoever calls `fork` takes all of the profiler's locks before, in the order in
//! which the profiler does, and gives them back after, on both sides. In the copy the others' records
//! end, and the profiler's threads are forgotten: those that are needed are started when they are
//! asked for.
//!
//! The standard library does not care for its own locks that way: a copy that is made while another
//! thread starts or ends may be unable to start any. Then it has no sampler, and writes no profile.
//!
//! Locks are held for as long as a report, a snapshot or a closure of [`with_view`](crate::with_view)
//! takes, at the longest. Who waits longer than
//! [`LOCK_TIMEOUT`] holds one itself, by having called `fork` in a signal handler: it goes on without, and
//! in the copy nothing more is recorded.

#![allow(unsafe_code)] // Only C's library tells of it.

use crate::about::About;
use crate::gather::{self, ThreadRecord, gpu, mode};
use crate::process::PROFILER;
use crate::process::default_view;
use crate::process::default_view::DefaultView;
use crate::process::frame::profiler;
use crate::process::sampling;
use crate::sample;
use crate::sync::{MutexGuard, Ordering::Relaxed, StaticBool, lock_within};
use std::cell::Cell;
use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

/// How long to wait for all locks.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

unsafe extern "C" {
    // SAFETY: POSIX has it with this signature. It may be called at any time, from any thread, with
    // any functions; what a library has registered goes when the library does.
    safe fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

/// All locks that another thread may hold when the process is copied, but for those of GL contexts,
/// which do not outlive a copy. What a record has locked is looked at without waiting, or the record
/// is one that nobody asks any more.
struct Held {
    // Given back in this order.
    records: MutexGuard<'static, Vec<&'static ThreadRecord>>,
    sampler: sample::Held,
    _post: MutexGuard<'static, gpu::GpuMailbox>,
    profiler: MutexGuard<'static, Option<profiler::Profiler>>,
    /// Nothing if this thread holds it already, in a closure of [`with_view`](crate::with_view), which
    /// gives it back on both sides.
    _display: Option<MutexGuard<'static, Option<DefaultView>>>,
}

thread_local! {
    /// From before to after. Nothing to be dropped, so that a thread can do it that ends.
    static HELD: Cell<Option<ManuallyDrop<Held>>> = const { Cell::new(None) };
}

/// Has copies of the process be told of, from here on.
pub(super) fn follow() {
    static FOLLOWS: StaticBool = StaticBool::new(false);
    if !FOLLOWS.swap(true, Relaxed) {
        // It fails for lack of memory, and then copies are as they are without it.
        pthread_atfork(Some(before), Some(after), Some(in_copy));
    }
}

impl Held {
    fn take() -> Option<Held> {
        // What is made once must not be half made: whoever asks for it in the copy would wait.
        gather::anchor();
        let _ = About::this_process();
        let end = Instant::now() + LOCK_TIMEOUT;
        let display = match default_view::is_changing() {
            true => None,
            false => Some(lock_within(default_view::mutex(), end)?),
        };
        let profiler = lock_within(&PROFILER, end)?;
        let post = lock_within(gpu::mutex(), end)?;
        let sampler = sample::lock_for_fork(end)?;
        let records = gather::lock_for_fork(end)?;
        Some(Held {
            records,
            sampler,
            _post: post,
            profiler,
            _display: display,
        })
    }
}

/// Panics must not go up into C's library. Nothing here panics.
extern "C" fn before() {
    HELD.set(Held::take().map(ManuallyDrop::new));
}

extern "C" fn after() {
    if let Some(held) = HELD.take() {
        drop(ManuallyDrop::into_inner(held));
    }
}

extern "C" fn in_copy() {
    let Some(held) = HELD.take() else {
        mode::turn_off();
        return;
    };
    let mut held = ManuallyDrop::into_inner(held);
    gather::abandon_others(&held.records);
    held.sampler.forget_thread();
    if let Some(profiler) = &mut *held.profiler {
        profiler.has_budget_thread = false;
        sampling::forget_session(profiler);
    }
}
