//! The text dump's tables: rows, cells and column units. All values in a column have the same unit, so that people can
//! compare them at a glance and tools can parse them.

use iprof_process::Snapshot;
use iprof_process::text_parts::counted;
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Units {
    /// The column for times and self times.
    pub(super) time: Column,
    /// The column for averages per call.
    pub(super) average: Column,
}

/// A column's unit, and its values' number of decimal places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Column {
    unit: Unit,
    places: usize,
    /// The minimum width in characters.
    pub(super) width: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
    /// Ticks on the machine's counter.
    Cycles,
}

/// Limits in nanoseconds, and the unit for times below each limit.
const UNITS: [(f64, Unit); 3] = [
    (10e6, Unit::Microseconds),
    (10e9, Unit::Milliseconds),
    (f64::INFINITY, Unit::Seconds),
];
/// The widths of time columns, for times and for cycles.
const WIDTH: usize = 12;
const CYCLES_WIDTH: usize = 16;

impl Units {
    pub(super) const CYCLES: Units = Units {
        time: Column {
            unit: Unit::Cycles,
            places: 0,
            width: CYCLES_WIDTH,
        },
        average: Column {
            unit: Unit::Cycles,
            places: 1,
            width: CYCLES_WIDTH,
        },
    };

    /// Chooses units for a snapshot whose ticks are nanoseconds. The longest thread determines the unit for times.
    pub(super) fn of(whole: &Snapshot) -> Units {
        let mut longest = 0;
        let mut averages = Vec::new();
        for thread in &whole.threads {
            let hier = thread.subtree_ticks();
            longest = longest.max(hier.first().copied().unwrap_or(0));
            let entered = thread.nodes.iter().zip(hier);
            let entered = entered.filter(|(node, _)| node.entries > 0);
            averages.extend(entered.map(|(node, hier)| hier as f64 / node.entries as f64));
        }
        let longest = longest as f64;
        let unit = UNITS.into_iter().find(|(limit, _)| longest < *limit);
        let unit = unit.map_or(Unit::Seconds, |(_, unit)| unit);
        let places = match unit {
            // Programs that run for minutes still show times down to microseconds.
            Unit::Seconds if longest < 1e12 => 6,
            _ => 3,
        };
        Units {
            time: Column {
                unit,
                places,
                width: WIDTH,
            },
            average: Column::of_averages(averages.into_iter()),
        }
    }

    /// Returns the column for a different list of averages in the same dump.
    pub(super) fn averages(self, averages: impl Iterator<Item = f64> + Clone) -> Column {
        match self.average.unit {
            Unit::Cycles => self.average,
            _ => Column::of_averages(averages),
        }
    }
}

impl Column {
    /// Chooses a unit for averages in nanoseconds. Averages within one program can differ by orders of magnitude, so
    /// the unit is a compromise between the smallest and the largest average. Averages of ten nanoseconds or more show
    /// at least two digits.
    pub(super) fn of_averages(averages: impl Iterator<Item = f64> + Clone) -> Column {
        let averages = averages.filter(|ns| *ns > 0.0);
        let smallest = averages.clone().fold(f64::INFINITY, f64::min);
        let largest = averages.fold(0.0, f64::max);
        let middle = smallest.sqrt() * largest.sqrt();
        let unit = if largest == 0.0 {
            Unit::Microseconds
        } else if middle < 1e3 {
            Unit::Nanoseconds
        } else if middle < 1e6 || smallest < 10e3 {
            Unit::Microseconds
        } else if middle < 1e9 || smallest < 10e6 {
            Unit::Milliseconds
        } else {
            Unit::Seconds
        };
        let mut column = Column {
            unit,
            places: if unit == Unit::Nanoseconds { 1 } else { 3 },
            width: WIDTH,
        };
        // Leave room for a `~` before the number.
        column.width = column.width.max(1 + column.text(largest).len());
        column
    }

    pub(super) fn name(self) -> &'static str {
        match self.unit {
            Unit::Seconds => "s",
            Unit::Milliseconds => "ms",
            Unit::Microseconds => "us",
            Unit::Nanoseconds => "ns",
            Unit::Cycles => "cycles",
        }
    }

    pub(super) fn text(self, ticks: f64) -> String {
        format!("{:.*}", self.places, ticks / self.unit.ns())
    }
}

impl Unit {
    /// Returns the number of nanoseconds per unit, or 1 for cycles.
    fn ns(self) -> f64 {
        match self {
            Unit::Seconds => 1e9,
            Unit::Milliseconds => 1e6,
            Unit::Microseconds => 1e3,
            Unit::Nanoseconds | Unit::Cycles => 1.0,
        }
    }
}

