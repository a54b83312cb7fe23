//! Lays out a report as quads (title bar, warnings, column heads, rows), scrolls it to its cursor, and
//! finds the row at a point. (IProf: `Prof_draw_gl`.)

use super::font::Font;
use super::heads::{HeadTarget, Heads};
use super::legend;
use super::list::DrawList;
use super::palette::{self, Color};
use super::theme::Theme;
use crate::report::{ColumnId, Report, Row, Unit, Value};

/// Minimum number of characters of a column of values, without the decimal places of times.
const MIN_TIME: usize = 6;
const MIN_COUNT: usize = 8;
/// Characters between two columns, and at the edges.
const GAP: f32 = 1.0;
const EDGE: f32 = 0.5;
/// Characters per step of indentation.
const INDENT: f32 = 2.0;
/// Minimum number of characters of a cut name; a column of values is omitted instead.
const MIN_NAME: usize = 8;

/// A laid out report: the positions of its rows, and its scroll position.
#[derive(Debug, Default)]
pub(crate) struct TextArea {
    /// The first visible row.
    first: usize,
    /// The number of visible rows.
    visible: usize,
    /// Left, top, right and bottom edge of everything drawn, in px, and of the rows.
    area: [f32; 4],
    rows: [f32; 4],
    line: f32,
    number: String,
    heads: Heads,
    /// Where the pointer is, in px: what a click would hit is shown.
    pub(crate) hover: Option<[f32; 2]>,
}

/// The columns of values that fit, with their left and right edges in px.
type Columns = [Option<(ColumnId, f32, f32)>; MOST_COLUMNS];

/// No report has more columns.
const MOST_COLUMNS: usize = ColumnId::ALL.len();

/// The state that is shared by the parts of one layout.
struct Pen<'a> {
    font: &'a mut Font,
    list: &'a mut DrawList,
    theme: &'a Theme,
    /// Edges of the report.
    left: f32,
    right: f32,
    bottom: f32,
}

impl TextArea {
    /// Lays out `report` in `rect` (left, top, right, bottom; px). Nothing lies outside of it.
    pub(crate) fn lay_out(
        &mut self,
        font: &mut Font,
        list: &mut DrawList,
        theme: &Theme,
        report: &Report,
        rect: [f32; 4],
        precision: u32,
    ) {
        let first = list.quads().len();
        self.lay_out_lines(font, list, theme, report, rect, precision);
        if font.may_overhang() {
            list.cut_to(first, rect.map(f32::round));
        }
    }

    fn lay_out_lines(
        &mut self,
        font: &mut Font,
        list: &mut DrawList,
        theme: &Theme,
        report: &Report,
        rect: [f32; 4],
        precision: u32,
    ) {
        let [left, top, right, bottom] = rect.map(f32::round);
        let line = font.line;
        self.line = line;
        self.visible = 0;
        self.heads.clear();
        self.area = [left, top, right, top];
        let mut pen = Pen {
            font,
            list,
            theme,
            left,
            right,
            bottom,
        };
        let mut y = top;
        for (at, (text, bar, color)) in head(report, theme).enumerate() {
            if y + line > bottom {
                return;
            }
            pen.bar(y, bar);
            let from = left + EDGE * pen.font.advance;
            for part in report.title_parts.iter().filter(|part| part.line == at) {
                let before = text.get(..part.start).unwrap_or(text);
                let named = text.get(part.start..part.end).unwrap_or("");
                let x = from + pen.font.width(before);
                let end = (x + pen.font.width(named)).min(right);
                let target = HeadTarget::Title(part.choice);
                self.heads.push(target, [x.min(right), y, end, y + line]);
                self.show_hover(&mut pen, target);
            }
            pen.font.cut(pen.list, [from, right], y, text, color);
            y += line;
            self.area[3] = y;
        }
        if report.columns.is_empty() || y + 2.0 * line > bottom {
            return;
        }
        let columns = self.columns(&mut pen, report, precision);
        pen.bar(y, pen.theme.header_bar);
        let name_right = columns[0].map_or(right, |(_, left, _)| left);
        let from = left + (EDGE + 1.0) * pen.font.advance;
        let names = [from, name_right];
        let head = HeadTarget::Column(None);
        self.heads.push(head, [left, y, name_right, y + line]);
        self.show_hover(&mut pen, head);
        for (column, left, right) in columns.iter().flatten() {
            let head = HeadTarget::Column(Some(*column));
            let left = left - GAP * pen.font.advance;
            self.heads.push(head, [left, y, *right, y + line]);
            self.show_hover(&mut pen, head);
        }
        let head = match report.order_held {
            false => "zone",
            true => "zone  (order held)",
        };
        pen.font.cut(pen.list, names, y, head, pen.theme.header);
        pen.mark(from, y, report.mark(None));
        for (column, _, right) in columns.iter().flatten() {
            self.number.clear();
            report.push_title(*column, &mut self.number);
            pen.right_aligned(*right, y, &self.number, pen.theme.header, None);
            let title = pen.font.width(&self.number);
            pen.mark(*right - title, y, report.mark(Some(*column)));
        }
        y += line;

        let is_hot = |row: &Row| row.heat > 0.0 && !row.is_idle;
        let has_legend = bottom - y >= legend::FROM_LINES * line && report.rows.iter().any(is_hot);
        let rows_bottom = if has_legend { bottom - line } else { bottom };
        self.visible = (((rows_bottom - y) / line) as usize).min(report.rows.len());
        self.scroll(report);
        self.rows = [left, y, right, y + self.visible as f32 * line];
        self.area[3] = self.rows[3] + if has_legend { line } else { 0.0 };
        for (at, record) in report
            .rows
            .iter()
            .enumerate()
            .skip(self.first)
            .take(self.visible)
        {
            let background = if record.cursor {
                pen.theme.cursor_row
            } else {
                pen.theme.rows[at % 2]
            };
            pen.bar(y, background);
            self.row(&mut pen, record, &columns, name_right, y, precision, report);
            y += line;
        }
        self.scroll_bar(&mut pen, report.rows.len());
        if has_legend {
            pen.bar(y, theme.header_bar);
            let edges = [left + EDGE * pen.font.advance, right];
            legend::lay_out(pen.font, pen.list, theme, edges, y);
        }
    }

