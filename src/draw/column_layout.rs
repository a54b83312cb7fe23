//! Selects the report columns that fit next to the names, and places them.

use super::font::Font;
use super::list::is_within;
use iprof_report::{ColumnId, Report, ReportMode, TitleChoice, Unit, Value};

/// The minimum width of a time column in characters, without decimal places.
const MIN_TIME: usize = 6;
/// The minimum width in characters of a count column.
const MIN_COUNT: usize = 8;
/// The number of characters between two columns.
pub(super) const GAP: f32 = 1.0;
/// The number of characters at the left and right edges.
pub(super) const EDGE: f32 = 0.5;
/// The minimum width of names in characters next to columns of each [importance](importance). Less important columns
/// yield to names.
const MIN_NAMES: [f32; 4] = [8.0, 8.0, 11.0, 18.0];

pub(super) const MAX_COLUMNS: usize = ColumnId::ALL.len();

/// The value columns that fit, with their left and right edges in px.
pub(super) type Columns = [Option<(ColumnId, f32, f32)>; MAX_COLUMNS];

/// Places a report's columns between two edges. `number` is a text buffer.
pub(super) fn place(
    font: &mut Font,
    report: &Report,
    [left, right]: [f32; 2],
    precision: u32,
    number: &mut String,
) -> Columns {
    let advance = font.advance;
    let mut shown = [ColumnId::SelfTime; MAX_COLUMNS];
    let mut count = 0;
    for column in report.shown_columns() {
        shown[count] = column;
        count += 1;
    }
    let mut widths = [0.0; MAX_COLUMNS];
    for (width, column) in widths.iter_mut().zip(&shown[..count]) {
        *width = column_width(font, report, *column, precision, number) + GAP * advance;
    }
    let room = right - left - 2.0 * EDGE * advance;
    let mut total: f32 = widths[..count].iter().sum();
    // The least important column is dropped first. If two columns are equally important, the last one is dropped.
    while let Some((at, least)) = (0..count)
        .map(|at| (at, importance(report.mode, shown[at])))
        .max_by_key(|(_, importance)| *importance)
    {
        let names = MIN_NAMES[usize::from(least).min(MIN_NAMES.len() - 1)];
        if total + names * advance <= room {
            break;
        }
        total -= widths[at];
        shown.copy_within(at + 1..count, at);
        widths.copy_within(at + 1..count, at);
        count -= 1;
    }
    let mut right = right - EDGE * advance;
    let mut columns = [None; MAX_COLUMNS];
    for at in (0..count).rev() {
        let left = right - widths[at] + GAP * advance;
        columns[at] = Some((shown[at], left, right));
        right = left - GAP * advance;
    }
    columns
}

/// Returns a column's importance. 0 is the report's main column; higher numbers are less important.
fn importance(mode: ReportMode, column: ColumnId) -> u8 {
    let is_main = match mode {
        ReportMode::SelfTime => column == ColumnId::SelfTime,
        _ => column == ColumnId::HierarchicalTime,
    };
    match column {
        _ if is_main => 0,
        ColumnId::Difference => 1,
        ColumnId::SelfTime
        | ColumnId::HierarchicalTime
        | ColumnId::P99
        | ColumnId::MaxTime
        | ColumnId::ValueP99
        | ColumnId::ValueMax
        | ColumnId::Rescued => 2,
        ColumnId::ByCount | ColumnId::ByCost => 4,
        ColumnId::NetTime | ColumnId::StandardError => 5,
        ColumnId::BaselineCount | ColumnId::BaselineValue => 6,
        ColumnId::GpuTime => 7,
        _ => 3,
    }
}

/// Returns the column width that fits its header, its current values and typical values.
fn column_width(
    font: &mut Font,
    report: &Report,
    column: ColumnId,
    precision: u32,
    number: &mut String,
) -> f32 {
    let least = match column.unit() {
        Unit::Count => MIN_COUNT,
        _ => MIN_TIME + precision as usize,
    };
    number.clear();
    report.push_header(column, number);
    let mut width = font.width(number).max(least as f32 * font.advance);
    // Values from -999 to 9,999 fit into the column, with or without the mark for sampled times.
    let ms = report.unit(column).ms();
    let is_wide = |value: Value| !(-999.0..9_999.0).contains(&(value.number / ms));
    for row in &report.rows {
        if row.value(column).is_some_and(is_wide) {
            number.clear();
            report.push_value(row, column, precision, number);
            width = width.max(font.width(number));
        }
    }
    width
}

