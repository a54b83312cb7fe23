//! Measures a zone's overhead on this machine while the program runs. Net times and `Timing::Auto`'s overhead limit are
//! based on the result.
//!
//! A measurement runs the code that the macros insert into the host, for about 30 zones, on a record that does not
//! appear in reports. A measurement takes about a microsecond, so it can be repeated in many frames to keep track of
//! changes in the CPU's speed.
//!
//! The measured cost is that of zones in a loop that does nothing else. In a real program, a zone may cost less,
//! because the CPU does other work while it reads the counter. A zone may also cost more, because its code and node
//! have to be fetched first. The host's code may also be compiled differently: with `opt-level = 1` nothing is inlined
//! across crates, so counting costs much more than measured here.

use super::fallible;
use super::local::{self, Site, enter};
use super::mode::{self, cutoff};
use super::record::ThreadRecord;
use crate::Zone;
use crate::clock::{self, Ticks};
use crate::sync::OnceLock;

/// The number of zones per measurement.
const ZONES: u32 = 32;
/// The number of zones in one clock step after which the clock is assumed to have stopped.
const MAX_ZONES: u32 = 1 << 18;
/// The maximum factor by which the known cost rises per measurement. This keeps the known cost close to the lowest of
/// the last few hundred measurements.
const GROWTH: f64 = 1.001;

/// The measured cost of a zone. Each field is the lowest value confirmed by two consecutive measurements. A single
/// measurement may be too low, if the counter was set back during it.
#[derive(Debug, Default)]
pub struct KnownCost {
    known: ZoneCost,
    last: Option<ZoneCost>,
}

impl KnownCost {
    pub fn get(&self) -> ZoneCost {
        self.known
    }

    pub fn refine(&mut self, measured: ZoneCost) {
        let agreed = match self.last.replace(measured) {
            Some(last) => measured.max(last),
            None => measured,
        };
        self.known = self.known.toward(agreed);
    }
}

/// The cost of a zone, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ZoneCost {
    /// The cost to enter and leave a timed zone.
    pub timed: f64,
    /// The portion of `timed` that the zone measures as its own time. The rest is attributed to the caller.
    pub inside: f64,
    /// The cost to enter and leave an untimed zone.
    pub counted: f64,
}

impl ZoneCost {
    /// Converts the costs to a different unit.
    #[must_use]
    pub fn times(self, factor: f64) -> ZoneCost {
        ZoneCost {
            timed: self.timed * factor,
            inside: self.inside * factor,
            counted: self.counted * factor,
        }
    }

    /// Returns `other`, with each field limited to [`GROWTH`] times the same field of `self`.
    fn toward(self, other: ZoneCost) -> ZoneCost {
        let toward = |mine: f64, other: f64| match mine {
            0.0 => other,
            _ => other.min(mine * GROWTH),
        };
        self.zip(other, toward)
    }

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

/// Measures the cost once. Returns `None` while recording is off or if there is no memory. With a coarse clock, a
/// measurement takes several clock steps. Only one thread at a time may call this function.
pub fn measure(is_coarse: bool) -> Option<ZoneCost> {
    static SCRATCH: OnceLock<&'static ThreadRecord> = OnceLock::new();
    let epoch = mode::epoch();
    if mode::is_off(epoch) {
        return None;
    }
    let scratch = match SCRATCH.get() {
        Some(scratch) => scratch,
        None => {
            let made = ThreadRecord::new(fallible::try_string("iprof cost")?)?;
            SCRATCH.get_or_init(|| made)
        }
    };
    match is_coarse {
        false => Some(measure_on(scratch, epoch)),
        true => measure_by_steps(scratch, epoch),
    }
}

/// Like [`measure_on`], but for a coarse clock: counts how many zones fit into one clock step. Returns `None` if a step
/// takes too long.
fn measure_by_steps(scratch: &'static ThreadRecord, epoch: u32) -> Option<ZoneCost> {
    scratch.begin(clock::now());
    let time = |cutoff| {
        local::with_record(scratch, epoch, || {
            scratch.change_clocks(cutoff, &[], clock::now);
            zones(1);
            let start = clock::next_step(clock::now())?;
            let mut count = 0;
            while clock::passed(start, clock::now()) == 0 {
                if count >= MAX_ZONES {
                    return None;
                }
                zones(ZONES);
                count += ZONES;
            }
            Some(clock::passed(start, clock::now()) as f64 / f64::from(count))
        })
    };
    let (timed, counted) = (time(cutoff::EXACT), time(cutoff::SAMPLED));
    scratch.end(clock::now());
    let timed = timed?;
    Some(ZoneCost {
        timed,
        // A zone reads the clock at its beginning and end, and half of the time that each reading takes is attributed
        // to the zone itself.
        inside: timed / 2.0,
        counted: counted?.min(timed),
    })
}

/// Measures on a record that no thread owns.
fn measure_on(scratch: &'static ThreadRecord, epoch: u32) -> ZoneCost {
    scratch.begin(clock::now());
    let (timed, inside) = local::with_record(scratch, epoch, || time_zones(scratch, cutoff::EXACT));
    let (counted, _) = local::with_record(scratch, epoch, || time_zones(scratch, cutoff::SAMPLED));
    scratch.end(clock::now());
    ZoneCost {
        timed,
        inside,
        counted,
    }
}

/// Returns the ticks per zone, and how many of those the zone measured as its own time.
fn time_zones(scratch: &ThreadRecord, cutoff: u8) -> (f64, f64) {
    scratch.change_clocks(cutoff, &[], clock::now);
    zones(1); // Warms up, and creates the node the first time.
    let measured = || scratch.node(1).map_or(0, |node| node.ticks());
    let before = measured();
    let start = clock::now();
    zones(ZONES);
    let took = clock::now().saturating_sub(start);
    let inside = measured().saturating_sub(before);
    let per_zone = |ticks: Ticks| ticks as f64 / f64::from(ZONES);
    (per_zone(took), per_zone(inside))
}

static COST: Zone = Zone::new("iprof_cost", file!(), line!(), module_path!());

#[inline(never)]
fn zones(count: u32) {
    for _ in 0..count {
        thread_local! {
            static SITE: Site = const { Site::new() };
        }
        let _zone = enter(&SITE, &COST);
    }
}

#[cfg(all(test, not(loom), feature = "enable"))]
mod tests {
    use super::*;
    use crate::clock::mock;
    use crate::registry;
    use std::time::{Duration, Instant};

