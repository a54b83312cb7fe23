//! Drives the demo in a window with the keyboard and mouse, as a user would.
//!
//! When `w` is pressed, the demo writes its report and a picture, after all earlier keys have taken effect. A report
//! from [`Demo::report`] therefore shows the effects of all earlier keys. Most tests pause the profiler and look at a
//! remembered frame, because the numbers and the row order of such a frame don't change.
//!
//! This file is long because the tests share the helpers that drive and examine the demo's window.

#![cfg(all(feature = "enable", feature = "winit-0-30"))]

#[path = "demo_window/guide.rs"]
mod guide;
mod support;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{env, fs, thread};
use support::image::Image;
use support::own_program::program_at;
use support::program::{Program, example};
use support::report_text::{self, Section, TextRow};
use support::window::{Screen, Window, XServer};

/// The time limit for steps that are instant on an idle machine.
const LIMIT: Duration = Duration::from_secs(60);
/// The time limit for steps that need rays to be traced. The camera flies for 11 s at a time and then rests for 4 s.
/// Toward the end of a rest, there is nothing left to trace.
const WORK_LIMIT: Duration = Duration::from_secs(120);
/// The window's size. It is just large enough to show everything, because a larger window would take the CPU longer to
/// draw.
const SIZE: (u16, u16) = (960, 540);
/// The time at which the demo starts, in seconds into the camera's flight. The camera flies for 2 s more, so that rays
/// are traced. It then rests, so that other tests aren't slowed down.
const START: &str = "13";
/// The frame rate. It is low enough for several demos to run at the same time. The scene advances by frame, not by
/// time.
const FPS: u32 = 30;
/// Rays per frame, in thousands. Tracing takes both threads about 5 ms, so that two demos have time left to draw.
const RAYS: &str = "1";
/// Options for tests without storms. Without a GPU, drawing all particles takes a third of a frame.
const FEW_PARTICLES: &[&str] = &["--particles", "300"];
/// The minimum number of frames in the graph.
const FRAMES: u64 = 30;
/// The distance of the demo's report from the left and top edges of the window, and the report's width, in pixels.
const REPORT: usize = 20;
const REPORT_WIDTH: usize = 560;
/// The height of a line in a report, in pixels.
const LINE: usize = 15;
/// The top, right and bottom edges of the graph, in pixels.
const GRAPH_TOP: i32 = SIZE.1 as i32 - 172;
const GRAPH_RIGHT: i32 = SIZE.0 as i32 - 20;
const GRAPH_FOOT: i32 = SIZE.1 as i32 - 28;
/// The bars' top and left edges, below the graph's title and legend, and to the right of its axis labels.
const BARS_TOP: usize = GRAPH_TOP as usize + 5;
const BARS_LEFT: usize = 80;
const EMPTY_SPOT: (i32, i32) = (SIZE.0 as i32 - 60, 200);

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("demo_window");
    let path = path.join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("failed to create the test's directory");
    path
}

fn server() -> Option<XServer> {
    let server = XServer::start(SIZE.0, SIZE.1)?;
    can_open_a_window(&server).then_some(server)
}

/// Whether the demo finds the libraries that it needs to open a window. Demos that are statically linked or built for a
/// different architecture don't find them. In that case, the tests are skipped with a message, unless
/// `IPROF_REQUIRE_WINDOW=1`.
fn can_open_a_window(server: &XServer) -> bool {
    static OUTPUT: OnceLock<String> = OnceLock::new();
    if env::var("IPROF_REQUIRE_WINDOW").is_ok_and(|value| value == "1") {
        return true;
    }
    let output = OUTPUT.get_or_init(|| {
        let mut command = program_at(&example("demo"));
        command.current_dir(directory("a_frame"));
        let mut program = server.spawn(command.args(["--frames", "1"]));
        program.wait(WORK_LIMIT);
        program.output()
    });
    let fell_back = ["No display", "No OpenGL here"];
    let cannot = fell_back.iter().any(|why| output.contains(why));
    if cannot {
        println!("skipped: the demo finds a display, and cannot open a window");
    }
    !cannot
}

struct Demo<'a> {
    // The program. It must be dropped before the server that its window is on.
    program: Program,
    window: Window<'a>,
    report: PathBuf,
    shot: PathBuf,
}

