//! A report as data of C's.

use crate::border::caught;
use crate::budgets::CBudget;
use iprof::{ColumnId, Report, Unit, ValueInfo, ZoneBudget};
use std::borrow::Cow;
use std::ffi::{CString, c_char, c_double, c_float, c_int, c_uint};
use std::ptr;

/// The `iprof_column` of the header.
#[derive(Debug)]
#[repr(C)]
pub struct CColumn {
    id: c_int,
    header: *const c_char,
    unit: *const c_char,
}

/// The `iprof_row` of the header.
#[derive(Debug)]
#[repr(C)]
pub struct CRow {
    name: *const c_char,
    file: *const c_char,
    values: *const c_double,
    errors: *const c_double,
    line: c_uint,
    indent: c_uint,
    flags: c_uint,
    heat: c_float,
    expansion: c_char,
    budget: *const CBudget,
}

/// The `iprof_report` of the header.
#[derive(Debug)]
#[repr(C)]
pub struct CReport {
    title: *const *const c_char,
    title_count: usize,
    warnings: *const *const c_char,
    warning_count: usize,
    columns: *const CColumn,
    column_count: usize,
    rows: *const CRow,
    row_count: usize,
    frame_ms: c_double,
    threads: usize,
}

const CURSOR: c_uint = 1;
const IDLE: c_uint = 2;
const COUNTER: c_uint = 4;
const OWN: c_uint = 8;
const OVER_BUDGET: c_uint = 16;

/// The report, and what its pointers point to. Invariant: nothing in it is changed once it is made.
#[repr(C)]
struct Owned {
    /// First, so that a pointer to it is one to all.
    report: CReport,
    texts: Vec<CString>,
    numbers: Vec<Box<[c_double]>>,
    lists: [Vec<*const c_char>; 2],
    columns: Vec<CColumn>,
    rows: Vec<CRow>,
    /// As many as rows at most, so that they never move.
    budgets: Vec<CBudget>,
}

impl Owned {
    /// A copy of the text, without what C takes for its end.
    fn text(&mut self, text: &str) -> *const c_char {
        let text = CString::new(text.replace('\0', "")).unwrap_or_default();
        let pointer = text.as_ptr();
        self.texts.push(text);
        pointer
    }

    fn budget(&mut self, budget: Option<ZoneBudget>) -> *const CBudget {
        budget.map_or(ptr::null(), |budget| {
            self.budgets.push(CBudget::new(budget));
            self.budgets.last().map_or(ptr::null(), ptr::from_ref)
        })
    }

    fn numbers(&mut self, numbers: impl Iterator<Item = f64>) -> *const c_double {
        let numbers: Box<[f64]> = numbers.collect();
        let pointer = numbers.as_ptr();
        self.numbers.push(numbers);
        pointer
    }
}

/// The columns in the order of the `IPROF_COLUMN_…` of the header, which begin with 1.
pub(crate) const COLUMNS: [ColumnId; 24] = [
    ColumnId::SelfTime,
    ColumnId::HierarchicalTime,
    ColumnId::Count,
    ColumnId::StandardError,
    ColumnId::NetTime,
    ColumnId::GpuTime,
    ColumnId::BaselineCount,
    ColumnId::Difference,
    ColumnId::ByCount,
    ColumnId::ByCost,
    ColumnId::P50,
    ColumnId::P95,
    ColumnId::P99,
    ColumnId::MaxTime,
    ColumnId::Deviation,
    ColumnId::Rescued,
    ColumnId::NamedValue,
    ColumnId::TimePerUnit,
    ColumnId::BaselineValue,
    ColumnId::ValueP50,
    ColumnId::ValueP95,
    ColumnId::ValueP99,
    ColumnId::ValueMax,
    ColumnId::ValueDeviation,
];

/// 0 for a column that the header does not know.
pub(crate) fn column_number(column: ColumnId) -> c_int {
    let at = COLUMNS.iter().position(|known| *known == column);
    at.map_or(0, |at| at as c_int + 1)
}

