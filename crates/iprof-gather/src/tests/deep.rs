//! Tests of timed zones on top of deep untimed recursions.

use crate::Zone;
use crate::mode::cutoff;
use crate::node::class;
use crate::scripted_thread::ScriptedThread;
use std::time::{Duration, Instant};

static BASE: Zone = Zone::new("base", "", 0, "");
static DEEP: Zone = Zone::new("deep", "", 0, "");
static LEAF: Zone = Zone::new("leaf", "", 0, "");

/// At the second depth, a search for the timed ancestor through all levels would take a hundred times as long as at the
/// first. Miri is a thousand times slower, so under Miri the test only checks that the code runs.
const DEPTHS: [u32; 2] = if cfg!(miri) { [10, 100] } else { [100, 10_000] };

/// Returns a thread that is `depth` levels deep in an untimed zone on top of a timed zone, and that has entered and
/// left a second timed zone at that depth.
fn deep_thread(depth: u32) -> ScriptedThread {
    let thread = ScriptedThread::begin("", 0);
    let record = thread.record();
    thread.enter(&BASE, 0);
    for _ in 0..depth {
        thread.enter(&DEEP, 0);
    }
    let short: Vec<_> = (2..record.node_count())
        .map(|node| (node, class::UNTIMED_BY_AUTO))
        .collect();
    record.reclassify(&short);
    thread.apply_mode(cutoff::AUTO, 0);
    thread.enter(&LEAF, 0);
    thread.leave(0);
    thread
}

#[test]
fn timed_zone_cost_is_independent_of_depth() {
    let threads = DEPTHS.map(deep_thread);
    let time = |thread: &ScriptedThread| {
        let start = Instant::now();
        for now in 0..if cfg!(miri) { 5 } else { 500 } {
            thread.enter(&LEAF, now);
            thread.leave(now);
        }
        start.elapsed()
    };
    let mut fastest = [Duration::MAX; 2];
    for _ in 0..if cfg!(miri) { 1 } else { 50 } {
        for (fastest, thread) in fastest.iter_mut().zip(&threads) {
            *fastest = time(thread).min(*fastest);
        }
    }
    let [near, far] = fastest;
    assert!(cfg!(miri) || far < 5 * near, "{near:?} and {far:?}");
}

#[test]
fn reading_cost_is_independent_of_depth() {
    let threads = DEPTHS.map(deep_thread);
    let mut fastest = [Duration::MAX; 2];
    for _ in 0..if cfg!(miri) { 1 } else { 50 } {
        for (fastest, thread) in fastest.iter_mut().zip(&threads) {
            let start = Instant::now();
            for _ in 0..if cfg!(miri) { 1 } else { 100 } {
                std::hint::black_box(thread.record().read().unwrap());
            }
            *fastest = start.elapsed().min(*fastest);
        }
    }
    let [near, far] = fastest;
    assert!(cfg!(miri) || far < 5 * near, "{near:?} and {far:?}");
}

#[test]
fn reclassifying_counts_every_tick_once() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..if cfg!(miri) { 2 } else { 200 } {
        let thread = ScriptedThread::begin("", 0);
        let record = thread.record();
        thread.apply_mode(cutoff::AUTO, 0);
        // The ticks that each node's clock ran, determined by a search along the stack at every tick.
        let mut expected: Vec<u64> = vec![0];
        let (mut now, mut depth) = (0, 0);
        for _ in 0..200 {
            let passed = random.u64(0..10);
            now += passed;
            let mut timed_ancestor = record.current().unwrap();
            while !timed_ancestor.is_timed() {
                timed_ancestor = timed_ancestor.parent().unwrap();
            }
            expected[timed_ancestor.index() as usize] += passed;
            match random.u8(0..8) {
                0..=3 if depth < 20 => {
                    let zone = [&BASE, &DEEP, &LEAF][random.usize(0..3)];
                    thread.enter(zone, now);
                    depth += 1;
                }
                4..=6 if depth > 0 => {
                    thread.leave(now);
                    depth -= 1;
                }
                _ => {
                    let other = |node| {
                        (
                            node,
                            [class::TIMED_BY_AUTO, class::UNTIMED_BY_AUTO][random.usize(0..2)],
                        )
                    };
                    let some = (1..record.node_count()).filter(|node| node % 3 == now as u32 % 3);
                    record.reclassify(&some.map(other).collect::<Vec<_>>());
                    thread.apply_mode(
                        [cutoff::AUTO, cutoff::SAMPLED][usize::from(now % 7 == 0)],
                        now,
                    );
                }
            }
            expected.resize(record.node_count() as usize, 0);
            let reading = record.read().unwrap();
            let found = record.node(reading.timed_ancestor).unwrap();
            let ticks = reading.ticks + (now - reading.started);
            assert_eq!(ticks, expected[found.index() as usize]);
            assert_eq!(reading.node, record.current().unwrap().index());
        }
        thread.end(now);
        for (index, ticks) in expected.iter().enumerate() {
            assert_eq!(
                record.node(index as u32).unwrap().ticks(),
                *ticks,
                "{index}"
            );
        }
    }
}
