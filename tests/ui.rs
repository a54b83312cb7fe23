//! Tests that compile errors in macros and attributes point to the user's code. Each program in `ui` marks its error
//! lines with `//~` and part of the message, and causes no other errors.

// An emulated program cannot start cargo.
#![cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn errors_point_to_the_users_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    let programs = folder.join("src/bin");
    fs::create_dir_all(&programs).unwrap();
    let manifest = format!(
        "[package]\nname = \"ui\"\nedition = \"2024\"\n\
         [dependencies.iprof]\npath = {root:?}\ndefault-features = false\nfeatures = [\"enable\", \"gl\", \"macros\"]\n\
         [workspace]\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    // The copied lock file pins the same dependency versions. Cargo removes unused dependencies from it.
    if !folder.join("Cargo.lock").exists() {
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    }
    let mut wanted = BTreeSet::new();
    for entry in fs::read_dir(root.join("tests/ui")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        for (at, line) in text.lines().enumerate() {
            if let Some((_, message)) = line.split_once("//~ ") {
                wanted.insert((name.to_owned(), at + 1, message.to_owned()));
            }
        }
        fs::write(programs.join(name), text).unwrap();
    }
    assert!(wanted.len() > 15, "{wanted:?}");
    let output = Command::new(env!("CARGO"))
        .args(["check", "--quiet", "--offline", "--bins", "--keep-going"])
        .args(["--message-format", "short", "--target-dir", "target"])
        .current_dir(&folder)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let output = String::from_utf8(output.stderr).unwrap();
    let errors = output.lines().filter(|line| line.contains(": error"));
    let mut others = Vec::new();
    for error in errors {
        let is_it = |(file, line, message): &&(String, usize, String)| {
            error.starts_with(&format!("src/bin/{file}:{line}:")) && error.contains(&**message)
        };
        match wanted.iter().find(is_it).cloned() {
            Some(known) => drop(wanted.remove(&known)),
            None => others.push(error),
        }
    }
    assert!(
        others.is_empty() && wanted.is_empty(),
        "unexpected errors: {others:#?}, missing errors: {wanted:#?}"
    );
}
