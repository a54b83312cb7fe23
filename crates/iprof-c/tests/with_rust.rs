//! Tests Rust and C++ functions that call each other. Their zones must be in one tree, with exact counts. The C++ code
//! is in a library that does not contain iprof. It uses iprof's functions from this program.

#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

mod opened;
#[path = "../../../tests/support/stacks.rs"]
mod stacks;

use stacks::{entries, wanted};

type Called = unsafe extern "C" fn(extern "C" fn());

extern "C" fn rust() {
    iprof::zone!(rust);
    iprof::zone!(inner);
}

fn called() -> Called {
    let found = opened::function(&["called.cpp"], &[], "called");
    // SAFETY: the function has this type.
    unsafe { std::mem::transmute::<*mut libc::c_void, Called>(found) }
}

#[test]
fn rust_and_cpp_zones_share_one_tree() {
    let called = called();
    let found = entries("both", move || {
        iprof::zone!(outer);
        // SAFETY: the function takes a callback of this type.
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
