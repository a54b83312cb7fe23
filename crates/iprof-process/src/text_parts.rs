//! Parts of lines that several writers of text share.

/// Maximum indentation of a row, in steps. Without a limit, a deep recursion would be a triangle of blanks,
/// which grows with the square of its depth.
const MAX_INDENT: usize = 48;
/// Characters per step.
const STEP: usize = 2;

/// What precedes the name of an indented row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indent {
    pub spaces: &'static str,
    /// The row's level as `(1234) `, if it is too deep to be indented that far; otherwise empty.
    pub level: String,
}

impl Indent {
    /// For a row with `level` ancestors.
    pub fn of(level: usize) -> Indent {
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

/// Returns a count with its noun: `1 thread`, `2 threads`.
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Indent;

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
}
