//! Applies an [`Action`] to a view.

use super::{Baseline, View, is_call_graph};
use crate::action::Action;
use crate::query::named_values;
use crate::report::{ColumnId, Recursion, Report, ReportMode, Sort};
use crate::view::Average;
use iprof_process::Profiler;
use iprof_process::history::History;
use iprof_process::{ThreadInfo, Threads, group_name};

/// The fractions of the frame time that [`Action::NextMinShare`] cycles through.
const SHARES: [f64; 3] = [0.0, 0.01, 0.05];

impl View {
    /// Applies an action, and returns whether it affects a view at all.
    ///
    /// Actions that don't affect a view are for [`Controls`](struct.Controls.html) or the overlay. Builds at most one
    /// report, because actions on rows or columns need to know which rows are shown, and [`Action::SelectParent`] needs
    /// the callers.
    ///
    /// ```
    /// use iprof::{Action, Average};
    ///
    /// let mut view = iprof::View::default();
    /// let profiler = iprof::profiler();
    /// assert!(view.act(&profiler, Action::SetAverage(Average::Slow)));
    /// assert_eq!(view.average, Average::Slow);
    /// assert!(!view.act(&profiler, Action::TogglePause));
    /// ```
    #[allow(
        clippy::must_use_candidate,
        reason = "most hosts don't need the result"
    )]
    pub fn act(&mut self, profiler: &Profiler, action: Action) -> bool {
        let shown = match self.asks_for_rows(&action) {
            true => self.report(profiler),
            false => Report::default(),
        };
        self.act_on(profiler, &shown, action)
    }

    /// Returns whether an action needs to know the rows or columns that are shown.
    #[doc(hidden)]
    pub fn asks_for_rows(&self, action: &Action) -> bool {
        match action {
            Action::MoveCursor(_)
            | Action::SetCursor(_)
            | Action::ClickRow(_)
            | Action::ToggleRow(_)
            | Action::Select
            | Action::Expand
            | Action::Collapse
            | Action::PreviousZoneSpike
            | Action::NextZoneSpike
            | Action::NextSort => true,
            Action::SelectParent => !is_call_graph(self.report_mode),
            _ => false,
        }
    }

    /// Applies an action to the rows of the report `shown`.
    #[doc(hidden)]
    pub fn act_on(&mut self, profiler: &Profiler, shown: &Report, action: Action) -> bool {
        self.settle();
        let (history, session) = (profiler.history(), profiler.session());
        let (sort, reversed) = self.sort();
        match action {
            Action::MoveCursor(rows) => self.move_cursor(shown, rows),
            Action::SetCursor(row) => self.set_cursor(shown, row),
            Action::ClickRow(row) => {
                let had_cursor = shown.cursor() == Some(row);
                self.set_cursor(shown, row);
                if had_cursor {
                    self.select(shown);
                }
            }
            Action::ToggleRow(row) => self.toggle_row(shown, row),
            Action::Select => self.select(shown),
            Action::SelectParent => self.select_parent(profiler, shown),
            Action::SelectZone(name) => {
                self.select_zone(profiler, &name);
            }
            Action::Expand => self.expand(shown),
            Action::Collapse => self.collapse(shown),
            Action::GoBack => self.go_back(),
            Action::GoForward => self.go_forward(),
            Action::MoveFrame(frames) => self.move_frame(history, session, frames),
            Action::SetFrames(selection) => {
                self.show_frames(profiler, selection);
            }
            Action::CompareSlowFrames => self.compare_slow_frames(profiler.frame_budget()),
            Action::MoveBand(bands) => self.move_band(session, bands),
            Action::MoveBucket(buckets) => self.move_bucket(session, buckets),
            Action::ExtendRange(frames) => self.extend_range(history, frames),
            Action::PreviousSpike => self.step_to(history, -1, &history.spikes()),
            Action::NextSpike => self.step_to(history, 1, &history.spikes()),
            Action::PreviousZoneSpike => self.step_to_zone_spike(profiler, shown, -1),
            Action::NextZoneSpike => self.step_to_zone_spike(profiler, shown, 1),
            Action::PreviousMark => self.step_to(history, -1, &marked(history)),
            Action::NextMark => self.step_to(history, 1, &marked(history)),
            Action::WalkFlame(step) => self.walk_flame(&self.flame(profiler), step),
            Action::ClickFlame(path) => self.set_flame_cursor(path),
            Action::ZoomFlame => self.zoom_flame(),
            Action::UnzoomFlame => self.unzoom_flame(),
            Action::SetReportMode(mode) => self.report_mode = mode,
            Action::NextReportMode => {
                self.report_mode = next_choice(ReportMode::ALL, self.report_mode)
            }
            Action::SetAverage(average) => self.average = average,
            Action::NextAverage => self.average = next_choice(Average::ALL, self.average),
            Action::NextRecursion => {
                self.recursion =
                    next_choice(&[Recursion::Flatten, Recursion::Spread], self.recursion);
            }
            Action::NextThreads => {
                self.set_threads(next_threads(self.threads(), &profiler.threads_in_order()))
            }
            Action::NextBaseline => self.set_baseline(match self.baseline {
                Baseline::None if self.shown_part().is_some() => Baseline::Rest,
                Baseline::Rest if self.shown_part().is_some() => Baseline::Average,
                Baseline::Average if self.shown_part().is_some() => Baseline::None,
                Baseline::None => Baseline::Average,
                Baseline::Average => Baseline::Median,
                _ => Baseline::None,
            }),
            Action::SetBaselineToShownFrame => self.set_baseline_here(history),
            Action::NextSort => self.set_sort(next_sort(sort, shown), reversed),
            Action::ClickHeader(clicked) if clicked != sort => self.set_sort(clicked, false),
            Action::ClickHeader(_) if !reversed => self.set_sort(sort, true),
            Action::ClickHeader(_) => self.set_sort(Sort::Mode, false),
            Action::ReverseSort => self.set_sort(sort, !reversed),
            Action::NextMinShare => {
                let larger = SHARES.into_iter().find(|share| *share > self.min_share);
                self.min_share = larger.unwrap_or(SHARES[0]);
            }
            Action::ToggleGrouping => self.grouping = !self.grouping,
            Action::ToggleIdle => self.idle_ranked = !self.idle_ranked,
            Action::ToggleNetTimes => {
                let shown = self.column(ColumnId::NetTime);
                self.set_column(ColumnId::NetTime, !shown);
            }
            Action::NextColumns => self.next_columns(named_values::shown(profiler, self).is_some()),
            Action::NextValue => self.value = named_values::next(profiler, self),
            Action::TypeFilter(character) => self.filter.push(character),
            Action::EraseFilter => drop(self.filter.pop()),
            Action::ClearFilter => self.filter.clear(),
            Action::ScrollGraph(_)
            | Action::ZoomGraph(_)
            | Action::ZoomGraphVertically(_)
            | Action::ScrollGraphVertically(_)
            | Action::NextGraphStyle
            | Action::EditFilter
            | Action::EndFilter
            | Action::NextTheme
            | Action::ToggleFlame
            | Action::NextTiming
            | Action::Mark
            | Action::NextHistoryMemory
            | Action::NextLongestFrames
            | Action::TogglePause
            | Action::ToggleHidden
            | Action::NextHelpPage
            | Action::CloseHelp
            | Action::LessPrecision
            | Action::MorePrecision => return false,
        }
        self.settle();
        true
    }
}

