//! Tests that zones created at run time share a call tree with macro zones, and that their sums are the same. Also
//! tests the limit on the number of zones, and invalid input.
#![cfg(feature = "enable")]

#[path = "support/stacks.rs"]
mod stacks;

use iprof::{RunTimeValue, RunTimeZone, SnapshotZone, Timing, ZoneBuilder};
use stacks::{entries, wanted};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

iprof::define_zone!(DEFINED, "defined");

/// Runs one test at a time, because the tests share the limit.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    iprof::set_timing(Timing::Exact);
    ZoneBuilder::set_limit(ZoneBuilder::DEFAULT_LIMIT);
    guard
}

fn zone(name: &str) -> RunTimeZone {
    ZoneBuilder::new(name).build()
}

#[test]
fn run_time_and_macro_zones_share_one_tree() {
    let _alone = alone();
    let found = entries("mixed", || {
        for round in 0..3 {
            iprof::zone!(outer);
            let _script = zone("script").enter();
            for name in ["a", "b", "a"] {
                let _open = zone(name).enter();
                iprof::zone!(&DEFINED);
                let _again = zone("script").enter();
                zone("things").count();
            }
            iprof::begin!(&DEFINED);
            zone("c").begin();
            iprof::zone!(inner);
            drop(round_zone(round));
            zone("c").end();
            iprof::end!(&DEFINED);
        }
    });
    let wanted = wanted([
        ("outer", 3),
        ("outer/script", 3),
        ("outer/script/a", 6),
        ("outer/script/a/defined", 6),
        ("outer/script/a/defined/script", 6),
        ("outer/script/a/defined/script/things", 6),
        ("outer/script/b", 3),
        ("outer/script/b/defined", 3),
        ("outer/script/b/defined/script", 3),
        ("outer/script/b/defined/script/things", 3),
        ("outer/script/defined", 3),
        ("outer/script/defined/c", 3),
        ("outer/script/defined/c/inner", 3),
        ("outer/script/defined/c/inner/round 0", 1),
        ("outer/script/defined/c/inner/round 1", 1),
        ("outer/script/defined/c/inner/round 2", 1),
    ]);
    assert_eq!(found, wanted);
}

fn round_zone(round: u32) -> iprof::OpenZone {
    zone(&format!("round {round}")).enter()
}

#[test]
fn computed_names_create_zones_at_their_location() {
    let _alone = alone();
    let found = entries("expressions", || {
        let here = |name: &str| {
            iprof::zone_named!(name);
            iprof::zone_named!(&format!("in {name}"));
        };
        ["a", "a", "b", "a"].into_iter().for_each(here);
        iprof::zone!(other_place);
        iprof::zone_named!("a");
    });
    let wanted = wanted([
        ("a", 3),
        ("a/in a", 3),
        ("b", 1),
        ("b/in b", 1),
        ("other_place", 1),
        ("other_place/a", 1),
    ]);
    assert_eq!(found, wanted);
    let snapshot = iprof::snapshot();
    let is_here = |zone: &&SnapshotZone| (&*zone.name, &*zone.file) == ("a", file!());
    let of_here = snapshot.zones.iter().filter(is_here);
    assert_eq!(of_here.count(), 2);
}

#[test]
fn open_run_time_zone_can_be_relabeled() {
    let _alone = alone();
    let found = entries("relabeled", || {
        let mut open = zone("loading").enter();
        iprof::relabel!(open, sorting);
        drop(open);
    });
    assert_eq!(found, wanted([("loading", 1), ("sorting", 1)]));
}

#[test]
fn unmatched_ends_are_ignored() {
    let _alone = alone();
    let found = entries("unbalanced", || {
        zone("never begun").end();
        zone("below").begin();
        zone("never begun").end();
        zone("above").begin();
        zone("below").end();
        zone("above").end();
        // By now, both zones must have been closed.
        let _open = zone("after").enter();
    });
    let wanted = wanted([("below", 1), ("below/above", 1), ("after", 1)]);
    assert_eq!(found, wanted);
}

