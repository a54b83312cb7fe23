//! `View`'s methods that choose among the remembered frames: each passes the program's history to the method of the
//! same name with `_in`, in `view/frames.rs`.

use crate::frame_selection::FrameSelection;
use crate::process::frame::history::History;
use crate::process::program::with_profiler;
use crate::process::view::{Baseline, FrameChoice};
use crate::process::{View, is_recording_possible};

impl View {
    /// Steps through the remembered frames by `delta` frames, into the past if negative. Stops at the
    /// oldest; a step past the newest returns to the live view.
    pub fn move_frame(&mut self, delta: i32) {
        if is_recording_possible() {
            with_profiler(|profiler| self.move_frame_in(profiler.history(), delta));
        }
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
    /// [mark](FrameSelection::Marked) may be missing, or all frames, before the first.
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
        is_recording_possible()
            && with_profiler(|profiler| self.set_frames_in(profiler.history(), &selection))
    }

    fn step_to(&mut self, direction: i32, frames: impl FnOnce(&History) -> Vec<u64>) {
        if is_recording_possible() {
            with_profiler(|profiler| {
                self.step_to_in(profiler.history(), direction, &frames(profiler.history()))
            });
        }
    }

    /// Moves the end of the [range](FrameSelection::Range) by `delta` frames, into the past if negative; where
    /// there is no range, starts one at the shown frame. In the live view that is the newest frame.
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
        if is_recording_possible() {
            with_profiler(|profiler| self.extend_range_in(profiler.history(), delta));
        }
    }

    /// Makes the shown frame the baseline.
    pub(crate) fn set_baseline_here(&mut self) {
        if is_recording_possible() {
            let here = with_profiler(|profiler| self.frame_in(profiler.history(), 1));
            if let Some(number) = here {
                self.set_baseline(Baseline::Frame(number));
            }
        }
    }

    /// Scrolls the graph by `bars`, into the past if negative; it stops at both ends. The frame that
    /// the view shows stays visible in any case.
    pub fn scroll_graph(&mut self, bars: i32) {
        let frames = match is_recording_possible() {
            true => with_profiler(|profiler| profiler.history().len()),
            false => 0,
        };
        self.scroll_graph_in(frames, bars);
    }
}

/// The numbers of the marked frames.
fn marked(history: &History) -> Vec<u64> {
    let marks = history.marks().iter();
    marks.map(|mark| mark.frame).collect()
}
