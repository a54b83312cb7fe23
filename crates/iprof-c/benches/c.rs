//! What a zone in C costs beside one in Rust: `./dev bench c`, which links the loops in C to this program. The contenders
//! take turns; the results are nanoseconds a zone, the least and the median of all turns.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Instant;

/// A multiple of the zones of each loop.
const ZONES: u64 = 30_000;
const TURNS: usize = 101;
/// Each in other places of memory: where a node lies decides over 2 ns, in any language.
const ROUNDS: usize = 8;

unsafe extern "C" {
    fn c_pair(zones: u64);
    fn c_scope(zones: u64);
    fn c_original(zones: u64);
    fn c_turns(zones: u64);
    fn c_nested(zones: u64);
    fn c_counter(zones: u64);
    fn c_value(zones: u64);
    fn c_value_double(zones: u64);
}

static SINK: AtomicU32 = AtomicU32::new(0);

fn work() {
    SINK.store(SINK.load(Relaxed) + 1, Relaxed);
}

macro_rules! functions {
    ($($name:ident)*) => {$(
        #[inline(never)]
        fn $name() {
            iprof::zone!($name);
            work();
        }
    )*};
}
functions!(leaf first second third);

fn rust_leaf(zones: u64) {
    for _ in 0..zones {
        leaf();
    }
}

fn rust_turns(zones: u64) {
    for _ in 0..zones / 3 {
        first();
        second();
        third();
    }
}

fn rust_nested(zones: u64) {
    for _ in 0..zones / 3 {
        iprof::zone!(outer);
        first();
        second();
    }
}

#[inline(never)]
fn counter() {
    iprof::counter!(counter);
    work();
}

fn rust_counter(zones: u64) {
    for _ in 0..zones {
        counter();
    }
}

iprof::define_value!(VALUE, "value", "unit");

#[inline(never)]
fn value() {
    iprof::value!(VALUE, 1);
    work();
}

fn rust_value(zones: u64) {
    for _ in 0..zones {
        value();
    }
}

/// Loops that enter as many zones, or add as often to a value.
type Loop = (&'static str, fn(u64));

/// A loop of `c.c`.
macro_rules! in_c {
    ($form:literal, $function:ident) => {
        // SAFETY: it takes any number.
        ($form, |zones| unsafe { $function(zones) })
    };
}

/// What is entered: the loop in Rust, and those in C.
const GROUPS: [(&str, Loop, &[Loop]); 5] = [
    (
        "one zone",
        ("Rust", rust_leaf),
        &[
            in_c!("begin, end", c_pair),
            in_c!("IPROF_SCOPE", c_scope),
            in_c!("prof.h", c_original),
        ],
    ),
    (
        "three in turn",
        ("Rust", rust_turns),
        &[in_c!("IPROF_SCOPE", c_turns)],
    ),
    (
        "two within one",
        ("Rust", rust_nested),
        &[in_c!("IPROF_SCOPE", c_nested)],
    ),
    (
        "one counter",
        ("Rust", rust_counter),
        &[in_c!("IPROF_COUNTER", c_counter)],
    ),
    (
        "one value",
        ("Rust", rust_value),
        &[in_c!("integer", c_value), in_c!("double", c_value_double)],
    ),
];

/// The least and the median of nanoseconds a zone.
fn summary(mut turns: Vec<f64>) -> [f64; 2] {
    turns.sort_by(f64::total_cmp);
    [turns[0], turns[turns.len() / 2]]
}

fn main() {
    iprof_c::zones::keep_functions();
    println!("ns a zone: least, median                              C - Rust");
    for timing in ["exact", "sampled", "off"] {
        iprof::set_timing(timing.parse().expect("a timing"));
        for (name, rust, c) in GROUPS {
            let loops: Vec<Loop> = [&[rust], c].concat();
            let mut found = vec![Vec::new(); loops.len()];
            for round in 0..ROUNDS {
                let caller = iprof::ZoneBuilder::new("caller").place(timing, round as u32);
                let _caller = caller.build().enter();
                for _ in 0..TURNS {
                    for ((_, run), found) in loops.iter().zip(&mut found) {
                        let begin = Instant::now();
                        run(ZONES);
                        found.push(begin.elapsed().as_nanos() as f64 / ZONES as f64);
                    }
                    iprof::update(true);
                }
            }
            let found: Vec<[f64; 2]> = found.into_iter().map(summary).collect();
            for ((form, _), ns) in loops.iter().zip(&found) {
                let more = [ns[0] - found[0][0], ns[1] - found[0][1]];
                println!(
                    "{timing:8} {name:15} {form:12} {:6.2} {:6.2} {:>8.2} {:>5.2}",
                    ns[0], ns[1], more[0], more[1]
                );
            }
        }
    }
    check();
}

/// It is a measurement of what was recorded.
fn check() {
    let snapshot = iprof::snapshot();
    let one = 2 * (ROUNDS * TURNS) as u64 * ZONES;
    for (name, wanted) in [
        ("leaf", one),
        ("pair of C", one),
        ("scope of C", one),
        ("original_of_C", one),
        ("first", one / 3 * 2),
        ("first of C", one / 3 * 2),
        ("third of C", one / 3),
        ("outer of C", one / 3),
        ("counter", one),
        ("counter of C", one),
    ] {
        let is_it = |zone: &iprof::SnapshotZone| &*zone.name == name;
        let zone = snapshot.zones.iter().position(is_it).expect(name);
        let nodes = snapshot.threads.iter().flat_map(|thread| &thread.nodes);
        let of_zone = nodes.filter(|node| node.zone as usize == zone);
        let entries: u64 = of_zone.map(|node| node.entries).sum();
        assert_eq!(entries, wanted, "{name}");
    }
    for (name, wanted) in [
        ("value", one as i64),
        ("value of C", one as i64),
        ("double of C", one as i64),
    ] {
        let value = snapshot
            .values
            .iter()
            .position(|value| &*value.name == name);
        let value = value.expect(name) as u32;
        let sums = snapshot.threads.iter().flat_map(|thread| &thread.values);
        let of_value = sums.filter(|sum| sum.value == value);
        let steps: i64 = of_value.map(|sum| sum.steps).sum();
        assert_eq!(steps, wanted, "{name}");
    }
}
