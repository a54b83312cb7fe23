//! A thread's context tree as the processing side knows it, and how a frame is taken from it.
//!
//! # What a frame is, on a thread that runs on
//!
//! All counters are cumulative. What a frame gets is what was counted so far, plus the open time
//! of the node that is current, less what earlier frames got. The reading takes a moment, in which
//! the thread may run on: then the sum is a little more or less than the time that passed. It is
//! set right by [`settle`], so that a thread's self times sum to the frame exactly. What was taken
//! from a node is given to it in the next frame, because the next frame gets what was counted less
//! what was *given*. So an error lasts one frame, is as long as the reading took, and nothing is
//! ever lost or counted twice.
//!
//! # When the counter is set back
//!
//! What was given was given by a counter that is no more. Threads that noticed, because they left
//! a zone since, go on by the new one ([`ThreadRecord`]): what they counted so far counts as given.
//! A thread that sleeps in a zone does not notice. Its frames go on by its own time, which is the
//! counter and what it was set back by, until it moves ([`Asleep`]).

use super::average::Averages;
use super::history::Sample;
use super::path::Path;
use super::zones::Names;
use crate::clock::Ticks;
use crate::gather::{DISAGREEMENT, Reading, ThreadRecord};

/// A node, as far as reports need to know it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeNode {
    /// Index of the parent; the root's is its own, 0.
    pub(crate) parent: u32,
    pub(crate) zone: u32,
    /// The row with recursion spread.
    pub(crate) spread: u32,
    /// How many nodes of the same zone lie below it on the stack.
    pub(crate) level: u32,
    /// Caller and zone of the outermost node of the same zone on the stack.
    pub(crate) edge: u32,
}

/// A thread's tree, numbers included.
#[derive(Debug)]
pub(crate) struct ThreadTree {
    record: &'static ThreadRecord,
    nodes: Vec<TreeNode>,
    /// Of the node that was learned last.
    path: Path,
    /// Ticks and entries given to frames so far.
    given: Vec<(Ticks, u64)>,
    /// Self milliseconds and entries.
    averages: Vec<Averages<2>>,
    /// The sum of the ticks given.
    given_in_all: Ticks,
    /// When the last frame ended.
    boundary: Ticks,
    asleep: Option<Asleep>,
    /// Whether there was no thread at the end of the last frame.
    ended: bool,
}

/// A thread that has not moved since the counter was set back.
#[derive(Clone, Copy, Debug)]
struct Asleep {
    node: u32,
    /// By the counter as it was before.
    started: Ticks,
    /// How far it was set back, all in all.
    back: Ticks,
}

impl ThreadTree {
    /// A tree of which nothing is known yet. `boundary` is when the last frame ended.
    pub(crate) fn new(record: &'static ThreadRecord, boundary: Ticks) -> ThreadTree {
        ThreadTree {
            record,
            nodes: Vec::new(),
            path: Path::default(),
            given: Vec::new(),
            averages: Vec::new(),
            given_in_all: 0,
            boundary,
            asleep: None,
            ended: false,
        }
    }

