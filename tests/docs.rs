//! Checks that code in the guides comes from tested programs, that guides are short, that their links work, and that
//! docs/api.md lists every free function.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    // On some systems, git checks out files with CRLF line endings.
    fs::read_to_string(path).unwrap().replace("\r\n", "\n")
}

/// Returns the first code block of kind `kind` in a guide.
fn block<'a>(guide: &'a str, kind: &str) -> &'a str {
    let (_, text) = guide.split_once(&format!("\n```{kind}\n")).expect(kind);
    text.split_once("```").unwrap().0
}

/// Returns the names of the files in `folder` that have the extension `extension`, without the extension.
fn names(folder: &str, extension: &str) -> BTreeSet<String> {
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let paths = files.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|has| has == extension));
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths.map(stem).collect()
}

/// Returns the names of the guides: the documents that `src/guide.rs` includes, except those that only list facts.
fn guides() -> Vec<String> {
    let modules = read("src/guide.rs");
    let included = modules.split("include_str!(\"../docs/").skip(1);
    let included = included.map(|rest| rest.split_once('"').unwrap().0);
    let is_guide = |file: &&str| {
        let lists_facts = ["benchmarks.md", "reliability.md"].contains(file);
        !lists_facts && !file.starts_with("pictures/")
    };
    included.filter(is_guide).map(str::to_owned).collect()
}

/// Each host's guide shows the program with the same name in `examples/hosts/guide`, and that program is compiled as
/// part of a package.
#[test]
fn host_guides_show_the_example_programs() {
    let programs = names("examples/hosts/guide", "rs");
    let manifests =
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/hosts")).unwrap();
    let manifests = manifests.map(|entry| entry.unwrap().path().join("Cargo.toml"));
    let manifests: String = manifests.flat_map(fs::read_to_string).collect();
    for host in &programs {
        let guide = read(&format!("docs/hosts/{host}.md"));
        let program = read(&format!("examples/hosts/guide/{host}.rs"));
        assert_eq!(block(&guide, "rust,ignore"), program, "{host}");
        let is_compiled = ["../guide/", ""]
            .iter()
            .any(|folder| manifests.contains(&format!("path = \"{folder}{host}.rs\"")));
        assert!(is_compiled, "no package compiles {host}.rs");
    }
    assert!(programs.len() >= 9, "{programs:?}");
    // The code in these guides has separate tests below, or is tested as documentation examples.
    let others = ["input", "renderer", "sdl2-c", "web-page"].map(str::to_owned);
    let guides = names("docs/hosts", "md");
    assert_eq!(guides, programs.into_iter().chain(others).collect());
}

#[test]
fn c_guide_shows_the_example_program() {
    let guide = read("docs/hosts/sdl2-c.md");
    assert_eq!(block(&guide, "c"), read("examples/hosts/guide/sdl2-c.c"));
    // `./dev hosts` compiles and runs the program.
    assert!(read("examples/hosts/picture/tests/guide.rs").contains("\"guide/sdl2-c.c\""));
}

#[test]
fn renderer_guide_shows_the_software_renderer() {
    let guide = read("docs/hosts/renderer.md");
    let function: String = block(&guide, "rust,ignore")
        .lines()
        .map(|line| match line.is_empty() {
            true => "\n".to_owned(),
            false => format!("    {line}\n"),
        })
        .collect();
    assert!(
        read("examples/software.rs").contains(&function),
        "{function}"
    );
}

#[test]
fn guides_are_at_most_150_lines() {
    let guides = guides();
    assert!(guides.len() > 25, "{guides:?}");
    for guide in guides {
        let lines = read(&format!("docs/{guide}")).lines().count();
        assert!(lines <= 150, "docs/{guide} has {lines} lines");
    }
}

