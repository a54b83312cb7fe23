//! The summary line of text and HTML reports: how much was recorded, and what `~` means; with the plural of
//! counted nouns.

use crate::snapshot::Snapshot;

/// The number of threads and frames and the recorded time of a snapshot in nanoseconds, and which of its
/// values are exact.
pub(crate) fn recorded(snapshot: &Snapshot) -> String {
    format!(
        "{}, {}, {:.3} s; counts are exact, and so are times without a ~",
        counted(snapshot.threads.len() as u64, "thread"),
        counted(snapshot.frames, "frame"),
        snapshot.ticks as f64 / 1e9
    )
}

pub(super) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
