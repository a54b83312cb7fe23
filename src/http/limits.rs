//! How much all clients together may take: places, the writers' turns, and memory.
//!
//! Memory is one [budget](MEMORY_KIB), of which everything takes its part before it is allocated:
//! the snapshots of readers that wait, the work of making an answer, and answers that were not
//! taken yet. What is too large for it is refused. Nothing here is proportional to what a client
//! sends, which hyper bounds by itself.

use super::refusal::Refusal;
use super::size::{Size, Work};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;

/// Clients that are served at once, without those that wait for a profile; and these. Each is one
/// of the program's open files, of which they take an eighth at most.
const PLACES: usize = 16;
const LEAST_PLACES: usize = 2;
const PART_OF_FILES: u64 = 8;
/// Answers that are made at once.
pub(super) const WRITERS: usize = 2;
/// All memory.
pub(super) const MEMORY_KIB: u32 = 128 << 10;
/// The part of it that snapshots of waiting readers may take: the rest is for the answers of others.
const WAITING_KIB: u32 = MEMORY_KIB / 2;
/// The part of it that making an answer may take: the rest is for the answer.
const WORK_KIB: u32 = MEMORY_KIB / 4 * 3;
/// How long an answer that is to be made waits for its turn, and then for memory.
const PATIENCE: Duration = Duration::from_secs(10);

/// A part of a limit, which is given back when it is dropped.
pub(super) type Share = OwnedSemaphorePermit;

/// What is left of each limit.
#[derive(Debug)]
pub(super) struct Limits {
    clients: Arc<Semaphore>,
    readers: Arc<Semaphore>,
    writers: Arc<Semaphore>,
    memory: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    /// Whether a client waits for the place of another.
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
            crowded: watch::Sender::new(false),
        }
    }

    /// A client's place, when there is one; meanwhile those who have one are in a hurry. None of
    /// these semaphores is ever closed, so an error does not happen.
    pub(super) async fn client(&self) -> Option<Share> {
        if let Ok(place) = Arc::clone(&self.clients).try_acquire_owned() {
            return Some(place);
        }
        self.crowded.send_replace(true);
        let place = Arc::clone(&self.clients).acquire_owned().await;
        self.crowded.send_replace(false);
        place.ok()
    }

    /// Whether somebody waits for a place.
    pub(super) fn crowded(&self) -> watch::Receiver<bool> {
        self.crowded.subscribe()
    }

    /// Leave to make an answer, when it comes: whoever has `waited` for a profile gets it in any case.
    pub(super) async fn writer(&self, waited: bool) -> Result<Share, Refusal> {
        let turn = Arc::clone(&self.writers).acquire_owned();
        if waited {
            return turn.await.map_err(|_| Refusal::Busy);
        }
        let turn = timeout(PATIENCE, turn).await;
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

    /// Memory to make an answer in, when there is some.
    pub(super) async fn work(&self, size: Size, work: Work) -> Result<Share, Refusal> {
        let kib = kib(size.bytes(work));
        if kib > WORK_KIB {
            return Err(Refusal::TooLarge(size));
        }
        let share = Arc::clone(&self.memory).acquire_many_owned(kib);
        let share = timeout(PATIENCE, share).await;
        share.ok().and_then(Result::ok).ok_or(Refusal::NoMemory)
    }

    /// Memory for an answer, if there is some at once.
    pub(super) fn memory(&self, kib: u32) -> Option<Share> {
        Arc::clone(&self.memory).try_acquire_many_owned(kib).ok()
    }
}

fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX)
}

/// How many clients there may be, and how many readers, where so many files may be open.
fn places(files: u64) -> usize {
    let part = usize::try_from(files / PART_OF_FILES).unwrap_or(PLACES);
    part.clamp(LEAST_PLACES, PLACES)
}

/// How many files the program may have open, where the system has such a limit.
fn open_files() -> u64 {
    #[cfg(all(unix, feature = "enable"))]
    {
        use rustix::process::{Resource, getrlimit};
        getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
    }
    #[cfg(not(all(unix, feature = "enable")))]
    u64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_are_as_many_as_places_and_memory_allow() {
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
    fn readers_that_wait_leave_memory_for_the_answers_of_others() {
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
    fn clients_take_an_eighth_of_the_open_files_at_most() {
        for (files, expected) in [(u64::MAX, 16), (1024, 16), (64, 8), (16, 2), (0, 2)] {
            assert_eq!(places(files), expected, "{files} files");
        }
    }
}
