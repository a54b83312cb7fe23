//! Parts of lines that several writers of text share.

use std::fmt::Write;
use std::time::Duration;

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

/// Appends a moment of the session: minutes and seconds, or hours, minutes and seconds.
pub fn push_moment(out: &mut String, moment: Duration) {
    let tenths = moment.as_millis() / 100;
    let (seconds, minutes) = (tenths / 10 % 60, tenths / 600 % 60);
    // Writing to a string cannot fail.
    let _ = match tenths / 36_000 {
        0 => write!(out, "{minutes}:{seconds:02}.{}", tenths % 10),
        hours => write!(out, "{hours}:{minutes:02}:{seconds:02}"),
    };
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

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
    fn moments_have_tenths_up_to_an_hour() {
        let text = |seconds: f64| {
            let mut text = String::new();
            push_moment(&mut text, Duration::from_secs_f64(seconds));
            text
        };
        assert_eq!(text(0.0), "0:00.0");
        assert_eq!(text(83.46), "1:23.4");
        assert_eq!(text(3_599.99), "59:59.9");
        assert_eq!(text(3_600.0), "1:00:00");
        assert_eq!(text(100_000.0), "27:46:40");
    }
}
