//! Writes a snapshot as text for consoles and logs: each thread's call tree with ASCII branches, then all threads'
//! zones by self time. The layout is modeled on Andrew Moon's "floodyberry" profiler.

use super::conversions::in_nanoseconds;
use super::names::{distinct_thread_names, one_line, zone_names};
use super::text_table::{
    CALLS, PERCENT, Units, all_of, error, idle, per_call, percent, recorded, value, write_row,
};
use super::totals::SnapshotTotals;
use iprof_gather::{IS_ENABLED, NOT_ENABLED};
use iprof_process::subtree::{Children, Step};
use iprof_process::text_parts::FileAndLine;
use iprof_process::{IDLE_OUTSIDE, Snapshot, SnapshotThread};
use std::fmt::Write as _;
use std::io::{self, Write};

/// The maximum depth at which branches are drawn. Deeper rows show their depth as a number, so that a deep recursion
/// doesn't fill the output with blanks.
const MAX_BRANCHES: usize = 48;

pub(super) fn write_in_cycles(snapshot: &Snapshot, mut out: impl Write) -> io::Result<()> {
    snapshot
        .validate()
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    write_trees(snapshot, Units::CYCLES, &mut out)
}

pub(super) fn write(snapshot: &Snapshot, mut out: impl Write) -> io::Result<()> {
    let whole = in_nanoseconds(snapshot)?;
    write_trees(&whole, Units::of(&whole), &mut out)
}

/// Writes the trees and the zone lists. Ticks are nanoseconds or cycles, depending on `units`. `out` is a `dyn Write`
/// so that this function is only compiled once.
fn write_trees(whole: &Snapshot, units: Units, out: &mut dyn Write) -> io::Result<()> {
    if !IS_ENABLED && whole.threads.is_empty() {
        writeln!(out, "{NOT_ENABLED}")?;
        return out.flush();
    }
    let has_errors = has_errors(whole);
    for line in head(whole) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}", legend(whole, has_errors))?;
    let names: Vec<String> = zone_names(whole).iter().map(|name| ascii(name)).collect();
    let titles = distinct_thread_names(whole);
    let threads = whole.threads.iter().zip(&titles);
    let (gpus, threads): (Vec<_>, Vec<_>) = threads.partition(|(thread, _)| thread.is_gpu);
    let (others, frames): (Vec<_>, Vec<_>) = threads
        .into_iter()
        .partition(|(thread, _)| thread.is_idle_outside_zones);
    for (thread, title) in frames.into_iter().chain(others).chain(gpus) {
        let what = if thread.is_gpu { "" } else { "thread " };
        let ended = if thread.has_ended { " (ended)" } else { "" };
        write!(out, "\n{what}{}{ended}", ascii(title))?;
        Tree::of(whole, thread, &names, units, has_errors).write(out)?;
    }
    write_zones(
        whole,
        "all threads",
        whole.cpu_threads(),
        units,
        has_errors,
        out,
    )?;
    write_zones(whole, "GPU", whole.gpu_threads(), units, has_errors, out)?;
    out.flush()
}

fn legend(whole: &Snapshot, has_errors: bool) -> String {
    let mut legend = String::from(
        "a zone's time includes the zones it calls, its self time does not; % is of time in trees, of self time in lists",
    );
    if has_errors {
        legend.push_str("; +- is the standard error of self time");
    }
    let mut nodes = whole.threads.iter().flat_map(|thread| &thread.nodes);
    if nodes.any(|node| node.entries > 0 && node.ticks == 0 && node.error == 0.0) {
        legend.push_str("; zones without a time are only counted");
    }
    if !whole.values.is_empty() {
        legend.push_str("; [] shows what the zone itself added to named values");
    }
    legend
}

/// Returns whether any time was sampled.
fn has_errors(whole: &Snapshot) -> bool {
    let mut nodes = whole.threads.iter().flat_map(|thread| &thread.nodes);
    nodes.any(|node| node.error > 0.0)
}

/// Returns the lines above the trees: program, machine, date, and the amount of recorded data.
fn head(whole: &Snapshot) -> Vec<String> {
    let mut lines = Vec::new();
    let about = &whole.about;
    for line in [about.command(), about.machine.clone(), about.date()] {
        if !line.is_empty() {
            lines.push(ascii(&line));
        }
    }
    lines.push(recorded(whole));
    lines
}

