//! Sampling profiles, from start to finish, independent of the timing mode.

use crate::Zone;
use crate::gather::{self, Node, mode};
use crate::process::frame::profiler::Profiler;
use crate::process::is_recording_possible;
use crate::process::with_profiler;
use crate::sample::{SampleCounts, Session};
use crate::sampled_profile::{SampledProfile, SampledRow};
use crate::timing::Timing;
use std::collections::HashMap;
use std::{cmp, error, fmt, io};

/// Registers the calling thread, so that the sampler sees it before it enters a zone. Optional: a
/// thread's first zone does the same. Further calls do nothing.
pub fn register_thread() {
    if is_recording_possible() {
        // `None` on a thread that is about to end: there is nothing to sample.
        let _ = gather::local::record();
    }
}

/// Starts a sampling profile: from now on a sampler reads the current stack of every thread `hz` times
/// a second, at random moments, until any thread calls [`finish_profiling`].
///
/// `hz` is clamped to 1 to 10,000; NaN means 1,000. The profile has a sampler of its own, independent
/// of the rate of [`timing`](crate::timing), and changes nothing else that is shown or recorded. If
/// timing is [off](Timing::Off), zones maintain the current stack until the profile is finished, at the
/// cost of sampled zones; zones that were open before the start are not seen.
///
/// ```
/// # fn main() -> Result<(), iprof::ProfilingError> {
/// iprof::start_profiling(1000.0)?;
/// {
///     iprof::zone!(work);
///     std::thread::sleep(std::time::Duration::from_millis(20));
/// }
/// let profile = iprof::finish_profiling()?;
/// profile.write(std::io::stdout()).expect("a terminal");
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// If a profile is in progress already, or if the system cannot start a thread.
pub fn start_profiling(hz: f64) -> Result<(), ProfilingError> {
    with_profiler(|profiler| {
        if profiler.profile.is_some() {
            return Err(ProfilingError::AlreadyStarted);
        }
        let hz = match (Timing::Sampled { hz }).clamped() {
            Timing::Sampled { hz } => hz,
            _ => unreachable!("clamping keeps the mode"),
        };
        let session = is_recording_possible().then(|| Session::start(hz));
        profiler.profile = Some(session.transpose().map_err(ProfilingError::NoThread)?);
        update_mode(profiler);
        Ok(())
    })
}

/// Ends the profile that [`start_profiling`] started, and returns it. Without the feature `enable` it
/// is empty.
///
/// # Errors
///
/// If no profile is in progress.
pub fn finish_profiling() -> Result<SampledProfile, ProfilingError> {
    let session = with_profiler(|profiler| {
        let session = profiler.profile.take();
        update_mode(profiler);
        session.ok_or(ProfilingError::NotStarted)
    })?;
    // Waits for the sampler thread without holding a lock.
    let found = session.map_or_else(SampleCounts::default, Session::finish);
    Ok(profile(&found))
}

/// While timing is off, makes zones maintain the current stack as long as a profile needs it.
fn update_mode(profiler: &Profiler) {
    if profiler.timing == Timing::Off && is_recording_possible() {
        match profiler.profile {
            Some(_) => mode::turn_on(mode::cutoff::SAMPLED),
            None => mode::turn_off(),
        }
    }
}

/// Why a profile could not be started or finished.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProfilingError {
    /// A profile is in progress already.
    AlreadyStarted,
    /// No profile is in progress.
    NotStarted,
    /// The system could not start the sampler thread.
    NoThread(io::Error),
}

impl fmt::Display for ProfilingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProfilingError::AlreadyStarted => "a profile is already in progress; finish it first",
            ProfilingError::NotStarted => "no profile is in progress; start one first",
            ProfilingError::NoThread(_) => "the sampler thread could not be started",
        })
    }
}

impl error::Error for ProfilingError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            ProfilingError::NoThread(reason) => Some(reason),
            _ => None,
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
    places: HashMap<(usize, usize), usize>,
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
            places: HashMap::new(),
            known: HashMap::new(),
            unknown: Vec::new(),
        }
    }

    /// The index of a node's branch.
    fn place(&mut self, node: &'static Node) -> usize {
        let address = |node: &'static Node| std::ptr::from_ref(node) as usize;
        // The root is the empty stack.
        let mut place = 0;
        let mut at = node;
        while let Some(parent) = at.parent() {
            if let Some(known) = self.known.get(&address(at)) {
                place = *known;
                break;
            }
            self.unknown.push(at);
            at = parent;
        }
        while let Some(node) = self.unknown.pop() {
            let zone = node.zone();
            let key = (place, std::ptr::from_ref(zone) as usize);
            place = *self.places.entry(key).or_insert_with(|| {
                self.branches.push(Branch::of(zone, place));
                self.branches.len() - 1
            });
            self.known.insert(address(node), place);
        }
        place
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
                (cmp::Reverse(branch.samples), branch.zone.label(), *child)
            });
            self.branches[at].children = children;
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
                is_other: false,
            };
            (row, Some(*child))
        };
        let mut rows: Vec<_> = branch.children.iter().map(row).collect();
        let in_children: u64 = rows.iter().map(|(row, _)| row.samples).sum();
        let name = if of == 0 {
            "other (outside of any label)"
        } else {
            "other"
        };
        let other = SampledRow {
            name: name.into(),
            depth,
            samples: branch.samples - in_children,
            is_other: true,
        };
        // After the rows with as many samples.
        let at = rows.partition_point(|(row, _)| row.samples >= other.samples);
        rows.insert(at, (other, None));
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
        let place = stacks.place(node);
        stacks.branches[place].samples += u64::from(count);
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
    use crate::gather::scripted::ScriptedThread;
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
            let place = stacks.place(node);
            stacks.branches[place].samples += 1;
        }
        let time = start.elapsed();
        assert_eq!(stacks.branches.len(), 1 + levels);
        stacks.grow();
        let rows = stacks.rows();
        assert_eq!(rows.iter().filter(|row| !row.is_other).count(), levels);
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
