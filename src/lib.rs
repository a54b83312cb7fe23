//! An interactive profiler that lives inside a program and draws its report in that program's own
//! frame: with OpenGL, wgpu or a renderer of the program's.
//!
//! ![A ray-traced sphereflake with iprof's report and graph on top of it][demo]
//!
#![cfg_attr(doc, doc = include_str!("../docs/pictures/demo.md"))]
//!
//! Add a line per function, one [`update`] per frame and one [`draw_gl`] inside the frame you
//! have, and see where the last frame went: **exact** self time, hierarchical time and entry count
//! of every zone, **per full call stack**, on every thread, live or in any remembered frame,
//! steered by a few keys. No other process, no other window, no socket.
//!
//! It is a port of, and the successor to, Sean Barrett's IProf (C, 2003).
//!
//! # Quick start
//!
#![cfg_attr(feature = "gl", doc = "```no_run")]
#![cfg_attr(not(feature = "gl"), doc = "```ignore")]
//! # struct World; fn make_context_current() -> glow::Context { unimplemented!() }
//! fn physics(world: &mut World) {
//!     iprof::zone!(physics);
//!     // …
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let gl = std::rc::Rc::new(make_context_current());
//! // SAFETY: the context is current on this thread, and stays so.
//! unsafe { iprof::gl::init(gl.clone()) }?;
//!
//! # let mut world = World;
//! loop {
//!     physics(&mut world);
//!     // … draw your own picture, then:
//!     iprof::update(true);
//!     iprof::draw_gl(20.0, 20.0, 560.0, 400.0, 2);
//!     iprof::draw_graph_gl(20.0, 460.0, 2.0, 4.0);
//!     // … swap buffers
//! #   if true { break }
//! }
//! # Ok(()) }
//! ```
//!
//! Bind a few keys: [`move_cursor`] and [`select`] open the call graph of a zone, [`select_parent`]
//! climbs to its caller, [`set_report_mode`] lists all zones again, [`move_frame`] steps through the
//! past. Or let [`Controls`] bind them all, by the names of keys, with the mouse and a page of help on F1, and
//! draw report, graph, help and tooltip in one call: `controls.draw_gl(20.0, 20.0, width, height)`. With the
//! feature `winit-0-30`, one call passes a window's events to them, with `web-sys-0-3` those of a web page. In wgpu the package
//! `iprof-wgpu` draws them, and [`overlay`] has them as vertices for any other renderer. [`write_report`] writes the
//! report as text.
//!
//! # Terms
//!
//! | term | meaning |
//! |---|---|
//! | zone | a named section of code: [`zone!`], [`begin!`], [`gpu_zone!`]; by a name that is known only at run time: [`zone_named!`], [`ZoneBuilder`] |
//! | frame | the time between two calls of [`update`] |
//! | self time | time in a zone, but in no zone that it calls |
//! | hierarchical time, `hier` | self time and the time of everything called from the zone; a moment counts once, even where the zone calls itself. Other profilers call it inclusive or total time |
//! | count | how often the zone was entered; [`counter!`] only counts, and [`value!`] adds numbers up in a unit of your own |
//! | `(outside zones)` | time in no zone |
//! | heat | how much a time fluctuates from frame to frame; the legend below a report shows its colors |
//!
//! On each thread, self times sum to the frame. In the call graph, callers sum to the zone, and the
//! hierarchical times of callees sum to the zone's, less its self time. No hierarchical time exceeds the
//! frame, however deep the recursion. This holds for any program, live, averaged or remembered: see
//! [`ReportMode`].
//!
//! # Where to go on
//!
//! * **Look at the right thing**: [`with_view`] changes the overlay's view. [`View::filter`], [`View::set_sort`],
//!   [`View::min_share`] and [`View::grouping`] find zones among many; [`View::set_threads`]
//!   chooses threads; [`mark`] names a frame; a [`View`] of your own is a report beside the overlay's.
//! * **Cost and timing**: [`set_timing`] chooses where times come from, [`Timing`] lists the modes, and the
//!   guide [always on](guide::always_on) explains budgets. [`benchmarks`](guide::benchmarks) has the
//!   figures: an exact zone costs two reads of the clock, some 18 ns.
//! * **Exporting data**: [`snapshot`], [`dump`], [`frame_snapshots`], [`SamplingSession`]; the guide
//!   [files and control](guide::control) has the formats, the environment's variables and HTTP.
//! * **Threads**: they register themselves with their first zone; [`set_thread_name`] and
//!   [`std::thread::Builder`] name them, [`set_recording`] leaves one out.
//! * **Finding a cause**: [a slow frame](guide::slow_frame), and [a stutter](guide::stutter) in a whole session.
//! * **Async, spans, C, names known at run time**: [`InZone`], and the guide [zones of other code](guide::other_zones).
//! * **Hosts**: [the overlay in eframe, Bevy, wgpu, macroquad, femtovg and miniquad](guide::hosts).
//! * **Faults**: [`guide::reliability`] says what happens to leaked guards, in signal handlers, after
//!   `fork`, without memory, and which tools check it.
//!
//! # Features
//!
//! `enable`, `environment` and `gl` are on by default. Libraries depend on iprof with `default-features = false`: zones,
//! values and names of threads then compile to nothing, and nothing else is compiled. What a program calls comes with the
//! feature `program`, which most others turn on; without `enable` it works on an empty profiler.
//!
//! | feature | adds |
//! |---|---|
//! | `enable` | recording: without it the macros compile to nothing, and reports say so |
//! | `program` | what a program calls beside zones: [`update`], reports, views, snapshots. `enable`, `overlay` and `export` turn it on; name it where recording is compiled out and these calls stay |
//! | `environment` | control by variables such as `IPROF_PROFILE`, and [`write_file`], but not in a browser; turns `enable` on, adds 0.5 MB to a program with zones alone, and brings `tempfile`, and `rustix` and `signal-hook` on Unix |
//! | `overlay` | the overlay as vertices, for any renderer: the module [`overlay`]; brings `fontdue` and `bytemuck` |
//! | `gl` | the overlay drawn with OpenGL, and GPU zones, in contexts of `glow` 0.18 and, by a loader function, in any; brings `glow`, turns `overlay` on |
//! | `web-sys-0-3` | the module [`web`]: keys, mouse and fingers of a web page; turns `overlay` on |
//! | `winit-0-30` | the module [`winit`](mod@crate::winit): keys and mouse of a winit 0.30 window; turns `overlay` on |
//! | `macros` | the attribute [`instrument`](macro@instrument): zones for all functions of a block or module; brings `iprof-macros` |
//! | `futures-core-0-3` | [`InZone`] for streams; brings `futures-core` |
//! | `export` | [`write_file`], and the [formats](Format) that need other crates: the HTML page, pprof, JSON, CSV and others |
//! | `http` | the module `http`, for `go tool pprof` and browsers; turns `export` on; not for WebAssembly |

