//! Writes a snapshot as the text dump for consoles and logs: each thread's call tree with ASCII
//! branches, then the zones of all threads by self time. (As in Andrew Moon's "floodyberry" profiler.)

use super::name::one_line;
use super::snapshot_totals::SnapshotTotals;
use super::summary_line::recorded;
use super::time_unit::{Column, Units};
use super::zone_names::zone_names;
use crate::snapshot::{IDLE_OUTSIDE, Snapshot, SnapshotThread};
use crate::subtree::{Children, Step};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Number of zones listed by self time; one row sums the others.
const TOP_ZONES: usize = 50;
/// Maximum depth of drawn branches; deeper rows show their depth as a number. Without a limit, a deep
/// recursion would be a triangle of blanks.
const MAX_BRANCHES: usize = 48;

impl Snapshot {
    /// Writes each thread's call tree, children with the most time first, then that of the GPU, then all zones by
    /// self time, as ASCII text. The GPU works beside the threads, so its zones have a list of their own.
    ///
    /// A row has the number of calls; the hierarchical time (with all descendants); the average time per
    /// call; the percentage of the thread's time; the self time; and the name. A zone that is only counted has no
    /// times. A column has one unit, which its head names, and as many decimal places in all rows: `us`
    /// (microseconds) if its largest value is below 10 ms, `ms` below 10 s, or else `s`. A `~` marks a
    /// time that was sampled or includes a sampled time. Nodes that were not entered and took no time are
    /// omitted. In names, characters that are not ASCII become `?`, and control characters become spaces. Zones
    /// of the same name have their source file behind it, with the line if it is needed to tell them apart.
    /// `(idle)` stands after the names of [idle zones](crate::SnapshotZone::is_idle). Time outside zones is
    /// `(outside zones, idle)` on a thread where it
    /// [counts as idle](crate::SnapshotThread::is_idle_outside_zones). The 50 zones
    /// with the most self time are listed, and a row sums the others; then those that are idle. Time outside zones
    /// has two rows where some of it is idle; there its hierarchical time is its self time.
    ///
    /// For exact times write [JSON](Snapshot::write_json) or CSV, and for cycles
    /// [`write_tree_in_cycles`](Snapshot::write_tree_in_cycles).
    ///
    /// ```
    /// {
    ///     iprof::zone!(load);
    /// }
    /// iprof::snapshot().write_tree(std::io::stdout())?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of `out`; [`InvalidInput`](io::ErrorKind::InvalidInput), before anything is written, if the
    /// snapshot is not [valid](Snapshot::validate).
    pub fn write_tree(&self, out: impl Write) -> io::Result<()> {
        if_enabled!(write_in_units(self, out), say_why_empty(out))
    }

    /// Writes the same as [`write_tree`](Snapshot::write_tree) with all times in cycles, which are whole
    /// ticks of the machine's counter, and exact. [`write_file`](Snapshot::write_file) does so for names that end
    /// in `.cycles.txt`.
    ///
    /// # Errors
    ///
    /// As of [`write_tree`](Snapshot::write_tree).
    pub fn write_tree_in_cycles(&self, out: impl Write) -> io::Result<()> {
        if_enabled!(write_in_cycles(self, out), say_why_empty(out))
    }
}

fn write_in_cycles(snapshot: &Snapshot, mut out: impl Write) -> io::Result<()> {
    snapshot
        .validate()
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    write_trees(snapshot, Units::CYCLES, &mut out)
}

#[cfg(not(feature = "enable"))]
fn say_why_empty(mut out: impl Write) -> io::Result<()> {
    writeln!(out, "{}", crate::if_enabled::NOT_ENABLED)?;
    out.flush()
}

fn write_in_units(snapshot: &Snapshot, mut out: impl Write) -> io::Result<()> {
    let whole = snapshot.in_nanoseconds()?;
    write_trees(&whole, Units::of(&whole), &mut out)
}

