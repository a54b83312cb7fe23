//! Tests various forms of zones: conditional zones, relabeled zones, and zones in generic code.
#![cfg(feature = "enable")]

#[path = "support/stacks.rs"]
mod stacks;

use stacks::{entries, wanted};

iprof::define_zone!(SHARED, "shared");

#[test]
fn quiet_thread_records_nothing_and_closes_its_zones() {
    let found = entries("quiet", || {
        let call = || {
            iprof::zone!(outer);
            {
                iprof::zone!(inner);
                iprof::counter!(things);
            }
            iprof::begin!(pair);
            iprof::end!(pair);
        };
        call();
        {
            iprof::zone!(around);
            assert!(iprof::is_recording());
            iprof::set_recording(false);
            assert!(!iprof::is_recording());
            call();
            call();
        }
        call();
        iprof::set_recording(true);
        call();
        {
            let _scope = iprof::recording_scope(false);
            call();
            {
                let _scope = iprof::recording_scope(true);
                call();
            }
            call();
        }
        call();
    });
    let wanted = wanted([
        ("around", 1),
        ("outer", 4),
        ("outer/inner", 4),
        ("outer/inner/things", 4),
        ("outer/pair", 4),
    ]);
    assert_eq!(found, wanted);
}

#[test]
fn other_threads_record_while_one_is_quiet() {
    let _scope = iprof::recording_scope(false);
    let found = entries("loud", || {
        iprof::zone!(heard);
    });
    assert_eq!(found, wanted([("heard", 1)]));
}

#[test]
fn conditional_zone_counts_only_if_its_flag_holds() {
    let found = entries("conditional", || {
        for at in 0..10 {
            let _zone = (at % 2 == 0).then(|| iprof::open_zone!(even));
            let _zone = (at % 5 == 0).then(|| iprof::open_zone!("a fifth"));
            let _zone = (at > 8).then(|| iprof::open_zone!(&SHARED));
            iprof::zone!(work);
        }
    });
    let wanted = wanted([
        ("a fifth", 1),
        ("a fifth/work", 1),
        ("even", 5),
        ("even/a fifth", 1),
        ("even/a fifth/work", 1),
        ("even/work", 4),
        ("shared", 1),
        ("shared/work", 1),
        ("work", 3),
    ]);
    assert_eq!(found, wanted);
}

/// Contains all forms of idle zones.
mod idle {
    iprof::define_zone!(pub(super) PUBLIC, "idle public", idle);
    iprof::define_zone!(pub(super) WORKING, "working public");

    pub(super) fn function() {
        iprof::zone!(fn, idle);
    }
}

#[test]
fn all_forms_of_idle_zones_are_idle() {
    let found = entries("idle forms", || {
        iprof::zone!(idle_name, idle);
        iprof::zone!("idle literal", idle,);
        idle::function();
        let _zone = true.then(|| iprof::open_zone!(idle_if, idle));
        let _zone = true.then(|| iprof::open_zone!("idle if", idle));
        let mut open = iprof::open_zone!(idle_open, idle);
        iprof::relabel!(open, idle_relabeled, idle);
        iprof::relabel!(open, "idle relabeled", idle);
        drop(open);
        drop(iprof::open_zone!("idle open", idle));
        iprof::begin!(idle_begin, idle);
        iprof::end!(idle_begin);
        iprof::begin!("idle begin", idle);
        iprof::end!("idle begin");
        iprof::zone!(&idle::PUBLIC);
        iprof::zone!(&idle::WORKING);
        // `idle` is also a valid zone name.
        iprof::zone!(idle);
    });
    let names = found.keys().map(|path| path.rsplit('/').next().unwrap());
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    let wanted = [
        "function",
        "idle",
        "idle begin",
        "idle if",
        "idle literal",
        "idle open",
        "idle public",
        "idle relabeled",
        "idle_begin",
        "idle_if",
        "idle_name",
        "idle_open",
        "idle_relabeled",
        "working public",
    ];
    assert_eq!(names, wanted);
    let snapshot = iprof::snapshot();
    for name in wanted {
        let is_named = |zone: &&iprof::SnapshotZone| &*zone.name == name;
        let zone = snapshot.zones.iter().find(is_named).unwrap();
        let is_idle = !["idle", "working public"].contains(&name);
        assert_eq!(zone.is_idle, is_idle, "{name}");
    }
    assert!(idle::PUBLIC.is_idle() && !idle::WORKING.is_idle());
}

#[test]
fn relabeled_zone_continues_as_a_sibling() {
    let found = entries("relabeled", || {
        for _ in 0..3 {
            iprof::zone!(job);
            let mut phase = iprof::open_zone!(read);
            {
                iprof::zone!(file);
            }
            iprof::relabel!(phase, "sort");
            {
                iprof::zone!(compare);
            }
            iprof::relabel!(phase, &SHARED);
            drop(phase);
            iprof::zone!(after);
        }
        // Relabeling a zone that wasn't recorded has no effect.
        let mut phase = {
            let _scope = iprof::recording_scope(false);
            iprof::open_zone!(unseen)
        };
        iprof::relabel!(phase, also_unseen);
    });
    let wanted = wanted([
        ("job", 3),
        ("job/after", 3),
        ("job/read", 3),
        ("job/read/file", 3),
        ("job/shared", 3),
        ("job/sort", 3),
        ("job/sort/compare", 3),
    ]);
    assert_eq!(found, wanted);
}

