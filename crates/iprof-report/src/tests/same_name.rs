//! Tests for thread groups, which combine threads with the same name in one view: members, titles and heat.

use crate::query;
use crate::report::{ColumnId, Report, ReportMode};
use crate::view::Average;
use crate::view::View;
use iprof_gather::ThreadRecord;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};

static JOB: Zone = Zone::new("job", file!(), line!(), module_path!());
static PART: Zone = Zone::new("part", file!(), line!(), module_path!());

const FRAME: u64 = 16_000_000;

/// Threads that run jobs, and the current time. A tick is a nanosecond.
struct Pool {
    threads: Vec<ScriptedThread>,
    profiler: Profiler,
    now: u64,
}

impl Pool {
    fn new() -> Pool {
        let now = 1_000;
        Pool {
            threads: Vec::new(),
            profiler: Profiler::new(Pair::both(now)),
            now,
        }
    }

    fn begin(&mut self, name: &str) {
        self.threads.push(ScriptedThread::begin(name, self.now));
    }

    fn records(&self) -> Vec<&'static ThreadRecord> {
        self.threads.iter().map(ScriptedThread::record).collect()
    }

    /// Ends a frame in which each thread spends this much time in a job, half of it in a part of that job.
    fn frame(&mut self, jobs: &[u64]) {
        for (thread, &ticks) in self.threads.iter().zip(jobs) {
            if ticks > 0 {
                thread.enter(&JOB, self.now);
                thread.enter(&PART, self.now + ticks / 2);
                thread.leave(self.now + ticks);
                thread.leave(self.now + ticks);
            }
        }
        self.now += FRAME;
        let records = self.records();
        self.profiler
            .end_frame(&records, records[0], self.pair(), true);
    }

    fn pair(&self) -> Pair {
        Pair::both(self.now)
    }

    fn report(&self, view: &View) -> Report {
        query::report(&self.profiler, view, None)
    }

    fn title(&self, view: &View) -> String {
        let title = self.report(view).title.remove(0);
        title.split("  ").nth(3).unwrap().to_owned()
    }

    fn graph_title(&self, view: &View) -> String {
        view.graph(&self.profiler).title
    }
}

fn view(threads: Threads, average: Average) -> View {
    let mut view = View::default();
    view.set_threads(threads);
    view.average = average;
    view
}

const fn one(at: u32) -> Threads {
    Threads::One(ThreadId(at))
}

const fn named_like(at: u32) -> Threads {
    Threads::Group(ThreadId(at))
}

/// Returns the name and heat of every row except `(outside zones)`. All other rows are jobs or parts of jobs.
fn heat(report: &Report) -> Vec<(&str, f32)> {
    let rows = report
        .rows
        .iter()
        .filter(|row| &*row.name != "(outside zones)");
    rows.map(|row| (&*row.name, row.heat)).collect()
}

fn job(report: &Report) -> [f64; 3] {
    let row = report.rows.iter().find(|row| &*row.name == "job");
    row.map_or([0.0; 3], |row| {
        row.numbers([
            ColumnId::SelfTime,
            ColumnId::HierarchicalTime,
            ColumnId::Count,
        ])
    })
}

#[test]
fn titles_show_thread_counts_and_names() {
    let mut pool = Pool::new();
    for name in ["main", "worker", "loader", "worker", "worker"] {
        pool.begin(name);
    }
    pool.frame(&[1, 2, 3, 4, 5]);
    for at in [1, 3, 4] {
        assert_eq!(
            pool.title(&view(named_like(at), Average::Fast)),
            "worker (3 threads)"
        );
    }
    for (at, title) in [
        (0, "thread main"),
        (1, "thread worker #1"),
        (2, "thread loader"),
        (3, "thread worker #2"),
        (4, "thread worker #3"),
        (5, "no such thread"),
    ] {
        assert_eq!(pool.title(&view(one(at), Average::Fast)), title);
    }
    assert_eq!(
        pool.title(&view(named_like(2), Average::Fast)),
        "thread loader"
    );
    assert_eq!(
        pool.title(&view(named_like(5), Average::Fast)),
        "no such thread"
    );
    assert!(
        pool.report(&view(named_like(5), Average::Newest))
            .rows
            .is_empty()
    );
    // The bars show the frames of that one thread.
    assert_eq!(
        pool.graph_title(&view(named_like(3), Average::Fast)),
        "frames of thread worker #2"
    );
    assert_eq!(
        pool.graph_title(&view(one(0), Average::Fast)),
        "frames of thread main"
    );
}

