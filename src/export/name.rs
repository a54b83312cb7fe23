//! Makes names fit on one line, and limits the indentation of deep rows, for the exporters.

use crate::snapshot::UNNAMED;
use std::borrow::Cow;

/// The name on one line: line breaks, tabs and other control characters become spaces, without those at its
/// begin and end. A blank name becomes `(unnamed)`.
pub(crate) fn one_line(name: &str) -> Cow<'_, str> {
    // Some readers break lines at U+2028 and U+2029, which are not control characters.
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let name = name.trim_matches(|c: char| c.is_whitespace() || breaks(c));
    if name.is_empty() {
        return Cow::Borrowed(UNNAMED);
    }
    match name.contains(breaks) {
        true => Cow::Owned(name.replace(breaks, " ")),
        false => Cow::Borrowed(name),
    }
}

/// Maximum indentation of a row, in steps. Without a limit, a deep recursion would be a triangle of blanks,
/// which grows with the square of its depth.
pub(crate) const MAX_INDENT: usize = 48;
/// Characters per step.
const STEP: usize = 2;

/// What precedes the name of an indented row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Indent {
    pub(crate) spaces: &'static str,
    /// The row's level as `(1234) `, if it is too deep to be indented that far; otherwise empty.
    pub(crate) level: String,
}

impl Indent {
    /// For a row with `level` ancestors.
    pub(crate) fn of(level: usize) -> Indent {
        const SPACES: &str = match std::str::from_utf8(&[b' '; MAX_INDENT * STEP]) {
            Ok(spaces) => spaces,
            Err(_) => "",
        };
        Indent {
            spaces: &SPACES[..level.min(MAX_INDENT) * STEP],
            level: match level > MAX_INDENT {
                true => format!("({level}) "),
                false => String::new(),
            },
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{Indent, one_line};

    #[test]
    fn rows_are_indented_up_to_the_limit_and_then_show_their_level() {
        let text = |level| {
            let Indent { spaces, level } = Indent::of(level);
            format!("{spaces}{level}a")
        };
        assert_eq!(text(0), "a");
        assert_eq!(text(3), "      a");
        assert_eq!(text(48), format!("{:96}a", ""));
        assert_eq!(text(49), format!("{:96}(49) a", ""));
        assert_eq!(text(100_000), format!("{:96}(100000) a", ""));
    }

    #[test]
    fn a_name_is_one_line_and_never_blank() {
        assert_eq!(one_line("a \"b\" 🦀"), "a \"b\" 🦀");
        assert_eq!(one_line("a\nb\r\nc\td\u{2028}e"), "a b  c d e");
        // A reader may take blanks at the end of a line for part of what follows, or drop them.
        assert_eq!(one_line("  a b \u{1}\t"), "a b");
        assert_eq!(one_line(""), "(unnamed)");
        assert_eq!(one_line(" \n"), "(unnamed)");
    }
}
