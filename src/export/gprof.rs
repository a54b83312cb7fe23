//! Flat profile and call graph in the layout of GNU gprof.
//! (<https://sourceware.org/binutils/docs/gprof/Output.html>, read by `gprof2dot` and others.)

use super::cycles::{CallArc, CallUnits};
use super::name::one_line;
use super::totals::Totals;
use crate::snapshot::Snapshot;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

const FLAT_NOTES: &str = "
 %          the part of the time of all threads that was spent in the zone itself
 cumulative the self times of this row and of those above it, in seconds
 self       time in the zone, but in no zone that it called, in seconds
 calls      how often the zone was entered
 self       milliseconds in the zone itself by call
 total      milliseconds in the zone and in all that it called by call
 name       the zone
";

const GRAPH_NOTES: &str = "
 An entry has a line that begins with the zone's index. Above it are the zones that called it, with
 the time it took on their behalf, itself and by what it called, and how many of its calls were
 theirs. Below it are the zones it called, with the time they took on its behalf and the part of
 their calls. A call that stays within a recursive zone, or within a cycle of zones that call each
 other, has a number and no time; a cycle has an entry of its own, with its zones below it.

 Where gprof divides a zone's time among its callers by the numbers of their calls, these are the
 times that were measured.
";

impl Snapshot {
    /// Writes a flat profile and a call graph in gprof's columns, with nine decimal places of
    /// seconds, and explanations below each. All threads are added up.
    ///
    /// Counts are exact, and so are times that were not sampled: what a zone took on behalf of a
    /// caller is what was measured under it, not a share by numbers of calls as gprof has it. Self
    /// times sum to the time of all threads to the nanosecond. Zones that call each other in a
    /// circle are a cycle with a number, as in gprof. What was recorded in no zone is in `_global`,
    /// which nothing calls. In names, control characters become spaces.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_gprof(&self, mut out: impl Write) -> io::Result<()> {
        let whole = self.in_nanoseconds();
        let totals = Totals::of(&whole);
        write_flat(&whole, &totals, &mut out)?;
        Graph::of(&whole, &totals).write(&mut out)?;
        out.flush()
    }
}

fn write_flat(whole: &Snapshot, totals: &Totals, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "Flat profile:\n")?;
    writeln!(out, "{}", accuracy(totals))?;
    writeln!(
        out,
        "{:>6} {:>15} {:>15} {:>11} {:>12} {:>12}",
        "%  ", "cumulative", "self  ", "", "self  ", "total  "
    )?;
    writeln!(
        out,
        "{:>6} {:>15} {:>15} {:>11} {:>12} {:>12}  name",
        "time ", "seconds ", "seconds ", "calls", "ms/call", "ms/call"
    )?;
    let mut cumulative = 0;
    for zone in totals.by_self_time() {
        let sums = totals.zones[zone as usize].sums;
        cumulative += sums.self_ticks;
        let (mut calls, mut own, mut all) = Default::default();
        if sums.entries > 0 {
            let by_call = |ns: u64| format!("{:.6}", ns as f64 / 1e6 / sums.entries as f64);
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
            one_line(&whole.zones[zone as usize].name)
        )?;
    }
    writeln!(out, "{FLAT_NOTES}\n\u{c}")
}

/// What may be trusted.
fn accuracy(totals: &Totals) -> String {
    let sampled = totals.zones.iter().filter(|zone| zone.error > 0.0).count();
    let times = match sampled {
        0 => "times too".to_owned(),
        count => format!(
            "times too, but for the self times of {count} zones, which were sampled, \
             and all that these are a part of"
        ),
    };
    format!("Counts are exact, {times}.")
}

/// An entry of the call graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Zone(u32),
    /// A unit of several zones.
    Cycle(u32),
}

struct Graph<'a> {
    whole: &'a Snapshot,
    totals: &'a Totals,
    units: CallUnits,
    entries: Vec<Entry>,
    /// By zone: its position in `entries`, from 1.
    index: BTreeMap<u32, usize>,
    /// By unit that is a cycle: its number from 1.
    cycles: BTreeMap<u32, usize>,
    /// By zone.
    callers: BTreeMap<u32, Vec<(u32, CallArc)>>,
    callees: BTreeMap<u32, Vec<(u32, CallArc)>>,
}

