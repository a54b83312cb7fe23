//! Text formatting shared by several writers: decimal numbers, indentation and short source locations.

use std::collections::HashSet;
use std::fmt;
use std::fmt::Write;
use std::time::Duration;

/// A row's maximum indentation, in steps. Without a limit, the text for a deep recursion would grow with the square of
/// its depth.
const MAX_INDENT: usize = 48;
/// The number of spaces per step.
const STEP: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indent {
    pub spaces: &'static str,
    /// The row's level, such as `(1234) `, if the row is too deep to be fully indented. Otherwise empty.
    pub level: String,
}

impl Indent {
    /// Returns the indentation for a row with `level` ancestors.
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

/// Appends a session time as minutes and seconds, or as hours, minutes and seconds.
pub fn push_moment(out: &mut String, moment: Duration) {
    let tenths = moment.as_millis() / 100;
    let (seconds, minutes) = (tenths / 10 % 60, tenths / 600 % 60);
    // Writing to a string cannot fail.
    let _ = match tenths / 36_000 {
        0 => write!(out, "{minutes}:{seconds:02}.{}", tenths % 10),
        hours => write!(out, "{hours}:{minutes:02}:{seconds:02}"),
    };
}

const POWERS: [u32; 5] = [1, 10, 100, 1_000, 10_000];
/// The limit above which numbers are left to `write!`. A double has 53 bits, which leaves at least 20 for the fraction.
const LARGEST: f64 = 4e9;
/// The distance from a half below which numbers are left to `write!`. Rounding changes the product by at most 2^-53 of
/// its value, or 2^-21 for values below [`LARGEST`].
const TIE: f64 = 1e-6;
const LENGTH: usize = 12;

/// Appends `value` with up to 4 decimal `places`, like `write!("{:.*}")` but without a minus sign for zero.
///
/// `write!` formats any double exactly, which would take most of the time needed to lay out a report. Numbers in
/// reports are small and have few decimal places, so a simpler computation is enough:
///
/// ```text
/// scaled = |value| * 10^places         off by less than TIE, as scaled < LARGEST
/// digits = scaled, rounded             right unless scaled is that close to a half
/// ```
///
/// Numbers that are too large or too close to a half, and NaN, are left to `write!`.
pub fn push_decimal(out: &mut String, value: f64, places: u32) {
    let power = POWERS[places.min(4) as usize];
    let scaled = value.abs() * f64::from(power);
    let whole = scaled as u32;
    let rest = scaled - f64::from(whole);
    // Comparisons with NaN are false.
    if !(scaled < LARGEST && (rest - 0.5).abs() > TIE) {
        let start = out.len();
        let _ = write!(out, "{value:.*}", places.min(4) as usize);
        let is_zero = |text: &str| text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        if out[start..].strip_prefix('-').is_some_and(is_zero) {
            out.remove(start);
        }
        return;
    }
    let digits = whole + u32::from(rest > 0.5);
    push_fixed(out, digits, places.min(4), value < 0.0 && digits > 0);
}

/// Appends `digits` with a point before the last `places` of them.
fn push_fixed(out: &mut String, digits: u32, places: u32, minus: bool) {
    let mut text = [0; LENGTH];
    let mut at = LENGTH;
    let mut left = digits;
    for place in 0.. {
        if place == places && places > 0 {
            at -= 1;
            text[at] = b'.';
        }
        at -= 1;
        text[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 && place >= places {
            break;
        }
    }
    if minus {
        at -= 1;
        text[at] = b'-';
    }
    // The bytes are ASCII, and adding them one by one is faster than validating them as UTF-8.
    out.extend(text[at..].iter().map(|byte| char::from(byte & 0x7f)));
}

const SEPARATORS: [char; 2] = ['/', '\\'];
/// The folder that contains a package's sources. Its parent folder usually has the package's name.
const SOURCES: &str = "src";
/// The file name of a module that is named after its folder.
const MODULE: &str = "mod.rs";
/// The number of components in a short path without [`SOURCES`].
const PARTS: usize = 3;

/// Shown in place of the file of a run-time zone.
const NO_FILE: &str = "no file";

/// A file and a line. The line is 0, and not shown, for functions found in a symbol table.
#[derive(Clone, Copy)]
pub struct FileAndLine<'a>(pub &'a str, pub u32);

impl fmt::Display for FileAndLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)?;
        match self.1 {
            0 => Ok(()),
            line => write!(f, ":{line}"),
        }
    }
}

