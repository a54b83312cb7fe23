//! Lays out a report as quads: title bar, warnings, column headers and rows. (IProf: `Prof_draw_gl`.)
//!
//! This module also scrolls the report to its cursor, and finds the row at a point.

use super::colors;
use super::column_layout::{self, Columns, EDGE, GAP};
use super::column_layout::{HeaderTarget, Headers};
use super::font::Font;
use super::legend;
use super::list::is_within;
use super::row_groups::RowGroups;
use super::theme::Color;
use super::theme::Theme;
use super::title_layout::{TitleLines, source};
use iprof_report::ReportMode;
use iprof_report::{ColumnId, Report, Row, Unit};
use std::fmt::Write as _;

/// The number of characters per indentation level.
const INDENT: f32 = 2.0;

/// A laid-out report: the positions of its rows, and its scroll position.
#[derive(Debug, Default)]
pub(crate) struct ReportArea {
    /// The first visible line of rows.
    first: usize,
    /// The number of visible lines.
    visible: usize,
    groups: RowGroups,
    /// The left, top, right and bottom edges of everything drawn, in px.
    area: [f32; 4],
    /// The left, top, right and bottom edges of the rows, in px.
    rows: [f32; 4],
    line: f32,
    top: f32,
    number: String,
    text: String,
    headers: Headers,
    title: TitleLines,
    /// The edges of free spots in the lines above the rows, in px.
    free: Vec<[f32; 4]>,
    has_legend: bool,
    /// The pointer's position in px. The click target at this position is highlighted.
    pub(crate) hover: Option<[f32; 2]>,
    /// The width in px that the help hint covers at the right end of the first line.
    pub(crate) covered: f32,
}

/// State shared by the parts of one layout.
struct Pen<'a> {
    font: &'a mut Font,
    theme: &'a Theme,
    /// The report's left and right edges.
    left: f32,
    right: f32,
    bottom: f32,
}

impl ReportArea {
    /// Lays out `report` in `rect` (left, top, right, bottom; px). Nothing is drawn outside `rect`.
    pub(crate) fn lay_out(
        &mut self,
        font: &mut Font,
        theme: &Theme,
        report: &Report,
        rect: [f32; 4],
        precision: u32,
    ) {
        let first = font.list.quads().len();
        self.lay_out_lines(font, theme, report, rect, precision);
        if font.may_overhang() {
            font.list.cut_to(first, rect.map(f32::round));
        }
    }

    fn lay_out_lines(
        &mut self,
        font: &mut Font,
        theme: &Theme,
        report: &Report,
        rect: [f32; 4],
        precision: u32,
    ) {
        let [left, top, right, bottom] = rect.map(f32::round);
        let line = font.line;
        // While the pointer is over the last drawn rows, a change in the lines above must not move the rows.
        let [rows_left, _, rows_right, _] = self.rows;
        let is_held = self.hover.is_some_and(|at| is_within(self.rows, at))
            && [rows_left, rows_right, self.top, self.line] == [left, right, top, line];
        self.line = line;
        self.top = top;
        self.visible = 0;
        self.headers.clear();
        self.free.clear();
        self.area = [left, top, right, top];
        let mut pen = Pen {
            font,
            theme,
            left,
            right,
            bottom,
        };
        let mut y = self.lay_out_title(&mut pen, report, top, is_held);
        let lines_left = ((bottom - y) / line) as usize;
        if report.columns.is_empty() || lines_left == 0 || report.rows.is_empty() && lines_left < 2
        {
            return;
        }
        let edges = [left, right];
        let columns = column_layout::place(pen.font, report, edges, precision, &mut self.number);
        let name_right = columns[0].map_or(right, |(_, left, _)| left);
        // If only one line is left, it shows a row, since a row without headers is more useful than headers without a
        // row.
        if lines_left >= 2 {
            self.lay_out_headers(&mut pen, report, &columns, y);
            y += line;
        }

        let is_highlighted = |row: &Row| (row.heat > 0.0 || row.change != 0.0) && !is_dimmed(row);
        let has_room = bottom - y >= legend::FROM_LINES * line;
        let has_legend =
            has_room && (is_held && self.has_legend || report.rows.iter().any(is_highlighted));
        self.has_legend = has_legend;
        let rows_bottom = if has_legend { bottom - line } else { bottom };
        let room = ((rows_bottom - y) / line) as usize;
        self.groups = RowGroups::of(report, room);
        let lines = report.rows.len() + self.groups.count();
        self.visible = room.min(lines);
        self.scroll(report, lines);
        self.rows = [left, y, right, y + self.visible as f32 * line];
        self.area[3] = self.rows[3] + if has_legend { line } else { 0.0 };
        for at in self.first..self.first + self.visible {
            match self.groups.row_in(at) {
                None => self.group(&mut pen, report, at, y),
                Some(at) => {
                    let row = &report.rows[at];
                    let background = match row.cursor {
                        true => pen.theme.cursor_row,
                        false => pen.theme.rows[at % 2],
                    };
                    pen.bar(y, background);
                    self.row(&mut pen, row, &columns, name_right, y, precision, report);
                }
            }
            y += line;
        }
        self.scroll_bar(&mut pen, lines);
        if has_legend {
            pen.bar(y, theme.header_bar);
            let edges = [left + EDGE * pen.font.advance, right];
            let is_compared = report.columns.contains(&ColumnId::Difference);
            legend::lay_out(pen.font, theme, is_compared, edges, y);
        }
    }

