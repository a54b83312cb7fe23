//! Where the time of a clock went that several nodes share.
//!
//! # What is known
//!
//! A node without a clock (see `gather::record`) counts its entries and nothing more. Its time runs on
//! the clock of its *account*, the innermost node below it that has one. An account and the nodes
//! that share its clock are a *group*. Of each group and frame three things are known:
//!
//! * `T`, the ticks of the group: exact;
//! * of each node `e`, its activations that reach into the frame (entries, and one more if it was open when
//!   the frame began): exact;
//! * of each node `s`, how often the sampler found it on top: few. At 1,000 Hz a frame has sixteen.
//!
//! Wanted is each node's time `t`. The times of a group have to sum to `T`, so that all the sums that
//! hold for exact times hold for these.
//!
//! # Why not just `T s / S`
//!
//! The samples come at random moments, their distances exponential, so that a moment is as likely
//! to be hit as any other, whatever rhythm the program has: *Poisson arrivals see time averages*
//! (R. W. Wolff, 1982). So of `S` samples in a group a node gets `S t / T` on average, and `T s / S` is right on average
//! *if there is a sample*. With sixteen samples in a frame it is off by a quarter as a rule, and most groups
//! have no sample in most frames: giving their time to the account, say, would be wrong always in
//! the same direction. But what was learned in other frames can be used, and it has to be used in a way
//! that leaves the average right.
//!
//! # The estimator
//!
//! Of each node we learn `m`, its mean ticks per activation. If activations last an exponential time,
//! then the time of `e` of them has a gamma distribution with mean `e m` and shape `e`; the number
//! of samples in it, at a rate of `h` per tick, is Poisson; and the mean of the time, given `s`, is
//!
//! ```text
//! u = m (e + s) / (1 + h m)
//! ```
//!
//! That is a mean of `e m`, what the counts say, and `s / h`, what this frame's samples say, with weights
//! `1` and `h m`. Of a node of 20 ns that is entered a hundred thousand times, counts are all that matters: its
//! estimate is good to a per cent although it was hit five times in the frame. Of a node that is entered
//! once and takes several sampling periods, the samples decide: a spike shows in the frame in
//! which it was. Nothing has to be tuned between the two. The estimate is `t = T u / U`, where `U` is the sum of `u` over
//! the group.
//!
//! # Why it is unbiased
//!
//! Scaling by `T / U` moves the averages a little (a ratio of means is no mean of ratios), and real activations are
//! not exponential. So `m` is not learned from `s` and `e` alone, but by what was *published*: it is the
//! ratio of two sums over the past, in which old frames weigh less,
//!
//! ```text
//! m = O / X,   O = sum of s,   X = sum of h t / m = sum of h (T / U) (e + s) / (1 + h m)
//! ```
//!
//! If more was published for a node than it was hit for, `h t` summed exceeds `s` summed, `X` grows
//! faster than `O`, and `m` falls, until `m X`, which is the sum of `h t`, equals `O`. So over any time that is long
//! against the memory of the sums, published times sum to the node's hits over `h`; and hits over `h` are
//! right on average for *any* program, by the theorem above. Model and scaling decide only how the sum is spread over
//! frames. (In the statistics of surveys this is a calibrated estimator, the counts being the auxiliary
//! variable; that `m` can be found so is Hunter's MM algorithm for such ratios, Annals of Statistics 2004.)
//! All `m` of a group could grow together and `T / U` would undo it; so `T / U` is taken relative to its own mean
//! over the past, which ties `m` to ticks.
//! The tests run programs of known times through it: even, alternating in step with the sampler, with rare
//! spikes, with nodes that are hardly ever hit.
//!
//! # How sure it is
//!
//! Two things are uncertain: `m`, known from `n` samples in effect; and this frame's
//! deviation from it, which the samples have reduced to the variance of the gamma distribution above,
//! `m² (e + s) / (1 + h m)²`. Shares `p = t / T` of one total vary as a multinomial: by `p (1 - p) / n`, which
//! is smoothed as if half a sample had been seen of each node (Jeffreys), so that a node that was never hit is not
//! shown as surely nothing. A sum over nodes is uncertain by as much as its own share of the group:
//! not at all if it is the whole group. [`Spread`] adds up accordingly.

use super::history::Sample;
use crate::clock::Ticks;

/// Seconds after which a frame weighs a tenth in what is learned.
const MEMORY_90: f64 = 4.0;
/// Samples that the time of a node while it had a clock is worth.
const SEED: f64 = 1.0;

/// A node that may have been on the stack in the frame. Members come in the order of the tree, parents first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) node: u32,
    /// The node whose clock it runs on; its own index if it has one.
    pub(super) account: u32,
    /// Activations that reach into the frame.
    pub(super) activations: u64,
    /// What the node's own clock and counter say.
    pub(super) ticks: Ticks,
    pub(super) entries: u64,
}

