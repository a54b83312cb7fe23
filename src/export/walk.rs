//! Depth-first walk of a thread's call tree without recursion: recorded stacks can be deeper than the
//! program's own stack.

use crate::snapshot::SnapshotThread;

/// A step of the walk, with the position of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The walk enters the node; all of its ancestors are open.
    Enter(usize),
    /// The walk leaves the node; all of its children are done.
    Leave(usize),
}

/// The children of every node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Children {
    /// By node: where its children begin in `children`. One more entry marks the end of the last node's
    /// children.
    starts: Vec<usize>,
    children: Vec<usize>,
}

impl Children {
    /// Children in the order of the nodes.
    pub(crate) fn of(thread: &SnapshotThread) -> Children {
        let count = thread.nodes.len();
        let mut starts = vec![0; count + 1];
        for node in thread.nodes.iter().skip(1) {
            starts[node.parent as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut children = vec![0; count.saturating_sub(1)];
        for (at, node) in thread.nodes.iter().enumerate().skip(1) {
            let place = &mut next[node.parent as usize];
            children[*place] = at;
            *place += 1;
        }
        Children { starts, children }
    }

    /// Children with the largest value first; `values` are by node.
    pub(crate) fn by(thread: &SnapshotThread, values: &[u64]) -> Children {
        let mut of = Children::of(thread);
        for node in 0..thread.nodes.len() {
            let (from, to) = (of.starts[node], of.starts[node + 1]);
            of.children[from..to].sort_by_key(|child| std::cmp::Reverse(values[*child]));
        }
        of
    }

    /// The children of a node.
    pub(crate) fn below(&self, node: usize) -> &[usize] {
        &self.children[self.starts[node]..self.starts[node + 1]]
    }

    /// Walks through all nodes, from the root.
    pub(crate) fn walk(&self, mut each: impl FnMut(Step)) {
        if self.starts.len() < 2 {
            return;
        }
        let mut steps = vec![Step::Enter(0)];
        while let Some(step) = steps.pop() {
            each(step);
            if let Step::Enter(at) = step {
                steps.push(Step::Leave(at));
                let children = self.below(at).iter().rev();
                steps.extend(children.map(|child| Step::Enter(*child)));
            }
        }
    }
}

/// Walks through all nodes of a thread, children in the order in which they were first entered.
pub(crate) fn walk(thread: &SnapshotThread, each: impl FnMut(Step)) {
    Children::of(thread).walk(each);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::SnapshotThread;

    #[test]
    fn children_come_between_the_steps_of_their_parent() {
        let mut thread = SnapshotThread::new("main");
        let a = thread.child(0, 1);
        let b = thread.child(0, 2);
        let c = thread.child(a, 2);
        let mut steps = Vec::new();
        walk(&thread, |step| steps.push(step));
        use Step::{Enter, Leave};
        let down = [Enter(0), Enter(a), Enter(c), Leave(c), Leave(a)];
        assert_eq!(steps[..5], down);
        assert_eq!(steps[5..], [Enter(b), Leave(b), Leave(0)]);
        let by_value = Children::by(&thread, &[0, 1, 2, 0]);
        assert_eq!(by_value.below(0), [b, a]);
    }

    #[test]
    fn a_thread_without_even_a_root_has_no_steps() {
        let mut thread = SnapshotThread::new("main");
        thread.nodes.clear();
        walk(&thread, |step| panic!("{step:?}"));
    }

    #[test]
    fn a_tree_may_be_deeper_than_the_programs_stack() {
        let mut thread = SnapshotThread::new("main");
        for at in 0..1_000_000 {
            thread.nodes.push(crate::SnapshotNode {
                parent: at,
                ..crate::SnapshotNode::default()
            });
        }
        let mut steps = 0;
        walk(&thread, |_| steps += 1);
        assert_eq!(steps, 2_000_002);
    }
}
