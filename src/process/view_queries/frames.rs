//! `View`'s methods that choose among the remembered frames: they pass the program's history to the methods
//! with `_in` in `view/frames.rs`, or look for spikes and marks in it.

use crate::action::Action;
use crate::frame_selection::FrameSelection;
use crate::frame_set::FrameSet;
use crate::process::View;
use crate::process::frame_budget::frame_budget;
use crate::process::view::{Baseline, FrameChoice};
use crate::process::{
    frame::{history::History, profiler::Profiler},
    program::with_profiler,
    query::zone_spikes::zone_spikes,
};
use crate::report::{Report, RowKey};

impl View {
    /// Steps through the remembered frames by `delta` frames, into the past if negative. Stops at the
    /// oldest; a step past the newest returns to the live view.
    ///
    /// From a bucket of the session, and while the graph [shows](View::zoom_graph) buckets, it steps from bucket to bucket as
    /// [`move_bucket`](View::move_bucket) does. From a set or a band, a step into the past shows its newest remembered frame.
    pub fn move_frame(&mut self, delta: i32) {
        with_profiler(|profiler| self.move_frame_in(profiler.history(), profiler.session(), delta));
    }

    /// Shows the last spike before the shown frame: a frame that took more than one and a half times
    /// the median of the remembered frames, and longer than its neighbors. If there is none, nothing
    /// happens.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.previous_spike();
    /// if let iprof::FrameSelection::Number(frame) = view.frames() {
    ///     println!("frame {frame} was slow");
    /// }
    /// ```
    pub fn previous_spike(&mut self) {
        self.step_to(-1, History::spikes);
    }

    /// Shows the next spike after the shown frame: a frame that took more than one and a half times the
    /// median of the remembered frames, and longer than its neighbors. If there is none, nothing
    /// happens.
    pub fn next_spike(&mut self) {
        self.step_to(1, History::spikes);
    }

    /// Shows the last spike of the zone under the cursor before the shown frame: a frame in which the zone took
    /// far more than usual on the threads in view, whatever the rest of the frame took. On a row of several zones
    /// nothing happens, nor if there is no such frame.
    ///
    /// What counts is self time if the view lists that, else hierarchical time. Usual is the median over the
    /// newest remembered frames, with 0 for those in which the zone had no time. Far more is more than half as
    /// much again, than eight median absolute deviations on top, and than a twentieth of the median frame
    /// on top: so a zone whose times always vary has no spikes, and neither has one that is never large. Of
    /// consecutive frames the longest counts.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.set_cursor(0);
    /// view.previous_zone_spike();
    /// ```
    pub fn previous_zone_spike(&mut self) {
        self.act(Action::PreviousZoneSpike);
    }

    /// Shows the next spike of the zone under the cursor after the shown frame: see
    /// [`previous_zone_spike`](View::previous_zone_spike).
    pub fn next_zone_spike(&mut self) {
        self.act(Action::NextZoneSpike);
    }

    /// Shows the next spike of the zone under the cursor in a direction, and keeps the cursor on it.
    pub(in crate::process) fn step_to_zone_spike(&mut self, shown: &Report, direction: i32) {
        let Some(row) = shown.cursor().map(|at| shown.rows[at].key) else {
            return;
        };
        with_profiler(|profiler| self.step_to_zone_spike_in(profiler, row, direction));
    }

    /// Shows the last [marked](crate::mark) frame before the shown frame. If there is none, nothing
    /// happens.
    pub fn previous_mark(&mut self) {
        self.step_to(-1, marked);
    }

    /// Shows the next [marked](crate::mark) frame after the shown frame. If there is none, nothing
    /// happens.
    pub fn next_mark(&mut self) {
        self.step_to(1, marked);
    }

    /// Chooses which frames to show: remembered ones, which stay while recording goes on, or the live view.
    /// Returns whether there is such a frame; otherwise the view stays as it is. Only a
    /// [mark](FrameSelection::Marked) may be missing, or all frames, before the first. A
    /// [set](FrameSelection::Set) or a [part of the session](FrameSelection::Session) is shown in any case: frames may come
    /// into it.
    ///
    /// ```
    /// use iprof::FrameSelection;
    ///
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// if view.set_frames(FrameSelection::Longest) {
    ///     view.write_report(std::io::stdout())?;
    /// }
    /// assert!(!view.set_frames(FrameSelection::Marked("level loaded".into())));
    /// # view.set_frames(FrameSelection::Session(iprof::SessionPart::all()));
    /// # assert!(!view.set_frames(FrameSelection::Marked("level loaded".into())));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// The frame that the default view shows, and its baseline frame, stay remembered as long as they
    /// are shown. Any other view shows the nearest remembered frame once its own frame is too old.
    pub fn set_frames(&mut self, selection: FrameSelection) -> bool {
        if selection == FrameSelection::Live {
            self.frame = FrameChoice::Live;
            return true;
        }
        with_profiler(|profiler| {
            let is_found = self.set_frames_in(profiler.history(), &selection);
            match &selection {
                FrameSelection::Session(part) => {
                    let session = profiler.session();
                    session.frames(session.parts(part)).count > 0
                }
                _ => is_found,
            }
        })
    }

