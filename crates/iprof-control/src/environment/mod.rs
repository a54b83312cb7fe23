//! Applies environment variables at the first zone. With them, a program that only contains zones can write a profile
//! at exit or on a signal, write slow frames and stalls, or open the HTTP endpoint.
//!
//! The timing mode and the frame budget are read when the program's data is created, at the first zone at the latest.
//! Errors are printed to stderr and appear as warnings in the report. Nothing here ends the program or changes its exit
//! code.

mod profile;
mod slow_frames;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;
mod values;
#[cfg(test)]
mod values_tests;

use crate::RunningProgram;
use iprof_process::warnings::warn_of_environment;
use std::env;
use std::ffi::{OsStr, OsString, c_int};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use values::invalid_value_messages;
pub use values::{frame_budget_of_environment, timing_of_environment};

/// The port on 127.0.0.1 that the endpoint listens on.
const PORT: &str = "IPROF_PORT";
/// The time in seconds after which a frame counts as a stall, and optionally a file to which stalls are appended.
const STALL: &str = "IPROF_STALL";

/// Applies the environment variables on the first call. The caller may hold any program lock, since the first
/// zone may be in the host's allocator.
pub fn apply(program: &'static RunningProgram) {
    // `Relaxed` is enough, because later callers don't depend on anything that the first one starts.
    static HAS_STARTED: AtomicBool = AtomicBool::new(false);
    if HAS_STARTED.swap(true, Relaxed) {
        return;
    }
    system::begin(program);
    (program.begin)();
    for message in invalid_value_messages() {
        warn(&message);
    }
    if system::is_privileged() {
        return;
    }
    let mut warnings = Vec::new();
    let signal = variable(profile::SIGNAL);
    match variable(profile::VARIABLE) {
        Some(path) => {
            let profile = profile::Profile::new(program, path, &mut warnings);
            profile::apply(profile, signal, &mut warnings);
        }
        None if signal.is_some() => warnings.push(format!(
            "{}: requires {}, the file to write to",
            profile::SIGNAL,
            profile::VARIABLE
        )),
        None => {}
    }
    type Apply = fn(&'static RunningProgram, &OsStr) -> Result<(), String>;
    let others: [(&str, Apply); 3] = [
        (PORT, open_port),
        (STALL, report_stalls),
        (slow_frames::VARIABLE, slow_frames::apply),
    ];
    for (name, apply) in others {
        if let Some(why) = variable(name).and_then(|value| apply(program, &value).err()) {
            warnings.push(format!("{name}: {why}"));
        }
    }
    for warning in &warnings {
        warn(warning);
    }
    warn_of_environment(warnings);
}

/// Opens the HTTP endpoint on a port of 127.0.0.1 until the program ends.
fn open_port(program: &'static RunningProgram, port: &OsStr) -> Result<(), String> {
    let number = values::port_number(&port.to_string_lossy())?;
    let opened = open((Ipv4Addr::LOCALHOST, number).into(), program);
    opened.map_err(|error| format!("cannot listen on 127.0.0.1:{number}: {error}"))
}

#[cfg(all(feature = "http", not(target_family = "wasm")))]
fn open(address: SocketAddr, program: &'static RunningProgram) -> io::Result<()> {
    crate::http::Server::start(program, address).map(std::mem::forget)
}

#[cfg(not(all(feature = "http", not(target_family = "wasm"))))]
fn open(_address: SocketAddr, _program: &RunningProgram) -> io::Result<()> {
    let why = "this build of iprof lacks the feature `http`";
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}

fn report_stalls(program: &'static RunningProgram, value: &OsStr) -> Result<(), String> {
    let (timeout, file) = values::timeout_and_file(value)?;
    (program.set_stall_timeout)(Some(timeout), file.as_deref().map(Path::new))
        .map_err(|error| error.to_string())
}

#[allow(unsafe_code)] // Only the C library has exit handlers.
#[cfg(any(unix, windows))]
unsafe extern "C" {
    // SAFETY: ISO C defines `atexit` with this signature, and the standard library links the C library. It
    // may be called at any time, from any thread, with any function.
    safe fn atexit(function: extern "C" fn()) -> c_int;
}

#[cfg(not(any(unix, windows)))]
fn atexit(_function: extern "C" fn()) -> c_int {
    1
}

/// Registers `function` to be called when `main` returns or panics, or when [`std::process::exit`] is called.
///
/// `function` isn't called if the program is killed or aborts. When it is called, other threads may still be running,
/// and the calling thread's thread-locals may already be destroyed. Returns whether registration succeeded.
fn at_exit(function: extern "C" fn()) -> bool {
    atexit(function) == 0
}

/// Returns the value of a variable, unless it is blank.
fn variable(name: &str) -> Option<OsString> {
    let is_set = |value: &OsString| !value.to_string_lossy().trim().is_empty();
    env::var_os(name).filter(is_set)
}

/// Prints a line to stderr. Errors are ignored.
fn warn(text: &str) {
    system::write_to_stderr(format!("iprof: {text}\n").as_bytes());
}

/// Replaces `unix.rs` on other systems.
#[cfg(not(unix))]
mod system {
    use crate::RunningProgram;
    use std::io::{Write, stderr};

    pub(super) fn begin(_program: &RunningProgram) {}

    pub(super) fn is_privileged() -> bool {
        false
    }

    pub(super) fn write_to_stderr(bytes: &[u8]) {
        // `eprintln` would panic if stderr is closed.
        let _ = stderr().write_all(bytes);
    }

    pub(super) mod signal {
        use super::super::profile::ProfileData;
        use crate::RunningProgram;
        use std::ffi::OsStr;

        pub(crate) fn apply(_program: &RunningProgram, _signal: &OsStr) -> Result<(), String> {
            Err("signals are not supported on this system".into())
        }

        pub(crate) fn data_at_exit(program: &RunningProgram) -> Option<ProfileData> {
            Some(ProfileData::everything(program))
        }
    }
}
