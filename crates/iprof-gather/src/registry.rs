//! The registry of all threads' records. It assigns a record to each thread, passes on the records of ended threads,
//! and lists all records for `update`.
//!
//! A thread registers itself when it enters its first zone. When the thread ends, the next thread with the same name
//! takes over the record and continues its counts. So a program that starts new workers every frame has only as many
//! records as workers that run at the same time.
//!
//! A program whose threads keep getting new names has up to [`MAX_RECORDS`] records, or as many records as concurrent
//! threads if that is more. Beyond that limit, a new thread takes over any ended thread's record, and the record is
//! renamed [`SHARED_NAME`].

use super::record::ThreadRecord;
use super::{fallible, fork, mode, thread_end};
use crate::clock::{self, Instant, Pair, Ticks};
use crate::sync::{Mutex, OnceLock, Ordering::Relaxed, StaticU32, is_forked, lock, set_forked};
use std::cell::{Cell, RefCell};
use std::thread::JoinHandle;

#[cfg(all(test, not(loom), feature = "enable"))]
mod tests;

/// All records, in creation order. Records are never removed.
static RECORDS: Mutex<Vec<&'static ThreadRecord>> = Mutex::new(Vec::new());
static COUNT: StaticU32 = StaticU32::new(0);

/// Appends the missing records to `records`, which already contains the first ones. New threads have to wait until this
/// function returns, but recording threads do not.
pub fn append_new_records(records: &mut Vec<&'static ThreadRecord>) {
    let all = lock(&RECORDS);
    let missing = &all[records.len()..];
    // If there is no memory for the missing records, a later call appends them.
    if records.try_reserve(missing.len()).is_ok() {
        records.extend_from_slice(missing);
    }
}

/// Calls `each` with each record. New threads have to wait until this function returns.
pub(super) fn for_each_record(each: impl FnMut(&'static ThreadRecord)) {
    lock(&RECORDS).iter().copied().for_each(each);
}

/// Like [`append_new_records`], but takes the lock only if there is a new record. The sampler uses this function,
/// because it checks often and doesn't have to notice a new thread immediately.
pub fn append_new_records_lazily(records: &mut Vec<&'static ThreadRecord>) {
    // Relaxed: everything that depends on the value is read under the lock.
    if records.len() < COUNT.load(Relaxed) as usize {
        append_new_records(records);
    }
}

/// Returns the first pair of readings from both clocks, and the moment from which nanoseconds are counted.
pub fn anchor() -> (Pair, Instant) {
    static ANCHOR: OnceLock<(Pair, Instant)> = OnceLock::new();
    fork::register(before_fork, in_child);
    *ANCHOR.get_or_init(|| {
        clock::prepare();
        let epoch = Instant::now();
        (Pair::read(epoch), epoch)
    })
}

/// Initializes the anchor before the fork, so that a child never waits for a thread that was initializing it, which
/// would not exist in the child.
extern "C" fn before_fork() {
    anchor();
}

extern "C" fn in_child() {
    set_forked();
    mode::turn_off();
}

const OWN_THREADS: [&str; 6] = [
    "iprof sampler",
    "iprof profile",
    "iprof signal",
    "iprof http",
    "iprof stalls",
    "iprof slow frames",
];

/// Assigns a record to the calling thread. `detach` is called before the thread returns the record.
///
/// Returns `None` on the profiler's own threads, on a thread whose thread-locals are being destroyed, and in a child of
/// `fork`. Also returns `None` if there is no memory, in which case the thread tries again at later zones, less and
/// less often.
///
/// A thread gets at most one record in its lifetime. If a thread that owns a record calls this again, it has lost its
/// `ThreadState`, so the thread is ending: it may still close zones but cannot enter any.
pub(super) fn register(now: Ticks, detach: fn()) -> Option<&'static ThreadRecord> {
    if !fallible::can_allocate() {
        UNRECORDED_ZONES.fetch_add(1, Relaxed);
        return None;
    }
    if thread_end::has_ended() || is_forked() {
        return None;
    }
    with_owner(|owner| {
        // Create `owner` before reading the name, so that its destructor marks the end of the thread even if the thread
        // gets no record.
        let mut owner = owner.try_borrow_mut().ok()?;
        let std_name = std_name()?;
        // The standard library allocates on a new thread before any code of this crate runs there, and the host's
        // allocator may have zones. So the name is the only sign that this is one of the profiler's own threads.
        if std_name.as_deref().is_some_and(is_own_thread) {
            return None;
        }
        owner.begin(std_name, now, detach)
    })
}

pub(super) fn own_record() -> Option<&'static ThreadRecord> {
    with_owner(|owner| owner.try_borrow().ok()?.record)
}

/// Returns the record for GPU zones, which no thread ever owns. Returns `None` if there is no memory, or if recording
/// is compiled out.
pub(super) fn register_gpu() -> Option<&'static ThreadRecord> {
    if !super::IS_ENABLED {
        return None;
    }
    let mut records = lock(&RECORDS);
    let made = records.iter().copied().find(|record| record.is_gpus());
    made.or_else(|| add(&mut records, ThreadRecord::of_gpu))
}

/// The number of records, including the GPU's, at which threads with new names start to share ended threads' records.
const MAX_RECORDS: usize = 1_024;
/// The name of shared records.
const SHARED_NAME: &str = "other threads";