impl<'a> Demo<'a> {
    /// Starts the demo and waits for its overlay.
    fn start(server: &'a XServer, name: &str) -> Demo<'a> {
        Demo::start_with(server, name, 2, FEW_PARTICLES)
    }

    /// Like [`Demo::start`], with the given number of tracing threads and other options.
    fn start_with(server: &'a XServer, name: &str, threads: u32, options: &[&str]) -> Demo<'a> {
        let (threads, fps) = (threads.to_string(), FPS.to_string());
        let usual = ["--threads", &threads, "--start", START];
        let usual = [&usual[..], &["--fps", &fps, "--rays", RAYS], options];
        Demo::start_as(server, name, &usual.concat())
    }

    /// Like [`Demo::start`], but with only the given options.
    fn start_as(server: &'a XServer, name: &str, options: &[&str]) -> Demo<'a> {
        let directory = directory(name);
        let (report, shot) = (directory.join("report.txt"), directory.join("shot.png"));
        let mut command = program_at(&example("demo"));
        command.current_dir(&directory).args(options);
        command.arg("--size").arg(format!("{}x{}", SIZE.0, SIZE.1));
        command
            .arg("--report")
            .arg(&report)
            .arg("--shot")
            .arg(&shot);
        let program = server.spawn(&mut command);
        let window = Window::wait_for(server, "iprof demo", LIMIT);
        assert_eq!(window.size(), SIZE);
        window.wait_until("the profiler is drawn", LIMIT, is_overlay_there);
        // The pointer starts in the middle of the window, where it would open a tooltip, so move it away.
        window.mouse_move(EMPTY_SPOT.0, EMPTY_SPOT.1);
        Demo {
            program,
            window,
            report,
            shot,
        }
    }

    /// Starts the demo, records [`FRAMES`] frames, pauses, and shows a remembered frame in which rays were traced. The
    /// threads are outside zones between tiles, so the frame contains idle time.
    fn start_at_a_frame(server: &'a XServer, name: &str) -> Demo<'a> {
        let demo = Demo::start(server, name);
        demo.pause_at(|frame| {
            let row = frame.find("trace_ray").map(|at| &frame.rows[at]);
            let is_work = row.is_some_and(|row| row.name == "trace_ray (5)" && row.hier_ms > 1.0);
            // A row's `+` reflects calls in all frames, so each call must have occurred at least once before rows are
            // compared.
            let take = frame.find("take_tile").map(|at| &frame.rows[at]);
            let has_waited = take.is_some_and(|row| row.expansion == '+');
            is_work && has_waited && frame.find("(idle)").is_some()
        });
        demo
    }

    /// Records [`FRAMES`] frames, and then pauses at the first frame that meets a condition.
    #[track_caller]
    fn pause_at(&self, is_such: impl Fn(&Section) -> bool) {
        self.wait_for_frames(FRAMES);
        let start = Instant::now();
        loop {
            let report = self.after("space Left");
            if is_such(&report) {
                return;
            }
            assert!(start.elapsed() < WORK_LIMIT, "no such frame: {report:#?}");
            self.keys("Home space");
            // Wait for a few frames, however long they take.
            for _ in 0..3 {
                self.report();
            }
        }
    }

    /// Waits until more than `frames` are remembered.
    #[track_caller]
    fn wait_for_frames(&self, frames: u64) {
        // Recording the frames takes at least this long.
        thread::sleep(Duration::from_secs(frames) / FPS);
        self.wait_for("some frames", |_| {
            let report = self.after("Left");
            self.keys("Home");
            frame(&report.title).is_some_and(|(number, _)| number > frames)
        });
    }

    fn keys(&self, names: &str) {
        for name in names.split(' ') {
            self.window.key(name);
        }
    }

    /// Makes the demo write its report, and returns the report.
    #[track_caller]
    fn report(&self) -> Section {
        report_text::read(&self.report_text()).swap_remove(0)
    }

    #[track_caller]
    fn report_text(&self) -> String {
        let _ = fs::remove_file(&self.report);
        self.window.key("w");
        let start = Instant::now();
        loop {
            if let Ok(text) = fs::read_to_string(&self.report) {
                return text;
            }
            assert!(
                start.elapsed() < LIMIT,
                "the demo did not write a report in time"
            );
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Locates the rows of `report` in the picture that the demo writes in the same frame. A screenshot of the window
    /// may show an earlier frame with a different number of title lines.
    #[track_caller]
    fn rows_of(&self, report: &Section) -> RowPlaces {
        let picture = Screen::showing(&Image::read_opaque(&self.shot));
        let (top, bottom) = cursor_row(&picture).expect("the cursor's row should be visible");
        let height = (bottom - top) as i32;
        let first = top as i32 - report.cursor() as i32 * height;
        RowPlaces { first, height }
    }

    /// Presses keys, and returns the resulting report.
    #[track_caller]
    fn after(&self, keys: &str) -> Section {
        self.keys(keys);
        self.report()
    }

    #[track_caller]
    fn wait_for(&self, what: &str, holds: impl Fn(&Section) -> bool) {
        let start = Instant::now();
        while !holds(&self.report()) {
            assert!(start.elapsed() < LIMIT, "waited for {LIMIT:?}: {what}");
        }
    }

    #[track_caller]
    fn go_to(&self, row: usize) {
        for _ in 0..row {
            self.window.key("Down");
        }
        assert_eq!(self.report().cursor(), row);
    }

    fn keep_screenshot(&self, name: &str) {
        let path = self.shot.with_file_name(format!("{name}.png"));
        self.window.screenshot(&path);
        println!("screenshot: {}", path.display());
    }

    #[track_caller]
    fn assert_ends_well(mut self) {
        let status = self.program.wait(LIMIT);
        assert_eq!(status.code(), Some(0), "{}", self.program.output());
        assert_eq!(self.program.output(), "");
    }
}

// ---- The screen ----

/// Whether the color is the blue of a title bar, over any background.
fn is_title_blue([r, g, b]: [u8; 3]) -> bool {
    (33..=57).contains(&r) && (50..=76).contains(&g) && (108..=136).contains(&b)
}

/// Whether the color is the background of the cursor's row.
fn is_violet([r, g, b]: [u8; 3]) -> bool {
    // The background is [46, 50, 98] and lets 4% of the scene through.
    (42..=58).contains(&r) && (46..=62).contains(&g) && (90..=107).contains(&b)
}

fn is_overlay_there(screen: &Screen) -> bool {
    blue_part(screen, REPORT..REPORT + 14) > 0.6 && has_upper_edge(screen)
}

/// Returns the fraction of the report's pixels in lines `ys` that have the background of a title bar.
fn blue_part(screen: &Screen, ys: std::ops::Range<usize>) -> f64 {
    let pixels = ys.flat_map(|y| (REPORT..REPORT + REPORT_WIDTH).map(move |x| (x, y)));
    let blue: Vec<bool> = pixels
        .map(|(x, y)| is_title_blue(screen.rgb(x, y)))
        .collect();
    blue.iter().filter(|blue| **blue).count() as f64 / blue.len() as f64
}

/// Whether the help is open. The help makes the area next to the report dark, where the scene would be bright.
fn is_help(screen: &Screen) -> bool {
    let is_dark = |[r, g, b]: [u8; 3]| r < 30 && g < 34 && b < 60;
    let beside = REPORT + REPORT_WIDTH + 2;
    let pixels = (40..200).flat_map(|y| (beside..beside + 10).map(move |x| (x, y)));
    let dark: Vec<bool> = pixels.map(|(x, y)| is_dark(screen.rgb(x, y))).collect();
    dark.iter().filter(|dark| **dark).count() * 10 > dark.len() * 6
}

/// Whether the hint that refers to the help is at the end of the title's second line.
fn is_hint(screen: &Screen) -> bool {
    let [r, g, b] = screen.rgb(REPORT + REPORT_WIDTH - 2, REPORT + LINE + 1);
    r > 230 && g > 220 && b < 150
}

/// Whether the title bar has a visible upper edge. Color alone isn't enough, because the evening sky can be as blue as
/// a title bar.
fn has_upper_edge(screen: &Screen) -> bool {
    let contrast = |x: usize| {
        let (above, below) = (screen.rgb(x, REPORT - 1), screen.rgb(x, REPORT));
        (0..3).any(|at| above[at].abs_diff(below[at]) > 8)
    };
    let xs = REPORT..REPORT + REPORT_WIDTH;
    xs.clone().filter(|x| contrast(*x)).count() > xs.len() / 2
}

/// Returns the top and bottom edges of the cursor's row.
fn cursor_row(screen: &Screen) -> Option<(usize, usize)> {
    // Neither text nor the heat bar is this close to the edge.
    let violet = |y: &usize| is_violet(screen.rgb(REPORT + 2, *y));
    let top = (REPORT..screen.height).find(violet)?;
    let bottom = (top..screen.height).find(|y| !violet(y))?;
    Some((top, bottom))
}

/// The positions of a report's rows, in pixels from the top of the window.
struct RowPlaces {
    first: i32,
    height: i32,
}

impl RowPlaces {
    fn middle(&self, position: usize) -> i32 {
        self.first + position as i32 * self.height + self.height / 2
    }
}

/// Returns the left edge of the first column's header, `self ms`.
fn first_column(screen: &Screen, line: usize) -> usize {
    let header = REPORT + 2 * line..REPORT + 3 * line;
    let is_text = |x: &usize| header.clone().any(|y| screen.rgb(*x, y)[2] > 180);
    // Search to the right of the word `zone`.
    (REPORT + 100..REPORT + REPORT_WIDTH)
        .find(is_text)
        .expect("the column header should be visible")
}

/// Counts the pixels in the graph that differ by more than the scene behind the graph could cause.
fn changes_in_graph(a: &Screen, b: &Screen) -> usize {
    let bars = (GRAPH_TOP as usize..GRAPH_FOOT as usize)
        .flat_map(|y| (REPORT..GRAPH_RIGHT as usize).map(move |x| (x, y)));
    let differ = |(x, y): &(usize, usize)| {
        let (a, b) = (a.rgb(*x, *y), b.rgb(*x, *y));
        // The graph lets 10% of the scene through. Idle time is drawn in pale colors.
        (0..3).any(|at| a[at].abs_diff(b[at]) > 36)
    };
    bars.filter(differ).count()
}

/// Returns the x coordinate of the tallest bar, by the zones' colors. Time outside zones is gray, and text doesn't
/// reach as high.
fn tallest_bar(screen: &Screen) -> i32 {
    let is_of_a_zone = |x: usize, y: usize| {
        let [r, g, b] = screen.rgb(x, y);
        let (least, most) = (r.min(g).min(b), r.max(g).max(b));
        most > 120 && most - least > 40
    };
    let height = |x: usize| {
        let up = (BARS_TOP..GRAPH_FOOT as usize).rev();
        up.take_while(|y| is_of_a_zone(x, *y)).count()
    };
    let columns = BARS_LEFT..GRAPH_RIGHT as usize;
    columns.max_by_key(|x| height(*x)).unwrap_or(BARS_LEFT) as i32
}

// ---- Assertions ----

/// Checks that the end of the title names the expected frame.
#[track_caller]
fn assert_shows(report: &Section, what: &str) {
    let title = &report.title;
    assert!(
        title.ends_with(&format!("  {what}")),
        "title should end with {what}: {title}"
    );
}

#[track_caller]
fn assert_descending(rows: &[TextRow], value: impl Fn(&TextRow) -> f64) {
    assert!(rows.is_sorted_by(|a, b| value(a) >= value(b)), "{rows:#?}");
}

/// Returns a list's ranked rows. These are all rows except the last one, the collapsed `(idle)` row for the time that
/// the demo's threads spend waiting.
#[track_caller]
fn ranked(list: &Section) -> &[TextRow] {
    let (idle, ranked) = list.rows.split_last().expect("the list should have rows");
    assert_eq!((idle.expansion, idle.name.as_str()), ('+', "(idle)"));
    let works = |row: &TextRow| !row.name.ends_with("(idle)");
    assert!(ranked.iter().all(works), "{list:#?}");
    ranked
}

/// Asserts that the rows add up to the expected sum. Values are printed with two decimal places.
#[track_caller]
fn assert_sum(rows: &[TextRow], value: impl Fn(&TextRow) -> f64, expected: f64) {
    let sum: f64 = rows.iter().map(value).sum();
    let rounding = 0.005 * (rows.len() + 2) as f64 + 1e-6;
    assert!(
        (sum - expected).abs() <= rounding,
        "sum is {sum}, expected {expected}: {rows:#?}"
    );
}

#[track_caller]
fn assert_call_graph(report: &Section) {
    assert!(report.title.contains("call graph"), "{}", report.title);
    let (callers, zone, callees) = report.call_graph();
    if zone.name != "(outside zones)" {
        assert_sum(callers, |row| row.self_ms, zone.self_ms);
        assert_sum(callers, |row| row.hier_ms, zone.hier_ms);
        let calls: f64 = callers.iter().map(|row| row.count).sum();
        assert_eq!(
            calls, zone.count,
            "a frame's calls should add up: {report:#?}"
        );
    }
    assert_sum(callees, |row| row.hier_ms, zone.hier_ms - zone.self_ms);
    // Idle callees are listed last.
    let idle = callees
        .iter()
        .position(|row| row.name.ends_with("  (idle)"));
    let (working, idle) = callees.split_at(idle.unwrap_or(callees.len()));
    assert_descending(working, |row| row.hier_ms);
    assert_descending(idle, |row| row.hier_ms);
    assert!(
        callers.is_sorted_by(|a, b| a.hier_ms <= b.hier_ms),
        "{report:#?}"
    );
}

/// Returns the number and age in a title such as `... frame 31, 2 frames ago`.
fn frame(title: &str) -> Option<(u64, u64)> {
    let (_, text) = title.split_once("  frame ")?;
    let text = text.trim_end_matches("s ago").trim_end_matches(" ago");
    let (number, ago) = text.strip_suffix(" frame")?.split_once(", ")?;
    Some((number.parse().ok()?, ago.parse().ok()?))
}

// ---- Keys ----

#[test]
fn space_pauses_and_resumes() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "pause");
    // Wait for the GPU times of the last frames, which arrive later.
    thread::sleep(Duration::from_secs(1));
    let paused = demo.after("Home");
    assert_shows(&paused, "paused, 0.8 s average");
    thread::sleep(Duration::from_secs(1));
    assert_eq!(demo.report(), paused);
    let resumed = demo.after("space");
    assert_shows(&resumed, "live, 0.8 s average");
    demo.wait_for("other numbers", |report| report.rows != resumed.rows);
    assert_shows(&demo.after("space"), "paused, 0.8 s average");

    demo.keys("Escape");
    demo.assert_ends_well();
}

#[test]
fn cursor_moves_and_each_mode_shows_its_rows() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "modes");
    let report = demo.report();
    assert!(report.rows.len() > 15, "{report:#?}");
    assert_eq!(report.cursor(), 0);
    assert_eq!(demo.after("Down").cursor(), 1);
    assert_eq!(demo.after("Down Down").cursor(), 3);
    assert_eq!(demo.after("Up").cursor(), 2);
    assert_eq!(demo.after("Next").cursor(), 12);
    assert_eq!(demo.after("Prior").cursor(), 2);
    assert_eq!(
        demo.after("Up Up Up").cursor(),
        0,
        "the cursor should stay on the first row"
    );
    assert_eq!(
        demo.after("Next Next Next Next Next").cursor(),
        report.rows.len() - 1
    );

    assert!(report.title.contains("  self time  "), "{}", report.title);
    assert_descending(ranked(&report), |row| row.self_ms);
    let report = demo.after("Tab");
    assert!(
        report.title.contains("  hierarchical time  "),
        "{}",
        report.title
    );
    assert_descending(ranked(&report), |row| row.hier_ms);
    assert_eq!(
        report.cursor(),
        0,
        "a new list should start with its first row"
    );
    let report = demo.after("Tab");
    assert_call_graph(&report);
    assert_eq!(report.call_graph().1.name, "(outside zones)");
    let report = demo.after("Tab");
    assert!(report.title.contains("  descendants  "), "{}", report.title);
    let tree = demo.after("Tab");
    assert!(tree.title.contains("  call tree  "), "{}", tree.title);
    assert_eq!(
        (tree.rows[0].name.as_str(), tree.rows[0].expansion),
        ("(outside zones)", '-')
    );
    let report = demo.after("Tab");
    assert!(report.title.contains("  self time  "), "{}", report.title);
}

#[test]
fn rows_expand_and_selections_go_back_and_forward() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "opened");
    let list = demo.report();
    // In the call tree, a row's callees are below it.
    let tree = demo.after("Tab Tab Tab Tab");
    let at = tree.rows.iter().position(|row| row.expansion == '+');
    let at = at.expect("a zone should have a caller");
    demo.go_to(at);
    let open = demo.after("plus");
    assert_eq!(open.rows[at].expansion, '-');
    let under: Vec<_> = open.rows[at + 1..]
        .iter()
        .take_while(|row| row.indent > open.rows[at].indent)
        .collect();
    assert!(!under.is_empty());
    assert_eq!(open.rows.len(), tree.rows.len() + under.len());
    let sum: f64 = under.iter().map(|row| row.hier_ms).sum();
    let row = &open.rows[at];
    assert!((sum - (row.hier_ms - row.self_ms)).abs() < 0.02 * under.len() as f64);
    demo.keep_screenshot("tree");
    // On the first row below the parent, the first `-` goes back up to the parent row. The second `-` collapses the
    // parent.
    assert_eq!(demo.after("Down minus").cursor(), at);
    assert_eq!(demo.after("minus").rows.len(), tree.rows.len());

