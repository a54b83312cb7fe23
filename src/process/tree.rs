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
//! Or ahead by years ([`clock::since`]): numbers of ticks are modulo 2^64, so that is to be set back by more.
//!
//! What was given was given by a counter that is no more. Threads that noticed, because they left
//! a zone since, go on by the new one ([`ThreadRecord`]): what they counted so far counts as given.
//! A thread that sleeps in a zone does not notice. Its frames go on by its own time, which is the
//! counter and what it was set back by, until it moves ([`Asleep`]).
//!
//! # What a live node costs
//!
//! When a program calls `update`, its own work has driven all of this out of the caches, and what
//! is paid for is memory. Of a live node, `update` reads the 64 bytes of the [`Node`] itself, reads
//! and writes 40 of [`Seen`] and 40 of averages, reads 8 of [`Link`], writes the 24 of its [`Sample`]
//! and 8 of sums: 184 bytes, 2.9 cache lines, each of them once from memory. A zone with one caller
//! takes 72 more, a further pair of caller and zone as many ([`heat`](super::heat)). All of it lies
//! in the order in which nodes were made, which is mostly that of the walk, so that processors
//! fetch ahead by themselves. To tell them by prefetches changed nothing: what is left is bandwidth.
//!
//! # Idle nodes cost nothing
//!
//! The tree is walked from its root, and the walk goes on to the children only of nodes that were
//! on the stack at some time since they were last looked at. A node that was either was entered
//! since then; or it was on the stack already when the last frame's reading was taken; or it was
//! entered after that reading and before the walk came to it. Entries are counted after the node
//! has become current, so in the last case the walk saw the entry. So it is enough to go on where
//! entries are new, where they were new in the last frame, and along the stacks of the last reading
//! and this one. A reading that failed makes this walk and the next go everywhere.
//!
//! A node's time is added just after it was left, and the thread may have to wait for its processor
//! right there, for many frames. Then it is on the parent, so the parent's children are glanced at:
//! hence a glance is at the time as well as at the entries.

#[cfg(all(test, loom, feature = "enable"))]
mod loom_tests;

use super::average::{AverageClock, Averages, FOLLOW_90};
use super::estimate::{Estimator, Member};
use super::history::Sample;
use super::path::Path;
use super::spread::Sampled;
use super::totals::{Known, NodeTotals, Totals};
use super::zones::Names;
use crate::clock::{self, Ticks};
use crate::gather::switch::cutoff;
use crate::gather::{DISAGREEMENT, Node, Reading, ThreadRecord, class};

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
    /// The outermost node of the same zone on the stack, be it this one.
    pub(crate) outermost: u32,
    /// The next node below it on the stack that is of the same zone; [`NONE`] if there is none.
    pub(crate) next_alike: u32,
}

/// Of a node, what its frame is summed up by. `update` reads it for every live node, so it is not
/// with what reports read of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// As in [`TreeNode`].
    pub(crate) parent: u32,
    /// The edge; [`INNER`] is set if a node of the same zone lies below it on the stack.
    edge: u32,
}

/// See [`Link`]. There are fewer edges than that.
const INNER: u32 = 1 << 31;

impl Link {
    pub(super) fn of(node: &TreeNode) -> Link {
        let inner = if node.level > 0 { INNER } else { 0 };
        Link {
            parent: node.parent,
            edge: node.edge | inner,
        }
    }

    #[inline(always)]
    pub(super) fn edge(self) -> u32 {
        self.edge & !INNER
    }

    #[inline(always)]
    pub(super) fn is_outermost(self) -> bool {
        self.edge & INNER == 0
    }
}

/// For how many seconds after the last sampled frame averages count as sampled: by then the slower
/// of them has forgotten nine tenths of it.
const REMEMBERED_90: f64 = 2.5;

/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// What is known of a node from frame to frame, and read in every frame in which it is live.
#[derive(Clone, Debug)]
struct Seen {
    node: &'static Node,
    /// Ticks and entries given to frames so far.
    ticks: Ticks,
    entries: u64,
    /// The last frame in which it was entered, or on the stack at either end.
    live_in: u32,
    /// Whether it was on the stack at the end of the last frame; and at the end of this one, until
    /// the walk has seen it.
    open: bool,
    open_now: bool,
    is_counter: bool,
    /// Whether it had a clock since [`Seldom::untimed_in`].
    timed_since: bool,
    first_child: u32,
    next_sibling: u32,
}

/// What is known of a node besides: read where nodes have no clocks, and when children are learned.
#[derive(Clone, Debug)]
struct Seldom {
    last_child: u32,
    /// The node on whose clock it ran in the last frame in which it was a member of a group.
    account: u32,
    /// The last frame in which it had no clock of its own.
    untimed_in: u32,
    /// And when the last one ended that was kept, by [`ThreadTree::kept_for`].
    untimed_at: f64,
}

