//! The tooltip: a box beside the pointer with details of the row or frame under it.
//!
//! Its text is collected while the report or the graph is laid out, when the data is available; the box is
//! laid out after both, so that it lies over them.

use super::column_headers::HeaderTarget;
use super::font::Font;
use super::graph_layout::{BarsHit, ZoneMean};
use super::list::DrawList;
use super::palette::{self, Color};
use super::theme::Theme;
use super::wrap::wrap;
use crate::graph::Graph;
use crate::places::short_path;
use crate::report::{ColumnId, Report, ReportMode, Row, RowKind, Section, Unit};
use std::fmt::Write as _;

/// Distance from the pointer to the box, in lines: the box must not lie under the arrow.
const AWAY: f32 = 1.0;
/// Padding around the text, and gap between a label and its value, in characters.
const EDGE: f32 = 0.5;
const GAP: f32 = 2.0;
/// Decimal places: tooltips show exact values.
const PRECISION: u32 = 4;
/// Smaller average counts read 0.0.
const LEAST_COUNT: f64 = 0.05;
/// Number of averages: the newest frame, and the two averages of a view.
const AVERAGES: usize = 3;
/// Most lines about the parts of a row.
const MOST_PARTS: usize = 8;

/// The text of the box, and its subject.
#[derive(Debug, Default)]
pub(crate) struct Tooltip {
    /// Only the first `used` lines are shown; the others keep their memory.
    lines: Vec<Line>,
    used: usize,
    subject: Option<Subject>,
    number: String,
}

/// The kind of thing under the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Row,
    Header,
    Frame,
}

/// A label on the left and a value on the right; either may be empty.
#[derive(Debug, Default)]
struct Line {
    label: String,
    value: String,
    ink: Ink,
}

/// What a line of text is, which a theme has a color for.
#[derive(Clone, Copy, Debug, Default)]
enum Ink {
    #[default]
    Title,
    Header,
    Mark,
    /// A time that fluctuates that much.
    Heat(f32),
}

impl Ink {
    fn color(self, theme: &Theme) -> Color {
        match self {
            Ink::Title => theme.title,
            Ink::Header => theme.header,
            Ink::Mark => theme.sort_mark,
            Ink::Heat(heat) => palette::text(theme, heat),
        }
    }
}

impl Tooltip {
    /// Clears the tooltip if it describes such a subject.
    pub(crate) fn forget(&mut self, subject: Subject) {
        if self.subject == Some(subject) {
            self.clear();
        }
    }

