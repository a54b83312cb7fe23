//! The report shown before the one that is built, and what of it stays: folded rows stay folded until they
//! are clearly larger, columns keep their units until these clearly do not fit, and while the order is held
//! rows stay where they stand.

use crate::report::Report;

/// The report shown before, of the same list of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Previous<'a> {
    pub(crate) report: &'a Report,
    /// Whether its rows stay where they stand, because somebody is about to point at one: new rows come
    /// last, and rows with nothing to show keep their places, with zeros.
    pub(crate) is_held: bool,
}
