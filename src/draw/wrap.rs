//! Breaks text into lines that fit a width.

use super::font::Font;

/// Between two parts of a title, which belong together less than words do.
const PARTS: &str = "  ";
/// Behind a difference and its comma: what is a part of it, from which no line break separates it.
const PART_OF_IT: &str = " idle ";

/// The end of the first line of `text`, of at most `width` px: between two parts of it if they are to be kept
/// whole, else after a comma within a part, else at a blank, else anywhere, but after one character at least.
pub(super) fn first_line(font: &mut Font, text: &str, width: f32, keeps_parts: bool) -> usize {
    let mut used = 0.0;
    let (mut at_part, mut at_comma, mut at_blank, mut at_character) = (0, 0, 0, 0);
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        used += font.width(&text[at..end]);
        if used > width && at_character > 0 {
            let ends = [at_part, at_comma, at_blank];
            return ends
                .into_iter()
                .find(|end| *end > 0)
                .unwrap_or(at_character);
        }
        at_character = end;
        let rest = &text[end..];
        if rest.starts_with(' ') && c != ' ' {
            at_blank = end;
            if keeps_parts && rest.starts_with(PARTS) {
                at_part = end;
            }
            if keeps_parts && c == ',' && !rest.starts_with(PART_OF_IT) {
                at_comma = end;
            }
        }
    }
    text.len()
}

/// Breaks `text` at blanks into lines of at most `width` px, and words that are wider anywhere. Calls `put`
/// with each line and its number, and returns how many there are, at least 1.
pub(super) fn wrap<'a>(
    font: &mut Font,
    text: &'a str,
    width: f32,
    mut put: impl FnMut(&mut Font, usize, &'a str),
) -> usize {
    let (mut rest, mut lines) = (text, 0);
    while !rest.is_empty() {
        let end = first_line(font, rest, width, false);
        put(font, lines, &rest[..end]);
        rest = rest[end..].trim_start_matches(' ');
        lines += 1;
    }
    lines.max(1)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

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

    #[test]
    fn titles_break_between_their_parts() {
        let mut font = Font::new(12.0);
        let mut first = |text: &'static str, characters: f32| {
            let end = first_line(&mut font, text, (characters + 0.5) * 7.0, true);
            &text[..end]
        };
        assert_eq!(font_advance(), 7.0);
        let title = "16.7 ms/frame  self time  all 3 threads";
        assert_eq!(first(title, 40.0), title);
        assert_eq!(first(title, 30.0), "16.7 ms/frame  self time");
        assert_eq!(first(title, 20.0), "16.7 ms/frame");
        assert_eq!(first(title, 9.0), "16.7");
        let frame = "frame 5812, 20 frames ago";
        assert_eq!(first(frame, 22.0), "frame 5812,");
        assert_eq!(first(frame, 9.0), "frame");
        assert_eq!(first(title, 3.0), "16.");
        let compared = "+9.66 ms, idle +7.33 vs. frames over 20 ms, mean of 3  30.1 - 20.4";
        let pair = "+9.66 ms, idle +7.33";
        assert_eq!(
            first(compared, 50.0),
            "+9.66 ms, idle +7.33 vs. frames over 20 ms,"
        );
        for width in [20.0, 25.0, 35.0, 42.0] {
            let first = first(compared, width);
            assert!(first.starts_with(pair), "{first} of {width}");
        }
    }

    fn font_advance() -> f32 {
        Font::new(12.0).advance
    }
}
