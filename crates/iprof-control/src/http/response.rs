//! Builds the responses for all pages and refusals.
//!
//! A response is complete before its first byte is sent. So a slow client doesn't keep a writer thread busy, and an
//! error results in an error status instead of a truncated body.

use crate::RunningProgram;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use iprof_export::Format;
use iprof_process::{About, Snapshot};
use std::convert::Infallible;
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const BINARY: &str = "application/octet-stream";

/// The header that makes Go's tools show an error's body to the user.
const IS_FOR_PPROF: HeaderName = HeaderName::from_static("x-go-pprof");
/// The maximum size of a body as sent, after compression.
const BODY_MIB: usize = 64;
const PIECE_BYTES: usize = 64 << 10;

pub(super) type Answer = Response<Pieces>;

/// The reason for refusing a request: a status and a message for the user.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) why: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, why: impl ToString) -> Refusal {
        let why = why.to_string();
        Refusal { status, why }
    }

    /// Returns the refusal to send if an exporter failed or panicked.
    pub(super) fn failed() -> Refusal {
        let why = "internal error: the response could not be written";
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, why)
    }

    pub(super) fn into_answer(self) -> Answer {
        let mut answer = answer(TEXT, format!("{}\n", self.why));
        *answer.status_mut() = self.status;
        let headers = answer.headers_mut();
        headers.insert(IS_FOR_PPROF, HeaderValue::from_static("1"));
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        }
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
        }
        answer
    }
}

/// Builds a response with the headers common to all responses.
fn answer(kind: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Pieces(body.into()));
    let headers = answer.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        // Every response is different, so caching would be wrong.
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::VARY, "accept-encoding"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

pub(super) fn index() -> Answer {
    const INDEX: &str = include_str!("index.html");
    let about = About::this_process();
    let name = html_escape::encode_text(about.name());
    answer(HTML, INDEX.replace("{{program}}", &name))
}

/// Returns the program and its arguments separated by NUL, as Go's tools expect.
pub(super) fn command_line() -> Answer {
    let about = About::this_process();
    let words = [&[about.program][..], &about.arguments].concat();
    answer(TEXT, words.join("\0"))
}

pub(super) fn stall(program: &RunningProgram) -> Answer {
    let stall = (program.last_stall)();
    answer(TEXT, stall.unwrap_or("no stall was detected\n".to_owned()))
}

/// Returns the report or, if there are no frames, the call trees of everything recorded.
pub(super) fn report(program: &RunningProgram, accepts_gzip: bool) -> Result<Answer, Refusal> {
    let snapshot = (program.snapshot)();
    write(TEXT, accepts_gzip, |out| match snapshot.frames {
        0 => Format::Tree.write(&snapshot, out),
        _ => (program.write_report)(out),
    })
}

/// The state at the start of a profile.
#[derive(Debug)]
pub(super) struct ProfileStart {
    snapshot: Snapshot,
    newest_frame: u64,
}

impl ProfileStart {
    pub(super) fn now(program: &RunningProgram) -> ProfileStart {
        ProfileStart {
            snapshot: (program.snapshot)(),
            newest_frame: (program.newest_frame)(),
        }
    }
}

/// Returns everything recorded, or only the data recorded since `begin`, in the given format.
pub(super) fn dump(
    program: &RunningProgram,
    format: Format,
    begin: Option<ProfileStart>,
    accepts_gzip: bool,
) -> Result<Answer, Refusal> {
    let mut first_frame = 0;
    let mut snapshot = (program.snapshot)();
    if let Some(begin) = begin {
        snapshot = snapshot.into_since(&begin.snapshot);
        first_frame = begin.newest_frame + 1;
    }
    let frames = (program.frame_snapshots)(first_frame..u64::MAX);
    let answer = write(kind(format), accepts_gzip, |out| {
        format.write_with_frames(&snapshot, frames, out)
    })?;
    Ok(named(answer, format))
}

/// Returns the response to a HEAD request for a profile, without waiting for the profile.
pub(super) fn dump_head(format: Format) -> Answer {
    named(answer(kind(format), ""), format)
}

fn kind(format: Format) -> &'static str {
    match format {
        Format::Html => HTML,
        Format::Json | Format::Speedscope | Format::TraceEvents => JSON,
        Format::Pprof | Format::TraceEventsGzip => BINARY,
        _ => TEXT,
    }
}

/// For binary files, adds the name under which a browser saves the file.
fn named(mut answer: Answer, format: Format) -> Answer {
    if kind(format) == BINARY {
        let name = format!("attachment; filename=\"profile{}\"", format.extension());
        // The extension comes from an exporter, so it is always a valid header value.
        let name = HeaderValue::try_from(name).ok();
        let headers = answer.headers_mut();
        headers.extend(name.map(|name| (header::CONTENT_DISPOSITION, name)));
    }
    answer
}

/// Builds a response whose body is written by `write`. The body is compressed if the client accepts gzip, except for
/// binary files, which are already compressed.
fn write(
    kind: &'static str,
    accepts_gzip: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Answer, Refusal> {
    let is_gzip = accepts_gzip && kind != BINARY;
    let mut body = Draft::default();
    let result = if is_gzip {
        // Most formats write many small pieces, and each call to the compressor has a cost.
        let mut out = BufWriter::new(GzEncoder::new(&mut body, Compression::fast()));
        write(&mut out)
            .and_then(|()| out.into_inner().map_err(IntoInnerError::into_error))
            .and_then(|gzip| gzip.finish().map(drop))
    } else {
        write(&mut body)
    };
    if body.is_too_long {
        let why = format!(
            "the response is longer than {BODY_MIB} MiB; accept gzip, or write a file instead (set IPROF_PROFILE)"
        );
        return Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, why));
    }
    result.map_err(|_| Refusal::failed())?;
    let mut answer = answer(kind, body.bytes);
    if is_gzip {
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(answer)
}

/// A body being written, with limited size.
#[derive(Debug, Default)]
struct Draft {
    bytes: Vec<u8>,
    is_too_long: bool,
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > BODY_MIB << 20 {
            self.is_too_long = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A body sent in pieces. hyper copies each piece into its buffer, so sending the body as one piece would copy all of
/// it.
#[derive(Debug)]
pub(super) struct Pieces(Bytes);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = self.0.len().min(PIECE_BYTES);
        let piece = self.0.split_to(bytes);
        Poll::Ready((bytes > 0).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlong_bodies_are_refused() {
        let piece = vec![b'x'; 1 << 20];
        let body = |mib: usize| {
            write(TEXT, false, |out| {
                (0..mib).try_for_each(|_| out.write_all(&piece))
            })
        };
        assert!(body(BODY_MIB).is_ok());
        let refusal = body(BODY_MIB + 1).unwrap_err();
        assert!(refusal.why.contains("longer than 64 MiB"), "{refusal:?}");
    }

    #[test]
    fn exporter_failure_is_an_internal_error() {
        let failed = write(TEXT, true, |_| Err(io::ErrorKind::Other.into()));
        assert_eq!(failed.unwrap_err(), Refusal::failed());
    }
}
