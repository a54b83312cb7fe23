//! Runs tests, and prints what came of them as `cargo test` does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

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
