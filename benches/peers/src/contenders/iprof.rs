//! iprof: `zone!` and one `update` per frame.

use crate::contender::{BARE, Contender};
use crate::tally;

pub(crate) const EXACT: Contender = Contender {
    name: "iprof",
    set: "exact timing; update(true) per frame, history of 1,024 frames as it comes",
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
