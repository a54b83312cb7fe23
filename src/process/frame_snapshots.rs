//! Snapshots of remembered frames, one by one, for export.

pub(super) mod builder;

use crate::about::About;
use crate::snapshot::FrameSnapshot;
use std::ops::{Bound, RangeBounds};

/// Snapshots of the remembered frames with these numbers, oldest first: of the newest frames, as many
/// as [`set_history`](crate::set_history) says, and of those kept longer because they are among the
/// [longest](crate::set_longest_frames) or [marked](crate::mark). So the numbers may have gaps.
///
/// The iterator fetches each frame on demand, and an `update` waits for that frame alone. It skips frames that
/// were forgotten before it reached them; with an open range it includes frames recorded in the
/// meantime. A snapshot holds the data that the frame's report shows: exactly to the tick, times and
/// entries of every stack that was entered or had time in the frame. Samples are not remembered by
/// frame, so the nodes' `samples` are 0. Without the feature `enable` there are no frames.
///
/// ```
/// for _ in 0..3 {
///     iprof::zone!(frame);
///     iprof::update(true);
/// }
/// for frame in iprof::frame_snapshots(2..) {
///     println!("frame {}: {} ticks", frame.number, frame.recorded.ticks);
/// }
/// ```
pub fn frame_snapshots(numbers: impl RangeBounds<u64>) -> FrameSnapshots {
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
    }
}

/// An iterator over remembered frames, oldest first: see [`frame_snapshots`].
#[derive(Clone, Debug)]
#[must_use = "an iterator does nothing until it is advanced"]
pub struct FrameSnapshots {
    /// The least possible number of the next frame.
    first: u64,
    /// The end of the numbers, exclusive.
    end: u64,
    about: About,
}

impl Iterator for FrameSnapshots {
    type Item = FrameSnapshot;

    fn next(&mut self) -> Option<FrameSnapshot> {
        if self.first >= self.end {
            return None;
        }
        let mut next: FrameSnapshot = super::program::with_profiler(|profiler| {
            builder::frame_snapshot(profiler, self.first, self.end - 1)
        })?;
        self.first = next.number + 1;
        next.recorded.about = self.about.clone();
        Some(next)
    }
}

/// The number of the newest frame; 0 before the first one ends.
#[cfg(any(feature = "environment", feature = "http"))]
pub(crate) fn newest_frame() -> u64 {
    super::program::with_profiler(|profiler| profiler.frames())
}
