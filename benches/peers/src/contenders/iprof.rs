//! iprof: `zone!` and one `update` per frame.

use crate::contender::{BARE, Contender};
use crate::entry_counts::{self, Counts};
use ::iprof::{ColumnId, Frames, Timing, View, set_timing, update};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(crate) const EXACT: Contender = Contender {
    name: "iprof",
    set: "exact timing; update(true) per frame, history of 1,024 frames as it comes",
    ..IPROF
};

pub(crate) const AUTO: Contender = Contender {
    name: "iprof, auto",
    set: "Timing::AUTO: exact as long as it costs no more than a hundredth, sampled where it would",
    start: || set_timing(Timing::AUTO),
    ..IPROF
};

pub(crate) const SAMPLED: Contender = Contender {
    name: "iprof, sampled",
    set: "Timing::Sampled { hz: 1,000 }: exact counts, times from the sampler",
    start: || set_timing(Timing::SAMPLED),
    ..IPROF
};

pub(crate) const OFF: Contender = Contender {
    name: "iprof, off",
    set: "Timing::Off: nothing is recorded until it is turned on",
    start: || set_timing(Timing::Off),
    counts: None,
    ..IPROF
};

pub(super) const IPROF: Contender = Contender {
    package: Some("iprof"),
    frame: || update(true),
    mark: || {
        let newest = View::default()
            .graph(&iprof::profiler())
            .bars
            .back()
            .map_or(0, |bar| bar.frame);
        MARK.store(newest, Relaxed);
    },
    counts: Some(counts),
    work: &WORK,
    ..BARE
};

static MARK: AtomicU64 = AtomicU64::new(0);

fn counts() -> Counts {
    let mut counts = Counts::new();
    let mark = MARK.load(Relaxed);
    for bar in View::default()
        .graph(&iprof::profiler())
        .bars
        .iter()
        .filter(|bar| bar.frame > mark)
    {
        let mut view = View::default();
        view.show_frames(&iprof::profiler(), Frames::Number(bar.frame));
        let report = view.report(&iprof::profiler());
        for row in &report.rows {
            // A recursive zone's name is followed by its depth.
            let name = row.name.split(' ').next().unwrap_or_default();
            entry_counts::add(
                &mut counts,
                name,
                row.value(ColumnId::Count)
                    .expect("the row should have a count")
                    .number as u64,
            );
        }
    }
    counts
}

macro_rules! enter {
    ($name:ident) => {
        ::iprof::zone!($name);
    };
}
work!(zone, counter);
