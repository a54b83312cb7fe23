//! The estimator: divides the exact time of a timer group among its nodes, from entry counts and samples, and computes
//! the standard error of each part.
//!
//! # What is known
//!
//! An untimed node (see `gather::record`) only counts its entries. Its time runs on the clock of its *timed ancestor*,
//! the innermost timed node on its stack. A timed ancestor and the nodes that share its clock are a *timer group*, here
//! "group" for short. A sample with a node on top of the stack is a *hit* of the node. For each group and frame, the
//! estimator knows:
//!
//! * `T`, the ticks of the group: exact.
//! * `e` of each node, its activations in the frame, including one that was open when the frame began: exact.
//! * `s` of each node, its hits: few, because a frame of 16 ms has sixteen samples at 1,000 Hz.
//!
//! It finds the time `t` of each node. A group's times have to sum to `T`, so that all sums that hold for exact times
//! hold here.
//!
//! # Why not `T s / S`
//!
//! Samples are taken at random moments with exponentially distributed intervals. So any moment is as likely to be
//! sampled as any other, whatever rhythm the program has: *Poisson arrivals see time averages* (R. W. Wolff, 1982).
//! With the sampling rate `h`, a node has `h t` hits on average, and `S t / T` of its group's `S` samples. So `T s / S`
//! is right on average *if there is a sample*. With sixteen samples, it is typically off by a quarter, and most groups
//! have no sample in most frames. Giving their time to the timed ancestor would always err in the same direction. So
//! the estimate has to use what was learned in other frames, in a way that keeps the average right.
//!
//! # The estimator
//!
//! For each node, the estimator learns two numbers. `m` is the mean time per activation, in milliseconds because ticks
//! are not comparable in a frame in which the counter jumped. `v` is how much activations vary: their variance over the
//! square of their mean. If the time of `e` activations has a gamma distribution with that mean and variance, and the
//! number of samples in it is Poisson, then the mean of the time, given `s`, is
//!
//! ```text
//! u = m (e + v s) / (1 + v h m)
//! ```
//!
//! This is a weighted mean of `e m`, the estimate from the count, and `s / h`, the estimate from this frame's samples,
//! with the weights `1` and `v h m`. For a node that takes nanoseconds and is entered a hundred thousand times, only
//! the count matters, so the estimate is good despite few hits. For a node that is entered once and takes several
//! sampling periods, the samples decide, so a spike shows in the frame in which it happened. Nothing has to be tuned.
//! `v` is one, as for exponentially distributed times, until the samples vary significantly more. A surprise of more
//! than [`SURPRISE`] standard deviations counts at once.
//!
//! The `u` of a group do not sum to `T` yet. The remainder is distributed by the variance of each `u`:
//! `t = u + (T - U) w / W`, where `w` is the variance of `u` given the samples, and `U` and `W` are sums over the
//! group. This is the conditional mean of independent normal variables whose sum is known.
//!
//! # Why it is unbiased
//!
//! `m` is the number of past hits, divided by `h` times the past activations, with less weight for old frames. By the
//! theorem above, `h m e`, summed over frames, is the number of hits on average, as long as the mean cost of calls
//! stays the same over some seconds. `u` is linear in `s`, and its mean is a mean of `m e` and `t`, whose sums over
//! frames are the same. What is added to `u` is linear in the remainder, which is zero on average. The model, gamma
//! distribution and all, only decides how the sum is spread over frames and how large the standard error is. If the
//! model is wrong, the sum is still right.
//!
//! Therefore nothing here is scaled by a ratio of random numbers. `t = u T / U` looks simpler, but is biased, because a
//! ratio of means is not the mean of ratios. Likewise, as far as `v` is one, `w` depends on the expected hits instead
//! of the actual ones.
//!
//! In a frame that is longer than everything known of its group, such as the first one or one that loads a level, `m`
//! is learned with that frame's own hits. The clock decides which frames these are, not their hits. (Past hits matter a
//! little, because a group with few samples forgets more slowly.) So `m e` is right on average, and better than what a
//! few earlier milliseconds tell. The distance between the frame's hits and that little knowledge says nothing about
//! `v`. If `v` were learned from it, the next frames would rely too much on their own few hits.
//!
//! When calls become slower or faster for good, what was learned would be wrong for seconds. So the estimator looks for
//! a lasting change in the hits ([`Change`], the cumulative sum of E. S. Page, 1954), and drops what came before.
//! Finding one takes some fifty hits, or a surprise. Similarly, old samples no longer count once a clock has measured
//! the node.
//!
//! Some parts are not linear: a surprise, a `v` above one, and a change that was found. Nor is any estimate below zero,
//! which matters if the calls of one node become slower and faster from frame to frame, so that `T - U` is large. Tests
//! run programs with known times through the estimator, including ones in step with the sampler, with rare spikes and
//! with lasting changes.
//!
//! # The standard error
//!
//! Two things are uncertain: `m`, known from `n` effective samples, and this frame's deviation from it, of which the
//! samples leave `w`. Shares of one total vary like a multinomial: by `T t / n`, less the reduction for the share. They
//! are smoothed as if half a sample had been seen of each node (Jeffreys), so that a node that was never hit is not
//! shown as certainly zero. A sum over nodes is uncertain by its share of the group, and exact for the whole group: see
//! [`variance`](crate::untimed_nodes::variance).

