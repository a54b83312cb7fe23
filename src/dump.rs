//! Everything recorded so far as text.

use crate::process::snapshot;
use iprof_export::Format;

/// Everything recorded so far as text, for a console or a log: the [tree](Format::Tree) of a
/// [`snapshot`]. Call it at any moment, from any thread; no thread that records waits for it. Without
/// the feature `enable` it lists no threads.
///
/// To measure one part of a program's run, call [`reset`](crate::reset) before it, and this after it.
///
/// ```
/// iprof::reset();
/// {
///     iprof::zone!(load);
/// }
/// let text = iprof::dump();
/// # if !iprof::is_recording() { return }
/// assert!(text.contains("load"));
/// print!("{text}");
/// ```
#[must_use]
pub fn dump() -> String {
    let mut text = Vec::new();
    // Writing to memory never fails.
    let _ = Format::Tree.write(&snapshot(), &mut text);
    String::from_utf8_lossy(&text).into_owned()
}
