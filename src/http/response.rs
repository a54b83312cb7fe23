//! Builds the response of each page and of each refusal, with its headers and its body.

use super::body::{Draft, Parts};
use super::limits::Share;
use super::page::CommandLine;
use super::refusal::Refusal;
use crate::about::About;
use crate::process;
use crate::snapshot::Snapshot;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
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
    body: Parts,
}

/// A response, and its shares of the memory budget.
type Made = Result<(Answer, Vec<Share>), Refusal>;

impl Answer {
    fn new(kind: &'static str, body: impl Into<Parts>) -> Answer {
        Answer {
            status: StatusCode::OK,
            kind,
            is_temporary: false,
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
        let name = about.program.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = html_escape::encode_text(name);
        Answer::new(HTML, INDEX.replace("{{program}}", &name).into_bytes())
    }

    pub(super) fn command_line(of: CommandLine) -> Answer {
        let about = About::this_process();
        let words = [&[about.program][..], &about.arguments].concat();
        let text = match of {
            CommandLine::Go => words.join("\0"),
            CommandLine::Gperftools => words.join("\n") + "\n",
        };
        Answer::new(TEXT, text.into_bytes())
    }

    /// The headers of a profile without its body, for HEAD requests.
    pub(super) fn profile_head() -> Answer {
        Answer::new(BINARY, Vec::new())
    }

    /// The profile since the snapshot `begin`.
    pub(super) fn profile(begin: Snapshot, draft: Draft) -> Made {
        let profile = process::snapshot().into_since(&begin);
        drop(begin);
        let (body, shares) = draft.fill(|out| profile.write_pprof(out))?;
        Ok((Answer::new(BINARY, body), shares))
    }

    /// The report; the trees of everything recorded if there are no frames.
    pub(super) fn report(draft: Draft) -> Made {
        let snapshot = process::snapshot();
        let (body, shares) = draft.fill(|out| match snapshot.frames {
            0 => snapshot.write_tree(out),
            _ => process::write_report(out),
        })?;
        Ok((Answer::new(TEXT, body), shares))
    }

    /// Everything recorded, as an HTML page.
    pub(super) fn dump(draft: Draft) -> Made {
        let snapshot = process::snapshot();
        let (body, shares) = draft.fill(|out| snapshot.write_html(out))?;
        Ok((Answer::new(HTML, body), shares))
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
            let name = HeaderValue::from_static("attachment; filename=\"profile.pb.gz\"");
            headers.insert(header::CONTENT_DISPOSITION, name);
        }
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
