//! Counts entries by name. These counts are the reference for the other contenders' counts. This contender's cost is
//! not measured.

use crate::contender::{BARE, Contender, MOST_ZONES, TRUTH};
use crate::entry_counts::Counts;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

pub(crate) const COUNTED: Contender = Contender {
    name: TRUTH,
    set: "counts alone",
    open: || IN_BATCH.set(0),
    close: || {
        let zones = IN_BATCH.get();
        assert!(zones <= MOST_ZONES, "{zones} zones in one batch");
    },
    counts: Some(counts),
    work: &WORK,
    ..BARE
};

thread_local! {
    static ENTRIES: RefCell<HashMap<&'static str, u64>> = RefCell::default();
    static IN_BATCH: Cell<u64> = const { Cell::new(0) };
}

fn counts() -> Counts {
    let owned = |(name, entries): (&&str, &u64)| ((*name).to_owned(), *entries);
    ENTRIES.with_borrow(|entries| entries.iter().map(owned).collect())
}

pub(crate) fn enter(name: &'static str) {
    IN_BATCH.set(IN_BATCH.get() + 1);
    ENTRIES.with_borrow_mut(|entries| *entries.entry(name).or_default() += 1);
}

macro_rules! enter {
    ($name:ident) => {
        $crate::contenders::truth::enter(stringify!($name));
    };
}
work!(zone, counter);
