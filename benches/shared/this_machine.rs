//! Describes the machine that runs a benchmark, and the date.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the number of cores that this process may use.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(0, usize::from)
}

/// Returns the CPU's name.
pub(crate) fn processor() -> String {
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

/// Returns the date in UTC, such as 2026-11-21.
pub(crate) fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    // In this calculation, years begin in March, so that a leap day is the last day of its year.
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
