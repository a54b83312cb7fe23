//! Tests of the source tree's rules: which files may hold `unsafe`, which may be long, which module may use which, who
//! knows of which dependency.

mod dependencies;
mod guide;
mod rooms;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Files that may open the `unsafe` lint.
const UNSAFE: &[&str] = &[
    "src/allocator.rs",
    "src/clock/counter.rs",
    "src/gl/attribute_calls.rs",
    "src/gl/bound_painter.rs",
    "src/gl/painter.rs",
    "src/gl/context_painter.rs",
    "src/gl/state/attributes.rs",
    "src/gl/state/caps.rs",
    "src/gl/state/mod.rs",
    "src/gl/state/unpack.rs",
    "src/environment/exit.rs",
    "src/gather/arena.rs",
    "src/gather/fork.rs",
    "src/gather/local.rs",
    "src/gather/local/for_c.rs",
    "src/gather/local/allocation.rs",
    "src/gather/node.rs",
    "src/gather/thread_end.rs",
    "src/gather/record.rs",
    "src/gather/fallible.rs",
    "src/gpu/context.rs",
    "src/gpu/mod.rs",
    "src/gpu/queries.rs",
    "src/gl/overlay.rs",
    "src/gl/current.rs",
    "src/gl/gpu_zones.rs",
    "src/sample/thread_cpu_time.rs",
    "src/in_zone.rs",
    "src/zone/intern.rs",
];

/// The files of the crate.
fn sources() -> BTreeMap<String, String> {
    files_in("src")
}

/// The texts of all source files in a folder, by path.
fn files_in(folder: &str) -> BTreeMap<String, String> {
    files_of(folder, &["rs", "js", "css"])
}

/// The texts of all files of some kinds in a folder, by path.
fn files_of(folder: &str, kinds: &[&str]) -> BTreeMap<String, String> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                // What packages within a folder have built.
                true if path.ends_with("target") => {}
                true => walk(&path, found),
                false => found.push(path),
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    walk(&root.join(folder), &mut found);
    let name = |path: &Path| {
        path.strip_prefix(root)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/")
    };
    found
        .iter()
        .filter(|path| {
            let is_wanted = |kind: &OsStr| kinds.iter().any(|known| kind == *known);
            path.extension().is_some_and(is_wanted)
        })
        .map(|path| (name(path), fs::read_to_string(path).unwrap()))
        .collect()
}

/// The room of a file: the first part of its path below `src`.
fn room(file: &str) -> &str {
    let below = file.strip_prefix("src/").unwrap();
    below.split('/').next().unwrap().trim_end_matches(".rs")
}

/// The code of a file: without comments, and without what only tests see.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let end = text.find("\nmod tests {").unwrap_or(text.len());
    text[..end]
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//"))
}

#[test]
fn atomics_and_locks_of_recording_come_from_sync() {
    for (file, text) in sources() {
        if ["gather", "sample", "process"].contains(&room(&file)) && !file.contains("/tests/") {
            for line in code(&text) {
                assert!(!line.contains("std::sync::atomic"), "{file}: {line}");
                assert!(!line.contains("std::sync::{Mutex"), "{file}: {line}");
            }
        }
    }
}

#[test]
fn the_clock_of_the_standard_library_is_named_in_one_place() {
    // In a browser it panics when asked.
    for (file, text) in sources() {
        let is_it = |line: &&str| line.contains("std::time::") && line.contains("Instant");
        let end = text.find("#[cfg(all(test").unwrap_or(text.len());
        let naming = code(&text[..end]).find(is_it);
        let may = file == "src/clock/mod.rs" || file.contains("/tests/");
        assert!(may || naming.is_none(), "{file}: {naming:?}");
    }
}

#[test]
fn saved_cases_of_property_tests_stand_where_their_tests_read_them() {
    // `proptest` reads them by the path of the source file, and says nothing if it finds none.
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let saved = files_of("proptest-regressions", &["txt"]);
    assert!(!saved.is_empty());
    for path in saved.keys() {
        let below = path.strip_prefix("proptest-regressions/").unwrap();
        let source = Path::new("src").join(below).with_extension("rs");
        assert!(root.join(&source).is_file(), "{path} is of no {source:?}");
    }
}

/// A file with more lines of code says why in its first comment.
const LONG: usize = 400;

