//! Standard errors for averages of estimated times.

use super::{Estimator, MEMORY_90, Member, variance_by_share};
use crate::moving_average::{AverageClock, Averages, FOLLOW_90};
use crate::untimed_nodes::NodeVariances;

impl Estimator {
    /// Adds the standard errors of the newest frame, which `clock` last advanced over, to their averages.
    pub fn average_errors(&mut self, members: &[Member], clock: &AverageClock, ms_per_tick: f64) {
        for member in members.iter().filter(|member| member.is_timed_ancestor()) {
            let timed_ancestor = member.node as usize;
            if let Some(error_scale) = self.error_scale(member.node) {
                if self.error_scales.len() <= timed_ancestor {
                    self.error_scales
                        .resize(timed_ancestor + 1, Averages::default());
                }
                self.error_scales[timed_ancestor].add(clock, [error_scale * ms_per_tick]);
            }
        }
    }

    /// Returns the variances of the averages in `slot`, in milliseconds. `self_time` holds the current averages.
    /// `group` holds each node's timed ancestor. If a node's average counts as timed, that is the node itself.
    ///
    /// In some frames, nodes may have been in different, smaller groups, whose error scales are summed. The sum is
    /// exact if one group followed another, and too wide if both were in the same frames.
    pub fn average_variances(
        &self,
        group: Vec<u32>,
        self_time: &[f64],
        clock: &AverageClock,
        slot: usize,
    ) -> NodeVariances {
        let mut total = vec![0.0; group.len()];
        let mut others = vec![false; group.len()];
        let mut error_scales = vec![0.0; group.len()];
        for (node, timed_ancestor) in group.iter().enumerate() {
            total[*timed_ancestor as usize] += self_time[node];
            others[*timed_ancestor as usize] |= *timed_ancestor as usize != node;
            if let Some(error_scale) = self.error_scales.get(node) {
                let [error_scale] = error_scale.get(clock, slot);
                error_scales[*timed_ancestor as usize] += error_scale;
            }
        }
        let variance = group.iter().enumerate().map(|(node, timed_ancestor)| {
            let total = total[*timed_ancestor as usize];
            if !others[*timed_ancestor as usize] {
                return 0.0;
            }
            let place = (node as u32, *timed_ancestor);
            let error_scale = error_scales[*timed_ancestor as usize];
            let t90 = FOLLOW_90[slot];
            self.variance_of_average(place, total, self_time[node], error_scale, t90)
        });
        NodeVariances::new(variance.collect(), group, self_time)
    }

    /// Returns the scale of a group's standard errors in the newest frame: its ticks divided by the square root of the
    /// number of samples behind the estimate. Returns `None` if the timed ancestor is the only member.
    fn error_scale(&self, timed_ancestor: u32) -> Option<f64> {
        let group = self.groups.get(timed_ancestor as usize)?;
        let samples = self.learned[timed_ancestor as usize].effective_samples(group);
        group
            .is_shared
            .then(|| group.ticks as f64 / (samples + 1.0).sqrt())
    }

    /// Returns the variance of a node's average over `t90` seconds, before the reduction for the node's fraction of its
    /// group. `time` is the node's average, `total` is the group's average, and `error_scale` is the average of
    /// [`error_scale`](Self::error_scale).
    ///
    /// An estimate has a learned part and a sampled part. The learned part has the same error in all frames of the
    /// average, so these errors are averaged. The sampled part depends on the samples taken during the average. The two
    /// parts share samples. If their weights in an estimate are `b` and `1 - b`, the weights of their variances are
    /// `1 - (1 - b)^2` and `(1 - b)^2`.
    fn variance_of_average(
        &self,
        (node, timed_ancestor): (u32, u32),
        total: f64,
        time: f64,
        error_scale: f64,
        t90: f64,
    ) -> f64 {
        if error_scale <= 0.0 {
            return 0.0;
        }
        let samples = (total / error_scale).powi(2);
        let by_count = match (
            self.learned.get(node as usize),
            self.groups.get(timed_ancestor as usize),
        ) {
            (Some(learned), Some(group)) => learned.weight_of_count(group.rate),
            _ => 1.0,
        };
        let by_sample = (1.0 - by_count).powi(2);
        // The learned part covers a different time span than the average, with different activations. If exponential
        // weights sum to one, their squares sum to 1 / (2 n), where `n` is the sum of the same weights scaled to start
        // at one. Here, `n` is the number of learned activations, scaled to the average's time span.
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
}
