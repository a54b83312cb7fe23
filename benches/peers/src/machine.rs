//! The machine, date and versions of a measurement.

use crate::contender::Contender;
use std::time::{SystemTime, UNIX_EPOCH};

const LOCK: &str = include_str!("../Cargo.lock");

/// Prints what has to stand over every table.
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

/// The version that was built, from the lock file.
fn version(package: &str) -> Option<&'static str> {
    // Of several versions the newest is listed last: the others are dependencies of contenders.
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

/// As 2026-11-21, in universal time.
fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    // Counted in years that begin in March, so that the odd day is a year's last.
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

/// Bytes of memory that this process has now, and the most it ever had.
pub(crate) fn resident() -> Option<(f64, f64)> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    Some((kibibytes(&text, "VmRSS:")?, kibibytes(&text, "VmHWM:")?))
}

/// Bytes of memory that the system could still give.
pub(crate) fn available() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    kibibytes(&text, "MemAvailable:")
}

/// In bytes, what stands behind a name.
fn kibibytes(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    let number: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(number * 1024.0)
}
