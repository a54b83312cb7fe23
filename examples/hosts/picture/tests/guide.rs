//! Tests the programs in docs/hosts. Each program is pasted into an empty crate with its dependencies, built, and run
//! in a window. The overlay must appear, keys must open and close the help, the mouse must show tooltips, and a click
//! must move the cursor.

mod c_library;
#[path = "../../../../tests/support/image.rs"]
#[allow(dead_code, unreachable_pub)]
mod image;
#[path = "../../../../tests/support/keyboard.rs"]
#[allow(dead_code, unreachable_pub)]
mod keyboard;
#[path = "../../../../tests/support/program.rs"]
#[allow(dead_code, unreachable_pub)]
mod program;
#[path = "../../../../tests/support/window.rs"]
#[allow(dead_code, unreachable_pub)]
mod window;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use window::{Window, XServer};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
const SIZE: [u16; 2] = [1280, 720];
/// The time limit for a program to show something.
const LIMIT: Duration = Duration::from_secs(60);

/// Returns the guide's first code block of the given kind.
fn block<'a>(guide: &'a str, kind: &str) -> &'a str {
    let (_, block) = guide
        .split_once(&format!("\n```{kind}\n"))
        .expect("the guide has no such code block");
    block
        .split_once("\n```")
        .expect("no end of the code block")
        .0
}

/// An overlay color in sRGB. Opaque colors are the same on all targets.
const TOOLTIP_EDGE: [u8; 3] = [150, 170, 250];

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).expect(path)
}

/// The guide's manifest line that turns `profiling` scopes into zones.
const PATCH: &str = "profiling = { path = \"../iprof/crates/iprof-profiling\" }";