    // Callers expand in the same way, but upward: they appear above the row.
    demo.keys("Tab");
    demo.go_to(list.find("intersect").expect("rays should be traced"));
    let graph = demo.after("Return");
    let (callers, ..) = graph.call_graph();
    let zone = callers.len();
    let opened = demo.after("Up plus");
    assert!(opened.rows.len() > graph.rows.len(), "{opened:#?}");
    assert!(
        opened.cursor() > zone - 1,
        "callers should be above the zone"
    );
    demo.keep_screenshot("callers");
    demo.keys("minus");

    let parent = demo.after("BackSpace").call_graph().1.name.clone();
    assert_eq!(
        demo.after("comma").call_graph().1.name,
        graph.call_graph().1.name
    );
    assert_eq!(demo.after("period").call_graph().1.name, parent);
    let first = demo.after("comma comma");
    assert!(first.title.contains("  self time  "), "{}", first.title);
}

#[test]
fn rows_sort_by_each_column_in_both_directions() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "sorted");
    let plain = demo.report();
    assert_eq!(plain.sorted, None);
    type Value = fn(&TextRow) -> f64;
    let values: [(&str, Value); 4] = [
        ("self ms", |row| row.self_ms),
        ("hier ms", |row| row.hier_ms),
        ("gpu self ms", |row| {
            row.gpu_ms.expect("the row should have a GPU time")
        }),
        ("count", |row| row.count),
    ];
    for (header, value) in values {
        let report = demo.after("o");
        assert_eq!(report.sorted, Some((header.to_owned(), false)));
        assert_descending(ranked(&report), value);
        let turned = demo.after("q");
        assert_eq!(turned.sorted, Some((header.to_owned(), true)));
        let mut rows = ranked(&turned).to_vec();
        rows.reverse();
        assert_descending(&rows, value);
        demo.keys("q");
    }
    demo.keep_screenshot("by_count");
    let by_name = demo.after("o");
    assert_eq!(by_name.sorted, Some(("zone".to_owned(), true)));
    let name = |row: &TextRow| row.name.to_lowercase();
    assert!(ranked(&by_name).is_sorted_by_key(name), "{by_name:#?}");
    assert_eq!(
        demo.after("o"),
        plain,
        "rows should be in the mode's usual order again"
    );
}

