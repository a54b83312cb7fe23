//! Limits shared by all clients: number of connections, writer threads and memory.
//!
//! Memory is one [budget](MEMORY_KIB). Each consumer reserves its share before it allocates: snapshots of
//! waiting readers, the work of writing responses, and responses that are not sent yet. A request that does
//! not fit is refused. Nothing here is proportional to what a client sends, which hyper limits by itself.

use super::memory_estimate::{Size, Work};
use super::refusal::Refusal;
use crate::memory::can_allocate;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;

/// Maximum and minimum number of clients that are served at once, without the readers that wait for a
/// profile, which have as many places again. Each connection is one of the program's open files; clients
/// use at most one eighth of those.
const PLACES: usize = 16;
const LEAST_PLACES: usize = 2;
const PART_OF_FILES: u64 = 8;
/// Number of responses that are written at once.
pub(super) const WRITERS: usize = 2;
/// The whole memory budget.
pub(super) const MEMORY_KIB: u32 = 128 << 10;
/// The part of the budget for the snapshots of waiting readers; the rest is for the responses of other
/// clients.
const WAITING_KIB: u32 = MEMORY_KIB / 2;
/// The part of the budget for the work of writing responses; the rest is for the responses themselves.
const WORK_KIB: u32 = MEMORY_KIB / 4 * 3;
/// What the endpoint leaves of the system's memory for the program, and for what it does not count itself.
const RESERVE: usize = 8 << 20;
/// How long a request waits for a writer thread, and then for memory.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(10);

/// A share of a limit, returned when it is dropped.
pub(super) type Share = OwnedSemaphorePermit;

/// What is left of each limit.
#[derive(Debug)]
pub(super) struct Limits {
    clients: Arc<Semaphore>,
    readers: Arc<Semaphore>,
    writers: Arc<Semaphore>,
    memory: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    /// What is not taken of it is the memory of the work in progress.
    work: Arc<Semaphore>,
    /// Whether a client waits for another client's place.
    crowded: watch::Sender<bool>,
}

impl Limits {
    pub(super) fn new() -> Limits {
        Limits::with_places(places(open_files()))
    }

    fn with_places(places: usize) -> Limits {
        let semaphore = |shares| Arc::new(Semaphore::new(shares));
        Limits {
            clients: semaphore(places),
            readers: semaphore(places),
            writers: semaphore(WRITERS),
            memory: semaphore(MEMORY_KIB as usize),
            waiting: semaphore(WAITING_KIB as usize),
            work: semaphore(MEMORY_KIB as usize),
            crowded: watch::Sender::new(false),
        }
    }

    /// Waits for a client's place. Meanwhile the deadlines of connected clients are shorter. The semaphores
    /// are never closed, so an error cannot happen.
    pub(super) async fn client(&self) -> Option<Share> {
        if let Ok(place) = Arc::clone(&self.clients).try_acquire_owned() {
            return Some(place);
        }
        self.crowded.send_replace(true);
        let place = Arc::clone(&self.clients).acquire_owned().await;
        self.crowded.send_replace(false);
        place.ok()
    }

    /// Whether a client waits for a place.
    pub(super) fn crowded(&self) -> watch::Receiver<bool> {
        self.crowded.subscribe()
    }

    /// Waits for a writer thread. A client that has `waited` for its profile gets one however long it
    /// takes.
    pub(super) async fn writer(&self, waited: bool) -> Result<Share, Refusal> {
        let turn = Arc::clone(&self.writers).acquire_owned();
        if waited {
            return turn.await.map_err(|_| Refusal::Busy);
        }
        let turn = timeout(QUEUE_TIMEOUT, turn).await;
        turn.ok().and_then(Result::ok).ok_or(Refusal::Busy)
    }

