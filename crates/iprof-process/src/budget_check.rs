//! Zone budgets in tests: `assert_budget!` and the `Snapshot` checks behind it.

use crate::snapshot::{Snapshot, SnapshotThread, Step};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::fmt::{self, Write};
use std::iter;
use std::time::Duration;

/// The error returned when a zone exceeds its budget. The message lists the zone's callers, the zones that it called,
/// and the zones that took most of its time.
#[derive(Clone, Debug)]
pub struct OverBudgetError {
    text: String,
    zone: String,
    within: BTreeMap<String, SelfTime>,
}

impl OverBudgetError {
    /// Adds a comparison with a baseline: an earlier snapshot, recorded in the same way.
    ///
    /// For the zone and each zone called within it, the comparison lists the change in count and in self time. The
    /// change in self time is also split by count and by cost. See [`assert_budget!`](crate::assert_budget!).
    ///
    /// ```
    /// # let record = || {
    /// #     let before = iprof::snapshot();
    /// #     iprof::zone!(physics);
    /// #     iprof::snapshot().since(&before)
    /// # };
    /// let (usual, slow) = (record(), record());
    /// if let Err(error) = slow.check_count("physics", 0) {
    ///     println!("{}", error.compared_with(&usual));
    /// }
    /// ```
    #[must_use]
    pub fn compared_with(mut self, baseline: &Snapshot) -> OverBudgetError {
        let before = ZoneSums::of(baseline, &self.zone).within(baseline);
        let names: BTreeSet<&String> = before.keys().chain(self.within.keys()).collect();
        let own =
            |side: &BTreeMap<String, SelfTime>, name| side.get(name).copied().unwrap_or_default();
        let row = |name| {
            let [before, now] = [&before, &self.within].map(|side| own(side, name));
            (name, before, now)
        };
        let mut rows: Vec<_> = names.into_iter().map(row).collect();
        let difference =
            |(_, before, now): &(&String, SelfTime, SelfTime)| (now.ms - before.ms).abs();
        rows.sort_by(|a, b| difference(b).total_cmp(&difference(a)));
        let mut text = String::from(
            "\n      Δcount   by count    by cost   Δself ms  zones vs. the baseline\n",
        );
        for (name, before, now) in rows.into_iter().take(ROWS) {
            let calls = |own: SelfTime| (own.ms, own.count as f64);
            let (by_count, by_cost) = split(calls(before), calls(now));
            let [ms, count] = [now.ms - before.ms, now.count as f64 - before.count as f64];
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{count:>+12} {by_count:>+10.3} {by_cost:>+10.3} {ms:>+10.3}  {name}"
            );
        }
        self.text += &text;
        self
    }
}

impl fmt::Display for OverBudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for OverBudgetError {}

/// A count, a hierarchical time and a self time. Times are in ticks.
#[derive(Clone, Copy, Default)]
struct Sum {
    count: u64,
    hier_ticks: u64,
    self_ticks: u64,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.count += other.count;
        self.hier_ticks += other.hier_ticks;
        self.self_ticks += other.self_ticks;
    }
}

/// A count, and a self time in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
struct SelfTime {
    count: u64,
    ms: f64,
}

/// Sums over all zones with a given name, on all threads.
#[derive(Default)]
struct ZoneSums {
    all: Sum,
    /// Sums by innermost callers, written like `main > update`.
    callers: BTreeMap<String, Sum>,
    callees: BTreeMap<String, Sum>,
    /// Sums by zone name, for the zone itself and all zones within it.
    within: BTreeMap<String, Sum>,
}

impl ZoneSums {
    fn within(&self, snapshot: &Snapshot) -> BTreeMap<String, SelfTime> {
        let self_time = |sum: &Sum| SelfTime {
            count: sum.count,
            ms: snapshot.ns(sum.self_ticks) / 1e6,
        };
        let sums = self.within.iter();
        sums.map(|(name, sum)| (name.clone(), self_time(sum)))
            .collect()
    }

    fn of(snapshot: &Snapshot, zone: &str) -> ZoneSums {
        let mut sums = ZoneSums::default();
        for thread in snapshot.cpu_threads() {
            sums.add(snapshot, thread, zone);
        }
        sums
    }

