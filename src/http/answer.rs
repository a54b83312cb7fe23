//! What a client gets.

use super::page::CommandLine;
use crate::about::About;
use crate::process;
use crate::snapshot::Snapshot;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use std::io;

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const BINARY: &str = "application/octet-stream";

/// By this, Go's tools know that the text of an error is meant to be read.
const IS_FOR_PPROF: HeaderName = HeaderName::from_static("x-go-pprof");
/// So many seconds later there may be a place.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("5");
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD");

#[derive(Debug)]
pub(super) struct Answer {
    status: StatusCode,
    kind: &'static str,
    body: Vec<u8>,
}

impl Answer {
    fn new(kind: &'static str, body: Vec<u8>) -> Answer {
        Answer {
            status: StatusCode::OK,
            kind,
            body,
        }
    }

    /// There is nothing else to say than why.
    pub(super) fn error(status: StatusCode, why: &str) -> Answer {
        Answer {
            status,
            ..Answer::new(TEXT, format!("{why}\n").into())
        }
    }

    /// Links to all there is.
    pub(super) fn index() -> Answer {
        const INDEX: &str = include_str!("index.html");
        let about = About::this_process();
        let name = about.program.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = html_escape::encode_text(name);
        Answer::new(HTML, INDEX.replace("{{program}}", &name).into())
    }

    pub(super) fn command_line(of: CommandLine) -> Answer {
        let about = About::this_process();
        let words = [&[about.program][..], &about.arguments].concat();
        let text = match of {
            CommandLine::Go => words.join("\0"),
            CommandLine::Gperftools => words.join("\n") + "\n",
        };
        Answer::new(TEXT, text.into())
    }

    /// Says what is in a profile, without one.
    pub(super) fn profile_head() -> Answer {
        Answer::new(BINARY, Vec::new())
    }

    /// What was recorded since a snapshot.
    pub(super) fn profile(begin: &Snapshot) -> io::Result<Answer> {
        let mut body = Vec::new();
        process::snapshot().since(begin).write_pprof(&mut body)?;
        Ok(Answer::new(BINARY, body))
    }

    /// What frames took; without any, all that was recorded.
    pub(super) fn report() -> io::Result<Answer> {
        let mut body = Vec::new();
        let snapshot = process::snapshot();
        if snapshot.frames > 0 {
            process::write_report(&mut body)?;
        } else {
            snapshot.write_tree(&mut body)?;
        }
        Ok(Answer::new(TEXT, body))
    }

    /// All that was recorded, on a page.
    pub(super) fn dump() -> io::Result<Answer> {
        let mut body = Vec::new();
        process::snapshot().write_html(&mut body)?;
        Ok(Answer::new(HTML, body))
    }

    /// Bytes, without the head's.
    pub(super) fn bytes(&self) -> usize {
        self.body.len()
    }

    pub(super) fn into_response(self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::from(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        // It is different each time.
        let no_store = HeaderValue::from_static("no-store");
        headers.insert(header::CACHE_CONTROL, no_store);
        let nosniff = HeaderValue::from_static("nosniff");
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
        if self.kind == BINARY {
            let name = HeaderValue::from_static("attachment; filename=\"profile.pb.gz\"");
            headers.insert(header::CONTENT_DISPOSITION, name);
        }
        if self.status != StatusCode::OK {
            headers.insert(IS_FOR_PPROF, HeaderValue::from_static("1"));
        }
        match self.status {
            StatusCode::METHOD_NOT_ALLOWED => headers.insert(header::ALLOW, METHODS),
            StatusCode::SERVICE_UNAVAILABLE => headers.insert(header::RETRY_AFTER, RETRY_AFTER),
            _ => None,
        };
        response
    }
}
