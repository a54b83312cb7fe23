//! The columns of a report: their headers, their units, and the format of their numbers.

use crate::decimal::push_decimal;

/// The unit of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Milliseconds, with a chosen number of decimal places, as in all units of time.
    Milliseconds,
    /// A count. Averages of counts have a fraction, of which one digit is shown.
    Count,
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds.
    Microseconds,
    /// Seconds.
    Seconds,
}

impl Unit {
    /// The symbol: `ns`, `µs`, `ms` or `s`; empty for counts.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::Nanoseconds => "ns",
            Unit::Microseconds => "\u{b5}s",
            Unit::Milliseconds => "ms",
            Unit::Seconds => "s",
            Unit::Count => "",
        }
    }

    /// How many milliseconds it is; 1 for counts.
    pub(crate) fn ms(self) -> f64 {
        match self {
            Unit::Nanoseconds => 1e-6,
            Unit::Microseconds => 1e-3,
            Unit::Milliseconds | Unit::Count => 1.0,
            Unit::Seconds => 1e3,
        }
    }

    /// Appends a number in this unit.
    ///
    /// `precision` is the number of decimal places of times, 1 to 4, clamped. `whole` says that counts
    /// have no fraction.
    pub(crate) fn format(self, number: f64, precision: u32, whole: bool, out: &mut String) {
        let places = match self {
            Unit::Count if whole || number >= 99_999.5 => 0,
            Unit::Count => 1,
            _ => clamp_precision(precision),
        };
        push_decimal(out, number, places);
    }
}

/// A column of values. Later versions may have more columns.
///
/// ```
/// use iprof::{ColumnId, Unit};
///
/// assert_eq!(ColumnId::Count.header(), "count");
/// assert_eq!(ColumnId::SelfTime.unit(), Unit::Milliseconds);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ColumnId {
    /// Self time in milliseconds.
    SelfTime,
    /// Self time in milliseconds minus the estimated recording overhead, never below zero. Listed beside
    /// the self time if the view [asks for it](crate::View::set_net_times).
    NetTime,
    /// Hierarchical time in milliseconds.
    HierarchicalTime,
    /// GPU time in milliseconds, beside the CPU times: the time of the zone's GPU zones, see
    /// [`gpu_zone!`](crate::gpu_zone!). Listed only if any row has such a time.
    ///
    /// GPU time is split as CPU time is. A report of self times shows the time of the GPU zones that
    /// the zone submitted itself, minus that of GPU zones nested in them. Any other report adds the GPU
    /// time submitted by everything the zone called, each moment counted once: a zone that is no GPU
    /// zone shows there the GPU time of all its passes. So in the call graph callers sum to the zone,
    /// and callees to the zone minus its own GPU time.
    ///
    /// The GPU runs in parallel with the CPU, so GPU time is not part of the other times. GPU times
    /// arrive some frames late: a remembered frame shows its own, once they are complete; the newest
    /// frame shows the newest complete ones; averages include all that have arrived.
    GpuTime,
    /// Entry count. A whole number for one frame; an average has a fraction.
    Count,
    /// The standard error, in milliseconds, of the report's main time: the self time in
    /// [`ReportMode::SelfTime`](crate::ReportMode::SelfTime), the hierarchical time in all other modes. The
    /// last column, listed only if any time of the report was sampled. Rows with exact times have none.
    StandardError,
    /// The difference of a row from the [baseline](crate::View::set_baseline), in milliseconds: of its
    /// self time or its hierarchical time, depending on the mode.
    Difference,
    /// The part of the difference due to the number of calls, in milliseconds: additional calls, at the cost
    /// per call of the baseline. Where the row has added to the [value that is shown](crate::View::set_value), the units
    /// of that value count instead of calls: additional units, at the cost per unit.
    ByCount,
    /// The part of the difference due to the cost per call or unit, in milliseconds: the change of that cost. The two
    /// parts sum to the difference.
    ByCost,
    /// Entry count in the baseline.
    BaselineCount,
    /// The sum of the [named value](crate::value!) that the view [shows](crate::View::set_value), in its unit. Listed only
    /// if anything was added to it. It is split as times are: a report of self times shows what was added in the zone
    /// itself, any other report also what was added in everything it called.
    NamedValue,
    /// The report's main time per unit of that value, in milliseconds: of [`NamedValue`](ColumnId::NamedValue), the time
    /// that is split in the same way. Rows that added nothing have none.
    TimePerUnit,
    /// The sum of that value in the baseline.
    BaselineValue,
}

