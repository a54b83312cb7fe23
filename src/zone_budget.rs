//! The budget of a zone, and how often it was exceeded.

use std::time::Duration;

/// The budget of a zone, as [`set_zone_budget`](crate::set_zone_budget) or the zone's definition gives it, and in how many
/// frames the zone took longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ZoneBudget {
    /// The longest that the zone should take in a frame on one thread, with all that it calls.
    pub limit: Duration,
    /// The number of recorded frames since this limit was set, or since the last [`reset`](crate::reset).
    pub frames: u64,
    /// How many of these frames exceeded the limit on at least one thread.
    pub misses: u64,
}
