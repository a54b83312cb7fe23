//! Tracks one command queue's GPU zones from submission until their times are known. Computes self times and rejects
//! implausible times.
//!
//! A zone begins and ends when its commands are submitted. It is finished once the GPU's timestamps for its begin and
//! end are known, usually some frames later. Its self time is the time between the two timestamps, minus the time of
//! its nested zones. If a zone has no plausible time, the time of its nested zones is subtracted from the enclosing
//! zone instead.
//!
//! A time is implausible if it is negative, or longer than the time since the zone began, as measured by the CPU's
//! clock.

use crate::clock::Instant;
use crate::gpu::{GpuLosses, GpuOrigin, GpuSpan};
use std::cell::Cell;
use std::time::Duration;

/// A GPU time may exceed the time measured by the CPU's clock by an eighth plus this much, because the clocks disagree.
const DISAGREEMENT: Duration = Duration::from_millis(1);

/// Identifies an unfinished zone in [`Spans`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanKey {
    slot: u32,
    /// An id that is unique within the thread, so that a guard that outlives its queue cannot end a different queue's
    /// zone.
    pub id: u64,
}

/// The reason why a zone has no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTime {
    /// The clock was interrupted.
    Disjoint,
    /// The GPU's values cannot be right.
    Implausible,
    /// The time is unknown for a reason that is not counted, or that is counted elsewhere.
    Unknown,
}

#[derive(Debug, Default)]
pub struct Spans {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// The zones that have not ended, innermost last.
    open: Vec<SpanKey>,
    /// The finished zones and losses that have not been delivered yet.
    pub finished: Vec<GpuSpan>,
    pub losses: GpuLosses,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The zone's id, or 0 if the slot is free.
    id: u64,
    origin: GpuOrigin,
    parent: Option<SpanKey>,
    begun_at: Instant,
    /// The frame in which the zone was submitted, or `None` while it is open.
    frame: Option<u64>,
    nested_ns: u64,
}

fn new_id() -> u64 {
    thread_local! { static LAST: Cell<u64> = const { Cell::new(0) }; }
    let id = LAST.get() + 1;
    LAST.set(id);
    id
}

impl Spans {
    /// Returns the innermost open zone's node in the tree of GPU zones.
    pub fn innermost(&self) -> Option<u32> {
        let key = self.open.last()?;
        Some(self.slots[key.slot as usize].origin.gpu_node)
    }

    pub fn open(&self) -> usize {
        self.open.len()
    }

    pub fn unfinished(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Begins a zone inside the innermost open zone.
    pub fn begin(&mut self, origin: GpuOrigin) -> SpanKey {
        let slot = Slot {
            id: new_id(),
            origin,
            parent: self.open.last().copied(),
            begun_at: Instant::now(),
            frame: None,
            nested_ns: 0,
        };
        let at = match self.free.pop() {
            Some(at) => {
                self.slots[at as usize] = slot;
                at
            }
            None => {
                self.slots.push(slot);
                self.slots.len() as u32 - 1
            }
        };
        let key = SpanKey {
            slot: at,
            id: slot.id,
        };
        self.open.push(key);
        key
    }

    /// Returns how many zones end when this one does: the zone itself, and any open zones inside it whose guards were
    /// forgotten. Returns 0 if the zone has already ended together with an outer one.
    pub fn ending_with(&self, id: u64) -> usize {
        let at = self.open.iter().rposition(|open| open.id == id);
        at.map_or(0, |at| self.open.len() - at)
    }

    /// Ends the innermost open zone in `frame`.
    pub fn end(&mut self, frame: u64) -> Option<SpanKey> {
        let key = self.open.pop()?;
        self.slots[key.slot as usize].frame = Some(frame);
        Some(key)
    }

    /// Finishes a zone that has ended, given the GPU times of its begin and end in nanoseconds. Nested zones must be
    /// finished first.
    pub fn finish(&mut self, key: SpanKey, times: Result<[u64; 2], NoTime>) {
        let Some(slot) = self.slots.get_mut(key.slot as usize) else {
            return;
        };
        let (Slot { id, .. }, Some(frame)) = (*slot, slot.frame) else {
            return;
        };
        if id != key.id {
            return;
        }
        let slot = std::mem::replace(slot, Slot { id: 0, ..*slot });
        self.free.push(key.slot);
        let passed = times.and_then(|[begin, end]| {
            let passed = end.wrapping_sub(begin);
            let longest = slot.begun_at.elapsed();
            let longest = longest + longest / 8 + DISAGREEMENT;
            let is_plausible = u128::from(passed) <= longest.as_nanos();
            is_plausible.then_some(passed).ok_or(NoTime::Implausible)
        });
        match passed {
            Err(NoTime::Disjoint) => self.losses.disjoint += 1,
            Err(NoTime::Implausible) => self.losses.implausible += 1,
            Ok(_) | Err(NoTime::Unknown) => {}
        }
        if let Some(parent) = slot.parent
            && let Some(parent_slot) = self.slots.get_mut(parent.slot as usize)
            && parent_slot.id == parent.id
        {
            parent_slot.nested_ns += passed.unwrap_or(slot.nested_ns);
        }
        self.finished.push(GpuSpan {
            origin: slot.origin,
            frame,
            self_ns: passed.ok().map(|ns| ns.saturating_sub(slot.nested_ns)),
        });
    }

    /// Discards all zones. Zones that have ended are finished without a time.
    pub fn give_up(&mut self) {
        self.open.clear();
        self.free.clear();
        let ended = self.slots.drain(..).filter(|slot| slot.id != 0);
        let finished = ended.filter_map(|slot| {
            Some(GpuSpan {
                origin: slot.origin,
                frame: slot.frame?,
                self_ns: None,
            })
        });
        self.finished.extend(finished);
    }
}
