//! An iterator over the snapshots of remembered frames, which it fetches one by one.

use crate::about::About;
use crate::snapshot::FrameSnapshot;
use std::ops::{Bound, RangeBounds};

/// An iterator over remembered frames, oldest first: see [`frame_snapshots`](fn.frame_snapshots.html).
#[derive(Clone, Debug)]
#[must_use = "an iterator does nothing until it is advanced"]
pub struct FrameSnapshots {
    /// The least possible number of the next frame.
    first: u64,
    /// The end of the numbers, exclusive.
    end: u64,
    about: About,
    /// Returns the oldest remembered frame between these two numbers, both inclusive.
    fetch: fn(u64, u64) -> Option<FrameSnapshot>,
}

#[doc(hidden)]
impl FrameSnapshots {
    /// The frames of this process with these numbers, as `fetch` returns the oldest between two numbers, both inclusive.
    pub fn new(
        numbers: impl RangeBounds<u64>,
        fetch: fn(u64, u64) -> Option<FrameSnapshot>,
    ) -> FrameSnapshots {
        let first = match numbers.start_bound() {
            Bound::Included(first) => *first,
            Bound::Excluded(before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match numbers.end_bound() {
            Bound::Included(last) => last.saturating_add(1),
            Bound::Excluded(end) => *end,
            Bound::Unbounded => u64::MAX,
        };
        FrameSnapshots {
            first,
            end,
            about: About::this_process(),
            fetch,
        }
    }
}

impl Iterator for FrameSnapshots {
    type Item = FrameSnapshot;

    fn next(&mut self) -> Option<FrameSnapshot> {
        if self.first >= self.end {
            return None;
        }
        let mut next = (self.fetch)(self.first, self.end - 1)?;
        self.first = next.number + 1;
        next.recorded.about = self.about.clone();
        Some(next)
    }
}
