//! Subtree sums and depth-first walks, for trees stored as lists of nodes with parents before children. Nothing here is
//! recursive, because recorded stacks can be deeper than the program's own stack.

use std::cmp::Reverse;

/// Computes subtree sums. All hierarchical times are computed with this function.
///
/// Visits children before parents. Calls `each` with a node once `values` holds the sum of its subtree, then calls
/// `pass_up` with the node and its parent to add the sum to the parent's value. The first node is the root. A node is
/// only passed up if its parent comes before it.
///
/// A zone's hierarchical time is the sum over its *outermost* nodes, which have no ancestor of the same zone. So each
/// moment counts once, even if a stack contains the zone several times.
#[inline]
pub fn sum_up<V: ?Sized>(
    values: &mut V,
    count: usize,
    parent: impl Fn(usize) -> usize,
    pass_up: impl Fn(&mut V, usize, usize),
    mut each: impl FnMut(&V, usize),
) {
    for node in (0..count).rev() {
        each(values, node);
        let parent = parent(node);
        if parent < node {
            pass_up(values, node, parent);
        }
    }
}

/// Replaces each node's value with the sum of its subtree, as computed by [`sum_up`]. `values` may be empty.
pub fn sum<T: Copy>(values: &mut [T], parent: impl Fn(usize) -> usize, add: impl Fn(&mut T, T)) {
    let pass_up = |values: &mut [T], node: usize, parent: usize| {
        let value = values[node];
        add(&mut values[parent], value);
    };
    sum_up(values, values.len(), parent, pass_up, |_, _| {});
}

/// One step of a walk, with the node's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The walk enters the node. All of its ancestors have been entered and not left.
    Enter(usize),
    /// The walk leaves the node. All of its children have been visited.
    Leave(usize),
}

/// Walks through `count` nodes. Children are visited in list order.
pub fn walk(count: usize, parent: impl Fn(usize) -> usize, mut each: impl FnMut(Step)) {
    const NONE: u32 = u32::MAX;
    if count == 0 {
        return;
    }
    // Each node's first child and next sibling. All sources number nodes with 32 bits.
    let (mut first, mut next) = (vec![NONE; count], vec![NONE; count]);
    for node in (1..count).rev() {
        next[node] = std::mem::replace(&mut first[parent(node)], node as u32);
    }
    let mut at = 0;
    each(Step::Enter(at));
    loop {
        // Go down to the first child or, without one, on to the next sibling of the node or of an ancestor.
        let mut child = first[at];
        while child == NONE {
            each(Step::Leave(at));
            if at == 0 {
                return;
            }
            child = next[at];
            at = parent(at);
        }
        at = child as usize;
        each(Step::Enter(at));
    }
}

/// Returns, for each node, the outermost node of the same row on its stack. `row` returns a node's row, which must be
/// less than `rows`.
pub fn outermost(
    count: usize,
    rows: usize,
    parent: impl Fn(usize) -> usize,
    row: impl Fn(usize) -> usize,
) -> Vec<usize> {
    let mut outermost = vec![0; count];
    // Each row's outermost node on the current stack.
    let mut open = vec![None; rows];
    walk(count, parent, |step| match step {
        Step::Enter(node) => outermost[node] = *open[row(node)].get_or_insert(node),
        Step::Leave(node) => {
            open[row(node)].take_if(|outermost| *outermost == node);
        }
    });
    outermost
}

#[derive(Clone, Debug, Default)]
pub struct Children {
    /// The position in `children` at which each node's children begin, plus a final entry for the end of the list.
    starts: Vec<usize>,
    children: Vec<usize>,
}

impl Children {
    /// Sorts children by descending value. Children with equal values keep their order.
    pub fn by(values: &[u64], parent: impl Fn(usize) -> usize) -> Children {
        let count = values.len();
        let mut starts = vec![0; count + 1];
        for node in 1..count {
            starts[parent(node) + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut children = vec![0; count.saturating_sub(1)];
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|node| Reverse(values[*node]));
        for node in order {
            if node > 0 {
                let position = &mut next[parent(node)];
                children[*position] = node;
                *position += 1;
            }
        }
        Children { starts, children }
    }

    pub fn below(&self, node: usize) -> &[usize] {
        &self.children[self.starts[node]..self.starts[node + 1]]
    }

    pub fn walk(&self, mut each: impl FnMut(Step)) {
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Step::{Enter, Leave};
    use super::*;

    /// The root has two children, and the first child has one child.
    const PARENTS: [usize; 4] = [0, 0, 0, 1];

    fn steps(walk: impl FnOnce(&mut dyn FnMut(Step))) -> Vec<Step> {
        let mut steps = Vec::new();
        walk(&mut |step| steps.push(step));
        steps
    }

    #[test]
    fn children_are_walked_inside_their_parent() {
        let parent = |node: usize| PARENTS[node];
        let below_1 = [Enter(1), Enter(3), Leave(3), Leave(1)];
        let below_2 = [Enter(2), Leave(2)];
        let in_order = steps(|each| walk(4, parent, each));
        assert_eq!(
            in_order,
            [&[Enter(0)][..], &below_1, &below_2, &[Leave(0)]].concat()
        );
        let by_value = steps(|each| Children::by(&[0, 1, 2, 0], parent).walk(each));
        assert_eq!(
            by_value,
            [&[Enter(0)][..], &below_2, &below_1, &[Leave(0)]].concat()
        );
    }

    #[test]
    fn sums_cover_whole_subtrees() {
        let mut values = [1, 10, 100, 1000];
        sum(
            &mut values,
            |node| PARENTS[node],
            |sum, value| *sum += value,
        );
        assert_eq!(values, [1111, 1010, 100, 1000]);
    }

    #[test]
    fn each_row_has_one_outermost_node_per_stack() {
        let parents = [0, 0, 1, 2, 0, 4];
        let rows = [0, 1, 2, 1, 2, 2];
        let found = outermost(6, 3, |node| parents[node], |node| rows[node]);
        assert_eq!(found, [0, 1, 2, 1, 4, 4]);
    }

    #[test]
    fn nodes_listed_before_their_parent_are_skipped() {
        let mut values = [1, 10, 100];
        sum(
            &mut values,
            |node| [0, 2, 0][node],
            |sum, value| *sum += value,
        );
        assert_eq!(values, [101, 10, 100]);
    }

    #[test]
    fn empty_trees_have_no_steps() {
        let parent = |_| unreachable!();
        assert!(steps(|each| walk(0, parent, each)).is_empty());
        assert!(steps(|each| Children::by(&[], parent).walk(each)).is_empty());
        sum(&mut [0; 0], parent, |_, _| unreachable!());
    }

    #[test]
    fn trees_can_be_deeper_than_the_stack() {
        let count = 1_000_000;
        let parent = |node: usize| node.saturating_sub(1);
        let (mut in_order, mut by_value) = (0, 0);
        walk(count, parent, |_| in_order += 1);
        Children::by(&vec![1; count], parent).walk(|_| by_value += 1);
        assert_eq!([in_order, by_value], [2 * count; 2]);
    }
}
