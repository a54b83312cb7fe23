//! Navigates a report's rows: moves the cursor, expands and collapses rows, and selects zones.

use super::{Selection, View, is_call_graph};
use crate::query;
use crate::report::{Expansion, Report, ReportMode, Row, RowKey, RowKind, Section};
use crate::view::Baseline;
use iprof_process::Profiler;
use iprof_process::indices::ZoneKey;
use std::collections::HashSet;

/// The maximum number of selections that a view can go back to.
const MOST_SELECTIONS: usize = 256;

impl View {
    #[doc(hidden)]
    pub fn move_cursor(&mut self, shown: &Report, delta: i32) {
        let at = shown.cursor().unwrap_or(0) as i64 + i64::from(delta);
        self.set_cursor(shown, at.max(0) as usize);
    }

    #[doc(hidden)]
    pub fn set_cursor(&mut self, shown: &Report, position: usize) {
        let position = position.min(shown.rows.len().saturating_sub(1));
        self.settle();
        self.cursor.position = position;
        self.cursor.row = shown.rows.get(position).map(|row| row.key);
        self.flame.cursor = None;
    }

    #[doc(hidden)]
    pub fn select(&mut self, shown: &Report) {
        if let Some(at) = shown.cursor() {
            self.select_row(shown.rows[at].key);
        }
    }

    fn select_row(&mut self, row: RowKey) {
        match (row.kind, row.section) {
            (RowKind::ZoneGroup | RowKind::Others | RowKind::Idle, _) => self.toggle(row),
            (RowKind::Zone, Section::Selected) => {}
            (RowKind::Zone, _) => self.select_key(row),
        }
    }

    /// Returns a view of the call graph that lists all direct callers of the selected zone, but not their callers. In a
    /// list of all zones, selects the zone under the cursor first.
    #[doc(hidden)]
    pub fn direct_callers_view(&self, shown: &Report) -> View {
        let mut of = self.clone();
        if !is_call_graph(self.report_mode) {
            of.select(shown);
        }
        of.open_rows = HashSet::new();
        of.filter.clear();
        of.min_share = 0.0;
        of.baseline = Baseline::None;
        of
    }

    /// Opens the call graph of the costliest direct caller.
    #[doc(hidden)]
    pub fn select_parent(&mut self, profiler: &Profiler, shown: &Report) {
        let of = self.direct_callers_view(shown);
        if let Some(caller) = query::costliest_caller(profiler, &of) {
            self.select_key(caller);
        }
    }

    /// Opens the call graph of the zone with this name, as shown in reports and graphs. Returns false and changes
    /// nothing if there is no such zone.
    ///
    /// ```
    /// iprof::zone!(physics);
    /// # iprof::update(true);
    /// let (mut view, profiler) = (iprof::View::default(), iprof::profiler());
    /// # if !iprof::is_recording() { return }
    /// assert!(view.select_zone(&profiler, "physics"));
    /// assert!(!view.select_zone(&profiler, "no such zone"));
    /// ```
    pub fn select_zone(&mut self, profiler: &Profiler, name: &str) -> bool {
        let found = profiler.indices().find_distinct(name);
        if let Some(zone) = found {
            self.select_zone_of(zone);
        }
        found.is_some()
    }

    /// Carries out [`Action::GoBack`](crate::Action::GoBack).
    #[doc(hidden)]
    pub fn go_back(&mut self) {
        self.settle();
        if let Some(selection) = self.past.pop() {
            let here = self.selection();
            self.future.push(here);
            self.go_to(selection);
        }
    }

    /// Undoes [`go_back`](View::go_back), until another zone is selected.
    #[doc(hidden)]
    pub fn go_forward(&mut self) {
        self.settle();
        if let Some(selection) = self.future.pop() {
            let here = self.selection();
            self.past.push(here);
            self.go_to(selection);
        }
    }

    pub(super) fn selection(&self) -> Selection {
        Selection {
            mode: self.report_mode,
            selected: self.selected,
            cursor: self.cursor,
        }
    }

    pub(super) fn go_to(&mut self, selection: Selection) {
        self.report_mode = selection.mode;
        self.selected = selection.selected;
        self.cursor = selection.cursor;
        self.settle();
    }

    #[doc(hidden)]
    pub fn expand(&mut self, shown: &Report) {
        if let Some(at) = shown.cursor() {
            self.expand_row(&shown.rows[at]);
        }
    }

    #[doc(hidden)]
    pub fn expand_row(&mut self, row: &Row) {
        match (row.key.kind, row.key.section) {
            (RowKind::Zone, Section::Flat | Section::Descendant) => self.select_row(row.key),
            (RowKind::Zone, Section::Selected) => {}
            _ if row.expansion == Expansion::Collapsed => self.toggle(row.key),
            _ => {}
        }
    }

    #[doc(hidden)]
    pub fn collapse(&mut self, shown: &Report) {
        if let Some(at) = shown.cursor() {
            self.collapse_row(shown, at);
        }
    }

    #[doc(hidden)]
    pub fn collapse_row(&mut self, shown: &Report, at: usize) {
        let row = &shown.rows[at];
        match row.expansion {
            _ if row.key.section == Section::Selected => {}
            Expansion::Expanded if self.is_open(row.key) => self.toggle(row.key),
            // The filter keeps this row expanded.
            Expansion::Expanded => {}
            _ => {
                if let Some(parent_row) = parent_row(&shown.rows, at) {
                    self.set_cursor(shown, parent_row);
                }
            }
        }
    }

    /// Expands or collapses a row in place.
    #[doc(hidden)]
    pub fn toggle_row(&mut self, shown: &Report, row: usize) {
        self.set_cursor(shown, row);
        let Some(toggled) = shown.rows.get(row) else {
            return;
        };
        match toggled.expansion {
            Expansion::Collapsed => self.expand_row(toggled),
            Expansion::Expanded => self.collapse_row(shown, row),
            Expansion::Leaf => {}
        }
    }

    #[doc(hidden)]
    pub fn select_zone_of(&mut self, zone: u32) {
        let selected = ZoneKey { zone, level: 0 };
        if !is_call_graph(self.report_mode) || self.selected() != selected {
            self.select_key(RowKey::top(Section::Flat, zone, 0));
        }
    }

    /// Selects the zone of a row.
    #[doc(hidden)]
    pub fn select_key(&mut self, row: RowKey) {
        self.settle();
        self.past.push(self.selection());
        if self.past.len() > MOST_SELECTIONS {
            self.past.remove(0);
        }
        self.future.clear();
        self.flame.cursor = None;
        if !is_call_graph(self.report_mode) {
            self.report_mode = ReportMode::CallGraph;
        }
        self.set_selected(ZoneKey {
            zone: row.zone,
            level: row.level,
        });
        self.cursor = self.top();
    }
}

/// Returns the parent of the row at `at`. For a caller, this is the next row below with a larger indent, and for other
/// rows the next row above with a smaller indent.
fn parent_row(rows: &[Row], at: usize) -> Option<usize> {
    let row = &rows[at];
    let is_alike = |other: &usize| rows[*other].key.section == row.key.section;
    if row.key.section == Section::Caller {
        (at + 1..rows.len())
            .take_while(is_alike)
            .find(|other| rows[*other].indent > row.indent)
    } else {
        (0..at)
            .rev()
            .take_while(is_alike)
            .find(|other| rows[*other].indent < row.indent)
    }
}
