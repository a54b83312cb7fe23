//! Iterates over the two sides of a report, the values that it shows and those of its baseline: for a median, one set of
//! values per frame.

use super::Builder;
use crate::process::query::baseline_values::{BaselineValues, of_sets};
use crate::process::query::row_values::{FADED_ENTRIES, FADED_MS};
use crate::process::query::sums::RowTotals;
use crate::process::query::values::NodeValues;

/// What totals are measured by: how many milliseconds their unit is, the frame's time, and whether they
/// fade.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) ms: f64,
    pub(super) frame_ms: f64,
    pub(super) fades: bool,
}

/// By row: its totals in the shown values and in the baseline, from those in each of the
/// [sides](Builder::sides).
pub(super) fn pairs(sides: Vec<Vec<RowTotals>>) -> Vec<[RowTotals; 2]> {
    let mut sides = sides.into_iter();
    let now = sides.next().unwrap_or_default();
    let before = of_sets(sides.collect()).into_iter();
    let before = before.chain(std::iter::repeat(RowTotals::default()));
    now.into_iter().zip(before).map(<[_; 2]>::from).collect()
}

impl Builder<'_> {
    /// The shown values, and the sets of values of the baseline if there is one.
    pub(super) fn sides(&self) -> impl Iterator<Item = (usize, &NodeValues<'_>)> + Clone {
        let sets = self.baseline.iter().flat_map(BaselineValues::sets);
        std::iter::once(&self.values).chain(sets).enumerate()
    }

    /// Whether a row has anything to show.
    pub(super) fn shows(&self, totals: &[RowTotals; 2]) -> bool {
        self.scales().zip(totals).any(|(scale, totals)| {
            if scale.fades {
                let longest = totals.hier.max(totals.gpu_hier);
                longest * scale.ms >= FADED_MS || totals.entries >= FADED_ENTRIES
            } else {
                totals.hier > 0.0
                    || totals.entries > 0.0
                    || totals.gpu_hier > 0.0
                    || totals.named_hier != 0.0
            }
        })
    }

    /// The scale of the shown totals, and of those in the baseline if there is one.
    pub(super) fn scales(&self) -> impl Iterator<Item = Scale> {
        let now = Scale {
            ms: self.values.ms,
            frame_ms: self.values.frame_ms,
            fades: self.values.fades,
        };
        let before = self.baseline.iter().map(|baseline| Scale {
            ms: baseline.ms(),
            frame_ms: baseline.frame_ms(),
            fades: baseline.fades(),
        });
        std::iter::once(now).chain(before)
    }
}
