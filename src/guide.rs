//! Guides for tasks, from setting up the overlay to finding the cause of a slow frame, and pages on cost and
//! reliability.
//!
//! Setting up:
//!
//! * [Hosts](hosts): the overlay in your program. One complete program each for eframe, Bevy, wgpu, macroquad and others.
//! * [Always on](always_on): timing modes, the limit on overhead, and how to turn recording off.
//! * [Zones of other code](other_zones): one line per module. Pages of their own cover [futures], [names known only at
//!   run time](run_time_names), [spans of `tracing`](tracing), [scopes of `profiling`](profiling) and [C and C++](c).
//!
//! Finding causes:
//!
//! * [Why was that frame slow?](slow_frame): from a long bar to the line of code behind it.
//! * [From a stutter to its cause](stutter): a rare hitch, slow growth, a storm of allocations and a deadlock.
//! * [What was slow in a whole run?](session): the slowest frames of hours, and when they became slow.
//! * [How bad does it get?](percentiles): percentiles, and which zone is worth your time.
//! * [Alarms](alarms): slow frames, stalls, and budgets for zones, also in tests.
//!
//! Getting data out:
//!
//! * [Control from outside](control): environment variables and signals, without a change to the code.
//! * [A running server](server): `go tool pprof` and browsers, over HTTP.
//! * [Files](files): snapshots and their formats.
//!
//! Facts:
//!
//! * [Benchmarks](benchmarks): the costs of recording, `update`, reports, drawing and files.
//! * [Reliability](reliability): the guarantees that hold under faults, and the tools that check them.

// rustdoc uses the first definition of a link name, and needs an empty line before definitions. `guide_links.md` leads
// to modules, and `pictures` embed the pictures, so they precede the guides' own definitions, which serve readers in the
// repository.

/// A frame that took too long, and how to find out why.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/pictures/slow-frame-1.md")]
#[doc = include_str!("../docs/pictures/slow-frame-2.md")]
#[doc = include_str!("../docs/pictures/slow-frame-3.md")]
#[doc = include_str!("../docs/slow-frame.md")]
pub mod slow_frame {}

/// How to find a rare hitch, a slow growth and a storm of allocations.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/pictures/stutter-1.md")]
#[doc = include_str!("../docs/pictures/stutter-2.md")]
#[doc = include_str!("../docs/pictures/stutter-3.md")]
#[doc = include_str!("../docs/stutter.md")]
#[cfg(any(not(doctest), feature = "gl"))] // Its example needs the overlay.
pub mod stutter {}

/// Sums of all frames, by their length and by time.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/session.md")]
pub mod session {}

/// Percentiles of a zone's time per frame, and frames rescued.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/percentiles.md")]
pub mod percentiles {}

/// The overlay in the frames of several toolkits.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/hosts.md")]
#[cfg(any(not(doctest), feature = "gl"))] // The examples of `input` and `renderer` need the overlay.
pub mod hosts {
    /// A Bevy plugin that draws the overlay.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/hosts/bevy.md")]
    pub mod bevy {}

    /// An eframe application as it comes, drawn with wgpu.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/pictures/host-eframe.md")]
    #[doc = include_str!("../docs/hosts/eframe.md")]
    pub mod eframe {}

    /// An eframe application that draws with OpenGL.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/hosts/eframe-glow.md")]
    pub mod eframe_glow {}

    /// A femtovg program in a winit window.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/hosts/femtovg.md")]
    pub mod femtovg {}

    /// An OpenGL program in a winit window, with glutin.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/hosts/glutin.md")]
    pub mod glutin {}

    /// Keys, mouse and touch from any window library.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/hosts/input.md")]
    pub mod input {}

    /// A macroquad game.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/hosts/macroquad.md")]
    pub mod macroquad {}

    /// A miniquad program.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/hosts/miniquad.md")]
    pub mod miniquad {}

    /// The overlay as triangles, for a renderer of your own.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/hosts/renderer.md")]
    pub mod renderer {}

    /// An SDL 2 program that draws with OpenGL.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/hosts/sdl2.md")]
    pub mod sdl2 {}

    /// A C program with SDL 2 that draws with OpenGL.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/hosts/sdl2-c.md")]
    pub mod sdl2_c {}

    /// A web page that draws with WebGL 2.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/hosts/web-page.md")]
    pub mod web_page {}

    /// A wgpu program in a winit window.
    ///
    #[doc = include_str!("guide_links.md")]
    #[doc = include_str!("../docs/hosts/winit-wgpu.md")]
    pub mod winit_wgpu {}
}

/// Timing modes, the limit on overhead, and what release builds pay.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/always-on.md")]
pub mod always_on {}

/// One line per module, and where to read on for other code.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/other-zones.md")]
#[cfg(any(not(doctest), feature = "macros"))] // Its example needs the feature.
pub mod other_zones {}

/// Zones of futures and streams.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/futures.md")]
#[cfg(any(not(doctest), feature = "macros"))] // Its example needs the feature.
pub mod futures {}

/// Zones and values whose names are known only at run time.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/run-time-names.md")]
pub mod run_time_names {}

/// Spans of the crate `tracing` as zones.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/tracing.md")]
pub mod tracing {}

/// Scopes of the crate `profiling` as zones.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/profiling.md")]
pub mod profiling {}

/// Zones, values and profiles of C and C++ code.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/c.md")]
pub mod c {}

/// Slow frames, stalls and budgets of zones, and budgets in tests.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/alarms.md")]
pub mod alarms {}

/// Environment variables, signals, and what happens at exit and on `fork`.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/control.md")]
pub mod control {}

/// Profiles of a running program, over HTTP.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/server.md")]
#[cfg(any(not(doctest), feature = "http"))] // Its example needs the feature.
pub mod server {}

/// Snapshots and their formats.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/files.md")]
#[cfg(any(not(doctest), feature = "export"))] // Its example needs the feature.
pub mod files {}

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
