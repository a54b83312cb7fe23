//! Estimates the memory that a response takes, from the amount of recorded data.

use crate::process;
use crate::snapshot::{SnapshotNode, SnapshotZone};

/// Upper estimate of the text of a zone: its name and its file's name.
const TEXT_BYTES: usize = 160;
/// Memory that writing any response takes: compression, buffers.
const LEAST_WORK_BYTES: usize = 1 << 20;

/// The kind of response, whose value is the number of bytes per node that writing it takes beside the
/// snapshot: for the copy of a thread's measurements while the thread is read, and for the exporter's own
/// data. Measured by `tests/http_memory.rs`, and rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// A profile for pprof, or a page.
    Compact = 160,
    /// Text in columns, and all other formats.
    Report = 600,
}

impl Work {
    /// For a file with that extension.
    pub(super) fn of(extension: &str) -> Work {
        match extension {
            ".html" | ".pb.gz" | ".pprof" => Work::Compact,
            _ => Work::Report,
        }
    }
}

/// The amount of data that the program has recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Call paths, on all threads.
    pub(super) nodes: usize,
    pub(super) zones: usize,
}

impl Size {
    /// The current amount.
    pub(super) fn now() -> Size {
        let (nodes, zones) = process::recorded_size();
        Size { nodes, zones }
    }

    /// Bytes of a snapshot.
    pub(super) fn snapshot(self) -> usize {
        self.nodes * size_of::<SnapshotNode>()
            + self.zones * (size_of::<SnapshotZone>() + TEXT_BYTES)
    }

    /// Bytes that writing a response takes, without the response itself.
    pub(super) fn bytes(self, work: Work) -> usize {
        self.snapshot() + self.nodes * work as usize + LEAST_WORK_BYTES
    }
}
