//! A thread that has recorded something: its tree, its heat and its overhead limit.
//!
//! # Thread groups
//!
//! A view can combine all threads whose names differ only in a trailing number. Every report determines the group from
//! scratch, because [`set_thread_name`](fn.set_thread_name.html) can rename threads.
//!
//! A group's values are the sums of its threads' values. Heat can't be summed (see [`heat`](crate::heat)), so it is
//! tracked in every frame for each group name shared by several threads.

use crate::frame_sums::FrameSums;
use crate::heat::HeatMap;
use crate::indices::Indices;
use crate::moving_average::{AverageClock, Averages};

use crate::thread_tree::ThreadTree;
use crate::threads::group_name;
use crate::untimed_nodes::OverheadController;
use iprof_gather::clock::Ticks;
use iprof_gather::{Fault, ThreadRecord};
use std::cell::RefCell;
use std::collections::HashMap;

use std::ops::{Deref, DerefMut};

/// A thread, or several threads with the same name that used the same record one after another.
#[derive(Debug)]
pub struct Thread {
    pub(crate) tree: ThreadTree,
    pub(crate) heat: HeatMap,
    pub(crate) overhead: OverheadController,
    /// The average GPU milliseconds for each node. Empty if no node submitted work.
    pub(crate) gpu: Vec<Averages<1>>,
    /// Whether the thread had ended at the last reset and has recorded nothing since.
    pub(crate) gone: bool,
    pub(crate) faults_before: [u64; Fault::ALL.len()],
    list_pool: ListPool,
}

impl Thread {
    pub(crate) fn new(record: &'static ThreadRecord, begin: Ticks) -> Thread {
        Thread {
            tree: ThreadTree::new(record, begin),
            heat: HeatMap::default(),
            overhead: OverheadController::default(),
            gpu: Vec::new(),
            gone: false,
            faults_before: [0; Fault::ALL.len()],
            list_pool: ListPool::default(),
        }
    }

    #[inline]
    pub fn tree(&self) -> &ThreadTree {
        &self.tree
    }

    #[inline]
    pub fn list_pool(&self) -> &ListPool {
        &self.list_pool
    }

    #[inline]
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// Whether the thread is running and has untimed nodes.
    pub(crate) fn is_sampled(&self) -> bool {
        self.overhead.untimed_count() > 0 && self.tree.record().is_owned()
    }

    #[inline]
    pub fn name(&self) -> String {
        self.tree.record().name()
    }

    #[inline]
    pub fn is_named(&self, name: &str) -> bool {
        self.tree.record().is_named(name)
    }

    #[inline]
    pub fn is_in_group(&self, name: &str) -> bool {
        self.tree.record().has_name(|own| group_name(own) == name)
    }
}

/// Several threads whose names differ only in a trailing number.
#[derive(Debug)]
struct ThreadGroup {
    name: String,
    heat: HeatMap,
    /// The sums for the frame being ingested.
    sums: FrameSums,
}

#[derive(Debug, Default)]
pub struct ThreadGroups {
    groups: Vec<ThreadGroup>,
    /// The name of each thread as of the last frame, and the index of its group.
    pub(crate) members: Vec<(String, Option<usize>)>,
}

impl ThreadGroups {
    /// Starts to ingest a frame. `threads` contains all threads, starting with the ones from earlier frames. The
    /// threads' own heat must not include this frame yet.
    ///
    /// A group starts with its first thread's heat, which is exact if the second thread is new. Renaming a thread into
    /// a group shows up as a jump in the group's times, and so does a thread that leaves the group.
    pub fn begin_frame(&mut self, threads: &[Thread], indices: &Indices) {
        let known = self.members.len();
        let is_same = |((name, _), thread): (&(String, _), &Thread)| thread.is_named(name);
        if known != threads.len() || !self.members.iter().zip(threads).all(is_same) {
            self.regroup(threads);
        }
        for group in &mut self.groups {
            group.sums.clear(indices);
        }
    }

