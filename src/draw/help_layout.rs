//! Lays out the help: sections of terms and meanings, in columns and on as few pages as possible.
//!
//! Columns are as wide as their text if the page has room. A section is kept in one piece if it fits in a column and
//! keeping it whole does not increase the number of pages. Lines are wrapped, so nothing is cut. This file is long
//! because planning pages and drawing a page share the code that breaks entries into lines.

use super::font::{Font, first_line, wrap};
use super::list::is_within;
use super::theme::Theme;
use crate::draw::help::{HelpLine, HelpSection, HelpText};
use std::ops::Range;

/// The minimum width of equal-width columns, in characters.
const COLUMN: f32 = 44.0;
const MAX_COLUMNS: usize = 6;
/// The minimum width of a page, in characters.
const MIN_WIDTH: f32 = 8.0;
/// The number of characters between a term and its meaning.
const GAP: f32 = 2.0;
/// The number of characters between columns.
const COLUMN_GAP: f32 = 3.0;
/// The number of characters at the left and right edges.
const EDGE: f32 = 1.0;
/// The maximum fraction of a column that terms take.
const TERMS: f32 = 0.4;
/// The minimum number of free lines in a column where a section that has to be split begins.
const MIN_LINES: usize = 5;
/// The number of report layouts for which a hint in the corner is remembered.
const HINT_AGE: u32 = 4;

/// The area where the help was last drawn, for clicks.
#[derive(Debug, Default)]
pub(crate) struct HelpArea {
    /// The left, top, right and bottom edges of everything drawn, in px. Empty if nothing was drawn.
    area: [f32; 4],
    /// The area in the previous frame. It is needed because a report is laid out before the help that covers it.
    before: [f32; 4],
    plan: Plan,
    /// The index of the hint's last free spot.
    place: usize,
    /// The corner that the hint covered.
    corner: [f32; 4],
    /// The number of reports since the hint covered the corner.
    corner_age: u32,
}

impl HelpArea {
    pub(crate) fn covers(&self, at: [f32; 2]) -> bool {
        is_within(self.area, at) || is_within(self.before, at)
    }

    /// Begins a new frame. If the help is not drawn in the new frame, it covers nothing.
    pub(crate) fn forget(&mut self) {
        self.before = self.area;
        self.area = [0.0; 4];
        self.corner_age = self.corner_age.saturating_add(1);
        if self.corner_age > HINT_AGE {
            self.corner = [0.0; 4];
        }
    }

    /// Returns the width in px that the hint covers at the right end of a report's first line.
    pub(crate) fn covered(&self, [_, top, right, _]: [f32; 4]) -> f32 {
        let [from, hint_top, to, _] = self.corner;
        match [top.round(), right.round()] == [hint_top, to] {
            true => to - from,
            false => 0.0,
        }
    }

    /// Lays out a page, counted from 1, in `rect` (left, top, right, bottom; px). Returns the number of pages.
    ///
    /// A number beyond the last page shows the last page. Nothing is drawn outside `rect`.
    pub(crate) fn lay_out(
        &mut self,
        font: &mut Font,
        theme: &Theme,
        text: &mut HelpText,
        page: usize,
        rect: [f32; 4],
    ) -> usize {
        let [left, top, right, bottom] = rect.map(f32::round);
        (self.area, self.before) = ([0.0; 4], [0.0; 4]);
        let (line, advance) = (font.line, font.advance);
        let width = right - left - 2.0 * EDGE * advance;
        let lines = ((bottom - top) / line).floor() as usize;
        if width < MIN_WIDTH * advance {
            return 1;
        }
        // The number of lines that the longest footer needs, in full or shortened.
        let mut foot_lines = |short| wrap(font, text.footer(10, 11, short), width, |_, _, _| {});
        let is_short = foot_lines(false) > 1;
        let foot_lines = foot_lines(is_short);
        // There is room for at least a title, a line of text and the footer.
        if lines < 2 + foot_lines {
            return 1;
        }
        self.plan.update(font, text, width, lines - foot_lines);
        let pages = self.plan.pages;
        let page = page.clamp(1, pages);
        let first = font.list.quads().len();
        self.area = [left, top, right, top + lines as f32 * line];
        font.fill(self.area, theme.tooltip);
        let from = left + EDGE * advance;
        for block in self
            .plan
            .blocks
            .iter()
            .filter(|block| block.page + 1 == page)
        {
            let section = &text.sections[block.section];
            block.lay_out(font, theme, section, [from + block.x, top]);
        }
        let foot = self.area[3] - foot_lines as f32 * line;
        font.fill([left, foot, right, self.area[3]], theme.title_bar);
        let footer = text.footer(page, pages, is_short);
        wrap(font, footer, width, |font, at, text| {
            font.text(from, foot + at as f32 * line, text, theme.title);
        });
        font.list.cut_to(first, self.area);
        pages
    }