mod average_errors;

use crate::moving_average::Averages;
use crate::untimed_nodes::NodeDelta;
use iprof_gather::clock::Ticks;

/// The seconds after which a frame has a tenth of its weight in what is learned.
const MEMORY_90: f64 = 4.0;
/// A group with fewer samples than this forgets more slowly.
const SAMPLES_TO_KEEP: f64 = 30.0;
/// The number of samples that a mean time measured by the node's own clock is worth.
const SEED_WORTH: f64 = 1.0;
/// The estimator looks for lasting changes in the cost of calls by at least this factor.
const CHANGE_FACTOR: f64 = 1.5;
/// A change is accepted when the logarithm of its likelihood ratio exceeds this.
const CHANGE_EVIDENCE: f64 = 12.0;
/// A difference of this many standard deviations between expected and actual hits is a surprise.
const SURPRISE: f64 = 4.0;

/// A node that may have been on the stack in the frame. Members are in the order of the tree, parents first.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub node: u32,
    /// The node on whose clock it runs; its own index if it is timed.
    pub timed_ancestor: u32,
    /// Activations that were open at some time in the frame.
    pub activations: u64,
    /// Ticks and entries by the node's own clock and counter.
    pub ticks: Ticks,
    pub entries: u64,
}

impl Member {
    pub(super) fn is_timed_ancestor(&self) -> bool {
        self.node == self.timed_ancestor
    }
}

/// Knowledge about a node, with less weight for old frames.
#[derive(Clone, Copy, Debug, Default)]
struct Learned {
    /// Hits. `m` is their ratio to activations, divided by the rate.
    observed: f64,
    activations: f64,
    /// Evidence that activations have become slower, and that they have become faster.
    changes: [Change; 2],
    /// `m` as measured while the node was timed, and the number of samples that this is worth.
    seed: f64,
    seed_samples: f64,
    /// By the squared differences of observed and expected hits: the excess over a Poisson distribution, the square of
    /// the excess's noise, and the excess that `v = 1` would have.
    excess: f64,
    noise: f64,
    unit: f64,
    /// If the node is a timed ancestor, for its group: samples, the sum of their squared weights, and milliseconds.
    samples: f64,
    squares: f64,
    ms: f64,
    /// The group's own time base, which advances more slowly while the group has few samples.
    group_time: f64,
    /// The timed ancestor by whose `group_time` this entry last decayed, and that time.
    decayed_by: u32,
    decayed_at: f64,
    /// Hits that no frame has used yet.
    hits: u32,
}

impl Learned {
    /// Returns `m`, in milliseconds per activation, at a sampling rate per millisecond.
    fn mean(&self, rate: f64) -> f64 {
        let seed = if self.seed > 0.0 {
            self.seed_samples
        } else {
            0.0
        };
        let activations = rate * self.activations + if seed > 0.0 { seed / self.seed } else { 0.0 };
        if activations > 0.0 {
            (self.observed + seed) / activations
        } else {
            0.0
        }
    }

