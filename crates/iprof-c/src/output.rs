//! Text and files: through a function of C's, or by a path.

use crate::border::{Error, IO, NOT_FOUND, NULL, VALUE, caught, code_of, text};
use iprof::{FrameSnapshots, Report, Snapshot};
use std::error::Error as _;
use std::ffi::{c_char, c_int, c_void};
use std::io::{self, Write};

/// The `iprof_write` of the header.
pub type CWrite = Option<
    unsafe extern "C" fn(context: *mut c_void, bytes: *const c_char, length: usize) -> c_int,
>;

/// Writes by a function of C's.
struct Writer {
    write: unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> c_int,
    context: *mut c_void,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: C promised that the function takes this context and any bytes.
        match unsafe { (self.write)(self.context, bytes.as_ptr().cast(), bytes.len()) } {
            0 => Ok(bytes.len()),
            code => Err(io::Error::other(format!(
                "the function that writes returned {code}"
            ))),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Collects what `f` writes, and hands it to C's function in one or a few pieces.
fn write_all(
    write: CWrite,
    context: *mut c_void,
    f: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let write = write.ok_or_else(|| Error::new(NULL, "the function that writes is NULL"))?;
    let mut out = io::BufWriter::new(Writer { write, context });
    f(&mut out)
        .and_then(|()| out.flush())
        .map_err(|error| Error::new(IO, error))
}

fn invalid_format(format: &str, expected: &str) -> Error {
    let said = format!("invalid format \"{format}\"; expected {expected}");
    Error(VALUE, said)
}

/// See `iprof.h`.
///
/// # Safety
///
/// `write` is NULL or may be called with `context` until this function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_write_report(write: CWrite, context: *mut c_void) -> c_int {
    code_of(|| {
        // The host's function may call anything that is about the view.
        let mut text = Vec::new();
        let written = crate::views::with_view(|view| view.write_report(&mut text));
        written.map_err(|error| Error::new(IO, error))?;
        write_all(write, context, |out| out.write_all(&text))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `format` is NULL or a string, `write` is NULL or may be called with `context` until this function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_write_report_as(
    format: *const c_char,
    write: CWrite,
    context: *mut c_void,
) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let format = unsafe { text(format, "format") }?;
        let by: fn(&Report, &mut dyn Write) -> io::Result<()> = match &*format {
            "csv" => |report, out| report.write_csv(out),
            "json" => |report, out| report.write_json(out),
            _ => return Err(invalid_format(&format, "csv or json")),
        };
        let report = crate::views::with_view(|view| view.report());
        write_all(write, context, |out| by(&report, out))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// That of [`iprof_write_report_as`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_frames_write(
    first: u64,
    last: u64,
    format: *const c_char,
    write: CWrite,
    context: *mut c_void,
) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let format = unsafe { text(format, "format") }?;
        let by: fn(FrameSnapshots, &mut dyn Write) -> io::Result<()> = match &*format {
            "trace" => |frames, out| iprof::write_trace_events(frames, out),
            "html" => |frames, out| iprof::snapshot().write_html_with_frames(frames, out),
            _ => return Err(invalid_format(&format, "trace or html")),
        };
        let frames = iprof::frame_snapshots(first..=last);
        if frames.clone().next().is_none() {
            let said = format!("no frame from {first} to {last} is remembered");
            return Err(Error(NOT_FOUND, said));
        }
        write_all(write, context, |out| by(frames, out))
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_snapshot_new() -> *mut Snapshot {
    caught(std::ptr::null_mut(), || {
        Box::into_raw(Box::new(iprof::snapshot()))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `snapshot` is NULL, or `iprof_snapshot_new` or `iprof_snapshot_since` returned it, and it is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_snapshot_free(snapshot: *mut Snapshot) {
    caught((), || {
        if !snapshot.is_null() {
            // SAFETY: the caller's promise.
            drop(unsafe { Box::from_raw(snapshot) });
        }
    });
}

/// The snapshot; a new one for NULL.
///
/// # Safety
///
/// `snapshot` is NULL or a snapshot that is not freed meanwhile.
unsafe fn snapshot_of(snapshot: *const Snapshot) -> std::borrow::Cow<'static, Snapshot> {
    // SAFETY: the caller's promise.
    match unsafe { snapshot.as_ref() } {
        Some(snapshot) => std::borrow::Cow::Borrowed(snapshot),
        None => std::borrow::Cow::Owned(iprof::snapshot()),
    }
}

/// See `iprof.h`.
///
/// # Safety
///
/// Both are NULL or snapshots that are not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_snapshot_since(
    later: *const Snapshot,
    earlier: *const Snapshot,
) -> *mut Snapshot {
    caught(std::ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let later = unsafe { snapshot_of(later) };
        // SAFETY: the caller's promise.
        let since = match unsafe { earlier.as_ref() } {
            Some(earlier) => later.since(earlier),
            None => later.into_owned(),
        };
        Box::into_raw(Box::new(since))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `snapshot` is NULL or a snapshot that is not freed meanwhile, `path` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_snapshot_write_file(
    snapshot: *const Snapshot,
    path: *const c_char,
) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let (path, snapshot) = unsafe { (text(path, "path")?, snapshot_of(snapshot)) };
        snapshot.write_file(&*path).map_err(|error| {
            let code = match error.source() {
                Some(_) => IO,
                None => VALUE,
            };
            let source = error.source().map(|source| format!(": {source}"));
            Error(code, format!("{error}{}", source.unwrap_or_default()))
        })
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `snapshot` is NULL or a snapshot that is not freed meanwhile, `format` is NULL or a string, `write` is NULL or may
/// be called with `context` until this function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_snapshot_write(
    snapshot: *const Snapshot,
    format: *const c_char,
    write: CWrite,
    context: *mut c_void,
) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let (format, snapshot) = unsafe { (text(format, "format")?, snapshot_of(snapshot)) };
        let by: fn(&Snapshot, &mut dyn Write) -> io::Result<()> = match &*format {
            "tree" => |snapshot, out| snapshot.write_tree(out),
            "cycles" => |snapshot, out| snapshot.write_tree_in_cycles(out),
            "folded" => |snapshot, out| snapshot.write_folded(out),
            "callgrind" => |snapshot, out| snapshot.write_callgrind(out),
            "gprof" => |snapshot, out| snapshot.write_gprof(out),
            "html" => |snapshot, out| snapshot.write_html(out),
            "pprof" => |snapshot, out| snapshot.write_pprof(out),
            "speedscope" => |snapshot, out| snapshot.write_speedscope(out),
            "json" => |snapshot, out| snapshot.write_json(out),
            "csv" => |snapshot, out| snapshot.write_csv(out),
            _ => {
                let known =
                    "tree, cycles, folded, callgrind, gprof, html, pprof, speedscope, json or csv";
                return Err(invalid_format(&format, known));
            }
        };
        write_all(write, context, |out| by(&snapshot, out))
    })
}
