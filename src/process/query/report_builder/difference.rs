//! What a comparison is about as a whole: how much the frames differ, and what part of that is waiting.

use super::Builder;
use crate::process::query::sums::RowTotals;

/// Differences are shown in relation to the whole difference, but at least to this part of the baseline's frame:
/// where next to nothing differs, no row stands out.
pub(crate) const LEAST_CHANGE: f64 = 0.1;

impl Builder<'_> {
    /// In a comparison: the difference of which rows are parts, in milliseconds. Waiting is no part of it, unless idle
    /// zones are ranked: what made the program work longer stands out even if it mostly waited.
    pub(super) fn whole_change(&self) -> f64 {
        let Some(before) = &self.baseline else {
            return 0.0;
        };
        let waited = self.waited;
        let threads = self.values.threads_ms() - before.threads_ms() - waited;
        let frames = self.values.frame_ms - before.frame_ms();
        let whole = match waited == 0.0 {
            true => threads.abs().max(frames.abs()),
            false => threads.abs(),
        };
        whole.max(LEAST_CHANGE * before.frame_ms())
    }

    /// In a comparison: the difference of all idle time, in milliseconds. None where it ranks as work.
    pub(super) fn idle_difference(&self) -> f64 {
        if self.view.idle_ranked {
            return 0.0;
        }
        self.difference_of_rows(|row| self.is_idle_row(*row))
    }

    /// In a comparison: the difference of the self times of these rows, in milliseconds. The medians of all zones need not
    /// sum to the median of the frames.
    pub(super) fn difference_of_rows(&self, is_counted: impl Fn(&u32) -> bool) -> f64 {
        let sum = |totals: &[RowTotals], ms: f64| -> f64 {
            let rows = (0..totals.len() as u32).filter(&is_counted);
            let times = rows.map(|row| totals[row as usize].self_time);
            // The sum of no floats is -0.
            times.fold(0.0, |sum, time| sum + time) * ms
        };
        match (&self.baseline, &self.before) {
            (Some(baseline), Some(before)) => {
                sum(&self.flat.totals, self.values.ms) - sum(before, baseline.ms())
            }
            _ => 0.0,
        }
    }
}
