//! An in-program profiler that draws an interactive report in the program's own frame, with OpenGL, wgpu or any other
//! renderer.
//!
//! ![A ray-traced sphereflake with iprof's report and graph on top of it][demo]
//!
#![cfg_attr(doc, doc = include_str!("../docs/pictures/demo.md"))]
//!
//! Add one line to each function that matters, call [`update`] once per frame, and draw the report with [`draw_gl`].
//! The report shows where each frame's time went: **exact** self time, hierarchical time and entry count of every zone,
//! **per full call stack**, on every thread. With a few keys or the mouse, you can open a zone's callers and callees
//! and step back through the frames that iprof remembers. No second process, window or socket is involved.
//!
//! iprof is a port of, and the successor to, Sean Barrett's IProf (C, 2003).
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
//! Then bind a few keys. [`move_cursor`] and [`select`] open a zone's call graph, and [`select_parent`] moves to its
//! caller. [`set_report_mode`] returns to the list of all zones. [`move_frame`] steps through past frames.
//!
//! [`Controls`] can do all of this for you. It maps keys and the mouse to actions, and draws the report, graph, tooltip
//! and a help page (F1) with one call, `controls.draw_gl(20.0, 20.0, width, height)`. With the features `winit-0-30`
//! and `web-sys-0-3`, one more call passes it the events from a window or a web page.
//!
//! With wgpu, use the `iprof-wgpu` crate. For any other renderer, the [`overlay`] module generates the same picture as
//! vertices. Without graphics, [`write_report`] writes the report as text.
//!
//! # Terms
//!
//! | term | meaning |
//! |---|---|
//! | zone | a named section of code: [`zone!`], [`begin!`], [`gpu_zone!`]; with a name known only at run time: [`zone_named!`], [`ZoneBuilder`] |
//! | frame | the time between two calls to [`update`] |
//! | self time | time in a zone, excluding the zones that it calls |
//! | hierarchical time, `hier` | self time plus the time of everything called from the zone, also known as inclusive or total time; in recursion, each moment counts once |
//! | count | the number of times the zone was entered; [`counter!`] only counts, and [`value!`] adds up numbers in a unit that you define |
//! | `(outside zones)` | time spent outside all zones |
//! | heat | how much a time fluctuates from frame to frame; the legend below a report shows its colors |
//!
//! On each thread, self times add up to the frame. In the call graph, a zone's callers add up to the zone, and its
//! callees' hierarchical times add up to its hierarchical time minus its self time. No hierarchical time exceeds the
//! frame, however deep the recursion. These sums hold for every program, in live, averaged and remembered frames: see
//! [`ReportMode`].
//!
//! # Where to go next
//!
//! * **Many zones or threads**: [`with_view`] changes what the overlay shows. [`View::filter`], [`View::set_sort`],
//!   [`View::min_share`] and [`View::grouping`] find zones, and [`View::set_threads`] selects threads. [`mark`] names a
//!   frame. You can also build reports from your own [`View`].
//! * **Cost and timing**: an exact zone costs little more than two reads of the timestamp counter. [`set_timing`]
//!   chooses a [`Timing`] mode. [Always on](guide::always_on) explains how to limit the overhead, and
//!   [`benchmarks`](guide::benchmarks) lists all measurements.
//! * **Exporting data**: [`snapshot`], [`dump`], [`frame_snapshots`] and [`SamplingSession`]. The guides
//!   [files](guide::files), [control from outside](guide::control) and [a running server](guide::server) cover the
//!   formats, the environment variables and HTTP.
//! * **Threads**: a thread registers itself when it enters its first zone. [`set_thread_name`] and
//!   [`std::thread::Builder`] name it, and [`set_recording`] excludes it.
//! * **Tracking down problems**: the guides [a slow frame](guide::slow_frame) and [a stutter](guide::stutter).
//! * **Async code, spans, C, names known at run time**: [`InZone`] and the guide [zones you don't write by
//!   hand](guide::other_zones).
//! * **Hosts**: [the overlay in eframe, Bevy, wgpu, macroquad, femtovg and miniquad](guide::hosts).
//! * **Faults**: [`guide::reliability`] describes what happens with leaked guards, in signal handlers, after `fork` and
//!   when memory runs out, and how iprof's behavior is tested.
//!
//! # Features
//!
//! `enable`, `environment` and `gl` are on by default. A library depends on iprof with `default-features = false`. Its
//! zones, values and thread names then compile to nothing until a program turns on `enable`, and the engine is not
//! compiled either. Everything else that a program calls needs the `program` feature, which most other features turn
//! on. Without `enable`, these calls operate on an empty profiler.
//!
//! | feature | adds |
//! |---|---|
//! | `enable` | recording; without it the macros compile to nothing, and reports show `off (not recording)` |
//! | `program` | everything a program calls apart from the zone macros: [`update`], reports, views, snapshots. `enable`, `overlay` and `export` turn it on. List it explicitly in builds that compile recording out but keep these calls |
//! | `environment` | control through environment variables such as `IPROF_PROFILE`, and [`write_file`]; does nothing in a browser. Turns `enable` on, and adds 0.5 MB to a program that only has zones. Depends on `tempfile`, and on Unix on `rustix` and `signal-hook` |
//! | `overlay` | the overlay as vertices for any renderer: the [`overlay`] module. Depends on `fontdue` and `bytemuck` |
//! | `gl` | drawing with OpenGL, and GPU zones, with a `glow` 0.18 context or a loader function. Turns `overlay` on. Depends on `glow` |
//! | `web-sys-0-3` | keyboard, mouse and touch input from a web page: the [`web`] module. Turns `overlay` on |
//! | `winit-0-30` | keyboard and mouse input from a winit 0.30 window: the [`winit`](mod@crate::winit) module. Turns `overlay` on |
//! | `macros` | the [`instrument`](macro@instrument) attribute, which turns every function in a block or module into a zone. Depends on `iprof-macros` |
//! | `futures-core-0-3` | [`InZone`] for streams. Depends on `futures-core` |
//! | `export` | [`write_file`], and the [formats](Format) that need additional crates, such as the HTML page, pprof, JSON and CSV |
//! | `http` | an endpoint for `go tool pprof` and browsers: the `http` module. Turns `export` on; not available on WebAssembly |

// Show required features on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// The model checker, and tests without recording, use only some of the crate.
#![cfg_attr(any(loom, all(test, not(feature = "enable"))), allow(unused))]
// Some items are used only by certain features. The build with all features still reports dead code.
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
// The rest of the crate still compiles here, so this is the only error.
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

// The fuzz targets' oracle imports it from here.
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

/// The fuzzer's entry points.
#[cfg(iprof_fuzzing)]
#[doc(hidden)]
pub mod __fuzz {
    pub use crate::fuzz::*;
}

/// Items that the macros and tests use. Not part of the public API.
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
