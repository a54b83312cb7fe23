//! The parts of the session: what is known of the frames of each, besides the [sums](super::session_sums) of nodes.

use crate::clock::Ticks;
use crate::process::frame::ended_frame::Frame;
use crate::process::frame::session_sums::PartBits;
use crate::session_part::BANDS;
use crate::timing::Timing;

/// What is known of the frames of a part besides sums by node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PartFrames {
    pub(crate) count: u64,
    /// How many of them have GPU times.
    pub(crate) with_gpu: u64,
    pub(crate) ticks: Ticks,
    pub(crate) ms: f64,
    pub(crate) longest_ms: f64,
    pub(crate) sampler_ns: u64,
    /// The numbers of the first frame and of the last one.
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// The timing mode of the last one.
    pub(crate) timing: Timing,
}

impl PartFrames {
    pub(super) fn of(frame: &Frame) -> PartFrames {
        PartFrames {
            count: 1,
            with_gpu: 0,
            ticks: frame.ticks,
            ms: frame.ms(),
            longest_ms: frame.ms(),
            sampler_ns: frame.sampler_ns,
            first: frame.number,
            last: frame.number,
            timing: frame.timing,
        }
    }

    pub(super) fn add(&mut self, other: &PartFrames) {
        if self.count == 0 {
            *self = *other;
            return;
        }
        if other.count == 0 {
            return;
        }
        if other.last > self.last {
            self.timing = other.timing;
        }
        self.count += other.count;
        self.with_gpu += other.with_gpu;
        self.ticks = self.ticks.wrapping_add(other.ticks);
        self.ms += other.ms;
        self.longest_ms = self.longest_ms.max(other.longest_ms);
        self.sampler_ns += other.sampler_ns;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }
}

/// A bucket of time: consecutive frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    /// Which row is its.
    pub(super) slot: usize,
    /// When its first frame began and its last one ended, in nanoseconds since the program's first zone.
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) frames: PartFrames,
    /// How many of its frames are in each band.
    pub(super) by_band: [u64; BANDS],
}

/// Some parts of one kind, by bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Parts {
    Bands(u32),
    Slots(u32),
}

impl Parts {
    pub(super) fn bits(self) -> PartBits {
        match self {
            Parts::Bands(bits) => PartBits::bands(bits),
            Parts::Slots(bits) => PartBits::slots(bits),
        }
    }
}
