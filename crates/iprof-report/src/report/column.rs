//! The columns of a report, with their headers, units and number formats.

use iprof_process::text_parts::push_decimal;

/// The unit of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Milliseconds. Times in any unit are shown with a configurable number of decimal places.
    Milliseconds,
    /// A count. Averages of counts are shown with one decimal place.
    Count,
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds.
    Microseconds,
    /// Seconds.
    Seconds,
}

impl Unit {
    /// Returns the symbol: `ns`, `µs`, `ms` or `s`; empty for counts.
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

    /// Returns the unit in milliseconds; 1 for counts.
    #[doc(hidden)]
    pub fn ms(self) -> f64 {
        match self {
            Unit::Nanoseconds => 1e-6,
            Unit::Microseconds => 1e-3,
            Unit::Milliseconds | Unit::Count => 1.0,
            Unit::Seconds => 1e3,
        }
    }

    /// Appends a number in this unit. `precision` is the number of decimal places for times, clamped to between 1 and
    /// 4. If `whole` is true, counts have no decimal places.
    #[doc(hidden)]
    pub fn format(self, number: f64, precision: u32, whole: bool, out: &mut String) {
        let places = match self {
            Unit::Count if whole || number >= 99_999.5 => 0,
            Unit::Count => 1,
            _ => clamp_precision(precision),
        };
        push_decimal(out, number, places);
    }
}

