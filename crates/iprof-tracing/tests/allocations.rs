//! Tests that creating and entering spans named by known values allocates nothing, with the subscriber and with the
//! layer. Strings, integers and bools are never formatted; other values are formatted once per span.

#[path = "../../../tests/support/allocations.rs"]
mod allocations;

use allocations::allocations;
use iprof_tracing::{Layer, Options, Subscriber};
use std::cell::Cell;
use std::fmt;
use tracing::{Dispatch, Span, dispatcher, info_span};
use tracing_subscriber::layer::SubscriberExt;

thread_local! {
    static FORMATTED: Cell<usize> = const { Cell::new(0) };
}

/// A value that counts how many times it is formatted.
struct Counted(&'static str);

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FORMATTED.set(FORMATTED.get() + 1);
        f.write_str(self.0)
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Returns one span for each kind of value, alternating between two values.
fn spans(round: usize) -> [Span; 6] {
    let name = ["gravity", "collisions"][round % 2];
    [
        info_span!("by a string", name),
        info_span!("by debug", name = ?Counted(name)),
        info_span!("by display", name = %Counted(name)),
        info_span!("by a number", name = round % 2),
        info_span!("by a bool", name = round.is_multiple_of(2)),
        info_span!("not found", other = name),
    ]
}

fn rounds(count: usize) {
    for round in 0..count {
        for span in spans(round) {
            // Enter the span twice, then close it.
            span.in_scope(|| {});
            span.in_scope(|| {});
        }
    }
}

#[test]
fn spans_of_known_values_do_not_allocate() {
    let options = || Options::new().named_by("name");
    let registry = tracing_subscriber::registry().with(Layer::with_options(options()));
    for (kind, dispatch) in [
        (
            "subscriber",
            Dispatch::new(Subscriber::with_options(options())),
        ),
        ("layer", Dispatch::new(registry)),
    ] {
        dispatcher::with_default(&dispatch, || {
            rounds(10);
            FORMATTED.set(0);
            assert_eq!(allocations(|| rounds(1_000)), 0, "{kind}");
            // Two spans per round: one formatted with `Debug`, one with `Display`.
            assert_eq!(FORMATTED.get(), 2 * 1_000, "{kind}");
            // Keep these spans while others are created.
            let kept = spans(1);
            rounds(10);
            FORMATTED.set(0);
            let entered = allocations(|| {
                for span in kept.iter().cycle().take(1_000) {
                    span.in_scope(|| {});
                }
            });
            assert_eq!([entered, FORMATTED.get()], [0, 0], "{kind}");
            // A new name allocates.
            let new = allocations(|| info_span!("by a string", name = kind).in_scope(|| {}));
            assert!(new > 0, "{kind}");
        });
    }
}
