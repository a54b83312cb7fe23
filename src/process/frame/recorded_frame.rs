//! Hands a recorded frame to all that keep it or its sums: the session, budgets and history.

use crate::process::delta::NodeDelta;
use crate::process::frame::ended_frame::Frame;
use crate::process::frame::profiler::Profiler;

impl Profiler {
    /// Adds a frame, the last one counted, to the session and to history. Returns a frame to be refilled.
    pub(super) fn remember(&mut self, mut frame: Frame) -> Frame {
        frame.number = self.frames;
        let (session, totals) = self.session_and_totals();
        session.add(&frame, &totals);
        self.reports.zone_budgets.end_frame(frame.ms());
        let spare = self.reports.history.push(frame);
        for name in self.reports.pending_marks.drain(..) {
            self.reports.history.mark(name);
        }
        spare
    }

    /// Leaves deltas that are in no frame out of the session, though totals have them.
    pub(super) fn leave_out_of_session(
        &mut self,
        thread: u32,
        deltas: impl Iterator<Item = NodeDelta>,
    ) {
        let (session, totals) = self.session_and_totals();
        session.leave_out(thread, deltas, &totals);
    }
}
