//! iprof: `zone!` and one `update` per frame.

use crate::contender::{BARE, Contender};
use crate::tally;
use ::iprof::{Timing, set_timing};

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
    set: "Timing::Sampled { hz: 1,000 }: exact counts, times from a thread that looks",
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

/// iprof in whichever mode.
const IPROF: Contender = Contender {
    package: Some("iprof"),
    frame: end_frame,
    counts: Some(tally::added),
    work: &WORK,
    ..BARE
};

fn end_frame() {
    ::iprof::update(true);
    if !tally::is_watching() {
        return;
    }
    let mut view = ::iprof::View::new();
    view.set_average(0);
    for record in &view.report().records {
        // A recursive zone's name is followed by its depth.
        let name = record.name.split(' ').next().unwrap_or_default();
        tally::add(name, record.values[2] as u64);
    }
}

macro_rules! enter {
    ($name:ident) => {
        ::iprof::zone!($name);
    };
}
work!(zone, counter);
