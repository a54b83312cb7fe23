//! Computes totals for sets of zones, such as zone groups and folded rows.
//!
//! A set's self time and entries are sums over its zones. Its hierarchical time is not, because zones in a set that
//! call each other share time. Instead, it is the time of all stacks that contain any zone in the set. A node's subtree
//! therefore counts only if no other node of the set is below it on the stack. A depth-first walk finds these outermost
//! nodes by counting each set's nodes on the current stack, in linear time however many sets there are.

use crate::query::sums::outermost_nodes;
use crate::query::sums::{RowSums, RowTotals, Subtrees};
use crate::query::values::NodeValues;
use crate::report::Recursion;
use iprof_process::NONE;
use iprof_process::subtree::{self, Step};
use iprof_process::thread_tree::TreeNode;

/// Sets of rows, which may be nested.
#[derive(Clone, Copy, Debug)]
pub(super) struct ZoneSets<'a> {
    /// The innermost set of each row, or [`NONE`]. The last row is the idle time outside zones, as in
    /// [`TotalsByRow`](crate::query::sums::TotalsByRow).
    pub by_row: &'a [u32],
    /// The parent of each set, or [`NONE`].
    pub above: &'a [u32],
}

impl ZoneSets<'_> {
    /// Returns a set and all its ancestors, innermost first.
    fn chain(self, set: u32) -> impl Iterator<Item = u32> {
        let above = move |set: &u32| self.above.get(*set as usize).copied();
        std::iter::successors(Some(set), above).take_while(|set| *set != NONE)
    }
}

/// Returns each set's totals, with `on_behalf_of` as in [`totals_by_row`](crate::query::sums::totals_by_row).
pub(super) fn totals_of_sets(
    values: &NodeValues<'_>,
    recursion: Recursion,
    sets: ZoneSets<'_>,
    on_behalf_of: Option<u32>,
) -> Vec<RowTotals> {
    let mut totals = RowSums::new(sets.above.len());
    add_sets(&mut totals, values, recursion, sets, on_behalf_of);
    totals.into_totals()
}

