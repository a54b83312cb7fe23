//! Tests iprof on other platforms. Where an emulator is available, the crate's tests run in it. On other platforms, the
//! tests only check that the crate compiles, or that it fails to compile with one clear error. Also tests the minimum
//! versions and the package.
//!
//! `./dev platforms` installs the programs that these tests need. Without them, the tests are skipped, unless
//! `IPROF_REQUIRE_SYSTEMS=1`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{env, fs};

/// All features that a system with threads, sockets and windows supports.
const NATIVE: &str = "winit-0-30,export,http,macros,futures-core-0-3";

/// Target systems, with the features to enable on each.
const SYSTEMS: [(&str, &str); 15] = [
    ("aarch64-apple-darwin", NATIVE),
    ("aarch64-apple-ios", NATIVE),
    ("x86_64-unknown-freebsd", NATIVE),
    ("x86_64-unknown-netbsd", NATIVE),
    ("x86_64-pc-windows-msvc", NATIVE),
    ("i686-pc-windows-gnu", NATIVE),
    ("i686-unknown-linux-gnu", NATIVE),
    ("armv7-unknown-linux-gnueabihf", NATIVE),
    ("riscv64gc-unknown-linux-gnu", NATIVE),
    ("aarch64-linux-android", ANDROID),
    ("armv7-linux-androideabi", ANDROID),
    ("x86_64-unknown-illumos", "gl,export,http,macros"),
    (
        "wasm32-unknown-unknown",
        "web-sys-0-3,winit-0-30,gl,export,macros",
    ),
    ("wasm32-unknown-emscripten", "gl,export"),
    ("wasm32-wasip1", "export"),
];

const ANDROID: &str =
    "winit-0-30,winit/android-native-activity,export,http,macros,futures-core-0-3";

const WITHOUT_64_BIT_ATOMICS: [&str; 3] = [
    "powerpc-unknown-linux-gnu",
    "armv5te-unknown-linux-gnueabi",
    "mips-unknown-linux-gnu",
];

/// A toolchain whose Cargo supports `-Z direct-minimal-versions`.
const NIGHTLY: &str = "nightly-2026-05-20";

/// Runs one test at a time, because the tests share a target folder and use all CPU cores.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns a command that runs in the repository's root. Its arguments are the words of `words`.
fn command(program: &str, words: &str) -> Command {
    let mut command = Command::new(program);
    command.args(words.split_whitespace()).current_dir(root());
    command
}

fn cargo(words: &str) -> Command {
    command(env!("CARGO"), words)
}

fn succeeds(mut command: Command) {
    let status = command.status();
    assert!(status.is_ok_and(|it| it.success()), "{command:?}");
}

/// Prints that a test is skipped.
///
/// # Panics
///
/// Panics if the missing program is required.
fn missing(what: &str) {
    let required = env::var_os("IPROF_REQUIRE_SYSTEMS").is_some_and(|it| it == "1");
    assert!(!required, "IPROF_REQUIRE_SYSTEMS=1, and {what}");
    println!("skipped: {what}");
}

fn runs(program: &str, words: &str) -> bool {
    let output = command(program, words).output();
    output.is_ok_and(|it| it.status.success())
}

/// Whether the target's standard library is installed. If it isn't, tries to install it with rustup.
fn has_target(target: &str) -> bool {
    let found = command("rustc", &format!("--target {target} --print target-libdir"))
        .output()
        .is_ok_and(|it| Path::new(String::from_utf8_lossy(&it.stdout).trim()).is_dir());
    let has = found || runs("rustup", &format!("target add {target}"));
    if !has {
        missing(&format!("there is no standard library for {target}"));
    }
    has
}

/// Whether a toolchain is installed. If it isn't, tries to install it with rustup.
fn has_toolchain(name: &str) -> bool {
    let has = runs("rustup", &format!("run {name} rustc --version"))
        || runs(
            "rustup",
            &format!("toolchain install {name} --profile minimal"),
        );
    if !has {
        missing(&format!("there is no Rust {name}"));
    }
    has
}

