//! The report as rectangles: title bar, warnings, column heads, rows. (IProf: `Prof_draw_gl`.)

use super::font::Font;
use super::list::DrawList;
use super::palette::{self, Color};
use crate::report::{Column, MAX_VALUES, Record, Report, Unit};

/// Characters that a column of values has at least, without the decimal places of times.
const MIN_MS: usize = 6;
const MIN_COUNT: usize = 8;
/// Characters between two columns, and at the edges.
const GAP: f32 = 1.0;
const EDGE: f32 = 0.5;
/// Characters of one step of indentation.
const INDENT: f32 = 2.0;
/// A name is never cut to fewer characters than this; rather a column of values is left out.
const MIN_NAME: usize = 8;

/// A report on the screen: where its rows are, and how far it is scrolled.
#[derive(Debug, Default)]
pub(crate) struct TextArea {
    /// The first row that is visible.
    first: usize,
    /// How many rows are.
    visible: usize,
    /// Left, top, right and bottom edge of all that is drawn, in px, and of the rows.
    area: [f32; 4],
    rows: [f32; 4],
    line: f32,
    number: String,
}

/// Columns of values that fit, from the first on, with their left and right edges in px.
type Columns = [Option<(Column, f32, f32)>; MAX_VALUES];

/// What one layout needs at every turn.
struct Pen<'a> {
    font: &'a mut Font,
    list: &'a mut DrawList,
    /// Left and right edge of the report.
    left: f32,
    right: f32,
}

impl TextArea {
    /// Lays `report` out in `rect` (left, top, right, bottom; px). Nothing lies outside of it.
    pub(crate) fn lay_out(
        &mut self,
        font: &mut Font,
        list: &mut DrawList,
        report: &Report,
        rect: [f32; 4],
        precision: u32,
    ) {
        let first = list.quads().len();
        self.lay_out_lines(font, list, report, rect, precision);
        if font.may_overhang() {
            list.cut_to(first, rect[0].round(), rect[2].round());
        }
    }

    fn lay_out_lines(
        &mut self,
        font: &mut Font,
        list: &mut DrawList,
        report: &Report,
        rect: [f32; 4],
        precision: u32,
    ) {
        let [left, top, right, bottom] = rect.map(f32::round);
        let line = font.line;
        self.line = line;
        self.visible = 0;
        self.area = [left, top, right, top];
        let mut pen = Pen {
            font,
            list,
            left,
            right,
        };
        let mut y = top;
        for (text, bar, color) in head(report) {
            if y + line > bottom {
                return;
            }
            pen.bar(y, bar);
            let from = left + EDGE * pen.font.advance;
            pen.font.cut(pen.list, [from, right], y, text, color);
            y += line;
            self.area[3] = y;
        }
        if report.columns.is_empty() || y + 2.0 * line > bottom {
            return;
        }
        let columns = self.columns(&mut pen, report, precision);
        pen.bar(y, palette::HEADER);
        let name_right = columns[0].map_or(right, |(_, left, _)| left);
        let from = left + (EDGE + 1.0) * pen.font.advance;
        let names = [from, name_right];
        pen.font
            .cut(pen.list, names, y, "zone", palette::HEADER_TEXT);
        pen.mark(from, y, report.mark(None));
        for (at, (column, _, right)) in columns.iter().flatten().enumerate() {
            pen.right_aligned(*right, y, column.title, palette::HEADER_TEXT, None);
            let title = pen.font.width(column.title);
            pen.mark(*right - title, y, report.mark(Some(at)));
        }
        y += line;

        self.visible = (((bottom - y) / line) as usize).min(report.records.len());
        self.scroll(report);
        self.rows = [left, y, right, y + self.visible as f32 * line];
        self.area[3] = self.rows[3];
        for (at, record) in report
            .records
            .iter()
            .enumerate()
            .skip(self.first)
            .take(self.visible)
        {
            let background = if record.cursor {
                palette::CURSOR_ROW
            } else {
                palette::ROWS[at % 2]
            };
            pen.bar(y, background);
            self.row(&mut pen, record, &columns, name_right, y, precision, report);
            y += line;
        }
        self.scroll_bar(&mut pen, report.records.len());
    }

