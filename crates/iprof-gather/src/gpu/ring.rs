//! One GL context's timer queries on one thread, and the zones that the queries measure.
//!
//! # Algorithm
//!
//! ```text
//! begin:  stamp a query                       in flight: ( … ( … ) ( … ) … )
//! end:    stamp a second query                           ^ oldest
//! later:  while the oldest is available, read it:
//!             begin   push its time
//!             end     pop; both of the zone's times are known
//! ```
//!
//! Queries are read in the order in which they were stamped, which is also the order in which the GPU reaches them. So
//! the queries in flight form a sequence of balanced brackets, and a stack is enough to match up their times. A zone
//! takes two GL calls to submit and four to read.
//!
//! Polling a query may make the driver flush its queued commands. So queries are polled only if their frame ended at
//! least one whole frame ago, because their commands have already been sent.
//!
//! # Overflow
//!
//! At most [`MAX_IN_FLIGHT`] queries are in flight. A zone is measured only if there is also a query for its end. If
//! there is none, the zone is counted as not measured, and its time is attributed to its caller.
//!
//! # Implausible times
//!
//! Zero is not a valid timestamp, but some drivers return it, along with other impossible values (see
//! [`spans`](super::spans)). llvmpipe does so for its first commands. A driver whose clock has no bits returns only
//! zeros. After [`ZEROS`] initial zeros, zones are no longer measured, and none of them is counted as lost.

use super::spans::{NoTime, SpanKey};
use super::timeline::GpuTimeline;
use crate::gpu::GpuOrigin;
use std::collections::VecDeque;

/// The maximum number of queries in flight: two for each of 512 zones, across all frames that the GPU lags behind.
pub const MAX_IN_FLIGHT: usize = 1024;
/// The number of initial zeros after which the clock is assumed to have no bits.
const ZEROS: u32 = 32;

/// The GL calls that a ring makes. Tests mock them.
pub trait Queries {
    type Query: Copy;

    /// Creates a query, or returns `None` if the driver fails.
    fn make(&mut self) -> Option<Self::Query>;
    /// Makes the GPU write its time into the query when it reaches this command.
    fn stamp(&mut self, query: Self::Query);
    /// Returns the query's time in nanoseconds, if the GPU has reached the query.
    fn read(&mut self, query: Self::Query) -> Option<u64>;
    /// Returns whether the GPU's clock was interrupted since the last call.
    fn was_disjoint(&mut self) -> bool;
    /// Deletes an unused query.
    fn delete(&mut self, query: Self::Query);
}

/// One context's queries and zones on one thread.
#[derive(Debug)]
pub struct Ring<Q> {
    /// Unused queries.
    free: Vec<Q>,
    made: usize,
    max_queries: usize,
    /// Queries in flight, in the order in which they were stamped.
    in_flight: VecDeque<Stamp<Q>>,
    /// The number of queries in flight, starting with the oldest, that are invalid because the clock was interrupted.
    disjoint_count: usize,
    /// The zones that the queries measure.
    pub timeline: GpuTimeline,
    /// For each zone whose begin query has been read, but not its end: the begin time, and whether it is invalid.
    begins: Vec<(u64, bool)>,
    /// The results of the current read.
    batch: Vec<(Stamp<Q>, u64)>,
    /// The frame in which results were last polled.
    due_in: Option<u64>,
    /// The number of initial zeros, or `None` after the first nonzero time.
    zeros: Option<u32>,
    /// The number of zones that read an initial zero. These zones count as lost if the clock turns out to have bits.
    without_bits: u64,
}

/// A query in flight.
#[derive(Clone, Copy, Debug)]
struct Stamp<Q> {
    query: Q,
    frame: u64,
    /// The zone that this query ends, if any.
    end_of: Option<SpanKey>,
}

impl<Q: Copy> Ring<Q> {
    pub fn new(max_queries: usize) -> Ring<Q> {
        Ring {
            free: Vec::new(),
            made: 0,
            max_queries,
            in_flight: VecDeque::new(),
            disjoint_count: 0,
            timeline: GpuTimeline::new(),
            begins: Vec::new(),
            batch: Vec::new(),
            due_in: None,
            zeros: Some(0),
            without_bits: 0,
        }
    }