    /// Shows that the head is under the pointer, where that is the last one laid out.
    fn show_hover(&self, pen: &mut Pen<'_>, head: HeadTarget) {
        if self.hover.and_then(|[x, y]| self.heads.hit(x, y)) == Some(head)
            && let Some(rect) = self.heads.rect(head)
        {
            pen.font.fill(pen.list, rect, pen.theme.cursor_column);
            let [left, _, right, bottom] = rect;
            let underline = [left, bottom - 1.0, right, bottom];
            pen.font.fill(pen.list, underline, pen.theme.header);
        }
    }

    /// The columns that fit, with their left and right edges.
    fn columns(&mut self, pen: &mut Pen<'_>, report: &Report, precision: u32) -> Columns {
        let advance = pen.font.advance;
        let mut heads = [ColumnId::SelfTime; MOST_COLUMNS];
        let mut count = 0;
        for column in report.shown_columns() {
            heads[count] = column;
            count += 1;
        }
        let heads = &heads[..count];
        let mut widths = [0.0; MOST_COLUMNS];
        for (width, column) in widths.iter_mut().zip(heads) {
            let least = match column.unit() {
                Unit::Count => MIN_COUNT,
                _ => MIN_TIME + precision as usize,
            };
            self.number.clear();
            report.push_title(*column, &mut self.number);
            *width = pen.font.width(&self.number).max(least as f32 * advance);
        }
        for record in &report.rows {
            for (width, column) in widths.iter_mut().zip(heads) {
                // A value is wider than the column only from 10,000 on, or from -1,000 down, with or
                // without the mark for sampled times.
                let ms = report.unit(*column).ms();
                let is_wide = |value: Value| !(-999.0..9_999.0).contains(&(value.number / ms));
                if record.value(*column).is_some_and(is_wide) {
                    self.number.clear();
                    report.push_value(record, *column, precision, &mut self.number);
                    *width = width.max(pen.font.width(&self.number));
                }
            }
        }
        let room = pen.right - pen.left - (2.0 * EDGE + MIN_NAME as f32) * advance;
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
        let mut columns = [None; MOST_COLUMNS];
        for at in (0..count).rev() {
            let left = right - widths[at];
            columns[at] = Some((heads[at], left, right));
            right = left - GAP * advance;
        }
        columns
    }

    /// Scrolls by the minimum that makes the cursor visible.
    fn scroll(&mut self, report: &Report) {
        if let Some(cursor) = report.cursor() {
            self.first = self
                .first
                .min(cursor)
                .max((cursor + 1).saturating_sub(self.visible));
        }
        self.first = self.first.min(report.rows.len() - self.visible);
    }

