//! Frame history: a ring of the newest frames, plus the longest and the marked frames that have left the ring. Each
//! frame holds the deltas of its live nodes.
//!
//! The ring, the kept frames and the marks share one memory limit. The total size of all frames is
//!
//! ```text
//! frames x (128 bytes + threads x 12 bytes + live nodes x 24 bytes)
//! ```
//!
//! plus 16 bytes for each node that submitted work to the GPU. A live node was entered or had time in the frame. The
//! GPU counts as a thread. `frames` is the number of remembered frames, including kept ones.
//!
//! The newest frame reuses the oldest frame's memory, so each ring slot is as large as the largest frame that was ever
//! stored in it.

use crate::frame::{Frame, GpuDelta, ThreadDeltas};
use crate::untimed_nodes::NodeDelta;
use std::collections::VecDeque;
use std::sync::Arc;

/// The start-up period after the first zone, in which programs load and compile. The longest frame is searched for
/// among later frames.
pub const START_UP_NS: u64 = 1_000_000_000;

/// The default number of newest frames to remember.
pub const DEFAULT_FRAMES: usize = 1024;
/// The default number of longest frames to keep after they leave the ring.
pub const DEFAULT_LONGEST: usize = 16;
const MAX_MARKS: usize = 64;
/// The maximum number of empty ring slots, in addition to a quarter of the ring's frames.
const MAX_EMPTY_SLOTS: usize = 4;
/// The minimum ratio of a spike's length to the median frame's length.
const SPIKE: f64 = 1.5;

/// The remembered frames: a ring of the newest frames, and the frames kept after they left the ring.
#[derive(Debug)]
pub struct History {
    /// The newest frames, numbered without gaps.
    ring: VecDeque<Frame>,
    capacity: usize,
    /// The kept frames, which have left the ring, from oldest to newest.
    kept: Vec<Frame>,
    /// The number of kept frames that are neither marked nor pinned. Together with `shortest_ms`, it allows most frames
    /// to be dropped without a search.
    unmarked: usize,
    /// The length of the shortest unmarked, unpinned kept frame.
    shortest_ms: f64,
    /// The total size of the kept frames that are marked or pinned.
    marked_bytes: usize,
    longest: usize,
    memory_limit: usize,
    ring_bytes: usize,
    kept_bytes: usize,
    marks: Vec<Mark>,
    /// The frames that views currently show. They are kept for as long as they are pinned.
    pins: [Option<u64>; 2],
    /// The capacities (threads, deltas) of the frame last returned for reuse.
    spare_capacities: [usize; 2],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub frame: u64,
    pub name: Arc<str>,
}

fn bytes_of(frame: &Frame) -> usize {
    size_of::<Frame>()
        + frame.threads.capacity() * size_of::<ThreadDeltas>()
        + frame.deltas.capacity() * size_of::<NodeDelta>()
        + frame.gpu.capacity() * size_of::<GpuDelta>()
}

impl History {
    pub fn new(capacity: usize) -> History {
        History {
            ring: VecDeque::new(),
            capacity,
            kept: Vec::new(),
            unmarked: 0,
            shortest_ms: f64::INFINITY,
            marked_bytes: 0,
            longest: DEFAULT_LONGEST,
            memory_limit: usize::MAX,
            ring_bytes: 0,
            kept_bytes: 0,
            marks: Vec::new(),
            pins: [None; 2],
            spare_capacities: [0; 2],
        }
    }

