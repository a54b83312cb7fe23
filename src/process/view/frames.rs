//! Which frame a view looks at, or which frames.

use super::{Baseline, FrameChoice, View};
use crate::process::core::Process;
use crate::process::{is_recording_possible, with_process};

impl View {
    /// Steps through the remembered frames: by `delta` frames, into the past if negative. Stops
    /// at the oldest; a step past the newest leads back to now.
    pub fn move_frame(&mut self, delta: i32) {
        if is_recording_possible() {
            with_process(|process| self.move_frame_in(process, delta));
        }
    }

    pub(in crate::process) fn move_frame_in(&mut self, process: &Process, delta: i32) {
        let to = |from| process.history.step(from, i64::from(delta));
        if let Some(frame) = self.frame_in(process, delta).and_then(to) {
            self.look_at(process, frame.number);
        }
    }

    /// The number of the frame that the view looks at, now included; of a range the end in that
    /// direction.
    fn frame_in(&self, process: &Process, direction: i32) -> Option<u64> {
        match self.frame {
            FrameChoice::Now => process.history.newest(),
            FrameChoice::Number(number) => process.history.nearest(number),
            FrameChoice::Range(from, to) if direction < 0 => process.history.nearest(from.min(to)),
            FrameChoice::Range(from, to) => process.history.nearest(from.max(to)),
        }
        .map(|frame| frame.number)
    }

