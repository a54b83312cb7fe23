//! The columns of a report: their headers, their units, and the format of their numbers.

use iprof_process::text_parts::push_decimal;

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
    #[doc(hidden)]
    pub fn ms(self) -> f64 {
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

/// A column of values. Later versions may have more columns.
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
/// A mean hides the frames that hurt. [`P50`](ColumnId::P50) to [`Deviation`](ColumnId::Deviation), which a view
/// [chooses](crate::View::set_column), are of the times that a row took in each frame: its self times in
/// [`ReportMode::SelfTime`](crate::ReportMode::SelfTime), its hierarchical times in all other modes, on the threads in
/// view. A frame in which it took no time counts with 0. Of these *n* times, sorted:
///
/// | column | definition |
/// |---|---|
/// | *p*th percentile | the time at rank ⌈*p* / 100 · *n*⌉, counted from 1 (nearest rank: type 1 of Hyndman and Fan, *Sample Quantiles in Statistical Packages*, 1996): a time that a frame took, never one between two frames |
/// | max | the last one |
/// | standard deviation | √(Σ(*t* − mean)² / *n*): *n*, not *n* − 1, since the frames are all there are, not a sample |
///
/// The frames are those in view: those of a range or of a set. The live view and a view of one frame have all
/// frames that have not left [history](struct.Config.html#structfield.history) for them, without those that are
/// [kept longer](struct.Config.html#structfield.longest_frames) because they are slow. Frames whose GPU times have not arrived are left
/// out where the GPU is in view. A sampled time has the standard error of the row's time beside it.
///
/// A title line says the same of the frames themselves, with their *1 % low* as frames per second. Tools disagree about
/// that name; here it is 1000 / mean, in milliseconds, of the slowest ⌈*n* / 100⌉ frames:
/// [`Frames::SlowestPercent(1.0)`](enum.Frames.html#variant.SlowestPercent) is these frames. (Others take 1000 / p99, which
/// is never lower.)
///
/// # Values per frame
///
/// [`ValueP50`](ColumnId::ValueP50) to [`ValueDeviation`](ColumnId::ValueDeviation) are the same of the
/// [named value](macro.value.html) that the view [shows](crate::View::value), by the same definitions over the same
/// frames, in the value's unit: of what was added to it in each frame, in the zone itself in
/// [`ReportMode::SelfTime`](crate::ReportMode::SelfTime), in all other modes also in everything it called. A frame in
/// which nothing was added counts with 0; where that is so in all frames, the row has none. Their headers have the
/// value's name: `p99 bodies`. They are exact in every timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColumnId {
    /// Self time in milliseconds.
    SelfTime,
    /// Self time in milliseconds without the cost of recording, never below zero. Listed beside the self time if the view
    /// [chooses](crate::View::set_column) it.
    ///
    /// What a zone costs is measured while the program runs, in a loop of zones. A zone that reads
    /// the clock adds a part of its cost to its own time and the rest to its caller's; one that
    /// only counts adds to its caller's. Where more would be taken out than there is, nothing is
    /// left: in a program a zone may cost less than in a loop. `counter!` is assumed to cost nothing.
    NetTime,
    /// Hierarchical time in milliseconds.
    HierarchicalTime,
    /// GPU time in milliseconds, beside the CPU times: the time of the zone's GPU zones, see
    /// [`gpu_zone!`](macro.gpu_zone.html). Listed only if any row has such a time.
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
    /// per call of the baseline. Where the row has added to the [value that is shown](crate::View::value), the units
    /// of that value count instead of calls: additional units, at the cost per unit.
    ByCount,
    /// The part of the difference due to the cost per call or unit, in milliseconds: the change of that cost. The two
    /// parts sum to the difference.
    ByCost,
    /// Entry count in the baseline.
    BaselineCount,
    /// The sum of the [named value](macro.value.html) that the view [shows](crate::View::value), in its unit. Listed only
    /// if anything was added to it. It is split as times are: a report of self times shows what was added in the zone
    /// itself, any other report also what was added in everything it called.
    NamedValue,
    /// The report's main time per unit of that value, in milliseconds: of [`NamedValue`](ColumnId::NamedValue), the time
    /// that is split in the same way. Rows that added nothing have none.
    TimePerUnit,
    /// The sum of that value in the baseline.
    BaselineValue,
    /// The median of the row's [times per frame](ColumnId#times-per-frame), in milliseconds: their 50th percentile.
    P50,
    /// The 95th percentile of the row's [times per frame](ColumnId#times-per-frame), in milliseconds.
    P95,
    /// The 99th percentile of the row's [times per frame](ColumnId#times-per-frame), in milliseconds.
    P99,
    /// The largest of the row's [times per frame](ColumnId#times-per-frame), in milliseconds.
    MaxTime,
    /// The standard deviation of the row's [times per frame](ColumnId#times-per-frame), in milliseconds.
    Deviation,
    /// How many of the frames over the [frame budget](struct.Config.html#structfield.frame_budget) would have been within it if the row had
    /// taken half of its time. Of the self time in
    /// [`ReportMode::SelfTime`](crate::ReportMode::SelfTime), where only the zone itself gets faster; of the
    /// hierarchical time in all other modes, where what it calls does, too. A view
    /// [chooses](crate::View::set_column) it; a title line says how many frames missed the budget, of those whose
    /// [times per frame](ColumnId#times-per-frame) count, and what the numbers are.
    ///
    /// On the thread of the frames, which calls [`update`](fn.update.html), it is exact: the frame would have taken half
    /// of that time less. What the row takes on another thread makes a frame longer only while the frame's thread
    /// waits for it, which is not recorded. So there it is an upper bound: half of the time, but no more than the
    /// frame's thread [waited](crate::View::idle_ranked) in idle zones, or, where that thread has no such zone,
    /// than the rest of the frame.
    ///
    /// Waiting itself does not get shorter by half: an idle row has no number, and idle time below a row is no part
    /// of its time. With a display that holds frames back, a frame that is ready too late waits for the next
    /// picture; such frames count as missed by all of that, and are not rescued.
    Rescued,
    /// The median of the row's [values per frame](ColumnId#values-per-frame): their 50th percentile.
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

    /// Appends the header of the column for times in `unit`. The two parts of a difference have the unit
    /// of the difference, which stands beside them.
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
            ColumnId::P50 => "time per frame: median",
            ColumnId::P95 => "time per frame: 95 % of frames take no more",
            ColumnId::P99 => "time per frame: 99 % of frames take no more",
            ColumnId::MaxTime => "time per frame: the longest",
            ColumnId::Deviation => "time per frame: standard deviation",
            ColumnId::Rescued => "missed frames, met if it took half its time",
            ColumnId::ValueP50 => "value per frame: median",
            ColumnId::ValueP95 => "value per frame: 95 % of frames have no more",
            ColumnId::ValueP99 => "value per frame: 99 % of frames have no more",
            ColumnId::ValueMax => "value per frame: the largest",
            ColumnId::ValueDeviation => "value per frame: standard deviation",
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
            | ColumnId::BaselineValue
            | ColumnId::Rescued => Unit::Count,
            _ if self.is_of_value() => Unit::Count,
            _ => Unit::Milliseconds,
        }
    }

    /// Whether it is one of [values per frame](ColumnId#values-per-frame).
    #[doc(hidden)]
    pub const fn is_of_value(self) -> bool {
        self as u32 >= ColumnId::ValueP50 as u32 && self as u32 <= ColumnId::ValueDeviation as u32
    }
}

