//! Tests folded stacks with inferno.

use crate::recorded::{empty, names, odd_names, random, same_names, total_ns};
use inferno::flamegraph::{Options, from_reader};
use iprof::Snapshot;

fn folded(snapshot: &Snapshot) -> String {
    let mut out = Vec::new();
    iprof::Format::Folded.write(snapshot, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns the flame graph and its total nanoseconds.
fn flame_graph(folded: &str) -> (String, u64) {
    let mut options = Options::default();
    options.count_name = "ns".into();
    options.min_width = 0.0;
    let mut svg = Vec::new();
    from_reader(&mut options, folded.as_bytes(), &mut svg).unwrap();
    let svg = String::from_utf8(svg).unwrap();
    // `<title>all (1,234 ns, 100%)</title>`
    let all = svg.split_once("<title>all (").unwrap().1;
    let all = all.split_once(" ns").unwrap().0.replace(',', "");
    (svg, all.parse().unwrap())
}

#[test]
fn inferno_reads_all_times_and_names() {
    for names in [names(20), odd_names()] {
        let snapshot = random(&names, 600);
        let text = folded(&snapshot);
        let (svg, all) = flame_graph(&text);
        // Each thread's total is rounded.
        let expected = total_ns(&snapshot);
        assert!(
            (all as f64 - expected).abs() <= 1.5,
            "{all} instead of {expected}"
        );
        assert!(svg.contains("<title>worker ("));
    }
    let (svg, _) = flame_graph(&folded(&random(&odd_names(), 600)));
    for shown in [
        "a:b:c",
        "🦀 crab 🐙",
        "two lines",
        "&lt;script&gt;",
        "pass_2",
    ] {
        assert!(svg.contains(shown), "{shown}");
    }
}

#[test]
fn same_named_zones_stay_distinct() {
    let (svg, _) = flame_graph(&folded(&same_names()));
    for shown in [
        "<title>update (a b.rs:1) (1,000 ns",
        "<title>update (a b.rs:9) (2,000 ns",
    ] {
        assert!(svg.contains(shown), "{svg}");
    }
}

#[test]
fn names_have_no_surrounding_whitespace() {
    let text = folded(&random(&odd_names(), 600));
    let names = text
        .lines()
        .flat_map(|line| line.rsplit_once(' ').unwrap().0.split(';'));
    for name in names {
        assert_eq!(name, name.trim(), "{text}");
    }
}

#[test]
fn empty_profile_has_no_lines() {
    assert_eq!(folded(&empty()), "");
}
