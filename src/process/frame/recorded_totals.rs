//! What all recorded frames have of each node, which the trees of threads know.

use crate::process::frame::gpu::Gpu;
use crate::process::frame::profiler::Profiler;
use crate::process::frame::report_data::ReportData;
use crate::process::frame::session::Session;
use crate::process::frame::session_sums::{NodeSum, Totals};
use crate::process::frame::thread::Thread;

/// Of all threads.
#[derive(Clone, Copy)]
pub(crate) struct RecordedTotals<'a> {
    pub(super) threads: &'a [Thread],
    pub(super) gpu: &'a Gpu,
}

impl Totals for RecordedTotals<'_> {
    fn nodes(&self, thread: u32) -> usize {
        self.threads[thread as usize].tree.nodes().len()
    }

    #[inline]
    fn total(&self, thread: u32, node: usize) -> NodeSum {
        // GPU times are not counted as they happen.
        let (ticks, entries) = match self.gpu.is_thread(thread) {
            true => self.gpu.total(node),
            false => self.threads[thread as usize].tree.recorded(node),
        };
        NodeSum { ticks, entries }
    }

    fn is_sampled(&self, thread: u32) -> bool {
        self.threads[thread as usize].tree.is_sampled_now()
    }
}

impl Profiler {
    /// The session, to be changed, with the totals that its sums follow from.
    pub(super) fn session_and_totals(&mut self) -> (&mut Session, RecordedTotals<'_>) {
        let ReportData { session, gpu, .. } = &mut self.reports;
        let threads = &self.threads;
        (session, RecordedTotals { threads, gpu })
    }
}
