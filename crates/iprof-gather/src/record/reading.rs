//! Reads a thread's record from other threads, without stopping its owner. [`record`](super) explains the terms.
//!
//! Part of the timed ancestor's time is in `ticks`, and the rest has elapsed since `started`. A reader needs both from
//! the same moment, at no cost to the writer. The order of the writer's stores makes that possible. `running`
//! identifies the timed ancestor and contains a number that every transition changes:
//!
//! ```text
//! writer: the clock goes from `old` to `next` reader
//! 1  next.started = now           (release)   a  timed ancestor = from running    (acquire)
//! 2  running      = next, changed (release)   b  started = timed ancestor.started (acquire)
//! 3  current      = ...           (release)   c  ticks   = timed ancestor.ticks   (acquire)
//! 4  old.ticks   += now - started (release)   d  node    = current         (acquire)
//!                                             e  retry if running has changed
//! ```
//!
//! The value that step b reads was stored after all earlier time was added to `ticks`, so step c also reads that time.
//! If step c reads time that a later step 4 added, step e reads the value of `running` from the preceding step 2 or
//! from a later one, and `running` never takes the same value twice. So the reader retries. In an accepted reading,
//! therefore, the closed time and the start of the open time are from the same moment. No fence is needed; on x86-64
//! all of these operations are plain moves.
//!
//! The node is also from that moment. If d reads the store from a later transition's step 3, e reads the store from the
//! step 2 before it. If d reads an older value than step 3 of the transition that a saw, it reads the previous current
//! node. The previous node is either a timed node other than the timed ancestor, or an untimed node with a smaller
//! index, from which the timed ancestor was entered. While the timed ancestor's clock runs, however, only the timed
//! ancestor or untimed nodes with larger indices can be current. So the reader notices the older value.
//!
//! All of this requires that a node keeps its timed ancestor, which it does not when a thread changes which nodes are
//! timed. Such changes are rare, so a sequence lock is cheap: `sequence` is odd during the change, and a reader that
//! saw it odd or changed reads again. The same lock protects closing several zones at once.

use super::{Node, ThreadRecord};
use crate::Fault;
use crate::Zone;
use crate::clock::Ticks;
use crate::sync::{IS_MODELED, Ordering};
use std::ptr;

/// The number of attempts at a consistent reading. If all attempts fail, the thread is busy, and it is read without its
/// open time, which spans only a few transitions.
const READ_ATTEMPTS: u32 = if IS_MODELED { 2 } else { 100 };

/// A thread's position at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The index of the current node.
    pub node: u32,
    /// The index of the timed ancestor, whose clock is running.
    pub timed_ancestor: u32,
    /// The timed ancestor's closed ticks.
    pub ticks: Ticks,
    /// When the timed ancestor's clock last started.
    pub started: Ticks,
}

impl ThreadRecord {
    /// Returns the thread's position, or `None` if no thread owns the record or the thread moves too fast to be read.
    pub fn read(&self) -> Option<Reading> {
        for _ in 0..READ_ATTEMPTS {
            // Acquire: a reader that sees the owner's progress also sees the nodes' new classes.
            let sequence = self.owned.sequence.load(Ordering::Acquire);
            // Acquire, four times: steps a to d.
            let running = self.owned.running.load(Ordering::Acquire);
            let timed_ancestor = self.node(running as u32)?;
            let started = timed_ancestor.started.load(Ordering::Acquire);
            let ticks = timed_ancestor.ticks.load(Ordering::Acquire);
            let node = self.current()?;
            let is_on_its_clock = if node.is_timed() {
                ptr::eq(node, timed_ancestor)
            } else {
                timed_ancestor.index < node.index
            };
            // Step e.
            if is_on_its_clock
                && self.owned.running.load(Ordering::Relaxed) == running
                && sequence.is_multiple_of(2)
                && self.owned.sequence.load(Ordering::Relaxed) == sequence
            {
                return Some(Reading {
                    node: node.index,
                    timed_ancestor: timed_ancestor.index,
                    ticks,
                    started,
                });
            }
            crate::sync::pause();
        }
        None
    }

    /// Returns whether the thread's current node is untimed.
    #[inline]
    pub fn is_in_untimed(&self) -> bool {
        let current = self.current();
        current.is_some_and(|node| !node.is_timed())
    }

    /// Returns how many times nodes became timed or untimed.
    #[inline]
    pub fn clock_changes(&self) -> u32 {
        self.owned.clock_changes.load(Ordering::Acquire)
    }

    /// Returns how many nodes can be read. A node's index never changes. A parent's index is lower than its children's,
    /// and the root's index is 0.
    #[inline]
    pub fn node_count(&self) -> u32 {
        self.owned.nodes.len()
    }

    /// Returns the node with this index.
    #[inline]
    pub fn node(&self, index: u32) -> Option<&'static Node> {
        self.owned.nodes.get(index)
    }

    /// Returns the [owner generation](Self::generation), and for how long threads have owned the record, up to `now`.
    ///
    /// The time equals the sum of the nodes' self times, including open time, because the terms that `enter` and
    /// `leave` add telescope. The time is modulo 2^64, and slightly below 0 if `now` was read before the owner began.
    /// It is far off if the counter was reset and the owner has not noticed the reset yet.
    pub fn ownership(&self, now: Ticks) -> (u32, Ticks) {
        loop {
            // Acquire, three times: pairs with the releases in `begin` and `end`. `began` and `owned_for` are each
            // written only while the other one is valid, so the value read here belongs to this generation if the
            // generation has not changed.
            let generation = self.owned.generation.load(Ordering::Acquire);
            let owned_for = if generation % 2 == 1 {
                now.wrapping_sub(self.owned.began.load(Ordering::Acquire))
            } else {
                self.owned.owned_for.load(Ordering::Acquire)
            };
            if self.owned.generation.load(Ordering::Acquire) == generation {
                return (generation, owned_for);
            }
            crate::sync::pause();
        }
    }

    /// Returns how many times an owner found that the counter was reset. Read it before [`ownership`](Self::ownership).
    #[inline]
    pub fn counter_resets(&self) -> u32 {
        self.owned.counter_resets.load(Ordering::Acquire)
    }

    /// Returns how many times the record changed hands. The number is odd while a thread owns the record.
    #[inline]
    pub fn generation(&self) -> u32 {
        self.owned.generation.load(Ordering::Acquire)
    }

    /// Returns whether a thread owns the record.
    #[inline]
    pub fn is_owned(&self) -> bool {
        self.generation() % 2 == 1
    }

    /// Returns how many times a fault happened, and the zone of the last occurrence.
    pub fn faults(&self, fault: Fault) -> (u64, Option<&'static Zone>) {
        self.shared.faults.read(fault)
    }
}

impl Node {
    /// Returns the closed ticks so far.
    #[inline]
    pub fn ticks(&self) -> Ticks {
        self.ticks.load(Ordering::Relaxed)
    }

    /// Returns the entries so far.
    #[inline]
    pub fn entries(&self) -> u64 {
        // Acquire: pairs with the release in `add`.
        self.entries.load(Ordering::Acquire)
    }

    /// Returns the closed ticks and the entries so far.
    #[cfg(any(test, feature = "test-support"))]
    pub fn totals(&self) -> (Ticks, u64) {
        (self.ticks(), self.entries())
    }
}
