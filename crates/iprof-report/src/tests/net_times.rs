//! Tests for net times, which are self times minus the recording overhead.

use crate::query;
use crate::report::{ColumnId, Report};
use crate::view::View;
use iprof_gather::cost::ZoneCost;
use iprof_gather::mode::cutoff;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_gather::{Zone, clock::Pair};
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::Timing;

static CALLER: Zone = Zone::new("caller", "", 0, "");
static CALLEE: Zone = Zone::new("callee", "", 0, "");
static TINY: Zone = Zone::new("tiny", "", 0, "");
static COUNTER: Zone = Zone::new("counter", "", 0, "");

/// The cost of recording a zone, in ticks. A tick is a nanosecond.
const COST: ZoneCost = ZoneCost {
    timed: 20.0,
    inside: 8.0,
    counted: 1.0,
};

/// Records a frame of 1 ms in which `caller` calls `callee` 100 times for 1 us, calls `tiny` 1,000 times for 2 ns, and
/// counts 10,000 times.
fn profiler(cutoff: u8) -> Profiler {
    let thread = ScriptedThread::begin("net", 1);
    let mut profiler = Profiler::new(Pair::both(1));
    profiler.add_cost_measurement(Some(COST));
    let mut now = 1;
    thread.apply_mode(cutoff, now);
    now += 100_000;
    thread.enter(&CALLER, now);
    for _ in 0..100 {
        thread.enter(&CALLEE, now);
        now += 1_000;
        thread.leave(now);
    }
    for _ in 0..1_000 {
        thread.enter(&TINY, now);
        now += 2;
        thread.leave(now);
    }
    for _ in 0..10_000 {
        thread.count_as_counter(&COUNTER);
    }
    thread.leave(1_000_001);
    let pair = Pair::both(1_000_001);
    profiler.end_frame(&[thread.record()], thread.record(), pair, true);
    profiler
}

fn net(report: &Report, zone: &str) -> f64 {
    let row = report.rows.iter().find(|r| &*r.name == zone).unwrap();
    row.value(ColumnId::NetTime).unwrap().number * 1e6
}

fn view() -> View {
    let mut view = View::default();
    view.set_column(ColumnId::NetTime, true);
    view
}

#[test]
fn zone_and_caller_share_the_cost_of_a_call() {
    let profiler = profiler(cutoff::EXACT);
    for &average in crate::Average::ALL {
        let mut view = view();
        view.average = average;
        let report = query::report(&profiler, &view, None);
        assert_eq!(
            report.columns[..4],
            [
                ColumnId::SelfTime,
                ColumnId::NetTime,
                ColumnId::HierarchicalTime,
                ColumnId::Count
            ]
        );
        let close = |zone, wanted: f64| {
            let net = net(&report, zone);
            assert!(
                (net - wanted).abs() < 1e-3,
                "{zone}: got {net}, wanted {wanted}"
            );
        };
        close("callee", 100_000.0 - 100.0 * 8.0);
        // The zone took less time than its estimated overhead, which is measured in a loop.
        close("tiny", 0.0);
        close("caller", 798_000.0 - 8.0 - 1_100.0 * 12.0);
        close("(outside zones)", 100_000.0 - 12.0);
        close("counter", 0.0);
    }
}

#[test]
fn untimed_zone_is_charged_to_its_caller() {
    let profiler = profiler(cutoff::SAMPLED);
    let report = query::report(&profiler, &view(), None);
    // There are no samples, so all time is attributed to the root.
    assert!((net(&report, "(outside zones)") - (1_000_000.0 - 1.0)).abs() < 1e-3);
    let title = &report.title[1];
    assert!(title.contains("overhead 0.11 %"), "{title}");
}

#[test]
fn net_times_are_optional_and_change_nothing_else() {
    let profiler = profiler(cutoff::EXACT);
    let with = query::report(&profiler, &view(), None);
    let without = query::report(&profiler, &View::default(), None);
    assert_eq!(
        without.columns,
        [
            ColumnId::SelfTime,
            ColumnId::HierarchicalTime,
            ColumnId::Count
        ]
    );
    for (a, b) in with.rows.iter().zip(&without.rows) {
        let columns = [
            ColumnId::SelfTime,
            ColumnId::HierarchicalTime,
            ColumnId::Count,
        ];
        assert_eq!(a.numbers(columns), b.numbers(columns));
    }
    let title = &with.title[1];
    // 1,101 zones cost 20 ns each, in a frame of 1 ms.
    assert!(title.starts_with("exact  overhead 2.20 %"), "{title}");
}

#[test]
fn remembered_frame_shows_its_own_timing_mode() {
    let mut profiler = profiler(cutoff::EXACT);
    profiler.set_timing(Timing::SAMPLED);
    let mut view = View::default();
    let title =
        |profiler: &Profiler, view: &View| query::report(profiler, view, None).title[1].clone();
    assert!(title(&profiler, &view).starts_with("sampled at 1000 Hz"));
    view.frame = Frames::Number(1);
    assert!(title(&profiler, &view).starts_with("exact"));
}
