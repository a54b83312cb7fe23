//! What a zone costs on this machine, measured while the program runs.
//!
//! The very code that the macros put into the host is timed, some 30 zones at a time, on a record
//! of its own that no report knows. That takes about a microsecond, so it can be repeated with
//! frames: nobody waits for it, and it follows a processor that changes its pace.
//!
//! It is the cost in a loop of nothing but zones. In a program the same zone may cost less, because
//! the processor does other work while the counter is read, or more, because its code and its node
//! have to be fetched first.

use super::local;
use super::record::ThreadRecord;
use super::switch::{self, cutoff};
use crate::clock::{self, Ticks};
use crate::sync::OnceLock;

/// Zones in one measurement.
const ZONES: u32 = 32;
/// By how much a cost rises with a measurement that found more: it is the lowest of the last
/// hundreds.
const CREEP: f64 = 1.001;

/// What a zone costs, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ZoneCost {
    /// Entering and leaving a zone that reads the clock.
    pub(crate) timed: f64,
    /// The part of that which the zone measures as its own time; the rest is its caller's.
    pub(crate) inside: f64,
    /// Entering and leaving a zone that only counts.
    pub(crate) counted: f64,
}

impl ZoneCost {
    /// In another unit.
    pub(crate) fn times(self, factor: f64) -> ZoneCost {
        ZoneCost {
            timed: self.timed * factor,
            inside: self.inside * factor,
            counted: self.counted * factor,
        }
    }

    /// Takes in another measurement.
    pub(crate) fn refine(&mut self, other: ZoneCost) {
        let refine = |mine: &mut f64, other: f64| {
            *mine = if *mine == 0.0 {
                other
            } else {
                other.min(*mine * CREEP)
            };
        };
        refine(&mut self.timed, other.timed);
        refine(&mut self.inside, other.inside);
        refine(&mut self.counted, other.counted);
    }
}

/// Measures once. `None` while nothing is recorded.
///
/// One thread at a time may call this.
pub(crate) fn measure() -> Option<ZoneCost> {
    static SCRATCH: OnceLock<&'static ThreadRecord> = OnceLock::new();
    let word = switch::word();
    if switch::is_off(word) {
        return None;
    }
    let scratch = SCRATCH.get_or_init(|| ThreadRecord::new("iprof cost".into()));
    scratch.begin(clock::now());
    let (timed, inside) = local::with_record(scratch, word, || time_zones(scratch, cutoff::EXACT));
    let (counted, _) = local::with_record(scratch, word, || time_zones(scratch, cutoff::SAMPLED));
    scratch.end(clock::now());
    Some(ZoneCost {
        timed,
        inside,
        counted,
    })
}

/// Ticks of a zone in all, and those it measured itself.
fn time_zones(scratch: &ThreadRecord, cutoff: u8) -> (f64, f64) {
    scratch.change_clocks(cutoff, &[], clock::now);
    zones(1); // Makes the node, the first time; and warms up.
    let measured = || scratch.node(1).map_or(0, |node| node.ticks());
    let before = measured();
    let start = clock::now();
    zones(ZONES);
    let took = clock::now().saturating_sub(start);
    let inside = measured().saturating_sub(before);
    let per_zone = |ticks: Ticks| ticks as f64 / f64::from(ZONES);
    (per_zone(took), per_zone(inside))
}

#[inline(never)]
fn zones(count: u32) {
    for _ in 0..count {
        crate::zone!(iprof_cost);
    }
}
