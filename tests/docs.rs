//! Code in the guides is code of tested programs, and docs/api.md names every free function.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    // On some systems git checks files out with CRLF.
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
        // In the repository the dependency has a path.
        let line = line.replace("iprof = { ", "iprof = { path = \"../../..\", ");
        assert!(manifest.contains(&line), "{line}");
    }
    // The tool that writes the page's JavaScript must have the same version everywhere.
    let version = block("toml").split_once("wasm-bindgen = \"=").unwrap().1;
    let version = version.split_once('"').unwrap().0;
    let command = format!("wasm-bindgen-cli --version {version}\n");
    assert!(section.contains(&command), "{command}");
    let pinned = format!("wasm-bindgen-cli-support = \"={version}\"");
    assert!(read("tests/web/Cargo.toml").contains(&pinned), "{pinned}");
}

/// The module is not compiled for other systems, so its example is tested in a page.
#[test]
fn the_example_of_the_module_for_pages_is_in_a_page() {
    let documentation = read("src/input/web.rs")
        .replace("//! ", "")
        .replace("//!", "");
    let (_, example) = documentation.split_once("```no_run\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let page = read("tests/web/page/src/documented.rs");
    let (_, tested) = page.split_once("\n\n").unwrap();
    assert_eq!(example, tested);
}

#[test]
fn the_page_of_the_interface_names_every_free_function() {
    let (page, items) = (read("docs/api.md"), read("docs/api.txt"));
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_' || c == ':';
    let mut found = 0;
    for line in items.lines() {
        let Some((_, path)) = line.split_once("fn iprof::") else {
            continue;
        };
        // Paths of methods contain the name of a type.
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

#[test]
fn the_files_that_the_documents_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap();
    let docs = docs.map(|entry| entry.unwrap().path());
    let texts = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let mut found = 0;
    for text in texts.chain(["README.md", "CONTRIBUTING.md"].map(|name| root.join(name))) {
        for word in fs::read_to_string(&text).unwrap().split('`') {
            let is_ours = ["crates/", "examples/", "src/", "tests/"]
                .iter()
                .any(|folder| word.starts_with(folder));
            if is_ours && word.ends_with(".rs") {
                found += 1;
                assert!(root.join(word).is_file(), "{}: {word}", text.display());
            }
        }
    }
    assert!(found > 40, "only {found} files were found");
}