    pub fn push(&mut self, mut frame: Frame) -> Frame {
        let is_full = self.ring.len() >= self.capacity;
        // A list that grew while it was filled has doubled its capacity, so its capacity is trimmed. Other lists are
        // not trimmed, so that only frames larger than all previous ones allocate.
        let [parts, deltas] = self.spare_capacities;
        trim(&mut frame.threads, parts, is_full);
        trim(&mut frame.deltas, deltas, is_full);
        let wanted = bytes_of(&frame);
        let mut old = is_full.then(|| self.drop_oldest()).flatten();
        // If the ring has an empty slot, only the frame's lists add to the size.
        let header = |history: &History| match history.empty_slots() {
            0 => 0,
            _ => size_of::<Frame>(),
        };
        while self.bytes() + wanted - header(self) > self.memory_limit {
            if self.empty_slots() > MAX_EMPTY_SLOTS + self.ring.len() / 4 {
                // When frames get larger, the ring holds fewer of them, which leaves slots empty.
                self.ring.shrink_to(self.ring.len() + 1);
                continue;
            }
            let dropped = match self.ring.is_empty() {
                false => self.drop_oldest(),
                // This frame takes more than half of the memory limit.
                true if self.kept.is_empty() => break,
                true => self.forget_shortest(),
            };
            old = dropped.or(old);
        }
        let len = self.ring.len();
        if len == self.ring.capacity() {
            let left = self.memory_limit.saturating_sub(self.bytes() + wanted) / size_of::<Frame>();
            let doubled = (2 * len).max(4).min(self.capacity);
            let slots = (doubled - len).min(1 + left);
            self.ring.reserve_exact(slots);
        }
        // The next frame will probably be as large as this one.
        let old = old.unwrap_or_else(|| Frame {
            threads: Vec::with_capacity(frame.threads.len()),
            deltas: Vec::with_capacity(frame.deltas.len()),
            ..Frame::default()
        });
        self.ring_bytes += wanted;
        self.ring.push_back(frame);
        self.spare_capacities = [old.threads.capacity(), old.deltas.capacity()];
        old
    }

    fn empty_slots(&self) -> usize {
        self.ring.capacity() - self.ring.len()
    }

    /// Removes the oldest frame from the ring. Returns a frame that can be reused.
    fn drop_oldest(&mut self) -> Option<Frame> {
        let frame = self.ring.pop_front()?;
        self.ring_bytes -= bytes_of(&frame);
        self.keep(frame)
    }

    /// Keeps a frame that has left the ring if it is long, marked or pinned. Returns the frame that is dropped instead,
    /// which may be `frame` itself.
    fn keep(&mut self, frame: Frame) -> Option<Frame> {
        let bytes = bytes_of(&frame);
        let is_protected = self.is_protected(frame.number);
        let is_full =
            self.unmarked >= self.longest || self.kept_bytes + bytes > self.memory_limit / 2;
        if is_full && frame.ms() <= self.shortest_ms && !is_protected {
            return Some(frame);
        }
        // The frame wouldn't fit even if everything less important were dropped.
        let protected_bytes = if is_protected { 0 } else { self.marked_bytes };
        if bytes + protected_bytes > self.memory_limit / 2 {
            self.marks.retain(|mark| mark.frame != frame.number);
            return Some(frame);
        }
        let mut forgotten = None;
        while !is_protected && self.unmarked >= self.longest
            || self.kept_bytes + bytes > self.memory_limit / 2
        {
            match self.forget_shortest() {
                Some(shortest) => forgotten = Some(shortest),
                None => break,
            }
        }
        self.kept_bytes += bytes;
        self.kept.reserve_exact(1);
        self.kept.push(frame);
        self.recount_kept();
        forgotten
    }

    fn recount_kept(&mut self) {
        (self.unmarked, self.shortest_ms, self.marked_bytes) = (0, f64::INFINITY, 0);
        for frame in &self.kept {
            if self.is_protected(frame.number) {
                self.marked_bytes += bytes_of(frame);
            } else {
                self.unmarked += 1;
                self.shortest_ms = self.shortest_ms.min(frame.ms());
            }
        }
    }

