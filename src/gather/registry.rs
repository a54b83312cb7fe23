//! All threads' records.
//!
//! A thread registers itself with its first zone. When it ends, its counts stay; the next thread
//! of the same name takes the record over and goes on counting. So a program that starts its
//! workers anew for every frame has as many records as it has workers at once, not as it ever had
//! threads. And a program whose threads have ever new names has as many as [`MOST_NAMES`]: after that
//! a thread takes over the record of one that has ended, whatever its name was, under a name that says
//! so. What both counted adds up, as it does under one name.

use super::record::ThreadRecord;
use crate::clock::{self, Instant, Pair, Ticks};
use crate::sync::{Mutex, OnceLock, Ordering::Relaxed, StaticU32, lock};
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
use crate::sync::{MutexGuard, lock_within};
use std::cell::{Cell, RefCell};
use std::thread::JoinHandle;

/// In the order in which they were made; none is ever taken out.
static RECORDS: Mutex<Vec<&'static ThreadRecord>> = Mutex::new(Vec::new());
/// How many there are.
static COUNT: StaticU32 = StaticU32::new(0);

/// The one among them that is the GPU's.
static GPU: OnceLock<&'static ThreadRecord> = OnceLock::new();

/// Appends the records that are missing to `records`, which holds the first ones, in the order in
/// which they were made. New threads wait meanwhile; recording ones do not.
pub(crate) fn complete(records: &mut Vec<&'static ThreadRecord>) {
    let all = lock(&RECORDS);
    let missing = &all[records.len()..];
    // Without memory for them, they are missing until there is some.
    if records.try_reserve(missing.len()).is_ok() {
        records.extend_from_slice(missing);
    }
}

/// As [`complete`], but without the lock as long as no new record is seen: for one who looks often
/// and may see a new thread late.
pub(crate) fn complete_soon(records: &mut Vec<&'static ThreadRecord>) {
    // Relaxed: nothing is read on the strength of it but what the lock guards.
    if records.len() < COUNT.load(Relaxed) as usize {
        complete(records);
    }
}

/// Locks all records, unless that takes longer than `patience`.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(crate) fn hold(
    patience: &mut std::time::Duration,
) -> Option<MutexGuard<'static, Vec<&'static ThreadRecord>>> {
    lock_within(&RECORDS, patience)
}

/// In a copy of the process the calling thread is the only one: ends the others' records.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(crate) fn abandon_others(records: &[&'static ThreadRecord]) {
    let own = TENANT.try_with(|tenant| tenant.borrow().record);
    let own = own.ok().flatten();
    let now = clock::now();
    let is_others = |record: &&&ThreadRecord| !own.is_some_and(|own| std::ptr::eq(own, **record));
    let others = records.iter().filter(is_others);
    others.for_each(|record| record.abandon(now));
}

/// The first pair of readings of both clocks, and what the nanoseconds count from.
pub(crate) fn anchor() -> (Pair, Instant) {
    static ANCHOR: OnceLock<(Pair, Instant)> = OnceLock::new();
    *ANCHOR.get_or_init(|| {
        clock::prepare();
        let epoch = Instant::now();
        (Pair::read(epoch), epoch)
    })
}

/// The names of the profiler's own threads, which get no records.
const OWN_THREADS: [&str; 5] = [
    "iprof budget",
    "iprof sampler",
    "iprof profile",
    "iprof signal",
    "iprof http",
];

/// Gives the calling thread a record. `None` on one of the profiler's own, and when the thread is
/// past the point where it could give it back; before it does that, it calls `detach`.
pub(super) fn register(now: Ticks, detach: fn()) -> Option<&'static ThreadRecord> {
    TENANT
        .try_with(|tenant| {
            let mut tenant = tenant.borrow_mut();
            let std_name = std_name();
            // The standard library allocates on a new thread before anything of ours runs there,
            // and the host's allocator may have zones: only by its name the thread can be told
            // then.
            if std_name.as_deref().is_some_and(is_own) {
                return None;
            }
            let name = tenant
                .name
                .take()
                .or(std_name)
                .unwrap_or_else(|| "unnamed".into());
            let record = acquire(name, now);
            tenant.record = Some(record);
            tenant.detach = Some(detach);
            Some(record)
        })
        .ok()
        .flatten()
}

/// The tree of GPU zones: a record of its own, which no thread ever gets.
#[cfg_attr(not(feature = "_overlay"), allow(dead_code))]
pub(super) fn register_gpu() -> &'static ThreadRecord {
    GPU.get_or_init(|| add(&mut lock(&RECORDS), "GPU".into()))
}

/// So many records, the GPU's included; then threads of new names share those of threads that have
/// ended.
const MOST_NAMES: usize = 1_024;
/// What such records are called.
const SHARED: &str = "other threads";

