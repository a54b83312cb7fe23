//! Writes the title lines of a report: frame time, mode, threads, frames, timing, baseline.

use super::Builder;
use super::subject::Subject;
use crate::query::sums::FADED_ENTRIES;
use crate::report::{ColumnId, ReportMode, TitleChoice, TitlePart};
use crate::view::Baseline;
use iprof_gather::{IS_ENABLED, NOT_ENABLED};
use iprof_process::Timing;
use iprof_process::text_parts::push_decimal;
use std::fmt::Write as _;

/// A comparison's title shows idle time if it is at least this fraction of the difference.
const WAITED: f64 = 0.1;
/// A comparison's title shows the sum of the rows if it differs from the frame time difference by at least this many
/// ms.
const UNEQUAL_MS: f64 = 0.05;
/// A capacity in bytes that is enough for most first and second lines.
const LINE_BYTES: usize = 128;

impl Builder<'_> {
    pub(super) fn title_lines(&self, is_typing: bool) -> TitleLines {
        let (view, mut lines) = (self.view, TitleLines::default());
        if !IS_ENABLED && self.profiler.frames() == 0 {
            lines.line(NOT_ENABLED.into(), None);
            return lines;
        }
        self.title(&mut lines);
        let mut timing = self.timing_title();
        self.push_missed(&mut timing);
        lines.line(timing, Some(TitleChoice::Timing));
        if let Some(baseline) = self.baseline_title() {
            lines.line(baseline, None);
        }
        self.frames_lines(&mut lines);
        if is_typing || !view.filter.is_empty() {
            let cursor = if is_typing { "_" } else { "" };
            let filter = format!("filter: \"{}{cursor}\"", view.filter);
            lines.line(filter, Some(TitleChoice::Filter));
        }
        lines
    }

    /// Writes the first line. A comparison omits frames per second, because its columns leave less room.
    fn title(&self, lines: &mut TitleLines) {
        let ms = self.values.frame_ms;
        let fps = if ms > 0.0 { 1e3 / ms } else { 0.0 };
        let mode = match self.view.report_mode {
            ReportMode::SelfTime => "self time",
            ReportMode::HierarchicalTime => "hierarchical time",
            ReportMode::CallGraph => "call graph",
            ReportMode::CallGraphDescendants => "descendants",
            ReportMode::CallTree => "call tree",
        };
        let mut line = String::with_capacity(LINE_BYTES);
        push_decimal(&mut line, ms, 2);
        line.push_str(" ms/frame");
        if self.baseline.is_none() {
            line.push_str("  ");
            push_decimal(&mut line, fps, 1);
            line.push_str(" fps");
        }
        lines.line(line, None);
        lines.part("  ", mode, TitleChoice::Mode);
        lines.part("  ", &self.subject().threads_title(), TitleChoice::Threads);
        self.subject()
            .frame_title(&mut |separator, text, choice| lines.part(separator, text, choice));
    }

    /// Appends how many frames missed the budget to the second line. At normal width, the first line has no room for
    /// this.
    fn push_missed(&self, line: &mut String) {
        let missed = self.profiler.zone_budgets().frame_budget_misses().misses;
        let is_live = self.values.frames.is_none();
        if missed > 0 && is_live && !self.profiler.shows_gpu(self.view.threads()) {
            // Writing to a string cannot fail. The text is short, because a second line would move the rows.
            let _ = write!(line, "  {missed} missed");
        }
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            profiler: self.profiler,
            view: self.view,
            values: &self.values,
            is_compared: self.baseline.is_some(),
        }
    }

    /// Returns the second line: the timing mode, the clock's step length if it is long, and the profiler's percentage
    /// of the time.
    ///
    /// The percentage includes the overhead of recording, of `update`, and of the sampler for the threads in view. The
    /// recording overhead is the number of entries times the measured cost of a zone. Drawing is shown separately, as
    /// the overlay's percentage. In the mode with an overhead budget, `update` is also shown separately, because the
    /// budget covers only recording.
    fn timing_title(&self) -> String {
        let profiler = self.profiler;
        let threads = &self.values.threads;
        let mut title = String::with_capacity(LINE_BYTES);
        let coarse_ms = profiler.frame_clock().coarse_ms();
        let _ = match self.values.timing {
            // If the clock has long steps, only the counts are called exact.
            Timing::Exact if coarse_ms.is_some() => title.write_str("counts exact"),
            Timing::Exact => title.write_str("exact"),
            Timing::Sampled { hz } => write!(title, "sampled at {hz:.0} Hz"),
            Timing::Off => title.write_str("off (not recording)"),
            // The percentage is rounded to a thousandth of a percent, which is smaller than any budget.
            Timing::Auto { budget } => {
                write!(title, "auto: budget {} %", (budget * 1e5).round() / 1e3)
            }
        };
        if let Some(ms) = coarse_ms {
            let _ = match ms < 0.095 {
                true => write!(title, ", {:.0} \u{b5}s clock", ms * 1e3),
                false => write!(title, ", {ms:.1} ms clock"),
            };
        }
        if self.values.timing == Timing::Exact && profiler.has_no_sampler() {
            title.push_str(" (no sampler)");
        }
        let is_auto = matches!(self.values.timing, Timing::Auto { .. });
        let time: f64 = threads.iter().flat_map(|thread| &*thread.self_time).sum();
        if time > 0.0 {
            let cost: f64 = threads.iter().map(|thread| thread.cost).sum();
            let (mut update, mut overlay) = (0.0, 0.0);
            let indices = profiler.indices();
            for (totals, row) in self.by_row.totals.iter().zip(0..) {
                let zone = self.key(row).zone;
                match indices.is_own(zone).then(|| &**indices.name(zone)) {
                    Some("iprof_update") => update += totals.self_time,
                    Some("iprof_draw" | "iprof_draw_graph" | "iprof_draw_flame") => {
                        overlay += totals.self_time
                    }
                    _ => {}
                }
            }
            let mut percent = |what: &str, part: f64| {
                title.push_str(what);
                push_decimal(&mut title, part / time * 100.0, 2);
                title.push_str(" %");
            };
            let recording = cost + self.values.sampler;
            if is_auto {
                percent(", measured ", recording);
                percent(", update ", update);
            } else {
                percent("  overhead ", recording + update);
            }
            if overlay > 0.0 {
                percent(", overlay ", overlay);
            }
        }
        if is_auto {
            let (mut sampled, mut all) = (0, 0);
            for thread in threads {
                let is_entered = |node: &usize| thread.entries[*node] > FADED_ENTRIES;
                for node in (0..thread.nodes.len()).filter(is_entered) {
                    let of = thread.sampled.as_ref();
                    sampled += u32::from(of.is_some_and(|of| !of.is_timed(node)));
                    all += 1;
                }
            }
            let _ = write!(title, "  {sampled} of {all} call stacks sampled");
        }
        title
    }

    /// Explains the columns that need per-frame values, and summarizes the frames themselves.
    fn frames_lines(&self, lines: &mut TitleLines) {
        let frames = self.frame_summary.get();
        if self.plan.is_some() && self.view.shown_part().is_some() {
            let line = "per-frame and rescued columns cover remembered frames only";
            lines.line(line.to_owned(), None);
        }
        if let Some(of) = frames.times {
            let s = if frames.count == 1 { "" } else { "s" };
            let mut line = format!("{} frame{s}:", frames.count);
            for &column in ColumnId::TIMES_PER_FRAME {
                let _ = write!(line, " {} ", column.header().trim_end_matches(" ms"));
                push_decimal(&mut line, of.value(column).unwrap_or_default(), 2);
            }
            line.push_str(" ms");
            if of.slowest > 0.0 {
                line.push_str("  1 % low ");
                push_decimal(&mut line, 1e3 / of.slowest, 1);
                line.push_str(" fps");
            }
            lines.line(line, None);
        }
        if let Some(missed) = frames.missed {
            let time = match self.main_time {
                ColumnId::SelfTime => "self",
                _ => "hier",
            };
            let mut line = format!("{} of {} frames over ", missed.count, frames.count);
            push_decimal(&mut line, missed.budget_ms, 2);
            let _ = write!(line, " ms; rescued: at half the {time} time, ");
            let own = self.profiler.frame_thread() as usize;
            let threads = self.profiler.threads_in_view(self.view.threads());
            let own_is = match missed.is_estimated {
                true => "estimated",
                false => "exact",
            };
            if threads.contains(&own) {
                line.push_str(own_is);
            }
            if *threads != [own] {
                line.push_str(match (threads.contains(&own), missed.knows_waits) {
                    (true, true) => {
                        " on the frame's thread, upper bound on others, from idle zones"
                    }
                    (true, false) => " on the frame's thread, upper bound on others",
                    (false, true) => "upper bound: the frame's waits in idle zones",
                    (false, false) => "upper bound: if the frame waits for it",
                });
            }
            lines.line(line, None);
        }
    }

    /// Returns a comparison's title line. It starts with the difference in frame time, since long lines are cut off.
    fn baseline_title(&self) -> Option<String> {
        let before = self.baseline.as_ref()?;
        let what = self.subject().baseline_name(before);
        let (ms, before_ms) = (self.values.frame_ms, before.frame_ms());
        // Use the difference between the numbers as displayed.
        let cents = |ms: f64| (ms * 100.0).round();
        let difference = (cents(ms) - cents(before_ms)) / 100.0;
        let (count, mut whole) = (self.values.busy_threads(), difference);
        if count > 1 {
            // The rows add up to the threads' time.
            whole = self.values.threads_ms() - before.threads_ms();
        }
        let waited = self.waited;
        let idle = match waited != 0.0 && waited.abs() >= WAITED * whole.abs() {
            true => format!(", idle {waited:+.2}"),
            false => String::new(),
        };
        // Idle time is shown next to the difference that contains it, either the frame's or the threads'.
        let (of_frame, of_threads) = match count > 1 {
            true => ("", format!("  {count} threads {whole:+.2}{idle}")),
            false => (&*idle, String::new()),
        };
        let mut title = format!(
            "{difference:+.2} ms{of_frame} vs. {what}  {ms:.2} - {before_ms:.2}{of_threads}"
        );
        if self.view.baseline == Baseline::Median {
            let of_rows = self.difference_of_rows(|_| true);
            if (of_rows - whole).abs() >= UNEQUAL_MS {
                let _ = write!(title, "  rows {of_rows:+.2}");
            }
        }
        Some(title)
    }
}

#[derive(Default)]
pub(super) struct TitleLines {
    pub(super) title: Vec<String>,
    pub(super) parts: Vec<TitlePart>,
}

impl TitleLines {
    fn line(&mut self, text: String, choice: Option<TitleChoice>) {
        if let Some(choice) = choice {
            self.parts.push(TitlePart {
                line: self.title.len(),
                start: 0,
                end: text.len(),
                choice,
            });
        }
        self.title.push(text);
    }

    fn part(&mut self, separator: &str, text: &str, choice: TitleChoice) {
        let at = self.title.len() - 1;
        let line = &mut self.title[at];
        line.push_str(separator);
        let start = line.len();
        line.push_str(text);
        self.parts.push(TitlePart {
            line: at,
            start,
            end: line.len(),
            choice,
        });
    }
}
