//! Benchmark cases: zones for each way in which a zone's site can find its node, and baselines without zones.

use crate::added_values::{add, add_at_run_time, add_float, add_in_alternating_parents};
use iprof::{RunTimeZone, Timing, ZoneBuilder};
use std::hint::black_box;
use std::sync::LazyLock;

/// The number of zones, or of calls without zones, in one round of a case. It is a multiple of the depths and of the
/// number of children.
pub(crate) const ZONES: u32 = 19_200;
/// The depth of the recursion, the depth of the recursion in which `Auto` times only some levels, and the number of
/// children of one parent.
const DEPTH: u32 = 64;
const DEEP: u32 = 4_800;
const CHILDREN: u32 = 100;
/// The number of calls at the bottom of the deep recursion. The calls are long enough that `Auto` keeps timing them,
/// while the levels above are untimed. If each call had to search for its timed ancestor, the calls would take longer
/// than all levels together.
const LEAVES: u32 = 48;
/// The number of steps in a leaf's work. Together, they take about half a microsecond.
const LEAF_STEPS: u32 = 1_000;
const _: () = assert!(
    ZONES.is_multiple_of(DEPTH) && ZONES.is_multiple_of(DEEP) && ZONES.is_multiple_of(CHILDREN)
);

/// A benchmark case: a function that runs one round, and the zones whose recorded entries are checked, with their
/// entries per round.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The name of the case that makes the same calls without zones.
    #[allow(dead_code, reason = "not every bench compares with a baseline")]
    pub(crate) bare: &'static str,
    pub(crate) round: fn(),
    pub(crate) zones: &'static [(&'static str, u32)],
}

pub(crate) static BASES: [Case; 7] = [
    Case {
        name: EMPTY,
        bare: EMPTY,
        round: || each(empty),
        zones: &[],
    },
    Case {
        name: TWO_READS,
        bare: EMPTY,
        round: || each(two_reads),
        zones: &[],
    },
    Case {
        name: EMPTY_BLOCKS,
        bare: EMPTY_BLOCKS,
        round: alternating_blocks,
        zones: &[],
    },
    Case {
        name: EMPTY_CHILDREN,
        bare: EMPTY_CHILDREN,
        round: || (0..ZONES / CHILDREN).for_each(call_children_bare),
        zones: &[],
    },
    Case {
        name: EMPTY_RECURSION,
        bare: EMPTY_RECURSION,
        round: || recursion(DEPTH, recurse_bare),
        zones: &[],
    },
    Case {
        name: EMPTY_DEEP_RECURSION,
        bare: EMPTY_DEEP_RECURSION,
        round: || recursion(DEEP, recurse_bare),
        zones: &[],
    },
    Case {
        name: EMPTY_LEAVES,
        bare: EMPTY_LEAVES,
        round: || recursion(DEEP, recurse_to_leaves_bare),
        zones: &[],
    },
];

const EMPTY: &str = "empty function";
pub(crate) const TWO_READS: &str = "two counter reads";
const EMPTY_BLOCKS: &str = "alternating empty blocks";
const EMPTY_CHILDREN: &str = "100 empty functions in turn";
const EMPTY_RECURSION: &str = "empty recursion";
const EMPTY_DEEP_RECURSION: &str = "empty recursion to 4,800";
const EMPTY_LEAVES: &str = "empty recursion, 48 leaves";