    /// The columns that fit, with their left and right edges.
    fn columns(&mut self, pen: &mut Pen<'_>, report: &Report, precision: u32) -> Columns {
        let advance = pen.font.advance;
        let mut widths = [0.0; MAX_VALUES];
        for (width, column) in widths.iter_mut().zip(&report.columns) {
            let least = match column.unit {
                Unit::Milliseconds => MIN_MS + precision as usize,
                Unit::Count => MIN_COUNT,
            };
            *width = pen.font.width(column.title).max(least as f32 * advance);
        }
        for record in &report.records {
            for (at, column) in report.columns.iter().enumerate().take(MAX_VALUES) {
                // A value is wider than the column only from 10,000 on, or from -1,000 down, marked as
                // sampled or not.
                let is_narrow = (-999.0..9_999.0).contains(&record.values[at]);
                if record.shown[at] && !is_narrow {
                    self.number.clear();
                    record.format(
                        at,
                        *column,
                        precision,
                        report.is_whole(*column),
                        &mut self.number,
                    );
                    widths[at] = widths[at].max(pen.font.width(&self.number));
                }
            }
        }
        let room = pen.right - pen.left - (2.0 * EDGE + MIN_NAME as f32) * advance;
        let mut count = report.columns.len().min(MAX_VALUES);
        let needed = |widths: &[f32]| {
            widths
                .iter()
                .map(|width| width + GAP * advance)
                .sum::<f32>()
        };
        while count > 0 && needed(&widths[..count]) > room {
            count -= 1;
        }
        let mut right = pen.right - EDGE * advance;
        let mut columns = [None; MAX_VALUES];
        for at in (0..count).rev() {
            let left = right - widths[at];
            columns[at] = Some((report.columns[at], left, right));
            right = left - GAP * advance;
        }
        columns
    }

    /// Scrolls as little as it takes to have the cursor in view.
    fn scroll(&mut self, report: &Report) {
        if let Some(cursor) = report.cursor() {
            self.first = self
                .first
                .min(cursor)
                .max((cursor + 1).saturating_sub(self.visible));
        }
        self.first = self.first.min(report.records.len() - self.visible);
    }

    #[allow(clippy::too_many_arguments)] // What a row depends on.
    fn row(
        &mut self,
        pen: &mut Pen<'_>,
        record: &Record,
        columns: &Columns,
        name_right: f32,
        y: f32,
        precision: u32,
        report: &Report,
    ) {
        let advance = pen.font.advance;
        let color = palette::text(record.heat);
        let glow = palette::glow(record.heat);
        let prefix_x = pen.left + (EDGE + record.indent as f32 * INDENT) * advance;
        let mut prefix = [0; 4];
        let prefix = &*record.prefix.as_char().encode_utf8(&mut prefix);
        // In a font whose characters differ in width they may be wider than a digit.
        let name_x = prefix_x + pen.font.width(prefix).max(advance);
        if name_x <= name_right {
            pen.font
                .text(pen.list, prefix_x, y, prefix, palette::HEADER_TEXT);
        }
        pen.font
            .cut(pen.list, [name_x, name_right], y, &record.name, color);
        for (at, (column, _, right)) in columns.iter().flatten().enumerate() {
            if record.shown[at] {
                self.number.clear();
                record.format(
                    at,
                    *column,
                    precision,
                    report.is_whole(*column),
                    &mut self.number,
                );
                let zero = self
                    .number
                    .bytes()
                    .all(|byte| matches!(byte, b'0' | b'.' | b'-' | b'~'));
                let color = if zero { palette::faint(color) } else { color };
                pen.right_aligned(*right, y, &self.number, color, glow.filter(|_| !zero));
            }
        }
    }

    /// Shows that there are more rows than are visible, and which.
    fn scroll_bar(&self, pen: &mut Pen<'_>, rows: usize) {
        if self.visible == 0 || self.visible >= rows {
            return;
        }
        let [left, top, right, bottom] = self.rows;
        let per_row = (bottom - top) / rows as f32;
        let from = (top + self.first as f32 * per_row).round();
        let to = (top + (self.first + self.visible) as f32 * per_row).round();
        let width = (pen.font.advance * 0.3).round().max(1.0);
        pen.font.fill(
            pen.list,
            [(right - width).max(left), from, right, to],
            palette::SCROLL_BAR,
        );
    }