    #[allow(clippy::too_many_arguments)] // What a row depends on.
    fn row(
        &mut self,
        pen: &mut Pen<'_>,
        record: &Row,
        columns: &Columns,
        name_right: f32,
        y: f32,
        precision: u32,
        report: &Report,
    ) {
        let advance = pen.font.advance;
        // Nobody needs to look at how much waiting varies.
        let heat = if record.is_idle { 0.0 } else { record.heat };
        let color = match record.is_idle {
            true => pen.theme.dimmed,
            false => palette::text(pen.theme, heat),
        };
        let glow = palette::glow(pen.theme, heat);
        let prefix_x = pen.left + (EDGE + record.indent as f32 * INDENT) * advance;
        legend::heat_bar(
            pen.font,
            pen.list,
            pen.theme,
            heat,
            [pen.left, pen.right],
            y,
        );
        let mut sign = [0; 4];
        let sign = &*record.expansion.as_char().encode_utf8(&mut sign);
        // In a proportional font, values may be wider than their number of digits.
        let name_x = prefix_x + pen.font.width(sign).max(advance);
        if name_x <= name_right {
            pen.font.text(pen.list, prefix_x, y, sign, pen.theme.header);
        }
        pen.font
            .cut(pen.list, [name_x, name_right], y, &record.name, color);
        for (column, _, right) in columns.iter().flatten() {
            if record.value(*column).is_some() {
                self.number.clear();
                report.push_value(record, *column, precision, &mut self.number);
                let zero = self
                    .number
                    .bytes()
                    .all(|byte| matches!(byte, b'0' | b'.' | b'-' | b'~'));
                let color = if zero { pen.theme.dimmed } else { color };
                pen.right_aligned(*right, y, &self.number, color, glow.filter(|_| !zero));
            }
        }
    }

    /// Draws the scroll bar if not all rows are visible.
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
            pen.theme.scroll_bar,
        );
    }

    /// Clears the layout: nothing is drawn, so nothing is hit. The scroll position is kept.
    pub(crate) fn forget(&mut self) {
        self.visible = 0;
        self.heads.clear();
        self.area = [0.0; 4];
    }

    /// Left, top, right and bottom edge of everything drawn, in px; empty if nothing is.
    pub(crate) fn area(&self) -> [f32; 4] {
        self.area
    }

    /// The head of a column, or the part of the title, under a point, in px.
    pub(crate) fn hit_head(&self, x: f32, y: f32) -> Option<HeadTarget> {
        self.heads.hit(x, y)
    }

    /// The position in the report of the row under a point, in px.
    pub(crate) fn hit(&self, x: f32, y: f32) -> Option<usize> {
        let [left, top, right, bottom] = self.rows;
        let inside = self.visible > 0 && x >= left && x < right && y >= top && y < bottom;
        inside.then(|| self.first + ((y - top) / self.line) as usize)
    }
}

