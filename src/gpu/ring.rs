//! The queries of one context on one thread, and the zones that they stand for.
//!
//! # The idea
//!
//! ```text
//! begin:  stamp a query                       flight: ( … ( … ) ( … ) … )
//! end:    stamp another                               ^ oldest
//! later:  while the oldest is ready, read it:
//!             begin   push its time
//!             end     pop; what passed, less what passed in the zones within it, is the zone's
//! ```
//!
//! Queries are asked about in the order in which they were stamped, which is that in which the GPU
//! comes to them: so those in flight are a bracket expression, and a stack is enough to make zones
//! of their times. A zone costs two GL calls when it is submitted and four when it is read.
//!
//! Asking whether a query is ready may make a driver send off what it has gathered so far. So only
//! queries of frames are asked about that ended a whole frame ago; these are on their way.
//!
//! # When it is full
//!
//! There are at most [`MOST`] queries in flight. A zone begins only if there is one for its end, too;
//! if not, it is not measured, which is counted, and its time is its caller's.
//!
//! # What cannot be true
//!
//! No zone took longer than the time from when it was submitted to when its end was read, and none
//! less than nothing; zero is not a time. Drivers do return such things, llvmpipe for what it does
//! first. A driver whose clock has no bits returns nothing but zeros: after so many of them zones are
//! no longer measured, and nothing is made of it.

use crate::clock::Instant;
use crate::gather::gpu::{GpuLosses, GpuPlace, GpuSpan};
use std::cell::Cell;
use std::collections::VecDeque;
use std::time::Duration;

/// Queries in flight at most: two for each of 512 zones, in all frames that the GPU is behind.
pub(crate) const MOST: usize = 1024;
/// So many zeros, and nothing else so far, are a clock without bits.
const ZEROS: u32 = 32;
/// What the clocks of GPU and processor may disagree about: this, and an eighth.
const DISAGREEMENT: Duration = Duration::from_millis(1);

/// Who speaks GL; or, in tests, does as if.
pub(crate) trait Queries {
    type Query: Copy;

    /// Makes a query; none if the driver does not.
    fn make(&mut self) -> Option<Self::Query>;
    /// Has the GPU note the time when it gets here.
    fn stamp(&mut self, query: Self::Query);
    /// That time in nanoseconds, if the GPU has got there.
    fn read(&mut self, query: Self::Query) -> Option<u64>;
    /// Whether the GPU's clock was interrupted since this was last asked.
    fn was_disjoint(&mut self) -> bool;
    /// Deletes a query that nothing is asked of.
    fn delete(&mut self, query: Self::Query);
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Ring<Q> {
    /// Queries that nothing is asked of.
    free: Vec<Q>,
    made: usize,
    most: usize,
    /// In the order in which they were stamped.
    flight: VecDeque<Stamp<Q>>,
    /// How many of them, from the oldest on, are of no use: the clock was interrupted since.
    void: usize,
    /// Zones that have begun and not ended; the innermost is the last.
    open: Vec<Open>,
    /// Zones whose begin was read and whose end was not.
    read: Vec<Read>,
    /// What was read just now.
    batch: Vec<(Stamp<Q>, u64)>,
    /// The frame in which results were last looked for.
    due_in: Option<u64>,
    /// Times that were zero, until one was not.
    zeros: Option<u32>,
    /// Zones with such times, to be counted once it is known that the clock has bits.
    without_bits: u64,
    /// What became of zones, and was not handed on yet.
    pub(crate) spans: Vec<GpuSpan>,
    pub(crate) losses: GpuLosses,
}

/// Of zones in all rings of a thread: a guard that outlives its ring ends no zone of another.
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
    /// Of the end of a zone.
    end_of: Option<GpuPlace>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    id: u64,
    place: GpuPlace,
}

#[derive(Clone, Copy, Debug)]
struct Read {
    begin: u64,
    /// When it was stamped.
    at: Instant,
    is_void: bool,
    /// Nanoseconds of the zones within.
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
        self.open.last().map(|open| open.place.gpu_node)
    }

    /// Begins a zone. Returns what ends it, or none if it is not measured.
    pub(crate) fn begin(
        &mut self,
        queries: &mut impl Queries<Query = Q>,
        place: GpuPlace,
    ) -> Option<u64> {
        if self.has_no_bits() {
            return None;
        }
        // One for this, one for its end and for those of all that are open.
        while self.free.len() < self.open.len() + 2 {
            let query = (self.made < self.most).then(|| queries.make()).flatten();
            let Some(query) = query else {
                self.losses.overflown += 1;
                return None;
            };
            self.made += 1;
            self.free.push(query);
        }
        let id = new_id();
        self.stamp(queries, place.begun_in, None);
        self.open.push(Open { id, place });
        Some(id)
    }

    /// How many zones end with that one: it, and what is open in it, for guards that were forgotten.
    /// None if it has ended so itself.
    pub(crate) fn zones_ending_with(&self, id: u64) -> usize {
        let at = self.open.iter().rposition(|open| open.id == id);
        at.map_or(0, |at| self.open.len() - at)
    }

    /// Ends the innermost zones in that frame.
    pub(crate) fn end(&mut self, queries: &mut impl Queries<Query = Q>, zones: usize, frame: u64) {
        for _ in 0..zones {
            if let Some(open) = self.open.pop() {
                self.stamp(queries, frame, Some(open.place));
            }
        }
    }

    fn stamp(
        &mut self,
        queries: &mut impl Queries<Query = Q>,
        frame: u64,
        end_of: Option<GpuPlace>,
    ) {
        // There is one: `begin` has seen to it.
        let Some(query) = self.free.pop() else { return };
        queries.stamp(query);
        self.flight.push_back(Stamp {
            query,
            frame,
            at: Instant::now(),
            end_of,
        });
    }

    /// Whether results are to be looked for in that frame: once is enough.
    pub(crate) fn is_due_in(&mut self, frame: u64) -> bool {
        self.due_in.replace(frame) != Some(frame)
    }

    /// Reads what is ready of frames before `frame`.
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
        // Asked after they were read: it may have happened between.
        if queries.was_disjoint() {
            self.void = self.batch.len() + self.flight.len();
        }
        let mut batch = std::mem::take(&mut self.batch);
        for (stamp, ns) in batch.drain(..) {
            let is_void = self.void > 0;
            self.void = self.void.saturating_sub(1);
            self.take(&stamp, ns, is_void);
        }
        self.batch = batch;
    }

    /// Takes in a time that was read.
    fn take(&mut self, stamp: &Stamp<Q>, ns: u64, is_void: bool) {
        let losses = &mut self.losses;
        match &mut self.zeros {
            Some(zeros) if ns == 0 => *zeros += 1,
            Some(_) => {
                losses.implausible += std::mem::take(&mut self.without_bits);
                self.zeros = None;
            }
            None => {}
        }
        let Some(place) = stamp.end_of else {
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
            place,
            frame: stamp.frame,
            self_ns: is_known.then(|| passed.saturating_sub(begin.within)),
        });
    }

    /// Gives up all that is in flight.
    pub(crate) fn give_up(&mut self) {
        self.void = 0;
        self.open.clear();
        self.read.clear();
        for stamp in self.flight.drain(..) {
            self.free.push(stamp.query);
            self.spans.extend(stamp.end_of.map(|place| GpuSpan {
                place,
                frame: stamp.frame,
                self_ns: None,
            }));
        }
    }

    /// Deletes all queries, which are all [given up](Self::give_up).
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