    /// Returns `v`, which is one unless there is significant evidence of more.
    fn dispersion(&self) -> f64 {
        if self.unit > 0.0 {
            ((self.excess - 2.0 * self.noise.sqrt()) / self.unit).max(1.0)
        } else {
            1.0
        }
    }

    /// Returns the most likely `v`, for standard errors, which is as likely too large as too small. A wrong `v` would
    /// make estimates wrong, but only makes standard errors wide.
    fn likely_dispersion(&self) -> f64 {
        if self.unit > 0.0 {
            (self.excess / self.unit).max(1.0)
        } else {
            1.0
        }
    }

    /// Looks for a lasting change to slower or faster calls, by the cumulative sum of how much more likely it makes the
    /// hits (E. S. Page, 1954). Returns the observations since the change.
    fn find_change(&mut self, hits: f64, activations: f64, expected: f64) -> Option<Change> {
        if self.activations <= activations {
            return None;
        }
        // If calls vary, hits come in bursts, which are weaker evidence.
        let burst = 1.0 + self.dispersion() * expected / activations.max(1.0);
        for (change, factor) in self
            .changes
            .iter_mut()
            .zip([CHANGE_FACTOR, CHANGE_FACTOR.recip()])
        {
            change.evidence += (hits * factor.ln() + expected * (1.0 - factor)) / burst;
            change.hits += hits;
            change.activations += activations;
            if change.evidence > CHANGE_EVIDENCE {
                return Some(*change);
            }
            if change.evidence <= 0.0 {
                *change = Change::default();
            }
        }
        None
    }

    /// Returns the weight of the count in an estimate. The frame's own samples have the rest.
    fn weight_of_count(&self, rate: f64) -> f64 {
        1.0 / (1.0 + self.dispersion() * rate * self.mean(rate))
    }

    /// Returns the effective number of samples behind the knowledge about the newest frame's `group`, without that
    /// frame's hits if they were added after the estimate.
    fn effective_samples(&self, group: &TimerGroup) -> f64 {
        let later = if group.is_longest { 0 } else { group.hits };
        let samples = self.samples - f64::from(later);
        let squares = self.squares - f64::from(later);
        // Less than one sample is a rounding error.
        if samples < 0.5 || squares <= 0.0 {
            0.0
        } else {
            samples * samples / squares
        }
    }

    fn decay(&mut self, weight: f64) {
        for value in [
            &mut self.observed,
            &mut self.activations,
            &mut self.seed_samples,
            &mut self.excess,
            &mut self.noise,
            &mut self.unit,
        ] {
            *value *= weight;
        }
    }
}

/// Observations since a possible change.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    /// The logarithm of the likelihood ratio of a change to none.
    evidence: f64,
    hits: f64,
    activations: f64,
}

/// A timer group in one frame, stored at the index of its timed ancestor.
#[derive(Clone, Copy, Debug, Default)]
struct TimerGroup {
    /// Whether there are members other than the timed ancestor.
    is_shared: bool,
    /// Whether its time is longer than everything known before, so that the frame's own hits are learned before the
    /// estimate.
    is_longest: bool,
    hits: u32,
    ticks: Ticks,
    /// The ticks in milliseconds, because ticks are not comparable in a frame in which the counter jumped.
    ms: f64,
    rate: f64,
    /// The sums of `u` and of its variance over the members.
    sum: f64,
    variance: f64,
    /// For the assignment of ticks: the sum of all shares, and the shares and ticks of the members so far.
    share_sum: f64,
    shares_so_far: f64,
    assigned: Ticks,
}

/// The time of a timer group in a frame, which its nodes share.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedTime {
    pub(super) ticks: Ticks,
    pub(super) hits: u32,
    /// The samples, of this and earlier frames, behind the learned costs.
    pub(super) learned: f64,
}

