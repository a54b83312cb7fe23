//! From sums to a report: rows, their order, the title. (IProf: `Prof_create_report`.)

mod level;
mod links;
mod list;

use super::average::FOLLOW_90;
use super::chains::Chains;
use super::columns::{self, BY_HIER, BY_SELF, Columns};
use super::compare;
use super::core::Process;
use super::fold::Fold;
use super::growth::NO_REPORT;
use super::heat::{HeatMap, RowHeat};
use super::outline::{By, Order, Outline, Rows};
use super::sums::{self, Flat, Totals};
use super::values::{Span, Values};
use super::view::{Baseline, Threads, View};
use super::zones::{GLOBAL, Key};
#[cfg(feature = "_overlay")]
use crate::report::Column;
use crate::report::{
    Place, Prefix, Record, Recursion, Report, ReportMode, RowKey, RowKind, Section, Sort, Sorted,
};
use crate::timing::Timing;
use std::sync::Arc;

/// Averages below both of these have faded and are not shown. An average never quite gets to zero;
/// these are small enough that what is shown still sums up, to a tenth of a nanosecond a row.
pub(super) const FADED_MS: f64 = 1e-7;
const FADED_ENTRIES: f64 = 1e-4;

impl Process {
    /// What `view` shows. With the report shown `before`, rows keep their order until one is
    /// clearly larger than one above it, and small ones stay folded until they are clearly larger.
    pub(super) fn report(&self, view: &View, before: Option<&Report>) -> Report {
        #[cfg(all(test, feature = "enable"))]
        self.reports_made.set(self.reports_made.get() + 1);
        if !self.has_room_for_report() {
            return Report {
                warnings: vec![NO_REPORT.to_owned()],
                ..Report::default()
            };
        }
        let values = self.values(view);
        // What does not change is shown in its exact order.
        let changes = values.frames.is_none() && !self.paused;
        let before = before.filter(|_| changes).map(|before| &before.records[..]);
        let builder = Builder::new(self, view, values, before, None);
        let outline = builder.outline();
        let columns = builder.columns(&outline);
        let (order, sorted) = builder.order(&columns, before);
        let mut records = outline.lines(&order);
        view.mark_cursor(&mut records);
        columns.arrange(&mut records);
        let mut title = vec![builder.title(), builder.timing_title()];
        title.extend(builder.baseline_title());
        if view.typing || !view.filter.is_empty() {
            let cursor = if view.typing { "_" } else { "" };
            title.push(format!("only names with \"{}{cursor}\"", view.filter));
        }
        Report {
            title,
            warnings: self.warnings(),
            columns: columns.heads(),
            records,
            frame_ms: builder.values.frame_ms,
            whole_counts: builder.values.whole,
            whole_counts_before: builder.baseline.as_ref().is_some_and(|before| before.whole),
            sorted,
        }
    }

    /// One row of the report that `view` shows, with the columns that it has: without the others.
    #[cfg(feature = "_overlay")]
    pub(super) fn row_of_report(&self, view: &View, key: RowKey) -> Option<(Vec<Column>, Record)> {
        let builder = Builder::new(self, view, self.values(view), None, Some(key));
        let outline = builder.outline();
        let columns = builder.columns(&outline);
        let mut record = outline.find(key)?;
        columns.arrange(std::slice::from_mut(&mut record));
        Some((columns.heads(), record))
    }

    /// The caller for which the selected zone of a call graph worked longest; of several the first by
    /// name.
    pub(super) fn dearest_caller(&self, view: &View) -> Option<RowKey> {
        let builder = Builder::new(self, view, self.values(view), None, None);
        let selected = builder.row(view.selected)?;
        builder.callers(selected).largest(BY_HIER)
    }

    fn row_count(&self, recursion: Recursion) -> usize {
        match recursion {
            Recursion::Flatten => self.names.zone_count(),
            Recursion::Spread => self.names.spread_count(),
        }
    }
}

struct Builder<'a> {
    process: &'a Process,
    view: &'a View,
    values: Values<'a>,
    flat: Flat,
    /// What the values are compared with.
    baseline: Option<Values<'a>>,
    flat_before: Option<Flat>,
    /// Self or hierarchical time, whichever the report is about.
    about: usize,
    heat: Option<&'a HeatMap>,
    /// What names are to contain, in small letters.
    filter: String,
    /// What becomes of small rows; none if nothing does.
    fold: Option<Fold>,
    /// The one row that is looked for; none if all are.
    only: Option<RowKey>,
}

