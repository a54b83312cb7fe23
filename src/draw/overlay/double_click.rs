//! Tells whether a click on the flame graph is the second of a double click: soon after another, at its place or on its call
//! path.

use crate::clock::Instant;
use iprof_report::CallPath;
use std::time::Duration;

/// The longest time between the two, as on desktops.
const LONGEST: Duration = Duration::from_millis(500);
/// The distance in px that the pointer may move between the two.
const REACH: f32 = 4.0;

/// A click on the flame graph.
#[derive(Debug)]
pub(super) struct Click {
    pub(super) at: [f32; 2],
    pub(super) path: CallPath,
    pub(super) time: Instant,
}

impl Click {
    /// Whether it is the second click of a double click, after `first`. The boxes of a live flame graph change under
    /// a pointer that rests, and a finger does not hit the same place twice: either is enough.
    pub(super) fn doubles(&self, first: &Click) -> bool {
        let [x, y] = [0, 1].map(|axis| (self.at[axis] - first.at[axis]).abs() < REACH);
        let is_soon = self.time.saturating_duration_since(first.time) <= LONGEST;
        is_soon && (x && y || self.path == first.path)
    }
}