    #[inline]
    pub fn add(&mut self, thread: u32, sums: &FrameSums) {
        if let Some(&(_, Some(at))) = self.members.get(thread as usize) {
            self.groups[at].sums.merge(sums);
        }
    }

    /// Ends the frame that `clock` last advanced over. All threads must have been added.
    #[inline]
    pub fn end_frame(&mut self, clock: &AverageClock, indices: &Indices, ms_per_tick: f64) {
        for group in &mut self.groups {
            group.heat.add(clock, indices, &group.sums, ms_per_tick);
        }
    }

    /// Assigns the threads to groups by name. Groups that still exist keep their heat.
    fn regroup(&mut self, threads: &[Thread]) {
        let before = std::mem::take(&mut self.groups);
        let mut before: HashMap<String, ThreadGroup> = before
            .into_iter()
            .map(|group| (group.name.clone(), group))
            .collect();
        self.members.clear();
        let mut first_of: HashMap<String, usize> = HashMap::new();
        for (at, thread) in threads.iter().enumerate() {
            let name = thread.name();
            let first = *first_of.entry(group_name(&name).to_owned()).or_insert(at);
            self.members.push((name, None));
            if first == at {
                continue;
            }
            if self.members[first].1.is_none() {
                self.members[first].1 = Some(self.groups.len());
                let name = group_name(&self.members[first].0);
                let group = before.remove(name).unwrap_or_else(|| ThreadGroup {
                    name: name.to_owned(),
                    heat: threads[first].heat.clone(),
                    sums: FrameSums::default(),
                });
                self.groups.push(group);
            }
            self.members[at].1 = self.members[first].1;
        }
    }

    pub(crate) fn heat(&self, name: &str) -> Option<&HeatMap> {
        let group = self.groups.iter().find(|group| group.name == name);
        group.map(|group| &group.heat)
    }
}

/// The maximum number of unused lists kept per thread: self times and entries for the shown and the compared data, and
/// subtree sums.
const KEPT: usize = 5;

/// A pool of per-node lists, reused between reports.
///
/// Without a pool, `malloc` might return large lists to the system, and each report would have to map and clear their
/// pages again.
#[derive(Debug, Default)]
pub struct ListPool(RefCell<Vec<Vec<f64>>>);

impl ListPool {
    #[inline]
    pub fn zeros(&self, count: usize) -> NodeList<'_> {
        let mut list = self.take();
        list.list.resize(count, 0.0);
        list
    }

    fn take(&self) -> NodeList<'_> {
        NodeList {
            list: self.0.borrow_mut().pop().unwrap_or_default(),
            pool: self,
        }
    }
}

/// A list with a number for each node. When dropped, it returns its memory to the pool.
#[derive(Debug)]
pub struct NodeList<'a> {
    list: Vec<f64>,
    pool: &'a ListPool,
}

impl Clone for NodeList<'_> {
    fn clone(&self) -> Self {
        let mut list = self.pool.take();
        list.list.extend_from_slice(&self.list);
        list
    }
}

impl Drop for NodeList<'_> {
    fn drop(&mut self) {
        let mut spare = self.pool.0.borrow_mut();
        if spare.len() < KEPT {
            let mut list = std::mem::take(&mut self.list);
            list.clear();
            spare.push(list);
        }
    }
}

impl Deref for NodeList<'_> {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.list
    }
}

impl DerefMut for NodeList<'_> {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.list
    }
}

#[cfg(all(test, not(loom)))]
mod list_tests {
    use super::*;

    #[test]
    fn lists_are_reused_and_zeroed() {
        let spare = ListPool::default();
        let mut first = spare.zeros(100);
        first.fill(7.0);
        let place = first.as_ptr();
        drop(first);
        let second = spare.zeros(90);
        assert_eq!(second.as_ptr(), place);
        assert_eq!(*second, [0.0; 90]);
        assert_eq!(*second.clone(), *second);
    }

    #[test]
    fn pool_keeps_a_limited_number_of_lists() {
        let spare = ListPool::default();
        drop(vec![spare.zeros(10); 2 * KEPT]);
        assert_eq!(spare.0.borrow().len(), KEPT);
    }
}