struct Tree<'a> {
    whole: &'a Snapshot,
    thread: &'a SnapshotThread,
    names: &'a [String],
    units: Units,
    has_errors: bool,
    children: Children,
    /// Each node's hierarchical time.
    hier: Vec<u64>,
    is_sampled: Vec<bool>,
    is_shown: Vec<bool>,
    /// The steps added to named values: all values for the first node, then all values for the second, and so on.
    values: Vec<i64>,
}

impl<'a> Tree<'a> {
    fn of(
        whole: &'a Snapshot,
        thread: &'a SnapshotThread,
        names: &'a [String],
        units: Units,
        has_errors: bool,
    ) -> Tree<'a> {
        let hier = thread.subtree_ticks();
        let nodes = thread.nodes.iter().zip(&hier);
        let mut is_shown: Vec<bool> = nodes
            .map(|(node, hier)| node.entries > 0 || *hier > 0)
            .collect();
        let count = whole.values.len();
        let values = thread.steps_by_node(count);
        for (is_shown, values) in is_shown.iter_mut().zip(values.chunks(count.max(1))) {
            *is_shown |= values.iter().any(|steps| *steps != 0);
        }
        for (at, node) in thread.nodes.iter().enumerate().skip(1).rev() {
            is_shown[node.parent as usize] |= is_shown[at];
        }
        Tree {
            whole,
            children: Children::by(&hier, thread.parents()),
            names,
            units,
            has_errors,
            thread,
            hier,
            is_sampled: thread.is_subtree_sampled(),
            is_shown,
            values,
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.is_shown[SnapshotThread::ROOT] {
            return writeln!(out, "\nnothing recorded");
        }
        let Units { time, average } = self.units;
        writeln!(out, ", {}", all_of(time, self.hier[SnapshotThread::ROOT]))?;
        let heads = [
            "calls".to_owned(),
            format!("time {}", time.name()),
            format!("time/call {}", average.name()),
            "%".to_owned(),
            format!("self {}", time.name()),
            format!("+- {}", time.name()),
        ];
        write_row(&self.widths(), &heads, "zone", out)?;
        // For each node on the current path, whether a sibling follows it.
        let mut continues = Vec::new();
        let mut last_shown = vec![None; self.thread.nodes.len()];
        for (node, last) in last_shown.iter_mut().enumerate() {
            let mut below = self.children.below(node).iter().rev();
            *last = below.find(|child| self.is_shown[**child]).copied();
        }
        let mut result = Ok(());
        self.children.walk(|step| match step {
            Step::Enter(at) => {
                let parent = self.thread.nodes[at].parent as usize;
                continues.push(last_shown[parent] != Some(at));
                if self.is_shown[at] && result.is_ok() {
                    result = self.write_node(at, &continues[1..], out);
                }
            }
            Step::Leave(_) => {
                continues.pop();
            }
        });
        result
    }

    fn write_node(&self, at: usize, continues: &[bool], out: &mut dyn Write) -> io::Result<()> {
        let (node, hier) = (&self.thread.nodes[at], self.hier[at]);
        let is_idle = self.whole.is_idle(self.thread, at);
        let name = match (at, is_idle) {
            (SnapshotThread::ROOT, true) => IDLE_OUTSIDE,
            _ => &self.names[node.zone as usize],
        };
        let mut cells = [const { String::new() }; 6];
        cells[0] = node.entries.to_string();
        // Nodes without time, such as nodes of zones that are only counted, show no times.
        if hier > 0 || self.is_sampled[at] {
            let Units { time, average } = self.units;
            cells[1] = value(time, hier as f64, self.is_sampled[at]);
            cells[2] = per_call(average, hier, node.entries, self.is_sampled[at]);
            cells[3] = format!("{:.2}", percent(hier, self.hier[SnapshotThread::ROOT]));
            cells[4] = value(time, node.ticks as f64, node.error > 0.0);
            cells[5] = error(time, node.error);
        }
        let idle = idle(is_idle && at != SnapshotThread::ROOT);
        let mut name = format!("{}{name}{idle}", branches(continues));
        let count = self.whole.values.len();
        let steps = self.values.iter().skip(at * count);
        for (value, steps) in self.whole.values.iter().zip(steps) {
            if *steps != 0 {
                let of = ascii(&value.name);
                // Writing to a string cannot fail.
                let _ = write!(name, "  [{of} {}", value.text(*steps));
                if !value.unit.is_empty() {
                    name.extend([" ", &*ascii(&value.unit)]);
                }
                name.push(']');
            }
        }
        write_row(&self.widths(), &cells, &name, out)
    }

