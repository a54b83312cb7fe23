//! Which nodes may read the clock, so that recording costs no more than it may.
//!
//! An entry costs [`ZoneCost::counted`] in any case, and if the node reads the clock, the rest of
//! [`ZoneCost::timed`] besides, which is some twenty times as much. What all nodes of a thread cost
//! together has to stay under a part of the thread's time. What is left of that after counting is
//! what clocks may cost; but [`LEAST`] of it they may cost in any case, for where counting alone
//! takes all there is, the few calls that are long should be exact none the less. The clock is
//! taken from the nodes that are entered most: they are those with the shortest calls, each clock
//! taken from them saves most, and as few nodes as possible lose theirs.
//!
//! Nodes are to keep what they have unless there is a reason, for a row that is exact now and
//! sampled then is hard to read. So
//!
//! * clocks are taken only if they cost more than they may, then until [`AFTER_TAKING`] of it is
//!   used;
//! * clocks are given back only if less than [`IDLE`] of it is used, to as many nodes as leave
//!   [`AFTER_GIVING`] of it used, those with fewest entries first;
//! * and only to nodes that have been without for a while: [`HOLD`] seconds the first time, twice
//!   as long each time they lost it again, up to [`LONGEST_HOLD`]. A node that kept its clock for
//!   [`FORGIVEN`] seconds begins anew.
//!
//! What clocks have cost beyond what they may, in bursts that nobody can foresee, is owed: no clock is
//! given back until as much was saved. So bursts of whatever kind cost no more in the long run.
//!
//! A burst counts at once, as it is in this frame; that it is over counts when the average over 0.8
//! s says so. So it is with nodes that are not in the frame at all: programs go through phases, and
//! what is hot in every other one is not idle in between. A node that counted as idle there got its
//! clock back for each of its phases, and the clocks of zones that took turns at being hot, frame by
//! frame, cost 2.5 times what they may.

use super::average::AverageClock;
use super::history::Sample;
use super::tree::ThreadTree;
use crate::clock::Ticks;
use crate::gather::class;
use crate::gather::cost::ZoneCost;

/// Part of the budget.
const LEAST: f64 = 0.1;
/// Parts of what clocks may cost.
const AFTER_TAKING: f64 = 0.8;
const IDLE: f64 = 0.5;
const AFTER_GIVING: f64 = 0.7;
/// Seconds.
const HOLD: f64 = 1.0;
const LONGEST_HOLD: f64 = 64.0;
const FORGIVEN: f64 = 64.0;
/// Clocks owe no more than they may cost in so many seconds: one bad frame is not to keep a program
/// without times for minutes.
const MOST_OWED: f64 = 16.0;

/// A node that is without a clock, or was.
#[derive(Clone, Copy, Debug)]
struct Short {
    is_short: bool,
    /// When that changed last.
    since: f64,
    /// How long it has to be without a clock at least.
    hold: f64,
    /// When it was entered last.
    entered: f64,
}

/// Keeps one thread's recording under its budget.
#[derive(Debug, Default)]
pub(super) struct Budget {
    /// By node.
    known: Vec<Option<Short>>,
    short: u32,
    /// Seconds that have passed.
    now: f64,
    /// Seconds that clocks have cost beyond what they may.
    owed: f64,
    candidates: Vec<(u32, f64)>,
}

/// What is to be decided by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Means {
    /// Part of the thread's time.
    pub(super) budget: f64,
    pub(super) cost: ZoneCost,
    pub(super) ms_per_tick: f64,
    /// Of the frame, and of the average frame.
    pub(super) frame_ms: f64,
    pub(super) average_ms: f64,
}

impl Budget {
    /// What it keeps of each node of a thread on which any lost its clock.
    #[cfg(all(test, not(loom)))]
    pub(super) const BYTES_PER_NODE: usize = size_of::<Option<Short>>() + size_of::<(u32, f64)>();

    /// How many nodes are without a clock.
    pub(super) fn short(&self) -> u32 {
        self.short
    }

