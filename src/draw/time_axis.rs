//! The graph's vertical axis: its labeled lines, and its time span, which adapts to the frames in view.

use iprof_report::DEFAULT_BUDGET_MS;
use std::fmt::Write as _;

/// The time at the top of the axis is one of these multiples of a power of ten.
const SPANS: [f32; 7] = [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0];
/// The time between two axis lines is one of these multiples of a power of ten.
const STEPS: [f32; 3] = [1.0, 2.0, 5.0];
/// The fraction of the frames in view that is considered usual. Bars of longer frames may be cut.
const USUAL_SHARE: f32 = 0.9;
/// The axis ends at this multiple of the longest usual frame, or at `TIMES_MEDIAN` times the median if that is more.
/// Longer bars are cut, so that the other bars are tall enough to be readable.
const TIMES_LONGEST_USUAL: f32 = 1.25;
/// The multiple of the median at which the axis may end.
const TIMES_MEDIAN: f32 = 2.2;
/// The factor by which the axis extends beyond the tallest bar that it should show uncut.
const HEADROOM: f32 = 1.05;
/// The axis shrinks only if the shorter axis would have room for frames that are longer by this factor.
const SLACK: f32 = 1.2;
/// The number of layouts before an axis that is longer than needed shrinks.
const LAYOUTS_BEFORE_SHRINKING: u32 = 60;
/// The number of layouts between two shrinking steps.
const LAYOUTS_PER_STEP: u32 = 8;
/// If the axis is more than this many times as long as needed, as is usual after the first frames, it shrinks faster.
const TOO_LONG: f32 = 3.0;
/// The factor by which shrinking speeds up for an axis that is more than `TOO_LONG` times as long as needed.
const TOO_LONG_PACE: u32 = 4;
/// The minimum distance between two lines, in lines of text.
const LINE_GAP: f32 = 2.5;
/// The minimum distance between two lines, as a fraction of the height.
const LINE_PART: f32 = 0.2;
/// The longest time that the axis can show, in milliseconds: a year.
const LONGEST_MS: f32 = 3.2e10;
/// The maximum number of lines at round times. Only very small text leaves room for this many lines.
const MAX_LINES: u32 = 32;

/// The state of an axis from one layout to the next.
#[derive(Debug)]
pub(super) struct TimeAxis {
    /// The time from the bottom to the top, in ms, before the user's zoom. 0 before the first layout.
    span: f32,
    /// The minimum span, which is the span at the host's scale.
    least: f32,
    /// The number of layouts for which a shorter span would have been enough.
    calm: u32,
    sorted: Vec<f64>,
    budget_ms: f32,
    /// The time at the bottom in the current layout.
    pub(super) foot_ms: f32,
    /// The time at the top in the current layout.
    pub(super) top_ms: f32,
    /// The number of px per ms in the current layout.
    pub(super) per_ms: f32,
}

