//! Threads that are told to record nothing for a while.

use super::local;
use std::marker::PhantomData;

/// Whether the calling thread records its zones from here on: it does unless it was told otherwise.
///
/// Zones that it enters while it does not are as if they were not there: they are not counted, and
/// their time is that of the zone that is open around them, which stays open and is closed as
/// always. So all sums hold. Other threads go on. To have this end with a scope, see
/// [`recording_scope`].
///
/// Such a zone costs some nanoseconds. The mode in which no thread records anything is
/// [`Timing::Off`](crate::Timing::Off).
///
/// ```
/// iprof::set_recording(false);
/// {
///     iprof::zone!(not_counted);
/// }
/// iprof::set_recording(true);
/// ```
pub fn set_recording(on: bool) {
    local::set_quiet(!on);
}

/// Whether the calling thread records its zones, as [`set_recording`] has told it. Without the
/// feature `enable`, no.
pub fn is_recording() -> bool {
    cfg!(feature = "enable") && !local::is_quiet()
}

/// As [`set_recording`], until the end of the scope: then it is as it was before.
///
/// ```
/// fn load(is_interesting: bool) {
///     let _scope = iprof::recording_scope(is_interesting);
///     iprof::zone!(load);
///     // …
/// }
/// # load(false);
/// # #[cfg(feature = "enable")]
/// assert!(iprof::is_recording());
/// ```
pub fn recording_scope(on: bool) -> RecordingScope {
    RecordingScope {
        was_quiet: local::set_quiet(!on),
        _not_send: PhantomData,
    }
}

/// Until this is dropped its thread records its zones or does not: see [`recording_scope`].
#[derive(Debug)]
#[must_use = "dropping it ends the scope"]
pub struct RecordingScope {
    was_quiet: bool,
    /// It belongs to its thread.
    _not_send: PhantomData<*const ()>,
}

impl Drop for RecordingScope {
    fn drop(&mut self) {
        local::set_quiet(self.was_quiet);
    }
}