/// A member's share of its group in one frame.
#[derive(Clone, Copy, Debug, Default)]
struct MemberShare {
    hits: f64,
    /// `u` and its variance.
    size: f64,
    variance: f64,
    /// The variance for the standard error, larger than `variance` if activations seem to vary more than `u` assumes.
    reported_variance: f64,
    /// The weight in `u` of the count, and so of the learned costs. This frame's samples have the rest.
    by_count: f64,
    share: f64,
}

/// Returns the variance of a part `time` of `total`, as estimated from `samples` samples, before the reduction for the
/// share: `T t / n`, smoothed by half a sample.
pub(super) fn variance_by_share(total: f64, time: f64, samples: f64) -> f64 {
    let smoothed = (time * samples + 0.5 * total) / (samples + 1.0);
    total * smoothed / (samples + 2.0)
}

#[derive(Clone, Debug, Default)]
pub struct Estimator {
    learned: Vec<Learned>,
    groups: Vec<TimerGroup>,
    shares: Vec<MemberShare>,
    /// By timed ancestor, the average of [`error_scale`](Self::error_scale) in milliseconds.
    error_scales: Vec<Averages<1>>,
    /// The past hits and milliseconds of the whole thread.
    hits: f64,
    ms: f64,
}

impl Estimator {
    /// Bytes per node of a thread that is sampled.
    #[cfg(any(test, feature = "test-support"))]
    pub const BYTES_PER_NODE: usize =
        size_of::<Learned>() + size_of::<TimerGroup>() + size_of::<Averages<1>>();

    pub fn add_hits(&mut self, node: u32, count: u32) {
        let learned = self.learned(node);
        learned.hits = learned.hits.saturating_add(count);
    }

    /// Starts a node that has become untimed with `ms_per_activation`, which its own clock measured. If the node
    /// `had_clock` since it was sampled, the samples are forgotten, because the cost of calls may have changed.
    pub fn seed(
        &mut self,
        node: u32,
        timed_ancestor: u32,
        ms_per_activation: f64,
        had_clock: bool,
    ) {
        let learned = self.learned(node);
        if had_clock && learned.activations > 0.0 {
            let (samples, squares, ms) = (learned.samples, learned.squares, learned.ms);
            *learned = Learned {
                samples,
                squares,
                ms,
                group_time: learned.group_time,
                decayed_by: learned.decayed_by,
                decayed_at: learned.decayed_at,
                hits: learned.hits,
                ..Learned::default()
            };
            // The knowledge about a group has no more samples behind it than the knowledge about its members.
            let group = self.learned(timed_ancestor);
            (group.samples, group.squares, group.ms) = (0.0, 0.0, 0.0);
        }
        let learned = self.learned(node);
        if learned.activations == 0.0 && ms_per_activation.is_finite() {
            learned.seed = ms_per_activation.max(0.0);
            learned.seed_samples = SEED_WORTH;
        }
    }

    /// Returns a group's ticks and samples in the newest frame. `None` if the timed ancestor is the only member.
    pub(super) fn shared(&self, timed_ancestor: u32) -> Option<SharedTime> {
        let group = self.groups.get(timed_ancestor as usize)?;
        group.is_shared.then_some(SharedTime {
            ticks: group.ticks,
            hits: group.hits,
            learned: self.learned[timed_ancestor as usize].samples,
        })
    }

    fn learned(&mut self, node: u32) -> &mut Learned {
        let index = node as usize;
        if index >= self.learned.len() {
            self.learned.resize(index + 1, Learned::default());
            self.groups.resize(index + 1, TimerGroup::default());
        }
        &mut self.learned[index]
    }

    /// Divides the time of a frame of `seconds`. Appends the delta of each of `members`, in order, unless it did
    /// nothing.
    pub fn apportion(
        &mut self,
        members: &[Member],
        seconds: f64,
        ms_per_tick: f64,
        deltas: &mut Vec<NodeDelta>,
    ) {
        self.start_frame(members, seconds.max(0.0), ms_per_tick);
        self.estimate(members);
        self.distribute_remainder(members);
        self.learn(members);
        self.assign_ticks(members, ms_per_tick, deltas);
    }