    /// Compares the frames that took longer than the [frame budget](crate::set_frame_budget) with the
    /// [rest](Baseline::Rest); if these are compared already, goes back to the live view without a baseline.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.compare_slow_frames();
    /// assert_eq!(view.baseline(), iprof::Baseline::Rest);
    /// view.compare_slow_frames();
    /// assert_eq!(view.frames(), iprof::FrameSelection::Live);
    /// ```
    pub fn compare_slow_frames(&mut self) {
        let slow = FrameChoice::Set(FrameSet::longer_than(frame_budget()));
        if self.frame == slow && self.baseline == Baseline::Rest {
            self.frame = FrameChoice::Live;
            self.set_baseline(Baseline::None);
        } else {
            self.frame = slow;
            self.set_baseline(Baseline::Rest);
        }
    }

    /// Shows the frames of the session of one [band](crate::SessionPart) of frame length: of the next slower one with frames,
    /// `delta` times, or of faster ones if it is negative. Where no band is shown, the slowest one with frames. It stops at
    /// both ends, and does nothing before the first frame.
    ///
    /// ```
    /// use iprof::{Baseline, FrameSelection};
    ///
    /// # for _ in 0..100 { iprof::update(true); }
    /// // The slowest frames of the session against all others.
    /// let mut view = iprof::View::new();
    /// view.move_band(1);
    /// view.set_baseline(Baseline::Rest);
    /// # #[cfg(feature = "enable")]
    /// assert!(matches!(view.frames(), FrameSelection::Session(_)));
    /// ```
    pub fn move_band(&mut self, delta: i32) {
        with_profiler(|profiler| self.move_band_in(profiler.session(), delta));
    }

    /// Shows the frames of the session of one [bucket](crate::SessionPart) of time: of a later one by `delta`, or of an earlier
    /// one if it is negative. Where none is shown, the newest. It stops at the oldest, a step past the newest returns to
    /// the live view, and it does nothing before the first frame.
    ///
    /// ```
    /// # for _ in 0..100 { iprof::update(true); }
    /// let mut view = iprof::View::new();
    /// view.move_bucket(-1);
    /// view.move_bucket(1);
    /// assert_eq!(view.frames(), iprof::FrameSelection::Live);
    /// ```
    pub fn move_bucket(&mut self, delta: i32) {
        with_profiler(|profiler| self.move_bucket_in(profiler.session(), delta));
    }

    /// Moves the end of the [range](FrameSelection::Range) by `delta` frames, into the past if negative; where
    /// there is no range, starts one at the shown frame. In the live view that is the newest frame. While the graph
    /// [shows](View::zoom_graph) buckets of the session, shows so many more of them in that direction.
    ///
    /// ```
    /// use iprof::FrameSelection;
    ///
    /// # for _ in 0..100 { iprof::update(true); }
    /// let mut view = iprof::View::new();
    /// view.set_frames(FrameSelection::Number(50));
    /// view.extend_range(-10);
    /// # #[cfg(feature = "enable")]
    /// assert_eq!(view.frames(), FrameSelection::Range { first: 40, last: 50 });
    /// ```
    pub fn extend_range(&mut self, delta: i32) {
        with_profiler(|profiler| {
            self.extend_range_in(profiler.history(), profiler.session(), delta)
        });
    }

    /// Makes the shown frame the baseline, or the shown part of the session.
    pub(crate) fn set_baseline_here(&mut self) {
        if let Some(part) = self.shown_part() {
            return self.set_baseline(Baseline::Session(*part));
        }
        let here = with_profiler(|profiler| self.frame_in(profiler.history(), 1));
        if let Some(number) = here {
            self.set_baseline(Baseline::Frame(number));
        }
    }

    /// Scrolls the graph by `bars`, into the past if negative; it stops at both ends. The frame that
    /// the view shows stays visible in any case.
    pub fn scroll_graph(&mut self, bars: i32) {
        let frames = with_profiler(|profiler| profiler.history().len());
        self.scroll_graph_in(frames, bars);
    }
}

impl View {
    fn step_to(&mut self, direction: i32, frames: impl FnOnce(&History) -> Vec<u64>) {
        with_profiler(|profiler| {
            self.step_to_in(profiler.history(), direction, &frames(profiler.history()));
        });
    }

    /// Shows the next spike of a row's zone in a direction, and puts the cursor on the row.
    pub(in crate::process) fn step_to_zone_spike_in(
        &mut self,
        profiler: &Profiler,
        row: RowKey,
        direction: i32,
    ) {
        let spikes = zone_spikes(profiler, self, row);
        self.put_cursor_on(row);
        self.step_to_in(profiler.history(), direction, &spikes);
    }
}

/// The numbers of the marked frames.
fn marked(history: &History) -> Vec<u64> {
    let marks = history.marks().iter();
    marks.map(|mark| mark.frame).collect()
}
