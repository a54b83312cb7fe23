//! How much all clients together may take.

use crate::snapshot::{Snapshot, SnapshotNode, SnapshotZone};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Clients that are served at once, without those that wait for a profile.
const CLIENTS: usize = 128;
/// What is made at once.
pub(super) const MAKERS: usize = 2;
/// Memory of readers that wait, in KiB; and as much of answers that were not taken yet.
const MEMORY_KIB: u32 = 64 << 10;
/// A reader that waits takes at least so much of it, so that there are not too many: its connection
/// is one of the program's open files.
const READER_KIB: u32 = 512;
/// How long a finished answer waits for memory.
const MEMORY_TIME: Duration = Duration::from_secs(5);

/// A part of a limit, which is given back when it is dropped.
pub(super) type Share = OwnedSemaphorePermit;

/// What is left of each limit.
#[derive(Debug)]
pub(super) struct Limits {
    clients: Arc<Semaphore>,
    makers: Arc<Semaphore>,
    readers: Arc<Semaphore>,
    answers: Arc<Semaphore>,
}

impl Limits {
    pub(super) fn new() -> Limits {
        let semaphore = |shares| Arc::new(Semaphore::new(shares));
        Limits {
            clients: semaphore(CLIENTS),
            makers: semaphore(MAKERS),
            readers: semaphore(MEMORY_KIB as usize),
            answers: semaphore(MEMORY_KIB as usize),
        }
    }

    /// A client's place, when there is one. None of these semaphores is ever closed, so an error
    /// does not happen.
    pub(super) async fn client(&self) -> Option<Share> {
        Arc::clone(&self.clients).acquire_owned().await.ok()
    }

    /// Leave to make something, when it comes.
    pub(super) async fn maker(&self) -> Option<Share> {
        Arc::clone(&self.makers).acquire_owned().await.ok()
    }

    /// Memory for a reader that waits with a snapshot; none if there are too many.
    pub(super) fn reader(&self, snapshot: &Snapshot) -> Option<Share> {
        let size = kib(bytes(snapshot)).max(READER_KIB);
        Arc::clone(&self.readers).try_acquire_many_owned(size).ok()
    }

    /// Memory for an answer of so many bytes, if there is soon enough.
    pub(super) async fn answer(&self, bytes: usize) -> Option<Share> {
        let share = Arc::clone(&self.answers).acquire_many_owned(kib(bytes));
        timeout(MEMORY_TIME, share).await.ok()?.ok()
    }
}

/// What is larger than all there is takes all there is.
fn kib(bytes: usize) -> u32 {
    let kib = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX);
    kib.min(MEMORY_KIB)
}

/// What a snapshot takes, without the allocator's own.
fn bytes(snapshot: &Snapshot) -> usize {
    let nodes: usize = snapshot
        .threads
        .iter()
        .map(|thread| thread.nodes.len())
        .sum();
    let texts = |zone: &SnapshotZone| size_of_val(zone) + zone.name.len() + zone.file.len();
    nodes * size_of::<SnapshotNode>() + snapshot.zones.iter().map(texts).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::SnapshotThread;

    fn snapshot(nodes: usize) -> Snapshot {
        let mut thread = SnapshotThread::new("main");
        thread.nodes.resize(nodes, SnapshotNode::default());
        Snapshot {
            threads: vec![thread],
            ..Snapshot::default()
        }
    }

    #[test]
    fn readers_are_as_many_as_memory_allows() {
        // Small ones are counted, large ones weighed, and one that is too large goes alone.
        for (nodes, readers) in [(1, 128), (1 << 15, 51), (1 << 22, 1)] {
            let (limits, snapshot) = (Limits::new(), snapshot(nodes));
            let mut shares = Vec::new();
            while let Some(share) = limits.reader(&snapshot) {
                shares.push(share);
            }
            assert_eq!(shares.len(), readers, "{nodes} nodes");
            shares.pop();
            assert!(limits.reader(&snapshot).is_some());
        }
    }
}
