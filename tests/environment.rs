//! Tests environment variables that control an unmodified program. This test starts itself as that program. This file
//! is long because it also contains the program's code.
#![cfg(feature = "environment")]
#![allow(unsafe_code)] // An allocator needs unsafe code.

#[path = "support/own_program.rs"]
mod own_program;

use own_program::own_program;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

const CHILD: &str = "IPROF_TEST_CHILD";

/// The time limit for steps that are instant on an idle machine.
#[cfg(not(windows))]
const LIMIT: Duration = Duration::from_secs(60);

/// An allocator that ends the program during an allocation.
struct Ender;

thread_local! {
    static ENDS: Cell<bool> = const { Cell::new(false) };
}

#[global_allocator]
static ENDER: Ender = Ender;

// SAFETY: every call is forwarded to the system's allocator.
unsafe impl GlobalAlloc for Ender {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if ENDS.replace(false) {
            std::process::exit(3);
        }
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the same contract.
        unsafe { System.dealloc(at, layout) }
    }
}

fn work() {
    iprof::zone!(work);
    std::hint::black_box(());
}

/// The child program, whose code doesn't refer to the environment variables.
#[test]
fn a_program() {
    let Some(what) = env::var_os(CHILD) else {
        return;
    };
    if what == "late" {
        let outer = iprof::open_zone!(outer);
        iprof::set_timing(iprof::Timing::Exact);
        work();
        let recorded = iprof::snapshot();
        for zone in &recorded.zones {
            println!("zone: {}", zone.name);
        }
        drop(outer);
        return;
    }
    if what == "updates" {
        iprof::update(true);
        return;
    }
    for _ in 0..3 {
        work();
    }
    match what.to_str() {
        Some("zones") => {}
        Some("report") => {
            iprof::update(true);
            println!("timing: {:?}", iprof::timing());
            for warning in iprof::report().warnings {
                println!("warning: {warning}");
            }
        }
        Some("count") => {
            let recorded = iprof::snapshot();
            let nodes = recorded.threads.iter().flat_map(|thread| &thread.nodes);
            let entries: u64 = nodes.map(|node| node.entries).sum();
            println!("entries: {entries}");
        }
        Some("hot loop") => {
            // This program never calls the profiler, except to enter zones.
            println!("calls: {}", 3 + work_for(Duration::from_secs(2)));
        }
        #[cfg(target_os = "linux")]
        Some("loads") => {
            let calls = 3 + work_for(Duration::from_millis(400));
            println!("samples: {}", has_thread("iprof sampler"));
            iprof::update(true);
            let report = iprof::report();
            let row = report.rows.iter().find(|row| &*row.name == "work");
            let row = row.expect("the zone should have a row");
            let shown = row.value(iprof::ColumnId::Count).unwrap();
            println!("shown: {}", shown.number == calls as f64);
            println!("long: {}", report.frame_ms >= 400.0);
            let time = row.value(iprof::ColumnId::SelfTime).unwrap();
            println!("sampled: {}", time.standard_error > 0.0);
            {
                iprof::zone!(later);
                std::thread::sleep(Duration::from_millis(5));
            }
            iprof::update(true);
            let recorded = iprof::frame_snapshots(2..).next().unwrap().recorded;
            let is_later = |zone: u32| &*recorded.zones[zone as usize].name == "later";
            let mut nodes = recorded.threads.iter().flat_map(|thread| &thread.nodes);
            let later = nodes.find(|node| is_later(node.zone)).unwrap();
            println!("later exact: {}", later.error == 0.0);
        }
        Some("exit") => {
            // Call `exit` on a thread with open zones, while other threads are recording.
            for _ in 0..3 {
                std::thread::spawn(|| {
                    loop {
                        work();
                    }
                });
            }
            let ends = std::thread::Builder::new().name("ends".into());
            let thread = ends.spawn(|| {
                iprof::zone!(open);
                work();
                std::process::exit(7);
            });
            let _ = thread.unwrap().join();
        }
        Some("exit in an allocation") => {
            // Exit while the profiler is locked.
            ENDS.set(true);
            let _ = iprof::snapshot();
        }
        Some("panic") => {
            let _open = iprof::open_zone!(open);
            panic!("a test panic");
        }
        Some("parent") => {
            let output = program("zones").output().unwrap();
            assert!(output.status.success());
            env::set_current_dir(env::temp_dir()).unwrap();
            iprof::zone!(parents_own);
        }
        Some("frames") => {
            for _ in 0..3 {
                work();
                iprof::update(true);
            }
        }
        Some("signals" | "signals and frames") => {
            let has_frames = what == "signals and frames";
            println!("ready");
            let ends = std::thread::spawn(|| std::io::stdin().lines().next());
            while !ends.is_finished() {
                iprof::zone!(meanwhile);
                std::thread::sleep(Duration::from_millis(1));
                if has_frames {
                    iprof::update(true);
                }
            }
        }
        other => panic!("unknown task: {other:?}"),
    }
}

