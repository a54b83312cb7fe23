//! How much was recorded, for the heads of what people read.

use crate::snapshot::Snapshot;

/// Threads, frames and time of a snapshot in nanoseconds, and what is exact in it.
pub(crate) fn recorded(whole: &Snapshot) -> String {
    format!(
        "{}, {}, {:.3} s; counts are exact, and so are times without a ~",
        counted(whole.threads.len() as u64, "thread"),
        counted(whole.frames, "frame"),
        whole.ticks as f64 / 1e9
    )
}

fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