/// Shortens source locations as far as possible while keeping them distinct. All results have the same form:
/// `physics.rs`, `physics/mod.rs`, `physics.rs:12` or `physics.rs:12 #2`.
pub fn distinct_places(locations: &[(&str, u32)]) -> Vec<String> {
    let parts = |(file, _): &(&str, u32)| file.split(SEPARATORS).count();
    let most = locations.iter().map(parts).max().unwrap_or(0);
    let kinds = [false, true].into_iter();
    let mut kinds = kinds.flat_map(|with_line| (1..=most).map(move |parts| (parts, with_line)));
    let places = |parts: usize, with_line: bool| -> Vec<String> {
        let place = |(file, line): &(&str, u32)| match with_line {
            _ if file.is_empty() => NO_FILE.to_owned(),
            false => module(file, parts).to_owned(),
            true => FileAndLine(module(file, parts), *line).to_string(),
        };
        locations.iter().map(place).collect()
    };
    let is_distinct = |(parts, with_line): &(usize, bool)| {
        let places = places(*parts, *with_line);
        places.iter().collect::<HashSet<_>>().len() == places.len()
    };
    if let Some((parts, with_line)) = kinds.find(is_distinct) {
        return places(parts, with_line);
    }
    let numbered = places(most, true).into_iter().zip(1..);
    numbered
        .map(|(place, at)| format!("{place} #{at}"))
        .collect()
}

/// Returns the end of a path, starting at the package's folder. For a file in a registry, this is
/// `rapier3d-0.17.2/src/lib.rs`. If there is no folder `src`, returns the last three components.
pub fn short_path(file: &str) -> &str {
    let parts = file.split(SEPARATORS).count();
    let in_sources = file
        .split(SEPARATORS)
        .rev()
        .position(|part| part == SOURCES);
    match in_sources {
        // The file itself may also be called `src`.
        Some(after) if after > 0 => last_parts(file, (after + 2).min(parts)),
        _ => last_parts(file, PARTS),
    }
}

/// Returns the last `parts` components of a path. [`MODULE`] is not counted, because it doesn't distinguish files.
fn module(file: &str, parts: usize) -> &str {
    let is_module = last_parts(file, 1) == MODULE;
    last_parts(file, parts + usize::from(is_module))
}

