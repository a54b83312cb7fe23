//! Tests that recorded data keeps its names after a library with zones has been unloaded.

#![cfg(all(feature = "enable", target_os = "linux", target_env = "gnu"))]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILES: [&str; 7] = [
    "Cargo.toml",
    "profiler/Cargo.toml",
    "profiler/src/lib.rs",
    "plugin/Cargo.toml",
    "plugin/src/lib.rs",
    "host/Cargo.toml",
    "host/src/main.rs",
];

/// Builds the program and its library in `folder`. Returns the folder that contains both.
fn build(folder: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = |from: &Path, to: PathBuf| {
        let text = fs::read_to_string(from).unwrap();
        let text = text.replace("\"../../..\"", &format!("{root:?}"));
        // Unchanged files keep their modification times, so cargo does not rebuild them.
        if fs::read_to_string(&to).ok().as_ref() != Some(&text) {
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(to, text).unwrap();
        }
    };
    for file in FILES {
        copy(&root.join("tests/unloading").join(file), folder.join(file));
    }
    // The copied lock file pins the same dependency versions. Cargo removes unused dependencies from it.
    if !folder.join("Cargo.lock").exists() {
        copy(&root.join("Cargo.lock"), folder.join("Cargo.lock"));
    }
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline"])
        .current_dir(folder)
        .args(["--target-dir", "target"])
        // Make all crates share one standard library, and override flags that are set for this test.
        .env("RUSTFLAGS", "-C prefer-dynamic")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status();
    assert!(built.expect("failed to run cargo").success());
    folder.join("target/debug")
}

#[test]
fn data_of_unloaded_library_keeps_its_names() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unloading");
    let debug = build(&folder);
    let one = fs::read(debug.join("libplugin.so")).unwrap();
    // The second library differs only in one zone's name, so all zones have the same addresses in both libraries.
    let (name, renamed) = (b"plugin one", b"plugin two");
    let mut two = one.clone();
    let at: Vec<usize> = (0..one.len())
        .filter(|at| one[*at..].starts_with(name))
        .collect();
    assert!(!at.is_empty());
    for at in at {
        two[at..at + name.len()].copy_from_slice(renamed);
    }
    let libraries = [("one", one), ("two", two)].map(|(name, bytes)| {
        let library = folder.join(format!("libplugin_{name}.so"));
        fs::write(&library, bytes).unwrap();
        library
    });
    let rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
        .args(["--print", "target-libdir"])
        .output();
    let std_library = String::from_utf8(rustc.expect("failed to run rustc").stdout).unwrap();
    let found_in = format!("{}:{}", std_library.trim(), debug.display());
    let host = Command::new(debug.join("host"))
        .args(libraries)
        .env("LD_LIBRARY_PATH", found_in)
        .output()
        .unwrap();
    let (stdout, stderr) = (&host.stdout, String::from_utf8_lossy(&host.stderr));
    assert!(host.status.success(), "{}: {stderr}", host.status);
    assert!(!stdout.is_empty());
}
