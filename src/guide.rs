//! Guides for tasks, from setting up the overlay to finding the cause of a slow frame, and pages on cost and
//! reliability.
//!
//! * [Hosts](hosts): the overlay in eframe, wgpu, macroquad, femtovg and miniquad, and with a renderer of your own.
//! * [Why was that frame slow?](slow_frame): from a long bar to the line of code behind it.
//! * [From a stutter to its cause](stutter): three faults in a whole session, found with the keyboard.
//! * [Always on](always_on): timing modes and the limit on overhead.
//! * [Zones of other code](other_zones): one line per module, futures, names known only at run time, spans of the crate
//!   `tracing`, scopes of the crate `profiling`.
//! * [Files and control from outside](control): snapshots, environment variables, signals, HTTP.
//! * [Benchmarks](benchmarks): every measurement, its goal and the command to repeat it.
//! * [Reliability](reliability): the guarantees that hold under faults, and the tools that check them.

// rustdoc uses the first definition of a link name. These embed the pictures, so they precede the guides' own
// definitions, which serve readers in the repository.

/// A frame that took too long, and how to find out why.
///
#[doc = include_str!("../docs/pictures/slow-frame-1.md")]
#[doc = include_str!("../docs/pictures/slow-frame-2.md")]
#[doc = include_str!("../docs/pictures/slow-frame-3.md")]
#[doc = include_str!("../docs/slow-frame.md")]
pub mod slow_frame {}

/// How to find a rare hitch, a slow growth and a storm of allocations.
///
#[doc = include_str!("../docs/pictures/stutter-1.md")]
#[doc = include_str!("../docs/pictures/stutter-2.md")]
#[doc = include_str!("../docs/pictures/stutter-3.md")]
#[doc = include_str!("../docs/stutter.md")]
#[cfg(any(not(doctest), feature = "gl"))] // Its example needs the overlay.
pub mod stutter {}

/// The overlay in the frames of several toolkits.
///
#[doc = include_str!("../docs/pictures/host-eframe.md")]
#[doc = include_str!("../docs/hosts.md")]
#[cfg(any(not(doctest), feature = "gl"))] // Its example needs the overlay.
pub mod hosts {}

/// Timing modes, the limit on overhead, and what release builds pay.
///
#[doc = include_str!("../docs/always-on.md")]
pub mod always_on {}

/// One line per module, futures, names known only at run time, and spans and scopes of other crates.
///
#[doc = include_str!("../docs/other-zones.md")]
#[cfg(any(not(doctest), feature = "macros"))] // Its examples need them.
pub mod other_zones {}

/// Snapshots and their formats, environment variables, signals and HTTP.
///
#[doc = include_str!("../docs/control.md")]
#[cfg(any(not(doctest), all(feature = "export", feature = "http")))] // Its examples need them.
pub mod control {}

/// The cost of recording, `update`, reports and drawing.
///
#[doc = include_str!("../docs/benchmarks.md")]
pub mod benchmarks {}

/// The guarantees that iprof makes to its host, and how they are checked.
///
#[doc = include_str!("../docs/reliability.md")]
pub mod reliability {}

/// Tests the example of README.md.
#[cfg(all(doctest, feature = "gl"))]
#[doc = include_str!("../README.md")]
mod readme {}