    /// Drops the shortest kept frame. Marked and pinned frames are only dropped if no others are left.
    fn forget_shortest(&mut self) -> Option<Frame> {
        let rank = |frame: &Frame| (self.is_protected(frame.number), frame.ms());
        let ranks = self.kept.iter().map(rank).enumerate();
        let (at, _) = ranks.min_by(|(_, a), (_, b)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))?;
        let frame = self.kept.remove(at);
        self.kept_bytes -= bytes_of(&frame);
        self.marks.retain(|mark| mark.frame != frame.number);
        self.recount_kept();
        Some(frame)
    }

    /// Calls `add` to add late data to the frame with this number, if the frame is remembered.
    pub fn amend(&mut self, number: u64, add: impl FnOnce(&mut Frame)) {
        let kept = self.kept.len();
        let (frame, bytes) = match self.position(number) {
            Some(at) if at < kept => (&mut self.kept[at], &mut self.kept_bytes),
            Some(at) => (&mut self.ring[at - kept], &mut self.ring_bytes),
            None => return,
        };
        if frame.number != number {
            return;
        }
        *bytes -= bytes_of(frame);
        add(frame);
        *bytes += bytes_of(frame);
        while self.kept_bytes > self.memory_limit / 2 && self.forget_shortest().is_some() {}
        while self.ring.len() > 1 && self.bytes() > self.memory_limit {
            self.drop_oldest();
        }
    }

    /// Sets the number of frames in the ring. The minimum is one, because instantaneous values come from the newest
    /// frame.
    pub fn set_capacity(&mut self, frames: usize) {
        self.capacity = frames.max(1);
        while self.ring.len() > self.capacity {
            self.drop_oldest();
        }
        self.ring.shrink_to(self.capacity);
    }

    /// Sets the maximum size of all frames in bytes. The newest frame is always kept.
    pub fn set_memory_limit(&mut self, bytes: usize) {
        self.memory_limit = bytes;
        while self.kept_bytes > self.memory_limit / 2 && self.forget_shortest().is_some() {}
        self.kept.shrink_to_fit();
        self.ring.shrink_to_fit();
        while self.ring.len() > 1
            && self.bytes() - self.empty_slots() * size_of::<Frame>() > self.memory_limit
        {
            self.drop_oldest();
        }
        self.ring.shrink_to_fit();
    }

    /// Returns the memory limit, or `None` if none was set.
    pub fn memory_limit(&self) -> Option<usize> {
        (self.memory_limit != usize::MAX).then_some(self.memory_limit)
    }

    /// Returns the number of longest frames that are kept when they leave the ring.
    pub fn longest_count(&self) -> usize {
        self.longest
    }

    /// Sets the number returned by [`longest_count`](Self::longest_count).
    pub fn set_longest(&mut self, frames: usize) {
        self.longest = frames;
        self.recount_kept();
        while self.unmarked > self.longest && self.forget_shortest().is_some() {}
    }

    /// Marks the newest frame with a name. The frames with the newest [`MAX_MARKS`] marks are kept.
    pub fn mark(&mut self, name: Arc<str>) {
        let Some(frame) = self.newest().map(|frame| frame.number) else {
            return;
        };
        self.marks.push(Mark { frame, name });
        if self.marks.len() > MAX_MARKS {
            self.marks.remove(0);
            // A frame whose mark was dropped is only kept if it is among the longest.
            self.set_longest(self.longest);
        }
    }

    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    pub fn pin(&mut self, frames: [Option<u64>; 2]) {
        if self.pins != frames {
            self.pins = frames;
            self.set_longest(self.longest);
        }
    }

    /// Whether a frame is kept regardless of its length.
    fn is_protected(&self, number: u64) -> bool {
        let at = self.marks.partition_point(|mark| mark.frame < number);
        let is_marked = self.marks.get(at).is_some_and(|mark| mark.frame == number);
        is_marked || self.pins.contains(&Some(number))
    }

    pub fn clear(&mut self) {
        self.ring.clear();
        self.kept.clear();
        self.marks.clear();
        self.recount_kept();
        (self.ring_bytes, self.kept_bytes) = (0, 0);
    }

    /// Returns the capacity of the ring plus the number of kept frames.
    pub fn capacity(&self) -> usize {
        self.capacity + self.kept.len()
    }

    pub fn newest(&self) -> Option<&Frame> {
        self.ring.back()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Frame> + Clone {
        self.kept.iter().chain(&self.ring)
    }

    pub fn len(&self) -> usize {
        self.kept.len() + self.ring.len()
    }

    pub fn oldest_in_ring(&self) -> Option<u64> {
        self.ring.front().map(|frame| frame.number)
    }

    /// Computes [`bytes`](Self::bytes) from scratch.
    #[cfg(any(test, feature = "test-support"))]
    pub fn bytes_for_tests(&self) -> usize {
        let empty = self.empty_slots() + self.kept.capacity() - self.kept.len();
        self.iter().map(bytes_of).sum::<usize>() + empty * size_of::<Frame>()
    }

    /// Returns the kept frames. They have left the ring, so they are older than the ring's frames.
    pub fn kept(&self) -> &[Frame] {
        &self.kept
    }

    fn get(&self, at: usize) -> Option<&Frame> {
        match at.checked_sub(self.kept.len()) {
            Some(at) => self.ring.get(at),
            None => self.kept.get(at),
        }
    }

    /// Returns the position of the frame with this number, or of the nearest remembered frame.
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

    pub fn nearest(&self, number: u64) -> Option<&Frame> {
        self.get(self.position(number)?)
    }

    /// Returns the remembered frame `delta` positions after frame `number`. Stops at the first and last frames.
    pub fn step(&self, number: u64, delta: i64) -> Option<&Frame> {
        let at = self.position(number)? as i64;
        let last = self.len() as i64 - 1;
        self.get(at.saturating_add(delta).clamp(0, last) as usize)
    }

    pub fn find(&self, number: u64) -> Option<&Frame> {
        self.nearest(number).filter(|frame| frame.number == number)
    }

    /// Returns the remembered frames from `first` to `last`, inclusive, from oldest to newest.
    pub fn between(&self, first: u64, last: u64) -> impl Iterator<Item = &Frame> {
        let kept = self.kept.partition_point(|frame| frame.number < first);
        let ring = self.ring.range(self.count_before(first)..);
        let frames = self.kept[kept..].iter().chain(ring);
        frames.take_while(move |frame| frame.number <= last)
    }

    fn count_before(&self, number: u64) -> usize {
        let oldest = self.oldest_in_ring().unwrap_or(0);
        number.saturating_sub(oldest).min(self.ring.len() as u64) as usize
    }

    /// Returns up to `most` ring frames directly before `first` and up to `most` directly after `last`, in order.
    pub fn around(&self, first: u64, last: u64, most: usize) -> impl Iterator<Item = &Frame> {
        let (before, after) = (self.count_before(first), self.count_before(last + 1));
        let before = self.ring.range(before.saturating_sub(most)..before);
        before.chain(self.ring.range(after..).take(most))
    }

    /// Returns the spikes from oldest to newest. A spike is longer than [`SPIKE`] times the ring's median frame, and
    /// longer than its remembered neighbors.
    pub fn spikes(&self) -> Vec<u64> {
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
            // If two neighbors are equally long, the first one is the spike.
            ms_here > threshold && ms_here > ms(number - 1) && ms_here >= ms(number + 1)
        });
        spikes.map(|frame| frame.number).collect()
    }

    /// Returns the longest frame that began after [`START_UP_NS`]. If there is none, returns the longest frame overall.
    pub fn longest(&self) -> Option<&Frame> {
        let is_later = |frame: &Frame| frame.begin_ns >= START_UP_NS;
        self.iter().max_by(|a, b| {
            let by_length = a.ms().total_cmp(&b.ms());
            is_later(a).cmp(&is_later(b)).then(by_length)
        })
    }

    /// Returns the number of the last frame that began before [`START_UP_NS`], or 0 if no later frames are remembered.
    pub fn last_of_start_up(&self) -> u64 {
        let is_later = |frame: &&Frame| frame.begin_ns >= START_UP_NS;
        let has_later = self.newest().as_ref().is_some_and(is_later);
        let early = self.iter().take_while(|frame| !is_later(frame));
        early
            .last()
            .filter(|_| has_later)
            .map_or(0, |frame| frame.number)
    }

    /// Returns the size of the remembered frames in bytes.
    pub fn bytes(&self) -> usize {
        let empty = self.empty_slots() + self.kept.capacity() - self.kept.len();
        self.ring_bytes + self.kept_bytes + empty * size_of::<Frame>()
    }
}

