//! How much memory it takes to answer, by how much the program has recorded.

use crate::memory::can_allocate;
use crate::process;
use crate::snapshot::{SnapshotNode, SnapshotZone};

/// What a zone's name and the name of its file take, as a guess from above.
const TEXT_BYTES: usize = 160;
/// And making an answer in any case: compression, buffers.
const LEAST_WORK_BYTES: usize = 1 << 20;

/// What is made of it, which takes memory for each node beside the snapshot: for the measurements' copy
/// of a thread while that is read, and for what a format goes by. Measured by
/// `tests/http_memory.rs`, and rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// A profile or a page.
    Compact = 160,
    /// Text in columns.
    Report = 600,
}

/// How much a program has recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Call paths, on all threads.
    pub(super) nodes: usize,
    pub(super) zones: usize,
}

impl Size {
    /// Of what is recorded now.
    pub(super) fn now() -> Size {
        let (nodes, zones) = process::recorded_size();
        Size { nodes, zones }
    }

    /// What a snapshot takes.
    pub(super) fn snapshot(self) -> usize {
        self.nodes * size_of::<SnapshotNode>()
            + self.zones * (size_of::<SnapshotZone>() + TEXT_BYTES)
    }

    /// What making an answer takes, without the answer.
    pub(super) fn bytes(self, work: Work) -> usize {
        self.snapshot() + self.nodes * work as usize + LEAST_WORK_BYTES
    }

    /// Whether the program can have the memory for that work now: if not, a request for it would end
    /// the program. Another thread may take it away before it is used, and then has the last of it.
    pub(super) fn has_memory(self, work: Work) -> bool {
        can_allocate(self.bytes(work))
    }
}
