//! Files, read by the programs that they are written for, have the recorded data.
//!
//! A program that is missing fails its test if IPROF_REQUIRE_READERS=1, as `./dev test` has it on
//! Linux after installing them; otherwise the test says that it was skipped.

mod browser;
mod callgrind;
mod folded;
mod go;
mod gprof;
mod gpu;
mod html;
mod html_access;
mod html_callers;
mod html_diff;
mod html_diff_parts;
mod html_frames;
mod html_idle;
mod html_names;
mod html_ranking;
mod html_selection;
mod html_speed;
mod html_values;
mod html_widths;
mod perfetto;
mod pprof;
mod program;
mod recorded;
mod sizes;
mod speedscope;

/// What is allocated in zones is in what these tests record themselves.
#[global_allocator]
static ALLOCATOR: iprof::Allocator = iprof::Allocator::new(std::alloc::System);