pub(crate) static CASES: [Case; 14] = [
    Case {
        name: SITE_HIT,
        bare: EMPTY,
        round: || each(site_hit),
        zones: &[("site_hit", ZONES)],
    },
    Case {
        name: "alternating parents",
        bare: EMPTY_BLOCKS,
        round: alternating_parents,
        zones: &[
            ("parent_a", ZONES / 4),
            ("parent_b", ZONES / 4),
            ("shared", ZONES / 2),
        ],
    },
    Case {
        name: "recursion to 64 and back",
        bare: EMPTY_RECURSION,
        round: || recursion(DEPTH, recurse),
        zones: &[("recurse", ZONES)],
    },
    Case {
        name: "recursion to 4,800 and back",
        bare: EMPTY_DEEP_RECURSION,
        round: || recursion(DEEP, recurse_deep),
        zones: &[("recurse_deep", ZONES)],
    },
    Case {
        name: "recursion to 4,800, 48 leaves",
        bare: EMPTY_LEAVES,
        round: || recursion(DEEP, recurse_to_leaves),
        zones: &[
            ("recurse_to_leaves", ZONES),
            ("leaf", ZONES / DEEP * LEAVES),
        ],
    },
    Case {
        name: "100 children in turn",
        bare: EMPTY_CHILDREN,
        round: || (0..ZONES / CHILDREN).for_each(call_children),
        zones: &[("child", ZONES)],
    },
    Case {
        name: "run-time zone",
        bare: EMPTY,
        round: || each(run_time),
        zones: &[("run_time", ZONES)],
    },
    Case {
        name: "run-time zone, alternating parents",
        bare: EMPTY_BLOCKS,
        round: alternating_parents_of_run_time,
        zones: &[
            ("parent_c", ZONES / 4),
            ("parent_d", ZONES / 4),
            ("shared at run time", ZONES / 2),
        ],
    },
    Case {
        name: "100 run-time zones in turn",
        bare: EMPTY_CHILDREN,
        round: || (0..ZONES / CHILDREN).for_each(enter_named),
        zones: &[
            ("named 0", ZONES / CHILDREN),
            ("named 99", ZONES / CHILDREN),
        ],
    },
    Case {
        name: "counter",
        bare: EMPTY,
        round: || each(count),
        zones: &[("count", ZONES)],
    },
    Case {
        name: "value",
        bare: EMPTY,
        round: || each(add),
        zones: &[],
    },
    Case {
        name: "value of floats",
        bare: EMPTY,
        round: || each(add_float),
        zones: &[],
    },
    Case {
        name: "run-time value",
        bare: EMPTY,
        round: || each(add_at_run_time),
        zones: &[],
    },
    Case {
        name: "value, alternating parents",
        bare: EMPTY,
        round: add_in_alternating_parents,
        zones: &[],
    },
];

pub(crate) const SITE_HIT: &str = "site hit";

pub(crate) fn case(name: &str) -> &'static Case {
    let found = BASES.iter().chain(&CASES).find(|case| case.name == name);
    found.expect("unknown case name")
}

pub(crate) const MODES: [(&str, Timing); 4] = [
    ("exact", Timing::Exact),
    ("sampled", Timing::SAMPLED),
    ("auto", Timing::AUTO),
    ("off", Timing::Off),
];

#[inline(always)]
fn each(f: fn(u32) -> u32) {
    for x in 0..ZONES {
        black_box(f(x));
    }
}

#[inline(always)]
fn recursion(depth: u32, f: fn(u32) -> u32) {
    for _ in 0..ZONES / depth {
        black_box(f(depth));
    }
}

fn alternating_parents() {
    for x in 0..ZONES / 4 {
        {
            iprof::zone!(parent_a);
            shared(x);
        }
        iprof::zone!(parent_b);
        shared(x);
    }
}

fn alternating_parents_of_run_time() {
    for x in 0..ZONES / 4 {
        {
            iprof::zone!(parent_c);
            shared_at_run_time(x);
        }
        iprof::zone!(parent_d);
        shared_at_run_time(x);
    }
}

