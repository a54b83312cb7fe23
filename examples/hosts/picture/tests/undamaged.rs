//! Tests that each host's picture is unchanged around the overlay, pixel for pixel, and that the overlay is visible.
//!
//! Each host runs twice on a separate X server, with the overlay and without, and writes a picture of the same frame.

mod c_library;

use picture::{GRAPH, GRAPH_SIZE, REPORT, SIZE};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The number of frames. It is enough for a window to reach its final size, and for state that the overlay fails to
/// restore to have an effect.
const FRAMES: &str = "60";
const LIMIT: Duration = Duration::from_secs(120);

struct Screen {
    server: Child,
    display: String,
}

impl Screen {
    /// Starts an X server. Returns `None` if Xvfb is neither installed nor required.
    fn new() -> Option<Screen> {
        let [width, height] = SIZE;
        let server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-dpi", "96"])
            .args(["-screen", "0", &format!("{width}x{height}x24")])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut server = match server {
            Ok(server) => server,
            Err(error) => {
                let required =
                    std::env::var("IPROF_REQUIRE_WINDOW").is_ok_and(|value| value == "1");
                assert!(!required, "a window is required; Xvfb: {error}");
                eprintln!("skipped; Xvfb: {error}");
                return None;
            }
        };
        let mut number = String::new();
        let stdout = server.stdout.take().expect("stdout should be piped");
        BufReader::new(stdout)
            .read_line(&mut number)
            .expect("Xvfb printed no display number");
        let display = format!(":{}", number.trim());
        Some(Screen { server, display })
    }

