//! Describes a report row, a column header or a part of the title in the tooltip.

use super::{Ink, Subject, Tooltip, write_duration};
use crate::draw::column_layout::HeaderTarget;
use crate::draw::report_layout::emphasis;
use iprof_process::text_parts::{FileAndLine, short_path};
use iprof_report::{ColumnId, Distribution, Report, ReportMode, Row, RowKind, Section, Unit};
use std::fmt::Write as _;

/// The number of decimal places, which is the maximum for reports.
const PRECISION: u32 = 4;
/// Average counts below this value are shown as 0.0.
const MIN_COUNT: f64 = 0.05;
/// The number of averages: the newest frame, and a view's two averages.
const AVERAGES: usize = 3;
/// The maximum number of lines that list a row's parts.
const MAX_PARTS: usize = 8;

impl Tooltip {
    pub(crate) fn describe_row(&mut self, report: &Report, row: usize) {
        let Some(row) = report.rows.get(row) else {
            return;
        };
        self.clear();
        self.subject = Some(Subject::Row);
        // The name has the same emphasis as in the report.
        let ink = Ink::Heat(emphasis(report, row));
        self.line(ink, &row.name);
        if let Some((file, line)) = row.location {
            let place = FileAndLine(short_path(file), line);
            let line = self.line(Ink::Header, "");
            // Writing to a string cannot fail. The same applies below.
            let _ = write!(line.label, "{place}");
        }
        self.describe_share_of_calls(report, row);
        if row.is_idle {
            self.line(Ink::Header, "idle: waiting, not work");
        }
        if row.is_own {
            self.line(Ink::Header, "iprof's own time");
        }
        if let Some(budget) = row.budget {
            let line = self.line(Ink::Header, "budget ");
            write_duration(budget.limit.as_secs_f64() * 1e3, &mut line.label);
            let s = if budget.frames == 1 { "" } else { "s" };
            let _ = write!(
                line.value,
                "exceeded in {} of {} frame{s}",
                budget.misses, budget.frames
            );
        }
        if row.is_counter {
            self.line(Ink::Header, "counter: counted, not timed");
        }
        for column in report.shown_columns() {
            // Standard errors are shown next to their times.
            let has_meaning = !row.is_counter || column.unit() == Unit::Count;
            if column != ColumnId::StandardError && has_meaning {
                self.value(report, row, column);
            }
        }
        let value = |column| {
            let is_shown = report.columns.contains(&column);
            row.value(column).filter(|_| is_shown)
        };
        // If the count is shown as 0.0, a time per call would show how long a rarely entered zone was open, not how
        // long a call takes.
        let count = value(ColumnId::Count);
        let count = count.filter(|count| count.number >= MIN_COUNT && !row.is_counter);
        if let Some(count) = count {
            for (label, column) in [
                ("self per call", ColumnId::SelfTime),
                ("hier per call", ColumnId::HierarchicalTime),
            ] {
                if let Some(ms) = value(column) {
                    let line = self.line(Ink::Title, label);
                    write_duration(ms.number / count.number, &mut line.value);
                }
            }
        }
        if row.heat > 0.0 {
            let line = self.line(
                ink,
                match report.mode {
                    ReportMode::SelfTime => "heat: self time varies by",
                    _ => "heat: hier time varies by",
                },
            );
            let _ = write!(line.value, "{:.0} % of its mean", row.heat * 100.0);
        }
    }

    /// Explains the values in a caller's or callee's row, since they are not the caller's or callee's own totals.
    fn describe_share_of_calls(&mut self, report: &Report, row: &Row) {
        let Some(selected) = selected(report) else {
            return;
        };
        let line = match row.key.section {
            Section::Caller | Section::Callee => self.line(Ink::Header, ""),
            _ => return,
        };
        let _ = match row.key.section {
            Section::Caller => write!(
                line.label,
                "values: {selected} when called from {}",
                row.name
            ),
            _ => write!(line.label, "values: when called from {selected}"),
        };
    }

    /// Describes a column header, or the effect of clicking a part of the title.
    pub(crate) fn describe_header(&mut self, report: &Report, header: HeaderTarget) {
        self.clear();
        self.subject = Some(Subject::Header);
        let meaning = match header {
            HeaderTarget::Title(choice) => choice.description(),
            HeaderTarget::Column(None) => "named sections of the program's code",
            // Whether GPU time includes callees depends on the mode.
            HeaderTarget::Column(Some(ColumnId::GpuTime)) => match report.mode {
                ReportMode::SelfTime => "GPU time of the zone, excluding nested GPU zones",
                _ => "GPU time of the zone and everything it calls",
            },
            HeaderTarget::Column(Some(column)) => column.description(),
        };
        if let HeaderTarget::Title(choice) = header {
            for explanation in choice.explanation() {
                self.line(Ink::Header, explanation);
            }
        }
        self.line(Ink::Title, meaning);
        let is_values = matches!(header, HeaderTarget::Column(Some(_)));
        if let Some(selected) = selected(report).filter(|_| is_values) {
            let line = self.line(Ink::Header, "");
            let _ = write!(line.label, "callers: {selected} when called from each");
            let line = self.line(Ink::Header, "");
            let _ = write!(line.label, "callees: each when called from {selected}");
        }
        if header == HeaderTarget::Column(None) && report.order_held {
            self.line(
                Ink::Header,
                "order held: rows keep their places while the pointer is over one",
            );
            self.line(Ink::Header, "and for 2 s after the cursor moves");
            if report.rows_withheld > 0 {
                self.line(
                    Ink::Header,
                    "new: rows to be listed then, so that no row moves now",
                );
            }
        }
        if let HeaderTarget::Column(_) = header {
            self.line(Ink::Header, "click: sort by this column; again: reverse");
        }
    }