/// Returns a free record with this name or a new record, or `None` if there is no memory.
fn acquire(name: String, now: Ticks) -> Option<&'static ThreadRecord> {
    let mut records = lock(&RECORDS);
    let free = |record: &&&'static ThreadRecord| record.is_free();
    let named = |name: &str| {
        let mut free = records.iter().filter(free);
        free.find(|record| record.is_named(name)).copied()
    };
    let mut found = named(&name);
    if found.is_none() && records.len() >= MAX_RECORDS {
        // Prefer the newest record, which is most likely to have one of the many new names.
        let newest = || records.iter().rev().find(free).copied();
        found = named(SHARED_NAME).or_else(newest);
        if let Some(record) = found {
            record.set_name(fallible::try_string(SHARED_NAME)?);
        }
    }
    let record = found.or_else(|| add(&mut records, || ThreadRecord::new(name)))?;
    // Begin under the lock, so that no two threads take the same free record.
    record.begin(now);
    Some(record)
}

fn add(
    records: &mut Vec<&'static ThreadRecord>,
    make: impl FnOnce() -> Option<&'static ThreadRecord>,
) -> Option<&'static ThreadRecord> {
    records.try_reserve(1).ok()?;
    let made = make()?;
    records.push(made);
    COUNT.store(records.len() as u32, Relaxed);
    Some(made)
}

static UNRECORDED_ZONES: StaticU32 = StaticU32::new(0);

/// Returns how many zones were not recorded because there was no memory for their thread's record.
pub fn unrecorded_zones() -> u32 {
    UNRECORDED_ZONES.load(Relaxed)
}

/// Returns the thread's name, if it has one. The outer option is `None` if there is no memory, or if the standard
/// library panics because it no longer has a handle for the thread. The panic occurs if a thread's first zone is in a
/// destructor that C code registered, and this case cannot be detected any other way.
fn std_name() -> Option<Option<String>> {
    let name = || match std::thread::current().name() {
        Some(name) => fallible::try_string(name).map(Some),
        None => Some(None),
    };
    std::panic::catch_unwind(name).ok()?
}

thread_local! {
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`, unless this thread is already inside this function.
///
/// Registering a thread and creating a node allocate, and the host's allocator may have zones. Such zones are not
/// recorded, because they would reenter this code while its data is inconsistent.
pub(super) fn without_reentry<R>(f: impl FnOnce() -> R) -> Option<R> {
    struct Done;
    impl Drop for Done {
        fn drop(&mut self) {
            IS_INSIDE.set(false);
        }
    }
    if IS_INSIDE.replace(true) {
        return None;
    }
    let _done = Done;
    Some(f())
}

/// Runs `f` and records its zones, even if this thread is one of the profiler's own.
pub(super) fn with_recording_allowed<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IS_INSIDE.set(self.0);
        }
    }
    let _restore = Restore(IS_INSIDE.replace(false));
    f()
}

fn is_own_thread(name: &str) -> bool {
    OWN_THREADS.contains(&name)
}

/// Starts one of the profiler's own threads, named in [`OWN_THREADS`]. Zones in the host's allocator are not recorded
/// there.
///
/// # Errors
///
/// Returns an error if the system cannot start a thread, and in a child of `fork`.
pub fn spawn_unrecorded<T: Send + 'static>(
    name: &str,
    f: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<JoinHandle<Option<T>>> {
    debug_assert!(is_own_thread(name), "{name} is not in OWN_THREADS");
    if is_forked() {
        return Err(std::io::Error::other("a child of `fork` records nothing"));
    }
    let thread = std::thread::Builder::new().name(name.into());
    thread.spawn(move || without_reentry(f))
}

/// Sets the calling thread's name in reports from now on.
pub(super) fn rename(name: String) {
    // A thread whose thread-locals are gone has no record to rename.
    with_owner(|owner| {
        let mut owner = owner.try_borrow_mut().ok()?;
        match owner.record {
            Some(record) => {
                if !record.is_named(SHARED_NAME) {
                    fallible::while_allocating(|| record.set_name(name));
                }
            }
            None => owner.name = Some(name),
        }
        Some(())
    });
}

/// Calls `f` with the thread's [`OWNER`], unless `OWNER` is destroyed or cannot be created. The system needs memory to
/// register the destructor of `OWNER`, and some systems abort the program if there is none.
fn with_owner<R>(f: impl FnOnce(&RefCell<Owner>) -> Option<R>) -> Option<R> {
    if !fallible::can_allocate() {
        return None;
    }
    OWNER.try_with(f).ok().flatten()
}

thread_local! {
    static OWNER: RefCell<Owner> = const {
        RefCell::new(Owner { record: None, detach: None, name: None })
    };
}

/// The thread's ownership of its record.
struct Owner {
    record: Option<&'static ThreadRecord>,
    /// The function to call before the record is returned.
    detach: Option<fn()>,
    /// The name that was set before the first zone.
    name: Option<String>,
}

impl Owner {
    fn begin(
        &mut self,
        std_name: Option<String>,
        now: Ticks,
        detach: fn(),
    ) -> Option<&'static ThreadRecord> {
        if self.record.is_some() {
            return None;
        }
        // A failed allocation takes microseconds, so retry less and less often.
        let refused = UNRECORDED_ZONES.load(Relaxed);
        let is_time = refused == 0 || refused.is_power_of_two();
        let acquire = || {
            let name = self.name.as_deref().or(std_name.as_deref());
            acquire(fallible::try_string(name.unwrap_or("unnamed"))?, now)
        };
        let record = is_time.then(acquire).flatten();
        if record.is_none() {
            UNRECORDED_ZONES.fetch_add(1, Relaxed);
        }
        self.record = record;
        self.detach = Some(detach);
        record
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        thread_end::set_ended();
        if let Some(record) = self.record.take() {
            if let Some(detach) = self.detach {
                detach();
            }
            record.end(clock::now());
        }
    }
}
