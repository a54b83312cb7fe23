//! Checks the published package: its files and size, the links in README.md, the length of the front pages, and the
//! pictures in the documentation.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Adds the paths of all files below a folder to `found`, relative to the repository's root.
fn below(folder: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => below(&name, found),
            false => drop(found.insert(name)),
        }
    }
}

/// Returns the package's files as listed by cargo, or `None` without cargo.
fn packaged() -> Option<BTreeSet<String>> {
    let cargo = std::env::var_os("CARGO")?;
    let mut list = Command::new(cargo);
    list.args(["package", "--list", "--allow-dirty", "--offline"]);
    let output = list.current_dir(root()).output().ok()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| line.replace('\\', "/")).collect())
}

#[test]
fn package_has_only_sources_and_licenses() {
    let Some(packaged) = packaged() else {
        println!("skipped: there is no cargo");
        return;
    };
    let mut expected = BTreeSet::new();
    for folder in ["src", "shaders", "fonts", "docs/hosts", "docs/pictures"] {
        below(folder, &mut expected);
    }
    // Test modules are excluded from the package, as are all other tests. Some of these modules use files in `tests`.
    let is_of_tests = |name: &String| name.contains("/tests/") || name.ends_with("_tests.rs");
    expected.retain(|name| !is_of_tests(name));
    for file in [
        "CHANGELOG.md",
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "docs/alarms.md",
        "docs/always-on.md",
        "docs/benchmarks.md",
        "docs/c.md",
        "docs/control.md",
        "docs/files.md",
        "docs/futures.md",
        "docs/glossary.md",
        "docs/hosts.md",
        "docs/other-zones.md",
        "docs/percentiles.md",
        "docs/profiling.md",
        "docs/reliability.md",
        "docs/run-time-names.md",
        "docs/server.md",
        "docs/session.md",
        "docs/slow-frame.md",
        "docs/stutter.md",
        "docs/tracing.md",
    ] {
        expected.insert(file.to_owned());
    }
    // Cargo adds these files. The first one exists only if the package is built in a repository.
    let own = [".cargo_vcs_info.json", "Cargo.toml.orig"];
    let packaged = packaged.iter().filter(|name| !own.contains(&&***name));
    let packaged: BTreeSet<&String> = packaged.collect();
    assert_eq!(packaged, expected.iter().collect());
    for needed in ["fonts/OFL.txt", "fonts/JetBrainsMono-Medium-subset.ttf"] {
        assert!(expected.contains(needed), "{needed}");
    }
}