impl<'a> Builder<'a> {
    fn new(
        process: &'a Process,
        view: &'a View,
        values: Values<'a>,
        before: Option<&[Record]>,
        only: Option<RowKey>,
    ) -> Builder<'a> {
        let rows = process.row_count(view.recursion);
        let baseline = process.baseline(view);
        let flat = |values: &Values<'_>| sums::flat(values, view.recursion, rows, None);
        Builder {
            process,
            view,
            flat: flat(&values),
            flat_before: baseline.as_ref().map(flat),
            heat: process.heat_in_view(view.threads),
            about: match view.mode {
                ReportMode::SelfTime => BY_SELF,
                _ => BY_HIER,
            },
            filter: view.filter.to_lowercase(),
            fold: Fold::new(view, before),
            only,
            baseline,
            values,
        }
    }

    /// All rows.
    fn outline(&self) -> Outline {
        match self.view.mode {
            ReportMode::SelfTime | ReportMode::HierarchicalTime => Outline {
                below: self.all_zones(),
                ..Outline::default()
            },
            ReportMode::CallGraph | ReportMode::CallGraphDescendants => self.call_graph(),
            ReportMode::CallTree => Outline {
                below: self.call_tree(),
                ..Outline::default()
            },
        }
    }

    fn columns(&self, outline: &Outline) -> Columns {
        match self.baseline {
            None => Columns::new(
                self.view.net_times,
                outline.any(Columns::has_gpu),
                outline.any(Columns::has_error),
            ),
            Some(_) => Columns::compared(self.about),
        }
    }

    /// Whether a row is looked for.
    fn wants(&self, key: RowKey) -> bool {
        self.only.is_none_or(|only| only == key)
    }

    /// The selected zone, its callers, its callees.
    fn call_graph(&self) -> Outline {
        let Some(selected) = self.row(self.view.selected) else {
            return Outline::default();
        };
        let heat = self.heat(|heat| heat.zone(self.key(selected).zone, &self.process.names));
        let before = self.flat_before.as_ref();
        let totals = [
            self.flat.totals[selected as usize],
            before.map_or(Totals::default(), |flat| flat.totals[selected as usize]),
        ];
        let (key, name) = (self.view.selected_row(), self.name(selected));
        let is_around = |section| self.only.is_none_or(|only| only.section == section);
        Outline {
            callers: match is_around(Section::Caller) {
                true => self.callers(selected),
                false => Rows::default(),
            },
            selected: Some(self.record(key, name, totals, heat, Prefix::Minus)),
            below: match self.view.mode {
                ReportMode::CallGraphDescendants if is_around(Section::Descendant) => {
                    self.descendants(selected)
                }
                ReportMode::CallGraph if is_around(Section::Callee) => {
                    self.around(selected, Section::Callee, &|chains, side, values| {
                        chains.add_callees(side, values, Some(selected));
                    })
                }
                _ => Rows::default(),
            },
        }
    }

    /// The callers of a row, and theirs as far as they are open.
    fn callers(&self, selected: u32) -> Rows {
        self.around(selected, Section::Caller, &|chains, side, values| {
            chains.add_callers(side, values, selected);
        })
    }

    /// The chains that `add` adds on one side of the selected row.
    fn around(
        &self,
        selected: u32,
        section: Section,
        add: &dyn Fn(&mut Chains<'_>, usize, &Values<'_>),
    ) -> Rows {
        let around = self.view.selected_row();
        let asked_for = self.asked_for();
        let open = |above: Option<RowKey>, row: u32| {
            let Key { zone, level } = self.key(row);
            let key = above.unwrap_or(around).under(section, zone, level);
            (key, self.view.is_open(key))
        };
        let mut chains = Chains::new(self.view.recursion, &open, &asked_for);
        chains.add_sides(self.sides(), add);
        self.link_rows(&chains.finish(), self.key(selected).zone, section)
    }

    fn call_tree(&self) -> Rows {
        let open = |above: Option<RowKey>, row: u32| {
            let Key { zone, level } = self.key(row);
            let key = match above {
                Some(above) => above.under(Section::Tree, zone, level),
                None => RowKey::top(Section::Tree, zone, level),
            };
            (key, self.view.is_open(key))
        };
        let asked_for = self.asked_for();
        let mut chains = Chains::new(self.view.recursion, &open, &asked_for);
        chains.add_sides(self.sides(), |chains, side, values| {
            chains.add_callees(side, values, None);
        });
        self.link_rows(&chains.finish(), GLOBAL, Section::Tree)
    }

    /// By row: whether the filter asks for it; nothing if it asks for all.
    fn asked_for(&self) -> Vec<bool> {
        if self.filter.is_empty() {
            return Vec::new();
        }
        let rows = 0..self.flat.totals.len() as u32;
        rows.map(|row| self.name(row).to_lowercase().contains(&self.filter))
            .collect()
    }

    /// How rows are ordered, and what of that is to be marked.
    fn order(&self, columns: &Columns, before: Option<&[Record]>) -> (Order, Option<Sorted>) {
        let got_faster = |before: &Values<'_>| self.values.frame_ms < before.frame_ms;
        let chosen = match self.view.sort {
            Sort::Name => Some((By::Name, None)),
            Sort::Column(column) => columns
                .find(column)
                .map(|(at, value)| (By::Value(value), Some(at))),
            Sort::Mode => None,
        };
        let is_chosen = chosen.is_some() || self.view.sort_reversed;
        let (by, column, reversed) = match chosen {
            Some((by, column)) => (by, column, false),
            None => {
                let value = columns.by_mode(self.about);
                let reversed = self.baseline.as_ref().is_some_and(got_faster);
                (By::Value(value), columns.position(value), reversed)
            }
        };
        let reversed = reversed != self.view.sort_reversed;
        let sorted = Sorted {
            column,
            rising: reversed != (by == By::Name),
        };
        let order = Order {
            filter: self.filter.clone(),
            by,
            reversed,
            places: before.map(Order::places),
        };
        (order, is_chosen.then_some(sorted))
    }

    /// The values, and those that they are compared with.
    fn sides(&self) -> impl Iterator<Item = (usize, &Values<'_>)> + Clone {
        std::iter::once(&self.values)
            .chain(&self.baseline)
            .enumerate()
    }

    /// The rows that have anything to show, and what; in both sets of values.
    fn shown_rows<'t>(
        &'t self,
        now: &'t Flat,
        before: Option<&'t Flat>,
    ) -> impl Iterator<Item = (u32, [Totals; 2])> + 't {
        let rows = now.totals.iter().enumerate().map(move |(row, totals)| {
            let before = before.map_or(Totals::default(), |flat| flat.totals[row]);
            (row as u32, [*totals, before])
        });
        rows.filter(|(_, totals)| self.shows(totals))
    }

    /// Whether a zone can be drilled into.
    fn prefix(&self, row: u32) -> Prefix {
        match self.flat.calls[row as usize] {
            true => Prefix::Plus,
            false => Prefix::None,
        }
    }

    fn record(
        &self,
        key: RowKey,
        name: Arc<str>,
        [totals, before]: [Totals; 2],
        heat: RowHeat,
        prefix: Prefix,
    ) -> Record {
        let by = self.about;
        let slot = self.view.average.max(1) - 1;
        let clock = self.process.clock_of(self.view.threads);
        let heat = if by == BY_SELF {
            heat.self_heat(clock, slot)
        } else {
            heat.hier_heat(clock, slot)
        };
        let record = Record {
            name,
            prefix,
            heat,
            place: self.place(key),
            key,
            ..columns::record(&totals, self.values.ms, by)
        };
        match &self.baseline {
            None => record,
            Some(baseline) => columns::compare(record, by, &before, baseline.ms),
        }
    }

    /// Where the zone of a row is defined; of no zone, or several, nowhere.
    fn place(&self, key: RowKey) -> Option<Place> {
        let is_zone = key.kind == RowKind::Zone && key.zone != GLOBAL;
        is_zone.then(|| self.process.names.place(key.zone))
    }

    /// The row of all that is too small to be listed by itself.
    fn others(&self, key: RowKey, count: u32, totals: [Totals; 2], more: Option<f64>) -> Record {
        let prefix = match self.view.is_open(key) {
            true => Prefix::Minus,
            false => Prefix::Plus,
        };
        let name = format!("others ({count})").into();
        let record = self.record(key, name, totals, RowHeat::default(), prefix);
        self.with_more(record, more)
    }

    /// In a comparison: what more calls make of the difference of a row, in milliseconds.
    fn more(&self, [now, before]: &[Totals; 2]) -> f64 {
        let Some(baseline) = &self.baseline else {
            return 0.0;
        };
        let cost = |totals: &Totals, values: &Values<'_>| {
            let time = [totals.self_time, totals.hier][self.about];
            (time * values.ms, totals.entries)
        };
        compare::split(cost(before, baseline), cost(now, &self.values)).0
    }

    /// A row that stands for others whose times sum to its own, of which `more` is what more calls
    /// of each make together: so it says what they say, even where one was called instead of
    /// another.
    fn with_more(&self, record: Record, more: Option<f64>) -> Record {
        match (more, &self.baseline) {
            (Some(more), Some(_)) => columns::with_more(record, more),
            _ => record,
        }
    }

    /// The part of the frame that something took, by what the report is about; in a comparison that
    /// of the frame in which it is larger. All is all of a frame without time.
    fn share(&self, totals: &[Totals; 2]) -> f64 {
        let shares = self.sides().zip(totals).map(|((_, values), totals)| {
            let time = values.ms * [totals.self_time, totals.hier][self.about];
            if values.frame_ms > 0.0 {
                time / values.frame_ms
            } else {
                1.0
            }
        });
        shares.fold(0.0, f64::max)
    }

    /// The zone's name and its depth: the deepest one if recursion is flattened, this one if it
    /// is spread.
    fn name(&self, row: u32) -> Arc<str> {
        let Key { zone, level } = self.key(row);
        let name = self.process.names.name(zone);
        let level = match self.view.recursion {
            Recursion::Flatten => self.flat.deepest[row as usize],
            Recursion::Spread => level,
        };
        if level == 0 {
            name.clone()
        } else {
            format!("{name} ({})", level + 1).into()
        }
    }

    fn key(&self, row: u32) -> Key {
        match self.view.recursion {
            Recursion::Flatten => Key {
                zone: row,
                level: 0,
            },
            Recursion::Spread => self.process.names.spread_key(row),
        }
    }

    fn row(&self, key: Key) -> Option<u32> {
        match self.view.recursion {
            Recursion::Flatten => {
                Some(key.zone).filter(|zone| (*zone as usize) < self.process.names.zone_count())
            }
            Recursion::Spread => self.process.names.find_spread(key),
        }
    }

    /// Whether there is anything to show.
    fn shows(&self, totals: &[Totals; 2]) -> bool {
        let mut sides = self.sides().zip(totals);
        sides.any(|((_, values), totals)| {
            if values.fades {
                let longest = totals.hier.max(totals.gpu_hier);
                longest * values.ms >= FADED_MS || totals.entries >= FADED_ENTRIES
            } else {
                totals.hier > 0.0 || totals.entries > 0.0 || totals.gpu_hier > 0.0
            }
        })
    }

    fn edge_heat(&self, caller: u32, callee: u32) -> RowHeat {
        match self.process.names.find_edge(caller, callee) {
            Some(edge) => self.heat(|heat| heat.edge(edge)),
            None => RowHeat::default(),
        }
    }

    fn heat(&self, get: impl Fn(&HeatMap) -> RowHeat) -> RowHeat {
        self.heat.map_or(RowHeat::default(), get)
    }

    /// Frame time, frames per second, mode, threads, frame.
    fn title(&self) -> String {
        let ms = self.values.frame_ms;
        let fps = if ms > 0.0 { 1e3 / ms } else { 0.0 };
        let mode = match self.view.mode {
            ReportMode::SelfTime => "self time",
            ReportMode::HierarchicalTime => "hierarchical time",
            ReportMode::CallGraph => "call graph",
            ReportMode::CallGraphDescendants => "descendants",
            ReportMode::CallTree => "call tree",
        };
        format!(
            "{ms:.2} ms/frame  {fps:.1} fps  {mode}  {}  {}",
            self.threads_title(),
            self.frame_title()
        )
    }

    /// How times were measured, and what of the time was the profiler's.
    ///
    /// The profiler is what recording cost, by the entries and the cost of a zone on this machine,
    /// the sampler (the part that looked at the threads in view), and `update`; the overlay is its
    /// drawing.
    fn timing_title(&self) -> String {
        let process = self.process;
        let threads = &self.values.threads;
        let stacks = |sampled: bool| {
            let count = |thread: &super::values::ThreadValues<'_>| {
                let nodes = thread.entries.iter().enumerate();
                let is_sampled = |node: usize| {
                    let sampled = thread.sampled.as_ref();
                    sampled.is_some_and(|sampled| sampled.group[node] != node as u32)
                };
                nodes
                    .filter(|(node, entries)| {
                        **entries > FADED_ENTRIES && (!sampled || is_sampled(*node))
                    })
                    .count()
            };
            threads.iter().map(count).sum::<usize>()
        };
        let mut title = match self.values.timing {
            Timing::Exact => "exact".to_owned(),
            Timing::Sampled { hz } => format!("sampled at {hz:.0} Hz"),
            Timing::Off => "off: nothing is recorded".to_owned(),
            Timing::Auto { budget } => format!(
                "auto {} %: {} of {} stacks sampled",
                // A tenth of a hundredth of a per cent is less than any budget.
                (budget * 1e5).round() / 1e3,
                stacks(true),
                stacks(false)
            ),
        };
        let time: f64 = threads.iter().flat_map(|thread| &thread.self_time).sum();
        if time > 0.0 {
            let cost: f64 = threads.iter().map(|thread| thread.cost).sum();
            let own = |name: &str| -> f64 {
                let rows = (0..self.flat.totals.len() as u32)
                    .filter(|row| process.names.is_own(self.key(*row).zone))
                    .filter(|row| &**process.names.name(self.key(*row).zone) == name);
                rows.map(|row| self.flat.totals[row as usize].self_time)
                    .sum()
            };
            let profiler = cost + self.values.sampler + own("iprof_update");
            let overlay = own("iprof_draw") + own("iprof_draw_graph");
            let percent = |part: f64| part / time * 100.0;
            title += &format!("  profiler {:.2} %", percent(profiler));
            if overlay > 0.0 {
                title += &format!(", overlay {:.2} %", percent(overlay));
            }
        }
        title
    }

    /// What the values are compared with, and the difference in all.
    fn baseline_title(&self) -> Option<String> {
        let before = self.baseline.as_ref()?;
        let what = match (before.frames, self.view.average) {
            (Some(frames), _) if self.view.baseline == Baseline::Average => {
                format!("the mean of {} frames around", frames.count)
            }
            (Some(frames), _) => format!("frame {}", frames.last),
            (None, average) => format!("the {:.1} s average", FOLLOW_90[average.max(1) - 1]),
        };
        let (ms, before_ms) = (self.values.frame_ms, before.frame_ms);
        let difference = ms - before_ms;
        Some(format!(
            "against {what}: {ms:.2} - {before_ms:.2} = {difference:+.2} ms"
        ))
    }

    fn threads_title(&self) -> String {
        let busy = |thread: &&super::values::ThreadValues<'_>| {
            thread.self_time.iter().any(|time| *time > 0.0)
        };
        let busy = || self.values.threads.iter().filter(busy).count();
        let title = match self.view.threads {
            Threads::All => Some(match busy() {
                0 => "no threads".to_owned(),
                1 => "1 thread".to_owned(),
                count => format!("all {count} threads"),
            }),
            Threads::One(thread) => self
                .process
                .thread_title(thread)
                .map(|thread| format!("thread {thread}")),
            Threads::SameName(thread) => {
                let thread = self.process.threads.get(thread.0 as usize);
                thread.map(|thread| match busy() {
                    0 | 1 => format!("thread {}", thread.name()),
                    count => format!("{count} threads {}", thread.name()),
                })
            }
        };
        title.unwrap_or_else(|| "no such thread".to_owned())
    }

    fn frame_title(&self) -> String {
        let now = if self.process.paused { "paused" } else { "now" };
        match (self.values.frames, self.view.average) {
            (Some(Span { first, last, count }), _) if count > 1 => {
                format!("frames {first} to {last}, mean of {count}")
            }
            (Some(Span { last: frame, .. }), _) => {
                let ago = self.process.frames.saturating_sub(frame);
                let marks = self.process.history.marks().iter();
                let names = marks.filter(|mark| mark.frame == frame);
                let names: String = names.map(|mark| format!(" \"{}\"", mark.name)).collect();
                format!("frame {frame}{names}, {ago} ago")
            }
            (None, 0) if self.process.shows_gpu(self.view.threads) => {
                // What came after it is not known yet.
                let frame = self
                    .process
                    .newest_with_gpu()
                    .map_or(0, |frame| frame.number);
                format!("{now}, frame {frame}")
            }
            (None, 0) => format!("{now}, frame {}", self.process.frames),
            (None, average) => format!("{now}, {:.1} s average", FOLLOW_90[average - 1]),
        }
    }
}