    /// Looks at the last spike before the frame that the view looks at, or at the next one after
    /// it: a frame that took more than half as long again as the median of the remembered frames,
    /// and longer than its neighbours. If there is none, nothing happens.
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
        self.step_to(-1, |process| process.history.spikes());
    }

    /// See [`previous_spike`](View::previous_spike).
    pub fn next_spike(&mut self) {
        self.step_to(1, |process| process.history.spikes());
    }

    /// Looks at the last [marked](crate::mark) frame before the frame that the view looks at, or at
    /// the next one after it. If there is none, nothing happens.
    pub fn previous_mark(&mut self) {
        self.step_to(-1, marked);
    }

    /// See [`previous_mark`](View::previous_mark).
    pub fn next_mark(&mut self) {
        self.step_to(1, marked);
    }

    /// Looks at the last remembered frame that was [marked](crate::mark) with that name; if there
    /// is none, nothing happens.
    pub fn set_frame_marked(&mut self, name: &str) {
        if !is_recording_possible() {
            return;
        }
        with_process(|process| self.set_frame_marked_in(process, name));
    }

    pub(in crate::process) fn set_frame_marked_in(&mut self, process: &Process, name: &str) {
        let mut marks = process.history.marks().iter().rev();
        if let Some(mark) = marks.find(|mark| &*mark.name == name) {
            self.frame = FrameChoice::Number(mark.frame);
        }
    }

    /// Looks at the longest remembered frame.
    pub fn set_frame_worst(&mut self) {
        if !is_recording_possible() {
            return;
        }
        with_process(|process| self.set_frame_worst_in(process));
    }

    pub(in crate::process) fn set_frame_worst_in(&mut self, process: &Process) {
        if let Some(frame) = process.history.worst() {
            self.frame = FrameChoice::Number(frame.number);
        }
    }

    fn step_to(&mut self, direction: i32, frames: impl FnOnce(&Process) -> Vec<u64>) {
        if is_recording_possible() {
            with_process(|process| self.step_to_in(process, direction, &frames(process)));
        }
    }

    /// Looks at the next of some frames in a direction.
    pub(in crate::process) fn step_to_in(
        &mut self,
        process: &Process,
        direction: i32,
        frames: &[u64],
    ) {
        let Some(from) = self.frame_in(process, direction) else {
            return;
        };
        let mut frames = frames.iter().copied();
        // From now, which is an average, the newest frame is a step into the past.
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

    /// Looks at the frame `back` frames before the newest one, 1 the one before it, and stays
    /// with it while new ones are recorded. 0 is now, with the averages. Farther back than the
    /// oldest remembered frame is the oldest one.
    pub fn set_frame(&mut self, back: usize) {
        if !is_recording_possible() {
            return;
        }
        with_process(|process| {
            let newest = process.history.newest().map_or(0, |frame| frame.number);
            self.look_at(process, newest.saturating_sub(back as u64));
        });
    }

    /// Looks at the frame of that number, counted from 1 over all recorded frames; at the nearest
    /// one that is remembered if it is not. The newest frame's number means that frame, not now.
    pub fn set_frame_number(&mut self, number: u64) {
        if !is_recording_possible() {
            return;
        }
        with_process(|process| {
            if let Some(frame) = process.history.nearest(number) {
                self.frame = FrameChoice::Number(frame.number);
            }
        });
    }

    /// Looks at all remembered frames from one number to another, both included, in either order:
    /// the report shows each value's mean per frame, its sum over these frames by their number. So
    /// all that adds up in a frame adds up here, too. Numbers that are not remembered are moved to
    /// the nearest that are; a range of one frame is that frame.
    ///
    /// ```
    /// # for _ in 0..100 { iprof::update(true); }
    /// let mut view = iprof::View::new();
    /// view.set_range(40, 99);
    /// # #[cfg(feature = "enable")]
    /// assert!(view.report().title[0].ends_with("frames 40 to 99, mean of 60"));
    /// ```
    ///
    /// Frames of a range are forgotten as any others are; then what is left of it is shown, and the
    /// title says how many frames that is.
    ///
    /// What was sampled errs together in all frames, as far as it goes by what was learned before:
    /// its standard error is the mean of the frames' own, which it is at most.
    pub fn set_range(&mut self, first: u64, last: u64) {
        if is_recording_possible() {
            with_process(|process| self.set_range_in(process, first, last));
        }
    }

    pub(in crate::process) fn set_range_in(&mut self, process: &Process, from: u64, to: u64) {
        let nearest = |number| process.history.nearest(number).map(|frame| frame.number);
        if let (Some(from), Some(to)) = (nearest(from), nearest(to)) {
            self.frame = match from == to {
                true => FrameChoice::Number(to),
                false => FrameChoice::Range(from, to),
            };
        }
    }

    /// Makes the range longer by `delta` frames, or shorter: moves its end, into the past if
    /// negative. The other end is the frame that the view looked at before there was a range; from
    /// now on, the newest frame.
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
            with_process(|process| self.extend_range_in(process, delta));
        }
    }

    pub(in crate::process) fn extend_range_in(&mut self, process: &Process, delta: i32) {
        let ends = match self.frame {
            FrameChoice::Range(from, to) => Some((from, to)),
            _ => self.frame_in(process, delta).map(|frame| (frame, frame)),
        };
        let to = ends.and_then(|(_, to)| process.history.step(to, i64::from(delta)));
        if let (Some((from, _)), Some(to)) = (ends, to) {
            self.set_range_in(process, from, to.number);
        }
    }

    /// The numbers of the first and the last frame of the [range](View::set_range) that the view
    /// looks at, if it looks at one.
    pub fn range(&self) -> Option<(u64, u64)> {
        match self.frame {
            FrameChoice::Range(from, to) => Some((from.min(to), from.max(to))),
            _ => None,
        }
    }

    /// The number of the remembered frame that the view looks at; `None` for now, and for a
    /// [range](View::set_range).
    ///
    /// The frame that the program's default view looks at, and the one that it is compared with, stay
    /// remembered as long as they are. Another view shows the nearest one that is, once its frame
    /// is too old.
    pub fn frame_number(&self) -> Option<u64> {
        match self.frame {
            FrameChoice::Now | FrameChoice::Range(..) => None,
            FrameChoice::Number(number) => Some(number),
        }
    }

    /// From here on the view is compared with the frame that it looks at.
    pub(super) fn set_baseline_here(&mut self) {
        if is_recording_possible() {
            let here = with_process(|process| self.frame_in(process, 1));
            if let Some(number) = here {
                self.baseline = Baseline::Frame(number);
            }
        }
    }

    /// The numbers of the remembered frames that the view shows.
    pub(in crate::process) fn frames_looked_at(&self) -> [Option<u64>; 2] {
        let baseline = match self.baseline {
            Baseline::Frame(number) => Some(number),
            _ => None,
        };
        [self.frame_number(), baseline]
    }

    fn look_at(&mut self, process: &Process, number: u64) {
        let newest = process.history.newest().map_or(0, |frame| frame.number);
        self.frame = match process.history.nearest(number) {
            Some(frame) if number < newest => FrameChoice::Number(frame.number),
            _ => FrameChoice::Now,
        };
    }
}

/// The numbers of the frames that were marked.
fn marked(process: &Process) -> Vec<u64> {
    let marks = process.history.marks().iter();
    marks.map(|mark| mark.frame).collect()
}
