//! Runs `go tool pprof` and reads its output.

use crate::program::output_of;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs `go tool pprof` on files or URLs. Returns `None` if Go is not installed.
pub(crate) fn pprof(options: &[&str], files: &[&Path]) -> Option<String> {
    let mut command = go();
    output_of(command.args(["tool", "pprof"]).args(options).args(files))
}

fn go() -> Command {
    let mut command = Command::new("go");
    // Keeps Go from looking for a newer version of itself.
    command
        .env("GOTOOLCHAIN", "local")
        .env("GOFLAGS", "-mod=mod")
        // pprof stores fetched profiles in this folder.
        .env("PPROF_TMPDIR", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// Returns each function's flat and cumulative values.
pub(crate) fn rows(text: &str) -> BTreeMap<String, (i64, i64)> {
    // The columns are flat, flat%, sum%, cum, cum%, name.
    let rows = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().take(5).collect();
        let [own, share, sum, all, _] = words[..] else {
            return None;
        };
        if !(share.ends_with('%') && sum.ends_with('%')) {
            return None;
        }
        // The name may contain spaces.
        let (_, name) = line.rsplit_once("%  ")?;
        Some((name.to_owned(), (number(own)?, number(all)?)))
    });
    rows.collect()
}

/// Parses `12ns`, `12B`, or a count.
fn number(word: &str) -> Option<i64> {
    word.trim_end_matches("ns")
        .trim_end_matches('B')
        .parse()
        .ok()
}

/// The options for listing all functions, with times in nanoseconds.
pub(crate) const TOP: [&str; 4] = ["-top", "-nodecount=1000", "-nodefraction=0", "-unit=ns"];

/// Returns a page from pprof's web server, or `None` if Go is not installed.
pub(crate) fn page(file: &Path, path: &str) -> Option<String> {
    pprof(&["-top"], &[file])?;
    // Let the OS pick a free port; the listener is dropped so that pprof can bind to it.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    // `go tool` would start pprof as a child process, and killing `go` would leave that process running.
    let tool = output_of(go().args(["tool", "-n", "pprof"]))?;
    let mut command = Command::new(tool.trim());
    command.args(["-no_browser", &format!("-http=127.0.0.1:{port}")]);
    let mut server = Server(command.arg(file).stderr(Stdio::null()).spawn().unwrap());
    let start = Instant::now();
    loop {
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
            let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            let mut page = String::new();
            stream.read_to_string(&mut page).unwrap();
            return Some(page);
        }
        assert_eq!(server.0.try_wait().unwrap(), None, "the server has exited");
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the server does not accept connections"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
