//! fastrace: spans under a root span's local parent, which are handed to a collector thread.

use crate::address_map::AddressMap;
use crate::contender::{BARE, Contender};
use crate::entry_counts::{self, Counts};
use fastrace::Span;
use fastrace::collector::{Config, Reporter, SpanContext, SpanRecord};
use fastrace::local::LocalParentGuard;
use std::cell::RefCell;
use std::sync::{LazyLock, Mutex, MutexGuard};

pub(crate) const FASTRACE: Contender = Contender {
    name: "fastrace",
    package: Some("fastrace"),
    set: "enable; LocalSpan per zone; a root span per batch of a frame, since one drops all after 10,240; a reporter that adds up the records by name and drops them, Config as it comes",
    start: || fastrace::set_reporter(Count, Config::default()),
    open: || {
        let root = Span::root("batch", SpanContext::random());
        let guard = root.set_local_parent();
        OPEN.set(Some((guard, root)));
    },
    close: || drop(OPEN.take()),
    second: fastrace::flush,
    counts: Some(counts),
    work: &WORK,
    ..BARE
};

thread_local! {
    /// The local parent and the root span, in the order in which they must be dropped.
    static OPEN: RefCell<Option<(LocalParentGuard, Span)>> = const { RefCell::new(None) };
}

/// A name, and the number of records with that name. Counting is about the minimum that a reporter can do, and costs
/// little compared with delivering the records.
type Total = (String, u64);

/// The totals, keyed by the address of the name, because each zone's name has a different address.
static TOTALS: LazyLock<Mutex<AddressMap<Total>>> = LazyLock::new(Mutex::default);

fn totals() -> MutexGuard<'static, AddressMap<Total>> {
    TOTALS
        .lock()
        .expect("a thread panicked while holding the lock")
}

fn counts() -> Counts {
    let mut counts = Counts::new();
    for (name, entries) in totals().values() {
        entry_counts::add(&mut counts, name, *entries);
    }
    counts
}

struct Count;

impl Reporter for Count {
    fn report(&mut self, spans: Vec<SpanRecord>) {
        let mut totals = totals();
        for span in spans {
            let total = totals.entry(span.name.as_ptr().addr());
            total.or_insert_with(|| (span.name.to_string(), 0)).1 += 1;
        }
    }
}

macro_rules! enter {
    ($name:ident) => {
        let _zone = ::fastrace::local::LocalSpan::enter_with_local_parent(stringify!($name));
    };
}
work!(zone, counter);
