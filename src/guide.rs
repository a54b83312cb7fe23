//! Guides for tasks, from setting up the overlay to finding the cause of a slow frame, and pages about overhead and
//! reliability.
//!
//! Setting up:
//!
//! * [Hosts](hosts): how to add the overlay to your program, with a complete program for each of eframe, Bevy, wgpu,
//!   macroquad and other toolkits.
//! * [Always on](always_on): timing modes, the limit on overhead, and how to turn recording off.
//! * [Zones you don't write by hand](other_zones): one attribute for a whole module. Separate pages cover [futures],
//!   [names known only at run time](run_time_names), [`tracing` spans](tracing), [`profiling` scopes](profiling), and
//!   [C and C++](c).
//!
//! Finding causes:
//!
//! * [Why was that frame slow?](slow_frame): from a long bar to the line of code behind it.
//! * [From a stutter to its cause](stutter): a rare hitch, slow growth, a burst of allocations and a deadlock.
//! * [What was slow in a whole run?](session): the slowest frames of several hours, and when the program became slow.
//! * [How bad does it get?](percentiles): percentiles, and which zone is worth your time.
//! * [Alarms](alarms): slow frames, stalls and zone budgets, including budgets in tests.
//!
//! Getting data out:
//!
//! * [Control from outside](control): environment variables and signals, without changing the code.
//! * [A running server](server): profiles over HTTP, for `go tool pprof` and browsers.
//! * [Files](files): snapshots and file formats.
//!
//! Facts:
//!
//! * [Benchmarks](benchmarks): the overhead of recording, `update`, reports, drawing and files.
//! * [Reliability](reliability): the guarantees that hold under faults, and the tools that check them.

// rustdoc uses the first definition of a link name, and needs an empty line before definitions. The definitions in
// `guide_links.md` link to modules, and those in `pictures` embed the pictures. They come before the guides' own
// definitions, which are for readers in the repository.

/// How to find out why a frame took too long.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/pictures/slow-frame-1.md")]
#[doc = include_str!("../docs/pictures/slow-frame-2.md")]
#[doc = include_str!("../docs/pictures/slow-frame-3.md")]
#[doc = include_str!("../docs/slow-frame.md")]
pub mod slow_frame {}

/// How to find the cause of a rare hitch, slow growth and a burst of allocations.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/pictures/stutter-1.md")]
#[doc = include_str!("../docs/pictures/stutter-2.md")]
#[doc = include_str!("../docs/pictures/stutter-3.md")]
#[doc = include_str!("../docs/stutter.md")]
#[cfg(any(not(doctest), feature = "gl"))] // Its example needs the overlay.
pub mod stutter {}

/// How to see what was slow in a whole run, by frame length and by time.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/session.md")]
pub mod session {}

/// Percentiles of a zone's time per frame, and rescued frames.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/percentiles.md")]
pub mod percentiles {}

/// How to draw the overlay in the frames of various toolkits.
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

    /// An eframe application with its default renderer, wgpu.
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

    /// The overlay as triangles, for your own renderer.
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

/// Timing modes, the limit on overhead, and the cost in release builds.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/always-on.md")]
pub mod always_on {}

/// One attribute for a whole module, and links to other ways to get zones.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/other-zones.md")]
#[cfg(any(not(doctest), feature = "macros"))] // Its example needs the feature.
pub mod other_zones {}

/// Zones for futures and streams.
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

/// `tracing` spans as zones.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/tracing.md")]
pub mod tracing {}

/// `profiling` scopes as zones.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/profiling.md")]
pub mod profiling {}

/// Zones, values and profiles in C and C++.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/c.md")]
pub mod c {}

/// Notifications about slow frames and stalls, zone budgets, and budgets in tests.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/alarms.md")]
pub mod alarms {}

/// Environment variables, signals, and what happens at exit and on `fork`.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/control.md")]
pub mod control {}

/// How to get profiles of a running program over HTTP.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/server.md")]
#[cfg(any(not(doctest), feature = "http"))] // Its example needs the feature.
pub mod server {}

/// Snapshots and file formats.
///
#[doc = include_str!("guide_links.md")]
#[doc = include_str!("../docs/files.md")]
#[cfg(any(not(doctest), feature = "export"))] // Its example needs the feature.
pub mod files {}

/// The overhead of recording, `update`, reports and drawing.
///
#[doc = include_str!("../docs/benchmarks.md")]
pub mod benchmarks {}

/// The guarantees that iprof makes to its host, and how they are tested.
///
#[doc = include_str!("../docs/reliability.md")]
pub mod reliability {}

/// Tests the example in README.md.
#[cfg(all(doctest, feature = "gl"))]
#[doc = include_str!("../README.md")]
mod readme {}
