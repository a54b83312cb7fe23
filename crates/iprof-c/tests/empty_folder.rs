//! Follows the guides like a new user, starting from an empty folder: attributes on modules, names known at run time,
//! `tracing` spans, `profiling` scopes, and C code in a Rust program. Also builds the original `profiling` crate with
//! the backend proposed in the guide.
//!
//! The guides for C are tested in `installed.rs`, and the guides for eframe, wgpu and so on in `examples/hosts`.

#![cfg(target_os = "linux")]

mod guides;

use guides::{block, empty_folder, part, root, text, with_hidden_lines};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

const SCOPES: &str = "docs/profiling.md";

/// A package: its name, the manifest from the guide, and its files.
struct Package {
    name: &'static str,
    manifest: String,
    files: Vec<(&'static str, String)>,
}

/// A program with `profiling` scopes that does not mention iprof.
const SCOPED: &str = "#[profiling::function]
    fn step() { profiling::scope!(\"solve\"); }
    fn main() -> std::io::Result<()> {
        for _ in 0..3 { step(); profiling::finish_frame!(); }
        iprof::write_report(std::io::stdout())
    }";

fn packages() -> Vec<Package> {
    let module = text("docs/other-zones.md");
    let names = text("docs/run-time-names.md");
    let spans = text("docs/tracing.md");
    let scopes = text(SCOPES);
    let c = part("crates/iprof-c/README.md", "## With Rust");
    let main = |code: &str| vec![("src/main.rs", code.to_owned())];
    let named = ["", "It keeps the zone", "A named value with"]
        .map(|after| with_hidden_lines(block(&names, after, "rust")))
        .join("\n");
    let of_spans = block(&spans, "", "rust,ignore");
    vec![
        Package {
            name: "module",
            manifest: format!("[dependencies]\n{}", block(&module, "", "toml")),
            files: main(block(&module, "", "rust")),
        },
        Package {
            name: "names",
            manifest: "[dependencies]\niprof = { path = \"../iprof\" }\n".to_owned(),
            files: main(&format!(
                "fn main() -> std::io::Result<()> {{\n{named}\niprof::update(true);\n\
                 iprof::Format::Folded.write(&iprof::snapshot(), std::io::stdout())\n}}\n"
            )),
        },
        Package {
            name: "spans",
            manifest: block(&spans, "", "toml").to_owned(),
            files: main(of_spans),
        },
        Package {
            name: "layer",
            manifest: format!("{}{}\n", block(&spans, "", "toml"), LAYER_NEEDS),
            files: main(&with_layer(of_spans, &spans)),
        },
        Package {
            name: "scopes",
            manifest: block(&scopes, "", "toml").replace(
                "[dependencies]\n",
                "[dependencies]\nprofiling = { version = \"1.0\", features = [\"procmacros\"] }\n",
            ),
            files: main(SCOPED),
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

const LAYER_NEEDS: &str = "tracing-subscriber = \"0.3\"";

/// Replaces the guide's lines for a subscriber with its lines for a layer.
fn with_layer(program: &str, guide: &str) -> String {
    assert!(guide.contains(&format!("`{LAYER_NEEDS}`")));
    let layer = block(guide, LAYER_NEEDS, "rust,ignore");
    let program = program.replace("use iprof_tracing::{Options, Subscriber};\n", "");
    let (before, rest) = program
        .split_once("    Subscriber::")
        .expect("the program should create a subscriber");
    let (_, after) = rest
        .split_once(".init();\n")
        .expect("the line should end with `init`");
    format!("{before}{layer}{after}")
}

/// Replaces the paths in a guide's manifest with paths in this repository.
fn with_own_paths(manifest: &str) -> String {
    manifest.replace("../iprof", root().to_str().unwrap())
}

/// Returns the patch line that replaces the registry's iprof with a checkout.
fn checkout() -> String {
    let hosts = fs::read_to_string(root().join("docs/hosts.md")).unwrap();
    let (_, patch) = hosts
        .split_once("\n[patch.crates-io]\n")
        .expect("the guide should contain the lines");
    let mut lines = patch.lines();
    let line = lines.find(|line| line.starts_with("iprof = "));
    with_own_paths(line.expect("the lines should mention iprof")) + "\n"
}

/// Runs cargo in a folder. The command must succeed without warnings. Uses the registry only if something is not
/// available offline.
fn cargo(folder: &Path, arguments: &[&str]) -> Output {
    let run = |more: &[&str]| {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Command::new(cargo)
            .args(arguments)
            .args(more)
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", folder.join("target"))
            // Building without debug information is faster.
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("CARGO_INCREMENTAL", "0")
            .output()
            .unwrap()
    };
    let mut output = run(&["--offline"]);
    if !output.status.success() {
        output = run(&[]);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert!(!stderr.contains("warning"), "{stderr}");
    output
}

const PATCH: &str = "[patch.crates-io]\n";

/// Builds the packages as one workspace, so that shared dependencies are built only once. Returns the folder with the
/// programs.
fn build(packages: &[Package]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty folder");
    let (mut members, mut patch) = (Vec::new(), format!("{PATCH}{}", checkout()));
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
        let manifest = with_own_paths(manifest);
        // In a workspace, patches belong in the root manifest.
        let (own, patched) = manifest.split_once(PATCH).unwrap_or((&manifest, ""));
        let own = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n\n{own}");
        fs::write(at.join("Cargo.toml"), own).unwrap();
        patch += patched;
        members.push(*name);
    }
    let workspace = format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n{patch}");
    fs::write(folder.join("Cargo.toml"), workspace).unwrap();
    // Use the locked versions, which are available offline. `profiling` is left out, because a new user has no lock
    // file for it.
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let is_kept = |package: &&str| !package.contains("name = \"profiling\"\n");
    let kept: Vec<&str> = lock.split("[[package]]").filter(is_kept).collect();
    let kept = kept.join("[[package]]");
    let is_other = |line: &&str| !line.starts_with(" \"profiling 1");
    let kept: Vec<&str> = kept.lines().filter(is_other).collect();
    fs::write(folder.join("Cargo.lock"), kept.join("\n") + "\n").unwrap();
    cargo(&folder, &["build", "--quiet"]);
    folder.join("target/debug")
}

fn assert_prints(program: &Path, zones: &[&str]) {
    let output = Command::new(program).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{program:?}: {stdout}");
    for zone in zones {
        assert!(stdout.contains(zone), "{program:?}, {zone}: {stdout}");
    }
}

#[test]
#[ignore = "it builds everything from scratch: ./dev test --all"]
fn rust_guide_programs_report_their_zones() {
    let programs = build(&packages());
    for (name, zones) in [
        (
            "module",
            &["World::step", "physics", "World::collide", "plan"][..],
        ),
        // One zone gets its name from a script, and another has a source location in a script.
        (
            "names",
            &["main;patrol (main.rs) ", "main;patrol (patrol.lua) "],
        ),
        (
            "spans",
            &["step", "system::gravity", "system::collisions", "your_own"],
        ),
        ("layer", &["step", "system", "your_own"]),
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
        assert_prints(&programs.join(name), zones);
    }
}

/// Copies a dependency's source from the registry into a folder. `metadata` is the output of `cargo metadata`.
fn copy_of_package(name: &str, metadata: &str, to: &Path) {
    let id = format!("/{name}-1.");
    let paths = metadata.split("\"manifest_path\":\"").skip(1);
    let mut paths = paths.filter_map(|rest| rest.split('"').next());
    let manifest = paths.find(|path| path.contains(&id)).expect(name);
    let from = Path::new(manifest).parent().unwrap();
    fs::create_dir_all(to.join("src")).unwrap();
    for folder in ["", "src"] {
        for entry in fs::read_dir(from.join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                let text = fs::read(entry.path()).unwrap();
                fs::write(to.join(folder).join(entry.file_name()), text).unwrap();
            }
        }
    }
}

fn edit(file: PathBuf, edit: impl FnOnce(String) -> String) {
    let text = fs::read_to_string(&file).unwrap();
    let edited = edit(text.clone());
    assert_ne!(text, edited, "{file:?}");
    fs::write(file, edited).unwrap();
}

/// Tests the guide's backend in the original `profiling` crate, instead of iprof's replacement for the crate.
#[test]
#[ignore = "it builds everything from scratch: ./dev test --all"]
fn guide_adds_a_backend_to_profiling_crate() {
    let guide = text(SCOPES);
    let upstream = guide
        .split_once("In the crate `profiling` itself")
        .unwrap()
        .1;
    let (features, dependencies) = {
        let toml = block(upstream, "", "toml");
        let features = toml
            .strip_prefix("[features]\n")
            .expect("the manifest should begin with features");
        features
            .split_once("\n[dependencies]\n")
            .expect("the manifest should have both sections")
    };
    assert!(upstream.contains("wherever `profile-with-puffin` is in a list of features"));
    let folder = empty_folder("upstream");
    let package = |name: &str, more: &str| {
        let package =
            format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[dependencies]\n");
        let at = folder.join(name);
        fs::create_dir_all(at.join("src")).unwrap();
        fs::write(at.join("Cargo.toml"), package + more + "\n[workspace]\n").unwrap();
        fs::write(at.join("src/main.rs"), SCOPED).unwrap();
        at
    };
    // Fetch the package from the registry.
    let asks = "profiling = { version = \"1.0\", features = [\"procmacros\"] }\n";
    let probe = package("probe", asks);
    let metadata = cargo(&probe, &["metadata", "--quiet", "--format-version", "1"]).stdout;
    let metadata = String::from_utf8(metadata).unwrap();
    let [profiling, attributes] = ["profiling", "profiling-procmacros"].map(|name| {
        copy_of_package(name, &metadata, &folder.join(name));
        folder.join(name)
    });
    // Apply the guide's changes.
    let is_listed = "feature = \"profile-with-puffin\",";
    let with_feature = |text: String| {
        let listed = "feature = \"profile-with-iprof\",";
        text.replace(is_listed, &format!("{is_listed} {listed}"))
    };
    edit(profiling.join("Cargo.toml"), |text| {
        let text = text.replace("[features]\n", &format!("[features]\n{features}\n"));
        format!("{text}\n[dependencies]\n{dependencies}")
    });
    let attributes_manifest = attributes.join("Cargo.toml");
    edit(attributes_manifest, |text| {
        text.replace("[features]\n", "[features]\nprofile-with-iprof = []\n")
    });
    edit(attributes.join("src/lib.rs"), with_feature);
    edit(profiling.join("src/lib.rs"), |text| {
        with_feature(text) + block(upstream, "in `src/lib.rs`", "rust,ignore")
    });
    let macros = block(
        upstream,
        "module with its macros is `iprof_impl.rs`",
        "rust,ignore",
    );
    fs::write(profiling.join("src/iprof_impl.rs"), macros).unwrap();
    let patched = asks.replace("procmacros\"", "procmacros\", \"profile-with-iprof\"")
        + "iprof = \"0.3\"\n\n"
        + PATCH
        + &checkout()
        + "profiling = { path = \"../profiling\" }\n\
           profiling-procmacros = { path = \"../profiling-procmacros\" }\n";
    let program = package("program", &patched);
    cargo(&program, &["build", "--quiet"]);
    assert_prints(
        &program.join("target/debug/program"),
        &["step  ", " solve  "],
    );
}
