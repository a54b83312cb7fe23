//! Describes the machine, the date and the versions of a measurement.

use crate::contender::Contender;
use crate::this_machine::{cores, processor, today};

const LOCK: &str = include_str!("../Cargo.lock");

pub(crate) fn introduce(title: &str, contenders: &[&Contender]) {
    println!("{title}");
    println!("{}, {} cores, {}", processor(), cores(), today());
    println!();
    for contender in contenders {
        let version = contender.package.and_then(version).unwrap_or_default();
        println!("{:<20} {version:<8} {}", contender.name, contender.set);
    }
    println!();
}

/// Returns the version of the package that was built, according to the lock file.
fn version(package: &str) -> Option<&'static str> {
    // If there are several versions, the newest is listed last. Older ones are contenders' dependencies.
    let (_, rest) = LOCK.rsplit_once(&format!("name = \"{package}\"\nversion = \""))?;
    rest.split('"').next()
}

/// Returns this process's resident memory in bytes: the current size, and the peak.
pub(crate) fn resident() -> Option<(f64, f64)> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    Some((kibibytes(&text, "VmRSS:")?, kibibytes(&text, "VmHWM:")?))
}

pub(crate) fn available() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    kibibytes(&text, "MemAvailable:")
}

/// Returns the number of kibibytes that follows a name, converted to bytes.
fn kibibytes(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    let number: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(number * 1024.0)
}