    fn widths(&self) -> [usize; 6] {
        let Units { time, average } = self.units;
        let error = if self.has_errors { time.width } else { 0 };
        [CALLS, time.width, average.width, PERCENT, time.width, error]
    }
}

/// Draws the branches before a row: a vertical line for each ancestor with later siblings, then the row's own branch.
fn branches(continues: &[bool]) -> String {
    let Some((own, above)) = continues.split_last() else {
        return String::new();
    };
    let drawn = above.len().min(MAX_BRANCHES);
    let mut drawing: String = above[..drawn]
        .iter()
        .map(|continues| if *continues { "|  " } else { "   " })
        .collect();
    drawing.push_str(if *own { "|- " } else { "`- " });
    if drawn < above.len() {
        // Writing to a string cannot fail.
        let _ = write!(drawing, "({}) ", continues.len());
    }
    drawing
}

fn ascii(name: &str) -> String {
    let ascii = |c: char| if c.is_ascii() { c } else { '?' };
    one_line(name).chars().map(ascii).collect()
}

/// The maximum number of zones in a list. One additional row sums the others.
const TOP_ZONES: usize = 50;

/// A list row: a zone, time outside zones, or the sum of several rows.
struct ZoneRow {
    name: String,
    own: u64,
    /// The standard error of the self time, or 0 if the time was not sampled.
    error: f64,
    /// The hierarchical time, and whether it was sampled. `None` for a sum of several zones, where it would be
    /// meaningless.
    hier: Option<(u64, bool)>,
    entries: u64,
    is_idle: bool,
}

impl ZoneRow {
    fn of(whole: &Snapshot, totals: &SnapshotTotals, zone: u32) -> ZoneRow {
        let (of, totals) = (&whole.zones[zone as usize], &totals.zones[zone as usize]);
        let place = match &*of.file {
            "" => String::new(),
            file => format!("  {}", FileAndLine(&ascii(file), of.line)),
        };
        ZoneRow {
            name: ascii(&of.name) + &place,
            own: totals.sums.self_ticks,
            error: totals.error,
            hier: Some((totals.sums.hier_ticks, totals.is_hier_sampled)),
            entries: totals.sums.entries,
            is_idle: of.is_idle,
        }
    }

    /// Sums the time outside zones, either on the threads where it is idle or on all others.
    fn outside<'a>(
        whole: &Snapshot,
        threads: impl Iterator<Item = &'a SnapshotThread>,
        is_idle: bool,
    ) -> ZoneRow {
        let roots = threads
            .filter(|thread| thread.is_idle_outside_zones == is_idle)
            .filter_map(|thread| thread.nodes.first());
        let (own, variance) = roots.fold((0, 0.0), |(own, variance), root| {
            (own + root.ticks, variance + root.error * root.error)
        });
        ZoneRow {
            name: match (is_idle, whole.zones.first()) {
                (true, _) => IDLE_OUTSIDE.to_owned(),
                // A snapshot without threads may have no zones.
                (false, zone) => zone.map_or(String::new(), |zone| ascii(&zone.name)),
            },
            own,
            error: variance.sqrt(),
            hier: Some((own, variance > 0.0)),
            entries: 0,
            // The name already indicates whether the time is idle.
            is_idle: false,
        }
    }

    fn is_sampled(&self) -> bool {
        self.error > 0.0
    }

    /// Returns whether the row has no time, as for a zone that is only counted.
    fn is_counted(&self) -> bool {
        let (hier, is_sampled) = self.hier.unwrap_or((self.own, self.is_sampled()));
        hier == 0 && !is_sampled
    }

    fn others(rows: &[ZoneRow]) -> ZoneRow {
        ZoneRow {
            name: format!("others ({})", rows.len()),
            own: rows.iter().map(|row| row.own).sum(),
            error: rows.iter().map(|row| row.error.powi(2)).sum::<f64>().sqrt(),
            hier: None,
            entries: rows.iter().map(|row| row.entries).sum(),
            is_idle: rows.iter().any(|row| row.is_idle),
        }
    }
}

