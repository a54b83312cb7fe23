//! Budgets of zones in tests: `assert_budget!`, and what it checks a snapshot by.

use crate::snapshot::{Snapshot, SnapshotThread, Step};
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::{self, Write};
use std::iter;
use std::time::Duration;

/// Why a zone is over its budget: what it took, and the table of its callers and of the zones that it called.
#[derive(Clone, Debug)]
pub struct OverBudgetError {
    text: String,
}

impl fmt::Display for OverBudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for OverBudgetError {}

/// Count, hierarchical and self ticks.
#[derive(Clone, Copy, Default)]
struct Sum {
    count: u64,
    hier: u64,
    own: u64,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.count += other.count;
        self.hier += other.hier;
        self.own += other.own;
    }
}

/// What all zones of a name took, on all threads.
#[derive(Default)]
struct Taken {
    all: Sum,
    /// By the end of the stack above the zone, and by the name of the zone called by it.
    callers: BTreeMap<String, Sum>,
    callees: BTreeMap<String, Sum>,
}

impl Taken {
    fn of(snapshot: &Snapshot, zone: &str) -> Taken {
        let mut taken = Taken::default();
        for thread in snapshot.cpu_threads() {
            taken.add(snapshot, thread, zone);
        }
        taken
    }

    fn add(&mut self, snapshot: &Snapshot, thread: &SnapshotThread, zone: &str) {
        let name = |node: usize| match node {
            SnapshotThread::ROOT => &*thread.name,
            _ => &*snapshot.zones[thread.nodes[node].zone as usize].name,
        };
        let is_zone = |node: usize| node != SnapshotThread::ROOT && name(node) == zone;
        let hier = thread.subtree_ticks();
        // How often a name is open on the stack.
        let mut open = HashMap::<&str, u32>::new();
        thread.walk(|step| match step {
            Step::Enter(SnapshotThread::ROOT) | Step::Leave(SnapshotThread::ROOT) => {}
            Step::Leave(at) => *open.entry(name(at)).or_default() -= 1,
            Step::Enter(at) => {
                let opened = open.entry(name(at)).or_default();
                let node = &thread.nodes[at];
                let parent = node.parent as usize;
                let sum = Sum {
                    count: node.entries,
                    // Of a recursion, the outermost occurrence has the time.
                    hier: if *opened == 0 { hier[at] } else { 0 },
                    own: node.ticks,
                };
                *opened += 1;
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
                    let callees = &mut self.callees;
                    callees.entry(name(at).to_owned()).or_default().add(sum);
                }
            }
        });
    }

    fn error(&self, snapshot: &Snapshot, head: String) -> OverBudgetError {
        let mut text = format!("{head}\n\n       count    hier ms    self ms\n");
        let mut row = |name: &str, sum: &Sum| {
            let [hier, own] = [sum.hier, sum.own].map(|ticks| snapshot.ns(ticks) / 1e6);
            let count = sum.count;
            // Writing to memory never fails.
            let _ = writeln!(text, "{count:>12} {hier:>10.3} {own:>10.3}  {name}");
        };
        row("in all", &self.all);
        for (list, of) in [(&self.callers, "called by "), (&self.callees, "calls ")] {
            let mut rows: Vec<_> = list.iter().collect();
            rows.sort_by_key(|(_, sum)| std::cmp::Reverse((sum.hier, sum.count)));
            for (name, sum) in rows.iter().take(ROWS) {
                row(&format!("{of}{name}"), sum);
            }
        }
        OverBudgetError { text }
    }
}

/// Most callers, and most zones called, in the table.
const ROWS: usize = 20;
/// Most zones of a stack in the table.
const CALLERS: usize = 8;

impl Snapshot {
    /// Checks that zones of that name were entered at most `budget` times, on all threads together. Counts are exact in every
    /// timing mode, so a deterministic program passes always or never. See [`assert_budget!`](crate::assert_budget!).
    ///
    /// # Errors
    ///
    /// If they were entered more often. Also if there is no zone of that name, unless the budget is 0.
    pub fn check_count(&self, zone: &str, budget: u64) -> Result<(), OverBudgetError> {
        let taken = Taken::of(self, zone);
        let count = taken.all.count;
        match (count <= budget, taken.callers.is_empty() && budget > 0) {
            (_, true) => Err(missing(zone)),
            (true, false) => Ok(()),
            (false, false) => {
                let head = format!("\"{zone}\" was entered {count} times; its budget is {budget}");
                Err(taken.error(self, head))
            }
        }
    }

