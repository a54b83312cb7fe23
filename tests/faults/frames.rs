//! Tests a program that ends frames as fast as possible.

use crate::children::{describe, run, task};
use crate::process_memory::memory;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

fn work(depth: u32) {
    iprof::zone!(in_frames);
    if depth > 0 {
        work(depth - 1);
    }
}

/// Recording a million frames takes a minute, so by default the test records a tenth of that. `IPROF_TEST_FRAMES` sets
/// the number of frames.
#[test]
fn fast_frames_are_all_counted_in_constant_memory() {
    const TEST: &str = "frames::fast_frames_are_all_counted_in_constant_memory";
    if task().is_none() {
        let output = run(TEST, "frames");
        println!("{}", describe(&output));
        assert!(output.status.success(), "{}", describe(&output));
        return;
    }
    let frames: u64 = std::env::var("IPROF_TEST_FRAMES").map_or(100_000, |n| n.parse().unwrap());
    static END: AtomicBool = AtomicBool::new(false);
    let busy = || {
        let mut entered = 0_u64;
        while !END.load(Relaxed) {
            work(9);
            entered += 10;
        }
        entered
    };
    let threads: Vec<_> = (0..3).map(|_| thread::spawn(busy)).collect();
    let (start, mut before) = (Instant::now(), None);
    for frame in 1..=frames {
        {
            iprof::zone!(of_main);
        }
        iprof::update(true);
        if frame % 1_024 == 0 {
            let graph = iprof::View::default().graph(&iprof::profiler());
            assert_eq!(graph.bars.back().unwrap().frame, frame);
            let _ = iprof::report();
        }
        if frame == frames / 4 {
            before = Some(memory().1);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{frames} frames in {seconds:.1} s");
    let grown = memory().1.saturating_sub(before.unwrap());
    assert!(grown < 16 << 20, "{grown} bytes more");
    END.store(true, Relaxed);
    let entered: u64 = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .sum();
    iprof::update(true);
    let recorded = iprof::snapshot();
    assert_eq!(recorded.frames, frames + 1);
    assert_eq!(crate::recorded::entries_in(&recorded, "of_main"), frames);
    assert_eq!(crate::recorded::entries_in(&recorded, "in_frames"), entered);
    for thread in &recorded.threads {
        let ticks: u64 = thread.nodes.iter().map(|node| node.ticks).sum();
        assert!(ticks <= recorded.ticks, "{}", thread.name);
    }
}