impl Default for TimeAxis {
    fn default() -> TimeAxis {
        TimeAxis {
            span: 0.0,
            least: 0.0,
            calm: 0,
            sorted: Vec::new(),
            budget_ms: DEFAULT_BUDGET_MS,
            foot_ms: 0.0,
            top_ms: 1.0,
            per_ms: 1.0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AxisLine {
    pub(super) ms: f32,
    /// Whether the line is at the frame budget.
    pub(super) is_budget: bool,
}

impl TimeAxis {
    /// Sets the frame budget in milliseconds. A time that is not positive and finite restores the default.
    pub(super) fn set_budget(&mut self, ms: f32) {
        let valid = ms.is_finite() && ms > 0.0;
        self.budget_ms = if valid { ms } else { DEFAULT_BUDGET_MS };
    }

    /// Fits the axis to frames of the given lengths, in ms. The axis is `height` px high, which is `least` ms at the
    /// host's scale. `zoom` and `raised` come from the graph.
    pub(super) fn fit(&mut self, peaks: &[f32], height: f32, least: f32, [zoom, raised]: [f32; 2]) {
        let longest = peaks.iter().copied().fold(0.0, f32::max).min(LONGEST_MS);
        let needed = self.needed(peaks, longest);
        self.adapt(needed, least);
        let zoom = if zoom > 0.0 { zoom } else { 1.0 };
        let span = self.span / zoom.clamp(1e-3, 1e3);
        // The axis can be scrolled up only to the top of the longest frame.
        let highest = (longest * HEADROOM - span).max(0.0);
        let raised = if raised > 0.0 { raised } else { 0.0 };
        self.foot_ms = (raised * span).min(highest);
        self.top_ms = self.foot_ms + span;
        self.per_ms = height / span;
    }

    fn needed(&mut self, peaks: &[f32], longest: f32) -> f32 {
        self.sorted.clear();
        self.sorted
            .extend(peaks.iter().copied().map(f64::from).filter(|ms| *ms > 0.0));
        let Some(last) = self.sorted.len().checked_sub(1) else {
            return 0.0;
        };
        let at = (last as f32 * USUAL_SHARE) as usize;
        let (below, usual, _) = self.sorted.select_nth_unstable_by(at, f64::total_cmp);
        let middle = (last / 2).min(below.len().saturating_sub(1));
        let median = match below.is_empty() {
            true => *usual,
            false => *below.select_nth_unstable_by(middle, f64::total_cmp).1,
        };
        let [usual, median] = [*usual, median].map(|ms| ms as f32);
        let most = (TIMES_LONGEST_USUAL * usual).max(TIMES_MEDIAN * median);
        most.min(longest) * HEADROOM
    }

    /// Grows the axis immediately, since the bars that would be cut are the interesting ones. Shrinks the axis later,
    /// in steps.
    fn adapt(&mut self, needed: f32, least: f32) {
        let wanted = |needed: f32| {
            if needed <= least {
                least
            } else {
                nice(needed, &SPANS)
            }
        };
        let enough = wanted(needed);
        if self.span < enough || self.least != least {
            (self.span, self.least, self.calm) = (enough, least, 0);
            return;
        }
        if wanted(needed * SLACK) >= self.span {
            self.calm = 0;
            return;
        }
        self.calm += match self.span > TOO_LONG * enough {
            true => TOO_LONG_PACE,
            false => 1,
        };
        if self.calm > LAYOUTS_BEFORE_SHRINKING {
            self.calm -= LAYOUTS_PER_STEP;
            self.span = below(self.span).max(enough);
        }
    }

    /// Returns how far the axis is scrolled up, in multiples of its height. The axis is never scrolled above all
    /// frames.
    pub(super) fn raised(&self) -> f32 {
        self.foot_ms / (self.top_ms - self.foot_ms)
    }

    /// Returns the axis lines, for text `line` px high. The lines are at the frame budget, at twice the budget, and at
    /// round times that leave room for the labels.
    pub(super) fn lines(&self, line: f32) -> impl Iterator<Item = AxisLine> + use<> {
        let (foot, top) = (self.foot_ms, self.top_ms);
        let per_line = line / self.per_ms;
        let gap = (LINE_GAP * per_line).max(LINE_PART * (top - foot));
        let step = nice(gap, &STEPS);
        let budgets = [self.budget_ms, 2.0 * self.budget_ms];
        let is_seen = move |ms: f32| ms > foot && ms < top;
        // The line at twice the budget is omitted if its label would touch the first budget's label, which is always
        // shown.
        let count = if self.budget_ms < 2.0 * per_line {
            1
        } else {
            2
        };
        let is_free = move |ms: f32| {
            let mut shown = budgets.into_iter().take(count).filter(|ms| is_seen(*ms));
            shown.all(|budget| (budget - ms).abs() >= 2.1 * per_line)
        };
        let first = (foot / step).floor();
        let round = (1..=MAX_LINES).map(move |at| (first + at as f32) * step);
        let round = round.filter(move |ms| is_seen(*ms) && is_free(*ms));
        let budgets = budgets.into_iter().take(count).enumerate();
        let budgets = budgets.filter(move |(_, ms)| is_seen(*ms));
        let plain = |ms| AxisLine {
            ms,
            is_budget: false,
        };
        let budget = |(at, ms)| AxisLine {
            ms,
            is_budget: at == 0,
        };
        budgets.map(budget).chain(round.map(plain))
    }
}

/// Returns the smallest product of one of `multiples` and a power of ten that is at least `ms`.
fn nice(ms: f32, multiples: &[f32]) -> f32 {
    let power = 10f32.powf(ms.clamp(1e-6, LONGEST_MS).log10().floor());
    let fits = |multiple: &&f32| **multiple * power >= ms * 0.999_9;
    multiples.iter().find(fits).map_or(10.0, |found| *found) * power
}

fn below(span: f32) -> f32 {
    let power = 10f32.powf((span * 0.999).max(1e-6).log10().floor());
    let is_less = |multiple: &&f32| **multiple * power < span * 0.999;
    SPANS.iter().rev().find(is_less).map_or(0.0, |found| *found) * power
}

/// Writes a time as a short label with up to three digits: `16.7 ms`, `163 ms`, `4.1 s`.
pub(super) fn write_time(ms: f32, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match ms {
        us if us < 0.999_5 => write!(out, "{} \u{b5}s", (us * 1e3).round()),
        ms if ms < 99.95 => write!(out, "{} ms", (ms * 10.0).round() / 10.0),
        ms if ms < 999.5 => write!(out, "{ms:.0} ms"),
        ms if ms < 99_950.0 => write!(out, "{:.1} s", ms / 1e3),
        ms => write!(out, "{:.0} s", ms / 1e3),
    };
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn fit(axis: &mut TimeAxis, peaks: &[f32]) -> f32 {
        axis.fit(peaks, 160.0, 40.0, [1.0, 0.0]);
        axis.top_ms
    }

    /// Returns the times of 100 frames. Every 25th frame, starting with the fourth, takes longer.
    fn frames(usual: f32, longer: f32) -> Vec<f32> {
        (0..100)
            .map(|at| if at % 25 == 3 { longer } else { usual })
            .collect()
    }

    #[test]
    fn axis_grows_immediately_for_long_frames() {
        let axis = &mut TimeAxis::default();
        assert_eq!(fit(axis, &[]), 40.0);
        assert_eq!(fit(axis, &frames(17.0, 34.0)), 40.0);
        assert_eq!(axis.per_ms, 4.0);
        assert_eq!(fit(axis, &frames(70.0, 90.0)), 100.0);
        assert_eq!(fit(axis, &frames(400.0, 400.0)), 600.0);
    }

    #[test]
    fn few_long_frames_do_not_flatten_other_bars() {
        let axis = &mut TimeAxis::default();
        assert_eq!(fit(axis, &frames(17.0, 400.0)), 40.0);
        assert_eq!(fit(axis, &frames(25.0, 400.0)), 60.0);
        // If a quarter of the frames are long, those frames count as usual.
        let bad: Vec<f32> = (0..100)
            .map(|at| if at % 4 == 0 { 400.0 } else { 17.0 })
            .collect();
        assert_eq!(fit(axis, &bad), 600.0);
    }

    /// Some programs do all of their loading in the first frame, which must not flatten later bars.
    #[test]
    fn first_frames_do_not_flatten_later_bars() {
        let axis = &mut TimeAxis::default();
        for count in 12..200 {
            let mut peaks = vec![110.0; count];
            peaks[0] = 877.0;
            peaks[1..].iter_mut().step_by(3).for_each(|ms| *ms = 180.0);
            let mut top = 0.0;
            for _ in 0..200 {
                top = fit(axis, &peaks);
            }
            assert!(top <= 400.0, "{count} frames: {top} ms");
        }
    }

    #[test]
    fn axis_shrinks_slowly_without_jitter() {
        let axis = &mut TimeAxis::default();
        fit(axis, &frames(400.0, 400.0));
        let mut seen = vec![600.0];
        for layout in 0..400 {
            let top = fit(axis, &frames(17.0, 17.0));
            if seen.last() != Some(&top) {
                assert!(layout >= 15, "the axis should wait before it shrinks");
                seen.push(top);
            }
        }
        assert_eq!(
            seen.first_chunk(),
            Some(&[600.0, 400.0, 300.0, 200.0, 150.0, 100.0])
        );
        assert_eq!(seen.last(), Some(&40.0));
        // When frame lengths fluctuate around a step, the axis does not change.
        let tops: Vec<f32> = (0..300)
            .map(|at| fit(axis, &frames(if at % 2 == 0 { 56.0 } else { 58.0 }, 58.0)))
            .collect();
        assert!(tops.iter().all(|top| *top == tops[0]), "{tops:?}");
    }

    #[test]
    fn axis_follows_host_scale_immediately() {
        let axis = &mut TimeAxis::default();
        fit(axis, &frames(400.0, 400.0));
        axis.fit(&frames(17.0, 17.0), 160.0, 80.0, [1.0, 0.0]);
        assert_eq!(axis.top_ms, 80.0);
    }

    #[test]
    fn zoom_and_scroll_stay_within_the_frames() {
        let axis = &mut TimeAxis::default();
        axis.fit(&frames(17.0, 400.0), 160.0, 40.0, [2.0, 1.0]);
        assert_eq!((axis.foot_ms, axis.top_ms), (20.0, 40.0));
        assert_eq!(axis.raised(), 1.0);
        axis.fit(&frames(17.0, 400.0), 160.0, 40.0, [2.0, 1e9]);
        assert!(axis.top_ms > 400.0 && axis.top_ms < 440.0);
        axis.fit(&frames(17.0, 20.0), 160.0, 40.0, [1.0, 3.0]);
        assert_eq!(axis.foot_ms, 0.0);
        for odd in [f32::NAN, f32::INFINITY, -1.0, 0.0] {
            axis.fit(&[odd, 17.0], 160.0, 40.0, [odd, odd]);
            assert!(axis.per_ms > 0.0 && axis.per_ms.is_finite(), "{odd}");
            assert!(axis.top_ms.is_finite() && axis.foot_ms >= 0.0, "{odd}");
        }
    }

    #[test]
    fn grid_lines_are_at_budget_and_round_times() {
        let axis = &mut TimeAxis::default();
        let mut lines = |peaks: &[f32], height: f32| -> Vec<f32> {
            axis.fit(peaks, height, 40.0, [1.0, 0.0]);
            let mut lines: Vec<AxisLine> = axis.lines(15.0).collect();
            lines.sort_unstable_by(|a, b| a.ms.total_cmp(&b.ms));
            let px = |line: &AxisLine| line.ms * axis.per_ms;
            assert!(
                lines
                    .windows(2)
                    .all(|pair| px(&pair[1]) - px(&pair[0]) >= 15.0)
            );
            lines
                .iter()
                .map(|line| (line.ms * 10.0).round() / 10.0)
                .collect()
        };
        assert_eq!(lines(&frames(17.0, 17.0), 280.0), [10.0, 16.7, 33.3]);
        assert_eq!(lines(&frames(400.0, 400.0), 160.0), [16.7, 200.0, 400.0]);
        axis.set_budget(1000.0 / 144.0);
        axis.fit(&[6.0], 160.0, 40.0, [4.0, 0.0]);
        let budgets: Vec<AxisLine> = axis.lines(15.0).filter(|line| line.is_budget).collect();
        assert_eq!(budgets.len(), 1);
        assert!((budgets[0].ms - 6.944).abs() < 0.01);
        axis.set_budget(f32::NAN);
        assert!((axis.budget_ms - 16.667).abs() < 0.01);
    }

    #[test]
    fn times_have_three_digits_and_a_unit() {
        for (ms, wanted) in [
            (0.25, "250 \u{b5}s"),
            (16.667, "16.7 ms"),
            (40.0, "40 ms"),
            (162.9, "163 ms"),
            (4_120.0, "4.1 s"),
            (123_456.0, "123 s"),
        ] {
            let mut text = String::new();
            write_time(ms, &mut text);
            assert_eq!(text, wanted);
        }
    }
}
