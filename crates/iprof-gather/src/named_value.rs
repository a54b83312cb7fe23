//! Named values: quantities that a program adds up by call stack, such as bodies, triangles or bytes.
//!
//! # How a sum is stored
//!
//! Adding to a value is counting, as with `counter!`: the current node has a child for the value, and the child's
//! entries are the sum. So everything that handles entries (frames, averages, sets, totals, resets, the memory order
//! between threads) also handles values, and programs without values pay nothing. Queries and snapshots move the sums
//! to the nodes where they were added, so the children don't become rows. A separate table per value would need a
//! second walk in `update`, and a copy of everything that splits entries by frame.
//!
//! A sum is a whole number of *steps*, modulo 2^64. Each value declares the steps per unit, and a float is rounded to
//! the nearest step when it is added. So sums are exact: they do not depend on the order in which threads add. Frames
//! add up to the session, and a set of frames and its complement add up to all frames. Sums of `f64` would guarantee
//! none of that. The amount added in one frame must be within ±2^63 steps.

use crate::Zone;

/// A quantity in a unit of your own that a program adds up by call stack. Define it with [`define_value!`], and add to
/// it with [`value!`].
///
/// `STEPS` is the number of steps per unit: 1 for integers, more for floats.
///
/// ```
/// iprof::define_value!(ENERGY, "energy", "J", 1_000); // in thousandths
/// iprof::value!(ENERGY, 0.25);
/// assert_eq!(ENERGY.label(), "energy");
/// ```
#[cfg_attr(feature = "enable", doc = "```compile_fail")]
#[cfg_attr(not(feature = "enable"), doc = "```ignore")] // The assertion is not evaluated.
/// iprof::define_value!(BODIES, "bodies", "body");
/// iprof::value!(BODIES, 0.5);
/// ```
///
/// [`define_value!`]: https://docs.rs/iprof/latest/iprof/macro.define_value.html
/// [`value!`]: https://docs.rs/iprof/latest/iprof/macro.value.html
#[derive(Debug)]
pub struct NamedValue<const STEPS: u32 = 1> {
    zone: Zone,
}

impl<const STEPS: u32> NamedValue<STEPS> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(zone: Zone, unit: &'static str) -> NamedValue<STEPS> {
        assert!(STEPS > 0, "a unit must have at least one step");
        NamedValue {
            zone: zone.with_unit(unit, STEPS),
        }
    }

    /// Returns the name of the value in reports and files.
    #[must_use]
    pub fn label(&self) -> String {
        self.zone.label()
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn zone(&'static self) -> &'static Zone {
        &self.zone
    }

    /// Converts `amount` to steps, modulo 2^64.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn steps(&self, amount: impl Amount) -> u64 {
        amount.steps::<STEPS>()
    }
}

/// A number that can be added to a [`NamedValue`]: an integer of up to 64 bits or a float.
pub trait Amount: sealed::Sealed + Copy {
    #[doc(hidden)]
    fn steps<const STEPS: u32>(self) -> u64;

    /// Like `steps`, but the number of steps per unit is known only at run time. Floats may have one step per unit.
    #[doc(hidden)]
    fn steps_of(self, steps: u32) -> u64;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! integers {
    ($($number:ty)*) => {$(
        impl sealed::Sealed for $number {}
        impl Amount for $number {
            #[inline(always)]
            fn steps<const STEPS: u32>(self) -> u64 {
                self.steps_of(STEPS)
            }

            #[inline(always)]
            fn steps_of(self, steps: u32) -> u64 {
                (self as u64).wrapping_mul(steps as u64)
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($number:ty)*) => {$(
        impl sealed::Sealed for $number {}
        impl Amount for $number {
            #[inline(always)]
            fn steps<const STEPS: u32>(self) -> u64 {
                const { assert!(STEPS > 1, "floats need a value with steps: define_value!(NAME, \"label\", \"unit\", 1_000)") };
                self.steps_of(STEPS)
            }

            #[inline(always)]
            fn steps_of(self, steps: u32) -> u64 {
                let steps = f64::from(self) * f64::from(steps);
                // `round` may be a call. The conversion turns NaN into 0 and saturates.
                (steps + 0.5f64.copysign(steps)) as i64 as u64
            }
        }
    )*};
}
floats!(f32 f64);

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    static WHOLE: NamedValue = NamedValue::new(Zone::new("whole", "", 0, ""), "");
    static FINE: NamedValue<1_000> = NamedValue::new(Zone::new("fine", "", 0, ""), "");

    #[test]
    fn floats_are_rounded_to_the_nearest_step() {
        assert_eq!(WHOLE.steps(3u8), 3);
        assert_eq!(WHOLE.steps(-3i8) as i64, -3);
        assert_eq!(WHOLE.steps(u64::MAX), u64::MAX);
        assert_eq!(FINE.steps(-2i32) as i64, -2_000);
        for (amount, steps) in [
            (0.1, 100),
            (0.0004, 0),
            (0.0006, 1),
            (-0.0006, -1),
            (-0.0004, 0),
            (1e9, 1_000_000_000_000),
            (f64::NAN, 0),
            (f64::INFINITY, i64::MAX),
            (f64::NEG_INFINITY, i64::MIN),
        ] {
            assert_eq!(FINE.steps(amount) as i64, steps, "{amount}");
        }
        assert_eq!(FINE.steps(0.5f32), 500);
        assert_eq!(
            [0.4, 0.5, -1.5].map(|amount| amount.steps_of(1) as i64),
            [0, 1, -2]
        );
        assert_eq!((-3i8).steps_of(1_000) as i64, -3_000);
    }
}
