//! All threads' records.
//!
//! A thread registers itself with its first zone. When it ends, its counts stay; the next thread
//! of the same name takes the record over and goes on counting. So a program that starts its
//! workers anew for every frame has as many records as it has workers at once, not as it ever had
//! threads. And a program whose threads have ever new names has as many as [`MOST_NAMES`]: after that
//! a thread takes over the record of one that has ended, whatever its name was, under a name that says
//! so. What both counted adds up, as it does under one name.

use super::record::ThreadRecord;
use super::reserved;
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

/// Locks all records, unless that takes until `end`.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(crate) fn hold(end: Instant) -> Option<MutexGuard<'static, Vec<&'static ThreadRecord>>> {
    lock_within(&RECORDS, end)
}

/// In a copy of the process the calling thread is the only one: ends the others' records.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(crate) fn abandon_others(records: &[&'static ThreadRecord]) {
    let own = own_record();
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

/// Gives the calling thread a record. `None` on one of the profiler's own, and when the thread has
/// come to its end, as far as thread-locals are concerned; before it gives the record back, it calls
/// `detach`. `None` also when there is no memory for a record: then the thread asks again at other
/// zones, less and less often.
///
/// A thread has one record in its life. One that owns a record and asks for one has lost what it
/// knew of itself, so it is at its end: it may close zones and enters none.
pub(super) fn register(now: Ticks, detach: fn()) -> Option<&'static ThreadRecord> {
    if !reserved::has_room() {
        REFUSED.fetch_add(1, Relaxed);
        return None;
    }
    if was_tenant() {
        return None;
    }
    let std_name = std_name()?;
    // The standard library allocates on a new thread before anything of ours runs there, and the
    // host's allocator may have zones: only by its name the thread can be told then.
    if std_name.as_deref().is_some_and(is_own) {
        return None;
    }
    with_tenant(|tenant| tenant.try_borrow_mut().ok()?.begin(std_name, now, detach))
}

/// The record that the calling thread owns.
pub(super) fn own_record() -> Option<&'static ThreadRecord> {
    with_tenant(|tenant| tenant.try_borrow().ok()?.record)
}

/// The tree of GPU zones: a record of its own, which no thread ever gets. `None` if there is no
/// memory for it.
#[cfg_attr(not(feature = "_overlay"), allow(dead_code))]
pub(super) fn register_gpu() -> Option<&'static ThreadRecord> {
    let mut records = lock(&RECORDS);
    let made = records.iter().copied().find(|record| record.is_gpus());
    made.or_else(|| add(&mut records, ThreadRecord::of_gpu))
}

/// So many records, the GPU's included; then threads of new names share those of threads that have
/// ended.
const MOST_NAMES: usize = 1_024;
/// What such records are called.
const SHARED: &str = "other threads";

/// A free record of that name, or a new one; `None` if there is no memory for it.
fn acquire(name: String, now: Ticks) -> Option<&'static ThreadRecord> {
    let mut records = lock(&RECORDS);
    let free = |record: &&&'static ThreadRecord| record.is_free();
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
            record.set_name(reserved::text(SHARED)?);
        }
    }
    let record = found.or_else(|| add(&mut records, || ThreadRecord::new(name)))?;
    // Under the lock, so that no two threads find the same record free.
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

/// How many zones were not recorded since there was no memory for a record of their thread.
static REFUSED: StaticU32 = StaticU32::new(0);

/// See [`REFUSED`].
pub(crate) fn refused() -> u32 {
    REFUSED.load(Relaxed)
}

/// The thread's name, if it has one. `None` when there is no memory for it, and when not even the
/// standard library knows the thread any longer, in destructors that C code registered: then it
/// panics, and nothing else tells.
fn std_name() -> Option<Option<String>> {
    let name = || match std::thread::current().name() {
        Some(name) => reserved::text(name).map(Some),
        None => Some(None),
    };
    std::panic::catch_unwind(name).ok()?
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
    with_tenant(|tenant| {
        let mut tenant = tenant.try_borrow_mut().ok()?;
        match tenant.record {
            // Names change under the lock, so that a copy of the process finds none half changed.
            Some(record) => {
                let _records = lock(&RECORDS);
                if !record.is_named(SHARED) {
                    reserved::allocating(|| record.set_name(name));
                }
            }
            None => tenant.name = Some(name),
        }
        Some(())
    });
}

