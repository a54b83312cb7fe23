//! A part of the whole session: bands of frame length, or a span of time.

use std::fmt::Write;
use std::time::Duration;

/// A hundred percent, in ten-thousandths of a percent.
const WHOLE_SHARE: u32 = 1_000_000;
/// The number of bands of frame length.
pub const BANDS: usize = 8;
/// The number of buckets of time, an even one.
pub const BUCKETS: usize = 32;

/// A part of the whole session, from the first frame or the last [`reset`](fn.reset.html) to now: the frames of some
/// lengths, or those of some time. See [`FrameSelection::Session`](crate::FrameSelection::Session) and
/// [`Baseline::Session`](enum.Baseline.html#variant.Session).
///
/// Sums of the session outlast the remembered frames, and take a fixed amount of memory however long the program runs:
/// every frame is added to one *band* of frame length and to one *bucket* of time, by call stack. All bands, and all
/// buckets, sum to the whole session, to the tick and the call. Only bands begin anew when their limits change: then they
/// hold the frames since.
///
/// - There are 8 bands, number 0 the one of the shortest frames. Their limits are those of
///   [`session_bands`](fn.session_bands.html).
/// - There are at most 32 buckets. The first ones are as long as a second, or as a frame that is longer; each ends with a
///   frame. Once all are in use, each new one has two of the oldest merged, and lasts as long as those together: so
///   the session is cut into pieces of 1 or 2 s, then of 2 or 4 s, and after four hours of 256 or 512 s.
///
/// ```
/// use iprof::{Baseline, FrameSelection, SessionPart, View};
///
/// # iprof::update(true);
/// // What were the frames over twice the frame budget made of, compared with all others?
/// let mut view = View::new();
/// view.show_frames(&iprof::profiler(), FrameSelection::Session(SessionPart::slower(4)));
/// view.set_baseline(Baseline::Rest);
/// view.write_report(&iprof::profiler(), std::io::stdout())?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// A report of a part shows each value's mean per frame, so all sums hold that hold in a frame. What needs each frame
/// by itself, [times per frame](enum.ColumnId.html#times-per-frame) and [rescued](enum.ColumnId.html#variant.Rescued) frames, is
/// left blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionPart {
    #[doc(hidden)]
    pub extent: Extent,
    #[doc(hidden)]
    pub is_complement: bool,
}

/// The frames of a part, unless it is a complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    All,
    /// From the first band to the second, both included.
    Bands(usize, usize),
    /// The slowest bands that hold at least that share of the frames in all bands, in ten-thousandths of a percent.
    Slowest(u32),
    /// The buckets in which any of these moments is, in nanoseconds since the program's first zone.
    Time(u64, u64),
}

impl SessionPart {
    fn of(extent: Extent) -> SessionPart {
        SessionPart {
            extent,
            is_complement: false,
        }
    }

    /// All frames of the session, whatever became of the limits of bands meanwhile.
    #[must_use]
    pub fn all() -> SessionPart {
        SessionPart::of(Extent::All)
    }

    /// The frames of one band, 0 to 7; the last one if there is no such band.
    #[must_use]
    pub fn band(band: usize) -> SessionPart {
        SessionPart::bands(band, band)
    }

    /// The frames from one band to the other, both included, in either order; of bands over 7, the last one. All 8 bands
    /// have the frames since their limits last changed.
    ///
    /// ```
    /// use iprof::SessionPart;
    ///
    /// assert_eq!(SessionPart::bands(5, 2), SessionPart::bands(2, 5));
    /// assert_eq!(SessionPart::bands(0, 99), SessionPart::bands(0, 7));
    /// ```
    #[must_use]
    pub fn bands(one: usize, other: usize) -> SessionPart {
        let [one, other] = [one, other].map(|band| band.min(BANDS - 1));
        SessionPart::of(Extent::Bands(one.min(other), one.max(other)))
    }

