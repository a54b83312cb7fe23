//! Per-node sums for the whole session in constant memory, by frame length (bands) and by time (buckets).
//!
//! Every frame since the last reset is in exactly one band and exactly one bucket. The sums of all bands add up to the
//! deltas of all frames, and so do the sums of all buckets. Memory depends only on the number of nodes: each node has
//! [`BANDS`] + [`BUCKETS`] rows (see [`sums`]).
//!
//! # Buckets
//!
//! A bucket is closed when it reaches the current width. When all buckets are in use, the two oldest narrow buckets are
//! merged, which frees one slot. So a frame never merges more than two buckets. Once all buckets have been merged, the
//! width doubles.

pub mod parts;
pub mod sums;
pub mod totals;

use crate::frame::{Frame, GpuDelta};
use crate::frames::{Frames, WHOLE_SHARE, share_of};
use crate::session::parts::{BaseBand, Bucket, PartFrames, Parts};
use crate::session::sums::{NodeSum, NodeSums, PartBits, SessionSums, SignedRows, Totals};
use crate::untimed_nodes::NodeDelta;
use std::time::Duration;

pub const BANDS: usize = 8;
/// The number of time buckets. It must be even.
pub const BUCKETS: usize = 32;
/// The width of the first buckets in nanoseconds.
const FIRST_WIDTH_NS: u64 = 1_000_000_000;
/// The band limits, as multiples of the frame budget.
const LIMITS: [f64; BANDS - 1] = [0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0];

/// Sums over all frames since the last reset, by band and by bucket.
#[derive(Debug)]
pub struct Session {
    frame_budget: Duration,
    custom_limits: Option<[Duration; BANDS - 1]>,
    /// The current bands' limits.
    limits: [Duration; BANDS - 1],
    /// The current bands' limits in milliseconds.
    limits_ms: [f64; BANDS - 1],
    bands: [PartFrames; BANDS],
    base: BaseBand,
    /// At most [`BUCKETS`] buckets, from oldest to newest.
    buckets: Vec<Bucket>,
    /// The width of new buckets in nanoseconds.
    width_ns: u64,
    /// The number of buckets that have already been merged to the current width.
    merged: usize,
    threads: Vec<SessionSums>,
}

impl Session {
    pub fn new(frame_budget: Duration) -> Session {
        Session {
            frame_budget,
            custom_limits: None,
            limits: limits_of(frame_budget),
            limits_ms: [0.0; BANDS - 1],
            bands: [PartFrames::default(); BANDS],
            base: BaseBand::default(),
            buckets: Vec::with_capacity(BUCKETS),
            width_ns: FIRST_WIDTH_NS,
            merged: 0,
            threads: Vec::new(),
        }
    }

    pub fn custom_limits(&self) -> Option<[Duration; BANDS - 1]> {
        self.custom_limits
    }

    /// Sets the band limits. `None` selects multiples of the frame budget. Clears the bands if the limits change.
    pub fn set_limits(&mut self, limits: Option<[Duration; BANDS - 1]>, totals: &impl Totals) {
        self.custom_limits = limits.map(|mut limits| {
            limits.sort_unstable();
            limits
        });
        if self.has_bands() && self.next_limits() != self.limits {
            self.forget_bands();
            for (thread, sums) in (0..).zip(&mut self.threads) {
                sums.clear_bands(self.base.get(), |node| totals.total(thread, node));
            }
        }
    }

    /// Sets the frame budget. The current bands keep their limits until they are cleared.
    pub(crate) fn set_frame_budget(&mut self, budget: Duration) {
        self.frame_budget = budget;
    }

    fn next_limits(&self) -> [Duration; BANDS - 1] {
        self.custom_limits
            .unwrap_or_else(|| limits_of(self.frame_budget))
    }

    /// Returns the limits of the current bands or, before the first frame, of the next ones.
    pub fn limits(&self) -> [Duration; BANDS - 1] {
        match self.has_bands() {
            true => self.limits,
            false => self.next_limits(),
        }
    }