/// A thread's tree, numbers included.
#[derive(Clone, Debug)]
pub(crate) struct ThreadTree {
    record: &'static ThreadRecord,
    nodes: Vec<TreeNode>,
    /// Of the node that was learned last.
    path: Path,
    links: Vec<Link>,
    seen: Vec<Seen>,
    seldom: Vec<Seldom>,
    /// Self milliseconds and entries.
    averages: Vec<Averages<2>>,
    /// The sum of the ticks given.
    given_in_all: Ticks,
    /// What of it frames that were kept got.
    totals: Totals,
    /// When the last frame ended.
    boundary: Ticks,
    /// How often the thread had found the counter set anew.
    steps: u32,
    asleep: Option<Asleep>,
    /// Whether there was no thread at the end of the last frame.
    ended: bool,
    /// And of the one before.
    had_ended: bool,
    /// Of the record, when the last frame ended.
    tenancy: Option<u32>,
    /// The tenancy after whose end everything was given.
    settled: Option<u32>,
    /// Counts frames, thrown away ones included.
    frame: u32,
    /// The last frame whose walk has to go everywhere.
    everywhere_in: u32,
    /// How many nodes are short, so that they have no clock where the long ones have.
    short: u32,
    /// How often nodes had got or lost clocks at the end of the last frame.
    changes: u32,
    /// Whether some nodes had no clock at the end of the last frame.
    sampled: bool,
    /// Whether some had none in the last frame.
    sampled_now: bool,
    /// Seconds since some were without.
    since_sampled: f64,
    /// Seconds of frames that were kept.
    kept_for: f64,
    /// What that was after the last frame in which all nodes had clocks.
    exact_at: f64,
    /// By account: the milliseconds of its group over the root of the number of samples that they
    /// rest on.
    unsure: Vec<Averages<1>>,
    /// Nodes that the sampler found since the last frame, and how often.
    hits: Vec<(u32, u32)>,
    estimator: Estimator,
    members: Vec<Member>,
    /// What the clocks say, before it is apportioned.
    clocks: Vec<Sample>,
}

/// A thread that has not moved since the counter was set back.
#[derive(Clone, Copy, Debug)]
struct Asleep {
    account: u32,
    /// By the counter as it was before.
    started: Ticks,
    /// How far it was set back, all in all.
    back: Ticks,
}

/// What tells which nodes share clocks.
#[derive(Clone, Copy, Debug)]
struct Groups {
    /// Nodes of this class and above have none.
    cutoff: u8,
    /// Whether any may have been without for a part of the frame.
    any_for_a_while: bool,
    /// Whether the frame is kept: what is shown goes by the groups of the last one that was.
    keep: bool,
}

impl ThreadTree {
    /// A tree of which nothing is known yet. `boundary` is when the last frame ended.
    pub(crate) fn new(record: &'static ThreadRecord, boundary: Ticks) -> ThreadTree {
        ThreadTree {
            record,
            nodes: Vec::new(),
            path: Path::default(),
            links: Vec::new(),
            seen: Vec::new(),
            seldom: Vec::new(),
            averages: Vec::new(),
            given_in_all: 0,
            totals: Totals::default(),
            boundary,
            steps: 0,
            asleep: None,
            ended: false,
            had_ended: false,
            tenancy: None,
            settled: None,
            frame: 2,
            everywhere_in: 0,
            short: 0,
            changes: 0,
            sampled: false,
            sampled_now: false,
            since_sampled: f64::INFINITY,
            kept_for: 0.0,
            exact_at: 0.0,
            unsure: Vec::new(),
            hits: Vec::new(),
            estimator: Estimator::default(),
            members: Vec::new(),
            clocks: Vec::new(),
        }
    }

