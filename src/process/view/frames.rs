//! Chooses the frame, or the range of frames, that a view shows, of those in the history: by number, by steps,
//! by the next of some. `view_queries` has these methods for the program's history.

use super::{Baseline, FrameChoice, View};
use crate::frame_selection::FrameSelection;
use crate::process::frame::ended_frame::Frame;
use crate::process::frame::history::History;
use crate::process::frame::session::Session;
use crate::session_part::Extent;

impl View {
    pub(in crate::process) fn move_frame_in(
        &mut self,
        history: &History,
        session: &Session,
        delta: i32,
    ) {
        let part = self.shown_part().copied();
        let is_time = part.is_some_and(|part| matches!(part.extent, Extent::Time(..)));
        if is_time || self.graph_zoom.shows_session() {
            if self.frame != FrameChoice::Live || delta < 0 {
                self.move_bucket_in(session, delta);
            }
            return;
        }
        if let Some(part) = part
            && delta < 0
        {
            // Into the band, as into a set; if none of its frames is remembered, to the newest of all.
            let parts = session.parts(&part);
            let is_in = |frame: &&Frame| session.is_in(parts, (frame.number, frame.ms()));
            let members = history.iter().rev().filter(is_in);
            if let Some(member) = members.take(delta.unsigned_abs() as usize).last() {
                self.frame = FrameChoice::Number(member.number);
                return;
            }
        }
        if let FrameChoice::Set(set) = &self.frame
            && delta < 0
        {
            // Into the set: its newest frame is one step into the past.
            let members = history.members(set);
            let back = members.len().checked_sub(delta.unsigned_abs() as usize);
            if let Some(member) = members.get(back.unwrap_or(0)) {
                self.frame = FrameChoice::Number(member.number);
            }
            return;
        }
        let to = |from| history.step(from, i64::from(delta));
        if let Some(frame) = self.frame_in(history, delta).and_then(to) {
            let newest = history.newest().map_or(0, |frame| frame.number);
            self.frame = match frame.number < newest {
                true => FrameChoice::Number(frame.number),
                false => FrameChoice::Live,
            };
        }
    }

    /// The number of the shown frame, also of the live one; of a range, the end in that direction;
    /// of a set, its newest frame; of a part of the session, the newest of all.
    pub(in crate::process) fn frame_in(&self, history: &History, direction: i32) -> Option<u64> {
        match &self.frame {
            FrameChoice::Live | FrameChoice::Session(_) => history.newest(),
            FrameChoice::Number(number) => history.nearest(*number),
            FrameChoice::Range(from, to) if direction < 0 => history.nearest(*from.min(to)),
            FrameChoice::Range(from, to) => history.nearest(*from.max(to)),
            FrameChoice::Set(set) => history.members(set).last().copied(),
        }
        .map(|frame| frame.number)
    }

    pub(in crate::process) fn set_frames_in(
        &mut self,
        history: &History,
        selection: &FrameSelection,
    ) -> bool {
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
            FrameSelection::Set(set) => {
                self.frame = FrameChoice::Set(set.clone());
                return !history.members(set).is_empty();
            }
            FrameSelection::Session(part) => {
                self.frame = FrameChoice::Session(*part);
                return history.newest().is_some();
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
        let is_found = found.is_some();
        if let Some(frame) = found {
            self.frame = frame;
        }
        is_found
    }

    /// Shows the next of the given frames in a direction.
    pub(in crate::process) fn step_to_in(
        &mut self,
        history: &History,
        direction: i32,
        frames: &[u64],
    ) {
        let Some(from) = self.frame_in(history, direction) else {
            return;
        };
        let mut frames = frames.iter().copied();
        // The live view shows an average, so the newest frame is one step into the past.
        // So does that of a set or of a part of the session.
        let is_now = matches!(
            self.frame,
            FrameChoice::Live | FrameChoice::Set(_) | FrameChoice::Session(_)
        );
        let to = if direction < 0 {
            frames.rfind(|number| *number < from || is_now && *number == from)
        } else {
            frames.find(|number| *number > from)
        };
        if let Some(number) = to {
            self.frame = FrameChoice::Number(number);
        }
    }

    pub(in crate::process) fn extend_range_in(
        &mut self,
        history: &History,
        session: &Session,
        delta: i32,
    ) {
        if self.graph_zoom.shows_session() {
            return self.extend_buckets_in(session, delta);
        }
        let ends = match self.frame {
            FrameChoice::Range(from, to) => Some((from, to)),
            _ => self.frame_in(history, delta).map(|frame| (frame, frame)),
        };
        let to = ends.and_then(|(_, to)| history.step(to, i64::from(delta)));
        if let (Some((first, _)), Some(to)) = (ends, to) {
            let last = to.number;
            self.set_frames_in(history, &FrameSelection::Range { first, last });
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