/// Writes the trees and the list of zones. Ticks are nanoseconds, or those of the counter. Compiled once, for any writer.
fn write_trees(whole: &Snapshot, units: Units, out: &mut dyn Write) -> io::Result<()> {
    for line in head(whole) {
        writeln!(out, "{line}")?;
    }
    let names: Vec<String> = zone_names(whole).iter().map(|name| ascii(name)).collect();
    for thread in whole.cpu_threads() {
        let ended = if thread.has_ended { " (ended)" } else { "" };
        writeln!(out, "\nthread {}{ended}", ascii(&thread.name))?;
        Tree::of(whole, thread, &names, units).write(out)?;
    }
    for gpu in whole.gpu_threads() {
        writeln!(out, "\n{}", ascii(&gpu.name))?;
        Tree::of(whole, gpu, &names, units).write(out)?;
    }
    write_zones(whole, "all threads", whole.cpu_threads(), units, out)?;
    write_zones(whole, "GPU", whole.gpu_threads(), units, out)?;
    out.flush()
}

/// The lines above the trees: program, machine, date and how much was recorded.
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

/// A thread's tree, ready to be written.
struct Tree<'a> {
    whole: &'a Snapshot,
    thread: &'a SnapshotThread,
    /// By zone.
    names: &'a [String],
    units: Units,
    children: Children,
    /// By node: its hierarchical time.
    hier: Vec<u64>,
    is_sampled: Vec<bool>,
    is_shown: Vec<bool>,
}

impl<'a> Tree<'a> {
    fn of(
        whole: &'a Snapshot,
        thread: &'a SnapshotThread,
        names: &'a [String],
        units: Units,
    ) -> Tree<'a> {
        let hier = thread.subtree_ticks();
        let nodes = thread.nodes.iter().zip(&hier);
        let mut is_shown: Vec<bool> = nodes
            .map(|(node, hier)| node.entries > 0 || *hier > 0)
            .collect();
        for (at, node) in thread.nodes.iter().enumerate().skip(1).rev() {
            is_shown[node.parent as usize] |= is_shown[at];
        }
        Tree {
            whole,
            children: Children::by(&hier, thread.parents()),
            names,
            units,
            thread,
            hier,
            is_sampled: thread.is_subtree_sampled(),
            is_shown,
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.is_shown[SnapshotThread::ROOT] {
            return writeln!(out, "nothing recorded");
        }
        let ([time, average, own], width) = (heads(self.units), self.units.width());
        writeln!(
            out,
            "{:>11} {time:>width$} {average:>width$} {:>7} {own:>width$}  zone",
            "calls", "%"
        )?;
        // By node of the current path: whether a sibling follows it.
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
                    result = self.write_row(at, &continues[1..], out);
                }
            }
            Step::Leave(_) => {
                continues.pop();
            }
        });
        result
    }

    fn write_row(&self, at: usize, continues: &[bool], out: &mut dyn Write) -> io::Result<()> {
        let (node, hier) = (&self.thread.nodes[at], self.hier[at]);
        let is_idle = self.whole.is_idle(self.thread, at);
        let name = match (at, is_idle) {
            (SnapshotThread::ROOT, true) => IDLE_OUTSIDE,
            _ => &self.names[node.zone as usize],
        };
        let [time, average, percent, own] = if hier == 0 && !self.is_sampled[at] {
            COUNTED
        } else {
            let Units { time, average } = self.units;
            [
                value(time, hier as f64, self.is_sampled[at]),
                per_call(average, hier, node.entries, self.is_sampled[at]),
                percent(hier, self.hier[SnapshotThread::ROOT]),
                value(time, node.ticks as f64, node.error > 0.0),
            ]
        };
        let (entries, width) = (node.entries, self.units.width());
        let idle = idle(is_idle && at != SnapshotThread::ROOT);
        writeln!(
            out,
            "{entries:>11} {time:>width$} {average:>width$} {percent:>7} {own:>width$}  {}{name}{idle}",
            branches(continues),
        )
    }
}

/// The cells of what took no time, as a zone that is only counted.
const COUNTED: [String; 4] = [const { String::new() }; 4];

/// The branches that lead to a row: vertical lines of ancestors with later siblings, then the row's own
/// branch.
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

/// A row of the list of zones: a zone, a part of the time outside zones, or the sum of several rows.
struct ZoneRow {
    name: String,
    own: u64,
    is_own_sampled: bool,
    /// `None` for several zones, whose hierarchical times have no meaningful sum.
    hier: Option<(u64, bool)>,
    entries: u64,
    is_idle: bool,
}

