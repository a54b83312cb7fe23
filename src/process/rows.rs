//! From sums to a report: rows, their order, the title. (IProf: `Prof_create_report`.)

use super::average::FOLLOW_90;
use super::chains::{Chains, Linked};
use super::compare;
use super::core::Process;
use super::heat::{HeatMap, RowHeat};
use super::outline::{Branch, Order};
use super::sums::{self, Flat, Totals};
use super::tree::NONE;
use super::values::Values;
use super::view::{Threads, View};
use super::zones::{GLOBAL, Key};
use crate::report::{
    Column, MAX_VALUES, Prefix, Record, Recursion, Report, ReportMode, RowKey, Section,
};
use crate::timing::Timing;
use std::collections::HashMap;
use std::sync::Arc;

/// Averages below both of these have faded and are not shown. An average never quite gets to zero;
/// these are small enough that what is shown still sums up, to a tenth of a nanosecond a row.
const FADED_MS: f64 = 1e-7;
const FADED_ENTRIES: f64 = 1e-4;

/// Which of a record's values its section is sorted by.
const BY_SELF: usize = 0;
const BY_HIER: usize = 1;
/// In a comparison.
const BY_DIFFERENCE: usize = 1;

impl Process {
    /// What `view` shows. With the report shown `before`, rows keep their order until one is
    /// clearly larger than one above it.
    pub(super) fn report(&self, view: &View, before: Option<&Report>) -> Report {
        let values = self.values(view);
        // What does not change is shown in its exact order.
        let changes = values.frame.is_none() && !self.paused;
        let rows = self.row_count(view.recursion);
        let baseline = view.of_baseline().map(|view| self.values(&view));
        let flat = |values: &Values<'_>| sums::flat(values, view.recursion, rows, None);
        let about = match view.mode {
            ReportMode::SelfTime => BY_SELF,
            _ => BY_HIER,
        };
        let got_slower = |before: &Values<'_>| values.frame_ms >= before.frame_ms;
        let builder = Builder {
            process: self,
            view,
            flat: flat(&values),
            flat_before: baseline.as_ref().map(flat),
            heat: self.heat_in_view(view.threads),
            about,
            order: Order {
                filter: view.filter.to_lowercase(),
                by: if baseline.is_some() {
                    BY_DIFFERENCE
                } else {
                    about
                },
                reversed: baseline.as_ref().is_some_and(|before| !got_slower(before)),
                places: before
                    .filter(|_| changes)
                    .map(|before| Order::places(&before.records)),
            },
            baseline,
            values,
        };
        let mut records = Vec::new();
        match view.mode {
            ReportMode::SelfTime | ReportMode::HierarchicalTime => builder.all_zones(&mut records),
            ReportMode::CallGraph | ReportMode::CallGraphDescendants => {
                builder.call_graph(&mut records);
            }
            ReportMode::CallTree => builder.call_tree(&mut records),
        }
        view.mark_cursor(&mut records);
        let columns = match &builder.baseline {
            None => arrange(&mut records, view.net_times),
            Some(_) => COMPARED[about].to_vec(),
        };
        let mut title = vec![builder.title(), builder.timing_title()];
        title.extend(builder.baseline_title());
        if !view.filter.is_empty() {
            title.push(format!("only names with \"{}\"", view.filter));
        }
        Report {
            title,
            warnings: self.warnings(),
            columns,
            records,
            whole_counts: builder.values.whole
                && builder.baseline.as_ref().is_none_or(|before| before.whole),
        }
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
    order: Order,
}

impl Builder<'_> {
    fn all_zones(&self, records: &mut Vec<Record>) {
        let before = self.flat_before.as_ref();
        let rows = self.shown_rows(&self.flat, before).map(|(row, totals)| {
            let heat = self.heat(|heat| heat.zone(self.key(row).zone));
            let key = self.row_key(Section::Flat, row);
            Branch::from(self.record(key, row, totals, heat, self.prefix(row)))
        });
        self.order.list(rows.collect(), 0, records);
    }

