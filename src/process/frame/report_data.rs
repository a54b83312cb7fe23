//! What only reports show of recorded frames: history, heat, GPU times and warnings.

use crate::process::frame::ended_frame::{Frame, ThreadDeltas};
use crate::process::frame::frame_sums::FrameSums;
use crate::process::frame::gpu::Gpu;
use crate::process::frame::heat::HeatMap;
use crate::process::frame::history::{DEFAULT_FRAMES, History};
use crate::process::frame::profiler::Profiler;
use crate::process::frame::session::Session;
use crate::process::frame::thread::ThreadGroups;
use crate::process::frame::zone_budgets::ZoneBudgets;
use crate::process::moving_average::Averages;
use crate::process::untimed::NodeDelta;
use std::sync::Arc;

/// See the module's comment.
#[derive(Debug)]
pub(crate) struct ReportData {
    pub(super) history: History,
    pub(super) session: Session,
    pub(super) zone_budgets: ZoneBudgets,
    /// The heat of all threads together; `None` while [`first_thread`](Self::first_thread) is the
    /// only thread.
    heat: Option<HeatMap>,
    /// The first thread that was in a recorded frame.
    first_thread: Option<u32>,
    /// The threads that share a name.
    pub(super) thread_groups: ThreadGroups,
    /// The names of marks for the next recorded frame.
    pub(super) pending_marks: Vec<Arc<str>>,
    /// The average processor time of the sampler per frame, in milliseconds.
    pub(super) sampler_ms: Averages<1>,
    /// A warning about the environment variables that could not be read or applied.
    pub(super) environment_warning: Option<String>,
    /// Why the sampler could not be started.
    pub(super) sampler_error: Option<String>,
    pub(super) sums: FrameSums,
    all_sums: FrameSums,
    pub(super) gpu: Gpu,
}

impl ReportData {
    pub(super) fn new() -> ReportData {
        ReportData {
            history: History::new(DEFAULT_FRAMES),
            session: Session::new(),
            zone_budgets: ZoneBudgets::default(),
            heat: None,
            first_thread: None,
            thread_groups: ThreadGroups::default(),
            pending_marks: Vec::new(),
            sampler_ms: Averages::default(),
            environment_warning: None,
            sampler_error: None,
            sums: FrameSums::default(),
            all_sums: FrameSums::default(),
            gpu: Gpu::default(),
        }
    }
}

impl Profiler {
    /// Begins to ingest a frame.
    pub(super) fn begin_report_data(&mut self, frame: &Frame) {
        let sampler_ms = frame.sampler_ns as f64 * 1e-6;
        self.reports.sampler_ms.add(&self.clock, [sampler_ms]);
        self.prepare_heat_of_all(&frame.threads);
        let thread_groups = &mut self.reports.thread_groups;
        thread_groups.begin_frame(&self.threads, &self.indices);
        self.reports.zone_budgets.begin_frame(&self.indices);
    }

    /// Adds the deltas of a thread, whose averages have them already.
    pub(super) fn add_report_data(
        &mut self,
        thread_index: u32,
        deltas: &[NodeDelta],
        ms_per_tick: f64,
    ) {
        let thread = &mut self.threads[thread_index as usize];
        let (clock, indices) = (&self.clock, &self.indices);
        let reports = &mut self.reports;
        thread.tree.average_errors(clock, ms_per_tick);
        reports.sums.sum_up(indices, thread.tree.links(), deltas);
        thread.heat.add(clock, indices, &reports.sums, ms_per_tick);
        if reports.heat.is_some() {
            reports.all_sums.merge(&reports.sums);
        }
        reports.thread_groups.add(thread_index, &reports.sums);
        let zone_budgets = &mut reports.zone_budgets;
        zone_budgets.add_thread(&reports.sums, indices, ms_per_tick);
    }

    /// Ends the frame, after all threads were added.
    pub(super) fn end_report_data(&mut self, ms_per_tick: f64) {
        let (clock, indices) = (&self.clock, &self.indices);
        let reports = &mut self.reports;
        if let Some(heat) = &mut reports.heat {
            heat.add(clock, indices, &reports.all_sums, ms_per_tick);
        }
        let thread_groups = &mut reports.thread_groups;
        thread_groups.end_frame(clock, indices, ms_per_tick);
    }

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

    /// Forgets frames, warnings and GPU times.
    pub(super) fn reset_reports(&mut self) {
        self.reports.history.clear();
        self.reports.session.clear();
        self.reports.zone_budgets.forget_frames();
        self.reports.sampler_error = None;
        self.reset_gpu();
    }

    /// Prepares the heat of all threads for a frame with the threads of `parts`. A program with one
    /// thread uses that thread's heat, so the same is not computed twice. With the second thread,
    /// the heat of all starts as a copy of it.
    fn prepare_heat_of_all(&mut self, parts: &[ThreadDeltas]) {
        self.reports.first_thread = self
            .reports
            .first_thread
            .or(parts.first().map(|part| part.thread));
        let others = || {
            parts
                .iter()
                .any(|part| Some(part.thread) != self.reports.first_thread)
        };
        if self.reports.heat.is_none() && others() {
            self.reports.heat = self.heat_of_all().cloned();
        }
        self.reports.all_sums.clear(&self.indices);
    }

    /// The heat of all threads together; `None` before the first frame.
    pub(crate) fn heat_of_all(&self) -> Option<&HeatMap> {
        let of_first = || Some(&self.threads[self.reports.first_thread? as usize].heat);
        self.reports.heat.as_ref().or_else(of_first)
    }
}