    /// Decides by what a frame's nodes did; appends to `orders` which nodes are to change.
    pub(super) fn decide(
        &mut self,
        tree: &ThreadTree,
        samples: &[Sample],
        clock: &AverageClock,
        means: Means,
        orders: &mut Vec<(u32, u8)>,
    ) {
        if means.frame_ms <= 0.0 || means.ms_per_tick <= 0.0 {
            return;
        }
        self.now += means.frame_ms * 1e-3;
        let cost = means.cost;
        let saving = cost.timed - cost.counted;
        if saving <= 0.0 {
            return;
        }
        // In ticks of cost per tick that the thread was there, which may have begun just now.
        let own_ticks: Ticks = samples.iter().map(|sample| sample.ticks).sum();
        if own_ticks == 0 {
            return;
        }
        let ticks = own_ticks as f64;
        let average_ticks = means.average_ms / means.ms_per_tick;
        let (mut counting, mut clocks, mut spent) = (0.0, 0.0, 0.0);
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for sample in samples.iter().filter(|sample| sample.entries > 0) {
            if tree.is_counter(sample.node) {
                continue;
            }
            let [_, average] = tree.averages()[sample.node as usize].without_age(0);
            let usual = if average_ticks > 0.0 {
                average / average_ticks
            } else {
                0.0
            };
            let entries = usual.max(sample.entries as f64 / ticks);
            counting += entries * cost.counted;
            let mut has_clock = true;
            if let Some(Some(short)) = self.known.get_mut(sample.node as usize) {
                short.entered = self.now;
                has_clock = !short.is_short;
            }
            if has_clock {
                clocks += entries * saving;
                spent += sample.entries as f64 / ticks * saving;
            }
            candidates.push((sample.node, entries));
        }
        let allowed = (means.budget - counting).max(means.budget * LEAST);
        self.owed += (spent - allowed) * means.frame_ms * 1e-3;
        self.owed = self.owed.clamp(0.0, allowed * MOST_OWED);
        if clocks > allowed {
            self.take(&mut candidates, clocks, saving, allowed, orders);
        } else if clocks < allowed * IDLE && self.short > 0 && self.owed == 0.0 {
            // What was not entered in this frame is going to be, as often as it was of late. What is
            // not entered any more is to keep no sampler awake.
            for (node, short) in (0..).zip(&self.known) {
                let Some(short) = short.filter(|short| short.entered < self.now) else {
                    continue;
                };
                let [_, average] = tree.averages()[node as usize].get(clock, 0);
                let entries = if average_ticks > 0.0 {
                    average / average_ticks
                } else {
                    0.0
                };
                if short.is_short {
                    candidates.push((node, entries));
                } else {
                    clocks += entries * saving;
                }
            }
            self.give_back(&mut candidates, clocks, saving, allowed, orders);
        }
        self.candidates = candidates;
    }

    fn known(&self, node: u32) -> Option<Short> {
        self.known.get(node as usize).copied().flatten()
    }

    fn is_short(&self, node: u32) -> bool {
        self.known(node).is_some_and(|short| short.is_short)
    }

    /// Takes clocks from those that are entered most.
    fn take(
        &mut self,
        nodes: &mut Vec<(u32, f64)>,
        mut clocks: f64,
        saving: f64,
        allowed: f64,
        orders: &mut Vec<(u32, u8)>,
    ) {
        nodes.retain(|(node, _)| *node > 0 && !self.is_short(*node));
        nodes.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
        for (node, entries) in nodes.iter() {
            if clocks <= allowed * AFTER_TAKING {
                break;
            }
            clocks -= entries * saving;
            let hold = match self.known(*node) {
                Some(short) if self.now - short.since < FORGIVEN => {
                    (short.hold * 2.0).min(LONGEST_HOLD)
                }
                _ => HOLD,
            };
            self.set(*node, true, hold);
            orders.push((*node, class::SHORT));
        }
    }

    /// Gives clocks back to those that are entered least.
    fn give_back(
        &mut self,
        nodes: &mut Vec<(u32, f64)>,
        mut clocks: f64,
        saving: f64,
        allowed: f64,
        orders: &mut Vec<(u32, u8)>,
    ) {
        let now = self.now;
        nodes.retain(|(node, _)| {
            let short = self.known(*node);
            short.is_some_and(|short| short.is_short && now - short.since >= short.hold)
        });
        nodes.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
        for (node, entries) in nodes.iter() {
            clocks += entries * saving;
            if clocks > allowed * AFTER_GIVING {
                break;
            }
            let hold = self.known(*node).map_or(HOLD, |short| short.hold);
            self.set(*node, false, hold);
            orders.push((*node, class::LONG));
        }
    }

    fn set(&mut self, node: u32, is_short: bool, hold: f64) {
        let since = self.now;
        self.short = if is_short {
            self.short + 1
        } else {
            self.short - 1
        };
        let short = Short {
            is_short,
            since,
            hold,
            entered: since,
        };
        let index = node as usize;
        if self.known.len() <= index {
            self.known.resize(index + 1, None);
        }
        self.known[index] = Some(short);
    }
}
