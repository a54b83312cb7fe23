//! Compares iprof's public items, as listed in rustdoc's JSON, with `docs/api.txt`, which has one item per line. With
//! `--write`, writes `docs/api.txt` instead.
//!
//! Each derived trait is a separate line after the type's own line. Automatic and blanket implementations and
//! `#[doc(hidden)]` items are not listed.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The part of the JSON that all versions of the format share.
#[derive(serde::Deserialize)]
struct Format {
    format_version: u32,
}

/// The listed packages with their features: iprof, and the packages whose items it re-exports. Features for tests are
/// left out.
const PACKAGES: [(&str, &str); 6] = [
    ("iprof", ""),
    ("iprof-gather", "enable,futures-core-0-3"),
    ("iprof-process", ""),
    ("iprof-report", ""),
    ("iprof-export", "export,file"),
    ("iprof-control", "environment,http"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let writes = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--write") => true,
        Some(_) => return Err("usage: iprof-api [--write]".into()),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let listed = root.join("docs/api.txt");
    let lists = PACKAGES.map(|(package, features)| list(&write_json(&root, package, features)?));
    let all: Result<Vec<_>, Box<dyn Error>> = lists.into_iter().collect();
    let all: Result<Vec<Vec<String>>, u32> = all?.into_iter().collect();
    let lines = match all.map(|lists| lists.concat()) {
        Ok(lines) => lines,
        Err(found) => {
            let read = rustdoc_types::FORMAT_VERSION;
            let problem = format!(
                "rustdoc's JSON has format {found}, expected {read}: use another toolchain, or the release of public-api \
                 for that format in tests/api/Cargo.toml"
            );
            if writes {
                return Err(problem.into());
            }
            eprintln!("skipped: docs/api.txt is not compared: {problem}");
            return Ok(());
        }
    };
    let mut lines: Vec<String> = lines.iter().map(|line| as_reexported(line)).collect();
    // iprof and iprof-gather both list the re-exports of iprof-gather's hidden modules.
    let mut seen = BTreeSet::new();
    lines.retain(|line| !line.starts_with("pub use ") || seen.insert(line.clone()));
    let text: String = lines
        .iter()
        .filter(|line| !is_said_elsewhere(line, &lines))
        .map(|line| format!("{line}\n"))
        .collect();
    if writes {
        std::fs::write(&listed, text)?;
        return Ok(());
    }
    let old_text = std::fs::read_to_string(&listed)?;
    let old: BTreeSet<&str> = old_text.lines().collect();
    let new: BTreeSet<&str> = text.lines().collect();
    for line in old.difference(&new) {
        println!("-{line}");
    }
    for line in new.difference(&old) {
        println!("+{line}");
    }
    match old_text == text {
        true => Ok(()),
        false => Err(
            "the public items are not those of docs/api.txt; if that is meant: ./dev api".into(),
        ),
    }
}

/// Whether a line only re-exports an item that another line already lists. Items in hidden modules are only listed by
/// their re-exports.
fn is_said_elsewhere(line: &str, lines: &[String]) -> bool {
    let Some(path) = line.strip_prefix("pub use ") else {
        return line == "pub mod iprof";
    };
    let lists = |other: &String| {
        let mut words = other.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        let is_item = |word| matches!(word, "struct" | "enum" | "trait" | "union" | "macro" | "fn");
        words.any(is_item) && words.next() == Some(path)
    };
    lines.iter().any(lists)
}

/// Replaces the paths in a line with those that programs use.
fn as_reexported(line: &str) -> String {
    let ends_word = |c: char| !(c.is_alphanumeric() || c == '_' || c == ':');
    let as_reexported = |word: &str| {
        let mut path = PACKAGES[1..]
            .iter()
            .find_map(|(package, _)| word.strip_prefix(&package.replace('-', "_")))?;
        // All modules are private except `http`.
        while !path.starts_with("::http::")
            && let Some((module, _)) = path.get(2..).and_then(|path| path.split_once("::"))
            && module.starts_with(char::is_lowercase)
        {
            path = &path[2 + module.len()..];
        }
        Some(format!("iprof{path}"))
    };
    line.split_inclusive(ends_word)
        .map(|word| as_reexported(word).unwrap_or_else(|| word.to_owned()))
        .collect()
}

/// Makes rustdoc write a package's items as JSON, and returns the file.
fn write_json(root: &Path, package: &str, features: &str) -> Result<PathBuf, Box<dyn Error>> {
    // Use a separate folder, because setting the variable below would otherwise make dependencies' build scripts run
    // again.
    let target = root.join("target/api/rustdoc");
    let status = Command::new(env!("CARGO"))
        .args(["rustdoc", "--locked", "--lib", "--package", package])
        .args(match package {
            "iprof" => ["--all-features", "--quiet"],
            _ => ["--features", features],
        })
        .arg("--target-dir")
        .arg(&target)
        .args(["--", "-Z", "unstable-options", "--output-format", "json"])
        .current_dir(root)
        // `RUSTC_BOOTSTRAP` names crates for which a stable toolchain allows unstable options.
        .env(
            "RUSTC_BOOTSTRAP",
            PACKAGES
                .map(|(package, _)| package.replace('-', "_"))
                .join(","),
        )
        .status()?;
    match status.success() {
        true => Ok(target.join(format!("doc/{}.json", package.replace('-', "_")))),
        false => Err("rustdoc failed".into()),
    }
}

/// Returns the list's lines, or the format version if this version cannot be read.
fn list(path: &Path) -> Result<Result<Vec<String>, u32>, Box<dyn Error>> {
    let Format { format_version } = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    if format_version != rustdoc_types::FORMAT_VERSION {
        return Ok(Err(format_version));
    }
    let items = |omit_derived| -> Result<Vec<String>, Box<dyn Error>> {
        let items = public_api::Builder::from_rustdoc_json(path)
            .omit_auto_derived_impls(omit_derived)
            .omit_auto_trait_impls(true)
            .omit_blanket_impls(true)
            .build()?;
        Ok(items.items().map(ToString::to_string).collect())
    };
    let plain = items(true)?;
    let derived = derived_traits(&plain, items(false)?);
    let lines = without_impl_blocks(plain.into_iter());
    Ok(Ok(with_derived_traits(lines, &derived)))
}

/// Returns the derived traits by their type's path: the `impl` lines that are in `all` but not in `plain`.
fn derived_traits(plain: &[String], all: Vec<String>) -> BTreeMap<String, BTreeSet<String>> {
    let plain: BTreeSet<&str> = plain.iter().map(String::as_str).collect();
    let mut derived: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in all.iter().filter(|line| !plain.contains(line.as_str())) {
        let implemented = line
            .strip_prefix("impl")
            .and_then(|rest| rest.split_once(" for "));
        if let Some((name, of)) = implemented {
            let name = name.rsplit([':', ' ']).next().unwrap_or(name);
            // The compiler also implements `StructuralPartialEq` for each type that derives `PartialEq`.
            if name != "StructuralPartialEq" {
                derived.entry(path(of)).or_default().insert(name.into());
            }
        }
    }
    derived
}

fn with_derived_traits(
    lines: Vec<String>,
    derived: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<String> {
    let mut listed = Vec::new();
    for line in lines {
        let of = ["pub struct ", "pub enum ", "pub union "]
            .iter()
            .find_map(|kind| Some(path(line.split_once(kind)?.1)));
        listed.push(line);
        if let Some(of) = of
            && let Some(traits) = derived.get(&of)
        {
            let traits: Vec<&str> = traits.iter().map(String::as_str).collect();
            listed.push(format!("derive {} for {of}", traits.join(", ")));
        }
    }
    listed
}

fn path(of: &str) -> String {
    of.split(['(', '<']).next().unwrap_or(of).to_owned()
}

/// Merges the `impl` blocks of each type, so that moving a method to a different block changes nothing. The `impl`
/// lines of traits and of generic blocks are kept, because no other line contains the same information.
fn without_impl_blocks(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut listed: Vec<String> = Vec::new();
    // The start of the paths in the merged blocks, and the index of their first item.
    let mut merged: Option<(String, usize)> = None;
    for line in lines {
        let block = line
            .strip_prefix("impl ")
            .filter(|name| !name.contains([' ', '<']));
        let continues = merged.as_ref().is_some_and(|(path, _)| match block {
            Some(name) => path.strip_suffix("::") == Some(name),
            None => line.split(' ').any(|word| word.starts_with(path)),
        });
        if !continues {
            if let Some((_, first)) = merged.take() {
                listed[first..].sort();
            }
            merged = block.map(|name| (format!("{name}::"), listed.len()));
        }
        if block.is_none() {
            listed.push(line);
        }
    }
    if let Some((_, first)) = merged {
        listed[first..].sort();
    }
    listed
}