impl ColumnId {
    /// All columns, for menus and tests. No report lists all of them.
    pub const ALL: &[ColumnId] = &[
        ColumnId::SelfTime,
        ColumnId::NetTime,
        ColumnId::HierarchicalTime,
        ColumnId::GpuTime,
        ColumnId::Count,
        ColumnId::StandardError,
        ColumnId::Difference,
        ColumnId::ByCount,
        ColumnId::ByCost,
        ColumnId::BaselineCount,
        ColumnId::NamedValue,
        ColumnId::TimePerUnit,
        ColumnId::BaselineValue,
    ];

    /// The header of the column, for times in milliseconds. A report may show them in another unit: see
    /// [`Report::push_header`](crate::Report::push_header).
    #[must_use]
    pub const fn header(self) -> &'static str {
        match self {
            ColumnId::SelfTime => "self ms",
            ColumnId::NetTime => "net ms",
            ColumnId::HierarchicalTime => "hier ms",
            ColumnId::GpuTime => "gpu ms",
            ColumnId::Count => "count",
            ColumnId::StandardError => "\u{b1} ms",
            ColumnId::Difference => "diff ms",
            ColumnId::ByCount => "by count",
            ColumnId::ByCost => "by cost",
            ColumnId::BaselineCount => "base count",
            ColumnId::NamedValue => "value",
            ColumnId::TimePerUnit => "ms/unit",
            ColumnId::BaselineValue => "base value",
        }
    }

    /// Appends the header of the column for times in `unit`. The two parts of a difference have the unit
    /// of the difference, which stands beside them.
    pub(crate) fn push_header(self, unit: Unit, out: &mut String) {
        match self.header().strip_suffix(Unit::Milliseconds.symbol()) {
            Some(title) => {
                out.push_str(title);
                out.push_str(unit.symbol());
            }
            None => out.push_str(self.header()),
        }
    }

    /// What the column shows, in a line, for help.
    ///
    /// ```
    /// assert_eq!(iprof::ColumnId::Count.description(), "number of times the zone was entered");
    /// ```
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            ColumnId::SelfTime => "elapsed time in the zone itself, excluding zones it calls",
            ColumnId::NetTime => "self time without the cost of recording",
            ColumnId::HierarchicalTime => {
                "elapsed time in the zone and everything it calls (inclusive)"
            }
            ColumnId::GpuTime => "GPU time: self in self-time mode, otherwise hierarchical",
            ColumnId::Count => "number of times the zone was entered",
            ColumnId::StandardError => "standard error of a sampled time (~)",
            ColumnId::Difference => "difference from the baseline",
            ColumnId::ByCount => "difference due to more or fewer calls",
            ColumnId::ByCost => "difference due to the cost per call",
            ColumnId::BaselineCount => "count in the baseline",
            ColumnId::NamedValue => "what was added to this value",
            ColumnId::TimePerUnit => "time per unit of that value",
            ColumnId::BaselineValue => "sum of that value in the baseline",
        }
    }

    /// The unit of its values, as data. A report may show them in another one:
    /// [`Report::unit`](crate::Report::unit).
    #[must_use]
    pub const fn unit(self) -> Unit {
        match self {
            ColumnId::Count
            | ColumnId::BaselineCount
            | ColumnId::NamedValue
            | ColumnId::BaselineValue => Unit::Count,
            _ => Unit::Milliseconds,
        }
    }
}

/// Decimal places of times: 1 to 4.
pub(crate) fn clamp_precision(precision: u32) -> u32 {
    precision.clamp(1, 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_listed_in_the_order_of_their_numbers() {
        for (number, column) in ColumnId::ALL.iter().enumerate() {
            assert_eq!(*column as usize, number);
        }
    }
}
