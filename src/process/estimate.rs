//! Where the time of a clock went that several nodes share.
//!
//! # What is known
//!
//! A node without a clock (see `gather::record`) counts its entries and nothing more. Its time runs
//! on the clock of its *account*, the innermost node below it that has one. An account and the
//! nodes that share its clock are a *group*. Of each group and frame three things are known:
//!
//! * `T`, the ticks of the group: exact;
//! * of each node `e`, its activations that reach into the frame (entries, and one more if it was
//!   open when the frame began): exact;
//! * of each node `s`, how often the sampler found it on top: few. At 1,000 Hz a frame has sixteen.
//!
//! Wanted is each node's time `t`. The times of a group have to sum to `T`, so that all sums that
//! hold for exact times hold for these.
//!
//! # Why not `T s / S`
//!
//! The samples come at random moments, their distances exponential, so that a moment is as likely
//! to be hit as any other, whatever rhythm the program has: *Poisson arrivals see time averages*
//! (R. W. Wolff, 1982). So a node is hit `h t` times on average, `h` being the rate of samples,
//! and of `S` samples in a group its part is `S t / T`. So `T s / S` is right on average, *if there
//! is a sample*. With sixteen samples in a frame it is off by a quarter as a rule, and most groups
//! have none in most frames: to give their time to the account, say, would be wrong always in the
//! same direction. What was learned in other frames has to be used, in a way that leaves the
//! average right.
//!
//! # The estimator
//!
//! Of each node we learn `m`, its mean time per activation (in milliseconds, as `h` is per
//! millisecond: a frame in which the counter jumped has other ticks), and `v`, how much activations
//! vary: their variance over the square of their mean. If the time of `e` activations has a gamma
//! distribution with that mean and variance, and the number of samples in it is Poisson, then the
//! mean of the time, given `s`, is
//!
//! ```text
//! u = m (e + v s) / (1 + v h m)
//! ```
//!
//! That is a mean of `e m`, what the counts say, and `s / h`, what this frame's samples say, with
//! weights `1` and `v h m`. Of a node of 20 ns that is entered a hundred thousand times, the counts
//! are all that matters: its estimate is good to a per cent though it was hit five times in the
//! frame. Of a node that is entered once and takes several sampling periods, the samples decide: a
//! spike shows in the frame in which it was. Nothing has to be tuned between the two. (`v` is one,
//! as of exponential times, until the samples vary significantly more; and a surprise of more
//! than [`SURPRISE`] standard deviations counts at once.)
//!
//! The `u` of a group do not sum to `T` yet. What is missing is distributed by how unsure each `u`
//! is: `t = u + (T - U) w / W`, where `w` is the variance that is left of `u`, and `U` and `W` are
//! sums over the group. Of independent normal variables whose sum is known, that is the mean.
//!
//! # Why it is unbiased
//!
//! `m` is the hits over the past by `h` times the activations over the past, old frames weighing
//! less. By the theorem above `h m e`, summed over frames, is on average the number of hits, as
//! long as the cost of calls is the same on average over some seconds, whatever it is from call to
//! call and from frame to frame. `u` is linear in `s`: its mean is a mean of `m e` and `t`, whose
//! sums over frames are the same. And what is added to it is linear in what is missing, which is
//! zero on average. The model, gamma and all, only decides how the sum is spread over frames and
//! how unsure it is; it may be wrong, the sum stays right. That is why nothing here is scaled by a
//! ratio of random numbers: `t = u T / U` looks simpler, and gave one long zone 8 % less than it
//! took, in every program tried, because a ratio of means is no mean of ratios. It is also why `w`
//! goes by the hits to be expected, not by those that came, as far as `v` is one.
//!
//! In a frame that is longer than all that is known of its group, the first one say, or the one in
//! which a level is loaded, `m` is learned with that frame's own hits. Which frames these are goes by
//! the clock (and, a little, by hits of the past: what is known of few fades the slower), not by the
//! hits of the frame: then `m e` is right on average, and better than what a few milliseconds before
//! told. How far its hits are from that little says nothing of `v`: learned there, `v` had the frames
//! after a long one go by their own few hits, off by 10 to 25 % for seconds instead of by 2 %.
//!
//! Where calls get dearer or cheaper for good, what was learned is wrong, and would be for seconds.
//! So a change that lasts is looked for in the hits ([`Change`], the cumulative sum of E. S. Page,
//! 1954), and what came before it is dropped. To find it takes some fifty hits, or a surprise:
//! until then a zone that went from 4 to 2 µs a call, 500 times a frame, was shown with 40 % too
//! much over the first 120 frames, from 4 to 8 µs with 11 % too little; from the 100th frame on
//! within 3 %. In the same way what was sampled long ago does not count once a clock told better.
//!
//! Some things are not linear: a surprise, a `v` that is more than one, a change that was found;
//! and no estimate is less than nothing, which shows where one node's calls get dearer and cheaper
//! all at once from frame to frame, so that `T - U` is large: 2 % of a zone, in a program made to
//! show it. The tests run programs of known times through this: even, alternating, with the cost
//! of calls changing, in step with the sampler, with rare spikes, with nodes that are hardly ever
//! hit, with changes that last, after exact times, over a jump of the counter.
//!
//! # How sure it is
//!
//! Two things are uncertain: `m`, known from `n` samples in effect; and this frame's deviation from
//! it, of which the samples leave `w`. Shares of one total vary as a multinomial: `T t / n`, less
//! what the share of the total takes away; smoothed as if half a sample had been seen of each node
//! (Jeffreys), so that a node that was never hit is not shown as surely nothing. A sum over nodes
//! is uncertain by as much as its own share of the group: not at all if it is the whole group.
//! [`spread`](super::spread) adds up accordingly.