/// The lines above the columns: text, background and color.
fn head<'a>(
    report: &'a Report,
    theme: &Theme,
) -> impl Iterator<Item = (&'a str, Color, Color)> + use<'a> {
    let theme = *theme;
    let title = report
        .title
        .iter()
        .map(move |t| (t.as_str(), theme.title_bar, theme.title));
    let warnings = report
        .warnings
        .iter()
        .map(move |w| (w.as_str(), theme.warning_bar, theme.warning));
    title.chain(warnings)
}

impl Pen<'_> {
    /// Draws the sort mark before a column head at `x`. There is room for it: columns have gaps, and names
    /// have a sign before them.
    fn mark(&mut self, x: f32, y: f32, mark: Option<char>) {
        // There may be no room even for the names.
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
                self.theme.sort_mark,
            );
        }
    }

    /// Draws the background of a line.
    fn bar(&mut self, y: f32, color: Color) {
        self.font.fill(
            self.list,
            [self.left, y, self.right, y + self.font.line],
            color,
        );
    }

    /// Draws text that ends at `right`.
    fn right_aligned(&mut self, right: f32, y: f32, text: &str, color: Color, glow: Option<Color>) {
        let x = right - self.font.width(text);
        if let Some(glow) = glow {
            let first = self.list.quads().len();
            self.font.glow(self.list, x, y, text, glow);
            // Its soft edge is higher than a line of text.
            let area = [self.left, y - self.font.line, self.right, self.bottom];
            self.list.cut_to(first, area);
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
            columns: vec![
                ColumnId::SelfTime,
                ColumnId::HierarchicalTime,
                ColumnId::Count,
            ],
            ..Report::default()
        };
        for at in 0..rows {
            let name = format!("zone_{at}_with_a_long_name");
            report.rows.push(Row::new(
                &name,
                [
                    (ColumnId::SelfTime, at as f64),
                    (ColumnId::HierarchicalTime, 2.0 * at as f64),
                    (ColumnId::Count, 7.0),
                ],
            ));
        }
        report.rows[cursor].cursor = true;
        report
    }

    fn lay_out(area: &mut TextArea, report: &Report, rect: [f32; 4]) -> DrawList {
        let mut font = Font::new(12.0);
        let mut list = DrawList::default();
        area.lay_out(&mut font, &mut list, &Theme::DARK, report, rect, 2);
        list
    }

    #[test]
    fn nothing_lies_outside_of_the_rectangle() {
        let mut report = report(50, 3);
        let marks = [
            None,
            Some(None),
            Some(Some(ColumnId::SelfTime)),
            Some(Some(ColumnId::Count)),
        ];
        for (width, mark) in [0.0, 3.0, 20.0, 90.0, 200.0, 333.3, 900.0]
            .into_iter()
            .flat_map(|width| marks.map(|mark| (width, mark)))
        {
            report.sorted = mark.map(|column| Sorted {
                column,
                ascending: true,
            });
            for height in [0.0, 10.0, 16.0, 31.0, 80.0, 300.0] {
                let rect = [20.0, 30.0, 20.0 + width, 30.0 + height];
                for vertex in lay_out(&mut TextArea::default(), &report, rect).vertices() {
                    let [x, y] = vertex.position;
                    // A glyph may overhang its cell by one pixel.
                    assert!(
                        x >= 19.0 && x <= (20.0 + width).round() + 1.0,
                        "{width}: {x}"
                    );
                    assert!(y >= 30.0 && y <= (30.0 + height).round(), "{height}: {y}");
                }
            }
        }
    }

    #[test]
    fn the_glow_of_the_last_row_ends_with_the_report() {
        let mut report = report(40, 0);
        report.rows.iter_mut().for_each(|record| record.heat = 1.0);
        // The last row ends where the report does.
        let mut font = Font::new(4.0);
        let bottom = 12.0 * font.line;
        let mut list = DrawList::default();
        TextArea::default().lay_out(
            &mut font,
            &mut list,
            &Theme::DARK,
            &report,
            [0.0, 0.0, 600.0, bottom],
            2,
        );
        let lowest = list.vertices().iter().map(|vertex| vertex.position[1]);
        assert_eq!(lowest.fold(0.0, f32::max), bottom);
    }

    fn set_all(record: &mut Row, value: Value) {
        for column in ColumnId::ALL {
            record.set_value(*column, value);
        }
    }

    /// The left edges of the columns.
    fn edges(report: &Report, width: f32) -> Vec<f32> {
        let mut font = Font::new(12.0);
        let mut list = DrawList::default();
        let mut pen = Pen {
            font: &mut font,
            list: &mut list,
            theme: &Theme::DARK,
            left: 0.0,
            right: width,
            bottom: 100.0,
        };
        let columns = TextArea::default().columns(&mut pen, report, 2);
        columns.iter().flatten().map(|column| column.1).collect()
    }

    #[test]
    fn columns_do_not_move_while_values_change() {
        let mut report = report(1, 0);
        report.columns.insert(1, ColumnId::NetTime);
        report.columns.push(ColumnId::StandardError);
        let usual = edges(&report, 600.0);
        assert_eq!(usual.len(), 5);
        for value in [0.0, 0.004, 9.87, 999.0, 9_998.99] {
            for error in [0.0, 0.5] {
                set_all(&mut report.rows[0], Value::sampled(value, error));
                assert_eq!(edges(&report, 600.0), usual, "{value} {error}");
            }
        }
        // Wider values widen their column.
        set_all(&mut report.rows[0], Value::sampled(12_345.678, 0.5));
        let wide = edges(&report, 600.0);
        let widths = |edges: &[f32]| edges[1] - edges[0];
        assert!(widths(&wide) > widths(&usual));
    }

    #[test]
    fn the_sort_mark_does_not_move_its_column_head() {
        let mut report = report(5, 0);
        let usual = edges(&report, 600.0);
        let rect = [0.0, 0.0, 600.0, 200.0];
        let marks = |report: &Report| {
            let list = lay_out(&mut TextArea::default(), report, rect);
            let marks = list.vertices().iter();
            let marks = marks.filter(|vertex| vertex.color == Theme::DARK.sort_mark);
            let xs: Vec<f32> = marks.map(|vertex| vertex.position[0]).collect();
            xs
        };
        assert!(marks(&report).is_empty());
        for (column, left, right) in [
            (None, 0.0, 600.0),
            (Some(ColumnId::SelfTime), usual[0], usual[1]),
            (Some(ColumnId::Count), usual[2], 600.0),
        ] {
            report.sorted = Some(Sorted {
                column,
                ascending: false,
            });
            let xs = marks(&report);
            assert!(!xs.is_empty());
            // The mark may be in the gap before the column.
            assert!(xs.iter().all(|x| *x >= left - 10.0 && *x < right), "{xs:?}");
            assert_eq!(edges(&report, 600.0), usual);
        }
    }

    #[test]
    fn rows_scroll_only_as_far_as_the_cursor_requires() {
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
