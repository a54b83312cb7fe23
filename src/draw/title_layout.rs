//! Breaks title and warning lines that are wider than the report, as long as enough room for rows remains.
//!
//! A small report omits less important lines, beginning with the line about timing, followed by the last lines.

use super::font::{Font, first_line};
use iprof_report::{Report, TitleChoice};
use std::hash::{DefaultHasher, Hasher as _};

/// A title is broken only if there is still room for this many rows, or for all rows if the report has fewer.
const MIN_ROWS: usize = 3;
/// The maximum number of parts that a line is broken into.
const MAX_PARTS: usize = 3;
/// A broken line stays broken until it is shorter than the report by this many characters. This margin keeps rows from
/// jumping while numbers change.
const SLACK: f32 = 4.0;

/// A line as drawn, which may be a part of one of the report's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TitleLine {
    /// The index into the title lines followed by the warnings.
    pub(super) source: usize,
    /// The start of the line's text in the source, in bytes.
    pub(super) start: usize,
    /// The end of the line's text in the source, in bytes.
    pub(super) end: usize,
}

#[derive(Debug, Default)]
pub(super) struct TitleLines {
    pub(super) lines: Vec<TitleLine>,
    /// The number of lines that each of the report's lines needs.
    needed: Vec<usize>,
    /// The number of lines that each of the report's lines is given.
    given: Vec<usize>,
    /// Whether each of the report's lines was previously broken.
    was_broken: Vec<bool>,
    /// A hash of the lines without their numbers.
    words: u64,
}

/// Returns a title line or, at higher indices, a warning.
pub(super) fn source(report: &Report, at: usize) -> &str {
    match at.checked_sub(report.title.len()) {
        None => &report.title[at],
        Some(warning) => &report.warnings[warning],
    }
}

impl TitleLines {
    /// Breaks up the lines of a report that is `width` px wide, excluding the edges, and has room for `room` lines.
    ///
    /// The first line is `less` px narrower. With `is_held`, the number of lines stays the same if only numbers have
    /// changed.
    pub(super) fn break_up(
        &mut self,
        font: &mut Font,
        report: &Report,
        width: f32,
        less: f32,
        room: usize,
        is_held: bool,
    ) {
        let words = words(report);
        let before = self.lines.len();
        let is_held = std::mem::replace(&mut self.words, words) == words && is_held && before > 0;
        let count = report.title.len() + report.warnings.len();
        self.was_broken.resize(count, false);
        let width_of = |at: usize, was_broken: bool, slack: f32| {
            let slack = if was_broken { slack } else { 0.0 };
            width - slack - if at == 0 { less } else { 0.0 }
        };
        let slack = SLACK * font.advance;
        self.needed.clear();
        for at in 0..count {
            let text = source(report, at);
            let narrow = width_of(at, self.was_broken[at], slack);
            let parts = parts(font, text, narrow).count();
            self.was_broken[at] = parts > 1;
            self.needed.push(parts.min(MAX_PARTS));
        }
        self.share_out(report, room);
        self.lines.clear();
        for at in 0..count {
            let text = source(report, at);
            let narrow = width_of(at, self.was_broken[at], slack);
            let given = self.given[at];
            let parts = parts(font, text, narrow).take(given);
            let first = self.lines.len();
            self.lines.extend(parts.map(|(start, end)| TitleLine {
                source: at,
                start,
                end,
            }));
            // The last part contains the rest of the text, which is truncated when it is drawn.
            if let Some(last) = self.lines[first..].last_mut() {
                last.end = text.len();
            }
        }
        if is_held {
            self.set_count(report, before);
        }
    }

    /// Removes lines, or adds empty ones.
    fn set_count(&mut self, report: &Report, count: usize) {
        while self.lines.len() > count {
            // Only the last part of a broken line is removed.
            let is_part = |pair: &[TitleLine]| pair[0].source == pair[1].source;
            let Some(at) = self.lines.windows(2).rposition(is_part) else {
                break;
            };
            self.lines.remove(at + 1);
            let end = source(report, self.lines[at].source).len();
            self.lines[at].end = end;
        }
        while self.lines.len() < count
            && let Some(last) = self.lines.last().copied()
        {
            let start = last.end;
            self.lines.push(TitleLine { start, ..last });
        }
    }

    /// Gives each line of the report as many of the lines that it needs as there is room for, the most important lines
    /// first.
    fn share_out(&mut self, report: &Report, room: usize) {
        let TitleLines { needed, given, .. } = self;
        let titles = report.title.len();
        let rows = match report.columns.is_empty() {
            true => 0,
            false => 1 + report.rows.len().min(MIN_ROWS),
        };
        let mut left = room.saturating_sub(rows).max(room.min(1));
        given.clear();
        given.resize(needed.len(), 0);
        let timing = |part: &&iprof_report::TitlePart| part.choice == TitleChoice::Timing;
        let timing = report.title_parts.iter().find(timing);
        let is_timing = |at: usize| timing.is_some_and(|part| part.line == at);
        let mut give = |at: usize, lines: usize| {
            let more = lines.min(left);
            given[at] += more;
            left -= more;
        };
        let all = 0..needed.len();
        for at in all.clone().filter(|at| !is_timing(*at)) {
            give(at, 1);
        }
        if titles > 0 && !is_timing(0) {
            give(0, needed[0] - 1);
        }
        for at in all.clone().filter(|at| is_timing(*at)) {
            give(at, 1);
        }
        for at in all.filter(|at| *at > 0 || titles == 0 || is_timing(*at)) {
            give(at, needed[at] - 1);
        }
    }
}