#[test]
fn folded_rows_and_zone_groups_expand() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "folded");
    let plain = demo.report();
    let total = |rows: &[TextRow]| rows.iter().map(|row| row.self_ms).sum::<f64>();
    // `h` folds rows below 1% of the frame, then rows below 5%, then none.
    for percent in [1.0, 5.0] {
        let report = demo.after("h");
        let (others, rows) = ranked(&report)
            .split_last()
            .expect("the list should have rows");
        assert_eq!((others.expansion, others.zone()), ('+', "others"));
        let least = report.frame_ms() * percent / 100.0;
        assert!(
            rows.iter().all(|row| row.self_ms > least - 0.011),
            "{report:#?}"
        );
        let small = &ranked(&plain)[rows.len()..];
        assert_eq!(others.name, format!("others ({})", small.len()));
        assert_sum(small, |row| row.self_ms, others.self_ms);
        assert_eq!(
            report.rows.last(),
            plain.rows.last(),
            "idle time should not be folded"
        );
    }
    demo.keep_screenshot("others");
    // The `others` row is above the idle row.
    let last = demo.after("Next Next Next Next Up");
    assert_eq!(last.cursor(), last.rows.len() - 2);
    let open = demo.after("plus");
    assert_eq!(open.rows.len(), plain.rows.len() + 1);
    assert_eq!(
        (open.cursor(), open.rows[open.cursor()].expansion),
        (last.cursor(), '-')
    );
    assert_eq!(demo.after("minus").rows, last.rows);
    assert_eq!(demo.after("h").rows.len(), plain.rows.len());

    let groups = demo.after("u");
    let find = |report: &Section, name: &str| {
        let at = report.rows.iter().position(|row| row.name == name);
        at.unwrap_or_else(|| panic!("no {name}: {report:#?}"))
    };
    let at = find(&groups, "particles::");
    assert!(groups.rows[find(&groups, "draw::")].expansion == '+');
    assert_sum(&groups.rows, |row| row.self_ms, total(&plain.rows));
    let is_particle = |row: &&TextRow| row.name.starts_with("particles::");
    let zones: Vec<TextRow> = plain.rows.iter().filter(is_particle).cloned().collect();
    assert!(zones.len() > 3, "{zones:#?}");
    let calls: f64 = zones.iter().map(|row| row.count).sum();
    assert_eq!(groups.rows[at].count, calls);
    assert_sum(&zones, |row| row.self_ms, groups.rows[at].self_ms);
    // Clicking the cursor's row or pressing Enter also expands the row.
    demo.keys("Prior Prior Prior Prior");
    demo.go_to(at);
    let open = demo.after("Return");
    assert_eq!(open.rows[at].expansion, '-');
    let under = &open.rows[at + 1..=at + zones.len()];
    assert!(
        under.iter().all(|row| row.indent == 1 && is_particle(&row)),
        "{open:#?}"
    );
    demo.keep_screenshot("groups");
    assert_eq!(demo.after("Down Down minus").cursor(), at);
    assert_eq!(demo.after("minus").rows.len(), groups.rows.len());
    assert_eq!(demo.after("u").rows.len(), plain.rows.len());
}