    /// Lays out the title and the warnings. Returns their bottom edge.
    fn lay_out_title(
        &mut self,
        pen: &mut Pen<'_>,
        report: &Report,
        top: f32,
        is_held: bool,
    ) -> f32 {
        let (theme, line, advance) = (pen.theme, pen.font.line, pen.font.advance);
        let (left, right) = (pen.left, pen.right);
        let from = left + EDGE * advance;
        let room = ((pen.bottom - top) / line).max(0.0) as usize;
        let covered = self.covered.min(right - from).max(0.0);
        let width = right - from;
        self.title
            .break_up(pen.font, report, width, covered, room, is_held);
        let mut y = top;
        for at in 0..self.title.lines.len() {
            let part = self.title.lines[at];
            let is_title = part.source < report.title.len();
            let (bar, color) = match is_title {
                true => (theme.title_bar, theme.title),
                false => (theme.warning_bar, theme.warning),
            };
            let whole = source(report, part.source);
            let text = &whole[part.start..part.end];
            let end = if at == 0 { right - covered } else { right };
            pen.bar(y, bar);
            for named in &report.title_parts {
                let (start, stop) = (named.start.max(part.start), named.end.min(part.end));
                let is_here = is_title && named.line == part.source && start < stop;
                let (true, Some(before), Some(named_text)) = (
                    is_here,
                    whole.get(part.start..start),
                    whole.get(start..stop),
                ) else {
                    continue;
                };
                let x = from + pen.font.width(before);
                let x_end = (x + pen.font.width(named_text)).min(end);
                let target = HeaderTarget::Title(named.choice);
                self.headers.push(target, [x.min(end), y, x_end, y + line]);
                self.show_hover(pen, target);
            }
            pen.font.cut([from, end], y, text, color);
            let text_end = from + pen.font.width(text) + 2.0 * advance;
            self.free.push([text_end.min(right), y, right, y + line]);
            y += line;
            self.area[3] = y;
        }
        y
    }

    fn lay_out_headers(&mut self, pen: &mut Pen<'_>, report: &Report, columns: &Columns, y: f32) {
        let (line, advance) = (pen.font.line, pen.font.advance);
        pen.bar(y, pen.theme.header_bar);
        let name_right = columns[0].map_or(pen.right, |(_, left, _)| left);
        let from = pen.left + (EDGE + 1.0) * advance;
        let header = HeaderTarget::Column(None);
        self.headers
            .push(header, [pen.left, y, name_right, y + line]);
        self.show_hover(pen, header);
        for (column, left, right) in columns.iter().flatten() {
            let header = HeaderTarget::Column(Some(*column));
            let left = left - GAP * advance;
            self.headers.push(header, [left, y, *right, y + line]);
            self.show_hover(pen, header);
        }
        self.number.clear();
        self.number.push_str(match report.order_held {
            false => "zone",
            true => "zone  (order held",
        });
        if report.order_held {
            // Writing to a string cannot fail.
            let _ = match report.rows_withheld {
                0 => write!(self.number, ")"),
                new => write!(self.number, ", {new} new)"),
            };
        }
        let names = &self.number;
        pen.font.cut([from, name_right], y, names, pen.theme.header);
        let names_end = from + pen.font.width(names) + 2.0 * advance;
        self.free
            .push([names_end.min(name_right), y, name_right - advance, y + line]);
        pen.mark(from, y, report.mark(None));
        for (column, _, right) in columns.iter().flatten() {
            self.number.clear();
            report.push_header(*column, &mut self.number);
            pen.right_aligned(*right, y, &self.number, pen.theme.header, None);
            let header = pen.font.width(&self.number);
            pen.mark(*right - header, y, report.mark(Some(*column)));
        }
    }

