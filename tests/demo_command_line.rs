//! Runs the demo without a window: off screen, with text output, and with all of its command-line options. This file is
//! long because the tests share the helpers that run the demo.

#![cfg(all(feature = "enable", feature = "winit-0-30"))]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;
use std::{env, fs};
use support::headless::{Headless, Kind, Target};
use support::own_program::program_at;
use support::program::{Program, example};
use support::report_text::{self, Section};

/// The options for pictures whose size doesn't matter.
const SMALL: [&str; 2] = ["--size", "320x180"];

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("demo_command_line");
    let path = path.join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("failed to create the test's directory");
    path
}

/// Returns the command that runs the demo without a display.
fn demo(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = program_at(&example("demo"));
    command.current_dir(directory).args(arguments);
    for variable in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(variable);
    }
    command
}

fn run(command: &mut Command) -> (String, Output) {
    let output = command.output().expect("failed to start the demo");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output)
}

#[track_caller]
fn assert_ends_well(output: &Output) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {error}", output.status);
    assert_eq!(error, "", "standard error should be empty");
}

/// Returns a picture's width, height and RGB pixels.
fn picture(path: &Path) -> (u32, u32, Vec<u8>) {
    let file = fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file))
        .read_info()
        .expect("the picture should be a PNG file");
    let mut pixels = vec![
        0;
        reader
            .output_buffer_size()
            .expect("the picture should have a valid size")
    ];
    let info = reader
        .next_frame(&mut pixels)
        .expect("the picture should contain PNG data");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width, info.height, pixels)
}

fn threads(sections: &[Section]) -> Vec<&str> {
    // A title consists of the milliseconds, the frames per second, the kind of list, and the thread.
    let mut names: Vec<&str> = sections[1..]
        .iter()
        .filter_map(|section| section.title.split("  ").nth(3))
        .filter_map(|part| match part {
            "GPU" => Some(part),
            _ => part.strip_prefix("thread "),
        })
        .collect();
    names.sort_unstable();
    names
}

/// Asserts that the rows add up to the frame time. Rows are rounded to four decimal places, and the title to two.
fn assert_sums_to_the_frame(section: &Section) {
    let sum: f64 = section.rows.iter().map(|row| row.self_ms).sum();
    let rounding = 0.000_051 * (section.rows.len() + 1) as f64;
    let printed_sum = section.sum.expect("a thread's section should show its sum");
    assert!((sum - printed_sum).abs() <= rounding, "{sum} {section:#?}");
    assert!(
        (sum - section.frame_ms()).abs() <= rounding + 0.005,
        "{sum} {section:#?}"
    );
}

fn gl() -> bool {
    Headless::new(Kind::Gl33Core, Target::new(8, 8)).is_some()
}

