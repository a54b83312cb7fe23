//! An interactive profiler that lives inside a program and draws its report in that program's own
//! OpenGL frame.
//!
//! ![A ray-traced sphereflake with iprof's report and graph on top of it][demo]
//!
#![cfg_attr(doc, doc = include_str!("../docs/pictures/demo.md"))]
//!
//! Add a line per function, one [`update`] per frame and one [`draw_gl`] inside the GL frame you
//! have, and see where the last frame went: **exact** self time, hierarchical time and entry count
//! of every zone, **per full call stack**, on every thread, live or in any remembered frame,
//! steered by a few keys. No other process, no other window, no socket.
//!
//! It is the port and the successor of Sean Barrett's IProf (C, 2003).
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
//! Hook a few keys to the controls: [`move_cursor`] and [`select`] to open the call graph of a
//! zone, [`select_parent`] to climb, [`set_report_mode`] to list all zones again, [`move_frame`] to
//! step through the past. Without OpenGL, [`write_report`] writes the same report as text.
//!
//! With a mouse, tell [`pointer()`] of it: clicks select, dragging over the graph's bars shows the mean
//! of these frames ([`set_range`] without a mouse), and [`draw_tooltip_gl`], called last, tells all
//! that is known of what is under it. A host with a window of winit turns on the feature `winit`
//! and gets keys and mouse by one call. [`hit`] by itself tells what lies under a point.
//!
//! In a program of many zones, [`set_filter`] lists those of a name, [`set_sort`] sorts by any
//! column, [`set_min_share`] folds what is small into one row, and [`set_grouping`] lists
//! `physics::solve` and its like as one group `physics::`. All of it adds up as before.
//!
//! # What is measured
//!
//! | word | meaning |
//! |---|---|
//! | zone | a named stretch of code, made by [`zone!`], [`zone_fn!`], [`scope!`], [`begin!`] or [`gpu_zone!`] |
//! | frame | what lies between two calls of [`update`] |
//! | self time | time in a zone but in no zone that it calls |
//! | hierarchical time, `hier` | self time and that of everything called from the zone, each moment counted once |
//! | count | how often the zone was entered; [`counter!`] counts alone |
//! | heat | how much a value fluctuates: from green, calm, to white, glowing |
//!
//! On each thread the self times sum to the frame; what is in no zone is in `_global`. In the call
//! graph, callers' rows sum to the zone, and callees' hierarchical times sum to the zone's, less
//! its self time. No hierarchical time exceeds the frame, however deep the recursion. All of that
//! holds for any program, live, averaged or remembered: see [`ReportMode`].
//!
//! Threads register themselves with their first zone; [`thread_name`] names them, and so does
//! [`std::thread::Builder`]. A report shows all threads added up, those of one name, or one:
//! [`View::set_threads`].
//! The profiler's own cost is in it, as the zones `iprof_update`, `iprof_draw` and
//! `iprof_draw_graph`.
//!
//! [`gpu_zone!`] measures GL commands as well: what the GPU took for them comes frames later, and is
//! shown with the frame that submitted them, in a column beside the zone's own times and as a thread
//! called `GPU`.
//!
//! # How times are measured
//!
//! Counts are exact wherever anything is recorded; [`set_timing`] chooses where times come from, at any moment.
//!
//! | [`Timing`] | times | a zone costs |
//! |---|---|---|
//! | `Exact`, the default | each zone reads the clock when it is entered and when it is left | two reads of the clock |
//! | `Auto` | as `Exact`, but for zones that are entered so often that reading the clock would cost more than the budget, one per cent unless told otherwise | a read where it is worth it, a few stores elsewhere |
//! | `Sampled` | a thread of the profiler's own looks a thousand times a second at what every thread is in | a few stores |
//! | `Off` | none, and no counts: what was shown stays | a comparison |
//!
//! A time that was sampled has a `~` before it, and the column `± ms` says its standard error. Such
//! times sum up just as exact ones do. The second line of a report's title says which timing it is,
//! how many stacks of zones are without a clock, and what part of the time of the threads in view
//! was the profiler's:
//!
//! ```text
//! auto 1 %: 66 of 85 stacks sampled  profiler 1.21 %, overlay 2.37 %
//! ```
//!
//! *Profiler* is what zones cost, by their counts and by what one costs on this machine, which is
//! measured while the program runs; the sampler; and `update`. *Overlay* is its drawing.
//! [`View::set_net_times`] shows the self times without what zones have added to them.
//!
//! # Out of the frame
//!
//! [`snapshot`] is everything that was recorded so far, by whole stack and thread, as plain data: at
//! any moment, also in a program that never calls [`update`]; [`dump`] is the same as text, for a
//! console. [`frame_snapshots`] are the remembered
//! frames, each by itself. [`start_profiling`] and
//! [`finish_profiling`] are a sampling profiler, whatever timing is. [`set_recording`] and
//! [`zone_if!`] leave out what is of no interest. With the feature `http`, `http::serve` has
//! `go tool pprof` and browsers ask the program while it runs.
//!
//! # Control from outside
//!
//! A program that has zones, and nothing else of iprof, is controlled by its environment from its
//! first zone on. Without the feature `environment`, which is on by default, nothing of it happens.
//!
//! | variable | |
//! |---|---|
//! | `IPROF_PROFILE` | the file that the profile is written to when the program ends: its name says the format, as for [`Snapshot::write_file`] |
//! | `IPROF_TIMING`, `IPROF_FREQUENCY` | how zones get their times: [`set_timing`] |
//! | `IPROF_PORT` | a port of 127.0.0.1 at which the program is asked over HTTP while it runs, with the feature `http`: the module `http` |
//! | `IPROF_SIGNAL` | a signal, `USR2` say, that begins a profile and the next time writes it; on Unix, with the feature `signal` |
//!
//! ```text
//! IPROF_PROFILE=profile.html IPROF_TIMING=sampled ./program
//! ```
//!
//! In the file is what a [`snapshot`] at the end has: all that was recorded since the start or the
//! last [`reset`], with the times of zones that are open. The end is that `main` returns or panics,
//! or that some thread calls [`std::process::exit`] while others go on. A program that is killed,
//! that aborts, or that ends by `_exit` writes nothing. Nor does `std::process::exit` on Windows, which
//! ends all other threads first: return from `main` there.
//!
//! * `%p` in the name is the number of the process. A program that is started by another one inherits
//!   its environment; on Unix it finds that the name is taken, and writes `profile_1234.html`, with
//!   its own number. No file tells of that on Linux: nothing is left behind, however a program ends.
//!   (On other Unix systems a locked file in the temporary folder does, which a program that is
//!   killed leaves there, empty and unlocked.) It holds for the processes of one machine, and on Linux of
//!   one network namespace: containers that share a folder need names of their own. Elsewhere, without a `%p`, the
//!   last one to end replaces the others' files. A copy of the process made by `fork` writes a file
//!   with its number, too, in which is what was recorded before the fork as well. The profiler's threads
//!   are not in it: a sampler of its own is started by its first [`update`] or [`set_timing`], and until
//!   then a sampled time goes by what was learned before. A program that becomes
//!   another one by `exec` writes nothing, and the other one may have its name.
//! * The file takes the place of an older one when it is complete, so a program that is killed while it
//!   writes leaves the older one. On Linux that is all it leaves, where the file system has files
//!   without names (`O_TMPFILE`); elsewhere there is a file `profile.html.1234-0.part` beside it.
//! * A link is followed, and stays one. But in a folder that anybody may write to, like `/tmp`, what
//!   another user has put in the file's place is an error if it is a link, a pipe or a device.
//! * A pipe that nobody has open for reading is an error, and so is one whose reader reads nothing for
//!   five seconds; otherwise the program's end waits for the reader.
//! * A program that runs with another user's rights than its caller's (setuid) follows `IPROF_TIMING` and
//!   `IPROF_FREQUENCY` only: it writes no files and opens no port.
//! * What cannot be done, be it a value that cannot be read, a port that is taken or a file that cannot
//!   be written, is named by a line on stderr as soon as it is known, and by a warning line of the
//!   report. The exit code stays what it is. Where stderr is closed, or descriptor 2 is a file that the
//!   program itself has opened since, nothing is written there. Where no thread can be started, the
//!   program goes on without what would need it.
//! * The program's end waits until the file is written; for the measurements, if some thread that
//!   does not go on has locked them, five seconds.
//! * With `IPROF_SIGNAL` the files are `profile.0.html`, `profile.1.html` and so on, each with what
//!   was recorded between two signals. Two that come before the first was seen are one. What is being
//!   made when the program ends is written then, and nothing else is. Signals are called `USR1`,
//!   `USR2`, `HUP`, `PROF`, `VTALRM`, `WINCH`, `URG` and `IO`, with or without `SIG`; others have
//!   numbers. A thread waits for them, and the handler that the program has for that signal is
//!   called all the same, if it was there before the first zone. A copy made by `fork` does not have
//!   that thread: a signal does nothing there, and what was being made when it was copied is written when it
//!   ends.
//!
//! # What it costs
//!
//! | | cost |
//! |---|---|
//! | entering and leaving a zone that reads the clock | two unfenced reads of the machine's counter and a few stores, some 18 ns; no lock, no allocation but on first sight of a stack |
//! | one that does not | 2 to 6 ns |
//! | one while timing is off | 1 to 2 ns |
//! | a counter | a nanosecond |
//! | a zone of a thread that [does not record](set_recording) | 2 to 4 ns |
//! | threads that record at once | share nothing: each is as fast as alone, to a few per cent |
//! | the sampler | one to two per cent of one core at 1,000 looks a second, some 15 µs each to be woken; there is none unless some zone is without a clock |
//! | memory of a thread | chunks for 64, 128, 256 … distinct stacks of zones, 64 bytes each; for each in use, once `update` has seen it, 140 bytes; 16 more once a frame was thrown away or forgotten, or 304 once the thread was sampled; 48 more once `Auto` took a clock on it; 32 more while `Auto` keeps its budget without `update`. These lists double when they are full. With addresses of 32 bits none of it is more |
//! | a GPU zone | six GL calls more, and two short locks; where there are no timer queries, nothing more |
//! | memory of GPU zones | 80 KB for each context and thread at most; 24 bytes for each stack on a thread that submits any |
//! | memory of history | see [`set_history`] |
//! | without the feature `enable` | nothing: the macros check their arguments and produce no code |
//!
//! The times are of a processor whose counter takes 9 ns to read: `cargo bench --bench record` and
//! `--bench threads` measure yours.
//!
//! A time is as fine as the clock. Counters of x86-64 step by less than a nanosecond; Apple's by 42 ns (24 MHz), so
//! there a zone of 10 ns has 0 or 42 in one call and its own time in the sum of many. In a browser the clock steps by
//! 0.1 ms, or by 5 µs where the page is cross-origin isolated: there short zones have sums that are right on
//! average, and a zone costs two calls of `performance.now()`. A page has no threads for the sampler or the budget
//! either, so its times stay exact whatever [`set_timing`] asks for, and a warning line says so.
//!
//! # Features
//!
//! The first three are on by default.
//!
//! * `enable`: record. It brings two small dependencies: `fastrand`, for the sampler's random
//!   moments, and on Unix `rustix`, for what the sampler takes. Libraries depend on iprof without it (`default-features = false`); the program that
//!   wants to see them turns it on. Every macro, function and type exists either way.
//! * `environment`: control by the environment's variables, see above. Without it no variable is read, and a
//!   program that has zones, and calls nothing else, is smaller by some 0.5 MB. It turns `enable` on.
//! * `gl`: the overlay and GPU zones, in contexts of `glow` 0.18 and, by a loader function, in any. It
//!   brings the crate's other dependencies, `glow`, `fontdue` and `bytemuck`. Without it the crate
//!   records, processes and writes reports all the same.
//! * `glow-0-17`: the same in contexts of `glow` 0.17, which eframe and three-d have. It does without
//!   `gl`; where both are on, contexts of either will do: see `gl::Glow`.
//! * `export`: all formats of files that need a crate to be written, each of which is a feature of
//!   its own: `csv`, `html`, `json` and `pprof`.
//! * `http`: the module `http`, which answers `go tool pprof` and browsers. It turns `html` and `pprof`
//!   on, and brings `hyper` and `tokio`. Not for programs that run in a browser.
//! * `signal`: on Unix and with `environment`, the variable `IPROF_SIGNAL` has a signal begin and end profiles.
//! * `winit`: the module [`winit`](mod@crate::winit), which drives the overlay by the keys and the
//!   pointer of a window of winit 0.30. It turns `gl` on.
//!
//! # Files
//!
//! A [`Snapshot`] is written to any [`std::io::Write`], or by [`Snapshot::write_file`] to a file whose
//! name says the format.
//!
//! | | for | feature |
//! |---|---|---|
//! | [`write_tree`](Snapshot::write_tree) | consoles and logs: trees with branches, zones by self time | |
//! | [`write_folded`](Snapshot::write_folded) | flame graphs: inferno, `flamegraph.pl` | |
//! | [`write_callgrind`](Snapshot::write_callgrind) | KCachegrind, `callgrind_annotate` | |
//! | [`write_gprof`](Snapshot::write_gprof) | eyes and tools that know gprof's lists | |
//! | `write_html` | one page with trees, tables and a flame graph, for archives and mail | `html` |
//! | `write_pprof` | `go tool pprof`, Pyroscope, Parca | `pprof` |
//! | `write_speedscope` | speedscope | `json` |
//! | `write_trace_events` | remembered frames on a line of time: Perfetto | `json` |
//! | `write_json`, `write_csv` | programs and spreadsheets of one's own | `json`, `csv` |
//!
//! Counts are exact in all of them. Times are whole nanoseconds, rounded so that those of a thread
//! still sum to the thread's.

