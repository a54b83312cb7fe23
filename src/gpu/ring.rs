//! The timer queries of one context on one thread, and the zones that they measure.
//!
//! # Algorithm
//!
//! ```text
//! begin:  stamp a query                       flight: ( … ( … ) ( … ) … )
//! end:    stamp another                               ^ oldest
//! later:  while the oldest is available, read it:
//!             begin   push its time
//!             end     pop; the elapsed time, less that of nested zones, is the zone's
//! ```
//!
//! Queries are read in the order in which they were stamped, which is the order in which the GPU reaches
//! them. So the queries in flight form a bracket expression, and a stack is enough to turn their times into
//! zones. A zone costs two GL calls to submit and four to read.
//!
//! Polling a query may make a driver flush its queued commands. So only queries of frames that ended a
//! whole frame ago are polled; their commands have been sent already.
//!
//! # Overflow
//!
//! At most [`MAX_IN_FLIGHT`] queries are in flight. A zone begins only if there is also a query for its
//! end; otherwise it is not measured, which is counted, and its time belongs to its caller.
//!
//! # Implausible times
//!
//! A zone's time must not be negative, nor longer than the time from its submission until its end was read;
//! and zero is not a valid timestamp. Drivers do return such values, llvmpipe for its first commands. A
//! driver whose clock has no bits returns only zeros: after [`ZEROS`] of them zones are no longer measured,
//! and nothing is counted as lost.

use crate::clock::Instant;
use crate::gather::gpu::{GpuLosses, GpuOrigin, GpuSpan};
use std::cell::Cell;
use std::collections::VecDeque;
use std::time::Duration;

/// Maximum number of queries in flight: two for each of 512 zones, in all frames by which the GPU is
/// behind.
pub(crate) const MAX_IN_FLIGHT: usize = 1024;
/// Number of initial zeros after which the clock is assumed to have no bits.
const ZEROS: u32 = 32;
/// Tolerated disagreement between the clocks of GPU and CPU: this, plus an eighth.
const DISAGREEMENT: Duration = Duration::from_millis(1);

/// The GL calls; tests implement them with a mock.
pub(crate) trait Queries {
    type Query: Copy;

    /// Creates a query; `None` if the driver fails.
    fn make(&mut self) -> Option<Self::Query>;
    /// Lets the GPU write its time into the query when it gets here.
    fn stamp(&mut self, query: Self::Query);
    /// That time in nanoseconds, if the GPU has reached the query.
    fn read(&mut self, query: Self::Query) -> Option<u64>;
    /// Whether the GPU's clock was interrupted since the last call.
    fn was_disjoint(&mut self) -> bool;
    /// Deletes an unused query.
    fn delete(&mut self, query: Self::Query);
}

/// The queries and zones of one context on one thread: see the module.
#[derive(Debug)]
pub(crate) struct Ring<Q> {
    /// Unused queries.
    free: Vec<Q>,
    made: usize,
    most: usize,
    /// Queries in flight, in the order in which they were stamped.
    flight: VecDeque<Stamp<Q>>,
    /// How many of them, from the oldest on, are invalid because the clock was interrupted.
    void: usize,
    /// Open zones; the innermost is the last.
    open: Vec<Open>,
    /// Zones whose begin has been read and whose end has not.
    read: Vec<Read>,
    /// The results of the current read.
    batch: Vec<(Stamp<Q>, u64)>,
    /// The frame in which results were last polled.
    due_in: Option<u64>,
    /// Number of initial zeros; `None` once a time was not zero.
    zeros: Option<u32>,
    /// Zones with such times, to be counted as lost once it is known that the clock has bits.
    without_bits: u64,
    /// Finished zones and losses that were not delivered yet.
    pub(crate) spans: Vec<GpuSpan>,
    pub(crate) losses: GpuLosses,
}

/// A zone id that is unique among all rings of a thread: a guard that outlives its ring ends no zone of
/// another ring.
fn new_id() -> u64 {
    thread_local! { static LAST: Cell<u64> = const { Cell::new(0) }; }
    let id = LAST.get() + 1;
    LAST.set(id);
    id
}

/// A query in flight.
#[derive(Clone, Copy, Debug)]
struct Stamp<Q> {
    query: Q,
    frame: u64,
    at: Instant,
    /// The zone, if this is the query of its end.
    end_of: Option<GpuOrigin>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    id: u64,
    origin: GpuOrigin,
}

#[derive(Clone, Copy, Debug)]
struct Read {
    begin: u64,
    /// When its query was stamped.
    at: Instant,
    is_void: bool,
    /// Nanoseconds of nested zones.
    within: u64,
}

impl<Q: Copy> Ring<Q> {
    pub(crate) fn new(most: usize) -> Ring<Q> {
        Ring {
            free: Vec::new(),
            made: 0,
            most,
            flight: VecDeque::new(),
            void: 0,
            open: Vec::new(),
            read: Vec::new(),
            batch: Vec::new(),
            due_in: None,
            zeros: Some(0),
            without_bits: 0,
            spans: Vec::new(),
            losses: GpuLosses::default(),
        }
    }

    /// The node of the innermost open zone in the GPU's own tree.
    pub(crate) fn innermost(&self) -> Option<u32> {
        self.open.last().map(|open| open.origin.gpu_node)
    }

