//! How much a row of a report stands out, from -1 to 1: by its heat, or in a comparison by its part in the difference.

use iprof_report::report::{ColumnId, Report, ReportMode, Row};

/// Rows of a smaller part of the frame stand out less, however much they vary.
const MATTERS: f64 = 0.05;

/// Whether a row is not about the program's work: it waits, or it is iprof's own.
pub(super) fn is_dimmed(row: &Row) -> bool {
    row.is_idle || row.is_own
}

/// How much a row stands out, from -1 to 1: in a comparison by its part in the difference, negative if it took
/// less time; otherwise by its heat, unless it is a small part of the frame.
pub(super) fn emphasis(report: &Report, row: &Row) -> f32 {
    if is_dimmed(row) {
        // Nobody needs to look at how much waiting varies, or the profiler.
        return 0.0;
    }
    if report.columns.contains(&ColumnId::Difference) {
        // The square root: a row with a fourth of the difference already stands out by half.
        return row.change.signum() * row.change.abs().sqrt();
    }
    let time = row.number(match report.mode {
        ReportMode::SelfTime => ColumnId::SelfTime,
        _ => ColumnId::HierarchicalTime,
    });
    match report.frame_ms > 0.0 {
        true => row.heat * (time / report.frame_ms / MATTERS).min(1.0) as f32,
        false => row.heat,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn waiting_and_the_profiler_do_not_stand_out() {
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
