//! Builds a report from sums: rows, columns, order and title. (IProf: `Prof_create_report`.)

mod call_path_rows;
mod list;
mod row_times;
mod rows;
mod subject;
mod title;

use crate::query::baseline_values::{BaselineValues, median_totals};
use crate::query::columns;
use crate::query::named_values;
use crate::query::row_order::{By, Order};
use crate::query::row_plan::RowPlan;
use crate::query::row_plan::TimesPerFrame;
use crate::query::row_tree::Fold;
use crate::query::row_tree::Previous;
use crate::query::row_tree::{RowTree, RowTrees};
use crate::query::sums::{self, RowTotals, TotalsByRow};
use crate::query::values::{Detail, NodeValues};
use crate::report::{
    ColumnId, ColumnSet, Distribution, Expansion, Recursion, Report, ReportMode, Row, RowKey,
    RowKind, Section, Sort, Units,
};
use crate::view::{Baseline, View};
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::heat::HeatMap;
use iprof_process::indices::Indices;
use iprof_process::{ThreadId, Threads};
use std::cell::{Cell, OnceCell, RefCell};

pub use rows::LEAST_CHANGE;
pub use subject::write_subject;

#[cfg(any(test, feature = "test-support"))]
thread_local! {
    /// The number of reports that this thread has built.
    pub static REPORTS_MADE: Cell<usize> = const { Cell::new(0) };
}

/// Builds the report of `view`. `previous` is the report shown before, if any.
pub fn report(profiler: &Profiler, view: &View, previous: Option<Previous<'_>>) -> Report {
    #[cfg(any(test, feature = "test-support"))]
    REPORTS_MADE.set(REPORTS_MADE.get() + 1);
    let values = NodeValues::of_view(profiler, view, Detail::All);
    // If the values can't change, rows move only when their order stops being held.
    let is_held = previous.is_some_and(|previous| previous.is_held);
    let follows = view.shown_set().is_some() || view.shown_part().is_some();
    let is_of_now = values.frames.is_none() || follows;
    let changes = is_of_now && (!profiler.is_paused() || is_held);
    let is_typing = previous.is_some_and(|previous| previous.is_typing);
    let units = previous.map(|previous| previous.report);
    let units = units.filter(|report| !report.columns.is_empty());
    let units = units.map(|report| report.units);
    let previous = previous.filter(|_| changes);
    let builder = Builder::new(profiler, view, values, previous.as_ref(), None);
    let mut trees = builder.row_trees();
    if let Some(previous) = previous.filter(|previous| previous.is_held) {
        trees.hold_order(&previous.report.rows);
    }
    let columns = builder.columns(&trees);
    let (order, sorted) = builder.order(&columns);
    let mut rows = order.lines(trees);
    view.mark_cursor(&mut rows);
    Row::keep_columns(&mut rows, &columns);
    let lines = builder.title_lines(is_typing);
    Report {
        title: lines.title,
        title_parts: lines.parts,
        mode: view.report_mode,
        warnings: profiler.warnings(),
        units: Units::fitting(&rows, &columns, units.as_ref()),
        columns,
        rows,
        value: builder
            .value
            .map(|value| named_values::info(profiler, value)),
        frame_ms: builder.values.frame_ms,
        threads: builder.values.busy_threads(),
        whole_counts: builder.values.whole,
        baseline_whole_counts: builder
            .baseline
            .as_ref()
            .is_some_and(BaselineValues::is_whole),
        sorted,
        order_held: order.differs.get() || order.withheld.get() > 0,
        rows_withheld: order.withheld.get(),
    }
}

/// Returns the caller for which the selected zone of a call graph took the most hierarchical time.
pub fn costliest_caller(profiler: &Profiler, view: &View) -> Option<RowKey> {
    let values = NodeValues::of_view(profiler, view, Detail::All);
    let builder = Builder {
        plan: None,
        ..Builder::new(profiler, view, values, None, None)
    };
    let selected = builder.row_of_key(view.selected())?;
    builder
        .callers(selected)
        .largest(ColumnId::HierarchicalTime)
}

