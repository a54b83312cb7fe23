//! Writes a snapshot as the text dump for consoles and logs: each thread's call tree with ASCII
//! branches, then the zones of all threads by self time. (As in Andrew Moon's "floodyberry" profiler.)

use super::name::one_line;
use super::snapshot_totals::SnapshotTotals;
use super::summary_line::recorded;
use crate::snapshot::{Snapshot, SnapshotThread};
use crate::subtree::{Children, Step};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Number of zones listed by self time; one row sums the others.
const TOP_ZONES: usize = 50;
/// Maximum depth of drawn branches; deeper rows show their depth as a number. Without a limit, a deep
/// recursion would be a triangle of blanks.
const MAX_BRANCHES: usize = 48;

impl Snapshot {
    /// Writes each thread's call tree, children with the most time first, then all zones by self time, as
    /// ASCII text.
    ///
    /// A row has the number of calls; the hierarchical time (with all descendants) in nanoseconds and in
    /// cycles, which are ticks of the machine's counter; the average nanoseconds per call; the percentage
    /// of the thread's time; the self time; and the name. Nanoseconds are whole and sum to the thread's
    /// time, which is exact. A `~` marks a time that was sampled or includes a sampled time. Nodes that
    /// were not entered and took no time are omitted. In names, characters that are not ASCII become `?`,
    /// and control characters become spaces. The 50 zones with the most self time are listed; a last row
    /// sums the others.
    ///
    /// # Errors
    ///
    /// Errors of `out`; [`InvalidInput`](io::ErrorKind::InvalidInput), before anything is written, if the
    /// snapshot is not [valid](Snapshot::validate).
    pub fn write_tree(&self, mut out: impl Write) -> io::Result<()> {
        let whole = self.in_nanoseconds()?;
        for line in head(&whole) {
            writeln!(out, "{line}")?;
        }
        for (cycles, ns) in self.threads.iter().zip(&whole.threads) {
            let ended = if ns.has_ended { " (ended)" } else { "" };
            writeln!(out, "\nthread {}{ended}", ascii(&ns.name))?;
            Tree::of(cycles, ns, &whole).write(&mut out)?;
        }
        write_zones(self, &whole, &mut out)?;
        out.flush()
    }
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
    children: Children,
    ns: Vec<u64>,
    cycles: Vec<u64>,
    is_sampled: Vec<bool>,
    is_shown: Vec<bool>,
}

impl<'a> Tree<'a> {
    fn of(cycles: &SnapshotThread, thread: &'a SnapshotThread, whole: &'a Snapshot) -> Tree<'a> {
        let (ns, cycles) = (thread.subtree_ticks(), cycles.subtree_ticks());
        let nodes = thread.nodes.iter().zip(&cycles);
        let mut is_shown: Vec<bool> = nodes
            .map(|(node, cycles)| node.entries > 0 || *cycles > 0)
            .collect();
        for (at, node) in thread.nodes.iter().enumerate().skip(1).rev() {
            is_shown[node.parent as usize] |= is_shown[at];
        }
        Tree {
            children: Children::by(&ns, thread.parents()),
            whole,
            thread,
            ns,
            cycles,
            is_sampled: thread.is_subtree_sampled(),
            is_shown,
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "{:>11} {:>16} {:>16} {:>13} {:>7} {:>16}  zone",
            "calls", "ns", "cycles", "ns/call", "%", "self ns"
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

    fn write_row(&self, at: usize, continues: &[bool], out: &mut impl Write) -> io::Result<()> {
        let node = &self.thread.nodes[at];
        let ns = self.ns[at];
        writeln!(
            out,
            "{:>11} {:>16} {:>16} {:>13} {:>7} {:>16}  {}{}",
            node.entries,
            time(ns, self.is_sampled[at]),
            self.cycles[at],
            average(ns, node.entries),
            percent(ns, self.ns[SnapshotThread::ROOT]),
            time(node.ticks, node.error > 0.0),
            branches(continues),
            ascii(&self.whole.zones[node.zone as usize].name),
        )
    }
}

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

fn write_zones(cycles: &Snapshot, whole: &Snapshot, out: &mut impl Write) -> io::Result<()> {
    let (cycles, totals) = (SnapshotTotals::of(cycles), SnapshotTotals::of(whole));
    let zones = cycles.by_self_time();
    if zones.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nall threads, zones by self time")?;
    writeln!(
        out,
        "{:>11} {:>16} {:>16} {:>13} {:>7} {:>16}  zone",
        "calls", "self ns", "self cycles", "self ns/call", "%", "ns"
    )?;
    let mut row = |name: String, zones: &[u32]| {
        let each = || zones.iter().map(|zone| *zone as usize);
        let sums = |zone: usize| totals.zones[zone].sums;
        let entries = each().map(|zone| sums(zone).entries).sum();
        let ns = each().map(|zone| sums(zone).self_ticks).sum();
        let cycles: u64 = each().map(|zone| cycles.zones[zone].sums.self_ticks).sum();
        let is_sampled = each().any(|zone| totals.zones[zone].error > 0.0);
        // Hierarchical times of several zones have no meaningful sum.
        let hier = match zones {
            [zone] => {
                let totals = totals.zones[*zone as usize];
                time(totals.sums.hier_ticks, totals.is_hier_sampled)
            }
            _ => String::new(),
        };
        writeln!(
            out,
            "{entries:>11} {:>16} {cycles:>16} {:>13} {:>7} {hier:>16}  {name}",
            time(ns, is_sampled),
            average(ns, entries),
            percent(ns, totals.ticks),
        )
    };
    let (top, others) = zones.split_at(zones.len().min(TOP_ZONES));
    for zone in top {
        let of = &whole.zones[*zone as usize];
        let place = match &*of.file {
            "" => String::new(),
            file => format!("  {}:{}", ascii(file), of.line),
        };
        row(ascii(&of.name) + &place, &[*zone])?;
    }
    if !others.is_empty() {
        row(format!("others ({})", others.len()), others)?;
    }
    Ok(())
}

fn time(ns: u64, is_sampled: bool) -> String {
    format!("{}{ns}", if is_sampled { "~" } else { "" })
}

/// Empty for a node that was never entered because it was open all the time.
fn average(ns: u64, entries: u64) -> String {
    match entries {
        0 => String::new(),
        entries => format!("{:.1}", ns as f64 / entries as f64),
    }
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
        let expected = "\
1 thread, 0 frames, 2.000 s; counts are exact, and so are times without a ~

thread main
      calls               ns           cycles       ns/call       %          self ns  zone
          0              501             1002                100.00               50  _global
          2             ~450              900         225.0   89.82              100  |- physics
         10             ~200              400          20.0   39.92             ~200  |  |- gr??te Zone
          4              150              300          37.5   29.94              150  |  `- solve
          1                1                2           1.0    0.20                1  `- solve

all threads, zones by self time
      calls          self ns      self cycles  self ns/call       %               ns  zone
         10             ~200              400          20.0   39.92             ~200  gr??te Zone  a.rs:1
          5              151              302          30.2   30.14              151  solve  a.rs:1
          2              100              200          50.0   19.96             ~450  physics  a.rs:1
          0               50              100                  9.98              501  _global
";
        assert_eq!(text(&snapshot), expected);
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
        // The last ten zones have 41 to 50 ticks each; `_global` has no self time.
        let others = text.lines().last().unwrap();
        assert!(others.ends_with("others (11)"), "{others}");
        assert!(others.contains(" 455 "), "{others}");
    }
}
