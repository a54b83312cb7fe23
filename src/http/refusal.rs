//! Reasons for refusing a request, with their HTTP status and text.

use super::limits::MEMORY_KIB;
use super::memory_estimate::Size;
use super::page::NoPage;
use hyper::StatusCode;
use std::fmt;

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Refusal {
    /// The `Host` header does not name the loopback interface.
    AnotherHost,
    NoPage(NoPage),
    Method,
    /// Both writer threads stay busy.
    Busy,
    TooManyReaders,
    /// Other responses use all of the memory budget.
    NoMemory,
    /// The program has recorded more than the memory budget can ever hold.
    TooLarge(Size),
    /// The response takes more than the memory budget, even if no other one uses any of it.
    TooLong,
    /// The allocator has no memory left.
    OutOfMemory,
    /// Writing the response took too long.
    TooSlow,
    /// The exporter failed or panicked.
    Failed,
}

impl Refusal {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Refusal::AnotherHost => StatusCode::FORBIDDEN,
            Refusal::NoPage(NoPage::NotFound | NoPage::NoFormat(_)) => StatusCode::NOT_FOUND,
            Refusal::NoPage(_) => StatusCode::BAD_REQUEST,
            Refusal::Method => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::Busy
            | Refusal::TooManyReaders
            | Refusal::NoMemory
            | Refusal::TooLarge(_)
            | Refusal::TooLong
            | Refusal::OutOfMemory
            | Refusal::TooSlow => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Whether the same request may succeed soon.
    pub(super) fn is_temporary(&self) -> bool {
        !matches!(
            self,
            Refusal::TooLarge(_) | Refusal::TooLong | Refusal::TooSlow
        )
    }
}

impl From<NoPage> for Refusal {
    fn from(why: NoPage) -> Refusal {
        Refusal::NoPage(why)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = MEMORY_KIB >> 10;
        match self {
            Refusal::AnotherHost => f.write_str("host not allowed; use localhost or 127.0.0.1"),
            Refusal::NoPage(why) => why.fmt(f),
            Refusal::Method => f.write_str("method not allowed; use GET or HEAD"),
            Refusal::Busy => f.write_str("too many responses are being written; try again later"),
            Refusal::TooManyReaders => {
                f.write_str("too many requests are waiting for a profile; try again later")
            }
            Refusal::NoMemory => write!(
                f,
                "all {mib} MiB of response memory are in use; try again later"
            ),
            Refusal::TooLarge(size) => write!(
                f,
                "the program has recorded {} call stacks of {} zones, too many for {mib} MiB of \
                 response memory; write a file instead (set IPROF_PROFILE)",
                size.nodes, size.zones
            ),
            Refusal::TooLong => write!(
                f,
                "the response is longer than the {mib} MiB of memory for responses; write a file instead (set \
                 IPROF_PROFILE), or accept gzip"
            ),
            Refusal::OutOfMemory => f.write_str("the program is out of memory; try again later"),
            Refusal::TooSlow => f.write_str(
                "timed out writing the response; write a file instead (set IPROF_PROFILE)",
            ),
            Refusal::Failed => f.write_str("internal error: the response could not be written"),
        }
    }
}