use super::history::Sample;
use crate::clock::Ticks;

/// Seconds after which a frame weighs a tenth in what is learned.
const MEMORY_90: f64 = 4.0;
/// Of a group that was sampled less often than this, what is known fades the slower.
const SAMPLES_TO_KEEP: f64 = 30.0;
/// Samples that the time of a node while it had a clock is worth.
const SEED: f64 = 1.0;
/// A change in the cost of calls that lasts is looked for that is at least by this factor...
const CHANGE: f64 = 1.5;
/// ... and counts when it is so many times as likely as none, as a logarithm.
const EVIDENCE: f64 = 12.0;
/// By how many standard deviations samples have to differ from what was expected to count as a
/// surprise.
const SURPRISE: f64 = 4.0;

/// A node that may have been on the stack in the frame. Members come in the order of the tree,
/// parents first.
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
    pub(super) fn is_account(&self) -> bool {
        self.node == self.account
    }
}

/// What is known of a node over the past, in which old frames weigh less.
#[derive(Clone, Copy, Debug, Default)]
struct Learned {
    /// Hits and activations: `m` is their ratio over the rate.
    observed: f64,
    activations: f64,
    /// Evidence that activations cost more by now, and that they cost less.
    changes: [Change; 2],
    /// What `m` was while the node had a clock, and how many samples that is worth.
    seed: f64,
    seed_samples: f64,
    /// Of the squares of what was observed less what was expected: what is more than a Poisson
    /// distribution has, the square of the noise of that, and what it would be for `v = 1`.
    excess: f64,
    noise: f64,
    unit: f64,
    /// Of the group that the node is the account of: samples, their squared weights, milliseconds.
    samples: f64,
    squares: f64,
    ms: f64,
    /// The group's own time, which goes slower while it has few samples.
    clock: f64,
    /// The account by whose clock this was last brought up to date, and when that was.
    by: u32,
    at: f64,
    /// Hits that no frame has used yet.
    hits: u32,
}

impl Learned {
    /// Milliseconds per activation, at a rate of samples per millisecond.
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

