//! `View`'s methods that act on the rows shown: they move the cursor, select, open and close. Most build a report of
//! the running program and pass it to the method of the same name with `_in`, in `view/navigation.rs`.

use crate::action::Action;
use crate::process::View;
use crate::process::{frame::profiler::Profiler, program::with_profiler, query};
use crate::report::Report;

impl View {
    /// Moves the cursor by `delta` rows, down if positive; it stops at both ends. From then on it
    /// follows its row when rows change places.
    pub fn move_cursor(&mut self, delta: i32) {
        self.move_cursor_in(&self.report(), delta);
    }

    /// Puts the cursor on the row at `position`, 0 the first; on the last one if there are fewer.
    /// From then on it follows its row when rows change places.
    pub fn set_cursor(&mut self, position: usize) {
        self.set_cursor_in(&self.report(), position);
    }

    /// Goes to the call graph of the zone under the cursor. A group of zones, the row of those that are
    /// too small to be listed, or that of all that is idle, opens or closes instead.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.move_cursor(1);
    /// view.select();
    /// view.select_parent();
    /// view.move_frame(-1);
    /// view.write_report(std::io::stdout())?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// On the zone that is selected already, or on an empty report, nothing happens.
    pub fn select(&mut self) {
        self.select_in(&self.report());
    }

    /// Goes to the call graph of the zone of that name, as reports and graphs name it. Returns whether there is such
    /// a zone; otherwise nothing happens.
    ///
    /// ```
    /// iprof::zone!(physics);
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// # #[cfg(feature = "enable")]
    /// assert!(view.select_zone("physics"));
    /// assert!(!view.select_zone("no such zone"));
    /// ```
    pub fn select_zone(&mut self, name: &str) -> bool {
        let found = with_profiler(|profiler| profiler.indices().find_distinct(name));
        if let Some(zone) = found {
            self.select_zone_in(zone);
        }
        found.is_some()
    }

    /// Shows the next [named value](View::set_value): in the order in which the program added to them first, those of
    /// [`Allocator`](crate::Allocator) last; then none, then the first again.
    ///
    /// ```
    /// iprof::define_value!(BODIES, "bodies", "body");
    /// iprof::value!(BODIES, 3);
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.next_value();
    /// # #[cfg(feature = "enable")]
    /// assert_eq!(view.value(), &iprof::ShownValue::None); // There is one.
    /// view.next_value();
    /// assert_eq!(view.value(), &iprof::ShownValue::First);
    /// ```
    pub fn next_value(&mut self) {
        let next = with_profiler(|profiler| query::named_values::next(profiler, self));
        self.set_value(next);
    }

    /// Goes to the call graph of the costliest direct caller: the one on whose behalf the selected zone took
    /// most hierarchical time. From a list of all zones: of the zone under the cursor. `(outside zones)` has no
    /// caller: nothing happens.
    pub fn select_parent(&mut self) {
        self.act(Action::SelectParent);
    }

    /// Opens the row under the cursor in place, or selects its zone where rows do not open.
    ///
    /// A row with a `+` opens: its callers appear above it or its callees below it, see [`ReportMode`](crate::ReportMode); of a
    /// [zone group](View::set_grouping), of the [folded row](View::set_min_share) or of [all that is idle](View::set_idle_ranked),
    /// the rows that it stands for. On a zone in a list of all zones or of all descendants this is [`select`](View::select).
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.set_report_mode(iprof::ReportMode::CallTree);
    /// view.expand();
    /// view.collapse();
    /// ```
    ///
    /// What was opened stays open, under each selected zone by itself.
    pub fn expand(&mut self) {
        self.expand_in(&self.report());
    }

    /// Closes the row under the cursor; if that is closed already, goes to the row that it was opened from.
    pub fn collapse(&mut self) {
        self.collapse_in(&self.report());
    }

    pub(in crate::process) fn select_parent_in(&mut self, shown: &Report) {
        with_profiler(|profiler| self.select_parent_of(profiler, shown));
    }

    pub(in crate::process) fn select_parent_of(&mut self, profiler: &Profiler, shown: &Report) {
        let of = self.of_direct_callers(shown);
        if let Some(caller) = query::costliest_caller(profiler, &of) {
            self.select_key(caller);
        }
    }
}
