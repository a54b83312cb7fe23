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

/// Moves the cursor by `delta` rows, downwards if positive: [`Action::MoveCursor`].
pub fn move_cursor(delta: i32) {
    act(Action::MoveCursor(delta));
}

/// Sets the cursor on row `position`, counted from 0: [`Action::SetCursor`].
pub fn set_cursor(position: usize) {
    act(Action::SetCursor(position));
}

/// Shows the call graph of the zone under the cursor: [`Action::Select`].
pub fn select() {
    act(Action::Select);
}

/// Goes to the costliest direct caller of the selected zone: [`Action::SelectParent`].
pub fn select_parent() {
    act(Action::SelectParent);
}

/// Goes `delta` frames forwards, into the past if negative: [`Action::MoveFrame`].
pub fn move_frame(delta: i32) {
    act(Action::MoveFrame(delta));
}

/// Shows the frame `back` frames before the newest one in the default view ([`FrameSelection::Back`]); 0
/// returns to the live view ([`FrameSelection::Live`]). It takes no frame number.
pub fn set_frame(back: usize) {
    let selection = match back {
        0 => FrameSelection::Live,
        _ => FrameSelection::Back(back),
    };
    act(Action::SetFrames(selection));
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
/// `change` runs under iprof's lock, so changes by several threads follow each other and none is lost. Keep it short:
/// meanwhile other threads wait that draw, end a frame or use the default view. Use [`act`] where a change depends on what
/// was recorded, as steps through frames and rows do.
///
/// ```
/// iprof::with_view(|view| {
///     view.set_filter("physics");
///     view.set_grouping(true);
/// });
/// let filter = iprof::with_view(|view| view.filter().to_owned());
/// assert_eq!(filter, "physics");
/// ```
///
/// `change` may read what was recorded, by [`profiler`](crate::profiler()), which shares the lock:
///
/// ```
/// iprof::with_view(|view| {
///     view.show_frames(&iprof::profiler(), iprof::FrameSelection::Longest);
///     view.set_baseline(iprof::Baseline::Average);
/// });
/// ```
///
/// # Panics
///
/// If `change` panics; then the default view stays as it was. If `change` calls a function that changes what is recorded or
/// shown, such as [`update`](crate::update), [`act`] or this one: it would wait for itself. So does [`snapshot`](crate::snapshot).
/// Zones do not. A panic hook may call them in any case: where the lock is held, they find nothing recorded.
pub fn with_view<R>(change: impl FnOnce(&mut View) -> R) -> R {
    default_view::with_view(change)
}

/// Builds the report that the default view shows, with values as of now: [`View::report`]. In a closure of [`with_view`] the
/// view is as it was before.
#[must_use]
pub fn report() -> Report {
    default_view::report()
}

/// Writes the report of the default view as text: [`View::write_report`].
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
