//! Remembered frames: of every frame, what every node did in it.
//!
//! A frame keeps the nodes that were entered or had time in it, 24 bytes each, so memory is
//!
//! ```text
//! frames x (120 bytes + threads x 12 bytes + live nodes x 24 bytes)
//! ```
//!
//! and 16 bytes for each node that submitted work to the GPU. The GPU counts as a thread.
//!
//! where of a place in the ring the largest frame counts that was in it: the oldest frame's memory
//! becomes the newest's. Frames are all that is remembered, those that stay for their length or
//! their name among them.

use crate::clock::Ticks;
use crate::timing::Timing;
use std::collections::VecDeque;
use std::sync::Arc;

/// Frames remembered unless told otherwise.
pub(crate) const DEFAULT_FRAMES: usize = 1024;
/// Of the frames that leave the ring, how many stay because they are the longest, unless told
/// otherwise.
pub(crate) const DEFAULT_WORST: usize = 16;
/// How many marks there can be.
const MOST_MARKS: usize = 64;
/// A spike takes longer than the median frame by this factor.
const SPIKE: f64 = 1.5;

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

/// What the GPU did on behalf of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GpuSample {
    /// Of the GPU zones of the node itself, less those in them.
    pub(crate) ticks: Ticks,
    /// The thread that submitted the work, and its node.
    pub(crate) thread: u32,
    pub(crate) node: u32,
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
    /// What the sampler took of a processor, for all threads together, in nanoseconds.
    pub(crate) sampler_ns: u64,
    /// In the order of their threads.
    pub(crate) parts: Vec<Part>,
    pub(crate) samples: Vec<Sample>,
    /// By thread and node. Nothing until all is known that the frame's GPU zones took.
    pub(crate) gpu: Vec<GpuSample>,
}

impl Frame {
    /// What the GPU did for the nodes of a thread.
    pub(crate) fn gpu_of(&self, thread: u32) -> &[GpuSample] {
        let start = self.gpu.partition_point(|sample| sample.thread < thread);
        let end = self.gpu.partition_point(|sample| sample.thread <= thread);
        &self.gpu[start..end]
    }

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

    /// What the sampler took.
    pub(crate) fn sampler_ticks(&self) -> f64 {
        match self.ms_per_tick > 0.0 {
            true => self.sampler_ns as f64 * 1e-6 / self.ms_per_tick,
            false => 0.0,
        }
    }
}

/// The remembered frames: a ring of the newest ones, and of those that have left it the longest and
/// the marked ones.
#[derive(Debug)]
pub(crate) struct History {
    /// Numbered without gaps.
    ring: VecDeque<Frame>,
    capacity: usize,
    /// Left the ring and stay, from old to new.
    kept: Vec<Frame>,
    /// Of those the ones without a mark: how many, and the shortest one's milliseconds. So that of
    /// the frames that leave the ring all but a few are let go at a glance.
    unmarked: usize,
    shortest_ms: f64,
    /// How many of the longest frames stay.
    worst: usize,
    /// What all frames together may take.
    budget: usize,
    /// What is in the frames of the ring, and in those kept.
    in_ring: usize,
    in_kept: usize,
    /// From old to new.
    marks: Vec<Mark>,
    /// How many parts and samples there was room for in the frame that was given back last.
    lent: [usize; 2],
}

/// A frame with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) frame: u64,
    pub(crate) name: Arc<str>,
}

/// What a frame takes.
fn bytes_of(frame: &Frame) -> usize {
    size_of::<Frame>()
        + frame.parts.capacity() * size_of::<Part>()
        + frame.samples.capacity() * size_of::<Sample>()
        + frame.gpu.capacity() * size_of::<GpuSample>()
}

impl History {
    pub(crate) fn new(capacity: usize) -> History {
        History {
            ring: VecDeque::new(),
            capacity,
            kept: Vec::new(),
            unmarked: 0,
            shortest_ms: f64::INFINITY,
            worst: DEFAULT_WORST,
            budget: usize::MAX,
            in_ring: 0,
            in_kept: 0,
            marks: Vec::new(),
            lent: [0; 2],
        }
    }