fn work_for(time: Duration) -> u64 {
    let start = Instant::now();
    let mut calls = 0;
    while start.elapsed() < time {
        for _ in 0..10_000 {
            work();
        }
        calls += 10_000;
    }
    calls
}

#[cfg(target_os = "linux")]
fn has_thread(name: &str) -> bool {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let mut names = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("comm")));
    // Ignore errors, because the name of a thread that has ended can't be read.
    names.any(|found| found.is_ok_and(|found| found.trim() == name))
}

/// Returns the command for a child that does `what`. The child inherits this process's environment.
fn program(what: &str) -> Command {
    let mut program = own_program();
    program.args(["--exact", "a_program", "--nocapture"]);
    program.env(CHILD, what);
    program
}

/// Returns the output of a child, which must succeed.
fn printed(what: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let mut program = program(what);
    program.envs(variables.iter().copied());
    let output = program.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    text.lines().map(str::to_owned).collect()
}

/// Returns the timing mode and the warnings about the environment.
fn timing_and_warnings(variables: &[(&str, &str)]) -> Vec<String> {
    let mut lines = printed("report", variables);
    lines.retain(|line| line.starts_with("timing:") || line.starts_with("warning: IPROF"));
    lines
}

#[test]
fn environment_sets_timing() {
    for (variables, timing) in [
        (&[][..], "Exact"),
        (&[("IPROF_TIMING", "off")][..], "Off"),
        (&[("IPROF_TIMING", "sampled:250")], "Sampled { hz: 250.0 }"),
        (
            &[("IPROF_TIMING", "sampled"), ("IPROF_FREQUENCY", "99")],
            "Sampled { hz: 99.0 }",
        ),
        (&[("IPROF_TIMING", "auto:5%")], "Auto { budget: 0.05 }"),
    ] {
        assert_eq!(
            timing_and_warnings(variables),
            [format!("timing: {timing}")]
        );
    }
}

#[test]
#[cfg(not(feature = "http"))]
fn port_without_endpoint_is_warned_about() {
    let lines = timing_and_warnings(&[("IPROF_PORT", "6060")]);
    assert_eq!(lines[0], "timing: Exact");
    assert!(lines[1].contains("lacks the feature `http`"), "{lines:?}");
}

#[test]
fn invalid_value_is_warned_about_and_ignored() {
    let lines = timing_and_warnings(&[("IPROF_TIMING", "fast")]);
    assert_eq!(lines[0], "timing: Exact");
    assert!(
        lines[1].contains("invalid timing mode \"fast\""),
        "{lines:?}"
    );
}