#[test]
fn idle_time_can_be_expanded_and_ranked() {
    let Some(server) = server() else { return };
    // While the camera rests, threads wait once the picture is complete. On a busy machine, completing it takes longer
    // than a rest usually lasts.
    let demo = Demo::start_with(&server, "idle", 2, &[&["--rest"], FEW_PARTICLES].concat());
    // Ranked idle zones are sorted by time like all other zones. Threads start to wait only when the picture is
    // complete.
    demo.keys("shift+h");
    demo.pause_at(|frame| {
        let wait = frame.find("wait_for_work").map(|at| &frame.rows[at]);
        wait.is_some_and(|row| row.self_ms > 1.0)
    });
    let all = demo.report();
    assert_descending(&all.rows, |row| row.self_ms);
    let (idle, working): (Vec<TextRow>, Vec<TextRow>) = all
        .rows
        .iter()
        .cloned()
        .partition(|row| row.name.ends_with("idle)"));
    let names: Vec<&str> = idle.iter().map(|row| row.name.as_str()).collect();
    // A thread that waits during the whole frame is never outside zones.
    let outside = |name: &&str| *name == "(outside zones, idle)";
    let others: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| !outside(name))
        .collect();
    let mut others = others;
    others.sort_unstable();
    assert_eq!(
        others,
        ["swap_buffers  (idle)", "wait_for_work  (idle)"],
        "{all:#?}"
    );
    demo.keep_screenshot("ranked");

    // The last row summarizes all idle rows. Expanding it shows the idle rows that were ranked before.
    let closed = demo.after("shift+h");
    let lines = |rows: &[TextRow]| -> Vec<(String, f64)> {
        let line = |row: &TextRow| (row.name.clone(), row.self_ms);
        rows.iter().map(line).collect()
    };
    assert_eq!(lines(ranked(&closed)), lines(&working));
    let sum = closed.rows[working.len()].self_ms;
    assert_sum(&idle, |row| row.self_ms, sum);
    let last = demo.after("Next Next Next Next Next");
    assert_eq!(last.cursor(), working.len());
    let open = demo.after("plus");
    assert_eq!(open.rows[working.len()].expansion, '-');
    let under = &open.rows[working.len() + 1..];
    assert_eq!(lines(under), lines(&idle));
    assert!(under.iter().all(|row| row.indent == 1), "{open:#?}");
    demo.keep_screenshot("idle");
    assert_eq!(demo.after("minus"), last);
}

#[test]
fn filter_finds_names_while_typing() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "typed");
    let plain = demo.report();
    // `w` writes the report only when no filter is being typed.
    let found = demo.after("slash t r a c e Return");
    assert!(found.find("trace_ray").is_some() && found.rows.len() < plain.rows.len());
    assert!(
        found.rows.iter().all(|row| row.name.contains("trace")),
        "{found:#?}"
    );
    assert_eq!(found.more, ["filter: \"trace\""]);
    let fewer = demo.after("slash underscore t i x BackSpace Return");
    assert_eq!(fewer.rows.len(), 1, "{fewer:#?}");
    assert_eq!(fewer.rows[0].name, "trace_tile");
    demo.keep_screenshot("found");
    assert_eq!(demo.after("slash Escape").rows.len(), plain.rows.len());
}

#[test]
fn marked_frames_can_be_found_again() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "marks");
    demo.keys("Home space k");
    demo.wait_for("some frames later", |report| !report.title.contains("mark"));
    demo.keys("space");
    let report = demo.after("j");
    assert!(report.title.contains("\"mark 1\""), "{}", report.title);
    demo.keep_screenshot("marked");
    let longest = demo.after("x");
    // The longest frame may happen to be the marked frame.
    assert!(longest.title.ends_with(" ago"), "{}", longest.title);
    demo.keys("b");
    thread::sleep(Duration::from_millis(300));
    demo.keep_screenshot("compared");
    // Compare with the median, and then turn the comparison off.
    demo.keys("b");
    thread::sleep(Duration::from_millis(300));
    demo.keep_screenshot("compared with the median");
    demo.keys("b");
    demo.keys("c c a v s d l Home");
}

/// Finds out what made a frame slow, using the overlay as the manual describes.
#[test]
fn overlay_shows_cause_of_slow_frame() {
    let Some(server) = server() else { return };
    // Don't start more threads than CPU cores, because costs per call rise when a thread waits for a core.
    let demo = Demo::start_with(&server, "storm", 1, &[]);
    // Wait, so that the baseline doesn't include the program's first frames.
    demo.wait_for_frames(2 * FRAMES);
    // If another test preempts the demo during a storm, the cost per call rises as well. In that case, try again with
    // the next storm.
    let start = Instant::now();
    let mut newest = 0;
    loop {
        newest = show_storm_after(&demo, newest);
        demo.keys("b");
        let text = demo.report_text();
        let [collide, forces] = ["particles::collide", "particles::forces"].map(|zone| {
            let line = text.lines().find(|line| {
                line.trim_start_matches(['>', ' ', '+', '-'])
                    .starts_with(zone)
            });
            Compared::read(line.unwrap_or_else(|| panic!("no {zone}: {text}")))
        });
        for row in [&collide, &forces] {
            assert!(
                (row.difference - row.by_count - row.by_cost).abs() < 0.02,
                "{text}"
            );
        }
        if collide.by_count > 5.0
            && collide.by_count > 2.0 * collide.by_cost.abs()
            && forces.by_cost > 5.0
            && forces.by_cost > 2.0 * forces.by_count.abs()
        {
            break;
        }
        assert!(start.elapsed() < WORK_LIMIT, "{text}");
        demo.keys("b b Home");
    }
    demo.keep_screenshot("compared");
}

/// After I is pressed, one bar is taller than all others, and clicking that bar shows the storm.
#[test]
fn storm_stands_out_in_the_graph() {
    let Some(server) = server() else { return };
    let demo = Demo::start_with(&server, "storm_bar", 1, &[]);
    demo.wait_for("some frames", |_| true);
    // Retry, because other tests may slow down a different frame just as much.
    let start = Instant::now();
    loop {
        demo.keys("i");
        thread::sleep(Duration::from_millis(500));
        demo.keys("space");
        thread::sleep(Duration::from_millis(500));
        demo.keep_screenshot("storm");
        let bar = tallest_bar(&server.screen());
        demo.window.mouse_move(bar, GRAPH_FOOT);
        demo.window.click(1);
        let report = demo.report();
        let collide = report.find("particles::collide").map(|at| &report.rows[at]);
        if frame(&report.title).is_some() && collide.is_some_and(|row| row.count > 1_000.0) {
            return;
        }
        assert!(start.elapsed() < WORK_LIMIT, "{report:#?}");
        demo.keys("Home space");
    }
}

/// The numbers in a row of a diff, in ms.
struct Compared {
    difference: f64,
    by_count: f64,
    by_cost: f64,
}

impl Compared {
    /// Parses the end of a row: the time, its difference from the baseline, the two parts of that difference, the
    /// count, and the baseline's count.
    fn read(line: &str) -> Compared {
        let words = line.split_whitespace().rev().skip(2).take(3);
        let values: Vec<f64> = words
            .map(|word| word.parse().expect("the value should be a number"))
            .collect();
        Compared {
            difference: values[2],
            by_count: values[1],
            by_cost: values[0],
        }
    }
}

/// Starts a storm and shows its frame, which must come after frame `frame_number`. Returns the frame's number.
fn show_storm_after(demo: &Demo, frame_number: u64) -> u64 {
    demo.keys("i");
    thread::sleep(Duration::from_millis(1000));
    // Retry, because other spikes may occur.
    let start = Instant::now();
    loop {
        let report = demo.after("s");
        let number = frame(&report.title).map_or(0, |(number, _)| number);
        let collide = report.find("particles::collide").map(|at| &report.rows[at]);
        if number > frame_number && collide.is_some_and(|row| row.count > 1_000.0) {
            return number;
        }
        if number <= frame_number {
            // The storm's frame may not have ended yet.
            demo.keys("Home");
        }
        assert!(
            start.elapsed() < LIMIT,
            "the storm should cause a spike: {report:#?}"
        );
    }
}

