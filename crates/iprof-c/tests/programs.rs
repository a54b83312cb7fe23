//! Programs of C and C++ that use the headers and the static library: they compile without a warning, their reports are
//! checked to the counts, and bad input has a defined result.

#![cfg(unix)]

use iprof_c::controls::ACTIONS;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The static library that cargo built for this test: beside it, or where programs are.
fn library() -> PathBuf {
    let test = env::current_exe().unwrap();
    let deps = test.parent().unwrap();
    let places = [deps, deps.parent().unwrap()].map(|folder| folder.join("libiprof_c.a"));
    let found = places.iter().find(|place| place.exists());
    found
        .unwrap_or_else(|| panic!("none of {places:?}"))
        .clone()
}

fn exists(compiler: &str) -> bool {
    let asked = Command::new(compiler)
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    asked.is_ok_and(|status| status.success())
}

/// Runs a command that has to succeed; returns what it printed.
fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{said}\n{complained}",
        output.status
    );
    said
}

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

/// The test program's folder.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles the files, each by the compiler of its language, and links them with the static library.
fn build(name: &str, files: &[&str], flags: &[&str]) -> PathBuf {
    let folder = folder();
    let object = |file: &&str| {
        let (compiler, standard) = match file.ends_with(".cpp") {
            true => ("c++", "-std=c++11"),
            false => ("cc", "-std=gnu99"),
        };
        let object = folder.join(format!("{name}-{file}.o"));
        run(Command::new(compiler)
            .args(STRICT)
            .args([standard, "-O1", "-g", "-c", "-I"])
            .arg(source("include"))
            .args(flags)
            .arg(source("tests/c").join(file))
            .arg("-o")
            .arg(&object));
        object
    };
    let objects: Vec<PathBuf> = files.iter().map(object).collect();
    let program = folder.join(name);
    run(Command::new("c++")
        .args(objects)
        .arg(library())
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program));
    program
}

#[test]
fn the_headers_compile_without_a_warning_by_every_standard() {
    let c = ["c99", "c11", "c17", "gnu99", "gnu17"];
    let cpp = ["c++11", "c++14", "c++17", "c++20"];
    let mut compiled = 0;
    for (compiler, language, standards) in [
        ("gcc", "c", &c[..]),
        ("clang", "c", &c[..]),
        ("g++", "c++", &cpp[..]),
        ("clang++", "c++", &cpp[..]),
    ] {
        // `cc` and `c++` are what links; these are there or not.
        if !exists(compiler) {
            continue;
        }
        let compile = |standard: &str, more: &[&str]| {
            let mut command = Command::new(compiler);
            command
                .args(STRICT)
                .args(["-fsyntax-only", "-x", language, "-I"])
                .arg(source("include"))
                .arg(format!("-std={standard}"))
                .args(more)
                .arg(source("tests/c/headers.c"));
            command
        };
        // Headers of the system for 32 bits are a package of their own.
        let has_32_bits = Command::new(compiler)
            .args([
                "-m32",
                "-fsyntax-only",
                "-x",
                language,
                "-include",
                "stdio.h",
                "/dev/null",
            ])
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success();
        for standard in standards {
            run(&mut compile(standard, &[]));
            run(&mut compile(standard, &["-DProf_ENABLED"]));
            run(&mut compile(
                standard,
                &["-DIPROF_DISABLED", "-DProf_ENABLED"],
            ));
            if has_32_bits {
                run(&mut compile(standard, &["-m32", "-DProf_ENABLED"]));
            }
            compiled += 1;
        }
    }
    assert!(compiled > 0);
}

/// The words of a text that begin with a prefix and are followed by a parenthesis, where `is_it` says so of the line.
fn functions(text: &str, is_it: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let lines = text.lines().filter(|line| is_it(line));
    lines
        .filter_map(|line| {
            let before = line.split('(').next()?;
            let name = before.rsplit(|c| !is_word(c)).next()?;
            Some(name.to_owned())
        })
        .collect()
}

