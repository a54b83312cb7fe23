//! This very test program, to be started anew.

#![allow(unreachable_pub, reason = "it would be `pub` in a crate of its own")]

use std::env;
use std::process::Command;

/// By what cargo started it with: where it was made for another machine than this one, its runner
/// stands for that machine, and has to be started with the program to run.
pub fn own_program() -> Command {
    let program = env::current_exe().expect("the running test has a path");
    let runner = runner().unwrap_or_default();
    let mut words = runner.split_whitespace();
    match words.next() {
        Some(first) => {
            let mut command = Command::new(first);
            command.args(words).arg(program);
            command
        }
        None => Command::new(program),
    }
}

/// Cargo's variable for that. On Windows none is needed: what runs its programs elsewhere, Wine, lets
/// them start others.
fn runner() -> Option<String> {
    let libc = match () {
        () if !cfg!(target_os = "linux") => return None,
        () if cfg!(target_env = "musl") => "MUSL",
        () => "GNU",
    };
    let machine = env::consts::ARCH.to_uppercase();
    env::var(format!(
        "CARGO_TARGET_{machine}_UNKNOWN_LINUX_{libc}_RUNNER"
    ))
    .ok()
}