/// Lists the zones on some threads by self time: work first, then idle time.
fn write_zones<'a>(
    whole: &Snapshot,
    title: &str,
    threads: impl Iterator<Item = &'a SnapshotThread> + Clone,
    units: Units,
    has_errors: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let totals = SnapshotTotals::of(whole, threads.clone());
    let rows = |is_idle: bool| -> Vec<ZoneRow> {
        let is_listed = |zone: &u32| *zone > 0 && whole.zones[*zone as usize].is_idle == is_idle;
        let zones = totals.by_self_time().into_iter().filter(is_listed);
        let mut rows: Vec<ZoneRow> = zones
            .map(|zone| ZoneRow::of(whole, &totals, zone))
            .collect();
        let outside = ZoneRow::outside(whole, threads.clone(), is_idle);
        if outside.own > 0 {
            rows.insert(rows.partition_point(|row| row.own >= outside.own), outside);
        }
        if let Some(others) = rows.get(TOP_ZONES..).filter(|others| !others.is_empty()) {
            let others = ZoneRow::others(others);
            rows.truncate(TOP_ZONES);
            rows.push(others);
        }
        rows
    };
    let [work, waiting] = [false, true].map(rows);
    if work.is_empty() && waiting.is_empty() {
        return Ok(());
    }
    let all = work.iter().chain(&waiting);
    let averages = all.clone().filter(|row| row.entries > 0);
    let average = units.averages(averages.map(|row| row.own as f64 / row.entries as f64));
    let time = units.time;
    let error_width = if has_errors { time.width } else { 0 };
    let widths = [
        CALLS,
        time.width,
        error_width,
        average.width,
        PERCENT,
        time.width,
    ];
    let most = all_of(time, totals.ticks);
    writeln!(out, "\n{title}, zones by self time, {most}")?;
    let heads = [
        "calls".to_owned(),
        format!("self {}", time.name()),
        format!("+- {}", time.name()),
        format!("self/call {}", average.name()),
        "%".to_owned(),
        format!("time {}", time.name()),
    ];
    write_row(&widths, &heads, "zone", out)?;
    for row in all {
        let mut cells = [const { String::new() }; 6];
        cells[0] = row.entries.to_string();
        if !row.is_counted() {
            cells[1] = value(time, row.own as f64, row.is_sampled());
            cells[2] = error(time, row.error);
            cells[3] = per_call(average, row.own, row.entries, row.is_sampled());
            cells[4] = format!("{:.2}", percent(row.own, totals.ticks));
            if let Some((hier, is_sampled)) = row.hier {
                cells[5] = value(time, hier as f64, is_sampled);
            }
        }
        let name = format!("{}{}", row.name, idle(row.is_idle));
        write_row(&widths, &cells, &name, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use iprof_process::{SnapshotValue, SnapshotZone, ValueInfo};

    fn text(snapshot: &Snapshot) -> String {
        let mut out = Vec::new();
        write(snapshot, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn value_totals_follow_the_name() {
        let mut snapshot = Snapshot::default();
        snapshot.values = vec![
            ValueInfo {
                name: "energy".into(),
                unit: "J".into(),
                steps: 100,
            },
            ValueInfo {
                name: "bodies".into(),
                unit: "".into(),
                steps: 1,
            },
        ];
        let mut thread = SnapshotThread::new("main");
        let zones =
            ["solve", "rest"].map(|name| snapshot.intern_zone(SnapshotZone::new(name, "a.rs", 1)));
        let [solve, rest] = zones.map(|zone| thread.child(0, zone));
        thread.fill(&[(0, 100, 0), (solve, 300, 4)]);
        thread.values = [(solve, 0, -250), (solve, 1, 7), (rest, 1, 2)]
            .map(|(node, value, steps)| SnapshotValue {
                node: node as u32,
                value,
                steps,
            })
            .to_vec();
        snapshot.threads.push(thread);
        let text = text(&snapshot);
        assert!(
            text.contains("solve  [energy -2.5 J]  [bodies 7]\n"),
            "{text}"
        );
        assert!(text.contains("rest  [bodies 2]\n"), "{text}");
        snapshot.values.clear();
        snapshot.threads[0].values.clear();
        let mut out = Vec::new();
        write(&snapshot, &mut out).unwrap();
        let plain = String::from_utf8(out).unwrap();
        assert!(!plain.contains('['), "{plain}");
    }

    #[test]
    fn branches_connect_siblings() {
        let mut snapshot = Snapshot::default();
        snapshot.ns_per_tick = 0.5;
        snapshot.ticks = 4_000_000_000;
        let mut thread = SnapshotThread::new("main");
        let zones: Vec<u32> = ["physics", "solve", "größte\tZone", "reset"]
            .iter()
            .map(|name| snapshot.intern_zone(SnapshotZone::new(name, "a.rs", 1)))
            .collect();
        let physics = thread.child(0, zones[0]);
        let solve = thread.child(physics, zones[1]);
        let largest = thread.child(physics, zones[2]);
        let alone = thread.child(0, zones[1]);
        thread.child(0, zones[3]);
        thread.fill(&[
            (0, 100, 0),
            (physics, 200, 2),
            (solve, 300, 4),
            (alone, 2, 1),
        ]);
        thread.nodes[largest].ticks = 400;
        thread.nodes[largest].entries = 10;
        thread.nodes[largest].error = 8.0;
        snapshot.threads.push(thread);
        let head = "1 thread, 2.000 s; counts are exact, and so are times without a ~\n\
                    a zone's time includes the zones it calls, its self time does not; \
                    % is of time in trees, of self time in lists; \
                    +- is the standard error of self time";
        let expected = "
thread main, 100 % is 0.501 us
      calls      time us time/call ns       %      self us        +- us  zone
          0        0.501               100.00        0.050               (outside zones)
          2       ~0.450       ~225.0   89.82        0.100               |- physics
         10       ~0.200        ~20.0   39.92       ~0.200        0.004  |  |- gr??te Zone
          4        0.150         37.5   29.94        0.150               |  `- solve
          1        0.001          1.0    0.20        0.001               `- solve

all threads, zones by self time, 100 % is 0.501 us
      calls      self us        +- us self/call ns       %      time us  zone
         10       ~0.200        0.004        ~20.0   39.92       ~0.200  gr??te Zone  a.rs:1
          5        0.151                      30.2   30.14        0.151  solve  a.rs:1
          2        0.100                      50.0   19.96       ~0.450  physics  a.rs:1
          0        0.050                              9.98        0.050  (outside zones)
";
        assert_eq!(text(&snapshot), format!("{head}\n{expected}"));
        let mut out = Vec::new();
        write_in_cycles(&snapshot, &mut out).unwrap();
        let cycles = String::from_utf8(out).unwrap();
        let head = "      calls      time cycles time/call cycles       %      self cycles        +- cycles  zone\n";
        assert!(cycles.contains(head), "{cycles}");
        let row = "         10             ~400            ~40.0   39.92             ~400                8  |  |- gr??te Zone\n";
        assert!(cycles.contains(row), "{cycles}");
    }

    #[test]
    fn idle_time_is_marked() {
        let mut snapshot = Snapshot::default();
        let mut zone = SnapshotZone::new("wait", "a.rs", 1);
        zone.is_idle = true;
        let wait = snapshot.intern_zone(zone);
        let work = snapshot.intern_zone(SnapshotZone::new("work", "a.rs", 2));
        for is_idle in [false, true] {
            let mut thread = SnapshotThread::new("");
            thread.is_idle_outside_zones = is_idle;
            let [wait, work] = [wait, work].map(|zone| thread.child(0, zone));
            thread.fill(&[(0, 30, 0), (wait, 20, 1), (work, 10, 1)]);
            snapshot.threads.push(thread);
        }
        let text = text(&snapshot);
        let marked: Vec<&str> = text
            .lines()
            .filter(|line| line.ends_with("(idle)"))
            .collect();
        let names = ["|- wait", "|- wait", "wait  a.rs:1"];
        assert_eq!(marked.len(), names.len(), "{text}");
        for (line, name) in marked.iter().zip(names) {
            assert!(line.ends_with(&format!("  {name}  (idle)")), "{text}");
        }
        let outside = "  (outside zones, idle)\n";
        assert_eq!(text.matches(outside).count(), 2, "{text}");
        // Work comes first even if waiting took longer, and time outside zones is split.
        let (_, list) = text.split_once("zones by self time").unwrap();
        let rows: Vec<Vec<&str>> = list
            .lines()
            .skip(2)
            .map(|line| line.split_whitespace().collect())
            .collect();
        let expected = [
            &["0", "0.030", "25.00", "0.030", "(outside", "zones)"][..],
            &["2", "0.020", "10.0", "16.67", "0.020", "work", "a.rs:2"],
            &[
                "2", "0.040", "20.0", "33.33", "0.040", "wait", "a.rs:1", "(idle)",
            ],
            &[
                "0", "0.030", "25.00", "0.030", "(outside", "zones,", "idle)",
            ],
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn frame_thread_is_first_and_names_are_numbered() {
        let mut snapshot = Snapshot::default();
        for name in ["worker", "main", "worker"] {
            let mut thread = SnapshotThread::new(name);
            thread.is_idle_outside_zones = name == "worker";
            thread.nodes[0].ticks = 7;
            snapshot.threads.push(thread);
        }
        let text = text(&snapshot);
        let titles = text.lines().filter(|line| line.starts_with("thread "));
        let titles: Vec<&str> = titles.map(|line| line.split(',').next().unwrap()).collect();
        assert_eq!(
            titles,
            ["thread main", "thread worker #1", "thread worker #2"]
        );
        // Nothing was sampled, and no zone is only counted.
        assert!(!text.contains("+-") && !text.contains("counted"), "{text}");
    }

    /// Returns the words of the first row that contains a name.
    fn row_of<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
        let row = text.lines().find(|line| line.contains(name));
        row.unwrap_or_default().split_whitespace().collect()
    }

    #[test]
    fn gpu_zones_have_a_separate_list() {
        let mut snapshot = Snapshot::default();
        let draw = snapshot.intern_zone(SnapshotZone::new("draw", "a.rs", 1));
        for (name, ticks) in [("GPU", 700), ("main", 20), ("worker", 10)] {
            let mut thread = SnapshotThread::new(name);
            thread.is_gpu = name == "GPU";
            thread.is_idle_outside_zones = name != "main";
            let node = thread.child(0, draw);
            thread.fill(&[(0, 5, 0), (node, ticks, 1)]);
            snapshot.threads.push(thread);
        }
        let mut silent = SnapshotThread::new("silent");
        silent.is_idle_outside_zones = true;
        snapshot.threads.push(silent);
        let text = text(&snapshot);
        assert!(text.starts_with("3 threads and the GPU, "), "{text}");
        let (trees, lists) = text.split_once("\nall threads, zones").unwrap();
        assert!(
            trees.contains("\nthread silent\nnothing recorded\n\nGPU, 100 % is 0.705 us\n"),
            "{text}"
        );
        let (threads, gpu) = lists
            .split_once("\nGPU, zones by self time, 100 % is 0.705 us\n")
            .unwrap();
        assert_eq!(row_of(threads, "draw")[..2], ["2", "0.030"], "{text}");
        assert_eq!(row_of(gpu, "draw")[..2], ["1", "0.700"], "{text}");
        assert!(gpu.trim_end().ends_with("(outside zones, idle)"), "{text}");
    }

    #[test]
    fn counted_zones_have_no_times() {
        let mut snapshot = Snapshot::default();
        let hits = snapshot.intern_zone(SnapshotZone::new("hits", "", 0));
        let mut thread = SnapshotThread::new("main");
        let node = thread.child(0, hits);
        thread.fill(&[(0, 100, 0), (node, 0, 12)]);
        snapshot.threads.push(thread);
        let text = text(&snapshot);
        assert!(
            text.contains("; zones without a time are only counted\n"),
            "{text}"
        );
        let rows: Vec<&str> = text.lines().filter(|line| line.ends_with("hits")).collect();
        for (row, name) in rows
            .iter()
            .zip([&["12", "`-", "hits"][..], &["12", "hits"]])
        {
            assert_eq!(row.split_whitespace().collect::<Vec<_>>(), name, "{text}");
        }
        assert_eq!(rows.len(), 2);
    }

    #[test]
    fn many_zones_and_deep_stacks_stay_readable() {
        let mut snapshot = Snapshot::default();
        let mut thread = SnapshotThread::new("main");
        let mut at = 0;
        for depth in 0..60 {
            let zone = snapshot.intern_zone(SnapshotZone::new(&format!("zone {depth}"), "", 0));
            at = thread.child(at, zone);
            thread.nodes[at].ticks = 100 - depth;
            thread.nodes[at].entries = 1;
        }
        snapshot.threads.push(thread);
        let text = text(&snapshot);
        let last = text.lines().find(|line| line.ends_with("zone 59")).unwrap();
        assert!(last.ends_with("`- (60) zone 59"), "{last}");
        // The last ten zones have 41 to 50 ticks each. `(outside zones)` has no self time, so it has no row.
        let others = text.lines().last().unwrap();
        assert!(others.ends_with("others (10)"), "{others}");
        assert!(others.contains(" 0.455 "), "{others}");
    }
}