    /// Sums up hits and ticks by group, and decays the learned numbers.
    fn start_frame(&mut self, members: &[Member], seconds: f64, ms_per_tick: f64) {
        let weight = 0.1f64.powf(seconds / MEMORY_90);
        self.hits *= weight;
        self.ms *= weight;
        self.shares.clear();
        for member in members {
            let learned = self.learned(member.node);
            let hits = std::mem::take(&mut learned.hits);
            if member.is_timed_ancestor() {
                let pace = (learned.samples / SAMPLES_TO_KEEP).min(1.0);
                let weight = 0.1f64.powf(seconds * pace / MEMORY_90);
                learned.group_time += seconds * pace;
                learned.samples *= weight;
                learned.squares *= weight * weight;
                learned.ms *= weight;
                self.groups[member.node as usize] = TimerGroup {
                    ticks: member.ticks,
                    ms: member.ticks as f64 * ms_per_tick,
                    ..TimerGroup::default()
                };
                self.ms += member.ticks as f64 * ms_per_tick;
            }
            let group_time = self.learned[member.timed_ancestor as usize].group_time;
            let learned = &mut self.learned[member.node as usize];
            if learned.decayed_by == member.timed_ancestor && learned.decayed_at < group_time {
                learned.decay(0.1f64.powf((group_time - learned.decayed_at) / MEMORY_90));
            }
            (learned.decayed_by, learned.decayed_at) = (member.timed_ancestor, group_time);
            self.hits += f64::from(hits);
            let group = &mut self.groups[member.timed_ancestor as usize];
            group.is_shared |= !member.is_timed_ancestor();
            group.hits += hits;
            self.shares.push(MemberShare {
                hits: f64::from(hits),
                ..MemberShare::default()
            });
        }
    }

    fn estimate(&mut self, members: &[Member]) {
        let rate = if self.ms > 0.0 {
            self.hits / self.ms
        } else {
            0.0
        };
        for (member, part) in members.iter().zip(&mut self.shares) {
            let known = self.learned[member.timed_ancestor as usize];
            let group = &mut self.groups[member.timed_ancestor as usize];
            if !group.is_shared {
                continue;
            }
            if member.is_timed_ancestor() {
                // The group's own sampling rate makes its times sum to its ticks. The thread's rate has the weight of
                // one hit.
                let total = known.ms + group.ms;
                let hits = known.samples + f64::from(group.hits);
                group.rate = rate * (hits + 1.0) / (total * rate + 1.0);
                group.is_longest = group.ms > known.ms;
            }
            let rate = group.rate;
            let activations = member.activations as f64;
            let mut learned = self.learned[member.node as usize];
            // Otherwise a node without earlier hits would get no time in the frame of its first hits, however many
            // there are.
            let is_new = learned.observed == 0.0 && learned.seed_samples == 0.0;
            // In a frame longer than everything known before, the frame's own hits are the best knowledge.
            if is_new || group.is_longest {
                learned.observed += part.hits;
                learned.activations += activations;
            }
            let mean = learned.mean(rate);
            if mean <= 0.0 || activations + part.hits <= 0.0 {
                part.by_count = 1.0;
                continue;
            }
            let expected = rate * mean * activations;
            let surplus = part.hits - expected;
            let mut dispersion = learned.dispersion();
            if surplus > SURPRISE * (expected + 1.0).sqrt() && activations > 0.0 {
                let unit = rate * rate * mean * mean * activations;
                dispersion = dispersion.max((surplus * surplus - expected) / unit);
            }
            part.by_count = 1.0 / (1.0 + dispersion * rate * mean);
            let evidence = activations + dispersion * part.hits;
            part.size = mean * evidence * part.by_count;
            // Uses the expected hits. If weights depended on this frame's hits, more hits would make a node give away
            // more.
            let usual = activations / part.by_count;
            let evidence = evidence + (usual - evidence) / dispersion;
            part.variance = mean * mean * dispersion * evidence * part.by_count * part.by_count;
            // The variance of `u` as computed above: the count misses how activations vary, and the samples are noisy.
            let likely = learned.likely_dispersion().max(dispersion);
            let by_samples = 1.0 - part.by_count;
            let of_count = mean * mean * likely * activations * part.by_count.powi(2);
            let of_samples = mean * activations / rate * by_samples.powi(2);
            part.reported_variance = part.variance.max(of_count + of_samples);
            group.sum += part.size;
            group.variance += part.variance;
        }
    }