    /// The selected zone, its callers above it from small to large, its callees below it from
    /// large to small: what matters most is next to it.
    fn call_graph(&self, records: &mut Vec<Record>) {
        let Some(selected) = self.row(self.view.selected) else {
            return;
        };
        let zone = self.key(selected).zone;
        let around = self.view.selected_row();
        let chains = |section, add: &dyn Fn(&mut Chains<'_>, usize, &Values<'_>)| {
            let open = |above: Option<RowKey>, row: u32| {
                let Key { zone, level } = self.key(row);
                let key = above.unwrap_or(around).under(section, zone, level);
                (key, self.view.is_open(key))
            };
            let mut chains = Chains::new(self.view.recursion, &open);
            for (side, values) in self.sides() {
                add(&mut chains, side, values);
            }
            self.branches(chains.finish(), zone, section)
        };
        let callers = chains(Section::Caller, &|chains, side, values| {
            chains.add_callers(side, values, selected);
        });
        let indent = self.order.list_rising(callers, records).max(1);

        let heat = self.heat(|heat| heat.zone(zone));
        let before = self.flat_before.as_ref();
        let totals = [
            self.flat.totals[selected as usize],
            before.map_or(Totals::default(), |flat| flat.totals[selected as usize]),
        ];
        let mut record = self.record(around, selected, totals, heat, Prefix::Minus);
        record.indent = indent;
        records.push(record);

        let callees = match self.view.mode {
            ReportMode::CallGraphDescendants => {
                let rows = self.flat.totals.len();
                let below = |values: &Values<'_>| {
                    sums::flat(values, self.view.recursion, rows, Some(selected))
                };
                let (below, before) = (below(&self.values), self.baseline.as_ref().map(below));
                let rows = self
                    .shown_rows(&below, before.as_ref())
                    .map(|(row, totals)| {
                        let heat = self.heat(|heat| heat.zone(self.key(row).zone));
                        let Key { zone, level } = self.key(row);
                        let key = around.under(Section::Descendant, zone, level);
                        Branch::from(self.record(key, row, totals, heat, self.prefix(row)))
                    });
                rows.collect()
            }
            _ => chains(Section::Callee, &|chains, side, values| {
                chains.add_callees(side, values, Some(selected));
            }),
        };
        self.order.list(callees, indent + 1, records);
    }

    fn call_tree(&self, records: &mut Vec<Record>) {
        let open = |above: Option<RowKey>, row: u32| {
            let Key { zone, level } = self.key(row);
            let key = match above {
                Some(above) => above.under(Section::Tree, zone, level),
                None => RowKey::top(Section::Tree, zone, level),
            };
            (key, self.view.is_open(key))
        };
        let mut chains = Chains::new(self.view.recursion, &open);
        for (side, values) in self.sides() {
            chains.add_callees(side, values, None);
        }
        let tree = self.branches(chains.finish(), GLOBAL, Section::Tree);
        self.order.list(tree, 0, records);
    }

    /// Links as rows; the first ones stand next to `zone`.
    fn branches(&self, linked: Linked, zone: u32, section: Section) -> Vec<Branch> {
        let mut under: HashMap<u32, Vec<Branch>> = HashMap::new();
        let [now, before] = linked.totals;
        // What stands under a link was made after it.
        for (at, link) in linked.links.iter().enumerate().rev() {
            let totals = [now[at], before[at]];
            let branches = under.remove(&(at as u32)).unwrap_or_default();
            // What is behind it may have counts alone, which are not its own.
            let leads_on = !branches.is_empty() || link.has_more && section != Section::Caller;
            if !leads_on && !self.shows(&totals) {
                continue;
            }
            let next = match linked.links.get(link.above as usize) {
                Some(above) => self.key(above.row).zone,
                None => zone,
            };
            let own = self.key(link.row).zone;
            let heat = match section {
                Section::Caller => self.edge_heat(own, next),
                _ => self.edge_heat(next, own),
            };
            let prefix = match (link.is_open, link.has_more || !branches.is_empty()) {
                (_, false) => Prefix::None,
                (true, true) => Prefix::Minus,
                (false, true) => Prefix::Plus,
            };
            let branch = Branch {
                record: self.record(link.key, link.row, totals, heat, prefix),
                under: branches,
            };
            under.entry(link.above).or_default().push(branch);
        }
        under.remove(&NONE).unwrap_or_default()
    }

    /// The values, and those that they are compared with.
    fn sides(&self) -> impl Iterator<Item = (usize, &Values<'_>)> {
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

    fn row_key(&self, section: Section, row: u32) -> RowKey {
        let Key { zone, level } = self.key(row);
        RowKey::top(section, zone, level)
    }

    fn record(
        &self,
        key: RowKey,
        row: u32,
        [totals, before]: [Totals; 2],
        heat: RowHeat,
        prefix: Prefix,
    ) -> Record {
        let by = self.about;
        let ms = self.values.ms;
        let slot = self.view.average.max(1) - 1;
        let error = |variance: f64| variance.sqrt() * ms;
        let errors = [error(totals.self_variance), error(totals.hier_variance)];
        let clock = &self.process.clock;
        let heat = if by == BY_SELF {
            heat.self_heat(clock, slot)
        } else {
            heat.hier_heat(clock, slot)
        };
        let record = Record {
            name: self.name(row),
            indent: 0,
            prefix,
            values: [
                totals.self_time * ms,
                totals.hier * ms,
                totals.entries,
                totals.net.max(0.0) * ms,
                errors[by],
                0.0,
            ],
            shown: [true, true, true, true, errors[by] > 0.0, false],
            errors: [
                errors[BY_SELF],
                errors[BY_HIER],
                0.0,
                errors[BY_SELF],
                0.0,
                0.0,
            ],
            heat,
            cursor: false,
            key,
        };
        match &self.baseline {
            None => record,
            Some(baseline) => compared(record, by, &before, baseline.ms),
        }
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
            if values.whole {
                totals.hier > 0.0 || totals.entries > 0.0
            } else {
                totals.hier * values.ms >= FADED_MS || totals.entries >= FADED_ENTRIES
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
        let what = match (before.frame, self.view.average) {
            (Some(frame), _) => format!("frame {frame}"),
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
        match (self.values.frame, self.view.average) {
            (Some(frame), _) => {
                let ago = self.process.frames.saturating_sub(frame);
                let marks = self.process.history.marks().iter();
                let names = marks.filter(|mark| mark.frame == frame);
                let names: String = names.map(|mark| format!(" \"{}\"", mark.name)).collect();
                format!("frame {frame}{names}, {ago} ago")
            }
            (None, 0) => format!("{now}, frame {}", self.process.frames),
            (None, average) => format!("{now}, {:.1} s average", FOLLOW_90[average - 1]),
        }
    }
}

/// The columns of a comparison, of self and of hierarchical times.
const COMPARED: [[Column; MAX_VALUES]; 2] = {
    const fn columns(time: Column) -> [Column; MAX_VALUES] {
        [
            time,
            Column::DIFFERENCE,
            Column::MORE_CALLS,
            Column::DEARER_CALLS,
            Column::COUNT,
            Column::COUNT_BEFORE,
        ]
    }
    [columns(Column::SELF), columns(Column::HIER)]
};

/// A record as it is to be shown beside what the row was `before`, in units of `ms` milliseconds.
fn compared(record: Record, about: usize, before: &Totals, ms: f64) -> Record {
    let time = record.values[about];
    let time_before = ms * [before.self_time, before.hier][about];
    let calls = record.values[2];
    let (more, dearer) = compare::split((time_before, before.entries), (time, calls));
    let error = record.errors[about];
    Record {
        values: [
            time,
            time - time_before,
            more,
            dearer,
            calls,
            before.entries,
        ],
        shown: [true; MAX_VALUES],
        errors: [error, error, 0.0, error, 0.0, 0.0],
        ..record
    }
}

/// What a record's values are until they are [arranged](arrange).
const COLUMNS: [Column; 5] = [
    Column::SELF,
    Column::HIER,
    Column::COUNT,
    Column::NET,
    Column::ERROR,
];

/// Brings the values that are to be shown in the order in which they are.
fn arrange(records: &mut [Record], net: bool) -> Vec<Column> {
    let mut order = vec![0];
    order.extend(net.then_some(3));
    order.extend([1, 2]);
    let sampled = records.iter().any(|record| record.shown[4]);
    order.extend(sampled.then_some(4));
    for record in records {
        let before = record.clone();
        record.values = [0.0; MAX_VALUES];
        record.shown = [false; MAX_VALUES];
        record.errors = [0.0; MAX_VALUES];
        for (at, from) in order.iter().enumerate() {
            record.values[at] = before.values[*from];
            record.shown[at] = before.shown[*from];
            record.errors[at] = before.errors[*from];
        }
    }
    order.into_iter().map(|from| COLUMNS[from]).collect()
}
