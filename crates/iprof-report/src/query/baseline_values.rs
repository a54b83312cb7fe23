//! Computes a view's baseline values: a single frame's values, averages, or medians over several frames.
//!
//! A row's time in a frame is the sum of its nodes' times, and the row's median is taken over these times. Medians are
//! never added up, so a row's median can differ from the sum of the medians of the rows below it.

use crate::query::session_values;
use crate::query::sums::RowTotals;
use crate::query::values::{Detail, NodeValues, Span};
use crate::report::ColumnSet;
use crate::view::Average;
use crate::view::{Baseline, View};
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::frame::Frame;
use iprof_process::history::History;

/// A frame is compared with this many frames before it and after it. The newest frame is compared with twice as many
/// frames before it.
const FRAMES_AROUND: usize = 30;

#[derive(Debug)]
pub struct BaselineValues<'a> {
    /// A single set of values or, for a median, one set (in ms) per frame. Never empty.
    sets: Vec<NodeValues<'a>>,
    /// The frame time to compare rows with.
    frame_ms: f64,
}

impl<'a> BaselineValues<'a> {
    pub fn of_view(
        profiler: &'a Profiler,
        view: &View,
        detail: Detail,
    ) -> Option<BaselineValues<'a>> {
        let has_baseline = view.baseline != Baseline::None;
        let mut of_baseline = has_baseline.then(|| view.clone())?;
        of_baseline.columns = ColumnSet::default();
        let history = profiler.history();
        match &view.baseline {
            Baseline::None => return None,
            Baseline::Frames(Frames::Live) => of_baseline = with_average(of_baseline),
            Baseline::Frames(frames) => of_baseline.frame = resolved(history, frames),
            Baseline::Rest => of_baseline.frame = rest(history, view),
            Baseline::Average | Baseline::Median => {
                let is_mean = view.baseline == Baseline::Average;
                let frames = match view.frame {
                    Frames::Live if is_mean => Vec::new(),
                    _ => frames_to_compare(history, view),
                };
                let frames_per_set = if is_mean { frames.len().max(1) } else { 1 };
                let set = |frames: &[&Frame]| {
                    let frames = || frames.iter().copied();
                    NodeValues::of_frames(profiler, &of_baseline, detail, frames)
                };
                let sets: Vec<NodeValues<'_>> = frames.chunks(frames_per_set).map(set).collect();
                if !sets.is_empty() {
                    return Some(BaselineValues::of(sets));
                }
                of_baseline = with_average(of_baseline);
            }
        }
        let values = NodeValues::of_view(profiler, &of_baseline, detail);
        Some(BaselineValues::of(vec![values]))
    }

    fn of(sets: Vec<NodeValues<'a>>) -> BaselineValues<'a> {
        BaselineValues {
            frame_ms: median(sets.iter().map(|set| set.frame_ms)),
            sets,
        }
    }

    /// Returns the sets of values, each of which has to be summed separately.
    pub fn sets(&self) -> &[NodeValues<'a>] {
        &self.sets
    }

    /// Returns the unit of the sums, in milliseconds.
    pub fn ms(&self) -> f64 {
        self.sets[0].ms
    }

    pub fn frame_ms(&self) -> f64 {
        self.frame_ms
    }

    /// Returns the total time of all threads in view, in milliseconds.
    pub fn threads_ms(&self) -> f64 {
        median(self.sets.iter().map(NodeValues::threads_ms))
    }

    pub fn is_whole(&self) -> bool {
        self.sets.iter().all(|set| set.whole)
    }

    pub fn fades(&self) -> bool {
        self.sets.iter().any(|set| set.fades)
    }

    pub fn frames(&self) -> Option<Span> {
        let (first, last) = (self.sets.first()?.frames?, self.sets.last()?.frames?);
        let counts = self.sets.iter().filter_map(|set| set.frames);
        Some(Span {
            first: first.first,
            last: last.last,
            count: counts.map(|span| span.count).sum(),
        })
    }
}

fn rest(history: &History, view: &View) -> Frames {
    resolved(history, &view.frame).complement()
}

/// Returns `frames`, or if it selects a single frame, a selection of that frame by number.
fn resolved(history: &History, frames: &Frames) -> Frames {
    let one = history.number_of(frames).map(Frames::Number);
    one.unwrap_or_else(|| frames.clone())
}

