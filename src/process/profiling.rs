//! Profiling by sampling alone, from start to finish, beside whatever timing is.

use super::core::Process;
use super::{is_recording_possible, with_process};
use crate::Zone;
use crate::gather::{self, Node, switch};
use crate::sample::{Session, Tally};
use crate::sampled_profile::{SampledProfile, SampledRow};
use crate::timing::Timing;
use std::collections::HashMap;
use std::{cmp, error, fmt, io};

/// Makes the calling thread known, so that it is looked at before it has entered a zone. Need not be
/// called: a thread's first zone does the same. Called again, it does nothing.
pub fn register_thread() {
    if is_recording_possible() {
        // None on a thread that is about to end: nothing to look at.
        let _ = gather::local::record();
    }
}

/// Begins a profile: from here on, what every thread is in is looked at `hz` times a second, at
/// random moments, until [`finish_profiling`] is called, from whatever thread.
///
/// `hz` is from 1 to 10,000, and clamped; 1,000 if it is not a number. It is a sampler of its own, at
/// whatever rate [`timing`](crate::timing) has others; nothing that is shown or recorded otherwise
/// changes. Where timing is [off](Timing::Off), zones tell where they are all the same until the
/// profile is finished, and cost what they cost when they are sampled; those that were open before
/// are not seen.
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
/// If a profile is being made already; or if the system starts no thread.
pub fn start_profiling(hz: f64) -> Result<(), ProfilingError> {
    with_process(|process| {
        if process.profile.is_some() {
            return Err(ProfilingError::AlreadyStarted);
        }
        let hz = match (Timing::Sampled { hz }).clamped() {
            Timing::Sampled { hz } => hz,
            _ => unreachable!("it is the same with its number in its range"),
        };
        let session = is_recording_possible().then(|| Session::start(hz));
        process.profile = Some(session.transpose().map_err(ProfilingError::NoThread)?);
        follow(process);
        Ok(())
    })
}

/// Ends the profile that [`start_profiling`] has begun, and returns it. Without the feature `enable`
/// it is empty.
///
/// # Errors
///
/// If none was begun.
pub fn finish_profiling() -> Result<SampledProfile, ProfilingError> {
    let session = with_process(|process| {
        let session = process.profile.take();
        follow(process);
        session.ok_or(ProfilingError::NotStarted)
    })?;
    // Its thread is waited for without a lock.
    let found = session.map_or_else(Tally::default, Session::finish);
    Ok(profile(&found))
}

/// Where nothing is timed, zones are to tell where they are for the profile's sake.
fn follow(process: &Process) {
    if process.timing == Timing::Off && is_recording_possible() {
        match process.profile {
            Some(_) => switch::turn_on(switch::cutoff::SAMPLED),
            None => switch::turn_off(),
        }
    }
}

/// Why there is no profile.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProfilingError {
    /// One is being made already.
    AlreadyStarted,
    /// None was begun.
    NotStarted,
    /// The system did not start the sampler's thread.
    NoThread(io::Error),
}

impl fmt::Display for ProfilingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProfilingError::AlreadyStarted => "profiling was started before and is not finished",
            ProfilingError::NotStarted => "profiling was finished without having been started",
            ProfilingError::NoThread(_) => "profiling needs a thread that could not be started",
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

/// A stack of zones, whichever threads have it.
#[derive(Debug)]
struct Branch {
    zone: &'static Zone,
    parent: usize,
    /// With those of all that goes on from here.
    samples: u64,
    children: Vec<usize>,
}

/// All threads' stacks; a parent comes before its children. The first one is the empty stack.
struct Stacks {
    branches: Vec<Branch>,
    /// By parent and the zone's address.
    places: HashMap<(usize, usize), usize>,
    /// By a node's address: where its stack is. A stack is followed as far down as it is not known.
    known: HashMap<usize, usize>,
    /// Nodes that are not known yet, the innermost first.
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

    /// Where a node's stack is.
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

    /// Adds up what goes on from where, and sorts it.
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

    /// Each branch after its parent, and with each its depth, but for the empty stack; and among the
    /// children of a branch, `None` for the rest of its samples.
    fn rows(&self) -> Vec<SampledRow> {
        let mut rows = Vec::new();
        // What is still to come, the next at the end. No recursion: stacks may be deep.
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
        // After those that have as much.
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

fn profile(found: &Tally) -> SampledProfile {
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

    /// How long it takes to find the places of all nodes of a chain, each of which was seen.
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

    /// If each stack were followed down to the root, it would take a hundred times as long.
    #[test]
    fn a_stack_of_a_hundred_thousand_zones_is_followed_once() {
        let short = (0..5).map(|_| time(10_000)).min().unwrap_or_default();
        let long = (0..3).map(|_| time(100_000)).min().unwrap_or_default();
        assert!(
            long < 40 * short + Duration::from_millis(200),
            "{long:?} {short:?}"
        );
    }
}
