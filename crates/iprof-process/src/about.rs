//! Metadata of a measurement, for the headers of profile files.

use iprof_gather::sync::{Mutex, lock};
use std::time::SystemTime;

/// Metadata of a measurement: program, machine and date.
///
/// Any field may be empty. The fields are only used for display.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// The program's name or path.
    pub program: String,
    /// The program's arguments, without its name.
    pub arguments: Vec<String>,
    /// A description of the machine.
    pub machine: String,
    /// The time at which the measurements were taken.
    pub taken: Option<SystemTime>,
}

impl About {
    /// Describes the current process, machine and time. Unknown fields are empty. Invalid Unicode is replaced.
    #[must_use]
    pub fn this_process() -> About {
        let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
        About {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            machine: lock(&MACHINE).get_or_insert_with(machine).clone(),
            taken: system_time(),
        }
    }

    /// Returns the program's name without its folder.
    #[doc(hidden)]
    pub fn name(&self) -> &str {
        let program = &self.program;
        program.rsplit(['/', '\\']).next().unwrap_or(program)
    }

    /// Returns the program and its arguments as they would appear on a command line, without quoting.
    #[must_use]
    pub fn command(&self) -> String {
        let mut command = self.program.clone();
        for argument in &self.arguments {
            command.push(' ');
            command.push_str(argument);
        }
        command
    }

    /// Returns the time of the measurements in the form `2026-11-21 16:08:05 UTC`. Empty if the time is unknown or
    /// before 1970.
    #[must_use]
    pub fn date(&self) -> String {
        let since = |taken: SystemTime| taken.duration_since(SystemTime::UNIX_EPOCH).ok();
        match self.taken.and_then(since) {
            Some(since) => utc(since.as_secs()),
            None => String::new(),
        }
    }
}

/// The cached machine description, so that the files are only read once.
static MACHINE: Mutex<Option<String>> = Mutex::new(None);

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn system_time() -> Option<SystemTime> {
    Some(SystemTime::now())
}

/// The standard library's clock panics in browsers, so this reads `Date.now()`.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn system_time() -> Option<SystemTime> {
    use web_time::web::SystemTimeExt;
    Some(web_time::SystemTime::now().to_std())
}

/// Describes the host, processor, cores and system, as far as files and the standard library provide them.
fn machine() -> String {
    let mut parts = Vec::new();
    let line = |path: &str| std::fs::read_to_string(path).ok();
    if let Some(host) = line("/proc/sys/kernel/hostname") {
        parts.push(host.trim().to_owned());
    }
    let processors = line("/proc/cpuinfo").unwrap_or_default();
    let model = processors
        .lines()
        .find(|line| line.starts_with("model name"));
    if let Some((_, model)) = model.and_then(|line| line.split_once(':')) {
        parts.push(model.trim().to_owned());
    }
    if let Ok(cores) = std::thread::available_parallelism() {
        parts.push(format!("{cores} cores"));
    }
    parts.push(format!(
        "{} {}",
        std::env::consts::OS,
        std::env::consts::ARCH
    ));
    parts.join(", ")
}

/// Formats seconds since 1970 as a date and a time of day.
fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date_of(days);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    let second = second % 60;
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// Returns the date `days` days after 1 January 1970.
///
/// Years are counted from March, so that the leap day comes last. Then month lengths repeat every five months, and year
/// lengths every 4, 100 and 400 years.
fn date_of(days: u64) -> (u64, u64, u64) {
    const DAYS_TO_1970_FROM_MARCH_0: u64 = 719_468;
    const DAYS_OF_400_YEARS: u64 = 146_097;
    let days = days + DAYS_TO_1970_FROM_MARCH_0;
    let (cycle, day) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let is_next_year = month >= 10;
    let month = if is_next_year { month - 9 } else { month + 3 };
    (cycle * 400 + year + u64::from(is_next_year), month, day)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_782_399), "2000-02-28 23:59:59 UTC");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(utc(1_795_277_285), "2026-11-21 16:08:05 UTC");
        assert_eq!(utc(4_107_542_400), "2100-03-01 00:00:00 UTC");
        let mut last = date_of(0);
        for day in 1..146_097 {
            let date = date_of(day);
            let follows = (date.0, date.1, date.2) == (last.0, last.1, last.2 + 1)
                || (date.0, date.1, date.2) == (last.0, last.1 + 1, 1)
                || (date.0, date.1, date.2) == (last.0 + 1, 1, 1) && last.1 == 12;
            assert!(follows, "{last:?} {date:?}");
            last = date;
        }
        assert_eq!(last, (2369, 12, 31));
    }

    #[test]
    fn unknown_fields_are_empty() {
        assert_eq!(About::default().date(), "");
        assert_eq!(About::default().command(), "");
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        let about = About {
            taken: Some(before),
            ..About::default()
        };
        assert_eq!(about.date(), "");
    }

    #[test]
    fn this_process_has_a_name_and_a_machine() {
        let about = About::this_process();
        assert!(about.program.contains("iprof"), "{about:?}");
        assert!(about.machine.contains(std::env::consts::ARCH), "{about:?}");
        assert!(about.date().starts_with("2"), "{about:?}");
    }
}