/// Returns the choice after `now`, or the first choice if `now` is the last.
fn next_choice<T: Copy + PartialEq>(all: &[T], now: T) -> T {
    let mut after = all.iter().skip_while(|choice| **choice != now).skip(1);
    *after.next().unwrap_or(&all[0])
}

/// Cycles from the mode's own order through each shown column to sorting by name.
fn next_sort(now: Sort, shown: &Report) -> Sort {
    let columns = shown.columns.iter().copied().map(Sort::Column);
    let choices = [Sort::Mode].into_iter().chain(columns).chain([Sort::Name]);
    let mut after = choices.skip_while(|choice| *choice != now).skip(1);
    after.next().unwrap_or_default()
}

fn marked(history: &History) -> Vec<u64> {
    let marks = history.marks().iter();
    marks.map(|mark| mark.frame).collect()
}

/// Cycles from all threads through each thread in turn. A group of several threads comes before its first thread.
fn next_threads(now: Threads, threads: &[ThreadInfo]) -> Threads {
    let mut choices = Vec::new();
    for (at, thread) in threads.iter().enumerate() {
        let group = group_name(&thread.name);
        let is_alike = |other: &ThreadInfo| group_name(&other.name) == group;
        if !threads[..at].iter().any(is_alike) && threads[at + 1..].iter().any(is_alike) {
            choices.push(Threads::Group(thread.id));
        }
        choices.push(Threads::One(thread.id));
    }
    // After the last choice, or if the current threads no longer exist, continue with all threads.
    let next = match now {
        Threads::All => 0,
        Threads::Frame => choices.len(),
        _ => {
            let at = choices.iter().position(|choice| *choice == now);
            at.map_or(choices.len(), |at| at + 1)
        }
    };
    choices.get(next).copied().unwrap_or(Threads::All)
}
