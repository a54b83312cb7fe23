//! `go tool pprof`, and what it prints.

use crate::program::output_of;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// What `go tool pprof` prints of files or addresses; nothing if there is no Go.
pub(crate) fn pprof(options: &[&str], files: &[&Path]) -> Option<String> {
    let mut command = Command::new("go");
    // It would look for a newer version of itself.
    command
        .env("GOTOOLCHAIN", "local")
        .env("GOFLAGS", "-mod=mod")
        // It keeps what it fetches.
        .env("PPROF_TMPDIR", env!("CARGO_TARGET_TMPDIR"));
    output_of(command.args(["tool", "pprof"]).args(options).args(files))
}

/// By function: what it has itself, and with what it called.
pub(crate) fn rows(text: &str) -> BTreeMap<String, (i64, i64)> {
    // flat, flat%, sum%, cum, cum%, name
    let rows = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().take(5).collect();
        let [own, share, sum, all, _] = words[..] else {
            return None;
        };
        if !(share.ends_with('%') && sum.ends_with('%')) {
            return None;
        }
        // The name may have blanks in it.
        let (_, name) = line.rsplit_once("%  ")?;
        Some((name.to_owned(), (number(own)?, number(all)?)))
    });
    rows.collect()
}

/// `12ns`, or a count.
fn number(word: &str) -> Option<i64> {
    word.trim_end_matches("ns").parse().ok()
}

/// Every function, in nanoseconds.
pub(crate) const TOP: [&str; 4] = ["-top", "-nodecount=1000", "-nodefraction=0", "-unit=ns"];
