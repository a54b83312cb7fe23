//! The frame, or the range of frames, that a view shows.

use super::{Baseline, FrameChoice, View};
use crate::process::frame::profiler::Profiler;
use crate::process::{is_recording_possible, with_profiler};

impl View {
    /// Steps through the remembered frames by `delta` frames, into the past if negative. Stops at the
    /// oldest; a step past the newest returns to the live view.
    pub fn move_frame(&mut self, delta: i32) {
        if is_recording_possible() {
            with_profiler(|profiler| self.move_frame_in(profiler, delta));
        }
    }

    pub(in crate::process) fn move_frame_in(&mut self, profiler: &Profiler, delta: i32) {
        let to = |from| profiler.history.step(from, i64::from(delta));
        if let Some(frame) = self.frame_in(profiler, delta).and_then(to) {
            self.show_frame(profiler, frame.number);
        }
    }

    /// The number of the shown frame, also of the live one; of a range, the end in that direction.
    fn frame_in(&self, profiler: &Profiler, direction: i32) -> Option<u64> {
        match self.frame {
            FrameChoice::Now => profiler.history.newest(),
            FrameChoice::Number(number) => profiler.history.nearest(number),
            FrameChoice::Range(from, to) if direction < 0 => profiler.history.nearest(from.min(to)),
            FrameChoice::Range(from, to) => profiler.history.nearest(from.max(to)),
        }
        .map(|frame| frame.number)
    }

    /// Shows the last spike before the shown frame: a frame that took more than one and a half times
    /// the median of the remembered frames, and longer than its neighbours. If there is none, nothing
    /// happens.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.previous_spike();
    /// if let Some(frame) = view.frame_number() {
    ///     println!("frame {frame} was slow");
    /// }
    /// ```
    pub fn previous_spike(&mut self) {
        self.step_to(-1, |profiler| profiler.history.spikes());
    }

