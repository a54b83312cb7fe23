//! Tests that sums over frames do not drift in a program that runs for a week.
//!
//! `IPROF_WEEK_FRAMES` sets the number of frames. At 144 Hz, a week has 87,091,200 frames.

use crate::query;
use crate::report::ColumnId;
use crate::view::View;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Profiler;
use iprof_process::builder::snapshot_of;

static WORK: Zone = Zone::new("work", "", 0, "");
static PART: Zone = Zone::new("part", "", 0, "");

/// The length of a frame at 144 Hz, in nanoseconds.
const FRAME: u64 = 1_000_000_000 / 144;
/// The number of ticks per nanosecond.
const RATE: u64 = 3;
/// The nanoseconds spent in the outer zone.
const OUTER: u64 = 4_000_000;
/// The nanoseconds spent in the inner zone, as part of the outer zone's.
const INNER: u64 = 1_500_000;
/// The number of frames between two checks.
const CHECK_EVERY: u64 = 100_000;

fn check(profiler: &Profiler, frame: u64) {
    let frame_ms = FRAME as f64 * 1e-6;
    for &average in crate::Average::ALL {
        let mut view = View::default();
        view.average = average;
        let report = query::report(profiler, &view, None);
        let mut sum = 0.0;
        for row in &report.rows {
            sum += row.number(ColumnId::SelfTime);
            let columns = [
                ColumnId::SelfTime,
                ColumnId::HierarchicalTime,
                ColumnId::Count,
            ];
            let wanted = match &*row.name {
                "work" => [(OUTER - INNER) as f64 * 1e-6, OUTER as f64 * 1e-6, 1.0],
                "part" => [INNER as f64 * 1e-6, INNER as f64 * 1e-6, 1.0],
                _ => [
                    frame_ms - OUTER as f64 * 1e-6,
                    frame_ms,
                    row.number(ColumnId::Count),
                ],
            };
            for (value, wanted) in row.numbers(columns).into_iter().zip(wanted) {
                // In single precision, the seconds of a week would be off by as much as the length of a frame.
                assert!(
                    (value - wanted).abs() <= 1e-6 * wanted + 1e-7,
                    "frame {frame}, average {average:?}: {} has {value}, not {wanted}",
                    row.name
                );
            }
            assert!(row.heat < 1e-3, "frame {frame}: {} {}", row.name, row.heat);
        }
        assert!(
            (sum - frame_ms).abs() < 1e-6,
            "frame {frame}: {sum} of {frame_ms}"
        );
    }
}

#[test]
fn values_after_a_week_match_the_first_minute() {
    let frames = std::env::var("IPROF_WEEK_FRAMES").map_or(1_000_000, |n| n.parse().unwrap());
    let began = 77;
    let (mut ticks, mut ns) = (began, 1_000u64);
    let thread = ScriptedThread::begin("week", ticks);
    let record = thread.record();
    let mut profiler = Profiler::new(Pair { ticks, ns });
    profiler.history_mut().set_capacity(16);
    for frame in 1..=frames {
        let at = |ns: u64| ticks + ns * RATE;
        thread.enter(&WORK, at(1_000));
        thread.enter(&PART, at(2_000));
        thread.leave(at(2_000 + INNER));
        thread.leave(at(1_000 + OUTER));
        ticks = at(FRAME);
        ns += FRAME;
        profiler.end_frame(&[record], record, Pair { ticks, ns }, true);
        if frame % CHECK_EVERY == 0 || frame < 10 && frame > 3 {
            check(&profiler, frame);
        }
    }
    assert_eq!(profiler.history().newest().unwrap().number, frames);
    let snapshot = snapshot_of(&mut profiler, &[record], Pair { ticks, ns }, false);
    assert_eq!(snapshot.frames, frames);
    let mut all = 0;
    for node in &snapshot.threads[0].nodes {
        let (wanted, entries) = match &*snapshot.zones[node.zone as usize].name {
            "work" => (OUTER - INNER, frames),
            "part" => (INNER, frames),
            _ => (FRAME - OUTER, node.entries),
        };
        assert_eq!(
            (node.ticks, node.entries),
            (wanted * RATE * frames, entries)
        );
        all += node.ticks;
    }
    assert_eq!(all, ticks - began, "no time should be lost during the week");
}
