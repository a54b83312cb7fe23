//! The key of a row: a zone by its index, at a recursion depth.

/// A row of a flat report: a zone, or a zone at one recursion depth with
/// [`Recursion::Spread`](crate::report::Recursion).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ZoneKey {
    pub(crate) zone: u32,
    /// The number of nodes of the same zone below it on the stack; 0 with recursion flattened.
    pub(crate) level: u32,
}

/// The zone `(outside zones)`. It is the root of every thread's tree, and so the first zone to be added.
pub(crate) const GLOBAL: u32 = 0;
