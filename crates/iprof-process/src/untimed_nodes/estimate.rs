//! The estimator: divides a timer group's exact time among its nodes, based on entry counts and samples, and computes
//! each node's standard error.
//!
//! # What is known
//!
//! An untimed node (see `gather::record`) only counts its entries. Its time is included in the clock of its *timed
//! ancestor*, the innermost timed node on its stack. A timed ancestor and the nodes that share its clock form a *timer
//! group*, here "group" for short. A sample that finds a node on top of the stack is a *hit* on the node. For each
//! frame, the estimator is given:
//!
//! * `T`, each group's ticks, which are exact.
//! * `e`, each node's activations in the frame, including one that was open when the frame began. They are exact.
//! * `s`, each node's hits. There are few: at 1,000 Hz, a frame of 16 ms has sixteen samples.
//!
//! It estimates each node's time `t`. A group's times have to sum to `T`, so that they add up in the same way as exact
//! times.
//!
//! # Why not `T s / S`
//!
//! Samples are taken at random moments with exponentially distributed intervals. So every moment is equally likely to
//! be sampled, whatever the program's rhythm: *Poisson arrivals see time averages* (R. W. Wolff, 1982). At the sampling
//! rate `h`, a node has `h t` hits on average, and `S t / T` of its group's `S` samples. So `T s / S` is correct on
//! average *if there is a sample*. With sixteen samples, it is typically off by 25 %, and most groups have no sample in
//! most frames. Assigning their time to the timed ancestor would always be wrong in the same direction. So the estimate
//! has to use what was learned from other frames, without introducing a bias.
//!
//! # The estimator
//!
//! For each node, the estimator learns two numbers. `m` is the mean time per activation, in milliseconds because ticks
//! are not comparable in a frame in which the counter jumped. `v` measures how much activations vary: their variance
//! divided by the square of their mean. If the time of `e` activations has a gamma distribution with this mean and
//! variance, and the number of samples in it is Poisson, then the mean of the time, given `s`, is
//!
//! ```text
//! u = m (e + v s) / (1 + v h m)
//! ```
//!
//! This is a weighted mean of `e m`, the estimate from the count, and `s / h`, the estimate from this frame's samples,
//! with the weights `1` and `v h m`. For a node that takes nanoseconds and is entered a hundred thousand times, only
//! the count matters, so the estimate is good despite few hits. For a node that is entered once and takes several
//! sampling periods, the samples dominate, so a spike shows up in the frame in which it happened. Nothing has to be
//! tuned. `v` is one, as for exponentially distributed times, unless the samples vary significantly more. A deviation
//! of more than [`SURPRISE`] standard deviations takes effect immediately.
//!
//! The values `u` in a group don't sum to `T` yet. The remainder is distributed in proportion to the variance of each
//! `u`: `t = u + (T - U) w / W`, where `w` is the variance of `u` given the samples, and `U` and `W` are sums over the
//! group. This is the conditional mean of independent normal variables whose sum is known.
//!
//! # Why it is unbiased
//!
//! `m` is the number of past hits divided by `h` times the number of past activations, with less weight for old frames.
//! By the theorem above, `h m e`, summed over frames, equals the number of hits on average, as long as the mean cost of
//! calls stays the same for several seconds. `u` is linear in `s`, and its mean is a mean of `m e` and `t`, whose sums
//! over frames are the same. The correction added to `u` is linear in the remainder, which is zero on average. The
//! model, including the gamma distribution, only affects how the sum is spread over frames and how large the standard
//! error is. If the model is wrong, the sum is still correct.
//!
//! For this reason, nothing here is scaled by a ratio of random numbers. `t = u T / U` looks simpler but is biased,
//! because a ratio of means is not the mean of ratios. Likewise, while `v` is one, `w` depends on the expected hits
//! instead of the actual hits.
//!
//! If a frame is longer than everything known about its group, `m` is learned from the frame's own hits as well.
//! Examples are the first frame and one that loads a level. Such frames are recognized by the clock, not by their hits.
//! (Past hits matter a little, because a group with few samples forgets more slowly.) So `m e` is correct on average,
//! and better than an estimate based on a few earlier milliseconds. With so little earlier data, the deviation of the
//! frame's hits from it carries no information about `v`. If `v` were learned from it, the next frames would rely too
//! much on their own few hits.
//!
//! When calls become permanently slower or faster, the learned numbers would be wrong for seconds. So the estimator
//! looks for a lasting change in the hits ([`Change`], the cumulative sum of E. S. Page, 1954), and discards the
//! earlier data when it finds one. Finding a change takes about fifty hits, or a surprise. Similarly, old samples no
//! longer count once a clock has measured the node.
//!
//! Some steps are not linear: a surprise, a `v` above one, and a detected change. Estimates are also clamped to zero,
//! which matters if a node's calls alternate between slow and fast, so that `T - U` is large. Tests run programs with
//! known times through the estimator, including programs in step with the sampler, with rare spikes and with lasting
//! changes.
//!
//! # The standard error
//!
//! Two things are uncertain: `m`, which is based on `n` effective samples, and this frame's deviation from `m`, whose
//! variance given the samples is `w`. Fractions of one total vary like a multinomial: their variance is `T t / n`,
//! minus the reduction for the fraction. They are smoothed as if each node had been hit by an additional half sample
//! (Jeffreys), so that a node without hits isn't shown as certainly zero. The error of a sum over nodes depends on its
//! fraction of the group, and is zero for the entire group: see [`variance`](crate::untimed_nodes::variance).

