//! The selection of frames that a view shows or compares with.

use crate::text_parts::push_decimal;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The frames that a [`View`](struct.View.html) shows ([`View::show_frames`](struct.View.html#method.show_frames)), or
/// compares with ([`Baseline::Frames`](enum.Baseline.html#variant.Frames)).
///
/// ```
/// use iprof::Frames;
///
/// # for _ in 0..100 { iprof::update(true); }
/// let mut view = iprof::View::default();
/// view.show_frames(&iprof::profiler(), Frames::Back(1));
/// # if !iprof::is_recording() { return }
/// assert_eq!(view.frames(), Frames::Number(99));
/// view.show_frames(&iprof::profiler(), Frames::Live);
/// assert_eq!(view.frames(), Frames::Live);
/// ```
///
/// # One frame
///
/// [`Back`](Frames::Back), [`Number`](Frames::Number), [`Longest`](Frames::Longest) and [`Marked`](Frames::Marked)
/// select one frame. Recorded frames are numbered from 1. Instead of a frame that is no longer remembered, the nearest
/// remembered frame is selected.
///
/// # Sets
///
/// [`All`](Frames::All), [`LongerThan`](Frames::LongerThan), [`Between`](Frames::Between),
/// [`Slowest`](Frames::Slowest), [`SlowestPercent`](Frames::SlowestPercent), [`AllMarked`](Frames::AllMarked) and their
/// [complements](Frames::complement) are conditions. A report covers the remembered frames that meet the condition when
/// it is made, including those that are [kept longer](struct.Config.html#structfield.longest_frames). If there are
/// none, all values are 0.
///
/// Each value is a mean per frame: its sum over these frames divided by their number. So all sums that hold in a frame
/// also hold here.
///
/// ```
/// use iprof::{Baseline, Frames, View};
///
/// # iprof::update(true);
/// // The slowest hundredth of the remembered frames against the others.
/// let mut view = View::default();
/// view.show_frames(&iprof::profiler(), Frames::SlowestPercent(1.0));
/// view.set_baseline(Baseline::Rest);
/// view.report(&iprof::profiler()).write(std::io::stdout(), 2)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # The session
///
/// [`Session`](Frames::Session), [`SessionBands`](Frames::SessionBands),
/// [`SessionSlowestPercent`](Frames::SessionSlowestPercent), [`SessionTime`](Frames::SessionTime) and their
/// [complements](Frames::complement) are parts of the session: all frames since the start or the last
/// [`reset`](fn.reset.html), remembered or not. Their values are means per frame, too.
///
/// The session takes a fixed amount of memory, however long the program runs. Every frame is added, by call stack, to
/// one *band* of frame length and to one *bucket* of time. All bands sum exactly to the session, and so do all buckets.
/// When their limits change, however, bands are cleared and hold only later frames.
///
/// - There are 8 bands. Band 0 has the shortest frames. [`session_bands`](fn.session_bands.html) returns their limits.
/// - There are at most 32 buckets. Each ends with a frame, and the first ones last a second, or one frame if it is
///   longer. Once all are in use, each new bucket merges two of the oldest, and lasts as long as they do together. So
///   the session is divided into pieces of 1 or 2 s, then of 2 or 4 s, and after four hours of 256 or 512 s.
///
/// Columns that need every single frame are blank: [times per frame](enum.ColumnId.html#times-per-frame) and
/// [rescued](enum.ColumnId.html#variant.Rescued) frames.
///
/// ```
/// use iprof::{Baseline, Frames, View};
///
/// # iprof::update(true);
/// // What were the frames over twice the frame budget made of, compared with all others?
/// let mut view = View::default();
/// view.show_frames(&iprof::profiler(), Frames::SessionBands(4, 7));
/// view.set_baseline(Baseline::Rest);
/// view.report(&iprof::profiler()).write(std::io::stdout(), 2)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Frames {
    /// The frames as they are recorded, with the view's [`Average`](enum.Average.html).
    #[default]
    Live,
    /// The frame this many frames before the newest one, or the oldest one if there are fewer. 0 is the newest frame,
    /// not the live view.
    Back(usize),
    /// The frame with that number. The newest frame's number selects that frame, not the live view.
    Number(u64),
    /// The longest remembered frame, except for frames that began in the first second after the program's first zone,
    /// when programs load and compile. If there are no others, the longest of all.
    Longest,
    /// The newest remembered frame that was [marked](fn.mark.html) with that name.
    Marked(Arc<str>),
    /// The frames from one number to another, both included, in either order, as means per frame. A range of one frame
    /// is that frame.
    ///
    /// ```
    /// use iprof::Frames;
    ///
    /// # for _ in 0..100 { iprof::update(true); }
    /// let mut view = iprof::View::default();
    /// view.show_frames(&iprof::profiler(), Frames::Range { first: 40, last: 99 });
    /// # if !iprof::is_recording() { return }
    /// assert!(view.report(&iprof::profiler()).title[0].ends_with("frames 40 to 99, mean of 60"));
    /// ```
    ///
    /// Frames of a range are forgotten like any others. The report then shows the rest, and its title says how many
    /// frames that is.
    ///
    /// Estimates of sampled times partly depend on earlier samples, so their errors in different frames are not
    /// independent. The mean has the mean of the frames' standard errors, which is an upper bound.
    Range {
        /// The number at one end, which [`Action::ExtendRange`](enum.Action.html#variant.ExtendRange) does not change.
        first: u64,
        /// The number at the other end, which [`Action::ExtendRange`](enum.Action.html#variant.ExtendRange) moves.
        last: u64,
    },
    /// All remembered frames.
    All,
    /// The remembered frames that took longer than a limit.
    LongerThan(Duration),
    /// The remembered frames that took longer than one limit, but no longer than the other, in either order. Sets with
    /// adjoining limits have no frame in common.
    Between(Duration, Duration),
    /// This many of the slowest remembered frames, or all if there are fewer. Of frames with the same length, older
    /// ones come first.
    Slowest(usize),
    /// The slowest remembered frames: this percentage of their number, rounded up to a whole frame. It is clamped to 0
    /// to 100 and rounded to 0.0001; NaN is 0. Of frames with the same length, older ones come first.
    SlowestPercent(f64),
    /// All remembered frames that were [marked](fn.mark.html) with that name.
    AllMarked(Arc<str>),
    /// All frames of the session, including those from before the limits of bands changed.
    Session,
    /// The frames of the session from one band to another, both included, in either order. Numbers over 7 mean the last
    /// band. Bands have the frames since their limits last changed.
    SessionBands(usize, usize),
    /// The slowest bands of the session that hold at least this percentage of the frames in all bands. They answer
    /// "what were the worst 1 % of four hours made of?"
    ///
    /// Bands are not divided, so it is usually more. The title says how many and how long:
    /// `the slowest 1.37 % of frames, over 33.33 ms`. [Closer limits](struct.Config.html#structfield.session_bands) get
    /// closer to the percentage, which is clamped and rounded like in [`SlowestPercent`](Frames::SlowestPercent). There
    /// is at least one band that has frames. The bands may change as frames are recorded.
    SessionSlowestPercent(f64),
    /// The frames of the session between two moments, both included, in either order. Moments are times since the
    /// program's first zone, like in snapshots, even after a [`reset`](fn.reset.html).
    ///
    /// All buckets that overlap with this time are selected, also when they are merged later. After the last frame
    /// there are none.
    ///
    /// ```
    /// use iprof::{Frames, View};
    /// use std::time::Duration;
    ///
    /// # iprof::update(true);
    /// // The first ten minutes.
    /// let mut view = View::default();
    /// let ten_minutes = Frames::SessionTime(Duration::ZERO, Duration::from_secs(600));
    /// view.show_frames(&iprof::profiler(), ten_minutes);
    /// ```
    SessionTime(Duration, Duration),
    /// The [complement](Frames::complement) of other frames.
    AllBut(Box<Frames>),
}

/// The share that stands for all frames.
pub(crate) const WHOLE_SHARE: u32 = 1_000_000;

impl Frames {
    /// Returns all frames but these: for parts of the session, all others of the session; otherwise all other
    /// remembered frames, including those that are [kept longer](struct.Config.html#structfield.longest_frames).
    ///
    /// ```
    /// use iprof::Frames;
    /// use std::time::Duration;
    ///
    /// let slow = Frames::LongerThan(Duration::from_micros(16_667));
    /// assert_eq!(slow.to_string(), "frames over 16.67 ms");
    /// assert_eq!(slow.complement().to_string(), "frames up to 16.67 ms");
    /// ```
    #[must_use]
    pub fn complement(self) -> Frames {
        match self {
            Frames::AllBut(frames) => *frames,
            frames => Frames::AllBut(Box::new(frames)),
        }
    }

    /// Removes all complements. Returns the remaining frames, and whether `self` is their complement.
    #[doc(hidden)]
    pub fn without_complement(&self) -> (&Frames, bool) {
        match self {
            Frames::AllBut(frames) => {
                let (frames, is_complement) = frames.without_complement();
                (frames, !is_complement)
            }
            frames => (frames, false),
        }
    }

    #[doc(hidden)]
    pub fn is_session(&self) -> bool {
        matches!(
            self.without_complement().0,
            Frames::Session
                | Frames::SessionBands(..)
                | Frames::SessionSlowestPercent(_)
                | Frames::SessionTime(..)
        )
    }

    #[doc(hidden)]
    pub fn is_set(&self) -> bool {
        let is_found = matches!(
            self,
            Frames::Live
                | Frames::Back(_)
                | Frames::Number(_)
                | Frames::Longest
                | Frames::Marked(_)
                | Frames::Range { .. }
        );
        !is_found && !self.is_session()
    }
}

/// Converts a percentage to parts of [`WHOLE_SHARE`].
pub(crate) fn share_of(percent: f64) -> u32 {
    // Converting a float to an integer clamps it, and NaN becomes 0.
    let share = (percent * f64::from(WHOLE_SHARE / 100)).round() as u32;
    share.min(WHOLE_SHARE)
}

/// A name of the frames. Titles name parts of the session by the limits of their bands instead.
impl fmt::Display for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |limit: &Duration| number(limit.as_secs_f64() * 1e3);
        let percent =
            |percent: f64| number(f64::from(share_of(percent)) / f64::from(WHOLE_SHARE / 100));
        let (frames, is_complement) = self.without_complement();
        let (all, over, not, all_but) = match is_complement {
            false => ("all", "over", "", ""),
            true => ("no", "up to", "not ", "all but "),
        };
        match frames {
            Frames::Live if is_complement => write!(f, "all frames"),
            Frames::Live => write!(f, "live"),
            Frames::Back(back) => write!(f, "{all_but}the frame {back} before the newest"),
            Frames::Number(number) => write!(f, "{all_but}frame {number}"),
            Frames::Longest => write!(f, "{all_but}the longest frame"),
            Frames::Marked(name) => write!(f, "{all_but}the newest frame marked \"{name}\""),
            Frames::Range { first, last } => {
                let (first, last) = (first.min(last), first.max(last));
                write!(f, "{all_but}frames {first} to {last}")
            }
            Frames::All => write!(f, "{all} frames"),
            Frames::LongerThan(limit) => write!(f, "frames {over} {} ms", ms(limit)),
            Frames::Between(one, other) => {
                let (shorter, longer) = (ms(one.min(other)), ms(one.max(other)));
                write!(f, "frames {not}of {shorter} to {longer} ms")
            }
            Frames::Slowest(1) => write!(f, "{all_but}the slowest frame"),
            Frames::Slowest(count) => write!(f, "{all_but}the {count} slowest frames"),
            Frames::SlowestPercent(share) => {
                write!(f, "{all_but}the slowest {} % of frames", percent(*share))
            }
            Frames::AllMarked(name) => write!(f, "frames {not}marked \"{name}\""),
            Frames::Session => write!(f, "session: {all} frames"),
            Frames::SessionBands(one, other) => {
                write!(f, "session: {all_but}bands {one} to {other}")
            }
            Frames::SessionSlowestPercent(share) => {
                write!(
                    f,
                    "session: {all_but}the slowest {} % of frames",
                    percent(*share)
                )
            }
            Frames::SessionTime(one, other) => write!(f, "session: {all_but}{one:?} to {other:?}"),
            Frames::AllBut(_) => Ok(()),
        }
    }
}

