//! `View`'s methods that query the running program: for a report, a graph, the rows to move through, the frames
//! there are. A view itself is state alone.

mod act;
mod frames;
mod rows;

use crate::flame::{Flame, FlameStep};
use crate::graph::Graph;
use crate::process::View;
use crate::process::{
    program::with_profiler, query, query::flame::FlameWork, query::graph::GraphWork,
};
use crate::report::Report;

impl View {
    /// The report of this view as plain data, built now.
    #[must_use]
    pub fn report(&self) -> Report {
        with_profiler(|profiler| query::report(profiler, self, None))
    }

    /// The graph of the remembered frames as plain data, built now.
    ///
    /// The bars show the zones of the chosen thread; with
    /// [`Threads::Group`](crate::Threads::Group) of that thread alone; with all threads in view,
    /// of the thread that calls [`update`](crate::update), so that a bar is a frame.
    #[must_use]
    pub fn graph(&self) -> Graph {
        let mut graph = Graph::default();
        with_profiler(|profiler| {
            GraphWork::default().update(profiler, self, &mut graph);
        });
        graph
    }

    /// The flame graph of this view as plain data, built now: the call tree of the frames and threads that it shows.
    /// Of several threads it is the sum. Idle time has no width, unless the view [ranks](View::set_idle_ranked) it.
    ///
    /// ```
    /// iprof::zone!(simulate);
    /// # iprof::update(true);
    /// let flame = iprof::View::new().flame();
    /// # #[cfg(feature = "enable")]
    /// assert!(flame.zones.iter().any(|zone| &*zone.name == "simulate"));
    /// ```
    #[must_use]
    pub fn flame(&self) -> Flame {
        let mut flame = Flame::default();
        with_profiler(|profiler| {
            FlameWork::default().update(profiler, self, &mut flame);
        });
        flame
    }

    /// Moves the flame graph's cursor a step; the first step puts it at the top. Left and right it passes over call
    /// paths that are too narrow to be seen.
    ///
    /// ```
    /// use iprof::FlameStep;
    ///
    /// let mut view = iprof::View::new();
    /// view.walk_flame(FlameStep::Callee);
    /// assert_eq!(view.flame_cursor(), Some(&iprof::CallPath::default()));
    /// ```
    pub fn walk_flame(&mut self, step: FlameStep) {
        let flame = self.flame();
        self.walk_flame_in(&flame, step);
    }

    /// Writes [`report`](View::report) as text with aligned columns and two decimal places.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_report(&self, out: impl std::io::Write) -> std::io::Result<()> {
        self.report().write(out, 2)
    }
}