#![cfg_attr(docsrs, feature(doc_cfg))] // What needs a feature says so.
#![cfg_attr(not(feature = "enable"), allow(dead_code))] // All of the recording side.

mod about;
mod action;
mod clock;
mod controls;
mod decimal;
#[cfg(feature = "_overlay")]
mod draw;
#[cfg(feature = "environment")]
#[cfg_attr(any(loom, miri), allow(dead_code))]
// No model has an environment, nor has the interpreter.
mod environment;
mod export;
mod first_zone;
#[cfg(all(any(test, fuzzing), not(loom)))]
mod fuzz;
mod gather;
#[cfg(feature = "_overlay")]
mod gpu;
mod graph;
#[cfg(doc)]
pub mod guide;
#[cfg(all(feature = "http", not(target_family = "wasm")))]
pub mod http;
mod macros;
mod memory;
#[cfg(feature = "_overlay")]
mod overlay;
mod process;
mod refused;
mod report;
mod sample;
mod sampled_profile;
mod snapshot;
mod sync;
mod timing;
#[cfg(feature = "winit")]
pub mod winit;
mod zone;

pub use about::About;
pub use action::Action;
pub use controls::Controls;
pub use export::WriteFileError;
#[cfg(feature = "json")]
pub use export::write_trace_events;
pub use gather::{OpenZone, RecordingScope, is_recording, recording_scope, set_recording};
pub use graph::{Bar, Graph, GraphMark, GraphStyle, GraphZone, Segment};
#[cfg(feature = "_overlay")]
pub use overlay::{draw_gl, draw_graph_gl, draw_tooltip_gl, hit, pointer, set_screen};
pub use process::{
    Baseline, ThreadId, ThreadInfo, Threads, View, act, change_view, collapse, expand,
    extend_range, go_back, go_forward, graph, history_bytes, mark, move_cursor, move_frame,
    next_mark, next_spike, previous_mark, previous_spike, report, reset, select, select_parent,
    set_average, set_cursor, set_filter, set_frame, set_frame_worst, set_grouping, set_history,
    set_history_budget, set_min_share, set_range, set_recursion, set_refresh_rate, set_report_mode,
    set_sort, set_sort_reversed, set_timing, set_worst_frames, thread_name, threads, timing,
    update, view, write_report,
};
pub use process::{FrameSnapshots, frame_snapshots};
pub use process::{
    ProfilingError, dump, finish_profiling, register_thread, snapshot, start_profiling,
};
pub use report::{
    Column, MAX_VALUES, Place, Prefix, Record, Recursion, Report, ReportMode, RowKey, Sort, Sorted,
    Unit,
};
pub use sampled_profile::{SampledProfile, SampledRow};
pub use snapshot::{FrameSnapshot, Snapshot, SnapshotNode, SnapshotThread, SnapshotZone};
pub use timing::{ParseTimingError, Timing};
pub use zone::Zone;

