//! Tests of what is said of browsers: the guide's page is the one that is tested, and every public function is called in one.

use super::files_in;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    // As git writes it on some systems.
    fs::read_to_string(path).unwrap().replace("\r\n", "\n")
}

#[test]
fn the_guides_page_is_the_one_that_is_tested() {
    let guide = read("docs/hosts.md");
    let (_, section) = guide.split_once("\n## A web page\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let block = |kind: &str| {
        let (_, text) = section.split_once(&format!("\n```{kind}\n")).unwrap();
        text.split_once("```").unwrap().0
    };
    assert_eq!(
        block("rust,ignore"),
        read("examples/web/minimal/src/lib.rs")
    );
    assert_eq!(block("html"), read("examples/web/minimal/index.html"));
    let manifest = read("examples/web/minimal/Cargo.toml");
    for line in block("toml").lines() {
        // In the repository it is that of this folder.
        let line = line.replace("iprof = { ", "iprof = { path = \"../../..\", ");
        assert!(manifest.contains(&line), "{line}");
    }
    // What writes its JavaScript is of the same version everywhere.
    let version = block("toml").split_once("wasm-bindgen = \"=").unwrap().1;
    let version = version.split_once('"').unwrap().0;
    let command = format!("wasm-bindgen-cli --version {version}\n");
    assert!(section.contains(&command), "{command}");
    let pinned = format!("wasm-bindgen-cli-support = \"={version}\"");
    assert!(read("tests/web/Cargo.toml").contains(&pinned), "{pinned}");
}

/// What a browser does not have, or what is called by other means than its name.
const NOT_CALLED: &[&str] = &[
    // Traits call these.
    "::bitor",
    "::deref",
    "::drop",
    "::fmt",
    "::from_str",
    "FrameSnapshots::next",
    "RowKey::hash",
    "iprof::Zone::from",
    "iprof::Zoned",
    // The language calls these.
    "Allocator::alloc",
    "Allocator::dealloc",
    "Allocator::realloc",
    // WebGL is found by no loader.
    "::from_loader",
    "::init_from_loader",
    // There are no sockets, and no session can be started that could finish.
    "iprof::http::",
    "SamplingSession::finish",
    // The page has no events of winit.
    "iprof::winit::",
];

#[test]
fn every_public_function_is_called_in_a_browser() {
    let page: String = files_in("tests/web/page/src").into_values().collect();
    // Lifetimes and parameters are no part of a name.
    let items = read("docs/api.txt")
        .replace("<'_>::", "::")
        .replace("<'a>::", "::")
        .replace("<A>::", "::")
        .replace("<STEPS>::", "::");
    let functions = items.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ")?;
        let line = line.strip_prefix("const ").unwrap_or(line);
        let line = line.strip_prefix("unsafe ").unwrap_or(line);
        line.strip_prefix("fn ")?.split_once('(')
    });
    let (mut count, mut missing) = (0, Vec::new());
    for (path, _) in functions {
        let path = path.split_once('<').map_or(path, |(path, _)| path);
        let name = path.rsplit("::").next().unwrap();
        count += 1;
        let calls = ["(", "::<"].map(|end| format!("{name}{end}"));
        let is_called = calls.iter().any(|call| {
            let mut found = page.match_indices(call.as_str());
            found.any(|(at, _)| page[..at].ends_with(['.', ':', ' ', '(', '!', '*']))
        });
        if !is_called && !NOT_CALLED.iter().any(|known| path.contains(known)) {
            missing.push(path);
        }
    }
    assert!(count > 200, "{count}");
    assert!(missing.is_empty(), "{missing:#?}");
}
