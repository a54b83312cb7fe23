//! The programs of the guide to hosts, docs/hosts.md, as they stand there: each is pasted into an empty crate with its
//! dependencies, built, and run in a window, where the overlay has to appear, keys show the help and close it, the mouse shows tooltips, and a click moves the cursor.

#[path = "../../../../tests/support/image.rs"]
#[allow(dead_code, unreachable_pub)]
mod image;
#[path = "../../../../tests/support/program.rs"]
#[allow(dead_code, unreachable_pub)]
mod program;
#[path = "../../../../tests/support/window.rs"]
#[allow(dead_code, unreachable_pub)]
mod window;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use window::{Window, XServer};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
const SIZE: [u16; 2] = [1280, 720];
/// How long a program may take to show something.
const LIMIT: Duration = Duration::from_secs(60);

/// The first block of that kind in a section of the guide.
fn block<'a>(section: &'a str, kind: &str) -> &'a str {
    let (_, block) = section
        .split_once(&format!("\n```{kind}\n"))
        .expect("a block");
    block.split_once("\n```").expect("the end of a block").0
}

/// Of the overlay, in sRGB: what is opaque has the same color on all targets.
const TOOLTIP_EDGE: [u8; 3] = [150, 170, 250];

/// Makes a crate of a section's program, and builds it.
fn build(name: &str) -> PathBuf {
    let guide = fs::read_to_string(Path::new(ROOT).join("docs/hosts.md")).expect("the guide");
    let (_, section) = guide
        .split_once(&format!("\n## {name}\n"))
        .expect("a section");
    let package = format!(
        "guide-{}",
        name.to_lowercase().replace(" + ", "-").replace(' ', "-")
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&package);
    fs::create_dir_all(folder.join("src")).expect("a folder");
    let root = fs::canonicalize(ROOT).expect("the repository");
    // What is not on the registry yet.
    let manifest = format!(
        "[package]\nname = \"{package}\"\nedition = \"2024\"\n\n[dependencies]\n{}\n\n\
         [workspace]\n\n[patch.crates-io]\niprof = {{ path = \"{root}\" }}\n\
         iprof-wgpu = {{ path = \"{root}/crates/iprof-wgpu\" }}\n\n\
         [profile.dev]\nopt-level = 1\ndebug = \"line-tables-only\"\n\n\
         [profile.dev.package.\"*\"]\ndebug = false\n",
        block(section, "toml"),
        root = root.display(),
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
    fs::write(folder.join("src/main.rs"), block(section, "rust,ignore")).expect("a program");
    // The versions of the other hosts.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock")).expect("a lock file");
    // And what was built for them.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    let target = target.expect("tmp lies in the target folder");
    let status = Command::new(env!("CARGO"))
        // Bevy names a newer Rust than it takes.
        .args(["build", "--quiet", "--ignore-rust-version"])
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        .status()
        .expect("cargo");
    assert!(status.success(), "the program for {name} does not build");
    target.join("debug").join(package)
}

/// Runs a section's program.
fn works(name: &str) {
    let Some(server) = XServer::start(SIZE[0], SIZE[1]) else {
        return;
    };
    let program = build(name);
    let _program = server.spawn(
        Command::new(program)
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("WINIT_X11_SCALE_FACTOR", "1"),
    );
    let window = Window::wait_for_any(&server, LIMIT);
    // The title of the report, in its color over whatever is there.
    let is_title = |[r, g, b]: [u8; 3]| b > 90 && b > 2 * r.max(1) && b > g;
    window.wait_until("the report is there", LIMIT, |screen| {
        (22..200).filter(|x| is_title(screen.rgb(*x, 21))).count() > 170
    });
    // Beside the report and above the graph there is the program's own picture, until the help covers it.
    let (width, _) = window.size();
    let free = |screen: &window::Screen| -> Vec<[u8; 3]> {
        let right = usize::from(width) - 50;
        (right - 100..right).map(|x| screen.rgb(x, 200)).collect()
    };
    // Bevy's first frames are black.
    let has_drawn = |screen: &window::Screen| free(screen).iter().any(|rgb| *rgb != [0; 3]);
    let own = free(&window.wait_until("the program has drawn", LIMIT, has_drawn));
    let is_own = |screen: &window::Screen| {
        let pixels = free(screen);
        let same = pixels.iter().zip(&own).filter(|(a, b)| a == b).count();
        same > pixels.len() / 2
    };
    window.key("F1");
    window.wait_until("the help is there", LIMIT, |screen| !is_own(screen));
    window.key("Escape");
    let screen = window.wait_until("the help is closed", LIMIT, is_own);
    // The blue of a tooltip's edge, which nothing else has in such a line.
    let has_tooltip = |screen: &window::Screen| {
        let is_edge = |x, y| screen.rgb(x, y) == TOOLTIP_EDGE;
        (1..screen.height).any(|y| (0..screen.width).filter(|x| is_edge(*x, y)).count() > 80)
    };
    window.mouse_move(300, 65);
    window.wait_until("the tooltip of a row", LIMIT, has_tooltip);
    window.mouse_move(i32::from(width) - 10, 200);
    window.wait_until("no tooltip", LIMIT, |screen| !has_tooltip(screen));
    // A click puts the cursor on the second row, between its name and its numbers.
    let (x, y) = (300, 87);
    let before = screen.rgb(x, y);
    window.mouse_move(x as i32, y as i32);
    window.click(1);
    // The cursor's row is lighter than the others.
    window.wait_until("the cursor is on the second row", LIMIT, |screen| {
        let sum = |rgb: [u8; 3]| rgb.iter().map(|c| u32::from(*c)).sum::<u32>();
        sum(screen.rgb(x, y)) > sum(before) + 20
    });
}

#[test]
fn the_program_for_eframe_works() {
    works("eframe");
}

#[test]
fn the_program_for_bevy_works() {
    works("Bevy");
}

#[test]
fn the_program_for_wgpu_works() {
    works("winit + wgpu");
}

#[test]
fn the_program_for_femtovg_works() {
    works("femtovg");
}

#[test]
fn the_program_for_miniquad_works() {
    works("miniquad");
}

#[test]
fn the_program_for_eframe_with_glow_works() {
    works("eframe with its glow renderer");
}

#[test]
fn the_program_for_macroquad_works() {
    works("macroquad");
}
