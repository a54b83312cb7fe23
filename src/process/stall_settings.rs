//! The crate's functions on the stall detector.

use crate::process::stalls;
use crate::stall::Stall;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Reports a stall if no frame ends for that long: every thread's open zones, with how long each is open, go to stderr, to
/// [a file](set_stall_file), to [`last_stall`], and to the page `/stall` of the [HTTP endpoint](crate::http). `None`, the default,
/// turns it off. At least 20 ms; reported no later than 0.1 s after the timeout, once for each stall.
///
/// A thread of iprof's own watches: so a deadlock is reported, too. Time for which the program is stopped by a debugger or a
/// signal, or the machine is suspended, does not count. Nothing is a stall before the first frame has ended, since programs load
/// for as long as they like, and some end no frames at all: to have loading watched, call [`update(false)`](crate::update)
/// before it, which ends a frame. Zones are not seen while timing is [off](crate::Timing::Off). It costs 20 looks at each
/// thread's stack in a timeout, or in each second.
///
/// ```
/// use std::time::Duration;
///
/// iprof::set_stall_timeout(Some(Duration::from_secs(5)))?;
/// # iprof::set_stall_timeout(None)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// If the thread cannot be started, as in a browser.
pub fn set_stall_timeout(timeout: Option<Duration>) -> io::Result<()> {
    stalls::set_timeout(timeout)
}

/// Has stalls appended to that file, too; of one run, the first 100.
///
/// # Errors
///
/// If the path is relative and there is no current folder.
pub fn set_stall_file(file: Option<&Path>) -> io::Result<()> {
    stalls::set_file(file)
}

/// The last stall, as it was when it was reported: see [`set_stall_timeout`].
#[must_use]
pub fn last_stall() -> Option<Stall> {
    stalls::last()
}