    fn add(&mut self, snapshot: &Snapshot, thread: &SnapshotThread, zone: &str) {
        let name = |node: usize| match node {
            SnapshotThread::ROOT => &*thread.name,
            _ => &*snapshot.zones[thread.nodes[node].zone as usize].name,
        };
        let is_zone = |node: usize| node != SnapshotThread::ROOT && name(node) == zone;
        let hier = thread.subtree_ticks();
        // The number of times that each name is currently on the stack. `depth` is that number for the zone itself.
        let mut open = HashMap::<&str, u32>::new();
        let mut depth = 0_u32;
        thread.walk(|step| match step {
            Step::Enter(SnapshotThread::ROOT) | Step::Leave(SnapshotThread::ROOT) => {}
            Step::Leave(at) => {
                *open.entry(name(at)).or_default() -= 1;
                depth -= u32::from(is_zone(at));
            }
            Step::Enter(at) => {
                depth += u32::from(is_zone(at));
                let opened = open.entry(name(at)).or_default();
                let node = &thread.nodes[at];
                let parent = node.parent as usize;
                let sum = Sum {
                    count: node.entries,
                    hier_ticks: if *opened == 0 { hier[at] } else { 0 },
                    self_ticks: node.ticks,
                };
                *opened += 1;
                if depth > 0 {
                    add_to(&mut self.within, name(at), sum);
                }
                if is_zone(at) {
                    self.all.add(sum);
                    let stack = iter::successors(Some(parent), |it| {
                        (*it != SnapshotThread::ROOT).then(|| thread.nodes[*it].parent as usize)
                    });
                    let mut names: Vec<_> = stack.take(CALLERS + 1).map(name).collect();
                    if names.len() > CALLERS {
                        names[CALLERS] = "…";
                    }
                    names.reverse();
                    let callers = &mut self.callers;
                    callers.entry(names.join(" > ")).or_default().add(sum);
                }
                if is_zone(parent) {
                    add_to(&mut self.callees, name(at), sum);
                }
            }
        });
    }

    /// Builds the error with its tables. For a time budget, self times are also shown as percentages of `budget_ms`.
    fn error(
        &self,
        snapshot: &Snapshot,
        zone: &str,
        head: String,
        budget_ms: Option<f64>,
    ) -> OverBudgetError {
        let mut text = format!("{head}\n\n       count    hier ms    self ms\n");
        let mut row = |name: &str, sum: &Sum| {
            let [hier, own] =
                [sum.hier_ticks, sum.self_ticks].map(|ticks| snapshot.ns(ticks) / 1e6);
            let count = sum.count;
            let _ = writeln!(text, "{count:>12} {hier:>10.3} {own:>10.3}  {name}");
        };
        row("total", &self.all);
        for (list, prefix) in [(&self.callers, "called by "), (&self.callees, "calls ")] {
            let mut rows: Vec<_> = list.iter().collect();
            rows.sort_by_key(|(_, sum)| std::cmp::Reverse((sum.hier_ticks, sum.count)));
            for (name, sum) in rows.iter().take(ROWS) {
                row(&format!("{prefix}{name}"), sum);
            }
        }
        let within = self.within(snapshot);
        let which = format!("in \"{zone}\"");
        write_largest(&mut text, &within, &which, budget_ms);
        OverBudgetError {
            text,
            zone: zone.to_owned(),
            within,
        }
    }
}

fn add_to(sums: &mut BTreeMap<String, Sum>, name: &str, sum: Sum) {
    // Most names already exist. Unlike `entry`, looking one up doesn't allocate.
    match sums.get_mut(name) {
        Some(known) => known.add(sum),
        None => drop(sums.insert(name.to_owned(), sum)),
    }
}