impl ZoneRow {
    fn of(whole: &Snapshot, totals: &SnapshotTotals, zone: u32) -> ZoneRow {
        let (of, totals) = (&whole.zones[zone as usize], &totals.zones[zone as usize]);
        let place = match &*of.file {
            "" => String::new(),
            file => format!("  {}:{}", ascii(file), of.line),
        };
        ZoneRow {
            name: ascii(&of.name) + &place,
            own: totals.sums.self_ticks,
            is_own_sampled: totals.error > 0.0,
            hier: Some((totals.sums.hier_ticks, totals.is_hier_sampled)),
            entries: totals.sums.entries,
            is_idle: of.is_idle,
        }
    }

    /// Time outside zones of the threads where it is idle, or of the others; nothing calls in it.
    fn outside<'a>(
        whole: &Snapshot,
        threads: impl Iterator<Item = &'a SnapshotThread>,
        is_idle: bool,
    ) -> ZoneRow {
        let roots = threads
            .filter(|thread| thread.is_idle_outside_zones == is_idle)
            .filter_map(|thread| thread.nodes.first());
        let (own, is_sampled) = roots.fold((0, false), |(own, is_sampled), root| {
            (own + root.ticks, is_sampled || root.error > 0.0)
        });
        ZoneRow {
            name: match (is_idle, whole.zones.first()) {
                (true, _) => IDLE_OUTSIDE.to_owned(),
                // There are no zones where there are no threads.
                (false, zone) => zone.map_or(String::new(), |zone| ascii(&zone.name)),
            },
            own,
            is_own_sampled: is_sampled,
            hier: Some((own, is_sampled)),
            entries: 0,
            // Its name says so.
            is_idle: false,
        }
    }

    /// Whether it took no time, as a zone that is only counted.
    fn is_counted(&self) -> bool {
        let (hier, is_sampled) = self.hier.unwrap_or((self.own, self.is_own_sampled));
        hier == 0 && !is_sampled
    }

    fn others(rows: &[ZoneRow]) -> ZoneRow {
        ZoneRow {
            name: format!("others ({})", rows.len()),
            own: rows.iter().map(|row| row.own).sum(),
            is_own_sampled: rows.iter().any(|row| row.is_own_sampled),
            hier: None,
            entries: rows.iter().map(|row| row.entries).sum(),
            is_idle: rows.iter().any(|row| row.is_idle),
        }
    }
}

/// Lists the zones of some threads by self time: work first, then what is idle.
fn write_zones<'a>(
    whole: &Snapshot,
    title: &str,
    threads: impl Iterator<Item = &'a SnapshotThread> + Clone,
    units: Units,
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
    let ([time, average, own], width) = (heads(units), units.width());
    writeln!(out, "\n{title}, zones by self time")?;
    writeln!(
        out,
        "{:>11} {own:>width$} {average:>width$} {:>7} {time:>width$}  zone",
        "calls", "%"
    )?;
    for row in work.iter().chain(&waiting) {
        let [own, average, percent, hier] = if row.is_counted() {
            COUNTED
        } else {
            let hier = row.hier;
            let hier = hier.map(|(hier, is_sampled)| value(units.time, hier as f64, is_sampled));
            [
                value(units.time, row.own as f64, row.is_own_sampled),
                per_call(units.average, row.own, row.entries, row.is_own_sampled),
                percent(row.own, totals.ticks),
                hier.unwrap_or_default(),
            ]
        };
        let (entries, name, idle) = (row.entries, &row.name, idle(row.is_idle));
        writeln!(
            out,
            "{entries:>11} {own:>width$} {average:>width$} {percent:>7} {hier:>width$}  {name}{idle}"
        )?;
    }
    Ok(())
}

/// Heads of the columns of times, averages and self times.
fn heads(units: Units) -> [String; 3] {
    let Units { time, average } = units;
    [
        format!("time {}", time.name()),
        format!("{}/call", average.name()),
        format!("self {}", time.name()),
    ]
}

fn value(column: Column, ticks: f64, is_sampled: bool) -> String {
    let sampled = if is_sampled { "~" } else { "" };
    format!("{sampled}{}", column.text(ticks))
}

/// Empty for a node that was never entered because it was open all the time.
fn per_call(column: Column, ticks: u64, entries: u64, is_sampled: bool) -> String {
    match entries {
        0 => String::new(),
        _ => value(column, ticks as f64 / entries as f64, is_sampled),
    }
}

/// What stands after a name.
fn idle(is_idle: bool) -> &'static str {
    if is_idle { "  (idle)" } else { "" }
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.2}", 100.0 * part as f64 / (whole as f64).max(1.0))
}