/// Like [`totals_of_sets`], but adds to `totals`.
pub(super) fn add_sets(
    totals: &mut RowSums,
    values: &NodeValues<'_>,
    recursion: Recursion,
    sets: ZoneSets<'_>,
    on_behalf_of: Option<u32>,
) {
    for (at, thread) in values.threads.iter().enumerate() {
        let caller = on_behalf_of.map(|row| outermost_nodes(thread.nodes, recursion, row));
        let set_of = |(index, node): (usize, &TreeNode)| {
            let row = recursion.row_of(node);
            let is_counted = match &caller {
                None => true,
                Some(caller) => caller[index] != NONE && Some(row) != on_behalf_of,
            };
            if is_counted {
                sets.by_row[row as usize]
            } else {
                NONE
            }
        };
        let set: Vec<u32> = thread.nodes.iter().enumerate().map(set_of).collect();
        let idle_outside = match (sets.by_row.last(), on_behalf_of) {
            (Some(set), None) if thread.is_idle_outside => Some(*set),
            _ => None,
        };
        // Only the root is on the stack during idle time outside zones.
        for idle in sets.chain(idle_outside.unwrap_or(NONE)) {
            totals.add_self(idle, at, thread, 0);
            if !sets.chain(set[0]).any(|set| set == idle) {
                totals.add_time(idle, at, thread, 0);
            }
        }
        if set.iter().all(|set| *set == NONE) {
            continue;
        }
        // The number of each set's nodes on the stack.
        let mut on_stack = vec![0u32; sets.above.len()];
        let mut subtrees = Subtrees::new(thread);
        let parent = |node: usize| thread.nodes[node].parent as usize;
        subtree::walk(thread.nodes.len(), parent, |step| match step {
            Step::Enter(index) => {
                let sets = sets.chain(set[index]);
                sets.for_each(|set| on_stack[set as usize] += 1);
            }
            Step::Leave(index) => {
                for set in sets.chain(set[index]) {
                    if index > 0 || idle_outside.is_none() {
                        totals.add_self(set, at, thread, index);
                    }
                    let on_stack = &mut on_stack[set as usize];
                    *on_stack -= 1;
                    if *on_stack == 0 {
                        totals.add_subtree(set, at, thread, index, &subtrees);
                    }
                }
                if index > 0 {
                    subtrees.pass_up(thread, index, parent(index));
                }
            }
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::query::values::ThreadValues;
    use iprof_process::Timing;
    use iprof_process::thread::ListPool;
    use iprof_process::untimed_nodes::{NodeVariances, RowVariances};
    use proptest::prelude::*;

    const ROWS: u32 = 5;
    /// Three sets, the second of which is part of the first.
    const ABOVE: [u32; 3] = [NONE, 0, NONE];

    /// A random node: its parent, row and time, and whether it shares its parent's clock.
    type Drawn = (prop::sample::Index, u32, u32, bool);

    /// Creates a thread of random nodes. Only their `parent` and `zone` matter here.
    fn thread<'a>(
        drawn: &[Drawn],
        is_idle_outside: bool,
        nodes: &'a mut Vec<TreeNode>,
        lists: &'a ListPool,
    ) -> ThreadValues<'a> {
        let (mut self_time, mut errors) = (Vec::new(), Vec::new());
        for (at, (parent, zone, time, shares)) in drawn.iter().enumerate() {
            let parent = if at == 0 { 0 } else { parent.index(at) };
            nodes.push(TreeNode {
                parent: parent as u32,
                zone: *zone,
                spread: 0,
                level: 0,
                edge: 0,
                outermost: 0,
                next_alike: NONE,
            });
            self_time.push(f64::from(*time));
            let error = f64::from(*time * 3).sqrt();
            errors.push(if *shares { error } else { -error });
        }
        let parent = |node: usize| nodes[node].parent as usize;
        let errors = errors.into_iter().enumerate();
        let sampled = NodeVariances::of_errors(&self_time, parent, errors);
        let list = |numbers: Vec<f64>| {
            let mut list = lists.zeros(numbers.len());
            list.copy_from_slice(&numbers);
            list
        };
        ThreadValues {
            at: 0,
            nodes,
            is_idle_outside,
            entries: list(vec![1.0; drawn.len()]),
            // GPU sums must be twice the times, and value sums must be minus three times them.
            gpu: self_time.iter().map(|time| 2.0 * time).collect(),
            named: self_time.iter().map(|time| -3.0 * time).collect(),
            value_nodes: &[],
            self_time: list(self_time),
            net: None,
            cost: 0.0,
            sampled,
        }
    }

    /// Computes the sums of a set by walking down the stack of each node, as a reference.
    fn naive(thread: &ThreadValues<'_>, by_row: &[u32], set: u32, of: Option<u32>) -> [f64; 5] {
        let sets = ZoneSets {
            by_row,
            above: &ABOVE,
        };
        let (mut own, mut any) = (RowVariances::default(), RowVariances::default());
        let mut sums = [0.0; 5];
        for (index, node) in thread.nodes.iter().enumerate() {
            let mut stack = vec![index];
            while *stack.last().unwrap() != 0 {
                stack.push(thread.nodes[*stack.last().unwrap()].parent as usize);
            }
            let row = |at: &usize| thread.nodes[*at].zone;
            // Keep the portion of the stack above the outermost node of `of`.
            if let Some(of) = of {
                let outermost = stack.iter().rposition(|at| row(at) == of);
                stack.truncate(outermost.unwrap_or(0));
                stack.retain(|at| row(at) != of);
            }
            let is_in = |at: &usize| sets.chain(by_row[row(at) as usize]).any(|s| s == set);
            let is_idle = index == 0 && thread.is_idle_outside && of.is_none();
            let is_in_idle = sets.chain(by_row[ROWS as usize]).any(|s| s == set);
            let add = |variances: &mut RowVariances| {
                if let Some(sampled) = &thread.sampled {
                    let part = sampled.part(index, thread.self_time[index]);
                    variances.add(0, 0, sampled, index, part);
                }
            };
            let time = thread.self_time[index];
            if stack.iter().any(is_in) || is_idle && is_in_idle {
                sums[1] += time;
                add(&mut any);
            }
            let is_top_in = match is_idle {
                true => is_in_idle,
                false => is_in(&index),
            };
            if stack.first() == Some(&index) && is_top_in {
                assert_eq!(row(&index), node.zone);
                sums[0] += time;
                sums[2] += thread.entries[index];
                add(&mut own);
            }
        }
        own.for_each(|_, variance| sums[3] += variance);
        any.for_each(|_, variance| sums[4] += variance);
        sums
    }

    /// Checks that `merged` sums the same values as [`totals_of_sets`].
    fn check_merged(thread: &ThreadValues<'_>, by_row: &[u32], unions: &[RowTotals]) {
        let mut rows = RowSums::new(by_row.len());
        for (index, node) in thread.nodes.iter().enumerate() {
            let row = match index == 0 && thread.is_idle_outside {
                true => ROWS,
                false => node.zone,
            };
            rows.add_self(row, 0, thread, index);
            rows.add_time(row, 0, thread, index);
        }
        let close = |a: f64, b: f64| (a - b).abs() < 1e-6 * b.max(1.0);
        let merged = rows.merged(by_row, unions.len());
        for (set, (merged, union)) in merged.iter().zip(unions).enumerate() {
            // `merged` counts rows only in the innermost set, not in its ancestors.
            if ABOVE.contains(&(set as u32)) {
                continue;
            }
            assert!(close(merged.self_time, union.self_time));
            assert!(close(merged.hier, union.self_time));
            assert!(close(merged.entries, union.entries));
            assert!(close(merged.self_variance, union.self_variance));
            assert!(close(merged.hier_variance, union.self_variance));
            let gpu = [merged.gpu_self, merged.gpu_hier];
            assert!(gpu.iter().all(|gpu| close(*gpu, union.gpu_self)));
            let named = [merged.named_self, merged.named_hier];
            assert!(named.iter().all(|named| close(*named, union.named_self)));
        }
    }

    proptest! {
        #[test]
        fn unions_match_the_naive_sums(
            drawn in prop::collection::vec(
                (any::<prop::sample::Index>(), 0..ROWS, 0u32..1_000, any::<bool>()),
                1..40,
            ).prop_map(|mut drawn| { drawn[0].3 = false; drawn }),
            by_row in prop::collection::vec(
                prop_oneof![Just(NONE), 0u32..ABOVE.len() as u32],
                ROWS as usize + 1,
            ),
            is_idle_outside in any::<bool>(),
            of in prop::option::of(0..ROWS),
        ) {
            let (mut nodes, lists) = (Vec::new(), ListPool::default());
            let values = NodeValues {
                threads: vec![thread(&drawn, is_idle_outside, &mut nodes, &lists)],
                ms: 1.0,
                frame_ms: 0.0,
                frames: None,
                timing: Timing::Exact,
                sampler: 0.0,
                whole: true,
                fades: false,
            };
            let sets = ZoneSets { by_row: &by_row, above: &ABOVE };
            let totals = totals_of_sets(&values, Recursion::Flatten, sets, of);
            if of.is_none() {
                check_merged(&values.threads[0], &by_row, &totals);
            }
            for (set, totals) in (0u32..).zip(totals) {
                let wanted = naive(&values.threads[0], &by_row, set, of);
                let got = [
                    totals.self_time,
                    totals.hier,
                    totals.entries,
                    totals.self_variance,
                    totals.hier_variance,
                ];
                let gpu = [totals.gpu_self, totals.gpu_hier];
                prop_assert_eq!(gpu, [2.0 * totals.self_time, 2.0 * totals.hier]);
                let named = [totals.named_self, totals.named_hier];
                prop_assert_eq!(named, [-3.0 * totals.self_time, -3.0 * totals.hier]);
                for (got, wanted) in got.into_iter().zip(wanted) {
                    prop_assert!((got - wanted).abs() < 1e-6 * wanted.max(1.0), "got {got}, wanted {wanted}");
                }
            }
        }
    }
}