    /// Takes `frame` in and gives an old one back, to be filled anew.
    pub(crate) fn push(&mut self, mut frame: Frame) -> Frame {
        let is_full = self.ring.len() >= self.capacity;
        // What grew while it was filled doubled. It is put right then, and not whenever a smaller
        // frame is in a larger one's place: so nothing is allocated but for the largest so far.
        let [parts, samples] = self.lent;
        trim(&mut frame.parts, parts, is_full);
        trim(&mut frame.samples, samples, is_full);
        let wanted = bytes_of(&frame);
        let mut old = None;
        if is_full {
            old = self.drop_oldest().or(old);
        }
        while !self.ring.is_empty() && self.held().saturating_add(wanted) > self.budget {
            old = self.drop_oldest().or(old);
        }
        let len = self.ring.len();
        if len == self.ring.capacity() {
            let doubled = (2 * len).max(4).min(self.capacity);
            self.ring.reserve_exact(doubled - len);
        }
        // The next frame is likely to be as large as this one.
        let old = old.unwrap_or_else(|| Frame {
            parts: Vec::with_capacity(frame.parts.len()),
            samples: Vec::with_capacity(frame.samples.len()),
            ..Frame::default()
        });
        self.in_ring += wanted;
        self.ring.push_back(frame);
        self.lent = [old.parts.capacity(), old.samples.capacity()];
        old
    }

    /// What all frames take together.
    pub(crate) fn held(&self) -> usize {
        self.in_ring + self.in_kept
    }

    /// Takes the oldest frame out of the ring; returns what can be filled anew.
    fn drop_oldest(&mut self) -> Option<Frame> {
        let frame = self.ring.pop_front()?;
        self.in_ring -= bytes_of(&frame);
        self.keep(frame)
    }

    /// A frame leaves the ring. Returns the frame that it is forgotten for, itself if it does not
    /// stay.
    fn keep(&mut self, frame: Frame) -> Option<Frame> {
        let bytes = bytes_of(&frame);
        let is_full = self.unmarked >= self.worst || self.in_kept + bytes > self.budget / 2;
        if is_full && frame.ms() <= self.shortest_ms && !self.is_marked(frame.number) {
            return Some(frame);
        }
        self.in_kept += bytes;
        self.kept.push(frame);
        self.survey();
        let too_many = self.unmarked > self.worst || self.in_kept > self.budget / 2;
        let forgotten = too_many.then(|| self.forget_shortest()).flatten();
        // Others are as large or larger; once is enough but for a budget that was lowered.
        while self.in_kept > self.budget / 2 && self.forget_shortest().is_some() {}
        forgotten
    }

    /// Looks at all that were kept.
    fn survey(&mut self) {
        let unmarked = self
            .kept
            .iter()
            .filter(|frame| !self.is_marked(frame.number));
        let (unmarked, shortest_ms) = unmarked.fold((0, f64::INFINITY), |(count, ms), frame| {
            (count + 1, frame.ms().min(ms))
        });
        (self.unmarked, self.shortest_ms) = (unmarked, shortest_ms);
    }

