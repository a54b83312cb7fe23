//! Tests that `IPROF_PORT` opens the endpoint in an unmodified program, and that errors become warnings.

use crate::child::Program;
use crate::client::get;
use crate::work::alone;
use std::net::TcpListener;

#[test]
fn environment_serves_an_unmodified_program() {
    let _alone = alone();
    let (program, address) = Program::with_port();
    let report = get(address, "/report");
    assert!(report.text().contains("child_work"), "{}", report.text());
    program.end();
}

#[test]
fn unavailable_port_is_warned_about() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (value, expected) in [
        (&*port, "IPROF_PORT: cannot listen on 127.0.0.1:"),
        ("http", "IPROF_PORT: invalid port \"http\""),
        ("0", "IPROF_PORT: invalid port \"0\""),
        ("65536", "IPROF_PORT: invalid port \"65536\""),
    ] {
        let (program, warnings) = Program::start(value);
        program.end();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains(expected), "{warnings:?}");
    }
    let (program, warnings) = Program::start("");
    program.end();
    assert_eq!(warnings, Vec::<String>::new());
}
