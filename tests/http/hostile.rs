//! Slow, stuck, malformed and many clients at the same time: others are served soon, frames go on, and threads and
//! memory stay bounded.

use crate::allocated;
use crate::client::{LIMIT, Reply, connect, get, read, request};
use crate::own_program::is_emulated;
use crate::work::{Ending, Frames, alone, threads_named};
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What a client does with its connection, for as long as it has one or the test goes on.
type Client = fn(SocketAddr, &AtomicBool);

/// Writes the same over and over until the server hangs up.
fn repeat(address: SocketAddr, first: &[u8], then: &[u8], pause: Duration, goes_on: &AtomicBool) {
    let mut stream = connect(address);
    let mut result = stream.write_all(first);
    while result.is_ok() && goes_on.load(Ordering::Relaxed) {
        thread::sleep(pause);
        result = stream.write_all(then);
    }
}

const NO_PAUSE: Duration = Duration::ZERO;

fn garbage(address: SocketAddr, goes_on: &AtomicBool) {
    repeat(
        address,
        b"\x16\x03\x01\0\xff",
        b"\0\xfe\n",
        NO_PAUSE,
        goes_on,
    );
}

fn endless_header(address: SocketAddr, goes_on: &AtomicBool) {
    let line = b"X-More: and more and more\r\n";
    repeat(address, b"GET / HTTP/1.1\r\n", line, NO_PAUSE, goes_on);
}

fn endless_line(address: SocketAddr, goes_on: &AtomicBool) {
    repeat(address, b"GET /", b"aaaaaaaaaaaaaaaa", NO_PAUSE, goes_on);
}

fn a_byte_a_second(address: SocketAddr, goes_on: &AtomicBool) {
    let pause = Duration::from_secs(1);
    repeat(address, b"GET / HTTP/1.1\r\nX: ", b"a", pause, goes_on);
}

/// Says this, and then nothing, until the server hangs up.
fn say(address: SocketAddr, text: &[u8]) {
    let mut stream = connect(address);
    // It may have hung up already.
    let _ = stream.write_all(text);
    let start = Instant::now();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(
        start.elapsed() < LIMIT,
        "{:?}",
        String::from_utf8_lossy(text)
    );
}

fn silence(address: SocketAddr, _: &AtomicBool) {
    say(address, b"");
}

fn half_a_request(address: SocketAddr, _: &AtomicBool) {
    say(address, b"GET /report HT");
}

fn body_that_never_comes(address: SocketAddr, _: &AtomicBool) {
    say(
        address,
        b"POST /report HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n",
    );
}

fn pages_that_are_never_read(address: SocketAddr, goes_on: &AtomicBool) {
    let mut stream = connect(address);
    stream
        .write_all(&request("GET", "/dump.html", "localhost"))
        .unwrap();
    while goes_on.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(20));
    }
}

