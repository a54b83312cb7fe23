//! coarse-prof: a tree of scopes per thread, with totals but without frames.

use crate::contender::{BARE, Contender};
use crate::entry_counts::{self, Counts};
use std::cell::Cell;
use std::time::Instant;

pub(crate) const COARSE_PROF: Contender = Contender {
    name: "coarse-prof",
    package: Some("coarse-prof"),
    set: "as it comes; it has no frames and is never reset",
    start: || {
        coarse_prof::reset();
        STARTED.set(Some(Instant::now()));
    },
    counts: Some(counts),
    // coarse-prof prints entries per second with two decimals.
    tolerance: 2e-3,
    work: &WORK,
    ..BARE
};

thread_local! {
    static STARTED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Parses lines such as `  name: 4.20%, 0.00ms avg, 0.00ms min, 0.01ms max @ 1234.56Hz`.
fn counts() -> Counts {
    let seconds = STARTED.get().map_or(0.0, |at| at.elapsed().as_secs_f64());
    let (mut text, mut counts) = (Vec::new(), Counts::new());
    coarse_prof::write(&mut text).expect("writing to a Vec cannot fail");
    for line in String::from_utf8_lossy(&text).lines() {
        let name = line.trim().split(':').next().unwrap_or_default();
        let hertz = line.rsplit('@').next().unwrap_or_default().trim();
        let hertz: f64 = hertz
            .trim_end_matches("Hz")
            .parse()
            .expect("the frequency should be a number");
        entry_counts::add(&mut counts, name, (hertz * seconds).round() as u64);
    }
    counts
}

macro_rules! enter {
    ($name:ident) => {
        ::coarse_prof::profile!(stringify!($name));
    };
}
work!(zone, counter);
