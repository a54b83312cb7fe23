//! A report's warnings: the reasons why times may be wrong or zones may be missing.

use crate::profiler::Profiler;
use crate::text_parts::FileAndLine;
use iprof_gather::sync::OnceLock;
use iprof_gather::zone::run_time;
use iprof_gather::{self as gather, Fault};

/// Warnings about environment variables that couldn't be applied. They are set once and read without a lock, because
/// the thread that sets them may hold any lock.
static FROM_ENVIRONMENT: OnceLock<Vec<String>> = OnceLock::new();

/// Adds `warnings` to all reports. Only the first call has an effect.
pub fn warn_of_environment(warnings: Vec<String>) {
    let _ = FROM_ENVIRONMENT.set(warnings);
}

#[doc(hidden)]
impl Profiler {
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        warnings.extend_from_slice(&self.environment_warnings);
        warnings.extend(FROM_ENVIRONMENT.get().into_iter().flatten().cloned());
        if let Some(reason) = &self.sampler_error {
            warnings.push(format!(
                "sampler could not start; using exact timing: {reason}"
            ));
        }
        if self.frame_clock.is_unstable() {
            warnings.push("timestamp counter is not constant-rate; times may be wrong".to_owned());
        }
        for fault in Fault::ALL {
            let (mut count, mut name) = (0, None);
            for thread in &self.threads {
                let (faults, zone) = thread.tree.record().faults(fault);
                let faults = faults - thread.faults_before[fault as usize];
                count += faults;
                name = zone.filter(|_| faults > 0).or(name);
            }
            if count == 0 {
                continue;
            }
            let times = times(count);
            let what = match fault {
                Fault::ClosedImplicitly => {
                    "zone still open when its parent ended; closed implicitly"
                }
                Fault::EndWithoutBegin => "`end!` without a matching `begin!`; ignored",
                Fault::StackLimit => "call-stack limit reached; zone not recorded",
                Fault::NoMemory => "out of memory; zone not recorded",
                Fault::Interrupted => {
                    "zone in a signal handler not recorded; it interrupted the profiler while a call stack was being added"
                }
            };
            let last = name.map_or(String::new(), |zone| {
                match (zone.label(), zone.file(), zone.line()) {
                    (label, "", _) => format!(", last {label}"),
                    (label, file, line) => format!(", last {label} ({})", FileAndLine(file, line)),
                }
            });
            warnings.push(format!("{what}: {times}{last}"));
        }
        match gather::unrecorded_zones() {
            0 => {}
            count => warnings.push(format!(
                "out of memory; zone of an unregistered thread not recorded: {}",
                times(count.into())
            )),
        }
        if let Some((count, first, limit)) = run_time::refused() {
            warnings.push(format!(
                "run-time zone limit of {limit} reached; zones counted as {}, values dropped: {}, first {first}",
                run_time::OTHER_NAMES,
                times(count),
            ));
        }
        self.gpu_warnings(&mut warnings);
        warnings
    }
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        _ => format!("{count} times"),
    }
}
