//! Turns recording off and on for single threads: `set_recording` and `recording_scope`.

use crate::{IS_ENABLED, local};
use std::marker::PhantomData;

/// Turns recording on or off for the calling thread. It is on by default.
///
/// While it is off, the thread's zones are not counted, and their time belongs to the zone that is open
/// around them. That zone stays open and closes as always, so all sums hold. Other threads are not
/// affected. To end this with a scope, see [`recording_scope`].
///
/// Such a zone costs some nanoseconds. The mode in which no thread records anything is
/// [`Timing::Off`](https://docs.rs/iprof/latest/iprof/enum.Timing.html#variant.Off).
///
/// ```
/// iprof::set_recording(false);
/// {
///     iprof::zone!(not_counted);
/// }
/// iprof::set_recording(true);
/// ```
pub fn set_recording(on: bool) {
    let _ = exchange(!on);
}

/// Whether the calling thread records, as [`set_recording`] says. Always `false` without
/// the feature `enable`.
#[must_use]
pub fn is_recording() -> bool {
    IS_ENABLED && !local::is_recording_off()
}

/// Turns recording on or off for the calling thread until the returned value is dropped; then the previous
/// setting returns. See [`set_recording`].
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
        was_off: exchange(!on),
        _not_send: PhantomData,
    }
}

/// Keeps recording on or off for the calling thread while it lives; dropping it restores what was
/// before. See [`recording_scope`].
#[derive(Debug)]
#[must_use = "dropping it ends the scope"]
pub struct RecordingScope {
    was_off: bool,
    /// It belongs to its thread.
    _not_send: PhantomData<*const ()>,
}

impl Drop for RecordingScope {
    fn drop(&mut self) {
        let _ = exchange(self.was_off);
    }
}

/// Turns recording of the calling thread off or on. Returns whether it was off.
fn exchange(is_off: bool) -> bool {
    IS_ENABLED && local::set_recording_off(is_off)
}