mod average_errors;

use crate::moving_average::Averages;
use crate::untimed_nodes::NodeDelta;
use iprof_gather::clock::Ticks;

/// The number of seconds after which a frame's weight in the learned numbers has dropped to a tenth.
const MEMORY_90: f64 = 4.0;
/// The number of samples below which a group forgets more slowly.
const SAMPLES_TO_KEEP: f64 = 30.0;
/// The number of samples that a mean time measured by the node's own clock is worth.
const SEED_WORTH: f64 = 1.0;
/// The minimum factor by which a lasting change must change the cost of calls to be detected.
const CHANGE_FACTOR: f64 = 1.5;
/// The logarithm of the likelihood ratio above which a change is accepted.
const CHANGE_EVIDENCE: f64 = 12.0;
/// The number of standard deviations between expected and actual hits above which the difference is a surprise.
const SURPRISE: f64 = 4.0;

/// A node that may have been on the stack in the frame. Members are listed in tree order, parents first.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub node: u32,
    /// The node whose clock includes this node's time. If this node is timed, its own index.
    pub timed_ancestor: u32,
    /// The number of activations that were open at any time in the frame.
    pub activations: u64,
    /// The ticks and entries from the node's own clock and counter.
    pub ticks: Ticks,
    pub entries: u64,
}

impl Member {
    pub(super) fn is_timed_ancestor(&self) -> bool {
        self.node == self.timed_ancestor
    }
}

/// The data learned about a node, with less weight for old frames.
#[derive(Clone, Copy, Debug, Default)]
struct Learned {
    /// Hits and activations. `m` is their ratio divided by the rate.
    observed: f64,
    activations: f64,
    /// Evidence that activations have become slower, and that they have become faster.
    changes: [Change; 2],
    /// `m` as measured while the node was timed, and the number of samples that the measurement is worth.
    seed: f64,
    seed_samples: f64,
    /// From the squared differences between observed and expected hits: the excess over a Poisson distribution, the
    /// square of the excess's noise, and the excess expected for `v = 1`.
    excess: f64,
    noise: f64,
    unit: f64,
    /// For a timed ancestor, its group's samples, the sum of their squared weights, and milliseconds.
    samples: f64,
    squares: f64,
    ms: f64,
    /// The group's time base. It advances more slowly while the group has few samples.
    group_time: f64,
    /// The timed ancestor whose `group_time` this entry last decayed with, and the value of `group_time` then.
    decayed_by: u32,
    decayed_at: f64,
    /// The number of hits that no frame has used yet.
    hits: u32,
}

impl Learned {
    /// Returns `m`, in milliseconds per activation. `rate` is in samples per millisecond.
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

    /// Returns `v`, which is one unless there is significant evidence that it is larger.
    fn dispersion(&self) -> f64 {
        if self.unit > 0.0 {
            ((self.excess - 2.0 * self.noise.sqrt()) / self.unit).max(1.0)
        } else {
            1.0
        }
    }

    /// Returns the most likely `v`, which is as likely to be too large as too small. It is used for standard errors:
    /// unlike estimates, they don't become wrong if `v` is too large, only wide.
    fn likely_dispersion(&self) -> f64 {
        if self.unit > 0.0 {
            (self.excess / self.unit).max(1.0)
        } else {
            1.0
        }
    }

    /// Looks for a lasting change to slower or faster calls, using the cumulative sum of the log-likelihood ratio of
    /// the hits with and without a change (E. S. Page, 1954). Returns the observations since the change.
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

    /// Returns the count's weight in an estimate. The frame's own samples have the remaining weight.
    fn weight_of_count(&self, rate: f64) -> f64 {
        1.0 / (1.0 + self.dispersion() * rate * self.mean(rate))
    }

    /// Returns the effective number of samples behind the data learned about `group`, as used in the newest frame.
    /// Excludes that frame's hits if they were added after the estimate.
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
    /// The logarithm of the likelihood ratio between a change and no change.
    evidence: f64,
    hits: f64,
    activations: f64,
}

