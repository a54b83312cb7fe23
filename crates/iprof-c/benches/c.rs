//! Compares a zone's overhead in C and in Rust. `./dev bench c` runs this benchmark, linked with the loops in C.
//!
//! The contenders take turns. The results are nanoseconds per zone: the minimum and the median over all turns.

#![allow(unsafe_code)]

mod interleaved;

use interleaved::{ENTRIES, Loop, check, measure};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

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

macro_rules! in_c {
    ($form:literal, $function:ident) => {
        // SAFETY: the function accepts any number.
        ($form, |zones| unsafe { $function(zones) })
    };
}

/// The groups, each with a loop in Rust and loops in C.
const GROUPS: [(&str, &[Loop]); 5] = [
    (
        "one zone",
        &[
            ("Rust", rust_leaf),
            in_c!("begin, end", c_pair),
            in_c!("IPROF_SCOPE", c_scope),
            in_c!("prof.h", c_original),
        ],
    ),
    (
        "three in turn",
        &[("Rust", rust_turns), in_c!("IPROF_SCOPE", c_turns)],
    ),
    (
        "two within one",
        &[("Rust", rust_nested), in_c!("IPROF_SCOPE", c_nested)],
    ),
    (
        "one counter",
        &[("Rust", rust_counter), in_c!("IPROF_COUNTER", c_counter)],
    ),
    (
        "one value",
        &[
            ("Rust", rust_value),
            in_c!("integer", c_value),
            in_c!("double", c_value_double),
        ],
    ),
];

fn main() {
    iprof_c::keep_functions();
    println!("ns a zone: least, median                                                C - Rust");
    measure(&GROUPS);
    check_all();
}

/// Checks that everything that was measured was also recorded.
fn check_all() {
    let one = ENTRIES;
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
        check(name, wanted);
    }
    let snapshot = iprof::snapshot();
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
