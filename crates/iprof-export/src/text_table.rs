//! Rows of the text dump's tables, and what their cells say.

use super::time_unit::Column;
use iprof_process::Snapshot;
use iprof_process::text_parts::counted;
use std::io::{self, Write};

/// The widths of columns.
pub(super) const CALLS: usize = 11;
pub(super) const PERCENT: usize = 7;

/// Writes a row: its cells, those in columns of no width left out, and its name.
pub(super) fn write_row(
    widths: &[usize],
    cells: &[String],
    name: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut is_first = true;
    for (width, cell) in widths.iter().zip(cells) {
        if *width > 0 {
            let gap = if is_first { "" } else { " " };
            write!(out, "{gap}{cell:>width$}")?;
            is_first = false;
        }
    }
    writeln!(out, "  {name}")
}

/// What the percentages of a table are of.
pub(super) fn all_of(time: Column, ticks: u64) -> String {
    format!("100 % is {} {}", time.text(ticks as f64), time.name())
}

pub(super) fn value(column: Column, ticks: f64, is_sampled: bool) -> String {
    let sampled = if is_sampled { "~" } else { "" };
    format!("{sampled}{}", column.text(ticks))
}

/// Empty for a node that was never entered because it was open all the time.
pub(super) fn per_call(column: Column, ticks: u64, entries: u64, is_sampled: bool) -> String {
    match entries {
        0 => String::new(),
        _ => value(column, ticks as f64 / entries as f64, is_sampled),
    }
}

/// A standard error; empty for an exact time.
pub(super) fn error(column: Column, error: f64) -> String {
    match error > 0.0 {
        true => column.text(error),
        false => String::new(),
    }
}

pub(super) fn percent(part: u64, whole: u64) -> String {
    format!("{:.2}", 100.0 * part as f64 / (whole as f64).max(1.0))
}

/// What stands after a name.
pub(super) fn idle(is_idle: bool) -> &'static str {
    if is_idle { "  (idle)" } else { "" }
}

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