    /// Shows the next spike after the shown frame; see [`previous_spike`](View::previous_spike).
    pub fn next_spike(&mut self) {
        self.step_to(1, |profiler| profiler.history.spikes());
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

    /// Shows the newest remembered frame that was [marked](crate::mark) with `name`. If there is none,
    /// nothing happens.
    pub fn set_frame_marked(&mut self, name: &str) {
        if !is_recording_possible() {
            return;
        }
        with_profiler(|profiler| self.set_frame_marked_in(profiler, name));
    }

    pub(in crate::process) fn set_frame_marked_in(&mut self, profiler: &Profiler, name: &str) {
        let mut marks = profiler.history.marks().iter().rev();
        if let Some(mark) = marks.find(|mark| &*mark.name == name) {
            self.frame = FrameChoice::Number(mark.frame);
        }
    }

    /// Shows the longest remembered frame.
    pub fn set_frame_worst(&mut self) {
        if !is_recording_possible() {
            return;
        }
        with_profiler(|profiler| self.set_frame_worst_in(profiler));
    }

    pub(in crate::process) fn set_frame_worst_in(&mut self, profiler: &Profiler) {
        if let Some(frame) = profiler.history.worst() {
            self.frame = FrameChoice::Number(frame.number);
        }
    }

    fn step_to(&mut self, direction: i32, frames: impl FnOnce(&Profiler) -> Vec<u64>) {
        if is_recording_possible() {
            with_profiler(|profiler| self.step_to_in(profiler, direction, &frames(profiler)));
        }
    }

    /// Shows the next of the given frames in a direction.
    pub(in crate::process) fn step_to_in(
        &mut self,
        profiler: &Profiler,
        direction: i32,
        frames: &[u64],
    ) {
        let Some(from) = self.frame_in(profiler, direction) else {
            return;
        };
        let mut frames = frames.iter().copied();
        // The live view shows an average, so the newest frame is one step into the past.
        let is_now = self.frame == FrameChoice::Now;
        let to = if direction < 0 {
            frames.rfind(|number| *number < from || is_now && *number == from)
        } else {
            frames.find(|number| *number > from)
        };
        if let Some(number) = to {
            self.frame = FrameChoice::Number(number);
        }
    }

    /// Shows the frame `back` frames before the newest one and stays with it while new frames are
    /// recorded; 1 is the frame before the newest. 0 returns to the live view, with its averages.
    /// Beyond the oldest remembered frame, shows the oldest.
    pub fn set_frame(&mut self, back: usize) {
        if !is_recording_possible() {
            return;
        }
        with_profiler(|profiler| {
            let newest = profiler.history.newest().map_or(0, |frame| frame.number);
            self.show_frame(profiler, newest.saturating_sub(back as u64));
        });
    }

    /// Shows the frame with that number; frames are numbered from 1 over all recorded frames. If it is
    /// not remembered, shows the nearest one that is. The newest frame's number shows that frame, not
    /// the live view.
    pub fn set_frame_number(&mut self, number: u64) {
        if !is_recording_possible() {
            return;
        }
        with_profiler(|profiler| {
            if let Some(frame) = profiler.history.nearest(number) {
                self.frame = FrameChoice::Number(frame.number);
            }
        });
    }

    /// Shows the remembered frames from one number to another, both included, in either order. The
    /// report shows each value's mean per frame: its sum over these frames divided by their number. So
    /// all sums that hold in a frame hold here, too. Numbers that are not remembered move to the
    /// nearest remembered ones; a range of one frame shows that frame.
    ///
    /// ```
    /// # for _ in 0..100 { iprof::update(true); }
    /// let mut view = iprof::View::new();
    /// view.set_range(40, 99);
    /// # #[cfg(feature = "enable")]
    /// assert!(view.report().title[0].ends_with("frames 40 to 99, mean of 60"));
    /// ```
    ///
    /// Frames of a range are forgotten like any others; then the rest of the range is shown, and the
    /// title says how many frames that is.
    ///
    /// Estimates of sampled times partly rest on earlier samples, so their errors in different frames
    /// are not independent: the standard error of the mean is given as the mean of the frames' standard
    /// errors, its upper bound.
    pub fn set_range(&mut self, first: u64, last: u64) {
        if is_recording_possible() {
            with_profiler(|profiler| self.set_range_in(profiler, first, last));
        }
    }

    pub(in crate::process) fn set_range_in(&mut self, profiler: &Profiler, from: u64, to: u64) {
        let nearest = |number| profiler.history.nearest(number).map(|frame| frame.number);
        if let (Some(from), Some(to)) = (nearest(from), nearest(to)) {
            self.frame = match from == to {
                true => FrameChoice::Number(to),
                false => FrameChoice::Range(from, to),
            };
        }
    }

    /// Extends the range by `delta` frames, or shortens it: moves its end, into the past if negative.
    /// The other end is the frame that was shown before there was a range; from the live view, the
    /// newest frame.
    ///
    /// ```
    /// # for _ in 0..100 { iprof::update(true); }
    /// let mut view = iprof::View::new();
    /// view.set_frame_number(50);
    /// view.extend_range(-10);
    /// # #[cfg(feature = "enable")]
    /// assert_eq!(view.range(), Some((40, 50)));
    /// ```
    pub fn extend_range(&mut self, delta: i32) {
        if is_recording_possible() {
            with_profiler(|profiler| self.extend_range_in(profiler, delta));
        }
    }

    pub(in crate::process) fn extend_range_in(&mut self, profiler: &Profiler, delta: i32) {
        let ends = match self.frame {
            FrameChoice::Range(from, to) => Some((from, to)),
            _ => self.frame_in(profiler, delta).map(|frame| (frame, frame)),
        };
        let to = ends.and_then(|(_, to)| profiler.history.step(to, i64::from(delta)));
        if let (Some((from, _)), Some(to)) = (ends, to) {
            self.set_range_in(profiler, from, to.number);
        }
    }

    /// The numbers of the first and the last frame of the [range](View::set_range) that is shown, if
    /// there is one.
    pub fn range(&self) -> Option<(u64, u64)> {
        match self.frame {
            FrameChoice::Range(from, to) => Some((from.min(to), from.max(to))),
            _ => None,
        }
    }

    /// The number of the remembered frame that is shown; `None` for the live view, and for a
    /// [range](View::set_range).
    ///
    /// The frame that the default view shows, and its baseline frame, stay remembered as long as they
    /// are shown. Any other view shows the nearest remembered frame once its own frame is too old.
    pub fn frame_number(&self) -> Option<u64> {
        match self.frame {
            FrameChoice::Now | FrameChoice::Range(..) => None,
            FrameChoice::Number(number) => Some(number),
        }
    }

    /// Makes the shown frame the baseline.
    pub(crate) fn set_baseline_here(&mut self) {
        if is_recording_possible() {
            let here = with_profiler(|profiler| self.frame_in(profiler, 1));
            if let Some(number) = here {
                self.baseline = Baseline::Frame(number);
            }
        }
    }

    /// The numbers of the remembered frames that the view shows.
    pub(in crate::process) fn shown_frames(&self) -> [Option<u64>; 2] {
        let baseline = match self.baseline {
            Baseline::Frame(number) => Some(number),
            _ => None,
        };
        [self.frame_number(), baseline]
    }

    fn show_frame(&mut self, profiler: &Profiler, number: u64) {
        let newest = profiler.history.newest().map_or(0, |frame| frame.number);
        self.frame = match profiler.history.nearest(number) {
            Some(frame) if number < newest => FrameChoice::Number(frame.number),
            _ => FrameChoice::Now,
        };
    }
}

/// The numbers of the marked frames.
fn marked(profiler: &Profiler) -> Vec<u64> {
    let marks = profiler.history.marks().iter();
    marks.map(|mark| mark.frame).collect()
}