#[test]
fn package_is_at_most_a_megabyte() {
    const MOST_BYTES: u64 = 1 << 20;
    let Some(cargo) = std::env::var_os("CARGO") else {
        println!("skipped: there is no cargo");
        return;
    };
    let folder = std::env::temp_dir().join(format!("iprof-package-{}", std::process::id()));
    let mut package = Command::new(cargo);
    package.args(["package", "--no-verify", "--allow-dirty", "--offline"]);
    // The workspace's other crates may not have been published yet, so package them together with iprof.
    for name in [
        "iprof",
        "iprof-control",
        "iprof-export",
        "iprof-gather",
        "iprof-macros",
        "iprof-process",
        "iprof-report",
    ] {
        package.args(["--package", name]);
    }
    package.arg("--target-dir").arg(&folder);
    // A Windows program that runs under Wine can't start cargo for Linux.
    let output = match package.current_dir(root()).output() {
        Err(error) if cfg!(windows) => {
            println!("skipped: cargo does not start: {error}");
            return;
        }
        output => output.unwrap(),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let name = format!("iprof-{}.crate", env!("CARGO_PKG_VERSION"));
    let bytes = fs::metadata(folder.join("package").join(name))
        .unwrap()
        .len();
    fs::remove_dir_all(&folder).unwrap();
    println!("{bytes} bytes");
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
}

fn links(text: &str) -> Vec<&str> {
    let parts = text.split("](").skip(1);
    parts.filter_map(|part| part.split(')').next()).collect()
}

/// Limits the length of the pages that newcomers read first.
#[test]
fn front_pages_keep_their_length_limits() {
    let lines = |file: &str| {
        fs::read_to_string(root().join(file))
            .unwrap()
            .lines()
            .count()
    };
    let source = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let head = source
        .lines()
        .take_while(|line| line.starts_with("//!") || line.starts_with("#![cfg_attr"));
    let sizes = [
        ("README.md", lines("README.md"), 100),
        ("the crate's documentation", head.count(), 120),
        ("CONTRIBUTING.md", lines("CONTRIBUTING.md"), 60),
    ];
    for (page, size, most) in sizes {
        assert!(size <= most, "{page} has {size} lines, more than {most}");
    }
}

/// Links must work on the crate's registry page, which shows README.md without the repository.
#[test]
fn readme_links_work_without_the_repository() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let links = links(&text);
    assert!(links.len() >= 4, "{links:?}");
    let anchors: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|head| {
            head.trim_matches(['#', ' '])
                .to_lowercase()
                .replace(' ', "-")
        })
        .collect();
    for link in links {
        let leads = match link.strip_prefix('#') {
            Some(anchor) => anchors.iter().any(|has| has == anchor),
            None => link.starts_with("https://"),
        };
        assert!(leads, "{link}");
        // The documentation's pages are modules.
        if let Some(page) = link.strip_prefix("https://docs.rs/iprof/latest/iprof/") {
            let module = page.trim_end_matches('/').replace('/', "::");
            let guides = fs::read_to_string(root().join("src/guide.rs")).unwrap();
            let guide = module.strip_prefix("guide::").expect(link);
            let mut names = guide.split("::");
            assert!(
                names.all(|name| guides.contains(&format!("pub mod {name} {{"))),
                "{link}"
            );
        }
    }
    assert!(!text.contains("!["), "README.md should contain no pictures");
}

/// For each picture, a page includes a link definition that contains the picture's data.
#[test]
fn docs_pictures_are_packaged() {
    let source = |file: &str| fs::read_to_string(root().join(file)).unwrap();
    let pages = [
        ("src/lib.rs", source("src/lib.rs"), source("src/lib.rs")),
        (
            "docs/hosts/eframe.md",
            source("docs/hosts/eframe.md"),
            source("src/guide.rs"),
        ),
        (
            "docs/slow-frame.md",
            source("docs/slow-frame.md"),
            source("src/guide.rs"),
        ),
        (
            "docs/stutter.md",
            source("docs/stutter.md"),
            source("src/guide.rs"),
        ),
    ];
    for (file, text, page) in &pages {
        let mut pictures = 0;
        // Remove inner attributes, because they start in the same way as pictures.
        let text = text.replace("#![", "");
        for picture in text.split("![").skip(1) {
            let (_, name) = picture
                .split_once("][")
                .expect("pictures should use reference links");
            let name = name.split(']').next().unwrap();
            let definition = format!("docs/pictures/{name}.md");
            assert!(page.contains(&format!("../{definition}")), "{file}: {name}");
            let begin = format!("[{name}]: data:image/webp;base64,UklGR");
            assert!(source(&definition).starts_with(&begin), "{definition}");
            pictures += 1;
        }
        assert!(pictures > 0, "{file}");
    }
}

#[test]
fn library_compiles_only_zones() {
    let Some(cargo) = std::env::var_os("CARGO") else {
        println!("skipped: there is no cargo");
        return;
    };
    let mut tree = Command::new(cargo);
    tree.args([
        "tree",
        "--locked",
        "--offline",
        "--package",
        "iprof",
        "--no-default-features",
    ]);
    tree.args(["--edges", "normal", "--prefix", "none"]);
    let output = tree.current_dir(root()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let packages: Vec<_> = text
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(packages, ["iprof", "iprof-gather", "fastrand"]);
}