/// A column of values. Later versions may add more columns.
///
/// ```
/// use iprof::{ColumnId, Unit};
///
/// assert_eq!(ColumnId::Count.header(), "count");
/// assert_eq!(ColumnId::SelfTime.unit(), Unit::Milliseconds);
/// ```
///
/// # Times per frame
///
/// The columns [`P50`](ColumnId::P50) to [`Deviation`](ColumnId::Deviation), which a view can
/// [add](crate::View::set_column), describe the times that a row took in individual frames on the threads in view,
/// because a mean alone would hide slow frames. The times are self times in
/// [`ReportMode::SelfTime`](crate::ReportMode::SelfTime), and hierarchical times in all other modes. Frames in which
/// the row took no time count as 0. For these *n* times, sorted:
///
/// | column | definition |
/// |---|---|
/// | *p*th percentile | the time at rank ⌈*p* / 100 · *n*⌉, counted from 1 (nearest rank: type 1 of Hyndman and Fan, *Sample Quantiles in Statistical Packages*, 1996): a time that a frame took, never one between two frames |
/// | max | the last one |
/// | standard deviation | √(Σ(*t* − mean)² / *n*): *n*, not *n* − 1, since the frames are the whole population, not a sample |
///
/// The frames are those in view. For the live view and a single frame, they are all frames within the
/// [history](struct.Config.html#structfield.history) limits. Frames that are only
/// [kept because they are slow](struct.Config.html#structfield.longest_frames) do not count, nor do frames whose GPU
/// times are missing while the GPU is in view. Sampled times have the standard error of the row's time.
///
/// A title line shows the same statistics for the frames themselves, with their *1% low* in frames per second. Tools
/// define that term differently. Here it is 1000 divided by the mean, in milliseconds, of the slowest ⌈*n* / 100⌉
/// frames, as in [`Frames::SlowestPercent(1.0)`](enum.Frames.html#variant.SlowestPercent). Other tools use 1000 / p99,
/// which is never lower.
///
/// # Values per frame
///
/// The columns [`ValueP50`](ColumnId::ValueP50) to [`ValueDeviation`](ColumnId::ValueDeviation) describe the amounts
/// added in each of these frames to the [named value](macro.value.html) that the view [shows](crate::View::value), in
/// the value's unit. In [`ReportMode::SelfTime`](crate::ReportMode::SelfTime) these are the amounts added by the zone
/// itself. In all other modes they include amounts added by everything that it called.
///
/// Frames in which nothing was added count as 0. If nothing was added in any frame, the row has no values. Headers
/// contain the value's name, as in `p99 bodies`. The numbers are exact in every timing mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ColumnId {
    /// Self time in milliseconds.
    SelfTime,
    /// Self time in milliseconds without the recording cost, never below zero. The column is shown only if the view
    /// [adds](crate::View::set_column) it.
    ///
    /// A zone's cost is measured in a loop of zones while the program runs. A zone that reads the clock adds some of
    /// its cost to its own time and the rest to its caller's. A zone that is only counted adds all of its cost to its
    /// caller's time. Zones may cost less in the program than in the loop, so net times are clamped to 0. `counter!` is
    /// assumed to cost nothing.
    NetTime,
    /// Hierarchical time in milliseconds.
    HierarchicalTime,
    /// GPU time of the zone's [GPU zones](macro.gpu_zone.html), in milliseconds. The column is listed only if any row
    /// has GPU time.
    ///
    /// GPU time is self or hierarchical time, like the CPU time. A report of self times shows the time of the GPU zones
    /// that the zone itself submitted, minus the time of GPU zones nested in them. All other reports add the GPU time
    /// submitted by everything that the zone called, counting each moment once. A zone that is not a GPU zone itself
    /// then shows the GPU time of all its passes. In the call graph, callers sum to the zone, and callees to the zone
    /// minus its own GPU time.
    ///
    /// The GPU runs in parallel with the CPU, so GPU time is not included in the other times. GPU times arrive a few
    /// frames late. A remembered frame shows its own GPU times once they are complete. The newest frame shows the
    /// newest complete ones, and averages include all that have arrived.
    GpuTime,
    /// Entry count: a whole number for one frame, a fraction for an average.
    Count,
    /// The standard error, in milliseconds, of the report's main time. This is self time in
    /// [`ReportMode::SelfTime`](crate::ReportMode::SelfTime) and hierarchical time in all other modes. It is the last
    /// column, and only listed if any time was sampled. Rows with exact times have none.
    StandardError,
    /// The difference between the row's self or hierarchical time, depending on the mode, and its time in the
    /// [baseline](crate::View::set_baseline), in milliseconds.
    Difference,
    /// The portion of the difference due to the number of calls, in milliseconds: additional calls times the baseline's
    /// cost per call. If the row added to the [shown value](crate::View::value), the portion is computed from the
    /// value's units instead of calls.
    ByCount,
    /// The rest of the difference, due to the change in cost per call or per unit, in milliseconds.
    ByCost,
    /// Entry count in the baseline.
    BaselineCount,
    /// The sum of the [named value](macro.value.html) that the view [shows](crate::View::value), in its unit. The
    /// column is listed only if anything was added. A report of self times shows what the zone itself added. All others
    /// include everything that it called.
    NamedValue,
    /// The report's main time per unit of [`NamedValue`](ColumnId::NamedValue), in milliseconds, if the row added
    /// anything.
    TimePerUnit,
    /// The sum of the named value in the baseline.
    BaselineValue,
    /// The median of the row's [times per frame](ColumnId#times-per-frame), in milliseconds.
    P50,
    /// The 95th percentile of the row's [times per frame](ColumnId#times-per-frame), in milliseconds.
    P95,
    /// The 99th percentile of the row's [times per frame](ColumnId#times-per-frame), in milliseconds.
    P99,
    /// The largest of the row's [times per frame](ColumnId#times-per-frame), in milliseconds.
    MaxTime,
    /// The standard deviation of the row's [times per frame](ColumnId#times-per-frame), in milliseconds.
    Deviation,
    /// The number of frames over the [frame budget](struct.Config.html#structfield.frame_budget) that would have met it
    /// if the row had taken half its time. The column is shown only if a view [adds](crate::View::set_column) it.
    ///
    /// In [`ReportMode::SelfTime`](crate::ReportMode::SelfTime) the self time is halved, so only the zone itself gets
    /// faster. In all other modes the hierarchical time is halved, so everything that it calls also gets faster. A
    /// title line shows how many frames missed the budget, and explains the numbers.
    ///
    /// On the frame's thread, which calls [`update`](fn.update.html), the number is exact: the frame would have been
    /// shorter by half of the row's time. Any other thread delays a frame only while the frame's thread waits for it.
    /// That wait is not recorded, so rows of other threads show an upper bound. They save half of their time, but no
    /// more than the time the frame's thread [waited](crate::View::idle_ranked) in idle zones, or without such zones,
    /// no more than the rest of the frame.
    ///
    /// Waiting does not get shorter, so idle rows have no number, and idle time below a row doesn't count toward the
    /// row. With vsync, a late frame waits for the next refresh. All of that time counts against the budget, so such
    /// frames are not rescued.
    Rescued,
    /// The median of the row's [values per frame](ColumnId#values-per-frame).
    ValueP50,
    /// The 95th percentile of the row's [values per frame](ColumnId#values-per-frame).
    ValueP95,
    /// The 99th percentile of the row's [values per frame](ColumnId#values-per-frame).
    ValueP99,
    /// The largest of the row's [values per frame](ColumnId#values-per-frame).
    ValueMax,
    /// The standard deviation of the row's [values per frame](ColumnId#values-per-frame).
    ValueDeviation,
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
        ColumnId::P50,
        ColumnId::P95,
        ColumnId::P99,
        ColumnId::MaxTime,
        ColumnId::Deviation,
        ColumnId::Rescued,
        ColumnId::ValueP50,
        ColumnId::ValueP95,
        ColumnId::ValueP99,
        ColumnId::ValueMax,
        ColumnId::ValueDeviation,
    ];

    /// The columns of a row's [times per frame](ColumnId#times-per-frame).
    pub const TIMES_PER_FRAME: &[ColumnId] = &[
        ColumnId::P50,
        ColumnId::P95,
        ColumnId::P99,
        ColumnId::MaxTime,
        ColumnId::Deviation,
    ];

    /// The columns of a row's [values per frame](ColumnId#values-per-frame), in the order of
    /// [`TIMES_PER_FRAME`](ColumnId::TIMES_PER_FRAME).
    pub const VALUES_PER_FRAME: &[ColumnId] = &[
        ColumnId::ValueP50,
        ColumnId::ValueP95,
        ColumnId::ValueP99,
        ColumnId::ValueMax,
        ColumnId::ValueDeviation,
    ];

    /// Returns the column's header, with times in milliseconds. A report may show them in a different unit, see
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
            ColumnId::P50 => "p50 ms",
            ColumnId::P95 => "p95 ms",
            ColumnId::P99 => "p99 ms",
            ColumnId::MaxTime => "max ms",
            ColumnId::Deviation => "sd ms",
            ColumnId::Rescued => "rescued",
            ColumnId::ValueP50 => "p50 value",
            ColumnId::ValueP95 => "p95 value",
            ColumnId::ValueP99 => "p99 value",
            ColumnId::ValueMax => "max value",
            ColumnId::ValueDeviation => "sd value",
        }
    }

    /// Appends the column's header, with times in `unit`. The two portions of a difference use the difference's unit.
    #[doc(hidden)]
    pub fn push_header(self, unit: Unit, out: &mut String) {
        match self.header().strip_suffix(Unit::Milliseconds.symbol()) {
            Some(title) => {
                out.push_str(title);
                out.push_str(unit.symbol());
            }
            None => out.push_str(self.header()),
        }
    }

    /// Returns a one-line description of the column, for help.
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
            ColumnId::NamedValue => "amount added to this value",
            ColumnId::TimePerUnit => "time per unit of the value",
            ColumnId::BaselineValue => "amount added in the baseline",
            ColumnId::P50 => "time per frame: median",
            ColumnId::P95 => "time per frame: 95 % of frames take no longer",
            ColumnId::P99 => "time per frame: 99 % of frames take no longer",
            ColumnId::MaxTime => "time per frame: the longest",
            ColumnId::Deviation => "time per frame: standard deviation",
            ColumnId::Rescued => "missed frames rescued if its time were halved",
            ColumnId::ValueP50 => "value per frame: median",
            ColumnId::ValueP95 => "value per frame: 95 % of frames add no more",
            ColumnId::ValueP99 => "value per frame: 99 % of frames add no more",
            ColumnId::ValueMax => "value per frame: the largest",
            ColumnId::ValueDeviation => "value per frame: standard deviation",
        }
    }

    /// Returns the unit of the column's values as data. A report may show them in a different unit, see
    /// [`Report::unit`](crate::Report::unit).
    #[must_use]
    pub const fn unit(self) -> Unit {
        match self {
            ColumnId::Count
            | ColumnId::BaselineCount
            | ColumnId::NamedValue
            | ColumnId::BaselineValue
            | ColumnId::Rescued => Unit::Count,
            _ if self.is_of_value() => Unit::Count,
            _ => Unit::Milliseconds,
        }
    }

    /// Returns whether the column is one of the [values per frame](ColumnId#values-per-frame).
    #[doc(hidden)]
    pub const fn is_of_value(self) -> bool {
        self as u32 >= ColumnId::ValueP50 as u32 && self as u32 <= ColumnId::ValueDeviation as u32
    }
}

