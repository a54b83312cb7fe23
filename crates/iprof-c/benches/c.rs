//! What a zone in C costs beside one in Rust: `./dev bench c`, which links the loop in C to this program. The contenders
//! take turns; the results are nanoseconds a zone, the least and the median of all turns.

#![allow(unsafe_code)]

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Instant;

const ZONES: u64 = 1_000_000;
const TURNS: usize = 31;

unsafe extern "C" {
    fn c_loop(times: u64);
}

static SINK: AtomicU32 = AtomicU32::new(0);

#[inline(never)]
fn leaf() {
    iprof::zone!(leaf_of_rust);
    SINK.store(SINK.load(Relaxed) + 1, Relaxed);
}

fn rust_loop(times: u64) {
    for _ in 0..times {
        black_box(leaf)();
    }
}

fn ns(f: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    f();
    begin.elapsed().as_nanos() as f64 / ZONES as f64
}

fn main() {
    // What C finds in this program.
    black_box((
        iprof_c::zones::iprof_make_zone as *const (),
        iprof_c::zones::iprof_enter as *const (),
        iprof_c::zones::iprof_leave as *const (),
    ));
    println!("ns a zone          Rust            C   C - Rust   (least, median)");
    for timing in ["exact", "sampled", "off"] {
        iprof::set_timing(timing.parse().expect("a timing"));
        let mut found = [Vec::new(), Vec::new()];
        for _ in 0..TURNS {
            found[0].push(ns(|| rust_loop(ZONES)));
            // SAFETY: the function of `c.c`.
            found[1].push(ns(|| unsafe { c_loop(ZONES) }));
            iprof::update(true);
        }
        let [rust, c] = found.map(|mut turns| {
            turns.sort_by(f64::total_cmp);
            [turns[0], turns[TURNS / 2]]
        });
        let pair = |of: [f64; 2]| format!("{:.2} {:.2}", of[0], of[1]);
        let more = [c[0] - rust[0], c[1] - rust[1]];
        println!(
            "{timing:8} {:>14} {:>12} {:>10}",
            pair(rust),
            pair(c),
            pair(more)
        );
    }
    // It is a measurement of what was recorded.
    let snapshot = iprof::snapshot();
    for name in ["leaf_of_rust", "leaf of C"] {
        let is_it = |zone: &iprof::SnapshotZone| &*zone.name == name;
        let zone = snapshot
            .zones
            .iter()
            .position(is_it)
            .expect("it was entered");
        let nodes = snapshot.threads.iter().flat_map(|thread| &thread.nodes);
        let entries: u64 = nodes
            .filter(|node| node.zone as usize == zone)
            .map(|node| node.entries)
            .sum();
        assert_eq!(entries, 2 * TURNS as u64 * ZONES, "{name}");
    }
}
