//! Computes the nodes' deltas for a frame from their own clocks and counters: reads the thread's record, and walks the
//! nodes that the thread was in.

use super::{GroupRules, SleepingThread, ThreadTree};
use crate::NONE;
use crate::untimed_nodes::{Member, NodeDelta};
use iprof_gather::clock::{self, Ticks};
use iprof_gather::{MAX_CLOCK_SKEW, Reading, class};

impl ThreadTree {
    /// Appends the deltas from the nodes' own clocks and counters to `deltas`, corrected to add up to the time that
    /// passed. Returns the time that passed.
    pub(super) fn collect_deltas(
        &mut self,
        now: Ticks,
        reading: Option<Reading>,
        groups: Option<GroupRules>,
        deltas: &mut Vec<NodeDelta>,
    ) -> Ticks {
        let start = deltas.len();
        let boundary = std::mem::replace(&mut self.boundary, now);
        let passed = clock::passed(boundary, now);
        let was_reset = clock::was_reset(boundary, now);
        // Modulo 2^64, being set far ahead is the same as being set back.
        let back = was_reset.then_some(boundary.wrapping_sub(now));
        let back = back.filter(|back| *back > MAX_CLOCK_SKEW);
        let was_asleep = self.asleep;
        let discards_unattributed = self.detect_set_back(reading, now, back);
        if discards_unattributed {
            self.full_walk_until = self.frame;
        }
        let now = self
            .asleep
            .map_or(now, |asleep| now.wrapping_add(asleep.set_back_by));
        let attributed_before = self.attributed_ticks;
        let new_ticks = self.walk(now, reading, groups, deltas, discards_unattributed);
        let timed_ancestor = reading.map_or(0, |reading| reading.timed_ancestor);
        // This is read once for everything below, because the next thread may take over the record in the meantime.
        let counter_resets = self.record.counter_resets();
        let (generation, owned_for) = self.record.ownership(now);
        let is_owned = generation % 2 == 1;
        let total = unattributed(owned_for, attributed_before);
        // The thread has noticed a counter change that the frames haven't: the thread slept while the counter went
        // ahead by years in small steps.
        let has_noticed_reset =
            std::mem::replace(&mut self.counter_resets, counter_resets) != counter_resets;
        let is_behind = has_noticed_reset && unattributed(attributed_before, owned_for) > 0;
        let deltas_now = &mut deltas[start..];
        let wanted = if discards_unattributed {
            // The thread woke up at an unknown moment of this frame.
            let slept = if is_owned { passed } else { 0 };
            let timed_ancestor = was_asleep.map_or(timed_ancestor, |asleep| asleep.timed_ancestor);
            self.adjust_deltas_only(deltas_now, new_ticks, slept, timed_ancestor);
            self.attributed_ticks = owned_for;
            slept
        } else if total <= passed && !is_behind {
            self.adjust_attributed(deltas_now, new_ticks, total, timed_ancestor);
            if self.ended && !is_owned && self.finished_generation != Some(generation) {
                // Nodes to which too much time was attributed can no longer catch up.
                self.mark_all_attributed(owned_for, None);
                self.finished_generation = Some(generation);
            }
            total
        } else if !self.had_ended && !is_owned && !is_behind {
            // The thread ended after `now`. Its counts after `now` go into the next frame.
            self.adjust_attributed(deltas_now, new_ticks, passed, timed_ancestor);
            passed
        } else {
            // The counter was changed. Earlier counts can't be placed in time, so they are marked as attributed, and
            // the deltas are adjusted to the time that passed.
            self.adjust_deltas_only(deltas_now, new_ticks, passed, timed_ancestor);
            self.mark_all_attributed(owned_for, reading);
            passed
        };
        let is_idle = |delta: &NodeDelta| delta.ticks == 0 && delta.entries == 0;
        if deltas[start..].iter().all(is_idle) {
            // These are the root and the timed ancestor on a thread that did nothing.
            deltas.truncate(start);
        }
        wanted
    }

    /// Makes the deltas add up to `wanted`, and adjusts the attributed ticks accordingly.
    pub(super) fn adjust_attributed(
        &mut self,
        deltas: &mut [NodeDelta],
        total: Ticks,
        wanted: Ticks,
        timed_ancestor: u32,
    ) {
        adjust_sum(deltas, total, wanted, timed_ancestor, |delta, ticks| {
            let state = &mut self.states[delta.node as usize];
            state.ticks = state.ticks.wrapping_add(ticks).wrapping_sub(delta.ticks);
        });
        let attributed = self.attributed_ticks.wrapping_add(wanted);
        self.attributed_ticks = attributed.wrapping_sub(total);
    }

    /// Makes the deltas add up to `wanted` without changing the attributed ticks.
    pub(super) fn adjust_deltas_only(
        &mut self,
        deltas: &mut [NodeDelta],
        total: Ticks,
        wanted: Ticks,
        timed_ancestor: u32,
    ) {
        self.totals.exclude(deltas);
        adjust_sum(deltas, total, wanted, timed_ancestor, |_, _| ());
        self.totals.include(deltas);
    }

