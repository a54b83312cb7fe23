//! The units of the text dump's columns of times. A column has one unit, so that its values can be compared
//! at a glance, and by tools that read columns.

use crate::snapshot::Snapshot;

/// The units of a dump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Units {
    /// Of times and self times.
    pub(super) time: Unit,
    /// Of averages per call.
    pub(super) average: Unit,
}

/// The unit of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
    Microseconds,
    /// Ticks of the machine's counter.
    Cycles,
}

impl Units {
    /// For exact ticks.
    pub(super) const CYCLES: Units = Units {
        time: Unit::Cycles,
        average: Unit::Cycles,
    };

    /// For a snapshot whose ticks are nanoseconds. Times of a program are as readable as its busiest thread's.
    /// Averages are of any size in one program, so their unit is that of the smallest one.
    pub(super) fn of(whole: &Snapshot) -> Units {
        let (mut largest, mut smallest) = (0, f64::INFINITY);
        for thread in &whole.threads {
            let hier = thread.subtree_ticks();
            largest = largest.max(hier.first().copied().unwrap_or(0));
            for (node, hier) in thread.nodes.iter().zip(hier) {
                if node.entries > 0 && hier > 0 {
                    smallest = smallest.min(hier as f64 / node.entries as f64);
                }
            }
        }
        Units {
            time: match largest {
                1_000_000_000_000.. => Unit::Seconds,
                10_000_000.. => Unit::Milliseconds,
                _ => Unit::Microseconds,
            },
            average: match smallest.is_finite() && smallest >= 10e6 {
                true => Unit::Milliseconds,
                false => Unit::Microseconds,
            },
        }
    }

    /// Minimum width of a column.
    pub(super) fn width(self) -> usize {
        match self.time {
            Unit::Cycles => 16,
            _ => 12,
        }
    }
}

impl Unit {
    pub(super) fn name(self) -> &'static str {
        match self {
            Unit::Seconds => "s",
            Unit::Milliseconds => "ms",
            Unit::Microseconds => "us",
            Unit::Cycles => "cycles",
        }
    }

    /// A time in this unit: of nanoseconds, or of cycles.
    pub(super) fn text(self, ticks: u64) -> String {
        match self {
            Unit::Cycles => ticks.to_string(),
            _ => self.average(ticks as f64),
        }
    }

    /// An average in this unit.
    pub(super) fn average(self, ticks: f64) -> String {
        match self {
            Unit::Seconds => format!("{:.3}", ticks / 1e9),
            Unit::Milliseconds => format!("{:.3}", ticks / 1e6),
            Unit::Microseconds => format!("{:.3}", ticks / 1e3),
            Unit::Cycles => format!("{ticks:.1}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SnapshotThread;

    /// Of a thread with a zone that took `ns` in `entries`.
    fn units(ns: u64, entries: u64) -> Units {
        let mut snapshot = Snapshot::default();
        let mut thread = SnapshotThread::new("main");
        let node = thread.child(0, 0);
        thread.fill(&[(node, ns, entries)]);
        snapshot.threads.push(thread);
        Units::of(&snapshot)
    }

    #[test]
    fn times_are_in_microseconds_up_to_ten_milliseconds_and_in_seconds_from_a_thousand() {
        for (ns, expected) in [
            (0, Unit::Microseconds),
            (9_999_999, Unit::Microseconds),
            (10_000_000, Unit::Milliseconds),
            (999_999_999_999, Unit::Milliseconds),
            (1_000_000_000_000, Unit::Seconds),
        ] {
            assert_eq!(units(ns, 1).time, expected, "{ns}");
        }
        assert_eq!(Units::of(&Snapshot::default()).time, Unit::Microseconds);
    }

    #[test]
    fn averages_are_in_microseconds_unless_all_are_long() {
        assert_eq!(units(1_000_000_000, 1).average, Unit::Milliseconds);
        assert_eq!(units(1_000_000_000, 1_000).average, Unit::Microseconds);
        assert_eq!(units(5, 0).average, Unit::Microseconds);
    }

    #[test]
    fn values_have_three_decimal_places_and_cycles_are_whole() {
        assert_eq!(Unit::Seconds.text(7_200_000_400_000), "7200.000");
        assert_eq!(Unit::Milliseconds.text(16_667_123), "16.667");
        assert_eq!(Unit::Microseconds.text(27), "0.027");
        assert_eq!(Unit::Cycles.text(27), "27");
        assert_eq!(Unit::Cycles.average(27.0), "27.0");
    }
}