    /// Nothing is drawn any more, so nothing is hit. How far it is scrolled is kept.
    pub(crate) fn forget(&mut self) {
        self.visible = 0;
        self.area = [0.0; 4];
    }

    /// Left, top, right and bottom edge of all that is drawn, in px; empty if nothing is.
    pub(crate) fn area(&self) -> [f32; 4] {
        self.area
    }

    /// The position in the report of the row under a point, in px.
    pub(crate) fn hit(&self, x: f32, y: f32) -> Option<usize> {
        let [left, top, right, bottom] = self.rows;
        let inside = self.visible > 0 && x >= left && x < right && y >= top && y < bottom;
        inside.then(|| self.first + ((y - top) / self.line) as usize)
    }
}

/// The lines above the columns: what they say, on which ground, in which colour.
fn head(report: &Report) -> impl Iterator<Item = (&str, Color, Color)> {
    let title = report
        .title
        .iter()
        .map(|t| (t.as_str(), palette::TITLE_BAR, palette::TITLE));
    let warnings = report
        .warnings
        .iter()
        .map(|w| (w.as_str(), palette::WARNING_BAR, palette::WARNING));
    title.chain(warnings)
}

impl Pen<'_> {
    /// A character before the head of a column that begins at `x`. There is room for it: columns
    /// have gaps, and names have a prefix.
    fn mark(&mut self, x: f32, y: f32, mark: Option<char>) {
        // There may be no room for the names themselves.
        if let Some(mark) = mark
            && x <= self.right
        {
            let mut text = [0; 4];
            let text = mark.encode_utf8(&mut text);
            self.font.text(
                self.list,
                x - self.font.advance,
                y,
                text,
                palette::SORT_MARK,
            );
        }
    }

    /// The ground of a line.
    fn bar(&mut self, y: f32, color: Color) {
        self.font.fill(
            self.list,
            [self.left, y, self.right, y + self.font.line],
            color,
        );
    }

    /// Text that ends at `right`.
    fn right_aligned(&mut self, right: f32, y: f32, text: &str, color: Color, glow: Option<Color>) {
        let x = right - self.font.width(text);
        if let Some(glow) = glow {
            self.font.glow(self.list, x, y, text, glow);
        }
        self.font.text(self.list, x, y, text, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Sorted;

    fn report(rows: usize, cursor: usize) -> Report {
        let mut report = Report {
            title: vec!["a title that is much too long for a narrow report".into()],
            warnings: vec!["mind this".into()],
            columns: vec![Column::SELF, Column::HIER, Column::COUNT],
            ..Report::default()
        };
        for at in 0..rows {
            let name = format!("zone_{at}_with_a_long_name");
            report
                .records
                .push(Record::new(&name, &[at as f64, 2.0 * at as f64, 7.0]));
        }
        report.records[cursor].cursor = true;
        report
    }

    fn lay_out(area: &mut TextArea, report: &Report, rect: [f32; 4]) -> DrawList {
        let mut font = Font::new(12.0);
        let mut list = DrawList::default();
        area.lay_out(&mut font, &mut list, report, rect, 2);
        list
    }

    #[test]
    fn nothing_lies_outside_of_the_rectangle_whatever_its_size() {
        let mut report = report(50, 3);
        let marks = [None, Some(None), Some(Some(0)), Some(Some(2))];
        for (width, mark) in [0.0, 3.0, 20.0, 90.0, 200.0, 333.3, 900.0]
            .into_iter()
            .flat_map(|width| marks.map(|mark| (width, mark)))
        {
            report.sorted = mark.map(|column| Sorted {
                column,
                rising: true,
            });
            for height in [0.0, 10.0, 16.0, 31.0, 80.0, 300.0] {
                let rect = [20.0, 30.0, 20.0 + width, 30.0 + height];
                for vertex in lay_out(&mut TextArea::default(), &report, rect).vertices() {
                    let [x, y] = vertex.position;
                    // A glyph may lean one pixel out of its cell.
                    assert!(
                        x >= 19.0 && x <= (20.0 + width).round() + 1.0,
                        "{width}: {x}"
                    );
                    assert!(y >= 30.0 && y <= (30.0 + height).round(), "{height}: {y}");
                }
            }
        }
    }

    /// The left edges of the columns.
    fn edges(report: &Report, width: f32) -> Vec<f32> {
        let mut font = Font::new(12.0);
        let mut list = DrawList::default();
        let mut pen = Pen {
            font: &mut font,
            list: &mut list,
            left: 0.0,
            right: width,
        };
        let columns = TextArea::default().columns(&mut pen, report, 2);
        columns.iter().flatten().map(|column| column.1).collect()
    }

    #[test]
    fn columns_stay_where_they_are_while_numbers_change_and_lose_their_marks() {
        let mut report = report(1, 0);
        report.columns.insert(1, Column::NET);
        report.columns.push(Column::ERROR);
        let usual = edges(&report, 600.0);
        assert_eq!(usual.len(), 5);
        for value in [0.0, 0.004, 9.87, 999.0, 9_998.99] {
            for error in [0.0, 0.5] {
                report.records[0].values = [value; MAX_VALUES];
                report.records[0].shown = [true; MAX_VALUES];
                report.records[0].errors = [error; MAX_VALUES];
                assert_eq!(edges(&report, 600.0), usual, "{value} {error}");
            }
        }
        // Wider ones get the room they need.
        report.records[0].values = [12_345.678; MAX_VALUES];
        let wide = edges(&report, 600.0);
        let widths = |edges: &[f32]| edges[1] - edges[0];
        assert!(widths(&wide) > widths(&usual));
    }

    #[test]
    fn the_head_that_rows_are_sorted_by_gets_a_mark_and_no_other_place() {
        let mut report = report(5, 0);
        let usual = edges(&report, 600.0);
        let rect = [0.0, 0.0, 600.0, 200.0];
        let marks = |report: &Report| {
            let list = lay_out(&mut TextArea::default(), report, rect);
            let marks = list.vertices().iter();
            let marks = marks.filter(|vertex| vertex.color == palette::SORT_MARK);
            let xs: Vec<f32> = marks.map(|vertex| vertex.position[0]).collect();
            xs
        };
        assert!(marks(&report).is_empty());
        for (column, right) in [(None, 600.0), (Some(0), usual[1]), (Some(2), 600.0)] {
            let left = column.map_or(0.0, |at: usize| usual[at]);
            report.sorted = Some(Sorted {
                column,
                rising: false,
            });
            let xs = marks(&report);
            assert!(!xs.is_empty());
            // It may be in the gap before the column.
            assert!(xs.iter().all(|x| *x >= left - 10.0 && *x < right), "{xs:?}");
            assert_eq!(edges(&report, 600.0), usual);
        }
    }

    #[test]
    fn rows_scroll_so_that_the_cursor_stays_in_view_and_no_more_than_that() {
        let mut area = TextArea::default();
        let rect = [0.0, 0.0, 400.0, 200.0];
        lay_out(&mut area, &report(50, 0), rect);
        let visible = area.visible;
        assert_eq!(area.first, 0);
        lay_out(&mut area, &report(50, 30), rect);
        assert_eq!(area.first, 31 - visible);
        lay_out(&mut area, &report(50, 29), rect);
        assert_eq!(area.first, 31 - visible);
        lay_out(&mut area, &report(50, 5), rect);
        assert_eq!(area.first, 5);
        lay_out(&mut area, &report(8, 5), rect);
        assert_eq!(area.first, 0);
    }

    #[test]
    fn a_point_hits_the_row_that_is_drawn_there() {
        let mut area = TextArea::default();
        lay_out(&mut area, &report(50, 30), [10.0, 0.0, 400.0, 200.0]);
        let top = area.rows[1];
        assert_eq!(area.hit(50.0, top - 1.0), None);
        assert_eq!(area.hit(50.0, top), Some(area.first));
        assert_eq!(area.hit(50.0, top + 2.5 * area.line), Some(area.first + 2));
        assert_eq!(area.hit(5.0, top + 1.0), None);
        assert_eq!(area.hit(50.0, 500.0), None);
    }
}