#[test]
fn long_files_say_why_they_are() {
    let is_code = |line: &&str| !line.trim_start().starts_with("//") && !line.trim().is_empty();
    let folders = ["src", "tests", "examples", "benches"];
    for (path, text) in folders.into_iter().flat_map(files_in) {
        let tests = text.find("\nmod tests {").unwrap_or(text.len());
        let lines = text[..tests].lines().filter(is_code).count();
        let head = text.lines().take_while(|line| line.starts_with("//!"));
        let says_why = head
            .into_iter()
            .any(|line| line.starts_with("//! Long because "));
        assert!(lines <= LONG || says_why, "{path}: {lines} lines of code");
    }
}

#[test]
fn unsafe_stands_in_few_files_and_each_block_says_why() {
    for (file, text) in sources() {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate() {
            if line.starts_with("//") || !line.contains("unsafe {") {
                continue;
            }
            assert!(UNSAFE.contains(&file.as_str()), "{file}:{}: {line}", at + 1);
            let above = lines[at.saturating_sub(6)..=at].join(" ");
            assert!(
                above.contains("SAFETY:"),
                "{file}:{}: no reason given",
                at + 1
            );
        }
    }
    for (file, text) in sources() {
        // The lint denies `unsafe` of any kind, blocks or not, wherever it is not opened.
        let opens = text.contains("allow(unsafe_code");
        assert_eq!(opens, UNSAFE.contains(&file.as_str()), "{file}");
    }
}

#[test]
fn the_page_of_the_interface_names_every_free_function() {
    let read = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("docs")
            .join(name);
        fs::read_to_string(path).unwrap()
    };
    let (page, items) = (read("api.md"), read("api.txt"));
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_' || c == ':';
    let mut found = 0;
    for line in items.lines() {
        let Some((_, path)) = line.split_once("fn iprof::") else {
            continue;
        };
        // Paths of methods have the name of a type in them.
        let name = path.split(['(', '<']).next().unwrap();
        if name.chars().all(is_name) {
            found += 1;
            let is_named = ["`", "("]
                .iter()
                .any(|end| page.contains(&format!("`{name}{end}")));
            assert!(is_named, "docs/api.md lacks `{name}`");
        }
    }
    assert!(found > 40, "only {found} functions were found");
}

/// What `./dev platforms` looks for where a build is refused is what the build says. (It runs rarely.)
#[test]
fn refused_builds_are_known_by_what_they_say() {
    let platforms = fs::read_to_string(".ci/platforms").unwrap();
    let list = platforms.split("\nrefused=(\n").nth(1);
    let list = list.and_then(|rest| rest.split("\n)").next());
    let errors = fs::read_to_string("src/unsupported_builds.rs").unwrap();
    let mut known = 0;
    for line in list.expect("there is a list").lines() {
        let wanted = line.trim().trim_matches('"').rsplit('|').next().unwrap();
        assert!(errors.contains(wanted), "{line}");
        known += 1;
    }
    assert!(known > 0);
}

#[test]
fn unit_tests_are_in_packages_whose_unit_tests_are_run() {
    let dev = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("dev")).unwrap();
    let line = dev
        .lines()
        .find_map(|line| line.strip_prefix("unit_tested_members=("));
    let run = line.expect("the list").trim_end_matches(')').split(' ');
    let run: BTreeSet<String> = run.map(str::to_owned).collect();
    let package = |path: String| {
        path.strip_prefix("crates/")?
            .split_once("/src/")
            .map(|(package, _)| package.to_owned())
    };
    let has_tests = |text: &String| text.contains("#[test]");
    let tested = files_in("crates")
        .into_iter()
        .filter(|(_, text)| has_tests(text));
    let tested: BTreeSet<String> = tested.filter_map(|(path, _)| package(path)).collect();
    assert_eq!(tested, run);
}

/// It would compile all that they reach, and run none of them.
#[test]
fn unit_tests_are_left_out_of_the_model_checkers_build() {
    // Its own tests use these, too.
    let used = ["mock", "scripted_thread"];
    let mut compiled = Vec::new();
    for (path, text) in sources() {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate() {
            let is_of_tests = line.starts_with("#[cfg(") && line.contains("test");
            if !is_of_tests || line.contains("loom") {
                continue;
            }
            let mut below = lines[at..].iter();
            let item = below.find(|line| !line.starts_with("#["));
            let module = item.map(|item| item.trim_start_matches("pub(crate) "));
            if let Some(module) = module.and_then(|item| item.strip_prefix("mod "))
                && !used.iter().any(|used| module.starts_with(used))
            {
                compiled.push(format!("{path}: {module}"));
            }
        }
    }
    assert_eq!(compiled, [""; 0]);
}
