//! Tests that the sampler thread does not appear in any list or report, even if each allocation enters zones in the
//! host's allocator.

#![cfg(feature = "enable")]

#[path = "support/zoned.rs"]
mod zoned;

use iprof::{Report, Row, ThreadInfo, Threads, Timing, View};
use std::hint::black_box;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: zoned::Zoned = zoned::Zoned;

/// Whether the sampler has sampled this thread in a zone. Until then, all time belongs to the root.
fn has_sampled_a_zone(report: &Report) -> bool {
    let is_found = |row: &Row| {
        row.value(iprof::ColumnId::SelfTime).unwrap().standard_error > 0.0
            && row.value(iprof::ColumnId::SelfTime).unwrap().number > 0.0
    };
    let mut zones = report.rows.iter().filter(|r| &*r.name != "(outside zones)");
    zones.any(is_found)
}

fn reports() -> Vec<Report> {
    let mut views = vec![View::default()];
    for thread in iprof::threads() {
        let mut view = View::default();
        view.set_threads(Threads::One(thread.id));
        views.push(view);
    }
    let profiler = iprof::profiler();
    views.iter().map(|view| view.report(&profiler)).collect()
}

#[test]
fn sampler_thread_is_not_reported() {
    let name = std::thread::current().name().unwrap_or("").to_owned();
    // Not all modes use the sampler, but its thread may still be allocating after the switch to the next mode.
    for timing in [
        Timing::SAMPLED,
        Timing::Exact,
        Timing::Sampled { hz: 10_000.0 },
        Timing::Off,
        Timing::Auto { budget: 1e-4 },
    ] {
        iprof::set_timing(timing);
        // Discard earlier samples.
        iprof::reset();
        let (start, mut frames) = (Instant::now(), 0);
        // After the first few frames, `Auto` samples only untimed nodes.
        let mut has_sampled = !matches!(timing, Timing::Sampled { .. } | Timing::Auto { .. });
        while frames < 50 || !has_sampled {
            for _ in 0..20 {
                iprof::zone!(work);
                drop(black_box(vec![0; 1000]));
            }
            iprof::update(true);
            frames += 1;
            let reports = reports();
            has_sampled |= has_sampled_a_zone(&reports[0]);
            for report in &reports {
                let has = |text: &String| text.contains("iprof sampler");
                assert!(
                    !report.title.iter().chain(&report.warnings).any(has),
                    "{report:?}"
                );
                assert!(
                    !report
                        .rows
                        .iter()
                        .any(|row| row.name.contains("iprof sampler"))
                );
            }
            if frames % 16 == 0 {
                assert!(!iprof::dump().contains("iprof sampler"));
                let recorded = iprof::snapshot().threads;
                assert!(!recorded.iter().any(|t| t.name.starts_with("iprof")));
            }
            let threads = iprof::threads();
            // The test program's main thread also allocates.
            let known = |thread: &&ThreadInfo| [&*name, "main"].contains(&&*thread.name);
            assert_eq!(
                threads.iter().filter(known).count(),
                threads.len(),
                "{threads:?}"
            );
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "no samples with {timing:?}"
            );
        }
    }
}
