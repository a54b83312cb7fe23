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

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_name_is_a_line_and_never_blank() {
        assert_eq!(one_line("a \"b\" 🦀"), "a \"b\" 🦀");
        assert_eq!(one_line("a\nb\r\nc\td\u{2028}e"), "a b  c d e");
        assert_eq!(one_line(""), "(no name)");
        assert_eq!(one_line(" \n"), "(no name)");
    }
}