    /// A place and memory for a reader that waits with a snapshot of that size.
    pub(super) fn reader(&self, size: Size) -> Result<[Share; 3], Refusal> {
        let kib = kib(size.snapshot());
        if kib > WAITING_KIB {
            return Err(Refusal::TooLarge(size));
        }
        let place = Arc::clone(&self.readers).try_acquire_owned();
        let part = Arc::clone(&self.waiting).try_acquire_many_owned(kib);
        match (place, part, self.memory(kib)) {
            (Ok(place), Ok(part), Some(memory)) => Ok([place, part, memory]),
            _ => Err(Refusal::TooManyReaders),
        }
    }

    /// Waits for the memory that writing a response takes.
    pub(super) async fn work(&self, size: Size, work: Work) -> Result<[Share; 2], Refusal> {
        let kib = kib(size.bytes(work));
        if kib > WORK_KIB {
            return Err(Refusal::TooLarge(size));
        }
        let share = Arc::clone(&self.memory).acquire_many_owned(kib);
        let share = timeout(QUEUE_TIMEOUT, share).await;
        let share = share.ok().and_then(Result::ok);
        let share = share.ok_or(Refusal::NoMemory)?;
        // As much as of the whole budget: never less than there.
        let of_work = Arc::clone(&self.work).try_acquire_many_owned(kib);
        Ok([share, of_work.map_err(|_| Refusal::NoMemory)?])
    }

    /// Whether the allocator has `bytes` now, and beyond them all that the work in progress may still allocate,
    /// and [some](RESERVE) for the program: if not, a failed allocation would end the program. Another thread may
    /// still allocate the memory before it is used; then that thread has exhausted it.
    pub(super) fn can_allocate(&self, bytes: usize) -> bool {
        let of_work = MEMORY_KIB as usize - self.work.available_permits();
        can_allocate(bytes + (of_work << 10) + RESERVE)
    }

    /// Memory for a response, if it is available at once.
    pub(super) fn memory(&self, kib: u32) -> Option<Share> {
        Arc::clone(&self.memory).try_acquire_many_owned(kib).ok()
    }
}

/// `bytes` in the unit of the budget.
pub(super) fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX)
}

/// The maximum number of clients, and of readers, if `files` files may be open.
fn places(files: u64) -> usize {
    let part = usize::try_from(files / PART_OF_FILES).unwrap_or(PLACES);
    part.clamp(LEAST_PLACES, PLACES)
}

/// How many files the program may have open; unlimited on systems without such a limit.
fn open_files() -> u64 {
    #[cfg(all(unix, feature = "enable"))]
    {
        use rustix::process::{Resource, getrlimit};
        getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
    }
    #[cfg(not(all(unix, feature = "enable")))]
    u64::MAX
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn places_and_memory_limit_the_number_of_readers() {
        let mib = |nodes: usize| Size { nodes, zones: 0 }.snapshot().div_ceil(1 << 20);
        assert_eq!(mib(1 << 18), 10);
        for (nodes, readers) in [(1, 16), (1 << 18, 6), (1 << 20, 1), (1 << 22, 0)] {
            let limits = Limits::with_places(16);
            let size = Size { nodes, zones: 0 };
            let mut shares = Vec::new();
            while let Ok(share) = limits.reader(size) {
                shares.push(share);
            }
            assert_eq!(shares.len(), readers, "{nodes} nodes");
            if shares.pop().is_some() {
                assert!(limits.reader(size).is_ok());
            }
        }
    }

    #[test]
    fn waiting_readers_leave_memory_for_other_responses() {
        let limits = Limits::with_places(16);
        let size = Size {
            nodes: 1 << 20,
            zones: 0,
        };
        let _reader = limits.reader(size).unwrap();
        assert_eq!(limits.reader(size).unwrap_err(), Refusal::TooManyReaders);
        assert!(limits.memory(MEMORY_KIB - WAITING_KIB).is_some());
        assert!(limits.memory(MEMORY_KIB).is_none());
    }

    #[test]
    fn clients_use_at_most_an_eighth_of_the_open_files() {
        for (files, expected) in [(u64::MAX, 16), (1024, 16), (64, 8), (16, 2), (0, 2)] {
            assert_eq!(places(files), expected, "{files} files");
        }
    }
}
