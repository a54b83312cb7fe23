//! Tests C and C++ programs that use the headers and the static library. The programs must compile without warnings,
//! their reports must have exact counts, and bad input must have a well-defined result.
//!
//! This file is long because the same few functions build and run all of the programs.

#![cfg(unix)]

mod watched;

#[cfg(target_os = "linux")]
use iprof::__private::for_c::LAYOUT;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the static library that cargo built for this test, next to it or one folder up.
fn library() -> PathBuf {
    let test = env::current_exe().unwrap();
    let deps = test.parent().unwrap();
    let places = [deps, deps.parent().unwrap()].map(|folder| folder.join("libiprof_c.a"));
    let found = places.iter().find(|place| place.exists());
    found
        .unwrap_or_else(|| panic!("none of {places:?}"))
        .clone()
}

/// Runs a command, which must succeed, and returns its output.
fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{stdout}\n{stderr}",
        output.status
    );
    stdout
}

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns the flags for linking with Rust's bundled linker, which is much faster, or nothing if it is missing.
fn fast_linker() -> &'static [String] {
    static FLAGS: OnceLock<Vec<String>> = OnceLock::new();
    FLAGS.get_or_init(|| {
        let output = Command::new("rustc")
            .args(["--print", "target-libdir"])
            .output();
        let libraries = output.map_or(String::new(), |output| {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        });
        let folder = Path::new(&libraries).with_file_name("bin").join("gcc-ld");
        match cfg!(target_os = "linux") && folder.join("ld.lld").exists() {
            true => vec![format!("-B{}", folder.display()), "-fuse-ld=lld".into()],
            false => Vec::new(),
        }
    })
}

