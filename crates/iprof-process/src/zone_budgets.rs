//! Counts the recorded frames that exceeded the frame budget or a zone's budget.
//!
//! A zone's time is its hierarchical time on one thread in one frame, with recursion counted once. The sums are the
//! ones computed for heat.

use crate::NONE;
use crate::frame_sums::FrameSums;
use crate::indices::Indices;
use crate::snapshot::ZoneBudget;
use iprof_gather::zone::{MAX_BUDGET_US, rounded_us};
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Copy, Debug, Default)]
struct Misses {
    limit_us: u32,
    frames: u64,
    missed: u64,
}

impl Misses {
    fn new(limit_us: u32) -> Misses {
        Misses {
            limit_us,
            ..Misses::default()
        }
    }

    fn is_over(&self, ms: f64) -> bool {
        ms > f64::from(self.limit_us) / 1e3
    }

    fn add(&mut self, is_over: bool) {
        self.frames += 1;
        self.missed += u64::from(is_over);
    }

    fn zone_budget(&self) -> ZoneBudget {
        ZoneBudget {
            limit: Duration::from_micros(self.limit_us.into()),
            frames: self.frames,
            misses: self.missed,
        }
    }
}

#[derive(Debug)]
struct BudgetedZone {
    zone: u32,
    misses: Misses,
    /// Whether the zone has exceeded its budget on any thread in the frame being added.
    is_over: bool,
}

/// The frame budget and the zone budgets, with their misses.
#[derive(Debug)]
pub struct ZoneBudgets {
    frame_budget_us: u32,
    /// Budgets set at run time, by label. `None` overrides a budget in the zone's definition.
    named: Vec<(Arc<str>, Option<u32>)>,
    /// The number of zones whose budgets have been looked up.
    known_zones: usize,
    zones: Vec<BudgetedZone>,
    /// Each zone's position in `zones`, or [`NONE`].
    positions: Vec<u32>,
    frame_misses: Misses,
}

/// The default frame budget in microseconds, for 60 frames per second.
const DEFAULT_FRAME_BUDGET_US: u32 = 16_667;

impl Default for ZoneBudgets {
    fn default() -> ZoneBudgets {
        ZoneBudgets {
            frame_budget_us: DEFAULT_FRAME_BUDGET_US,
            named: Vec::new(),
            known_zones: 0,
            zones: Vec::new(),
            positions: Vec::new(),
            frame_misses: Misses::default(),
        }
    }
}

/// Rounds a budget to microseconds and clamps it to between 1 µs and one hour.
fn clamped_us(budget: Duration) -> u32 {
    rounded_us(budget).clamp(1, MAX_BUDGET_US) as u32
}

impl ZoneBudgets {
    pub fn frame_budget(&self) -> Duration {
        Duration::from_micros(self.frame_budget_us.into())
    }

    pub(crate) fn set_frame_budget(&mut self, budget: Duration) {
        self.frame_budget_us = clamped_us(budget);
    }

    /// Sets or removes the budget for all zones with a label.
    pub fn set(&mut self, label: &str, limit: Option<Duration>, indices: &Indices) {
        self.add_new_zones(indices);
        let limit_us = limit.map(clamped_us);
        self.named.retain(|(named, _)| **named != *label);
        self.named.push((label.into(), limit_us));
        for zone in 0..self.known_zones as u32 {
            if **indices.name(zone) == *label {
                self.set_zone(zone, limit_us);
            }
        }
    }

    fn set_zone(&mut self, zone: u32, limit_us: Option<u32>) {
        let known = self.zones.iter().position(|budgeted| budgeted.zone == zone);
        match (known, limit_us) {
            (Some(at), Some(limit_us)) if self.zones[at].misses.limit_us == limit_us => {}
            (Some(at), Some(limit_us)) => self.zones[at].misses = Misses::new(limit_us),
            (Some(at), None) => {
                self.zones.remove(at);
            }
            (None, Some(limit_us)) => self.zones.push(BudgetedZone {
                zone,
                misses: Misses::new(limit_us),
                is_over: false,
            }),
            (None, None) => {}
        }
        self.positions.clear();
        self.positions.resize(self.known_zones, NONE);
        for (budgeted, at) in self.zones.iter().zip(0..) {
            self.positions[budgeted.zone as usize] = at;
        }
    }

    fn add_new_zones(&mut self, indices: &Indices) {
        while self.known_zones < indices.zone_count() {
            let zone = self.known_zones as u32;
            self.known_zones += 1;
            self.positions.push(NONE);
            let mut named = self.named.iter();
            let named = named.find(|(label, _)| **label == **indices.name(zone));
            let limit_us = match named {
                Some((_, limit_us)) => *limit_us,
                None => indices.at(zone).budget_us(),
            };
            if limit_us.is_some() {
                self.set_zone(zone, limit_us);
            }
        }
    }

    pub(crate) fn begin_frame(&mut self, indices: &Indices) {
        if self.known_zones < indices.zone_count() {
            self.add_new_zones(indices);
        }
        for budgeted in &mut self.zones {
            budgeted.is_over = false;
        }
    }

    pub(crate) fn add_thread(&mut self, sums: &FrameSums, indices: &Indices, ms_per_tick: f64) {
        for budgeted in &mut self.zones {
            let ticks = sums.hier_of_zone(budgeted.zone, indices);
            budgeted.is_over |= budgeted.misses.is_over(ticks as f64 * ms_per_tick);
        }
    }

    pub(crate) fn end_frame(&mut self, ms: f64) {
        let limit_us = self.frame_budget_us;
        if self.frame_misses.limit_us != limit_us {
            self.frame_misses = Misses::new(limit_us);
        }
        let is_over = self.frame_misses.is_over(ms);
        self.frame_misses.add(is_over);
        for budgeted in &mut self.zones {
            budgeted.misses.add(budgeted.is_over);
        }
    }

    pub(crate) fn forget_frames(&mut self) {
        for budgeted in &mut self.zones {
            budgeted.misses = Misses::new(budgeted.misses.limit_us);
        }
        self.frame_misses = Misses::default();
    }

    #[inline]
    pub fn zones(&self) -> impl Iterator<Item = u32> {
        self.zones.iter().map(|budgeted| budgeted.zone)
    }

    #[inline]
    pub fn zone_budget(&self, zone: u32) -> Option<ZoneBudget> {
        let position = *self.positions.get(zone as usize)?;
        (position != NONE).then(|| self.zones[position as usize].misses.zone_budget())
    }

    /// Returns the zones whose times, as returned by `ms`, exceed their budgets.
    pub fn exceeded(&self, ms: impl Fn(u32) -> f64) -> impl Iterator<Item = u32> {
        let zones = self.zones.iter();
        let exceeded = zones.filter(move |budgeted| budgeted.misses.is_over(ms(budgeted.zone)));
        exceeded.map(|budgeted| budgeted.zone)
    }

    pub fn frame_budget_misses(&self) -> ZoneBudget {
        match self.frame_misses.limit_us == self.frame_budget_us {
            true => self.frame_misses.zone_budget(),
            false => Misses::new(self.frame_budget_us).zone_budget(),
        }
    }
}

/// A frame that exceeded the [budget](struct.Config.html#structfield.frame_budget), passed to
/// [`on_slow_frame`](fn.on_slow_frame.html).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowFrame {
    /// The frame's number, as in [`frame_snapshots`](fn.frame_snapshots.html).
    pub number: u64,
    /// The frame's length.
    pub duration: Duration,
    /// The budget that the frame exceeded.
    pub budget: Duration,
}