    /// `v`: how much activations vary. One unless there is evidence of more.
    fn dispersion(&self) -> f64 {
        if self.unit > 0.0 {
            ((self.excess - 2.0 * self.noise.sqrt()) / self.unit).max(1.0)
        } else {
            1.0
        }
    }

    /// `v`, as what is stated about errors goes by: as likely too much as too little. An estimate
    /// that took little for granted would be off where it is not; a standard error would only be
    /// wide.
    fn likely_dispersion(&self) -> f64 {
        if self.unit > 0.0 {
            (self.excess / self.unit).max(1.0)
        } else {
            1.0
        }
    }

    /// Looks for a change that lasts, to dearer or cheaper calls, by the cumulative sum of how much
    /// more likely it makes the hits (E. S. Page, 1954); returns what was seen since it happened.
    fn find_change(&mut self, hits: f64, activations: f64, expected: f64) -> Option<Change> {
        if self.activations <= activations {
            return None;
        }
        // Where calls vary, hits come in bursts, which are evidence of less.
        let burst = 1.0 + self.dispersion() * expected / activations.max(1.0);
        for (change, factor) in self.changes.iter_mut().zip([CHANGE, CHANGE.recip()]) {
            change.evidence += (hits * factor.ln() + expected * (1.0 - factor)) / burst;
            change.hits += hits;
            change.activations += activations;
            if change.evidence > EVIDENCE {
                return Some(*change);
            }
            if change.evidence <= 0.0 {
                *change = Change::default();
            }
        }
        None
    }

    /// What the count says weighs this in an estimate, the frame's own samples the rest.
    fn weight_of_count(&self, rate: f64) -> f64 {
        1.0 / (1.0 + self.dispersion() * rate * self.mean(rate))
    }

    /// Samples that what is known of the newest frame's `group` is worth, without that frame's hits
    /// if these came after.
    fn effective(&self, group: &Group) -> f64 {
        let later = if group.is_longest { 0 } else { group.hits };
        let samples = self.samples - f64::from(later);
        let squares = self.squares - f64::from(later);
        // Not even one is left: rounding.
        if samples < 0.5 || squares <= 0.0 {
            0.0
        } else {
            samples * samples / squares
        }
    }

    fn fade(&mut self, weight: f64) {
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

/// What was seen since a change may have happened.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    /// How much more likely a change is than none, as a logarithm.
    evidence: f64,
    hits: f64,
    activations: f64,
}

/// A group in one frame, kept at its account.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// Whether there are members besides the account.
    is_shared: bool,
    /// Whether its time is longer than all that was known of it: then it counts among that itself.
    is_longest: bool,
    hits: u32,
    ticks: Ticks,
    /// The same in milliseconds. What is learned is: a frame in which the counter jumped has other
    /// ticks.
    ms: f64,
    /// Samples per millisecond.
    rate: f64,
    /// Sums over the members: of `u`, and of its variance.
    sum: f64,
    variance: f64,
    /// Of what is handed out: the sum of all, of the members so far, and what they got.
    shares: f64,
    passed: f64,
    given: Ticks,
}

/// What a group has to share in a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    pub(super) ticks: Ticks,
    pub(super) hits: u32,
    /// Samples of this and earlier frames that are remembered.
    pub(super) remembered: f64,
}

/// A member's part in one frame.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    hits: f64,
    /// `u`, and its variance.
    size: f64,
    variance: f64,
    /// The variance that is stated, which is larger where activations seem to vary more than `u` takes
    /// for granted.
    stated: f64,
    /// The weight in it of what was learned, over that of this frame's samples and it together.
    by_count: f64,
    /// What is handed out.
    share: f64,
}

/// The variance of a share of `total` that `samples` say is `time`, but for what the share takes
/// away: `T t / n`, smoothed by half a sample.
pub(super) fn variance_by_share(total: f64, time: f64, samples: f64) -> f64 {
    let smoothed = (time * samples + 0.5 * total) / (samples + 1.0);
    total * smoothed / (samples + 2.0)
}

