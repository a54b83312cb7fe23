//! What a view looks at, laid out by node: a remembered frame, the newest one, or an average.

use super::core::Process;
use super::tree::TreeNode;
use super::view::{FrameChoice, View};

/// Self times and entries of every node of the threads in view.
///
/// Times are multiplied by `ms` once they are summed: of a frame they are whole ticks until then,
/// so that their sums are exact (to 2^53 ticks, a month).
#[derive(Debug)]
pub(crate) struct Values<'a> {
    pub(crate) threads: Vec<ThreadValues<'a>>,
    pub(crate) ms: f64,
    pub(crate) frame_ms: f64,
    /// The number of the remembered frame; none if this is now.
    pub(crate) frame: Option<u64>,
    /// Whether these are counts of one frame, not averages.
    pub(crate) whole: bool,
}

/// A thread in view.
#[derive(Debug)]
pub(crate) struct ThreadValues<'a> {
    pub(crate) nodes: &'a [TreeNode],
    pub(crate) self_time: Vec<f64>,
    pub(crate) entries: Vec<f64>,
}

impl Process {
    /// The values that `view` looks at.
    pub(super) fn values(&self, view: &View) -> Values<'_> {
        let empty = |at: usize| {
            let nodes = self.threads[at].tree.nodes();
            let zeros = vec![0.0; nodes.len()];
            ThreadValues {
                nodes,
                self_time: zeros.clone(),
                entries: zeros,
            }
        };
        let (frame, remembered) = match view.frame {
            FrameChoice::Number(number) => (self.history.nearest(number), true),
            FrameChoice::Now => (self.history.newest(), false),
        };
        if remembered || view.average == 0 {
            let mut threads = Vec::new();
            for at in self.threads_in_view(view.threads) {
                let mut values = empty(at);
                for sample in frame.map_or(&[][..], |frame| frame.samples_of(at as u32)) {
                    values.self_time[sample.node as usize] = sample.ticks as f64;
                    values.entries[sample.node as usize] = sample.entries as f64;
                }
                threads.push(values);
            }
            return Values {
                threads,
                ms: frame.map_or(1.0, |frame| frame.ms_per_tick),
                frame_ms: frame.map_or(0.0, |frame| frame.ms()),
                frame: frame.filter(|_| remembered).map(|frame| frame.number),
                whole: true,
            };
        }
        let slot = view.average - 1;
        let mut threads = Vec::new();
        for at in self.threads_in_view(view.threads) {
            let mut values = empty(at);
            for (index, averages) in self.threads[at].tree.averages().iter().enumerate() {
                [values.self_time[index], values.entries[index]] = averages.get(&self.clock, slot);
            }
            threads.push(values);
        }
        let [frame_ms] = self.frame_ms.get(&self.clock, slot);
        Values {
            threads,
            ms: 1.0,
            frame_ms,
            frame: None,
            whole: false,
        }
    }
}
