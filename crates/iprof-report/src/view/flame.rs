//! What a view has chosen in its flame graph: the call path at the top, and the cursor.

use super::View;
use super::is_call_graph;
use crate::flame::{CallPath, Flame, FlameStep};
use crate::report::RowKind;
use crate::report::{ReportMode, RowKey, Section};

/// The cursor passes over what is narrower than this part of the graph: two pixels of a wide one.
const LEAST_SHARE: f64 = 1.0 / 1024.0;

/// See the module's comment. As far as a path is there, it applies; all of it does where all is there again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlameChoice {
    pub zoomed: CallPath,
    pub cursor: Option<CallPath>,
}

impl View {
    /// Puts the flame graph's cursor on a call path: its zone is lit wherever it stands, and in the lists of all zones
    /// the cursor goes to its row.
    ///
    /// ```
    /// let (mut view, profiler) = (iprof::View::default(), iprof::profiler());
    /// let flame = view.flame(&profiler);
    /// view.set_flame_cursor(flame.path(0));
    /// view.act(&profiler, iprof::Action::ZoomFlame);
    /// ```
    pub fn set_flame_cursor(&mut self, path: CallPath) {
        let is_list = matches!(
            self.report_mode,
            ReportMode::SelfTime | ReportMode::HierarchicalTime
        );
        if let (Some(zone), true) = (path.zones().last(), is_list) {
            self.put_cursor_on(RowKey::top(Section::Flat, *zone, 0));
        }
        self.flame.cursor = Some(path);
    }

    /// The call path under the flame graph's cursor, if it has one.
    #[must_use]
    pub fn flame_cursor(&self) -> Option<&CallPath> {
        self.flame.cursor.as_ref()
    }

    /// Zooms the flame graph to the call path under its cursor: it gets the whole width, under its callers.
    #[doc(hidden)]
    pub fn zoom_flame(&mut self) {
        if let Some(cursor) = &self.flame.cursor {
            self.flame.zoomed = cursor.clone();
        }
    }

    /// Shows all of the flame graph again.
    #[doc(hidden)]
    pub fn unzoom_flame(&mut self) {
        self.flame.zoomed = CallPath::default();
    }

    /// Whether the flame graph shows one call path alone.
    #[doc(hidden)]
    #[must_use]
    pub fn is_flame_zoomed(&self) -> bool {
        !self.flame.zoomed.zones().is_empty()
    }

    /// Moves the cursor a step, in the flame graph of this view.
    #[doc(hidden)]
    pub fn walk_flame(&mut self, flame: &Flame, step: FlameStep) {
        let from = flame.cursor;
        // The first step shows where the cursor is.
        let to = from.map_or(flame.zoomed, |from| flame.step(from, step, LEAST_SHARE));
        self.set_flame_cursor(flame.path(to));
    }

    /// The zone that is lit in the flame graph: that of its cursor, of the call graph, or of the row under the cursor.
    #[doc(hidden)]
    pub fn selected_in_flame(&self) -> Option<u32> {
        if let Some(path) = &self.flame.cursor {
            return path.zones().last().copied();
        }
        let selected = self.selected().zone;
        if is_call_graph(self.report_mode) {
            return Some(selected);
        }
        let row = self.cursor().row.filter(|row| row.kind == RowKind::Zone);
        row.map(|row| row.zone)
    }
}