fn row_count(indices: &Indices, recursion: Recursion) -> usize {
    match recursion {
        Recursion::Flatten => indices.zone_count(),
        Recursion::Spread => indices.spread_count(),
    }
}

/// Information for the title about the frames whose times are summarized.
#[derive(Clone, Copy, Debug, Default)]
struct FrameSummary {
    count: usize,
    times: Option<TimesPerFrame>,
    /// Set only if the report shows rescued frames.
    missed: Option<MissedFrames>,
}

/// How many frames exceeded the frame budget.
#[derive(Clone, Copy, Debug)]
struct MissedFrames {
    count: usize,
    budget_ms: f64,
    /// Whether any row's times are estimates.
    is_estimated: bool,
    /// Whether the frame's thread has idle zones. If so, it waits for other threads only in those zones.
    knows_waits: bool,
}

struct Builder<'a> {
    profiler: &'a Profiler,
    view: &'a View,
    values: NodeValues<'a>,
    by_row: TotalsByRow,
    baseline: Option<BaselineValues<'a>>,
    /// The totals of each row in the baseline.
    baseline_totals: Option<Vec<RowTotals>>,
    /// The report's main time: [`ColumnId::SelfTime`] or [`ColumnId::HierarchicalTime`].
    main_time: ColumnId,
    /// `None` for a remembered frame: heat describes the present, but the report of a past frame must not change.
    heat: Option<&'a HeatMap>,
    /// The named value that the report shows.
    value: Option<u32>,
    /// The number of steps per unit of `value`; 1 without a value.
    steps: f64,
    filter: String,
    /// Whether the filter matches each row, see [`matching`](Builder::matching).
    matching: OnceCell<Vec<bool>>,
    over_budget: Vec<u32>,
    /// For each row, whether all threads in view only count its zone.
    counters: Vec<bool>,
    /// In a comparison, the difference in total idle time, in milliseconds.
    waited: f64,
    /// In a comparison, the difference in milliseconds that makes a row's [`change`](Row::change) 1.
    whole_change: f64,
    /// Decides which rows are folded; `None` if none are.
    fold: Option<Fold>,
    /// The only row to build; `None` to build all.
    only_row: Option<RowKey>,
    /// The nodes that make up each row's time, if a column needs per-frame values.
    plan: Option<RefCell<RowPlan>>,
    /// The frame summary for the title, if a column needs per-frame values.
    frame_summary: Cell<FrameSummary>,
    /// The last row's time in each of the summarized frames, unsorted.
    last_row_times: Cell<Vec<f64>>,
}

