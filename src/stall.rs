//! A stall as plain data: the open zones of every thread while no frame ends.

use std::fmt;
use std::time::Duration;

/// The state of a program in which no frame has ended for some time: see
/// [`set_stall_timeout`](crate::set_stall_timeout). Displayed as text of several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stall {
    /// The number of frames that had ended before, discarded ones included.
    pub frames: u32,
    /// The time since the last of them ended, without that for which the program was stopped or suspended.
    pub duration: Duration,
    /// The threads that have zones and have not ended.
    pub threads: Vec<StalledThread>,
}

/// A thread in a [`Stall`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StalledThread {
    /// Its name.
    pub name: String,
    /// Its open zones, the outermost first.
    pub zones: Vec<StalledZone>,
}

/// An open zone in a [`Stall`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StalledZone {
    /// Its name.
    pub name: String,
    /// The source file that defines it.
    pub file: String,
    /// The line in `file`, from 1; 0 if there is none.
    pub line: u32,
    /// For how long it is open, at least: up to a twentieth of the timeout, or 50 ms, is missing; and what was before the
    /// timeout was set.
    pub open: Duration,
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, frames) = (self.duration.as_secs_f64(), self.frames);
        writeln!(
            f,
            "no frame ended for {seconds:.2} s; {frames} ended before"
        )?;
        for thread in &self.threads {
            writeln!(f, "{}", thread.name)?;
            if thread.zones.is_empty() {
                writeln!(f, "{:9}   outside zones", "")?;
            }
            for (depth, zone) in thread.zones.iter().enumerate() {
                let (open, indent) = (zone.open.as_secs_f64(), 2 * depth);
                write!(f, "{open:9.2} s {:indent$}{}", "", zone.name)?;
                match zone.line {
                    0 => writeln!(f)?,
                    line => writeln!(f, "  {}:{line}", zone.file)?,
                }
            }
        }
        Ok(())
    }
}
