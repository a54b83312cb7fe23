//! Guides for tasks, from setting up the overlay to finding the cause of a slow frame; and pages on
//! cost and reliability.
//!
//! * [Hosts](hosts): the overlay in eframe, wgpu, macroquad, femtovg, miniquad, and with a renderer of your own.
//! * [Why was that frame slow?](slow_frame): from a bar that is too long to the line that made it so.
//! * [From a stutter to its cause](stutter): three faults of a whole session, by keys alone.
//! * [Always on](always_on): timing modes and budgets.
//! * [Zones of other code](other_zones): a line per module, futures, names that are known at run time, spans of the crate
//!   `tracing`, scopes of the crate `profiling`.
//! * [Files and control from outside](control): snapshots, the environment's variables, signals, HTTP.
//! * [Benchmarks](benchmarks): every figure, its goal and its command.
//! * [Reliability](reliability): what holds under faults, and the tools that check it.

// In the documentation a picture has to be part of the page: the first meaning of a name counts, so
// these come before the ones that the guides give their pictures for readers in the repository.

/// A frame that took too long, and how to find out why.
///
#[doc = include_str!("../docs/pictures/slow-frame-1.md")]
#[doc = include_str!("../docs/pictures/slow-frame-2.md")]
#[doc = include_str!("../docs/pictures/slow-frame-3.md")]
#[doc = include_str!("../docs/slow-frame.md")]
pub mod slow_frame {}

/// A rare hitch, a slow growth and a storm of allocations, and how to find each.
///
#[doc = include_str!("../docs/pictures/stutter-1.md")]
#[doc = include_str!("../docs/pictures/stutter-2.md")]
#[doc = include_str!("../docs/pictures/stutter-3.md")]
#[doc = include_str!("../docs/stutter.md")]
#[cfg(any(not(doctest), feature = "gl"))] // Its example needs the overlay.
pub mod stutter {}

/// The overlay in the frame of a toolkit.
///
#[doc = include_str!("../docs/pictures/host-eframe.md")]
#[doc = include_str!("../docs/hosts.md")]
#[cfg(any(not(doctest), feature = "gl"))] // Its example needs the overlay.
pub mod hosts {}

/// Timing modes, budgets, and what release builds pay.
///
#[doc = include_str!("../docs/always-on.md")]
pub mod always_on {}

/// A line per module, futures, names that are known at run time, and spans and scopes of other crates.
///
#[doc = include_str!("../docs/other-zones.md")]
#[cfg(any(not(doctest), feature = "macros"))] // Its examples need them.
pub mod other_zones {}

/// Snapshots and their formats, environment variables, signals and HTTP.
///
#[doc = include_str!("../docs/control.md")]
#[cfg(any(not(doctest), all(feature = "export", feature = "http")))] // Its examples need them.
pub mod control {}

/// What recording, `update`, reports and drawing cost.
///
#[doc = include_str!("../docs/benchmarks.md")]
pub mod benchmarks {}

/// What iprof guarantees to its host, and how that is checked.
///
#[doc = include_str!("../docs/reliability.md")]
pub mod reliability {}
