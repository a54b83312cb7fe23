//! Measures wall time, and the CPU time of all threads in this process.

use std::time::Instant;

/// The readings of both clocks at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    wall: Instant,
    cpu_ns: f64,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    pub wall_ns: f64,
    /// The total CPU time of all threads, including the profiler's own threads.
    pub cpu_ns: f64,
}

impl Reading {
    pub fn now() -> Reading {
        let cpu_ns = cpu_ns();
        Reading {
            wall: Instant::now(),
            cpu_ns,
        }
    }

    pub fn spent(&self) -> Spent {
        Spent {
            wall_ns: self.wall.elapsed().as_nanos() as f64,
            cpu_ns: cpu_ns() - self.cpu_ns,
        }
    }
}

#[cfg(unix)]
fn cpu_ns() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes only to `time`.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0, "the process's CPU clock should be available");
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

#[cfg(not(unix))]
fn cpu_ns() -> f64 {
    f64::NAN
}