impl<'a> Builder<'a> {
    fn new(
        profiler: &'a Profiler,
        view: &'a View,
        values: NodeValues<'a>,
        previous: Option<&Previous<'_>>,
        only_row: Option<RowKey>,
    ) -> Builder<'a> {
        let count = row_count(profiler.indices(), view.recursion);
        let baseline = BaselineValues::of_view(profiler, view, Detail::All);
        let value = named_values::shown(profiler, view);
        let by_row =
            |values: &NodeValues<'_>| sums::totals_by_row(values, view.recursion, count, None);
        let mut builder = Builder {
            counters: rows::counted(profiler, view, count),
            over_budget: rows::over_budget(profiler, view, &values),
            waited: 0.0,
            whole_change: 0.0,
            profiler,
            view,
            by_row: by_row(&values),
            baseline_totals: baseline.as_ref().map(|baseline| {
                let sets = baseline.sets().iter();
                median_totals(sets.map(|values| by_row(values).totals).collect())
            }),
            heat: match view.frame {
                Frames::Live => profiler.heat_in_view(view.threads()),
                _ => None,
            },
            main_time: match view.report_mode {
                ReportMode::SelfTime => ColumnId::SelfTime,
                _ => ColumnId::HierarchicalTime,
            },
            value,
            steps: value.map_or(1.0, |value| named_values::steps(profiler, value)),
            filter: view.filter.to_lowercase(),
            matching: OnceCell::new(),
            fold: Fold::new(view, previous),
            only_row,
            plan: columns::has_any(view, columns::PER_FRAME).then(RefCell::default),
            frame_summary: Cell::default(),
            last_row_times: Cell::default(),
            baseline,
            values,
        };
        builder.waited = builder.idle_difference();
        builder.whole_change = builder.whole_change();
        builder
    }

    fn row_trees(&self) -> RowTrees {
        let mut trees = self.trees_of_mode();
        self.add_per_frame_columns(&mut trees);
        trees
    }

    /// Builds the trees without the columns that need per-frame values.
    fn trees_of_mode(&self) -> RowTrees {
        match self.view.report_mode {
            ReportMode::SelfTime | ReportMode::HierarchicalTime => RowTrees {
                below: self.all_zones(),
                ..RowTrees::default()
            },
            ReportMode::CallGraph | ReportMode::CallGraphDescendants => self.call_graph(),
            ReportMode::CallTree => RowTrees {
                below: self.call_tree(),
                ..RowTrees::default()
            },
        }
    }

    fn columns(&self, trees: &RowTrees) -> Vec<ColumnId> {
        let named = || self.value.is_some() && trees.rows().any(columns::has_named);
        match self.baseline {
            None => {
                let (mut gpu, mut errors) = (false, false);
                for row in trees.rows() {
                    gpu |= columns::has_gpu(row);
                    errors |= columns::has_error(row);
                }
                columns::without_baseline(self.view.columns, gpu, named(), errors)
            }
            Some(_) => columns::with_baseline(self.main_time, self.view.columns, named()),
        }
    }

    fn wants(&self, key: RowKey) -> bool {
        self.only_row.is_none_or(|only| only == key)
    }

    fn call_graph(&self) -> RowTrees {
        let Some(selected) = self.row_of_key(self.view.selected()) else {
            return RowTrees::default();
        };
        let heat = self.heat(|heat| heat.zone(self.key(selected).zone, self.profiler.indices()));
        let totals_in = |totals: &[RowTotals]| self.totals_of_zone(totals, selected);
        let before = self.baseline_totals.as_deref();
        let totals = [
            totals_in(&self.by_row.totals),
            before.map_or(RowTotals::default(), totals_in),
        ];
        let (key, name) = (self.view.selected_row(), self.name(selected));
        let is_around = |section| self.only_row.is_none_or(|only| only.section == section);
        RowTrees {
            callers: match is_around(Section::Caller) {
                true => self.callers(selected),
                false => RowTree::default(),
            },
            selected: {
                self.plan_list(None, |first, plan| plan.set_key(key, first + selected));
                Some(self.make_row(key, name, totals, heat, Expansion::Expanded))
            },
            below: match self.view.report_mode {
                ReportMode::CallGraphDescendants if is_around(Section::Descendant) => {
                    self.descendants(selected)
                }
                ReportMode::CallGraph if is_around(Section::Callee) => {
                    self.around(selected, Section::Callee, &|paths, set, values| {
                        paths.add_callees(set, values, Some(selected));
                    })
                }
                _ => RowTree::default(),
            },
            ..RowTrees::default()
        }
    }

    /// Returns whether the filter matches each row. Empty without a filter.
    fn matching(&self) -> &[bool] {
        if self.filter.is_empty() {
            return &[];
        }
        self.matching.get_or_init(|| {
            let is_match = |name: &str| name.to_lowercase().contains(&self.filter);
            let indices = self.profiler.indices();
            let zones = 0..indices.zone_count() as u32;
            let zones: Vec<bool> = zones
                .map(|zone| is_match(indices.distinct_name(zone)))
                .collect();
            let rows = 0..self.by_row.totals.len() as u32;
            rows.map(|row| match row == self.idle_outside() {
                true => is_match(&self.name(row)),
                // A row's name is its zone's name, possibly followed by a recursion depth. Only names with a depth have
                // to be built.
                false => {
                    zones[self.key(row).zone as usize]
                        || self.level_in_name(row) > 0 && is_match(&self.name(row))
                }
            })
            .collect()
        })
    }

    fn is_match(&self, row: u32) -> bool {
        let is_match = self.matching().get(row as usize);
        is_match.copied().unwrap_or_default()
    }

    /// Returns the row order, and the column to mark as sorted.
    fn order(&self, columns: &[ColumnId]) -> (Order, Option<(Sort, bool)>) {
        let got_faster = |before: &BaselineValues<'_>| self.values.frame_ms < before.frame_ms();
        let chosen = match self.view.sort().0 {
            Sort::Name => Some((By::Name, None)),
            Sort::Column(column) => columns
                .contains(&column)
                .then_some((By::Value(column), Some(column))),
            Sort::Mode => None,
        };
        let is_chosen = chosen.is_some() || self.view.sort().1;
        let (by, column, reversed) = match chosen {
            Some((by, column)) => (by, column, false),
            None => {
                let column = match self.baseline {
                    None => self.main_time,
                    Some(_) => ColumnId::Difference,
                };
                let reversed = self.baseline.as_ref().is_some_and(got_faster);
                (By::Value(column), Some(column), reversed)
            }
        };
        let reversed = reversed != self.view.sort().1;
        let sorted = column.map_or(Sort::Name, Sort::Column);
        let is_ascending = reversed != (by == By::Name);
        let order = Order {
            filter: self.filter.clone(),
            idle_last: !self.view.idle_ranked,
            by,
            reversed,
            differs: Cell::default(),
            withheld: Cell::default(),
        };
        (order, is_chosen.then_some((sorted, is_ascending)))
    }
}

