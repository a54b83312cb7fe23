//! Fuzz target: HTTP requests, parsed by the endpoint's server.

use crate::http::Asked;
use hyper::rt::{Read, ReadBufCursor, Write};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Lets the server read the bytes in two portions, as from a connection. The server chooses the response
/// and writes a short stand-in.
///
/// # Panics
///
/// If the server panics, or writes something that is not an HTTP response.
pub fn http(input: &[u8]) {
    let (first, sent) = match input.split_first() {
        Some((first, sent)) => (*first, sent),
        None => (0, input),
    };
    let (at_first, later) = sent.split_at(usize::from(first >> 1).min(sent.len()));
    let mut written = Vec::new();
    let connection = Connection {
        portions: vec![later, at_first],
        written: &mut written,
    };
    let asked = crate::http::ask(connection, first & 1 == 1);
    if !written.is_empty() {
        assert!(written.starts_with(b"HTTP/1."), "{written:?}");
    }
    if let Some(Asked::Profile { seconds }) = asked {
        assert!((0.1..=3600.0).contains(&seconds), "{seconds}");
    }
}

/// A client that has sent everything, and reads any response.
struct Connection<'a> {
    /// In reverse order.
    portions: Vec<&'a [u8]>,
    written: &'a mut Vec<u8>,
}

impl Read for Connection<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        mut room: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        while let Some(portion) = self.portions.pop() {
            if portion.is_empty() {
                continue;
            }
            let (now, later) = portion.split_at(portion.len().min(room.remaining()));
            room.put_slice(now);
            self.portions.push(later);
            break;
        }
        Poll::Ready(Ok(()))
    }
}

impl Write for Connection<'_> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.written.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
