//! What a look of the sampler takes: a figure that a rate can be chosen by, which must not change
//! with every frame.

use super::Tally;

/// Where nothing has been measured.
const USUAL_NS: f64 = 1_000.0;
/// The part of a new measurement, look by look.
const WEIGHT: f64 = 0.01;
/// What is told changes when what is measured is off by this factor.
const STEP: f64 = 1.25;

/// What a look takes of a processor.
#[derive(Debug)]
pub(crate) struct LookCost {
    measured_ns: f64,
    told_ns: f64,
}

impl Default for LookCost {
    fn default() -> LookCost {
        LookCost {
            measured_ns: 0.0,
            told_ns: USUAL_NS,
        }
    }
}

impl LookCost {
    /// Takes in what the looks of a frame took.
    pub(crate) fn take(&mut self, found: &Tally) {
        if found.looks == 0 || found.spent_ns == 0 {
            return;
        }
        let looks = f64::from(found.looks);
        let each = found.spent_ns as f64 / looks;
        if self.measured_ns == 0.0 {
            self.measured_ns = each;
        }
        self.measured_ns += (each - self.measured_ns) * (1.0 - (1.0 - WEIGHT).powf(looks));
        let off = self.measured_ns / self.told_ns;
        if !(STEP.recip()..=STEP).contains(&off) {
            self.told_ns = self.measured_ns;
        }
    }

    /// Nanoseconds.
    pub(crate) fn ns(&self) -> f64 {
        self.told_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(looks: u32, each_ns: u64) -> Tally {
        let mut tally = Tally::default();
        tally.looks = looks;
        tally.spent_ns = u64::from(looks) * each_ns;
        tally
    }

    #[test]
    fn what_is_told_follows_what_lasts_and_nothing_else() {
        let mut cost = LookCost::default();
        cost.take(&looks(0, 0));
        assert_eq!(cost.ns(), USUAL_NS);
        cost.take(&looks(10, 15_000));
        assert_eq!(cost.ns(), 15_000.0);
        for each in [14_000, 16_000, 17_500, 13_000] {
            cost.take(&looks(16, each));
            assert_eq!(cost.ns(), 15_000.0);
        }
        for _ in 0..100 {
            cost.take(&looks(16, 30_000));
        }
        assert!((24_000.0..=30_000.0).contains(&cost.ns()), "{}", cost.ns());
    }
}