/// A set of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnSet(u32);

impl ColumnSet {
    /// Returns the set of these columns.
    pub const fn of(columns: &[ColumnId]) -> ColumnSet {
        let (mut set, mut at) = (0, 0);
        while at < columns.len() {
            set |= 1 << columns[at] as u32;
            at += 1;
        }
        ColumnSet(set)
    }

    /// Returns whether a column is in the set.
    pub fn has(self, column: ColumnId) -> bool {
        self.0 & 1 << column as u32 != 0
    }

    /// Adds a column to the set, or removes it.
    pub fn set(&mut self, column: ColumnId, has: bool) {
        let bit = 1 << column as u32;
        self.0 = if has { self.0 | bit } else { self.0 & !bit };
    }

    /// Returns the columns that are in either set.
    pub const fn or(self, other: ColumnSet) -> ColumnSet {
        ColumnSet(self.0 | other.0)
    }

    /// Returns the columns that are in both sets.
    pub fn and(self, other: ColumnSet) -> ColumnSet {
        ColumnSet(self.0 & other.0)
    }

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the columns in the order of [`ColumnId::ALL`].
    pub fn iter(self) -> impl Iterator<Item = ColumnId> {
        let all = ColumnId::ALL.iter().copied();
        all.filter(move |column| self.has(*column))
    }
}

/// Clamps the number of decimal places for times to between 1 and 4.
pub fn clamp_precision(precision: u32) -> u32 {
    precision.clamp(1, 4)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn columns_are_listed_in_the_order_of_their_numbers() {
        for (number, column) in ColumnId::ALL.iter().enumerate() {
            assert_eq!(*column as usize, number);
        }
    }
}
