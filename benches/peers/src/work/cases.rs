//! A zone in a loop by itself, for each of the four ways in which a zone's site can find its node.

use crate::contender::{CASES as NAMES, Plan};
use std::hint::black_box;

const ZONES: u32 = Plan::CASE_ZONES;
const DEPTH: u32 = 64;

// Enter an outer zone, as a frame would. puffin hands over its stream when the outermost zone ends.
pub(super) const CASES: [fn(); NAMES.len()] = [
    || {
        zone!(turn);
        for x in 0..ZONES {
            black_box(site_hit(x));
        }
    },
    || {
        zone!(turn);
        for x in 0..ZONES / 4 {
            {
                zone!(parent_a);
                shared(x);
            }
            zone!(parent_b);
            shared(x);
        }
    },
    || {
        zone!(turn);
        for _ in 0..ZONES / DEPTH {
            black_box(recurse(DEPTH));
        }
    },
    || {
        zone!(turn);
        for x in 0..ZONES / 100 {
            hundred(x);
        }
    },
];

#[inline(never)]
fn site_hit(x: u32) -> u32 {
    zone!(site_hit);
    black_box(x)
}

#[inline(never)]
fn shared(x: u32) -> u32 {
    zone!(shared);
    black_box(x)
}

#[inline(never)]
fn recurse(depth: u32) -> u32 {
    zone!(recurse);
    if depth <= 1 {
        black_box(depth)
    } else {
        recurse(depth - 1) + 1
    }
}

macro_rules! one_after_another {
    ($x:ident: $($name:ident)*) => {
        $({
            zone!($name);
            black_box($x);
        })*
    };
}

#[inline(never)]
fn hundred(x: u32) {
    one_after_another!(x:
        c00 c01 c02 c03 c04 c05 c06 c07 c08 c09 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19
        c20 c21 c22 c23 c24 c25 c26 c27 c28 c29 c30 c31 c32 c33 c34 c35 c36 c37 c38 c39
        c40 c41 c42 c43 c44 c45 c46 c47 c48 c49 c50 c51 c52 c53 c54 c55 c56 c57 c58 c59
        c60 c61 c62 c63 c64 c65 c66 c67 c68 c69 c70 c71 c72 c73 c74 c75 c76 c77 c78 c79
        c80 c81 c82 c83 c84 c85 c86 c87 c88 c89 c90 c91 c92 c93 c94 c95 c96 c97 c98 c99
    );
}
