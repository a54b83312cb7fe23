//! The controller for `Timing::Auto`: decides which of a thread's nodes read the clock, so that recording stays within
//! the overhead limit.
//!
//! An entry always costs [`ZoneCost::counted`]. If the node reads the clock, the entry costs [`ZoneCost::timed`], which
//! is many times as much. The limit is a fraction of the thread's time that all of its nodes together may cost.
//! Counting is paid for first, and the remainder is the allowance for clock reads. The allowance is at least
//! [`MIN_ALLOWANCE`] of the limit, so that the few long calls are exact even if counting uses up the limit. The nodes
//! with the most entries become untimed first. They have the shortest calls and save the most, so as few nodes as
//! possible become untimed.
//!
//! A row that alternates between exact and sampled is hard to read, so nodes keep their state for as long as possible:
//!
//! * Nodes only become untimed if clock reads cost more than the allowance. This continues until only
//!   [`AFTER_REMOVING`] of the allowance is used.
//! * Nodes only become timed again if less than [`RESTORE_BELOW`] of the allowance is used. Nodes with the fewest
//!   entries come first. This continues until [`AFTER_RESTORING`] of the allowance is used.
//! * A node stays untimed for at least [`FIRST_HOLD`] seconds. This time doubles with each repetition, up to
//!   [`LONGEST_HOLD`]. After a node has stayed timed for [`RESET_HOLD_AFTER`] seconds, it starts with [`FIRST_HOLD`]
//!   again.
//!
//! Bursts can't be predicted, so clock reads may temporarily cost more than the allowance. The excess is recorded as
//! overspent, and no node becomes timed again until the same amount has been saved. So in the long run, bursts of any
//! kind stay within the limit.
//!
//! The start of a burst takes effect immediately, based on the entries in the current frame. The end of a burst takes
//! effect once the average over 0.8 s reflects it. The same applies to nodes that aren't in the frame. Programs go
//! through phases, and a node that is hot in every other phase must not count as idle in between. Otherwise it would
//! become timed again for each hot phase, and zones that are hot in alternate frames would cost far more than the
//! allowance.

use crate::moving_average::{AverageClock, Averages};
use crate::untimed_nodes::NodeDelta;
use iprof_gather::class;
use iprof_gather::clock::Ticks;
use iprof_gather::cost::ZoneCost;

/// The minimum allowance for clock reads, as a fraction of the overhead limit.
const MIN_ALLOWANCE: f64 = 0.1;
/// The fraction of the allowance in use at which removing clocks stops.
const AFTER_REMOVING: f64 = 0.8;
/// The fraction of the allowance in use below which restoring clocks starts.
const RESTORE_BELOW: f64 = 0.5;
/// The fraction of the allowance in use at which restoring clocks stops.
const AFTER_RESTORING: f64 = 0.7;
/// The number of seconds for which a node stays untimed the first time.
const FIRST_HOLD: f64 = 1.0;
/// The maximum number of seconds for which a node has to stay untimed.
const LONGEST_HOLD: f64 = 64.0;
/// The number of timed seconds after which a node starts with [`FIRST_HOLD`] again.
const RESET_HOLD_AFTER: f64 = 64.0;
/// The maximum overspent cost, in seconds of the allowance. It keeps one bad frame from preventing exact times for
/// minutes.
const MAX_OVERSPENT: f64 = 16.0;

#[derive(Clone, Copy, Debug)]
struct ClockState {
    is_untimed: bool,
    /// The time at which `is_untimed` last changed.
    since: f64,
    hold: f64,
    entered: f64,
}

/// Keeps one thread's recording cost within the overhead limit.
#[derive(Debug, Default)]
pub struct OverheadController {
    /// Each node's state, or `None` if the node was never untimed.
    states: Vec<Option<ClockState>>,
    untimed: u32,
    now: f64,
    /// The cost of clock reads beyond the allowance, in seconds.
    overspent: f64,
    candidates: Vec<(u32, f64)>,
}

/// The data that the controller needs about a thread's nodes.
pub trait TimedNodes {
    /// Whether the node was entered by `counter!`, which never reads the clock.
    fn is_counter(&self, node: u32) -> bool;

    /// Returns self milliseconds and entries per frame.
    fn average(&self, node: u32) -> &Averages<2>;
}

#[derive(Clone, Copy, Debug)]
pub struct OverheadInput {
    /// The overhead limit as a fraction of the thread's time.
    pub limit: f64,
    pub cost: ZoneCost,
    pub ms_per_tick: f64,
    /// The lengths of the frame and of the average frame.
    pub frame_ms: f64,
    pub average_ms: f64,
    /// Whether timed nodes read the clock in this frame. Before the first `update`, no node reads it.
    pub reads_clocks: bool,
}

impl OverheadController {
    /// The number of bytes per node on a thread on which any node was ever untimed.
    #[cfg(any(test, feature = "test-support"))]
    pub const BYTES_PER_NODE: usize = size_of::<Option<ClockState>>() + size_of::<(u32, f64)>();

    pub fn untimed_count(&self) -> u32 {
        self.untimed
    }