impl<'a> Graph<'a> {
    fn of(whole: &'a Snapshot, totals: &'a Totals) -> Graph<'a> {
        let units = CallUnits::of(whole, totals);
        let mut graph = Graph {
            entries: Vec::new(),
            index: BTreeMap::new(),
            cycles: BTreeMap::new(),
            callers: BTreeMap::new(),
            callees: BTreeMap::new(),
            whole,
            totals,
            units,
        };
        graph.number();
        for ((caller, callee), arc) in &graph.units.arcs {
            let is_there = |zone: &u32| graph.index.contains_key(zone);
            if is_there(caller) && is_there(callee) && *arc != CallArc::default() {
                let callers = graph.callers.entry(*callee).or_default();
                callers.push((*caller, *arc));
                let callees = graph.callees.entry(*caller).or_default();
                callees.push((*callee, *arc));
            }
        }
        // Those next to the zone's own line are the dearest.
        let cost = |(_, arc): &(u32, CallArc)| (arc.hier_ticks, arc.entries);
        for callers in graph.callers.values_mut() {
            callers.sort_by_key(cost);
        }
        for callees in graph.callees.values_mut() {
            callees.sort_by_key(|call| Reverse(cost(call)));
        }
        graph
    }

    /// The dearest unit comes first; a cycle before its zones.
    fn number(&mut self) {
        let mut order: Vec<u32> = (0..self.units.units.len() as u32).collect();
        order.sort_by_key(|unit| {
            let sums = self.units.units[*unit as usize].sums;
            Reverse((sums.hier_ticks, sums.entries, *unit))
        });
        for unit in order {
            let mut zones = self.units.units[unit as usize].zones.clone();
            zones.retain(|zone| self.totals.zones[*zone as usize].sums != Default::default());
            if zones.is_empty() {
                continue;
            }
            if self.units.is_cycle(unit) {
                self.entries.push(Entry::Cycle(unit));
                self.cycles.insert(unit, self.cycles.len() + 1);
            }
            zones.sort_by_key(|zone| Reverse(self.totals.zones[*zone as usize].sums.self_ticks));
            for zone in zones {
                self.entries.push(Entry::Zone(zone));
                self.index.insert(zone, self.entries.len());
            }
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let total = seconds(self.totals.ticks);
        writeln!(out, "\t\t\tCall graph\n")?;
        writeln!(out, "{} In all {total} seconds.\n", accuracy(self.totals))?;
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
        let name = |zone: &u32| one_line(&self.whole.zones[*zone as usize].name);
        let mut by_name: Vec<(_, usize)> = self
            .index
            .iter()
            .map(|(zone, at)| (name(zone), *at))
            .collect();
        by_name.sort_unstable();
        for (name, at) in by_name {
            writeln!(out, "{:>6} {name}", format!("[{at}]"))?;
        }
        Ok(())
    }

    fn write_zone(&self, zone: u32, index: usize, out: &mut impl Write) -> io::Result<()> {
        let callers = self.callers.get(&zone).map_or(&[][..], |callers| callers);
        let callees = self.callees.get(&zone).map_or(&[][..], |callees| callees);
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
        let number = self.cycles[&unit];
        self.write_primary(
            index,
            of.sums.self_ticks,
            of.sums.hier_ticks - of.sums.self_ticks,
            &counts(of.sums.entries, of.inner_entries, '+'),
            &format!("<cycle {number} as a whole> [{index}]"),
            out,
        )?;
        let members = of.zones.iter().filter(|zone| self.index.contains_key(zone));
        let mut members: Vec<u32> = members.copied().collect();
        members.sort_by_key(|zone| self.index[zone]);
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

    /// Time in what a zone called, but for its own unit.
    fn children(&self, zone: u32) -> u64 {
        let callees = self.callees.get(&zone).into_iter().flatten();
        let outer = callees.filter(|(callee, _)| self.unit(*callee) != self.unit(zone));
        outer.map(|(_, arc)| arc.hier_ticks).sum()
    }

    /// How often others entered a zone, and itself; nothing for what has no callers.
    fn called(&self, zone: u32) -> String {
        let Some(callers) = self.callers.get(&zone) else {
            return String::new();
        };
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

    /// A line above or below the zone's own: a call, under the name of its other end.
    fn write_call(
        &self,
        arc: &CallArc,
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

    /// A zone's name with its index, and its cycle if it is in one.
    fn name(&self, zone: u32) -> String {
        let name = one_line(&self.whole.zones[zone as usize].name);
        let index = self.index[&zone];
        match self.cycles.get(&self.unit(zone)) {
            Some(cycle) => format!("{name} <cycle {cycle}> [{index}]"),
            None => format!("{name} [{index}]"),
        }
    }
}

/// `12`, or `12+3` and `12/15`, with the separator below each other.
fn counts(first: u64, second: u64, separator: char) -> String {
    match (second, separator) {
        (0, '+') => format!("{first:>7}"),
        _ => format!("{first:>7}{separator}{second:<8}"),
    }
}

fn seconds(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / (whole as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use crate::{Snapshot, SnapshotThread, SnapshotZone};

    fn text(snapshot: &Snapshot) -> String {
        let mut out = Vec::new();
        snapshot.write_gprof(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// `_global` calls `parse`, which calls `term`, which calls `parse` again and `digit`.
    fn recursive() -> Snapshot {
        let mut snapshot = Snapshot {
            ns_per_tick: 1e6,
            ..Snapshot::default()
        };
        let zones: Vec<u32> = ["parse", "term", "digit"]
            .iter()
            .map(|name| snapshot.zone(SnapshotZone::new(name, "a.rs", 1)))
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
[1]    100.0    0.100000000    0.100000000                  _global [1]
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
                0.055000000    0.045000000       2/2            _global [1]
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
    fn the_flat_profile_goes_by_self_time_and_adds_up() {
        let text = text(&recursive());
        let flat: Vec<&str> = text.lines().take(8).map(str::trim_end).collect();
        let expected = "\
Flat profile:

Counts are exact, times too.
   %        cumulative          self                     self        total
 time         seconds         seconds        calls      ms/call      ms/call  name
 50.00     0.100000000     0.100000000                                        _global
 22.50     0.145000000     0.045000000          10     4.500000     4.500000  digit
 15.00     0.175000000     0.030000000           4     7.500000    20.000000  term";
        assert_eq!(flat.join("\n"), expected);
        // Readers tell the parts apart by form feeds.
        assert_eq!(text.lines().filter(|line| *line == "\u{c}").count(), 2);
    }
}
