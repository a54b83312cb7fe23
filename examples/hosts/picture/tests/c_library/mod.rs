//! Installs the C library, and compiles programs with it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Installs the C library into a folder on the first call. Returns the folder.
fn installed() -> &'static Path {
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prefix");
        let dev = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../dev");
        let mut command = Command::new(dev);
        // This command uses the repository's target folder, even if this workspace's is elsewhere.
        let status = command
            .arg("c")
            .arg(&prefix)
            .env_remove("CARGO_TARGET_DIR")
            .status();
        assert!(
            status.expect("failed to run ./dev").success(),
            "failed to install the library"
        );
        prefix
    })
}

/// Compiles a program in `examples/hosts` with the installed library and with pkg-config packages.
pub(crate) fn build(compiler: &str, file: &str, packages: &[&str]) -> PathBuf {
    let prefix = installed();
    let flags = Command::new("pkg-config")
        .args(["--cflags", "--libs"])
        .args(packages)
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
        .output()
        .expect("failed to run pkg-config");
    assert!(flags.status.success(), "{flags:?}");
    let flags = String::from_utf8(flags.stdout).expect("the flags are not UTF-8");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let name = source.file_stem().expect("the source has no file name");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let status = Command::new(compiler)
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-DProf_ENABLED"])
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .args(flags.split_whitespace())
        .arg(format!("-Wl,-rpath,{}", prefix.join("lib").display()))
        .status();
    assert!(
        status.expect(compiler).success(),
        "failed to compile {file}"
    );
    program
}
