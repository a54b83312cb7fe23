//! The headings between the rows of a call graph: `called by` above the callers, `calls` above the callees.

use iprof_report::{Report, ReportMode, Section};
use std::fmt::Write as _;

/// The minimum number of lines for showing headings. In a smaller report, rows are more important.
const FROM_LINES: usize = 8;

/// The headings in a report, each given by the row that follows it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowGroups {
    callers: Option<usize>,
    callees: Option<usize>,
}

impl RowGroups {
    /// Returns the headings for a report with room for `lines` lines.
    pub(super) fn of(report: &Report, lines: usize) -> RowGroups {
        let selected = report
            .rows
            .iter()
            .position(|row| row.key.section == Section::Selected);
        let Some(selected) = selected.filter(|_| lines >= FROM_LINES) else {
            return RowGroups::default();
        };
        RowGroups {
            callers: (selected > 0).then_some(0),
            callees: (selected + 1 < report.rows.len()).then_some(selected + 1),
        }
    }

    fn all(&self) -> impl Iterator<Item = usize> {
        self.callers.into_iter().chain(self.callees)
    }

    pub(super) fn count(&self) -> usize {
        self.all().count()
    }

    /// Returns a row's line number, counting all rows and headings.
    pub(super) fn line_of(&self, row: usize) -> usize {
        row + self.all().filter(|before| *before <= row).count()
    }

    /// Returns the row in a line, or `None` if a heading is there.
    pub(super) fn row_in(&self, line: usize) -> Option<usize> {
        let mut row = line;
        for before in self.all() {
            match row.cmp(&before) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return None,
                std::cmp::Ordering::Greater => row -= 1,
            }
        }
        Some(row)
    }

    /// Writes a heading's text: a word, and an explanation of the times in the rows below it.
    pub(super) fn describe(&self, report: &Report, line: usize, [word, times]: [&mut String; 2]) {
        word.clear();
        times.clear();
        let is_callers = self.callers.is_some_and(|row| line == row);
        let selected = report
            .rows
            .iter()
            .find(|row| row.key.section == Section::Selected);
        let name = selected.map_or("", |row| &row.name);
        word.push_str(match report.mode {
            _ if is_callers => "called by",
            ReportMode::CallGraphDescendants => "descendants",
            _ => "calls",
        });
        // Writing to a string cannot fail.
        let _ = match is_callers {
            true => write!(times, "time of {name} when called from each"),
            false => write!(times, "time of each when called from {name}"),
        };
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use iprof_report::{Row, RowKey};

    fn report(sections: &[Section]) -> Report {
        let rows = sections.iter().map(|section| Row {
            key: RowKey::top(*section, 1, 0),
            ..Row::new("solve", [])
        });
        Report {
            mode: ReportMode::CallGraph,
            rows: rows.collect(),
            ..Report::default()
        }
    }

    /// Returns each line's row number or heading word.
    fn lines(report: &Report) -> Vec<String> {
        let groups = RowGroups::of(report, 20);
        let (mut word, mut times) = (String::new(), String::new());
        let lines = 0..report.rows.len() + groups.count();
        lines
            .map(|line| match groups.row_in(line) {
                Some(row) => {
                    assert_eq!(groups.line_of(row), line);
                    row.to_string()
                }
                None => {
                    groups.describe(report, line, [&mut word, &mut times]);
                    assert!(times.contains("solve"), "{times}");
                    word.clone()
                }
            })
            .collect()
    }

    #[test]
    fn callers_and_callees_have_headings() {
        use Section::{Callee, Caller, Flat, Selected};
        let all = report(&[Caller, Caller, Selected, Callee]);
        assert_eq!(lines(&all), ["called by", "0", "1", "2", "calls", "3"]);
        assert_eq!(lines(&report(&[Selected, Callee])), ["0", "calls", "1"]);
        assert_eq!(lines(&report(&[Caller, Selected])), ["called by", "0", "1"]);
        assert_eq!(lines(&report(&[Selected])), ["0"]);
        assert_eq!(lines(&report(&[Flat, Flat])), ["0", "1"]);
        assert_eq!(
            RowGroups::of(&all, 7).count(),
            0,
            "a small report should have no headings"
        );
    }
}
