//! Installs the library with `./dev c` and follows its guides: compiles C and C++ programs in an empty folder, with
//! pkg-config and CMake, with the static and the shared library, and with automatic zones for all functions.

#![cfg(target_os = "linux")]

mod guides;

use guides::{block, empty_folder, part, root, text};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{fs, str};

const README: &str = "crates/iprof-c/README.md";
const PAGE: &str = "docs/c.md";

/// Runs a guide's lines in a folder, with a shell that stops at the first failure. Returns their output.
fn shell(folder: &Path, lines: &str) -> String {
    let output = Command::new("sh")
        .args(["-e", "-c", lines])
        .current_dir(folder)
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{lines}\n{stdout}\n{stderr}");
    assert!(!stderr.contains("warning"), "{lines}\n{stderr}");
    stdout
}

/// Installs the library once and returns its folder.
fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let prefix = empty_folder("prefix");
        let output = Command::new(root().join("dev"))
            .arg("c")
            .arg(&prefix)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        prefix
    })
}

/// Replaces PREFIX in a guide's lines with the installation folder.
fn with_prefix(lines: &str) -> String {
    let prefix = prefix().to_str().unwrap();
    let lines = lines.replace("PREFIX/", &format!("{prefix}/"));
    lines.replace("=PREFIX", &format!("={prefix}"))
}

fn packages() -> &'static str {
    "export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig\n"
}

fn run(name: &str, file: &str, program: &str, lines: &str) -> (PathBuf, String) {
    let folder = empty_folder(name);
    fs::write(folder.join(file), program).unwrap();
    let stdout = shell(&folder, &with_prefix(lines));
    (folder, stdout)
}

#[test]
#[ignore = "it builds the library for release: ./dev test --all"]
fn c_program_in_the_zones_guide_runs() {
    let guide = text(PAGE);
    let lines = block(&guide, "program.c", "sh");
    assert!(lines.starts_with(packages()), "{lines}");
    let (_, stdout) = run("page", "program.c", block(&guide, "", "c"), lines);
    assert!(stdout.contains("\n> physics "), "{stdout}");
}

#[test]
#[ignore = "it builds the library for release: ./dev test --all"]
fn value_example_in_the_guide_runs() {
    let guide = text(PAGE);
    let code = block(&guide, "A named value", "c");
    let program = format!(
        "#include <iprof.h>\nint main(void) {{ int count = 3;\n{code}\n\
         return (int)iprof_write_profile(\"json\", iprof_to_file, stdout); }}\n"
    );
    let lines = block(&guide, "program.c", "sh");
    let (_, stdout) = run("values", "program.c", &program, lines);
    for value in ["bodies", "energy", "triangles"] {
        assert!(
            stdout.contains(&format!("\"{value}\"")),
            "{value}: {stdout}"
        );
    }
}

#[test]
#[ignore = "it builds the library for release: ./dev test --all"]
fn first_program_runs_with_either_library() {
    let guide = part(README, "## The first program");
    let program = block(&guide, "", "c");
    let lines = block(&guide, "With the static library", "sh");
    let rpath = "-Wl,-rpath,PREFIX/lib";
    assert!(guide.contains(&format!(
        "the package is `iprof`; if PREFIX/lib is not a system folder, add `{rpath}`"
    )));
    let shared = lines.replace(" iprof-static)", &format!(" iprof) {rpath}"));
    assert_ne!(shared, lines);
    for (name, lines) in [("static", lines), ("shared", &shared)] {
        let lines = format!("{lines}./a.out\nldd ./a.out\n");
        let (folder, stdout) = run(name, "program.c", program, &lines);
        assert!(stdout.contains("\n> physics "), "{stdout}");
        assert_eq!(
            stdout.contains("libiprof.so.0 =>"),
            name == "shared",
            "{stdout}"
        );
        let page = fs::read_to_string(folder.join("profile.html")).unwrap();
        assert!(page.contains("physics"));
    }
}

