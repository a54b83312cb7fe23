//! Tests the attribute on functions, `impl` blocks and modules: which functions become zones, and under which names.
//! The functions' behavior must not change.

#![allow(unsafe_code)] // One of the functions is unsafe.

#[path = "support/stacks.rs"]
mod stacks;

use stacks::{entries, wanted};
use std::fmt::Display;
use std::panic::Location;
use std::time::Duration;

#[iprof::instrument]
fn plain(x: u32) -> u32 {
    x + 1
}

#[iprof::instrument(name = "a name, of words")]
pub(crate) fn named() {}

#[iprof::instrument(name = "waits, too", idle)]
fn waits_too() {}

#[iprof::instrument(idle)]
fn waits() {}

#[iprof::instrument]
fn early(text: &str) -> Result<i32, std::num::ParseIntError> {
    if text.is_empty() {
        return Ok(0);
    }
    let value: i32 = text.parse()?;
    if value < 0 {
        plain(1);
    }
    Ok(value)
}

#[iprof::instrument]
fn generic<T, const N: usize>(all: [T; N]) -> String
where
    T: Display,
{
    all.iter().map(ToString::to_string).collect()
}

#[iprof::instrument]
fn borrows<'a>(text: &'a str, _: &str) -> impl Iterator<Item = char> + use<'a> {
    #![allow(clippy::let_and_return)]
    let chars = text.chars();
    chars
}

#[iprof::instrument]
fn takes_impl(f: impl FnOnce(u32) -> u32) -> u32 {
    f(1)
}

#[iprof::instrument]
fn recurses(depth: u32) -> u32 {
    if depth == 0 {
        0
    } else {
        recurses(depth - 1) + 1
    }
}

#[iprof::instrument]
#[track_caller]
fn caller() -> u32 {
    Location::caller().line()
}

#[iprof::instrument]
unsafe fn dangerous(pointer: *const u32) -> u32 {
    // SAFETY: the test passes a valid pointer.
    unsafe { *pointer }
}

#[iprof::instrument]
extern "C" fn foreign(x: u32) -> u32 {
    x * 2
}

#[iprof::instrument]
fn never() -> ! {
    panic!("unwinds");
}

#[test]
fn attribute_adds_zone_and_keeps_behavior() {
    let found = entries("functions", || {
        let plain: fn(u32) -> u32 = plain;
        assert_eq!(plain(1), 2);
        named();
        waits_too();
        waits();
        assert_eq!(early(""), Ok(0));
        assert!(early("x").is_err());
        assert_eq!(early("-3"), Ok(-3));
        assert_eq!(generic([1, 2]) + &generic(["x"]), "12x");
        assert_eq!(borrows("ab", "").count(), 2);
        assert_eq!(takes_impl(plain), 2);
        assert_eq!(recurses(2), 2);
        assert_eq!(caller(), line!());
        let dangerous: unsafe fn(*const u32) -> u32 = dangerous;
        // SAFETY: the pointer refers to a constant.
        let value = unsafe { dangerous(&7) };
        assert_eq!(value, 7);
        let foreign: extern "C" fn(u32) -> u32 = foreign;
        assert_eq!(foreign(2), 4);
        assert!(std::panic::catch_unwind(|| never()).is_err());
        plain(0);
    });
    let wanted = wanted([
        ("plain", 2),
        ("a name, of words", 1),
        ("waits, too", 1),
        ("waits", 1),
        ("early", 3),
        ("early/plain", 1),
        ("generic", 2),
        ("borrows", 1),
        ("takes_impl", 1),
        ("takes_impl/plain", 1),
        ("recurses", 1),
        ("recurses/recurses", 1),
        ("recurses/recurses/recurses", 1),
        ("caller", 1),
        ("dangerous", 1),
        ("foreign", 1),
        ("never", 1),
    ]);
    assert_eq!(found, wanted);
    let snapshot = iprof::snapshot();
    let zones = |name: &str| {
        let of_name = snapshot.zones.iter().filter(|zone| &*zone.name == name);
        of_name.collect::<Vec<_>>()
    };
    assert!(zones("waits")[0].is_idle && zones("waits, too")[0].is_idle);
    assert!(!zones("plain")[0].is_idle);
    // All instances of a generic function share one zone, at the source location of the function.
    assert_eq!(zones("generic").len(), 1);
    let source = include_str!("attribute.rs").lines();
    let line = source
        .enumerate()
        .find(|(_, line)| line.starts_with("fn generic<"));
    assert_eq!(zones("generic")[0].line as usize, line.unwrap().0 + 1);
}

struct World<T>(T);

#[iprof::instrument]
impl<T: Clone> World<T> {
    const SIZE: usize = Self::size();

    const fn size() -> usize {
        3
    }