/// Calls `f` with the thread's own [`TENANT`], unless that is gone, or cannot be had: to keep its
/// destructor in mind the system needs memory, and some end the program when there is none.
fn with_tenant<R>(f: impl FnOnce(&RefCell<Tenant>) -> Option<R>) -> Option<R> {
    if !reserved::has_room() {
        return None;
    }
    TENANT.try_with(f).ok().flatten()
}

thread_local! {
    static TENANT: RefCell<Tenant> = const {
        RefCell::new(Tenant { record: None, detach: None, name: None, ended: 0 })
    };
    static PAST: Past = const { Past(Cell::new(0)) };
}

/// The thread that owns a record, as long as it lives.
struct Tenant {
    record: Option<&'static ThreadRecord>,
    /// What to call before the record is given back.
    detach: Option<fn()>,
    /// The name given before the first zone.
    name: Option<String>,
    /// See [`Past`].
    ended: u8,
}

impl Tenant {
    fn begin(
        &mut self,
        std_name: Option<String>,
        now: Ticks,
        detach: fn(),
    ) -> Option<&'static ThreadRecord> {
        if self.record.is_some() || self.ended > 0 {
            return None;
        }
        // Where memory was refused, it is asked for seldom: that takes microseconds.
        let refused = REFUSED.load(Relaxed);
        let is_time = refused == 0 || refused.is_power_of_two();
        let acquire = || {
            let name = self.name.as_deref().or(std_name.as_deref());
            acquire(reserved::text(name.unwrap_or("unnamed"))?, now)
        };
        let record = is_time.then(acquire).flatten();
        if record.is_none() {
            REFUSED.fetch_add(1, Relaxed);
        }
        self.record = record;
        self.detach = Some(detach);
        record
    }
}

impl Drop for Tenant {
    fn drop(&mut self) {
        if let Some(record) = self.record.take() {
            if let Some(detach) = self.detach {
                detach();
            }
            record.end(clock::now());
            self.ended = 1;
        }
        if (1..=ROUNDS).contains(&self.ended) {
            let _ = PAST.try_with(|past| past.0.set(self.ended + 1));
        }
    }
}

/// Knows that the thread has given its record back, after [`TENANT`] has told.
///
/// Where the system boxes thread-locals, one that was destroyed is made anew when a later destructor
/// asks for it, knows nothing, and is destroyed in the next of some four rounds. So each of the two
/// tells the other one when it goes, which comes to life again by that, for as many times as leave
/// the last rounds nothing to destroy. Elsewhere what is gone stays so, and says so.
struct Past(Cell<u8>);

/// Times that [`TENANT`] and [`PAST`] tell each other.
const ROUNDS: u8 = 2;

impl Drop for Past {
    fn drop(&mut self) {
        let ended = self.0.get();
        if (1..=ROUNDS).contains(&ended) {
            let tell = |tenant: &RefCell<Tenant>| {
                if let Ok(mut tenant) = tenant.try_borrow_mut() {
                    tenant.ended = ended + 1;
                }
            };
            let _ = TENANT.try_with(tell);
        }
    }
}

/// Whether the calling thread has had a record and given it back, as [`PAST`] knows.
fn was_tenant() -> bool {
    PAST.try_with(|past| past.0.get() > 0).unwrap_or(true)
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
    fn a_thread_named_gpu_never_owns_the_gpus_record() {
        // From here on threads see it.
        let published = register_gpu().unwrap();
        let own = || {
            crate::zone!(draw);
            local::record().expect("the thread runs")
        };
        let thread = std::thread::Builder::new().name("GPU".into());
        let own = thread.spawn(own).unwrap().join().unwrap();
        assert!(!std::ptr::eq(own, published));
        assert_eq!((published.tenancy(), published.node_count()), (0, 1));
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