/// Checks that `cargo check` reports exactly one error, and that the error contains `reason`.
fn is_refused(arguments: &str, reason: &str) {
    let output = cargo(&format!(
        "check --locked --message-format short {arguments}"
    ))
    .output();
    let stderr = String::from_utf8_lossy(&output.expect("failed to run cargo").stderr).into_owned();
    let errors: Vec<&str> = stderr
        .lines()
        // Cargo adds one line itself.
        .filter(|line| line.contains("error") && !line.contains("could not compile"))
        .collect();
    assert!(
        matches!(*errors, [error] if error.contains(reason)),
        "{arguments}: {stderr}"
    );
}

#[test]
fn each_feature_compiles_by_itself() {
    let _alone = alone();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, features) = manifest.split_once("\n[features]\n").unwrap();
    let (features, _) = features.split_once("\n[").unwrap();
    let names: Vec<&str> = features
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_alphabetic()))
        .filter_map(|line| Some(line.split_once(" = ")?.0))
        .collect();
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        succeeds(cargo(&format!(
            "check --locked --lib --no-default-features --features {name}"
        )));
    }
    succeeds(cargo(
        "check --locked --package iprof-tracing --no-default-features",
    ));
}

#[test]
fn other_systems_compile() {
    let _alone = alone();
    for (target, features) in SYSTEMS {
        if has_target(target) {
            let check = format!("check --locked --lib --no-default-features --target {target}");
            succeeds(cargo(&check));
            succeeds(cargo(&format!("{check} --features enable,{features}")));
        }
    }
}

#[test]
fn targets_without_64_bit_atomics_compile() {
    let _alone = alone();
    for target in WITHOUT_64_BIT_ATOMICS {
        if has_target(target) {
            let check = format!("--lib --no-default-features --target {target}");
            succeeds(cargo(&format!("check --locked {check}")));
            is_refused(&format!("{check} --features enable"), "no 64-bit atomics");
        }
    }
}

#[test]
fn webassembly_rejects_unsupported_features() {
    let _alone = alone();
    for (target, _) in SYSTEMS {
        if target.starts_with("wasm32") && has_target(target) {
            let check =
                format!("--lib --no-default-features --features enable,http --target {target}");
            is_refused(&check, "needs sockets and threads");
        }
    }
    is_refused(
        "--manifest-path tests/web/Cargo.toml --package no-files --target wasm32-unknown-unknown",
        "cannot write files in a browser",
    );
}

/// Returns a cargo command that uses a different toolchain and a separate target folder.
fn cargo_of(toolchain: &str, words: &str) -> Command {
    let mut cargo = command("rustup", &format!("run {toolchain} cargo {words}"));
    cargo.env("CARGO_TARGET_DIR", root().join("target/lowest"));
    cargo
}

fn lowest_rust() -> String {
    let version = env!("CARGO_PKG_RUST_VERSION");
    format!("{version}.0")
}

#[test]
fn minimum_rust_version_compiles_all_packages() {
    let _alone = alone();
    let rust = lowest_rust();
    if has_toolchain(&rust) {
        succeeds(cargo_of(
            &rust,
            "check --locked --lib --no-default-features",
        ));
        let all = format!("check --locked --lib --workspace --features {NATIVE}");
        succeeds(cargo_of(&rust, &all));
    }
}

/// Uses a copy of the repository, because the test changes the lock file. The copy has no dependencies that are only
/// for tests, because users don't get those.
#[test]
fn minimum_dependency_versions_compile() {
    let _alone = alone();
    let rust = lowest_rust();
    if !has_toolchain(&rust) || !has_toolchain(NIGHTLY) {
        return;
    }
    let copy = root().join("target/lowest/copy");
    let _ = fs::remove_dir_all(&copy);
    let files = command("git", "ls-files")
        .output()
        .expect("failed to run git")
        .stdout;
    for file in String::from_utf8(files).unwrap().lines() {
        let to = copy.join(file);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        if file == "Cargo.toml" || (file.starts_with("crates/") && file.ends_with("/Cargo.toml")) {
            fs::write(
                to,
                for_users(&fs::read_to_string(root().join(file)).unwrap()),
            )
            .unwrap();
        } else if file != "Cargo.lock" {
            fs::copy(root().join(file), to).unwrap();
        }
    }
    let mut update = cargo_of(NIGHTLY, "update -Z direct-minimal-versions");
    update.current_dir(&copy);
    succeeds(update);
    let all = format!("check --locked --lib --features {NATIVE}");
    let mut check = cargo_of(&rust, &all);
    check.current_dir(&copy);
    succeeds(check);
}