/// The width of the column of calls.
pub(super) const CALLS: usize = 11;
/// The width of the column of percentages.
pub(super) const PERCENT: usize = 7;

/// Writes a row of cells, followed by a name. Columns of width zero are skipped.
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

pub(super) fn all_of(time: Column, ticks: u64) -> String {
    format!("100 % is {} {}", time.text(ticks as f64), time.name())
}

pub(super) fn value(column: Column, ticks: f64, is_sampled: bool) -> String {
    let sampled = if is_sampled { "~" } else { "" };
    format!("{sampled}{}", column.text(ticks))
}

/// Formats the average per call. Empty for nodes without entries, which were open the whole time.
pub(super) fn per_call(column: Column, ticks: u64, entries: u64, is_sampled: bool) -> String {
    match entries {
        0 => String::new(),
        _ => value(column, ticks as f64 / entries as f64, is_sampled),
    }
}

/// Formats a standard error. Empty for exact times.
pub(super) fn error(column: Column, error: f64) -> String {
    match error > 0.0 {
        true => column.text(error),
        false => String::new(),
    }
}

pub(super) fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / (whole as f64).max(1.0)
}

pub(super) fn idle(is_idle: bool) -> &'static str {
    if is_idle { "  (idle)" } else { "" }
}

/// Summarizes a snapshot: its number of threads and frames, the recorded time, and which values are exact. The GPU
/// doesn't count as a thread.
pub(crate) fn recorded(snapshot: &Snapshot) -> String {
    let mut threads = counted(snapshot.cpu_threads().count() as u64, "thread");
    if snapshot.gpu_threads().next().is_some() {
        threads += " and the GPU";
    }
    let frames = match snapshot.frames {
        0 => String::new(),
        frames => format!(", {}", counted(frames, "frame")),
    };
    let seconds = snapshot.ns(snapshot.ticks) / 1e9;
    format!("{threads}{frames}, {seconds:.3} s; counts are exact, and so are times without a ~")
}

#[cfg(test)]
mod tests {
    use super::*;
    use iprof_process::SnapshotThread;

    #[test]
    fn longest_time_determines_the_unit() {
        let text = |ns: u64| {
            let mut snapshot = Snapshot::default();
            let mut thread = SnapshotThread::new("main");
            thread.nodes[0].ticks = ns;
            snapshot.threads.push(thread);
            let time = Units::of(&snapshot).time;
            time.text(ns as f64) + " " + time.name()
        };
        for (ns, expected) in [
            (0, "0.000 us"),
            (9_999_999, "9999.999 us"),
            (10_000_000, "10.000 ms"),
            (9_999_999_000, "9999.999 ms"),
            (25_218_905_000, "25.218905 s"),
            (7_200_000_400_000, "7200.000 s"),
        ] {
            assert_eq!(text(ns), expected);
        }
    }

    #[test]
    fn averages_share_a_unit_that_fits_all() {
        let texts = |averages: &[f64]| -> Vec<String> {
            let column = Column::of_averages(averages.iter().copied());
            let texts = averages.iter();
            let texts = texts.map(|ns| column.text(*ns) + " " + column.name());
            texts.collect()
        };
        for (averages, expected) in [
            (&[30.0, 90.5][..], &["30.0 ns", "90.5 ns"][..]),
            (&[221.0, 30e6], &["0.221 us", "30000.000 us"]),
            (&[2.0, 151_939_564.0], &["0.002 us", "151939.564 us"]),
            (&[25_000.0, 151_939_564.0], &["0.025 ms", "151.940 ms"]),
            (&[27.0, 100e9], &["0.027 us", "100000000.000 us"]),
            (&[15e6, 300e9], &["0.015 s", "300.000 s"]),
            (&[0.0, 5e3], &["0.000 us", "5.000 us"]),
            (&[0.0], &["0.000 us"]),
        ] {
            assert_eq!(texts(averages), expected);
        }
        let wide = Column::of_averages([27.0, 100e9].into_iter());
        assert_eq!(wide.width, "~100000000.000".len());
        assert_eq!(
            Units::CYCLES.averages([27.0].into_iter()),
            Units::CYCLES.average
        );
    }

    #[test]
    fn cycles_have_no_decimal_places() {
        let Units { time, average } = Units::CYCLES;
        assert_eq!(
            [time, average].map(|column| column.text(27.0)),
            ["27", "27.0"]
        );
    }
}