/// The same blocks and calls as in [`alternating_parents`], without zones.
fn alternating_blocks() {
    for x in 0..ZONES / 4 {
        black_box(empty(x));
        black_box(empty(x));
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    #[allow(unsafe_code)] // The baseline is the bare instruction.
    // SAFETY: every x86-64 CPU supports `rdtsc`, which accesses no memory.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

#[inline(never)]
fn empty(x: u32) -> u32 {
    black_box(x)
}

#[inline(never)]
fn two_reads(x: u32) -> u32 {
    black_box(counter());
    let y = black_box(x);
    black_box(counter());
    y
}

#[inline(never)]
fn site_hit(x: u32) -> u32 {
    iprof::zone!(site_hit);
    black_box(x)
}

#[inline(never)]
fn shared(x: u32) -> u32 {
    iprof::zone!(shared);
    black_box(x)
}

#[inline(never)]
fn run_time(x: u32) -> u32 {
    static ZONE: LazyLock<RunTimeZone> = LazyLock::new(|| ZoneBuilder::new("run_time").build());
    let _open = ZONE.enter();
    black_box(x)
}

#[inline(never)]
fn shared_at_run_time(x: u32) -> u32 {
    static ZONE: LazyLock<RunTimeZone> =
        LazyLock::new(|| ZoneBuilder::new("shared at run time").build());
    let _open = ZONE.enter();
    black_box(x)
}

fn enter_named(x: u32) {
    static ZONES: LazyLock<Vec<RunTimeZone>> = LazyLock::new(|| {
        let zone = |at| ZoneBuilder::new(&format!("named {at}")).build();
        (0..CHILDREN).map(zone).collect()
    });
    for zone in ZONES.iter() {
        let _open = zone.enter();
        black_box(x);
    }
}

#[inline(never)]
fn recurse(depth: u32) -> u32 {
    iprof::zone!(recurse);
    if depth <= 1 {
        black_box(depth)
    } else {
        recurse(depth - 1) + 1
    }
}

#[inline(never)]
fn recurse_deep(depth: u32) -> u32 {
    iprof::zone!(recurse_deep);
    if depth <= 1 {
        black_box(depth)
    } else {
        recurse_deep(depth - 1) + 1
    }
}

#[inline(never)]
fn recurse_to_leaves(depth: u32) -> u32 {
    iprof::zone!(recurse_to_leaves);
    if depth <= 1 {
        (0..LEAVES).map(leaf).sum()
    } else {
        recurse_to_leaves(depth - 1) + 1
    }
}

#[inline(never)]
fn leaf(x: u32) -> u32 {
    iprof::zone!(leaf);
    leaf_work(x)
}

#[inline(never)]
fn recurse_to_leaves_bare(depth: u32) -> u32 {
    if depth <= 1 {
        (0..LEAVES).map(leaf_work).sum()
    } else {
        let below = recurse_to_leaves_bare(depth - 1);
        black_box(());
        below + 1
    }
}

#[inline(never)]
fn leaf_work(x: u32) -> u32 {
    (0..LEAF_STEPS).fold(x, |sum, step| black_box(sum.wrapping_add(step)))
}

#[inline(never)]
fn recurse_bare(depth: u32) -> u32 {
    if depth <= 1 {
        black_box(depth)
    } else {
        let below = recurse_bare(depth - 1);
        // Keep the compiler from turning the recursion into a loop, and the loop into a multiplication.
        black_box(());
        below + 1
    }
}

#[inline(never)]
fn count(x: u32) -> u32 {
    iprof::counter!(count);
    black_box(x)
}

/// Defines two functions for each number, one with its own zone and one without a zone.
trait Child {
    fn call(x: u32) -> u32;
    fn call_bare(x: u32) -> u32;
}

struct Numbered<const N: usize>;

macro_rules! children {
    ($($n:literal)*) => {
        $(impl Child for Numbered<$n> {
            #[inline(never)]
            fn call(x: u32) -> u32 {
                iprof::zone!(child);
                black_box(x)
            }

            #[inline(never)]
            fn call_bare(x: u32) -> u32 {
                black_box(x)
            }
        })*

        /// Calls each function by name. Calling through a table of pointers would measure branch prediction.
        fn call_children(x: u32) {
            $(black_box(Numbered::<$n>::call(x));)*
        }

        fn call_children_bare(x: u32) {
            $(black_box(Numbered::<$n>::call_bare(x));)*
        }
    };
}

children!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33
    34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66
    67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99);
