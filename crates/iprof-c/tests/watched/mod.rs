//! Compiles and runs C and C++ programs. Environment variables, set by `./dev soak`, select different compilers, a
//! sanitizer, or valgrind.

#![allow(dead_code, reason = "each test uses only some of the items")]
#![allow(unreachable_pub, reason = "these would be `pub` in a separate crate")]

use std::env;
use std::path::Path;
use std::process::Command;

fn words(variable: &str) -> Vec<String> {
    let value = env::var(variable).unwrap_or_default();
    value.split_whitespace().map(str::to_owned).collect()
}

/// Returns a compiler with the flags for compiling and linking, from `IPROF_TEST_CC` or `IPROF_TEST_CXX`, and
/// `IPROF_TEST_CFLAGS`.
pub fn compiler(is_cpp: bool) -> Command {
    let (variable, usual) = match is_cpp {
        true => ("IPROF_TEST_CXX", "c++"),
        false => ("IPROF_TEST_CC", "cc"),
    };
    let name = env::var(variable).unwrap_or_else(|_| usual.to_owned());
    let mut command = Command::new(name);
    command.args(words("IPROF_TEST_CFLAGS"));
    command
}

/// Returns a command that runs a program, with the runner and arguments in `IPROF_TEST_RUNNER` if set.
pub fn program(path: impl AsRef<Path>) -> Command {
    let mut runner = words("IPROF_TEST_RUNNER").into_iter();
    let Some(first) = runner.next() else {
        return Command::new(path.as_ref());
    };
    let mut command = Command::new(first);
    command.args(runner).arg(path.as_ref());
    command
}
