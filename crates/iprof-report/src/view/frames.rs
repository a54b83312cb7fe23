//! Chooses the frame, or the range of frames, that a view shows, of those in the history: by number, by steps,
//! by the next of some.

use super::{Baseline, View};
use crate::query::zone_spikes::zone_spikes;
use crate::report::{Report, RowKey};
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::ended_frame::Frame;
use iprof_process::history::History;
use iprof_process::session::{BANDS, Session, bands_in};
use std::time::Duration;

impl View {
    /// Chooses which frames to show: remembered ones, which stay while recording goes on, or the live view.
    /// Returns whether there is such a frame; otherwise the view stays as it is. Only a
    /// [mark](Frames::Marked) may be missing, or all frames, before the first. A
    /// [set](Frames#sets) or a [part of the session](Frames#the-session) is shown in any case: frames may come
    /// into it.
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
    /// The frame that the default view shows, and its baseline frame, stay remembered as long as they
    /// are shown. Any other view shows the nearest remembered frame once its own frame is too old.
    pub fn show_frames(&mut self, profiler: &Profiler, frames: Frames) -> bool {
        let session = profiler.session();
        let is_found = self.choose_frames(profiler.history(), &frames);
        match frames.is_session() {
            true => session.frames(session.parts(&frames)).count > 0,
            false => is_found,
        }
    }

    /// Compares the frames over the frame budget with the rest; if these are compared already, goes back to the live view
    /// without a baseline.
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

    /// Makes the shown frame the baseline, or the shown part of the session.
    pub(super) fn set_baseline_here(&mut self, history: &History) {
        if let Some(part) = self.shown_part() {
            return self.set_baseline(Baseline::Frames(part.clone()));
        }
        if let Some(number) = self.frame_in(history, 1) {
            self.set_baseline(Baseline::Frames(Frames::Number(number)));
        }
    }

    /// As [`move_frame`](View::move_frame) while the session is on the screen: from bucket to bucket.
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
            // Into the band, as into a set; if none of its frames is remembered, to the newest of all.
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
            // Into the set: its newest frame is one step into the past.
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

    /// The number of the shown frame, also of the live one; of a range, the end in that direction;
    /// of a set, its newest frame; of a part of the session, the newest of all.
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

    /// Shows the next spike of the zone under the cursor in a direction, and keeps the cursor on it.
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

    /// Shows the next spike of a row's zone in a direction, and puts the cursor on the row.
    #[doc(hidden)]
    pub fn step_to_spike_of(&mut self, profiler: &Profiler, row: RowKey, direction: i32) {
        let spikes = zone_spikes(profiler, self, row);
        self.put_cursor_on(row);
        self.step_to(profiler.history(), direction, &spikes);
    }

    /// Shows the next of the given frames in a direction.
    #[doc(hidden)]
    pub fn step_to(&mut self, history: &History, direction: i32, frames: &[u64]) {
        let Some(from) = self.frame_in(history, direction) else {
            return;
        };
        let mut frames = frames.iter().copied();
        // The live view shows an average, so the newest frame is one step into the past.
        // So does that of a set or of a part of the session.
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

    /// The numbers of the remembered frames that the view shows.
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

    /// Shows the next band with frames in a direction; if no band is shown, the slowest.
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
                // The number of the band, or of the next one with frames in that direction.
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

    /// Shows the next bucket in a direction; if none is shown, the newest. Past the newest: the live view.
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

    /// Shows more buckets in a direction: to those that are shown, or to the newest.
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

    /// The first and the last bucket that is shown; of a frame, that which has it.
    fn shown_buckets(&self, session: &Session) -> Option<(usize, usize)> {
        match *self.frame.without_complement().0 {
            Frames::SessionTime(one, other) => session.buckets_in(one, other),
            Frames::Number(frame) => session.bucket_of(frame).map(|at| (at, at)),
            _ => None,
        }
    }
}

/// `at` and `delta`, from 0 to `last`.
fn stepped(at: usize, delta: i32, last: usize) -> usize {
    let to = at as i64 + i64::from(delta);
    to.clamp(0, last as i64) as usize
}