/// A set of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnSet(u32);

impl ColumnSet {
    /// The set of these columns.
    pub const fn of(columns: &[ColumnId]) -> ColumnSet {
        let (mut set, mut at) = (0, 0);
        while at < columns.len() {
            set |= 1 << columns[at] as u32;
            at += 1;
        }
        ColumnSet(set)
    }

    /// Whether a column is in the set.
    pub fn has(self, column: ColumnId) -> bool {
        self.0 & 1 << column as u32 != 0
    }

    /// Adds a column to the set, or takes it out.
    pub fn set(&mut self, column: ColumnId, has: bool) {
        let bit = 1 << column as u32;
        self.0 = if has { self.0 | bit } else { self.0 & !bit };
    }

    /// The columns of either set.
    pub const fn or(self, other: ColumnSet) -> ColumnSet {
        ColumnSet(self.0 | other.0)
    }

    /// The columns of both sets.
    pub fn and(self, other: ColumnSet) -> ColumnSet {
        ColumnSet(self.0 & other.0)
    }

    /// Whether no column is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In the order of [`ColumnId::ALL`].
    pub fn iter(self) -> impl Iterator<Item = ColumnId> {
        let all = ColumnId::ALL.iter().copied();
        all.filter(move |column| self.has(*column))
    }
}

/// Decimal places of times: 1 to 4.
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