fn write_largest(
    text: &mut String,
    zones: &BTreeMap<String, SelfTime>,
    which: &str,
    budget_ms: Option<f64>,
) {
    let mut rows: Vec<_> = zones.iter().collect();
    rows.sort_by(|(_, a), (_, b)| b.ms.total_cmp(&a.ms).then(b.count.cmp(&a.count)));
    let budget_ms = budget_ms.filter(|budget| *budget > 0.0);
    let part = if budget_ms.is_some() { "of budget" } else { "" };
    let _ = writeln!(text, "\n       count  {part:>9}    self ms  zones {which}");
    for (name, SelfTime { count, ms }) in rows.iter().take(ROWS) {
        let part = budget_ms.map(|budget| format!("{:.1} %", ms / budget * 1e2));
        let part = part.unwrap_or_default();
        let _ = writeln!(text, "{count:>12}  {part:>9} {ms:>10.3}  {name}");
    }
    if rows.len() > ROWS {
        let _ = writeln!(text, "{:>36}and {} more", "", rows.len() - ROWS);
    }
}

/// The maximum number of rows in each list.
const ROWS: usize = 20;
/// The maximum number of zones shown from one stack.
const CALLERS: usize = 8;

impl Snapshot {
    /// Checks that zones with this name were entered at most `budget` times in total, on all threads.
    ///
    /// Counts are exact in every timing mode, so the result for a deterministic program never varies. See
    /// [`assert_budget!`](crate::assert_budget!).
    ///
    /// # Errors
    ///
    /// Fails if the zones were entered more than `budget` times. Unless `budget` is 0, also fails if no zone has this
    /// name.
    pub fn check_count(&self, zone: &str, budget: u64) -> Result<(), OverBudgetError> {
        let sums = ZoneSums::of(self, zone);
        let count = sums.all.count;
        match (count <= budget, sums.callers.is_empty() && budget > 0) {
            (_, true) => Err(self.missing(zone)),
            (true, false) => Ok(()),
            (false, false) => {
                let head = format!("\"{zone}\" was entered {count} times; its budget is {budget}");
                Err(sums.error(self, zone, head, None))
            }
        }
    }

    /// Checks that zones with this name were entered and took at most `budget * (1 + tolerance)`. A tolerance of 0.1
    /// allows 10 % more than the budget.
    ///
    /// The time checked is the hierarchical time, summed over all threads. See
    /// [`assert_budget!`](crate::assert_budget!).
    ///
    /// # Errors
    ///
    /// Fails if the zones took longer, or if no zone has this name.
    pub fn check_time(
        &self,
        zone: &str,
        budget: Duration,
        tolerance: f64,
    ) -> Result<(), OverBudgetError> {
        let sums = ZoneSums::of(self, zone);
        if sums.callers.is_empty() {
            return Err(self.missing(zone));
        }
        let ms = self.ns(sums.all.hier_ticks) / 1e6;
        let budget = budget.as_secs_f64() * 1e3;
        if ms <= budget * (1.0 + tolerance) {
            return Ok(());
        }
        let percent = tolerance * 100.0;
        let head = format!(
            "\"{zone}\" took {ms:.3} ms; its budget is {budget:.3} ms with a tolerance of {percent} %"
        );
        Err(sums.error(self, zone, head, Some(budget)))
    }

    fn missing(&self, zone: &str) -> OverBudgetError {
        let mut text =
            format!("no zone \"{zone}\" was recorded; is its name right, and was it entered?\n");
        let mut all = BTreeMap::<String, SelfTime>::new();
        for node in self
            .cpu_threads()
            .flat_map(|thread| thread.nodes.iter().skip(1))
        {
            let name = &*self.zones[node.zone as usize].name;
            let own = all.entry(name.to_owned()).or_default();
            own.count += node.entries;
            own.ms += self.ns(node.ticks) / 1e6;
        }
        match all.is_empty() {
            true => text += "nothing was recorded in any zone\n",
            false => write_largest(&mut text, &all, "that were recorded", None),
        }
        OverBudgetError {
            text,
            zone: zone.to_owned(),
            within: BTreeMap::new(),
        }
    }
}

