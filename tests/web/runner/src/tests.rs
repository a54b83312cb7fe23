//! Runs tests, and prints their outcomes like `cargo test`.
//!
//! If a browser has no WebGPU, tests that need it print `skipped` and are counted as that. They fail instead if
//! `IPROF_REQUIRE_READERS=1`, which `./dev test` sets on Linux.

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

/// Runs a test that returns a reason if the browser cannot run it.
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

/// Prints the number of each outcome. Returns whether there were tests and none failed. A filter without a match is a
/// mistake.
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
