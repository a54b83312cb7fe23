//! fastrace: spans of a root span's local parent, handed to a thread that collects them.

use crate::contender::{BARE, Contender};
use crate::tally;
use fastrace::Span;
use fastrace::collector::{Config, Reporter, SpanContext, SpanRecord};
use fastrace::local::LocalParentGuard;
use std::cell::RefCell;

pub(crate) const FASTRACE: Contender = Contender {
    name: "fastrace",
    package: Some("fastrace"),
    set: "enable; LocalSpan per zone; a root span per stretch of a frame, since one drops all after 10,240; a reporter that drops the records, Config as it comes",
    start: || fastrace::set_reporter(Count, Config::default()),
    open: || {
        let root = Span::root("stretch", SpanContext::random());
        let guard = root.set_local_parent();
        OPEN.set(Some((guard, root)));
    },
    close: || drop(OPEN.take()),
    second: fastrace::flush,
    counts: Some(tally::added),
    work: &WORK,
    ..BARE
};

thread_local! {
    /// In the order in which they have to end.
    static OPEN: RefCell<Option<(LocalParentGuard, Span)>> = const { RefCell::new(None) };
}

struct Count;

impl Reporter for Count {
    fn report(&mut self, spans: Vec<SpanRecord>) {
        if tally::is_watching() {
            spans.iter().for_each(|span| tally::add(&span.name, 1));
        }
    }
}

macro_rules! enter {
    ($name:ident) => {
        let _zone = ::fastrace::local::LocalSpan::enter_with_local_parent(stringify!($name));
    };
}
work!(zone, counter);
