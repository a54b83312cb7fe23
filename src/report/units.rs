//! The units in which a report shows its columns: each time in the one that fits the largest value of the
//! column, steady while values change.

use super::{ColumnId, Row, Unit};

/// Units of time, from the smallest to the largest.
const TIMES: [Unit; 4] = [
    Unit::Nanoseconds,
    Unit::Microseconds,
    Unit::Milliseconds,
    Unit::Seconds,
];
/// A unit fits values from 1 up to this.
const TOO_LARGE: f64 = 1_000.0;
/// A column keeps its unit until its largest value is below this many of it, so that values near 1 do not make
/// it change to and fro.
const TOO_SMALL: f64 = 0.5;
/// Columns in one unit: those that are compared or summed in each row.
const TOGETHER: [&[ColumnId]; 5] = [
    &[ColumnId::SelfTime, ColumnId::NetTime],
    &[ColumnId::HierarchicalTime],
    &[ColumnId::GpuTime],
    &[ColumnId::StandardError],
    &[ColumnId::Difference, ColumnId::ByCount, ColumnId::ByCost],
];

/// By column: the unit in which it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Units([Unit; ColumnId::ALL.len()]);

impl Default for Units {
    /// The units of the values.
    fn default() -> Units {
        let mut units = [Unit::Milliseconds; ColumnId::ALL.len()];
        for column in ColumnId::ALL {
            units[*column as usize] = column.unit();
        }
        Units(units)
    }
}

impl Units {
    /// The units that fit `rows`. Those `before` are kept as long as they fit nearly.
    pub(crate) fn fitting(rows: &[Row], before: Option<&Units>) -> Units {
        let mut units = Units::default();
        for columns in TOGETHER {
            let numbers = |column: &ColumnId| {
                let column = *column;
                rows.iter().filter_map(move |row| row.value(column))
            };
            let numbers = columns.iter().flat_map(numbers);
            let largest = numbers.map(|value| value.number.abs()).fold(0.0, f64::max);
            let unit = fitting(largest, before.map(|before| before.of(columns[0])));
            columns
                .iter()
                .for_each(|column| units.0[*column as usize] = unit);
        }
        units
    }

    pub(crate) fn of(&self, column: ColumnId) -> Unit {
        self.0[column as usize]
    }
}

/// The unit of time for a largest value in milliseconds.
fn fitting(largest: f64, before: Option<Unit>) -> Unit {
    let fits = |unit: Unit, least: f64| {
        let number = largest / unit.ms();
        number >= least && (number < TOO_LARGE || unit == Unit::Seconds)
    };
    match before {
        Some(before) if largest == 0.0 || fits(before, TOO_SMALL) => return before,
        _ if largest == 0.0 => return Unit::Milliseconds,
        _ => {}
    }
    let unit = TIMES.into_iter().rev().find(|unit| fits(*unit, 1.0));
    unit.unwrap_or(Unit::Nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Unit::{Microseconds as Us, Milliseconds as Ms, Nanoseconds as Ns, Seconds as S};

    #[test]
    fn a_unit_fits_the_largest_value() {
        for (ms, unit) in [
            (0.0, Ms),
            (1e-9, Ns),
            (9.99e-4, Ns),
            (1e-3, Us),
            (0.999, Us),
            (1.0, Ms),
            (999.9, Ms),
            (25_218.905, S),
            (1e12, S),
            (f64::INFINITY, S),
        ] {
            assert_eq!(fitting(ms, None), unit, "{ms}");
        }
    }

    #[test]
    fn a_unit_stays_while_values_change_a_little() {
        let mut unit = Ms;
        for (ms, wanted) in [
            (1.1, Ms),
            (0.9, Ms),
            (0.5, Ms),
            (0.49, Us),
            (0.9, Us),
            (0.999, Us),
            (1.0, Ms),
            (0.0, Ms),
            (999.0, Ms),
            (1_000.0, S),
            (600.0, S),
            (400.0, Ms),
            (1e-5, Ns),
            (0.0, Ns),
        ] {
            unit = fitting(ms, Some(unit));
            assert_eq!(unit, wanted, "{ms}");
        }
    }

    #[test]
    fn columns_that_sum_share_a_unit_and_others_have_their_own() {
        let row = |values: &[(ColumnId, f64)]| Row::new("", values.iter().copied());
        let rows = [
            row(&[(ColumnId::SelfTime, 0.2), (ColumnId::NetTime, 0.1)]),
            row(&[(ColumnId::HierarchicalTime, 30.0), (ColumnId::Count, 7e6)]),
            row(&[(ColumnId::Difference, 1e-4), (ColumnId::ByCount, -5.0)]),
        ];
        let units = Units::fitting(&rows, None);
        for (column, unit) in [
            (ColumnId::SelfTime, Us),
            (ColumnId::NetTime, Us),
            (ColumnId::HierarchicalTime, Ms),
            (ColumnId::Count, Unit::Count),
            (ColumnId::Difference, Ms),
            (ColumnId::ByCost, Ms),
        ] {
            assert_eq!(units.of(column), unit, "{column:?}");
        }
    }
}