#[test]
fn enter_selects_zone_and_backspace_its_caller() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "call_graph");
    let list = demo.report();
    let at = list.find("trace_ray").expect("rays should be traced");
    demo.go_to(at);
    let graph = demo.after("Return");
    assert_call_graph(&graph);
    let (callers, zone, callees) = graph.call_graph();
    assert_eq!(zone.name, "trace_ray (5)");
    assert!(zone.cursor);
    let listed = &list.rows[at];
    assert_eq!(
        (zone.self_ms, zone.hier_ms, zone.count),
        (listed.self_ms, listed.hier_ms, listed.count)
    );
    assert!(callers.iter().all(|row| row.expansion == '+'), "{graph:#?}");
    for name in ["intersect", "shade"] {
        assert!(callees.iter().any(|row| row.zone() == name), "{graph:#?}");
    }
    assert_eq!(
        demo.after("Return"),
        graph,
        "selecting the zone again should change nothing"
    );

    let caller = callers
        .last()
        .expect("the zone should have a caller")
        .zone();
    let parent = demo.after("BackSpace");
    assert_call_graph(&parent);
    assert_eq!(parent.call_graph().1.zone(), caller);

    let callee = parent.call_graph().2[0].zone();
    let child = demo.after("Down Return");
    assert_call_graph(&child);
    assert_eq!(child.call_graph().1.zone(), callee);

    let top = demo.after("BackSpace BackSpace BackSpace BackSpace BackSpace BackSpace");
    assert_call_graph(&top);
    assert_eq!(top.call_graph().1.name, "(outside zones)");
}

#[test]
fn arrows_step_through_frames_and_digits_set_average() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "frames");
    let (number, ago) = frame(&demo.report().title).expect("the title should name a frame");
    assert_eq!(ago, 1);
    assert_eq!(frame(&demo.after("Left").title), Some((number - 1, 2)));
    assert_eq!(frame(&demo.after("Left Left").title), Some((number - 3, 4)));
    assert_eq!(frame(&demo.after("Right").title), Some((number - 2, 3)));
    assert_shows(&demo.after("Right Right Right"), "paused, 0.8 s average");
    assert_shows(&demo.after("Left Left Home"), "paused, 0.8 s average");

    assert_shows(&demo.after("1"), &format!("paused, frame {}", number + 1));
    assert_shows(&demo.after("3"), "paused, 2.5 s average");
    assert_shows(&demo.after("2"), "paused, 0.8 s average");

    // While the program continues to run, the age of the frame that is shown increases.
    let (number, ago) =
        frame(&demo.after("Left space").title).expect("the title should name a frame");
    demo.wait_for("the frame is older", |report| {
        frame(&report.title).is_some_and(|now| now.0 == number && now.1 > ago)
    });
    assert_shows(&demo.after("Home"), "live, 0.8 s average");
}

#[test]
fn keys_spread_recursion_and_select_threads() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "recursion_and_threads");
    let flat = demo.report();
    let spread = demo.after("r");
    let of = |report: &Section| -> Vec<TextRow> {
        let is = |row: &&TextRow| row.zone() == "trace_ray";
        report.rows.iter().filter(is).cloned().collect()
    };
    let (one, many) = (of(&flat), of(&spread));
    assert_eq!(one.len(), 1, "{flat:#?}");
    let mut names: Vec<&str> = many.iter().map(|row| row.name.as_str()).collect();
    names.sort_unstable();
    assert!(names.len() > 1 && names.len() <= 5, "{names:?}");
    let expected = [
        "trace_ray",
        "trace_ray (2)",
        "trace_ray (3)",
        "trace_ray (4)",
        "trace_ray (5)",
    ];
    assert_eq!(names, expected[..names.len()]);
    assert_sum(&many, |row| row.self_ms, one[0].self_ms);
    let calls: f64 = many.iter().map(|row| row.count).sum();
    assert_eq!(calls, one[0].count);
    let outermost = many
        .iter()
        .find(|row| row.name == "trace_ray")
        .expect("the outermost row should be shown");
    assert_eq!(outermost.hier_ms, one[0].hier_ms);
    assert_eq!(demo.after("r").rows, flat.rows);

    let mut threads = Vec::new();
    let calls = |report: &Section| of(report).iter().map(|row| row.count).sum::<f64>();
    let (mut of_one, mut of_both) = (0.0, 0.0);
    for _ in 0..5 {
        let report = demo.after("t");
        let name = report
            .title
            .split("  ")
            .nth(3)
            .expect("the title should name the threads");
        if name == "tracer (2 threads)" {
            of_both = calls(&report);
            assert_sum(&report.rows, |row| row.self_ms, 2.0 * report.frame_ms());
        } else {
            of_one += calls(&report);
            assert_sum(&report.rows, |row| row.self_ms, report.frame_ms());
        }
        assert!(
            calls(&report) == 0.0 || name.contains("tracer"),
            "{report:#?}"
        );
        threads.push(name.to_owned());
    }
    assert_eq!((of_one, of_both), (calls(&flat), calls(&flat)));
    let both = threads.iter().position(|name| name == "tracer (2 threads)");
    let first = threads.iter().position(|name| name == "thread tracer #1");
    assert!(both < first, "{threads:?}");
    threads.sort_unstable();
    let expected = [
        "GPU",
        "thread main",
        "thread tracer #1",
        "thread tracer #2",
        "tracer (2 threads)",
    ];
    assert_eq!(threads, expected);
    assert_eq!(demo.after("t"), flat, "all threads should be shown again");
}

#[test]
fn m_changes_timing_and_n_shows_net_times() {
    let Some(server) = server() else { return };
    let demo = Demo::start(&server, "timing");
    let is_marked = |report: &Section| {
        let frame = report.rows.iter().find(|row| row.zone() == "frame");
        frame.is_some_and(|row| row.sampled)
    };
    let has_errors = |report: &Section| report.rows.iter().any(|row| row.error_ms.is_some());
    demo.wait_for("exact times", |report| {
        report.find("frame").is_some() && report.columns.contains(&"gpu self ms".to_owned())
    });
    let exact = demo.report();
    assert!(
        exact.timing.starts_with("exact  overhead "),
        "{}",
        exact.timing
    );
    assert_eq!(
        exact.columns,
        ["self ms", "hier ms", "gpu self ms", "count"]
    );
    assert!(!is_marked(&exact) && !has_errors(&exact), "{exact:#?}");

    let auto = demo.after("m");
    assert!(
        auto.timing.starts_with("auto: budget 1 %, measured "),
        "{}",
        auto.timing
    );
    // The zone must be unmarked before the first frame ends, because it is entered once per frame.
    assert!(!is_marked(&auto), "{auto:#?}");

    let sampled = demo.after("m");
    assert!(
        sampled.timing.starts_with("sampled at 1000 Hz  "),
        "{}",
        sampled.timing
    );
    demo.wait_for("sampled times", |report| {
        is_marked(report) && has_errors(report)
    });
    demo.keep_screenshot("sampled");

    let off = demo.after("m");
    assert_eq!(off.timing.split("  ").next(), Some("off (not recording)"));
    assert_shows(&off, "paused, 0.8 s average");
    thread::sleep(Duration::from_millis(300));
    assert_eq!(
        demo.report().rows,
        off.rows,
        "the report should not change while timing is off"
    );

    let exact = demo.after("m");
    assert!(exact.timing.starts_with("exact  "), "{}", exact.timing);
    demo.wait_for("exact times", |report| {
        report.find("frame").is_some() && !has_errors(report)
    });
    assert_shows(&demo.report(), "live, 0.8 s average");

    let net = demo.after("n");
    let columns = ["self ms", "net ms", "hier ms", "gpu self ms", "count"];
    assert_eq!(net.columns, columns);
    for row in &net.rows {
        let net_ms = row.net_ms.expect("the net column should be shown");
        assert!(net_ms >= 0.0 && net_ms <= row.self_ms, "{row:?}");
    }
    demo.keep_screenshot("net");
    let columns = ["self ms", "hier ms", "gpu self ms", "count"];
    assert_eq!(demo.after("n").columns, columns);
}

