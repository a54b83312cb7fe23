//! Runs loops in turns. Prints each loop's nanoseconds per round, as the minimum and the median over all turns, and the
//! differences from the first loop.

use std::time::Instant;

/// The number of zones that a loop enters per turn.
pub(crate) const ZONES: u64 = 30_000;
pub(crate) const TURNS: usize = 101;
/// The number of rounds. Each round uses different nodes, because the time depends on a node's location in memory.
pub(crate) const ROUNDS: usize = 8;

/// A name, and a loop that enters the given number of zones, or repeats the measured operation that many times.
pub(crate) type Loop = (&'static str, fn(u64));

fn summary(mut turns: Vec<f64>) -> [f64; 2] {
    turns.sort_by(f64::total_cmp);
    [turns[0], turns[turns.len() / 2]]
}

/// Measures groups of loops in each timing mode, and prints a line for each loop.
pub(crate) fn measure(groups: &[(&str, &[Loop])]) {
    for timing in ["exact", "sampled", "off"] {
        iprof::set_timing(timing.parse().expect("the timing should be valid"));
        for (name, loops) in groups {
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
                    "{timing:8} {name:15} {form:30} {:6.2} {:6.2} {:>8.2} {:>5.2}",
                    ns[0], ns[1], more[0], more[1]
                );
            }
        }
    }
}

/// The number of entries per zone, with exact and sampled timing combined.
pub(crate) const ENTRIES: u64 = 2 * (ROUNDS * TURNS) as u64 * ZONES;

/// Checks a zone's number of entries on all threads.
pub(crate) fn check(name: &str, wanted: u64) {
    let snapshot = iprof::snapshot();
    let is_it = |zone: &iprof::SnapshotZone| &*zone.name == name;
    let zone = snapshot.zones.iter().position(is_it).expect(name);
    let nodes = snapshot.threads.iter().flat_map(|thread| &thread.nodes);
    let of_zone = nodes.filter(|node| node.zone as usize == zone);
    let entries: u64 = of_zone.map(|node| node.entries).sum();
    assert_eq!(entries, wanted, "{name}");
}
