//! Prints the public items of a crate, one per line, from rustdoc's JSON: `./dev api` writes the list to
//! `docs/api.txt`, `./dev check` compares it.
//!
//! Derived traits are one line per type, after the type's own. Not listed are automatic and blanket
//! implementations, and items that are `#[doc(hidden)]`.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// The exit code if rustdoc wrote a format that this program does not read.
const OTHER_FORMAT: u8 = 3;

/// The part of the JSON that every version of the format has.
#[derive(serde::Deserialize)]
struct Format {
    format_version: u32,
}

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: iprof-api FILE, rustdoc's JSON of a crate");
        return ExitCode::from(2);
    };
    let path = Path::new(&path);
    match list(path) {
        Ok(Ok(lines)) => {
            for line in lines {
                println!("{line}");
            }
            ExitCode::SUCCESS
        }
        Ok(Err(found)) => {
            let read = rustdoc_types::FORMAT_VERSION;
            eprintln!(
                "rustdoc's JSON has format {found}, expected {read}: use another toolchain, or \
                 the release of public-api for that format in tests/api/Cargo.toml"
            );
            ExitCode::from(OTHER_FORMAT)
        }
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}

/// The lines of the list, or the version of a format that cannot be read.
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

/// The derived traits by the path of their type: the `impl` lines of `all` that `plain` lacks.
fn derived_traits(plain: &[String], all: Vec<String>) -> BTreeMap<String, BTreeSet<String>> {
    let plain: BTreeSet<&str> = plain.iter().map(String::as_str).collect();
    let mut derived: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in all.iter().filter(|line| !plain.contains(line.as_str())) {
        let implemented = line
            .strip_prefix("impl")
            .and_then(|rest| rest.split_once(" for "));
        if let Some((name, of)) = implemented {
            let name = name.rsplit([':', ' ']).next().unwrap_or(name);
            // The compiler implements it beside every derived `PartialEq`.
            if name != "StructuralPartialEq" {
                derived.entry(path(of)).or_default().insert(name.into());
            }
        }
    }
    derived
}

/// Adds a line of derived traits after each type.
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

/// The path of a type, without its parameters and fields.
fn path(of: &str) -> String {
    of.split(['(', '<']).next().unwrap_or(of).to_owned()
}

/// Merges the `impl` blocks of each type, so that moving a method to another block changes nothing. The `impl`
/// lines of traits and of generic blocks stay, because no other line has their contents.
fn without_impl_blocks(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut listed: Vec<String> = Vec::new();
    // The start of the paths in the blocks being merged, and where their first item is.
    let mut merged: Option<(String, usize)> = None;
    for line in lines {
        let block = line
            .strip_prefix("impl ")
            .filter(|name| !name.contains([' ', '<']));
        let goes_on = merged.as_ref().is_some_and(|(path, _)| match block {
            Some(name) => path.strip_suffix("::") == Some(name),
            None => line.split(' ').any(|word| word.starts_with(path)),
        });
        if !goes_on {
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