/// A free record of that name, or a new one.
fn acquire(name: String, now: Ticks) -> &'static ThreadRecord {
    let mut records = lock(&RECORDS);
    let is_gpu = |record: &ThreadRecord| GPU.get().is_some_and(|gpu| std::ptr::eq(*gpu, record));
    let free = |record: &&&'static ThreadRecord| record.is_free() && !is_gpu(record);
    let named = |name: &str| {
        let mut free = records.iter().filter(free);
        free.find(|record| record.is_named(name)).copied()
    };
    let mut found = named(&name);
    if found.is_none() && records.len() >= MOST_NAMES {
        // The newest one is most likely to be one of many.
        let newest = || records.iter().rev().find(free).copied();
        found = named(SHARED).or_else(newest);
        if let Some(record) = found {
            record.set_name(SHARED.into());
        }
    }
    let record = found.unwrap_or_else(|| add(&mut records, name));
    // Under the lock, so that no two threads find the same record free.
    record.begin(now);
    record
}

fn add(records: &mut Vec<&'static ThreadRecord>, name: String) -> &'static ThreadRecord {
    let made = ThreadRecord::new(name);
    records.push(made);
    COUNT.store(records.len() as u32, Relaxed);
    made
}

fn std_name() -> Option<String> {
    std::thread::current().name().map(str::to_owned)
}

thread_local! {
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`, unless this thread is in such an `f` already: then `None`.
///
/// What registers a thread or makes a node allocates, and the host's allocator may have zones
/// itself. Those are not recorded: they would come back here and find things half done.
pub(super) fn once_at_a_time<R>(f: impl FnOnce() -> R) -> Option<R> {
    struct Done;
    impl Drop for Done {
        fn drop(&mut self) {
            AT_WORK.set(false);
        }
    }
    if AT_WORK.replace(true) {
        return None;
    }
    let _done = Done;
    Some(f())
}

/// Runs `f`, whose zones are recorded although this thread may be one of the profiler's own.
pub(super) fn whatever_thread<R>(f: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            AT_WORK.set(self.0);
        }
    }
    let _back = Back(AT_WORK.replace(false));
    f()
}

/// Whether a thread of that name is the profiler's own.
fn is_own(name: &str) -> bool {
    OWN_THREADS.contains(&name)
}

/// Starts a thread of the profiler's own, by one of the names that these have: its zones, those of
/// the host's allocator, are not recorded.
pub(crate) fn spawn_unrecorded<T: Send + 'static>(
    name: &str,
    f: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<JoinHandle<Option<T>>> {
    debug_assert!(is_own(name), "{name} is to be among OWN_THREADS");
    let thread = std::thread::Builder::new().name(name.into());
    thread.spawn(move || once_at_a_time(f))
}

/// Names the calling thread in reports from now on.
pub(crate) fn rename_current_thread(name: String) {
    once_at_a_time(|| rename(name));
}

fn rename(name: String) {
    // A thread that is past its end has no record to name: nothing to do.
    let _ = TENANT.try_with(|tenant| {
        let mut tenant = tenant.borrow_mut();
        match tenant.record {
            // Names change under the lock, so that a copy of the process finds none half changed.
            Some(record) => {
                let _records = lock(&RECORDS);
                if !record.is_named(SHARED) {
                    record.set_name(name);
                }
            }
            None => tenant.name = Some(name),
        }
    });
}

thread_local! {
    static TENANT: RefCell<Tenant> = const {
        RefCell::new(Tenant { record: None, detach: None, name: None })
    };
}

/// The thread that owns a record, as long as it lives.
struct Tenant {
    record: Option<&'static ThreadRecord>,
    /// What to call before the record is given back.
    detach: Option<fn()>,
    /// The name given before the first zone.
    name: Option<String>,
}

impl Drop for Tenant {
    fn drop(&mut self) {
        if let Some(record) = self.record.take() {
            if let Some(detach) = self.detach {
                detach();
            }
            record.end(clock::now());
        }
    }
}

#[cfg(all(test, not(loom), feature = "enable"))]
mod tests {
    use super::*;
    use crate::gather::local;

    /// What the profiler's own thread found: whether it has a record.
    static FOUND: OnceLock<bool> = OnceLock::new();

    fn enter_zones() {
        crate::zone!(own);
        crate::begin!(own_too);
        crate::counter!(things);
        crate::end!(own_too);
        let _ = FOUND.set(local::record().is_some());
    }

    #[test]
    fn the_profilers_own_thread_gets_no_record_whatever_zones_it_enters() {
        spawn_unrecorded("iprof signal", enter_zones).unwrap();
        assert!(!FOUND.wait());
        // As zones in an allocator are entered: before the thread comes to what it is for.
        let thread = std::thread::Builder::new().name("iprof signal".into());
        let has_record = || {
            crate::zone!(own);
            local::record().is_some()
        };
        assert!(!thread.spawn(has_record).unwrap().join().unwrap());
        let mut records = Vec::new();
        complete(&mut records);
        assert!(
            records
                .iter()
                .all(|record| !record.is_named("iprof signal"))
        );
    }
}
