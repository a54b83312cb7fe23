//! What a thread says of itself: that it is there, its name, whether it records.

use super::{IS_ENABLED, local, registry};
use std::marker::PhantomData;

/// Registers the calling thread, so that the sampler sees it before it enters a zone. Optional: a
/// thread's first zone does the same. Further calls do nothing.
pub fn register_thread() {
    // `None` on a thread that is about to end: there is nothing to sample.
    let _ = local::record();
}

/// Names the calling thread in reports. By default the name is that given to its
/// [`std::thread::Builder`], or `unnamed`.
///
/// A thread that begins after another of the same name has ended continues the ended thread's counts.
/// So give short-lived threads a few names, not ever new ones: the memory of a name is kept, for 1,024
/// names. Threads with further names share a line called `other threads`, with each other and with
/// threads that have ended: all sums hold, but these threads cannot be told apart any more. And name
/// threads before their first zone: the counts of a thread renamed later have a name that its successor
/// does not have yet when it begins.
///
/// ```
/// std::thread::spawn(|| {
///     iprof::set_thread_name("loader");
///     iprof::zone!(load);
/// });
/// ```
pub fn set_thread_name(name: impl Into<String>) {
    let name = name.into();
    if IS_ENABLED {
        registry::without_reentry(|| registry::rename(name));
    }
}

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