    fn has_bands(&self) -> bool {
        self.bands.iter().any(|band| band.count > 0)
    }

    fn forget_bands(&mut self) {
        self.bands = Default::default();
        for bucket in &mut self.buckets {
            bucket.by_band = [0; BANDS];
        }
    }

    /// Forgets all frames. The caller also resets the totals.
    pub fn clear(&mut self) {
        self.forget_bands();
        self.buckets.clear();
        self.width_ns = FIRST_WIDTH_NS;
        self.merged = 0;
        for thread in &mut self.threads {
            thread.clear(PartBits::all());
        }
    }

    fn band_of(&self, ms: f64) -> usize {
        let is_longer = |limit: &&f64| ms > **limit;
        self.limits_ms.iter().take_while(is_longer).count()
    }

    /// Adds the newest frame. The totals must already include it.
    pub fn add(&mut self, frame: &Frame, totals: &impl Totals) {
        if !self.has_bands() {
            self.limits = self.next_limits();
            self.limits_ms = self.limits.map(|limit| limit.as_secs_f64() * 1e3);
        }
        for part in &frame.threads {
            let nodes = totals.nodes(part.thread);
            self.thread(part.thread).grow(nodes);
        }
        let frames = PartFrames::of(frame);
        let band = self.band_of(frame.ms());
        self.bands[band].add(&frames);
        let slot = self.open_bucket(frame, totals);
        if let Some(bucket) = self.buckets.last_mut() {
            bucket.frames.add(&frames);
            bucket.by_band[band] += 1;
            bucket.end_ns = frame.begin_ns.saturating_add((frame.ms() * 1e6) as u64);
        }
        let parts = PartBits::of(Some(band), Some(slot));
        let base = self.base.get();
        for part in &frame.threads {
            let deltas = frame.deltas_in(part);
            let sums = self.thread(part.thread);
            sums.count_frame(parts);
            if band != base {
                sums.add_to_band(band, deltas);
            }
            if totals.is_sampled(part.thread) {
                sums.add_errors(parts, deltas);
            } else {
                debug_assert!(deltas.iter().all(|delta| delta.error == 0.0));
            }
        }
        if let Some(base) = self.base.count(band) {
            for (thread, sums) in (0..).zip(&mut self.threads) {
                sums.change_base(base, self.base.get(), |node| totals.total(thread, node));
            }
        }
    }

    /// Adds time outside frames, for programs that don't call `update`. This time belongs to no band or bucket. The
    /// totals must already include `deltas`.
    pub fn add_outside_frames(
        &mut self,
        thread: u32,
        deltas: impl Iterator<Item = NodeDelta>,
        totals: &impl Totals,
    ) {
        let last = self.buckets.last().map_or(0, |bucket| bucket.slot);
        let rows = PartBits::of(Some(self.base.get()), Some(last));
        let sums = self.thread(thread);
        sums.grow(totals.nodes(thread));
        sums.add_to_rows(rows, deltas);
    }

    fn thread(&mut self, thread: u32) -> &mut SessionSums {
        let thread = thread as usize;
        if self.threads.len() <= thread {
            self.threads.resize_with(thread + 1, SessionSums::default);
        }
        &mut self.threads[thread]
    }

    /// Returns the slot of the bucket for a new frame. Opens a new bucket if the last one has reached its full width.
    fn open_bucket(&mut self, frame: &Frame, totals: &impl Totals) -> usize {
        let last = match self.buckets.last() {
            Some(last) if frame.begin_ns.saturating_sub(last.begin_ns) < self.width_ns => {
                return last.slot;
            }
            last => last.map(|last| last.slot),
        };
        let slot = match self.buckets.len() {
            BUCKETS => self.merge_oldest(),
            unused => unused,
        };
        if let Some(last) = last {
            for (thread, sums) in (0..).zip(&mut self.threads) {
                let total = |node: usize| totals.total(thread, node);
                sums.end_bucket(last, slot, total, frame.deltas_of(thread));
            }
        }
        self.buckets.push(Bucket {
            slot,
            begin_ns: frame.begin_ns,
            end_ns: frame.begin_ns,
            frames: PartFrames::default(),
            by_band: [0; BANDS],
        });
        slot
    }

