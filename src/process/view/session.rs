//! Steps through the parts of the session: from band to band, from bucket to bucket.

use super::{FrameChoice, View};
use crate::process::frame::session::Session;
use crate::session_part::{BANDS, Extent, SessionPart};
use std::time::Duration;

impl View {
    /// Shows the next band with frames in a direction; if no band is shown, the slowest.
    pub(in crate::process) fn move_band(&mut self, session: &Session, delta: i32) {
        let count = |band: &usize| {
            let part = SessionPart::band(*band);
            session.frames(session.parts(&part)).count
        };
        let bands: Vec<usize> = (0..BANDS).filter(|band| count(band) > 0).collect();
        let Some(slowest) = bands.len().checked_sub(1) else {
            return;
        };
        let to = match self.shown_part().map(|part| part.extent) {
            Some(Extent::Bands(first, last)) => {
                let from = if delta < 0 { first } else { last };
                // The number of the band, or of the next one with frames in that direction.
                let at = match delta < 0 {
                    true => bands.partition_point(|band| *band < from),
                    false => bands
                        .partition_point(|band| *band <= from)
                        .saturating_sub(1),
                };
                stepped(at, delta, slowest)
            }
            _ => slowest,
        };
        self.frame = FrameChoice::Session(SessionPart::band(bands[to]));
    }

    /// Shows the next bucket in a direction; if none is shown, the newest. Past the newest: the live view.
    pub(in crate::process) fn move_bucket(&mut self, session: &Session, delta: i32) {
        let buckets = session.buckets();
        let Some(newest) = buckets.len().checked_sub(1) else {
            return;
        };
        let to = match self.shown_buckets(session) {
            Some((_, last)) if delta > 0 && last == newest => {
                self.frame = FrameChoice::Live;
                return;
            }
            Some((first, _)) if delta < 0 => stepped(first, delta, newest),
            Some((_, last)) => stepped(last, delta, newest),
            None => newest,
        };
        self.show_buckets(session, to, to);
    }

    /// Shows more buckets in a direction: to those that are shown, or to the newest.
    pub(in crate::process) fn extend_buckets(&mut self, session: &Session, delta: i32) {
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
        self.frame = FrameChoice::Session(SessionPart::time(begin(first), begin(last)));
    }

    /// The first and the last bucket that is shown; of a frame, that which has it.
    fn shown_buckets(&self, session: &Session) -> Option<(usize, usize)> {
        match self.frame {
            FrameChoice::Session(part) => match part.extent {
                Extent::Time(from, to) => session.buckets_in(from, to),
                Extent::All | Extent::Bands(..) | Extent::Slowest(_) => None,
            },
            FrameChoice::Number(frame) => session.bucket_of(frame).map(|at| (at, at)),
            _ => None,
        }
    }
}

/// `at` and `delta`, from 0 to `last`.
fn stepped(at: usize, delta: i32, last: usize) -> usize {
    let to = at as i64 + i64::from(delta);
    to.clamp(0, last as i64) as usize
}
