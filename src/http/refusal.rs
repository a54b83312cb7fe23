//! Why a page is not answered with itself.

use super::limits::MEMORY_KIB;
use super::page::NoPage;
use super::size::Size;
use hyper::StatusCode;
use std::fmt;

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Refusal {
    /// It names another machine.
    AnotherHost,
    NoPage(NoPage),
    Method,
    /// Too many answers are being made.
    Busy,
    TooManyReaders,
    /// Answers that were not taken yet have the memory.
    NoMemory,
    /// A program of that size is more than there may ever be memory for.
    TooLarge(Size),
    /// The program can have no memory.
    OutOfMemory,
    /// It took too long to make.
    TooSlow,
    /// A writer has panicked.
    Failed,
}

impl Refusal {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Refusal::AnotherHost => StatusCode::FORBIDDEN,
            Refusal::NoPage(NoPage::NotFound) => StatusCode::NOT_FOUND,
            Refusal::NoPage(_) => StatusCode::BAD_REQUEST,
            Refusal::Method => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::Busy
            | Refusal::TooManyReaders
            | Refusal::NoMemory
            | Refusal::TooLarge(_)
            | Refusal::OutOfMemory
            | Refusal::TooSlow => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Whether the same request may be answered soon.
    pub(super) fn is_for_now(&self) -> bool {
        !matches!(self, Refusal::TooLarge(_) | Refusal::TooSlow)
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
            Refusal::AnotherHost => {
                f.write_str("this endpoint answers to localhost and 127.0.0.1 only")
            }
            Refusal::NoPage(why) => why.fmt(f),
            Refusal::Method => f.write_str("only GET and HEAD are possible"),
            Refusal::Busy => f.write_str("too many answers are being written; try again later"),
            Refusal::TooManyReaders => {
                f.write_str("too many requests wait for a profile; try again later")
            }
            Refusal::NoMemory => write!(
                f,
                "all {mib} MiB that answers may take are in use; try again later"
            ),
            Refusal::TooLarge(size) => write!(
                f,
                "the program has recorded {} call paths of {} zones, too many for the {mib} MiB that \
                 answers may take; have it write a file instead (IPROF_PROFILE)",
                size.nodes, size.zones
            ),
            Refusal::OutOfMemory => f.write_str("the program is out of memory; try again later"),
            Refusal::TooSlow => f.write_str(
                "writing this takes too long; have the program write a file instead (IPROF_PROFILE)",
            ),
            Refusal::Failed => f.write_str("this could not be written"),
        }
    }
}