    /// Merges the two oldest narrow buckets and returns the slot that becomes free. The newest bucket is never merged.
    fn merge_oldest(&mut self) -> usize {
        if self.merged == 0 {
            self.width_ns *= 2;
        }
        let more = self.buckets.remove(self.merged + 1);
        let bucket = &mut self.buckets[self.merged];
        bucket.frames.add(&more.frames);
        for (count, more) in bucket.by_band.iter_mut().zip(more.by_band) {
            *count += more;
        }
        bucket.end_ns = more.end_ns;
        // The later bucket's row contains the totals at the end of the merged bucket.
        let unused = std::mem::replace(&mut bucket.slot, more.slot);
        for thread in &mut self.threads {
            thread.merge_slots(unused, more.slot);
        }
        self.merged = (self.merged + 1) % (BUCKETS / 2);
        unused
    }

    /// Adds an earlier frame's GPU times, which the totals must already include. `thread` is the GPU's thread, and
    /// `nodes` are the deltas on it.
    pub fn add_gpu(
        &mut self,
        (number, ms): (u64, f64),
        (thread, nodes): (u32, &[NodeDelta]),
        submitters: &[GpuDelta],
        totals: &impl Totals,
    ) {
        let is_in = |frames: &PartFrames| (frames.first..=frames.last).contains(&number);
        let band = self.band_of(ms);
        // The bands may have been cleared since that frame.
        let band = Some(band).filter(|band| is_in(&self.bands[*band]));
        let at = self.buckets.iter().position(|of| is_in(&of.frames));
        let slot = at.map(|at| {
            self.buckets[at].frames.with_gpu += 1;
            self.buckets[at].slot
        });
        if let Some(band) = band {
            self.bands[band].with_gpu += 1;
        }
        let base = self.base.get();
        // The totals at the ends of later buckets also include these times.
        let mut rows = match (at, self.buckets.split_last()) {
            (Some(at), Some((_, ended))) => ended
                .iter()
                .skip(at)
                .fold(PartBits::default(), |rows, bucket| {
                    rows.with(PartBits::slot(bucket.slot))
                }),
            (_, last) => PartBits::slot(last.map_or(0, |(last, _)| last.slot)),
        };
        if band.is_none() {
            rows = rows.with(PartBits::band(base));
        }
        let parts = PartBits::of(band, slot);
        let sums = self.thread(thread);
        sums.grow(totals.nodes(thread));
        sums.count_frame(parts);
        if let Some(band) = band.filter(|band| *band != base) {
            sums.add_to_band(band, nodes);
        }
        sums.add_to_rows(rows, nodes.iter().copied());
        for of_one in submitters.chunk_by(|a, b| a.thread == b.thread) {
            let thread = of_one[0].thread;
            let nodes = totals.nodes(thread);
            self.thread(thread).add_gpu(parts, of_one, nodes);
        }
    }
}

/// Returns the first and the last band in a range whose ends are given in either order.
pub fn bands_in(one: usize, other: usize) -> (usize, usize) {
    let [one, other] = [one, other].map(|band| band.min(BANDS - 1));
    (one.min(other), one.max(other))
}

fn limits_of(budget: Duration) -> [Duration; BANDS - 1] {
    LIMITS.map(|multiple| budget.mul_f64(multiple))
}

