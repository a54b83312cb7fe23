//! The processor time of one sample, smoothed, because sampling rates are chosen by it and must not
//! change with every frame.

use super::SampleCounts;

/// Reported before anything has been measured.
const USUAL_NS: f64 = 1_000.0;
/// The weight of a new measurement, per sample.
const WEIGHT: f64 = 0.01;
/// The reported value changes when the measured value differs from it by this factor.
const STEP: f64 = 1.25;

/// The processor time of one sample.
#[derive(Debug)]
pub struct SampleCost {
    measured_ns: f64,
    reported_ns: f64,
}

impl Default for SampleCost {
    fn default() -> SampleCost {
        SampleCost {
            measured_ns: 0.0,
            reported_ns: USUAL_NS,
        }
    }
}

impl SampleCost {
    /// Adds the samples of a frame.
    pub fn observe(&mut self, found: &SampleCounts) {
        if found.samples == 0 || found.spent_ns == 0 {
            return;
        }
        let samples = f64::from(found.samples);
        let each = found.spent_ns as f64 / samples;
        if self.measured_ns == 0.0 {
            self.measured_ns = each;
        }
        self.measured_ns += (each - self.measured_ns) * (1.0 - (1.0 - WEIGHT).powf(samples));
        let off = self.measured_ns / self.reported_ns;
        if !(STEP.recip()..=STEP).contains(&off) {
            self.reported_ns = self.measured_ns;
        }
    }

    /// The reported value, in nanoseconds.
    pub fn ns(&self) -> f64 {
        self.reported_ns
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn samples(samples: u32, each_ns: u64) -> SampleCounts {
        let mut sample_counts = SampleCounts::default();
        sample_counts.samples = samples;
        sample_counts.spent_ns = u64::from(samples) * each_ns;
        sample_counts
    }

    #[test]
    fn the_reported_cost_follows_only_lasting_changes() {
        let mut cost = SampleCost::default();
        cost.observe(&samples(0, 0));
        assert_eq!(cost.ns(), USUAL_NS);
        cost.observe(&samples(10, 15_000));
        assert_eq!(cost.ns(), 15_000.0);
        for each in [14_000, 16_000, 17_500, 13_000] {
            cost.observe(&samples(16, each));
            assert_eq!(cost.ns(), 15_000.0);
        }
        for _ in 0..100 {
            cost.observe(&samples(16, 30_000));
        }
        assert!((24_000.0..=30_000.0).contains(&cost.ns()), "{}", cost.ns());
    }
}
