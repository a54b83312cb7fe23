//! Lays out the help: sections of terms and meanings, in as many columns as the width has room for and as
//! many pages as the height needs. Lines are wrapped, so nothing is cut.

use super::font::Font;
use super::list::DrawList;
use super::theme::Theme;
use crate::help::{HelpSection, HelpText};

/// Characters of a column at least, before there are two.
const COLUMN: f32 = 58.0;
const MOST_COLUMNS: f32 = 4.0;
/// Characters of a page at least.
const MIN_WIDTH: f32 = 8.0;
/// Characters between a term and its meaning, between columns, and at the edges.
const GAP: f32 = 2.0;
const EDGE: f32 = 1.0;
/// The part of a column that terms take at most.
const TERMS: f32 = 0.3;

/// Where the help was drawn: for clicks.
#[derive(Debug, Default)]
pub(crate) struct HelpArea {
    /// Left, top, right and bottom edge of what was drawn, in px; empty if nothing was.
    area: [f32; 4],
    /// What was drawn before the report in progress: it is drawn after the report, and lies over it.
    before: [f32; 4],
}

impl HelpArea {
    /// Whether the help lies over a point.
    pub(crate) fn covers(&self, [x, y]: [f32; 2]) -> bool {
        let within =
            |[left, top, right, bottom]: [f32; 4]| x >= left && x < right && y >= top && y < bottom;
        within(self.area) || within(self.before)
    }

    /// Another frame begins: what is not drawn in it covers nothing.
    pub(crate) fn forget(&mut self) {
        self.before = self.area;
        self.area = [0.0; 4];
    }

    /// Lays out a page, from 1, in `rect` (left, top, right, bottom; px), and returns the number of pages. Of
    /// a page beyond the last one, the last. Nothing lies outside of `rect`.
    pub(crate) fn lay_out(
        &mut self,
        font: &mut Font,
        list: &mut DrawList,
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
        // A title, a line of text and the footer.
        if lines < 3 || width < MIN_WIDTH * advance {
            return 1;
        }
        let columns = ((width + GAP * advance) / ((COLUMN + GAP) * advance)).floor();
        let columns = columns.clamp(1.0, MOST_COLUMNS);
        let column = ((width - (columns - 1.0) * GAP * advance) / columns).floor();
        let flow = Flow {
            columns: columns as usize,
            lines: lines - 1,
            width: column,
            terms: term_width(font, &text.sections, column),
        };
        let pages = flow.run(font, &text.sections, &mut |_, _, _| {});
        let page = page.clamp(1, pages);
        let first = list.quads().len();
        self.area = [left, top, right, top + lines as f32 * line];
        font.fill(list, self.area, theme.tooltip);
        let foot = self.area[3] - line;
        font.fill(list, [left, foot, right, self.area[3]], theme.title_bar);
        let from = left + EDGE * advance;
        let footer = text.footer(page, pages);
        font.cut(list, [from, right], foot, footer, theme.title);
        flow.run(font, &text.sections, &mut |font, place, piece| {
            if place.page + 1 != page || place.line >= flow.lines {
                return;
            }
            let x = from + place.column as f32 * (column + GAP * advance);
            let y = top + place.line as f32 * line;
            let (x, text, color) = match piece {
                Piece::Title(text) => (x, text, theme.sort_mark),
                Piece::Term(text) => (x, text, theme.header),
                Piece::Meaning(text) => (x + flow.terms + GAP * advance, text, theme.title),
            };
            font.text(list, x.round(), y, text, color);
        });
        list.cut_to(first, self.area);
        pages
    }

