//! Rust and C++ call each other: one tree, exact counts. The C++ part is a library without iprof in it, which finds
//! iprof's functions in this program.

#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

mod opened;
#[path = "../../../tests/support/stacks.rs"]
mod stacks;

use stacks::{entries, wanted};

type Called = unsafe extern "C" fn(extern "C" fn());

/// What C++ calls.
extern "C" fn rust() {
    iprof::zone!(rust);
    iprof::zone!(inner);
}

/// The C++ function.
fn called() -> Called {
    let found = opened::function(&["called.cpp"], &[], "called");
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
