//! Unusual and malformed requests: each is answered, refused or cut off, and the endpoint goes on.

use crate::client::{LIMIT, Reply, connect, get, request};
use crate::work::alone;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// The status of what is answered to these bytes, if the connection was not cut off before.
fn status(address: SocketAddr, bytes: &[u8]) -> Option<u16> {
    let mut stream = connect(address);
    let start = Instant::now();
    // It may hang up in the middle.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(start.elapsed() < LIMIT);
    Reply::read(&answer).map(|reply| reply.status)
}

#[test]
fn nonsensical_requests_are_refused_or_cut_off() {
    let _alone = alone();
    let server = iprof::http::serve(0).unwrap();
    let address = server.address();
    let head = "GET /report HTTP/1.1\r\nHost: localhost\r\n";
    let many = "A: b\r\n".repeat(2_000);
    let cases: Vec<(&str, Vec<u8>, &[u16])> = vec![
        ("many headers", format!("{head}{many}\r\n").into(), &[431]),
        (
            "a long header",
            format!("{head}A: {}\r\n\r\n", "b".repeat(1 << 20)).into(),
            &[431],
        ),
        (
            "a long path",
            format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(1 << 20)).into(),
            &[414, 431],
        ),
        (
            "the preface of HTTP/2",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec(),
            &[400, 505],
        ),
        (
            "a path that is no text",
            b"GET /\xff\xfe HTTP/1.1\r\n\r\n".to_vec(),
            &[400, 404],
        ),
        ("a NUL", b"GET /\0 HTTP/1.1\r\n\r\n".to_vec(), &[400]),
        (
            "a body",
            format!("{head}Content-Length: 5\r\n\r\nhello").into(),
            &[200],
        ),
        (
            "two lengths",
            format!("{head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello").into(),
            &[400],
        ),
        (
            "a length that is none",
            format!("{head}Content-Length: -1\r\n\r\n").into(),
            &[400],
        ),
        (
            "a chunk that is none",
            format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n").into(),
            &[200, 400],
        ),
        (
            "requests in a row",
            format!("{head}\r\n").repeat(100).into(),
            &[200],
        ),
        (
            "an expectation",
            format!("{head}Expect: 100-continue\r\n\r\n").into(),
            &[200],
        ),
        (
            "an upgrade",
            format!("{head}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n").into(),
            &[200],
        ),
        ("no host", b"GET /report HTTP/1.0\r\n\r\n".to_vec(), &[200]),
        (
            "a host that is none",
            b"GET /report HTTP/1.1\r\nHost: \xff\r\n\r\n".to_vec(),
            &[400, 403],
        ),
        (
            "a tunnel",
            b"CONNECT example.com:80 HTTP/1.1\r\n\r\n".to_vec(),
            &[400, 403, 404, 405],
        ),
        (
            "everything",
            b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
            &[404],
        ),
    ];
    for (what, bytes, expected) in cases {
        // What was sent and not read makes the connection end early, which may cost the answer.
        if let Some(status) = status(address, &bytes) {
            assert!(expected.contains(&status), "{what}: {status}");
        }
        assert_eq!(get(address, "/debug/pprof/cmdline").status, 200, "{what}");
    }
}

#[test]
fn seconds_are_numbers_of_any_kind_or_are_refused() {
    let _alone = alone();
    let server = iprof::http::serve(0).unwrap();
    for (seconds, expected) in [
        ("-1", 200),
        ("0", 200),
        ("-0.0", 200),
        ("1e-300", 200),
        ("-1e308", 200),
        ("-inf", 200),
        ("NaN", 400),
        ("-nan", 400),
        ("0x1", 400),
        ("1,5", 400),
        ("1%2e5", 400),
        ("\u{661}", 400),
    ] {
        let path = format!("/debug/pprof/profile?seconds={seconds}");
        let bytes = request("GET", &path, "localhost");
        assert_eq!(
            status(server.address(), &bytes),
            Some(expected),
            "{seconds}"
        );
    }
    // An hour, whatever is more.
    for seconds in ["1e308", "inf", "99999999999999999999"] {
        let mut waits = connect(server.address());
        let path = format!("/debug/pprof/profile?seconds={seconds}");
        waits
            .write_all(&request("GET", &path, "localhost"))
            .unwrap();
        waits
            .set_read_timeout(Some(Duration::from_millis(300)))
            .unwrap();
        assert!(waits.read(&mut [0]).is_err(), "{seconds}");
    }
}

