//! Writes a report as text with aligned columns. (IProf: `Prof_report_writefile`.)

use crate::report::{ColumnId, Report, Row, RowKind};
use iprof_process::text_parts::Indent;
use iprof_process::{IDLE_OUTSIDE, OUTSIDE_ZONES};
use std::io::{self, Write};

const GAP: usize = 2;
/// The minimum width of the name column, so that short reports are aligned like long ones.
const MIN_NAME: usize = 24;

impl Report {
    /// Writes the report as text with aligned columns.
    ///
    /// `precision` is the number of decimal places for times, clamped to between 1 and 4. The cursor's row begins with
    /// `>`. Names are indented by two characters per step of their [indent](Row::indent), up to 48 steps. A larger
    /// indent is written in parentheses before the name. An [idle](Row::is_idle) row has `(idle)` after its name, and a
    /// zone [over its budget](Row::is_over_budget) has `(over budget)`. Idle time outside zones is named
    /// `(outside zones, idle)`.
    ///
    /// # Errors
    ///
    /// Returns the errors reported by `out`.
    pub fn write(&self, mut out: impl Write, precision: u32) -> io::Result<()> {
        let (report, out) = (self, &mut out);
        for line in &report.title {
            writeln!(out, "{line}")?;
        }
        for line in &report.warnings {
            writeln!(out, "! {line}")?;
        }
        let columns: Vec<ColumnId> = report.shown_columns().collect();
        if columns.is_empty() {
            return Ok(());
        }
        let cells: Vec<Vec<String>> = report
            .rows
            .iter()
            .map(|row| cells(report, row, precision))
            .collect();
        let names: Vec<String> = report.rows.iter().map(name).collect();
        let name_width = names
            .iter()
            .map(|name| width(name))
            .max()
            .unwrap_or(0)
            .max(MIN_NAME);
        let title = |column: &ColumnId| {
            let mut title = String::new();
            report.push_header(*column, &mut title);
            title
        };
        let titles: Vec<String> = columns.iter().map(title).collect();
        let widths: Vec<usize> = (0..columns.len())
            .map(|at| {
                let values = cells.iter().map(|row| row[at].len()).max().unwrap_or(0);
                values.max(width(&titles[at]))
            })
            .collect();

        writeln!(out)?;
        let marked = |column: Option<ColumnId>, title: &str| match report.mark(column) {
            Some(mark) => format!("{mark}{title}"),
            None => title.to_owned(),
        };
        write_name(out, &format!("  {}", marked(None, "zone")), name_width)?;
        for ((column, title), width) in columns.iter().zip(&titles).zip(&widths) {
            // The sort mark fits in the gap.
            write!(out, "{:>1$}", marked(Some(*column), title), GAP + width)?;
        }
        writeln!(out)?;
        for (name, row) in names.iter().zip(&cells) {
            write_name(out, name, name_width)?;
            let last = row
                .iter()
                .rposition(|cell| !cell.is_empty())
                .map_or(0, |at| at + 1);
            for (cell, width) in row.iter().zip(&widths).take(last) {
                write!(out, "{:>1$}", cell, GAP + width)?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Returns the cursor mark, indentation, expansion sign and name. Control characters in the name become spaces.
fn name(row: &Row) -> String {
    let mut text = String::from(if row.cursor { ">" } else { " " });
    let Indent { spaces, level } = Indent::of(row.indent as usize);
    text.push_str(spaces);
    text.push(row.expansion.as_char());
    text.push_str(&level);
    // The `(idle)` row, and idle time outside zones, already have `idle` in their names.
    let name = match row.is_idle && *row.name == *OUTSIDE_ZONES {
        true => IDLE_OUTSIDE,
        false => &row.name,
    };
    text.extend(name.chars().map(|c| if c.is_control() { ' ' } else { c }));
    if row.is_idle && name != IDLE_OUTSIDE && row.key.kind != RowKind::Idle {
        text.push_str("  (idle)");
    }
    if row.is_over_budget {
        text.push_str("  (over budget)");
    }
    text
}

fn cells(report: &Report, row: &Row, precision: u32) -> Vec<String> {
    let cell = |column| {
        let mut cell = String::new();
        report.push_value(row, column, precision, &mut cell);
        cell
    };
    report.shown_columns().map(cell).collect()
}

fn write_name(out: &mut impl Write, name: &str, wanted: usize) -> io::Result<()> {
    write!(out, "{name}{:1$}", "", wanted.saturating_sub(width(name)))
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::report::{ColumnId, Expansion, Report, Row};

    fn text(report: &Report, precision: u32) -> String {
        let mut out = Vec::new();
        report.write(&mut out, precision).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_are_aligned() {
        let mut report = Report {
            title: vec!["16.67 ms/frame".into()],
            warnings: vec!["something".into()],
            columns: vec![
                ColumnId::SelfTime,
                ColumnId::HierarchicalTime,
                ColumnId::Count,
            ],
            rows: vec![
                Row::new(
                    "größte Zone",
                    [
                        (ColumnId::SelfTime, 1.0),
                        (ColumnId::HierarchicalTime, 12345.678),
                        (ColumnId::Count, 3.0),
                    ],
                ),
                Row {
                    indent: 1,
                    expansion: Expansion::Collapsed,
                    ..Row::new(
                        "b\nc",
                        [
                            (ColumnId::SelfTime, 0.25),
                            (ColumnId::HierarchicalTime, 1.0),
                            (ColumnId::Count, 1e7),
                        ],
                    )
                },
                Row {
                    indent: 1,
                    ..Row::new("", [(ColumnId::SelfTime, 0.5)])
                },
            ],
            ..Report::default()
        };
        report.rows[1].cursor = true;
        report.rows[1].is_idle = true;
        assert_eq!(
            text(&report, 2),
            "16.67 ms/frame\n\
             ! something\n\
             \n\
             \x20 zone                    self ms   hier ms     count\n\
             \x20 größte Zone                1.00  12345.68       3.0\n\
             >  +b c  (idle)              0.25      1.00  10000000\n\
             \x20                            0.50\n"
        );
    }

    #[test]
    fn idle_time_outside_zones_is_named_consistently() {
        let row = |name: &str, is_idle| Row {
            is_idle,
            ..Row::new(name, [(ColumnId::SelfTime, 1.0)])
        };
        let report = Report {
            columns: vec![ColumnId::SelfTime],
            rows: vec![
                row("(outside zones)", false),
                row("(outside zones)", true),
                row("(outside zones, idle)", true),
            ],
            ..Report::default()
        };
        let text = text(&report, 2);
        let name = |line: &str| line.rsplit_once("  ").unwrap().0.trim().to_owned();
        let names: Vec<String> = text.lines().skip(2).map(name).collect();
        let idle = "(outside zones, idle)";
        assert_eq!(names, ["(outside zones)", idle, idle]);
    }

    #[test]
    fn precision_is_clamped_to_one_to_four_places() {
        let report = Report {
            columns: vec![ColumnId::SelfTime],
            rows: vec![Row::new("a", [(ColumnId::SelfTime, 1.23456)])],
            ..Report::default()
        };
        assert!(text(&report, 0).contains(" 1.2\n"));
        assert!(text(&report, 9).contains(" 1.2346\n"));
    }

    #[test]
    fn report_without_columns_shows_only_its_title() {
        let report = Report {
            title: vec!["nothing".into()],
            ..Report::default()
        };
        assert_eq!(text(&report, 2), "nothing\n");
    }
}