    fn cost(timed: f64, inside: f64, counted: f64) -> ZoneCost {
        ZoneCost {
            timed,
            inside,
            counted,
        }
    }

    /// Creates a record like the one that [`measure`] uses, for the calling thread only.
    fn scratch() -> &'static ThreadRecord {
        // Choose the clock.
        registry::anchor();
        ThreadRecord::new("scratch".into()).unwrap()
    }

    #[test]
    fn known_cost_is_lowest_confirmed_and_rises_slowly() {
        let mut known = KnownCost::default();
        let mut refine = |timed, inside, counted| {
            known.refine(cost(timed, inside, counted));
            known.get()
        };
        let first = cost(50.0, 20.0, 3.0);
        assert_eq!(
            refine(50.0, 20.0, 3.0),
            first,
            "the first measurement should be adopted"
        );
        let crept = cost(50.0, 20.0 * GROWTH, 3.0);
        assert_eq!(
            refine(40.0, 30.0, 3.0),
            crept,
            "each field should be refined independently"
        );
        let agreed = cost(40.0, 20.0 * GROWTH * GROWTH, 3.0);
        assert_eq!(
            refine(39.0, 30.0, 2.0),
            agreed,
            "a confirmed lower cost should be adopted"
        );
        // The counter was set back during the measurement.
        for (timed, counted) in [(1.0, 0.0), (40.0, 2.0)] {
            let kept = refine(timed, 20.0, counted);
            assert!(kept.timed >= 39.0 && kept.counted >= 2.0, "{kept:?}");
        }
        // The CPU becomes slower, with one disturbed measurement in between.
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
        assert_eq!(
            followed,
            cost(80.0, 40.0, 4.0),
            "the cost should settle after hundreds of measurements"
        );
    }

    #[test]
    fn partial_costs_never_exceed_total() {
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
    fn zone_costs_two_clock_readings() {
        let scratch = scratch();
        const READING: Ticks = ZONES as Ticks;
        mock::step(READING);
        let mut total = 0;
        for _ in 0..3 {
            let start = clock::now();
            let found = measure_on(scratch, mode::epoch());
            // A zone reads the clock twice and measures one reading's time: from the end of the first to the end of the
            // second. The measurement as a whole adds one reading.
            assert_eq!(found, cost(2.0 * READING as f64 + 1.0, READING as f64, 1.0));
            let readings = (clock::now() - start) / READING;
            assert!(readings < Ticks::from(3 * ZONES), "{readings}");
            total += u64::from(2 * (ZONES + 1));
            assert_eq!(scratch.node(1).unwrap().entries(), total);
        }
        assert_eq!(
            scratch.node_count(),
            2,
            "all measurements should share one zone"
        );
    }

    #[test]
    fn timed_zone_costs_more_than_untimed_zone() {
        let scratch = scratch();
        let mut known = KnownCost::default();
        let mut fastest = Duration::MAX;
        // A program takes about this many measurements in its first second. Other threads may disturb individual
        // measurements.
        for _ in 0..64 {
            let start = Instant::now();
            known.refine(measure_on(scratch, mode::epoch()));
            fastest = fastest.min(start.elapsed());
        }
        let kept = known.get();
        assert!(0.0 < kept.inside && kept.inside <= kept.timed, "{kept:?}");
        assert!(0.0 < kept.counted && kept.counted < kept.timed, "{kept:?}");
        // A measurement takes microseconds, except under Miri.
        assert!(
            cfg!(miri) || fastest < Duration::from_millis(1),
            "{fastest:?}"
        );
    }

    #[test]
    fn measuring_does_not_touch_thread_record() {
        zone!(before);
        let record = local::record().expect("this thread should have a record");
        let (node, nodes) = (record.current().unwrap(), record.node_count());
        let times = || (record.clock_changes(), record.generation(), node.entries());
        let times_before = times();
        let scratch = scratch();
        measure_on(scratch, mode::epoch());
        assert!(std::ptr::eq(record.current().unwrap(), node));
        assert_eq!((times(), record.node_count()), (times_before, nodes));
        assert!(!scratch.is_owned());
        let mut known = Vec::new();
        registry::append_new_records(&mut known);
        assert!(known.iter().all(|known| !std::ptr::eq(*known, scratch)));
        // Later zones are recorded in the thread's own record again.
        zone!(after);
        assert_eq!(record.node_count(), nodes + 1);
        assert_eq!(record.current().unwrap().zone().label(), "after");
        assert_eq!(scratch.node_count(), 2);
    }
}
