//! Sampling sessions: profile the program by sampling alone, in any timing mode, and turn the samples
//! into rows of a call tree.

use crate::Zone;
use crate::gather::{self, Node, mode};
use crate::order;
use crate::process::IS_RECORDING_POSSIBLE;
use crate::process::program::{Program, with_program};
use crate::sample::{SampleCounts, Session};
use crate::sampled_profile::{SampledProfile, SampledRow};
use crate::timing::Timing;
use std::collections::HashMap;
use std::{error, fmt, io};

/// Registers the calling thread, so that the sampler sees it before it enters a zone. Optional: a
/// thread's first zone does the same. Further calls do nothing.
pub fn register_thread() {
    if IS_RECORDING_POSSIBLE {
        // `None` on a thread that is about to end: there is nothing to sample.
        let _ = gather::local::record();
    }
}

/// A sampling profile in progress: a sampler reads the open zones of every registered thread at random
/// moments.
/// [`finish`](SamplingSession::finish) returns the profile; dropping the session ends it and discards
/// the profile. Any thread may do either.
///
/// ```
/// # fn main() -> Result<(), iprof::StartSamplingError> {
/// let session = iprof::SamplingSession::start(1000.0)?;
/// {
///     iprof::zone!(work);
///     std::thread::sleep(std::time::Duration::from_millis(20));
/// }
/// let profile = session.finish();
/// profile.write(std::io::stdout()).expect("a terminal");
/// # Ok(()) }
/// ```
///
/// A copy of the process, made by `fork`, has no sampler: there the session has ended, `finish` returns
/// an empty profile, and another session can be started.
#[derive(Debug)]
#[must_use = "dropping the session ends it and discards its profile"]
pub struct SamplingSession {
    /// As in its [`ActiveSession`].
    number: u64,
}

/// The program's sessions, at most one of which is in progress.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    active: Option<ActiveSession>,
    /// How many were started: the number of the last one.
    started: u64,
}

/// The session in progress.
#[derive(Debug)]
struct ActiveSession {
    /// A session of any other number has ended.
    number: u64,
    /// Exists only where recording is possible.
    sampler: Option<Session>,
}

impl Sessions {
    pub(super) fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// Adds a session, in progress from now on. Returns its number.
    fn add(&mut self, sampler: Option<Session>) -> u64 {
        self.started += 1;
        let number = self.started;
        self.active = Some(ActiveSession { number, sampler });
        number
    }
}

impl SamplingSession {
    /// Starts to read the current stack of every thread, on average `hz` times a second. There is at
    /// most one session at a time in the program.
    ///
    /// `hz` is clamped to 1 to 10,000; NaN means 1,000. The session has a sampler of its own,
    /// independent of the rate of [`timing`](crate::timing), and changes nothing else that is shown or
    /// recorded. If timing is [off](Timing::Off), zones maintain the current stack until the session
    /// ends, at the cost of sampled zones; zones that were open before the start are not seen. Without
    /// the feature `enable` nothing is sampled.
    ///
    /// # Errors
    ///
    /// If a session is in progress already, or if the system cannot start a thread.
    pub fn start(hz: f64) -> Result<SamplingSession, StartSamplingError> {
        with_program(|program| {
            if program.sessions.is_active() {
                return Err(StartSamplingError::AlreadyStarted);
            }
            let hz = match (Timing::Sampled { hz }).clamped() {
                Timing::Sampled { hz } => hz,
                _ => unreachable!("clamping keeps the mode"),
            };
            let sampler = IS_RECORDING_POSSIBLE.then(|| Session::start(hz));
            let sampler = sampler
                .transpose()
                .map_err(StartSamplingError::SpawnThread)?;
            let number = program.sessions.add(sampler);
            update_sampling_mode(program);
            Ok(SamplingSession { number })
        })
    }

    /// Ends the session and returns its profile. Waits for the sampler thread to end, which takes
    /// microseconds. Without the feature `enable` the profile is empty.
    #[must_use = "dropping the session discards its profile, too"]
    pub fn finish(self) -> SampledProfile {
        profile(&self.end())
    }

