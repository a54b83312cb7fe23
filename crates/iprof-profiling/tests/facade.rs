//! Tests of code written for the `profiling` crate. The code's scopes must become zones in the same tree as the
//! program's own zones.

#[path = "../../../tests/support/stacks.rs"]
mod stacks;

use stacks::{entries, wanted};

#[profiling::function]
fn step(rounds: u32) -> u32 {
    profiling::scope!("solve", format!("{rounds} rounds").as_str());
    (0..rounds)
        .map(|at| island(&format!("island {}", at % 2)))
        .sum()
}

fn island(name: &str) -> u32 {
    profiling::function_scope!();
    profiling::scope!(name);
    profiling::scope!(concat!("in ", "any"), "data");
    1
}

struct World(u32);

#[profiling::all_functions]
impl World {
    const BODIES: u32 = 3;

    fn new() -> World {
        World(Self::BODIES)
    }

    fn bodies<'a>(&'a mut self, more: &'a u32) -> Result<&'a u32, String> {
        self.0 += more;
        if self.0 > 5 {
            return Err("too many".into());
        }
        Ok(more)
    }

    #[profiling::skip]
    fn count(&self) -> u32 {
        self.0
    }
}

trait Shape {
    fn area(&self) -> f32;
}

impl Shape for (f32, f32) {
    #[profiling::function]
    fn area(&self) -> f32 {
        self.0 * self.1
    }
}

#[test]
fn scopes_and_program_zones_share_a_tree() {
    let found = entries("scopes", || {
        iprof::zone!(frame);
        assert_eq!(step(3), 3);
    });
    let wanted = wanted([
        ("frame", 1),
        ("frame/step", 1),
        ("frame/step/solve", 1),
        ("frame/step/solve/island", 3),
        ("frame/step/solve/island/island 0", 2),
        ("frame/step/solve/island/island 0/in any", 2),
        ("frame/step/solve/island/island 1", 1),
        ("frame/step/solve/island/island 1/in any", 1),
    ]);
    assert_eq!(found, wanted);
}

#[test]
fn method_zones_include_type_name() {
    let found = entries("attributes", || {
        let mut world = World::new();
        assert_eq!(world.bodies(&1), Ok(&1));
        assert!(world.bodies(&2).is_err());
        assert_eq!(world.count(), 6);
        assert_eq!((2.0, 3.0).area(), 6.0);
    });
    let wanted = wanted([
        ("World::new", 1),
        ("World::bodies", 2),
        ("(f32, f32)::area", 1),
    ]);
    assert_eq!(found, wanted);
}

#[test]
fn thread_and_frame_macros_work() {
    let before = iprof::snapshot().frames;
    let named = || {
        profiling::register_thread!();
        profiling::register_thread!("facade worker");
        profiling::scope!("at work");
        profiling::finish_frame!();
    };
    std::thread::spawn(named).join().unwrap();
    let snapshot = iprof::snapshot();
    assert_eq!(snapshot.frames, before + 1);
    let named = snapshot
        .threads
        .iter()
        .find(|thread| &*thread.name == "facade worker");
    let zones = named
        .unwrap()
        .nodes
        .iter()
        .map(|node| &*snapshot.zones[node.zone as usize].name);
    assert!(zones.into_iter().any(|zone| zone == "at work"));
}