fn hanging_up(address: SocketAddr, goes_on: &AtomicBool) {
    while goes_on.load(Ordering::Relaxed) {
        for text in [
            "",
            "GET",
            "GET /dump.html HTTP/1.1\r\n\r\n",
            "GET /debug/pprof/profile HTTP/1.1\r\n\r\n",
        ] {
            let _ = connect(address).write_all(text.as_bytes());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Records some sixty thousand stacks, whose page is more than a connection holds.
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
    // The next one of that name goes on with the stacks of the last one.
    let thread = thread::Builder::new().name("stacks".into());
    thread.spawn(|| call(15)).unwrap().join().unwrap();
}

/// The resident memory of the process, in bytes; `None` where the system does not report it. QEMU's user mode (7.2)
/// reports its own, too: it gives a program ever new addresses, and keeps 6 KiB for each MiB that was ever mapped, of a
/// program in C, too. The endpoint asks for memory before each part of a response, and gives it back.
fn resident_memory() -> Option<u64> {
    // Under Wine the file is there, and of some other process.
    if !cfg!(target_os = "linux") || is_emulated() {
        return None;
    }
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib = line.split_whitespace().next()?.parse::<u64>().ok()?;
    Some(kib << 10)
}

#[test]
fn no_client_harms_another_or_the_program() {
    let _alone = alone();
    let server = iprof::http::serve(0).unwrap();
    let address = server.address();
    many_stacks();
    assert!(get(address, "/dump.html").body.len() > 500_000);
    let (before, resident_before) = (allocated::bytes(), resident_memory());
    let frames = Frames::begin();
    let goes_on = AtomicBool::new(true);
    let kinds: [(usize, Client); 9] = [
        (10, garbage),
        (10, endless_header),
        (10, endless_line),
        (30, a_byte_a_second),
        (80, silence),
        (80, half_a_request),
        (30, body_that_never_comes),
        (8, pages_that_are_never_read),
        (4, hanging_up),
    ];
    thread::scope(|scope| {
        for (count, client) in kinds {
            for _ in 0..count {
                let goes_on = &goes_on;
                scope.spawn(move || client(address, goes_on));
            }
        }
        let ending = Ending(&goes_on);
        // Good ones, one after the other, while all of those are there.
        let start = Instant::now();
        let mut slowest = Duration::ZERO;
        let (mut most_threads, mut refused) = (0, 0);
        while start.elapsed() < Duration::from_secs(12) {
            for path in [
                "/debug/pprof/",
                "/report",
                "/debug/pprof/profile?seconds=0.1",
            ] {
                let asked = Instant::now();
                let mut reply = get(address, path);
                // Where the machine is slow, pages that are never read use all of the memory for a while.
                while reply.status == 503 && asked.elapsed() < Duration::from_secs(30) {
                    assert!(reply.text().contains("try again later"), "{}", reply.text());
                    refused += 1;
                    thread::sleep(Duration::from_millis(200));
                    reply = get(address, path);
                }
                assert_eq!(reply.status, 200, "{path}: {}", reply.text());
                slowest = slowest.max(asked.elapsed());
            }
            most_threads = most_threads.max(threads_named("iprof http").unwrap_or_default());
        }
        drop(ending);
        let (now, resident_now) = (allocated::bytes(), resident_memory());
        println!(
            "slowest {slowest:?}, {refused} refused, {most_threads} threads; bytes: {before} {now}, \
             resident {resident_before:?} {resident_now:?}"
        );
        assert!(slowest < Duration::from_secs(30), "{slowest:?}");
        assert!(most_threads <= 3, "{most_threads} threads");
        // The requests' 128 MiB, what the clients are, and what is asked for at this moment and given back.
        assert!(now < before + (400 << 20), "{before} {now}");
        if let (Some(before), Some(now)) = (resident_before, resident_now) {
            assert!(now < before + (400 << 20), "{before} {now}");
        }
    });
    let (count, longest) = frames.end();
    println!("{count} frames, longest update {longest:?}");
    assert!(count > 50, "{count} frames");
    assert!(longest < Duration::from_secs(2), "{longest:?}");
    // And nothing of it stays.
    assert_eq!(get(address, "/report").status, 200);
}

#[test]
fn who_takes_too_long_is_disconnected() {
    let _alone = alone();
    let server = iprof::http::serve(0).unwrap();
    let address = server.address();
    many_stacks();
    thread::scope(|scope| {
        for text in [&b""[..], b"GET /report HT", b"GET / HTTP/1.1\r\nHost: a"] {
            scope.spawn(move || {
                let start = Instant::now();
                say(address, text);
                let waited = start.elapsed();
                // A request has 5 s; a busy machine is late by some more.
                assert!(waited > Duration::from_millis(4_990), "{waited:?}");
                assert!(waited < Duration::from_secs(15), "{waited:?}");
            });
        }
        let whole = get(address, "/dump.html").body.len();
        let mut stream = connect(address);
        stream
            .write_all(&request("GET", "/dump.html", "localhost"))
            .unwrap();
        thread::sleep(Duration::from_secs(15 + whole as u64 / 65_536));
        let mut taken = Vec::new();
        // A part is there, and then there is no more.
        let _ = stream.read_to_end(&mut taken);
        assert!(!taken.is_empty());
        assert!(taken.len() < whole, "{} of {whole}", taken.len());
    });
}

#[test]
fn who_sends_nothing_has_half_a_second_while_another_waits_for_its_place() {
    let _alone = alone();
    let server = iprof::http::serve(0).unwrap();
    let address = server.address();
    let start = Instant::now();
    let idle: Vec<_> = (0..16).map(|_| connect(address)).collect();
    // All places are taken, and alone they would be for 5 s.
    assert_eq!(get(address, "/report").status, 200);
    let waited = start.elapsed();
    println!("waited {waited:?}");
    assert!(waited > Duration::from_millis(490), "{waited:?}");
    assert!(waited < Duration::from_secs(4), "{waited:?}");
    drop(idle);
}

#[test]
fn who_takes_a_large_answer_slowly_gets_all_of_it() {
    let _alone = alone();
    let server = iprof::http::serve(0).unwrap();
    many_stacks();
    let mut stream = connect(server.address());
    stream
        .write_all(&request("GET", "/dump.html", "localhost"))
        .unwrap();
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
fn what_is_no_request_is_told_so() {
    let _alone = alone();
    let server = iprof::http::serve(0).unwrap();
    let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(20_000));
    for (text, status) in [
        ("hello, is this a profiler?\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nno header\r\n\r\n", 400),
        (&*long, 431),
    ] {
        let mut stream = connect(server.address());
        stream.write_all(text.as_bytes()).unwrap();
        // What it did not read makes the connection end early, which may cost the answer.
        if let Ok(reply) = read(&mut stream) {
            assert_eq!(reply.status, status, "{text:.40}");
        }
    }
}

#[test]
fn a_hundred_clients_at_once_are_all_answered() {
    let _alone = alone();
    let server = iprof::http::serve(0).unwrap();
    let address = server.address();
    for _ in 0..3 {
        let clients: Vec<_> = (0..100)
            .map(|at| {
                // As many as may wait for a profile, and not more.
                let path = match at % 10 {
                    0 => "/debug/pprof/profile?seconds=0.5",
                    1..5 => "/report",
                    _ => "/dump.html",
                };
                thread::spawn(move || get(address, path).status)
            })
            .collect();
        for client in clients {
            assert_eq!(client.join().unwrap(), 200);
        }
    }
}