    fn new(value: T) -> Self {
        World(value)
    }

    fn get(&self) -> &T {
        fn inner() {}
        inner();
        Some(self).map(|it| &it.0).unwrap()
    }

    fn set(&mut self, value: T) -> &mut T {
        self.0 = value;
        &mut self.0
    }

    #[allow(clippy::boxed_local)]
    fn boxed(self: Box<Self>) -> T {
        self.0
    }

    #[iprof::skip]
    fn skipped(&self) {}

    #[iprof::instrument(name = "of its own")]
    fn own(self) -> T {
        self.0
    }
}

#[iprof::instrument]
trait Shape {
    fn area(&self) -> f32;

    fn double(&self) -> f32 {
        self.area() * 2.0
    }
}

#[iprof::instrument]
impl Shape for World<f32> {
    fn area(&self) -> f32 {
        self.0
    }
}

impl Drop for World2 {
    #[iprof::instrument]
    fn drop(&mut self) {}
}

struct World2;

#[test]
fn attribute_on_impl_makes_all_functions_zones() {
    let found = entries("blocks", || {
        let mut world = World::new(2.0);
        assert_eq!((*world.get(), World::<f32>::SIZE), (2.0, 3));
        *world.set(1.0) += 2.0;
        world.skipped();
        assert_eq!(world.double(), 6.0);
        assert_eq!(world.own(), 3.0);
        assert_eq!(Box::new(World(1)).boxed(), 1);
        drop(World2);
    });
    let wanted = wanted([
        ("World::new", 1),
        ("World::get", 1),
        ("World::set", 1),
        ("World::boxed", 1),
        ("Shape::double", 1),
        ("Shape::double/World::area", 1),
        ("of its own", 1),
        ("World2::drop", 1),
    ]);
    assert_eq!(found, wanted);
}

#[iprof::instrument(min_lines = 2)]
mod physics {
    pub(super) fn step() {
        one_line(|| 1);
        bodies::move_all();
        quiet::not();
        by_macro();
    }

    fn one_line(f: impl Fn() -> u32) -> u32 {
        f()
    }

    macro_rules! make {
        () => {
            fn by_macro() {
                one_line(|| 1);
                one_line(|| 2);
            }
        };
    }
    make!();

    mod bodies {
        pub(super) fn move_all() {
            let all = [Body(1), Body(2)];
            all.iter().for_each(Body::advance);
            all.iter().for_each(Body::short);
        }

        struct Body(u32);

        impl Body {
            fn advance(&self) {
                let Body(at) = self;
                assert!(*at > 0);
            }

            #[rustfmt::skip]
            fn short(&self) { assert!(self.0 > 0); assert!(self.0 < 3); }
        }
    }

    #[iprof::skip]
    pub(super) mod quiet {
        pub(in super::super) fn not() {
            super::one_line(|| 3);
            super::one_line(|| 4);
        }
    }

    #[iprof::instrument(min_lines = 0)]
    pub(super) mod all {
        #[rustfmt::skip]
        pub(in super::super) fn empty() {}
    }
}

#[test]
fn attribute_on_module_skips_short_functions() {
    let found = entries("modules", || {
        physics::step();
        physics::quiet::not();
        physics::all::empty();
    });
    let wanted = wanted([
        ("step", 1),
        ("step/move_all", 1),
        ("step/move_all/Body::advance", 2),
        ("empty", 1),
    ]);
    assert_eq!(found, wanted);
}

#[iprof::instrument(budget = Duration::from_millis(4))]
fn limited() {}

#[iprof::instrument(name = "limited, too", budget = LIMIT)]
fn limited_too() {}

#[iprof::instrument(budget = Duration::from_millis(6))]
async fn limited_polls() {}

#[iprof::instrument(name = "a limited box", budget = Duration::from_millis(7))]
fn limited_box() -> std::pin::Pin<Box<dyn Future<Output = ()>>> {
    Box::pin(async {})
}

const LIMIT: Duration = Duration::from_millis(5);

#[test]
fn functions_and_polls_can_have_budgets() {
    entries("budgets", || {
        limited();
        limited_too();
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(
            std::pin::pin!(limited_polls())
                .poll(&mut context)
                .is_ready()
        );
        assert!(limited_box().as_mut().poll(&mut context).is_ready());
    });
    iprof::update(true);
    let budgets = iprof::zone_budgets().into_iter();
    let limits: Vec<(String, u128)> = budgets
        .map(|(name, budget)| (name, budget.limit.as_millis()))
        .collect();
    let wanted = [
        ("limited", 4),
        ("limited, too", 5),
        ("limited_polls", 6),
        ("a limited box", 7),
    ];
    let wanted = wanted.map(|(name, ms)| (name.to_owned(), ms));
    assert_eq!(limits, wanted);
}
