//! Tests programs with a million call stacks, and with a hundred thousand zones.

use crate::children::{describe, run, task};
use crate::recorded::entries_in;
use iprof::__private::{Site, enter};
use iprof::Zone;
use std::time::Instant;

fn branch(height: u32) {
    iprof::zone!(left);
    if height > 0 {
        branch(height - 1);
        branch_right(height - 1);
    }
}

fn branch_right(height: u32) {
    iprof::zone!(right);
    if height > 0 {
        branch(height - 1);
        branch_right(height - 1);
    }
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

#[test]
fn stacks_beyond_a_million_are_counted() {
    const TEST: &str = "stacks::stacks_beyond_a_million_are_counted";
    if task().is_none() {
        let output = run(TEST, "stacks");
        assert!(output.status.success(), "{}", describe(&output));
        return;
    }
    iprof::configure(|config| config.history = 2);
    iprof::configure(|config| config.longest_frames = 0);
    // Each call creates 2^20 - 2 stacks. A thread can hold 1,048,512 stacks, including its root and the test's own.
    let start = Instant::now();
    branch(18);
    branch_right(18);
    println!("first: {:.0} ms", ms(start));
    let start = Instant::now();
    iprof::update(true);
    println!("update: {:.0} ms", ms(start));
    let start = Instant::now();
    branch(18);
    branch_right(18);
    println!("again: {:.0} ms", ms(start));
    let start = Instant::now();
    iprof::update(true);
    println!("update again: {:.0} ms", ms(start));
    let start = Instant::now();
    let recorded = iprof::snapshot();
    println!("snapshot: {:.0} ms", ms(start));
    const ROOM: u64 = 1_048_512;
    let nodes: usize = recorded
        .threads
        .iter()
        .map(|thread| thread.nodes.len())
        .sum();
    assert_eq!(nodes as u64, ROOM);
    let stacks = (1 << 20) - 2;
    let entered = entries_in(&recorded, "left") + entries_in(&recorded, "right");
    let warning = "call-stack limit reached; zone not recorded: ";
    let warnings = iprof::report().warnings;
    let rest = warnings.iter().find_map(|has| has.strip_prefix(warning));
    let times = rest.and_then(|rest| rest.split(' ').next()).unwrap();
    let dropped: u64 = times.parse().unwrap();
    assert!(dropped > 0);
    // Zones beyond the limit are left out of their callees' stacks. `update`'s own zone was entered twice, and was
    // dropped as well.
    assert_eq!(entered + dropped, 2 * stacks + 2);
    let start = Instant::now();
    let report = iprof::report();
    println!("report: {:.0} ms", ms(start));
    assert!(report.frame_ms > 0.0);
}

std::thread_local! {
    static GROUP: Site = const { Site::new() };
    static LEAF: Site = const { Site::new() };
}

/// Creates zones at run time, because a hundred thousand statics would take too long to compile.
fn zones(kind: &str, count: usize) -> Vec<&'static Zone> {
    let zone = |at: usize| -> &'static Zone {
        let label: &'static str = format!("{kind} {at}").leak();
        Box::leak(Box::new(Zone::new(label, file!(), line!(), module_path!())))
    };
    (0..count).map(zone).collect()
}

#[test]
fn hundred_thousand_zones_stay_distinct() {
    const TEST: &str = "stacks::hundred_thousand_zones_stay_distinct";
    if task().is_none() {
        let output = run(TEST, "zones");
        assert!(output.status.success(), "{}", describe(&output));
        return;
    }
    iprof::configure(|config| config.history = 2);
    let (groups, leaves) = (zones("group", 1_000), zones("leaf", 99_000));
    let rounds = || {
        for (group, leaves) in groups.iter().zip(leaves.chunks(99)) {
            let _group = enter(&GROUP, group);
            drop(enter(&GROUP, groups[0]));
            for leaf in leaves {
                // A source location usually enters the same zone every time. This one enters a different zone each
                // time, so its cached node must be replaced.
                drop(enter(&LEAF, leaf));
                iprof::zone!(elsewhere);
                drop(enter(&LEAF, groups[0]));
            }
        }
    };
    let start = Instant::now();
    rounds();
    println!("first: {:.0} ms", ms(start));
    let start = Instant::now();
    iprof::update(true);
    println!("update: {:.0} ms", ms(start));
    rounds();
    let start = Instant::now();
    iprof::update(true);
    println!("update again: {:.0} ms", ms(start));
    let recorded = iprof::snapshot();
    assert!(recorded.zones.len() > 100_000, "{}", recorded.zones.len());
    for at in [0, 1, 98, 99, 50_000, 98_999] {
        assert_eq!(entries_in(&recorded, &format!("leaf {at}")), 2, "leaf {at}");
    }
    assert_eq!(entries_in(&recorded, "elsewhere"), 2 * 99_000);
    let start = Instant::now();
    let report = iprof::report();
    println!("report: {:.0} ms", ms(start));
    assert!(report.rows.len() > 100_000, "{}", report.rows.len());
    let mut out = Vec::new();
    iprof::write_report(&mut out).unwrap();
    let start = Instant::now();
    let graph = iprof::View::default().graph(&iprof::profiler());
    println!("graph: {:.0} ms", ms(start));
    assert_eq!(graph.bars.len(), 2);
}
