//! The choice of the frames that a view shows: the live view, one frame, a range, a set, a part of the session, the
//! longest frame or a marked one.

use crate::frame_set::FrameSet;
use crate::session_part::SessionPart;
use std::sync::Arc;

/// Which frames a [`View`](crate::View) shows: the live view, one frame, a range, a set, a part of the session, the longest or a marked one; see
/// [`View::show_frames`](crate::View::show_frames).
///
/// Frames are numbered from 1 over all recorded frames. Where a number is not remembered, the nearest
/// remembered one takes its place.
///
/// ```
/// use iprof::FrameSelection;
///
/// # for _ in 0..100 { iprof::update(true); }
/// let mut view = iprof::View::new();
/// view.show_frames(&iprof::profiler(), FrameSelection::Back(1));
/// # #[cfg(feature = "enable")]
/// assert_eq!(view.frames(), FrameSelection::Number(99));
/// view.show_frames(&iprof::profiler(), FrameSelection::Live);
/// assert_eq!(view.frames(), FrameSelection::Live);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FrameSelection {
    /// The live view: as frames are recorded, with the view's [`Average`](crate::Average).
    #[default]
    Live,
    /// The frame this many frames before the newest one; 0 is the newest frame, not the live view. Beyond
    /// the oldest remembered frame, the oldest.
    Back(usize),
    /// The frame with that number. The newest frame's number is that frame, not the live view.
    Number(u64),
    /// The frames from one number to another, both included, in either order. The report shows each
    /// value's mean per frame: its sum over these frames divided by their number. So all sums that hold
    /// in a frame hold here, too. A range of one frame is that frame.
    ///
    /// ```
    /// use iprof::FrameSelection;
    ///
    /// # for _ in 0..100 { iprof::update(true); }
    /// let mut view = iprof::View::new();
    /// view.show_frames(&iprof::profiler(), FrameSelection::Range { first: 40, last: 99 });
    /// # #[cfg(feature = "enable")]
    /// assert!(view.report(&iprof::profiler()).title[0].ends_with("frames 40 to 99, mean of 60"));
    /// ```
    ///
    /// Frames of a range are forgotten like any others; then the rest of the range is shown, and the
    /// title says how many frames that is.
    ///
    /// Estimates of sampled times partly rest on earlier samples, so their errors in different frames
    /// are not independent: the standard error of the mean is given as the mean of the frames' standard
    /// errors, its upper bound.
    Range {
        /// The number at one end; [`Action::ExtendRange`](crate::Action::ExtendRange) leaves it as it is.
        first: u64,
        /// The number at the other end, which [`Action::ExtendRange`](crate::Action::ExtendRange) moves.
        last: u64,
    },
    /// The frames of a set. As for a range, the report shows each value's mean per frame, and all sums hold. It
    /// follows as frames are recorded and forgotten; a set may have no frames, and then all values are 0.
    ///
    /// ```
    /// use iprof::{Baseline, FrameSelection, FrameSet, View};
    ///
    /// # iprof::update(true);
    /// // The slowest hundredth of the remembered frames against the others.
    /// let mut view = View::new();
    /// view.show_frames(&iprof::profiler(), FrameSelection::Set(FrameSet::slowest_percent(1.0)));
    /// view.set_baseline(Baseline::Rest);
    /// view.write_report(&iprof::profiler(), std::io::stdout())?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    Set(FrameSet),
    /// A part of the whole session: bands of frame length, or a span of time, of all frames since the start or the last
    /// [`reset`](crate::reset), remembered or not. As for a range, the report shows each value's mean per frame, and all sums
    /// hold. It follows as frames are recorded; a part may have no frames, and then all values are 0.
    ///
    /// ```
    /// use iprof::{Baseline, FrameSelection, SessionPart, View};
    ///
    /// # iprof::update(true);
    /// // Frames over the frame budget, of the last four hours, against the others.
    /// let mut view = View::new();
    /// view.show_frames(&iprof::profiler(), FrameSelection::Session(SessionPart::slower(2)));
    /// view.set_baseline(Baseline::Rest);
    /// view.write_report(&iprof::profiler(), std::io::stdout())?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    Session(SessionPart),
    /// The longest remembered frame that began a second or more after the program's first zone: before,
    /// programs load and compile. If there is none yet, the longest of all.
    Longest,
    /// The newest remembered frame that was [marked](crate::mark) with that name.
    Marked(Arc<str>),
}