#[test]
fn one_frame_option_draws_one_frame() {
    if !gl() {
        return;
    }
    let (text, output) = run(&mut demo(&directory("one_frame"), &["--frames", "1"]));
    assert_ends_well(&output);
    let expected = "drew 1 frame off screen. It is in demo.png";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn demo_without_display_draws_off_screen() {
    if !gl() {
        return;
    }
    let directory = directory("off_screen");
    let (text, output) = run(&mut demo(&directory, &["--frames", "20"]));
    assert_ends_well(&output);
    let (width, height, _) = picture(&directory.join("demo.png"));
    assert_eq!((width, height), (1280, 720));
    let mentions = text.lines().filter(|line| line.contains("demo.png"));
    assert_eq!(mentions.count(), 1, "{text}");
    // The output is a report that fits on a terminal screen, followed by a paragraph that explains what to do next.
    assert!(text.lines().count() <= 24, "{text}");
    let (reports, last) = text
        .rsplit_once("\n\n")
        .expect("the output should end with a separate paragraph");
    assert!(
        last.starts_with("No display: drew 20 frames off screen. The last one is in demo.png"),
        "{text}"
    );
    for next in ["F1", "README.md"] {
        assert!(last.contains(next), "{next}: {text}");
    }
    let (rows, rest) = reports
        .rsplit_once("\n  the first 12 of ")
        .expect("the list should be followed by the call graph");
    assert!(rest.contains("--report FILE.txt"), "{text}");
    let sections = report_text::read(rows);
    assert_eq!(sections.len(), 1, "{text}");
    assert!(sections[0].title.contains("self time"), "{text}");
    assert_eq!(sections[0].rows.len(), 12, "{text}");
    let left: Vec<_> = fs::read_dir(&directory)
        .expect("failed to list the directory")
        .collect();
    assert_eq!(left.len(), 1, "only the picture should be left: {left:?}");
}

#[test]
fn shot_and_report_are_written() {
    if !gl() {
        return;
    }
    let directory = directory("files");
    let arguments = ["--frames", "20", "--threads", "2"];
    let files = ["--shot", "a.png", "--report", "a.txt"];
    let (text, output) = run(demo(&directory, &arguments).args(files));
    assert_ends_well(&output);

    let (width, height, pixels) = picture(&directory.join("a.png"));
    assert_eq!((width, height), (1280, 720));
    let mut colors: Vec<&[u8; 3]> = pixels.as_chunks::<3>().0.iter().collect();
    colors.sort_unstable();
    colors.dedup();
    assert!(colors.len() > 1000, "{} colors", colors.len());
    assert!(!directory.join("demo.png").exists());

    let report = fs::read_to_string(directory.join("a.txt")).expect("the report should be written");
    let sections = report_text::read(&report);
    assert_eq!(
        threads(&sections),
        ["GPU", "main", "tracer #1", "tracer #2"]
    );
    let stage = &sections[0].rows[sections[0]
        .find("draw::stage")
        .expect("the zone should have a row")];
    assert!(stage.gpu_ms.is_some(), "{report}");
    for section in &sections[1..] {
        assert_sums_to_the_frame(section);
        if section.title.contains("thread tracer") {
            for zone in ["trace_ray", "intersect", "shade", "shadow_ray"] {
                let row = section.find(zone).map(|at| &section.rows[at]);
                assert!(
                    row.is_some_and(|row| row.count > 0.0),
                    "{zone}: {section:#?}"
                );
            }
        }
    }
    let printed = report_text::read(text.split("\n  the first").next().unwrap());
    assert_eq!(
        printed[0].title, sections[0].title,
        "the printed report and the file should be equal"
    );
    let named = |section: &Section| -> Vec<String> {
        let names = section.rows.iter().map(|row| row.name.clone());
        names.take(12).collect()
    };
    assert_eq!(named(&printed[0]), named(&sections[0]));
}

#[test]
fn size_mode_and_threads_options_apply() {
    if !gl() {
        return;
    }
    let directory = directory("options");
    let arguments = ["--frames", "3", "--size", "640x480", "--threads", "1"];
    for (mode, title) in [
        ("self-time", "self time"),
        ("hierarchical-time", "hierarchical time"),
        ("call-graph", "call graph"),
    ] {
        let files = ["--mode", mode, "--report", "r.txt"];
        let (_, output) = run(demo(&directory, &arguments).args(files));
        assert_ends_well(&output);
        let report =
            fs::read_to_string(directory.join("r.txt")).expect("the report should be written");
        let sections = report_text::read(&report);
        assert!(sections[0].title.contains(title), "{}", sections[0].title);
        assert_eq!(threads(&sections), ["GPU", "main", "tracer"]);
        let (width, height, _) = picture(&directory.join("demo.png"));
        assert_eq!((width, height), (640, 480));
    }
}

#[test]
fn timing_net_times_and_fine_zones_options_apply() {
    if !gl() {
        return;
    }
    let directory = directory("timing");
    for (timing, title) in [
        ("exact", "exact  overhead "),
        ("auto:0.5%", "auto: budget 0.5 %, measured "),
        ("sampled:250", "sampled at 250 Hz  overhead "),
        ("off", "off (not recording)"),
    ] {
        let arguments = ["--frames", "30", "--net", "--fine", "--report", "r.txt"];
        let timing_mode = ["--timing", timing];
        let (_, output) = run(demo(&directory, &arguments).args(timing_mode).args(SMALL));
        assert_ends_well(&output);
        let report =
            fs::read_to_string(directory.join("r.txt")).expect("the report should be written");
        let sections = report_text::read(&report);
        assert!(
            sections[0].timing.starts_with(title),
            "{}",
            sections[0].timing
        );
        assert!(sections[0].columns.contains(&"net ms".to_owned()));
        if timing == "off" {
            assert!(sections[0].rows.is_empty(), "{report}");
            continue;
        }
        for section in &sections[1..] {
            assert_sums_to_the_frame(section);
        }
        let branches: Vec<_> = sections
            .iter()
            .flat_map(|section| &section.rows)
            .filter(|row| row.zone() == "search_branch" && row.count > 0.0)
            .collect();
        assert!(!branches.is_empty(), "{report}");
        // A zone that is only counted would have no time, and only sampled times have an error.
        assert!(branches.iter().any(|row| row.hier_ms > 0.0), "{report}");
        let sampled = branches.iter().any(|row| row.sampled);
        assert_eq!(sampled, timing != "exact", "{report}");
        let errors = branches.iter().any(|row| row.error_ms.is_some());
        assert_eq!(errors, sampled, "{report}");
    }
}

/// Sums a zone's numbers over its call stacks, for each column of a CSV profile.
#[cfg(feature = "export")]
fn sums(csv: &str, zone: &str) -> std::collections::HashMap<String, f64> {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().expect("the profile should have a header");
    let zone_at = head
        .iter()
        .position(|name| *name == "zone")
        .expect("the profile should have a column of zones");
    let mut sums = std::collections::HashMap::new();
    for line in lines.filter(|line| line[zone_at] == zone) {
        for (name, value) in head.iter().zip(line) {
            *sums.entry((*name).to_owned()).or_default() += value.parse::<f64>().unwrap_or(0.0);
        }
    }
    sums
}

/// The test compares only numbers that are the same on every machine.
#[cfg(feature = "export")]
#[test]
fn each_fault_affects_only_its_own_numbers() {
    const FRAMES: f64 = 130.0;
    const PARTICLES: f64 = 4_000.0;
    /// The number of particle groups. In a storm, each group goes through [`MORE_ROUNDS`] additional collision rounds.
    const BATCHES: f64 = 16.0;
    const MORE_ROUNDS: f64 = 399.0;
    if !gl() {
        return;
    }
    let directory = directory("faults");
    let profile = |fault: &[&str]| {
        let path = directory.join("profile.csv");
        let arguments = [
            "--headless",
            "--frames",
            "130",
            "--fps",
            "60",
            "--rays",
            "1",
        ];
        let mut command = demo(&directory, &arguments);
        command.args(SMALL).args(fault);
        let (_, output) = run(command.env("IPROF_PROFILE", &path));
        assert_ends_well(&output);
        fs::read_to_string(&path).expect("the profile should be written")
    };
    let [collide, fade, labels] = ["particles::collide", "trails::fade", "labels::write"];
    let sound = profile(&[]);
    let calls = |csv: &str, zone| sums(csv, zone).get("entries").copied().unwrap_or(0.0);
    assert_eq!([calls(&sound, fade), calls(&sound, labels)], [0.0; 2]);

    let storms = profile(&["--fault", "storms"]);
    let more = calls(&storms, collide) - calls(&sound, collide);
    assert_eq!(
        more,
        BATCHES * MORE_ROUNDS,
        "there should be one storm, at step 120"
    );

    let growth = profile(&["--fault", "growth"]);
    let marks = PARTICLES * FRAMES * (FRAMES - 1.0) / 2.0;
    assert_eq!(sums(&growth, fade)["marks"], marks);
    assert!(sums(&growth, fade)["alloc_objects"] < 30.0);
    assert_eq!(calls(&growth, collide), calls(&sound, collide));

    let allocations = profile(&["--fault", "allocations"]);
    assert_eq!(calls(&allocations, labels), (FRAMES / 30.0).floor());
    // Each label formats three numbers and joins them, ten times over.
    let least = 10.0 * 4.0 * PARTICLES * (FRAMES / 30.0).floor();
    let sums = sums(&allocations, labels);
    let objects = sums["alloc_objects"];
    assert!(
        (least..1.5 * least).contains(&objects),
        "{objects} objects, expected at least {least}"
    );
    assert!(sums["inuse_objects"] < 0.05 * objects, "{sums:?}");
    assert_eq!(calls(&allocations, collide), calls(&sound, collide));
}

/// The fault occurs in one of thirty frames. In this test, it occurs in the last frame.
#[test]
fn zone_over_budget_is_reported() {
    if !gl() {
        return;
    }
    let directory = directory("budget");
    let arguments = "--headless --frames 30 --rays 1 --fault allocations --report r.txt \
                     --budget labels::write=0.001 --budget frame=600000";
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let (_, output) = run(demo(&directory, &words).args(SMALL));
    assert_ends_well(&output);
    let report = fs::read_to_string(directory.join("r.txt")).expect("the report should be written");
    let is_over = |line: &&str| line.contains("(over budget)");
    let over: Vec<&str> = report.lines().filter(is_over).collect();
    let of_labels = |line: &&str| line.contains("labels::write  (over budget)");
    assert!(!over.is_empty() && over.iter().all(of_labels), "{report}");
}

/// Checks the demo while the environment variables hide OpenGL from it. Returns `None` if the demo finds OpenGL anyway.
fn without_gl(name: &str, variables: &[(&str, &Path)]) -> Option<()> {
    let directory = directory(name);
    let mut command = demo(&directory, &["--frames", "5", "--report", "r.txt"]);
    let (text, output) = run(command.envs(variables.iter().copied()));
    // Drivers may print anything to standard error.
    assert!(output.status.success(), "{output:?}");
    let last = text
        .lines()
        .last()
        .expect("the demo should print something");
    if last.contains("drew 5 frames off screen") {
        return None;
    }
    assert!(last.contains("libegl1 and libgl1-mesa-dri"), "{text}");
    assert!(text.contains("trace_ray"), "{text}");
    let report = fs::read_to_string(directory.join("r.txt")).expect("the report should be written");
    let sections = report_text::read(&report);
    assert!(sections[0].find("trace_ray").is_some(), "{report}");
    for section in &sections[1..] {
        assert_sums_to_the_frame(section);
    }
    Some(())
}

/// Not every libEGL loads vendor libraries. It may itself be a driver.
#[test]
fn report_is_printed_without_egl_vendor() {
    let nowhere = Path::new("/nonexistent");
    if without_gl("vendor", &[("__EGL_VENDOR_LIBRARY_FILENAMES", nowhere)]).is_none() {
        eprintln!("skipped: this libEGL does not heed __EGL_VENDOR_LIBRARY_FILENAMES");
    }
}

/// Newer versions of Mesa contain all drivers in one library, which is located differently.
#[test]
fn report_is_printed_without_gl_driver() {
    let nowhere = Path::new("/nonexistent");
    if without_gl("driver", &[("LIBGL_DRIVERS_PATH", nowhere)]).is_none() {
        eprintln!("skipped: this driver does not heed LIBGL_DRIVERS_PATH");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn report_is_printed_without_libegl() {
    let broken = directory("broken_libraries");
    for name in ["libEGL.so.1", "libEGL.so"] {
        fs::write(broken.join(name), "not a library").expect("failed to write the file");
    }
    without_gl("libegl", &[("LD_LIBRARY_PATH", &broken)]).expect("libEGL should not be found");
}

#[test]
fn planted_deadlock_is_reported() {
    let mut command = demo(&directory("deadlock"), &["--fault", "deadlock"]);
    command.args(["--headless", "--frames", "100000", "--threads", "1"]);
    command.args(SMALL);
    command.env("IPROF_STALL", "1");
    let mut demo = Program::spawn(&mut command);
    // Both threads in the deadlock are printed: first the main thread, and then the thread that was started last.
    for zone in ["update_scene", "wait_for_file", "save", "wait_for_scene"] {
        demo.wait_for_line(&format!(" {zone} "), Duration::from_secs(60));
    }
    assert!(demo.is_running());
}

#[test]
fn invalid_option_prints_one_line_and_exits_with_2() {
    let directory = directory("bad");
    for arguments in [
        &["--frames", "0"][..],
        &["--frames", "many"],
        &["--frames"],
        &["--size", "640"],
        &["--size", "0x480"],
        &["--size", "99999x1"],
        &["--mode", "upside-down"],
        &["--threads", "0"],
        &["--threads", "65"],
        &["--timing", "guessed"],
        &["--timing", "auto:much"],
        &["--fault", "all"],
        &["--headless=yes"],
        &["--color"],
        &["-x"],
        &["picture.png"],
    ] {
        let (text, output) = run(&mut demo(&directory, arguments));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert_eq!(text, "", "{arguments:?}");
        assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
        assert!(error.starts_with("demo: "), "{arguments:?}: {error}");
    }
}

#[test]
fn help_lists_every_option_and_succeeds() {
    let directory = directory("help");
    for argument in ["--help", "-h"] {
        let (text, output) = run(&mut demo(&directory, &[argument]));
        assert_ends_well(&output);
        for option in [
            "--frames",
            "--size",
            "--shot",
            "--report",
            "--mode",
            "--threads",
            "--timing",
            "--net",
            "--fine",
            "--start",
            "--fault",
            "--headless",
        ] {
            assert!(text.contains(option), "{option}: {text}");
        }
    }
}

#[test]
fn unwritable_file_is_reported_and_not_created() {
    if !gl() {
        return;
    }
    let directory = directory("unwritable");
    let arguments = ["--frames", "2", "--report", "no/such/directory.txt"];
    let (_, output) = run(demo(&directory, &arguments).args(SMALL));
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains("no/such/directory.txt"), "{error}");
}
