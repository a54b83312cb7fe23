//! The choice of the frames that a view shows: the live view, one frame, a range, a set, a part of the session, the
//! longest frame or a marked one.

use crate::decimal::push_decimal;
use crate::session_part::SessionPart;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Which frames a [`View`](struct.View.html) shows: the live view, one frame, a range, a set, a part of the session, the longest or a marked one; see
/// [`View::show_frames`](struct.View.html#method.show_frames).
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
/// # if !iprof::is_recording() { return }
/// assert_eq!(view.frames(), FrameSelection::Number(99));
/// view.show_frames(&iprof::profiler(), FrameSelection::Live);
/// assert_eq!(view.frames(), FrameSelection::Live);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum FrameSelection {
    /// The live view: as frames are recorded, with the view's [`Average`](enum.Average.html).
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
    /// # if !iprof::is_recording() { return }
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
        /// The number at one end; [`Action::ExtendRange`](enum.Action.html#variant.ExtendRange) leaves it as it is.
        first: u64,
        /// The number at the other end, which [`Action::ExtendRange`](enum.Action.html#variant.ExtendRange) moves.
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
    /// [`reset`](fn.reset.html), remembered or not. As for a range, the report shows each value's mean per frame, and all sums
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
    /// The newest remembered frame that was [marked](fn.mark.html) with that name.
    Marked(Arc<str>),
}

/// A set of frames: longer than a limit, between two limits, the slowest, marked, from one number to another, and the
/// complement of each; see [`FrameSelection::Set`](crate::FrameSelection::Set) and
/// [`Baseline::Set`](enum.Baseline.html#variant.Set).
///
/// It is a condition, not a list: a report of the set is of the frames that meet it when the report is made. They are
/// looked for among all remembered frames, those that are [kept longer](struct.Config.html#structfield.longest_frames) included. Each
/// of these is in a set or in its complement, and in one of them alone.
///
/// ```
/// use iprof::{FrameSelection, FrameSet, View};
/// use std::time::Duration;
///
/// # iprof::update(true);
/// let slow = FrameSet::longer_than(Duration::from_micros(16_667));
/// assert_eq!(slow.to_string(), "frames over 16.67 ms");
/// assert_eq!(slow.clone().complement().to_string(), "frames up to 16.67 ms");
///
/// let mut view = View::new();
/// view.show_frames(&iprof::profiler(), FrameSelection::Set(slow));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FrameSet {
    #[doc(hidden)]
    pub condition: Condition,
    #[doc(hidden)]
    pub is_complement: bool,
}

/// What the frames of a set have in common, unless it is a complement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    Any,
    LongerThan(Duration),
    /// Longer than the first, and no longer than the second.
    Between(Duration, Duration),
    Slowest(usize),
    /// In ten-thousandths of a percent of the remembered frames.
    SlowestShare(u32),
    Marked(Arc<str>),
    /// From the first number to the second, both included.
    Numbers(u64, u64),
}

/// The share that is all frames.
pub const WHOLE_SHARE: u32 = 1_000_000;

impl FrameSet {
    fn of(condition: Condition) -> FrameSet {
        FrameSet {
            condition,
            is_complement: false,
        }
    }

    /// All remembered frames.
    #[must_use]
    pub fn all() -> FrameSet {
        FrameSet::of(Condition::Any)
    }

    /// The frames that took longer than `limit`.
    #[must_use]
    pub fn longer_than(limit: Duration) -> FrameSet {
        FrameSet::of(Condition::LongerThan(limit))
    }

    /// The frames that took longer than the one limit, and no longer than the other: so sets of adjoining limits have
    /// no frame in common. The limits come in either order.
    #[must_use]
    pub fn between(one: Duration, other: Duration) -> FrameSet {
        FrameSet::of(Condition::Between(one.min(other), one.max(other)))
    }

    /// The `count` slowest frames; all if there are fewer. Of frames of the same length the older ones.
    #[must_use]
    pub fn slowest(count: usize) -> FrameSet {
        FrameSet::of(Condition::Slowest(count))
    }

