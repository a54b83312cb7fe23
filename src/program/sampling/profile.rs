//! Turns a session's samples into call tree rows.

use crate::Zone;
use crate::gather::{self, Node};
use crate::program::sampling::{SampledProfile, SampledRow};
use crate::sample::SampleCounts;
use iprof_process::text_parts::{Indent, counted};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, Write};

/// A call stack, summed over all threads.
#[derive(Debug)]
struct Branch {
    zone: &'static Zone,
    parent: usize,
    /// The number of samples in this stack and in all stacks below it.
    samples: u64,
    children: Vec<usize>,
}

/// All call stacks, summed over threads, parents before children. The first one is the empty stack.
struct Stacks {
    branches: Vec<Branch>,
    /// The index of each branch, by its parent and its zone's address.
    branch_of: HashMap<(usize, usize), usize>,
    /// The index of each node's branch, by the node's address. A stack is walked only up to the first known node.
    known: HashMap<usize, usize>,
    /// The nodes of the current stack that are not yet in `known`, innermost first.
    unknown: Vec<&'static Node>,
}

impl Stacks {
    fn new() -> Stacks {
        Stacks {
            branches: vec![Branch::of(&gather::GLOBAL, 0)],
            branch_of: HashMap::new(),
            known: HashMap::new(),
            unknown: Vec::new(),
        }
    }

    fn branch(&mut self, node: &'static Node) -> usize {
        let address = |node: &'static Node| std::ptr::from_ref(node) as usize;
        // The root is the empty stack.
        let mut branch = 0;
        let mut at = node;
        while let Some(parent) = at.parent() {
            if let Some(known) = self.known.get(&address(at)) {
                branch = *known;
                break;
            }
            self.unknown.push(at);
            at = parent;
        }
        while let Some(node) = self.unknown.pop() {
            let zone = node.zone();
            let key = (branch, std::ptr::from_ref(zone) as usize);
            branch = *self.branch_of.entry(key).or_insert_with(|| {
                self.branches.push(Branch::of(zone, branch));
                self.branches.len() - 1
            });
            self.known.insert(address(node), branch);
        }
        branch
    }

    /// Adds each branch's samples to its parent, and sorts children.
    fn grow(&mut self) {
        for at in (1..self.branches.len()).rev() {
            let (samples, parent) = (self.branches[at].samples, self.branches[at].parent);
            self.branches[parent].samples += samples;
            self.branches[parent].children.push(at);
        }
        for at in 0..self.branches.len() {
            let mut children = std::mem::take(&mut self.branches[at].children);
            children.sort_by_cached_key(|child| {
                let branch = &self.branches[*child];
                (Reverse(branch.samples), branch.zone.label(), *child)
            });
            self.branches[at].children = children;
        }
    }

    /// Returns the rows: each branch after its parent, without the empty stack, and a row for each branch's self
    /// samples.
    fn rows(&self) -> Vec<SampledRow> {
        let mut rows = Vec::new();
        // The rows still to visit, with the next one on top. Stacks may be deep, so this does not recurse.
        let mut ahead = Vec::new();
        self.push_children(0, 0, &mut ahead);
        while let Some((row, branch)) = ahead.pop() {
            let depth = row.depth;
            rows.push(row);
            if let Some(branch) = branch
                && !self.branches[branch].children.is_empty()
            {
                self.push_children(branch, depth + 1, &mut ahead);
            }
        }
        rows
    }

    /// Pushes the rows directly below a branch, the last one first. A row without a branch holds self samples.
    fn push_children(&self, of: usize, depth: usize, ahead: &mut Vec<(SampledRow, Option<usize>)>) {
        let branch = &self.branches[of];
        let row = |child: &usize| {
            let child_branch = &self.branches[*child];
            let row = SampledRow {
                name: child_branch.zone.label().into(),
                depth,
                samples: child_branch.samples,
                is_self: false,
            };
            (row, Some(*child))
        };
        let mut rows: Vec<_> = branch.children.iter().map(row).collect();
        let in_children: u64 = rows.iter().map(|(row, _)| row.samples).sum();
        let name = if of == 0 { "(outside zones)" } else { "self" };
        let own = SampledRow {
            name: name.into(),
            depth,
            samples: branch.samples - in_children,
            is_self: true,
        };
        // The self row comes after callees with the same number of samples.
        let at = rows.partition_point(|(row, _)| row.samples >= own.samples);
        rows.insert(at, (own, None));
        ahead.extend(rows.into_iter().rev());
    }
}