/// A program that contains only zones never shows a report, so errors must be printed.
#[test]
fn errors_are_printed_to_stderr() {
    for (variable, value) in [
        ("IPROF_TIMING", "fast"),
        ("IPROF_PORT", "none"),
        ("IPROF_SIGNAL", "USR2"),
    ] {
        // The first zone is either one of the program's own zones or `update`'s zone.
        for what in ["zones", "updates"] {
            let output = program(what).env(variable, value).output().unwrap();
            assert!(output.status.success());
            let errors = String::from_utf8(output.stderr).unwrap();
            assert_eq!(errors.lines().count(), 1, "{what}: {errors}");
            let says_which = errors.starts_with(&format!("iprof: {variable}: "));
            assert!(says_which, "{what}: {errors}");
        }
    }
}

#[test]
fn timing_mode_applies_from_the_first_zone_on() {
    for (timing, entries) in [("exact", 3), ("off", 0), ("sampled", 3)] {
        let printed = printed("count", &[("IPROF_TIMING", timing)]);
        let expected = format!("entries: {entries}");
        assert!(printed.contains(&expected), "{timing}: {printed:?}");
    }
}

#[test]
fn first_zone_is_not_recorded_while_timing_is_off() {
    let zones = |timing| {
        let mut lines = printed("late", &[("IPROF_TIMING", timing)]);
        lines.retain(|line| line.starts_with("zone: "));
        lines
    };
    assert_eq!(zones("off"), ["zone: (outside zones)", "zone: work"]);
    let all = ["zone: (outside zones)", "zone: outer", "zone: work"];
    assert_eq!(zones("exact"), all);
}

struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let name = format!("iprof-environment-{}-{test}", std::process::id());
        let folder = env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Runs a child that writes its profile to `path`. Returns its exit code and its stderr.
fn ended(what: &str, path: &Path) -> (i32, String) {
    let mut program = program(what);
    let output = program.env("IPROF_PROFILE", path).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    (
        output
            .status
            .code()
            .expect("the program should not be killed"),
        errors,
    )
}

/// Returns how many times zones named `zone` were entered, according to the call tree in a file.
fn entries(tree: &Path, zone: &str) -> u64 {
    let text = fs::read_to_string(tree).unwrap();
    let trees = text.split(", zones by self time").next().unwrap();
    let rows = trees.lines().filter(|line| {
        let name = line.rsplit([' ', '-']).next().unwrap();
        name == zone
    });
    let entries = rows.map(|row| {
        let first = row.split_whitespace().next().unwrap();
        first.parse::<u64>().unwrap_or_else(|_| panic!("{text}"))
    });
    entries.sum()
}

#[test]
fn program_without_updates_writes_its_profile() {
    let folder = Folder::new("end");
    let path = folder.path("profile.txt");
    let (code, errors) = ended("zones", &path);
    assert_eq!((code, &*errors), (0, ""));
    assert_eq!(entries(&path, "work"), 3);
    assert_eq!(folder.names(), ["profile.txt"]);
    // A second run replaces the file.
    fs::write(&path, "before").unwrap();
    ended("zones", &path);
    assert_eq!(entries(&path, "work"), 3);
}

/// Returns the titles of the frames in a timeline.
#[cfg(feature = "export")]
fn frames(path: &Path) -> Vec<String> {
    let mut file = fs::read(path).unwrap();
    if path.extension().is_some_and(|extension| extension == "gz") {
        let packed = std::mem::take(&mut file);
        let mut gzip = flate2::read::GzDecoder::new(&packed[..]);
        std::io::Read::read_to_end(&mut gzip, &mut file).unwrap();
    }
    let events: serde_json::Value = serde_json::from_slice(&file).unwrap();
    let events = events.as_array().unwrap().iter();
    let begins = events.filter(|event| event["cat"] == "frame" && event["ph"] == "B");
    begins
        .map(|event| event["name"].as_str().unwrap().to_owned())
        .collect()
}