    /// Begins a zone. Returns its id, or `None` if it is not measured.
    pub(crate) fn begin(
        &mut self,
        queries: &mut impl Queries<Query = Q>,
        origin: GpuOrigin,
    ) -> Option<u64> {
        if self.has_no_bits() {
            return None;
        }
        // One query for the begin, and one for the end of this and of each open zone.
        while self.free.len() < self.open.len() + 2 {
            let query = (self.made < self.most).then(|| queries.make()).flatten();
            let Some(query) = query else {
                self.losses.overflowed += 1;
                return None;
            };
            self.made += 1;
            self.free.push(query);
        }
        let id = new_id();
        self.stamp(queries, origin.begun_in, None);
        self.open.push(Open { id, origin });
        Some(id)
    }

    /// How many zones end with that one: the zone itself, and those open inside it, whose guards were
    /// forgotten. 0 if it has already ended that way itself.
    pub(crate) fn zones_ending_with(&self, id: u64) -> usize {
        let at = self.open.iter().rposition(|open| open.id == id);
        at.map_or(0, |at| self.open.len() - at)
    }

    /// Ends the innermost `zones` zones in that frame.
    pub(crate) fn end(&mut self, queries: &mut impl Queries<Query = Q>, zones: usize, frame: u64) {
        for _ in 0..zones {
            if let Some(open) = self.open.pop() {
                self.stamp(queries, frame, Some(open.origin));
            }
        }
    }

    fn stamp(
        &mut self,
        queries: &mut impl Queries<Query = Q>,
        frame: u64,
        end_of: Option<GpuOrigin>,
    ) {
        // There is one: `begin` has made sure.
        let Some(query) = self.free.pop() else { return };
        queries.stamp(query);
        self.flight.push_back(Stamp {
            query,
            frame,
            at: Instant::now(),
            end_of,
        });
    }

    /// Whether results are to be polled in that frame, which is done once per frame.
    pub(crate) fn is_due_in(&mut self, frame: u64) -> bool {
        self.due_in.replace(frame) != Some(frame)
    }

    /// Reads the available results of frames before `frame`.
    pub(crate) fn read_before(&mut self, queries: &mut impl Queries<Query = Q>, frame: u64) {
        while let Some(stamp) = self.flight.front()
            && stamp.frame < frame
            && let Some(ns) = queries.read(stamp.query)
        {
            self.batch.push((*stamp, ns));
            self.free.push(stamp.query);
            self.flight.pop_front();
        }
        if self.batch.is_empty() {
            return;
        }
        // Queried after reading, since the interruption may have happened during it.
        if queries.was_disjoint() {
            self.void = self.batch.len() + self.flight.len();
        }
        let mut batch = std::mem::take(&mut self.batch);
        for (stamp, ns) in batch.drain(..) {
            let is_void = self.void > 0;
            self.void = self.void.saturating_sub(1);
            self.ingest(&stamp, ns, is_void);
        }
        self.batch = batch;
    }

    /// Ingests a time that was read.
    fn ingest(&mut self, stamp: &Stamp<Q>, ns: u64, is_void: bool) {
        let losses = &mut self.losses;
        match &mut self.zeros {
            Some(zeros) if ns == 0 => *zeros += 1,
            Some(_) => {
                losses.implausible += std::mem::take(&mut self.without_bits);
                self.zeros = None;
            }
            None => {}
        }
        let Some(origin) = stamp.end_of else {
            self.read.push(Read {
                begin: ns,
                at: stamp.at,
                is_void,
                within: 0,
            });
            return;
        };
        let Some(begin) = self.read.pop() else { return };
        let passed = ns.wrapping_sub(begin.begin);
        let longest = begin.at.elapsed();
        let longest = longest + longest / 8 + DISAGREEMENT;
        let is_plausible = ns != 0 && begin.begin != 0 && u128::from(passed) <= longest.as_nanos();
        let is_known = is_plausible && !is_void && !begin.is_void;
        if is_void || begin.is_void {
            losses.disjoint += 1;
        } else if self.zeros.is_some() {
            self.without_bits += 1;
        } else if !is_plausible {
            losses.implausible += 1;
        }
        if let Some(around) = self.read.last_mut() {
            around.within += if is_known { passed } else { begin.within };
        }
        self.spans.push(GpuSpan {
            origin,
            frame: stamp.frame,
            self_ns: is_known.then(|| passed.saturating_sub(begin.within)),
        });
    }

    /// Discards everything in flight.
    pub(crate) fn give_up(&mut self) {
        self.void = 0;
        self.open.clear();
        self.read.clear();
        for stamp in self.flight.drain(..) {
            self.free.push(stamp.query);
            self.spans.extend(stamp.end_of.map(|origin| GpuSpan {
                origin,
                frame: stamp.frame,
                self_ns: None,
            }));
        }
    }

    /// Deletes all queries, after [`give_up`](Self::give_up).
    pub(crate) fn delete(&mut self, queries: &mut impl Queries<Query = Q>) {
        self.made -= self.free.len();
        for query in self.free.drain(..) {
            queries.delete(query);
        }
    }

    fn has_no_bits(&self) -> bool {
        self.zeros.is_some_and(|zeros| zeros >= ZEROS)
    }
}
