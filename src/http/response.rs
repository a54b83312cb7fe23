//! Builds the response of each page and of each refusal, with its headers and its body.

use super::body::{Draft, Parts};
use super::limits::Share;
use super::page::NoPage;
use super::refusal::Refusal;
use crate::about::About;
use crate::export::format::Format;
use crate::process::{self, last_stall};
use crate::snapshot::Snapshot;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use std::io::{self, BufWriter, IntoInnerError, Write};

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const BINARY: &str = "application/octet-stream";

/// Tells Go's tools that the body of an error is text for the user.
const IS_FOR_PPROF: HeaderName = HeaderName::from_static("x-go-pprof");
/// Seconds after which a retry may succeed.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("5");
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD");

#[derive(Debug)]
pub(super) struct Answer {
    status: StatusCode,
    kind: &'static str,
    /// Whether the same request may succeed soon.
    is_temporary: bool,
    /// Of a dump, whose name a browser shows.
    extension: &'static str,
    /// Whether the body is compressed for the transfer.
    is_gzip: bool,
    body: Parts,
}

/// The begin of a profile.
#[derive(Debug)]
pub(super) struct Begin {
    snapshot: Snapshot,
    newest_frame: u64,
}

impl Begin {
    /// The current moment; `None` if there is no memory for a snapshot.
    pub(super) fn now() -> Option<Begin> {
        Some(Begin {
            snapshot: process::try_snapshot()?,
            newest_frame: process::newest_frame(),
        })
    }
}

/// The content type of a file with that extension.
fn kind(extension: &str) -> &'static str {
    match extension {
        ".html" => HTML,
        ".json" | ".speedscope.json" | ".trace.json" => JSON,
        ".pb.gz" | ".pprof" | ".trace.json.gz" => BINARY,
        _ => TEXT,
    }
}

/// A response, and its shares of the memory budget.
type Made = Result<(Answer, Vec<Share>), Refusal>;

impl Answer {
    fn new(kind: &'static str, body: impl Into<Parts>) -> Answer {
        Answer {
            status: StatusCode::OK,
            kind,
            is_temporary: false,
            extension: "",
            is_gzip: false,
            body: body.into(),
        }
    }

    /// A refusal with its reason as text.
    pub(super) fn refusal(why: &Refusal) -> Answer {
        Answer {
            status: why.status(),
            is_temporary: why.is_temporary(),
            ..Answer::new(TEXT, format!("{why}\n").into_bytes())
        }
    }

    /// The page of links to all other pages.
    pub(super) fn index() -> Answer {
        const INDEX: &str = include_str!("index.html");
        let about = About::this_process();
        let name = html_escape::encode_text(about.name());
        Answer::new(HTML, INDEX.replace("{{program}}", &name).into_bytes())
    }

    /// The program and its arguments, separated by NUL, as Go's tools read them.
    pub(super) fn command_line() -> Answer {
        let about = About::this_process();
        let words = [&[about.program][..], &about.arguments].concat();
        Answer::new(TEXT, words.join("\0").into_bytes())
    }

    pub(super) fn stall() -> Answer {
        let stall = last_stall().map(|stall| stall.to_string());
        let text = stall.unwrap_or_else(|| "no stall was detected\n".to_owned());
        Answer::new(TEXT, text.into_bytes())
    }

    /// The headers of a dump without its body, for HEAD requests for a profile, which do not wait.
    pub(super) fn dump_head(extension: &'static str) -> Answer {
        Answer {
            extension,
            ..Answer::new(kind(extension), Vec::new())
        }
    }

    /// The report; the trees of everything recorded if there are no frames.
    pub(super) fn report(is_gzip: bool, draft: Draft) -> Made {
        let snapshot = process::try_snapshot().ok_or(Refusal::OutOfMemory)?;
        Answer::write(TEXT, is_gzip, draft, |out| match snapshot.frames {
            0 => snapshot.write_tree(out),
            _ => process::write_report(out),
        })
    }

    /// Everything recorded, or what was recorded since `begin`, in the format of that extension.
    pub(super) fn dump(
        extension: &'static str,
        begin: Option<Begin>,
        accepts_gzip: bool,
        draft: Draft,
    ) -> Made {
        let (format, _) = Format::of(extension).map_err(NoPage::NoFormat)?;
        let mut first_frame = 0;
        let mut snapshot = process::try_snapshot().ok_or(Refusal::OutOfMemory)?;
        if let Some(begin) = begin {
            snapshot = snapshot.into_since(&begin.snapshot);
            first_frame = begin.newest_frame + 1;
        }
        let kind = kind(extension);
        let is_gzip = accepts_gzip && kind != BINARY;
        let frames = process::frame_snapshots(first_frame..);
        let write = |out: &mut dyn Write| format.write(&snapshot, frames, out);
        let (answer, shares) = Answer::write(kind, is_gzip, draft, write)?;
        let answer = Answer {
            extension,
            ..answer
        };
        Ok((answer, shares))
    }

    /// A body that `write` writes, compressed or not.
    fn write(
        kind: &'static str,
        is_gzip: bool,
        draft: Draft,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Made {
        let (body, shares) = draft.fill(|out| {
            if !is_gzip {
                return write(out);
            }
            // Compression costs a call for each piece, and most formats have many small ones.
            let mut out = BufWriter::new(GzEncoder::new(out, Compression::fast()));
            write(&mut out)?;
            let gzip = out.into_inner().map_err(IntoInnerError::into_error)?;
            gzip.finish().map(drop)
        })?;
        let answer = Answer {
            is_gzip,
            ..Answer::new(kind, body)
        };
        Ok((answer, shares))
    }

    /// Size of the body in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.body.bytes()
    }

    pub(super) fn into_response(self) -> Response<Parts> {
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        // Every response is different.
        let no_store = HeaderValue::from_static("no-store");
        headers.insert(header::CACHE_CONTROL, no_store);
        let nosniff = HeaderValue::from_static("nosniff");
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
        if self.kind == BINARY {
            let name = format!("attachment; filename=\"profile{}\"", self.extension);
            // The extension is one of the exporters', and valid.
            if let Ok(name) = HeaderValue::try_from(name) {
                headers.insert(header::CONTENT_DISPOSITION, name);
            }
        }
        if self.is_gzip {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if self.status != StatusCode::OK {
            headers.insert(IS_FOR_PPROF, HeaderValue::from_static("1"));
        }
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(header::ALLOW, METHODS);
        }
        if self.status == StatusCode::SERVICE_UNAVAILABLE && self.is_temporary {
            headers.insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        response
    }
}
