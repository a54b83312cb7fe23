//! A model of a thread for the `calls` fuzz target. It applies each call to entire call stacks, according to the
//! documented rules.

use super::calls::{COUNTERS, Call, UPDATE};
use super::oracle::{Moments, Stack};
use std::collections::HashMap;

/// Models all threads with the same name. They share a record, so the state of the record's nodes outlives each of the
/// threads.
#[derive(Default)]
pub(super) struct Model {
    /// Whether the thread has a record. The first zone creates it.
    pub(super) is_registered: bool,
    is_recording_off: bool,
    stack: Stack,
    /// The stack that each guard opened, or `None` for a zone that was not recorded.
    guards: Vec<Option<Stack>>,
    /// The number of unrecorded `begin!`s on each stack.
    missed: HashMap<Stack, u16>,
    /// Data since the end of the last frame.
    pub(super) frame: Moments,
    /// Data of recorded frames since the last reset.
    pub(super) recorded: Moments,
    /// The number of zones that were closed because a parent ended, and the number of ends without a begin.
    pub(super) faults: [u64; 2],
}

impl Model {
    pub(super) fn pass(&mut self, ticks: u64) {
        if self.is_registered {
            self.frame.pass(&self.stack, ticks);
        }
    }

    /// Applies a call. The clock does not advance during the call.
    pub(super) fn perform(&mut self, call: Call, is_off: bool) {
        match call {
            Call::Open { zone, .. } => {
                let guard = self.enter(zone + 1, is_off);
                self.guards.push(guard);
            }
            Call::Begin { zone, .. } if self.records(is_off) => {
                self.enter(zone + 1, is_off);
            }
            Call::Begin { .. } => {
                self.register();
                let missed = self.missed.entry(self.stack.clone()).or_default();
                *missed = missed.saturating_add(1);
            }
            Call::Drop(at) if !self.guards.is_empty() => {
                let guard = self.guards.remove(at % self.guards.len());
                self.leave(guard);
            }
            Call::Forget(at) if !self.guards.is_empty() => {
                self.guards.remove(at % self.guards.len());
            }
            Call::EndZone(zone) | Call::EndName(zone) | Call::EndRunTime(zone) => {
                self.end(Some(zone + 1));
            }
            Call::EndInnermost => self.end(None),
            Call::Count(which) if self.records(is_off) => {
                self.register();
                let mut counted = self.stack.clone();
                counted.push(COUNTERS[usize::from(which != 0)]);
                self.frame.enter(&counted);
            }
            Call::Relabel { at, zone } if !self.guards.is_empty() => {
                let at = at % self.guards.len();
                if self.guards[at].is_some() {
                    let old = self.guards[at].take();
                    self.leave(old);
                    self.guards[at] = self.enter(zone + 1, is_off);
                }
            }
            Call::Unwind => {
                let (outer, inner) = (self.enter(1, is_off), self.enter(2, is_off));
                self.leave(inner);
                self.leave(outer);
            }
            Call::Record(on) => self.is_recording_off = !on,
            Call::End { forget } => {
                for guard in std::mem::take(&mut self.guards) {
                    if !forget {
                        self.leave(guard);
                    }
                }
                self.close_down_to(1);
                // The record's next owner starts without missed `begin!`s.
                self.missed.remove(&[0][..]);
                self.is_registered = false;
                self.is_recording_off = false;
                self.stack.clear();
            }
            Call::Update(_) => {
                let guard = self.enter(UPDATE, is_off);
                self.register();
                self.leave(guard);
            }
            Call::Reset => self.register(),
            _ => {}
        }
    }

    fn records(&self, is_off: bool) -> bool {
        !is_off && !self.is_recording_off
    }

    fn register(&mut self) {
        if !self.is_registered {
            self.is_registered = true;
            self.stack = vec![0];
        }
    }

    fn enter(&mut self, zone: usize, is_off: bool) -> Option<Stack> {
        if !self.records(is_off) {
            return None;
        }
        self.register();
        self.stack.push(zone);
        self.frame.enter(&self.stack);
        Some(self.stack.clone())
    }

    fn leave(&mut self, guard: Option<Stack>) {
        let Some(guard) = guard else { return };
        if self.stack == guard {
            self.close_top();
        } else if self.stack.starts_with(&guard) {
            self.close_down_to(guard.len());
            self.close_top();
        } else {
            self.faults[1] += 1;
        }
    }

    /// Ends the innermost zone, or the innermost entry of `zone`.
    fn end(&mut self, zone: Option<usize>) {
        if let Some(missed) = self.missed.get_mut(&self.stack).filter(|count| **count > 0) {
            *missed -= 1;
            return;
        }
        self.register();
        let matches = |at: &usize| zone.is_none_or(|zone| self.stack[*at] == zone);
        match (1..self.stack.len()).rev().find(matches) {
            Some(at) => {
                self.close_down_to(at + 1);
                self.close_top();
            }
            None => self.faults[1] += 1,
        }
    }

    fn close_down_to(&mut self, depth: usize) {
        while self.stack.len() > depth {
            self.faults[0] += 1;
            self.close_top();
        }
    }

    fn close_top(&mut self) {
        self.missed.remove(&self.stack);
        self.stack.pop();
    }
}