    /// Begins a zone. Returns its id, or `None` if it is not measured.
    pub fn begin(
        &mut self,
        queries: &mut impl Queries<Query = Q>,
        origin: GpuOrigin,
    ) -> Option<u64> {
        if self.has_no_bits() {
            return None;
        }
        // One query for this zone's begin, one for its end, and one for the end of each open zone.
        while self.free.len() < self.timeline.spans.open() + 2 {
            let query = (self.made < self.max_queries)
                .then(|| queries.make())
                .flatten();
            let Some(query) = query else {
                self.timeline.spans.losses.overflowed += 1;
                return None;
            };
            self.made += 1;
            self.free.push(query);
        }
        self.stamp(queries, origin.begun_in, None);
        Some(self.timeline.spans.begin(origin).id)
    }

    /// Ends the innermost `zones` zones, in `frame`.
    pub fn end(&mut self, queries: &mut impl Queries<Query = Q>, zones: usize, frame: u64) {
        for _ in 0..zones {
            if let Some(key) = self.timeline.spans.end(frame) {
                self.stamp(queries, frame, Some(key));
            }
        }
    }

    fn stamp(
        &mut self,
        queries: &mut impl Queries<Query = Q>,
        frame: u64,
        end_of: Option<SpanKey>,
    ) {
        // `free` is never empty here, because `begin` reserved this query.
        let Some(query) = self.free.pop() else { return };
        queries.stamp(query);
        self.in_flight.push_back(Stamp {
            query,
            frame,
            end_of,
        });
    }

    /// Returns whether to poll for results, which happens once per frame.
    pub fn is_due_in(&mut self, frame: u64) -> bool {
        self.due_in.replace(frame) != Some(frame)
    }

    /// Reads the available results of queries that were stamped before `frame`.
    pub fn read_before(&mut self, queries: &mut impl Queries<Query = Q>, frame: u64) {
        while let Some(stamp) = self.in_flight.front()
            && stamp.frame < frame
            && let Some(ns) = queries.read(stamp.query)
        {
            self.batch.push((*stamp, ns));
            self.free.push(stamp.query);
            self.in_flight.pop_front();
        }
        if self.batch.is_empty() {
            return;
        }
        // Check after reading the queries, because the clock may have been interrupted during the reads.
        if queries.was_disjoint() {
            self.disjoint_count = self.batch.len() + self.in_flight.len();
        }
        let mut batch = std::mem::take(&mut self.batch);
        for (stamp, ns) in batch.drain(..) {
            let is_disjoint = self.disjoint_count > 0;
            self.disjoint_count = self.disjoint_count.saturating_sub(1);
            self.ingest(&stamp, ns, is_disjoint);
        }
        self.batch = batch;
    }

    fn ingest(&mut self, stamp: &Stamp<Q>, ns: u64, is_disjoint: bool) {
        match &mut self.zeros {
            Some(zeros) if ns == 0 => *zeros += 1,
            Some(_) => {
                self.timeline.spans.losses.implausible += std::mem::take(&mut self.without_bits);
                self.zeros = None;
            }
            None => {}
        }
        let Some(zone) = stamp.end_of else {
            self.begins.push((ns, is_disjoint));
            return;
        };
        let Some((begin, is_begin_disjoint)) = self.begins.pop() else {
            return;
        };
        let times = if is_disjoint || is_begin_disjoint {
            Err(NoTime::Disjoint)
        } else if self.zeros.is_some() {
            self.without_bits += 1;
            Err(NoTime::Unknown)
        } else if ns == 0 || begin == 0 {
            Err(NoTime::Implausible)
        } else {
            Ok([begin, ns])
        };
        self.timeline.spans.finish(zone, times);
    }

    pub fn give_up(&mut self) {
        self.disjoint_count = 0;
        self.begins.clear();
        self.free
            .extend(self.in_flight.drain(..).map(|stamp| stamp.query));
        self.timeline.spans.give_up();
    }

    /// Deletes all queries, after [`give_up`](Self::give_up).
    pub fn delete(&mut self, queries: &mut impl Queries<Query = Q>) {
        self.made -= self.free.len();
        for query in self.free.drain(..) {
            queries.delete(query);
        }
    }

    fn has_no_bits(&self) -> bool {
        self.zeros.is_some_and(|zeros| zeros >= ZEROS)
    }
}