#[test]
fn trailing_number_does_not_split_a_thread_group() {
    let mut pool = Pool::new();
    for name in ["main", "worker-0", "worker-1", "worker", "workers"] {
        pool.begin(name);
    }
    for _ in 0..3 {
        pool.frame(&[0, 2_000_000, 3_000_000, 4_000_000, 5_000_000]);
    }
    for at in [1, 2, 3] {
        let workers = view(named_like(at), Average::Newest);
        assert_eq!(pool.title(&workers), "worker (3 threads)");
        assert_eq!(job(&pool.report(&workers)), [4.5, 9.0, 3.0]);
        // The sum of the threads' times doesn't fluctuate.
        let report = pool.report(&workers);
        assert!(heat(&report).iter().all(|(_, heat)| *heat < 0.1));
    }
    assert_eq!(pool.title(&view(one(1), Average::Fast)), "thread worker-0");
    let others = view(named_like(4), Average::Newest);
    assert_eq!(pool.title(&others), "thread workers");
}

#[test]
fn thread_group_members_are_found_per_report() {
    let mut pool = Pool::new();
    for name in ["main", "worker", "helper"] {
        pool.begin(name);
    }
    pool.frame(&[0, 2_000_000, 3_000_000]);
    pool.frame(&[0, 2_000_000, 3_000_000]);
    let workers = view(named_like(1), Average::Newest);
    assert_eq!(job(&pool.report(&workers)), [1.0, 2.0, 1.0]);
    assert_eq!(pool.title(&workers), "thread worker");
    pool.threads[2].record().set_name("worker".into());
    let mut remembered = workers.clone();
    remembered.frame = Frames::Number(1);
    for view in [&workers, &remembered] {
        assert_eq!(job(&pool.report(view)), [2.5, 5.0, 2.0]);
        assert_eq!(pool.title(view), "worker (2 threads)");
        // No frame has ended since `helper` was renamed, so the threads' combined heat is unknown.
        assert!(
            heat(&pool.report(view))
                .iter()
                .all(|(_, heat)| *heat == 0.0)
        );
    }
    pool.frame(&[0, 2_000_000, 3_000_000]);
    pool.threads[1].record().set_name("helper".into());
    assert_eq!(job(&pool.report(&workers)), [1.0, 2.0, 1.0]);
    assert_eq!(pool.title(&workers), "thread helper");
    assert_eq!(
        pool.title(&view(named_like(2), Average::Newest)),
        "thread worker"
    );
    pool.frame(&[0, 2_000_000, 3_000_000]);
    assert_eq!(job(&pool.report(&workers)), [1.0, 2.0, 1.0]);
}

#[test]
fn work_moving_within_a_thread_group_causes_no_heat() {
    let mut pool = Pool::new();
    for name in ["main", "worker", "worker"] {
        pool.begin(name);
    }
    for frame in 0..300 {
        let first = 1_000_000 * (frame % 5);
        pool.frame(&[0, first, 4_000_000 - first]);
    }
    let job_heat = |threads| {
        let report = pool.report(&view(threads, Average::Fast));
        let heat = heat(&report);
        heat.iter().find(|(name, _)| *name == "job").unwrap().1
    };
    assert!(job_heat(one(1)) > 0.45 && job_heat(one(2)) > 0.45);
    assert!(job_heat(named_like(1)) < 1e-3);
    assert_eq!(job_heat(named_like(1)), job_heat(named_like(2)));
}

/// The main thread runs no jobs, so a job's heat over all threads must equal its heat over the group of workers. The
/// two must agree in every frame and mode, even when a worker begins or the profiler is reset.
#[test]
fn thread_group_heat_matches_its_summed_threads() {
    let mut pool = Pool::new();
    pool.begin("main");
    let mut random = 1u64;
    let mut hot = 0;
    for frame in 0..400 {
        if [5, 60, 61, 200].contains(&frame) {
            pool.begin("worker");
        }
        let jobs: Vec<u64> = (0..pool.threads.len())
            .map(|at| {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
                let idle = at == 0 || random >> 60 < 3;
                if idle { 0 } else { (random >> 33) % 3_000_000 }
            })
            .collect();
        pool.frame(&jobs);
        if frame == 250 {
            let records = pool.records();
            pool.profiler.reset(&records, records[0], pool.pair());
        }
        for &average in Average::ALL {
            for mode in [
                ReportMode::SelfTime,
                ReportMode::HierarchicalTime,
                ReportMode::CallGraph,
            ] {
                let mut all = view(Threads::All, average);
                all.report_mode = mode;
                let mut workers = all.clone();
                workers.set_threads(named_like(1));
                let (all, workers) = (pool.report(&all), pool.report(&workers));
                let (all, workers) = (heat(&all), heat(&workers));
                if frame >= 5 {
                    assert_eq!(all, workers, "frame {frame}");
                }
                hot += workers.iter().filter(|(_, heat)| *heat > 0.1).count();
            }
        }
    }
    assert!(hot > 1000, "too few hot rows: {hot}");
}