/// Compiles files, from `tests/c` or elsewhere, with the compiler for each file's language, and links them with the
/// static library. The guides' programs and programs that need a symbol table use the system's linker.
fn build(name: &str, files: &[&str], flags: &[&str], link: &[String]) -> PathBuf {
    let folder = folder();
    let object = |file: &&str| {
        let is_cpp = file.ends_with(".cpp");
        let standard = match is_cpp {
            true => "-std=c++11",
            false => "-std=gnu99",
        };
        let file_name = Path::new(file).file_name().unwrap().to_str().unwrap();
        let object = folder.join(format!("{name}-{file_name}.o"));
        run(watched::compiler(is_cpp)
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
    let is_by_the_systems = name.starts_with("guide") || flags.contains(&"-finstrument-functions");
    let linker = match is_by_the_systems {
        true => &[],
        false => fast_linker(),
    };
    run(watched::compiler(true)
        .args(linker)
        .args(objects)
        .arg(library())
        .args(link)
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program));
    program
}

#[test]
#[cfg(target_os = "linux")]
fn inline_functions_match_the_node_layout() {
    let stdout = run(&mut watched::program(build(
        "layout",
        &["layout.c"],
        &[],
        &[],
    )));
    let layout: Vec<usize> = stdout.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(layout, LAYOUT);
    if cfg!(target_pointer_width = "64") {
        let numbered = [0, 8, 16, 0, 16, 24, 32, 60, 63, 1, 2, 1];
        assert_eq!(
            LAYOUT, numbered,
            "if the layout changes, change the number in the name iprof_this_thread_1"
        );
    }
}

/// Runs random call sequences with timing changes and unbalanced calls.
#[test]
#[cfg(target_os = "linux")]
fn inline_and_library_functions_record_the_same() {
    let program = build("inline", &["inline.c"], &[], &[]);
    let mut kinds = BTreeSet::new();
    for seed in 0..40 {
        let [inlined, called] = ["inline", "called"].map(|form| {
            let stdout = run(watched::program(&program).args([form, &seed.to_string()]));
            let (report, csv) = stdout.split_once("the profile:\n").unwrap();
            let has_fault = |line: &&str| line.starts_with("! ");
            let warnings: Vec<&str> = report.lines().filter(has_fault).collect();
            (warnings.join("\n"), entries(csv), values(csv))
        });
        assert_eq!(inlined, called, "seed {seed}");
        assert!(inlined.1.len() > 5 && inlined.2.len() > 5, "{inlined:?}");
        kinds.insert(inlined.0.is_empty());
    }
    assert!(kinds.contains(&false), "no sequence caused a fault");
}

#[test]
fn c_program_uses_the_whole_api() {
    let program = build("smoke", &["smoke.c"], &[], &[]);
    let file = folder().join("smoke.folded");
    let stdout = run(watched::program(program).arg(&file).current_dir(folder()));
    check_drawn(stdout.lines().next_back().unwrap_or_default());
    assert!(stdout.contains("physics"), "{stdout}");
    let stacks = fs::read_to_string(file).unwrap();
    assert!(stacks.contains("worker;frame;physics;body"), "{stacks}");
}

/// Runs the guides' programs unchanged, like a new user.
#[test]
fn guide_programs_run_without_changes() {
    let mut found = BTreeMap::<String, usize>::new();
    for guide in ["README.md", "../../docs/c.md"] {
        let text = fs::read_to_string(source(guide)).unwrap();
        let blocks = text.split("\n```").filter_map(|block| {
            let (kind, code) = block.split_once('\n')?;
            let is_program = matches!(kind, "c" | "cpp") && code.contains("int main(");
            is_program.then_some((kind, code))
        });
        for (kind, code) in blocks {
            let at = found.values().sum::<usize>();
            let file = folder().join(format!("guide-{at}.{kind}"));
            fs::write(&file, format!("{code}\n")).unwrap();
            // Use only the guides' contents.
            let name = format!("guide-{at}");
            let files = [file.to_str().unwrap()];
            let program = build(&name, &files, &["-DProf_ENABLED"], &[]);
            let stdout = run(watched::program(program).current_dir(folder()));
            let zone = match kind {
                "cpp" => "World::step",
                _ => "physics",
            };
            assert!(stdout.contains(zone), "{guide}: {stdout}");
            *found.entry(kind.to_owned()).or_default() += 1;
        }
    }
    assert_eq!(found.into_values().collect::<Vec<_>>(), [3, 1]);
    let page = fs::read_to_string(folder().join("profile.html")).unwrap();
    assert!(page.contains("physics"));
}

/// Checks the last line of output from a program that draws in a context without a window.
fn check_drawn(stdout: &str) {
    let needs_gl = env::var_os("IPROF_REQUIRE_GL").is_some_and(|value| value != "0");
    let is_done = stdout == "drawn" || stdout == "no context" && !needs_gl;
    assert!(is_done, "{stdout}");
}

#[test]
fn drawing_is_independent_of_y_direction() {
    // Export the program's own OpenGL functions, so that the library finds them.
    let link = ["-rdynamic".to_owned()];
    let program = build("directions", &["directions.c"], &["-DProf_ENABLED"], &link);
    check_drawn(run(&mut watched::program(program)).trim_end());
}

#[test]
fn invalid_input_is_rejected_or_ignored() {
    let stdout = run(&mut watched::program(build(
        "bad_input",
        &["bad_input.c"],
        &[],
        &[],
    )));
    for wanted in [
        "(unnamed)",
        "caf\u{FFFD}",
        "zone still open when its parent ended",
    ] {
        assert!(stdout.contains(wanted), "no {wanted:?} in {stdout}");
    }
    // Calls on an ended thread are not recorded. That includes all calls after `main`.
    let csv = stdout
        .split_once("\nafter main\n")
        .expect("the program should have run to completion")
        .1;
    let entries = |zone: &str| -> u64 {
        let rows = csv.lines().map(|row| row.split(',').collect::<Vec<_>>());
        let of_zone = rows.filter(|row| row.len() > 8 && row[5] == zone);
        of_zone.map(|row| row[8].parse::<u64>().unwrap()).sum()
    };
    assert_eq!([entries("a"), entries("b")], [3 + 1, 3], "{csv}");
}

#[test]
#[cfg(target_os = "linux")]
fn original_functions_handle_invalid_input() {
    let flags = ["-DProf_ENABLED"];
    let program = build("bad_original", &["bad_original.c"], &flags, &[]);
    let stdout = run(&mut watched::program(program));
    let found: BTreeMap<String, u64> = by_zone(&stdout)
        .into_iter()
        .filter(|(zone, _)| !zone.starts_with("iprof_"))
        .collect();
    // Calls in a thread's destructor and after `main` are not recorded.
    let sums = wanted(&[
        ("(unnamed) ", 3),
        ("counted bad_original.c", 1),
        ("left bad_original.c", 1),
        ("pair bad_original.c", 1),
        ("shared bad_original.c", 2),
    ]);
    assert_eq!(found, sums, "{stdout}");
    let at = (";left;shared".to_owned(), "bad_original.c".to_owned());
    assert_eq!(entries(&stdout).get(&at), Some(&1), "{stdout}");
}

#[test]
fn original_iprof_program_runs_without_changes() {
    let files = ["original.c", "original.cpp"];
    let stdout = run(&mut watched::program(build(
        "original",
        &files,
        &["-DProf_ENABLED"],
        &[],
    )));
    // Check the last frame: the zone's name, and its count at the end of the same line.
    for (zone, count) in [
        ("early", 3),
        ("late", 2),
        ("cpp", 2),
        ("loop", 6),
        ("thrown", 2),
        ("shared", 5),
    ] {
        // The zone's name is between the expansion sign and the depth.
        let named = |line: &&str| {
            let name = line.splitn(3, ' ').nth(2).unwrap_or_default();
            let name = name.trim_start_matches(['+', '-']);
            name.split(' ').next() == Some(zone)
        };
        let at = stdout.lines().find(named);
        let y = at
            .unwrap_or_else(|| panic!("no {zone} in {stdout}"))
            .split(' ')
            .nth(1)
            .unwrap();
        let of_row = stdout
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
fn every_original_control_has_an_effect() {
    let files = ["original_controls.c"];
    let flags = ["-DProf_ENABLED"];
    run(&mut watched::program(build(
        "original_controls",
        &files,
        &flags,
        &[],
    )));
}

#[test]
fn disabled_program_links_without_library() {
    let object = folder().join("disabled.o");
    run(watched::compiler(false)
        .args(["-O1", "-c", "-I"])
        .arg(source("include"))
        .arg(source("tests/c/original.c"))
        .arg("-o")
        .arg(&object));
    let symbols = fs::read(&object).unwrap();
    let has = |name: &[u8]| symbols.windows(name.len()).any(|bytes| bytes == name);
    assert!(has(b"in_cpp"));
    assert!(!has(b"Prof_make") && !has(b"iprof_") && !has(b"Prof_update"));
}

/// The source file that turns functions into zones.
#[cfg(target_os = "linux")]
const HOOKS: &str = "../../functions/functions.c";

/// Returns the number of entries on all threads, by call path and file, from a CSV snapshot in the program's output.
#[cfg(target_os = "linux")]
fn entries(csv: &str) -> BTreeMap<(String, String), u64> {
    let mut paths: Vec<String> = Vec::new();
    let mut found = BTreeMap::new();
    for row in csv.lines().skip(1) {
        // No name here contains a comma.
        let fields: Vec<&str> = row.split(',').collect();
        let (node, parent, zone, file) = (fields[2], fields[3], fields[5], fields[6]);
        let path = match parent.parse::<usize>() {
            Err(_) => {
                assert_eq!(node, "0");
                paths = vec![String::new()];
                continue;
            }
            Ok(parent) => format!("{};{zone}", paths[parent]),
        };
        paths.push(path.clone());
        let file_name = file.rsplit('/').next().unwrap().to_owned();
        *found.entry((path, file_name)).or_default() += fields[8].parse::<u64>().unwrap();
    }
    found
}

/// Returns each node's values, by thread and node, from such a snapshot. The values are in the columns after the fixed
/// columns.
#[cfg(target_os = "linux")]
fn values(csv: &str) -> Vec<String> {
    let rows = csv.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let rows = rows.filter(|row| row.len() > 17 && row[17..].iter().any(|sum| *sum != "0"));
    rows.map(|row| format!("{} {}: {:?}", row[0], row[2], &row[17..]))
        .collect()
}

#[cfg(target_os = "linux")]
fn by_zone(csv: &str) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for ((path, file), count) in entries(csv) {
        let zone = path.rsplit(';').next().unwrap();
        *sums.entry(format!("{zone} {file}")).or_default() += count;
    }
    sums
}

#[cfg(target_os = "linux")]
fn wanted(sums: &[(&str, u64)]) -> BTreeMap<String, u64> {
    let owned = |(zone, count): &(&str, u64)| ((*zone).to_owned(), *count);
    sums.iter().map(owned).collect()
}

/// Returns the number of calls to `fib` in `fib(n)`, including the first call.
#[cfg(target_os = "linux")]
fn calls_of_fib(n: u64) -> u64 {
    match n {
        0 | 1 => 1,
        _ => 1 + calls_of_fib(n - 1) + calls_of_fib(n - 2),
    }
}

#[test]
#[cfg(target_os = "linux")]
fn all_c_functions_become_zones() {
    let library = folder().join("libhooked_library.so");
    run(watched::compiler(false)
        .args(STRICT)
        .args(["-O1", "-shared", "-fPIC", "-finstrument-functions"])
        .arg(source("tests/c/hooked_library.c"))
        .arg("-o")
        .arg(&library));
    let link = [
        format!("-Wl,-rpath,{}", folder().display()),
        library.display().to_string(),
    ];
    let program = build(
        "hooked",
        &["hooked.c", HOOKS],
        &["-finstrument-functions"],
        &link,
    );
    let fib = 2 * calls_of_fib(15) + calls_of_fib(10);
    let stdout = run(&mut watched::program(&program));
    let sums = wanted(&[
        ("main ", 1),
        ("worker hooked.c", 2),
        ("same hooked.c", 2_000),
        ("fib hooked.c", fib),
        ("jumped hooked.c", 3),
        ("jump hooked.c", 9),
        ("in_library libhooked_library.so", 1),
        ("same hooked_library.c", 5),
    ]);
    assert_eq!(by_zone(&stdout), sums, "{stdout}");
    // If `longjmp` skips a zone's end, the zone is closed when its caller returns.
    let paths = entries(&stdout);
    let at = |path: &str, file: &str| paths.get(&(path.to_owned(), file.to_owned())).copied();
    assert_eq!(at(";main;jumped", "hooked.c"), Some(3), "{stdout}");
    assert_eq!(
        at(";main;in_library", "libhooked_library.so"),
        Some(1),
        "{stdout}"
    );
    assert_eq!(at(";main;fib", "hooked.c"), Some(1), "{stdout}");

    // Without a symbol table, zones are named by offsets or by the names that the library exports.
    let stripped = folder().join("hooked_stripped");
    run(Command::new("strip").arg("-o").arg(&stripped).arg(&program));
    let stdout = run(&mut watched::program(stripped));
    let (offsets, names): (Vec<_>, Vec<_>) = by_zone(&stdout)
        .into_iter()
        .partition(|(zone, _)| zone.starts_with("0x"));
    let mut counts: Vec<u64> = offsets.iter().map(|(_, count)| *count).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 2, 3, 9, 2_000, fib], "{stdout}");
    let names: BTreeMap<_, _> = names.into_iter().collect();
    let library = [
        ("in_library libhooked_library.so", 1),
        ("same hooked_library.c", 5),
    ];
    assert_eq!(names, wanted(&library), "{stdout}");
}