#[test]
fn each_function_of_the_library_is_in_a_header_and_the_other_way_round() {
    let mut declared = BTreeSet::new();
    for (header, start) in [("iprof.h", "IPROF_API "), ("prof.h", "Prof_C ")] {
        let text = fs::read_to_string(source("include").join(header)).unwrap();
        declared.extend(functions(&text, |line| line.starts_with(start)));
    }
    let mut defined = BTreeSet::new();
    for entry in fs::read_dir(source("src")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        defined.extend(functions(&text, |line| {
            line.starts_with("pub ") && line.contains("extern \"C\" fn ")
        }));
        let same = |line: &str| line.starts_with("    Prof_") && line.contains(") = iprof_");
        defined.extend(functions(&text, same));
    }
    assert!(declared.len() > 70, "{declared:?}");
    assert_eq!(declared, defined);
}

#[test]
fn the_actions_of_the_header_are_those_of_the_library() {
    let header = fs::read_to_string(source("include/iprof.h")).unwrap();
    let declared: Vec<(i32, String)> = header
        .lines()
        .filter_map(|line| {
            let (name, number) = line
                .trim()
                .strip_prefix("IPROF_ACTION_")?
                .split_once(" = ")?;
            let number = number.split(|c: char| !c.is_ascii_digit()).next()?;
            Some((number.parse().ok()?, name.to_lowercase()))
        })
        .collect();
    let known: Vec<(i32, String)> = ACTIONS
        .iter()
        .map(|(number, name, _)| (*number, (*name).to_owned()))
        .collect();
    assert_eq!(declared, known);
}

#[test]
fn a_program_of_c_has_exact_counts_and_writes_files() {
    let program = build("counts", &["counts.c"], &[]);
    let file = folder().join("counts.folded");
    let said = run(Command::new(program).arg(&file));
    assert!(said.contains("physics"), "{said}");
    let stacks = fs::read_to_string(file).unwrap();
    assert!(stacks.contains("worker;frame;physics;body"), "{stacks}");
}

#[test]
fn bad_input_has_a_defined_result() {
    let said = run(&mut Command::new(build("bad_input", &["bad_input.c"], &[])));
    for wanted in [
        "(unnamed)",
        "caf\u{FFFD}",
        "zone still open when its parent ended",
    ] {
        assert!(said.contains(wanted), "no {wanted:?} in {said}");
    }
}

#[test]
fn a_program_that_was_written_for_the_original_runs_as_it_stands() {
    let files = ["original.c", "original.cpp"];
    let said = run(&mut Command::new(build(
        "original",
        &files,
        &["-DProf_ENABLED"],
    )));
    // Those of the last frame: its name, and its count at the end of the same line of the report.
    for (zone, count) in [
        ("early", 3),
        ("late", 2),
        ("cpp", 2),
        ("loop", 6),
        ("thrown", 2),
        ("shared", 5),
    ] {
        // Behind the sign that it can be opened, and before its depth.
        let named = |line: &&str| {
            let name = line.splitn(3, ' ').nth(2).unwrap_or_default();
            let name = name.trim_start_matches(['+', '-']);
            name.split(' ').next() == Some(zone)
        };
        let at = said.lines().find(named);
        let y = at
            .unwrap_or_else(|| panic!("no {zone} in {said}"))
            .split(' ')
            .nth(1)
            .unwrap();
        let of_row = said
            .lines()
            .filter(|line| line.split(' ').nth(1) == Some(y));
        let has_count = of_row.clone().any(|line| {
            let last = line.rsplit(' ').next().unwrap();
            last.parse::<f64>() == Ok(f64::from(count))
        });
        assert!(has_count, "{zone}: {:?}", of_row.collect::<Vec<_>>());
    }
}

#[test]
fn without_its_switch_such_a_program_needs_no_library() {
    let object = folder().join("disabled.o");
    run(Command::new("cc")
        .args(["-O1", "-c", "-I"])
        .arg(source("include"))
        .arg(source("tests/c/original.c"))
        .arg("-o")
        .arg(&object));
    let symbols = fs::read(&object).unwrap();
    let has = |name: &[u8]| symbols.windows(name.len()).any(|bytes| bytes == name);
    assert!(has(b"in_cpp"));
    assert!(!has(b"Prof_leave") && !has(b"iprof_enter") && !has(b"Prof_update"));
}