/// Removes the dependencies and targets of tests, examples and benchmarks, and unused workspace members.
fn for_users(manifest: &str) -> String {
    let mut kept = String::new();
    let mut skips = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            skips = line.contains("dev-dependencies") || line.starts_with("[[");
        }
        if !skips && !line.starts_with("members = ") {
            kept += &format!("{line}\n");
        }
    }
    kept
}

/// The workspace's other crates may not have been published yet, so they are packaged as well.
#[test]
fn package_builds() {
    let _alone = alone();
    let package = "package --locked --allow-dirty --package iprof-gather --package iprof-macros --package iprof";
    succeeds(cargo(&format!("{package} --features {NATIVE}")));
}

/// Runs the short tests on a different system, if the emulator for that system is installed. OpenGL isn't available on
/// any of these systems. Emulators take ten times as long, so fewer random programs are tested.
fn tests_pass(target: &str, needed: &str, variables: &[(&str, PathBuf)]) {
    let _alone = alone();
    if !runs(needed, "--version") {
        missing(&format!("there is no {needed}"));
    } else if has_target(target) {
        let build = |command: &str| {
            let mut cargo = cargo(&format!("{command} --locked --target {target}"));
            cargo.args(["--features", NATIVE]);
            cargo.envs(variables.iter().map(|(name, value)| (name, value)));
            cargo
        };
        // Build the examples, because some tests run them.
        succeeds(build("build --examples"));
        let mut test = build("test --no-fail-fast --lib --tests");
        for skipped in ["GL", "WINDOW", "READERS"] {
            test.env(format!("IPROF_REQUIRE_{skipped}"), "0");
        }
        test.env("IPROF_PROGRAMS", "200");
        succeeds(test);
    }
}

#[test]
fn tests_pass_on_linux_with_musl() {
    tests_pass("x86_64-unknown-linux-musl", "musl-gcc", &[]);
}

#[test]
fn tests_pass_on_linux_i686() {
    let linker = "i686-linux-gnu-gcc";
    let variable = "CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_LINKER";
    tests_pass(
        "i686-unknown-linux-gnu",
        linker,
        &[(variable, linker.into())],
    );
}

#[test]
fn tests_pass_on_linux_aarch64() {
    let linker = "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER";
    let runner = "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER";
    let variables = [
        (linker, "aarch64-linux-gnu-gcc".into()),
        (runner, "qemu-aarch64 -L /usr/aarch64-linux-gnu".into()),
    ];
    tests_pass("aarch64-unknown-linux-gnu", "qemu-aarch64", &variables);
}

/// Debian's Wine lacks a library for random numbers, so the test compiles that library itself.
#[test]
fn tests_pass_on_windows_under_wine() {
    let home = root().join("target/wine");
    let variables = [
        ("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine".into()),
        ("WINEDEBUG", "-all".into()),
        ("WINEDLLOVERRIDES", "mscoree,mshtml=".into()),
        ("WINEPREFIX", home.clone()),
    ];
    if runs("wine", "--version") && runs("x86_64-w64-mingw32-gcc", "--version") {
        fs::create_dir_all(&home).unwrap();
        let mut boot = command("wineboot", "--init");
        boot.envs(variables.iter().map(|(name, value)| (name, value)));
        let _ = boot.status();
        let source = home.join("random.c");
        let library = home.join("drive_c/windows/system32/bcryptprimitives.dll");
        fs::write(
            &source,
            "#include <windows.h>\nBOOLEAN NTAPI SystemFunction036(PVOID, ULONG);\n\
             __declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T n) { return SystemFunction036(to, (ULONG)n); }\n",
        )
        .unwrap();
        let mut compiler = command("x86_64-w64-mingw32-gcc", "-shared -o");
        compiler.arg(library).arg(source).arg("-ladvapi32");
        succeeds(compiler);
    }
    tests_pass("x86_64-pc-windows-gnu", "wine", &variables);
}