#[test]
#[cfg(target_os = "linux")]
fn zone_names_survive_unloading_their_library() {
    let libraries = ["first", "other"].map(|name| {
        let library = folder().join(format!("libunloaded_{name}.so"));
        run(watched::compiler(false)
            .args(STRICT)
            .args(["-std=gnu99", "-O1", "-shared", "-fPIC", "-DProf_ENABLED"])
            .arg(format!("-DNAME=\"{name}\""))
            .arg("-I")
            .arg(source("include"))
            .arg(source("tests/c/unloaded.c"))
            .arg("-o")
            .arg(&library));
        library
    });
    // Export iprof's functions from the program, so that the libraries find them.
    let link = [
        "-rdynamic".to_owned(),
        "-Wl,--undefined=Prof_count".to_owned(),
        "-Wl,--undefined=Prof_make".to_owned(),
    ];
    let program = build("unloads", &["unloads.c"], &[], &link);
    let stdout = run(watched::program(program).args(libraries));
    let sums: Vec<(String, u64)> = by_zone(&stdout)
        .into_iter()
        .filter(|(zone, _)| zone.ends_with(" unloaded.c"))
        .collect();
    // Each library is called three times on each of two threads.
    let wanted = ["first", "other"].map(|name| {
        ["by iprof", "by prof", "by scope", "counted"]
            .map(|form| (format!("{name} {form} unloaded.c"), 6))
    });
    assert_eq!(sums, wanted.concat(), "{stdout}");
}