// What needs a feature says so.
#![cfg_attr(docsrs, feature(doc_cfg))]
// The model checker's tests, and those of builds without recording, use a part of the crate.
#![cfg_attr(any(loom, all(test, not(feature = "enable"))), allow(unused))]
// Some items are for features alone. A build with all of them tells what nothing uses.
#![cfg_attr(
    not(all(feature = "environment", feature = "export", feature = "gl")),
    allow(dead_code, unused_imports)
)]

#[cfg(feature = "overlay")]
mod draw;
#[cfg(all(any(test, iprof_fuzzing), not(loom), feature = "export"))]
#[path = "../tests/fuzz/src/mod.rs"]
mod fuzz;
#[cfg(feature = "gl")]
pub mod gl;
#[cfg(doc)]
pub mod guide;
#[cfg(all(feature = "http", not(target_family = "wasm")))]
pub mod http;
// The rest compiles, so that no other error hides this one.
#[cfg(all(feature = "http", target_family = "wasm"))]
compile_error!(
    "the feature `http` of iprof needs sockets and threads, which WebAssembly does not have: turn it off \
     for this target"
);
#[cfg(feature = "overlay")]
mod input;
mod macros;
#[cfg(feature = "program")]
mod program;
mod run_time;

// The oracle of the fuzz targets names it so.
#[cfg(any(test, iprof_fuzzing))]
use iprof_report::Section;

#[cfg(feature = "overlay")]
pub use draw::overlay;
#[cfg(feature = "gl")]
pub use gl::current::{
    draw_flame_gl, draw_gl, draw_graph_gl, draw_help_gl, draw_tooltip_gl, hit, pointer, set_screen,
};
#[cfg(feature = "web-sys-0-3")]
pub use input::web;
#[cfg(feature = "winit-0-30")]
pub use input::winit;
#[cfg(feature = "overlay")]
pub use input::{Bindings, Chord, Controls, Modifiers, ViewControls};
pub(crate) use iprof_gather::{self as gather, clock, sample, sync, zone};
#[doc(hidden)]
pub use iprof_gather::{__if_enabled, __recorded, __site};
#[cfg(not(loom))]
#[doc(inline)]
pub use iprof_gather::{AllocationTotals, Allocator};
#[doc(inline)]
pub use iprof_gather::{
    Amount, GpuTimeline, GpuZone, InZone, NamedValue, OpenZone, RecordingScope, RunTimeZone, Zone,
    Zoned, is_recording, recording_scope, register_thread, set_recording, set_thread_name,
};
#[cfg(feature = "macros")]
#[doc(inline)]
pub use iprof_macros::{instrument, skip};
#[cfg(feature = "program")]
pub use program::*;
pub use run_time::{RunTimeValue, ZoneBuilder};

/// What the fuzzer calls. Only in its builds.
#[cfg(iprof_fuzzing)]
#[doc(hidden)]
pub mod __fuzz {
    pub use crate::fuzz::*;
}

/// What the macros call, and tests. Not part of the interface.
#[doc(hidden)]
pub mod __private {
    #[doc(hidden)]
    pub use crate::gather::__private::*;
    #[cfg(feature = "gl")]
    #[doc(hidden)]
    pub use crate::gl::gpu_zones::{GpuGuard, gpu_enter};
    #[cfg(feature = "gl")]
    #[doc(hidden)]
    pub use crate::gl::state::keep_gl_state;
    #[doc(hidden)]
    pub use crate::macros::entered;
    #[cfg(feature = "program")]
    #[doc(hidden)]
    pub use crate::program::end_frame::end_frame_of_library;
    #[doc(hidden)]
    pub use crate::run_time::{LastZone, zone_of_name};
    #[cfg(feature = "gl")]
    #[doc(hidden)]
    pub use glow;
}
