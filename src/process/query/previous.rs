//! The report that was shown before, as a new one is built: `fold` and `outline` keep what they can of it, so that
//! nothing flickers. Folded rows stay folded until they are clearly larger; while the order is held, rows keep their
//! places.

use crate::report::Report;

/// The report shown before, of the same list of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Previous<'a> {
    pub(crate) report: &'a Report,
    /// Whether its rows keep their order, because the pointer is over them or the cursor was just moved: new
    /// rows come last, and rows with nothing to show keep their places, with zeros.
    pub(crate) is_held: bool,
}