/// Pastes a guide's program into a crate and builds it, optionally with the crate `profiling` replaced.
fn build(host: &str, is_patched: bool) -> PathBuf {
    let guide = read(&format!("docs/hosts/{host}.md"));
    let package = format!("pasted-{host}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&package);
    fs::create_dir_all(folder.join("src")).expect("failed to create the folder");
    let root = fs::canonicalize(ROOT).expect("failed to find the repository");
    // Until this version is published, the program uses the guide's lines for a checkout.
    let hosts = read("docs/hosts.md");
    let (_, checkout) = hosts
        .split_once("\n[patch.crates-io]\n")
        .expect("docs/hosts.md has no patch section");
    let (checkout, _) = checkout
        .split_once("\n```")
        .expect("no end of the quoted text");
    let patch = [checkout, if is_patched { PATCH } else { "" }].join("\n");
    let patch = patch.replace("../iprof", &root.display().to_string());
    let manifest = format!(
        "[package]\nname = \"{package}\"\nedition = \"2024\"\n\n[dependencies]\n{}\n\n\
         [workspace]\n\n[patch.crates-io]\n{patch}\n\n\
         [profile.dev]\nopt-level = 1\ndebug = \"line-tables-only\"\n\n\
         [profile.dev.package.\"*\"]\ndebug = false\n",
        block(&guide, "toml"),
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("failed to write the manifest");
    fs::write(folder.join("src/main.rs"), block(&guide, "rust,ignore"))
        .expect("failed to write the program");
    // The lock file pins the versions that the other hosts use.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock")).expect("failed to copy the lock file");
    if is_patched {
        let mut update = Command::new(env!("CARGO"));
        update.args(["update", "--quiet", "--offline", "profiling"]);
        let status = update
            .current_dir(&folder)
            .status()
            .expect("failed to run cargo");
        assert!(status.success(), "failed to update the lock file");
    }
    // This target folder already contains the other hosts' dependencies.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    let target = target.expect("`tmp` should be in the target folder");
    let status = Command::new(env!("CARGO"))
        // Bevy declares a newer Rust version than it needs.
        .args(["build", "--quiet", "--ignore-rust-version"])
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        .status()
        .expect("failed to run cargo");
    assert!(status.success(), "failed to build the program for {host}");
    target.join("debug").join(package)
}

/// Returns whether the report's title is visible. Its color is blended with whatever is below.
fn has_title(screen: &window::Screen) -> bool {
    let is_title = |[r, g, b]: [u8; 3]| b > 90 && b > 2 * r.max(1) && b > g;
    (22..200).filter(|x| is_title(screen.rgb(*x, 21))).count() > 170
}

/// Runs a guide's program, and checks its overlay.
fn works(host: &str) {
    works_when_built(|| build(host, false));
}

fn works_when_built(build: impl FnOnce() -> PathBuf) {
    let Some(server) = XServer::start(SIZE[0], SIZE[1]) else {
        return;
    };
    let program = build();
    let _program = server.spawn(
        Command::new(program)
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("WINIT_X11_SCALE_FACTOR", "1"),
    );
    let window = Window::wait_for_any(&server, LIMIT);
    window.wait_until("the report is visible", LIMIT, has_title);
    // To the right of the report and above the graph, the program's picture is visible unless the help covers it.
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
    window.wait_until("the help is open", LIMIT, |screen| !is_own(screen));
    window.key("Escape");
    let screen = window.wait_until("the help is closed", LIMIT, is_own);
    // The blue of the tooltip's edge. Nothing else has a line in this color.
    let has_tooltip = |screen: &window::Screen| {
        let is_edge = |x, y| screen.rgb(x, y) == TOOLTIP_EDGE;
        (1..screen.height).any(|y| (0..screen.width).filter(|x| is_edge(*x, y)).count() > 80)
    };
    window.mouse_move(300, 65);
    window.wait_until("the row's tooltip is visible", LIMIT, has_tooltip);
    window.mouse_move(i32::from(width) - 10, 200);
    window.wait_until("the tooltip is hidden", LIMIT, |screen| {
        !has_tooltip(screen)
    });
    // A click moves the cursor to the second row, between its name and its numbers.
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

/// Tests that, in the unmodified eframe program, one manifest line turns the scopes in egui, eframe and wgpu into
/// zones.
#[test]
fn one_manifest_line_turns_scopes_into_zones() {
    let guide = read("docs/profiling.md");
    assert!(guide.contains(PATCH));
    // The zones that the guide names.
    let (_, named) = guide
        .split_once("With that line the program for eframe")
        .expect("the guide should name the zones");
    let (named, _) = named
        .split_once(". `./dev hosts`")
        .expect("no end of the quoted text");
    let named: Vec<&str> = named.split('`').skip(1).step_by(2).collect();
    assert_eq!(named.len(), 5, "{named:?}");
    let Some(server) = XServer::start(SIZE[0], SIZE[1]) else {
        return;
    };
    let program = build("eframe", true);
    let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide-eframe-profiling.txt");
    let mut program = server.spawn(
        Command::new(program)
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("WINIT_X11_SCALE_FACTOR", "1")
            .env("IPROF_PROFILE", &profile),
    );
    let window = Window::wait_for_any(&server, LIMIT);
    window.wait_until("the report is visible", LIMIT, has_title);
    std::thread::sleep(Duration::from_secs(2));
    window.close();
    program.wait(LIMIT);
    let text = fs::read_to_string(profile).expect("failed to read the profile");
    // Each tree row contains entries, times, and the name after its branch. If two zones have the same name, the file
    // follows the name.
    let rows: Vec<(&str, u64)> = text
        .lines()
        .filter_map(|line| {
            let (_, name) = line
                .split_once("- ")
                .filter(|(branch, _)| branch.ends_with(['|', '`']))?;
            let entries = line.split_whitespace().next()?.parse::<u64>().ok()?;
            Some((name.split(" (").next()?, entries))
        })
        .collect();
    let entries = |zone: &str| -> u64 {
        let of_zone = rows.iter().filter(|(name, _)| *name == zone);
        of_zone.map(|(_, entries)| entries).sum()
    };
    let zones: BTreeSet<&str> = rows.iter().map(|(name, _)| *name).collect();
    assert!(zones.len() >= 100, "{}: {text}", zones.len());
    let frames = entries("App::ui");
    assert!(frames > 5, "{text}");
    let checked = [
        // The program's scopes and egui's.
        ("panel", 1),
        ("Context::begin_pass", 1),
        ("Context::end_pass", 1),
        ("tessellator::tessellate_shapes", 1),
        ("Tessellator::tessellate_shapes", 1),
        // The scopes in egui-wgpu and eframe.
        ("WgpuWinitRunning::run_ui_and_paint", 1),
        ("Renderer::render", 1),
        // The scopes in wgpu. egui-wgpu also has a scope with the first name.
        ("Surface::present", 1),
        ("Queue::submit", 2),
        ("Surface::get_current_texture", 1),
    ];
    for name in named {
        let is_it = |(zone, _): &(&str, u64)| *zone == name || name == "App::ui";
        assert!(checked.iter().any(is_it), "{name} is not checked");
    }
    for (zone, a_frame) in checked {
        // The window's first and last frames may be incomplete.
        let found = entries(zone);
        assert!(
            found.abs_diff(a_frame * frames) <= 2 * a_frame,
            "{zone}: {found} in {frames}\n{text}"
        );
    }
    // Only the program's `update` ends frames. eframe's `finish_frame!` must not.
    let is_said = |count: u64| text.contains(&format!(", {count} frames, "));
    assert!((frames - 2..frames + 3).any(is_said), "{frames}\n{text}");
}

#[test]
fn eframe_program_works() {
    works("eframe");
}

#[test]
fn bevy_program_works() {
    works("bevy");
}

/// Counts the lines that a reader has to paste, excluding `use`, blank lines and comments.
#[test]
fn bevy_plugin_has_at_most_60_lines() {
    let host = read("examples/hosts/bevy/src/profiler.rs");
    let guide = read("docs/hosts/bevy.md");
    for program in [&*host, block(&guide, "rust,ignore")] {
        let (_, plugin) = program
            .split_once("struct ProfilerPlugin;")
            .expect("the guide has no plugin");
        let lines = plugin.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
        // The count includes the line with the plugin's name.
        let count = 1 + lines.count();
        assert!((20..=60).contains(&count), "{count} lines");
    }
}

#[test]
fn wgpu_program_works() {
    works("winit-wgpu");
}

#[test]
fn opengl_program_works() {
    works("glutin");
}

#[test]
fn sdl_program_works() {
    works("sdl2");
}

#[test]
fn femtovg_program_works() {
    works("femtovg");
}

#[test]
fn miniquad_program_works() {
    works("miniquad");
}

#[test]
fn eframe_with_glow_program_works() {
    works("eframe-glow");
}

#[test]
fn macroquad_program_works() {
    works("macroquad");
}

/// `tests/docs.rs` in the repository checks that the guide's program is this file.
#[test]
fn c_program_works() {
    let packages = ["iprof-static", "sdl2", "gl"];
    works_when_built(|| c_library::build("cc", "guide/sdl2-c.c", &packages));
}