    pub(crate) fn clear(&mut self) {
        self.subject = None;
        self.used = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Describes a row with all values of its report.
    pub(crate) fn describe_row(&mut self, report: &Report, row: usize) {
        let Some(row) = report.rows.get(row) else {
            return;
        };
        self.clear();
        self.subject = Some(Subject::Row);
        self.line(Ink::Heat(row.heat)).label.push_str(&row.name);
        if let Some(location) = row.location {
            let line = self.line(Ink::Header);
            // Writing to a string cannot fail, here and below.
            let _ = write!(
                line.label,
                "{}:{}",
                short_path(location.file),
                location.line
            );
        }
        self.describe_share_of_calls(report, row);
        if row.is_idle {
            self.line(Ink::Header)
                .label
                .push_str("idle: waiting, not work");
        }
        if row.is_own {
            let line = self.line(Ink::Header);
            line.label.push_str("what iprof itself takes");
        }
        if row.is_counter {
            let line = self.line(Ink::Header);
            line.label.push_str("counter: only counted, has no time");
        }
        for column in report.shown_columns() {
            // Standard errors are shown beside their times.
            let has_meaning = !row.is_counter || column.unit() == Unit::Count;
            if column != ColumnId::StandardError && has_meaning {
                self.value(report, row, column);
            }
        }
        let value = |column| {
            let is_shown = report.columns.contains(&column);
            row.value(column).filter(|_| is_shown)
        };
        // Where the count reads 0.0, a time per call would be as long as a zone that was hardly ever entered
        // was open, which is not how long a call takes.
        let count = value(ColumnId::Count);
        let count = count.filter(|count| count.number >= LEAST_COUNT && !row.is_counter);
        if let Some(count) = count {
            for (label, column) in [
                ("self per call", ColumnId::SelfTime),
                ("hier per call", ColumnId::HierarchicalTime),
            ] {
                if let Some(ms) = value(column) {
                    let line = self.line(Ink::Title);
                    line.label.push_str(label);
                    write_duration(ms.number / count.number, &mut line.value);
                }
            }
        }
        if row.heat > 0.0 {
            let line = self.line(Ink::Heat(row.heat));
            line.label.push_str(match report.mode {
                ReportMode::SelfTime => "heat: self time varies by",
                _ => "heat: hier time varies by",
            });
            let _ = write!(line.value, "{:.0} % of its mean", row.heat * 100.0);
        }
    }

    /// In the call graph, the values of callers and callees are not the zone's own: says whose they are.
    fn describe_share_of_calls(&mut self, report: &Report, row: &Row) {
        let Some(selected) = selected(report) else {
            return;
        };
        let line = match row.key.section {
            Section::Caller | Section::Callee => self.line(Ink::Header),
            _ => return,
        };
        // Writing to a string cannot fail.
        let _ = match row.key.section {
            Section::Caller => write!(
                line.label,
                "values: of {selected}, on behalf of {}",
                row.name
            ),
            _ => write!(line.label, "values: on behalf of {selected}"),
        };
    }

    /// Describes a column header, or what a click on a part of the title does.
    pub(crate) fn describe_header(&mut self, report: &Report, header: HeaderTarget) {
        self.clear();
        self.subject = Some(Subject::Header);
        let meaning = match header {
            HeaderTarget::Title(choice) => choice.description(),
            HeaderTarget::Column(None) => "named sections of the program's code",
            // Whether it includes what the zone called depends on the mode.
            HeaderTarget::Column(Some(ColumnId::GpuTime)) => match report.mode {
                ReportMode::SelfTime => "GPU time of the zone, excluding nested GPU zones",
                _ => "GPU time of the zone and everything it calls",
            },
            HeaderTarget::Column(Some(column)) => column.description(),
        };
        if let HeaderTarget::Title(choice) = header {
            for explanation in choice.explanation() {
                self.line(Ink::Header).label.push_str(explanation);
            }
        }
        self.line(Ink::Title).label.push_str(meaning);
        let is_values = matches!(header, HeaderTarget::Column(Some(_)));
        if let Some(selected) = selected(report).filter(|_| is_values) {
            let line = self.line(Ink::Header);
            let _ = write!(line.label, "callers: of {selected}, on behalf of each");
            let line = self.line(Ink::Header);
            let _ = write!(line.label, "callees: of each, on behalf of {selected}");
        }
        if header == HeaderTarget::Column(None) && report.order_held {
            let line = self.line(Ink::Header);
            line.label
                .push_str("order held: rows stay where they are while the pointer is over one,");
            let line = self.line(Ink::Header);
            line.label.push_str("and 2 s after the cursor moved");
            if report.rows_withheld > 0 {
                let line = self.line(Ink::Header);
                line.label
                    .push_str("new: rows that are listed then, as they would move others");
            }
        }
        if let HeaderTarget::Column(_) = header {
            let line = self.line(Ink::Header);
            line.label
                .push_str("click: sort by this column, again: reverse");
        }
    }

    /// Adds the row's times in the newest frame and in each of the two averages, for the report's columns.
    pub(crate) fn describe_averages(&mut self, report: &Report, averages: &[Row]) {
        if averages.len() != AVERAGES || self.subject != Some(Subject::Row) {
            return;
        }
        for column in [ColumnId::SelfTime, ColumnId::HierarchicalTime] {
            if !report.columns.contains(&column) {
                continue;
            }
            let line = self.line(Ink::Title);
            report.push_header(column, &mut line.label);
            line.label.push_str(": frame, 0.8 s, 2.5 s");
            for (at, row) in averages.iter().enumerate() {
                line.value.push_str(if at == 0 { "" } else { "  " });
                report.push_value(row, column, PRECISION, &mut line.value);
            }
        }
    }

    /// Adds the parts of a row, the largest first: by thread, or of the row of everything idle the idle zones.
    pub(crate) fn describe_parts(&mut self, report: &Report, row: usize, parts: &[Row]) {
        let Some(row) = report.rows.get(row).filter(|_| !parts.is_empty()) else {
            return;
        };
        let column = match report.mode {
            ReportMode::SelfTime => ColumnId::SelfTime,
            _ => ColumnId::HierarchicalTime,
        };
        let is_idle = row.key.kind == RowKind::Idle;
        let line = self.line(Ink::Header);
        line.label.push_str(if is_idle {
            "idle zones: "
        } else {
            "by thread: "
        });
        report.push_header(column, &mut line.label);
        line.label.push_str(", count");
        let shown = match parts.len() > MOST_PARTS {
            true => MOST_PARTS - 1,
            false => parts.len(),
        };
        for part in &parts[..shown] {
            let line = self.line(Ink::Title);
            line.label.push_str(&part.name);
            report.push_value(part, column, PRECISION, &mut line.value);
            self.number.clear();
            report.push_value(part, ColumnId::Count, PRECISION, &mut self.number);
            let line = &mut self.lines[self.used - 1];
            let _ = write!(line.value, " {:>6}", self.number);
        }
        if shown < parts.len() {
            let line = self.line(Ink::Header);
            let _ = write!(line.label, "and {} more", parts.len() - shown);
        }
    }

    /// Adds a column's value, its standard error if it was sampled, and its share of the frame.
    fn value(&mut self, report: &Report, row: &Row, column: ColumnId) {
        let Some(value) = row.value(column) else {
            return;
        };
        let line = self.line(Ink::Title);
        report.push_header(column, &mut line.label);
        report.push_value(row, column, PRECISION, &mut line.value);
        if value.is_sampled() {
            line.value.push_str(" \u{b1} ");
            report.push_number(value.standard_error, column, PRECISION, &mut line.value);
        }
        let parts = [
            ColumnId::SelfTime,
            ColumnId::NetTime,
            ColumnId::HierarchicalTime,
        ];
        let is_part = parts.contains(&column);
        if is_part && report.frame_ms > 0.0 {
            // Values of several threads are part of the time of them all.
            let threads = report.threads.max(1);
            let percent = value.number / (report.frame_ms * threads as f64) * 100.0;
            let _ = write!(line.value, "  {percent:5.1} %");
            if threads > 1 {
                let _ = write!(line.value, " of {threads} threads' time");
            }
        }
    }

    /// Describes a frame of the graph, and the zone in it.
    pub(crate) fn describe_frame(&mut self, graph: &Graph, hit: &BarsHit) {
        let Some(bar) = graph.bars.iter().rev().find(|bar| bar.frame == hit.frame) else {
            return;
        };
        self.clear();
        self.subject = Some(Subject::Frame);
        let line = self.line(Ink::Title);
        let _ = write!(line.label, "frame {}", bar.frame);
        let _ = write!(line.value, "{:.4} ms", bar.ms);
        if bar.frame <= graph.last_of_start_up {
            let line = self.line(Ink::Header);
            line.label
                .push_str("program start: does not count as the longest frame");
        }
        for mark in graph.marks.iter().filter(|mark| mark.frame == bar.frame) {
            let line = self.line(Ink::Mark);
            let _ = write!(line.label, "\"{}\"", mark.name);
        }
        if let (Some(name), Some(ms)) = (&hit.zone, hit.zone_ms) {
            self.line(Ink::Heat(0.0)).label.push_str(name);
            let line = self.line(Ink::Title);
            line.label.push_str(ColumnId::SelfTime.header());
            let _ = write!(line.value, "{ms:.4}");
            if bar.ms > 0.0 {
                let _ = write!(line.value, "  {:5.1} %", f64::from(ms) / bar.ms * 100.0);
            }
        }
    }

    /// Describes a zone of the graph's legend: its mean self time in the frames in view, how many these are, and
    /// their mean time.
    pub(crate) fn describe_zone(&mut self, name: &str, is_idle: bool, mean: ZoneMean) {
        self.clear();
        self.subject = Some(Subject::Frame);
        self.line(Ink::Heat(0.0)).label.push_str(name);
        if is_idle {
            let line = self.line(Ink::Header);
            line.label.push_str("idle: waiting, not work");
        }
        let line = self.line(Ink::Title);
        let _ = write!(line.label, "mean of {} frames", mean.frames);
        write_duration(mean.ms, &mut line.value);
        if mean.frame_ms > 0.0 {
            let _ = write!(line.value, "  {:5.1} %", mean.ms / mean.frame_ms * 100.0);
        }
        let line = self.line(Ink::Title);
        line.label.push_str("click: its callers and callees");
    }

    fn line(&mut self, ink: Ink) -> &mut Line {
        if self.used == self.lines.len() {
            self.lines.push(Line::default());
        }
        let line = &mut self.lines[self.used];
        self.used += 1;
        line.label.clear();
        line.value.clear();
        line.ink = ink;
        line
    }

    /// Lays out the box beside a point on a screen of `screen` px, always within the screen: below and
    /// right of the point if there is room, otherwise above or left of it. Text that does not fit is cut.
    pub(crate) fn lay_out(
        &self,
        font: &mut Font,
        list: &mut DrawList,
        theme: &Theme,
        point: [f32; 2],
        screen: [f32; 2],
    ) {
        let (advance, height) = (font.advance, font.line);
        let edge = (EDGE * advance).round();
        let lines = &self.lines[..self.used];
        let widths = lines.iter().map(|line| line.width(font));
        let widest = widths.fold(0.0, f32::max);
        let width = widest.min(screen[0].floor() - 2.0 * edge);
        let count: usize = lines
            .iter()
            .map(|line| line.place(font, width, |_, _, _, _| {}))
            .sum();
        let room = ((screen[1] - 2.0 * edge) / height).floor().max(0.0) as usize;
        let count = count.min(room);
        let size = [width + 2.0 * edge, count as f32 * height + 2.0 * edge];
        // At least one character, or nothing is readable.
        if count == 0 || width < advance {
            return;
        }
        let away = (AWAY * height).round();
        let place = |axis: usize| {
            let after = (point[axis] + away).round();
            let before = (point[axis] - away).round() - size[axis];
            let at = if after + size[axis] <= screen[axis] {
                after
            } else {
                before
            };
            at.min((screen[axis] - size[axis]).floor()).max(0.0)
        };
        let [left, top] = [place(0), place(1)];
        let [right, bottom] = [left + size[0], top + size[1]];
        font.fill(list, [left, top, right, bottom], theme.tooltip_edge);
        let inside = [left + 1.0, top + 1.0, right - 1.0, bottom - 1.0];
        font.fill(list, inside, theme.tooltip);
        let (from, to) = (left + edge, right - edge);
        let mut used = 0;
        for line in lines {
            let color = line.ink.color(theme);
            used += line.place(font, width, |font, x, down, text| {
                if used + down < count {
                    let y = top + edge + (used + down) as f32 * height;
                    font.cut(list, [from + x, to], y, text, color);
                }
            });
        }
    }
}

/// The name of the selected zone, in a call graph.
fn selected(report: &Report) -> Option<&str> {
    let mut rows = report.rows.iter();
    let selected = rows.find(|row| row.key.section == Section::Selected);
    selected.map(|row| &*row.name)
}

impl Line {
    /// The gap between the label and the value in px, if there is a value.
    fn gap(&self, font: &Font) -> f32 {
        let gap = if self.value.is_empty() { 0.0 } else { GAP };
        gap * font.advance
    }