/// Panics if a zone was entered more times or took longer than its budget allows.
///
/// This macro is meant for tests. The message lists the zone's callers, the zones it called, and the zones within it by
/// self time.
/// With a baseline, an earlier snapshot recorded in the same way, the message also shows the differences by count and
/// by cost.
///
/// Counts are exact in every timing mode. Times are hierarchical and summed over all threads. They can have a
/// tolerance, given as a fraction of the budget. Only data in the snapshot, or in a frame's
/// [`recorded`](crate::FrameSnapshot::recorded), is checked.
///
/// ```
/// use std::time::Duration;
///
/// let before = iprof::snapshot();
/// for _ in 0..3 {
///     iprof::zone!(physics);
/// }
/// let recorded = iprof::snapshot().since(&before);
/// # if !iprof::is_recording() { return }
/// iprof::assert_budget!(recorded, "physics", count <= 3);
/// iprof::assert_budget!(recorded, "physics", time <= Duration::from_secs(1), tolerance 0.1);
///
/// let usual = recorded.clone(); // or an earlier snapshot
/// iprof::assert_budget!(recorded, "physics", count <= 3, baseline usual);
/// ```
#[macro_export]
macro_rules! assert_budget {
    ($snapshot:expr, $zone:expr, count <= $budget:expr $(, baseline $baseline:expr)?) => {
        if let Err(error) = $snapshot.check_count($zone, $budget) {
            $(let error = error.compared_with(&$baseline);)?
            panic!("{error}");
        }
    };
    ($snapshot:expr, $zone:expr, time <= $budget:expr $(, baseline $baseline:expr)?) => {
        $crate::assert_budget!(
            $snapshot, $zone, time <= $budget, tolerance 0.0 $(, baseline $baseline)?
        )
    };
    ($snapshot:expr, $zone:expr, time <= $budget:expr, tolerance $part:expr $(, baseline $baseline:expr)?) => {
        if let Err(error) = $snapshot.check_time($zone, $budget, $part) {
            $(let error = error.compared_with(&$baseline);)?
            panic!("{error}");
        }
    };
}

