//! Counts the recorded frames that exceeded the frame budget or a zone's budget.
//!
//! A zone's time is its hierarchical time in a frame on one thread, with recursion counted once, as summed up for heat.

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
    misses: u64,
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
        self.misses += u64::from(is_over);
    }

    fn public(&self) -> ZoneBudget {
        ZoneBudget {
            limit: Duration::from_micros(self.limit_us.into()),
            frames: self.frames,
            misses: self.misses,
        }
    }
}

#[derive(Debug)]
struct OfZone {
    zone: u32,
    of: Misses,
    /// Whether the zone exceeded its budget on any thread in the frame that is being added.
    is_over: bool,
}

/// The frame budget and the zone budgets, with their misses.
#[derive(Debug)]
pub struct ZoneBudgets {
    frame_budget_us: u32,
    /// Budgets set at run time, by label. `None` means that the budget in the zone's definition was removed.
    named: Vec<(Arc<str>, Option<u32>)>,
    /// How many zones have been given their budgets.
    known: usize,
    zones: Vec<OfZone>,
    /// The position of each zone in `zones`, or [`NONE`].
    places: Vec<u32>,
    of_frames: Misses,
}

/// 60 frames per second.
const DEFAULT_FRAME_BUDGET_US: u32 = 16_667;

impl Default for ZoneBudgets {
    fn default() -> ZoneBudgets {
        ZoneBudgets {
            frame_budget_us: DEFAULT_FRAME_BUDGET_US,
            named: Vec::new(),
            known: 0,
            zones: Vec::new(),
            places: Vec::new(),
            of_frames: Misses::default(),
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

    /// Sets or removes the budget of all zones with a label.
    pub fn set(&mut self, label: &str, limit: Option<Duration>, indices: &Indices) {
        self.follow(indices);
        let limit_us = limit.map(clamped_us);
        self.named.retain(|(named, _)| **named != *label);
        self.named.push((label.into(), limit_us));
        for zone in 0..self.known as u32 {
            if **indices.name(zone) == *label {
                self.set_zone(zone, limit_us);
            }
        }
    }

    fn set_zone(&mut self, zone: u32, limit_us: Option<u32>) {
        let known = self.zones.iter().position(|of| of.zone == zone);
        match (known, limit_us) {
            (Some(at), Some(limit_us)) if self.zones[at].of.limit_us == limit_us => {}
            (Some(at), Some(limit_us)) => self.zones[at].of = Misses::new(limit_us),
            (Some(at), None) => {
                self.zones.remove(at);
            }
            (None, Some(limit_us)) => self.zones.push(OfZone {
                zone,
                of: Misses::new(limit_us),
                is_over: false,
            }),
            (None, None) => {}
        }
        self.places.clear();
        self.places.resize(self.known, NONE);
        for (of, at) in self.zones.iter().zip(0..) {
            self.places[of.zone as usize] = at;
        }
    }

    fn follow(&mut self, indices: &Indices) {
        while self.known < indices.zone_count() {
            let zone = self.known as u32;
            self.known += 1;
            self.places.push(NONE);
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
        if self.known < indices.zone_count() {
            self.follow(indices);
        }
        for of in &mut self.zones {
            of.is_over = false;
        }
    }

    pub(crate) fn add_thread(&mut self, sums: &FrameSums, indices: &Indices, ms_per_tick: f64) {
        for of in &mut self.zones {
            let ticks = sums.hier_of_zone(of.zone, indices);
            of.is_over |= of.of.is_over(ticks as f64 * ms_per_tick);
        }
    }

    pub(crate) fn end_frame(&mut self, ms: f64) {
        let limit_us = self.frame_budget_us;
        if self.of_frames.limit_us != limit_us {
            self.of_frames = Misses::new(limit_us);
        }
        let is_over = self.of_frames.is_over(ms);
        self.of_frames.add(is_over);
        for of in &mut self.zones {
            of.of.add(of.is_over);
        }
    }

    pub(crate) fn forget_frames(&mut self) {
        for of in &mut self.zones {
            of.of = Misses::new(of.of.limit_us);
        }
        self.of_frames = Misses::default();
    }

    #[inline]
    pub fn zones(&self) -> impl Iterator<Item = u32> {
        self.zones.iter().map(|of| of.zone)
    }

    #[inline]
    pub fn of(&self, zone: u32) -> Option<ZoneBudget> {
        let place = *self.places.get(zone as usize)?;
        (place != NONE).then(|| self.zones[place as usize].of.public())
    }

    /// Returns the zones whose times, as returned by `ms`, exceed their budgets.
    pub fn exceeded(&self, ms: impl Fn(u32) -> f64) -> impl Iterator<Item = u32> {
        let zones = self.zones.iter();
        let exceeded = zones.filter(move |of| of.of.is_over(ms(of.zone)));
        exceeded.map(|of| of.zone)
    }

    pub fn of_frames(&self) -> ZoneBudget {
        match self.of_frames.limit_us == self.frame_budget_us {
            true => self.of_frames.public(),
            false => Misses::new(self.frame_budget_us).public(),
        }
    }
}

/// A frame over the [budget](struct.Config.html#structfield.frame_budget), passed to
/// [`on_slow_frame`](fn.on_slow_frame.html).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowFrame {
    /// The frame's number, the same as in [`frame_snapshots`](fn.frame_snapshots.html).
    pub number: u64,
    /// How long the frame took.
    pub duration: Duration,
    /// The budget that the frame exceeded.
    pub budget: Duration,
}