    /// Decides based on a frame's deltas. Appends the nodes to reclassify, with their new classes, to `reclassified`.
    pub fn decide(
        &mut self,
        nodes: &impl TimedNodes,
        deltas: &[NodeDelta],
        clock: &AverageClock,
        input: OverheadInput,
        reclassified: &mut Vec<(u32, u8)>,
    ) {
        if input.frame_ms <= 0.0 || input.ms_per_tick <= 0.0 {
            return;
        }
        self.now += input.frame_ms * 1e-3;
        let cost = input.cost;
        let saving = cost.timed - cost.counted;
        if saving <= 0.0 {
            return;
        }
        // All rates are ticks of cost per tick of the thread's own time, because the thread may be new.
        let own_ticks: Ticks = deltas.iter().map(|delta| delta.ticks).sum();
        if own_ticks == 0 {
            return;
        }
        let ticks = own_ticks as f64;
        let average_ticks = input.average_ms / input.ms_per_tick;
        let average_rate = |entries: f64| match average_ticks > 0.0 {
            true => entries / average_ticks,
            false => 0.0,
        };
        let (mut counting_cost, mut clock_cost, mut spent) = (0.0, 0.0, 0.0);
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for delta in deltas.iter().filter(|delta| delta.entries > 0) {
            if nodes.is_counter(delta.node) {
                continue;
            }
            let [_, average] = nodes.average(delta.node).undecayed(0);
            let entries = average_rate(average).max(delta.entries as f64 / ticks);
            counting_cost += entries * cost.counted;
            let mut has_clock = true;
            if let Some(Some(state)) = self.states.get_mut(delta.node as usize) {
                state.entered = self.now;
                has_clock = !state.is_untimed;
            }
            if has_clock {
                clock_cost += entries * saving;
                if input.reads_clocks {
                    spent += delta.entries as f64 / ticks * saving;
                }
            }
            candidates.push((delta.node, entries));
        }
        let allowed = (input.limit - counting_cost).max(input.limit * MIN_ALLOWANCE);
        self.overspent += (spent - allowed) * input.frame_ms * 1e-3;
        self.overspent = self.overspent.clamp(0.0, allowed * MAX_OVERSPENT);
        if clock_cost > allowed {
            self.remove_clocks(&mut candidates, clock_cost, saving, allowed, reclassified);
        } else if clock_cost < allowed * RESTORE_BELOW && self.untimed > 0 && self.overspent == 0.0
        {
            // Nodes that weren't in this frame are expected to be entered again at their recent rate. A node that is no
            // longer entered must not keep the sampler running.
            for (node, state) in (0..).zip(&self.states) {
                let Some(state) = state.filter(|state| state.entered < self.now) else {
                    continue;
                };
                let [_, average] = nodes.average(node).get(clock, 0);
                let entries = average_rate(average);
                if state.is_untimed {
                    candidates.push((node, entries));
                } else {
                    clock_cost += entries * saving;
                }
            }
            self.restore_clocks(&mut candidates, clock_cost, saving, allowed, reclassified);
        }
        self.candidates = candidates;
    }

    fn state(&self, node: u32) -> Option<ClockState> {
        self.states.get(node as usize).copied().flatten()
    }

    fn is_untimed(&self, node: u32) -> bool {
        self.state(node).is_some_and(|state| state.is_untimed)
    }

    fn remove_clocks(
        &mut self,
        nodes: &mut Vec<(u32, f64)>,
        mut clock_cost: f64,
        saving: f64,
        allowed: f64,
        reclassified: &mut Vec<(u32, u8)>,
    ) {
        nodes.retain(|(node, _)| *node > 0 && !self.is_untimed(*node));
        sort_by_entries(nodes);
        for (node, entries) in nodes.iter().rev() {
            if clock_cost <= allowed * AFTER_REMOVING {
                break;
            }
            clock_cost -= entries * saving;
            let hold = match self.state(*node) {
                Some(state) if self.now - state.since < RESET_HOLD_AFTER => {
                    (state.hold * 2.0).min(LONGEST_HOLD)
                }
                _ => FIRST_HOLD,
            };
            self.set(*node, true, hold);
            reclassified.push((*node, class::UNTIMED_BY_AUTO));
        }
    }

    fn restore_clocks(
        &mut self,
        nodes: &mut Vec<(u32, f64)>,
        mut clock_cost: f64,
        saving: f64,
        allowed: f64,
        reclassified: &mut Vec<(u32, u8)>,
    ) {
        let now = self.now;
        nodes.retain(|(node, _)| {
            let state = self.state(*node);
            state.is_some_and(|state| state.is_untimed && now - state.since >= state.hold)
        });
        sort_by_entries(nodes);
        for (node, entries) in nodes.iter() {
            clock_cost += entries * saving;
            if clock_cost > allowed * AFTER_RESTORING {
                break;
            }
            let hold = self.state(*node).map_or(FIRST_HOLD, |state| state.hold);
            self.set(*node, false, hold);
            reclassified.push((*node, class::TIMED_BY_AUTO));
        }
    }

    fn set(&mut self, node: u32, is_untimed: bool, hold: f64) {
        let since = self.now;
        self.untimed = if is_untimed {
            self.untimed + 1
        } else {
            self.untimed - 1
        };
        let state = ClockState {
            is_untimed,
            since,
            hold,
            entered: since,
        };
        let index = node as usize;
        if self.states.len() <= index {
            self.states.resize(index + 1, None);
        }
        self.states[index] = Some(state);
    }
}

/// Sorts nodes by their number of entries, fewest first.
fn sort_by_entries(nodes: &mut [(u32, f64)]) {
    nodes.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
}
