//! Control from outside: what the environment asks of a program that has zones and was never
//! touched.
//!
//! Timing is set by `process` when it begins, which is with the program's first zone at the latest.
//! Everything else is here, begun by the first zone. What cannot be done is named on stderr, since
//! such a program shows no report, and by warning lines of the report if it does. Nothing here ends
//! the program or changes how it ends.

mod claim;
mod exit;
mod port;
mod profile;
mod signal;
#[cfg(unix)]
mod stderr;
#[cfg(any(all(test, not(loom)), fuzzing))]
pub(crate) mod values;

#[cfg(all(any(test, fuzzing), not(loom)))]
use crate::export::format::{Format, name_of};
use crate::process;
use std::env;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Does what the environment asks for, when it is called for the first time. The caller may hold
/// the lock of `process`: a first zone may be one of the host's allocator.
pub(crate) fn follow() {
    // Relaxed: whoever comes second does not wait for what is begun here.
    static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
    if HAS_BEGUN.swap(true, Relaxed) {
        return;
    }
    #[cfg(unix)]
    stderr::note();
    process::begin();
    if let Some(misread) = process::misread_timing() {
        complain(&misread);
    }
    if has_anothers_rights() {
        return;
    }
    let mut warnings = Vec::new();
    let signal = variable(signal::VARIABLE);
    match variable(profile::VARIABLE) {
        Some(path) => {
            let profile = profile::Profile::new(path, &mut warnings);
            profile::follow(profile, signal, &mut warnings);
        }
        None if signal.is_some() => warnings.push(format!(
            "{}: without {} there is no file to write",
            signal::VARIABLE,
            profile::VARIABLE
        )),
        None => {}
    }
    if let Some(why) = variable(port::VARIABLE).and_then(|port| port::follow(&port).err()) {
        warnings.push(format!("{}: {why}", port::VARIABLE));
    }
    for warning in &warnings {
        complain(warning);
    }
    process::warn_of_environment(warnings);
}

/// Reads a value as each of the variables, and does nothing of what it asks for. For the fuzzer.
///
/// # Panics
///
/// If what is read makes no sense.
#[cfg(all(any(test, fuzzing), not(loom)))]
pub(crate) fn read_values(value: &std::ffi::OsStr) {
    let path = std::path::Path::new(value);
    let part = profile::with_suffix(path, ".7");
    let [whole, part] = [path, &part].map(|path| Format::of(&name_of(path)).is_ok());
    assert_eq!(
        whole, part,
        "a part of a profile has the format of the whole"
    );
    #[cfg(any(feature = "http", feature = "signal"))]
    let text = value.to_string_lossy();
    #[cfg(feature = "http")]
    if let Ok(port) = port::number(&text) {
        assert_ne!(port, 0);
    }
    #[cfg(all(unix, feature = "signal"))]
    if let Ok(signal) = signal::number(&text) {
        assert!(signal > 0 && !signal_hook::consts::FORBIDDEN.contains(&signal));
    }
}

/// Whether the program runs with the rights of another user than the one who started it, whose
/// environment must not name files for it to write.
fn has_anothers_rights() -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{getegid, geteuid, getgid, getuid};
        (getuid(), getgid()) != (geteuid(), getegid())
    }
    #[cfg(not(unix))]
    false
}

/// What a variable says, unless that is nothing.
fn variable(name: &str) -> Option<OsString> {
    let is_there = |value: &OsString| !value.to_string_lossy().trim().is_empty();
    env::var_os(name).filter(is_there)
}

/// Says it on stderr.
///
/// Whoever has locked stderr may be waiting for a lock that the caller holds, so where the system has
/// another way, no lock is taken.
fn complain(text: &str) {
    let line = format!("iprof: {text}\n");
    // Where there is no stderr, there is nobody to tell; `eprintln` would panic.
    #[cfg(unix)]
    stderr::write(line.as_bytes());
    #[cfg(not(unix))]
    {
        use std::io::{Write, stderr};
        let _ = stderr().write_all(line.as_bytes());
    }
}
