//! `IPROF_PORT`: opens the HTTP endpoint at a port of 127.0.0.1 for as long as the program runs.

use crate::RunningProgram;
use std::ffi::OsStr;

/// The port number.
pub(super) const VARIABLE: &str = "IPROF_PORT";

/// Opens the endpoint at `port` for as long as the program runs.
#[cfg(all(feature = "http", not(target_family = "wasm")))]
pub(super) fn apply(program: &'static RunningProgram, port: &OsStr) -> Result<(), String> {
    let number = number(&port.to_string_lossy())?;
    let here = ([127, 0, 0, 1], number).into();
    let server = crate::http::Server::start(program, here);
    let server = server.map_err(|error| format!("cannot listen on 127.0.0.1:{number}: {error}"))?;
    std::mem::forget(server);
    Ok(())
}

/// Parses a port number.
#[cfg(feature = "http")]
pub(super) fn number(port: &str) -> Result<u16, String> {
    let port = port.trim();
    let number = port.parse::<u16>().ok().filter(|port| *port > 0);
    number.ok_or_else(|| format!("invalid port \"{port}\"; expected 1 to 65535"))
}

/// Not available in this build.
#[cfg(not(all(feature = "http", not(target_family = "wasm"))))]
pub(super) fn apply(_program: &'static RunningProgram, _port: &OsStr) -> Result<(), String> {
    Err("this build of iprof lacks the feature `http`".into())
}
