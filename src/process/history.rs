//! Remembered frames: of every frame, what every node did in it.
//!
//! A frame keeps the nodes that were entered or had time in it, 24 bytes each, so memory is
//!
//! ```text
//! frames x (88 bytes + threads x 12 bytes + live nodes x 24 bytes)
//! ```
//!
//! where of a place in the ring the largest frame counts that was in it: the oldest frame's memory
//! becomes the newest's.

use crate::clock::Ticks;
use crate::timing::Timing;
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
    /// 0 if the ticks are exact. Otherwise they are estimated, and this is their standard error,
    /// but for what their share of a known total takes away from it (see
    /// [`estimate`](super::estimate)); negative if the clock was the node's own.
    pub(crate) error: f32,
}

impl Sample {
    /// What is averaged: self milliseconds and entries.
    pub(crate) fn values(&self, ms_per_tick: f64) -> [f64; 2] {
        // By way of signed numbers: neither gets to 2^63, and a signed one is a float in one
        // instruction instead of a handful.
        let [ticks, entries] = [self.ticks, self.entries].map(|n| n as i64 as f64);
        [ticks * ms_per_tick, entries]
    }
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
    /// How zones got their times when it ended.
    pub(crate) timing: Timing,
    /// In the order of their threads.
    pub(crate) parts: Vec<Part>,
    pub(crate) samples: Vec<Sample>,
}

impl Frame {
    /// What the nodes of a thread did.
    pub(crate) fn samples_of(&self, thread: u32) -> &[Sample] {
        let at = self.parts.binary_search_by_key(&thread, |part| part.thread);
        at.map_or(&[], |at| {
            let part = self.parts[at];
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
    /// How many parts and samples there was room for in the frame that was given back last.
    lent: [usize; 2],
}

impl History {
    pub(crate) fn new(capacity: usize) -> History {
        History {
            frames: VecDeque::new(),
            capacity,
            lent: [0; 2],
        }
    }

    /// Takes `frame` in and gives an old one back, to be filled anew.
    pub(crate) fn push(&mut self, mut frame: Frame) -> Frame {
        let len = self.frames.len();
        let is_full = len >= self.capacity;
        // What grew while it was filled doubled. It is put right then, and not whenever a smaller
        // frame is in a larger one's place: so nothing is allocated but for the largest so far.
        let [parts, samples] = self.lent;
        trim(&mut frame.parts, parts, is_full);
        trim(&mut frame.samples, samples, is_full);
        let old = if is_full {
            self.frames.pop_front().unwrap_or_default()
        } else {
            if len == self.frames.capacity() {
                let doubled = (2 * len).max(4).min(self.capacity);
                self.frames.reserve_exact(doubled - len);
            }
            // The next frame is likely to be as large as this one.
            Frame {
                parts: Vec::with_capacity(frame.parts.len()),
                samples: Vec::with_capacity(frame.samples.len()),
                ..Frame::default()
            }
        };
        self.frames.push_back(frame);
        self.lent = [old.parts.capacity(), old.samples.capacity()];
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

/// Gives back memory that is not needed, if there was less before it was filled, or if much is
/// wasted in a place that nothing larger was in.
fn trim<T>(filled: &mut Vec<T>, capacity_before: usize, was_used: bool) {
    let wastes = !was_used && filled.capacity() > filled.len() + filled.len() / 4;
    if filled.capacity() > capacity_before || wastes {
        filled.shrink_to_fit();
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
        assert_eq!(size_of::<Frame>(), 88);
    }

    #[test]
    fn memory_is_what_the_formula_says() {
        const THREADS: usize = 3;
        for frames in [1, 7, 100, 1000, DEFAULT_FRAMES] {
            for live in [2, 5, 259, 1025] {
                let mut history = History::new(frames);
                let mut frame = Frame::default();
                let sample = Sample {
                    ticks: 1,
                    entries: 1,
                    node: 0,
                    error: 0.0,
                };
                let part = Part {
                    thread: 0,
                    start: 0,
                    end: 0,
                };
                // As `update` fills it, one by one; later frames are smaller.
                for at in 0..2 * frames {
                    frame.parts.clear();
                    frame.parts.extend([part; THREADS]);
                    frame.samples.clear();
                    for _ in 0..if at < frames { live } else { live - 1 } {
                        frame.samples.push(sample);
                    }
                    frame = history.push(frame);
                }
                let formula = (frames * (88 + 12 * THREADS + 24 * live)) as f64;
                let off = history.bytes() as f64 / formula - 1.0;
                assert!(off.abs() <= 0.1, "{frames} frames of {live}: {off}");
            }
        }
    }
}
