//! The machine, date and versions of a measurement.

use crate::contender::Contender;
use std::time::{SystemTime, UNIX_EPOCH};

const LOCK: &str = include_str!("../Cargo.lock");

pub(crate) fn introduce(title: &str, contenders: &[&Contender]) {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("{title}");
    println!("{}, {cores} cores, {}", processor(), today());
    println!();
    for contender in contenders {
        let version = contender.package.and_then(version).unwrap_or_default();
        println!("{:<20} {version:<8} {}", contender.name, contender.set);
    }
    println!();
}

/// Returns the version that was built, from the lock file.
fn version(package: &str) -> Option<&'static str> {
    // The newest of several versions is listed last. The others are dependencies of contenders.
    let (_, rest) = LOCK.rsplit_once(&format!("name = \"{package}\"\nversion = \""))?;
    rest.split('"').next()
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split(':').nth(1).map(str::trim)
    };
    match field("model name") {
        Some(name) => format!(
            "{name} (family {}, model {})",
            field("cpu family").unwrap_or("?"),
            field("model\t").unwrap_or("?")
        ),
        None => format!("a processor of kind {}", std::env::consts::ARCH),
    }
}

/// Returns the date in universal time, such as 2026-11-21.
fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    // Years begin in March here, so that a leap day is the last day of its year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = match month {
        0..10 => (era * 400 + year, month + 3),
        _ => (era * 400 + year + 1, month - 9),
    };
    format!("{year}-{month:02}-{day:02}")
}

/// Returns the bytes of memory that this process uses now, and its peak.
pub(crate) fn resident() -> Option<(f64, f64)> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    Some((kibibytes(&text, "VmRSS:")?, kibibytes(&text, "VmHWM:")?))
}

pub(crate) fn available() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    kibibytes(&text, "MemAvailable:")
}

/// Returns the number after a name, converted to bytes.
fn kibibytes(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    let number: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(number * 1024.0)
}