impl Member {
    fn is_account(&self) -> bool {
        self.node == self.account
    }
}

/// What is known of a node over the past, in which old frames weigh less.
#[derive(Clone, Copy, Debug, Default)]
struct Learned {
    /// `O` and `X`.
    observed: f64,
    exposure: f64,
    /// Of the group that the node is the account of: samples, their squared weights, ticks, and ticks
    /// times `T / U`.
    samples: f64,
    squares: f64,
    ticks: f64,
    scaled: f64,
    /// When all that was last brought up to date.
    at: f64,
    /// Hits that no frame has used yet.
    hits: u32,
}

impl Learned {
    /// `m`, in ticks per activation.
    fn mean(&self) -> f64 {
        if self.exposure > 0.0 {
            self.observed / self.exposure
        } else {
            0.0
        }
    }

    /// Samples that what is known of the group is worth.
    fn effective(&self) -> f64 {
        if self.squares > 0.0 {
            self.samples * self.samples / self.squares
        } else {
            0.0
        }
    }

    fn weaken(&mut self, weight: f64) {
        self.observed *= weight;
        self.exposure *= weight;
        self.samples *= weight;
        self.squares *= weight * weight;
        self.ticks *= weight;
        self.scaled *= weight;
    }
}

/// A group in one frame, kept at its account.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// Members besides the account.
    others: u32,
    hits: u32,
    ticks: Ticks,
    /// `U`.
    sum: f64,
    /// The members so far: their sum of `u`, and what they got.
    passed: f64,
    given: Ticks,
}

/// A member's part in one frame.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// `(e + s) / (1 + h m)`.
    weight: f64,
    /// `1 / (1 + h m)`.
    by_count: f64,
    mean: f64,
}

impl Part {
    /// `u`.
    fn size(&self) -> f64 {
        self.mean * self.weight
    }

    /// The variance that this frame's samples leave, in square ticks.
    fn variance(&self) -> f64 {
        self.mean * self.mean * self.weight * self.by_count
    }
}

/// The variance of a share of `total` that `samples` say is `time`, but for what the share takes away:
/// `T t / n`, smoothed by half a sample.
fn variance_by_share(total: f64, time: f64, samples: f64) -> f64 {
    let smoothed = (time * samples + 0.5 * total) / (samples + 1.0);
    total * smoothed / (samples + 2.0)
}

/// Apportions the ticks of a thread's shared clocks.
#[derive(Debug, Default)]
pub(super) struct Estimator {
    learned: Vec<Learned>,
    /// Seconds that have passed, and when the frame before ended.
    now: f64,
    before: f64,
    /// Weight of what was known at `before`.
    decay: f64,
    /// Of the whole thread, over the past.
    hits: f64,
    ticks: f64,
    groups: Vec<Group>,
    parts: Vec<Part>,
}

impl Estimator {
    /// The sampler found `node` on top of the stack, `count` times since the last frame.
    pub(super) fn hit(&mut self, node: u32, count: u32) {
        let learned = self.learned(node);
        learned.hits = learned.hits.saturating_add(count);
    }

    /// What `node` took per activation while it had a clock: something to begin with.
    pub(super) fn seed(&mut self, node: u32, ticks_per_activation: f64) {
        let now = self.now;
        let learned = self.learned(node);
        if learned.exposure == 0.0 && ticks_per_activation > 0.0 && ticks_per_activation.is_finite() {
            learned.observed = SEED;
            learned.exposure = SEED / ticks_per_activation;
            learned.at = now;
        }
    }

    /// The variance, in the unit of the times, of the average over `t90` seconds of a node's part `time` of its
    /// group's `total`, but for what that share takes away from it.
    pub(super) fn variance_of_average(&self, account: u32, total: f64, time: f64, t90: f64) -> f64 {
        let learned = self.learned.get(account as usize);
        let effective = learned.map_or(0.0, Learned::effective);
        // An average of less time than is remembered rests on fewer samples, at worst.
        variance_by_share(total, time, effective * (t90 / MEMORY_90).min(1.0))
    }

    fn learned(&mut self, node: u32) -> &mut Learned {
        let index = node as usize;
        if index >= self.learned.len() {
            self.learned.resize(index + 1, Learned::default());
            self.groups.resize(index + 1, Group::default());
        }
        &mut self.learned[index]
    }

    /// Apportions a frame of `seconds`: appends to `samples` what each of `members` did, in their
    /// order, as far as there is anything.
    pub(super) fn apportion(
        &mut self,
        members: &[Member],
        seconds: f64,
        samples: &mut Vec<Sample>,
    ) {
        self.advance(seconds);
        self.sum_up(members);
        self.estimate(members);
        self.learn(members);
        self.hand_out(members, samples);
    }

    fn advance(&mut self, seconds: f64) {
        self.before = self.now;
        self.now += seconds.max(0.0);
        self.decay = 0.1f64.powf((self.now - self.before) / MEMORY_90);
        self.hits *= self.decay;
        self.ticks *= self.decay;
    }

