//! Fuzzing entry point: parses one HTTP request, checks its `Host` header, responds with a fixed text,
//! and returns the page that the request asks for.

use super::host_header;
use super::page::Page;
use hyper::body::Incoming;
use hyper::rt::{Read, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use std::cell::Cell;
use std::convert::Infallible;
use std::pin::pin;
use std::task::{Context, Waker};

/// The result of parsing a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asked {
    /// No page, or a refused host.
    Nothing,
    /// A profile of that duration.
    Profile { seconds: f64 },
    /// Any other page.
    Page,
}

/// Maximum size of a request.
const REQUEST_BYTES: usize = 16 << 10;
/// More polls than a connection that never waits can need.
const MOST_POLLS: u32 = 10_000;

/// Serves a connection that never waits, and returns what its request asks for. With `is_local`, the
/// request must name the loopback interface.
pub(crate) fn ask(connection: impl Read + Write + Unpin, is_local: bool) -> Option<Asked> {
    let asked = Cell::new(None);
    let respond = service_fn(|request: Request<Incoming>| {
        let (answer, status) = match Page::of(request.uri()) {
            _ if is_local && !host_header::is_loopback(&request) => {
                (Asked::Nothing, StatusCode::FORBIDDEN)
            }
            Err(_) => (Asked::Nothing, StatusCode::NOT_FOUND),
            Ok(Page::Profile { time }) => {
                let seconds = time.as_secs_f64();
                (Asked::Profile { seconds }, StatusCode::OK)
            }
            Ok(_) => (Asked::Page, StatusCode::OK),
        };
        asked.set(Some(answer));
        let mut response = Response::new(String::from("answer"));
        *response.status_mut() = status;
        async { Ok::<_, Infallible>(response) }
    });
    let mut server = http1::Builder::new();
    server.keep_alive(false).max_buf_size(REQUEST_BYTES);
    let mut served = pin!(server.serve_connection(connection, respond));
    let mut context = Context::from_waker(Waker::noop());
    let mut polls = 0;
    while served.as_mut().poll(&mut context).is_pending() {
        polls += 1;
        assert!(
            polls < MOST_POLLS,
            "the server waits although all input has been read"
        );
    }
    asked.get()
}
