//! Contains the contenders, each in a separate file.
//!
//! Each file defines `enter!(name)`, which enters a zone, and compiles the work with it using [`work!`].

/// Compiles the work with the `enter!` that is in scope, as `WORK`.
///
/// The ray tracer's `zone!` and `counter!` macros depend on the grain. The macros' names are passed as arguments,
/// because macro hygiene would otherwise hide them.
#[macro_export]
macro_rules! work {
    ($zone:ident, $counter:ident) => {
        macro_rules! $zone {
            ($name:ident) => {
                enter!($name);
            };
        }
        macro_rules! $counter {
            ($name:ident) => {};
        }
        #[path = "../work/cases.rs"]
        mod cases;
        #[path = "../work/scene.rs"]
        mod middle;
        #[path = "../work/stacks.rs"]
        mod stacks;

        macro_rules! $counter {
            ($name:ident) => {
                enter!($name);
            };
        }
        #[path = "../work/scene.rs"]
        mod fine;

        macro_rules! $zone {
            (intersect) => {};
            (shadow_ray) => {};
            ($name:ident) => {
                enter!($name);
            };
        }
        macro_rules! $counter {
            ($name:ident) => {};
        }
        #[path = "../work/scene.rs"]
        mod coarse;

        pub static WORK: $crate::contender::Work = $crate::contender::Work {
            cases: cases::CASES,
            stacks: stacks::batch,
            scenes: [coarse::trace, middle::trace, fine::trace],
        };
    };
}

pub(crate) mod calltree;
pub(crate) mod coarse_prof;
pub(crate) mod fastrace;
pub(crate) mod iprof;
pub(crate) mod perfetto;
pub(crate) mod plain;
pub(crate) mod puffin;
pub(crate) mod reads;
pub mod registry;
pub(crate) mod spans;
pub(crate) mod truth;
