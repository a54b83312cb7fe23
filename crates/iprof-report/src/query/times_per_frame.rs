//! The distribution of times or values per frame: percentiles by nearest rank, the largest, the standard deviation; see
//! [`ColumnId`](crate::ColumnId#times-per-frame).

use crate::report::ColumnId;

/// The distribution of some times, in their unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimesPerFrame {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
    pub deviation: f64,
    /// The mean of the slowest hundredth, at least one.
    pub slowest: f64,
}

/// The position of a percentile among so many sorted times.
fn rank(percent: usize, count: usize) -> usize {
    (count * percent).div_ceil(100).saturating_sub(1)
}

impl TimesPerFrame {
    /// That of `times`, which are put in another order; none of none.
    pub fn of(times: &mut [f64]) -> Option<TimesPerFrame> {
        let count = times.len();
        if count == 0 {
            return None;
        }
        let mean = times.iter().sum::<f64>() / count as f64;
        let squares: f64 = times.iter().map(|time| (time - mean) * (time - mean)).sum();
        // The slowest hundredth, rounded up, begins at or above the 99th percentile: one selection for both.
        let slow = count - count.div_ceil(100);
        let (below, first, above) = times.select_nth_unstable_by(slow, f64::total_cmp);
        let first = *first;
        let above = || above.iter().copied();
        let max = above().fold(first, f64::max);
        let slowest = (first + above().sum::<f64>()) / (count - slow) as f64;
        let mut at = |percent: usize| match rank(percent, count) {
            at if at == slow => first,
            at => *below.select_nth_unstable_by(at, f64::total_cmp).1,
        };
        // No rank is above it: n - ⌈n / 100⌉ ≥ ⌈99 n / 100⌉ - 1.
        let (p99, p95, p50) = (at(99), at(95), at(50));
        Some(TimesPerFrame {
            p50,
            p95,
            p99,
            max,
            deviation: (squares / count as f64).sqrt(),
            slowest,
        })
    }

    /// The value in a column; none if it is another one.
    pub fn value(&self, column: ColumnId) -> Option<f64> {
        Some(match column {
            ColumnId::P50 | ColumnId::ValueP50 => self.p50,
            ColumnId::P95 | ColumnId::ValueP95 => self.p95,
            ColumnId::P99 | ColumnId::ValueP99 => self.p99,
            ColumnId::MaxTime | ColumnId::ValueMax => self.max,
            ColumnId::Deviation | ColumnId::ValueDeviation => self.deviation,
            _ => return None,
        })
    }
}

/// By the definitions, from the sorted times.
#[cfg(all(test, not(loom)))]
pub fn naive(times: &[f64]) -> TimesPerFrame {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let percentile = |p: f64| sorted[(p / 100.0 * count).ceil() as usize - 1];
    let mean = times.iter().sum::<f64>() / count;
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    let slowest = &sorted[sorted.len() - sorted.len().div_ceil(100)..];
    TimesPerFrame {
        p50: percentile(50.0),
        p95: percentile(95.0),
        p99: percentile(99.0),
        max: sorted[sorted.len() - 1],
        deviation: (squares / count).sqrt(),
        slowest: slowest.iter().sum::<f64>() / slowest.len() as f64,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_that_of_the_sorted_times(times in prop::collection::vec(0.0..9.0f64, 1..450)) {
            let wanted = naive(&times);
            let found = TimesPerFrame::of(&mut times.clone()).unwrap();
            prop_assert!((found.slowest - wanted.slowest).abs() < 1e-12);
            let found = TimesPerFrame { slowest: wanted.slowest, ..found };
            prop_assert_eq!(found, wanted);
        }
    }

    #[test]
    fn of_one_time_all_are_that_and_of_none_there_is_none() {
        let one = TimesPerFrame::of(&mut [3.0]).unwrap();
        assert_eq!([one.p50, one.p95, one.p99, one.max, one.slowest], [3.0; 5]);
        assert_eq!(one.deviation, 0.0);
        assert_eq!(TimesPerFrame::of(&mut []), None);
    }
}
