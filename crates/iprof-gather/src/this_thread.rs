//! The calling thread's settings: its registration, its name, and whether it records.

use super::{IS_ENABLED, local, registry};
use std::marker::PhantomData;

/// Registers the calling thread, so that the sampler sees it before its first zone.
///
/// Calling this function is optional, because a thread's first zone also registers the thread. Further calls do
/// nothing.
pub fn register_thread() {
    // The result is `None` on a thread that is about to end, which needs no sampling.
    let _ = local::record();
}

/// Names the calling thread in reports. The default is the name from its [`std::thread::Builder`], or `unnamed`.
///
/// A thread continues the counts of an ended thread with the same name. Use only a few names for short-lived threads,
/// because the data of up to 1,024 names is kept in memory. Beyond that, threads with new names share the
/// `other threads` row with each other and with ended threads. Sums remain correct, but these threads can no longer be
/// distinguished.
///
/// Name threads before their first zone. If a thread is renamed later, the next thread with that name does not take
/// over its counts, because it does not have the name yet when it begins.
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

/// Turns recording on or off for the calling thread. Recording is on by default.
///
/// While recording is off, the thread's zones are not counted, and their time is attributed to the enclosing zone,
/// which stays open and closes as usual. So all sums remain correct. Other threads are not affected. To turn recording
/// off for a scope, use [`recording_scope`].
///
/// Each zone still costs a few nanoseconds. To record nothing on any thread, use
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

/// Returns whether the calling thread records, as set by [`set_recording`]. Always `false` without the `enable`
/// feature.
#[must_use]
pub fn is_recording() -> bool {
    IS_ENABLED && !local::is_recording_off()
}

/// Turns recording on or off for the calling thread until the returned value is dropped, which restores the previous
/// setting.
///
/// See [`set_recording`].
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

/// Restores the previous recording setting when dropped. Created by [`recording_scope`].
#[derive(Debug)]
#[must_use = "if unused, the scope ends immediately"]
pub struct RecordingScope {
    was_off: bool,
    /// Ties the value to its thread.
    _not_send: PhantomData<*const ()>,
}

impl Drop for RecordingScope {
    fn drop(&mut self) {
        let _ = exchange(self.was_off);
    }
}

/// Turns recording off or on for the calling thread. Returns whether it was off before.
fn exchange(is_off: bool) -> bool {
    IS_ENABLED && local::set_recording_off(is_off)
}
