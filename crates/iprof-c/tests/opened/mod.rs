//! Opens C and C++ libraries that do not contain iprof. The libraries use iprof's functions from the test program.

#![allow(unreachable_pub, reason = "these would be `pub` in a separate crate")]

#[path = "../watched/mod.rs"]
mod watched;

use std::ffi::{CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Compiles files in `tests/c`, all in the same language, with these flags, opens the resulting library and returns one
/// of its functions. The library stays open.
pub fn function(files: &[&str], flags: &[&str], name: &str) -> *mut c_void {
    iprof_c::keep_functions();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lib{name}.so"));
    let built = watched::compiler(files.iter().any(|file| file.ends_with(".cpp")))
        .args(["-shared", "-fPIC", "-O1", "-I"])
        .arg(here.join("include"))
        .args(flags)
        .args(files.iter().map(|file| here.join("tests/c").join(file)))
        .arg("-o")
        .arg(&library)
        .status();
    assert!(built.unwrap().success());
    let path = CString::new(library.as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a string. The library has only compiler-generated constructors, and it stays open.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    assert!(!library.is_null(), "failed to open the library");
    let name = CString::new(name).unwrap();
    // SAFETY: the library is open, and the name is a string.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    assert!(!found.is_null());
    found
}
