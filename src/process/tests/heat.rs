//! The heat of one thread and of all together, as reports show it.

use crate::Zone;
use crate::clock::Pair;
use crate::gather::scripted::ScriptedThread;
use crate::process::core::Process;
use crate::process::view::{ThreadId, Threads, View};

static MINE: Zone = Zone::new("mine", file!(), line!(), module_path!());
static SHARED: Zone = Zone::new("shared", file!(), line!(), module_path!());

/// The heat of a zone.
fn heat(process: &Process, threads: Threads, name: &str) -> f32 {
    let mut view = View::new();
    view.set_threads(threads);
    let report = process.report(&view, None);
    let record = report.records.iter().find(|record| &*record.name == name);
    record.map_or(0.0, |record| record.heat)
}

#[test]
fn all_threads_go_on_from_the_heat_of_the_only_one() {
    let mut now = 1_000;
    let first = ScriptedThread::begin("first", now);
    let mut records = vec![first.record()];
    let at = |now| Pair::both(now);
    let mut process = Process::new(at(now));
    let mut second = None;
    let one = |thread| Threads::One(ThreadId(thread));
    for frame in 0..400 {
        if frame == 200 {
            let thread = ScriptedThread::begin("second", now);
            records.push(thread.record());
            second = Some(thread);
        }
        // Long and short in turn; from when there is a second thread, it does what the first does
        // not.
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
        process.update(&records, records[0], at(now), true);
        assert_eq!(
            heat(&process, Threads::All, "mine"),
            heat(&process, one(0), "mine")
        );
    }
    assert!(heat(&process, one(0), "mine") > 0.9);
    assert!(heat(&process, one(0), "shared") > 0.9);
    assert!(heat(&process, one(1), "shared") > 0.9);
    assert!(heat(&process, Threads::All, "shared") < 0.1);
}