#[cfg(feature = "export")]
#[test]
fn timeline_has_the_programs_frames() {
    let folder = Folder::new("timeline");
    for name in ["profile.trace.json", "profile.trace.json.gz"] {
        let path = folder.path(name);
        assert_eq!(ended("frames", &path), (0, String::new()));
        assert_eq!(frames(&path), ["frame 1", "frame 2", "frame 3"], "{name}");
        // A program that never calls `update` has one frame.
        assert_eq!(ended("zones", &path), (0, String::new()));
        assert_eq!(frames(&path), ["frame 1"], "{name}");
    }
}

#[cfg(feature = "export")]
#[test]
fn page_has_the_programs_frames() {
    let folder = Folder::new("page");
    let path = folder.path("profile.html");
    assert_eq!(ended("frames", &path), (0, String::new()));
    let page = fs::read_to_string(&path).unwrap();
    let (_, data) = page.split_once("id=\"frame-data\">").unwrap();
    let data = data.split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let frames = data["frames"].as_array().unwrap().iter();
    let numbers: Vec<_> = frames.map(|frame| frame["number"].as_u64()).collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3)]);
}

#[test]
fn file_name_can_request_cycles() {
    let folder = Folder::new("cycles");
    for (name, is_in_cycles) in [("profile.txt", false), ("profile.cycles.txt", true)] {
        let path = folder.path(name);
        ended("zones", &path);
        assert_eq!(entries(&path, "work"), 3);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.contains(" time/call cycles "), is_in_cycles, "{text}");
    }
}

#[test]
fn overhead_limit_holds_without_updates() {
    for (timing, is_sampled) in [("exact", false), ("auto:0.1", true)] {
        let folder = Folder::new(&timing.replace(':', "-"));
        let path = folder.path("profile.txt");
        let mut program = program("hot loop");
        program
            .env("IPROF_PROFILE", &path)
            .env("IPROF_TIMING", timing);
        let output = String::from_utf8(program.output().unwrap().stdout).unwrap();
        let calls = output.lines().find_map(|line| line.strip_prefix("calls: "));
        let calls: u64 = calls
            .expect("the program should print its calls")
            .parse()
            .unwrap();
        assert_eq!(entries(&path, "work"), calls);
        let text = fs::read_to_string(&path).unwrap();
        let row = text.lines().find(|row| row.ends_with("- work")).unwrap();
        let time = row.split_whitespace().nth(1).unwrap();
        assert_eq!(time.starts_with('~'), is_sampled, "{text}");
        assert_eq!(text.contains("+- "), is_sampled, "{text}");
        assert!(text.contains("1 thread, "), "{text}");
    }
}

/// With `Auto`, the first frame is sampled. In later frames, zones are timed exactly where that is cheap.
#[cfg(target_os = "linux")]
#[test]
fn auto_samples_the_first_frame_only() {
    for (timing, is_sampled) in [("exact", false), ("auto:0.1", true)] {
        let printed = printed("loads", &[("IPROF_TIMING", timing)]);
        for expected in [
            format!("samples: {is_sampled}"),
            "shown: true".to_owned(),
            "long: true".to_owned(),
            format!("sampled: {is_sampled}"),
            "later exact: true".to_owned(),
        ] {
            assert!(
                printed.contains(&expected),
                "{timing}, {expected}: {printed:?}"
            );
        }
    }
}

#[test]
fn every_way_of_exiting_keeps_the_exit_code() {
    let folder = Folder::new("exit");
    let path = folder.path("profile.txt");
    let (code, errors) = ended("exit", &path);
    assert_eq!((code, &*errors), (7, ""));
    // On Windows, `exit` ends all other threads before it calls the exit handlers, so no profile is written.
    if cfg!(windows) {
        assert_eq!(folder.names(), [] as [&str; 0]);
    } else {
        assert_eq!(entries(&path, "open"), 1);
        assert!(entries(&path, "work") >= 4);
    }
    let (code, _) = ended("panic", &path);
    assert_eq!(code, 101);
    // The test harness calls `exit` after a failed test.
    if cfg!(not(windows)) {
        assert_eq!(entries(&path, "open"), 1);
    }
    let (code, errors) = ended("zones", &folder.path("no/such/profile.txt"));
    assert_eq!(code, 0);
    // The error is printed once when the path is first read, and once more when no file could be written.
    assert_eq!(errors.lines().count(), 2, "{errors}");
    for line in errors.lines() {
        assert!(line.starts_with("iprof: IPROF_PROFILE: "), "{errors}");
    }
    match cfg!(windows) {
        true => assert_eq!(folder.names(), [] as [&str; 0]),
        false => assert_eq!(folder.names(), ["profile.txt"]),
    }
}