impl Session {
    /// Returns the bands or buckets that a selection of frames covers.
    pub fn parts(&self, part: &Frames) -> Parts {
        let (part, is_complement) = part.without_complement();
        let bands = |first, last| {
            let is_in = |band: usize| (first..=last).contains(&band) != is_complement;
            let bits = (0..BANDS).filter(|band| is_in(*band));
            Parts::Bands(bits.fold(0, |bits, band| bits | 1 << band))
        };
        match *part {
            Frames::Session if !is_complement => Parts::Slots(u32::MAX),
            Frames::SessionBands(one, other) => {
                let (first, last) = bands_in(one, other);
                bands(first, last)
            }
            Frames::SessionSlowestPercent(percent) => bands(self.slowest_band(percent), BANDS - 1),
            Frames::SessionTime(one, other) => {
                let is_in = |at: &usize| self.is_in_time(*at, one, other) != is_complement;
                let chosen = (0..self.buckets.len()).filter(is_in);
                Parts::Slots(chosen.fold(0, |bits, at| bits | 1 << self.buckets[at].slot))
            }
            _ => Parts::Slots(0),
        }
    }

    /// Returns the slowest band such that it and all slower bands hold at least this percentage of all frames, and at
    /// least one frame.
    pub fn slowest_band(&self, percent: f64) -> usize {
        let share = u128::from(share_of(percent));
        let all: u64 = self.bands.iter().map(|band| band.count).sum();
        let least = u128::from(all) * share;
        let mut frames = 0;
        let mut slowest = (0..BANDS).rev().filter(|band| {
            frames += self.bands[*band].count;
            frames > 0 && u128::from(frames) * u128::from(WHOLE_SHARE) >= least
        });
        slowest.next().unwrap_or(0)
    }

    /// Whether a bucket overlaps a time span. A bucket extends to the beginning of the next one.
    fn is_in_time(&self, at: usize, one: Duration, other: Duration) -> bool {
        let (from, to) = (one.min(other).as_nanos(), one.max(other).as_nanos());
        let bucket = &self.buckets[at];
        let next = self.buckets.get(at + 1);
        let begin = if at == 0 { 0 } else { bucket.begin_ns };
        let end = next.map_or(bucket.end_ns + 1, |next| next.begin_ns);
        u128::from(begin) <= to && u128::from(end) > from
    }

    pub fn frames(&self, parts: Parts) -> PartFrames {
        let mut sum = PartFrames::default();
        match parts {
            Parts::Bands(bits) => {
                let bands = self.bands.iter().enumerate();
                let chosen = bands.filter(|(band, _)| bits >> band & 1 == 1);
                chosen.for_each(|(_, frames)| sum.add(frames));
            }
            Parts::Slots(bits) => {
                let chosen = self.buckets.iter().filter(|at| bits >> at.slot & 1 == 1);
                chosen.for_each(|bucket| sum.add(&bucket.frames));
            }
        }
        sum
    }

    pub fn all(&self, parts: Parts) -> Parts {
        match parts {
            Parts::Bands(_) => Parts::Bands(u32::MAX),
            Parts::Slots(_) => Parts::Slots(u32::MAX),
        }
    }

    pub fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// Returns the first and the last bucket that overlap a time span.
    pub fn buckets_in(&self, one: Duration, other: Duration) -> Option<(usize, usize)> {
        let is_in = |at: &usize| self.is_in_time(*at, one, other);
        let mut buckets = (0..self.buckets.len()).filter(is_in);
        let first = buckets.next()?;
        Some((first, buckets.next_back().unwrap_or(first)))
    }

    /// Returns the selected bucket, if the selection consists of exactly one.
    pub fn only_bucket(&self, part: &Frames) -> Option<usize> {
        let (first, last) = match *part {
            Frames::SessionTime(one, other) => self.buckets_in(one, other)?,
            _ => return None,
        };
        (first == last).then_some(first)
    }

    /// Returns the bucket that contains the frame with this number.
    pub fn bucket_of(&self, frame: u64) -> Option<usize> {
        let is_before = |bucket: &Bucket| bucket.frames.last < frame;
        let at = self.buckets.partition_point(is_before);
        let bucket = self.buckets.get(at)?;
        (bucket.frames.first <= frame).then_some(at)
    }

