//! The summary line of the text dump and the HTML page: how much was recorded, and the meaning of `~`.
//! Also the plural of counted nouns, for this line, the gprof layout and the sampling profile.

use crate::snapshot::Snapshot;

/// The number of threads and frames and the recorded time of a snapshot, and which of its
/// values are exact. The GPU is none of the threads.
pub(crate) fn recorded(snapshot: &Snapshot) -> String {
    let mut threads = counted(snapshot.cpu_threads().count() as u64, "thread");
    if snapshot.gpu_threads().next().is_some() {
        threads += " and the GPU";
    }
    // A program without frames has none to count.
    let frames = match snapshot.frames {
        0 => String::new(),
        frames => format!(", {}", counted(frames, "frame")),
    };
    let seconds = snapshot.ns(snapshot.ticks) / 1e9;
    format!("{threads}{frames}, {seconds:.3} s; counts are exact, and so are times without a ~")
}

pub(super) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