/// The allocator calls `exit`. On Windows, that doesn't run the exit handlers.
#[cfg(not(windows))]
#[test]
fn program_exits_while_measurements_are_locked() {
    let folder = Folder::new("locked");
    let begun = Instant::now();
    let (code, errors) = ended("exit in an allocation", &folder.path("profile.txt"));
    assert_eq!(code, 3);
    assert!(errors.contains("no profile written"), "{errors}");
    assert!(begun.elapsed() < LIMIT);
    assert_eq!(folder.names(), [] as [&str; 0]);
}

#[test]
fn file_name_without_format_is_warned_about() {
    let folder = Folder::new("format");
    let mut names = vec![("profile.xyz", "unrecognized file extension")];
    if cfg!(not(feature = "export")) {
        names.push(("profile.html", "feature `export`"));
    }
    for (name, reason) in names {
        let path = folder.path(name);
        let lines = timing_and_warnings(&[("IPROF_PROFILE", path.to_str().unwrap())]);
        assert!(lines[1].contains(reason), "{lines:?}");
        assert!(lines[1].contains(".folded, "), "{lines:?}");
        let (code, errors) = ended("zones", &path);
        assert_eq!(code, 0);
        assert!(errors.contains(reason), "{errors}");
    }
    assert_eq!(folder.names(), [] as [&str; 0]);
}

#[cfg(unix)]
#[test]
fn last_process_to_end_writes_the_file() {
    let folder = Folder::new("child");
    for (name, expected) in [("profile.txt", 1), ("profile.%p.txt", 2)] {
        let mut parent = program("parent");
        parent.current_dir(&folder.0).env("IPROF_PROFILE", name);
        let parent = parent.stdout(Stdio::null()).spawn().unwrap();
        let own = name.replace("%p", &parent.id().to_string());
        assert!(parent.wait_with_output().unwrap().status.success());
        let names = folder.names();
        assert_eq!(names.len(), expected, "{names:?}");
        // The child ended before its parent, so the parent's profile is the one that remains.
        assert_eq!(entries(&folder.path(&own), "parents_own"), 1);
        fs::remove_file(folder.path(&own)).unwrap();
        for child in folder.names() {
            assert_eq!(entries(&folder.path(&child), "parents_own"), 0);
            assert_eq!(entries(&folder.path(&child), "work"), 3);
        }
    }
}

#[test]
fn file_name_may_contain_the_process_id() {
    let folder = Folder::new("number");
    let mut child = program("zones");
    child.env("IPROF_PROFILE", folder.path("at %p.txt"));
    let child = child.stdout(Stdio::null()).spawn().unwrap();
    let name = format!("at {}.txt", child.id());
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(folder.names(), [name]);
}

#[test]
fn profile_is_empty_if_nothing_is_recorded() {
    let folder = Folder::new("off");
    let path = folder.path("profile.txt");
    let mut child = program("zones");
    child.env("IPROF_PROFILE", &path).env("IPROF_TIMING", "off");
    assert!(child.output().unwrap().status.success());
    assert_eq!(entries(&path, "work"), 0);
}

