//! The crate's functions on the default view: those of the C API, [`act`], [`with_view`], reports.

use crate::action::Action;
use crate::average::Average;
use crate::frame_selection::FrameSelection;
use crate::process::View;
use crate::process::default_view;
use crate::report::{Recursion, Report, ReportMode};

/// Sets what the rows of the default view are: [`View::set_report_mode`].
pub fn set_report_mode(mode: ReportMode) {
    with_view(|view| view.set_report_mode(mode));
}

/// Moves the cursor by `delta` rows, downwards if positive: [`View::move_cursor`] of the default view.
pub fn move_cursor(delta: i32) {
    act(Action::MoveCursor(delta));
}

/// Sets the cursor on row `position`, counted from 0: [`View::set_cursor`] of the default view.
pub fn set_cursor(position: usize) {
    act(Action::SetCursor(position));
}

/// Shows the call graph of the zone under the cursor: [`View::select`] of the default view.
pub fn select() {
    act(Action::Select);
}

/// Goes to the costliest direct caller of the selected zone: [`View::select_parent`] of the default view.
pub fn select_parent() {
    act(Action::SelectParent);
}

/// Goes `delta` frames forwards, into the past if negative: [`View::move_frame`] of the default view.
pub fn move_frame(delta: i32) {
    with_view(|view| view.move_frame(delta));
}

/// Shows the frame `back` frames before the newest one in the default view ([`FrameSelection::Back`]); 0
/// returns to the live view ([`FrameSelection::Live`]). It takes no frame number.
pub fn set_frame(back: usize) {
    let selection = match back {
        0 => FrameSelection::Live,
        _ => FrameSelection::Back(back),
    };
    with_view(|view| view.set_frames(selection));
}

/// Sets the average that live values are: [`View::set_average`] of the default view.
pub fn set_average(average: Average) {
    with_view(|view| view.set_average(average));
}

/// Sets whether a recursive zone has one row or one per depth: [`View::set_recursion`] of the default view.
pub fn set_recursion(recursion: Recursion) {
    with_view(|view| view.set_recursion(recursion));
}

/// [`View::act`] of the default view: applies an action, and returns whether it concerns a view.
#[allow(clippy::must_use_candidate, reason = "most hosts need not know")]
pub fn act(action: Action) -> bool {
    default_view::act(action)
}

/// Calls `change` with the default view, and returns what it returns; the change shows at once. For
/// everything that has no function of its own here, and for several changes in one step.
///
/// `change` runs under the default view's lock, so changes by several threads follow each other and none
/// is lost. Keep it short: meanwhile other threads wait that draw or use the default view. Use
/// [`act`] where a change depends on the rows that are on the screen: [`View`]'s methods look at the
/// rows as of now.
///
/// ```
/// iprof::with_view(|view| {
///     view.set_filter("physics");
///     view.set_grouping(true);
/// });
/// let filter = iprof::with_view(|view| view.filter().to_owned());
/// # #[cfg(feature = "enable")]
/// assert_eq!(filter, "physics");
/// ```
///
/// A report takes longer than a change, so build it from a copy:
///
/// ```
/// let view = iprof::with_view(|view| view.clone());
/// let graph = view.graph();
/// ```
///
/// # Panics
///
/// If `change` panics; then the default view stays as it was. If `change` calls this function or another
/// one that needs the default view: it would wait for itself. (A panic hook may call [`report`], [`write_report`] and
/// [`act`] in any case.) These are [`act`], [`report`],
/// [`write_report`], [`Controls::act`](crate::Controls::act), functions that draw
/// the default view or drive it, and those named like methods of [`View`].
pub fn with_view<R>(change: impl FnOnce(&mut View) -> R) -> R {
    default_view::with_view(change)
}

/// Reads the default view, of which [`with_view`] makes a copy.
pub(crate) fn read_view<R>(read: impl FnOnce(&View) -> R) -> R {
    read(default_view::lock().view())
}

/// Builds the report that the default view shows, with values as of now: [`View::report`].
///
/// After a panic in a closure of [`with_view`], for a panic hook or a destructor, it has no rows, and a warning says
/// why.
#[must_use]
pub fn report() -> Report {
    if default_view::is_held_by_panic() {
        return default_view::no_report();
    }
    with_view(|view| view.clone()).report()
}

/// Writes the report of the default view as text: [`View::write_report`]. In a panic hook it says why there is none,
/// if so: see [`report`].
///
/// ```
/// iprof::update(true);
/// iprof::write_report(std::io::stdout())?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Those of `out`.
pub fn write_report(out: impl std::io::Write) -> std::io::Result<()> {
    report().write(out, 2)
}
