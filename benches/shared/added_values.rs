//! Functions that add to named values.

use crate::cases::ZONES;
use iprof::RunTimeValue;
use std::hint::black_box;
use std::sync::LazyLock;

iprof::define_value!(BODIES, "bodies", "body");
iprof::define_value!(ENERGY, "energy", "J", 1_000);

#[inline(never)]
pub(crate) fn add(x: u32) -> u32 {
    iprof::value!(BODIES, x);
    black_box(x)
}

#[inline(never)]
pub(crate) fn add_float(x: u32) -> u32 {
    // The value is built from bits, because converting `x` to a float would also be measured.
    iprof::value!(ENERGY, f32::from_bits(x | 1f32.to_bits()));
    black_box(x)
}

#[inline(never)]
pub(crate) fn add_at_run_time(x: u32) -> u32 {
    static ITEMS: LazyLock<RunTimeValue> = LazyLock::new(|| RunTimeValue::new("items", "item"));
    ITEMS.add(x);
    black_box(x)
}

/// Adds values in alternating zones. Each zone stays open for many calls, so that its own cost doesn't matter.
pub(crate) fn add_in_alternating_parents() {
    for x in 0..ZONES / 192 {
        {
            iprof::zone!(adds_a);
            for y in 0..96 {
                black_box(add(x + y));
            }
        }
        iprof::zone!(adds_b);
        for y in 0..96 {
            black_box(add(x + y));
        }
    }
}