    /// Lays out the hint `text` in the first of the `free` spots above the rows of the report in `rect`. If there is no
    /// room in any of them, the hint covers the right end of the report's first line.
    pub(crate) fn lay_out_hint(
        &mut self,
        font: &mut Font,
        theme: &Theme,
        text: &str,
        rect: [f32; 4],
        free: &[[f32; 4]],
    ) {
        let [left, top, right, bottom] = rect.map(f32::round);
        (self.area, self.before) = ([0.0; 4], [0.0; 4]);
        let width = font.width(text) + 2.0 * EDGE * font.advance;
        if text.is_empty() || right - left < width || bottom - top < font.line {
            return;
        }
        let has_room = |place: &[f32; 4]| {
            let [from, y, to, end] = *place;
            to - from >= width && y >= top && end <= bottom && to <= right
        };
        // The hint stays where it is as long as it fits there, even when numbers change.
        let stays = free.get(self.place).is_some_and(has_room);
        let found = match stays {
            true => Some(self.place),
            false => free.iter().position(has_room),
        };
        let [_, y, to, _] = match found {
            Some(place) => {
                self.place = place;
                free[place]
            }
            None => {
                let gap = font.advance;
                self.corner = [right - width - gap, top, right, top + font.line];
                self.corner_age = 0;
                [0.0, top, right, 0.0]
            }
        };
        self.area = [to - width, y, to, y + font.line];
        font.fill(self.area, theme.cursor);
        let x = to - width + EDGE * font.advance;
        font.text(x, y, text, theme.tooltip);
    }
}

/// The columns of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Columns {
    /// Each column is as wide as its text.
    Fitting,
    /// The given number of columns, all equally wide.
    Equal(usize),
    /// A single column in which meanings follow their terms.
    RunIn,
}

/// The positions of all sections.
#[derive(Debug, Default)]
struct Plan {
    /// The inputs of the plan: the text's version, the width in px, the number of lines, and the height of a line.
    inputs: Option<(u64, f32, usize, f32)>,
    blocks: Vec<Block>,
    pages: usize,
}

/// A section or a piece of a section.
#[derive(Clone, Debug, PartialEq)]
struct Block {
    section: usize,
    entries: Range<usize>,
    /// The number of the first entry's lines that are in the previous column.
    skip: usize,
    has_title: bool,
    page: usize,
    /// The distance from the left edge of the text, in px.
    x: f32,
    width: f32,
    /// The first line.
    line: usize,
    /// The number of lines.
    height: usize,
    /// The width of the terms, or `None` if meanings follow them.
    terms: Option<f32>,
}

impl Plan {
    fn update(&mut self, font: &mut Font, text: &HelpText, width: f32, lines: usize) {
        let inputs = Some((text.version(), width, lines, font.line));
        if self.inputs == inputs {
            return;
        }
        let sections = &text.sections;
        let most = ((width / font.advance + COLUMN_GAP) / (COLUMN + COLUMN_GAP)).floor() as usize;
        let kinds = match most {
            0 => vec![Columns::RunIn],
            _ => std::iter::once(Columns::Fitting)
                .chain((1..=most.min(MAX_COLUMNS)).map(Columns::Equal))
                .collect(),
        };
        let mut plans = Vec::new();
        for splits in [false, true] {
            for &columns in &kinds {
                // On a page this narrow, having fewer pages is more important than keeping sections in one piece.
                let splits = splits || columns == Columns::RunIn;
                plans.extend(Plan::new(font, sections, width, lines, columns, splits));
            }
        }
        // If several plans have the same minimum number of pages, the first such plan is used.
        let best = plans.into_iter().min_by_key(|plan| plan.pages);
        *self = best.unwrap_or_default();
        self.inputs = inputs;
    }

