//! Tests that dropping the server closes the port and ends its threads.

use crate::client::{LIMIT, connect, get, request};
use crate::work::{alone, threads_named};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn dropped_server_frees_port_and_ends_threads() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let address = server.address();
    assert_eq!(get(address, "/report").status, 200);
    assert!(threads_named("iprof http").is_none_or(|count| count >= 1));
    let taken = iprof::http::serve(address).unwrap_err();
    assert_eq!(taken.kind(), ErrorKind::AddrInUse);
    drop(server);
    // `join` may return before the kernel removes the thread from its list.
    let start = Instant::now();
    let has_ended = || threads_named("iprof http").is_none_or(|count| count == 0);
    while !has_ended() && start.elapsed() < LIMIT {
        thread::sleep(Duration::from_millis(1));
    }
    assert!(has_ended());
    drop(TcpListener::bind(address).unwrap());
    // Another server can reuse the port.
    let server = iprof::http::serve(address).unwrap();
    assert_eq!(get(server.address(), "/report").status, 200);
}

#[test]
fn clients_do_not_delay_server_shutdown() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let waits = request("GET", "/debug/pprof/profile?seconds=3600", "localhost");
    let mut clients: Vec<_> = [&waits[..], b"GET /rep", b""]
        .iter()
        .map(|bytes| {
            let mut client = connect(server.address());
            client.write_all(bytes).unwrap();
            client
        })
        .collect();
    // All clients have usually been accepted by now, but the result must not depend on it.
    thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    drop(server);
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    for client in &mut clients {
        let mut answer = Vec::new();
        match client.read_to_end(&mut answer) {
            Ok(_) => assert_eq!(answer, b""),
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
    }
}