    pub(crate) fn record(&self) -> &'static ThreadRecord {
        self.record
    }

    /// A parent comes before its children; the root is the first.
    pub(crate) fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    pub(crate) fn averages(&self) -> &[Averages<2>] {
        &self.averages
    }

    pub(crate) fn averages_mut(&mut self) -> &mut [Averages<2>] {
        &mut self.averages
    }

    /// Ends the frame at `now`: appends what every node did since the last time to `samples`.
    pub(crate) fn end_frame(&mut self, now: Ticks, names: &mut Names, samples: &mut Vec<Sample>) {
        // Before anything is read: if so, what is read is all there is.
        let ended = !self.record.is_owned();
        let had_ended = std::mem::replace(&mut self.ended, ended);
        let reading = self.record.read();
        self.learn_nodes(names);
        let start = samples.len();
        let boundary = std::mem::replace(&mut self.boundary, now);
        let passed = now.saturating_sub(boundary);
        let back = boundary.saturating_sub(now);
        let was_asleep = self.asleep;
        let is_anew = self.follow(reading, now, Some(back).filter(|back| *back > DISAGREEMENT));
        let now = self
            .asleep
            .map_or(now, |asleep| now.wrapping_add(asleep.back));
        let mut owed: Ticks = 0;
        for (index, given) in self.given.iter_mut().enumerate() {
            let index = index as u32;
            let Some(node) = self.record.node(index) else {
                break;
            };
            let (mut ticks, entries) = node.totals();
            if let Some(reading) = reading.filter(|reading| reading.node == index) {
                ticks = reading
                    .ticks
                    .wrapping_add(now.saturating_sub(reading.started));
            }
            if is_anew {
                given.0 = ticks;
            }
            // A node that was given too much is owed nothing until it has caught up.
            let ticks = (ticks.wrapping_sub(given.0) as i64).max(0) as Ticks;
            let entries = entries.wrapping_sub(given.1);
            if ticks != 0 || entries != 0 {
                owed += ticks;
                samples.push(Sample {
                    ticks,
                    entries,
                    node: index,
                });
            }
        }
        let current = reading.map_or(0, |reading| reading.node);
        let total = self.record.owned_for(now).saturating_sub(self.given_in_all);
        if is_anew {
            self.given_in_all = self.record.owned_for(now);
            // Somewhere in this frame it woke up.
            let slept = if self.record.is_owned() { passed } else { 0 };
            let node = was_asleep.map_or(current, |asleep| asleep.node);
            self.give(&samples[start..]);
            settle(samples, start, 0, slept, node);
            return;
        }
        if total <= passed {
            settle(samples, start, owed, total, current);
            self.give(&samples[start..]);
            if ended {
                // Nodes that were given too much never catch up by themselves.
                self.write_off(now, None);
            }
        } else if !had_ended && !self.record.is_owned() {
            // It ended after `now`: the next frame gets what came later.
            settle(samples, start, owed, passed, current);
            self.give(&samples[start..]);
        } else {
            // The counter was set back. What was counted before cannot be placed in time: it is
            // written off, and the frame gets what has passed.
            self.give(&samples[start..]);
            settle(samples, start, owed, passed, current);
            self.write_off(now, reading);
        }
    }

    /// Takes everything that was counted, but for what is open, as given.
    fn write_off(&mut self, now: Ticks, reading: Option<Reading>) {
        for (index, given) in self.given.iter_mut().enumerate() {
            let index = index as u32;
            if let Some(node) = self.record.node(index)
                && reading.is_none_or(|reading| reading.node != index)
            {
                given.0 = node.totals().0;
            }
        }
        self.given_in_all = self.record.owned_for(now);
    }

    /// Takes notice of whether the thread sleeps over a set-back of the counter, `back` ticks in this
    /// frame. Returns whether what it counted so far has no place in time and is to be written off.
    fn follow(&mut self, reading: Option<Reading>, now: Ticks, back: Option<Ticks>) -> bool {
        let before = self.asleep;
        let is_still = |asleep: &Asleep| {
            reading.is_some_and(|r| (r.node, r.started) == (asleep.node, asleep.started))
        };
        self.asleep = match (before.filter(is_still), back, reading) {
            (Some(asleep), back, _) => Some(Asleep {
                back: asleep.back.wrapping_add(back.unwrap_or(0)),
                ..asleep
            }),
            (None, Some(back), Some(reading)) if reading.started > now => Some(Asleep {
                node: reading.node,
                started: reading.started,
                back,
            }),
            _ => None,
        };
        self.asleep.is_none() && (before.is_some() || back.is_some())
    }

    /// Notes what nodes got.
    fn give(&mut self, samples: &[Sample]) {
        for sample in samples {
            let given = &mut self.given[sample.node as usize];
            given.0 = given.0.wrapping_add(sample.ticks);
            given.1 = given.1.wrapping_add(sample.entries);
            self.given_in_all += sample.ticks;
        }
    }

    /// Takes notice of nodes made since the last time.
    fn learn_nodes(&mut self, names: &mut Names) {
        for index in self.nodes.len() as u32..self.record.node_count() {
            let Some(node) = self.record.node(index) else {
                break;
            };
            let zone = names.zone(node.zone());
            let parent = node.parent_index().unwrap_or(0);
            // The root is its own parent, and nothing lies below it.
            let outer = (index > 0).then(|| {
                let nodes = &self.nodes;
                self.path.go_to(parent, |node| {
                    let node = nodes[node as usize];
                    (node.parent, node.zone)
                });
                self.path.innermost(zone).map(|outer| nodes[outer as usize])
            });
            let outer = outer.flatten();
            let level = outer.map_or(0, |outer| outer.level + 1);
            let edge = match outer {
                Some(outer) => outer.edge,
                None => {
                    let caller = self
                        .nodes
                        .get(parent as usize)
                        .map_or(zone, |node| node.zone);
                    names.edge(caller, zone)
                }
            };
            let spread = names.spread(zone, level);
            self.nodes.push(TreeNode {
                parent,
                zone,
                spread,
                level,
                edge,
            });
            self.given.push((0, 0));
            self.averages.push(Averages::default());
        }
    }
}

/// Makes the samples from `start` on, which sum to `total`, sum to `wanted`.
///
/// What is missing was spent where the thread is: in the node `current`. What is too much is what
/// the thread did while it was read; nobody can tell where, so every node gives its share.
fn settle(samples: &mut Vec<Sample>, start: usize, total: Ticks, wanted: Ticks, current: u32) {
    if wanted == total {
        return;
    }
    if wanted > total {
        let missing = wanted - total;
        match samples[start..]
            .iter_mut()
            .find(|sample| sample.node == current)
        {
            Some(sample) => sample.ticks += missing,
            None => samples.push(Sample {
                ticks: missing,
                entries: 0,
                node: current,
            }),
        }
        return;
    }
    let mut seen: u128 = 0;
    let mut passed_on: Ticks = 0;
    for sample in &mut samples[start..] {
        // Shares of the running sum, so that roundings cancel.
        seen += u128::from(sample.ticks);
        let share = (seen * u128::from(wanted) / u128::from(total)) as Ticks;
        sample.ticks = share - passed_on;
        passed_on = share;
    }
}

#[cfg(test)]
impl ThreadTree {
    pub(super) fn given_for_tests(&self) -> &[(Ticks, u64)] {
        &self.given
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn settled_samples_sum_to_what_is_wanted(
            ticks in prop::collection::vec(0u64..1_000_000, 1..20),
            wanted in 0u64..20_000_000,
            current in 0u32..25,
        ) {
            let mut samples: Vec<Sample> = ticks.iter().enumerate()
                .map(|(node, &ticks)| Sample { ticks, entries: 1, node: node as u32 }).collect();
            let before = samples.clone();
            let total = ticks.iter().sum();
            prop_assume!(total > 0);
            settle(&mut samples, 0, total, wanted, current);
            prop_assert_eq!(samples.iter().map(|s| s.ticks).sum::<u64>(), wanted);
            for (old, new) in before.iter().zip(&samples) {
                prop_assert_eq!(old.entries, new.entries);
                if wanted < total {
                    prop_assert!(new.ticks <= old.ticks);
                } else if old.node != current {
                    prop_assert_eq!(old.ticks, new.ticks);
                }
            }
        }
    }
}
