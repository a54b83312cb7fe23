//! Threads of one name, looked at together.
//!
//! Which threads those are is asked anew for every report, for [`thread_name`](crate::thread_name)
//! can rename. Their values are summed up from each one's; only their heat cannot be, see
//! [`heat`](super::heat): so it is followed, frame by frame, for every name that several share.

use super::average::AverageClock;
use super::core::{Process, Thread};
use super::heat::{FrameSums, HeatMap};
use super::view::{ThreadId, Threads};
use super::zones::Names;
use std::collections::HashMap;

/// Threads that have the same name, two at least.
#[derive(Debug)]
struct Group {
    name: String,
    heat: HeatMap,
    /// Of the frame that is being taken in.
    sums: FrameSums,
}

/// All names that several threads share.
#[derive(Debug, Default)]
pub(super) struct Groups {
    groups: Vec<Group>,
    /// By thread: its name as of the last frame, and the place of its group.
    members: Vec<(String, Option<usize>)>,
}

impl Groups {
    /// Begins to take in a frame. `threads` are all there are, those of earlier frames first; what
    /// they did in this frame is not in their own heat yet.
    ///
    /// A group goes on from the heat of its first thread. If the second one is new, that is
    /// exactly the group's; if it was renamed, its share shows as a step, as does that of one that
    /// leaves.
    pub(super) fn begin_frame(&mut self, threads: &[Thread], names: &Names) {
        let known = self.members.len();
        let is_same = |((name, _), thread): (&(String, _), &Thread)| thread.is_named(name);
        if known != threads.len() || !self.members.iter().zip(threads).all(is_same) {
            self.regroup(threads);
        }
        for group in &mut self.groups {
            group.sums.clear(names);
        }
    }

    /// Adds what a thread did in the frame.
    pub(super) fn add(&mut self, thread: u32, sums: &FrameSums) {
        if let Some(&(_, Some(at))) = self.members.get(thread as usize) {
            self.groups[at].sums.merge(sums);
        }
    }

    /// All that was done in the frame that `clock` last advanced over was added.
    pub(super) fn end_frame(&mut self, clock: &AverageClock, names: &Names, ms_per_tick: f64) {
        for group in &mut self.groups {
            group.heat.add(clock, names, &group.sums, ms_per_tick);
        }
    }

    /// Sorts threads by name. Groups that stay keep what they have.
    fn regroup(&mut self, threads: &[Thread]) {
        let before = std::mem::take(&mut self.groups);
        let mut before: HashMap<String, Group> = before
            .into_iter()
            .map(|group| (group.name.clone(), group))
            .collect();
        self.members.clear();
        let mut first_of: HashMap<String, usize> = HashMap::new();
        for (at, thread) in threads.iter().enumerate() {
            let name = thread.name();
            let first = *first_of.entry(name.clone()).or_insert(at);
            self.members.push((name, None));
            if first == at {
                continue;
            }
            if self.members[first].1.is_none() {
                self.members[first].1 = Some(self.groups.len());
                let name = &self.members[first].0;
                let group = before.remove(name).unwrap_or_else(|| Group {
                    name: name.clone(),
                    heat: threads[first].heat.clone(),
                    sums: FrameSums::default(),
                });
                self.groups.push(group);
            }
            self.members[at].1 = self.members[first].1;
        }
    }

    fn heat(&self, name: &str) -> Option<&HeatMap> {
        let group = self.groups.iter().find(|group| group.name == name);
        group.map(|group| &group.heat)
    }
}

impl Process {
    /// The threads that a view of `threads` shows, in their order.
    pub(super) fn threads_in_view(&self, threads: Threads) -> Vec<usize> {
        let all = 0..self.threads.len();
        // What the GPU does, the processors do not: it is not added up with threads.
        let threads_alone = all.clone().filter(|at| !self.gpu.is(*at as u32));
        match threads {
            Threads::All => threads_alone.collect(),
            Threads::One(ThreadId(one)) => all.filter(|at| *at == one as usize).collect(),
            Threads::SameName(ThreadId(one)) if self.gpu.is(one) => vec![one as usize],
            Threads::SameName(ThreadId(one)) => {
                let Some(name) = self.threads.get(one as usize).map(Thread::name) else {
                    return Vec::new();
                };
                threads_alone
                    .filter(|at| self.threads[*at].is_named(&name))
                    .collect()
            }
        }
    }

    /// The heat of the threads that a view of `threads` shows. None if there is no such thread, or
    /// if no frame has ended since they were named.
    pub(super) fn heat_in_view(&self, threads: Threads) -> Option<&HeatMap> {
        match threads {
            Threads::All => self.heat_of_all(),
            Threads::One(ThreadId(one)) => self.threads.get(one as usize).map(|one| &one.heat),
            Threads::SameName(ThreadId(one)) => match &self.threads_in_view(threads)[..] {
                [] => None,
                [alone] => Some(&self.threads[*alone].heat),
                _ => self.groups.heat(&self.threads[one as usize].name()),
            },
        }
    }

    /// What a title calls a thread: its name, and which one it is if others have that name, too:
    /// `worker #2` is the second of them ever seen, for as long as nobody is renamed.
    pub(super) fn thread_title(&self, thread: ThreadId) -> Option<String> {
        let name = self.threads.get(thread.0 as usize)?.name();
        let all = self.threads_in_view(Threads::SameName(thread));
        let place = all.iter().position(|at| *at == thread.0 as usize);
        match place.filter(|_| all.len() > 1) {
            Some(place) => Some(format!("{name} #{}", place + 1)),
            None => Some(name),
        }
    }
}