#[test]
#[cfg(target_os = "linux")]
fn all_cpp_functions_become_zones() {
    let flags = ["-finstrument-functions"];
    let program = build("hooked_cpp", &["hooked.cpp", HOOKS], &flags, &[]);
    let stdout = run(&mut watched::program(program));
    let sums = wanted(&[
        ("main ", 1),
        ("int game::twice<int>(int) ", 4),
        ("double game::twice<double>(double) ", 1),
        ("game::caught() ", 5),
        ("game::(anonymous namespace)::thrown(int) hooked.cpp", 15),
        ("game::Body::Body(int) ", 15),
        ("game::Body::~Body() ", 15),
        ("halved(double) hooked.cpp", 1),
        ("scope hooked.cpp", 1),
    ]);
    assert_eq!(by_zone(&stdout), sums, "{stdout}");
    // This call comes after the exceptions, inside the scoped zone.
    let path = ";main;halved(double);scope;double game::twice<double>(double)";
    let inner = entries(&stdout)
        .get(&(path.to_owned(), String::new()))
        .copied();
    assert_eq!(inner, Some(1), "{stdout}");
}

#[test]
#[cfg(target_os = "linux")]
fn unbalanced_and_late_hooks_are_harmless() {
    let files = ["bad_hooked.c", HOOKS];
    let program = build("bad_hooked", &files, &["-finstrument-functions"], &[]);
    let stdout = run(&mut watched::program(program));
    // Calls at the end of the thread and after `main` are not recorded.
    let sums = wanted(&[
        ("0x10 ", 1),
        ("before_main bad_hooked.c", 1),
        ("called bad_hooked.c", 1 + 3 + 1),
        ("main ", 1),
        ("unbalanced bad_hooked.c", 1),
        ("worker bad_hooked.c", 1),
    ]);
    assert_eq!(by_zone(&stdout), sums, "{stdout}");
    // Calls to the hooks without a function do not affect the open zones.
    let at = (
        ";main;unbalanced;called".to_owned(),
        "bad_hooked.c".to_owned(),
    );
    assert_eq!(entries(&stdout).get(&at), Some(&3), "{stdout}");
}