    pub fn count_in(&self, bucket: &Bucket, parts: Parts) -> u64 {
        match parts {
            Parts::Bands(bits) => {
                let bands = bucket.by_band.iter().enumerate();
                let chosen = bands.filter(|(band, _)| bits >> band & 1 == 1);
                chosen.map(|(_, count)| count).sum()
            }
            Parts::Slots(bits) if bits >> bucket.slot & 1 == 1 => bucket.frames.count,
            Parts::Slots(_) => 0,
        }
    }

    /// Whether the frame with this number and length is in any of `parts`.
    pub fn is_in(&self, parts: Parts, (number, ms): (u64, f64)) -> bool {
        match parts {
            Parts::Bands(bits) => {
                let band = self.band_of(ms);
                // The bands may have been cleared since that frame.
                let of_band = &self.bands[band];
                bits >> band & 1 == 1 && (of_band.first..=of_band.last).contains(&number)
            }
            Parts::Slots(bits) => {
                let bucket = self.bucket_of(number).map(|at| self.buckets[at].slot);
                bucket.is_some_and(|slot| bits >> slot & 1 == 1)
            }
        }
    }

    fn rows_of(&self, parts: Parts) -> SignedRows {
        let bits = match parts {
            Parts::Bands(_) => return SignedRows::of_bands(parts.bits(), self.base.get()),
            Parts::Slots(bits) => bits,
        };
        // A bucket's sums are the totals at its end minus the totals at the previous bucket's end. Between two adjacent
        // chosen buckets, the totals cancel out.
        let is_chosen = |bucket: &Bucket| bits >> bucket.slot & 1 == 1;
        let mut rows = SignedRows::default();
        for pair in self.buckets.windows(2) {
            let end = PartBits::slot(pair[0].slot);
            match (is_chosen(&pair[0]), is_chosen(&pair[1])) {
                (true, false) => rows.added = rows.added.with(end),
                (false, true) => rows.subtracted = rows.subtracted.with(end),
                _ => {}
            }
        }
        if let Some(last) = self.buckets.last().filter(|last| is_chosen(last)) {
            rows.subtracted = rows.subtracted.with(PartBits::slot(last.slot));
            rows.has_total = true;
        }
        rows
    }

    /// Returns a bucket's sums for a thread's nodes. Nodes past the end of the iterator have no sums.
    pub fn bucket_sums<'a>(
        &'a self,
        thread: usize,
        bucket: &Bucket,
        totals: impl Totals + Copy + 'a,
    ) -> impl Iterator<Item = NodeSum> + 'a {
        let rows = self.rows_of(Parts::Slots(1 << bucket.slot));
        let total = move |node: usize| totals.total(thread as u32, node);
        let sums = self.threads.get(thread).into_iter();
        sums.flat_map(move |sums| sums.sum_rows(rows, total))
    }

    pub fn thread_frames(&self, thread: usize, parts: Parts) -> u64 {
        let sums = self.threads.get(thread);
        sums.map_or(0, |sums| sums.frames(parts.bits()))
    }

    pub fn sums(&self, thread: usize, parts: Parts, totals: &impl Totals) -> NodeSums {
        match self.threads.get(thread) {
            Some(sums) => {
                let total = |node: usize| totals.total(thread as u32, node);
                sums.sum_parts(parts.bits(), self.rows_of(parts), total)
            }
            None => NodeSums::default(),
        }
    }

    /// Sets the width of the first buckets, before the first frame.
    #[cfg(any(test, feature = "test-support"))]
    pub fn set_first_width(&mut self, ns: u64) {
        self.width_ns = ns;
    }

    #[cfg(any(test, feature = "test-support"))]
    pub fn bytes_for_tests(&self) -> usize {
        self.threads.iter().map(SessionSums::bytes).sum()
    }
}
