//! A fast formatter for the decimal numbers of reports.
//!
//! `write!("{:.2}")` gives every digit of any double, with arithmetic of as many digits as that may
//! need: 70 to 90 ns a number, which is the larger part of a report's layout time. (The original had a
//! float formatter of its own for that reason.) The numbers of a report are small and have few decimal
//! places:
//!
//! ```text
//! scaled = |value| * 10^places         off by less than TIE, as scaled < LARGEST
//! digits = scaled, rounded             right unless scaled is that close to a half
//! ```
//!
//! Numbers that are too large or too close to a half, and NaN, are left to `write!`. So the result is
//! always that of `write!`, and a test compares them.

use std::fmt::Write as _;

/// Powers of ten by exponent.
const POWERS: [u32; 5] = [1, 10, 100, 1_000, 10_000];
/// Below it a number takes 2 ns. A double has 53 bits, of which this leaves 20 after the point.
const LARGEST: f64 = 4e9;
/// Rounding the product changes it by 2^-53 of its value at most: by 2^-21 below [`LARGEST`].
const TIE: f64 = 1e-6;
/// Digits of the largest number, a point, and a minus.
const LENGTH: usize = 12;

/// Appends `value` with `places` decimal places, at most 4: as `write!("{:.*}")` does, but without a
/// minus before zeros only.
pub fn push_decimal(out: &mut String, value: f64, places: u32) {
    let power = POWERS[places.min(4) as usize];
    let scaled = value.abs() * f64::from(power);
    let whole = scaled as u32;
    let rest = scaled - f64::from(whole);
    // NaN compares as false.
    if !(scaled < LARGEST && (rest - 0.5).abs() > TIE) {
        let start = out.len();
        // Writing to a string cannot fail.
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
    // From the last digit to the first.
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
    // They are ASCII: byte by byte takes less than a check that they are text.
    out.extend(text[at..].iter().map(|byte| char::from(byte & 0x7f)));
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decimal(value: f64, places: u32) -> String {
        let mut out = String::new();
        push_decimal(&mut out, value, places);
        out
    }

    /// The simple way to the same text.
    fn expected(value: f64, places: u32) -> String {
        let text = format!("{value:.*}", places as usize);
        let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.' | b'-'));
        let bare = text.strip_prefix('-').filter(|_| is_zero);
        bare.unwrap_or(&text).to_owned()
    }

    #[test]
    fn halves_and_limits_are_formatted_as_by_the_standard_library() {
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
    fn text_is_appended() {
        let mut out = String::from("~");
        push_decimal(&mut out, 12.345, 1);
        assert_eq!(out, "~12.3");
    }

    proptest! {
        #[test]
        fn any_number_is_formatted_as_by_the_standard_library(
            bits: u64,
            small in -1e6..1e6,
            thousandths in -10_000_000_i32..10_000_000,
            places in 0..=4_u32,
        ) {
            // Some thousandths are halves, and almost none has an exact binary value.
            for value in [f64::from_bits(bits), small, f64::from(thousandths) / 2_000.0] {
                prop_assert_eq!(decimal(value, places), expected(value, places));
            }
        }
    }
}