/// Returns the frames whose mean or median is a view's baseline: the frames around the shown frame or range, the newest
/// frames outside the shown set, or in the live view, the frames before the newest one. Returns no frames if the view
/// shows part of the session.
fn frames_to_compare<'h>(history: &'h History, view: &View) -> Vec<&'h Frame> {
    if view.shown_part().is_some() {
        return Vec::new();
    }
    if view.shown_set().is_some() {
        let mut frames = history.members(&rest(history, view));
        let newest = frames.len().saturating_sub(2 * FRAMES_AROUND);
        return frames.split_off(newest);
    }
    match view.remembered() {
        Some((first, last)) => history.around(first, last, FRAMES_AROUND).collect(),
        None => {
            let newest = history.newest().map_or(0, |frame| frame.number);
            let frames = history.around(newest, newest, 2 * FRAMES_AROUND);
            frames.collect()
        }
    }
}

/// Returns the name of the set or part of the session that a view is compared with, if any.
pub(super) fn set_name(profiler: &Profiler, view: &View) -> Option<String> {
    let frames = match &view.baseline {
        Baseline::Frames(frames) => resolved(profiler.history(), frames),
        Baseline::Rest => rest(profiler.history(), view),
        _ => return None,
    };
    if let Frames::Number(_) = frames {
        return None;
    }
    Some(session_values::name(profiler.session(), &frames))
}

fn with_average(mut view: View) -> View {
    view.frame = Frames::Live;
    if view.average == Average::Newest {
        view.average = Average::default();
    }
    view
}

/// Returns each row's sums in the baseline, from its sums in each [set](BaselineValues::sets).
pub(super) fn median_totals(mut sets: Vec<Vec<RowTotals>>) -> Vec<RowTotals> {
    if sets.len() <= 1 {
        return sets.pop().unwrap_or_default();
    }
    let median_of = |row: usize, get: fn(&RowTotals) -> f64| {
        // Most rows have no value in most frames.
        match sets.iter().filter(|set| get(&set[row]) != 0.0).count() * 2 < sets.len() {
            true => 0.0,
            false => median(sets.iter().map(|set| get(&set[row]))),
        }
    };
    // A diff shows no other baseline values.
    let totals = |row: usize| RowTotals {
        self_time: median_of(row, |totals| totals.self_time),
        hier: median_of(row, |totals| totals.hier),
        entries: median_of(row, |totals| totals.entries),
        named_self: median_of(row, |totals| totals.named_self),
        named_hier: median_of(row, |totals| totals.named_hier),
        ..RowTotals::default()
    };
    (0..sets[0].len()).map(totals).collect()
}

/// Returns the median, or 0 if there are no numbers.
pub(super) fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    let middle = numbers.len() / 2;
    if numbers.is_empty() {
        return 0.0;
    }
    let is_even = numbers.len().is_multiple_of(2);
    let (below, upper, _) = numbers.select_nth_unstable_by(middle, f64::total_cmp);
    match is_even {
        false => *upper,
        true => (below.iter().copied().fold(f64::MIN, f64::max) + *upper) * 0.5,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn median_is_the_middle_or_mean_of_middle_two() {
        let of = |numbers: &[f64]| median(numbers.iter().copied());
        assert_eq!(of(&[]), 0.0);
        assert_eq!(of(&[3.0]), 3.0);
        assert_eq!(of(&[9.0, 1.0]), 5.0);
        assert_eq!(of(&[9.0, -1.0, 2.0]), 2.0);
        assert_eq!(of(&[4.0, 900.0, 2.0, 1.0]), 3.0);
    }

    #[test]
    fn each_row_sum_has_a_separate_median() {
        let set = |self_time, hier, entries| {
            vec![RowTotals {
                self_time,
                hier,
                entries,
                ..RowTotals::default()
            }]
        };
        let one = set(1.0, 5.0, 2.0);
        assert_eq!(median_totals(vec![one.clone()]), one);
        let sets = vec![one, set(9.0, 9.0, 0.0), set(2.0, 1.0, 0.0)];
        assert_eq!(median_totals(sets), set(2.0, 5.0, 0.0));
        let rare = vec![
            set(0.0, 0.0, 0.0),
            set(0.0, 4.0, 0.0),
            set(8.0, 2.0, 0.0),
            set(0.0, 0.0, 0.0),
        ];
        assert_eq!(median_totals(rare), set(0.0, 1.0, 0.0));
        assert!(median_totals(Vec::new()).is_empty());
    }
}