/// Splits a time difference into one part caused by the count and one caused by the cost per call.
///
/// A zone took `t0` for `n0` calls in the baseline and takes `t` for `n` calls now. The difference has two parts:
///
/// * *by count*, `(n - n0) t0 / n0`: the additional calls at the baseline's cost per call
/// * *by cost*, `(t / n - t0 / n0) n`: the change in cost per call, for all current calls
///
/// The two parts add up to `t - t0` exactly. If the baseline has neither calls nor time, the entire difference is by
/// count. A zone that is already open when a frame begins can have time without a call. The count didn't cause that
/// time, so it is by cost.
pub fn split((time_before, calls_before): (f64, f64), (time, calls): (f64, f64)) -> (f64, f64) {
    let by_count = if calls_before > 0.0 {
        (calls - calls_before) * (time_before / calls_before)
    } else if calls > 0.0 && time_before == 0.0 {
        time
    } else {
        0.0
    };
    (by_count, time - time_before - by_count)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::snapshot::{Snapshot, SnapshotThread, SnapshotZone};
    use std::time::Duration;

    /// Builds a snapshot of two threads. On each, `step` (2 ms of self time) calls `solve` (2 ms), which calls `step`
    /// again (1 ms).
    fn recorded() -> Snapshot {
        let mut snapshot = Snapshot::default();
        let step = snapshot.intern_zone(SnapshotZone::new("step", "a.rs", 1));
        let solve = snapshot.intern_zone(SnapshotZone::new("solve", "a.rs", 2));
        for name in ["main", "worker"] {
            let mut thread = SnapshotThread::new(name);
            let outer = thread.child(SnapshotThread::ROOT, step);
            let middle = thread.child(outer, solve);
            let inner = thread.child(middle, step);
            for (node, ms, entries) in [(outer, 2, 3), (middle, 2, 7), (inner, 1, 4)] {
                thread.nodes[node].ticks = ms * 1_000_000;
                thread.nodes[node].entries = entries;
            }
            snapshot.threads.push(thread);
        }
        snapshot
    }

    #[test]
    fn budgets_sum_all_stacks_and_flatten_recursion() {
        let recorded = recorded();
        let ms = Duration::from_millis;
        assert_budget!(recorded, "step", count <= 14);
        assert_budget!(recorded, "step", time <= ms(10));
        assert_budget!(recorded, "step", time <= ms(8), tolerance 0.25);
        assert_budget!(recorded, "never", count <= 0);
        assert!(recorded.check_time("step", ms(9), 0.1).is_err());
        assert!(recorded.check_time("never", ms(9), 0.1).is_err());
        assert!(recorded.check_count("never", 1).is_err());
        let why = recorded.check_count("step", 13).unwrap_err().to_string();
        assert!(
            why.starts_with("\"step\" was entered 14 times; its budget is 13\n"),
            "{why}"
        );
        for row in [
            "          14     10.000      6.000  total\n",
            "           3      5.000      2.000  called by main\n",
            "           4      0.000      1.000  called by worker > step > solve\n",
            "          14      6.000      4.000  calls solve\n",
        ] {
            assert!(why.contains(row), "{row}{why}");
        }
    }

    /// Returns the rows below the line that ends with `head`, with runs of spaces collapsed.
    fn table(text: &str, head: &str) -> Vec<String> {
        let lines = text
            .lines()
            .skip_while(|line| !line.ends_with(head))
            .skip(1);
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        lines
            .take_while(|line| !line.is_empty())
            .map(words)
            .collect()
    }

    #[test]
    fn zones_within_are_listed_by_self_time() {
        let mut recorded = recorded();
        // `wait` is a sibling of `step` on the first thread. `sort` is called by `solve` on the second.
        let [wait, solve] =
            ["wait", "sort"].map(|name| recorded.intern_zone(SnapshotZone::new(name, "a.rs", 9)));
        let (first, second) = recorded.threads.split_at_mut(1);
        let sibling = first[0].child(SnapshotThread::ROOT, wait);
        first[0].nodes[sibling].ticks = 90_000_000;
        let under = second[0].child(2, solve);
        (second[0].nodes[under].ticks, second[0].nodes[under].entries) = (7_500_000, 2);
        let why = recorded.check_time("step", Duration::from_millis(10), 0.0);
        let why = why.unwrap_err().to_string();
        assert_eq!(
            table(&why, "of budget    self ms  zones in \"step\""),
            [
                "2 75.0 % 7.500 sort",
                "14 60.0 % 6.000 step",
                "14 40.0 % 4.000 solve"
            ],
            "{why}"
        );
        // Count budgets and zero time budgets have no percentage column.
        for why in [
            recorded.check_count("solve", 3),
            recorded.check_time("solve", Duration::ZERO, 0.5),
        ] {
            let why = why.unwrap_err().to_string();
            assert_eq!(
                table(&why, "self ms  zones in \"solve\""),
                ["2 7.500 sort", "14 4.000 solve", "8 2.000 step"],
                "{why}"
            );
        }
        // The error for an unknown zone lists all recorded zones.
        let why = recorded.check_count("spet", 3).unwrap_err().to_string();
        assert!(why.starts_with("no zone \"spet\" was recorded; "), "{why}");
        assert_eq!(
            table(&why, "self ms  zones that were recorded"),
            [
                "0 90.000 wait",
                "2 7.500 sort",
                "14 6.000 step",
                "14 4.000 solve"
            ],
            "{why}"
        );
        let why = Snapshot::default().check_count("step", 3).unwrap_err();
        assert!(
            why.to_string()
                .ends_with("nothing was recorded in any zone\n")
        );
    }

    #[test]
    fn long_tables_are_truncated() {
        let mut snapshot = Snapshot::default();
        let mut thread = SnapshotThread::new("main");
        for at in 0..30 {
            let zone = snapshot.intern_zone(SnapshotZone::new(&format!("zone {at}"), "a.rs", 1));
            thread.child(SnapshotThread::ROOT, zone);
        }
        snapshot.threads.push(thread);
        let why = snapshot.check_count("none", 1).unwrap_err().to_string();
        let table = table(&why, "zones that were recorded");
        assert_eq!((table.len(), &*table[20]), (21, "and 10 more"));
    }

    /// By the formula, the 6 additional calls to `solve` cost 2 / 7 ms each. The rest of the difference is by cost.
    #[test]
    fn baseline_comparison_splits_differences() {
        let usual = recorded();
        let mut slow = usual.clone();
        for thread in &mut slow.threads {
            thread.nodes[2].entries += 3;
            thread.nodes[2].ticks += 4_000_000;
        }
        let extra = slow.intern_zone(SnapshotZone::new("extra", "a.rs", 7));
        let at = slow.threads[1].child(1, extra);
        (
            slow.threads[1].nodes[at].ticks,
            slow.threads[1].nodes[at].entries,
        ) = (1_000_000, 1);
        let why = slow.check_count("step", 1).unwrap_err();
        let why = why.compared_with(&usual).to_string();
        let wanted = [
            "+6 +1.714 +6.286 +8.000 solve",
            "+1 +1.000 +0.000 +1.000 extra",
            "+0 +0.000 +0.000 +0.000 step",
        ];
        assert_eq!(table(&why, "zones vs. the baseline"), wanted, "{why}");
        // With baseline and snapshot swapped, zones that exist only in the baseline are listed.
        let why = usual.check_count("step", 1).unwrap_err();
        let why = why.compared_with(&slow).to_string();
        let found = table(&why, "zones vs. the baseline");
        assert_eq!(found[1], "-1 -1.000 +0.000 -1.000 extra", "{why}");
        let panic = std::panic::catch_unwind(|| {
            assert_budget!(slow, "step", time <= Duration::ZERO, tolerance 0.1, baseline usual);
        });
        let panic = panic.unwrap_err();
        let why = panic
            .downcast_ref::<String>()
            .expect("the panic payload is a string");
        assert_eq!(table(why, "zones vs. the baseline"), wanted, "{why}");
        assert_budget!(slow, "step", time <= Duration::from_secs(1), baseline usual);
        assert_budget!(slow, "step", count <= 99, baseline usual);
    }

    /// Checks a stack of 100,000 zones. Time and memory must grow linearly with the depth.
    #[test]
    fn deep_stacks_are_checked_and_truncated() {
        let mut snapshot = Snapshot::default();
        let zones = ["a", "b"].map(|name| snapshot.intern_zone(SnapshotZone::new(name, "a.rs", 1)));
        let mut thread = SnapshotThread::new("main");
        let mut at = SnapshotThread::ROOT;
        for level in 0..100_000 {
            at = thread.child(at, zones[level % 2]);
            thread.nodes[at].entries = 1;
            thread.nodes[at].ticks = 1;
        }
        snapshot.threads.push(thread);
        let why = snapshot.check_count("b", 1).unwrap_err().to_string();
        assert!(
            why.contains("called by … > b > a > b > a > b > a > b > a\n"),
            "{why}"
        );
        assert!(
            why.contains("       50000      0.100      0.050  total\n"),
            "{why}"
        );
        assert!(
            why.contains("       49999      0.000      0.050  calls a\n"),
            "{why}"
        );
    }

    #[test]
    #[should_panic(
        expected = "\"step\" took 10.000 ms; its budget is 8.000 ms with a tolerance of 20 %"
    )]
    fn failed_assertion_panics_with_the_table() {
        assert_budget!(recorded(), "step", time <= Duration::from_millis(8), tolerance 0.2);
    }
}

#[cfg(all(test, not(loom)))]
mod split_tests {
    use super::split;

    #[test]
    fn differences_are_split_by_count_and_by_cost() {
        // Twice the calls, then twice the cost per call, then both.
        assert_eq!(split((4.0, 2.0), (8.0, 4.0)), (4.0, 0.0));
        assert_eq!(split((4.0, 2.0), (8.0, 2.0)), (0.0, 4.0));
        assert_eq!(split((4.0, 2.0), (16.0, 4.0)), (4.0, 8.0));
        // Absent in the baseline, then absent now.
        assert_eq!(split((0.0, 0.0), (5.0, 3.0)), (5.0, 0.0));
        assert_eq!(split((5.0, 3.0), (0.0, 0.0)), (-5.0, 0.0));
        // Time without calls on both sides, only now, only in the baseline, and now without any baseline.
        assert_eq!(split((5.0, 0.0), (7.0, 0.0)), (0.0, 2.0));
        assert_eq!(split((5.0, 1.0), (7.0, 0.0)), (-5.0, 7.0));
        assert_eq!(split((5.0, 0.0), (7.0, 1.0)), (0.0, 2.0));
        assert_eq!(split((0.0, 0.0), (7.0, 0.0)), (0.0, 7.0));
    }
}