    pub(crate) fn record(&self) -> &'static ThreadRecord {
        self.record
    }

    /// How many nodes have lost their clocks to keep a budget.
    pub(crate) fn set_short(&mut self, short: u32) {
        self.short = short;
    }

    /// Whether a node's entries were counted by `counter!`, which never reads the clock.
    pub(crate) fn is_counter(&self, node: u32) -> bool {
        self.seen[node as usize].is_counter
    }

    /// How sure the averages in `slot` are, which `self_time` has as of now: `None` if none of
    /// them was sampled lately.
    pub(crate) fn sampled_averages(
        &self,
        self_time: &[f64],
        clock: &AverageClock,
        slot: usize,
    ) -> Option<Sampled> {
        if self.since_sampled > REMEMBERED_90 {
            return None;
        }
        // What lost or got its clock a while ago counts as sampled: its average mostly was.
        let mut group = Vec::with_capacity(self_time.len());
        for (node, seldom) in self.seldom.iter().enumerate() {
            let is_member = self.kept_for - seldom.untimed_at <= REMEMBERED_90;
            group.push(match is_member {
                true => group[self.nodes[node].parent as usize],
                false => node as u32,
            });
        }
        let mut total = vec![0.0; group.len()];
        let mut others = vec![false; group.len()];
        for (node, account) in group.iter().enumerate() {
            total[*account as usize] += self_time[node];
            others[*account as usize] |= *account as usize != node;
        }
        let variance = group.iter().enumerate().map(|(node, account)| {
            let total = total[*account as usize];
            if !others[*account as usize] {
                return 0.0;
            }
            let place = (node as u32, *account);
            let unsure = self.unsure.get(*account as usize).map_or(0.0, |unsure| {
                let [unsure] = unsure.get(clock, slot);
                unsure
            });
            let t90 = FOLLOW_90[slot];
            self.estimator
                .variance_of_average(place, total, self_time[node], unsure, t90)
        });
        Some(Sampled::new(variance.collect(), group, self_time))
    }

    /// Takes into averages how sure the newest frame is, over which `clock` has advanced.
    pub(crate) fn average_errors(&mut self, clock: &AverageClock, ms_per_tick: f64) {
        if !self.sampled_now {
            return;
        }
        for member in self.members.iter().filter(|member| member.is_account()) {
            let account = member.node as usize;
            if let Some(unsure) = self.estimator.unsure(member.node) {
                if self.unsure.len() <= account {
                    self.unsure.resize(account + 1, Averages::default());
                }
                self.unsure[account].add(clock, [unsure * ms_per_tick]);
            }
        }
    }

    /// A parent comes before its children; the root is the first.
    pub(crate) fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The same nodes, as a frame is summed up by.
    pub(crate) fn links(&self) -> &[Link] {
        &self.links
    }

    pub(crate) fn averages(&self) -> &[Averages<2>] {
        &self.averages
    }

    pub(crate) fn averages_mut(&mut self) -> &mut [Averages<2>] {
        &mut self.averages
    }

    /// The sampler found the node of that index on top, `count` times since the last frame.
    pub(crate) fn hit(&mut self, node: u32, count: u32) {
        self.hits.push((node, count));
    }

    /// What averages are of from here on was not sampled, unless it is; and what calls took is to be
    /// learned anew.
    pub(crate) fn forget_samples(&mut self) {
        self.estimator = Estimator::default();
        self.since_sampled = f64::INFINITY;
        for seldom in &mut self.seldom {
            seldom.untimed_at = f64::NEG_INFINITY;
        }
    }

    /// Ends the frame at `now`: appends what every node did since the last time to `samples`,
    /// parents before their children. A tick is about `ms_per_tick`. What is known of sampled times
    /// changes only if the frame is to be kept; if not, the samples are of no use.
    pub(crate) fn end_frame(
        &mut self,
        now: Ticks,
        ms_per_tick: f64,
        names: &mut Names,
        keep: bool,
        samples: &mut Vec<Sample>,
    ) {
        // Before anything is read: if there is no thread, what is read is all there is.
        self.had_ended = std::mem::replace(&mut self.ended, !self.record.is_owned());
        // Cutoff and orders go first: a thread that follows a change meanwhile is seen by its new
        // clocks in the next frame at the latest.
        let changes = self.record.changes();
        // Of two changes the first may have taken any clock, and the second may have given it back.
        let any_for_a_while =
            changes.wrapping_sub(std::mem::replace(&mut self.changes, changes)) > 1;
        let cutoff = self.record.cutoff();
        let sampled = match cutoff {
            cutoff::EXACT => false,
            // Who was ordered to have a clock again is without until the thread follows.
            cutoff::AUTO => self.short > 0 || self.record.has_orders(),
            _ => true,
        };
        let reading = self.record.read();
        self.learn_nodes(names);
        self.frame = self.frame.wrapping_add(1);
        if reading.is_none() && self.record.is_owned() {
            self.everywhere_in = self.frame.wrapping_add(1);
        }
        let was_sampled = std::mem::replace(&mut self.sampled, sampled);
        if !(was_sampled || sampled || any_for_a_while) {
            // The sampler runs for another thread's sake: no frame is to make up for this one.
            for (node, count) in self.hits.drain(..).filter(|_| keep) {
                self.totals.hit(node, count);
            }
            let start = samples.len();
            let passed = self.take(now, reading, None, samples);
            if !keep {
                self.totals.lose(&samples[start..]);
            } else {
                let seconds = passed as f64 * ms_per_tick * 1e-3;
                self.since_sampled += seconds;
                self.kept_for += seconds;
                self.exact_at = self.kept_for;
                self.sampled_now = false;
            }
            return;
        }
        let groups = Groups {
            cutoff,
            any_for_a_while,
            keep,
        };
        if !keep {
            self.hits.clear();
            let start = samples.len();
            self.take(now, reading, Some(groups), samples);
            self.totals.lose(&samples[start..]);
            return;
        }
        for (node, count) in self.hits.drain(..) {
            self.estimator.hit(node, count);
            self.totals.hit(node, count);
        }
        let mut clocks = std::mem::take(&mut self.clocks);
        clocks.clear();
        let passed = self.take(now, reading, Some(groups), &mut clocks);
        let mut next = clocks.iter().peekable();
        for member in &mut self.members {
            if let Some(clock) = next.next_if(|clock| clock.node == member.node) {
                (member.ticks, member.entries) = (clock.ticks, clock.entries);
            }
        }
        let seconds = passed as f64 * ms_per_tick * 1e-3;
        self.since_sampled = 0.0;
        self.kept_for += seconds;
        self.sampled_now = true;
        let start = samples.len();
        self.estimator
            .apportion(&self.members, seconds, ms_per_tick, samples);
        self.totals.lose(&clocks);
        self.totals.gain(&samples[start..]);
        self.total_shares(&samples[start..]);
        self.clocks = clocks;
    }

    /// Takes into the totals what the newest frame's `samples` got of their groups.
    fn total_shares(&mut self, samples: &[Sample]) {
        let mut next = samples.iter().peekable();
        for member in &self.members {
            let sample = next.next_if(|sample| sample.node == member.node);
            if let Some(shared) = self.estimator.shared(member.account) {
                let own = if member.is_account() { 0 } else { member.ticks };
                let got = sample.map_or(0, |sample| sample.ticks) - own;
                self.totals.share(member.node, got, shared);
            }
        }
    }

    /// What every node did in the frames that were kept, by node. With `now` and what a tick is
    /// worth, as if a frame that is kept ended now, in which the sampler has made `hits`; the frame
    /// goes on unchanged.
    pub(crate) fn totals(
        &mut self,
        now: Option<(Ticks, f64)>,
        hits: impl Iterator<Item = (u32, u32)>,
        names: &mut Names,
    ) -> Vec<(TreeNode, NodeTotals)> {
        self.learn_nodes(names);
        let Some((now, ms_per_tick)) = now else {
            return self.totals_so_far();
        };
        // What is large and is not changed by the end of a frame is lent to the copy.
        let nodes = std::mem::take(&mut self.nodes);
        let links = std::mem::take(&mut self.links);
        let averages = std::mem::take(&mut self.averages);
        let known = nodes.len();
        let hits = self.hits.iter().copied().chain(hits).collect();
        let mut copy = ThreadTree {
            nodes,
            links,
            averages,
            hits,
            ..self.clone()
        };
        copy.end_frame(now, ms_per_tick, names, true, &mut Vec::new());
        let totals = copy.totals_so_far();
        (self.nodes, self.links, self.averages) = (copy.nodes, copy.links, copy.averages);
        // Those that the copy has learned since are still to be learned.
        self.nodes.truncate(known);
        self.links.truncate(known);
        self.averages.truncate(known);
        totals
    }

    fn totals_so_far(&self) -> Vec<(TreeNode, NodeTotals)> {
        let nodes = self.nodes.iter().zip(&self.seen).zip(0..);
        let total = |((node, seen), index): ((&TreeNode, &Seen), u32)| {
            (*node, self.totals.of(index, (seen.ticks, seen.entries)))
        };
        nodes.map(total).collect()
    }

    /// What frames that were kept have got so far.
    pub(super) fn known_totals(&self) -> Known {
        self.totals.known(given(&self.seen))
    }

    /// See [`Totals::error_since`].
    pub(super) fn error_since(&self, totals: &Known, node: u32) -> f64 {
        self.totals.error_since(totals, node)
    }

    /// What frames that were kept got is what it was then.
    pub(super) fn go_back_to(&mut self, totals: Known) {
        self.totals.go_back(totals, given(&self.seen));
    }

    /// Takes everything that was counted up to `now` as given, by nodes that are new included.
    pub(super) fn begin_anew(&mut self, now: Ticks, names: &mut Names) {
        self.learn_nodes(names);
        let reading = self.record.read();
        for (index, seen) in self.seen.iter_mut().enumerate() {
            let open = reading.filter(|reading| reading.account as usize == index);
            seen.ticks = open.map_or_else(
                || seen.node.ticks(),
                |open| open.ticks.wrapping_add(clock::passed(open.started, now)),
            );
            seen.entries = seen.node.entries();
        }
        (_, self.given_in_all) = self.record.tenure(now);
        self.everywhere_in = self.frame.wrapping_add(1);
        self.forget_totals();
    }

    /// Forgets what frames that were kept got.
    pub(crate) fn forget_totals(&mut self) {
        self.totals.forget(given(&self.seen));
    }

    /// Appends what the clocks and counters say to `samples`, set right so that it sums to the time
    /// that passed; returns that time.
    fn take(
        &mut self,
        now: Ticks,
        reading: Option<Reading>,
        groups: Option<Groups>,
        samples: &mut Vec<Sample>,
    ) -> Ticks {
        let start = samples.len();
        let boundary = std::mem::replace(&mut self.boundary, now);
        let passed = clock::passed(boundary, now);
        let is_set_anew = clock::since(boundary, now).is_none();
        // Modulo 2^64: far ahead is farther back.
        let back = is_set_anew.then_some(boundary.wrapping_sub(now));
        let back = back.filter(|back| *back > DISAGREEMENT);
        let was_asleep = self.asleep;
        let is_anew = self.follow_set_back(reading, now, back);
        if is_anew {
            self.everywhere_in = self.frame;
        }
        let now = self
            .asleep
            .map_or(now, |asleep| now.wrapping_add(asleep.back));
        let given_before = self.given_in_all;
        let owed = self.walk(now, reading, groups, samples, is_anew);
        let account = reading.map_or(0, |reading| reading.account);
        // One look for all that follows: meanwhile the next thread may take the record over.
        let steps = self.record.steps();
        let (tenancy, owned_for) = self.record.tenure(now);
        let is_owned = tenancy % 2 == 1;
        let total = owed_of(owned_for, given_before);
        // The thread found the counter set anew, and frames did not: it slept while the counter went ahead
        // by years, in steps that were shorter.
        let has_stepped = std::mem::replace(&mut self.steps, steps) != steps;
        let is_behind = has_stepped && owed_of(given_before, owned_for) > 0;
        let samples_now = &mut samples[start..];
        let wanted = if is_anew {
            // Somewhere in this frame it woke up.
            let slept = if is_owned { passed } else { 0 };
            let account = was_asleep.map_or(account, |asleep| asleep.account);
            self.settle_later(samples_now, owed, slept, account);
            self.given_in_all = owned_for;
            slept
        } else if total <= passed && !is_behind {
            self.settle(samples_now, owed, total, account);
            if self.ended && !is_owned && self.settled != Some(tenancy) {
                // Nodes that were given too much never catch up by themselves.
                self.write_off(owned_for, None);
                self.settled = Some(tenancy);
            }
            total
        } else if !self.had_ended && !is_owned && !is_behind {
            // It ended after `now`: the next frame gets what came later.
            self.settle(samples_now, owed, passed, account);
            passed
        } else {
            // The counter was set anew. What was counted before cannot be placed in time: it is
            // written off, and the frame gets what has passed.
            self.settle_later(samples_now, owed, passed, account);
            self.write_off(owned_for, reading);
            passed
        };
        let is_idle = |sample: &Sample| sample.ticks == 0 && sample.entries == 0;
        if samples[start..].iter().all(is_idle) {
            // Root and account alone, of a thread that did nothing.
            samples.truncate(start);
        }
        wanted
    }

    /// Settles the frame and what is given with it.
    fn settle(&mut self, samples: &mut [Sample], total: Ticks, wanted: Ticks, account: u32) {
        settle(samples, total, wanted, account, |sample, ticks| {
            let seen = &mut self.seen[sample.node as usize];
            seen.ticks = seen.ticks.wrapping_add(ticks).wrapping_sub(sample.ticks);
        });
        let given = self.given_in_all.wrapping_add(wanted);
        self.given_in_all = given.wrapping_sub(total);
    }

    /// Settles the frame alone.
    fn settle_later(&mut self, samples: &mut [Sample], total: Ticks, wanted: Ticks, account: u32) {
        self.totals.lose(samples);
        settle(samples, total, wanted, account, |_, _| ());
        self.totals.gain(samples);
    }

    /// Takes everything that was counted, but for what is open, as given.
    fn write_off(&mut self, owned_for: Ticks, reading: Option<Reading>) {
        let account = reading.map_or(NONE, |reading| reading.account);
        for (index, seen) in self.seen.iter_mut().enumerate() {
            if index as u32 != account {
                let given = std::mem::replace(&mut seen.ticks, seen.node.ticks());
                self.totals.skip(index as u32, given, seen.ticks);
            }
        }
        self.given_in_all = owned_for;
    }

    /// Takes notice of whether the thread sleeps over a set-back of the counter, `back` ticks in
    /// this frame. Returns whether what it counted so far has no place in time and is to be written
    /// off.
    fn follow_set_back(
        &mut self,
        reading: Option<Reading>,
        now: Ticks,
        back: Option<Ticks>,
    ) -> bool {
        let before = self.asleep;
        let is_still = |asleep: &Asleep| {
            reading.is_some_and(|r| (r.account, r.started) == (asleep.account, asleep.started))
        };
        self.asleep = match (before.filter(is_still), back, reading) {
            (Some(asleep), back, _) => Some(Asleep {
                back: asleep.back.wrapping_add(back.unwrap_or(0)),
                ..asleep
            }),
            (None, Some(back), Some(reading)) if clock::since(reading.started, now).is_none() => {
                Some(Asleep {
                    account: reading.account,
                    started: reading.started,
                    back,
                })
            }
            _ => None,
        };
        self.asleep.is_none() && (before.is_some() || back.is_some())
    }

    /// Appends what the clocks and counters of all nodes say that were on the stack in this frame;
    /// of the root and the account in any case. That counts as given, for a node's memory is to be
    /// fetched once. Returns the sum of the ticks.
    ///
    /// With `groups`, notes their members. With `is_anew`, whatever was counted so far counts as
    /// given.
    fn walk(
        &mut self,
        now: Ticks,
        reading: Option<Reading>,
        groups: Option<Groups>,
        samples: &mut Vec<Sample>,
        is_anew: bool,
    ) -> Ticks {
        self.members.clear();
        let (frame, last_frame) = (self.frame, self.frame.wrapping_sub(1));
        let everywhere = self.everywhere_in.wrapping_sub(frame) <= 1;
        let account = reading.map_or(0, |reading| reading.account);
        // A node that was made after the nodes were learned will be found in the next frame.
        let tenancy = self.record.tenancy();
        if self.tenancy.replace(tenancy) != Some(tenancy) || tenancy % 2 == 1 {
            // The root is never entered: it is on the stack of whoever owns the record.
            self.seen[0].open_now = true;
        }
        let known = |node: &u32| (*node as usize) < self.seen.len();
        let mut top = reading.map(|reading| reading.node).filter(known);
        while let Some(node) = top {
            self.seen[node as usize].open_now = true;
            top = (node > 0).then(|| self.links[node as usize].parent);
        }

        let mut owed: Ticks = 0;
        let mut at: u32 = 0;
        while at != NONE {
            let seen = &mut self.seen[at as usize];
            let entries = seen.node.entries();
            let mut ticks = seen.node.ticks();
            // Among many siblings most are idle: they get no more than a glance.
            if entries == seen.entries
                && owed_of(ticks, seen.ticks) == 0
                && seen.live_in != last_frame
                && !(seen.open | seen.open_now | everywhere)
                && at != account
                && at != 0
            {
                at = if seen.next_sibling != NONE {
                    seen.next_sibling
                } else {
                    self.next_after(at)
                };
                continue;
            }
            if at == account
                && let Some(reading) = reading
            {
                ticks = reading
                    .ticks
                    .wrapping_add(clock::passed(reading.started, now));
            }
            if is_anew {
                self.totals.skip(at, seen.ticks, ticks);
                seen.ticks = ticks;
            }
            // A node that was given too much is owed nothing until it has caught up.
            let ticks = owed_of(ticks, seen.ticks);
            let entries = entries.wrapping_sub(seen.entries);
            seen.ticks = seen.ticks.wrapping_add(ticks);
            seen.entries = seen.entries.wrapping_add(entries);
            if entries != 0 {
                seen.is_counter = seen.node.class() == class::COUNTER;
            }
            let is_live = entries != 0 || seen.open || seen.open_now;
            let goes_on = is_live || seen.live_in == last_frame || everywhere;
            // The root is never entered: its activation begins with the thread.
            let was_open = seen.open || at == 0 && seen.open_now;
            seen.open = std::mem::take(&mut seen.open_now);
            if is_live {
                seen.live_in = frame;
            }
            let first_child = seen.first_child;
            if ticks != 0 || entries != 0 || at == 0 || at == account {
                owed = owed.saturating_add(ticks);
                samples.push(Sample {
                    ticks,
                    entries,
                    node: at,
                    error: 0.0,
                });
            }
            if let Some(groups) = groups
                && (goes_on || ticks != 0)
            {
                let account = self.account(at, groups);
                self.members.push(Member {
                    node: at,
                    account,
                    activations: entries + u64::from(was_open),
                    ticks: 0,
                    entries: 0,
                });
            }
            at = if goes_on && first_child != NONE {
                first_child
            } else {
                self.next_after(at)
            };
        }
        self.given_in_all = self.given_in_all.wrapping_add(owed);
        owed
    }

    /// The next node in the order of the walk that is not above `node` on any stack.
    fn next_after(&self, mut node: u32) -> u32 {
        while node != 0 {
            let next = self.seen[node as usize].next_sibling;
            if next != NONE {
                return next;
            }
            node = self.links[node as usize].parent;
        }
        NONE
    }

    /// The node on whose clock `node` runs, or ran for a part of the frame.
    fn account(&mut self, node: u32, groups: Groups) -> u32 {
        let index = node as usize;
        let class = self.seen[index].node.class();
        let may_be = node > 0 && class != class::COUNTER;
        let is_untimed = may_be && class >= groups.cutoff;
        let was_untimed = self.seldom[index].untimed_in == self.frame.wrapping_sub(1);
        if is_untimed {
            self.seldom[index].untimed_in = self.frame;
        }
        let is_member = is_untimed || was_untimed || may_be && groups.any_for_a_while;
        if is_member && !was_untimed {
            let [ms, entries] = self.averages[index].without_age(0);
            let seen = &mut self.seen[index];
            let had_clock = std::mem::take(&mut seen.timed_since)
                || self.exact_at > self.seldom[index].untimed_at + 0.01;
            let account = self.seldom[self.links[index].parent as usize].account;
            self.estimator.seed(node, account, ms / entries, had_clock);
        } else if !is_member {
            self.seen[index].timed_since = true;
        }
        let account = if is_member {
            self.seldom[self.links[index].parent as usize].account
        } else {
            node
        };
        self.seldom[index].account = account;
        if groups.keep && account != node {
            self.seldom[index].untimed_at = self.kept_for;
        }
        account
    }

    /// Takes notice of nodes made since the last time.
    fn learn_nodes(&mut self, names: &mut Names) {
        if names.is_closed {
            return;
        }
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
                self.path.innermost(zone)
            });
            let next_alike = outer.flatten();
            let outer = next_alike.map(|outer| self.nodes[outer as usize]);
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
            let tree_node = TreeNode {
                parent,
                zone,
                spread,
                level,
                edge,
                outermost: outer.map_or(index, |outer| outer.outermost),
                next_alike: next_alike.unwrap_or(NONE),
            };
            self.links.push(Link::of(&tree_node));
            self.nodes.push(tree_node);
            self.averages.push(Averages::default());
            self.seen.push(Seen {
                node,
                ticks: 0,
                entries: 0,
                live_in: 0,
                open: false,
                open_now: false,
                is_counter: false,
                timed_since: false,
                first_child: NONE,
                next_sibling: NONE,
            });
            self.seldom.push(Seldom {
                last_child: NONE,
                account: index,
                untimed_in: 0,
                untimed_at: f64::NEG_INFINITY,
            });
            if index > 0 {
                let siblings = &mut self.seldom[parent as usize];
                let before = std::mem::replace(&mut siblings.last_child, index);
                match self.seen.get_mut(before as usize) {
                    Some(before) => before.next_sibling = index,
                    None => self.seen[parent as usize].first_child = index,
                }
            }
        }
    }
}

