//! A view's flame graph settings: the call path that it is zoomed to, and the cursor.

use super::View;
use super::is_call_graph;
use crate::flame::{CallPath, Flame, FlameStep};
use crate::report::RowKind;
use crate::report::{ReportMode, RowKey, Section};

/// The cursor skips call paths narrower than this fraction of the graph, which is two pixels of a wide one.
const LEAST_SHARE: f64 = 1.0 / 1024.0;

/// A view's flame graph settings. If a call path does not currently exist, its longest existing prefix is used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlameChoice {
    pub zoomed: CallPath,
    pub cursor: Option<CallPath>,
}

impl View {
    /// Moves the flame graph's cursor to a call path. All boxes of its zone are highlighted, and in a list of all
    /// zones, the report's cursor moves to the zone's row.
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

    /// Returns the call path under the flame graph's cursor, if it has one.
    #[must_use]
    pub fn flame_cursor(&self) -> Option<&CallPath> {
        self.flame.cursor.as_ref()
    }

    #[doc(hidden)]
    pub fn zoom_flame(&mut self) {
        if let Some(cursor) = &self.flame.cursor {
            self.flame.zoomed = cursor.clone();
        }
    }

    #[doc(hidden)]
    pub fn unzoom_flame(&mut self) {
        self.flame.zoomed = CallPath::default();
    }

    #[doc(hidden)]
    #[must_use]
    pub fn is_flame_zoomed(&self) -> bool {
        !self.flame.zoomed.zones().is_empty()
    }

    #[doc(hidden)]
    pub fn walk_flame(&mut self, flame: &Flame, step: FlameStep) {
        let from = flame.cursor;
        // The first step only makes the cursor visible.
        let to = from.map_or(flame.zoomed, |from| flame.step(from, step, LEAST_SHARE));
        self.set_flame_cursor(flame.path(to));
    }

    /// Returns the zone to highlight: the zone under the flame graph's cursor, otherwise the call graph's selected zone
    /// or the zone of the row under the cursor.
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
