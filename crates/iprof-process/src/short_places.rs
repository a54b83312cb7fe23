//! Shortens source locations for display: the shortest part that distinguishes zones of one name, and a path from
//! its package's folder.

use std::collections::HashSet;
use std::fmt;

/// What separates the parts of a path, on any system.
const SEPARATORS: [char; 2] = ['/', '\\'];
/// The folder that a package's sources are in; the folder around it has the package's name.
const SOURCES: &str = "src";
/// The file of a module that has the name of the folder it is in.
const MODULE: &str = "mod.rs";
/// How many parts a short path has if none of them is [`SOURCES`].
const PARTS: usize = 3;

/// What stands in place of a file, for a zone that has none: a run-time zone.
const NO_FILE: &str = "no file";

/// A file and a line of it; without one, 0, the file alone: a function's, by a symbol table.
#[derive(Clone, Copy)]
pub struct FileAndLine<'a>(pub &'a str, pub u32);

impl fmt::Display for FileAndLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)?;
        match self.1 {
            0 => Ok(()),
            line => write!(f, ":{line}"),
        }
    }
}

/// The shortest kind of place that is different for each of some source locations, which are a file and a
/// line: `physics.rs`, `physics/mod.rs`, `physics.rs:12` or `physics.rs:12 #2`.
pub fn distinct_places(locations: &[(&str, u32)]) -> Vec<String> {
    let parts = |(file, _): &(&str, u32)| file.split(SEPARATORS).count();
    let most = locations.iter().map(parts).max().unwrap_or(0);
    let kinds = [false, true].into_iter();
    let mut kinds = kinds.flat_map(|with_line| (1..=most).map(move |parts| (parts, with_line)));
    let places = |parts: usize, with_line: bool| -> Vec<String> {
        let place = |(file, line): &(&str, u32)| match with_line {
            _ if file.is_empty() => NO_FILE.to_owned(),
            false => module(file, parts).to_owned(),
            true => FileAndLine(module(file, parts), *line).to_string(),
        };
        locations.iter().map(place).collect()
    };
    let is_distinct = |(parts, with_line): &(usize, bool)| {
        let places = places(*parts, *with_line);
        places.iter().collect::<HashSet<_>>().len() == places.len()
    };
    if let Some((parts, with_line)) = kinds.find(is_distinct) {
        return places(parts, with_line);
    }
    let numbered = places(most, true).into_iter().zip(1..);
    numbered
        .map(|(place, at)| format!("{place} #{at}"))
        .collect()
}

/// The end of a path that tells where it is: from the package's folder, as in `rapier3d-0.17.2/src/lib.rs`
/// for a file in a registry; of a path without a folder `src`, the last three parts.
pub fn short_path(file: &str) -> &str {
    let parts = file.split(SEPARATORS).count();
    let in_sources = file
        .split(SEPARATORS)
        .rev()
        .position(|part| part == SOURCES);
    match in_sources {
        // The file itself cannot be the folder.
        Some(after) if after > 0 => last_parts(file, (after + 2).min(parts)),
        _ => last_parts(file, PARTS),
    }
}

/// The last `parts` parts of a path, not counting [`MODULE`], which tells nothing.
fn module(file: &str, parts: usize) -> &str {
    let is_module = last_parts(file, 1) == MODULE;
    last_parts(file, parts + usize::from(is_module))
}

/// The last `count` parts of a path.
fn last_parts(path: &str, count: usize) -> &str {
    let mut separators = path.rmatch_indices(SEPARATORS);
    match separators.nth(count.saturating_sub(1)) {
        Some((at, _)) => &path[at + 1..],
        None => path,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn places_tell_as_little_as_needed() {
        for (locations, wanted) in [
            (
                &[("src/x.rs", 1), ("src/y.rs", 1)][..],
                &["x.rs", "y.rs"][..],
            ),
            (
                &[("src/x.rs", 1), ("src/ai/mod.rs", 1)],
                &["x.rs", "ai/mod.rs"],
            ),
            // The folder tells more than the line.
            (&[("a/x.rs", 1), ("b/x.rs", 9)], &["a/x.rs", "b/x.rs"]),
            (
                &[("p/src/x.rs", 1), ("q/src/x.rs", 1)],
                &["p/src/x.rs", "q/src/x.rs"],
            ),
            (&[("src/x.rs", 1), ("src/x.rs", 7)], &["x.rs:1", "x.rs:7"]),
            (
                &[("a/x.rs", 1), ("b/x.rs", 1), ("b/x.rs", 2)],
                &["a/x.rs:1", "b/x.rs:1", "b/x.rs:2"],
            ),
            (
                &[("x.rs", 1), ("x.rs", 1), ("y.rs", 1)],
                &["x.rs:1 #1", "x.rs:1 #2", "y.rs:1 #3"],
            ),
            (
                &[("x.c", 0), ("x.c", 7), ("x.c", 8)],
                &["x.c", "x.c:7", "x.c:8"],
            ),
            (&[("x.c", 0), ("x.c", 0)], &["x.c #1", "x.c #2"]),
            (&[("", 0), ("", 0)], &["no file #1", "no file #2"]),
            (&[("mod.rs", 1), ("mod.rs", 2)], &["mod.rs:1", "mod.rs:2"]),
            (&[], &[]),
        ] {
            assert_eq!(distinct_places(locations), wanted);
        }
    }

    #[test]
    fn a_short_path_begins_with_the_package() {
        for (path, wanted) in [
            ("src/physics.rs", "src/physics.rs"),
            (
                "crates/physics/src/solver/mod.rs",
                "physics/src/solver/mod.rs",
            ),
            (
                "/home/me/.cargo/registry/src/index.crates.io-6f17d22bba15001f/rapier3d-0.17.2/src/a/b.rs",
                "rapier3d-0.17.2/src/a/b.rs",
            ),
            ("C:\\games\\mine\\src\\main.rs", "mine\\src\\main.rs"),
            ("/src/main.rs", "/src/main.rs"),
            (
                "/home/me/games/mine/examples/demo/main.rs",
                "examples/demo/main.rs",
            ),
            ("examples/demo/src", "examples/demo/src"),
            ("main.rs", "main.rs"),
            ("", ""),
        ] {
            assert_eq!(short_path(path), wanted, "{path}");
        }
    }
}