    /// Forgets the shortest of the frames that were kept; a marked one only if all are.
    fn forget_shortest(&mut self) -> Option<Frame> {
        let rank = |frame: &Frame| (self.is_marked(frame.number), frame.ms());
        let ranks = self.kept.iter().map(rank).enumerate();
        let (at, _) = ranks.min_by(|(_, a), (_, b)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))?;
        let frame = self.kept.remove(at);
        self.in_kept -= bytes_of(&frame);
        self.marks.retain(|mark| mark.frame != frame.number);
        self.survey();
        Some(frame)
    }

    /// Has `add` add to the frame of that number what became known of it later, if it is remembered.
    pub(crate) fn amend(&mut self, number: u64, add: impl FnOnce(&mut Frame)) {
        let kept = self.kept.len();
        let (frame, bytes) = match self.position(number) {
            Some(at) if at < kept => (&mut self.kept[at], &mut self.in_kept),
            Some(at) => (&mut self.ring[at - kept], &mut self.in_ring),
            None => return,
        };
        if frame.number != number {
            return;
        }
        *bytes -= bytes_of(frame);
        add(frame);
        *bytes += bytes_of(frame);
        self.keep_within_budget();
    }

    /// At least one: the newest frame is what the instantaneous values are shown from.
    pub(crate) fn set_capacity(&mut self, frames: usize) {
        self.capacity = frames.max(1);
        while self.ring.len() > self.capacity {
            self.drop_oldest();
        }
        self.ring.shrink_to(self.capacity);
    }

    /// Bytes that all frames together may take; the newest one stays in any case.
    pub(crate) fn set_budget(&mut self, bytes: usize) {
        self.budget = bytes;
        self.keep_within_budget();
        self.ring.shrink_to_fit();
    }

    fn keep_within_budget(&mut self) {
        while self.in_kept > self.budget / 2 && self.forget_shortest().is_some() {}
        while self.ring.len() > 1 && self.held() > self.budget {
            self.drop_oldest();
        }
    }

    /// What was set; `None` if nothing was.
    pub(crate) fn budget(&self) -> Option<usize> {
        (self.budget != usize::MAX).then_some(self.budget)
    }

    /// How many of the longest frames stay when they leave the ring.
    pub(crate) fn set_worst(&mut self, frames: usize) {
        self.worst = frames;
        self.survey();
        while self.unmarked > self.worst && self.forget_shortest().is_some() {}
    }

    /// Gives the newest frame a name. Of marked frames that have left the ring the newest
    /// [`MOST_MARKS`] stay.
    pub(crate) fn mark(&mut self, name: Arc<str>) {
        let Some(frame) = self.newest().map(|frame| frame.number) else {
            return;
        };
        self.marks.push(Mark { frame, name });
        if self.marks.len() > MOST_MARKS {
            self.marks.remove(0);
            // What is not marked any more stays only as one of the longest.
            self.set_worst(self.worst);
        }
    }

    /// From old to new.
    pub(crate) fn marks(&self) -> &[Mark] {
        &self.marks
    }

    fn is_marked(&self, number: u64) -> bool {
        let at = self.marks.partition_point(|mark| mark.frame < number);
        self.marks.get(at).is_some_and(|mark| mark.frame == number)
    }

    pub(crate) fn clear(&mut self) {
        self.ring.clear();
        self.kept.clear();
        self.marks.clear();
        self.survey();
        (self.in_ring, self.in_kept) = (0, 0);
    }

    /// Frames that there is room for, those kept besides included.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity + self.kept.len()
    }

    pub(crate) fn newest(&self) -> Option<&Frame> {
        self.ring.back()
    }

    /// From old to new.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Frame> + Clone {
        self.kept.iter().chain(&self.ring)
    }

    pub(crate) fn len(&self) -> usize {
        self.kept.len() + self.ring.len()
    }

    /// The number of the oldest frame that has not left the ring.
    pub(crate) fn oldest_in_ring(&self) -> Option<u64> {
        self.ring.front().map(|frame| frame.number)
    }

    /// What [`bytes`](Self::bytes) says, counted anew.
    #[cfg(all(test, feature = "gl"))]
    pub(crate) fn bytes_for_tests(&self) -> usize {
        let room = self.ring.capacity() - self.ring.len();
        self.iter().map(bytes_of).sum::<usize>() + room * size_of::<Frame>()
    }

    /// The oldest frames, which have left the ring and were kept.
    #[cfg(test)]
    fn kept(&self) -> &[Frame] {
        &self.kept
    }

    fn get(&self, at: usize) -> Option<&Frame> {
        match at.checked_sub(self.kept.len()) {
            Some(at) => self.ring.get(at),
            None => self.kept.get(at),
        }
    }

    /// The position, from old to new, of the frame of that number; of the nearest one that is
    /// remembered if it is not.
    fn position(&self, number: u64) -> Option<usize> {
        let oldest = self.ring.front()?.number;
        if number >= oldest {
            let at = (number - oldest).min(self.ring.len() as u64 - 1);
            return Some(self.kept.len() + at as usize);
        }
        let next = self.kept.partition_point(|frame| frame.number < number);
        let distance = |at: usize| self.get(at).map(|frame| frame.number.abs_diff(number));
        match next.checked_sub(1) {
            Some(last) if distance(last) < distance(next) => Some(last),
            _ => Some(next),
        }
    }

    /// The frame of that number; the nearest one that is remembered if it is not.
    pub(crate) fn nearest(&self, number: u64) -> Option<&Frame> {
        self.get(self.position(number)?)
    }

    /// The frame that is `delta` remembered frames away from that of the number; the first or last
    /// one if there are not so many.
    pub(crate) fn step(&self, number: u64, delta: i64) -> Option<&Frame> {
        let at = self.position(number)? as i64;
        let last = self.len() as i64 - 1;
        self.get(at.saturating_add(delta).clamp(0, last) as usize)
    }

    /// The frame of that number, if it is remembered.
    pub(crate) fn find(&self, number: u64) -> Option<&Frame> {
        self.nearest(number).filter(|frame| frame.number == number)
    }

    /// Spikes, from old to new: frames that take more than half as long again as the median frame
    /// of the ring, and longer than their neighbours.
    pub(crate) fn spikes(&self) -> Vec<u64> {
        let mut times: Vec<f64> = self.ring.iter().map(Frame::ms).collect();
        if times.is_empty() {
            return Vec::new();
        }
        let middle = times.len() / 2;
        let (_, median, _) = times.select_nth_unstable_by(middle, f64::total_cmp);
        let threshold = *median * SPIKE;
        let ms = |at: Option<usize>| at.and_then(|at| self.get(at)).map_or(0.0, Frame::ms);
        let spikes = self.iter().enumerate().filter(|(at, frame)| {
            let ms_here = frame.ms();
            // Of two alike the first.
            ms_here > threshold && ms_here > ms(at.checked_sub(1)) && ms_here >= ms(Some(at + 1))
        });
        spikes.map(|(_, frame)| frame.number).collect()
    }

    /// The longest frame.
    pub(crate) fn worst(&self) -> Option<&Frame> {
        self.iter().max_by(|a, b| a.ms().total_cmp(&b.ms()))
    }

    /// Bytes held by the remembered frames.
    pub(crate) fn bytes(&self) -> usize {
        let room = self.ring.capacity() - self.ring.len();
        self.held() + room * size_of::<Frame>()
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
        history.set_worst(0);
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

    fn long(number: u64, ms: f64) -> Frame {
        Frame {
            number,
            ticks: (ms * 1e6) as Ticks,
            ms_per_tick: 1e-6,
            samples: vec![
                Sample {
                    ticks: 1,
                    entries: 1,
                    node: 0,
                    error: 0.0
                };
                100
            ],
            ..Frame::default()
        }
    }

    fn numbers(history: &History) -> Vec<u64> {
        history.iter().map(|frame| frame.number).collect()
    }

    #[test]
    fn the_longest_and_the_marked_stay_and_are_stepped_through() {
        let mut history = History::new(3);
        history.set_worst(2);
        for number in 1..=20 {
            let ms = match number {
                4 => 50.0,
                6 => 20.0,
                9 => 30.0,
                _ => 10.0,
            };
            history.push(long(number, ms));
            if number == 7 {
                history.mark("level loaded".into());
            }
        }
        assert_eq!(numbers(&history), [4, 7, 9, 18, 19, 20]);
        let step = |from, delta| history.step(from, delta).unwrap().number;
        assert_eq!([step(18, -1), step(18, -2), step(18, -9)], [9, 7, 4]);
        assert_eq!([step(4, 1), step(9, 1), step(9, 99)], [7, 18, 20]);
        let nearest = |number| history.nearest(number).unwrap().number;
        assert_eq!([1, 5, 6, 13, 14, 17].map(nearest), [4, 4, 7, 9, 18, 18]);
        assert_eq!(history.spikes(), [4, 9]);
        assert_eq!(history.worst().unwrap().number, 4);
        assert_eq!(history.marks()[0].frame, 7);
    }

    #[test]
    fn a_frame_whose_mark_is_forgotten_stays_only_if_it_is_long() {
        let mut history = History::new(1);
        history.set_worst(1);
        for number in 1..=MOST_MARKS as u64 + 3 {
            // The first is the longest of all.
            history.push(long(number, 1e3 / number as f64));
            history.mark("mark".into());
        }
        // It lost its mark and is the longest; the next ones lost theirs and are not.
        let numbers = numbers(&history);
        assert_eq!(numbers[..2], [1, 4]);
        assert_eq!(numbers.len(), 1 + MOST_MARKS);
    }

    #[test]
    fn a_budget_is_held_and_the_newest_frame_stays() {
        let one = bytes_of(&long(1, 1.0));
        let mut history = History::new(1000);
        history.set_budget(10 * one);
        for number in 1..200 {
            history.push(long(number, (number % 17) as f64));
            assert!(history.held() <= 10 * one);
        }
        // Half of it for the longest, the rest for the newest.
        assert_eq!(history.kept().len(), 5);
        assert!(history.kept().iter().all(|frame| frame.ms() == 16.0));
        assert_eq!(numbers(&history)[5..], [195, 196, 197, 198, 199]);
        history.set_budget(0);
        assert_eq!(numbers(&history), [199]);
        history.push(long(200, 1.0));
        assert_eq!(numbers(&history), [200]);
    }

    #[test]
    fn the_documented_sizes_are_the_real_ones() {
        assert_eq!(size_of::<Sample>(), 24);
        assert_eq!(size_of::<Part>(), 12);
        assert_eq!(size_of::<Frame>(), 120);
        assert_eq!(size_of::<GpuSample>(), 16);
    }

    #[test]
    fn memory_is_what_the_formula_says() {
        const THREADS: usize = 3;
        for frames in [1, 7, 100, 1000, DEFAULT_FRAMES] {
            for live in [2, 5, 259, 1025] {
                let mut history = History::new(frames);
                history.set_worst(0);
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
                let formula = (frames * (120 + 12 * THREADS + 24 * live)) as f64;
                let off = history.bytes() as f64 / formula - 1.0;
                assert!(off.abs() <= 0.1, "{frames} frames of {live}: {off}");
            }
        }
    }
}
