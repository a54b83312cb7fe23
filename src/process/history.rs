//! Remembered frames: of every frame, what every node did in it.
//!
//! A frame keeps the nodes that were entered or had time in it, 24 bytes each, so memory is
//!
//! ```text
//! frames x (72 bytes + threads x 12 bytes + live nodes x 24 bytes)
//! ```
//!
//! and no more once the ring is full: the oldest frame's memory becomes the newest's.

use crate::clock::Ticks;
use std::collections::VecDeque;

/// Frames remembered unless told otherwise.
pub(crate) const DEFAULT_FRAMES: usize = 1024;

/// What a node did in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    /// Self time.
    pub(crate) ticks: Ticks,
    pub(crate) entries: u64,
    /// Index in its thread's tree.
    pub(crate) node: u32,
    /// 0 if the ticks are exact. Otherwise they are estimated, and this is their standard error, but for
    /// what their share of a known total takes away from it (see [`estimate`](super::estimate)); negative if
    /// the clock was the node's own.
    pub(crate) error: f32,
}

/// A thread in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) thread: u32,
    /// Where its samples begin and end.
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A frame: what lies between two calls of `update`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// From 1 on; frames that were not recorded have none.
    pub(crate) number: u64,
    pub(crate) ticks: Ticks,
    pub(crate) ms_per_tick: f64,
    pub(crate) parts: Vec<Part>,
    pub(crate) samples: Vec<Sample>,
}

impl Frame {
    /// What the nodes of a thread did.
    pub(crate) fn samples_of(&self, thread: u32) -> &[Sample] {
        let part = self.parts.iter().find(|part| part.thread == thread);
        part.map_or(&[], |part| {
            &self.samples[part.start as usize..part.end as usize]
        })
    }

    pub(crate) fn ms(&self) -> f64 {
        self.ticks as f64 * self.ms_per_tick
    }
}

/// The ring of remembered frames.
#[derive(Debug)]
pub(crate) struct History {
    frames: VecDeque<Frame>,
    capacity: usize,
}

impl History {
    pub(crate) fn new(capacity: usize) -> History {
        History {
            frames: VecDeque::new(),
            capacity,
        }
    }

    /// Takes `frame` in and gives an old one back, to be filled anew.
    pub(crate) fn push(&mut self, frame: Frame) -> Frame {
        let old = if self.frames.len() >= self.capacity {
            self.frames.pop_front().unwrap_or_default()
        } else {
            Frame::default()
        };
        self.frames.push_back(frame);
        old
    }

    /// At least one: the newest frame is what the instantaneous values are shown from.
    pub(crate) fn set_capacity(&mut self, frames: usize) {
        self.capacity = frames.max(1);
        while self.frames.len() > self.capacity {
            self.frames.pop_front();
        }
        self.frames.shrink_to(self.capacity);
    }

    pub(crate) fn clear(&mut self) {
        self.frames.clear();
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn newest(&self) -> Option<&Frame> {
        self.frames.back()
    }

    /// From old to new.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Frame> + ExactSizeIterator {
        self.frames.iter()
    }

    /// The frame of that number; the nearest one that is remembered if it is not.
    pub(crate) fn nearest(&self, number: u64) -> Option<&Frame> {
        let oldest = self.frames.front()?.number;
        let at = number
            .saturating_sub(oldest)
            .min(self.frames.len() as u64 - 1);
        self.frames.get(at as usize)
    }

    /// Bytes held by the remembered frames.
    pub(crate) fn bytes(&self) -> usize {
        let frames = self.frames.capacity() * size_of::<Frame>();
        let parts: usize = self.frames.iter().map(|f| f.parts.capacity()).sum();
        let samples: usize = self.frames.iter().map(|f| f.samples.capacity()).sum();
        frames + parts * size_of::<Part>() + samples * size_of::<Sample>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(number: u64) -> Frame {
        Frame {
            number,
            ..Frame::default()
        }
    }

    #[test]
    fn the_ring_keeps_the_newest_and_finds_the_nearest() {
        let mut history = History::new(3);
        assert!(history.nearest(5).is_none());
        for number in 1..=5 {
            history.push(numbered(number));
        }
        let found = |history: &History, n| history.nearest(n).unwrap().number;
        assert_eq!(
            [0, 3, 4, 5, 99].map(|n| found(&history, n)),
            [3, 3, 4, 5, 5]
        );
        history.set_capacity(0);
        assert_eq!(found(&history, 3), 5);
        history.push(numbered(6));
        assert_eq!(found(&history, 3), 6);
    }

    #[test]
    fn the_documented_sizes_are_the_real_ones() {
        assert_eq!(size_of::<Sample>(), 24);
        assert_eq!(size_of::<Part>(), 12);
        assert_eq!(size_of::<Frame>(), 72);
    }
}
