//! Chooses the frames that a view shows: by number, by steps, or as the next frame of a kind.

use super::{Baseline, View};
use crate::query::zone_spikes::zone_spikes;
use crate::report::{Report, RowKey};
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::frame::Frame;
use iprof_process::history::History;
use iprof_process::session::{BANDS, Session, bands_in};
use std::time::Duration;

impl View {
    /// Chooses which frames to show, and returns whether there are any.
    ///
    /// The frames shown stay the same while recording continues, except in the live view. If a [mark](Frames::Marked)
    /// is not found, or nothing has been recorded yet, the view does not change. A [set](Frames#sets) or a
    /// [part of the session](Frames#the-session) is shown even if it is empty, because frames may be added to it.
    ///
    /// ```
    /// use iprof::Frames;
    ///
    /// # iprof::update(true);
    /// let (mut view, profiler) = (iprof::View::default(), iprof::profiler());
    /// if view.show_frames(&profiler, Frames::Longest) {
    ///     view.report(&profiler).write(std::io::stdout(), 2)?;
    /// }
    /// assert!(!view.show_frames(&profiler, Frames::Marked("level loaded".into())));
    /// # view.show_frames(&profiler, iprof::Frames::Session);
    /// # assert!(!view.show_frames(&profiler, Frames::Marked("level loaded".into())));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// The default view's frame and its baseline frame are remembered as long as they are shown. Any other view shows
    /// the nearest remembered frame once its own frame has been dropped.
    pub fn show_frames(&mut self, profiler: &Profiler, frames: Frames) -> bool {
        let session = profiler.session();
        let is_found = self.choose_frames(profiler.history(), &frames);
        match frames.is_session() {
            true => session.frames(session.parts(&frames)).count > 0,
            false => is_found,
        }
    }

    pub(super) fn compare_slow_frames(&mut self, frame_budget: Duration) {
        let slow = Frames::LongerThan(frame_budget);
        if self.frame == slow && self.baseline == Baseline::Rest {
            self.frame = Frames::Live;
            self.set_baseline(Baseline::None);
        } else {
            self.frame = slow;
            self.set_baseline(Baseline::Rest);
        }
    }

    pub(super) fn set_baseline_here(&mut self, history: &History) {
        if let Some(part) = self.shown_part() {
            return self.set_baseline(Baseline::Frames(part.clone()));
        }
        if let Some(number) = self.frame_in(history, 1) {
            self.set_baseline(Baseline::Frames(Frames::Number(number)));
        }
    }

    /// Moves by buckets, for use while the graph shows the session.
    #[doc(hidden)]
    pub fn move_frame_in_session(&mut self, session: &Session, delta: i32) {
        if self.frame != Frames::Live || delta < 0 {
            self.move_bucket(session, delta);
        }
    }

    #[doc(hidden)]
    pub fn move_frame(&mut self, history: &History, session: &Session, delta: i32) {
        if let Frames::SessionTime(..) = self.frame.without_complement().0 {
            return self.move_bucket(session, delta);
        }
        if let Some(part) = self.shown_part()
            && delta < 0
        {
            // Step back through the band's frames, as through a set's. If none of them is remembered, step back from
            // the newest frame of all.
            let parts = session.parts(part);
            let is_in = |frame: &&Frame| session.is_in(parts, (frame.number, frame.ms()));
            let members = history.iter().rev().filter(is_in);
            if let Some(member) = members.take(delta.unsigned_abs() as usize).last() {
                self.frame = Frames::Number(member.number);
                return;
            }
        }
        if let Some(set) = self.shown_set()
            && delta < 0
        {
            // One step back leads to the set's newest frame.
            let members = history.members(set);
            let back = members.len().checked_sub(delta.unsigned_abs() as usize);
            if let Some(member) = members.get(back.unwrap_or(0)) {
                self.frame = Frames::Number(member.number);
            }
            return;
        }
        let to = |from| history.step(from, i64::from(delta));
        if let Some(frame) = self.frame_in(history, delta).and_then(to) {
            let newest = history.newest().map_or(0, |frame| frame.number);
            self.frame = match frame.number < newest {
                true => Frames::Number(frame.number),
                false => Frames::Live,
            };
        }
    }

    /// Returns the number of the shown frame. For a range, returns the last frame in the given direction, and for a
    /// set, its newest frame. For the live view and part of the session, returns the newest frame of all.
    #[doc(hidden)]
    pub fn frame_in(&self, history: &History, direction: i32) -> Option<u64> {
        match &self.frame {
            Frames::Live => history.newest(),
            frames if frames.is_session() => history.newest(),
            Frames::Number(number) => history.nearest(*number),
            Frames::Range { first, last } if direction < 0 => history.nearest(*first.min(last)),
            Frames::Range { first, last } => history.nearest(*first.max(last)),
            set => history.members(set).last().copied(),
        }
        .map(|frame| frame.number)
    }

    #[doc(hidden)]
    pub fn choose_frames(&mut self, history: &History, frames: &Frames) -> bool {
        let nearest = |number| history.nearest(number).map(|frame| frame.number);
        let found = match frames {
            Frames::Live => Some(Frames::Live),
            Frames::Range { first, last } => {
                let ends = nearest(*first).zip(nearest(*last));
                ends.map(|(first, last)| match first == last {
                    true => Frames::Number(last),
                    false => Frames::Range { first, last },
                })
            }
            frames if frames.is_session() => Some(frames.clone()),
            frames if frames.is_set() => {
                self.frame = frames.clone();
                return !history.members(frames).is_empty();
            }
            frames => history.number_of(frames).map(Frames::Number),
        };
        let is_found = found.is_some();
        if let Some(frame) = found {
            self.frame = frame;
        }
        is_found
    }

