//! Remembered frames: of every frame, what every node did in it.
//!
//! A frame keeps the nodes that were entered or had time in it, 24 bytes each, so memory is
//!
//! ```text
//! frames x (128 bytes + threads x 12 bytes + live nodes x 24 bytes)
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
/// So many places of frames that are gone are left in the ring, and a fourth of it.
const MOST_ROOM: usize = 4;
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
    /// When it began, in nanoseconds since the program's first zone.
    pub(crate) begin_ns: u64,
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
    /// Of those the ones that stay for their length alone: how many, and the shortest one's
    /// milliseconds. So that of the frames that leave the ring all but a few are let go at a glance.
    unmarked: usize,
    shortest_ms: f64,
    /// What the others take.
    in_marked: usize,
    /// How many of the longest frames stay.
    worst: usize,
    /// What all frames together may take.
    budget: usize,
    /// What is in the frames of the ring, and in those kept.
    in_ring: usize,
    in_kept: usize,
    /// From old to new.
    marks: Vec<Mark>,
    /// Frames that somebody looks at: they stay until that is over.
    pins: [Option<u64>; 2],
    /// How many parts and samples there was room for in the frame that was given back last.
    lent: [usize; 2],
    /// Whether there is no memory for more frames than there are.
    is_held: bool,
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
            in_marked: 0,
            worst: DEFAULT_WORST,
            budget: usize::MAX,
            in_ring: 0,
            in_kept: 0,
            marks: Vec::new(),
            pins: [None; 2],
            lent: [0; 2],
            is_held: false,
        }
    }

    /// Takes `frame` in and gives an old one back, to be filled anew.
    pub(crate) fn push(&mut self, mut frame: Frame) -> Frame {
        let is_full = self.ring.len() >= self.capacity || self.is_held && !self.ring.is_empty();
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
        // In a place that the ring has already only what the frame holds comes to it.
        let header = |history: &History| match history.room() {
            0 => 0,
            _ => size_of::<Frame>(),
        };
        while self.bytes() + wanted - header(self) > self.budget {
            if self.room() > MOST_ROOM + self.ring.len() / 4 {
                // Frames that are larger than those before leave places behind.
                self.ring.shrink_to(self.ring.len() + 1);
                continue;
            }
            let dropped = match self.ring.is_empty() {
                false => self.drop_oldest(),
                // It takes more than half of the budget.
                true if self.kept.is_empty() => break,
                true => self.forget_shortest(),
            };
            old = dropped.or(old);
        }
        let len = self.ring.len();
        if len == self.ring.capacity() {
            let left = self.budget.saturating_sub(self.bytes() + wanted) / size_of::<Frame>();
            let doubled = (2 * len).max(4).min(self.capacity);
            let places = (doubled - len).min(1 + left);
            self.ring.reserve_exact(places);
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

    /// Empty places.
    fn room(&self) -> usize {
        self.ring.capacity() - self.ring.len()
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
        let stays = self.stays(frame.number);
        let is_full = self.unmarked >= self.worst || self.in_kept + bytes > self.budget / 2;
        if is_full && frame.ms() <= self.shortest_ms && !stays {
            return Some(frame);
        }
        // It would not fit in if all made room for it that have to.
        let in_the_way = if stays { 0 } else { self.in_marked };
        if bytes + in_the_way > self.budget / 2 {
            self.marks.retain(|mark| mark.frame != frame.number);
            return Some(frame);
        }
        let mut forgotten = None;
        while !stays && self.unmarked >= self.worst || self.in_kept + bytes > self.budget / 2 {
            match self.forget_shortest() {
                Some(shortest) => forgotten = Some(shortest),
                None => break,
            }
        }
        self.in_kept += bytes;
        self.kept.reserve_exact(1);
        self.kept.push(frame);
        self.survey();
        forgotten
    }

    /// Looks at all that were kept.
    fn survey(&mut self) {
        (self.unmarked, self.shortest_ms, self.in_marked) = (0, f64::INFINITY, 0);
        for frame in &self.kept {
            if self.stays(frame.number) {
                self.in_marked += bytes_of(frame);
            } else {
                self.unmarked += 1;
                self.shortest_ms = self.shortest_ms.min(frame.ms());
            }
        }
    }

    /// Forgets the shortest of the frames that were kept; a marked one, or one that is looked at,
    /// only if all are.
    fn forget_shortest(&mut self) -> Option<Frame> {
        let rank = |frame: &Frame| (self.stays(frame.number), frame.ms());
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
        while self.in_kept > self.budget / 2 && self.forget_shortest().is_some() {}
        while self.ring.len() > 1 && self.bytes() > self.budget {
            self.drop_oldest();
        }
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
        while self.in_kept > self.budget / 2 && self.forget_shortest().is_some() {}
        self.kept.shrink_to_fit();
        self.ring.shrink_to_fit();
        // The place of a frame goes with it.
        while self.ring.len() > 1 && self.bytes() - self.room() * size_of::<Frame>() > self.budget {
            self.drop_oldest();
        }
        self.ring.shrink_to_fit();
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

    /// Says which frames are looked at. They stay when they leave the ring, others that did so
    /// go.
    pub(crate) fn pin(&mut self, frames: [Option<u64>; 2]) {
        if self.pins != frames {
            self.pins = frames;
            self.set_worst(self.worst);
        }
    }

    /// Whether a frame stays whatever its length: it was marked, or it is looked at.
    fn stays(&self, number: u64) -> bool {
        let at = self.marks.partition_point(|mark| mark.frame < number);
        let is_marked = self.marks.get(at).is_some_and(|mark| mark.frame == number);
        is_marked || self.pins.contains(&Some(number))
    }

    /// There are to be no more frames than there are, or as many as ever again.
    pub(crate) fn hold(&mut self, holds: bool) {
        self.is_held = holds;
    }

    /// How many frames there are as long as each takes new memory.
    pub(crate) fn growing_len(&self) -> usize {
        match self.ring.len() < self.capacity && !self.is_held {
            true => self.ring.len(),
            false => 0,
        }
    }

    /// Bytes that a frame like the newest one takes, and the ring if it has to grow for it.
    pub(crate) fn bytes_to_grow(&self) -> usize {
        let frame = self.ring.back().map_or(0, bytes_of);
        let ring = match self.room() {
            0 => self.ring.capacity() * size_of::<Frame>(),
            _ => 0,
        };
        frame + ring
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
    #[cfg(all(test, feature = "_overlay"))]
    pub(crate) fn bytes_for_tests(&self) -> usize {
        let empty = self.room() + self.kept.capacity() - self.kept.len();
        self.iter().map(bytes_of).sum::<usize>() + empty * size_of::<Frame>()
    }

    /// The oldest frames, which have left the ring and were kept.
    pub(crate) fn kept(&self) -> &[Frame] {
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

    /// The remembered frames among those numbers, both ends included, from old to new.
    pub(crate) fn between(&self, first: u64, last: u64) -> impl Iterator<Item = &Frame> {
        let kept = self.kept.partition_point(|frame| frame.number < first);
        let ring = self.ring.front().map_or(0, |oldest| {
            first
                .saturating_sub(oldest.number)
                .min(self.ring.len() as u64) as usize
        });
        let frames = self.kept[kept..].iter().chain(self.ring.range(ring..));
        frames.take_while(move |frame| frame.number <= last)
    }

    /// The frames of the ring that come before the one of number `first`, and after that of `last`:
    /// on each side the nearest `most`, from old to new.
    pub(crate) fn around(
        &self,
        first: u64,
        last: u64,
        most: usize,
    ) -> impl Iterator<Item = &Frame> {
        let oldest = self.ring.front().map_or(0, |frame| frame.number);
        let place =
            |number: u64| number.saturating_sub(oldest).min(self.ring.len() as u64) as usize;
        let (before, after) = (place(first), place(last + 1));
        let before = self.ring.range(before.saturating_sub(most)..before);
        before.chain(self.ring.range(after..).take(most))
    }

    /// Spikes, from old to new: frames that take more than half as long again as the median frame
    /// of the ring, and longer than those right before and after them, as far as these are
    /// remembered.
    pub(crate) fn spikes(&self) -> Vec<u64> {
        let mut times: Vec<f64> = self.ring.iter().map(Frame::ms).collect();
        if times.is_empty() {
            return Vec::new();
        }
        let middle = times.len() / 2;
        let (_, median, _) = times.select_nth_unstable_by(middle, f64::total_cmp);
        let threshold = *median * SPIKE;
        let ms = |number: u64| self.find(number).map_or(0.0, Frame::ms);
        let spikes = self.iter().filter(|frame| {
            let (ms_here, number) = (frame.ms(), frame.number);
            // Of two alike the first.
            ms_here > threshold && ms_here > ms(number - 1) && ms_here >= ms(number + 1)
        });
        spikes.map(|frame| frame.number).collect()
    }

    /// The longest frame.
    pub(crate) fn worst(&self) -> Option<&Frame> {
        self.iter().max_by(|a, b| a.ms().total_cmp(&b.ms()))
    }

    /// Bytes held by the remembered frames.
    pub(crate) fn bytes(&self) -> usize {
        let empty = self.room() + self.kept.capacity() - self.kept.len();
        self.in_ring + self.in_kept + empty * size_of::<Frame>()
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
        let between = |first, last| -> Vec<u64> {
            let frames = history.between(first, last);
            frames.map(|frame| frame.number).collect()
        };
        assert_eq!(between(0, 99), numbers(&history));
        assert_eq!(between(5, 18), [7, 9, 18]);
        assert_eq!(between(19, 20), [19, 20]);
        assert!(between(10, 17).is_empty());
        assert!(between(21, 99).is_empty());
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
            assert!(history.bytes() <= 10 * one);
        }
        // Half of it for the longest, the rest for the newest.
        assert_eq!(history.kept().len(), 5);
        assert!(history.kept().iter().all(|frame| frame.ms() == 16.0));
        assert_eq!(numbers(&history)[5..], [195, 196, 197, 198, 199]);
        // However large frames are, and small ones after large ones.
        let sized = |number: u64| {
            let mut frame = long(number, 1.0);
            let size = [7, 700, 30, 130, 1][(number / 20 % 5) as usize];
            frame.samples.resize(size, frame.samples[0]);
            frame.samples.shrink_to_fit();
            frame
        };
        for (budget, numbers) in [(20_000, 200..400), (61_001, 400..900), (7_777, 900..1_100)] {
            history.set_budget(budget);
            for number in numbers {
                history.push(sized(number));
                let alone = history.ring.len() == 1 && history.kept().is_empty();
                assert!(history.bytes() <= budget || alone, "{number}: {history:?}");
            }
        }
        history.set_budget(0);
        assert_eq!(numbers(&history), [1_099]);
        history.clear();
        history.push(long(199, 1.0));
        assert_eq!(numbers(&history), [199]);
        history.push(long(200, 1.0));
        assert_eq!(numbers(&history), [200]);
    }

    #[test]
    fn a_long_frame_that_cannot_stay_drives_no_others_out() {
        let mut history = History::new(2);
        history.set_budget(60_000);
        history.set_worst(5);
        let mut large = long(20, 20.0);
        large.samples.resize(1_700, large.samples[0]);
        large.samples.shrink_to_fit();
        let bytes = bytes_of(&large);
        assert!((35_000..45_000).contains(&bytes), "{bytes}");
        for number in 1..=40 {
            let ms = if number <= 5 { 3.0 } else { 0.2 };
            match number {
                20 => history.push(large.clone()),
                _ => history.push(long(number, ms)),
            };
        }
        assert_eq!(numbers(&history), [1, 2, 3, 4, 5, 39, 40]);
        // Nor one that marked ones are in the way of; and itself it is forgotten with its mark.
        history.push(large);
        history.mark("too large".into());
        for number in 41..=43 {
            history.push(long(number, 0.2));
        }
        assert_eq!(numbers(&history), [1, 2, 3, 4, 5, 42, 43]);
        assert_eq!(history.marks(), []);
    }

    #[test]
    fn frames_kept_from_far_apart_are_all_spikes_and_of_neighbours_the_longest() {
        let mut history = History::new(4);
        let ms = |number| match number {
            10 | 30 | 50 => (10 + number / 10) as f64,
            70 => 30.0,
            71 => 40.0,
            72 => 20.0,
            73 => 40.0,
            _ => 1.0,
        };
        for number in 1..=79 {
            history.push(long(number, ms(number)));
        }
        // 71 is longer than both of its neighbours, and so is 73.
        assert_eq!(history.spikes(), [10, 30, 50, 71, 73]);
    }

    #[test]
    fn a_frame_that_is_looked_at_stays_until_that_is_over() {
        let mut history = History::new(3);
        history.set_worst(1);
        for number in 1..=10 {
            history.push(long(number, (11 - number) as f64));
            if number == 5 {
                history.pin([Some(4), None]);
            }
        }
        assert_eq!(numbers(&history), [1, 4, 8, 9, 10]);
        assert_eq!(history.nearest(4).unwrap().number, 4);
        history.pin([Some(9), Some(8)]);
        assert_eq!(numbers(&history), [1, 8, 9, 10]);
    }

    #[test]
    fn around_frames_are_the_nearest_of_the_ring_without_them() {
        let mut history = History::new(10);
        history.set_worst(1);
        for number in 1..=20 {
            history.push(long(number, if number == 3 { 9.0 } else { 1.0 }));
        }
        let around = |first, last, most| -> Vec<u64> {
            let frames = history.around(first, last, most);
            frames.map(|frame| frame.number).collect()
        };
        assert_eq!(around(15, 15, 2), [13, 14, 16, 17]);
        assert_eq!(around(15, 17, 9), [11, 12, 13, 14, 18, 19, 20]);
        assert_eq!(around(20, 20, 2), [18, 19]);
        assert_eq!(around(11, 11, 2), [12, 13]);
        assert_eq!(
            around(3, 3, 2),
            [11, 12],
            "it was kept, its neighbours are gone"
        );
        assert!(around(11, 20, 2).is_empty());
        assert_eq!(History::new(1).around(1, 1, 2).count(), 0);
    }

    #[test]
    fn fewer_frames_than_there_were_leave_the_longest() {
        let mut history = History::new(10);
        history.set_worst(2);
        for number in 1..=10 {
            history.push(long(number, if number == 4 { 9.0 } else { 1.0 }));
        }
        history.set_capacity(2);
        let numbers = numbers(&history);
        assert!(numbers.contains(&4) && numbers.len() == 4, "{numbers:?}");
    }

    #[test]
    fn the_documented_sizes_are_the_real_ones() {
        assert_eq!(size_of::<Sample>(), 24);
        assert_eq!(size_of::<Part>(), 12);
        // Where addresses have 32 bits, a list takes half.
        let is_64 = cfg!(target_pointer_width = "64");
        assert!(size_of::<Frame>() == 128 || !is_64 && size_of::<Frame>() < 128);
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
                let formula = (frames * (size_of::<Frame>() + 12 * THREADS + 24 * live)) as f64;
                let off = history.bytes() as f64 / formula - 1.0;
                assert!(off.abs() <= 0.1, "{frames} frames of {live}: {off}");
            }
        }
    }
}
