//! Tests that other programs can read the files that iprof writes for them, and that the files contain the recorded
//! data.
//!
//! If a program is not installed, its test is skipped with a message. With `IPROF_REQUIRE_READERS=1`, which `./dev
//! test` sets on Linux, the test fails instead.

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

/// Records allocations in these tests' zones.
#[global_allocator]
static ALLOCATOR: iprof::Allocator = iprof::Allocator::new(std::alloc::System);
