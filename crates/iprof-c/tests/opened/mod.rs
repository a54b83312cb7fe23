//! Code of C and C++ in a library without iprof in it, which finds iprof's functions in the test's program.

#![allow(unreachable_pub, reason = "it would be `pub` in a crate of its own")]

use std::ffi::{CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

/// A function of a file of `tests/c`, which is compiled by that compiler and opened; it stays.
pub fn function(compiler: &str, file: &str, name: &str) -> *mut c_void {
    iprof_c::zones::keep_functions();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lib{name}.so"));
    let built = Command::new(compiler)
        .args(["-shared", "-fPIC", "-O1", "-I"])
        .arg(here.join("include"))
        .arg(here.join("tests/c").join(file))
        .arg("-o")
        .arg(&library)
        .status();
    assert!(built.unwrap().success());
    let path = CString::new(library.as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a string; the library has no constructors but those of its compiler, and stays.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    assert!(!library.is_null(), "the library finds iprof's functions");
    let name = CString::new(name).unwrap();
    // SAFETY: the library is open, and the name is a string.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    assert!(!found.is_null());
    found
}
