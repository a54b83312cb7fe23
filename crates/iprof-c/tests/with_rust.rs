//! Rust and C++ call each other: one tree, exact counts. The C++ part is a library without iprof in it, which finds
//! iprof's functions in this program. And a package of Rust with C in it is built by the lines of the guide.

#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

mod opened;
#[path = "../../../tests/support/stacks.rs"]
mod stacks;

use stacks::{entries, wanted};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

type Called = unsafe extern "C" fn(extern "C" fn());

/// What C++ calls.
extern "C" fn rust() {
    iprof::zone!(rust);
    iprof::zone!(inner);
}

/// The C++ function.
fn called() -> Called {
    let found = opened::function("c++", "called.cpp", "called");
    // SAFETY: it is a function of that type.
    unsafe { std::mem::transmute::<*mut libc::c_void, Called>(found) }
}

#[test]
fn zones_of_rust_and_cpp_call_each_other_in_one_tree() {
    let called = called();
    let found = entries("both", move || {
        iprof::zone!(outer);
        // SAFETY: it takes such a function.
        unsafe { called(rust) };
        rust();
    });
    let wanted = wanted([
        ("outer", 1),
        ("outer/cpp", 1),
        ("outer/cpp/loop", 3),
        ("outer/cpp/loop/rust", 3),
        ("outer/cpp/loop/rust/inner", 3),
        ("outer/cpp/begun", 1),
        ("outer/cpp/begun/counted", 1),
        ("outer/cpp/begun/rust", 1),
        ("outer/cpp/begun/rust/inner", 1),
        ("outer/rust", 1),
        ("outer/rust/inner", 1),
    ]);
    assert_eq!(found, wanted);
}

/// The text of a code block of the guide, which begins after its file's name.
fn block<'a>(guide: &'a str, file: &str) -> &'a str {
    let after = guide.split_once(&format!("`{file}`")).expect(file).1;
    let code = after.split_once("\n```").expect(file).1;
    let (_, code) = code.split_once('\n').expect(file);
    code.split_once("```").expect(file).0
}

/// As a new user does, from an empty folder.
#[test]
fn a_program_in_rust_with_c_in_it_is_built_as_the_guide_says_and_has_one_tree() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(package.join("README.md")).unwrap();
    let guide = guide.split_once("## With Rust").unwrap().1;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c in rust");
    fs::create_dir_all(folder.join("src")).unwrap();
    for file in ["build.rs", "physics.c", "src/main.rs"] {
        fs::write(folder.join(file), block(guide, file)).unwrap();
    }
    let root = package.parent().unwrap().parent().unwrap();
    let dependencies = block(guide, "Cargo.toml");
    assert!(dependencies.contains("\"../iprof\"") && dependencies.contains("\"../iprof/"));
    let dependencies = dependencies.replace("../iprof", root.to_str().unwrap());
    let manifest = format!(
        "[package]\nname = \"c-in-rust\"\nedition = \"2024\"\n\n[workspace]\n\n{dependencies}"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    // The versions that are known to be there.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--quiet"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        // It is built sooner.
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("CARGO_INCREMENTAL", "0")
        .output()
        .unwrap();
    let [said, complained] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{said}{complained}");
    let stacks: Vec<&str> = said
        .lines()
        .filter_map(|line| Some(line.rsplit_once(' ')?.0))
        .collect();
    for stack in [
        "main;simulate",
        "main;simulate;physics",
        "main;simulate;physics;step",
    ] {
        assert!(stacks.contains(&stack), "{said}");
    }
    assert!(guide.contains("`main;simulate;physics;step`"));
}
