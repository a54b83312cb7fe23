//! The session's bands and buckets, without their per-node [sums](super::sums), and the choice of the base band.

use crate::frame::Frame;
use crate::session::BANDS;
use crate::session::sums::PartBits;
use crate::timing::Timing;
use iprof_gather::clock::Ticks;

/// The frames in a band or bucket, without the per-node sums.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartFrames {
    pub count: u64,
    pub with_gpu: u64,
    pub ticks: Ticks,
    pub ms: f64,
    pub longest_ms: f64,
    pub sampler_ns: u64,
    pub first: u64,
    pub last: u64,
    pub timing: Timing,
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

#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    /// The slot that holds this bucket's row of sums.
    pub(super) slot: usize,
    /// The time at which the bucket's first frame began, in nanoseconds since the program's first zone.
    pub begin_ns: u64,
    /// The time at which the bucket's last frame ended, in nanoseconds since the program's first zone.
    pub end_ns: u64,
    pub frames: PartFrames,
    pub(super) by_band: [u64; BANDS],
}

/// A set of bands or a set of buckets, as one bit each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parts {
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

/// The number of frames by which a band has to lead all others to become the base. The lead is not counted beyond this
/// number. Changing the base costs as much as adding a few frames to a band.
const LEAD: u32 = 16;

/// Chooses the base: the most common band among recent frames, for which [no sums are stored](super::sums).
#[derive(Clone, Copy, Debug, Default)]
pub struct BaseBand {
    base: usize,
    /// The majority candidate in the Boyer–Moore vote.
    most: usize,
    lead: u32,
}

impl BaseBand {
    pub fn get(&self) -> usize {
        self.base
    }

    /// Counts a frame in a band. If the base changes, returns the old one.
    pub fn count(&mut self, band: usize) -> Option<usize> {
        if band == self.most {
            self.lead = (self.lead + 1).min(LEAD);
        } else if self.lead == 0 {
            (self.most, self.lead) = (band, 1);
        } else {
            self.lead -= 1;
        }
        let changes = self.lead == LEAD && self.most != self.base;
        changes.then(|| std::mem::replace(&mut self.base, self.most))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn base_is_the_most_common_band() {
        let mut base = BaseBand::default();
        let mut changes = 0;
        let mut count = |bands: &[usize], times: usize| {
            for _ in 0..times {
                for band in bands {
                    changes += usize::from(base.count(*band).is_some());
                }
            }
            (base.get(), changes)
        };
        assert_eq!(count(&[3], LEAD as usize - 1), (0, 0));
        assert_eq!(count(&[3], 1), (3, 1));
        // Occasional hitches, and frame lengths that alternate around a limit.
        assert_eq!(count(&[3, 3, 7, 3, 6], 1_000), (3, 1));
        assert_eq!(count(&[3, 4], 1_000), (3, 1));
        // The number of frames needed doesn't depend on how long a different band was the base.
        assert_eq!(count(&[2], 2 * LEAD as usize), (2, 2));
        assert_eq!(count(&[1, 1, 2], 3 * 2 * LEAD as usize), (1, 3));
    }
}