    /// Checks that the hierarchical time of zones of that name, on all threads together, is at most `budget` and the
    /// part `tolerance` of it: 0.1 is a tenth. See [`assert_budget!`](crate::assert_budget!).
    ///
    /// # Errors
    ///
    /// If it is more, and if there is no zone of that name.
    pub fn check_time(
        &self,
        zone: &str,
        budget: Duration,
        tolerance: f64,
    ) -> Result<(), OverBudgetError> {
        let taken = Taken::of(self, zone);
        if taken.callers.is_empty() {
            return Err(missing(zone));
        }
        let ms = self.ns(taken.all.hier) / 1e6;
        let budget = budget.as_secs_f64() * 1e3;
        if ms <= budget * (1.0 + tolerance) {
            return Ok(());
        }
        let percent = tolerance * 100.0;
        let head = format!(
            "\"{zone}\" took {ms:.3} ms; its budget is {budget:.3} ms with a tolerance of {percent} %"
        );
        Err(taken.error(self, head))
    }
}

fn missing(zone: &str) -> OverBudgetError {
    OverBudgetError {
        text: format!("no zone \"{zone}\" was recorded; is its name right, and was it entered?"),
    }
}

/// Panics if a zone was entered more often, or took longer, than it may. For tests: the message has a table of what
/// called the zone and of what it called.
///
/// A count is exact in every timing mode. A time is hierarchical, on all threads together, and may be given a tolerance, as a
/// part of the budget. What counts is what is in the snapshot, or in the frame's
/// [`recorded`](crate::FrameSnapshot::recorded).
///
/// ```
/// use std::time::Duration;
///
/// let before = iprof::snapshot();
/// for _ in 0..3 {
///     iprof::zone!(physics);
/// }
/// let recorded = iprof::snapshot().since(&before);
/// # #[cfg(feature = "enable")]
/// # {
/// iprof::assert_budget!(recorded, "physics", count <= 3);
/// iprof::assert_budget!(recorded, "physics", time <= Duration::from_secs(1), tolerance 0.1);
/// # }
/// ```
#[macro_export]
macro_rules! assert_budget {
    ($snapshot:expr, $zone:expr, count <= $budget:expr) => {
        if let Err(error) = $snapshot.check_count($zone, $budget) {
            panic!("{error}");
        }
    };
    ($snapshot:expr, $zone:expr, time <= $budget:expr) => {
        $crate::assert_budget!($snapshot, $zone, time <= $budget, tolerance 0.0)
    };
    ($snapshot:expr, $zone:expr, time <= $budget:expr, tolerance $part:expr) => {
        if let Err(error) = $snapshot.check_time($zone, $budget, $part) {
            panic!("{error}");
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::snapshot::{Snapshot, SnapshotThread, SnapshotZone};
    use std::time::Duration;

    /// On two threads: `step` with 3 entries and 5 ms each time, of which `solve` takes 3 ms, and another `step` within it 1 ms.
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
    fn a_count_is_that_of_all_stacks_and_a_time_counts_once_in_a_recursion() {
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
            "          14     10.000      6.000  in all\n",
            "           3      5.000      2.000  called by main\n",
            "           4      0.000      1.000  called by worker > step > solve\n",
            "          14      6.000      4.000  calls solve\n",
        ] {
            assert!(why.contains(row), "{row}{why}");
        }
    }

    /// A stack of 100,000 zones takes time and memory in proportion.
    #[test]
    fn deep_stacks_are_checked_and_cut() {
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
            why.contains("       50000      0.100      0.050  in all\n"),
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
    fn the_assertion_panics_with_the_table() {
        assert_budget!(recorded(), "step", time <= Duration::from_millis(8), tolerance 0.2);
    }
}
