//! Prints the public items of a crate, one a line, given the JSON that rustdoc writes for it: `./dev api` keeps
//! the list in `docs/api.txt`, `./dev check` compares it.
//!
//! Not listed are derived, automatic and blanket implementations, and what is `#[doc(hidden)]`.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// The exit code that says: rustdoc wrote a format that this program does not read.
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
    let items = public_api::Builder::from_rustdoc_json(path)
        .omit_auto_derived_impls(true)
        .omit_auto_trait_impls(true)
        .omit_blanket_impls(true)
        .build()?;
    Ok(Ok(without_impl_blocks(
        items.items().map(ToString::to_string),
    )))
}

/// Merges the `impl` blocks of each type, so that a method that moves to another block changes nothing.
/// Blocks with generics or of a trait stay, because what they say stands nowhere else.
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