#[test]
#[cfg(target_os = "linux")]
fn concurrent_first_calls_create_one_zone() {
    // More functions than fit into the first tables.
    const FUNCTIONS: u64 = 3_000;
    const THREADS: u64 = 4;
    let times = |function: u64| 1 + function % 3;
    let mut text = String::from("#include \"iprof.h\"\n#include <pthread.h>\n");
    let mut calls = String::new();
    for function in 0..FUNCTIONS {
        text += &format!("static void f{function}(void) {{}}\n");
        calls += &format!("f{function}();").repeat(times(function) as usize);
    }
    text += &format!(
        "static void *worker(void *unused) {{ {calls} return unused; }}
        int main(void) {{
            pthread_t all[{THREADS}];
            int at;
            for (at = 0; at < {THREADS}; at++) if (pthread_create(&all[at], NULL, worker, NULL)) return 1;
            for (at = 0; at < {THREADS}; at++) if (pthread_join(all[at], NULL)) return 2;
            return (int)iprof_write_profile(\"csv\", iprof_to_file, stdout);
        }}\n"
    );
    let file = folder().join("many.c");
    fs::write(&file, text).unwrap();
    let files = [file.to_str().unwrap(), HOOKS];
    let program = build("many", &files, &["-finstrument-functions"], &[]);
    let found = entries(&run(&mut watched::program(program)));
    let of = |path: String| found.get(&(path, "many.c".to_owned())).copied();
    assert_eq!(of(";worker".to_owned()), Some(THREADS));
    for function in 0..FUNCTIONS {
        // Each function must have returned before the next call. If its zone were still open, the next function would
        // be nested in it.
        let path = format!(";worker;f{function}");
        assert_eq!(of(path.clone()), Some(THREADS * times(function)), "{path}");
    }
    assert_eq!(found.len() as u64, FUNCTIONS + 2);
}
