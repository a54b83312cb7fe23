//! Writes a snapshot as a flat profile and a call graph in the layout of GNU gprof, which `gprof2dot` and other tools
//! read: <https://sourceware.org/binutils/docs/gprof/Output.html>.

use super::cycles::CallUnits;
use crate::conversions::{in_nanoseconds, without_idle_time};
use crate::names::zone_names;
use crate::text_table::{Column, percent};
use crate::totals::{CallSums, SnapshotTotals, TimeSums};
use iprof_process::text_parts::counted;
use iprof_process::{IDLE_OUTSIDE, Snapshot, SnapshotThread, SnapshotZone};
use std::cmp::Reverse;
use std::io::{self, Write};

const IDLE: &str = " (idle)";

const FLAT_NOTES: &str = "
 %          the zone's self time as a percentage of the time of all threads
 cumulative running sum of the self times of this row and those above, in seconds
 self       time in the zone itself, without the zones that it called, in seconds
 calls      number of times the zone was entered
 self       average self time per call
 total      average time per call including callees
 name       the zone's name; zones in which the program only waits are last, and marked (idle)
";

const GRAPH_NOTES: &str = "
 Each entry has a primary line that begins with the zone's index. The lines above it are the zone's
 callers, with the self and children time spent on their behalf and their share of the calls. The
 lines below it are the zones it called, with the time spent on its behalf and its share of their
 calls. Calls within a recursive zone, or within a cycle of zones that call each other, have a count
 but no time; a cycle has an entry of its own, which lists its zones.

 gprof divides a zone's time among its callers in proportion to their calls; here the time of each
 caller was measured.
";

pub(crate) fn write(snapshot: &Snapshot, mut out: impl Write) -> io::Result<()> {
    let mut whole = in_nanoseconds(snapshot)?;
    split_time_outside_zones(&mut whole);
    let totals = SnapshotTotals::of(&whole, whole.cpu_threads());
    let names = names(&whole);
    write_flat(&whole, &names, &totals, &mut out)?;
    Graph::of(&whole, &names, &totals).write(&mut out)?;
    out.flush()
}

/// Moves idle time outside zones to a new idle zone, `(outside zones, idle)`, so that each zone is idle either on all
/// threads or on none. Afterward, some threads' roots don't belong to the first zone, so the snapshot is no longer
/// [valid](Snapshot::validate).
fn split_time_outside_zones(snapshot: &mut Snapshot) {
    let mut zone = SnapshotZone::new(IDLE_OUTSIDE, "", 0);
    zone.is_idle = true;
    let idle = snapshot.zones.len() as u32;
    snapshot.zones.push(zone);
    for thread in &mut snapshot.threads {
        if thread.is_idle_outside_zones
            && let Some(root) = thread.nodes.get_mut(SnapshotThread::ROOT)
        {
            root.zone = idle;
        }
    }
}

fn names(whole: &Snapshot) -> Vec<String> {
    let zones = zone_names(whole).into_iter().zip(&whole.zones);
    let marked = zones.map(
        |(name, zone)| match zone.is_idle && *zone.name != *IDLE_OUTSIDE {
            true => plain(&name) + IDLE,
            false => plain(&name),
        },
    );
    marked.collect()
}

/// Replaces text that readers would mistake for a cycle marker: `g <cycle 1>` becomes `g (cycle 1)`.
fn plain(name: &str) -> String {
    let plain = name.replace("<cycle", "(cycle");
    match plain.strip_suffix('>') {
        Some(start) if plain != name => format!("{start})"),
        _ => plain,
    }
}

