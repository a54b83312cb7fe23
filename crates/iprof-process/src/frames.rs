//! The frames that a view shows or compares with.

use crate::text_parts::push_decimal;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The frames that a [`View`](struct.View.html) shows ([`View::show_frames`](struct.View.html#method.show_frames)) or
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
/// select a single frame. Recorded frames are numbered from 1. If the selected frame is no longer remembered, the
/// nearest remembered frame is used instead.
///
/// # Sets
///
/// [`All`](Frames::All), [`LongerThan`](Frames::LongerThan), [`Between`](Frames::Between),
/// [`Slowest`](Frames::Slowest), [`SlowestPercent`](Frames::SlowestPercent), [`AllMarked`](Frames::AllMarked) and their
/// [complements](Frames::complement) are conditions. A report covers the remembered frames that meet the condition when
/// the report is built, including frames that are [kept longer](struct.Config.html#structfield.longest_frames). If no
/// frame does, all values are 0.
///
/// Each value is a mean per frame: its sum over the selected frames divided by the number of frames. So values add up
/// in the same way as within one frame.
///
/// ```
/// use iprof::{Baseline, Frames, View};
///
/// # iprof::update(true);
/// // Compare the slowest 1 % of the remembered frames with the rest.
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
/// [complements](Frames::complement) select parts of the session, which consists of all frames since the start or the
/// last [`reset`](fn.reset.html), remembered or not. Their values are also means per frame.
///
/// The session uses a fixed amount of memory, no matter how long the program runs. Every frame is added, by call stack,
/// to one *band* of frame lengths and to one time *bucket*. The bands add up exactly to the session, and so do the
/// buckets. However, when the band limits change, the bands are cleared and only cover later frames.
///
/// - There are 8 bands. Band 0 holds the shortest frames. [`session_bands`](fn.session_bands.html) returns the limits.
/// - There are at most 32 buckets. Each ends at the end of a frame. The first ones last one second, or one frame if the
///   frame is longer. Once all buckets are in use, two of the oldest are merged to make room for each new one. So the
///   session is divided into pieces of 1 or 2 s at first, then 2 or 4 s, and after four hours 256 or 512 s.
///
/// Columns that need every single frame are blank: [times per frame](enum.ColumnId.html#times-per-frame) and
/// [rescued](enum.ColumnId.html#variant.Rescued) frames.
///
/// ```
/// use iprof::{Baseline, Frames, View};
///
/// # iprof::update(true);
/// // Compare the frames over twice the frame budget with all others.
/// let mut view = View::default();
/// view.show_frames(&iprof::profiler(), Frames::SessionBands(4, 7));
/// view.set_baseline(Baseline::Rest);
/// view.report(&iprof::profiler()).write(std::io::stdout(), 2)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Frames {
    /// The live data: frames as they are recorded, averaged by the view's [`Average`](enum.Average.html).
    #[default]
    Live,
    /// The frame this many frames before the newest one, or the oldest frame if there are fewer. 0 is the newest frame,
    /// not the live view.
    Back(usize),
    /// The frame with this number. The newest frame's number selects that frame, not the live view.
    Number(u64),
    /// The longest remembered frame that didn't begin in the first second after the program's first zone, when programs
    /// load and compile. If there is no such frame, the longest of all remembered frames.
    Longest,
    /// The newest remembered frame that was [marked](fn.mark.html) with this name.
    Marked(Arc<str>),
    /// The frames between two numbers, inclusive, in either order, as means per frame. A range of a single frame shows
    /// that frame.
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
    /// The frames in a range are forgotten like any others. The report then shows the remaining frames, and its title
    /// states how many there are.
    ///
    /// Estimates of sampled times partly depend on earlier samples, so their errors in different frames are not
    /// independent. The standard error shown is the mean of the frames' standard errors, which is an upper bound.
    Range {
        /// The fixed end of the range, which [`Action::ExtendRange`](enum.Action.html#variant.ExtendRange) doesn't
        /// move.
        first: u64,
        /// The end of the range that [`Action::ExtendRange`](enum.Action.html#variant.ExtendRange) moves.
        last: u64,
    },
    /// All remembered frames.
    All,
    /// The remembered frames that took longer than a limit.
    LongerThan(Duration),
    /// The remembered frames that took longer than one limit, but not longer than the other, in either order. Sets with
    /// adjacent limits have no frames in common.
    Between(Duration, Duration),
    /// This many of the slowest remembered frames, or all frames if there are fewer. Among frames of equal length,
    /// older ones are selected first.
    Slowest(usize),
    /// This percentage of the remembered frames, rounded up to a whole frame, slowest first. The percentage is clamped
    /// to 0 to 100 and rounded to 0.0001. NaN counts as 0. Among frames of equal length, older ones are selected first.
    SlowestPercent(f64),
    /// All remembered frames that were [marked](fn.mark.html) with this name.
    AllMarked(Arc<str>),
    /// All frames of the session, including those recorded before the band limits changed.
    Session,
    /// The session's frames in a range of bands, inclusive, in either order. Numbers above 7 mean the last band. Bands
    /// only contain frames recorded since their limits last changed.
    SessionBands(usize, usize),
    /// The session's slowest bands that together hold at least this percentage of the frames in all bands. They answer
    /// questions such as "what were the worst 1 % of the last four hours made of?"
    ///
    /// Bands are not divided, so the actual percentage is usually higher. The title states it, with the minimum frame
    /// length: `the slowest 1.37 % of frames, over 33.33 ms`. With
    /// [closer limits](struct.Config.html#structfield.session_bands), it is closer to the requested percentage, which
    /// is clamped and rounded as in [`SlowestPercent`](Frames::SlowestPercent). At least one band with frames is
    /// selected. The selected bands may change as frames are recorded.
    SessionSlowestPercent(f64),
    /// The session's frames between two moments, inclusive, in either order. As in snapshots, moments are times since
    /// the program's first zone, even after a [`reset`](fn.reset.html).
    ///
    /// All buckets that overlap this time span are selected, even if they are merged later. A time span after the last
    /// frame selects nothing.
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

/// The value that represents 100 % of frames.
pub(crate) const WHOLE_SHARE: u32 = 1_000_000;

impl Frames {
    /// Returns the complement: for a part of the session, all other frames of the session. For other selections, all
    /// other remembered frames, including those that are [kept longer](struct.Config.html#structfield.longest_frames).
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

/// Converts a percentage to a fraction of [`WHOLE_SHARE`].
pub(crate) fn share_of(percent: f64) -> u32 {
    // Converting a float to an integer clamps it, and NaN becomes 0.
    let share = (percent * f64::from(WHOLE_SHARE / 100)).round() as u32;
    share.min(WHOLE_SHARE)
}

/// Writes a name for the frames. Titles describe parts of the session by their band limits instead.
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
    fn sets_have_display_names() {
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
    fn out_of_range_percentages_are_clamped() {
        let name = |percent| Frames::SlowestPercent(percent).to_string();
        assert_eq!(name(f64::NAN), "the slowest 0 % of frames");
        assert_eq!(name(-1.0), "the slowest 0 % of frames");
        assert_eq!(name(1e9), "the slowest 100 % of frames");
    }
}
