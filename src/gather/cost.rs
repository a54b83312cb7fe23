//! What a zone costs on this machine, measured while the program runs.
//!
//! The very code that the macros put into the host is timed, some 30 zones at a time, on a record
//! of its own that no report knows. That takes about a microsecond, so it can be repeated with
//! frames: nobody waits for it, and it follows a processor that changes its pace.
//!
//! It is the cost in a loop of nothing but zones. In a program the same zone may cost less, because
//! the processor does other work while the counter is read, or more, because its code and its node
//! have to be fetched first. Nor is the host's code the library's: with
//! `opt-level = 1` nothing of a zone is inlined into another crate, where counting takes 13 ns then
//! and is measured as 2.

use super::local;
use super::record::ThreadRecord;
use super::reserved;
use super::switch::{self, cutoff};
use crate::clock::{self, Ticks};
use crate::sync::OnceLock;

/// Zones in one measurement.
const ZONES: u32 = 32;
/// By how much a cost rises with a measurement that found more: it is the lowest of the last
/// hundreds.
const CREEP: f64 = 1.001;

/// What a zone costs, as far as it has been measured: of each part the lowest that two measurements
/// in a row agree on. One alone may find too little, where a counter was set back meanwhile.
#[derive(Debug, Default)]
pub(crate) struct KnownCost {
    known: ZoneCost,
    last: Option<ZoneCost>,
}

impl KnownCost {
    pub(crate) fn get(&self) -> ZoneCost {
        self.known
    }

    /// Takes in another measurement.
    pub(crate) fn refine(&mut self, measured: ZoneCost) {
        let agreed = match self.last.replace(measured) {
            Some(last) => measured.max(last),
            None => measured,
        };
        self.known = self.known.towards(agreed);
    }
}

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

    /// The lower of each, or what is known of it plus [`CREEP`].
    fn towards(self, other: ZoneCost) -> ZoneCost {
        let towards = |mine: f64, other: f64| match mine {
            0.0 => other,
            _ => other.min(mine * CREEP),
        };
        self.zip(other, towards)
    }

    /// The higher of each.
    fn max(self, other: ZoneCost) -> ZoneCost {
        self.zip(other, f64::max)
    }

    fn zip(self, other: ZoneCost, f: impl Fn(f64, f64) -> f64) -> ZoneCost {
        ZoneCost {
            timed: f(self.timed, other.timed),
            inside: f(self.inside, other.inside),
            counted: f(self.counted, other.counted),
        }
    }
}

/// Measures once. `None` while nothing is recorded, and where there is no memory.
///
/// One thread at a time may call this.
pub(crate) fn measure() -> Option<ZoneCost> {
    static SCRATCH: OnceLock<&'static ThreadRecord> = OnceLock::new();
    let word = switch::word();
    if switch::is_off(word) {
        return None;
    }
    let scratch = match SCRATCH.get() {
        Some(scratch) => scratch,
        None => {
            let made = ThreadRecord::new(reserved::text("iprof cost")?)?;
            SCRATCH.get_or_init(|| made)
        }
    };
    Some(measure_on(scratch, word))
}

