//! The units in which a report shows its columns. They remain steady while values change.
//!
//! Users compare the times in a row with each other, so all columns share the unit that fits the report's largest time.
//! Only a column whose times would all read 0.00 in that unit has its own unit, which fits the column's largest time.

use super::{ColumnId, Row, Unit};

/// Time units in ascending order, each with the limit below which times fit. Even long frames are shown in
/// milliseconds.
const TIMES: [(Unit, f64); 4] = [
    (Unit::Nanoseconds, 1e3),
    (Unit::Microseconds, 1e3),
    (Unit::Milliseconds, 1e4),
    (Unit::Seconds, f64::INFINITY),
];
/// A unit is kept until the largest time falls below this fraction of it. Users may miss a change of unit, so
/// fluctuating times must not cause one.
const MIN_KEPT: f64 = 0.1;
/// A column gets its own unit if its largest time is below this fraction of the shared one, where it reads about 0.00.
/// It keeps that unit up to `KEPT_OWN_BELOW`.
const OWN_BELOW: f64 = 0.01;
const KEPT_OWN_BELOW: f64 = 0.1;
/// Groups of columns that always use the same unit, because their values are compared with each other or add up.
const SAME_UNIT: [&[ColumnId]; 7] = [
    &[ColumnId::SelfTime, ColumnId::NetTime],
    &[ColumnId::HierarchicalTime],
    &[ColumnId::GpuTime],
    &[ColumnId::StandardError],
    &[ColumnId::Difference, ColumnId::ByCount, ColumnId::ByCost],
    PER_UNIT,
    ColumnId::TIMES_PER_FRAME,
];
/// Time per unit cannot be compared with other times, so it always has its own unit.
const PER_UNIT: &[ColumnId] = &[ColumnId::TimePerUnit];

/// The unit in which each column is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    columns: [Unit; ColumnId::ALL.len()],
    /// The unit of all columns that don't have their own.
    shared: Unit,
}

impl Default for Units {
    /// Shows each column in the unit of its values.
    fn default() -> Units {
        let mut columns = [Unit::Milliseconds; ColumnId::ALL.len()];
        for column in ColumnId::ALL {
            columns[*column as usize] = column.unit();
        }
        Units {
            columns,
            shared: Unit::Milliseconds,
        }
    }
}

impl Units {
    /// Returns the units that fit `rows`, keeping units in `before` that nearly fit. `rows` have values in `columns`.
    pub fn fitting(rows: &[Row], columns: &[ColumnId], before: Option<&Units>) -> Units {
        let largest = largest(rows, columns);
        let of_all = largest[..SAME_UNIT.len() - 1].iter().copied();
        let of_all = of_all.fold(0.0, f64::max);
        let mut units = Units {
            shared: fitting(of_all, before.map(|before| before.shared)),
            ..Units::default()
        };
        for (columns, largest) in SAME_UNIT.into_iter().zip(largest) {
            let own = before.filter(|before| before.of(columns[0]) != before.shared);
            let own = own.map(|before| before.of(columns[0]));
            let least = if own.is_some() {
                KEPT_OWN_BELOW
            } else {
                OWN_BELOW
            };
            let needs_own = largest / units.shared.ms() < least || columns == PER_UNIT;
            let unit = match largest > 0.0 && needs_own {
                true => fitting(largest, own),
                false => units.shared,
            };
            for column in columns {
                units.columns[*column as usize] = unit;
            }
        }
        units
    }

    pub fn of(&self, column: ColumnId) -> Unit {
        self.columns[column as usize]
    }
}

/// Returns the largest time in each group of columns [in the same unit](SAME_UNIT), in milliseconds.
fn largest(rows: &[Row], columns: &[ColumnId]) -> [f64; SAME_UNIT.len()] {
    let mut by_column = [0.0; ColumnId::ALL.len()];
    // One pass is enough, and there may be thousands of rows.
    for row in rows {
        for column in columns {
            let largest = &mut by_column[*column as usize];
            *largest = row.number(*column).abs().max(*largest);
        }
    }
    SAME_UNIT.map(|columns| {
        let largest = columns.iter().map(|column| by_column[*column as usize]);
        largest.fold(0.0, f64::max)
    })
}