/// Releases unused capacity of `filled` if it grew while it was filled, or if the frame reused no memory and much of
/// the capacity is unused.
fn trim<T>(filled: &mut Vec<T>, capacity_before: usize, was_used: bool) {
    let wastes = !was_used && filled.capacity() > filled.len() + filled.len() / 4;
    if filled.capacity() > capacity_before || wastes {
        filled.shrink_to_fit();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use iprof_gather::clock::Ticks;

    fn numbered(number: u64) -> Frame {
        Frame {
            number,
            ..Frame::default()
        }
    }

    #[test]
    fn ring_keeps_newest_and_finds_nearest() {
        let mut history = History::new(3);
        history.set_longest(0);
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
            deltas: vec![
                NodeDelta {
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
    fn longest_and_marked_frames_are_kept() {
        let mut history = History::new(3);
        history.set_longest(2);
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
        assert_eq!(history.longest().unwrap().number, 4);
        assert_eq!(history.marks()[0].frame, 7);
    }

    #[test]
    fn startup_frames_are_longest_only_as_a_fallback() {
        let mut history = History::new(10);
        let mut begin_ns = 0;
        for (number, ms) in [(1, 700.0), (2, 400.0), (3, 30.0), (4, 50.0), (5, 10.0)] {
            let frame = Frame {
                begin_ns,
                ..long(number, ms)
            };
            begin_ns += (ms * 1e6) as u64;
            history.push(frame);
            let longest = history.longest().unwrap().number;
            assert_eq!(longest, [1, 1, 3, 4, 4][number as usize - 1]);
        }
    }

    #[test]
    fn unmarked_frames_are_kept_only_if_long() {
        let mut history = History::new(1);
        history.set_longest(1);
        for number in 1..=MAX_MARKS as u64 + 3 {
            history.push(long(number, 1e3 / number as f64));
            history.mark("mark".into());
        }
        // Frames 1 to 3 lost their marks. Only frame 1 is long enough to be kept.
        let numbers = numbers(&history);
        assert_eq!(numbers[..2], [1, 4]);
        assert_eq!(numbers.len(), 1 + MAX_MARKS);
    }

    #[test]
    fn memory_limit_holds_and_newest_frame_is_kept() {
        let one = bytes_of(&long(1, 1.0));
        let mut history = History::new(1000);
        history.set_memory_limit(10 * one);
        for number in 1..200 {
            history.push(long(number, (number % 17) as f64));
            assert!(history.bytes() <= 10 * one);
        }
        // The longest frames can use half of the memory limit. The newest frames use the rest.
        assert_eq!(history.kept().len(), 5);
        assert!(history.kept().iter().all(|frame| frame.ms() == 16.0));
        assert_eq!(numbers(&history)[5..], [195, 196, 197, 198, 199]);
        // The limit also holds for frames of different sizes, including small frames after large ones.
        let sized = |number: u64| {
            let mut frame = long(number, 1.0);
            let size = [7, 700, 30, 130, 1][(number / 20 % 5) as usize];
            frame.deltas.resize(size, frame.deltas[0]);
            frame.deltas.shrink_to_fit();
            frame
        };
        for (memory_limit, numbers) in [(20_000, 200..400), (61_001, 400..900), (7_777, 900..1_100)]
        {
            history.set_memory_limit(memory_limit);
            for number in numbers {
                history.push(sized(number));
                let alone = history.ring.len() == 1 && history.kept().is_empty();
                assert!(
                    history.bytes() <= memory_limit || alone,
                    "{number}: {history:?}"
                );
            }
        }
        history.set_memory_limit(0);
        assert_eq!(numbers(&history), [1_099]);
        history.clear();
        history.push(long(199, 1.0));
        assert_eq!(numbers(&history), [199]);
        history.push(long(200, 1.0));
        assert_eq!(numbers(&history), [200]);
    }

    #[test]
    fn oversized_frames_evict_no_other_frames() {
        let mut history = History::new(2);
        history.set_memory_limit(60_000);
        history.set_longest(5);
        let mut large = long(20, 20.0);
        large.deltas.resize(1_700, large.deltas[0]);
        large.deltas.shrink_to_fit();
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
        // A frame that would have to replace marked frames isn't kept either. A frame that is too large is dropped
        // together with its mark.
        history.push(large);
        history.mark("too large".into());
        for number in 41..=43 {
            history.push(long(number, 0.2));
        }
        assert_eq!(numbers(&history), [1, 2, 3, 4, 5, 42, 43]);
        assert_eq!(history.marks(), []);
    }

    #[test]
    fn only_the_longest_neighbor_is_a_spike() {
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
        assert_eq!(history.spikes(), [10, 30, 50, 71, 73]);
    }

    #[test]
    fn pinned_frame_is_kept_until_unpinned() {
        let mut history = History::new(3);
        history.set_longest(1);
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
    fn around_returns_the_nearest_frames_on_each_side() {
        let mut history = History::new(10);
        history.set_longest(1);
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
            "frame 3 was kept, but its neighbors were dropped"
        );
        assert!(around(11, 20, 2).is_empty());
        assert_eq!(History::new(1).around(1, 1, 2).count(), 0);
    }

    #[test]
    fn smaller_capacity_keeps_longest_frames() {
        let mut history = History::new(10);
        history.set_longest(2);
        for number in 1..=10 {
            history.push(long(number, if number == 4 { 9.0 } else { 1.0 }));
        }
        history.set_capacity(2);
        let numbers = numbers(&history);
        assert!(numbers.contains(&4) && numbers.len() == 4, "{numbers:?}");
    }

    #[test]
    fn documented_sizes_are_right() {
        assert_eq!(size_of::<NodeDelta>(), 24);
        assert_eq!(size_of::<ThreadDeltas>(), 12);
        // Lists are half as large with 32-bit addresses.
        let is_64 = cfg!(target_pointer_width = "64");
        assert!(size_of::<Frame>() == 128 || !is_64 && size_of::<Frame>() < 128);
        assert_eq!(size_of::<GpuDelta>(), 16);
    }

    #[test]
    fn memory_matches_the_documented_formula() {
        const THREADS: usize = 3;
        for frames in [1, 7, 100, 1000, DEFAULT_FRAMES] {
            for live in [2, 5, 259, 1025] {
                let mut history = History::new(frames);
                history.set_longest(0);
                let mut frame = Frame::default();
                let delta = NodeDelta {
                    ticks: 1,
                    entries: 1,
                    node: 0,
                    error: 0.0,
                };
                let part = ThreadDeltas {
                    thread: 0,
                    start: 0,
                    end: 0,
                };
                // Frames are filled one delta at a time, as in `update`. Later frames are smaller.
                for at in 0..2 * frames {
                    frame.threads.clear();
                    frame.threads.extend([part; THREADS]);
                    frame.deltas.clear();
                    for _ in 0..if at < frames { live } else { live - 1 } {
                        frame.deltas.push(delta);
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
