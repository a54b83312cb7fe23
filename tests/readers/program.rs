//! Runs programs that read iprof's files, and creates temporary folders for those files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Returns the folder for readers that are not installed as system packages.
pub(crate) fn readers() -> PathBuf {
    let folder = std::env::var_os("IPROF_READERS").map(PathBuf::from);
    folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/readers"))
}

/// Returns a program's output, or `None` if the program is missing.
///
/// # Panics
///
/// Panics if the program fails or prints a warning, or if it is missing but required.
pub(crate) fn output_of(command: &mut Command) -> Option<String> {
    let output = run(command)?;
    // Readers warn about parts of a file that they don't understand.
    let errors = String::from_utf8_lossy(&output.stderr).to_lowercase();
    let complaint = errors.lines().find(|line| line.contains("warning"));
    assert_eq!(complaint, None, "{command:?} printed a warning");
    Some(String::from_utf8(output.stdout).expect("the reader's output is not UTF-8"))
}

/// Runs a program. Returns `None` if it is missing.
///
/// # Panics
///
/// Panics if the program fails, or if it is missing but required.
pub(crate) fn run(command: &mut Command) -> Option<Output> {
    match command.output() {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{command:?}: {errors}");
            Some(output)
        }
        Err(error) => {
            missing(&format!("{}: {error}", command.get_program().display()));
            None
        }
    }
}

/// Prints that a reader is missing.
///
/// # Panics
///
/// Panics if the reader is required.
pub(crate) fn missing(what: &str) {
    let required = std::env::var_os("IPROF_REQUIRE_READERS").is_some_and(|v| v == "1");
    assert!(!required, "IPROF_REQUIRE_READERS=1, and {what}");
    println!("skipped: {what}");
}

/// A temporary folder, deleted when dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let folder = format!("iprof-readers-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder).expect("failed to create a temporary folder");
        Folder(folder)
    }

    pub(crate) fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("failed to write a temporary file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // If the folder cannot be removed, it remains in the system's temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