    /// Builds a plan with the given columns, or returns `None` if the text is too wide. With `splits`, a section may
    /// continue in the next column even if that column has room for the whole section.
    fn new(
        font: &mut Font,
        sections: &[HelpSection],
        width: f32,
        lines: usize,
        columns: Columns,
        splits: bool,
    ) -> Option<Plan> {
        let room = Room {
            columns,
            width,
            gap: COLUMN_GAP * font.advance,
        };
        let mut plan = Plan::default();
        let mut place = Place::default();
        for (at, section) in sections.iter().enumerate() {
            let (section_width, terms) = widths(font, section, width, columns);
            if columns == Columns::Fitting && section_width > width {
                return None;
            }
            let heights = section.lines.iter();
            let heights: Vec<usize> = heights
                .map(|entry| put(font, entry, section_width, terms, &mut |_, _, _| {}))
                .collect();
            let whole = 1 + heights.iter().sum::<usize>();
            let blank = |place: &Place| usize::from(place.line > 0 && columns != Columns::RunIn);
            let left = lines.saturating_sub(place.line + blank(&place));
            let may_break = whole > lines || splits;
            let fits = whole <= left || may_break && left >= MIN_LINES;
            let is_too_wide = columns == Columns::Fitting && place.x + section_width > width;
            if place.line > 0 && (!fits || is_too_wide) && !heights.is_empty() {
                place.next_column(room, section_width);
            }
            // The number of placed entries, and the number of placed lines in the next entry.
            let (mut done, mut skipped) = (0, 0);
            while done < heights.len() {
                let (first, skip) = (done, skipped);
                let is_begin = first == 0 && skip == 0;
                if !is_begin {
                    place.next_column(room, section_width);
                }
                place.line += blank(&place);
                let begin = place.line;
                place.line += usize::from(is_begin);
                while let Some(height) = heights.get(done)
                    && place.line + height - skipped <= lines
                {
                    place.line += height - skipped;
                    (done, skipped) = (done + 1, 0);
                }
                let mut entries = first..done;
                // An entry that is taller than a column continues in the next column.
                if done == first && done < heights.len() {
                    skipped += lines.saturating_sub(place.line).max(1);
                    place.line = lines;
                    entries.end += 1;
                }
                place.width = place.width.max(section_width);
                plan.blocks.push(Block {
                    section: at,
                    entries,
                    skip,
                    has_title: is_begin,
                    page: place.page,
                    x: place.x,
                    width: section_width,
                    line: begin,
                    height: place.line - begin,
                    terms,
                });
            }
        }
        plan.pages = plan.blocks.last().map_or(0, |last| last.page) + 1;
        Some(plan)
    }
}

#[derive(Clone, Copy, Debug)]
struct Room {
    columns: Columns,
    width: f32,
    gap: f32,
}

/// The position of the next section, with the column's left edge and its width so far, in px.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    page: usize,
    column: usize,
    x: f32,
    width: f32,
    line: usize,
}

impl Place {
    /// Moves to the next column, or to the next page if a section of width `section_width` does not fit.
    fn next_column(&mut self, room: Room, section_width: f32) {
        let next = Place {
            column: self.column + 1,
            x: self.x + self.width + room.gap,
            width: 0.0,
            line: 0,
            ..*self
        };
        let is_full = match room.columns {
            Columns::Fitting => next.x + section_width > room.width,
            Columns::Equal(count) => next.column == count,
            Columns::RunIn => true,
        };
        *self = match is_full {
            false => next,
            true => Place {
                page: self.page + 1,
                ..Place::default()
            },
        };
    }
}