/// Formats a number with two decimal places, or four if it is small, without trailing zeros.
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
    fn sets_are_named_for_titles() {
        let ms = Duration::from_millis;
        let names = [
            (Frames::All, "all frames", "no frames"),
            (
                Frames::LongerThan(ms(20)),
                "frames over 20 ms",
                "frames up to 20 ms",
            ),
            (
                Frames::Between(ms(30), Duration::from_micros(5_250)),
                "frames of 5.25 to 30 ms",
                "frames not of 5.25 to 30 ms",
            ),
            (
                Frames::Slowest(1),
                "the slowest frame",
                "all but the slowest frame",
            ),
            (
                Frames::Slowest(10),
                "the 10 slowest frames",
                "all but the 10 slowest frames",
            ),
            (
                Frames::SlowestPercent(0.01),
                "the slowest 0.01 % of frames",
                "all but the slowest 0.01 % of frames",
            ),
            (
                Frames::AllMarked("load".into()),
                "frames marked \"load\"",
                "frames not marked \"load\"",
            ),
            (
                Frames::Range { first: 9, last: 3 },
                "frames 3 to 9",
                "all but frames 3 to 9",
            ),
            (Frames::Live, "live", "all frames"),
        ];
        for (frames, name, complement) in names {
            assert_eq!(frames.to_string(), name);
            assert_eq!(frames.clone().complement().to_string(), complement);
            assert_eq!(frames.clone().complement().complement(), frames);
            let nested = Frames::AllBut(Box::new(frames.clone().complement()));
            assert_eq!(nested.to_string(), name);
        }
    }

    #[test]
    fn percentages_are_clamped() {
        let name = |percent| Frames::SlowestPercent(percent).to_string();
        assert_eq!(name(f64::NAN), "the slowest 0 % of frames");
        assert_eq!(name(-1.0), "the slowest 0 % of frames");
        assert_eq!(name(1e9), "the slowest 100 % of frames");
    }
}
