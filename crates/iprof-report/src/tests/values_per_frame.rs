//! Tests for the values-per-frame columns. Every number must be computed from the sorted sums that reports of single
//! frames show.

use super::call_paths::open_all;
use super::programs::{self, Run, ZONES};
use super::sums::THREADS;
use super::times_per_frame::by_frame;
use super::values::with_values;
use crate::query;
use crate::query::row_plan::naive;
use crate::report::{ColumnId, Recursion, ReportMode};
use crate::view::View;
use iprof_process::Frames;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;

/// Checks a report's values per frame against reports of single frames.
fn check_tails(run: &Run, view: &View) {
    let view = {
        let mut view = view.clone();
        for &column in ColumnId::VALUES_PER_FRAME {
            view.set_column(column, true);
        }
        view
    };
    let report = query::report(&run.profiler, &view, None);
    if report.value.is_some() {
        let mut header = String::new();
        report.push_header(ColumnId::ValueP99, &mut header);
        assert_eq!(header, "p99 bodies");
    }
    let frames = by_frame(&run.profiler, &view, ColumnId::NamedValue);
    for row in &report.rows {
        let values = frames.iter().map(|frame| frame.get(&row.key));
        let values: Vec<f64> = values.map(|value| value.copied().unwrap_or(0.0)).collect();
        let is_in_any = values.iter().any(|value| *value != 0.0);
        let wanted = is_in_any.then(|| naive(&values));
        for &column in ColumnId::VALUES_PER_FRAME {
            let got = row.value(column).map(|value| value.number);
            let wanted = wanted.as_ref().and_then(|wanted| wanted.value(column));
            let name = &row.name;
            assert_eq!(got, wanted, "{name} {column:?} of {values:?} in {view:#?}");
        }
        if is_in_any {
            let has = |column| report.columns.contains(column);
            assert!(ColumnId::VALUES_PER_FRAME.iter().all(has));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: programs::config().cases / 25, ..programs::config() })]

    #[test]
    fn values_per_frame_match_sorted_sums_in_every_mode(
        program in with_values(programs::program(THREADS)),
        zone in 0..ZONES + 1,
    ) {
        let run = programs::run(THREADS, &program);
        let threads = (0..THREADS as u32).map(|at| Threads::One(ThreadId(at)));
        for threads in threads.chain([Threads::All, Threads::Group(ThreadId(1))]) {
            let sets = [Frames::All, Frames::Slowest(3)];
            for (at, frame) in sets.into_iter().chain([Frames::Live]).enumerate() {
                let mut view = View::default();
                view.set_threads(threads);
                view.frame = frame;
                view.recursion = [Recursion::Flatten, Recursion::Spread][at % 2];
                view.grouping = at == 1;
                view.idle_ranked = at % 2 == 0;
                view.select_zone_of((zone % run.profiler.indices().zone_count()) as u32);
                for &mode in ReportMode::ALL {
                    view.report_mode = mode;
                    check_tails(&run, &view);
                    open_all(&run, &mut view);
                    check_tails(&run, &view);
                }
            }
        }
    }
}
