//! About two hundred distinct call stacks: three nested levels of six zones each.

use std::hint::black_box;

const LEVELS: u32 = 3;
/// The number of traversals of the whole tree. Each traversal enters 258 zones.
const TIMES: u64 = 13;

/// Returns the number of zones entered.
pub(super) fn batch() -> u64 {
    zone!(batch);
    (0..TIMES).map(|_| visit(LEVELS)).sum::<u64>() + 1
}

macro_rules! each {
    ($below:ident, $sum:ident: $($name:ident)*) => {
        $({
            zone!($name);
            $sum += 1 + visit($below);
        })*
    };
}

#[inline(never)]
fn visit(levels: u32) -> u64 {
    if levels == 0 {
        return black_box(0);
    }
    let (below, mut sum) = (levels - 1, 0);
    each!(below, sum: ai physics sound drawing network scripts);
    sum
}