    /// Marks all counts as attributed, except open time.
    pub(super) fn mark_all_attributed(&mut self, owned_for: Ticks, reading: Option<Reading>) {
        let timed_ancestor = reading.map_or(NONE, |reading| reading.timed_ancestor);
        for (index, state) in self.states.iter_mut().enumerate() {
            if index as u32 != timed_ancestor {
                let attributed = std::mem::replace(&mut state.ticks, state.node.ticks());
                self.totals
                    .exclude_ticks(index as u32, attributed, state.ticks);
            }
        }
        self.attributed_ticks = owned_for;
    }

    /// Appends the deltas of the root, the timed ancestor and all nodes that were on the stack in this frame, from the
    /// nodes' own clocks and counters. Returns the sum of their ticks.
    ///
    /// Also attributes the deltas, so that each node's memory is only fetched once. If `groups` is set, also lists the
    /// members of timer groups. If `discards_unattributed` is set, all earlier counts are marked as attributed.
    pub(super) fn walk(
        &mut self,
        now: Ticks,
        reading: Option<Reading>,
        groups: Option<GroupRules>,
        deltas: &mut Vec<NodeDelta>,
        discards_unattributed: bool,
    ) -> Ticks {
        self.members.clear();
        let (frame, last_frame) = (self.frame, self.frame.wrapping_sub(1));
        let is_full_walk = self.full_walk_until.wrapping_sub(frame) <= 1;
        let timed_ancestor = reading.map_or(0, |reading| reading.timed_ancestor);
        // Nodes created after [`add_new_nodes`](Self::add_new_nodes) are found in the next frame.
        let generation = self.record.generation();
        if self.generation.replace(generation) != Some(generation) || generation % 2 == 1 {
            // The root is never entered, but it is on the stack of every owner of the record.
            self.states[0].open_now = true;
        }
        let known = |node: &u32| (*node as usize) < self.states.len();
        let mut top = reading.map(|reading| reading.node).filter(known);
        while let Some(node) = top {
            self.states[node as usize].open_now = true;
            top = (node > 0).then(|| self.links[node as usize].parent);
        }

        let mut new_ticks: Ticks = 0;
        let mut at: u32 = 0;
        while at != NONE {
            let state = &mut self.states[at as usize];
            let entries = state.node.entries();
            let mut ticks = state.node.ticks();
            // When there are many siblings, most are idle and only need this check.
            if entries == state.entries
                && unattributed(ticks, state.ticks) == 0
                && state.live_in != last_frame
                && !(state.open | state.open_now | is_full_walk)
                && at != timed_ancestor
                && at != 0
            {
                at = if state.next_sibling != NONE {
                    state.next_sibling
                } else {
                    self.next_after(at)
                };
                continue;
            }
            if at == timed_ancestor
                && let Some(reading) = reading
            {
                ticks = reading
                    .ticks
                    .wrapping_add(clock::passed(reading.started, now));
            }
            if discards_unattributed {
                self.totals.exclude_ticks(at, state.ticks, ticks);
                state.ticks = ticks;
            }
            // A node to which too much time was attributed has no delta until its counter has caught up.
            let ticks = unattributed(ticks, state.ticks);
            let entries = entries.wrapping_sub(state.entries);
            state.ticks = state.ticks.wrapping_add(ticks);
            state.entries = state.entries.wrapping_add(entries);
            if entries != 0 && state.is_counter != (state.node.class() == class::COUNTER) {
                state.is_counter = !state.is_counter;
                let change = if state.is_counter { 1 } else { u32::MAX };
                self.counter_count = self.counter_count.wrapping_add(change);
            }
            let is_live = entries != 0 || state.open || state.open_now;
            let visits_children = is_live || state.live_in == last_frame || is_full_walk;
            // The root is never entered. Its activation starts with the thread.
            let was_open = state.open || at == 0 && state.open_now;
            state.open = std::mem::take(&mut state.open_now);
            if is_live {
                state.live_in = frame;
            }
            let first_child = state.first_child;
            if ticks != 0 || entries != 0 || at == 0 || at == timed_ancestor {
                new_ticks = new_ticks.saturating_add(ticks);
                deltas.push(NodeDelta {
                    ticks,
                    entries,
                    node: at,
                    error: 0.0,
                });
            }
            if let Some(groups) = groups
                && (visits_children || ticks != 0)
            {
                let timed_ancestor = self.timed_ancestor(at, groups);
                self.members.push(Member {
                    node: at,
                    timed_ancestor,
                    activations: entries + u64::from(was_open),
                    ticks: 0,
                    entries: 0,
                });
            }
            at = if visits_children && first_child != NONE {
                first_child
            } else {
                self.next_after(at)
            };
        }
        self.attributed_ticks = self.attributed_ticks.wrapping_add(new_ticks);
        new_ticks
    }

