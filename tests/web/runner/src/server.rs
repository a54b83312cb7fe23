//! An HTTP server that serves a folder to the browser and receives test results.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

pub(crate) struct Server {
    port: u16,
    results: Receiver<String>,
}

impl Server {
    /// Serves `folder` until the program ends. Port 0 selects any free port.
    pub(crate) fn new(folder: &Path, port: u16) -> io::Result<Server> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let port = listener.local_addr()?.port();
        let (result, results) = mpsc::channel();
        let folder = folder.to_owned();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (folder, result) = (folder.clone(), result.clone());
                thread::spawn(move || answer(stream, folder, result));
            }
        });
        Ok(Server { port, results })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Waits for the page's result. Returns `None` if no result arrives before the deadline.
    pub(crate) fn wait_for_result(&self, deadline: Duration) -> Option<String> {
        self.results.recv_timeout(deadline).ok()
    }
}

/// Responds to a request. Returns early if the client closes the connection.
fn answer(stream: TcpStream, folder: PathBuf, result: Sender<String>) -> Option<()> {
    let mut input = BufReader::new(&stream);
    let mut first = String::new();
    input.read_line(&mut first).ok()?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        input.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let path = first.split_whitespace().nth(1)?;
    let path = path.split('?').next()?;
    if first.starts_with("POST /result ") {
        let mut text = vec![0; length];
        input.read_exact(&mut text).ok()?;
        let _ = result.send(String::from_utf8_lossy(&text).into_owned());
        return send(&stream, "200 OK", "text/plain", b"");
    }
    let path = match path {
        "/" => "index.html",
        path => path.trim_start_matches('/'),
    };
    let kind = match path.rsplit_once('.') {
        Some((_, "html")) => "text/html",
        Some((_, "js")) => "text/javascript",
        Some((_, "wasm")) => "application/wasm",
        _ => "text/plain",
    };
    // Only files inside the folder are served.
    let file = match path.split('/').any(|part| part == "..") {
        true => None,
        false => fs::read(folder.join(path)).ok(),
    };
    match file {
        Some(file) => send(&stream, "200 OK", kind, &file),
        None => send(&stream, "404 Not Found", kind, b""),
    }
}

fn send(mut stream: &TcpStream, status: &str, kind: &str, body: &[u8]) -> Option<()> {
    let length = body.len();
    // `no-store` makes the browser reload a page after it was rebuilt.
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    .ok()?;
    stream.write_all(body).ok()
}
