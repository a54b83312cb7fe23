//! Sets the shared library's soname and the tests' linker flags, and passes the header folder to dependent packages.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let package = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    println!("cargo:include={package}/include");
    let system = std::env::var("CARGO_CFG_TARGET_OS");
    if matches!(
        system.as_deref(),
        Ok("linux" | "android" | "freebsd" | "netbsd" | "openbsd")
    ) {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libiprof.so.0");
        // This lets a library that a test opens find iprof's functions in the test program.
        println!("cargo:rustc-link-arg-tests=-rdynamic");
    }
}