impl Branch {
    fn of(zone: &'static Zone, parent: usize) -> Branch {
        Branch {
            zone,
            parent,
            samples: 0,
            children: Vec::new(),
        }
    }
}

pub(super) fn profile(found: &SampleCounts) -> SampledProfile {
    let mut stacks = Stacks::new();
    let mut threads = std::collections::HashSet::new();
    for (thread, node, count) in found.nodes() {
        threads.insert(thread);
        let branch = stacks.branch(node);
        stacks.branches[branch].samples += u64::from(count);
    }
    stacks.grow();
    let samples = stacks.branches[0].samples;
    SampledProfile {
        threads: threads.len(),
        samples,
        rows: if samples > 0 {
            stacks.rows()
        } else {
            Vec::new()
        },
    }
}

impl SampledProfile {
    /// Writes the profile as text: the number of threads and samples, then one line per row. A line has the row's
    /// percentage of all samples and its name, indented by two spaces per level, up to 48 levels. Deeper rows have
    /// their level in parentheses before the name.
    ///
    /// # Errors
    ///
    /// Returns any error from `out`.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let (threads, samples) = (self.threads, self.samples);
        let (threads, samples) = (
            counted(threads as u64, "thread"),
            counted(samples, "sample"),
        );
        writeln!(out, "iprof profile ({threads}, {samples})")?;
        for row in &self.rows {
            let name = row.name.replace(char::is_control, " ");
            let percent = self.percent(row.samples);
            let Indent { spaces, level } = Indent::of(row.depth);
            writeln!(out, "{spaces}{percent:.2}% {level}{name}")?;
        }
        Ok(())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::gather::scripted_thread::ScriptedThread;
    use std::time::{Duration, Instant};

    static VISIT: Zone = Zone::new("visit", "a.rs", 1, "profiling");

    /// Measures the time to find the branches of all nodes in a deep stack in which every node was sampled.
    fn time(levels: usize) -> Duration {
        let thread = ScriptedThread::begin("deep", 0);
        let mut nodes = Vec::new();
        for _ in 0..levels {
            thread.enter(&VISIT, 0);
            nodes.extend(thread.record().current());
        }
        let mut stacks = Stacks::new();
        let start = Instant::now();
        for node in nodes.iter().rev() {
            let branch = stacks.branch(node);
            stacks.branches[branch].samples += 1;
        }
        let time = start.elapsed();
        assert_eq!(stacks.branches.len(), 1 + levels);
        stacks.grow();
        let rows = stacks.rows();
        assert_eq!(rows.iter().filter(|row| !row.is_self).count(), levels);
        time
    }

    /// The test fails if each stack is walked up to the root, which would take a hundred times as long.
    #[test]
    fn deep_stack_is_walked_once() {
        let short = (0..5).map(|_| time(10_000)).min().unwrap_or_default();
        let long = (0..3).map(|_| time(100_000)).min().unwrap_or_default();
        assert!(
            long < 40 * short + Duration::from_millis(200),
            "{long:?} {short:?}"
        );
    }
}

#[cfg(all(test, not(loom)))]
mod text_tests {
    use crate::program::{SampledProfile, SampledRow};

    fn text(profile: &SampledProfile) -> String {
        let mut text = Vec::new();
        profile.write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn profile_is_written_as_a_tree_of_percentages() {
        let row = |name: &str, depth, samples, is_self| SampledRow {
            name: name.into(),
            depth,
            samples,
            is_self,
        };
        let profile = SampledProfile {
            threads: 2,
            samples: 300,
            rows: vec![
                row("work", 0, 200, false),
                row("self", 1, 150, true),
                row("a\nb \u{1f600}", 1, 50, false),
                row("(outside zones)", 0, 100, true),
            ],
        };
        let wanted = "iprof profile (2 threads, 300 samples)\n\
            66.67% work\n  50.00% self\n  16.67% a b \u{1f600}\n\
            33.33% (outside zones)\n";
        assert_eq!(text(&profile), wanted);
        let nothing = "iprof profile (0 threads, 0 samples)\n";
        assert_eq!(text(&SampledProfile::default()), nothing);
    }
}
