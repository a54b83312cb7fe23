//! The controller of `Timing::Auto`: decides which nodes of a thread read the clock, so that recording stays within the
//! overhead limit.
//!
//! An entry always costs [`ZoneCost::counted`]. If the node reads the clock, it costs the rest of [`ZoneCost::timed`],
//! too, which is many times as much. Together, a thread's nodes may cost a part of the thread's time: the limit.
//! Counting is paid from it first, and the remainder is the allowance for clock reads. It is at least [`MIN_ALLOWANCE`]
//! of the limit, so that the few long calls are exact even if counting uses up the limit. The nodes that are entered
//! most become untimed first: they have the shortest calls and save most, so as few nodes as possible become untimed.
//!
//! A row that alternates between exact and sampled is hard to read, so nodes keep their state as long as possible:
//!
//! * Nodes become untimed only if clock reads cost more than the allowance, and then until [`AFTER_REMOVING`] of it is
//!   used.
//! * Nodes become timed again only if less than [`RESTORE_BELOW`] of the allowance is used. Those with the fewest
//!   entries come first, until [`AFTER_RESTORING`] of it is used.
//! * A node stays untimed for at least [`FIRST_HOLD`] seconds, and twice as long each further time, up to
//!   [`LONGEST_HOLD`]. A node that stayed timed for [`RESET_HOLD_AFTER`] seconds starts with [`FIRST_HOLD`] again.
//!
//! Bursts cannot be foreseen, and clock reads may cost more than the allowance meanwhile. The excess is recorded as
//! overspent, and no node becomes timed again until as much has been saved. So in the long run, bursts of any kind stay
//! within the limit.
//!
//! A burst's start takes effect at once, by the entries of this frame. Its end takes effect when the average over 0.8 s
//! shows it. The same applies to nodes that are not in the frame. Programs go through phases, and a node that is hot in
//! every other phase must not count as idle in between. It would become timed again for each of its phases, and zones
//! that are hot in alternate frames would cost far more than the allowance.

use crate::moving_average::{AverageClock, Averages};
use crate::untimed_nodes::NodeDelta;
use iprof_gather::class;
use iprof_gather::clock::Ticks;
use iprof_gather::cost::ZoneCost;

/// The minimum allowance for clock reads, as a part of the overhead limit.
const MIN_ALLOWANCE: f64 = 0.1;
/// Parts of the allowance for clock reads.
const AFTER_REMOVING: f64 = 0.8;
const RESTORE_BELOW: f64 = 0.5;
const AFTER_RESTORING: f64 = 0.7;
/// Seconds.
const FIRST_HOLD: f64 = 1.0;
const LONGEST_HOLD: f64 = 64.0;
const RESET_HOLD_AFTER: f64 = 64.0;
/// The limit of the overspent cost, in seconds of the allowance. It keeps one bad frame from preventing exact times for
/// minutes.
const MAX_OVERSPENT: f64 = 16.0;

#[derive(Clone, Copy, Debug)]
struct ClockState {
    is_untimed: bool,
    /// When `is_untimed` last changed.
    since: f64,
    hold: f64,
    entered: f64,
}

/// Keeps the recording cost of one thread within the overhead limit.
#[derive(Debug, Default)]
pub struct OverheadController {
    /// The state by node; `None` for a node that was never untimed.
    states: Vec<Option<ClockState>>,
    untimed: u32,
    now: f64,
    /// Seconds that clock reads have cost beyond the allowance.
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
    /// The overhead limit as a part of the thread's time.
    pub limit: f64,
    pub cost: ZoneCost,
    pub ms_per_tick: f64,
    /// The durations of the frame and of the average frame.
    pub frame_ms: f64,
    pub average_ms: f64,
    /// Whether nodes that the controller has left timed read the clock in the frame. No node does before the first
    /// `update`.
    pub reads_clocks: bool,
}

impl OverheadController {
    /// Bytes per node of a thread on which any node was ever untimed.
    #[cfg(any(test, feature = "test-support"))]
    pub const BYTES_PER_NODE: usize = size_of::<Option<ClockState>>() + size_of::<(u32, f64)>();

    pub fn untimed_count(&self) -> u32 {
        self.untimed
    }

    /// Decides by the deltas of a frame. Appends the nodes to be reclassified, with their new classes, to
    /// `reclassified`.
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
        // All rates are in ticks of cost per tick of the thread's own time, because the thread may be new.
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
            // Nodes that were not in this frame are expected to be entered again, as often as recently. A node that is
            // no longer entered must not keep the sampler running.
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

/// Sorts by entries, fewest first.
fn sort_by_entries(nodes: &mut [(u32, f64)]) {
    nodes.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
}