#[test]
fn parameters_that_do_not_exist_are_refused_by_name() {
    let _alone = alone();
    let server = iprof::http::serve(0).unwrap();
    let reply = get(server.address(), "/debug/pprof/profile?seconds=0.1&hz=100");
    assert_eq!(reply.status, 400);
    assert_eq!(
        reply.text(),
        "unknown parameter \"hz\"; this page accepts: seconds\n"
    );
    assert_eq!(reply.headers["x-go-pprof"], "1");
    let reply = get(server.address(), "/report?seconds=1");
    assert_eq!(reply.status, 400);
    assert_eq!(
        reply.text(),
        "unknown parameter \"seconds\"; this page accepts none\n"
    );
}

#[test]
fn a_body_without_end_is_not_waited_for() {
    let _alone = alone();
    let server = iprof::http::serve(0).unwrap();
    let mut stream = connect(server.address());
    let head = b"POST /report HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head).unwrap();
    let start = Instant::now();
    while stream.write_all(b"400\r\n").is_ok()
        && stream.write_all(&[b'x'; 1024]).is_ok()
        && stream.write_all(b"\r\n").is_ok()
    {
        assert!(start.elapsed() < LIMIT);
    }
    assert_eq!(get(server.address(), "/report").status, 200);
}

#[test]
fn a_client_that_says_no_more_is_answered_or_forgotten() {
    let _alone = alone();
    let server = iprof::http::serve(0).unwrap();
    // One that has said everything, and one that has not.
    let mut whole = connect(server.address());
    whole
        .write_all(&request("GET", "/report", "localhost"))
        .unwrap();
    whole.shutdown(Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    let _ = whole.read_to_end(&mut answer);
    if let Some(reply) = Reply::read(&answer) {
        assert_eq!(reply.status, 200);
    }
    let mut half = connect(server.address());
    half.write_all(b"GET /rep").unwrap();
    half.shutdown(Shutdown::Write).unwrap();
    let start = Instant::now();
    let mut answer = Vec::new();
    let _ = half.read_to_end(&mut answer);
    // Before it would have been given up.
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(get(server.address(), "/report").status, 200);
}

#[test]
fn a_thousand_connections_in_a_second_are_survived() {
    let _alone = alone();
    let server = iprof::http::serve(0).unwrap();
    let address = server.address();
    let comers: Vec<_> = (0..4)
        .map(|_| {
            thread::spawn(move || {
                let mut open = Vec::new();
                for _ in 0..250 {
                    // Where its turn does not come, the system lets it wait.
                    let limit = Duration::from_millis(200);
                    open.extend(TcpStream::connect_timeout(&address, limit).ok());
                }
                open.len()
            })
        })
        .collect();
    let came: usize = comers.into_iter().map(|comer| comer.join().unwrap()).sum();
    println!("{came} connections");
    let start = Instant::now();
    assert_eq!(get(address, "/report").status, 200);
    println!("then one was answered in {:?}", start.elapsed());
}

/// A program in C does not ignore SIGPIPE, the signal of a write to a closed connection.
#[cfg(unix)]
mod signal {
    #![allow(unsafe_code)] // Signals are set by C's library.

    use super::*;
    use std::ffi::c_int;

    const CHILD: &str = "IPROF_TEST_SIGPIPE";
    const SIGPIPE: c_int = 13;

    unsafe extern "C" {
        // SAFETY: ISO C has it with this signature; 0 is the signal's default.
        safe fn signal(signal: c_int, handler: usize) -> usize;
    }

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

    /// Asks itself for a long page, and hangs up.
    #[test]
    fn a_program() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        signal(SIGPIPE, 0);
        let server = iprof::http::serve(0).unwrap();
        call(14);
        for _ in 0..20 {
            let mut client = connect(server.address());
            let asked = request("GET", "/dump.html", "localhost");
            client.write_all(&asked).unwrap();
            let mut begin = [0; 1000];
            client.read_exact(&mut begin).unwrap();
            drop(client);
        }
        assert_eq!(get(server.address(), "/report").status, 200);
        println!("lives");
    }

    #[test]
    fn a_client_that_hangs_up_does_not_end_a_program_that_signals_would_end() {
        let mut program = crate::own_program::own_program();
        program.args(["--exact", "odd::signal::a_program", "--nocapture"]);
        let output = program.env(CHILD, "1").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("lives"),
            "{} {said}",
            output.status
        );
    }
}