/// What each node was given so far.
fn given(seen: &[Seen]) -> impl Iterator<Item = (Ticks, u64)> {
    seen.iter().map(|seen| (seen.ticks, seen.entries))
}

/// What a node is owed that has counted `ticks`.
#[inline]
fn owed_of(ticks: Ticks, given: Ticks) -> Ticks {
    (ticks.wrapping_sub(given) as i64).max(0) as Ticks
}

/// Makes the samples, which sum to `total`, sum to `wanted`.
///
/// What is missing was spent where the thread is: on the clock of `account`. What is too much is
/// what the thread did while it was read; nobody can tell where, so every node gives its share.
///
/// Calls `change` with each sample that gets other ticks, and these.
fn settle(
    samples: &mut [Sample],
    total: Ticks,
    wanted: Ticks,
    account: u32,
    mut change: impl FnMut(&Sample, Ticks),
) {
    if wanted == total {
        return;
    }
    if wanted > total {
        // An account that is not among them was made just now; its caller's time is what is
        // missing.
        let at = samples.iter().position(|sample| sample.node == account);
        if let Some(sample) = samples.get_mut(at.unwrap_or(0)) {
            let ticks = sample.ticks + (wanted - total);
            change(sample, ticks);
            sample.ticks = ticks;
        }
        return;
    }
    let mut seen: u128 = 0;
    let mut passed_on: Ticks = 0;
    for sample in samples {
        // Shares of the running sum, so that roundings cancel.
        seen += u128::from(sample.ticks);
        // The sum of samples over which the counter jumped time and again may be beyond 64 bits.
        let share = (seen.min(total.into()) * u128::from(wanted) / u128::from(total)) as Ticks;
        let ticks = share - passed_on;
        change(sample, ticks);
        sample.ticks = ticks;
        passed_on = share;
    }
}

