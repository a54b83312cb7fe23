//! Tests for heat in reports, on one thread and on all threads.

use crate::query;
use crate::view::View;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};

static MINE: Zone = Zone::new("mine", file!(), line!(), module_path!());
static SHARED: Zone = Zone::new("shared", file!(), line!(), module_path!());

fn heat(profiler: &Profiler, threads: Threads, name: &str) -> f32 {
    let mut view = View::default();
    view.set_threads(threads);
    let report = query::report(profiler, &view, None);
    let row = report.rows.iter().find(|row| &*row.name == name);
    row.map_or(0.0, |row| row.heat)
}

#[test]
fn heat_of_all_threads_continues_first_threads_heat() {
    let mut now = 1_000;
    let first = ScriptedThread::begin("first", now);
    let mut records = vec![first.record()];
    let at = |now| Pair::both(now);
    let mut profiler = Profiler::new(at(now));
    let mut second = None;
    let one = |thread| Threads::One(ThreadId(thread));
    for frame in 0..400 {
        if frame == 200 {
            let thread = ScriptedThread::begin("second", now);
            records.push(thread.record());
            second = Some(thread);
        }
        // Long and short frames alternate. Once there is a second thread, it alternates in the opposite order.
        let (long, short) = (12_000_000, 4_000_000);
        let (a, b) = if frame % 2 == 0 {
            (long, short)
        } else {
            (short, long)
        };
        first.enter(&MINE, now);
        first.leave(now + a);
        if let Some(second) = &second {
            first.enter(&SHARED, now + a);
            first.leave(now + a + a);
            second.enter(&SHARED, now);
            second.leave(now + b);
        }
        now += 30_000_000;
        profiler.end_frame(&records, records[0], at(now), true);
        assert_eq!(
            heat(&profiler, Threads::All, "mine"),
            heat(&profiler, one(0), "mine")
        );
    }
    assert!(heat(&profiler, one(0), "mine") > 0.45);
    assert!(heat(&profiler, one(0), "shared") > 0.45);
    assert!(heat(&profiler, one(1), "shared") > 0.45);
    assert!(heat(&profiler, Threads::All, "shared") < 0.05);

    let mut view = View::default();
    view.frame = Frames::Number(399);
    let report = query::report(&profiler, &view, None);
    assert!(!report.rows.is_empty() && report.rows.iter().all(|row| row.heat == 0.0));
}
