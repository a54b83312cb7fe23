//! Names where a format has one line for each.

use std::borrow::Cow;

/// What stands for a name that is blank, where something has to stand.
const NO_NAME: &str = "(no name)";

/// The name on one line: line breaks, tabs and other control characters are spaces. A blank name
/// is `(no name)`.
pub(crate) fn one_line(name: &str) -> Cow<'_, str> {
    // Two characters that break lines in some readers are no control characters.
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if name.trim().is_empty() {
        return Cow::Borrowed(NO_NAME);
    }
    match name.contains(breaks) {
        true => Cow::Owned(name.replace(breaks, " ")),
        false => Cow::Borrowed(name),
    }
}

/// So many steps a row is moved in at most: otherwise a deep recursion would be a triangle of blanks,
/// which grows with the square of its depth.
pub(crate) const MAX_INDENT: usize = 48;
/// Characters of a step.
const STEP: usize = 2;

/// What stands before the name of a row that stands under others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Indent {
    pub(crate) spaces: &'static str,
    /// The level of a row that is too deep to be moved in as far, as `(1234) `.
    pub(crate) level: String,
}

impl Indent {
    /// Of a row that stands under so many.
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

#[cfg(test)]
mod tests {
    use super::{Indent, one_line};

    #[test]
    fn rows_are_moved_in_so_far_and_then_say_how_deep_they_are() {
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
    fn a_name_is_a_line_and_never_blank() {
        assert_eq!(one_line("a \"b\" 🦀"), "a \"b\" 🦀");
        assert_eq!(one_line("a\nb\r\nc\td\u{2028}e"), "a b  c d e");
        assert_eq!(one_line(""), "(no name)");
        assert_eq!(one_line(" \n"), "(no name)");
    }
}
