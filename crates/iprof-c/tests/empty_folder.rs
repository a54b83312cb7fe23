//! Programs that are built from an empty folder by the lines of their guides, as a new user builds them: attributes of
//! modules, spans of `tracing`, scopes of `profiling`, and C in Rust. Those of C alone are in `programs.rs`, those of eframe, wgpu
//! and the like in `examples/hosts`.

#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The repository.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap().parent().unwrap().to_owned()
}

/// A part of a guide, from its heading on.
fn part(guide: &str, heading: &str) -> String {
    let text = fs::read_to_string(root().join(guide)).unwrap();
    let text = text.replace("\r\n", "\n");
    let part = text.split_once(&format!("\n{heading}\n")).expect(heading).1;
    part.split("\n## ").next().unwrap().to_owned()
}

/// The first code block of that kind after a word.
fn block<'a>(part: &'a str, after: &str, kind: &str) -> &'a str {
    let rest = part.split_once(after).expect(after).1;
    let code = rest.split_once(&format!("```{kind}\n")).expect(after).1;
    code.split_once("```").expect(after).0
}

/// A package: its name, its manifest as the guide has it, and its files.
struct Package {
    name: &'static str,
    manifest: String,
    files: Vec<(&'static str, String)>,
}

fn packages() -> Vec<Package> {
    const ZONES: &str = "docs/other-zones.md";
    let module = part(ZONES, "## A line per module");
    let spans = part(ZONES, "## Spans of `tracing`");
    let scopes = part(ZONES, "## Scopes of the crate `profiling`");
    let c = part("crates/iprof-c/README.md", "## With Rust");
    let main = |code: &str| vec![("src/main.rs", code.to_owned())];
    // The code of a library, which knows nothing of iprof.
    let scoped = "#[profiling::function]
        fn step() { profiling::scope!(\"solve\"); }
        fn main() -> std::io::Result<()> {
            for _ in 0..3 { step(); profiling::finish_frame!(); }
            iprof::write_report(std::io::stdout())
        }";
    vec![
        Package {
            name: "module",
            manifest: format!("[dependencies]\n{}", block(&module, "", "toml")),
            files: main(block(&module, "", "rust")),
        },
        Package {
            name: "spans",
            manifest: block(&spans, "", "toml").to_owned(),
            files: main(block(&spans, "", "rust,ignore")),
        },
        Package {
            name: "scopes",
            manifest: block(&scopes, "", "toml").replace(
                "[dependencies]\n",
                "[dependencies]\nprofiling = { version = \"1.0\", features = [\"procmacros\"] }\n",
            ),
            files: main(scoped),
        },
        Package {
            name: "c-in-rust",
            manifest: block(&c, "`Cargo.toml`", "toml").to_owned(),
            files: vec![
                ("build.rs", block(&c, "`build.rs`", "rust").to_owned()),
                ("physics.c", block(&c, "`physics.c`", "c").to_owned()),
                ("src/main.rs", block(&c, "`src/main.rs`", "rust").to_owned()),
            ],
        },
    ]
}

/// Builds them, as one workspace, so that what they share is built once; returns the folder of the programs.
fn build(packages: &[Package]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty folder");
    let root = root();
    let root = root.to_str().unwrap();
    let (mut members, mut patch) = (Vec::new(), String::new());
    for Package {
        name,
        manifest,
        files,
    } in packages
    {
        let at = folder.join(name);
        fs::create_dir_all(at.join("src")).unwrap();
        for (file, text) in files {
            fs::write(at.join(file), text).unwrap();
        }
        // It is not published, or stands elsewhere.
        let manifest = manifest
            .replace(
                "iprof = { version = \"0.3\"",
                "iprof = { path = \"../iprof\"",
            )
            .replace("../iprof", root);
        // Of a workspace it is the root's.
        let (own, patched) = match manifest.split_once("[patch") {
            Some((own, patched)) => (own, format!("[patch{patched}")),
            None => (&*manifest, String::new()),
        };
        let own = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n\n{own}");
        fs::write(at.join("Cargo.toml"), own).unwrap();
        patch += &patched;
        members.push(*name);
    }
    let workspace = format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n{patch}");
    fs::write(folder.join("Cargo.toml"), workspace).unwrap();
    // The versions that are known to be there, but for `profiling`, of which a new user's folder has none.
    let lock = fs::read_to_string(Path::new(root).join("Cargo.lock")).unwrap();
    let is_kept = |package: &&str| !package.contains("name = \"profiling\"\n");
    let kept: Vec<&str> = lock.split("[[package]]").filter(is_kept).collect();
    let kept = kept.join("[[package]]");
    let is_other = |line: &&str| !line.starts_with(" \"profiling 1");
    let kept: Vec<&str> = kept.lines().filter(is_other).collect();
    fs::write(folder.join("Cargo.lock"), kept.join("\n") + "\n").unwrap();
    let target = folder.join("target");
    let build = |more: &[&str]| {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Command::new(cargo)
            .args(["build", "--quiet"])
            .args(more)
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", &target)
            // It is built sooner.
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("CARGO_INCREMENTAL", "0")
            .output()
            .unwrap()
    };
    // The registry is asked only if something is not there.
    let mut output = build(&["--offline"]);
    if !output.status.success() {
        output = build(&[]);
    }
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complained}");
    assert!(!complained.contains("warning"), "{complained}");
    target.join("debug")
}

#[test]
#[ignore = "it builds everything anew: ./dev hosts"]
fn programs_of_rust_are_built_and_report_their_zones_as_their_guides_say() {
    let programs = build(&packages());
    for (name, zones) in [
        (
            "module",
            &["World::step", "physics", "World::collide", "plan"][..],
        ),
        (
            "spans",
            &["step", "system::gravity", "system::collisions", "your_own"],
        ),
        ("scopes", &["step", "solve"]),
        (
            "c-in-rust",
            &[
                "main;simulate ",
                "main;simulate;physics ",
                "main;simulate;physics;step ",
            ],
        ),
    ] {
        let output = Command::new(programs.join(name)).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{name}: {said}");
        for zone in zones {
            assert!(said.contains(zone), "{name}, {zone}: {said}");
        }
    }
}
