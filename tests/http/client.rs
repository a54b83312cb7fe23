//! A minimal HTTP client for the endpoint's tests.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The time limit for a response, even on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// The headers by lowercase name.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the body is not UTF-8")
    }

    pub(crate) fn read(answer: &[u8]) -> Option<Reply> {
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
        let mut lines = std::str::from_utf8(&answer[..end]).ok()?.split("\r\n");
        let status = lines
            .next()?
            .strip_prefix("HTTP/1.")?
            .split_once(' ')?
            .1
            .get(..3)?;
        let header = |line: &str| {
            let (name, value) = line.split_once(": ")?;
            Some((name.to_ascii_lowercase(), value.to_owned()))
        };
        Some(Reply {
            status: status.parse().ok()?,
            headers: lines.map(header).collect::<Option<_>>()?,
            body: answer[end + 4..].to_vec(),
        })
    }
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream =
        TcpStream::connect_timeout(&address, LIMIT).expect("failed to connect to the endpoint");
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream.set_write_timeout(Some(LIMIT)).unwrap();
    stream
}

/// Reads the response until the connection ends.
pub(crate) fn send(address: SocketAddr, request: &[u8]) -> io::Result<Reply> {
    let mut stream = connect(address);
    stream.write_all(request)?;
    read(&mut stream)
}

pub(crate) fn read(stream: &mut TcpStream) -> io::Result<Reply> {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let no_reply = || io::Error::other(String::from_utf8_lossy(&answer).into_owned());
    Reply::read(&answer).ok_or_else(no_reply)
}

pub(crate) fn request(method: &str, path: &str, host: &str) -> Vec<u8> {
    format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes()
}

pub(crate) fn request_reply(address: SocketAddr, method: &str, path: &str) -> Reply {
    let request = request(method, path, &address.to_string());
    send(address, &request).expect("no response")
}

pub(crate) fn get_with(address: SocketAddr, path: &str, header: &str) -> Reply {
    let mut request = request("GET", path, &address.to_string());
    request.truncate(request.len() - 2);
    request.extend(format!("{header}\r\n\r\n").bytes());
    send(address, &request).expect("no response")
}

pub(crate) fn get(address: SocketAddr, path: &str) -> Reply {
    request_reply(address, "GET", path)
}