/// Builds a single row of `view`'s report.
pub fn row(profiler: &Profiler, view: &View, key: RowKey) -> Option<Row> {
    let builder = Builder::new(
        profiler,
        view,
        NodeValues::of_view(profiler, view, Detail::All),
        None,
        Some(key),
    );
    let trees = builder.row_trees();
    let columns = builder.columns(&trees);
    let mut row = trees.find(key)?;
    Row::keep_columns([&mut row], &columns);
    Some(row)
}

/// Returns the parts of a row, largest first.
///
/// In a view of several threads, the parts are the row's counterparts on each thread, named after the thread. For the
/// `(idle)` row, the parts are the rows that it summarizes. Folded rows and rows in a comparison have no parts.
pub fn parts(profiler: &Profiler, view: &View, key: RowKey) -> Vec<Row> {
    let mut of = view.clone();
    of.columns = ColumnSet::default();
    if view.baseline() != Baseline::None || key.kind == RowKind::Others {
        return Vec::new();
    }
    let mut parts = Vec::new();
    if key.kind == RowKind::Idle {
        if !of.is_open(key) {
            of.toggle(key);
        }
        of.filter.clear();
        let values = NodeValues::of_view(profiler, &of, Detail::All);
        let rows = Builder::new(profiler, &of, values, None, None).row_trees();
        parts = rows.below.into_under(key);
    } else {
        let threads = profiler.threads_in_view(view.threads());
        // A row that is small on one of the threads must not be folded there.
        of.min_share = 0.0;
        for at in threads.iter().filter(|_| threads.len() > 1) {
            let thread = ThreadId(*at as u32);
            of.set_threads(Threads::One(thread));
            if let (Some(part), Some(name)) =
                (row(profiler, &of, key), profiler.thread_title(thread))
            {
                let name = name.into();
                parts.push(Row { name, ..part });
            }
        }
    }
    let time = match view.report_mode {
        ReportMode::SelfTime => ColumnId::SelfTime,
        _ => ColumnId::HierarchicalTime,
    };
    parts.sort_by(|a, b| b.number(time).total_cmp(&a.number(time)));
    parts
}

/// Returns the distribution of a row's times per frame, or `None` if the row has no time in any frame.
pub fn distribution(profiler: &Profiler, view: &View, key: RowKey) -> Option<Distribution> {
    let mut of = view.clone();
    for &column in ColumnId::TIMES_PER_FRAME {
        of.set_column(column, true);
    }
    let values = NodeValues::of_view(profiler, &of, Detail::All);
    let builder = Builder::new(profiler, &of, values, None, Some(key));
    let row = builder.row_trees().find(key)?;
    Distribution::new(row, builder.last_row_times.take().into_iter())
}