/// Returns the widths of a section and of its terms, in px.
fn widths(
    font: &mut Font,
    section: &HelpSection,
    width: f32,
    columns: Columns,
) -> (f32, Option<f32>) {
    let mut widest = [0.0f32; 2];
    for entry in &section.lines {
        widest[0] = widest[0].max(font.width(&entry.term));
        widest[1] = widest[1].max(font.width(&entry.meaning));
    }
    let [terms, meanings] = widest;
    match columns {
        Columns::RunIn => (width, None),
        Columns::Fitting => {
            let title = font.width(section.title);
            let section_width = (terms + GAP * font.advance + meanings).max(title);
            (section_width, Some(terms))
        }
        Columns::Equal(count) => {
            let count = count as f32;
            let gaps = (count - 1.0) * COLUMN_GAP * font.advance;
            let section_width = ((width - gaps) / count).floor();
            (section_width, Some(terms.min(section_width * TERMS)))
        }
    }
}

/// One line of a term or of a meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece<'a> {
    Term(&'a str),
    Meaning(&'a str),
}

/// Breaks an entry into pieces, for a column `width` px wide with terms `terms` px wide. Calls `put_piece` with each
/// piece, its left edge and its line. Returns the number of lines.
fn put<'a>(
    font: &mut Font,
    entry: &'a HelpLine,
    width: f32,
    terms: Option<f32>,
    put_piece: &mut dyn FnMut(&mut Font, [f32; 2], Piece<'a>),
) -> usize {
    let gap = GAP * font.advance;
    let Some(terms) = terms else {
        return run_in(font, entry, width, put_piece);
    };
    let of_term = wrap(font, &entry.term, terms, |font, line, text| {
        put_piece(font, [0.0, line as f32], Piece::Term(text));
    });
    let meanings = (width - terms - gap).max(font.advance);
    let of_meaning = wrap(font, &entry.meaning, meanings, |font, line, text| {
        put_piece(font, [terms + gap, line as f32], Piece::Meaning(text));
    });
    of_term.max(of_meaning)
}

/// Works like [`put`], but with the meaning following the term.
fn run_in<'a>(
    font: &mut Font,
    entry: &'a HelpLine,
    width: f32,
    put_piece: &mut dyn FnMut(&mut Font, [f32; 2], Piece<'a>),
) -> usize {
    let gap = GAP * font.advance;
    let mut term_end = 0.0;
    let mut line = wrap(font, &entry.term, width, |font, line, text| {
        put_piece(font, [0.0, line as f32], Piece::Term(text));
        term_end = font.width(text) + gap;
    }) - 1;
    let mut rest = &*entry.meaning;
    let word = rest.find(' ').unwrap_or(rest.len());
    if term_end + font.width(&rest[..word]) <= width {
        let end = first_line(font, rest, width - term_end, false);
        put_piece(font, [term_end, line as f32], Piece::Meaning(&rest[..end]));
        rest = rest[end..].trim_start_matches(' ');
    }
    if !rest.is_empty() {
        let indent = gap.min(width - font.advance);
        let begin = line + 1;
        line = begin - 1
            + wrap(font, rest, width - indent, |font, down, text| {
                let at = [indent, (begin + down) as f32];
                put_piece(font, at, Piece::Meaning(text));
            });
    }
    line + 1
}

impl Block {
    fn lay_out(&self, font: &mut Font, theme: &Theme, section: &HelpSection, [x, top]: [f32; 2]) {
        let (line, advance) = (font.line, font.advance);
        let y = top + self.line as f32 * line;
        if section.is_highlighted {
            let edge = 0.5 * EDGE * advance;
            let bottom = y + self.height as f32 * line;
            let background = [x - edge, y, x + self.width + edge, bottom];
            font.fill(background, theme.cursor_row);
            font.fill([background[0], y, background[2], y + line], theme.title_bar);
        }
        if self.has_title {
            let color = match section.is_highlighted {
                true => theme.title,
                false => theme.sort_mark,
            };
            font.text(x.round(), y, section.title, color);
        }
        let mut at = usize::from(self.has_title) as f32 - self.skip as f32;
        for entry in &section.lines[self.entries.clone()] {
            let mut draw = |font: &mut Font, [left, down]: [f32; 2], piece: Piece<'_>| {
                let down = at + down;
                if down < 0.0 || down >= self.height as f32 {
                    return;
                }
                let (text, color) = match piece {
                    Piece::Term(text) if section.is_highlighted => (text, theme.sort_mark),
                    Piece::Term(text) => (text, theme.header),
                    Piece::Meaning(text) => (text, theme.title),
                };
                font.text((x + left).round(), y + down * line, text, color);
            };
            at += put(font, entry, self.width, self.terms, &mut draw) as f32;
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::input::bindings::Bindings;

    fn text() -> HelpText {
        let mut text = HelpText::default();
        let mut bindings = Bindings::default();
        for (keys, meaning) in [
            ("I", "a storm: one slow frame"),
            ("8", "slow growth, on or off"),
            ("9", "an allocation storm, on or off"),
            ("W", "write report and picture to files"),
            ("Esc", "end the demo"),
        ] {
            bindings.describe_own_key(keys, meaning);
        }
        text.update(&bindings);
        text
    }

    fn plan(font: &mut Font, text: &HelpText, [width, height]: [f32; 2]) -> (Plan, f32, usize) {
        let mut plan = Plan::default();
        let width = width - 2.0 * EDGE * font.advance;
        let lines = (height / font.line) as usize - 1;
        plan.update(font, text, width, lines);
        (plan, width, lines)
    }

    /// On screens of all sizes, the pages show every term and every meaning, uncut and inside the page.
    #[test]
    fn pages_show_all_text_uncut() {
        let text = text();
        for size in [
            [320.0, 240.0],
            [200.0, 120.0],
            [160.0, 120.0],
            [90.0, 61.0],
            [560.0, 400.0],
            [1240.0, 680.0],
            [1880.0, 1040.0],
        ] {
            let mut font = Font::new(12.0);
            let (plan, width, lines) = plan(&mut font, &text, size);
            let mut shown = String::new();
            // The occupied positions: page, left and right edges, and line.
            let mut taken: Vec<(usize, [f32; 2], usize)> = Vec::new();
            for block in &plan.blocks {
                assert!(block.line + block.height <= lines, "{size:?} {block:?}");
                assert!(block.x + block.width <= width + 0.5, "{size:?} {block:?}");
                let section = &text.sections[block.section];
                let title = usize::from(block.has_title);
                let mut at = (block.line + title) as f32 - block.skip as f32;
                for entry in &section.lines[block.entries.clone()] {
                    let mut look = |font: &mut Font, [x, down]: [f32; 2], piece: Piece<'_>| {
                        let (Piece::Term(text) | Piece::Meaning(text)) = piece;
                        let (from, line) = (block.x + x, at + down);
                        if line < block.line as f32 || line >= (block.line + block.height) as f32 {
                            return;
                        }
                        let line = line as usize;
                        let to = from + font.width(text);
                        assert!(
                            to <= block.x + block.width.max(font.advance) + 0.5,
                            "{text}"
                        );
                        let is_over = |(page, [left, right], other): &(usize, [f32; 2], usize)| {
                            *page == block.page && *other == line && from < *right && to > *left
                        };
                        assert!(!taken.iter().any(is_over), "{text} overlaps other text");
                        taken.push((block.page, [from, to], line));
                        shown.push_str(&text.replace(' ', ""));
                    };
                    at += put(&mut font, entry, block.width, block.terms, &mut look) as f32;
                }
            }
            for line in text.sections.iter().flat_map(|section| &section.lines) {
                for wanted in [&*line.term, &*line.meaning] {
                    let wanted = wanted.replace(' ', "");
                    assert!(shown.contains(&wanted), "{wanted}");
                }
            }
            let last = taken.iter().map(|(page, ..)| *page).max();
            assert_eq!(last, Some(plan.pages - 1));
        }
    }

    #[test]
    fn sections_are_split_only_if_they_do_not_fit() {
        let text = text();
        let mut font = Font::new(12.0);
        for (size, pages) in [
            ([1264.0, 704.0], 1),
            ([1904.0, 1064.0], 1),
            // This is the space in a 1280×720 window at a scale of 1.5.
            ([837.0, 464.0], 3),
            ([304.0, 224.0], 13),
        ] {
            let (plan, _, lines) = plan(&mut font, &text, size);
            assert!(plan.pages <= pages, "{size:?}: {} pages", plan.pages);
            for block in &plan.blocks {
                let section = &text.sections[block.section];
                let parts = plan
                    .blocks
                    .iter()
                    .filter(|other| other.section == block.section);
                let heights = parts.clone().map(|part| part.height);
                let whole: usize = heights.sum();
                let may_break = whole > lines || block.terms.is_none();
                assert!(parts.count() == 1 || may_break, "{}", section.title);
            }
        }
        // Nothing is wrapped if there is room for everything.
        let (plan, ..) = plan(&mut font, &text, [1904.0, 1064.0]);
        for block in &plan.blocks {
            assert_eq!(block.height, 1 + block.entries.len(), "{block:?}");
        }
    }

    #[test]
    fn nothing_is_drawn_outside_the_rectangle() {
        let mut text = text();
        let mut area = HelpArea::default();
        for [width, height] in [
            [0.0, 0.0],
            [9.0, 500.0],
            [320.0, 240.0],
            [333.3, 77.7],
            [900.0, 50.0],
        ] {
            let rect = [10.0, 20.0, 10.0 + width, 20.0 + height];
            for page in [0, 1, 2, usize::MAX] {
                let mut font = Font::new(12.0);
                let pages = area.lay_out(&mut font, &Theme::DARK, &mut text, page, rect);
                assert!(pages >= 1);
                let hint = text.hint();
                area.lay_out_hint(&mut font, &Theme::DARK, hint, rect, &[]);
                for vertex in font.list.vertices() {
                    let [x, y] = vertex.position;
                    let [left, top, right, bottom] = rect.map(f32::round);
                    assert!(x >= left && x <= right && y >= top && y <= bottom);
                }
            }
        }
    }

    #[test]
    fn footer_is_complete_on_a_small_screen() {
        let mut text = text();
        let mut area = HelpArea::default();
        for (width, lines) in [(320.0, 1.0), (200.0, 1.0), (80.0, 2.0)] {
            let mut font = Font::new(12.0);
            let rect = [0.0, 0.0, width, 240.0];
            area.lay_out(&mut font, &Theme::DARK, &mut text, 1, rect);
            let is_bar = |quad: &&super::super::list::Quad| {
                let [left, top, right, bottom] = quad_rect(quad);
                let is_foot = [left, right, bottom] == [0.0, width, 240.0] && top > 0.0;
                is_foot && bottom - top == lines * font.line
            };
            let bars = font.list.quads().iter().filter(is_bar);
            assert_eq!(bars.count(), 1, "{width} px: {lines} lines");
        }
    }

    fn quad_rect(quad: &super::super::list::Quad) -> [f32; 4] {
        let xs = quad.iter().map(|vertex| vertex.position[0]);
        let ys = quad.iter().map(|vertex| vertex.position[1]);
        [
            xs.clone().fold(f32::MAX, f32::min),
            ys.clone().fold(f32::MAX, f32::min),
            xs.fold(f32::MIN, f32::max),
            ys.fold(f32::MIN, f32::max),
        ]
    }

    #[test]
    fn hint_uses_a_free_place_if_there_is_one() {
        let mut area = HelpArea::default();
        let mut font = Font::new(12.0);
        let rect = [10.0, 10.0, 300.0, 100.0];
        let mut hint = |area: &mut HelpArea, free: &[[f32; 4]]| {
            area.lay_out_hint(&mut font, &Theme::DARK, "F1 help", rect, free);
            area.area
        };
        let narrow = [280.0, 10.0, 300.0, 25.0];
        let below = [150.0, 25.0, 300.0, 40.0];
        assert_eq!(hint(&mut area, &[narrow, below])[1], 25.0);
        // The hint does not move if a spot above it becomes free.
        let wide = [200.0, 10.0, 300.0, 25.0];
        assert_eq!(hint(&mut area, &[wide, below])[1], 25.0);
        assert_eq!(hint(&mut area, &[wide, narrow])[1], 10.0);
        assert_eq!(area.covered(rect), 0.0);
        // In the corner, the hint records the area that it covers, so that the report can avoid it.
        assert_eq!(hint(&mut area, &[narrow])[1..3], [10.0, 300.0]);
        assert!(area.covered(rect) > 60.0);
        assert_eq!(area.covered([0.0, 40.0, 300.0, 90.0]), 0.0);
        (0..=HINT_AGE).for_each(|_| area.forget());
        assert_eq!(area.covered(rect), 0.0);
    }
}