    /// Ends the session. Does nothing if it has ended: when it is dropped after it was finished, and in
    /// a copy of the process.
    fn end(&self) -> SampleCounts {
        let sampler = with_program(|program| {
            let is_this_one = |active: &mut ActiveSession| active.number == self.number;
            let active = program.sessions.active.take_if(is_this_one)?;
            update_sampling_mode(program);
            active.sampler
        });
        // Waits for the sampler thread without holding a lock.
        sampler.map_or_else(SampleCounts::default, Session::finish)
    }
}

impl Drop for SamplingSession {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// While timing is off, makes zones maintain the current stack as long as a session needs it.
fn update_sampling_mode(program: &Program) {
    if program.profiler.timing() == Timing::Off && IS_RECORDING_POSSIBLE {
        match program.sessions.is_active() {
            true => mode::turn_on(mode::cutoff::SAMPLED),
            false => mode::turn_off(),
        }
    }
}

/// Ends the session in a copy of the process, which does not have the sampler thread.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(super) fn forget_session(program: &mut Program) {
    if let Some(active) = program.sessions.active.take() {
        // To end the sampler is to wait for its thread.
        std::mem::forget(active.sampler);
        update_sampling_mode(program);
    }
}

/// The error of [`SamplingSession::start`]: why no session could be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartSamplingError {
    /// A session is in progress already.
    AlreadyStarted,
    /// The system could not start the sampler thread.
    SpawnThread(io::Error),
}

impl fmt::Display for StartSamplingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StartSamplingError::AlreadyStarted => {
                "a sampling session is already in progress; finish it first"
            }
            StartSamplingError::SpawnThread(_) => "the sampler thread could not be started",
        })
    }
}

impl error::Error for StartSamplingError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            StartSamplingError::SpawnThread(reason) => Some(reason),
            StartSamplingError::AlreadyStarted => None,
        }
    }
}

/// A stack of zones, summed over all threads.
#[derive(Debug)]
struct Branch {
    zone: &'static Zone,
    parent: usize,
    /// Samples of this stack and of all stacks that continue it.
    samples: u64,
    children: Vec<usize>,
}

/// All stacks, summed over threads; a parent comes before its children. The first one is the empty
/// stack.
struct Stacks {
    branches: Vec<Branch>,
    /// Index of a branch, by its parent and its zone's address.
    branch_of: HashMap<(usize, usize), usize>,
    /// Index of a node's branch, by the node's address. A stack is walked only down to the first known
    /// node.
    known: HashMap<usize, usize>,
    /// The nodes of a stack that are not known yet, innermost first.
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

    /// The index of a node's branch.
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
            let children = &self.branches[at].children;
            let labels: Vec<String> = children
                .iter()
                .map(|child| self.branches[*child].zone.label())
                .collect();
            let tie = |a: usize, b: usize| {
                let by_label = labels[a].cmp(&labels[b]);
                by_label.then(children[a].cmp(&children[b]))
            };
            let samples = children.iter().map(|child| self.branches[*child].samples);
            let order = order::by_key_falling(samples, &tie);
            self.branches[at].children = order::arranged(children, &order);
        }
    }

    /// The rows: each branch after its parent, with its depth, without the empty stack. Among the
    /// children of a branch, `None` stands for its remaining samples.
    fn rows(&self) -> Vec<SampledRow> {
        let mut rows = Vec::new();
        // The stack of rows to visit, the next one on top. Not recursive: stacks may be deep.
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

    /// Pushes the rows directly below a branch, the last one first.
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
        // After the rows with as many samples.
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

fn profile(found: &SampleCounts) -> SampledProfile {
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

#[cfg(all(test, not(loom), feature = "enable"))]
mod tests {
    use super::*;
    use crate::gather::scripted_thread::ScriptedThread;
    use std::time::{Duration, Instant};

    static VISIT: Zone = Zone::new("visit", "a.rs", 1, "profiling");

    /// The time for finding the branches of all nodes of a deep stack, each of which was sampled.
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

    /// Walking each stack down to the root would take a hundred times as long.
    #[test]
    fn a_stack_of_a_hundred_thousand_zones_is_walked_once() {
        let short = (0..5).map(|_| time(10_000)).min().unwrap_or_default();
        let long = (0..3).map(|_| time(100_000)).min().unwrap_or_default();
        assert!(
            long < 40 * short + Duration::from_millis(200),
            "{long:?} {short:?}"
        );
    }
}