    fn width(&self, font: &mut Font) -> f32 {
        font.width(&self.label) + self.gap(font) + font.width(&self.value)
    }

    /// Breaks the line up for a box that is `width` px wide: calls `put` with the left edge, the number and the
    /// text of each piece, and returns how many lines there are. The value stands at the right, below the label
    /// if both do not fit in a line.
    fn place(
        &self,
        font: &mut Font,
        width: f32,
        mut put: impl FnMut(&mut Font, f32, usize, &str),
    ) -> usize {
        let gap = self.gap(font);
        let value = font.width(&self.value);
        let mut label_end = 0.0;
        let lines = match self.label.is_empty() {
            true => 0,
            false => wrap(font, &self.label, width, |font, line, text| {
                label_end = font.width(text);
                put(font, 0.0, line, text);
            }),
        };
        if self.value.is_empty() {
            return lines.max(1);
        }
        let has_room = lines > 0 && label_end + gap + value <= width + 0.5;
        let line = if has_room { lines - 1 } else { lines };
        put(font, (width - value).max(0.0), line, &self.value);
        line + 1
    }
}

/// Writes milliseconds in a readable unit.
fn write_duration(ms: f64, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match ms.abs() {
        least if least >= 1e3 => write!(out, "{:.3} s", ms * 1e-3),
        least if least >= 1.0 => write!(out, "{ms:.3} ms"),
        least if least >= 1e-3 => write!(out, "{:.3} \u{b5}s", ms * 1e3),
        _ => write!(out, "{:.1} ns", ms * 1e6),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Bar, GraphMark, GraphZone, Segment};
    use crate::report::{RowKey, SourceLocation, Value};

    fn report() -> Report {
        let mut row = Row {
            heat: 0.42,
            location: Some(SourceLocation {
                file: "src/physics.rs",
                line: 17,
            }),
            ..Row::new(
                "physics",
                [
                    (ColumnId::HierarchicalTime, 4.0),
                    (ColumnId::Count, 8.0),
                    (ColumnId::StandardError, 0.25),
                ],
            )
        };
        row.set_value(ColumnId::SelfTime, Value::sampled(1.5, 0.25));
        Report {
            columns: vec![
                ColumnId::SelfTime,
                ColumnId::HierarchicalTime,
                ColumnId::Count,
                ColumnId::StandardError,
            ],
            rows: vec![Row::new("others (3)", [(ColumnId::SelfTime, 0.0)]), row],
            whole_counts: true,
            frame_ms: 10.0,
            ..Report::default()
        }
    }

    fn text(tooltip: &Tooltip) -> Vec<(&str, &str)> {
        let lines = tooltip.lines[..tooltip.used].iter();
        lines.map(|line| (&*line.label, &*line.value)).collect()
    }

    #[test]
    fn in_the_call_graph_it_is_said_whose_values_a_row_has() {
        let row = |name, section| Row {
            key: RowKey::top(section, 1, 0),
            ..Row::new(name, [(ColumnId::HierarchicalTime, 2.0)])
        };
        let report = Report {
            mode: ReportMode::CallGraph,
            columns: vec![ColumnId::HierarchicalTime],
            rows: vec![
                row("shade", Section::Caller),
                row("ray", Section::Selected),
                row("branch", Section::Callee),
            ],
            ..Report::default()
        };
        let mut tooltip = Tooltip::default();
        let values = ("hier ms", "2.0000");
        for (at, wanted) in [
            (
                0,
                &[("shade", ""), ("values: of ray, on behalf of shade", "")][..],
            ),
            (1, &[("ray", "")]),
            (2, &[("branch", ""), ("values: on behalf of ray", "")]),
        ] {
            tooltip.describe_row(&report, at);
            assert_eq!(text(&tooltip), [wanted, &[values]].concat());
        }
        let mut header = |column| {
            tooltip.describe_header(&report, HeaderTarget::Column(column));
            let lines = text(&tooltip);
            lines
                .iter()
                .filter(|(line, _)| line.contains("on behalf of"))
                .count()
        };
        assert_eq!(
            (header(Some(ColumnId::HierarchicalTime)), header(None)),
            (2, 0)
        );
    }

    #[test]
    fn a_row_shows_all_of_its_values() {
        let mut tooltip = Tooltip::default();
        tooltip.describe_row(&report(), 1);
        let wanted = [
            ("physics", ""),
            ("src/physics.rs:17", ""),
            ("self ms", "~1.5000 \u{b1} 0.2500   15.0 %"),
            ("hier ms", "4.0000   40.0 %"),
            ("count", "8"),
            ("self per call", "187.500 \u{b5}s"),
            ("hier per call", "500.000 \u{b5}s"),
            ("heat: self time varies by", "42 % of its mean"),
        ];
        assert_eq!(text(&tooltip), wanted);
        tooltip.describe_row(&report(), 0);
        assert_eq!(
            text(&tooltip),
            [("others (3)", ""), ("self ms", "0.0000    0.0 %")]
        );
        // As for a zone that is open all the time: its calls have no length.
        let mut idle = report();
        idle.rows[0] = Row::new(
            "idle",
            [
                (ColumnId::SelfTime, 1.0),
                (ColumnId::HierarchicalTime, 2.0),
                (ColumnId::Count, 0.0),
            ],
        );
        tooltip.describe_row(&idle, 0);
        let labels: Vec<_> = text(&tooltip).iter().map(|(label, _)| *label).collect();
        assert_eq!(labels, ["idle", "self ms", "hier ms", "count"]);
        // A count that reads 0.0 does not make 25 s of a call.
        let mut rare = report();
        rare.whole_counts = false;
        rare.rows[1].set_value(ColumnId::Count, Value::exact(0.04));
        tooltip.describe_row(&rare, 1);
        let labels: Vec<_> = text(&tooltip).iter().map(|(label, _)| *label).collect();
        assert_eq!(
            labels.last(),
            Some(&"heat: self time varies by"),
            "{labels:?}"
        );
        assert!(!labels.contains(&"self per call"));
        rare.rows[1].set_value(ColumnId::Count, Value::exact(0.05));
        rare.rows[1].set_value(ColumnId::HierarchicalTime, Value::exact(100.0));
        tooltip.describe_row(&rare, 1);
        assert!(text(&tooltip).contains(&("hier per call", "2.000 s")));
        tooltip.forget(Subject::Frame);
        assert!(!tooltip.is_empty());
        tooltip.forget(Subject::Row);
        assert!(tooltip.is_empty());
    }

    #[test]
    fn a_row_shows_its_averages() {
        let mut tooltip = Tooltip::default();
        let report = report();
        let rows = [1.0, 2.0, 3.0].map(|ms| {
            Row::new(
                "physics",
                [
                    (ColumnId::SelfTime, ms),
                    (ColumnId::HierarchicalTime, 2.0 * ms),
                ],
            )
        });
        tooltip.describe_averages(&report, &rows);
        assert!(tooltip.is_empty(), "averages without a row");
        tooltip.describe_row(&report, 1);
        let before = tooltip.used;
        tooltip.describe_averages(&report, &rows[..2]);
        assert_eq!(tooltip.used, before);
        tooltip.describe_averages(&report, &rows);
        let wanted = [
            ("self ms: frame, 0.8 s, 2.5 s", "1.0000  2.0000  3.0000"),
            ("hier ms: frame, 0.8 s, 2.5 s", "2.0000  4.0000  6.0000"),
        ];
        assert_eq!(text(&tooltip)[before..], wanted);
    }

    #[test]
    fn a_row_names_the_largest_of_its_parts() {
        let mut report = report();
        let part = |name: &str, ms, count| {
            let values = [(ColumnId::SelfTime, ms), (ColumnId::Count, count)];
            Row::new(name, values)
        };
        let threads = [part("scanner 0", 12.5, 90.0), part("scanner 1", 0.25, 7.0)];
        let mut tooltip = Tooltip::default();
        tooltip.describe_row(&report, 1);
        let before = tooltip.used;
        tooltip.describe_parts(&report, 1, &[]);
        assert_eq!(tooltip.used, before);
        tooltip.describe_parts(&report, 1, &threads);
        let wanted = [
            ("by thread: self ms, count", ""),
            ("scanner 0", "12.5000     90"),
            ("scanner 1", "0.2500      7"),
        ];
        assert_eq!(text(&tooltip)[before..], wanted);
        // Of many the largest, in as many lines.
        let many: Vec<Row> = (0..20).map(|at| part(&at.to_string(), 1.0, 1.0)).collect();
        tooltip.describe_row(&report, 1);
        tooltip.describe_parts(&report, 1, &many[..8]);
        assert_eq!(tooltip.used, before + 9);
        assert_eq!(text(&tooltip).last().unwrap().0, "7");
        tooltip.describe_row(&report, 1);
        tooltip.describe_parts(&report, 1, &many);
        assert_eq!(tooltip.used, before + 9);
        assert_eq!(text(&tooltip).last().unwrap().0, "and 13 more");
        report.rows[1].key = crate::report::RowKey::idle();
        tooltip.describe_row(&report, 1);
        tooltip.describe_parts(&report, 1, &threads);
        assert_eq!(text(&tooltip)[before].0, "idle zones: self ms, count");
    }

    #[test]
    fn a_held_order_is_explained_at_the_header_that_names_it() {
        let mut report = report();
        let mut tooltip = Tooltip::default();
        let mut lines = |report: &Report| {
            tooltip.describe_header(report, HeaderTarget::Column(None));
            tooltip.used
        };
        let usual = lines(&report);
        report.order_held = true;
        assert_eq!(lines(&report), usual + 2);
        report.rows_withheld = 3;
        assert_eq!(lines(&report), usual + 3);
    }

    #[test]
    fn values_have_the_units_of_their_columns_and_paths_begin_with_the_package() {
        let mut report = report();
        report.rows[1].location = Some(SourceLocation {
            file: "/home/me/.cargo/registry/src/index/rapier3d-0.17.2/src/dynamics/solver.rs",
            line: 9,
        });
        report.rows[1].set_value(ColumnId::SelfTime, Value::sampled(0.0025, 0.0005));
        report.fit_units();
        let mut tooltip = Tooltip::default();
        tooltip.describe_row(&report, 1);
        let wanted = [
            ("physics", ""),
            ("rapier3d-0.17.2/src/dynamics/solver.rs:9", ""),
            ("self \u{b5}s", "~2.5000 \u{b1} 0.5000    0.0 %"),
            ("hier ms", "4.0000   40.0 %"),
        ];
        assert_eq!(text(&tooltip)[..4], wanted);
    }

    #[test]
    fn columns_of_every_kind_are_shown() {
        let report = Report {
            columns: vec![ColumnId::Difference, ColumnId::GpuTime],
            rows: vec![Row::new(
                "shadows",
                [(ColumnId::Difference, -0.5), (ColumnId::GpuTime, 0.125)],
            )],
            ..Report::default()
        };
        let mut tooltip = Tooltip::default();
        tooltip.describe_row(&report, 0);
        let wanted = [
            ("shadows", ""),
            ("diff ms", "-0.5000"),
            ("gpu self ms", "0.1250"),
        ];
        assert_eq!(text(&tooltip), wanted);
    }

    #[test]
    fn a_frame_shows_its_length_its_marks_and_the_zone_under_the_pointer() {
        let mut graph = Graph::default();
        graph.zones.push(GraphZone::new("render"));
        graph.bars.push_back(Bar {
            frame: 7,
            ms: 20.0,
            segments: vec![Segment { zone: 0, ms: 5.0 }],
        });
        for (frame, name) in [(6, "of another frame"), (7, "level loaded"), (8, "too")] {
            let name = name.into();
            graph.marks.push(GraphMark { frame, name });
        }
        let mut hit = BarsHit {
            frame: 7,
            group: (7, 7),
            zone: Some("render".into()),
            zone_ms: Some(5.0),
        };
        let mut tooltip = Tooltip::default();
        tooltip.describe_frame(&graph, &hit);
        let wanted = [
            ("frame 7", "20.0000 ms"),
            ("\"level loaded\"", ""),
            ("render", ""),
            ("self ms", "5.0000   25.0 %"),
        ];
        assert_eq!(text(&tooltip), wanted);
        (hit.zone, hit.zone_ms) = (None, None);
        tooltip.describe_frame(&graph, &hit);
        assert_eq!(text(&tooltip), wanted[..2]);
    }

    #[test]
    fn a_zone_of_the_legend_shows_its_mean_and_what_a_click_does() {
        let mut tooltip = Tooltip::default();
        let mean = ZoneMean {
            frames: 40,
            ms: 0.5,
            frame_ms: 20.0,
        };
        tooltip.describe_zone("physics", false, mean);
        let wanted = [
            ("physics", ""),
            ("mean of 40 frames", "500.000 \u{b5}s    2.5 %"),
            ("click: its callers and callees", ""),
        ];
        assert_eq!(text(&tooltip), wanted);
        tooltip.describe_zone("wait", true, mean);
        assert_eq!(text(&tooltip)[1].0, "idle: waiting, not work");
    }

    #[test]
    fn durations_have_the_unit_that_fits() {
        for (ms, wanted) in [
            (12.5, "12.500 ms"),
            (0.25, "250.000 \u{b5}s"),
            (0.00002, "20.0 ns"),
            (0.0, "0.0 ns"),
        ] {
            let mut text = String::new();
            write_duration(ms, &mut text);
            assert_eq!(text, wanted);
        }
    }

    /// Left, top, right and bottom edge of everything drawn.
    fn bounds(list: &DrawList) -> [f32; 4] {
        let nothing = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
        list.vertices().iter().fold(nothing, |b, vertex| {
            let [x, y] = vertex.position;
            [b[0].min(x), b[1].min(y), b[2].max(x), b[3].max(y)]
        })
    }

    #[test]
    fn a_narrow_box_has_more_lines_and_all_of_the_text() {
        let mut tooltip = Tooltip::default();
        let mut font = Font::new(12.0);
        let line = tooltip.line(Ink::Title);
        line.label.push_str("the label");
        line.value.push_str("12345");
        let mut glyphs = |characters: f32| {
            let mut list = DrawList::default();
            let width = ((characters + 2.0 * EDGE) * font.advance).ceil() + 1.0;
            let screen = [width, 100.0];
            tooltip.lay_out(&mut font, &mut list, &Theme::DARK, [0.0, 0.0], screen);
            let lines = (bounds(&list)[3] - bounds(&list)[1]) / font.line;
            // Without the box and its edge, and the blank.
            (list.quads().len().saturating_sub(2), lines as usize)
        };
        assert_eq!(glyphs(16.0), (13, 1));
        assert_eq!(glyphs(9.0), (13, 2), "the value below the label");
        assert_eq!(glyphs(5.0), (13, 3), "each word by itself");
        assert_eq!(glyphs(4.0), (12, 4), "a value is cut");
    }

    #[test]
    fn times_of_several_threads_are_parts_of_the_time_of_them_all() {
        let mut report = report();
        report.threads = 3;
        report.rows[1].set_value(ColumnId::HierarchicalTime, Value::exact(20.0));
        let mut tooltip = Tooltip::default();
        tooltip.describe_row(&report, 1);
        let shares = text(&tooltip)[3];
        assert_eq!(shares, ("hier ms", "20.0000   66.7 % of 3 threads' time"));
    }

    #[test]
    fn a_counter_has_no_times() {
        let mut report = report();
        report.rows[1].is_counter = true;
        let mut tooltip = Tooltip::default();
        tooltip.describe_row(&report, 1);
        let labels: Vec<_> = text(&tooltip).iter().map(|(label, _)| *label).collect();
        assert_eq!(labels[2], "counter: only counted, has no time");
        assert_eq!(labels[3..], ["count", "heat: self time varies by"]);
    }

    #[test]
    fn the_line_about_timing_is_explained() {
        let mut tooltip = Tooltip::default();
        let timing = HeaderTarget::Title(crate::report::TitleChoice::Timing);
        tooltip.describe_header(&report(), timing);
        let lines = text(&tooltip);
        assert!(lines.len() > 3, "{lines:?}");
        assert_eq!(lines.last(), Some(&("click: next timing mode", "")));
    }

    #[test]
    fn the_box_stays_on_the_screen_and_does_not_cover_the_pointer() {
        let mut tooltip = Tooltip::default();
        tooltip.describe_row(&report(), 1);
        let mut font = Font::new(12.0);
        let mut drawn = 0;
        for screen in [
            [1280.0, 720.0],
            [640.0, 480.0],
            [200.0, 90.0],
            [37.5, 40.5],
            [5.0, 900.0],
        ] {
            for at in 0..400 {
                let along =
                    |axis: usize, step: usize| screen[axis] * ((at / step) % 20) as f32 / 19.0;
                let point = [along(0, 1), along(1, 20)];
                let mut list = DrawList::default();
                tooltip.lay_out(&mut font, &mut list, &Theme::DARK, point, screen);
                if list.vertices().is_empty() {
                    continue;
                }
                drawn += 1;
                let [left, top, right, bottom] = bounds(&list);
                assert!(
                    left >= 0.0 && top >= 0.0 && right <= screen[0] && bottom <= screen[1],
                    "{screen:?} {point:?}: {left} {top} {right} {bottom}"
                );
                let [x, y] = point;
                let is_large = screen[0] >= 640.0;
                let covers = x >= left && x < right && y >= top && y < bottom;
                assert!(!(is_large && covers), "{point:?} is under the box");
            }
        }
        assert!(drawn > 1200, "{drawn}");
    }
}