fn write_flat(
    whole: &Snapshot,
    names: &[String],
    totals: &SnapshotTotals,
    out: &mut impl Write,
) -> io::Result<()> {
    let is_idle = |zone: &u32| whole.zones[*zone as usize].is_idle;
    let sums = |zone: &u32| totals.zones[*zone as usize].sums;
    let (idle, mut zones): (Vec<u32>, Vec<u32>) =
        totals.by_self_time().into_iter().partition(is_idle);
    let idle_ticks: u64 = idle.iter().map(|zone| sums(zone).self_ticks).sum();
    zones.extend(idle);
    let averages = zones.iter().map(sums).flat_map(|sums| {
        let TimeSums {
            self_ticks,
            hier_ticks,
            entries,
        } = sums;
        [self_ticks, hier_ticks].map(|ns| {
            if entries == 0 {
                0.0
            } else {
                ns as f64 / entries as f64
            }
        })
    });
    let average = Column::of_averages(averages);
    let per_call = format!("{}/call", average.name());
    writeln!(out, "Flat profile:\n")?;
    writeln!(
        out,
        "{} {}",
        accuracy(totals),
        whole_time(totals, idle_ticks)
    )?;
    writeln!(
        out,
        "{:>6} {:>15} {:>15} {:>11} {:>12} {:>12}",
        "%  ", "cumulative", "self  ", "", "self  ", "total  "
    )?;
    writeln!(
        out,
        "{:>6} {:>15} {:>15} {:>11} {per_call:>12} {per_call:>12}  name",
        "time ", "seconds ", "seconds ", "calls"
    )?;
    let mut cumulative = 0;
    for zone in zones {
        let sums = sums(&zone);
        cumulative += sums.self_ticks;
        let (mut calls, mut own, mut all) = Default::default();
        if sums.entries > 0 {
            let by_call = |ns: u64| average.text(ns as f64 / sums.entries as f64);
            calls = sums.entries.to_string();
            own = by_call(sums.self_ticks);
            all = by_call(sums.hier_ticks);
        }
        writeln!(
            out,
            "{:>6.2} {:>15} {:>15} {calls:>11} {own:>12} {all:>12}  {}",
            percent(sums.self_ticks, totals.ticks),
            seconds(cumulative),
            seconds(sums.self_ticks),
            names[zone as usize]
        )?;
    }
    writeln!(out, "{FLAT_NOTES}\n\u{c}")
}

fn whole_time(totals: &SnapshotTotals, idle_ticks: u64) -> String {
    let total = format!("100 % is {} s", seconds(totals.ticks));
    match idle_ticks {
        0 => total + ".",
        _ => format!("{total}, of which {} s were idle.", seconds(idle_ticks)),
    }
}

fn accuracy(totals: &SnapshotTotals) -> String {
    let sampled = totals.zones.iter().filter(|zone| zone.error > 0.0).count();
    let times = match sampled {
        0 => "and so are times".to_owned(),
        count => format!(
            "and so are times, except the sampled self times of {} and all times that include them",
            counted(count as u64, "zone")
        ),
    };
    format!("Counts are exact, {times}.")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Zone(u32),
    /// The entry for a cycle, given its unit.
    Cycle(u32),
}

struct Graph<'a> {
    names: &'a [String],
    totals: &'a SnapshotTotals,
    units: CallUnits,
    entries: Vec<Entry>,
    /// Each zone's index in the call graph, starting from 1, or 0 if the zone isn't in the graph.
    index: Vec<usize>,
    /// Each unit's cycle number, starting from 1, or 0 if the unit isn't a cycle.
    cycles: Vec<usize>,
    /// Each zone's calls from other zones, and its calls to other zones.
    callers: Vec<Vec<(u32, TimeSums)>>,
    callees: Vec<Vec<(u32, TimeSums)>>,
}

