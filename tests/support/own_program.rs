//! Starts programs from this build: this test program itself, or one that was built together with it.

#![allow(dead_code, reason = "each test program uses only part of this module")]
#![allow(
    unreachable_pub,
    reason = "these items would be public in a separate crate"
)]

use std::env;
use std::path::Path;
use std::process::Command;

pub fn own_program() -> Command {
    program_at(&env::current_exe().expect("the running test should have a path"))
}

/// Returns a command for a program built for this target. If cargo uses a runner for the target, such as an emulator,
/// the command uses the runner as well.
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

/// Returns whether an emulator runs the tests. In that case, the emulator's threads, memory and descriptors are
/// included in the program's.
pub fn is_emulated() -> bool {
    runner().is_some()
}

/// Returns cargo's runner for this target. Windows needs no runner, because programs in Wine can start other programs.
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
