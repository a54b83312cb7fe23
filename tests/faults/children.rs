//! Starts this test program again as a child process, for tests that end or change their process.

use crate::own_program::own_program;
use std::env;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

const CHILD: &str = "IPROF_TEST_CHILD";

/// The environment variable that sets a child's time limit in seconds, for slow tasks and sanitizers.
const LIMIT: &str = "IPROF_TEST_LIMIT";

/// Returns the time limit. The default is 60 s. On an idle machine, tasks take less than a second.
fn limit() -> Duration {
    let seconds = env::var(LIMIT).map_or(60, |text| {
        text.parse()
            .expect("the limit should be a number of seconds")
    });
    Duration::from_secs(seconds)
}

pub(crate) fn task() -> Option<String> {
    env::var(CHILD).ok()
}

/// Runs a child that does `what` in the test named `test`. Kills the child if it hangs.
pub(crate) fn run(test: &str, what: &str) -> Output {
    run_with(test, what, &[])
}

pub(crate) fn run_with(test: &str, what: &str, variables: &[(&str, &str)]) -> Output {
    let mut program = own_program();
    program.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    program.env(CHILD, what).envs(variables.iter().copied());
    program.stdin(Stdio::null());
    program.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let start = Instant::now();
    // The child's output fits into a pipe, so the child never blocks on writing it.
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > limit() {
            let _ = child.kill();
            let output = child.wait_with_output().unwrap();
            panic!("{what} hangs: {}", describe(&output));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// Formats a child's exit status and output streams.
pub(crate) fn describe(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    format!("{}\n{out}{err}", output.status)
}

/// Returns the output of a child, which must succeed.
pub(crate) fn printed(test: &str, what: &str) -> Vec<String> {
    let output = run(test, what);
    assert!(output.status.success(), "{what}: {}", describe(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(str::to_owned).collect()
}
