//! Starts programs of this build: this test program again, or one that cargo built beside it.

#![allow(dead_code, reason = "each test program uses a part of it")]
#![allow(unreachable_pub, reason = "it would be `pub` in a crate of its own")]

use std::env;
use std::path::Path;
use std::process::Command;

/// This very test program, to be started again.
pub fn own_program() -> Command {
    program_at(&env::current_exe().expect("the running test has a path"))
}

/// A program that was built for this target. Where cargo starts the programs of this target with a
/// runner, an emulator for example, the runner starts it too.
pub fn program_at(program: &Path) -> Command {
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

/// Whether an emulator runs the tests. It has threads, memory and descriptors of its own, which the
/// system counts as the program's.
pub fn is_emulated() -> bool {
    runner().is_some()
}

/// Cargo's variable that names the runner of this target. None is needed on Windows: under Wine a program
/// can start others.
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
