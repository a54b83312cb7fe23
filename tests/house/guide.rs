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
    let (program, page) = (block("rust,ignore"), block("html"));
    assert_eq!(program, read("examples/web/minimal/src/lib.rs"));
    assert_eq!(page, read("examples/web/minimal/index.html"));
    let lines = [program, page].map(|text| text.lines().count());
    assert!(lines.iter().sum::<usize>() <= 40, "{lines:?} lines");
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

/// Tests on other systems are built without it.
#[test]
fn the_example_of_the_module_for_pages_is_in_a_page() {
    let documentation = read("src/web.rs").replace("//! ", "").replace("//!", "");
    let (_, example) = documentation.split_once("```no_run\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let page = read("tests/web/page/src/documented.rs");
    let (_, tested) = page.split_once("\n\n").unwrap();
    assert_eq!(example, tested);
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
    "T::in_zone",
    "iprof::Zoned",
    // The language calls these.
    "Allocator::alloc",
    "Allocator::dealloc",
    "Allocator::realloc",
    // WebGL is found by no loader.
    "::from_loader",
    "::init_from_loader",
    // Nor has it numbers of objects.
    "glow::native::",
    // There are no files.
    "Snapshot::write_file",
    "iprof::WriteFileError::",
    // There are no sockets, and no session can be started that could finish.
    "iprof::http::",
    "core::net::",
    "SamplingSession::finish",
    // The page has no events of winit.
    "iprof::winit::",
    "iprof::Modifiers::from",
];

/// The name that a variable of a type has: `RunTimeZone` is in `run_time_zone`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// The path that ends a text: `gl::Overlay::new` of `let overlay = gl::Overlay::new`.
fn last_path(text: &str) -> &str {
    let is_of_path = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
    let begin = text.trim_end_matches(is_of_path).len();
    &text[begin..]
}

/// What a text ends with, without arguments, indices and what a value is in: `rows` of `view.rows[0]`, and
/// `iprof::snapshot` of `iprof::snapshot()`.
fn last_expression(mut text: &str) -> &str {
    loop {
        text = text.trim_end_matches('?');
        let Some(close) = text.chars().next_back().filter(|last| ")]".contains(*last)) else {
            return last_path(text);
        };
        let open = if close == ')' { '(' } else { '[' };
        let mut depth = 0;
        let begin = text.char_indices().rev().find(|(_, letter)| {
            depth += i32::from(*letter == close) - i32::from(*letter == open);
            depth == 0
        });
        let Some((begin, _)) = begin else {
            return "";
        };
        text = &text[..begin];
        for passed_on in [".expect", ".unwrap"] {
            text = text.strip_suffix(passed_on).unwrap_or(text);
        }
    }
}

/// Whether the page calls a function of docs/api.txt. Functions of types and modules are called by both names:
/// `View::new(`, `gl::init(`. Methods are, too, or they are called on a variable, a field or a function with the name of
/// the type, `view.report(`, or on what a function of the type returns, `View::new().report(`.
fn is_called(page: &str, path: &str, is_method: bool) -> bool {
    let (of, name) = path.rsplit_once("::").expect("a path");
    let of = of.rsplit("::").next().expect("a segment");
    let of = of.split('<').next().expect("a name");
    let calls = |before: &str, fits: &dyn Fn(&str) -> bool| {
        let ends = ["(", "::<"].map(|end| format!("{before}{name}{end}"));
        let mut found = ends.iter().flat_map(|call| page.match_indices(call));
        found.any(|(at, _)| fits(&page[..at]))
    };
    let segment = |path: &str| path.rsplit("::").next() == Some(of);
    let variable = snake_case(of);
    let is_receiver = |before: &str| {
        let path = last_expression(before);
        let mut segments = path.rsplit("::");
        segments.next().is_some_and(|last| last == variable) || segments.next() == Some(of)
    };
    calls("::", &|before| segment(last_path(before))) || is_method && calls(".", &is_receiver)
}

#[test]
fn a_call_is_that_of_its_own_type() {
    let page = "let view = View::new(); view.rows[0].fit(); iprof::snapshot().expect(\"one\").since(&it);\
                let write = |text| text; write(7); gl::init(it); Report::default().write(out);";
    for (path, is_method) in [
        ("iprof::View::new", false),
        ("iprof::Rows::fit", true),
        ("iprof::Snapshot::since", true),
        ("iprof::gl::init", false),
        ("iprof::Report::write", true),
    ] {
        assert!(is_called(page, path, is_method), "{path}");
    }
    for (path, is_method) in [
        ("iprof::GraphMark::new", false),
        ("iprof::View::fit", true),
        ("iprof::FrameSnapshot::since", true),
        ("iprof::winit::init", false),
        ("iprof::SampledProfile::write", true),
        ("iprof::Report::default_units", true),
    ] {
        assert!(!is_called(page, path, is_method), "{path}");
    }
}

/// The sources of a page's program. Calls in a row are one line.
fn program(folder: &str) -> String {
    let page: String = files_in(folder).into_values().collect();
    let lines: Vec<&str> = page.lines().map(str::trim).collect();
    lines.join("\n").replace("\n.", ".")
}

#[test]
fn every_public_function_is_called_in_a_browser() {
    let page = program("tests/web/page/src");
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
    for (path, parameters) in functions {
        let path = path.split_once('<').map_or(path, |(path, _)| path);
        let first = parameters.split([',', ')', ':']).next().unwrap();
        let is_method = first.trim_start_matches(['&', ' ']).ends_with("self");
        count += 1;
        let is_known = NOT_CALLED.iter().any(|known| path.contains(known));
        if !is_known && !is_called(&page, path, is_method) {
            missing.push(path);
        }
    }
    assert!(count > 200, "{count}");
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_public_function_of_iprof_wgpu_is_called_in_a_browser() {
    let page = program("tests/web/wgpu/src");
    let (mut count, mut missing) = (0, Vec::new());
    for source in ["gpu_timer.rs", "overlay.rs"] {
        let source = read(&format!("crates/iprof-wgpu/src/{source}"));
        for (at, mark) in source.match_indices("\n    pub fn ") {
            let (_, of) = source[..at].rsplit_once("\nimpl ").unwrap();
            let of = of.split(" {").next().unwrap();
            let name = &source[at + mark.len()..];
            let name = name.split(['(', '<']).next().unwrap();
            let (_, parameters) = source[at..].split_once('(').unwrap();
            let first = parameters.split([',', ')', ':']).next().unwrap();
            let is_method = first.trim_start_matches(['&', ' ', '\n']).ends_with("self");
            count += 1;
            let path = format!("iprof_wgpu::{of}::{name}");
            if !is_called(&page, &path, is_method) {
                missing.push(path);
            }
        }
    }
    assert!(count >= 14, "{count}");
    assert!(missing.is_empty(), "{missing:#?}");
}