    fn group(&mut self, pen: &mut Pen<'_>, report: &Report, line: usize, y: f32) {
        self.groups
            .describe(report, line, [&mut self.number, &mut self.text]);
        let advance = pen.font.advance;
        pen.bar(y, pen.theme.header_bar);
        let from = pen.left + (EDGE + 1.0) * advance;
        pen.font
            .cut([from, pen.right], y, &self.number, pen.theme.sort_mark);
        let from = from + pen.font.width(&self.number) + 2.0 * advance;
        if from < pen.right {
            pen.font
                .cut([from, pen.right], y, &self.text, pen.theme.header);
        }
    }

    /// Highlights `header` if it is under the pointer. Call this method right after laying out the header.
    fn show_hover(&self, pen: &mut Pen<'_>, header: HeaderTarget) {
        if self.hover.and_then(|[x, y]| self.headers.hit(x, y)) == Some(header)
            && let Some(rect) = self.headers.rect(header)
        {
            pen.font.fill(rect, pen.theme.cursor_column);
            let [left, _, right, bottom] = rect;
            let underline = [left, bottom - 1.0, right, bottom];
            pen.font.fill(underline, pen.theme.header);
        }
    }

    /// Scrolls just far enough to show the cursor's row, and the heading directly above that row, if any.
    fn scroll(&mut self, report: &Report, lines: usize) {
        if let Some(cursor) = report.cursor() {
            let line = self.groups.line_of(cursor);
            let is_below_group = line > 0 && self.groups.row_in(line - 1).is_none();
            self.first = self
                .first
                .min(line - usize::from(is_below_group && self.visible > 1))
                .max((line + 1).saturating_sub(self.visible));
        }
        self.first = self.first.min(lines - self.visible);
    }

    #[allow(clippy::too_many_arguments)] // They all affect the row.
    fn row(
        &mut self,
        pen: &mut Pen<'_>,
        row: &Row,
        columns: &Columns,
        name_right: f32,
        y: f32,
        precision: u32,
        report: &Report,
    ) {
        let advance = pen.font.advance;
        let weight = emphasis(report, row);
        let color = match (row.is_over_budget, is_dimmed(row)) {
            (true, _) => pen.theme.warning,
            (false, true) => pen.theme.dimmed,
            (false, false) => colors::text(pen.theme, weight),
        };
        let glow = colors::glow(pen.theme, weight);
        let prefix_x = pen.left + (EDGE + row.indent as f32 * INDENT) * advance;
        let edges = [pen.left, pen.right];
        legend::weight_bar(pen.font, pen.theme, weight, edges, y);
        let mut sign = [0; 4];
        let sign = &*row.expansion.as_char().encode_utf8(&mut sign);
        // In a proportional font, the sign may be wider than a digit.
        let name_x = prefix_x + pen.font.width(sign).max(advance);
        if name_x <= name_right {
            pen.font.text(prefix_x, y, sign, pen.theme.header);
        }
        pen.font.cut([name_x, name_right], y, &row.name, color);
        for (column, _, right) in columns.iter().flatten() {
            // A counter takes no time. Its time cells stay empty, because a zero would look like a measured time.
            let is_time = column.unit() != Unit::Count;
            if row
                .value(*column)
                .is_some_and(|value| !(is_time && row.is_counter && value.number == 0.0))
            {
                self.number.clear();
                report.push_value(row, *column, precision, &mut self.number);
                let zero = self
                    .number
                    .bytes()
                    .all(|byte| matches!(byte, b'0' | b'.' | b'-' | b'~'));
                let color = if zero { pen.theme.dimmed } else { color };
                pen.right_aligned(*right, y, &self.number, color, glow.filter(|_| !zero));
            }
        }
    }

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
            [(right - width).max(left), from, right, to],
            pen.theme.scroll_bar,
        );
    }

    /// Clears the layout, so that hit tests find nothing. Keeps the scroll position.
    pub(crate) fn forget(&mut self) {
        self.visible = 0;
        self.headers.clear();
        self.free.clear();
        self.area = [0.0; 4];
    }

    /// Returns the bounding rectangle of everything drawn, in px, or an empty rectangle if nothing is drawn.
    pub(crate) fn area(&self) -> [f32; 4] {
        self.area
    }

    /// Returns the edges of free spots in the lines above the rows, in px, from the top.
    pub(crate) fn free(&self) -> &[[f32; 4]] {
        &self.free
    }

    pub(crate) fn hit_header(&self, x: f32, y: f32) -> Option<HeaderTarget> {
        self.headers.hit(x, y)
    }

    pub(crate) fn covers(&self, at: [f32; 2]) -> bool {
        is_within(self.area, at)
    }

    /// Returns the index of the row under a point, in px.
    pub(crate) fn hit(&self, x: f32, y: f32) -> Option<usize> {
        let inside = self.visible > 0 && is_within(self.rows, [x, y]);
        let line = inside.then(|| self.first + ((y - self.rows[1]) / self.line) as usize)?;
        self.groups.row_in(line)
    }
}