    /// Brings what is known of a node to the present.
    fn age(&mut self, node: u32) {
        let (now, before, decay) = (self.now, self.before, self.decay);
        let learned = self.learned(node);
        if learned.at != now {
            let weight = if learned.at == before {
                decay
            } else {
                0.1f64.powf((now - learned.at) / MEMORY_90)
            };
            learned.weaken(weight);
            learned.at = now;
        }
    }

    /// Sums up hits and ticks by group.
    fn sum_up(&mut self, members: &[Member]) {
        for member in members {
            self.age(member.node);
            // A group begins with its account.
            if member.is_account() {
                self.groups[member.node as usize] = Group {
                    ticks: member.ticks,
                    ..Group::default()
                };
                self.ticks += member.ticks as f64;
            }
            let hits = self.learned[member.node as usize].hits;
            self.hits += f64::from(hits);
            let group = &mut self.groups[member.account as usize];
            group.others += u32::from(!member.is_account());
            group.hits += hits;
        }
    }

    /// Hits per tick on the thread.
    fn rate(&self) -> f64 {
        if self.ticks > 0.0 {
            self.hits / self.ticks
        } else {
            0.0
        }
    }

    /// Finds `u` of each member.
    fn estimate(&mut self, members: &[Member]) {
        let rate = self.rate();
        self.parts.clear();
        for member in members {
            let learned = &mut self.learned[member.node as usize];
            let hits = f64::from(std::mem::take(&mut learned.hits));
            let group = &mut self.groups[member.account as usize];
            let mut part = Part::default();
            if group.others > 0 {
                let evidence = member.activations as f64 + hits;
                let known = learned.mean();
                learned.observed += hits;
                // With this frame's exposure, as if it were in scale; `learn` sets it right.
                let exposure = learned.exposure + rate * evidence / (1.0 + rate * known);
                part.mean = if exposure > 0.0 {
                    learned.observed / exposure
                } else {
                    0.0
                };
                part.by_count = 1.0 / (1.0 + rate * part.mean);
                part.weight = evidence * part.by_count;
                group.sum += part.size();
            }
            self.parts.push(part);
        }
    }

    /// Takes the frame into what is known, by what is published of it.
    fn learn(&mut self, members: &[Member]) {
        let rate = self.rate();
        for (member, part) in members.iter().zip(&self.parts) {
            let group = self.groups[member.account as usize];
            if group.others == 0 {
                continue;
            }
            let ticks = group.ticks as f64;
            let scale = if group.sum > 0.0 { ticks / group.sum } else { 1.0 };
            if member.is_account() {
                let known = &mut self.learned[member.node as usize];
                known.samples += f64::from(group.hits);
                known.squares += f64::from(group.hits);
                known.ticks += ticks;
                known.scaled += ticks * scale;
            }
            let known = self.learned[member.account as usize];
            // The group's own rate, since published times have to sum to its own hits; that of the thread is
            // worth one hit.
            let own_rate = rate * (known.samples + 1.0) / (known.ticks * rate + 1.0);
            let usual_scale = if known.scaled > 0.0 {
                known.scaled / known.ticks
            } else {
                1.0
            };
            let learned = &mut self.learned[member.node as usize];
            learned.exposure += own_rate * part.weight * scale / usual_scale;
        }
    }

    /// Gives each member its part of the group's ticks, to the tick.
    fn hand_out(&mut self, members: &[Member], samples: &mut Vec<Sample>) {
        for (member, part) in members.iter().zip(&self.parts) {
            let group = &mut self.groups[member.account as usize];
            let mut sample = Sample {
                ticks: member.ticks,
                entries: member.entries,
                node: member.node,
                error: 0.0,
            };
            if group.others > 0 {
                let total = group.ticks as f64;
                let effective = self.learned[member.account as usize].effective();
                let (got, variance) = if group.sum > 0.0 {
                    // Shares of the running sum, so that roundings cancel.
                    group.passed += part.size();
                    let due = (total * (group.passed / group.sum).min(1.0)).round() as Ticks;
                    let got = due.min(group.ticks).saturating_sub(group.given);
                    let scale = total / group.sum;
                    (got, scale * scale * part.variance())
                } else {
                    // Nothing is known of anybody yet.
                    (if member.is_account() { group.ticks } else { 0 }, 0.0)
                };
                group.given += got;
                let learned = variance_by_share(total, got as f64, effective) * part.by_count;
                sample.ticks = got;
                if !member.is_account() {
                    // What its own clock counted, if it had one for a part of the frame.
                    sample.ticks += member.ticks;
                }
                // The sign tells whose clock it was.
                let error = (variance + learned).sqrt() as f32;
                sample.error = if member.is_account() { -error } else { error };
            }
            if sample.ticks > 0 || sample.entries > 0 || sample.error != 0.0 {
                samples.push(sample);
            }
        }
    }
}