#[test]
fn precision_style_and_visibility_keys_work() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "looks");
    let window = &demo.window;
    let is_cursor_there = |screen: &Screen| cursor_row(screen).is_some();
    let screen = window.wait_until("the cursor is drawn", LIMIT, is_cursor_there);
    demo.keep_screenshot("report");
    let (top, bottom) = cursor_row(&screen).expect("the cursor should be visible");
    let line = bottom - top;
    assert_eq!(
        top,
        REPORT + 3 * line,
        "the row should be below two titles and the column headers"
    );

    // The first column moves by one character (7 px) when the second column gets an additional decimal place. The third
    // column doesn't get wider, because its header `gpu self ms` is wider than its values.
    let column = first_column(&screen, line);
    for (keys, left_by) in [
        ("bracketright", 7),
        ("bracketright", 14),
        ("bracketright", 14),
        ("bracketleft", 7),
        ("bracketleft bracketleft", -7),
        ("bracketleft", -7),
        ("bracketright", 0),
    ] {
        demo.keys(keys);
        window.wait_until(&format!("columns after {keys}"), LIMIT, |screen| {
            first_column(screen, line) as i32 == column as i32 - left_by
        });
    }

    // The axis adapts to the visible frames only after a second's worth of frames.
    let (mut bars, mut rests_since) = (server.screen(), Instant::now());
    window.wait_until("a resting graph", 3 * LIMIT, |screen| {
        if changes_in_graph(&bars, screen) >= 100 {
            (bars, rests_since) = (screen.clone(), Instant::now());
        }
        rests_since.elapsed() > Duration::from_secs(4)
    });
    demo.keys("g");
    window.wait_until("lines", LIMIT, |screen| {
        changes_in_graph(&bars, screen) > 1000
    });
    demo.keep_screenshot("lines");
    demo.keys("g");
    window.wait_until("bars again", LIMIT, |screen| {
        changes_in_graph(&bars, screen) < 500
    });

    demo.keys("p");
    // The sky may have the cursor's color, but not in an area as high as the cursor.
    let is_cursor = |(top, bottom): (usize, usize)| bottom - top == line;
    let gone =
        |screen: &Screen| !has_upper_edge(screen) && !cursor_row(screen).is_some_and(is_cursor);
    window.wait_until("the profiler is hidden", LIMIT, gone);
    demo.keep_screenshot("hidden");
    demo.keys("p");
    window.wait_until("the profiler is back", LIMIT, is_overlay_there);

    window.wait_until("a hint of the help", LIMIT, is_hint);
    demo.keys("F1");
    window.wait_until("the page of keys", LIMIT, is_help);
    demo.keep_screenshot("help");
    demo.keys("Escape");
    window.wait_until("the report again", LIMIT, is_cursor_there);
    demo.keys("p");
    window.wait_until("the profiler is hidden", LIMIT, gone);
    demo.keys("F1");
    window.wait_until("the page, hidden or not", LIMIT, is_help);
    // The first F1 shows the second of two pages, and the second F1 closes the help.
    demo.keys("F1 F1");
    let is_report = |screen: &Screen| is_overlay_there(screen) && !is_help(screen);
    window.wait_until("the report again", LIMIT, |screen| {
        is_report(screen) && is_cursor_there(screen)
    });
    window.wait_until("the help was seen", LIMIT, |screen| {
        is_report(screen) && !is_hint(screen)
    });
}

// ---- The mouse ----

#[test]
fn clicks_select_rows_and_wheel_moves_cursor() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "mouse");
    let window = &demo.window;
    let list = demo.report();
    let at = list.find("trace_tile").expect("rays should be traced");
    window.mouse_move(200, demo.rows_of(&list).middle(at));
    if list.cursor() == at {
        // A click on the cursor's row would expand it.
        demo.keys("Down");
    }
    window.click(1);
    assert_eq!(demo.report().cursor(), at);
    // winit reports each XTEST wheel step twice.
    window.click(5);
    let down = demo.report().cursor();
    assert!(
        (at + 1..=at + 2).contains(&down),
        "wheel moved the cursor from {at} to {down}"
    );
    window.click(4);
    assert_eq!(demo.report().cursor(), at);
    window.click(1);
    let graph = demo.report();
    assert_call_graph(&graph);
    assert_eq!(graph.call_graph().1.name, "trace_tile");

    demo.keys("Home");
    let newest = demo.after("1").title;
    let newest: u64 = newest
        .rsplit_once(' ')
        .and_then(|(_, number)| number.parse().ok())
        .expect("the value should be a number");
    // Each frame is two pixels wide.
    for back in [1, 7, 20] {
        window.mouse_move(GRAPH_RIGHT - 2 * back - 1, GRAPH_FOOT);
        window.click(1);
        let title = demo.report().title;
        assert_eq!(
            frame(&title),
            Some((newest - back as u64, back as u64)),
            "{title}"
        );
    }
    // A click on an empty area changes nothing.
    window.mouse_move(EMPTY_SPOT.0, EMPTY_SPOT.1);
    window.click(1);
    assert_eq!(frame(&demo.report().title).map(|(_, ago)| ago), Some(20));
    demo.keep_screenshot("bar");

    // Over a bar, the wheel scrolls the graph without changing which frame is shown.
    let before = server.screen();
    window.mouse_move(GRAPH_RIGHT - 41, GRAPH_FOOT);
    window.click(4);
    window.wait_until("older bars", LIMIT, |screen| {
        changes_in_graph(&before, screen) > 100
    });
    assert_eq!(frame(&demo.report().title).map(|(_, ago)| ago), Some(20));
    window.click(5);
}

