//! The call paths of the threads in view, in the order of a flame graph: line by line, callees of one caller side by
//! side. They change when there are new stacks, or other threads in view. The flame graph is built anew ten times a
//! second, and mostly it is the times alone that have changed.

use crate::flame::NONE;
use crate::process::frame::indices::GLOBAL;
use crate::process::query::values::{NodeValues, ThreadValues};
use std::collections::HashMap;

/// A call path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FlamePath {
    pub(super) zone: u32,
    pub(super) depth: u32,
}

/// The callees of a call path that has any.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Callees {
    pub(super) caller: u32,
    /// Where they stand among all call paths: side by side, after their caller.
    pub(super) first: u32,
    pub(super) end: u32,
}

/// See the module's comment.
#[derive(Debug, Default)]
pub(super) struct FlamePaths {
    /// The threads in view, and how many nodes they had, when the paths were found. A thread's nodes stay.
    found_in: Vec<(usize, usize)>,
    paths: Vec<FlamePath>,
    callees: Vec<Callees>,
    /// Those of idle zones.
    idle: Vec<u32>,
    /// By thread in view and node: its call path.
    of_nodes: Vec<Vec<u32>>,
    /// The paths in the order of nodes, each after its caller; and by caller and zone, where several threads are added
    /// up.
    found: Vec<FoundPath>,
    known: HashMap<(u32, u32), u32>,
    /// By call path: the path found.
    order: Vec<u32>,
}

/// A call path, as it is found.
#[derive(Clone, Copy, Debug)]
struct FoundPath {
    path: FlamePath,
    parent: u32,
    /// The first callee, and the next callee of the caller, or [`NONE`].
    first: u32,
    next: u32,
    /// Its place in the order of lines.
    place: u32,
}

impl FoundPath {
    fn new(zone: u32, parent: u32, depth: u32) -> FoundPath {
        FoundPath {
            path: FlamePath { zone, depth },
            parent,
            first: NONE,
            next: NONE,
            place: 0,
        }
    }
}

impl FlamePaths {
    /// Finds the call paths of the threads that have `values`, if they are others than before.
    pub(super) fn follow(&mut self, values: &NodeValues<'_>, is_idle: impl Fn(u32) -> bool) {
        let threads = values.threads.iter();
        let threads = threads.map(|thread| (thread.at, thread.nodes.len()));
        if !self.paths.is_empty() && threads.clone().eq(self.found_in.iter().copied()) {
            return;
        }
        self.found_in.clear();
        self.found_in.extend(threads);
        self.find(values);
        self.put_in_order(is_idle);
    }

    /// The root first.
    pub(super) fn paths(&self) -> &[FlamePath] {
        &self.paths
    }

    /// The callees of all that have any, in the order of these.
    pub(super) fn callees(&self) -> &[Callees] {
        &self.callees
    }

    /// The call paths of idle zones.
    pub(super) fn idle(&self) -> &[u32] {
        &self.idle
    }

    /// Adds up numbers of the threads in view by call path.
    pub(super) fn sum<'a>(
        &self,
        threads: &'a [ThreadValues<'a>],
        list: impl Fn(&'a ThreadValues<'a>) -> &'a [f64],
        sums: &mut Vec<f64>,
    ) {
        sums.clear();
        if let [thread] = threads {
            // It has one node for each call path.
            let numbers = list(thread);
            let number = |node: &u32| numbers.get(*node as usize).copied().unwrap_or_default();
            sums.extend(self.order.iter().map(number));
            return;
        }
        sums.resize(self.paths.len(), 0.0);
        for (thread, of_nodes) in threads.iter().zip(&self.of_nodes) {
            for (path, number) in of_nodes.iter().zip(list(thread)) {
                sums[*path as usize] += number;
            }
        }
    }

    fn find(&mut self, values: &NodeValues<'_>) {
        let FlamePaths {
            found,
            of_nodes,
            known,
            ..
        } = self;
        found.clear();
        known.clear();
        found.push(FoundPath::new(GLOBAL, 0, 0));
        of_nodes.resize_with(values.threads.len(), Vec::new);
        let is_merged = values.threads.len() > 1;
        for (thread, of_nodes) in values.threads.iter().zip(of_nodes) {
            of_nodes.clear();
            for (at, node) in thread.nodes.iter().enumerate() {
                if at == 0 {
                    of_nodes.push(0);
                    continue;
                }
                let parent = of_nodes[node.parent as usize];
                let mut new = || {
                    let depth = found[parent as usize].path.depth + 1;
                    found.push(FoundPath::new(node.zone, parent, depth));
                    found.len() as u32 - 1
                };
                // A thread has one node for each of its stacks.
                of_nodes.push(match is_merged {
                    true => *known.entry((parent, node.zone)).or_insert_with(new),
                    false => new(),
                });
            }
        }
    }

    /// Puts the paths in the order of lines; in each, callees stand in the order in which they were found.
    fn put_in_order(&mut self, is_idle: impl Fn(u32) -> bool) {
        let FlamePaths {
            found,
            paths,
            callees,
            idle,
            order,
            of_nodes,
            ..
        } = self;
        for at in (1..found.len()).rev() {
            let parent = found[at].parent as usize;
            found[at].next = std::mem::replace(&mut found[parent].first, at as u32);
        }
        paths.clear();
        callees.clear();
        idle.clear();
        order.clear();
        order.push(0);
        let mut place = 0;
        while let Some(at) = order.get(place) {
            let of = &mut found[*at as usize];
            of.place = place as u32;
            paths.push(of.path);
            if is_idle(of.path.zone) {
                idle.push(place as u32);
            }
            let first = order.len() as u32;
            let mut callee = of.first;
            while callee != NONE {
                order.push(callee);
                callee = found[callee as usize].next;
            }
            let end = order.len() as u32;
            if end > first {
                callees.push(Callees {
                    caller: place as u32,
                    first,
                    end,
                });
            }
            place += 1;
        }
        for path in of_nodes.iter_mut().flatten() {
            *path = found[*path as usize].place;
        }
    }
}