#[test]
fn end_matches_an_unrecorded_begin() {
    let _alone = alone();
    let found = entries("quiet", || {
        let around = zone("around");
        around.begin();
        iprof::set_recording(false);
        zone("quiet").begin();
        zone("quiet").count();
        drop(zone("quiet").enter());
        iprof::set_recording(true);
        // This call matches the `begin` that was not recorded, so it must not close `around`.
        zone("quiet").end();
        zone("inside").count();
        around.end();
    });
    assert_eq!(found, wanted([("around", 1), ("around/inside", 1)]));
}

struct EntersAtTheEnd;

impl Drop for EntersAtTheEnd {
    fn drop(&mut self) {
        let _open = zone("at the end").enter();
        zone("begun at the end").begin();
        zone("counted at the end").count();
        zone("begun at the end").end();
    }
}

#[test]
fn ending_thread_may_enter_run_time_zones() {
    thread_local!(static ENDING: EntersAtTheEnd = const { EntersAtTheEnd });
    let _alone = alone();
    let found = entries("ending", || {
        ENDING.with(|_| ());
        let _open = zone("before the end").enter();
    });
    assert_eq!(found.get("before the end"), Some(&1));
    // Each zone is recorded once or not at all, and never below a closed zone.
    for (path, count) in &found {
        assert!(
            *count == 1 && !path.starts_with("before the end/"),
            "{found:?}"
        );
    }
}

#[test]
fn names_beyond_the_limit_share_a_zone() {
    let _alone = alone();
    let known = zone("known");
    ZoneBuilder::set_limit(0);
    let found = entries("limited", move || {
        for name in ["known", "new", "newer", "new"] {
            let _open = zone(name).enter();
        }
    });
    assert_eq!(found, wanted([("known", 1), ("(other names)", 3)]));
    assert!(std::ptr::eq(known.zone(), zone("known").zone()));
    {
        let mut text = Vec::new();
        iprof::write_report(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let line = text.lines().find(|line| line.contains("(other names)"));
        let wanted = "limit of 0 reached; zones counted as (other names), values dropped: 3 times, first new";
        assert!(line.is_some_and(|line| line.ends_with(wanted)), "{text}");
    }
    ZoneBuilder::set_limit(ZoneBuilder::DEFAULT_LIMIT);
    assert_eq!(zone("new").zone().label(), "new");
    check_values_beyond_the_limit();
}

#[test]
fn unusual_names_are_shown_verbatim() {
    let _alone = alone();
    let names = ["", "a;b\nc\t\"d\"", "\u{20AC}\u{1F600}", "  "];
    let found = entries("odd", move || {
        for name in names {
            let _open = zone(name).enter();
        }
    });
    let wanted = ["(unnamed)", "a;b\nc\t\"d\"", "\u{20AC}\u{1F600}", "  "];
    assert_eq!(found, wanted.map(|path| (path.to_owned(), 1)).into());
}

#[test]
fn snapshot_has_idle_flags_and_locations() {
    let _alone = alone();
    let waiting = ZoneBuilder::new("waiting")
        .place("wait.lua", 7)
        .module("lua")
        .idle();
    let found = entries("waiting", move || drop(waiting.build().enter()));
    assert_eq!(found, wanted([("waiting", 1)]));
    let snapshot = iprof::snapshot();
    let zone = snapshot
        .zones
        .iter()
        .find(|zone| &*zone.name == "waiting")
        .unwrap();
    assert_eq!(
        (&*zone.file, zone.line, zone.is_idle),
        ("wait.lua", 7, true)
    );
}

/// Returns a thread's sums, in the values' units, by call stack and value.
fn sums(thread: &str) -> BTreeMap<String, f64> {
    let snapshot = iprof::snapshot();
    let thread = snapshot.threads.iter().find(|it| &*it.name == thread);
    let thread = thread.unwrap();
    let path = |mut at: usize| {
        let mut path = String::new();
        while at > 0 {
            let node = thread.nodes[at];
            path = format!("{}/{path}", snapshot.zones[node.zone as usize].name);
            at = node.parent as usize;
        }
        path
    };
    let mut sums = BTreeMap::new();
    for sum in &thread.values {
        let value = &snapshot.values[sum.value as usize];
        let name = format!("{}{} {}", path(sum.node as usize), value.name, value.unit);
        *sums.entry(name).or_default() += value.amount(sum.steps);
    }
    sums
}

/// Adds random numbers, and compares the recorded sums with sums over whole call stacks.
#[test]
fn run_time_values_are_summed_by_call_stack() {
    let _alone = alone();
    let value = |name: &str| match name {
        "energy" => RunTimeValue::with_steps("energy", "J", 1_000),
        name => RunTimeValue::new(name, "item"),
    };
    let kept = value("kept");
    let mut state = 7u64;
    let mut below = move |end: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % end
    };
    let (send_sums, naive) = std::sync::mpsc::channel();
    entries("values", move || {
        let mut naive: BTreeMap<String, f64> = BTreeMap::new();
        for _ in 0..500 {
            let mut open = Vec::new();
            let mut path = String::new();
            for _ in 0..below(4) {
                let name = ["a", "b", "c"][below(3) as usize];
                open.push(zone(name).enter());
                path += name;
                path += "/";
            }
            let amount = below(2_000) as i64 - 400;
            let (name, sum) = match below(4) {
                0 => {
                    kept.add(amount);
                    ("kept item", amount as f64)
                }
                1 => {
                    value("kept").add(amount as i16);
                    ("kept item", amount as f64)
                }
                2 => {
                    value("new").add(amount as f32 / 4.0);
                    // This value has one step per unit, so halves are rounded away from 0.
                    ("new item", (amount as f64 / 4.0).round())
                }
                _ => {
                    value("energy").add(amount as f64 / 8.0);
                    ("energy J", amount as f64 / 8.0)
                }
            };
            *naive.entry(path + name).or_default() += sum;
            while open.pop().is_some() {}
        }
        send_sums.send(naive).unwrap();
    });
    let (found, naive) = (sums("values"), naive.recv().unwrap());
    assert!(naive.len() > 50);
    assert_eq!(found.len(), naive.len());
    for (path, sum) in naive {
        assert!((found[&path] - sum).abs() < 1e-6, "{path}: {sum} {found:?}");
    }
}