    /// The frames of a band and of all slower ones; see [`band`](SessionPart::band).
    #[must_use]
    pub fn slower(band: usize) -> SessionPart {
        SessionPart::bands(band, BANDS - 1)
    }

    /// The slowest bands that together hold at least `percent` of the frames in all bands: "what were the worst 1 % of
    /// four hours made of?" Bands are not divided, so it is usually more; the title says how much and over which
    /// length: `the slowest 1.37 % of frames, over 33.33 ms`. At least one band that has frames, the slowest one. Limits
    /// that are [closer](struct.Config.html#structfield.session_bands) to each other come closer to `percent`, which is clamped to 0 to
    /// 100; NaN is 0. Which bands it is follows the frames as they come.
    ///
    /// ```
    /// use iprof::{Baseline, FrameSelection, SessionPart, View};
    ///
    /// # iprof::update(true);
    /// let mut view = View::new();
    /// view.show_frames(&iprof::profiler(), FrameSelection::Session(SessionPart::slowest_percent(1.0)));
    /// view.set_baseline(Baseline::Rest);
    /// view.write_report(&iprof::profiler(), std::io::stdout())?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn slowest_percent(percent: f64) -> SessionPart {
        // A cast makes 0 of NaN.
        let share = (percent * f64::from(WHOLE_SHARE / 100)).round() as u32;
        SessionPart::of(Extent::Slowest(share.min(WHOLE_SHARE)))
    }

    /// The frames between two moments, in either order, which are times since the program's first zone, as in snapshots,
    /// also after a [`reset`](fn.reset.html): those of all buckets in which any moment of them is, both included. Buckets that merge later are in it if one
    /// of them was; after the last frame there is none.
    ///
    /// ```
    /// use iprof::{FrameSelection, SessionPart, View};
    /// use std::time::Duration;
    ///
    /// # iprof::update(true);
    /// // The first ten minutes.
    /// let mut view = View::new();
    /// let part = SessionPart::time(Duration::ZERO, Duration::from_secs(600));
    /// view.show_frames(&iprof::profiler(), FrameSelection::Session(part));
    /// # if !iprof::is_recording() { return }
    /// assert_eq!(view.frames(), FrameSelection::Session(part));
    /// ```
    #[must_use]
    pub fn time(one: Duration, other: Duration) -> SessionPart {
        let [one, other] =
            [one, other].map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        SessionPart::of(Extent::Time(one.min(other), one.max(other)))
    }

    /// All other frames of the session: those of the other bands, or of the other buckets.
    #[must_use]
    pub fn complement(self) -> SessionPart {
        SessionPart {
            is_complement: !self.is_complement,
            ..self
        }
    }
}

/// Whether `frames` are at least a share, in ten-thousandths of a percent, of `all`.
pub fn is_share(frames: u64, all: u64, share: u32) -> bool {
    u128::from(frames) * u128::from(WHOLE_SHARE) >= u128::from(all) * u128::from(share)
}

/// Appends a moment of the session: minutes and seconds, or hours, minutes and seconds.
pub fn push_moment(out: &mut String, moment: Duration) {
    let tenths = moment.as_millis() / 100;
    let (seconds, minutes) = (tenths / 10 % 60, tenths / 600 % 60);
    // Writing to a string cannot fail.
    let _ = match tenths / 36_000 {
        0 => write!(out, "{minutes}:{seconds:02}.{}", tenths % 10),
        hours => write!(out, "{hours}:{minutes:02}:{seconds:02}"),
    };
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn moments_have_tenths_up_to_an_hour() {
        let text = |seconds: f64| {
            let mut text = String::new();
            push_moment(&mut text, Duration::from_secs_f64(seconds));
            text
        };
        assert_eq!(text(0.0), "0:00.0");
        assert_eq!(text(83.46), "1:23.4");
        assert_eq!(text(3_599.99), "59:59.9");
        assert_eq!(text(3_600.0), "1:00:00");
        assert_eq!(text(100_000.0), "27:46:40");
    }
}