fn ascii(name: &str) -> String {
    let ascii = |c: char| if c.is_ascii() { c } else { '?' };
    one_line(name).chars().map(ascii).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SnapshotZone;

    fn text(snapshot: &Snapshot) -> String {
        let mut out = Vec::new();
        snapshot.write_tree(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn branches_connect_siblings() {
        let mut snapshot = Snapshot {
            ns_per_tick: 0.5,
            ticks: 4_000_000_000,
            ..Snapshot::default()
        };
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
        let head = "1 thread, 2.000 s; counts are exact, and so are times without a ~";
        let expected = "
thread main
      calls      time us      us/call       %      self us  zone
          0        0.501               100.00        0.050  (outside zones)
          2       ~0.450       ~0.225   89.82        0.100  |- physics
         10       ~0.200       ~0.020   39.92       ~0.200  |  |- gr??te Zone
          4        0.150        0.037   29.94        0.150  |  `- solve
          1        0.001        0.001    0.20        0.001  `- solve

all threads, zones by self time
      calls      self us      us/call       %      time us  zone
         10       ~0.200       ~0.020   39.92       ~0.200  gr??te Zone  a.rs:1
          5        0.151        0.030   30.14        0.151  solve  a.rs:1
          2        0.100        0.050   19.96       ~0.450  physics  a.rs:1
          0        0.050                 9.98        0.050  (outside zones)
";
        assert_eq!(text(&snapshot), format!("{head}\n{expected}"));
        let mut out = Vec::new();
        snapshot.write_tree_in_cycles(&mut out).unwrap();
        let cycles = String::from_utf8(out).unwrap();
        let head = "      calls      time cycles      cycles/call       %      self cycles  zone\n";
        assert!(cycles.contains(head), "{cycles}");
        let row = "         10             ~400            ~40.0   39.92             ~400  |  |- gr??te Zone\n";
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
        // Work comes first, also where waiting took longer, and time outside zones is split.
        let (_, list) = text.split_once("zones by self time").unwrap();
        let rows: Vec<Vec<&str>> = list
            .lines()
            .skip(2)
            .map(|line| line.split_whitespace().collect())
            .collect();
        let expected = [
            &["0", "0.030", "25.00", "0.030", "(outside", "zones)"][..],
            &["2", "0.020", "0.010", "16.67", "0.020", "work", "a.rs:2"],
            &[
                "2", "0.040", "0.020", "33.33", "0.040", "wait", "a.rs:1", "(idle)",
            ],
            &[
                "0", "0.030", "25.00", "0.030", "(outside", "zones,", "idle)",
            ],
        ];
        assert_eq!(rows, expected);
    }

    /// What a row says of a name.
    fn row_of<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
        let row = text.lines().find(|line| line.contains(name));
        row.unwrap_or_default().split_whitespace().collect()
    }

    #[test]
    fn the_gpu_is_no_thread_and_has_a_list_of_its_own() {
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
        snapshot.threads.push(SnapshotThread::new("silent"));
        let text = text(&snapshot);
        assert!(text.starts_with("3 threads and the GPU, "), "{text}");
        let (trees, lists) = text.split_once("\nall threads, zones").unwrap();
        assert!(
            trees.contains("\nthread silent\nnothing recorded\n\nGPU\n"),
            "{text}"
        );
        let (threads, gpu) = lists.split_once("\nGPU, zones by self time\n").unwrap();
        assert_eq!(row_of(threads, "draw")[..2], ["2", "0.030"], "{text}");
        assert_eq!(row_of(gpu, "draw")[..2], ["1", "0.700"], "{text}");
        assert!(gpu.trim_end().ends_with("(outside zones, idle)"), "{text}");
    }

    #[test]
    fn what_is_only_counted_has_no_times() {
        let mut snapshot = Snapshot::default();
        let hits = snapshot.intern_zone(SnapshotZone::new("hits", "", 0));
        let mut thread = SnapshotThread::new("main");
        let node = thread.child(0, hits);
        thread.fill(&[(0, 100, 0), (node, 0, 12)]);
        snapshot.threads.push(thread);
        let text = text(&snapshot);
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
        // The last ten zones have 41 to 50 ticks each; `(outside zones)` has no self time, and no row.
        let others = text.lines().last().unwrap();
        assert!(others.ends_with("others (10)"), "{others}");
        assert!(others.contains(" 0.455 "), "{others}");
    }
}
