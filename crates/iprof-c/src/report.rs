//! The report as rows and as text, and the recorded profile as text and as a file.

use crate::{Error, ErrorCode, IO, NULL, VALUE, c_string, code_of, text};
use iprof::{ColumnId, Format, Report, Row};
use std::error::Error as _;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::io::{self, Write};

/// The header's `iprof_row`.
#[derive(Debug)]
#[repr(C)]
pub struct CRow {
    name: *const c_char,
    file: *const c_char,
    line: c_uint,
    indent: c_uint,
    flags: c_uint,
    heat: f32,
    self_ms: f64,
    hierarchical_ms: f64,
    count: f64,
    gpu_ms: f64,
    value: f64,
    marker: c_char,
}

/// The header's `iprof_each_row`.
pub type CEachRow = Option<unsafe extern "C" fn(context: *mut c_void, row: *const CRow)>;

/// Calls `each` with the row in C's layout. The texts are valid only during the call.
fn with_c_row(row: &Row, each: impl FnOnce(&CRow)) {
    let name = c_string(&row.name);
    let file = row.location.map(|(file, _)| c_string(file));
    let number = |column| row.value(column).map_or(f64::NAN, |value| value.number);
    let flags = [
        row.cursor,
        row.is_idle,
        row.is_counter,
        row.is_own,
        row.is_over_budget,
    ];
    let flags = flags.iter().enumerate();
    each(&CRow {
        name: name.as_ptr(),
        file: file.as_ref().map_or(std::ptr::null(), |file| file.as_ptr()),
        line: row.location.map_or(0, |(_, line)| line),
        indent: row.indent,
        flags: flags.map(|(bit, holds)| c_uint::from(*holds) << bit).sum(),
        heat: row.heat,
        self_ms: number(ColumnId::SelfTime),
        hierarchical_ms: number(ColumnId::HierarchicalTime),
        count: number(ColumnId::Count),
        gpu_ms: number(ColumnId::GpuTime),
        value: number(ColumnId::NamedValue),
        marker: row.expansion.as_char() as u8 as c_char,
    });
}

/// See `iprof.h`.
///
/// # Safety
///
/// `each` is NULL or may be called with `context` until this function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_report_rows(each: CEachRow, context: *mut c_void) -> ErrorCode {
    code_of(|| {
        let each = each.ok_or_else(|| Error::new(NULL, "the row function is NULL"))?;
        let report: Report = iprof::report();
        for row in &report.rows {
            // SAFETY: the caller guarantees this.
            with_c_row(row, |row| unsafe { each(context, row) });
        }
        Ok(())
    })
}

/// The header's `iprof_write`.
pub type CWrite = Option<
    unsafe extern "C" fn(context: *mut c_void, bytes: *const c_char, length: usize) -> c_int,
>;

struct Writer {
    write: unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> c_int,
    context: *mut c_void,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: the host guarantees that the function accepts this context and any bytes.
        match unsafe { (self.write)(self.context, bytes.as_ptr().cast(), bytes.len()) } {
            0 => Ok(bytes.len()),
            code => Err(io::Error::other(format!(
                "the write function returned {code}"
            ))),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Passes everything that `f` writes to the C function, buffered into larger chunks.
fn write_all(
    write: CWrite,
    context: *mut c_void,
    f: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let write = write.ok_or_else(|| Error::new(NULL, "the write function is NULL"))?;
    let mut out = io::BufWriter::new(Writer { write, context });
    f(&mut out)
        .and_then(|()| out.flush())
        .map_err(|error| Error::new(IO, error))
}

/// See `iprof.h`.
///
/// # Safety
///
/// `write` is NULL or may be called with `context` until this function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_write_report(write: CWrite, context: *mut c_void) -> ErrorCode {
    code_of(|| {
        // Write the report to memory first, because the C function may call functions that use the view.
        let mut text = Vec::new();
        iprof::write_report(&mut text).map_err(|error| Error::new(IO, error))?;
        write_all(write, context, |out| out.write_all(&text))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `path` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_write_file(path: *const c_char) -> ErrorCode {
    code_of(|| {
        // SAFETY: the caller guarantees this.
        let path = unsafe { text(path, "path") }?;
        iprof::write_file(&*path, &iprof::snapshot()).map_err(|error| {
            // If the error has no source, the format is unknown.
            match error.source() {
                Some(source) => Error(IO, format!("{error}: {source}")),
                None => Error::new(VALUE, error),
            }
        })
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `format` is NULL or a string. `write` is NULL or may be called with `context` until this function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_write_profile(
    format: *const c_char,
    write: CWrite,
    context: *mut c_void,
) -> ErrorCode {
    code_of(|| {
        // SAFETY: the caller guarantees this.
        let format = unsafe { text(format, "format") }?;
        let format: Format = format.parse().map_err(|error| Error::new(VALUE, error))?;
        write_all(write, context, |out| format.write(&iprof::snapshot(), out))
    })
}
