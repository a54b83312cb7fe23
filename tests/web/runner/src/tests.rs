//! Runs tests, and prints their outcomes as `cargo test` does.
//!
//! Tests that need WebGPU are skipped if the browser lacks it. With `IPROF_REQUIRE_READERS=1`, which `./dev test` sets
//! on Linux, they fail instead.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    Skipped,
}

impl Outcome {
    /// The outcome of a test that the browser cannot run.
    pub(crate) fn of_skipped() -> Outcome {
        let is_required = std::env::var_os("IPROF_REQUIRE_READERS").is_some_and(|it| it == "1");
        match is_required {
            true => Outcome::Failed,
            false => Outcome::Skipped,
        }
    }
}

pub(crate) fn run(name: &str, test: impl FnOnce()) -> Outcome {
    run_unless_skipped(name, || {
        test();
        Ok(())
    })
}

/// Runs a test. The test returns an error with the reason if the browser cannot run it.
pub(crate) fn run_unless_skipped(
    name: &str,
    test: impl FnOnce() -> Result<(), &'static str>,
) -> Outcome {
    let start = Instant::now();
    // The panic's message has already been printed to standard error.
    let (outcome, result) = match catch_unwind(AssertUnwindSafe(test)) {
        Ok(Ok(())) => (Outcome::Passed, "ok".to_owned()),
        Ok(Err(why)) => match Outcome::of_skipped() {
            Outcome::Skipped => (Outcome::Skipped, format!("skipped: {why}")),
            _ => (
                Outcome::Failed,
                format!("FAILED: IPROF_REQUIRE_READERS=1, and {why}"),
            ),
        },
        Err(_) => (Outcome::Failed, "FAILED".to_owned()),
    };
    println!(
        "test {name} ... {result}, {} ms",
        start.elapsed().as_millis()
    );
    outcome
}

/// Prints the number of tests with each outcome. Returns whether at least one test ran and none failed, because a
/// filter that matches no test is probably a mistake.
pub(crate) fn sum_up(outcomes: &[Outcome]) -> bool {
    let count = |wanted| {
        outcomes
            .iter()
            .filter(|outcome| **outcome == wanted)
            .count()
    };
    let [passed, failed, skipped] = [Outcome::Passed, Outcome::Failed, Outcome::Skipped].map(count);
    let is_well = failed == 0 && !outcomes.is_empty();
    let result = if is_well { "ok" } else { "FAILED" };
    println!("\ntest result: {result}. {passed} passed; {failed} failed; {skipped} skipped");
    is_well
}