    fn shot(&self, host: &Path, format: &str, overlay: bool) -> Vec<[u8; 3]> {
        let name = host
            .file_stem()
            .expect("the host's path has no file name")
            .to_string_lossy();
        let kind = if overlay { "" } else { "-alone" };
        let file = format!("{name}{kind}.{format}");
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
        _ = std::fs::remove_file(&file);
        let mut command = Command::new(host);
        command.args(["--frames", FRAMES, "--shot"]).arg(&file);
        if !overlay {
            command.arg("--no-overlay");
        }
        let mut program = command
            .env("DISPLAY", &self.display)
            .env_remove("WAYLAND_DISPLAY")
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("WINIT_X11_SCALE_FACTOR", "1")
            .spawn()
            .expect("failed to start the host");
        let start = Instant::now();
        let status = loop {
            if let Some(status) = program
                .try_wait()
                .expect("failed to query the program's status")
            {
                break status;
            }
            if start.elapsed() > LIMIT {
                _ = program.kill();
                panic!("{name} is still running after {LIMIT:?}");
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        assert!(status.success(), "{name}: {status}");
        match format {
            "ppm" => read_ppm(&file),
            _ => read(&file),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        _ = self.server.kill();
        _ = self.server.wait();
    }
}

fn read(file: &Path) -> Vec<[u8; 3]> {
    let reader = BufReader::new(File::open(file).expect("failed to read the picture"));
    let mut reader = png::Decoder::new(reader).read_info().expect("invalid PNG");
    let mut bytes = vec![
        0;
        reader
            .output_buffer_size()
            .expect("the picture is too large")
    ];
    let info = reader
        .next_frame(&mut bytes)
        .expect("failed to decode the PNG");
    assert_eq!([info.width, info.height], SIZE, "{}", file.display());
    bytes.as_chunks::<3>().0.to_vec()
}

fn read_ppm(file: &Path) -> Vec<[u8; 3]> {
    let bytes = std::fs::read(file).expect("failed to read the picture");
    let head = format!("P6 {} {} 255\n", SIZE[0], SIZE[1]);
    let pixels = bytes
        .strip_prefix(head.as_bytes())
        .expect("unexpected picture header");
    assert_eq!(pixels.len(), 3 * (SIZE[0] * SIZE[1]) as usize);
    pixels.as_chunks::<3>().0.to_vec()
}

/// Builds a single host, so that iprof has only the features that the host enables.
fn build(host: &str) -> PathBuf {
    let status = Command::new(env!("CARGO"))
        // Bevy declares a newer Rust version than it needs.
        .args(["build", "--quiet", "--locked", "--ignore-rust-version"])
        .args(["--package", host])
        .args([
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"),
        ])
        .status()
        .expect("failed to run cargo");
    assert!(status.success(), "failed to build {host}");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    let program = format!("{host}{}", std::env::consts::EXE_SUFFIX);
    target
        .expect("`tmp` should be in the target folder")
        .join("debug")
        .join(program)
}

/// Returns the rectangles of the report and the graph: left, top, right and bottom, in px.
fn rectangles() -> [[usize; 4]; 2] {
    let [x, y, width, height] = REPORT;
    let report = [x, y, x + width, y + height];
    let ([x, y, ..], [width, height]) = (GRAPH, GRAPH_SIZE);
    [report, [x, y, x + width, y + height]].map(|rect| rect.map(|edge| edge as usize))
}

fn is_undamaged(host: &str) {
    is_undamaged_program(host, &build(host), "png", OVERLAY);
}

/// The minimum number of changed pixels in the report, for its title and a few rows, and in the graph, for its
/// background and bars.
const OVERLAY: [u32; 2] = [20_000; 2];

/// Compares a host's pictures with and without the overlay. At least `least` pixels of the report and the graph must
/// differ.
fn is_undamaged_program(host: &str, program: &Path, format: &str, least: [u32; 2]) {
    let Some(screen) = Screen::new() else { return };
    let alone = screen.shot(program, format, false);
    let shown = screen.shot(program, format, true);
    let colors: HashSet<_> = alone.iter().collect();
    assert!(
        colors.len() > 50,
        "{host} draws only {} colors",
        colors.len()
    );

    let mut changed = [0_u32; 2];
    let mut damaged = Vec::new();
    for (at, (shown, alone)) in shown.iter().zip(&alone).enumerate() {
        if shown == alone {
            continue;
        }
        let (x, y) = (at % SIZE[0] as usize, at / SIZE[0] as usize);
        let is_in = |[left, top, right, bottom]: &[usize; 4]| {
            (left..right).contains(&&x) && (top..bottom).contains(&&y)
        };
        match rectangles().iter().position(is_in) {
            Some(which) => changed[which] += 1,
            None => damaged.push((x, y, *alone, *shown)),
        }
    }
    assert!(
        damaged.is_empty(),
        "{host}: {} pixels outside of the overlay differ, starting with (x, y, without, with): {:?}",
        damaged.len(),
        &damaged[..damaged.len().min(8)]
    );
    for ((name, changed), least) in ["report", "graph"].into_iter().zip(changed).zip(least) {
        assert!(
            changed > least,
            "{host}: the {name} changes only {changed} pixels"
        );
    }
}

#[test]
fn bevy_is_undamaged() {
    is_undamaged("host-bevy");
}

#[test]
fn eframe_is_undamaged() {
    is_undamaged("host-eframe");
}

#[test]
fn eframe_with_glow_is_undamaged() {
    is_undamaged("host-eframe-glow");
}

#[test]
fn wgpu_is_undamaged() {
    is_undamaged("host-wgpu");
}

#[test]
fn opengl_is_undamaged() {
    is_undamaged("host-opengl");
}

#[test]
fn femtovg_is_undamaged() {
    is_undamaged("host-femtovg");
}

#[test]
fn miniquad_is_undamaged() {
    is_undamaged("host-miniquad");
}

#[test]
fn bevy_with_systems_as_zones_is_undamaged() {
    is_undamaged("host-tracing");
}

/// Tests the static library with a C program.
#[test]
fn c_program_is_undamaged() {
    let program = c_library::build("cc", "c/host.c", &["iprof-static", "sdl2", "gl"]);
    is_undamaged_program("C", &program, "ppm", OVERLAY);
}

/// Tests the shared library with a C++ program that draws text with its own function.
#[test]
fn cpp_program_for_the_original_is_undamaged() {
    let program = c_library::build("c++", "c/original.cpp", &["iprof", "glut", "gl"]);
    // This program's graph consists of lines.
    is_undamaged_program("the original's", &program, "ppm", [20_000, 150]);
}
