//! Golden tests that compare entire reports with text files. The program is a small game: physics and AI call a ray
//! caster, a visit recurses, and there is a worker.
//!
//! `IPROF_BLESS=1 cargo test --lib layout` rewrites the files.

use crate::query;
use crate::report::{Recursion, ReportMode};
use crate::view::View;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};
use std::path::PathBuf;

static FRAME: Zone = Zone::new("frame", file!(), line!(), module_path!());
static PHYSICS: Zone = Zone::new("physics", file!(), line!(), module_path!());
static AI: Zone = Zone::new("ai", file!(), line!(), module_path!());
static RAYCAST: Zone = Zone::new("raycast", file!(), line!(), module_path!());
static VISIT: Zone = Zone::new("visit", file!(), line!(), module_path!());
static HITS: Zone = Zone::new("hits", file!(), line!(), module_path!());
static MESH: Zone = Zone::new("build mesh", file!(), line!(), module_path!());

/// The game's threads and its clock. A tick is a nanosecond.
struct Game {
    main: ScriptedThread,
    worker: ScriptedThread,
    now: u64,
}

impl Game {
    fn work(&mut self, us: u64) {
        self.now += us * 1_000;
    }

    fn enter(&mut self, zone: &'static Zone, us: u64) {
        self.main.enter(zone, self.now);
        self.work(us);
    }

    fn leave(&mut self) {
        self.main.leave(self.now);
    }

    fn raycast(&mut self, us: u64) {
        self.enter(&RAYCAST, us);
        self.main.count(&HITS);
        for depth in 1..=3 {
            self.enter(&VISIT, 20 * depth);
        }
        for _ in 0..4 {
            self.leave();
        }
    }

    /// Ends a frame in which the AI takes `k` times as long.
    fn frame(&mut self, k: u64) {
        self.work(250);
        self.enter(&FRAME, 500);
        self.enter(&PHYSICS, 1_250);
        (0..3).for_each(|_| self.raycast(100));
        self.leave();
        self.worker.enter(&MESH, self.now);
        self.enter(&AI, 700 * k);
        (0..2).for_each(|_| self.raycast(900));
        self.leave();
        self.worker.leave(self.now);
        self.work(1_000);
        self.leave();
    }
}

fn played() -> Profiler {
    let now = 5_000;
    let mut game = Game {
        main: ScriptedThread::begin("main", now),
        worker: ScriptedThread::begin("worker", now),
        now,
    };
    let records = [game.main.record(), game.worker.record()];
    let mut profiler = Profiler::new(Pair::both(now));
    for frame in 1..=20 {
        game.frame(if frame % 5 == 0 { 4 } else { 1 });
        let pair = Pair::both(game.now);
        profiler.end_frame(&records, records[0], pair, true);
    }
    profiler
}

fn check(name: &str, profiler: &Profiler, view: &View, precision: u32) {
    let mut text = Vec::new();
    query::report(profiler, view, None)
        .write(&mut text, precision)
        .unwrap();
    let text = String::from_utf8(text).unwrap();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("IPROF_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, golden, "{}", path.display());
}

/// Returns a view with the cursor on the zone with this name.
fn on(profiler: &Profiler, mut view: View, name: &str) -> View {
    let report = query::report(profiler, &view, None);
    let at = report
        .rows
        .iter()
        .position(|row| row.name.split(' ').next() == Some(name));
    view.set_cursor(&report, at.unwrap());
    view
}

fn select(profiler: &Profiler, mut view: View) -> View {
    let report = query::report(profiler, &view, None);
    view.select(&report);
    view
}

#[test]
fn every_mode_matches_its_golden_file() {
    let profiler = played();
    let view = View::default();
    check("self_time.txt", &profiler, &view, 2);
    let mut hier = view.clone();
    hier.report_mode = ReportMode::HierarchicalTime;
    hier.average = crate::Average::Slow;
    check("hierarchical_time.txt", &profiler, &hier, 3);
    let raycast = select(&profiler, on(&profiler, view.clone(), "raycast"));
    check("call_graph.txt", &profiler, &raycast, 2);
    let visit = select(&profiler, on(&profiler, view, "visit"));
    check("call_graph_of_a_recursive_zone.txt", &profiler, &visit, 2);
}

#[test]
fn special_views_match_their_golden_files() {
    let profiler = played();
    let mut view = View::default();
    view.average = crate::Average::Newest;
    view.recursion = Recursion::Spread;
    check("spread.txt", &profiler, &view, 4);
    view.frame = iprof_process::Frames::Number(15);
    view.report_mode = ReportMode::HierarchicalTime;
    check("remembered_frame.txt", &profiler, &view, 1);
    view.set_threads(Threads::One(ThreadId(1)));
    check("one_thread.txt", &profiler, &view, 2);
    view.set_threads(Threads::One(ThreadId(9)));
    check("no_such_thread.txt", &profiler, &view, 2);
}

#[test]
fn only_the_title_exists_before_the_first_frame() {
    let profiler = Profiler::new(Pair::both(1));
    check("before_the_first_frame.txt", &profiler, &View::default(), 2);
}

#[test]
fn changing_counter_rate_shows_a_warning_line() {
    let (mut ticks, mut ns) = (1, 1);
    let thread = ScriptedThread::begin("main", ticks);
    let mut profiler = Profiler::new(Pair { ticks, ns });
    let mut frames = |per_ns: u64, frames: u32| {
        for _ in 0..frames {
            ns += 16_000_000;
            ticks += 16_000_000 * per_ns;
            profiler.end_frame(
                &[thread.record()],
                thread.record(),
                Pair { ticks, ns },
                true,
            );
        }
        query::report(&profiler, &View::default(), None).warnings
    };
    assert!(frames(3, 100).is_empty());
    assert_eq!(
        frames(2, 60),
        ["timestamp counter is not constant-rate; times may be wrong"]
    );
    assert!(frames(2, 600).is_empty());
}
