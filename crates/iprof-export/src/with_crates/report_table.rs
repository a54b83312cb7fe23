//! Writes all of a report's rows, with all values, as CSV or JSON.

use super::csv::write_records;
use iprof_report::{ColumnId, Report};
use serde_json::{Map, json};
use std::io::{self, Write};
use std::time::Duration;

/// Returns the field name of a column, such as `self_ms`, `p99_ms` or `count`. It includes the unit of times.
fn field(column: ColumnId) -> String {
    match column {
        ColumnId::StandardError => "error_ms".to_owned(),
        ColumnId::ByCount => "by_count_ms".to_owned(),
        ColumnId::ByCost => "by_cost_ms".to_owned(),
        column => column.header().replace(' ', "_"),
    }
}

const BUDGET_FIELDS: [&str; 4] = ["budget_ms", "budget_frames", "budget_misses", "over_budget"];

fn limit_ms(limit: Duration) -> f64 {
    limit.as_nanos() as f64 / 1e6
}

pub(crate) fn write_csv(report: &Report, out: impl Write) -> io::Result<()> {
    write_records(out, |csv| write_rows(report, csv))
}

fn write_rows(report: &Report, csv: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    let columns: Vec<ColumnId> = report.shown_columns().collect();
    let heads = ["zone", "indent", "idle", "file", "line"].map(str::to_owned);
    let heads = heads.into_iter().chain(columns.iter().copied().map(field));
    let has_budgets = report.rows.iter().any(|row| row.budget.is_some());
    let of_budgets: &[&str] = if has_budgets { &BUDGET_FIELDS } else { &[] };
    csv.write_record(heads.chain(of_budgets.iter().map(|head| (*head).to_owned())))?;
    for row in &report.rows {
        let [file, line] = row.location.map_or_else(Default::default, |(file, line)| {
            [file.to_owned(), line.to_string()]
        });
        let [indent, idle] = [row.indent.to_string(), row.is_idle.to_string()];
        let fields = [row.name.to_string(), indent, idle, file, line];
        let number = |column: &ColumnId| {
            let value = row.value(*column);
            value.map_or_else(String::new, |value| value.number.to_string())
        };
        let budget = row.budget.map_or_else(Default::default, |budget| {
            [
                limit_ms(budget.limit).to_string(),
                budget.frames.to_string(),
                budget.misses.to_string(),
                row.is_over_budget.to_string(),
            ]
        });
        let fields = fields.into_iter().chain(columns.iter().map(number));
        csv.write_record(fields.chain(budget.into_iter().take(of_budgets.len())))?;
    }
    Ok(())
}