/// A timer group in one frame, stored at the index of its timed ancestor.
#[derive(Clone, Copy, Debug, Default)]
struct TimerGroup {
    /// Whether there are members other than the timed ancestor.
    is_shared: bool,
    /// Whether the group's time is longer than all of its earlier time, so that the frame's own hits are learned before
    /// the estimate.
    is_longest: bool,
    hits: u32,
    ticks: Ticks,
    /// The ticks in milliseconds, because ticks are not comparable in a frame in which the counter jumped.
    ms: f64,
    rate: f64,
    /// The sums of `u` and of its variance over the members.
    sum: f64,
    variance: f64,
    /// Used for assigning ticks: the sum of all shares, and the shares and ticks of the members so far.
    share_sum: f64,
    shares_so_far: f64,
    assigned: Ticks,
}

/// A timer group's time in one frame, which its nodes share.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedTime {
    pub(super) ticks: Ticks,
    pub(super) hits: u32,
    /// The number of samples behind the learned costs, from this and earlier frames.
    pub(super) learned: f64,
}

/// A member's share of its group in one frame.
#[derive(Clone, Copy, Debug, Default)]
struct MemberShare {
    hits: f64,
    /// `u` and its variance.
    size: f64,
    variance: f64,
    /// The variance for the standard error. It is larger than `variance` if activations seem to vary more than `u`
    /// assumes.
    reported_variance: f64,
    /// The weight in `u` of the count, and so of the learned costs. This frame's samples have the remaining weight.
    by_count: f64,
    share: f64,
}

/// Returns the variance of `time` as part of `total`, estimated from `samples` samples, before the reduction for the
/// fraction: `T t / n`, smoothed by half a sample.
pub(super) fn variance_by_share(total: f64, time: f64, samples: f64) -> f64 {
    let smoothed = (time * samples + 0.5 * total) / (samples + 1.0);
    total * smoothed / (samples + 2.0)
}

#[derive(Clone, Debug, Default)]
pub struct Estimator {
    learned: Vec<Learned>,
    groups: Vec<TimerGroup>,
    shares: Vec<MemberShare>,
    /// The average [`error_scale`](Self::error_scale) in milliseconds, by timed ancestor.
    error_scales: Vec<Averages<1>>,
    /// The thread's total past hits and milliseconds.
    hits: f64,
    ms: f64,
}

impl Estimator {
    /// The number of bytes per node on a sampled thread.
    #[cfg(any(test, feature = "test-support"))]
    pub const BYTES_PER_NODE: usize =
        size_of::<Learned>() + size_of::<TimerGroup>() + size_of::<Averages<1>>();

    pub fn add_hits(&mut self, node: u32, count: u32) {
        let learned = self.learned(node);
        learned.hits = learned.hits.saturating_add(count);
    }

    /// Initializes a node that has become untimed with `ms_per_activation`, as measured by its own clock. If the node
    /// `had_clock` since it was last sampled, its samples are forgotten, because the cost of calls may have changed.
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
            // A group can't have more samples behind it than its members have.
            let group = self.learned(timed_ancestor);
            (group.samples, group.squares, group.ms) = (0.0, 0.0, 0.0);
        }
        let learned = self.learned(node);
        if learned.activations == 0.0 && ms_per_activation.is_finite() {
            learned.seed = ms_per_activation.max(0.0);
            learned.seed_samples = SEED_WORTH;
        }
    }

    /// Returns a group's ticks and samples in the newest frame, or `None` if the timed ancestor is the only member.
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

    /// Divides the time of a frame that took `seconds`. Appends the members' deltas in order, except for members that
    /// did nothing.
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
                // With the group's own sampling rate, its times sum to its ticks. The thread's rate has the weight of
                // one hit.
                let total = known.ms + group.ms;
                let hits = known.samples + f64::from(group.hits);
                group.rate = rate * (hits + 1.0) / (total * rate + 1.0);
                group.is_longest = group.ms > known.ms;
            }
            let rate = group.rate;
            let activations = member.activations as f64;
            let mut learned = self.learned[member.node as usize];
            // Otherwise, a node without earlier hits would get no time in the frame with its first hits, no matter how
            // many there are.
            let is_new = learned.observed == 0.0 && learned.seed_samples == 0.0;
            // In a frame that is longer than all earlier time, the frame's own hits are the best data available.
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
            // The expected hits are used. If weights depended on this frame's hits, more hits would make a node give
            // away more time.
            let usual = activations / part.by_count;
            let evidence = evidence + (usual - evidence) / dispersion;
            part.variance = mean * mean * dispersion * evidence * part.by_count * part.by_count;
            // The variance of `u` as computed above: the count ignores how activations vary, and the samples are noisy.
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
            // If little is known, a deviation carries no information about how much activations vary.
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
                    // The node's own clock measured part of the frame.
                    delta.ticks += member.ticks;
                }
                let effective_samples =
                    self.learned[member.timed_ancestor as usize].effective_samples(group);
                let learned = variance_by_share(total, got as f64, effective_samples)
                    * part.by_count
                    * part.by_count;
                // An error can't exceed the total. Without this limit, the error in a frame much shorter than an
                // activation would be larger and would dwarf the other members' errors.
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
