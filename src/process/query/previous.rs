//! Input of a new report: the one shown before, and whether its order is held. `fold`, `outline` and `report_builder` keep
//! of it what would flicker otherwise: folded rows, places, units.

use crate::report::Report;

/// The report shown before, of the same list of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Previous<'a> {
    pub(crate) report: &'a Report,
    /// Whether its rows keep their order, because the pointer is over them or the cursor was just moved: new
    /// rows come last, and rows with nothing to show keep their places, with zeros.
    pub(crate) is_held: bool,
}
