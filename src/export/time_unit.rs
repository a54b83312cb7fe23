//! The units of the text dump's columns of times. A column has one unit, so that its values can be compared
//! at a glance, and by tools that read columns.

use crate::snapshot::Snapshot;

/// The columns of times of a dump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Units {
    /// Of times and self times.
    pub(super) time: Column,
    /// Of averages per call.
    pub(super) average: Column,
}

/// The unit of a column, and how many decimal places its values have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Column {
    unit: Unit,
    places: usize,
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Seconds,
    Milliseconds,
    Microseconds,
    /// Ticks of the machine's counter.
    Cycles,
}

/// The unit of values of up to so many nanoseconds.
const UNITS: [(f64, Unit); 3] = [
    (10e6, Unit::Microseconds),
    (10e9, Unit::Milliseconds),
    (f64::INFINITY, Unit::Seconds),
];
/// A number is as wide as this in the columns of times.
const WIDTH: usize = 12;
const WIDE: usize = 16;

impl Units {
    /// For exact ticks.
    pub(super) const CYCLES: Units = Units {
        time: Column {
            unit: Unit::Cycles,
            places: 0,
        },
        average: Column {
            unit: Unit::Cycles,
            places: 1,
        },
    };

    /// For a snapshot whose ticks are nanoseconds. The longest thread, or the largest average, chooses a column's
    /// unit. Averages are of any size in one program: they have so many decimal places that the smallest one
    /// has two digits.
    pub(super) fn of(whole: &Snapshot) -> Units {
        let (mut longest, mut largest, mut smallest) = (0, 0.0f64, f64::INFINITY);
        for thread in &whole.threads {
            let hier = thread.subtree_ticks();
            longest = longest.max(hier.first().copied().unwrap_or(0));
            for (node, hier) in thread.nodes.iter().zip(hier) {
                if node.entries > 0 && hier > 0 {
                    let average = hier as f64 / node.entries as f64;
                    (smallest, largest) = (smallest.min(average), largest.max(average));
                }
            }
        }
        let longest = longest as f64;
        let time = match Unit::for_most(longest) {
            // A microsecond of a program of minutes.
            Unit::Seconds if longest < 1e12 => Column {
                unit: Unit::Seconds,
                places: 6,
            },
            unit => Column { unit, places: 3 },
        };
        let unit = Unit::for_most(largest);
        let has_digits = |places: &usize| smallest / unit.ns() * 10f64.powi(*places as i32) >= 10.0;
        let most = unit.places_of_ns();
        let places = [3, 6, 9].into_iter().find(has_digits).unwrap_or(most);
        Units {
            time,
            average: Column {
                unit,
                places: places.min(most),
            },
        }
    }

    /// Minimum width of a column.
    pub(super) fn width(self) -> usize {
        match (self.time.unit, self.average.places) {
            (Unit::Cycles, _) | (_, 9) => WIDE,
            _ => WIDTH,
        }
    }
}

impl Column {
    /// Its unit's name.
    pub(super) fn name(self) -> &'static str {
        match self.unit {
            Unit::Seconds => "s",
            Unit::Milliseconds => "ms",
            Unit::Microseconds => "us",
            Unit::Cycles => "cycles",
        }
    }

    /// A value: of nanoseconds, or of cycles.
    pub(super) fn text(self, ticks: f64) -> String {
        format!("{:.*}", self.places, ticks / self.unit.ns())
    }
}

impl Unit {
    fn for_most(ns: f64) -> Unit {
        let unit = UNITS.into_iter().find(|(limit, _)| ns < *limit);
        unit.map_or(Unit::Seconds, |(_, unit)| unit)
    }

    /// Nanoseconds, or cycles.
    fn ns(self) -> f64 {
        match self {
            Unit::Seconds => 1e9,
            Unit::Milliseconds => 1e6,
            Unit::Microseconds => 1e3,
            Unit::Cycles => 1.0,
        }
    }

    /// Decimal places of a nanosecond.
    fn places_of_ns(self) -> usize {
        match self {
            Unit::Seconds => 9,
            Unit::Milliseconds => 6,
            Unit::Microseconds => 3,
            Unit::Cycles => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SnapshotThread;

    /// Of a thread with zones that took so many ns in so many entries.
    fn units(zones: &[(u64, u64)]) -> Units {
        let mut snapshot = Snapshot::default();
        let mut thread = SnapshotThread::new("main");
        for (zone, (ns, entries)) in (1..).zip(zones) {
            let node = thread.child(0, zone);
            thread.fill(&[(node, *ns, *entries)]);
        }
        snapshot.threads.push(thread);
        Units::of(&snapshot)
    }

    /// A value in the column of times, and in that of averages.
    fn texts(units: Units, ns: f64) -> [String; 2] {
        [units.time, units.average].map(|column| column.text(ns) + " " + column.name())
    }

    #[test]
    fn the_longest_time_chooses_the_unit() {
        for (ns, expected) in [
            (0, "0.000 us"),
            (9_999_999, "9999.999 us"),
            (10_000_000, "10.000 ms"),
            (9_999_999_000, "9999.999 ms"),
            (25_218_905_000, "25.218905 s"),
            (7_200_000_400_000, "7200.000 s"),
        ] {
            assert_eq!(texts(units(&[(ns, 1)]), ns as f64)[0], expected);
        }
        assert_eq!(Units::of(&Snapshot::default()), units(&[]));
    }

    #[test]
    fn averages_have_the_unit_of_the_largest_and_the_digits_of_the_smallest() {
        let texts = |zones: &[(u64, u64)]| {
            let average = units(zones).average;
            let each = zones
                .iter()
                .map(|(ns, entries)| *ns as f64 / *entries as f64);
            each.map(|each| average.text(each) + " " + average.name())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            texts(&[(151_939_564, 1), (500, 2)]),
            ["151.939564 ms", "0.000250 ms"]
        );
        assert_eq!(
            texts(&[(151_939_564, 1), (50_000, 2)]),
            ["151.940 ms", "0.025 ms"]
        );
        assert_eq!(
            texts(&[(9_000_000, 1), (27, 1000)]),
            ["9000.000 us", "0.000 us"]
        );
        let [long, short] = ["12.000000000 s", "0.000000027 s"];
        assert_eq!(texts(&[(12_000_000_000, 1), (27, 1)]), [long, short]);
        assert_eq!(units(&[(12_000_000_000, 1), (27, 1)]).width(), WIDE);
        assert_eq!(units(&[(5, 0)]).average.name(), "us");
    }

    #[test]
    fn cycles_are_whole() {
        assert_eq!(texts(Units::CYCLES, 27.0), ["27 cycles", "27.0 cycles"]);
    }
}