fn last_parts(path: &str, count: usize) -> &str {
    let mut separators = path.rmatch_indices(SEPARATORS);
    match separators.nth(count.saturating_sub(1)) {
        Some((at, _)) => &path[at + 1..],
        None => path,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn deep_rows_show_their_level() {
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

#[cfg(all(test, not(loom)))]
mod decimal_tests {
    use super::*;
    use proptest::prelude::*;

    fn decimal(value: f64, places: u32) -> String {
        let mut out = String::new();
        push_decimal(&mut out, value, places);
        out
    }

    fn expected(value: f64, places: u32) -> String {
        let text = format!("{value:.*}", places as usize);
        let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.' | b'-'));
        let bare = text.strip_prefix('-').filter(|_| is_zero);
        bare.unwrap_or(&text).to_owned()
    }

    #[test]
    fn halves_and_limits_are_formatted_like_std() {
        let ends = [
            0.0,
            0.5,
            1.5,
            2.5,
            0.05,
            0.15,
            0.25,
            0.125,
            0.375,
            0.0625,
            1.005,
            9.995,
            99.999_95,
            0.004_999_999,
            0.005,
            429_496.729_5,
            399_999.999_9,
            4e9,
            4_294_967_295.0,
            1e16,
            1e300,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        for value in ends.into_iter().flat_map(|value| [value, -value]) {
            for places in 0..=4 {
                assert_eq!(decimal(value, places), expected(value, places), "{value:e}");
            }
        }
    }

    #[test]
    fn push_decimal_appends_to_existing_text() {
        let mut out = String::from("~");
        push_decimal(&mut out, 12.345, 1);
        assert_eq!(out, "~12.3");
    }

    proptest! {
        #[test]
        fn any_number_is_formatted_like_std(
            bits: u64,
            small in -1e6..1e6,
            thousandths in -10_000_000_i32..10_000_000,
            places in 0..=4_u32,
        ) {
            // Some of these numbers end in exactly half of the last place, and almost none are exact in binary.
            for value in [f64::from_bits(bits), small, f64::from(thousandths) / 2_000.0] {
                prop_assert_eq!(decimal(value, places), expected(value, places));
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod place_tests {
    use super::*;

    #[test]
    fn places_are_as_short_as_possible() {
        for (locations, wanted) in [
            (
                &[("src/x.rs", 1), ("src/y.rs", 1)][..],
                &["x.rs", "y.rs"][..],
            ),
            (
                &[("src/x.rs", 1), ("src/ai/mod.rs", 1)],
                &["x.rs", "ai/mod.rs"],
            ),
            // Adding the folder is preferred to adding the line.
            (&[("a/x.rs", 1), ("b/x.rs", 9)], &["a/x.rs", "b/x.rs"]),
            (
                &[("p/src/x.rs", 1), ("q/src/x.rs", 1)],
                &["p/src/x.rs", "q/src/x.rs"],
            ),
            (&[("src/x.rs", 1), ("src/x.rs", 7)], &["x.rs:1", "x.rs:7"]),
            (
                &[("a/x.rs", 1), ("b/x.rs", 1), ("b/x.rs", 2)],
                &["a/x.rs:1", "b/x.rs:1", "b/x.rs:2"],
            ),
            (
                &[("x.rs", 1), ("x.rs", 1), ("y.rs", 1)],
                &["x.rs:1 #1", "x.rs:1 #2", "y.rs:1 #3"],
            ),
            (
                &[("x.c", 0), ("x.c", 7), ("x.c", 8)],
                &["x.c", "x.c:7", "x.c:8"],
            ),
            (&[("x.c", 0), ("x.c", 0)], &["x.c #1", "x.c #2"]),
            (&[("", 0), ("", 0)], &["no file #1", "no file #2"]),
            (&[("mod.rs", 1), ("mod.rs", 2)], &["mod.rs:1", "mod.rs:2"]),
            (&[], &[]),
        ] {
            assert_eq!(distinct_places(locations), wanted);
        }
    }

    #[test]
    fn short_paths_begin_with_the_package() {
        for (path, wanted) in [
            ("src/physics.rs", "src/physics.rs"),
            (
                "crates/physics/src/solver/mod.rs",
                "physics/src/solver/mod.rs",
            ),
            (
                "/home/me/.cargo/registry/src/index.crates.io-6f17d22bba15001f/rapier3d-0.17.2/src/a/b.rs",
                "rapier3d-0.17.2/src/a/b.rs",
            ),
            ("C:\\games\\mine\\src\\main.rs", "mine\\src\\main.rs"),
            ("/src/main.rs", "/src/main.rs"),
            (
                "/home/me/games/mine/examples/demo/main.rs",
                "examples/demo/main.rs",
            ),
            ("examples/demo/src", "examples/demo/src"),
            ("main.rs", "main.rs"),
            ("", ""),
        ] {
            assert_eq!(short_path(path), wanted, "{path}");
        }
    }
}
