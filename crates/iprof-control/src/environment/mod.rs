//! Applies environment variables at the first zone: they write a profile at exit or at a signal, or
//! open the HTTP endpoint, in programs that have zones and are otherwise unmodified.
//!
//! The program asks for those of timing and of the frame budget when it begins, at its first zone at the latest. This module
//! handles all other variables, also at the first zone. Errors are printed on stderr, since
//! such a program shows no report, and appear as warning lines of the report if it does. Nothing here ends
//! the program or changes its exit code.

mod exit;
mod port;
mod profile;
mod signal;
mod slow_frames;
mod stall;
#[cfg(unix)]
mod unix;
mod values;
#[cfg(test)]
mod values_tests;

use crate::RunningProgram;
use iprof_process::warnings::warn_of_environment;
use std::env;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use values::misread_variables;
pub use values::{frame_budget_of_environment, timing_of_environment};

/// Applies the environment variables, at the first call. The caller may hold the lock of the program: the
/// first zone may be one of the host's allocator.
pub fn apply(program: &'static RunningProgram) {
    // Relaxed: later callers do not depend on what the first one starts here.
    static HAS_STARTED: AtomicBool = AtomicBool::new(false);
    if HAS_STARTED.swap(true, Relaxed) {
        return;
    }
    #[cfg(unix)]
    {
        unix::note();
        (program.write_stalls_by)(unix::write);
    }
    (program.begin)();
    for misread in misread_variables() {
        complain(&misread);
    }
    if is_privileged() {
        return;
    }
    let mut warnings = Vec::new();
    let signal = variable(signal::VARIABLE);
    match variable(profile::VARIABLE) {
        Some(path) => {
            let profile = profile::Profile::new(program, path, &mut warnings);
            profile::apply(profile, signal, &mut warnings);
        }
        None if signal.is_some() => warnings.push(format!(
            "{}: requires {}, the file to write to",
            signal::VARIABLE,
            profile::VARIABLE
        )),
        None => {}
    }
    if let Some(why) = variable(port::VARIABLE).and_then(|port| port::apply(program, &port).err()) {
        warnings.push(format!("{}: {why}", port::VARIABLE));
    }
    if let Some(why) =
        variable(stall::VARIABLE).and_then(|value| stall::apply(program, &value).err())
    {
        warnings.push(format!("{}: {why}", stall::VARIABLE));
    }
    if let Some(why) =
        variable(slow_frames::VARIABLE).and_then(|it| slow_frames::apply(program, it).err())
    {
        warnings.push(format!("{}: {why}", slow_frames::VARIABLE));
    }
    for warning in &warnings {
        complain(warning);
    }
    warn_of_environment(warnings);
}

/// Whether the program runs with the rights of another user than its caller (setuid, setgid). The caller's
/// environment must not name files for it to write.
fn is_privileged() -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{getegid, geteuid, getgid, getuid};
        (getuid(), getgid()) != (geteuid(), getegid())
    }
    #[cfg(not(unix))]
    false
}

/// The value of a variable, unless it is blank.
fn variable(name: &str) -> Option<OsString> {
    let is_there = |value: &OsString| !value.to_string_lossy().trim().is_empty();
    env::var_os(name).filter(is_there)
}

/// Prints a line on stderr.
///
/// On Unix this does not lock the standard library's stderr: a thread that holds that lock may be waiting
/// for a lock that the caller holds.
fn complain(text: &str) {
    let line = format!("iprof: {text}\n");
    // Errors are ignored; `eprintln` would panic if stderr is closed.
    #[cfg(unix)]
    unix::write(line.as_bytes());
    #[cfg(not(unix))]
    {
        use std::io::{Write, stderr};
        let _ = stderr().write_all(line.as_bytes());
    }
}
