//! Tests that slow, stuck, malformed or numerous clients do not delay other clients, up to the endpoint's limits.

use crate::client::{Reply, connect, get, read, request, send};
use crate::work::alone;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit for a client to send its request.
const HEADER_TIME: Duration = Duration::from_secs(5);
/// The maximum number of clients served at the same time.
const CONNECTIONS: usize = 32;

/// Records sixty thousand call stacks, so that their page is larger than the system's buffers.
fn many_stacks() {
    fn call(levels: u32) {
        if levels > 0 {
            {
                iprof::zone!(left);
                call(levels - 1);
            }
            iprof::zone!(right);
            call(levels - 1);
        }
    }
    // The next thread with the same name reuses the previous thread's call stacks.
    let thread = thread::Builder::new().name("stacks".into());
    thread.spawn(|| call(15)).unwrap().join().unwrap();
}

/// Returns how long the server waits for the rest of the request.
fn kept_open(mut stream: TcpStream, sent: &[u8]) -> Duration {
    let start = Instant::now();
    stream.write_all(sent).unwrap();
    let _ = stream.read_to_end(&mut Vec::new());
    start.elapsed()
}

#[test]
fn slow_headers_time_out() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let address = server.address();
    thread::scope(|scope| {
        let texts = [&b""[..], b"GET /report HT", b"GET / HTTP/1.1\r\nHost: a"];
        let silent: Vec<_> = (0..CONNECTIONS - 1)
            .map(|at| {
                let stream = connect(address);
                scope.spawn(move || kept_open(stream, texts[at % texts.len()]))
            })
            .collect();
        // One connection is still free, so this client must not wait for the silent clients.
        let start = Instant::now();
        assert_eq!(get(address, "/report").status, 200);
        let waited = start.elapsed();
        assert!(waited < HEADER_TIME, "{waited:?}");
        for client in silent {
            let kept = client.join().unwrap();
            assert!(kept > HEADER_TIME.mul_f64(0.99), "{kept:?}");
            assert!(kept < 3 * HEADER_TIME, "{kept:?}");
        }
    });
}

#[test]
fn too_many_connections_are_refused() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let address = server.address();
    let silent: Vec<_> = (0..CONNECTIONS).map(|_| connect(address)).collect();
    for _ in 0..10 {
        let refused = get(address, "/report");
        assert_eq!(refused.status, 503);
        assert_eq!(refused.headers["retry-after"], "5");
        assert_eq!(refused.text(), "too many connections; try again later\n");
    }
    // Silent clients may even occupy all connections that are reserved for refusals. A new client is then served after
    // the deadline.
    let more: Vec<_> = (0..CONNECTIONS).map(|_| connect(address)).collect();
    let start = Instant::now();
    while get(address, "/report").status == 503 {
        thread::sleep(Duration::from_millis(100));
        let waited = start.elapsed();
        assert!(waited < 6 * HEADER_TIME, "{waited:?}");
    }
    drop((silent, more));
}

#[test]
fn slow_readers_get_everything_and_delay_no_one() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let address = server.address();
    many_stacks();
    let mut slow: Vec<_> = (0..8).map(|_| connect(address)).collect();
    for stream in &mut slow {
        let page = request("GET", "/dump.html", "localhost");
        stream.write_all(&page).unwrap();
    }
    let start = Instant::now();
    for path in ["/report", "/debug/pprof/profile?seconds=0.1", "/dump.html"] {
        assert_eq!(get(address, path).status, 200, "{path}");
    }
    // Slow readers are given at least 10 s to read.
    let waited = start.elapsed();
    assert!(waited < Duration::from_secs(10), "{waited:?}");
    let stream = &mut slow[0];
    let (mut taken, mut part) = (Vec::new(), [0; 1 << 15]);
    loop {
        match stream.read(&mut part).unwrap() {
            0 => break,
            count => taken.extend(&part[..count]),
        }
        thread::sleep(Duration::from_millis(50));
    }
    let reply = Reply::read(&taken).unwrap();
    let length = &reply.headers["content-length"];
    assert_eq!(reply.body.len().to_string(), *length);
    assert!(reply.text().ends_with("</html>\n"));
}

#[test]
fn stalled_readers_are_disconnected() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let address = server.address();
    many_stacks();
    let path = "/dump.html";
    let whole = get(address, path).body.len();
    assert!(whole > 500_000, "{whole}");
    let mut stream = connect(address);
    stream
        .write_all(&request("GET", path, "localhost"))
        .unwrap();
    thread::sleep(Duration::from_secs(15 + whole as u64 / 65_536));
    let mut taken = Vec::new();
    // The response is cut off in the middle.
    let _ = stream.read_to_end(&mut taken);
    assert!(!taken.is_empty());
    assert!(taken.len() < whole, "{} of {whole}", taken.len());
}

#[test]
fn malformed_requests_are_refused() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(20_000));
    for (text, status) in [
        ("hello, is this a profiler?\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nno header\r\n\r\n", 400),
        ("GET /\0 HTTP/1.1\r\n\r\n", 400),
        (&*long, 431),
    ] {
        let mut stream = connect(server.address());
        stream.write_all(text.as_bytes()).unwrap();
        // Closing a connection with unread bytes resets it, so the response may be lost.
        if let Ok(reply) = read(&mut stream) {
            assert_eq!(reply.status, status, "{text:.40}");
        }
    }
    assert_eq!(get(server.address(), "/report").status, 200);
}

#[test]
fn server_does_not_wait_for_request_bodies() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let head = "POST /report HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n";
    let reply = send(server.address(), head.as_bytes()).unwrap();
    assert_eq!(reply.status, 405);
}

#[test]
fn half_closed_connections_are_served_or_closed() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    for sent in [&request("GET", "/report", "localhost")[..], b"GET /rep"] {
        let mut stream = connect(server.address());
        stream.write_all(sent).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let kept = kept_open(stream, b"");
        // The server closes the connection before the deadline.
        assert!(kept < HEADER_TIME.mul_f64(0.9), "{kept:?}");
    }
    assert_eq!(get(server.address(), "/report").status, 200);
}

/// Tests a process that does not ignore SIGPIPE, such as a C program. A write to a closed connection raises this
/// signal.
#[cfg(unix)]
mod signal {
    #![allow(unsafe_code)] // Signal handlers are set through the C library.

    use super::*;
    use std::ffi::c_int;

    const CHILD: &str = "IPROF_TEST_SIGPIPE";
    const SIGPIPE: c_int = 13;

    unsafe extern "C" {
        // SAFETY: ISO C declares the function with this signature, and 0 is the default action.
        safe fn signal(signal: c_int, handler: usize) -> usize;
    }

    /// Requests a long page from this process's own endpoint, and disconnects before reading it.
    #[test]
    fn a_program() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        signal(SIGPIPE, 0);
        let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
        many_stacks();
        for _ in 0..20 {
            let mut client = connect(server.address());
            let request_bytes = request("GET", "/dump.html", "localhost");
            client.write_all(&request_bytes).unwrap();
            client.read_exact(&mut [0; 1000]).unwrap();
        }
        assert_eq!(get(server.address(), "/report").status, 200);
        println!("lives");
    }

    #[test]
    fn disconnecting_raises_no_sigpipe() {
        let mut program = crate::own_program::own_program();
        program.args(["--exact", "clients::signal::a_program", "--nocapture"]);
        let output = program.env(CHILD, "1").output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && printed.contains("lives"),
            "{} {printed}",
            output.status
        );
    }
}
