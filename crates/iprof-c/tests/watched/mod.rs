//! How programs of C and C++ are compiled and run: as they are, or by other compilers, with a sanitizer, or in valgrind, which
//! `./dev soak` asks for by variables.

#![allow(dead_code, reason = "each test has part of it")]
#![allow(unreachable_pub, reason = "it would be `pub` in a crate of its own")]

use std::env;
use std::path::Path;
use std::process::Command;

/// The words of a variable.
fn words(variable: &str) -> Vec<String> {
    let value = env::var(variable).unwrap_or_default();
    value.split_whitespace().map(str::to_owned).collect()
}

/// A compiler, with the flags that concern compiling and linking: `IPROF_TEST_CC` or `IPROF_TEST_CXX`, and
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

/// A program that was built, in what `IPROF_TEST_RUNNER` names with its arguments.
pub fn program(path: impl AsRef<Path>) -> Command {
    let mut runner = words("IPROF_TEST_RUNNER").into_iter();
    let Some(first) = runner.next() else {
        return Command::new(path.as_ref());
    };
    let mut command = Command::new(first);
    command.args(runner).arg(path.as_ref());
    command
}