/// A click target above the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderTarget {
    /// The header of a column, or of the name column for `None`.
    Column(Option<ColumnId>),
    Title(TitleChoice),
}

/// The rectangles of click targets, as left, top, right and bottom edges in px. They do not overlap.
#[derive(Debug, Default)]
pub(super) struct Headers {
    all: Vec<(HeaderTarget, [f32; 4])>,
}

impl Headers {
    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    pub(super) fn push(&mut self, target: HeaderTarget, rect: [f32; 4]) {
        self.all.push((target, rect));
    }

    pub(super) fn rect(&self, target: HeaderTarget) -> Option<[f32; 4]> {
        let found = self.all.iter().find(|(other, _)| *other == target);
        found.map(|(_, rect)| *rect)
    }

    pub(super) fn hit(&self, x: f32, y: f32) -> Option<HeaderTarget> {
        let mut all = self.all.iter();
        let found = all.find(|(_, rect)| is_within(*rect, [x, y]));
        found.map(|(target, _)| *target)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use iprof_report::Row;

    fn report(columns: &[ColumnId]) -> Report {
        Report {
            columns: columns.to_vec(),
            rows: vec![Row::new(
                "zone",
                columns.iter().map(|column| (*column, 1.0)),
            )],
            ..Report::default()
        }
    }

    /// Returns the columns and their left edges for a report `characters` wide.
    fn placed(report: &Report, characters: f32) -> Vec<(ColumnId, f32)> {
        let mut font = Font::new(12.0);
        let edges = [0.0, characters * font.advance];
        let columns = place(&mut font, report, edges, 2, &mut String::new());
        let columns = columns.iter().flatten();
        columns.map(|(column, left, _)| (*column, *left)).collect()
    }

    fn columns(report: &Report, characters: f32) -> Vec<ColumnId> {
        let placed = placed(report, characters);
        placed.iter().map(|(column, _)| *column).collect()
    }

    #[test]
    fn names_keep_room_and_gpu_column_is_dropped_first() {
        use ColumnId::{Count, GpuTime, HierarchicalTime, SelfTime};
        let report = report(&[SelfTime, HierarchicalTime, GpuTime, Count]);
        assert_eq!(columns(&report, 85.0), report.columns);
        assert_eq!(columns(&report, 50.0), [SelfTime, HierarchicalTime, Count]);
        // This report is 280 px wide.
        assert_eq!(columns(&report, 40.0), [SelfTime, HierarchicalTime]);
        assert_eq!(columns(&report, 24.0), [SelfTime]);
        assert_eq!(columns(&report, 12.0), []);
    }

    #[test]
    fn main_time_and_difference_are_dropped_last() {
        use ColumnId::{BaselineCount, ByCost, ByCount, Count, Difference, HierarchicalTime};
        let mut report = report(&[
            HierarchicalTime,
            Difference,
            ByCount,
            ByCost,
            Count,
            BaselineCount,
        ]);
        report.mode = ReportMode::CallTree;
        assert_eq!(columns(&report, 85.0), report.columns);
        assert_eq!(columns(&report, 66.0), report.columns[..5]);
        assert_eq!(
            columns(&report, 48.0),
            [HierarchicalTime, Difference, Count]
        );
        assert_eq!(columns(&report, 30.0), [HierarchicalTime, Difference]);
        assert_eq!(columns(&report, 20.0), [HierarchicalTime]);
    }

    #[test]
    fn columns_do_not_move_while_values_change() {
        use ColumnId::{Count, HierarchicalTime, NetTime, SelfTime, StandardError};
        let mut report = report(&[SelfTime, NetTime, HierarchicalTime, Count, StandardError]);
        let usual = placed(&report, 85.0);
        assert_eq!(usual.len(), 5);
        let set_all = |report: &mut Report, value: Value| {
            for column in ColumnId::ALL {
                report.rows[0].set_value(*column, value);
            }
        };
        for value in [0.0, 0.004, 9.87, 999.0, 9_998.99] {
            for error in [0.0, 0.5] {
                set_all(&mut report, Value::sampled(value, error));
                assert_eq!(placed(&report, 85.0), usual, "{value} {error}");
            }
        }
        // Wider values widen their column.
        set_all(&mut report, Value::sampled(12_345.678, 0.5));
        let wide = placed(&report, 85.0);
        let width = |placed: &[(ColumnId, f32)]| placed[1].1 - placed[0].1;
        assert!(width(&wide) > width(&usual));
    }
}
