//! What a view shows of a profiler, as plain data built now.

use super::View;
use crate::flame::Flame;
use crate::graph::Graph;
use crate::query::{self, flame::FlameWork, graph::GraphWork};
use crate::report::Report;
use iprof_process::Profiler;

impl View {
    /// The report of this view as plain data, built now.
    ///
    /// ```
    /// # iprof::update(true);
    /// let report = iprof::View::default().report(&iprof::profiler());
    /// ```
    #[must_use]
    pub fn report(&self, profiler: &Profiler) -> Report {
        query::report(profiler, self, None)
    }

    /// The graph of the remembered frames as plain data, built now.
    ///
    /// The bars show the zones of the chosen thread; with
    /// [`Threads::Group`](enum.Threads.html#variant.Group) of that thread alone; with all threads in view,
    /// of the thread that calls [`update`](fn.update.html), so that a bar is a frame.
    #[must_use]
    pub fn graph(&self, profiler: &Profiler) -> Graph {
        let mut graph = Graph::default();
        GraphWork::default().update(profiler, self, false, &mut graph);
        graph
    }

    /// The graph of the whole session: a bar for each [bucket](enum.Frames.html#the-session) of time, which is the mean of its frames.
    ///
    /// ```
    /// # iprof::update(true);
    /// let graph = iprof::View::default().session_graph(&iprof::profiler());
    /// assert_eq!(graph.buckets.len(), graph.bars.len());
    /// ```
    #[must_use]
    pub fn session_graph(&self, profiler: &Profiler) -> Graph {
        let mut graph = Graph::default();
        GraphWork::default().update(profiler, self, true, &mut graph);
        graph
    }

    /// The flame graph of this view as plain data, built now: the call tree of the frames and threads that it shows.
    /// Of several threads it is the sum. Idle time has no width, unless the view [ranks](View::idle_ranked) it.
    ///
    /// ```
    /// iprof::zone!(simulate);
    /// # iprof::update(true);
    /// let flame = iprof::View::default().flame(&iprof::profiler());
    /// # if !iprof::is_recording() { return }
    /// assert!(flame.zones.iter().any(|zone| &*zone.name == "simulate"));
    /// ```
    #[must_use]
    pub fn flame(&self, profiler: &Profiler) -> Flame {
        let mut flame = Flame::default();
        FlameWork::default().update(profiler, self, &mut flame);
        flame
    }
}