    /// Adds the row's times in the newest frame and in the two averages, for the report's time columns.
    pub(crate) fn describe_averages(&mut self, report: &Report, averages: &[Row]) {
        if averages.len() != AVERAGES || self.subject != Some(Subject::Row) {
            return;
        }
        for column in [ColumnId::SelfTime, ColumnId::HierarchicalTime] {
            if !report.columns.contains(&column) {
                continue;
            }
            let line = self.line(Ink::Title, "");
            report.push_header(column, &mut line.label);
            line.label.push_str(": frame, 0.8 s, 2.5 s");
            for (at, row) in averages.iter().enumerate() {
                line.value.push_str(if at == 0 { "" } else { "  " });
                report.push_value(row, column, PRECISION, &mut line.value);
            }
        }
    }

    /// Adds a row's parts, largest first: its threads or, for the idle row, the idle zones.
    pub(crate) fn describe_parts(&mut self, report: &Report, row: usize, parts: &[Row]) {
        let Some(row) = report.rows.get(row).filter(|_| !parts.is_empty()) else {
            return;
        };
        let column = match report.mode {
            ReportMode::SelfTime => ColumnId::SelfTime,
            _ => ColumnId::HierarchicalTime,
        };
        let is_idle = row.key.kind == RowKind::Idle;
        let line = self.line(
            Ink::Header,
            if is_idle {
                "idle zones: "
            } else {
                "by thread: "
            },
        );
        report.push_header(column, &mut line.label);
        line.label.push_str(", count");
        let shown = match parts.len() > MAX_PARTS {
            true => MAX_PARTS - 1,
            false => parts.len(),
        };
        for part in &parts[..shown] {
            let line = self.line(Ink::Title, &part.name);
            report.push_value(part, column, PRECISION, &mut line.value);
            self.number.clear();
            report.push_value(part, ColumnId::Count, PRECISION, &mut self.number);
            let line = &mut self.lines[self.used - 1];
            let _ = write!(line.value, " {:>6}", self.number);
        }
        if shown < parts.len() {
            let line = self.line(Ink::Header, "");
            let _ = write!(line.label, "and {} more", parts.len() - shown);
        }
    }

    /// Adds the row's times per frame: percentiles and a histogram.
    pub(crate) fn describe_distribution(&mut self, report: &Report, of: &Distribution) {
        if self.subject != Some(Subject::Row) {
            return;
        }
        const LINES: [&[ColumnId]; 2] = [
            &[ColumnId::P50, ColumnId::P95, ColumnId::P99],
            &[ColumnId::MaxTime, ColumnId::Deviation],
        ];
        for columns in LINES {
            if columns.iter().all(|column| report.columns.contains(column)) {
                continue;
            }
            let line = self.line(Ink::Title, "per frame: ");
            for (at, column) in columns.iter().enumerate() {
                line.label.push_str(if at == 0 { "" } else { ", " });
                let name = column.header().trim_end_matches(" ms");
                line.label.push_str(name);
                line.value.push_str(if at == 0 { "" } else { "  " });
                report.push_value(&of.row, *column, PRECISION, &mut line.value);
            }
            line.label.push(' ');
            line.label.push_str(report.unit(ColumnId::P50).symbol());
        }
        self.histogram(&of.bins);
        let line = self.line(Ink::Header, "");
        line.label.push('0');
        let _ = write!(line.value, "{} frames up to ", of.frames);
        write_duration(of.most, &mut line.value);
    }

    /// Adds a column's value, its standard error if it was sampled, and its percentage of the frame.
    fn value(&mut self, report: &Report, row: &Row, column: ColumnId) {
        let Some(value) = row.value(column) else {
            return;
        };
        let line = self.line(Ink::Title, "");
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
            // If the report covers several threads, the percentage is relative to their total time.
            let threads = report.threads.max(1);
            let percent = value.number / (report.frame_ms * threads as f64) * 100.0;
            let _ = write!(line.value, "  {percent:5.1} %");
            let _ = match threads {
                1 => write!(line.value, " of the frame"),
                threads => write!(line.value, " of {threads} threads' time"),
            };
        }
    }
}

/// Returns the name of a call graph's selected zone.
fn selected(report: &Report) -> Option<&str> {
    let mut rows = report.rows.iter();
    let selected = rows.find(|row| row.key.section == Section::Selected);
    selected.map(|row| &*row.name)
}
