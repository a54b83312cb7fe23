//! Which timer group a node belongs to in a frame; begins the estimate of a node that has become untimed.

use super::{GroupRules, ThreadTree};
use crate::gather::class;

impl ThreadTree {
    /// The timed ancestor of `node`, now or for a part of the frame; `node` itself if it was timed
    /// throughout.
    pub(super) fn timed_ancestor(&mut self, node: u32, groups: GroupRules) -> u32 {
        let index = node as usize;
        let class = self.states[index].node.class();
        let may_be = node > 0 && class != class::COUNTER;
        let is_untimed = may_be && class >= groups.cutoff;
        let was_untimed = self.rare[index].untimed_in == self.frame.wrapping_sub(1);
        if is_untimed {
            self.rare[index].untimed_in = self.frame;
        }
        let is_member = is_untimed || was_untimed || may_be && groups.any_briefly_untimed;
        if is_member && !was_untimed {
            let [ms, entries] = self.averages[index].undecayed(0);
            let state = &mut self.states[index];
            let had_clock = std::mem::take(&mut state.timed_since)
                || self.exact_until > self.rare[index].untimed_at + 0.01;
            let timed_ancestor = self.rare[self.links[index].parent as usize].timed_ancestor;
            self.estimator
                .seed(node, timed_ancestor, ms / entries, had_clock);
        } else if !is_member {
            self.states[index].timed_since = true;
        }
        let timed_ancestor = if is_member {
            self.rare[self.links[index].parent as usize].timed_ancestor
        } else {
            node
        };
        self.rare[index].timed_ancestor = timed_ancestor;
        if groups.is_recorded && timed_ancestor != node {
            self.rare[index].untimed_at = self.recorded_seconds;
        }
        timed_ancestor
    }
}