/// The header of a column for times in milliseconds, and the unit of its numbers; `value` is the report's.
fn header_and_unit(column: ColumnId, value: Option<&ValueInfo>) -> (Cow<'static, str>, &str) {
    if let Some(value) = value {
        let unit = match &*value.unit {
            "" => "unit",
            unit => unit,
        };
        match column {
            ColumnId::NamedValue => return (value.name.to_string().into(), &value.unit),
            ColumnId::BaselineValue => return (format!("base {}", value.name).into(), &value.unit),
            ColumnId::TimePerUnit => return (format!("ms/{unit}").into(), "ms"),
            column if ColumnId::VALUES_PER_FRAME.contains(&column) => {
                let head = column.header().trim_end_matches("value");
                return (format!("{head}{}", value.name).into(), &value.unit);
            }
            _ => {}
        }
    }
    let unit = match column.unit() {
        Unit::Count => "",
        unit => unit.symbol(),
    };
    (column.header().into(), unit)
}

fn owned(report: &Report) -> Box<Owned> {
    let mut owned = Box::new(Owned {
        report: CReport {
            title: ptr::null(),
            title_count: report.title.len(),
            warnings: ptr::null(),
            warning_count: report.warnings.len(),
            columns: ptr::null(),
            column_count: report.columns.len(),
            rows: ptr::null(),
            row_count: report.rows.len(),
            frame_ms: report.frame_ms,
            threads: report.threads,
        },
        texts: Vec::new(),
        numbers: Vec::new(),
        lists: [Vec::new(), Vec::new()],
        columns: Vec::new(),
        rows: Vec::new(),
        budgets: Vec::with_capacity(report.rows.len()),
    });
    for (at, texts) in [&report.title, &report.warnings].into_iter().enumerate() {
        for text in texts {
            let text = owned.text(text);
            owned.lists[at].push(text);
        }
    }
    for column in &report.columns {
        let (header, unit) = header_and_unit(*column, report.value.as_ref());
        let column = CColumn {
            id: column_number(*column),
            header: owned.text(&header),
            unit: owned.text(unit),
        };
        owned.columns.push(column);
    }
    for row in &report.rows {
        let values = report.columns.iter().map(|column| row.value(*column));
        let flag = |holds: bool, flag| if holds { flag } else { 0 };
        let row = CRow {
            name: owned.text(&row.name),
            file: match row.location {
                Some(location) => owned.text(location.file),
                None => ptr::null(),
            },
            values: owned.numbers(
                values
                    .clone()
                    .map(|value| value.map_or(f64::NAN, |value| value.number)),
            ),
            errors: owned
                .numbers(values.map(|value| value.map_or(f64::NAN, |value| value.standard_error))),
            line: row.location.map_or(0, |location| location.line),
            indent: row.indent,
            flags: flag(row.cursor, CURSOR)
                | flag(row.is_idle, IDLE)
                | flag(row.is_counter, COUNTER)
                | flag(row.is_own, OWN)
                | flag(row.is_over_budget, OVER_BUDGET),
            heat: row.heat,
            expansion: row.expansion.as_char() as u8 as c_char,
            budget: owned.budget(row.budget),
        };
        owned.rows.push(row);
    }
    owned.report.title = owned.lists[0].as_ptr();
    owned.report.warnings = owned.lists[1].as_ptr();
    owned.report.columns = owned.columns.as_ptr();
    owned.report.rows = owned.rows.as_ptr();
    owned
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_report_new() -> *const CReport {
    caught(ptr::null(), || {
        Box::into_raw(owned(&crate::views::with_view(|view| view.report())))
            .cast_const()
            .cast::<CReport>()
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `report` is NULL, or [`iprof_report_new`] returned it, and it is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_report_free(report: *const CReport) {
    if !report.is_null() {
        // SAFETY: by the caller's promise it is the beginning of an `Owned` that `iprof_report_new` boxed.
        drop(unsafe { Box::from_raw(report.cast_mut().cast::<Owned>()) });
    }
}
