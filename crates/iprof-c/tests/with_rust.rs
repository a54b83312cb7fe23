//! Rust and C++ call each other: one tree, exact counts. The C++ part is a library without iprof in it, which finds
//! iprof's functions in this program.

#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

#[path = "../../../tests/support/stacks.rs"]
mod stacks;

use stacks::{entries, wanted};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

type Called = unsafe extern "C" fn(extern "C" fn());

/// What C++ calls.
extern "C" fn rust() {
    iprof::zone!(rust);
    iprof::zone!(inner);
}

/// The C++ function.
fn called() -> Called {
    iprof_c::zones::keep_functions();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libcalled.so");
    let built = Command::new("c++")
        .args(["-shared", "-fPIC", "-O1", "-std=c++11", "-I"])
        .arg(here.join("include"))
        .arg(here.join("tests/c/called.cpp"))
        .arg("-o")
        .arg(&library)
        .status();
    assert!(built.unwrap().success());
    let path = CString::new(library.as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a string; the library has no constructors but those of its compiler, and stays.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    assert!(!library.is_null(), "the library finds iprof's functions");
    // SAFETY: the library is open, and the name is a string.
    let found = unsafe { libc::dlsym(library, c"called".as_ptr()) };
    assert!(!found.is_null());
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