/// Links between guides are reference links. Each guide defines the links' targets in the repository.
/// `src/guide_links.md` defines their targets in the documentation.
#[test]
fn guide_links_work_in_repository_and_docs() {
    let (modules, targets) = (read("src/guide.rs"), read("src/guide_links.md"));
    let (hosts, mut found) = (names("docs/hosts", "md"), 0);
    for guide in guides() {
        let text = read(&format!("docs/{guide}"));
        assert!(!text.contains(".md)") && !text.contains(".md#"), "{guide}");
        let folder = Path::new("docs").join(&guide);
        let folder = folder.parent().unwrap();
        for line in text
            .lines()
            .filter(|line| line.ends_with(".md") && line.starts_with('['))
        {
            let (name, file) = line[1..].split_once("]: ").unwrap();
            let file = folder.join(file);
            assert!(
                Path::new(env!("CARGO_MANIFEST_DIR")).join(&file).is_file(),
                "{guide}: {line}"
            );
            assert_eq!(file.file_stem().unwrap().to_str(), Some(name), "{guide}");
            assert!(
                text.contains(&format!("][{name}]")),
                "{guide} does not use {name}"
            );
            let module = name.replace('-', "_");
            let path = if hosts.contains(name) { "hosts::" } else { "" };
            let target = format!("[{name}]: crate::guide::{path}{module}\n");
            assert!(
                targets.contains(&target),
                "src/guide_links.md lacks {target}"
            );
            assert!(
                modules.contains(&format!("pub mod {module} {{")),
                "{module}"
            );
            found += 1;
        }
        // Every reference is defined.
        for (at, _) in text.match_indices("][") {
            let name = text[at + 2..].split_once(']').unwrap().0;
            assert!(text.contains(&format!("\n[{name}]: ")), "{guide}: [{name}]");
        }
    }
    assert!(found > 40, "only {found} links were found");
}

#[test]
fn web_page_guide_shows_the_tested_page() {
    let guide = read("docs/hosts/web-page.md");
    let (program, page) = (block(&guide, "rust,ignore"), block(&guide, "html"));
    assert_eq!(program, read("examples/web/minimal/src/lib.rs"));
    assert_eq!(page, read("examples/web/minimal/index.html"));
    let lines = [program, page].map(|text| text.lines().count());
    assert!(lines.iter().sum::<usize>() <= 40, "{lines:?} lines");
    let manifest = read("examples/web/minimal/Cargo.toml");
    let dependencies = block(&guide, "toml");
    for line in dependencies.lines() {
        // In the repository, the dependency is specified with its path.
        let line = line.replace("iprof = { ", "iprof = { path = \"../../..\", ");
        assert!(manifest.contains(&line), "{line}");
    }
    // All files must specify the same version of the tool that generates the page's JavaScript.
    let version = dependencies.split_once("wasm-bindgen = \"=").unwrap().1;
    let version = version.split_once('"').unwrap().0;
    let command = format!("wasm-bindgen-cli --version {version}\n");
    assert!(guide.contains(&command), "{command}");
    let pinned = format!("wasm-bindgen-cli-support = \"={version}\"");
    assert!(read("tests/web/Cargo.toml").contains(&pinned), "{pinned}");
}

/// The module is compiled only for the web, so its example is tested in a web page.
#[test]
fn web_module_example_is_tested_in_a_page() {
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
fn api_guide_names_every_free_function() {
    let (page, items) = (read("docs/api.md"), read("docs/api.txt"));
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_' || c == ':';
    let mut found = 0;
    for line in items.lines() {
        let Some((_, path)) = line.split_once("fn iprof::") else {
            continue;
        };
        // Skip methods. Their paths contain a type's name, which begins with an uppercase letter.
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
fn files_named_in_docs_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = ["docs", "docs/hosts"].map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let docs = docs
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path());
    let texts = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let mut found = 0;
    for text in texts.chain(["README.md", "CONTRIBUTING.md"].map(|name| root.join(name))) {
        for word in fs::read_to_string(&text).unwrap().split('`') {
            let is_ours = ["crates/", "examples/", "src/", "tests/"]
                .iter()
                .any(|folder| word.starts_with(folder));
            // In a guide, `src/main.rs` refers to the reader's own program.
            if is_ours && word.ends_with(".rs") && word != "src/main.rs" {
                found += 1;
                assert!(root.join(word).is_file(), "{}: {word}", text.display());
            }
        }
    }
    assert!(found > 40, "only {found} files were found");
}