impl Pen<'_> {
    /// Draws the sort mark before a column header at `x`. The mark fits into the gap between columns, or into the sign
    /// column before the names.
    fn mark(&mut self, x: f32, y: f32, mark: Option<char>) {
        // A narrow report may not even have room for the names.
        if let Some(mark) = mark
            && x <= self.right
        {
            let mut text = [0; 4];
            let text = mark.encode_utf8(&mut text);
            self.font
                .text(x - self.font.advance, y, text, self.theme.sort_mark);
        }
    }

    fn bar(&mut self, y: f32, color: Color) {
        self.font
            .fill([self.left, y, self.right, y + self.font.line], color);
    }

    fn right_aligned(&mut self, right: f32, y: f32, text: &str, color: Color, glow: Option<Color>) {
        let x = right - self.font.width(text);
        if let Some(glow) = glow {
            let first = self.font.list.quads().len();
            self.font.glow(x, y, text, glow);
            // The glow's soft edge is taller than a line of text.
            let area = [self.left, y - self.font.line, self.right, self.bottom];
            self.font.list.cut_to(first, area);
        }
        self.font.text(x, y, text, color);
    }
}

/// Rows that take less than this fraction of the frame are emphasized less, no matter how much they vary.
const FULL_HEAT_SHARE: f64 = 0.05;

/// Returns whether a row is not the program's own work, because it is idle time or iprof's own time.
pub(super) fn is_dimmed(row: &Row) -> bool {
    row.is_idle || row.is_own
}

