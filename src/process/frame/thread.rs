//! A thread that recorded something: its tree, its heat, its budget.

use crate::clock::Ticks;
use crate::gather::Fault;
use crate::gather::ThreadRecord;
use crate::process::frame::heat::HeatMap;
use crate::process::frame::spare_lists::SpareLists;
use crate::process::frame::thread_tree::ThreadTree;
use crate::process::moving_average::Averages;
use crate::process::untimed::Budget;
use crate::threads::group_name;

/// A thread, or several threads of the same name that used the same record one after the other.
#[derive(Debug)]
pub(crate) struct Thread {
    pub(super) tree: ThreadTree,
    pub(super) heat: HeatMap,
    pub(super) budget: Budget,
    /// By node: the average GPU milliseconds. Empty if no node submitted work.
    pub(super) gpu: Vec<Averages<1>>,
    /// Whether the thread had ended at the last reset, and no other thread has taken over its
    /// record since.
    pub(super) gone: bool,
    /// The number of faults before the last reset.
    pub(super) faults_before: [u64; Fault::ALL.len()],
    lists: SpareLists,
}

impl Thread {
    /// The thread of a record that is new. Its time counts from `begin`.
    pub(super) fn new(record: &'static ThreadRecord, begin: Ticks) -> Thread {
        Thread {
            tree: ThreadTree::new(record, begin),
            heat: HeatMap::default(),
            budget: Budget::default(),
            gpu: Vec::new(),
            gone: false,
            faults_before: [0; Fault::ALL.len()],
            lists: SpareLists::default(),
        }
    }

    pub(crate) fn tree(&self) -> &ThreadTree {
        &self.tree
    }

    /// Lists for reports.
    pub(crate) fn lists(&self) -> &SpareLists {
        &self.lists
    }

    /// Whether the thread had ended at the last reset, and has recorded nothing since.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Whether the thread is running and has untimed nodes.
    pub(super) fn is_sampled(&self) -> bool {
        self.budget.untimed_count() > 0 && self.tree.record().is_owned()
    }

    pub(crate) fn name(&self) -> String {
        self.tree.record().name()
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.tree.record().is_named(name)
    }

    /// Whether `name` is that of the thread's group.
    pub(crate) fn is_in_group(&self, name: &str) -> bool {
        self.tree.record().has_name(|own| group_name(own) == name)
    }
}