/// Returns the unit for the given largest time in milliseconds.
fn fitting(largest: f64, before: Option<Unit>) -> Unit {
    let fits = |unit: Unit, least: f64| {
        let number = largest / unit.ms();
        let most = TIMES.iter().find(|(time, _)| *time == unit);
        number >= least && most.is_some_and(|(_, most)| number < *most || *most == f64::INFINITY)
    };
    match before {
        Some(before) if largest == 0.0 || fits(before, MIN_KEPT) => return before,
        _ if largest == 0.0 => return Unit::Milliseconds,
        _ => {}
    }
    let times = TIMES.into_iter().map(|(unit, _)| unit);
    let mut fitting = times.filter(|unit| fits(*unit, 1.0));
    fitting.next().unwrap_or(Unit::Nanoseconds)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use Unit::{Microseconds as Us, Milliseconds as Ms, Nanoseconds as Ns, Seconds as S};

    #[test]
    fn unit_fits_the_largest_value() {
        for (ms, unit) in [
            (0.0, Ms),
            (1e-9, Ns),
            (9.99e-4, Ns),
            (1e-3, Us),
            (0.999, Us),
            (1.0, Ms),
            (999.9, Ms),
            (9_999.0, Ms),
            (25_218.905, S),
            (1e12, S),
            (f64::INFINITY, S),
        ] {
            assert_eq!(fitting(ms, None), unit, "unit for {ms} ms");
        }
    }

    #[test]
    fn unit_persists_through_small_changes() {
        let mut unit = Ms;
        for (ms, wanted) in [
            (1.1, Ms),
            (0.5, Ms),
            (0.1, Ms),
            (0.09, Us),
            (0.9, Us),
            (0.999, Us),
            (1.0, Ms),
            (0.0, Ms),
            (9_999.0, Ms),
            (10_000.0, S),
            (100.0, S),
            (99.0, Ms),
            (1e-5, Ns),
            (0.0, Ns),
        ] {
            unit = fitting(ms, Some(unit));
            assert_eq!(unit, wanted, "unit for {ms} ms");
        }
    }

    #[test]
    fn columns_share_a_unit_unless_one_would_show_zeros() {
        let row = |values: &[(ColumnId, f64)]| Row::new("", values.iter().copied());
        let mut rows = [
            row(&[(ColumnId::SelfTime, 0.2), (ColumnId::NetTime, 0.1)]),
            row(&[(ColumnId::HierarchicalTime, 30.0), (ColumnId::Count, 7e6)]),
            row(&[(ColumnId::Difference, 1e-4), (ColumnId::ByCount, -0.009)]),
        ];
        let units = Units::fitting(&rows, ColumnId::ALL, None);
        for (column, unit) in [
            (ColumnId::SelfTime, Ms),
            (ColumnId::HierarchicalTime, Ms),
            // This column has no value.
            (ColumnId::GpuTime, Ms),
            (ColumnId::Count, Unit::Count),
            (ColumnId::Difference, Us),
            (ColumnId::ByCount, Us),
            (ColumnId::ByCost, Us),
        ] {
            assert_eq!(units.of(column), unit, "unit of {column:?}");
        }
        // The column keeps its unit while it nearly fits.
        let mut after = |ms: f64, before: Option<&Units>| {
            rows[2].set_value(ColumnId::ByCount, crate::Value::exact(ms));
            Units::fitting(&rows, ColumnId::ALL, before).of(ColumnId::ByCost)
        };
        assert_eq!(after(0.015, None), Ms);
        assert_eq!(after(0.015, Some(&units)), Us);
        assert_eq!(after(0.09, Some(&units)), Us);
        assert_eq!(after(0.11, Some(&units)), Ms);
    }
}