    /// Returns the next node in the walk that isn't a descendant of `node`.
    pub(super) fn next_after(&self, mut node: u32) -> u32 {
        while node != 0 {
            let next = self.states[node as usize].next_sibling;
            if next != NONE {
                return next;
            }
            node = self.links[node as usize].parent;
        }
        NONE
    }
}

/// Returns the ticks on a node's counter that have not been attributed yet, or 0 if too many have been.
#[inline]
pub(super) fn unattributed(ticks: Ticks, attributed: Ticks) -> Ticks {
    (ticks.wrapping_sub(attributed) as i64).max(0) as Ticks
}

/// Changes `deltas`, which add up to `total`, so that they add up to `wanted`.
///
/// Missing time is added to `timed_ancestor`, where the thread is. Excess time was counted in unknown nodes while the
/// thread was read, so it is subtracted from all nodes in proportion to their ticks. Calls `change` with each delta
/// that changes, and its new ticks.
pub(super) fn adjust_sum(
    deltas: &mut [NodeDelta],
    total: Ticks,
    wanted: Ticks,
    timed_ancestor: u32,
    mut change: impl FnMut(&NodeDelta, Ticks),
) {
    if wanted == total {
        return;
    }
    if wanted > total {
        // If the timed ancestor has no delta, it is new, and the missing time was spent in its caller.
        let at = deltas.iter().position(|delta| delta.node == timed_ancestor);
        if let Some(delta) = deltas.get_mut(at.unwrap_or(0)) {
            let ticks = delta.ticks + (wanted - total);
            change(delta, ticks);
            delta.ticks = ticks;
        }
        return;
    }
    let mut running: u128 = 0;
    let mut assigned: Ticks = 0;
    for delta in deltas {
        // Scaling the running sum keeps rounding errors from accumulating.
        running += u128::from(delta.ticks);
        // If the counter jumps repeatedly, the sum may exceed 64 bits.
        let share = (running.min(total.into()) * u128::from(wanted) / u128::from(total)) as Ticks;
        let ticks = share - assigned;
        change(delta, ticks);
        delta.ticks = ticks;
        assigned = share;
    }
}

impl ThreadTree {
    /// Detects a thread that sleeps while the counter is set back, by `back` in this frame. Without this, the thread's
    /// open times would wrap around. Returns whether the counts so far can't be placed in time, so that they have to be
    /// marked as attributed.
    fn detect_set_back(
        &mut self,
        reading: Option<Reading>,
        now: Ticks,
        back: Option<Ticks>,
    ) -> bool {
        let before = self.asleep;
        let is_still = |asleep: &SleepingThread| {
            reading.is_some_and(|r| {
                (r.timed_ancestor, r.started) == (asleep.timed_ancestor, asleep.started)
            })
        };
        self.asleep = match (before.filter(is_still), back, reading) {
            (Some(asleep), back, _) => Some(SleepingThread {
                set_back_by: asleep.set_back_by.wrapping_add(back.unwrap_or(0)),
                ..asleep
            }),
            (None, Some(back), Some(reading)) if clock::was_reset(reading.started, now) => {
                Some(SleepingThread {
                    timed_ancestor: reading.timed_ancestor,
                    started: reading.started,
                    set_back_by: back,
                })
            }
            _ => None,
        };
        self.asleep.is_none() && (before.is_some() || back.is_some())
    }

    /// Returns the timed ancestor of `node` if the node was untimed in any part of the frame. Otherwise returns `node`.
    fn timed_ancestor(&mut self, node: u32, groups: GroupRules) -> u32 {
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn adjusted_deltas_sum_to_the_wanted_total(
            ticks in prop::collection::vec(0u64..1_000_000, 1..20),
            wanted in 0u64..20_000_000,
            timed_ancestor in 0u32..20,
        ) {
            let mut deltas: Vec<NodeDelta> = ticks.iter().enumerate()
                .map(|(node, &ticks)| NodeDelta { ticks, entries: 1, node: node as u32, error: 0.0 }).collect();
            let before = deltas.clone();
            let total = ticks.iter().sum();
            prop_assume!(total > 0 && (timed_ancestor as usize) < deltas.len());
            let mut reported = before.clone();
            adjust_sum(&mut deltas, total, wanted, timed_ancestor, |delta, ticks| {
                reported[delta.node as usize].ticks = ticks;
            });
            prop_assert_eq!(&reported, &deltas);
            prop_assert_eq!(deltas.iter().map(|s| s.ticks).sum::<u64>(), wanted);
            for (old, new) in before.iter().zip(&deltas) {
                prop_assert_eq!(old.entries, new.entries);
                if wanted < total {
                    prop_assert!(new.ticks <= old.ticks);
                } else if old.node != timed_ancestor {
                    prop_assert_eq!(old.ticks, new.ticks);
                }
            }
        }
    }
}
