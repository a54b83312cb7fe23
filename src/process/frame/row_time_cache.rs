//! Keeps the times that rows had in each remembered frame from one report to the next, so that a report sums only the
//! frames that are new.
//!
//! A row's time in a frame is a sum of times of nodes, and which nodes these are is all that it depends on: not on
//! the view, nor on the name of the row. So the times are kept under a [signature](Signature) of these nodes. Where a
//! row gets new nodes it keeps its times, since a node has no time in frames before it was made.
//!
//! A row takes 8 bytes a remembered frame, and is forgotten when no report has asked for it for a while.

use crate::process::frame::ended_frame::Frame;
use crate::process::frame::history::History;
use std::collections::HashMap;

/// A number that tells sets of nodes apart: a sum of a [`weight`] for each of them.
pub(crate) type Signature = u64;

/// After so many reports that did not ask for it a row is forgotten.
const KEPT_REPORTS: u32 = 64;

/// The part of a node in the [signatures](Signature) of rows. Two sets of nodes have the same one with a chance of
/// 2^-64, as the weights are as good as random (the finalizer of SplitMix64).
pub(crate) fn weight(thread: usize, node: usize) -> Signature {
    let mut bits = ((thread as u64) << 32 | node as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// A remembered frame, and where its times stand.
#[derive(Clone, Copy, Debug)]
struct Held {
    number: u64,
    /// What changes if another frame gets the number, or if GPU times arrive.
    ticks: u64,
    deltas: usize,
    place: u32,
}

/// See the module's comment.
#[derive(Debug, Default)]
pub(crate) struct RowTimeCache {
    /// From old to new.
    held: Vec<Held>,
    /// Places of frames that are forgotten, and how many places there are.
    free: Vec<u32>,
    places: usize,
    /// By signature: its times by place in milliseconds, NaN where they are not known; and the report that asked last.
    rows: HashMap<Signature, (Vec<f64>, u32)>,
    reports: u32,
    /// By thread: how many nodes it had when signatures were last made.
    nodes: Vec<usize>,
}

impl RowTimeCache {
    /// Begins a report: forgets rows that none asks for any more.
    pub(crate) fn begin_report(&mut self) {
        self.reports += 1;
        let oldest = self.reports.saturating_sub(KEPT_REPORTS);
        self.rows.retain(|_, (_, asked)| *asked >= oldest);
        if self.rows.is_empty() {
            *self = RowTimeCache::default();
        }
    }

    /// Follows the frames that were recorded and forgotten.
    pub(crate) fn follow(&mut self, history: &History) {
        let mut before = std::mem::take(&mut self.held).into_iter().peekable();
        let mut new = Vec::new();
        for frame in history.iter() {
            while let Some(gone) = before.next_if(|held| held.number < frame.number) {
                self.free.push(gone.place);
            }
            let mut held = Held {
                number: frame.number,
                ticks: frame.ticks,
                deltas: frame.deltas.len(),
                place: 0,
            };
            let known = before.next_if(|before| before.number == frame.number);
            held.place = match known {
                Some(known) if (known.ticks, known.deltas) == (held.ticks, held.deltas) => {
                    known.place
                }
                _ => {
                    self.free.extend(known.map(|known| known.place));
                    let place = self.free.pop().unwrap_or_else(|| {
                        self.places += 1;
                        self.places as u32 - 1
                    });
                    new.push(place as usize);
                    place
                }
            };
            self.held.push(held);
        }
        self.free.extend(before.map(|gone| gone.place));
        for (times, _) in self.rows.values_mut() {
            times.resize(self.places, f64::NAN);
            new.iter().for_each(|place| times[*place] = f64::NAN);
        }
    }

    /// How many nodes a thread had when signatures were last made.
    pub(crate) fn nodes(&self, thread: usize) -> usize {
        self.nodes.get(thread).copied().unwrap_or_default()
    }

    /// Sets how many nodes a thread has.
    pub(crate) fn set_nodes(&mut self, thread: usize, nodes: usize) {
        self.nodes.resize(self.nodes.len().max(thread + 1), 0);
        self.nodes[thread] = nodes;
    }

    /// Asks for a row, whose signature was `before` that of the nodes of then.
    pub(crate) fn ask(&mut self, row: Signature, before: Signature) {
        if !self.rows.contains_key(&row) {
            // It may be another row's: such rows were the same so far.
            let known = self.rows.get(&before);
            let times =
                known.map_or_else(|| vec![f64::NAN; self.places], |(times, _)| times.clone());
            self.rows.insert(row, (times, 0));
        }
        if let Some((_, asked)) = self.rows.get_mut(&row) {
            *asked = self.reports;
        }
    }

    /// By row: its times by place.
    pub(crate) fn times(&self, row: Signature) -> &[f64] {
        self.rows.get(&row).map_or(&[], |(times, _)| times)
    }

    /// The times, by place in milliseconds, of a row that was asked for.
    pub(crate) fn times_mut(&mut self, row: Signature) -> Option<&mut [f64]> {
        self.rows.get_mut(&row).map(|(times, _)| &mut times[..])
    }

    /// The places of some remembered frames, which come from old to new.
    pub(crate) fn places<'f>(&self, frames: impl Iterator<Item = &'f Frame>) -> Vec<u32> {
        let mut held = self.held.iter();
        let place = |frame: &Frame| {
            let held = held.find(|held| held.number == frame.number)?;
            Some(held.place)
        };
        frames.filter_map(place).collect()
    }

    /// How many times a row has.
    #[cfg(all(test, not(loom)))]
    pub(crate) fn places_for_tests(&self) -> usize {
        self.places
    }
}