#[test]
fn frame_range_is_selected_and_its_means_add_up() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "range");
    let window = &demo.window;
    let newest = frame(&demo.report().title)
        .expect("the title should name a frame")
        .0
        + 1;
    let bar = |back: i32| window.mouse_move(GRAPH_RIGHT - 2 * back - 1, GRAPH_FOOT);
    let plain = server.screen();
    bar(20);
    window.press(1);
    bar(15);
    bar(10);
    window.release(1);
    let dragged = demo.report();
    let [from, to] = [20, 10].map(|back| newest - back);
    assert_shows(&dragged, &format!("frames {from} to {to}, mean of 11"));
    assert_sum(&dragged.rows, |row| row.self_ms, 3.0 * dragged.frame_ms());
    window.mouse_move(EMPTY_SPOT.0, EMPTY_SPOT.1);
    window.wait_until("a shaded range", LIMIT, |screen| {
        changes_in_graph(&plain, screen) > 100
    });
    demo.keep_screenshot("range");
    // Count the calls in each frame of the range. The report for the range shows the mean of these counts.
    let count =
        |report: &Section, zone: &str| report.find(zone).map_or(0.0, |at| report.rows[at].count);
    let zones: Vec<&str> = dragged.rows.iter().map(TextRow::zone).collect();
    bar(20);
    window.click(1);
    window.mouse_move(EMPTY_SPOT.0, EMPTY_SPOT.1);
    let mut calls = vec![0.0; zones.len()];
    for at in 0..11 {
        let report = if at == 0 {
            demo.report()
        } else {
            demo.after("Right")
        };
        assert_eq!(
            frame(&report.title).map(|(number, _)| number),
            Some(from + at)
        );
        for (calls, zone) in calls.iter_mut().zip(&zones) {
            *calls += count(&report, zone);
        }
    }
    assert!(calls.iter().any(|calls| *calls > 0.0), "{dragged:#?}");
    for (row, calls) in dragged.rows.iter().zip(&calls) {
        // Means are shown with one decimal place, or with none if there are six digits before it.
        let rounding = if row.count < 100_000.0 { 0.06 } else { 0.51 };
        let mean = calls / 11.0;
        assert!((row.count - mean).abs() < rounding, "{mean}: {row:#?}");
    }

    // Select the same range with the keyboard, starting at its end.
    let keyed = demo.after("shift+Prior shift+Left shift+Right");
    assert_shows(&keyed, &format!("frames {from} to {to}, mean of 11"));
    assert_eq!(keyed.rows, dragged.rows);
    assert_eq!(
        frame(&demo.after("Left").title).map(|(n, _)| n),
        Some(from - 1)
    );
    // The right mouse button goes back to the present.
    bar(5);
    window.click(3);
    assert_shows(&demo.report(), "paused, 0.8 s average");
}

#[test]
fn tooltips_stay_inside_windows_of_any_size() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "tooltip");
    let window = &demo.window;
    let list = demo.report();
    // The blue of the tooltip's edge occurs nowhere else in these lines.
    let has_box = |screen: &Screen| {
        let is_edge = |x, y| screen.rgb(x, y) == [150, 170, 250];
        (1..screen.height).any(|y| (0..screen.width).filter(|x| is_edge(*x, y)).count() > 80)
    };
    assert!(!has_box(&server.screen()));
    window.mouse_move(200, demo.rows_of(&list).middle(list.cursor()));
    window.wait_until("a row's tooltip", LIMIT, has_box);
    demo.keep_screenshot("row");
    window.mouse_move(GRAPH_RIGHT - 41, GRAPH_FOOT);
    thread::sleep(Duration::from_millis(200));
    window.wait_until("a frame's tooltip", LIMIT, has_box);
    demo.keep_screenshot("frame");
    window.mouse_move(EMPTY_SPOT.0, EMPTY_SPOT.1);
    window.wait_until("no tooltip", LIMIT, |screen| !has_box(screen));

    window.resize(640, 480);
    thread::sleep(Duration::from_millis(500));
    window.mouse_move(560, 120);
    window.wait_until("a row's tooltip", LIMIT, has_box);
    demo.keep_screenshot("row_640");
    window.mouse_move(600, 440);
    thread::sleep(Duration::from_millis(200));
    window.wait_until("a frame's tooltip", LIMIT, has_box);
    demo.keep_screenshot("frame_640");
    demo.keys("F1");
    window.wait_until("no tooltip on the page", LIMIT, |screen| !has_box(screen));
}

#[test]
fn right_button_expands_and_collapses_a_row() {
    let Some(server) = server() else { return };
    let demo = Demo::start_at_a_frame(&server, "right_button");
    let window = &demo.window;
    let tree = demo.after("Tab Tab Tab Tab");
    assert!(tree.title.contains("  call tree  "), "{}", tree.title);
    let is_closed = |row: &TextRow| row.expansion == '+';
    let closed = tree
        .rows
        .iter()
        .position(is_closed)
        .expect("a row should be collapsed");
    window.mouse_move(200, demo.rows_of(&tree).middle(closed));
    window.click(3);
    let open = demo.report();
    assert_eq!(open.rows[closed].expansion, '-');
    assert_eq!(open.cursor(), closed);
    assert!(open.rows.len() > tree.rows.len());
    window.click(3);
    assert_eq!(demo.report().rows.len(), tree.rows.len());
}

// ---- The window ----

#[test]
fn resized_window_works_and_closing_ends_the_demo() {
    let Some(server) = server() else { return };
    let demo = Demo::start(&server, "resize");
    let window = &demo.window;
    window.resize(640, 480);
    // The report is now 560 px wide. Both the report and the graph are 16 px from the edges.
    window.wait_until("report and graph fit the window", LIMIT, |screen| {
        let blue = |x, y| is_title_blue(screen.rgb(x, y));
        // One of the two lines contains the hint about the help.
        let is_edge = [22, 37].iter().any(|y| blue(574, *y) && !blue(578, *y));
        is_edge && (200..480).any(|y| blue(622, y) && !blue(626, y))
    });
    demo.keep_screenshot("small");
    let _ = demo.after("Down");
    let shot = fs::File::open(&demo.shot).expect("the picture should be written before the report");
    let info = png::Decoder::new(std::io::BufReader::new(shot));
    let reader = info.read_info().expect("the picture should be a PNG file");
    assert_eq!((reader.info().width, reader.info().height), (640, 480));
    demo.keys("F1");
    window.wait_until("the page of keys", LIMIT, is_help);
    demo.keep_screenshot("small_help");

    window.close();
    demo.assert_ends_well();
}

#[test]
fn frames_option_writes_files_and_ends_the_demo() {
    let Some(server) = server() else { return };
    let directory = directory("ends");
    let mut command = program_at(&example("demo"));
    command.current_dir(&directory);
    command.args([
        "--frames",
        "30",
        "--size",
        "400x300",
        "--mode",
        "hierarchical-time",
    ]);
    command.args(["--report", "r.txt", "--shot", "s.png"]);
    let mut program = server.spawn(&mut command);
    let status = program.wait(LIMIT);
    assert_eq!(status.code(), Some(0), "{}", program.output());
    assert_eq!(program.output(), "");
    let report = fs::read_to_string(directory.join("r.txt")).expect("the report should be written");
    let sections = report_text::read(&report);
    assert!(sections[0].title.contains("hierarchical time"), "{report}");
    assert!(report.contains("  live, 2.5 s average\n"), "{report}");
    let shot = fs::File::open(directory.join("s.png")).expect("the picture should be written");
    let info = png::Decoder::new(std::io::BufReader::new(shot));
    let reader = info.read_info().expect("the picture should be a PNG file");
    assert_eq!((reader.info().width, reader.info().height), (400, 300));
}