impl<'a> Graph<'a> {
    fn of(whole: &Snapshot, names: &'a [String], totals: &'a SnapshotTotals) -> Graph<'a> {
        let units = CallUnits::of(whole, totals);
        let zones = totals.zones.len();
        let mut graph = Graph {
            entries: Vec::new(),
            index: vec![0; zones],
            cycles: vec![0; units.units.len()],
            callers: vec![Vec::new(); zones],
            callees: vec![Vec::new(); zones],
            names,
            totals,
            units,
        };
        let work = without_idle_time(whole);
        let sums = CallSums::of(
            work.cpu_threads(),
            &graph.units.unit,
            graph.units.units.len(),
        );
        let work = sums.groups.iter().map(|group| group.sums.hier_ticks);
        graph.number(&work.collect::<Vec<_>>());
        for ((caller, callee), arc) in &graph.units.arcs {
            let is_there = |zone: &u32| graph.index[*zone as usize] > 0;
            if is_there(caller) && is_there(callee) && *arc != TimeSums::default() {
                graph.callers[*callee as usize].push((*caller, *arc));
                graph.callees[*caller as usize].push((*callee, *arc));
            }
        }
        // The calls with the most time are placed next to the zone's own line.
        for calls in &mut graph.callers {
            calls.sort_by_key(|(_, arc)| (arc.hier_ticks, arc.entries));
        }
        for calls in &mut graph.callees {
            calls.sort_by_key(|(_, arc)| Reverse((arc.hier_ticks, arc.entries)));
        }
        graph
    }

    /// Sorts and numbers the entries. Units with the most `work` (time excluding idle time) come first, and a cycle
    /// comes before its zones.
    fn number(&mut self, work: &[u64]) {
        let units = &self.units.units;
        let mut order: Vec<usize> = (0..units.len()).collect();
        order.sort_unstable_by_key(|unit| {
            let sums = units[*unit].sums;
            Reverse((work[*unit], sums.hier_ticks, sums.entries, *unit))
        });
        let mut cycles = 0;
        for unit in order {
            let mut zones = self.units.units[unit].zones.clone();
            zones.retain(|zone| self.totals.zones[*zone as usize].sums != Default::default());
            if zones.is_empty() {
                continue;
            }
            if self.units.is_cycle(unit as u32) {
                self.entries.push(Entry::Cycle(unit as u32));
                cycles += 1;
                self.cycles[unit] = cycles;
            }
            zones.sort_by_key(|zone| Reverse(self.totals.zones[*zone as usize].sums.self_ticks));
            for zone in zones {
                self.entries.push(Entry::Zone(zone));
                self.index[zone as usize] = self.entries.len();
            }
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let total = seconds(self.totals.ticks);
        writeln!(out, "\t\t\tCall graph\n")?;
        writeln!(out, "{} Total: {total} seconds.\n", accuracy(self.totals))?;
        writeln!(
            out,
            "index % time {:>14} {:>14}    called     name",
            "self", "children"
        )?;
        for (at, entry) in self.entries.iter().enumerate() {
            match *entry {
                Entry::Zone(zone) => self.write_zone(zone, at + 1, out)?,
                Entry::Cycle(unit) => self.write_cycle(unit, at + 1, out)?,
            }
            writeln!(out, "-----------------------------------------------")?;
        }
        writeln!(out, "{GRAPH_NOTES}\n\u{c}")?;
        writeln!(out, "Index by function name\n")?;
        let mut names: Vec<_> = self.names.iter().zip(&self.index).collect();
        names.sort_unstable();
        for (name, at) in names {
            if *at > 0 {
                writeln!(out, "{:>6} {name}", format!("[{at}]"))?;
            }
        }
        Ok(())
    }

    fn write_zone(&self, zone: u32, index: usize, out: &mut impl Write) -> io::Result<()> {
        let callers = &self.callers[zone as usize];
        let callees = &self.callees[zone as usize];
        if callers.is_empty() {
            writeln!(
                out,
                "{:12} {:14} {:14} {:16}     <spontaneous>",
                "", "", "", ""
            )?;
        }
        for (caller, arc) in callers {
            self.write_call(arc, (*caller, zone), *caller, out)?;
        }
        let sums = self.totals.zones[zone as usize].sums;
        self.write_primary(
            index,
            sums.self_ticks,
            self.children(zone),
            &self.called(zone),
            &self.name(zone),
            out,
        )?;
        for (callee, arc) in callees {
            self.write_call(arc, (zone, *callee), *callee, out)?;
        }
        Ok(())
    }

    fn write_cycle(&self, unit: u32, index: usize, out: &mut impl Write) -> io::Result<()> {
        let of = &self.units.units[unit as usize];
        let number = self.cycles[unit as usize];
        self.write_primary(
            index,
            of.sums.self_ticks,
            of.sums.hier_ticks - of.sums.self_ticks,
            &counts(of.sums.entries, of.inner_entries, '+'),
            &format!("<cycle {number} as a whole> [{index}]"),
            out,
        )?;
        let index = |zone: &u32| self.index[*zone as usize];
        let members = of.zones.iter().filter(|zone| index(zone) > 0);
        let mut members: Vec<u32> = members.copied().collect();
        members.sort_unstable_by_key(index);
        for zone in members {
            writeln!(
                out,
                "{:12} {:>14} {:>14} {:<16}     {}",
                "",
                seconds(self.totals.zones[zone as usize].sums.self_ticks),
                seconds(self.children(zone)),
                self.called(zone),
                self.name(zone)
            )?;
        }
        Ok(())
    }

    /// Returns the time of a zone's callees outside its own unit.
    fn children(&self, zone: u32) -> u64 {
        let callees = self.callees[zone as usize].iter();
        let outer = callees.filter(|(callee, _)| self.unit(*callee) != self.unit(zone));
        outer.map(|(_, arc)| arc.hier_ticks).sum()
    }

    /// Formats a zone's "called" column: entries from other zones and from the zone itself. Empty for a zone without
    /// callers.
    fn called(&self, zone: u32) -> String {
        let callers = &self.callers[zone as usize];
        if callers.is_empty() {
            return String::new();
        }
        let entries = |own: bool| {
            let callers = callers
                .iter()
                .filter(|(caller, _)| (*caller == zone) == own);
            callers.map(|(_, arc)| arc.entries).sum()
        };
        counts(entries(false), entries(true), '+')
    }

    fn write_primary(
        &self,
        index: usize,
        own: u64,
        children: u64,
        called: &str,
        name: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let share = percent(own + children, self.totals.ticks);
        let (own, children) = (seconds(own), seconds(children));
        let index = format!("[{index}]");
        writeln!(
            out,
            "{index:<6} {share:>5.1} {own:>14} {children:>14} {called:<16} {name}"
        )
    }

    /// Writes a line above or below a zone's own line, for a call from or to the zone `shown`.
    fn write_call(
        &self,
        arc: &TimeSums,
        (caller, callee): (u32, u32),
        shown: u32,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let name = self.name(shown);
        let unit = self.unit(callee);
        if self.unit(caller) == unit {
            let called = counts(arc.entries, 0, '+');
            return writeln!(out, "{:12} {:14} {:14} {called:<16}     {name}", "", "", "");
        }
        let of = &self.units.units[unit as usize];
        let own = seconds(arc.self_ticks);
        let children = seconds(arc.hier_ticks - arc.self_ticks);
        let called = counts(arc.entries, of.sums.entries, '/');
        writeln!(
            out,
            "{:12} {own:>14} {children:>14} {called:<16}     {name}",
            ""
        )
    }

    fn unit(&self, zone: u32) -> u32 {
        self.units.unit[zone as usize]
    }

    fn name(&self, zone: u32) -> String {
        let name = &self.names[zone as usize];
        let index = self.index[zone as usize];
        match self.cycles[self.unit(zone) as usize] {
            0 => format!("{name} [{index}]"),
            cycle => format!("{name} <cycle {cycle}> [{index}]"),
        }
    }
}

