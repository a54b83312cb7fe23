//! Measures how much time `iprof::Allocator` adds to an allocation and its deallocation, compared with the underlying
//! allocator.

#![allow(unsafe_code)] // Calls allocators directly.

#[path = "shared/options.rs"]
mod options;

use iprof::Allocator;
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::time::Instant;

const RUNS: usize = 2_000;
const BLOCKS: usize = 1_000;
static COUNTED: Allocator = Allocator::new(System);

/// Returns nanoseconds per allocation and deallocation, first for blocks that are freed immediately, and then for
/// blocks that are freed after all of them were allocated.
fn measure(allocator: &impl GlobalAlloc, blocks: &mut [*mut u8], size: usize) -> [f64; 2] {
    let layout = Layout::from_size_align(size, 8).expect("the layout should be valid");
    let each = |start: Instant| start.elapsed().as_nanos() as f64 / BLOCKS as f64;
    let start = Instant::now();
    for _ in 0..BLOCKS {
        // SAFETY: the size is not 0, and each block is freed once, with its layout.
        unsafe { allocator.dealloc(black_box(allocator.alloc(layout)), layout) };
    }
    let at_once = each(start);
    let start = Instant::now();
    for block in &mut *blocks {
        // SAFETY: the size is not 0.
        *block = black_box(unsafe { allocator.alloc(layout) });
    }
    for block in &mut *blocks {
        // SAFETY: the block was allocated above, with the same layout.
        unsafe { allocator.dealloc(*block, layout) };
    }
    [at_once, each(start)]
}

/// Opens a different zone before each allocation, so that no allocation can reuse the previous one's node.
fn measure_in_two_zones(allocator: &impl GlobalAlloc) -> f64 {
    let layout = Layout::new::<[u64; 8]>();
    let start = Instant::now();
    for _ in 0..BLOCKS / 2 {
        for zone in 0..2 {
            let _open = match zone {
                0 => iprof::open_zone!(first),
                _ => iprof::open_zone!(second),
            };
            // SAFETY: the size is not 0, and each block is freed once, with its layout.
            unsafe { allocator.dealloc(black_box(allocator.alloc(layout)), layout) };
        }
    }
    start.elapsed().as_nanos() as f64 / BLOCKS as f64
}

/// The number of zones that allocate in turn. A thread's node cache can't hold this many.
const ZONES: usize = 64;

/// Opens many zones in turn. Each zone has already allocated memory, and also has other callees.
fn measure_many(allocator: &impl GlobalAlloc, zones: &[iprof::RunTimeZone]) -> f64 {
    let layout = Layout::new::<[u64; 8]>();
    let turns = BLOCKS / zones.len();
    let start = Instant::now();
    for _ in 0..turns {
        for zone in zones {
            let _open = zone.enter();
            // SAFETY: the size is not 0, and each block is freed once, with its layout.
            unsafe { allocator.dealloc(black_box(allocator.alloc(layout)), layout) };
        }
    }
    start.elapsed().as_nanos() as f64 / (turns * zones.len()) as f64
}

/// Creates zones with the given number of callees each. The callees' nodes are older than the nodes for allocations.
fn zones(callees: usize) -> Vec<iprof::RunTimeZone> {
    let zone = |name: String| iprof::ZoneBuilder::new(&name).build();
    let zones: Vec<_> = (0..ZONES)
        .map(|at| zone(format!("zone {at} of {callees}")))
        .collect();
    let others: Vec<_> = (0..callees)
        .map(|at| zone(format!("callee {at}")))
        .collect();
    for zone in &zones {
        let _open = zone.enter();
        others.iter().for_each(|callee| drop(callee.enter()));
    }
    zones
}

fn main() {
    iprof::set_timing(iprof::Timing::SAMPLED);
    iprof::zone!(bench);
    let mut blocks = vec![std::ptr::null_mut(); BLOCKS];
    let many = [0, 100].map(zones);
    let mut times = [const { Vec::new() }; 14];
    for _ in 0..options::runs(RUNS) {
        let mut times = times.iter_mut();
        let mut push = |time| {
            times
                .next()
                .expect("there should be a list for each measurement")
                .push(time)
        };
        for size in [64, 4_096] {
            measure(&System, &mut blocks, size)
                .into_iter()
                .for_each(&mut push);
            measure(&COUNTED, &mut blocks, size)
                .into_iter()
                .for_each(&mut push);
        }
        push(measure_in_two_zones(&System));
        push(measure_in_two_zones(&COUNTED));
        for zones in &many {
            push(measure_many(&System, zones));
            push(measure_many(&COUNTED, zones));
        }
    }
    times
        .iter_mut()
        .for_each(|times| times.sort_by(f64::total_cmp));
    println!("ns for an allocation and its freeing: minimum, median");
    let names = [
        "64 bytes",
        "64 bytes, 1,000 at once",
        "4 KiB",
        "4 KiB, 1,000 at once",
    ];
    let line = |name: &str, [bare, counted]: [&Vec<f64>; 2]| {
        let [min, median] = [0, bare.len() / 2].map(|at| counted[at] - bare[at]);
        println!(
            "{name:<28} system {:>7.2} {:>7.2}  counted {:>7.2} {:>7.2}  above {min:>6.2} {median:>6.2}",
            bare[0],
            bare[bare.len() / 2],
            counted[0],
            counted[bare.len() / 2]
        );
    };
    for (at, name) in names.iter().enumerate() {
        let first = at / 2 * 4 + at % 2;
        line(name, [&times[first], &times[first + 2]]);
    }
    line("64 bytes, 2 alternating zones", [&times[8], &times[9]]);
    line("64 bytes, 64 alternating zones", [&times[10], &times[11]]);
    line("the same with 100 callees", [&times[12], &times[13]]);
}