#[cfg(all(test, not(loom)))]
impl ThreadTree {
    /// What frames that were kept got, by node.
    pub(super) fn kept_for_tests(&self) -> Vec<NodeTotals> {
        let totals = self.totals_so_far().into_iter();
        totals.map(|(_, totals)| totals).collect()
    }

    pub(super) fn given_for_tests(&self, node: usize) -> (Ticks, u64) {
        (self.seen[node].ticks, self.seen[node].entries)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::process::budget::Budget;
    use proptest::prelude::*;

    #[test]
    fn the_documented_sizes_are_the_real_ones() {
        // What `update` reads and writes of a live node, besides what it reads of the node itself,
        // and then what it seldom does.
        let live = size_of::<Seen>() + size_of::<Link>() + size_of::<Averages<2>>();
        let exact = live + size_of::<TreeNode>() + size_of::<Seldom>();
        let sampled = Estimator::BYTES_PER_NODE + size_of::<Averages<1>>();
        let sampled = sampled + Totals::BYTES_PER_SAMPLED_NODE;
        let sizes = [live, exact, sampled, Budget::BYTES_PER_NODE];
        let documented = [88, 140, 304, 48];
        if cfg!(target_pointer_width = "64") {
            assert_eq!(sizes, documented);
        } else {
            // Addresses, and the gaps before numbers of 64 bits, are smaller.
            let are_less = sizes
                .iter()
                .zip(&documented)
                .all(|(size, most)| size <= most);
            assert!(are_less, "{sizes:?}");
        }
    }

    /// Such a node is neither on the stack of this reading nor of the next, and has no new entry
    /// then.
    #[cfg(feature = "enable")]
    #[test]
    fn what_is_entered_between_reading_and_walk_is_followed_in_the_next_frame() {
        use crate::Zone;
        use crate::gather::scripted::ScriptedThread;
        static CALLER: Zone = Zone::new("caller", "", 0, "");
        static CALLEE: Zone = Zone::new("callee", "", 0, "");
        let thread = ScriptedThread::begin("walk", 0);
        let mut tree = ThreadTree::new(thread.record(), 0);
        let (mut names, mut samples) = (Names::default(), Vec::new());
        thread.enter(&CALLER, 10);
        thread.enter(&CALLEE, 20);
        thread.leave(30);
        thread.leave(40);
        for now in [50, 60, 70] {
            tree.end_frame(now, 1.0, &mut names, true, &mut samples);
        }
        // A frame, in which the thread moves while it is read.
        let reading = thread.record().read();
        thread.enter(&CALLER, 80);
        tree.frame += 1;
        tree.take(80, reading, None, &mut samples);
        samples.clear();
        thread.enter(&CALLEE, 90);
        thread.leave(97);
        thread.leave(99);
        tree.end_frame(100, 1.0, &mut names, true, &mut samples);
        let callee = samples.iter().find(|sample| sample.node == 2);
        assert_eq!(
            callee.map(|sample| (sample.ticks, sample.entries)),
            Some((7, 1))
        );
    }

    proptest! {
        #[test]
        fn settled_samples_sum_to_what_is_wanted(
            ticks in prop::collection::vec(0u64..1_000_000, 1..20),
            wanted in 0u64..20_000_000,
            account in 0u32..20,
        ) {
            let mut samples: Vec<Sample> = ticks.iter().enumerate()
                .map(|(node, &ticks)| Sample { ticks, entries: 1, node: node as u32, error: 0.0 }).collect();
            let before = samples.clone();
            let total = ticks.iter().sum();
            prop_assume!(total > 0 && (account as usize) < samples.len());
            let mut told = before.clone();
            settle(&mut samples, total, wanted, account, |sample, ticks| {
                told[sample.node as usize].ticks = ticks;
            });
            prop_assert_eq!(&told, &samples);
            prop_assert_eq!(samples.iter().map(|s| s.ticks).sum::<u64>(), wanted);
            for (old, new) in before.iter().zip(&samples) {
                prop_assert_eq!(old.entries, new.entries);
                if wanted < total {
                    prop_assert!(new.ticks <= old.ticks);
                } else if old.node != account {
                    prop_assert_eq!(old.ticks, new.ticks);
                }
            }
        }
    }
}