    /// The slowest `percent` of the remembered frames: that many hundredths of their number, rounded up to a whole
    /// frame. Clamped to 0 to 100, and rounded to 0.0001; NaN is 0. Of frames of the same length the older ones.
    ///
    /// ```
    /// assert_eq!(iprof::FrameSet::slowest_percent(0.5).to_string(), "the slowest 0.5 % of frames");
    /// ```
    #[must_use]
    pub fn slowest_percent(percent: f64) -> FrameSet {
        // A float is clamped when it becomes an integer, and NaN becomes 0.
        let share = (percent * f64::from(WHOLE_SHARE / 100)).round() as u32;
        FrameSet::of(Condition::SlowestShare(share.min(WHOLE_SHARE)))
    }

    /// The frames that were [marked](fn.mark.html) with that name.
    #[must_use]
    pub fn marked(name: impl Into<Arc<str>>) -> FrameSet {
        FrameSet::of(Condition::Marked(name.into()))
    }

    /// The frames from one number to the other, both included, in either order.
    #[must_use]
    pub fn range(one: u64, other: u64) -> FrameSet {
        FrameSet::of(Condition::Numbers(one.min(other), one.max(other)))
    }

    /// All remembered frames that are not in this set.
    #[must_use]
    pub fn complement(self) -> FrameSet {
        FrameSet {
            is_complement: !self.is_complement,
            ..self
        }
    }
}

/// A name of the set, as titles have it.
impl fmt::Display for FrameSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |limit: &Duration| number(limit.as_secs_f64() * 1e3);
        let (all, over, not, all_but) = match self.is_complement {
            false => ("all", "over", "", ""),
            true => ("no", "up to", "not ", "all but "),
        };
        match &self.condition {
            Condition::Any => write!(f, "{all} frames"),
            Condition::LongerThan(limit) => write!(f, "frames {over} {} ms", ms(limit)),
            Condition::Between(shorter, longer) => {
                write!(f, "frames {not}of {} to {} ms", ms(shorter), ms(longer))
            }
            Condition::Slowest(1) => write!(f, "{all_but}the slowest frame"),
            Condition::Slowest(count) => write!(f, "{all_but}the {count} slowest frames"),
            Condition::SlowestShare(share) => {
                let percent = number(f64::from(*share) / f64::from(WHOLE_SHARE / 100));
                write!(f, "{all_but}the slowest {percent} % of frames")
            }
            Condition::Marked(name) => write!(f, "frames {not}marked \"{name}\""),
            Condition::Numbers(first, last) => write!(f, "{all_but}frames {first} to {last}"),
        }
    }
}

/// With at most four decimal places, of times two, and no zeros at the end.
pub fn number(value: f64) -> String {
    let mut text = String::new();
    let is_small = value < 0.1;
    push_decimal(&mut text, value, if is_small { 4 } else { 2 });
    let trimmed = text.trim_end_matches('0').trim_end_matches('.').len();
    text.truncate(trimmed);
    text
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_a_name_that_a_title_can_have() {
        let ms = Duration::from_millis;
        let names = [
            (FrameSet::all(), "all frames", "no frames"),
            (
                FrameSet::longer_than(ms(20)),
                "frames over 20 ms",
                "frames up to 20 ms",
            ),
            (
                FrameSet::between(ms(30), Duration::from_micros(5_250)),
                "frames of 5.25 to 30 ms",
                "frames not of 5.25 to 30 ms",
            ),
            (
                FrameSet::slowest(1),
                "the slowest frame",
                "all but the slowest frame",
            ),
            (
                FrameSet::slowest(10),
                "the 10 slowest frames",
                "all but the 10 slowest frames",
            ),
            (
                FrameSet::slowest_percent(0.01),
                "the slowest 0.01 % of frames",
                "all but the slowest 0.01 % of frames",
            ),
            (
                FrameSet::marked("load"),
                "frames marked \"load\"",
                "frames not marked \"load\"",
            ),
            (
                FrameSet::range(9, 3),
                "frames 3 to 9",
                "all but frames 3 to 9",
            ),
        ];
        for (set, name, complement) in names {
            assert_eq!(set.to_string(), name);
            assert_eq!(set.clone().complement().to_string(), complement);
            assert_eq!(set.clone().complement().complement(), set);
        }
    }

    #[test]
    fn a_share_is_clamped() {
        let name = |percent| FrameSet::slowest_percent(percent).to_string();
        assert_eq!(name(f64::NAN), "the slowest 0 % of frames");
        assert_eq!(name(-1.0), "the slowest 0 % of frames");
        assert_eq!(name(1e9), "the slowest 100 % of frames");
    }
}