/// Called by `names_beyond_the_limit_share_a_zone`, because the warning counts rejected names of both zones and values.
fn check_values_beyond_the_limit() {
    let known = RunTimeValue::new("known value", "");
    ZoneBuilder::set_limit(0);
    let found = entries("limited values", move || {
        known.add(2);
        RunTimeValue::new("known value", "").add(3);
        RunTimeValue::new("new value", "").add(5);
        RunTimeValue::new("known value", "other unit").add(7);
    });
    ZoneBuilder::set_limit(ZoneBuilder::DEFAULT_LIMIT);
    assert_eq!(found, BTreeMap::new());
    assert_eq!(
        sums("limited values"),
        [("known value ".to_owned(), 5.0)].into()
    );
}

#[test]
fn zone_budgets_are_stored_and_clamped() {
    use std::time::Duration;
    let _alone = alone();
    let of = |budget| ZoneBuilder::new("with a budget").budget(budget).build();
    let zones = [Duration::ZERO, Duration::from_millis(2), Duration::MAX].map(of);
    assert!(!std::ptr::eq(zones[0].zone(), zones[1].zone()));
    let again = of(Duration::from_millis(2));
    assert!(std::ptr::eq(zones[1].zone(), again.zone()));
    {
        entries("budgets", move || {
            zones.iter().for_each(|zone| drop(zone.enter()))
        });
        iprof::update(true);
        let budgets = iprof::zone_budgets();
        let of_these = budgets
            .iter()
            .filter(|(name, _)| name.starts_with("with a budget"));
        let limits: Vec<Duration> = of_these.map(|(_, budget)| budget.limit).collect();
        let wanted = [
            Duration::from_micros(1),
            Duration::from_millis(2),
            Duration::from_secs(3_600),
        ];
        assert_eq!(limits, wanted);
    }
}