/// Formats counts as `12`, `12+3` or `12/15`, with aligned separators.
fn counts(first: u64, second: u64, separator: char) -> String {
    match (second, separator) {
        (0, '+') => format!("{first:>7}"),
        _ => format!("{first:>7}{separator}{second:<8}"),
    }
}

fn seconds(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::{split_time_outside_zones, without_idle_time, write};
    use crate::random_snapshots::any_snapshot;
    use crate::totals::SnapshotTotals;
    use iprof_process::{Snapshot, SnapshotThread, SnapshotZone};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn work_and_idle_time_sum_to_total(snapshot in any_snapshot()) {
            let mut split = snapshot.clone();
            split_time_outside_zones(&mut split);
            let [all, work] = [&split, &without_idle_time(&split)]
                .map(|snapshot| SnapshotTotals::of(snapshot, snapshot.threads.iter()));
            for (at, zone) in split.zones.iter().enumerate() {
                let [all, work] = [&all, &work].map(|totals| totals.zones[at].sums);
                prop_assert_eq!(all.entries, work.entries);
                prop_assert_eq!(work.self_ticks, if zone.is_idle { 0 } else { all.self_ticks });
            }
            let keys = |totals: &SnapshotTotals| -> Vec<(u32, u32)> {
                totals.calls.iter().map(|(key, _)| *key).collect()
            };
            prop_assert_eq!(keys(&all), keys(&work));
            let nodes = snapshot.threads.iter().flat_map(|thread| {
                (0..thread.nodes.len()).map(move |at| (thread, at))
            });
            let idle = nodes.filter(|(thread, at)| snapshot.is_idle(thread, *at));
            let idle: u64 = idle.map(|(thread, at)| thread.nodes[at].ticks).sum();
            prop_assert_eq!(work.ticks + idle, all.ticks);
        }
    }

    fn text(snapshot: &Snapshot) -> String {
        let mut out = Vec::new();
        write(snapshot, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Builds a snapshot in which `(outside zones)` calls `parse`, which calls `term`, which calls `digit` and `parse`.
    fn recursive() -> Snapshot {
        let mut snapshot = Snapshot::default();
        snapshot.ns_per_tick = 1e6;
        let zones: Vec<u32> = ["parse", "term", "digit"]
            .iter()
            .map(|name| snapshot.intern_zone(SnapshotZone::new(name, "a.rs", 1)))
            .collect();
        let mut thread = SnapshotThread::new("main");
        let parse = thread.child(0, zones[0]);
        let term = thread.child(parse, zones[1]);
        let again = thread.child(term, zones[0]);
        let digit = thread.child(term, zones[2]);
        let deep = thread.child(digit, zones[2]);
        thread.fill(&[
            (0, 100, 0),
            (parse, 20, 2),
            (term, 30, 4),
            (again, 5, 1),
            (digit, 40, 7),
            (deep, 5, 3),
        ]);
        snapshot.threads.push(thread);
        snapshot
    }

    #[test]
    fn zones_that_call_each_other_are_a_cycle() {
        let text = text(&recursive());
        let (_, graph) = text.split_once("called     name\n").unwrap();
        let (graph, _) = graph.split_once("\n\n").unwrap();
        let lines: Vec<&str> = graph.lines().map(str::trim_end).collect();
        let expected = "
                                                                <spontaneous>
[1]    100.0    0.100000000    0.100000000                  (outside zones) [1]
                0.055000000    0.045000000       2/2            parse <cycle 1> [4]
-----------------------------------------------
[2]     50.0    0.055000000    0.045000000       2+5        <cycle 1 as a whole> [2]
                0.030000000    0.045000000       4              term <cycle 1> [3]
                0.025000000    0.000000000       3              parse <cycle 1> [4]
-----------------------------------------------
                                                 4              parse <cycle 1> [4]
[3]     37.5    0.030000000    0.045000000       4          term <cycle 1> [3]
                0.045000000    0.000000000       7/7            digit [5]
                                                 1              parse <cycle 1> [4]
-----------------------------------------------
                                                 1              term <cycle 1> [3]
                0.055000000    0.045000000       2/2            (outside zones) [1]
[4]     12.5    0.025000000    0.000000000       3          parse <cycle 1> [4]
                                                 4              term <cycle 1> [3]
-----------------------------------------------
                                                 3              digit [5]
                0.045000000    0.000000000       7/7            term <cycle 1> [3]
[5]     22.5    0.045000000    0.000000000       7+3        digit [5]
                                                 3              digit [5]
-----------------------------------------------";
        assert_eq!(lines.join("\n"), expected.trim_start_matches('\n'));
    }

    #[test]
    fn zone_outside_a_cycle_is_not_a_member() {
        let mut snapshot = recursive();
        for (zone, name) in [
            (1, "g <cycle 1>"),
            (2, "g <cycle 7 as a whole>"),
            (3, "<b>"),
        ] {
            snapshot.zones[zone].name = name.into();
        }
        let text = text(&snapshot);
        for shown in [
            "g (cycle 1) <cycle 1> [4]",
            "g (cycle 7 as a whole) <cycle 1> [3]",
            " <b> [5]",
        ] {
            assert!(text.contains(shown), "{text}");
        }
    }

    #[test]
    fn flat_profile_is_sorted_by_self_time() {
        let text = text(&recursive());
        let flat: Vec<&str> = text.lines().take(8).map(str::trim_end).collect();
        let expected = "\
Flat profile:

Counts are exact, and so are times. 100 % is 0.200000000 s.
   %        cumulative          self                     self        total
 time         seconds         seconds        calls      ms/call      ms/call  name
 50.00     0.100000000     0.100000000                                        (outside zones)
 22.50     0.145000000     0.045000000          10        4.500        4.500  digit
 15.00     0.175000000     0.030000000           4        7.500       20.000  term";
        assert_eq!(flat.join("\n"), expected);
        // Readers split the output at form feeds.
        assert_eq!(text.lines().filter(|line| *line == "\u{c}").count(), 2);
    }

    #[test]
    fn work_ranks_before_idle_time() {
        let mut snapshot = Snapshot::default();
        let [frame, wait, job] = ["frame", "wait", "job"].map(|name| {
            let mut zone = SnapshotZone::new(name, "a.rs", 1);
            zone.is_idle = name == "wait";
            snapshot.intern_zone(zone)
        });
        let mut main = SnapshotThread::new("main");
        let frame = main.child(0, frame);
        let wait = main.child(frame, wait);
        main.fill(&[(0, 10, 0), (frame, 60, 1), (wait, 500, 2)]);
        let mut worker = SnapshotThread::new("worker");
        worker.is_idle_outside_zones = true;
        let job = worker.child(0, job);
        worker.fill(&[(0, 400, 0), (job, 30, 1)]);
        snapshot.threads = vec![main, worker];
        let text = text(&snapshot);
        let flat: Vec<&str> = text.lines().skip(2).take(8).map(str::trim_end).collect();
        let expected = "\
Counts are exact, and so are times. 100 % is 0.000001000 s, of which 0.000000900 s were idle.
   %        cumulative          self                     self        total
 time         seconds         seconds        calls      ns/call      ns/call  name
  6.00     0.000000060     0.000000060           1         60.0        560.0  frame
  3.00     0.000000090     0.000000030           1         30.0         30.0  job
  1.00     0.000000100     0.000000010                                        (outside zones)
 50.00     0.000000600     0.000000500           2        250.0        250.0  wait (idle)
 40.00     0.000001000     0.000000400                                        (outside zones, idle)";
        assert_eq!(flat.join("\n"), expected);
        let (_, graph) = text.split_once("called     name\n").unwrap();
        let primary = graph.lines().filter(|line| line.starts_with('['));
        let names: Vec<&str> = primary.map(|line| line.split_at(60).1).collect();
        assert_eq!(
            names,
            [
                "(outside zones) [1]",
                "frame [2]",
                "(outside zones, idle) [3]",
                "job [4]",
                "wait (idle) [5]",
            ]
        );
    }
}