#[test]
fn relabeling_splits_a_zones_time() {
    let spin = |ms| {
        let start = std::time::Instant::now();
        while start.elapsed() < std::time::Duration::from_millis(ms) {}
        start.elapsed().as_secs_f64() * 1e3
    };
    let name = "split";
    let thread = std::thread::Builder::new().name(name.into());
    let run = move || {
        let mut phase = iprof::open_zone!(first_part);
        let first = spin(10);
        iprof::relabel!(phase, second_part);
        [first, spin(30)]
    };
    let truth = thread.spawn(run).unwrap().join().unwrap();
    let snapshot = iprof::snapshot();
    for (zone, truth) in [("first_part", truth[0]), ("second_part", truth[1])] {
        let thread = snapshot.threads.iter().find(|thread| &*thread.name == name);
        let nodes = thread.unwrap().nodes.iter();
        let mut of = nodes.filter(|node| &*snapshot.zones[node.zone as usize].name == zone);
        let ms = snapshot.ns(of.next().unwrap().ticks) * 1e-6;
        assert!(
            (ms - truth).abs() < 0.2 + 0.02 * truth,
            "{zone}: {ms} ms, expected {truth}"
        );
    }
}

trait Shape {
    fn area(&self) -> f32;
    fn describe(&self) -> String {
        iprof::zone!();
        format!("{}", self.area())
    }
}

struct Square<T>(T);
struct Circle(f32);

impl<T: Copy + Into<f32>> Shape for Square<T> {
    fn area(&self) -> f32 {
        iprof::zone!();
        let side = self.0.into();
        side * side
    }
}

impl Shape for Circle {
    fn area(&self) -> f32 {
        iprof::zone!(round);
        self.0 * self.0
    }
}

fn largest<T: PartialOrd + Copy>(all: &[T]) -> Option<T> {
    iprof::zone!();
    let mut all = all.iter().copied();
    let first = all.next()?;
    Some(all.fold(first, |a, b| if b > a { b } else { a }))
}

#[test]
fn generic_functions_have_one_zone_for_all_instances() {
    let found = entries("generic", || {
        assert_eq!(largest(&[1, 3, 2]), Some(3));
        assert_eq!(largest(&[1.5, 0.5]), Some(1.5));
        assert_eq!(largest::<char>(&[]), None);
        let shapes: [&dyn Shape; 3] = [&Square(2.0f32), &Square(3u8), &Circle(1.0)];
        for shape in shapes {
            shape.describe();
        }
        Square(1i16).area();
    });
    let wanted = wanted([
        ("Shape::describe", 3),
        ("Shape::describe/Square::area", 2),
        ("Shape::describe/round", 1),
        ("Square::area", 1),
        ("largest", 3),
    ]);
    assert_eq!(found, wanted);
}

/// Each form's zone has a different budget in milliseconds, which identifies the zone.
#[test]
fn all_forms_of_zones_can_have_budgets() {
    use std::time::Duration;
    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }
    iprof::define_zone!(DEFINED, "limit 8", budget = ms(8),);
    fn limit_3() {
        iprof::zone!(fn, budget = ms(3));
    }
    struct Of<T>(T);
    impl<T> Of<T> {
        fn method(&self) {
            iprof::zone!(fn, budget = ms(9),);
            let _ = &self.0;
        }
    }
    let name = "budgets";
    entries(name, || {
        iprof::zone!(limit_1, budget = ms(1));
        iprof::zone!("limit 2", budget = Duration::from_millis(2),);
        limit_3();
        Of("").method();
        Of(1).method();
        let _zone = true.then(|| iprof::open_zone!(limit_4, budget = ms(4)));
        let _zone = true.then(|| iprof::open_zone!("limit 5", budget = ms(5)));
        let mut open = iprof::open_zone!(limit_6, budget = ms(6));
        iprof::relabel!(open, limit_7, budget = ms(7));
        iprof::relabel!(open, "limit 10", budget = ms(10));
        drop(open);
        drop(iprof::open_zone!("limit 11", budget = ms(11)));
        iprof::begin!(limit_12, budget = ms(12));
        iprof::begin!("limit 13", budget = ms(13));
        iprof::end!("limit 13");
        iprof::end!(limit_12);
        iprof::zone!(&DEFINED);
        iprof::zone!(without);
    });
    iprof::update(true);
    let known = iprof::zone_budgets();
    let mut limits: Vec<(u128, &str)> = known
        .iter()
        .map(|(name, budget)| (budget.limit.as_millis(), &**name))
        .collect();
    limits.sort_unstable();
    let wanted = [
        "limit_1",
        "limit 2",
        "limit_3",
        "limit_4",
        "limit 5",
        "limit_6",
        "limit_7",
        "limit 8",
        "Of::method",
        "limit 10",
        "limit 11",
        "limit_12",
        "limit 13",
    ];
    let wanted: Vec<(u128, &str)> = (1..).zip(wanted).collect();
    assert_eq!(limits, wanted);
}
