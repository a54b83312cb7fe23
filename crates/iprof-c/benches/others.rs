//! Measures the overhead of other ways to create zones, compared with `zone!`: names known at run time, `profiling`
//! scopes, futures, `tracing` spans named by a value, and C functions with `-finstrument-functions`.
//!
//! `./dev bench others` runs this benchmark, linked with the C code. The results are nanoseconds per round: the minimum
//! and the median over all turns.

#![allow(unsafe_code)]

mod interleaved;

use interleaved::{ENTRIES, Loop, check, measure};
use iprof::{InZone, RunTimeZone, ZoneBuilder};
use iprof_tracing::{Options, Subscriber};
use std::future::{Future, poll_fn};
use std::hint::black_box;
use std::pin::pin;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};

unsafe extern "C" {
    fn c_hooked(rounds: u64);
    fn c_plain(rounds: u64);
}

static SINK: AtomicU32 = AtomicU32::new(0);

fn work() {
    SINK.store(SINK.load(Relaxed) + 1, Relaxed);
}

/// Defines loops over functions that are not inlined.
macro_rules! loops {
    ($($name:ident($at:ident) $body:block)*) => {$(
        fn $name(rounds: u64) {
            #[inline(never)]
            fn once($at: u64) $body
            for at in 0..rounds {
                once(at);
            }
        }
    )*};
}

const NAMES: [&str; 2] = ["gravity", "collisions"];

fn run_time_zone() -> RunTimeZone {
    static ZONE: OnceLock<RunTimeZone> = OnceLock::new();
    *ZONE.get_or_init(|| ZoneBuilder::new("run-time zone").build())
}

iprof::define_zone!(POLLED, "in_zone");

loops! {
    nothing(_at) { work(); }
    zone(_at) { iprof::zone!("zone"); work(); }
    scope(_at) { profiling::scope!("scope"); work(); }
    function_scope(_at) { profiling::function_scope!(); work(); }
    named_scope(_at) { profiling::scope!(black_box("named scope")); work(); }
    zone_named(_at) { iprof::zone_named!(black_box("zone_named")); work(); }
    zone_named_by_turns(at) { iprof::zone_named!(NAMES[at as usize % 2]); work(); }
    entered(_at) { let _open = run_time_zone().enter(); work(); }
    span(_at) { tracing::info_span!("span").in_scope(work); }
    span_by_string(_at) { tracing::info_span!("by string", name = black_box(NAMES[0])).in_scope(work); }
    span_by_turns(at) { tracing::info_span!("by turns", name = NAMES[at as usize % 2]).in_scope(work); }
    span_by_number(_at) { tracing::info_span!("by number", name = black_box(7)).in_scope(work); }
    span_by_debug(_at) { tracing::info_span!("by debug", name = ?black_box(NAMES[0])).in_scope(work); }
}

fn span_entered_again(rounds: u64) {
    let span = tracing::info_span!("again", name = NAMES[0]);
    for _ in 0..rounds {
        span.in_scope(work);
    }
}

/// Polls a future once per round; it is always pending.
fn poll(rounds: u64, future: impl Future<Output = ()>) {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..rounds {
        let _ = black_box(future.as_mut().poll(&mut context));
    }
}

fn pending() -> impl Future<Output = ()> {
    poll_fn(|_| {
        work();
        Poll::Pending
    })
}

fn polled(rounds: u64) {
    poll(rounds, pending());
}

fn polled_in_zone(rounds: u64) {
    poll(rounds, pending().in_zone(&POLLED));
}

fn polled_in_run_time_zone(rounds: u64) {
    poll(rounds, pending().in_zone(run_time_zone()));
}

macro_rules! in_c {
    ($form:literal, $function:ident) => {
        // SAFETY: the function accepts any number.
        ($form, |rounds| unsafe { $function(rounds) })
    };
}

const GROUPS: [(&str, &[Loop]); 5] = [
    (
        "a zone",
        &[
            ("no zone", nothing),
            ("zone!", zone),
            ("RunTimeZone::enter", entered),
            ("zone_named!", zone_named),
            ("zone_named!, two by turns", zone_named_by_turns),
        ],
    ),
    (
        "profiling",
        &[
            ("no zone", nothing),
            ("scope!, a literal", scope),
            ("function_scope!", function_scope),
            ("scope!, an expression", named_scope),
        ],
    ),
    (
        "a poll",
        &[
            ("no zone", polled),
            ("in_zone", polled_in_zone),
            ("in_zone, run-time zone", polled_in_run_time_zone),
        ],
    ),
    (
        "a span",
        &[
            ("no zone", nothing),
            ("by place", span),
            ("named_by, a string", span_by_string),
            ("named_by, two strings by turns", span_by_turns),
            ("named_by, an integer", span_by_number),
            ("named_by, Debug of a string", span_by_debug),
            ("named_by, entered again", span_entered_again),
        ],
    ),
    (
        "C",
        &[
            in_c!("no zone", c_plain),
            in_c!("-finstrument-functions", c_hooked),
        ],
    ),
];

fn main() {
    iprof_c::keep_functions();
    Subscriber::with_options(Options::new().named_by("name")).init();
    println!("ns a round: least, median                                    over the first");
    measure(&GROUPS);
    for name in [
        "zone",
        "scope",
        "named scope",
        "zone_named",
        "in_zone",
        "span",
        "hooked_leaf",
    ] {
        check(name, ENTRIES);
    }
    check("again::gravity", ENTRIES);
    check("by string::gravity", ENTRIES);
    check("by number::7", ENTRIES);
    check("by turns::collisions", ENTRIES / 2);
}