    /// Shows the next spike of the zone under the cursor in the given direction, and keeps the cursor on that zone.
    pub(super) fn step_to_zone_spike(
        &mut self,
        profiler: &Profiler,
        shown: &Report,
        direction: i32,
    ) {
        if let Some(at) = shown.cursor() {
            self.step_to_spike_of(profiler, shown.rows[at].key, direction);
        }
    }

    /// Shows the next spike of a row's zone in the given direction, and moves the cursor to the row.
    #[doc(hidden)]
    pub fn step_to_spike_of(&mut self, profiler: &Profiler, row: RowKey, direction: i32) {
        let spikes = zone_spikes(profiler, self, row);
        self.put_cursor_on(row);
        self.step_to(profiler.history(), direction, &spikes);
    }

    /// Shows the next of the given frames in the given direction.
    #[doc(hidden)]
    pub fn step_to(&mut self, history: &History, direction: i32, frames: &[u64]) {
        let Some(from) = self.frame_in(history, direction) else {
            return;
        };
        let mut frames = frames.iter().copied();
        // The live view, a set and part of the session show averages, so their newest frame is one step back.
        let is_now = self.remembered().is_none();
        let to = if direction < 0 {
            frames.rfind(|number| *number < from || is_now && *number == from)
        } else {
            frames.find(|number| *number > from)
        };
        if let Some(number) = to {
            self.frame = Frames::Number(number);
        }
    }

    #[doc(hidden)]
    pub fn extend_range(&mut self, history: &History, delta: i32) {
        let ends = match self.frame {
            Frames::Range { first, last } => Some((first, last)),
            _ => self.frame_in(history, delta).map(|frame| (frame, frame)),
        };
        let to = ends.and_then(|(_, to)| history.step(to, i64::from(delta)));
        if let (Some((first, _)), Some(to)) = (ends, to) {
            let last = to.number;
            self.choose_frames(history, &Frames::Range { first, last });
        }
    }

    /// Returns the numbers of the remembered frames shown: the view's frame and its baseline.
    #[doc(hidden)]
    pub fn shown_frames(&self) -> [Option<u64>; 2] {
        let baseline = match &self.baseline {
            Baseline::Frames(frames) => frames,
            _ => &Frames::Live,
        };
        [&self.frame, baseline].map(|frames| match frames {
            Frames::Number(number) => Some(*number),
            _ => None,
        })
    }

    /// Shows the next band with frames in the given direction, or the slowest one if no band is shown.
    #[doc(hidden)]
    pub fn move_band(&mut self, session: &Session, delta: i32) {
        let count = |band: &usize| {
            let part = Frames::SessionBands(*band, *band);
            session.frames(session.parts(&part)).count
        };
        let bands: Vec<usize> = (0..BANDS).filter(|band| count(band) > 0).collect();
        let Some(slowest) = bands.len().checked_sub(1) else {
            return;
        };
        let to = match *self.frame.without_complement().0 {
            Frames::SessionBands(one, other) => {
                let (first, last) = bands_in(one, other);
                // The index of the shown band, or of the next band with frames in that direction.
                let at = match delta < 0 {
                    true => bands.partition_point(|band| *band < first),
                    false => bands.partition_point(|band| *band <= last).max(1) - 1,
                };
                stepped(at, delta, slowest)
            }
            _ => slowest,
        };
        self.frame = Frames::SessionBands(bands[to], bands[to]);
    }

    /// Shows the next bucket in the given direction, or the newest if none is shown. A step past the newest returns to
    /// the live view.
    #[doc(hidden)]
    pub fn move_bucket(&mut self, session: &Session, delta: i32) {
        let buckets = session.buckets();
        let Some(newest) = buckets.len().checked_sub(1) else {
            return;
        };
        let to = match self.shown_buckets(session) {
            Some((_, last)) if delta > 0 && last == newest => {
                self.frame = Frames::Live;
                return;
            }
            Some((first, _)) if delta < 0 => stepped(first, delta, newest),
            Some((_, last)) => stepped(last, delta, newest),
            None => newest,
        };
        self.show_buckets(session, to, to);
    }

    /// Extends the shown buckets in the given direction. If none are shown, starts with the newest.
    #[doc(hidden)]
    pub fn extend_buckets(&mut self, session: &Session, delta: i32) {
        let Some(newest) = session.buckets().len().checked_sub(1) else {
            return;
        };
        let (first, last) = self.shown_buckets(session).unwrap_or((newest, newest));
        match delta < 0 {
            true => self.show_buckets(session, stepped(first, delta, newest), last),
            false => self.show_buckets(session, first, stepped(last, delta, newest)),
        }
    }

    fn show_buckets(&mut self, session: &Session, first: usize, last: usize) {
        let begin = |at: usize| Duration::from_nanos(session.buckets()[at].begin_ns);
        self.frame = Frames::SessionTime(begin(first), begin(last));
    }

    /// Returns the first and last bucket shown, or the bucket that contains the shown frame.
    fn shown_buckets(&self, session: &Session) -> Option<(usize, usize)> {
        match *self.frame.without_complement().0 {
            Frames::SessionTime(one, other) => session.buckets_in(one, other),
            Frames::Number(frame) => session.bucket_of(frame).map(|at| (at, at)),
            _ => None,
        }
    }
}

/// Returns `at + delta`, clamped to between 0 and `last`.
fn stepped(at: usize, delta: i32, last: usize) -> usize {
    let to = at as i64 + i64::from(delta);
    to.clamp(0, last as i64) as usize
}