pub(crate) fn write_json(report: &Report, mut out: impl Write) -> io::Result<()> {
    let rows = report.rows.iter().map(|row| {
        let (mut values, mut errors) = (Map::new(), Map::new());
        for column in report.shown_columns() {
            if let Some(value) = row.value(column) {
                values.insert(field(column), value.number.into());
                if value.is_sampled() {
                    errors.insert(field(column), value.standard_error.into());
                }
            }
        }
        let mut json = json!({
            "zone": &*row.name,
            "indent": row.indent,
            "idle": row.is_idle,
            "file": row.location.map(|(file, _)| file),
            "line": row.location.map(|(_, line)| line),
            "values": values,
            "errors": errors,
        });
        if let Some(budget) = row.budget {
            json["budget"] = json!({
                "ms": limit_ms(budget.limit),
                "frames": budget.frames,
                "misses": budget.misses,
                "over": row.is_over_budget,
            });
        }
        json
    });
    let rows: Vec<_> = rows.collect();
    let mut json = json!({
        "title": report.title,
        "warnings": report.warnings,
        "mode": report.mode.to_string(),
        "frame_ms": report.frame_ms,
        "rows": rows,
    });
    if let Some(value) = &report.value {
        json["value"] = json!({ "name": &*value.name, "unit": &*value.unit });
    }
    serde_json::to_writer(&mut out, &json)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use iprof_report::{Row, Value};

    fn report() -> Report {
        let mut row = Row::new(
            "a \"b\", c",
            [(ColumnId::P99, 0.125), (ColumnId::Rescued, 3.0)],
        );
        row.set_value(ColumnId::SelfTime, Value::sampled(1.5, 0.25));
        row.location = Some(("a.rs", 7));
        row.indent = 2;
        Report {
            columns: vec![ColumnId::SelfTime, ColumnId::P99, ColumnId::Rescued],
            rows: vec![row, Row::new("none", [])],
            ..Report::default()
        }
    }

    #[test]
    fn field_names_are_unique() {
        let mut names: Vec<String> = ColumnId::ALL.iter().copied().map(field).collect();
        assert!(
            names
                .iter()
                .all(|name| name.is_ascii() && !name.contains(' '))
        );
        names.sort();
        names.dedup();
        assert_eq!(names.len(), ColumnId::ALL.len());
    }

    #[test]
    fn csv_has_all_digits_and_blank_missing_values() {
        let mut out = Vec::new();
        write_csv(&report(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "zone,indent,idle,file,line,self_ms,p99_ms,rescued",
                "\"a \"\"b\"\", c\",2,false,a.rs,7,1.5,0.125,3",
                "none,0,false,,,,,",
            ]
        );
    }

    #[test]
    fn writer_errors_are_returned_unchanged() {
        let report = report();
        let csv = write_csv(&report, &mut [0; 3][..]);
        let json = write_json(&report, &mut [0; 3][..]);
        for full in [csv, json] {
            assert_eq!(full.unwrap_err().kind(), io::ErrorKind::WriteZero);
        }
    }

    #[test]
    fn json_has_values_and_standard_errors() {
        let mut out = Vec::new();
        write_json(&report(), &mut out).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(json["mode"], "self-time");
        let row = &json["rows"][0];
        assert_eq!(
            (&row["zone"], &row["line"]),
            (&"a \"b\", c".into(), &7.into())
        );
        assert_eq!(row["values"]["p99_ms"], 0.125);
        assert_eq!(row["errors"], serde_json::json!({ "self_ms": 0.25 }));
        assert_eq!(json["rows"][1]["values"], serde_json::json!({}));
        assert!(row.get("budget").is_none());
    }

    /// Per-frame values are not times, so they have different field names.
    #[test]
    fn per_frame_values_have_separate_fields() {
        let mut report = report();
        report.columns = vec![ColumnId::ValueP99, ColumnId::P99];
        report.rows[0].set_value(ColumnId::ValueP99, Value::exact(12.0));
        report.value = Some(iprof_process::ValueInfo {
            name: "bodies".into(),
            unit: "body".into(),
            steps: 1,
        });
        let mut csv = Vec::new();
        write_csv(&report, &mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert!(csv.starts_with("zone,indent,idle,file,line,p99_value,p99_ms\n"));
        let mut out = Vec::new();
        write_json(&report, &mut out).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(
            json["value"],
            serde_json::json!({ "name": "bodies", "unit": "body" })
        );
        assert_eq!(json["rows"][0]["values"]["p99_value"], 12.0);
    }

    fn report_with_a_budget() -> Report {
        let mut report = report();
        let mut budget = iprof_process::ZoneBudget::default();
        budget.limit = std::time::Duration::from_micros(2_250);
        (budget.frames, budget.misses) = (9, 4);
        report.rows[0].budget = Some(budget);
        report.rows[0].is_over_budget = true;
        report
    }

    #[test]
    fn csv_includes_budgets_only_if_there_are_any() {
        let mut out = Vec::new();
        write_csv(&report_with_a_budget(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "zone,indent,idle,file,line,self_ms,p99_ms,rescued,budget_ms,budget_frames,budget_misses,over_budget",
                "\"a \"\"b\"\", c\",2,false,a.rs,7,1.5,0.125,3,2.25,9,4,true",
                "none,0,false,,,,,,,,,",
            ]
        );
    }

    #[test]
    fn json_has_budgets_and_their_misses() {
        let mut out = Vec::new();
        write_json(&report_with_a_budget(), &mut out).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let wanted = serde_json::json!({ "ms": 2.25, "frames": 9, "misses": 4, "over": true });
        assert_eq!(json["rows"][0]["budget"], wanted);
        assert!(json["rows"][1].get("budget").is_none());
    }
}