    /// Lays out the hint `text` at the right end of the line at the top of `rect`, over what is there.
    pub(crate) fn lay_out_hint(
        &mut self,
        font: &mut Font,
        list: &mut DrawList,
        theme: &Theme,
        text: &str,
        rect: [f32; 4],
    ) {
        let [left, top, right, bottom] = rect.map(f32::round);
        (self.area, self.before) = ([0.0; 4], [0.0; 4]);
        let width = font.width(text) + 2.0 * EDGE * font.advance;
        if text.is_empty() || right - left < width || bottom - top < font.line {
            return;
        }
        self.area = [right - width, top, right, top + font.line];
        font.fill(list, self.area, theme.cursor);
        let x = right - width + EDGE * font.advance;
        font.text(list, x, top, text, theme.tooltip);
    }
}

/// The width of the widest term, or of the part of the column that terms may take.
fn term_width(font: &mut Font, sections: &[HelpSection], column: f32) -> f32 {
    let terms = sections.iter().flat_map(|section| &section.lines);
    let widest = terms.map(|line| font.width(&line.term)).fold(0.0, f32::max);
    widest.min(column * TERMS)
}

/// Where a piece of text stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Place {
    page: usize,
    column: usize,
    line: usize,
}

/// A line of a title, of a term or of a meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece<'a> {
    Title(&'a str),
    Term(&'a str),
    Meaning(&'a str),
}

/// How text flows through columns and pages.
struct Flow {
    columns: usize,
    /// Lines of a column.
    lines: usize,
    /// Width of a column and of its terms, in px.
    width: f32,
    terms: f32,
}

impl Flow {
    /// Places all pieces of all pages, and returns the number of pages.
    fn run<'a>(
        &self,
        font: &mut Font,
        sections: &'a [HelpSection],
        put: &mut dyn FnMut(&mut Font, Place, Piece<'a>),
    ) -> usize {
        let meanings = (self.width - self.terms - GAP * font.advance).max(font.advance);
        let mut place = Place::default();
        for section in sections {
            for (at, entry) in section.lines.iter().enumerate() {
                let terms = wrap(font, &entry.term, self.terms, |_, _, _| {});
                let height = terms.max(wrap(font, &entry.meaning, meanings, |_, _, _| {}));
                // A title stands with its first line, and below an empty one.
                let head = match at {
                    0 => 1 + usize::from(place.line > 0),
                    _ => 0,
                };
                if place.line > 0 && place.line + head + height > self.lines {
                    place = place.next_column(self.columns);
                }
                if at == 0 {
                    place.line += usize::from(place.line > 0);
                    put(font, place, Piece::Title(section.title));
                    place.line += 1;
                }
                let below = |down: usize| Place {
                    line: place.line + down,
                    ..place
                };
                wrap(font, &entry.term, self.terms, |font, down, text| {
                    put(font, below(down), Piece::Term(text));
                });
                wrap(font, &entry.meaning, meanings, |font, down, text| {
                    put(font, below(down), Piece::Meaning(text));
                });
                place.line += height;
            }
        }
        place.page + 1
    }
}

impl Place {
    fn next_column(self, columns: usize) -> Place {
        let is_last = self.column + 1 == columns;
        Place {
            page: self.page + usize::from(is_last),
            column: if is_last { 0 } else { self.column + 1 },
            line: 0,
        }
    }
}

/// Breaks `text` at blanks into lines of at most `width` px, and words that are wider anywhere. Calls `put`
/// with each line and its number, and returns how many there are.
fn wrap<'a>(
    font: &mut Font,
    text: &'a str,
    width: f32,
    mut put: impl FnMut(&mut Font, usize, &'a str),
) -> usize {
    let (mut rest, mut lines) = (text, 0);
    while !rest.is_empty() {
        // The longest beginning that fits: up to a blank if there is one, else up to any character.
        let (mut at_blank, mut at_character) = (0, 0);
        let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
        for end in ends {
            let is_last = end == rest.len();
            if font.width(&rest[..end]) > width && at_character > 0 {
                break;
            }
            at_character = end;
            if is_last || rest[end..].starts_with(' ') {
                at_blank = end;
            }
        }
        let end = if at_blank > 0 { at_blank } else { at_character };
        put(font, lines, &rest[..end]);
        rest = rest[end..].trim_start();
        lines += 1;
    }
    lines.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::Bindings;

    fn text() -> HelpText {
        let mut text = HelpText::default();
        text.update(&Bindings::default());
        text
    }

    #[test]
    fn lines_break_at_blanks_and_long_words_anywhere() {
        let mut font = Font::new(12.0);
        let mut lines = |text: &'static str, characters: usize| {
            let width = characters as f32 * font.advance;
            let mut lines = Vec::new();
            let count = wrap(&mut font, text, width, |_, at, line| {
                assert_eq!(at, lines.len());
                lines.push(line);
            });
            assert_eq!(count, lines.len().max(1));
            lines
        };
        assert_eq!(lines("one two three", 8), ["one two", "three"]);
        assert_eq!(lines("one two", 7), ["one two"]);
        assert_eq!(
            lines("hierarchical time", 5),
            ["hiera", "rchic", "al", "time"]
        );
        assert_eq!(lines("\u{fc}\u{fc}\u{fc}", 2), ["\u{fc}\u{fc}", "\u{fc}"]);
        assert_eq!(lines("ab", 0), ["a", "b"], "at least one character");
        assert!(lines("", 5).is_empty());
    }

    /// On any screen, turning the pages shows every term and every meaning, whole and inside of the page.
    #[test]
    fn the_pages_together_have_all_text_and_nothing_is_cut() {
        let text = text();
        for [width, height] in [
            [320.0, 240.0],
            [200.0, 120.0],
            [560.0, 400.0],
            [1880.0, 1040.0],
        ] {
            let mut font = Font::new(12.0);
            let width = width - 2.0 * EDGE * font.advance;
            let columns = ((width / font.advance + GAP) / (COLUMN + GAP))
                .floor()
                .max(1.0);
            let column = ((width - (columns - 1.0) * GAP * font.advance) / columns).floor();
            let flow = Flow {
                columns: columns as usize,
                lines: (height / font.line) as usize - 1,
                width: column,
                terms: term_width(&mut font, &text.sections, column),
            };
            let mut shown = String::new();
            let mut taken: Vec<(Place, bool)> = Vec::new();
            let pages = flow.run(&mut font, &text.sections, &mut |font, place, piece| {
                assert!(
                    place.line < flow.lines && place.column < flow.columns,
                    "{place:?}"
                );
                let (text, room, is_meaning) = match piece {
                    Piece::Title(text) => (text, flow.width, false),
                    Piece::Term(text) => (text, flow.terms, false),
                    Piece::Meaning(text) => {
                        (text, flow.width - flow.terms - GAP * font.advance, true)
                    }
                };
                assert!(font.width(text) <= room.max(font.advance), "{text}");
                assert!(
                    !taken.contains(&(place, is_meaning)),
                    "{text} lies over other text"
                );
                taken.push((place, is_meaning));
                shown.push_str(&text.replace(' ', ""));
            });
            for section in &text.sections {
                for line in &section.lines {
                    for wanted in [&*line.term, &*line.meaning] {
                        let wanted = wanted.replace(' ', "");
                        assert!(shown.contains(&wanted), "{wanted}");
                    }
                }
            }
            let last = taken.iter().map(|(place, _)| place.page).max();
            assert_eq!(last, Some(pages - 1));
        }
    }

    #[test]
    fn nothing_lies_outside_of_the_rectangle() {
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
                let (mut font, mut list) = (Font::new(12.0), DrawList::default());
                let pages = area.lay_out(&mut font, &mut list, &Theme::DARK, &mut text, page, rect);
                assert!(pages >= 1);
                area.lay_out_hint(&mut font, &mut list, &Theme::DARK, text.hint(), rect);
                for vertex in list.vertices() {
                    let [x, y] = vertex.position;
                    let [left, top, right, bottom] = rect.map(f32::round);
                    assert!(x >= left && x <= right && y >= top && y <= bottom);
                }
            }
        }
    }
}