/// Apportions the ticks of a thread's shared clocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimator {
    learned: Vec<Learned>,
    groups: Vec<Group>,
    parts: Vec<Part>,
    /// Of the whole thread, over the past: hits and milliseconds.
    hits: f64,
    ms: f64,
}

impl Estimator {
    /// What it keeps of each node of a thread that is sampled.
    #[cfg(all(test, not(loom)))]
    pub(super) const BYTES_PER_NODE: usize = size_of::<Learned>() + size_of::<Group>();

    /// The sampler found `node` on top of the stack, `count` times since the last frame.
    pub(super) fn hit(&mut self, node: u32, count: u32) {
        let learned = self.learned(node);
        learned.hits = learned.hits.saturating_add(count);
    }

    /// What `node` took per activation while it had a clock: something to begin with. If it had one
    /// after it was known by samples, these are forgotten: calls may cost something else by now.
    pub(super) fn seed(
        &mut self,
        node: u32,
        account: u32,
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
                clock: learned.clock,
                by: learned.by,
                at: learned.at,
                hits: learned.hits,
                ..Learned::default()
            };
            // What the group knows rests on no more samples than what is known of its members.
            let group = self.learned(account);
            (group.samples, group.squares, group.ms) = (0.0, 0.0, 0.0);
        }
        let learned = self.learned(node);
        if learned.activations == 0.0 && ms_per_activation.is_finite() {
            learned.seed = ms_per_activation.max(0.0);
            learned.seed_samples = SEED;
        }
    }

    /// Ticks of an account's group in the newest frame, and how many samples were taken in them;
    /// `None` if it is alone.
    pub(super) fn shared(&self, account: u32) -> Option<Shared> {
        let group = self.groups.get(account as usize)?;
        group.is_shared.then_some(Shared {
            ticks: group.ticks,
            hits: group.hits,
            remembered: self.learned[account as usize].samples,
        })
    }

    /// Ticks of an account's group in the newest frame, over the root of the number of samples that
    /// they rest on; `None` if it is alone.
    pub(super) fn unsure(&self, account: u32) -> Option<f64> {
        let group = self.groups.get(account as usize)?;
        let samples = self.learned[account as usize].effective(group);
        group
            .is_shared
            .then(|| group.ticks as f64 / (samples + 1.0).sqrt())
    }

    /// The variance, but for what its share takes away, of the average over `t90` seconds of a
    /// node's part `time` of its group's `total`, of which the average of [`unsure`](Self::unsure)
    /// is given. The place is those of the node and of its account.
    ///
    /// As far as a frame's estimate goes by what was learned, all frames of the average err
    /// together, each by what was known then: so their errors are averaged. As far as it goes by
    /// the frame's own samples, the average rests on those of its own time. The two share samples,
    /// so with the weights `b` and `1 - b` of the two in an estimate the variances weigh `1 - (1 -
    /// b)^2` and `(1 - b)^2`.
    pub(super) fn variance_of_average(
        &self,
        (node, account): (u32, u32),
        total: f64,
        time: f64,
        unsure: f64,
        t90: f64,
    ) -> f64 {
        if unsure <= 0.0 {
            return 0.0;
        }
        let samples = (total / unsure).powi(2);
        let by_count = match (
            self.learned.get(node as usize),
            self.groups.get(account as usize),
        ) {
            (Some(learned), Some(group)) => learned.weight_of_count(group.rate),
            _ => 1.0,
        };
        let by_sample = (1.0 - by_count).powi(2);
        // What was learned is of some seconds, the average of others: activations that vary are other
        // ones there. Of exponential weights that sum to one, over so many activations, the squares
        // sum to half of what a tenth takes of the time.
        let varies = match self.learned.get(node as usize) {
            Some(learned) if learned.activations > 0.0 => {
                let activations = learned.activations * (2.0 * t90 / MEMORY_90);
                learned.likely_dispersion() / activations
            }
            _ => 0.0,
        };
        let of_others = varies.min(1.0) * (time * by_count).powi(2);
        let recent = samples * (t90 / MEMORY_90).min(1.0);
        (1.0 - by_sample) * variance_by_share(total, time, samples)
            + by_sample * variance_by_share(total, time, recent)
            + of_others
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
        ms_per_tick: f64,
        samples: &mut Vec<Sample>,
    ) {
        self.begin(members, seconds.max(0.0), ms_per_tick);
        self.estimate(members);
        self.set_right(members);
        self.learn(members);
        self.hand_out(members, ms_per_tick, samples);
    }

    /// Sums up hits and ticks by group, and lets what is known fade.
    fn begin(&mut self, members: &[Member], seconds: f64, ms_per_tick: f64) {
        let weight = 0.1f64.powf(seconds / MEMORY_90);
        self.hits *= weight;
        self.ms *= weight;
        self.parts.clear();
        for member in members {
            let learned = self.learned(member.node);
            let hits = std::mem::take(&mut learned.hits);
            if member.is_account() {
                let pace = (learned.samples / SAMPLES_TO_KEEP).min(1.0);
                let weight = 0.1f64.powf(seconds * pace / MEMORY_90);
                learned.clock += seconds * pace;
                learned.samples *= weight;
                learned.squares *= weight * weight;
                learned.ms *= weight;
                // A group begins with its account.
                self.groups[member.node as usize] = Group {
                    ticks: member.ticks,
                    ms: member.ticks as f64 * ms_per_tick,
                    ..Group::default()
                };
                self.ms += member.ticks as f64 * ms_per_tick;
            }
            let clock = self.learned[member.account as usize].clock;
            let learned = &mut self.learned[member.node as usize];
            if learned.by == member.account && learned.at < clock {
                learned.fade(0.1f64.powf((clock - learned.at) / MEMORY_90));
            }
            (learned.by, learned.at) = (member.account, clock);
            self.hits += f64::from(hits);
            let group = &mut self.groups[member.account as usize];
            group.is_shared |= !member.is_account();
            group.hits += hits;
            self.parts.push(Part {
                hits: f64::from(hits),
                ..Part::default()
            });
        }
    }

    /// Finds `u` and its variance, of each member.
    fn estimate(&mut self, members: &[Member]) {
        let rate = if self.ms > 0.0 {
            self.hits / self.ms
        } else {
            0.0
        };
        for (member, part) in members.iter().zip(&mut self.parts) {
            let known = self.learned[member.account as usize];
            let group = &mut self.groups[member.account as usize];
            if !group.is_shared {
                continue;
            }
            if member.is_account() {
                // The group's own rate, for its times to sum to its ticks; that of the thread is
                // worth one hit.
                let total = known.ms + group.ms;
                let hits = known.samples + f64::from(group.hits);
                group.rate = rate * (hits + 1.0) / (total * rate + 1.0);
                group.is_longest = group.ms > known.ms;
            }
            let rate = group.rate;
            let activations = member.activations as f64;
            let mut learned = self.learned[member.node as usize];
            // Never hit before: without this frame's hits it would get nothing of a frame in which it
            // was hit for the first time, however often.
            let is_new = learned.observed == 0.0 && learned.seed_samples == 0.0;
            // And in a frame that is longer than all that is known, these are what is known best.
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
            // What is to be expected, as a rule: weights that go with this frame's hits would have
            // more hits make a node give more.
            let usual = activations / part.by_count;
            let evidence = evidence + (usual - evidence) / dispersion;
            part.variance = mean * mean * dispersion * evidence * part.by_count * part.by_count;
            // Of `u` as it was made: what the count says misses how activations vary, and what the
            // samples say has their noise.
            let likely = learned.likely_dispersion().max(dispersion);
            let by_samples = 1.0 - part.by_count;
            let of_count = mean * mean * likely * activations * part.by_count.powi(2);
            let of_samples = mean * activations / rate * by_samples.powi(2);
            part.stated = part.variance.max(of_count + of_samples);
            group.sum += part.size;
            group.variance += part.variance;
        }
    }

    /// Has shares sum to the group's ticks: who is less sure gives or takes more.
    fn set_right(&mut self, members: &[Member]) {
        let groups = &mut self.groups;
        for (member, part) in members.iter().zip(&mut self.parts) {
            let group = &mut groups[member.account as usize];
            let missing = group.ms - group.sum;
            let share = if group.variance > 0.0 {
                part.size + missing * part.variance / group.variance
            } else if group.hits > 0 {
                part.hits
            } else {
                // Nothing is known of anybody yet.
                f64::from(u8::from(member.is_account()))
            };
            part.share = share.max(0.0);
            group.shares += part.share;
        }
    }

    /// Takes the frame into what is known.
    fn learn(&mut self, members: &[Member]) {
        for (member, part) in members.iter().zip(&self.parts) {
            let group = self.groups[member.account as usize];
            if !group.is_shared {
                continue;
            }
            let learned = &mut self.learned[member.node as usize];
            let activations = member.activations as f64;
            let per_activation = group.rate * learned.mean(group.rate);
            let expected = per_activation * activations;
            // What is off from little that is known says nothing of how much activations vary.
            if learned.activations > 0.0 && !group.is_longest {
                learned.excess += (part.hits - expected).powi(2) - expected;
                learned.noise += 2.0 * expected * expected + expected;
                learned.unit += per_activation * expected;
            }
            learned.observed += part.hits;
            learned.activations += activations;
            if let Some(since) = learned.find_change(part.hits, activations, expected) {
                // What was learned before is of no use any more.
                let weight = (since.activations / learned.activations).clamp(0.0, 1.0);
                (learned.observed, learned.activations) = (since.hits, since.activations);
                (learned.excess, learned.noise, learned.unit) = (0.0, 0.0, 0.0);
                (learned.seed_samples, learned.changes) = (0.0, Default::default());
                let account = &mut self.learned[member.account as usize];
                account.samples *= weight;
                account.squares *= weight;
                account.ms *= weight;
            }
            let learned = &mut self.learned[member.node as usize];
            if member.is_account() {
                learned.samples += f64::from(group.hits);
                learned.squares += f64::from(group.hits);
                learned.ms += group.ms;
            }
        }
    }

    /// Gives each member its part of the group's ticks, to the tick.
    fn hand_out(&mut self, members: &[Member], ms_per_tick: f64, samples: &mut Vec<Sample>) {
        for (member, part) in members.iter().zip(&self.parts) {
            let group = &mut self.groups[member.account as usize];
            let mut sample = Sample {
                ticks: member.ticks,
                entries: member.entries,
                node: member.node,
                error: 0.0,
            };
            if group.is_shared {
                // Shares of the running sum, so that roundings cancel.
                group.passed += part.share;
                let total = group.ticks as f64;
                let due = (total * (group.passed / group.shares).min(1.0)).round() as Ticks;
                let got = due.min(group.ticks).saturating_sub(group.given);
                group.given += got;
                sample.ticks = got;
                if !member.is_account() {
                    // What its own clock counted, if it had one for a part of the frame.
                    sample.ticks += member.ticks;
                }
                let effective = self.learned[member.account as usize].effective(group);
                let learned =
                    variance_by_share(total, got as f64, effective) * part.by_count * part.by_count;
                // Nobody is off by more than there is: in a frame much shorter than an activation
                // the deviation of the latter would be, and the other members' would vanish beside
                // it.
                let of_frame = part.stated / (ms_per_tick * ms_per_tick);
                let error = (of_frame + learned).sqrt().min(total) as f32;
                // The sign tells whose clock it was.
                sample.error = if member.is_account() { -error } else { error };
            }
            if sample.ticks > 0 || sample.entries > 0 || sample.error != 0.0 {
                samples.push(sample);
            }
        }
    }
}
