//! Runs tests, and prints what came of them as `cargo test` does.
//!
//! A test that a browser cannot run, since it has no WebGPU, says `skipped`; it fails if IPROF_REQUIRE_READERS=1, as
//! `./dev test` has it on Linux.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Whether what a test needs of the browser has to be there.
pub(crate) fn are_required() -> bool {
    std::env::var_os("IPROF_REQUIRE_READERS").is_some_and(|value| value == "1")
}

/// Whether the test passed.
pub(crate) fn run(name: &str, test: impl FnOnce()) -> bool {
    let start = Instant::now();
    // What it panics with is on the standard error already.
    let passed = catch_unwind(AssertUnwindSafe(test)).is_ok();
    let result = if passed { "ok" } else { "FAILED" };
    println!(
        "test {name} ... {result}, {} ms",
        start.elapsed().as_millis()
    );
    passed
}
