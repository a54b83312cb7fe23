//! Chooses the frame, or the range of frames, that a view shows: by number, by steps, by the next
//! spike or mark.

use super::{Baseline, FrameChoice, View};
use crate::frame_selection::FrameSelection;
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
            let newest = profiler.history.newest().map_or(0, |frame| frame.number);
            self.frame = match frame.number < newest {
                true => FrameChoice::Number(frame.number),
                false => FrameChoice::Live,
            };
        }
    }

    /// The number of the shown frame, also of the live one; of a range, the end in that direction.
    fn frame_in(&self, profiler: &Profiler, direction: i32) -> Option<u64> {
        match self.frame {
            FrameChoice::Live => profiler.history.newest(),
            FrameChoice::Number(number) => profiler.history.nearest(number),
            FrameChoice::Range(from, to) if direction < 0 => profiler.history.nearest(from.min(to)),
            FrameChoice::Range(from, to) => profiler.history.nearest(from.max(to)),
        }
        .map(|frame| frame.number)
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
        self.step_to(-1, |profiler| profiler.history.spikes());
    }

    /// Shows the next spike after the shown frame: a frame that took more than one and a half times the
    /// median of the remembered frames, and longer than its neighbors. If there is none, nothing
    /// happens.
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
            && with_profiler(|profiler| self.set_frames_in(profiler, &selection))
    }

    pub(in crate::process) fn set_frames_in(
        &mut self,
        profiler: &Profiler,
        selection: &FrameSelection,
    ) -> bool {
        let history = &profiler.history;
        let nearest = |number| history.nearest(number).map(|frame| frame.number);
        let found = match selection {
            FrameSelection::Live => Some(FrameChoice::Live),
            FrameSelection::Back(back) => history
                .newest()
                .and_then(|newest| nearest(newest.number.saturating_sub(*back as u64)))
                .map(FrameChoice::Number),
            FrameSelection::Number(number) => nearest(*number).map(FrameChoice::Number),
            FrameSelection::Range { first, last } => {
                let ends = nearest(*first).zip(nearest(*last));
                ends.map(|(from, to)| match from == to {
                    true => FrameChoice::Number(to),
                    false => FrameChoice::Range(from, to),
                })
            }
            FrameSelection::Longest => history
                .longest()
                .map(|frame| FrameChoice::Number(frame.number)),
            FrameSelection::Marked(name) => {
                let mut marks = history.marks().iter().rev();
                marks
                    .find(|mark| mark.name == *name)
                    .map(|mark| FrameChoice::Number(mark.frame))
            }
        };
        if let Some(frame) = found {
            self.frame = frame;
        }
        found.is_some()
    }

    /// The frames that are shown, by number: [`Live`](FrameSelection::Live),
    /// [`Number`](FrameSelection::Number), or [`Range`](FrameSelection::Range) with the lower number
    /// first.
    #[must_use]
    pub fn frames(&self) -> FrameSelection {
        match self.frame {
            FrameChoice::Live => FrameSelection::Live,
            FrameChoice::Number(number) => FrameSelection::Number(number),
            FrameChoice::Range(from, to) => FrameSelection::Range {
                first: from.min(to),
                last: from.max(to),
            },
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
        let is_now = self.frame == FrameChoice::Live;
        let to = if direction < 0 {
            frames.rfind(|number| *number < from || is_now && *number == from)
        } else {
            frames.find(|number| *number > from)
        };
        if let Some(number) = to {
            self.frame = FrameChoice::Number(number);
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
            with_profiler(|profiler| self.extend_range_in(profiler, delta));
        }
    }

    pub(in crate::process) fn extend_range_in(&mut self, profiler: &Profiler, delta: i32) {
        let ends = match self.frame {
            FrameChoice::Range(from, to) => Some((from, to)),
            _ => self.frame_in(profiler, delta).map(|frame| (frame, frame)),
        };
        let to = ends.and_then(|(_, to)| profiler.history.step(to, i64::from(delta)));
        if let (Some((first, _)), Some(to)) = (ends, to) {
            let last = to.number;
            self.set_frames_in(profiler, &FrameSelection::Range { first, last });
        }
    }

    /// Makes the shown frame the baseline.
    pub(crate) fn set_baseline_here(&mut self) {
        if is_recording_possible() {
            let here = with_profiler(|profiler| self.frame_in(profiler, 1));
            if let Some(number) = here {
                self.set_baseline(Baseline::Frame(number));
            }
        }
    }

    /// The numbers of the remembered frames that the view shows.
    pub(in crate::process) fn shown_frames(&self) -> [Option<u64>; 2] {
        let baseline = match self.baseline {
            Baseline::Frame(number) => Some(number),
            _ => None,
        };
        let shown = match self.frame {
            FrameChoice::Number(number) => Some(number),
            _ => None,
        };
        [shown, baseline]
    }
}

/// The numbers of the marked frames.
fn marked(profiler: &Profiler) -> Vec<u64> {
    let marks = profiler.history.marks().iter();
    marks.map(|mark| mark.frame).collect()
}
