//! From sums to a report: rows, their order, the title. (IProf: `Prof_create_report`.)

use super::average::FOLLOW_90;
use super::core::Process;
use super::heat::{HeatMap, RowHeat};
use super::sums::{self, Flat, Totals};
use super::values::Values;
use super::view::{Threads, View};
use super::zones::Key;
use crate::report::{
    Column, MAX_VALUES, Prefix, Record, Recursion, Report, ReportMode, RowKey, Section,
};
use crate::timing::Timing;
use std::collections::HashMap;
use std::sync::Arc;

/// A row changes places with one above it only if it is larger by this factor...
const OVERTAKE_FACTOR: f64 = 1.1;
/// ... and by this many milliseconds.
const OVERTAKE_MS: f64 = 0.005;
/// Averages below both of these have faded and are not shown. An average never quite gets to zero;
/// these are small enough that what is shown still sums up, to a tenth of a nanosecond a row.
const FADED_MS: f64 = 1e-7;
const FADED_ENTRIES: f64 = 1e-4;

/// Which of a record's values its section is sorted by.
const BY_SELF: usize = 0;
const BY_HIER: usize = 1;

impl Process {
    /// What `view` shows. With the report shown `before`, rows keep their order until one is
    /// clearly larger than one above it.
    pub(super) fn report(&self, view: &View, before: Option<&Report>) -> Report {
        let values = self.values(view);
        let builder = Builder {
            process: self,
            view,
            flat: sums::flat(&values, view.recursion, self.row_count(view.recursion)),
            heat: self.heat_in_view(view.threads),
            values,
        };
        let by = if view.mode == ReportMode::SelfTime {
            BY_SELF
        } else {
            BY_HIER
        };
        let mut records = match view.mode {
            ReportMode::CallGraph => builder.call_graph(),
            _ => builder.all_zones(by),
        };
        // What does not change is shown in its exact order.
        let changes = builder.values.frame.is_none() && !self.paused;
        if let Some(before) = before.filter(|_| changes) {
            keep_order(&mut records, &before.records, by);
        }
        view.mark_cursor(&mut records);
        let columns = arrange(&mut records, view.net_times);
        Report {
            title: vec![builder.title(), builder.timing_title()],
            warnings: self.warnings(),
            columns,
            records,
            whole_counts: builder.values.whole,
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
    heat: Option<&'a HeatMap>,
}

impl Builder<'_> {
    fn all_zones(&self, by: usize) -> Vec<Record> {
        let mut records: Vec<Record> = (0..self.flat.totals.len() as u32)
            .filter(|row| self.shows(&self.flat.totals[*row as usize]))
            .map(|row| {
                let heat = self.heat(|heat| heat.zone(self.key(row).zone));
                let totals = self.flat.totals[row as usize];
                self.record(row, Section::Flat, totals, heat, by)
            })
            .collect();
        sort(&mut records, by);
        records
    }

    /// The selected zone, its callers above it from small to large, its callees below it from
    /// large to small: what matters most is next to it.
    fn call_graph(&self) -> Vec<Record> {
        let Some(selected) = self.row(self.view.selected) else {
            return Vec::new();
        };
        let rows = self.flat.totals.len();
        let graph = sums::call_graph(&self.values, self.view.recursion, rows, selected);
        let zone = self.key(selected).zone;
        let part = |all: &[Totals], section: Section| {
            let mut records: Vec<Record> = (0..rows as u32)
                .filter(|row| self.shows(&all[*row as usize]))
                .map(|row| {
                    let other = self.key(row).zone;
                    let (caller, callee) = match section {
                        Section::Caller => (other, zone),
                        _ => (zone, other),
                    };
                    let heat = self.edge_heat(caller, callee);
                    self.record(row, section, all[row as usize], heat, BY_HIER)
                })
                .collect();
            sort(&mut records, BY_HIER);
            records
        };
        let mut records = part(&graph.callers, Section::Caller);
        records.reverse();
        let heat = self.heat(|heat| heat.zone(zone));
        records.push(self.record(selected, Section::Selected, graph.zone, heat, BY_HIER));
        records.extend(part(&graph.callees, Section::Callee));
        records
    }

    fn record(
        &self,
        row: u32,
        section: Section,
        totals: Totals,
        heat: RowHeat,
        by: usize,
    ) -> Record {
        let Key { zone, level } = self.key(row);
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
        Record {
            name: self.name(row),
            indent: match section {
                Section::Flat | Section::Caller => 0,
                Section::Selected => 1,
                Section::Callee => 2,
            },
            prefix: match section {
                Section::Selected => Prefix::Minus,
                Section::Caller => Prefix::Plus,
                _ if self.flat.calls[row as usize] => Prefix::Plus,
                _ => Prefix::None,
            },
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
            key: RowKey {
                section,
                zone,
                level,
            },
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
    fn shows(&self, totals: &Totals) -> bool {
        if self.values.whole {
            totals.hier > 0.0 || totals.entries > 0.0
        } else {
            totals.hier * self.values.ms >= FADED_MS || totals.entries >= FADED_ENTRIES
        }
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
    /// the sampler, and `update`; the overlay is its drawing.
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
        let ms = self.values.ms;
        let time: f64 = threads.iter().flat_map(|thread| &thread.self_time).sum();
        if time > 0.0 {
            let cost: f64 = threads.iter().map(|thread| thread.cost).sum();
            let slot = self.view.average.max(1) - 1;
            let [sampler_ms] = process.sampler_ms.get(&process.clock, slot);
            let own = |name: &str| -> f64 {
                let rows = (0..self.flat.totals.len() as u32)
                    .filter(|row| process.names.is_own(self.key(*row).zone))
                    .filter(|row| &**process.names.name(self.key(*row).zone) == name);
                rows.map(|row| self.flat.totals[row as usize].self_time)
                    .sum()
            };
            let profiler = cost + sampler_ms / ms + own("iprof_update");
            let overlay = own("iprof_draw") + own("iprof_draw_graph");
            let percent = |part: f64| part / time * 100.0;
            title += &format!("  profiler {:.2} %", percent(profiler));
            if overlay > 0.0 {
                title += &format!(", overlay {:.2} %", percent(overlay));
            }
        }
        title
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
                format!("frame {frame}, {ago} ago")
            }
            (None, 0) => format!("{now}, frame {}", self.process.frames),
            (None, average) => format!("{now}, {:.1} s average", FOLLOW_90[average - 1]),
        }
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

/// Large before small; equal ones by name and by age.
fn sort(records: &mut [Record], by: usize) {
    records.sort_by(|a, b| {
        let by_value = b.values[by].total_cmp(&a.values[by]);
        by_value
            .then_with(|| a.name.cmp(&b.name))
            .then_with(|| (a.key.zone, a.key.level).cmp(&(b.key.zone, b.key.level)))
    });
}

/// Restores the order of `before`, except where a record is clearly larger than one above it.
fn keep_order(records: &mut Vec<Record>, before: &[Record], by: usize) {
    let places: HashMap<RowKey, usize> = before
        .iter()
        .enumerate()
        .map(|(at, record)| (record.key, at))
        .collect();
    let mut sorted = std::mem::take(records);
    // Callers stand before the zone and rise towards it; the order of sections is theirs.
    let mut sections: Vec<Vec<Record>> = Vec::new();
    for record in sorted.drain(..) {
        match sections.last_mut() {
            Some(section) if section[0].key.section == record.key.section => section.push(record),
            _ => sections.push(vec![record]),
        }
    }
    for mut section in sections {
        let rising = section[0].key.section == Section::Caller;
        if rising {
            section.reverse();
        }
        let mut ordered = Vec::with_capacity(section.len());
        let (mut known, new): (Vec<Record>, Vec<Record>) = section
            .into_iter()
            .partition(|record| places.contains_key(&record.key));
        known.sort_by_key(|record| places[&record.key]);
        if rising {
            known.reverse();
        }
        for record in known {
            let overtakes = |above: &Record| {
                record.values[by] > above.values[by] * OVERTAKE_FACTOR + OVERTAKE_MS
            };
            let at = ordered.iter().position(overtakes).unwrap_or(ordered.len());
            ordered.insert(at, record);
        }
        for record in new {
            let larger = |above: &Record| record.values[by] > above.values[by];
            let at = ordered.iter().position(larger).unwrap_or(ordered.len());
            ordered.insert(at, record);
        }
        if rising {
            ordered.reverse();
        }
        records.append(&mut ordered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(zone: u32, value: f64) -> Record {
        Record {
            key: RowKey {
                section: Section::Flat,
                zone,
                level: 0,
            },
            ..Record::new(&zone.to_string(), &[value])
        }
    }

    fn order(before: &[(u32, f64)], now: &[(u32, f64)]) -> Vec<u32> {
        let list = |rows: &[(u32, f64)]| {
            let mut records: Vec<Record> = rows.iter().map(|(z, v)| record(*z, *v)).collect();
            sort(&mut records, BY_SELF);
            records
        };
        let mut before_records: Vec<Record> = before.iter().map(|(z, v)| record(*z, *v)).collect();
        let mut records = list(now);
        keep_order(&mut records, &std::mem::take(&mut before_records), BY_SELF);
        records.iter().map(|record| record.key.zone).collect()
    }

    #[test]
    fn rows_change_places_only_when_one_is_clearly_larger() {
        let before = [(1, 3.0), (2, 2.9), (3, 1.0)];
        assert_eq!(order(&before, &[(1, 3.0), (2, 3.1), (3, 1.0)]), [1, 2, 3]);
        assert_eq!(order(&before, &[(1, 3.0), (2, 3.4), (3, 1.0)]), [2, 1, 3]);
        assert_eq!(order(&before, &[(1, 3.0), (2, 2.9), (3, 9.0)]), [3, 1, 2]);
    }

    #[test]
    fn small_steps_do_not_add_up_to_a_wrong_order() {
        let before = [(1, 1.0), (2, 1.08), (3, 1.16)];
        assert_eq!(order(&before, &before), [3, 1, 2]);
    }

    #[test]
    fn new_rows_come_where_they_belong_and_old_ones_may_be_gone() {
        let before = [(1, 3.0), (2, 2.0), (3, 1.0)];
        assert_eq!(order(&before, &[(1, 3.0), (4, 2.5), (3, 1.0)]), [1, 4, 3]);
        assert_eq!(order(&[], &[(1, 3.0), (4, 3.1)]), [4, 1]);
    }
}