/// Measures on a record that nobody owns.
fn measure_on(scratch: &'static ThreadRecord, word: u32) -> ZoneCost {
    scratch.begin(clock::now());
    let (timed, inside) = local::with_record(scratch, word, || time_zones(scratch, cutoff::EXACT));
    let (counted, _) = local::with_record(scratch, word, || time_zones(scratch, cutoff::SAMPLED));
    scratch.end(clock::now());
    ZoneCost {
        timed,
        inside,
        counted,
    }
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

#[cfg(all(test, not(loom), feature = "enable"))]
mod tests {
    use super::*;
    use crate::clock::mock;
    use crate::gather::registry;
    use std::time::{Duration, Instant};

    fn cost(timed: f64, inside: f64, counted: f64) -> ZoneCost {
        ZoneCost {
            timed,
            inside,
            counted,
        }
    }

    /// A record as [`measure`] has one, for the calling thread alone.
    fn scratch() -> &'static ThreadRecord {
        // Decides which clock there is.
        registry::anchor();
        ThreadRecord::new("scratch".into()).unwrap()
    }

    #[test]
    fn what_is_kept_is_the_lowest_that_two_agree_on_and_creeps_up() {
        let mut known = KnownCost::default();
        let mut refine = |timed, inside, counted| {
            known.refine(cost(timed, inside, counted));
            known.get()
        };
        let first = cost(50.0, 20.0, 3.0);
        assert_eq!(refine(50.0, 20.0, 3.0), first, "the first one counts");
        let crept = cost(50.0, 20.0 * CREEP, 3.0);
        assert_eq!(refine(40.0, 30.0, 3.0), crept, "each for itself");
        let agreed = cost(40.0, 20.0 * CREEP * CREEP, 3.0);
        assert_eq!(refine(39.0, 30.0, 2.0), agreed, "two found no more");
        // A counter that was set back while it measured.
        for (timed, counted) in [(1.0, 0.0), (40.0, 2.0)] {
            let kept = refine(timed, 20.0, counted);
            assert!(kept.timed >= 39.0 && kept.counted >= 2.0, "{kept:?}");
        }
        // A processor that is slower from now on, with a measurement in between that was disturbed.
        for measured in [80.0, 9_000.0] {
            for _ in 0..200 {
                let before = refine(measured, measured / 2.0, measured / 20.0);
                let kept = refine(measured, measured / 2.0, measured / 20.0);
                let rose = kept.timed / before.timed;
                assert!(kept.timed <= measured && (1.0..1.0011).contains(&rose));
            }
        }
        for _ in 0..1_000 {
            refine(80.0, 40.0, 4.0);
        }
        let followed = refine(80.0, 40.0, 4.0);
        assert_eq!(followed, cost(80.0, 40.0, 4.0), "within hundreds");
    }

    #[test]
    fn however_disturbed_a_part_is_kept_as_no_more_than_the_whole() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut known = KnownCost::default();
        for _ in 0..10_000 {
            let timed = 20.0 / (1.0 - random.f64());
            known.refine(cost(timed, timed * random.f64(), timed * random.f64()));
            let kept = known.get();
            assert!(kept.inside <= kept.timed && kept.counted <= kept.timed);
        }
    }

    #[test]
    fn on_a_clock_whose_readings_take_all_the_time_a_zone_costs_its_readings() {
        let scratch = scratch();
        const READING: Ticks = ZONES as Ticks;
        mock::step(READING);
        let mut total = 0;
        for _ in 0..3 {
            let start = clock::now();
            let found = measure_on(scratch, switch::word());
            // A zone has two readings, and measures one of them: from the end of the one to the end
            // of the other. And 32 zones together pay for one reading of whoever times them.
            assert_eq!(found, cost(2.0 * READING as f64 + 1.0, READING as f64, 1.0));
            let readings = (clock::now() - start) / READING;
            assert!(readings < Ticks::from(3 * ZONES), "{readings}");
            total += u64::from(2 * (ZONES + 1));
            assert_eq!(scratch.node(1).unwrap().entries(), total);
        }
        assert_eq!(scratch.node_count(), 2, "one zone, however often");
    }

    #[test]
    fn a_zone_with_a_clock_costs_more_than_it_measures_and_more_than_one_without() {
        let scratch = scratch();
        let mut known = KnownCost::default();
        let mut fastest = Duration::MAX;
        // As many as in a program's first second. Where somebody else runs in between, one is off.
        for _ in 0..64 {
            let start = Instant::now();
            known.refine(measure_on(scratch, switch::word()));
            fastest = fastest.min(start.elapsed());
        }
        let kept = known.get();
        assert!(0.0 < kept.inside && kept.inside <= kept.timed, "{kept:?}");
        assert!(0.0 < kept.counted && kept.counted < kept.timed, "{kept:?}");
        // Microseconds; a thousand of them would be seen. An interpreter takes longer.
        assert!(
            cfg!(miri) || fastest < Duration::from_millis(1),
            "{fastest:?}"
        );
    }

    #[test]
    fn measuring_leaves_the_thread_where_it_was() {
        crate::zone!(before);
        let record = local::record().expect("the thread runs");
        let (node, nodes) = (record.current().unwrap(), record.node_count());
        let times = || (record.changes(), record.tenancy(), node.entries());
        let times_before = times();
        let scratch = scratch();
        measure_on(scratch, switch::word());
        assert!(std::ptr::eq(record.current().unwrap(), node));
        assert_eq!((times(), record.node_count()), (times_before, nodes));
        assert!(!scratch.is_owned());
        let mut known = Vec::new();
        registry::complete(&mut known);
        assert!(known.iter().all(|known| !std::ptr::eq(*known, scratch)));
        // What comes next is the thread's again.
        crate::zone!(after);
        assert_eq!(record.node_count(), nodes + 1);
        assert_eq!(record.current().unwrap().zone().label(), "after");
        assert_eq!(scratch.node_count(), 2);
    }
}