/// The overlay for the host's OpenGL frame.
#[cfg(feature = "_overlay")]
pub mod gl {
    pub use crate::draw::{
        Buffer, FontError, GlError, HostState, Program, Sampler, StateMode, Texture, VertexArray,
    };
    #[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
    pub use crate::overlay::init_from_loader;
    pub use crate::overlay::{
        Glow, Hit, Overlay, PointerButton, PointerEvent, PointerResponse, collect_gpu_times,
        disable_gpu_zones, enable_gpu_zones, init, make_current, with_current,
    };
}

/// What the fuzzer calls. Only in its builds.
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod __fuzz {
    pub use crate::fuzz::*;
}

/// What the macros call, and tests. Not part of the interface.
#[doc(hidden)]
pub mod __private {
    #[doc(hidden)]
    pub use crate::clock::use_portable_clock;
    #[cfg(feature = "gl")]
    #[doc(hidden)]
    pub use crate::draw::keep_gl_state;
    #[doc(hidden)]
    pub use crate::gather::local::{Guard, Matching, Site, begin, end, enter, enter_if, tally};
    #[cfg(not(feature = "enable"))]
    #[doc(hidden)]
    pub use crate::gather::open_zone::open_nothing;
    #[cfg(feature = "enable")]
    #[doc(hidden)]
    pub use crate::gather::open_zone::{open, relabel};
    #[cfg(feature = "_overlay")]
    #[doc(hidden)]
    pub use crate::gpu::{GpuContext, GpuGuard, gpu_enter};
}