/// Starts a child that does `what` until told to end, and waits until the child is ready.
#[cfg(unix)]
fn begun(what: &str, variables: &[(&str, &str)]) -> std::process::Child {
    use std::io::BufRead;
    let mut program = program(what);
    program.envs(variables.iter().copied());
    program.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let mut lines = std::io::BufReader::new(child.stdout.as_mut().unwrap()).lines();
    let is_ready = |line: std::io::Result<String>| line.unwrap() == "ready";
    assert!(lines.any(is_ready));
    child
}

#[cfg(unix)]
#[test]
fn signal_starts_a_profile_and_the_next_writes_it() {
    let folder = Folder::new("signal");
    let path = folder.path("profile.txt");
    let variables = [
        ("IPROF_PROFILE", path.to_str().unwrap()),
        ("IPROF_SIGNAL", "USR2"),
    ];
    let mut child = begun("signals", &variables);
    let first = folder.path("profile.0.txt");
    let start = Instant::now();
    // Signals that arrive before an earlier one has been handled are merged with it.
    while !first.exists() {
        assert!(start.elapsed() < LIMIT);
        send("USR2", &child);
        std::thread::sleep(Duration::from_millis(300));
    }
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert!(entries(&first, "meanwhile") > 0);
    // All of the work was done before the first signal, so the profile contains none of it.
    assert_eq!(entries(&first, "work"), 0);
    assert!(!path.exists());
}

#[cfg(unix)]
fn send(signal: &str, to: &std::process::Child) {
    // Use the shell's built-in `kill`, because not every machine has a `kill` program.
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("kill -{signal} {}", to.id())]);
    assert!(shell.status().unwrap().success());
}

#[cfg(all(unix, feature = "export"))]
#[test]
fn timeline_has_the_frames_between_two_signals() {
    let folder = Folder::new("signal-frames");
    let path = folder.path("profile.trace.json");
    let variables = [
        ("IPROF_PROFILE", path.to_str().unwrap()),
        ("IPROF_SIGNAL", "USR2"),
    ];
    let mut child = begun("signals and frames", &variables);
    let start = Instant::now();
    let files = ["profile.0.trace.json", "profile.1.trace.json"].map(|name| folder.path(name));
    while !files[1].exists() {
        assert!(start.elapsed() < LIMIT);
        send("USR2", &child);
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    let [first, second] = files.map(|file| {
        let numbers = frames(&file);
        let number = |title: &String| title["frame ".len()..].parse::<u64>().unwrap();
        numbers.iter().map(number).collect::<Vec<_>>()
    });
    assert!(second[0] > first[first.len() - 1], "{first:?} {second:?}");
}

#[cfg(unix)]
#[test]
fn program_ended_by_signal_leaves_no_file() {
    let folder = Folder::new("killed");
    let path = folder.path("profile.txt");
    let (path, temporary) = (path.to_str().unwrap(), folder.0.to_str().unwrap());
    for signal in ["TERM", "KILL"] {
        let mut child = begun("signals", &[("IPROF_PROFILE", path), ("TMPDIR", temporary)]);
        send(signal, &child);
        assert!(!child.wait().unwrap().success());
        assert!(folder.names().is_empty(), "{signal}: {:?}", folder.names());
    }
}

#[cfg(unix)]
#[test]
fn invalid_signal_is_warned_about() {
    let folder = Folder::new("no-signal");
    let path = folder.path("profile.txt");
    let variables = [
        ("IPROF_PROFILE", path.to_str().unwrap()),
        ("IPROF_SIGNAL", "KILL"),
    ];
    let lines = timing_and_warnings(&variables);
    assert!(lines[1].contains("invalid signal \"KILL\""), "{lines:?}");
    assert!(entries(&path, "work") > 0);
    let mut child = begun("signals", &variables);
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn signal_without_file_is_warned_about() {
    let lines = timing_and_warnings(&[("IPROF_SIGNAL", "USR2")]);
    assert!(lines[1].contains("IPROF_PROFILE"), "{lines:?}");
}