#[test]
#[ignore = "it builds the library for release: ./dev test --all"]
fn cmake_finds_either_library() {
    let guide = part(README, "## The first program");
    let (program, lists) = (block(&guide, "", "c"), block(&guide, "In CMake", "cmake"));
    assert!(guide.contains("with `-DCMAKE_PREFIX_PATH=PREFIX`"));
    let shared = lists.replace(
        "iprof::static) # or iprof::iprof, the shared library",
        "iprof::iprof)",
    );
    assert_ne!(shared, lists);
    for (name, lists) in [("cmake-static", lists), ("cmake-shared", &shared)] {
        let lines = format!(
            "cat >CMakeLists.txt <<'TEXT'\n{lists}TEXT\n\
             cmake -S . -B build -DCMAKE_PREFIX_PATH=PREFIX >&2\ncmake --build build >&2\n\
             build/program\nldd build/program\n"
        );
        let (_, stdout) = run(name, "program.c", program, &lines);
        assert!(stdout.contains("\n> physics "), "{stdout}");
        let is_shared = stdout.contains("libiprof.so.0 =>");
        assert_eq!(is_shared, name == "cmake-shared", "{stdout}");
    }
}

#[test]
fn packages_have_the_library_version() {
    let version = env!("CARGO_PKG_VERSION");
    for file in [
        "pkgconfig/iprof.pc",
        "pkgconfig/iprof-static.pc",
        "cmake/iprof/iprof-config-version.cmake",
    ] {
        let text = fs::read_to_string(root().join("crates/iprof-c/lib").join(file)).unwrap();
        assert!(text.contains(version), "{file}");
    }
}

#[test]
#[ignore = "it builds the library for release: ./dev test --all"]
fn cpp_program_runs() {
    let lines = block(
        &part(README, "## The first program"),
        "static library",
        "sh",
    )
    .to_owned();
    let lines = lines.replace("cc program.c ", "c++ -std=c++11 program.cpp ") + "./a.out\n";
    let guide = part(README, "## C++");
    let (_, stdout) = run("cpp", "program.cpp", block(&guide, "", "cpp"), &lines);
    assert!(stdout.contains("\n> World::step "), "{stdout}");
}

#[test]
#[ignore = "it builds the library for release: ./dev test --all"]
fn original_iprof_code_runs() {
    let guide = part(README, "## Code for the original");
    let line = guide.split_once("as in `").unwrap().1;
    let line = line.split_once('`').unwrap().0;
    let lines = format!("{}{line}\n./a.out\n", packages());
    let (_, stdout) = run("original", "program.c", block(&guide, "", "c"), &lines);
    assert!(stdout.contains(": physics\n"), "{stdout}");
    // Without Prof_ENABLED, the program needs no library and prints nothing.
    let lines = "cc -I PREFIX/include program.c\n./a.out\n";
    let (_, stdout) = run("disabled", "program.c", block(&guide, "", "c"), lines);
    assert_eq!(stdout, "");
}

#[test]
#[ignore = "it builds the library for release: ./dev test --all"]
fn unmodified_program_gets_a_function_profile() {
    // This program is valid in both C and C++.
    let program = "static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n\
                   int main(void) { return fib(20) == 6765 ? 0 : 1; }\n";
    for (guide, heading, file) in [
        (README, "## Every function", "program.c"),
        (
            PAGE,
            "## Every function, without changing the source",
            "program.cpp",
        ),
    ] {
        let guide = part(guide, heading);
        let lines = format!("{}{}", packages(), block(&guide, "", "sh"));
        assert!(lines.contains(&format!(" -c {file} ")), "{lines}");
        let (folder, _) = run(&format!("functions-{file}"), file, program, &lines);
        let profile = fs::read_to_string(folder.join("profile.txt")).unwrap();
        let has = |calls: &str, zone: &str| {
            let mut lines = profile.lines().map(str::split_whitespace);
            lines.any(|mut line| {
                line.next() == Some(calls) && line.any(|word| word.split('(').next() == Some(zone))
            })
        };
        assert!(has("21891", "fib") && has("1", "main"), "{profile}");
        // The symbol table contains the file but no line numbers.
        assert!(profile.contains(&format!("  {file}\n")), "{profile}");
    }
}