    fn distribute_remainder(&mut self, members: &[Member]) {
        let groups = &mut self.groups;
        for (member, part) in members.iter().zip(&mut self.shares) {
            let group = &mut groups[member.timed_ancestor as usize];
            let missing = group.ms - group.sum;
            let share = if group.variance > 0.0 {
                part.size + missing * part.variance / group.variance
            } else if group.hits > 0 {
                part.hits
            } else {
                // Nothing is known about any member yet.
                f64::from(u8::from(member.is_timed_ancestor()))
            };
            part.share = share.max(0.0);
            group.share_sum += part.share;
        }
    }

    fn learn(&mut self, members: &[Member]) {
        for (member, part) in members.iter().zip(&self.shares) {
            let group = self.groups[member.timed_ancestor as usize];
            if !group.is_shared {
                continue;
            }
            let learned = &mut self.learned[member.node as usize];
            let activations = member.activations as f64;
            let per_activation = group.rate * learned.mean(group.rate);
            let expected = per_activation * activations;
            // A deviation from little knowledge says nothing about how much activations vary.
            if learned.activations > 0.0 && !group.is_longest {
                learned.excess += (part.hits - expected).powi(2) - expected;
                learned.noise += 2.0 * expected * expected + expected;
                learned.unit += per_activation * expected;
            }
            learned.observed += part.hits;
            learned.activations += activations;
            if let Some(since) = learned.find_change(part.hits, activations, expected) {
                let weight = (since.activations / learned.activations).clamp(0.0, 1.0);
                (learned.observed, learned.activations) = (since.hits, since.activations);
                (learned.excess, learned.noise, learned.unit) = (0.0, 0.0, 0.0);
                (learned.seed_samples, learned.changes) = (0.0, Default::default());
                let timed_ancestor = &mut self.learned[member.timed_ancestor as usize];
                timed_ancestor.samples *= weight;
                timed_ancestor.squares *= weight;
                timed_ancestor.ms *= weight;
            }
            let learned = &mut self.learned[member.node as usize];
            if member.is_timed_ancestor() {
                learned.samples += f64::from(group.hits);
                learned.squares += f64::from(group.hits);
                learned.ms += group.ms;
            }
        }
    }

    /// Assigns each member its share of the group's ticks, exact to the tick.
    fn assign_ticks(&mut self, members: &[Member], ms_per_tick: f64, deltas: &mut Vec<NodeDelta>) {
        for (member, part) in members.iter().zip(&self.shares) {
            let group = &mut self.groups[member.timed_ancestor as usize];
            let mut delta = NodeDelta {
                ticks: member.ticks,
                entries: member.entries,
                node: member.node,
                error: 0.0,
            };
            if group.is_shared {
                // Sharing the running sum cancels rounding errors.
                group.shares_so_far += part.share;
                let total = group.ticks as f64;
                let due =
                    (total * (group.shares_so_far / group.share_sum).min(1.0)).round() as Ticks;
                let got = due.min(group.ticks).saturating_sub(group.assigned);
                group.assigned += got;
                delta.ticks = got;
                if !member.is_timed_ancestor() {
                    // Its own clock measured a part of the frame.
                    delta.ticks += member.ticks;
                }
                let effective_samples =
                    self.learned[member.timed_ancestor as usize].effective_samples(group);
                let learned = variance_by_share(total, got as f64, effective_samples)
                    * part.by_count
                    * part.by_count;
                // An error is at most the total. In a frame much shorter than an activation, it would otherwise be
                // larger and dwarf the errors of the other members.
                let of_frame = part.reported_variance / (ms_per_tick * ms_per_tick);
                let error = (of_frame + learned).sqrt().min(total) as f32;
                // The sign marks the timed ancestor.
                delta.error = if member.is_timed_ancestor() {
                    -error
                } else {
                    error
                };
            }
            if delta.ticks > 0 || delta.entries > 0 || delta.error != 0.0 {
                deltas.push(delta);
            }
        }
    }
}
