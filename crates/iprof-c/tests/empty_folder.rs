//! Programs that are built from an empty folder by the lines of their guides, as a new user builds them: attributes of
//! modules, names that are known at run time, spans of `tracing`, scopes of `profiling`, and C in Rust; and the crate `profiling` with
//! the backend that the guide proposes. Those of C alone are in `installed.rs`, those of eframe, wgpu and the like in `examples/hosts`.

#![cfg(target_os = "linux")]

mod guides;

use guides::{block, empty_folder, part, root, with_hidden_lines};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

const ZONES: &str = "docs/other-zones.md";
const SCOPES: &str = "## Scopes of the crate `profiling`";

/// A package: its name, its manifest as the guide has it, and its files.
struct Package {
    name: &'static str,
    manifest: String,
    files: Vec<(&'static str, String)>,
}

/// The code of a library, which knows nothing of iprof.
const SCOPED: &str = "#[profiling::function]
    fn step() { profiling::scope!(\"solve\"); }
    fn main() -> std::io::Result<()> {
        for _ in 0..3 { step(); profiling::finish_frame!(); }
        iprof::write_report(std::io::stdout())
    }";

fn packages() -> Vec<Package> {
    let module = part(ZONES, "## A line per module");
    let names = part(ZONES, "## Names that are known at run time");
    let spans = part(ZONES, "## Spans of `tracing`");
    let scopes = part(ZONES, SCOPES);
    let c = part("crates/iprof-c/README.md", "## With Rust");
    let main = |code: &str| vec![("src/main.rs", code.to_owned())];
    let named = ["", "It keeps the zone", "A named value"]
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

/// The program of the guide with its lines for a layer in place of those for a subscriber.
fn with_layer(program: &str, guide: &str) -> String {
    assert!(guide.contains(&format!("`{LAYER_NEEDS}`")));
    let layer = block(guide, LAYER_NEEDS, "rust,ignore");
    let program = program.replace("use iprof_tracing::{Options, Subscriber};\n", "");
    let (before, rest) = program.split_once("    Subscriber::").expect("its line");
    let (_, after) = rest.split_once(".init();\n").expect("the line's end");
    format!("{before}{layer}{after}")
}

/// What a manifest of a guide says, where the repository stands elsewhere.
fn with_own_paths(manifest: &str) -> String {
    manifest.replace("../iprof", root().to_str().unwrap())
}

/// The line by which a checkout stands for what is not on the registry.
fn checkout() -> String {
    let hosts = fs::read_to_string(root().join("docs/hosts.md")).unwrap();
    let (_, patch) = hosts
        .split_once("\n[patch.crates-io]\n")
        .expect("the lines");
    let mut lines = patch.lines();
    let line = lines.find(|line| line.starts_with("iprof = "));
    with_own_paths(line.expect("iprof's")) + "\n"
}

/// Runs cargo in a folder, which asks the registry only if something is not there; it has to succeed without a warning.
fn cargo(folder: &Path, arguments: &[&str]) -> Output {
    let run = |more: &[&str]| {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Command::new(cargo)
            .args(arguments)
            .args(more)
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", folder.join("target"))
            // It is built sooner.
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("CARGO_INCREMENTAL", "0")
            .output()
            .unwrap()
    };
    let mut output = run(&["--offline"]);
    if !output.status.success() {
        output = run(&[]);
    }
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complained}");
    assert!(!complained.contains("warning"), "{complained}");
    output
}

const PATCH: &str = "[patch.crates-io]\n";

/// Builds them, as one workspace, so that what they share is built once; returns the folder of the programs.
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
        // Of a workspace it is the root's.
        let (own, patched) = manifest.split_once(PATCH).unwrap_or((&manifest, ""));
        let own = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n\n{own}");
        fs::write(at.join("Cargo.toml"), own).unwrap();
        patch += patched;
        members.push(*name);
    }
    let workspace = format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n{patch}");
    fs::write(folder.join("Cargo.toml"), workspace).unwrap();
    // The versions that are known to be there, but for `profiling`, of which a new user's folder has none.
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

/// Runs a program, whose report has to have these.
fn assert_prints(program: &Path, zones: &[&str]) {
    let output = Command::new(program).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{program:?}: {said}");
    for zone in zones {
        assert!(said.contains(zone), "{program:?}, {zone}: {said}");
    }
}

#[test]
#[ignore = "it builds everything anew: ./dev test --all"]
fn programs_of_rust_are_built_and_report_their_zones_as_their_guides_say() {
    let programs = build(&packages());
    for (name, zones) in [
        (
            "module",
            &["World::step", "physics", "World::collide", "plan"][..],
        ),
        // By the name of a script, and with a place in one.
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

/// The package of that name, as the registry has it, copied into a folder; of the packages that a manifest there has.
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

/// The crate `profiling` with the backend of the guide, in which nothing else of iprof takes its place.
#[test]
#[ignore = "it builds everything anew: ./dev test --all"]
fn a_backend_in_the_crate_profiling_itself_is_what_the_guide_says() {
    let guide = part(ZONES, SCOPES);
    let upstream = guide
        .split_once("In the crate `profiling` itself")
        .unwrap()
        .1;
    let (features, dependencies) = {
        let toml = block(upstream, "", "toml");
        let features = toml.strip_prefix("[features]\n").expect("its head");
        features.split_once("\n[dependencies]\n").expect("both")
    };
    assert!(upstream.contains("wherever `profile-with-puffin` stands in a list of features"));
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
    // What the registry has.
    let asks = "profiling = { version = \"1.0\", features = [\"procmacros\"] }\n";
    let probe = package("probe", asks);
    let metadata = cargo(&probe, &["metadata", "--quiet", "--format-version", "1"]).stdout;
    let metadata = String::from_utf8(metadata).unwrap();
    let [profiling, attributes] = ["profiling", "profiling-procmacros"].map(|name| {
        copy_of_package(name, &metadata, &folder.join(name));
        folder.join(name)
    });
    // The lines of the guide.
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
    let macros = block(upstream, "module with its macros", "rust,ignore");
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
