//! Reads the guides, and provides folders in which to follow them.

#![allow(dead_code, reason = "each test uses only some of the items")]
#![allow(unreachable_pub, reason = "these would be `pub` in a separate crate")]

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap().parent().unwrap().to_owned()
}

/// Returns the text of a guide.
pub fn text(guide: &str) -> String {
    let text = fs::read_to_string(root().join(guide)).unwrap();
    text.replace("\r\n", "\n")
}

/// Returns a section of a guide, starting at its heading.
pub fn part(guide: &str, heading: &str) -> String {
    let text = text(guide);
    let part = text.split_once(&format!("\n{heading}\n")).expect(heading).1;
    part.split("\n## ").next().unwrap().to_owned()
}

/// Returns the first code block of this kind after `after`.
pub fn block<'a>(part: &'a str, after: &str, kind: &str) -> &'a str {
    let rest = part.split_once(after).expect(after).1;
    let code = rest.split_once(&format!("```{kind}\n")).expect(after).1;
    code.split_once("```").expect(after).0
}

/// Returns a code block with the lines that rustdoc hides made visible.
pub fn with_hidden_lines(code: &str) -> String {
    let lines = code.lines();
    let shown = lines.map(|line| line.strip_prefix("# ").unwrap_or(line));
    shown.collect::<Vec<_>>().join("\n")
}

/// Returns an empty folder for this test.
pub fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}