/// Returns how much a row is emphasized, from -1 to 1.
///
/// In a comparison, the emphasis is the row's fraction of the difference, negative if the row took less time. In any
/// other report, the emphasis is the row's heat, reduced if the row is a small fraction of the frame.
pub(super) fn emphasis(report: &Report, row: &Row) -> f32 {
    if is_dimmed(row) {
        // Variations in idle time and in the profiler's own time are not interesting.
        return 0.0;
    }
    if report.columns.contains(&ColumnId::Difference) {
        // With the square root, a row with a quarter of the difference already gets half the emphasis.
        return row.change.signum() * row.change.abs().sqrt();
    }
    let time = row.number(match report.mode {
        ReportMode::SelfTime => ColumnId::SelfTime,
        _ => ColumnId::HierarchicalTime,
    });
    match report.frame_ms > 0.0 {
        true => row.heat * (time / report.frame_ms / FULL_HEAT_SHARE).min(1.0) as f32,
        false => row.heat,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::draw::list::DrawList;
    use iprof_report::Sort;

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

    fn lay_out(area: &mut ReportArea, report: &Report, rect: [f32; 4]) -> DrawList {
        let mut font = Font::new(12.0);
        area.lay_out(&mut font, &Theme::DARK, report, rect, 2);
        font.list
    }

    #[test]
    fn nothing_is_drawn_outside_the_rectangle() {
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
            report.sorted = mark.map(|column| (column.map_or(Sort::Name, Sort::Column), true));
            for height in [0.0, 10.0, 16.0, 31.0, 80.0, 300.0] {
                let rect = [20.0, 30.0, 20.0 + width, 30.0 + height];
                for vertex in lay_out(&mut ReportArea::default(), &report, rect).vertices() {
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
    fn last_row_glow_is_clipped_to_the_report() {
        let mut report = report(40, 0);
        report.rows.iter_mut().for_each(|row| row.heat = 1.0);
        // At this height, the last row ends at the report's bottom edge.
        let mut font = Font::new(4.0);
        let bottom = 12.0 * font.line;
        ReportArea::default().lay_out(
            &mut font,
            &Theme::DARK,
            &report,
            [0.0, 0.0, 600.0, bottom],
            2,
        );
        let lowest = font.list.vertices().iter().map(|vertex| vertex.position[1]);
        assert_eq!(lowest.fold(0.0, f32::max), bottom);
    }

    fn edges(report: &Report, width: f32) -> Vec<f32> {
        let mut font = Font::new(12.0);
        let columns = column_layout::place(&mut font, report, [0.0, width], 2, &mut String::new());
        columns.iter().flatten().map(|column| column.1).collect()
    }

    #[test]
    fn sort_mark_does_not_move_the_header() {
        let mut report = report(5, 0);
        let usual = edges(&report, 600.0);
        let rect = [0.0, 0.0, 600.0, 200.0];
        let marks = |report: &Report| {
            let list = lay_out(&mut ReportArea::default(), report, rect);
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
            report.sorted = Some((column.map_or(Sort::Name, Sort::Column), false));
            let xs = marks(&report);
            assert!(!xs.is_empty());
            // The mark may extend into the gap before the column.
            assert!(xs.iter().all(|x| *x >= left - 10.0 && *x < right), "{xs:?}");
            assert_eq!(edges(&report, 600.0), usual);
        }
    }

    #[test]
    fn rows_over_budget_are_red_even_if_dimmed() {
        let mut report = report(5, 0);
        report.warnings.clear();
        let red = |report: &Report| {
            let mut area = ReportArea::default();
            let list = lay_out(&mut area, report, [0.0, 0.0, 600.0, 200.0]);
            let vertices = list.vertices().iter();
            let red = vertices.filter(|vertex| vertex.color == Theme::DARK.warning);
            let ys: Vec<f32> = red.map(|vertex| vertex.position[1]).collect();
            (ys, area.rows[1], area.line)
        };
        assert!(red(&report).0.is_empty());
        report.rows[2].is_over_budget = true;
        for is_idle in [false, true] {
            report.rows[2].is_idle = is_idle;
            let (ys, top, line) = red(&report);
            assert!(!ys.is_empty());
            let row = top + 2.0 * line..=top + 3.0 * line;
            assert!(ys.iter().all(|y| row.contains(y)), "{ys:?}");
        }
    }

    #[test]
    fn report_scrolls_just_far_enough_for_cursor() {
        let mut area = ReportArea::default();
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
    fn two_line_report_shows_title_and_cursor_row() {
        let mut area = ReportArea::default();
        let mut report = report(9, 4);
        report.warnings.clear();
        let high = |lines: f32| [0.0, 0.0, 400.0, lines * Font::new(12.0).line + 3.0];
        for (lines, rows, first) in [(1.0, 0, 0), (2.0, 1, 4), (3.0, 1, 4), (4.0, 2, 4)] {
            lay_out(&mut area, &report, high(lines));
            assert_eq!(area.visible, rows, "{lines} lines");
            assert!(rows == 0 || area.first == first, "{lines} lines");
        }
    }

    #[test]
    fn point_hits_the_row_drawn_there() {
        let mut area = ReportArea::default();
        lay_out(&mut area, &report(50, 30), [10.0, 0.0, 400.0, 200.0]);
        let top = area.rows[1];
        assert_eq!(area.hit(50.0, top - 1.0), None);
        assert_eq!(area.hit(50.0, top), Some(area.first));
        assert_eq!(area.hit(50.0, top + 2.5 * area.line), Some(area.first + 2));
        assert_eq!(area.hit(5.0, top + 1.0), None);
        assert_eq!(area.hit(50.0, 500.0), None);
    }
}

#[cfg(all(test, not(loom)))]
mod emphasis_tests {
    use super::*;

    #[test]
    fn idle_and_own_rows_are_dimmed() {
        let row = Row {
            heat: 1.0,
            ..Row::new("solve", [(ColumnId::SelfTime, 5.0)])
        };
        let report = Report {
            frame_ms: 10.0,
            ..Report::default()
        };
        assert_eq!(emphasis(&report, &row), 1.0);
        for (is_idle, is_own) in [(true, false), (false, true)] {
            let row = Row {
                is_idle,
                is_own,
                ..row.clone()
            };
            assert!(is_dimmed(&row));
            assert_eq!(emphasis(&report, &row), 0.0);
        }
    }
}