/// Returns a hash of all lines without their numbers.
fn words(report: &Report) -> u64 {
    let mut words = DefaultHasher::new();
    for text in report.title.iter().chain(&report.warnings) {
        let is_word = |byte: &u8| !byte.is_ascii_digit() && !b" .-+".contains(byte);
        text.bytes()
            .filter(is_word)
            .for_each(|byte| words.write_u8(byte));
        words.write_u8(0);
    }
    words.finish()
}

fn parts<'a>(
    font: &'a mut Font,
    text: &'a str,
    width: f32,
) -> impl Iterator<Item = (usize, usize)> + use<'a> {
    let mut start = 0;
    let mut is_first = true;
    std::iter::from_fn(move || {
        let rest = &text[start..];
        let blanks = if is_first {
            0
        } else {
            rest.len() - rest.trim_start_matches(' ').len()
        };
        // An empty text still has one line.
        if !is_first && blanks == rest.len() {
            return None;
        }
        is_first = false;
        let from = start + blanks;
        start = from + first_line(font, &text[from..], width, true);
        Some((from, start))
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use iprof_report::{ColumnId, Row, TitlePart};

    fn report() -> Report {
        let mut report = Report {
            title: vec![
                "16.71 ms/frame  59.8 fps  self time  all 3 threads  live, 0.8 s average".into(),
                "exact  overhead 1.42 %, overlay 0.30 %".into(),
            ],
            title_parts: vec![TitlePart {
                line: 1,
                start: 0,
                end: 38,
                choice: TitleChoice::Timing,
            }],
            columns: vec![ColumnId::SelfTime],
            ..Report::default()
        };
        report.rows = vec![Row::new("zone", [(ColumnId::SelfTime, 1.0)]); 20];
        report
    }

    fn lines(report: &Report, characters: f32, room: usize) -> Vec<String> {
        let mut font = Font::new(12.0);
        let width = characters * font.advance;
        let mut title = TitleLines::default();
        title.break_up(&mut font, report, width, 0.0, room, false);
        let text = |line: &TitleLine| source(report, line.source)[line.start..line.end].to_owned();
        title.lines.iter().map(text).collect()
    }

    #[test]
    fn titles_are_cut_to_leave_room_for_rows() {
        let report = report();
        assert_eq!(lines(&report, 84.0, 20), report.title);
        let wrapped = [
            "16.71 ms/frame  59.8 fps  self time",
            "all 3 threads  live, 0.8 s average",
            "exact  overhead 1.42 %, overlay 0.30 %",
        ];
        assert_eq!(lines(&report, 40.0, 20), wrapped);
        assert_eq!(lines(&report, 40.0, 7), wrapped);
        assert_eq!(lines(&report, 40.0, 6), wrapped[..2]);
        for room in 1..=5 {
            assert_eq!(
                lines(&report, 40.0, room),
                report.title[..1],
                "should not be broken"
            );
        }
        assert!(lines(&report, 40.0, 0).is_empty());
        let mut bare = report.clone();
        bare.rows.truncate(1);
        assert_eq!(lines(&bare, 84.0, 4), bare.title);
    }

    #[test]
    fn timing_line_is_dropped_before_warnings() {
        let mut report = report();
        report.title.push("+1.00 ms vs. frame 7".into());
        report.warnings.push("mind this".into());
        let [title, _, baseline] = [0, 1, 2].map(|at| report.title[at].clone());
        let all = [title, baseline, "mind this".into()];
        assert_eq!(lines(&report, 84.0, 7), all);
        assert_eq!(lines(&report, 84.0, 5), all[..1]);
    }

    #[test]
    fn broken_line_stays_broken_as_numbers_change() {
        let mut font = Font::new(12.0);
        let mut title = TitleLines::default();
        let mut count = |text: &str| {
            let report = Report {
                title: vec![text.into()],
                ..Report::default()
            };
            let width = 20.0 * font.advance;
            title.break_up(&mut font, &report, width, 0.0, 9, false);
            title.lines.len()
        };
        assert_eq!(count("999.99 ms  self time"), 1);
        assert_eq!(count("1000.00 ms  self time"), 2);
        assert_eq!(count("99.99 ms  self time"), 2);
        assert_eq!(count("9 ms  self time"), 1);
    }

    #[test]
    fn held_title_keeps_its_lines_as_numbers_change() {
        let mut font = Font::new(12.0);
        let mut title = TitleLines::default();
        let mut lines = |text: &str, is_held| {
            let report = Report {
                title: vec![text.into(), "exact".into()],
                ..Report::default()
            };
            let width = 20.0 * font.advance;
            title.break_up(&mut font, &report, width, 0.0, 9, is_held);
            let text =
                |line: &TitleLine| source(&report, line.source)[line.start..line.end].to_owned();
            title.lines.iter().map(text).collect::<Vec<_>>()
        };
        let one = ["999.99 ms  self time", "exact"];
        let two = ["1000.00 ms", "self time", "exact"];
        assert_eq!(lines(one[0], false), one);
        let long = "1000.00 ms  self time";
        assert_eq!(lines(long, true), [long, "exact"], "should not be broken");
        assert_eq!(lines(long, false), two);
        assert_eq!(
            lines("9 ms  self time", true),
            ["9 ms  self time", "exact", ""]
        );
        assert_eq!(
            lines("9 ms  self times", true),
            ["9 ms  self times", "exact"]
        );
    }
}
