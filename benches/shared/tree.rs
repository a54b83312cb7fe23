//! Zone trees of any size and shape: zones that call zones, level by level. Each level has its own zones.
//!
//! A node is a full call stack. Zones that call ten zones each, five levels deep, result in 111,110 nodes.

use std::hint::black_box;

/// The stack size, which is enough for a chain of 10,000 calls.
pub(crate) const STACK: usize = 64 << 20;

/// A function that enters its own zone and calls its argument.
type Caller = fn(&mut dyn FnMut());

macro_rules! ten {
    ($item:expr) => {
        [
            $item, $item, $item, $item, $item, $item, $item, $item, $item, $item,
        ]
    };
}

macro_rules! caller {
    () => {
        |callees| {
            iprof::zone!("measured::caller");
            callees();
        }
    };
}

/// Three thousand callers. Each caller has a different source location, and is therefore a different zone.
static CALLERS: [[[[Caller; 10]; 10]; 10]; 3] = [
    ten!(ten!(ten!(caller!()))),
    ten!(ten!(ten!(caller!()))),
    ten!(ten!(ten!(caller!()))),
];

/// Callers that are called by every caller in the level above.
#[derive(Clone, Copy)]
pub(crate) struct Level {
    /// The index of the first caller in [`CALLERS`].
    pub(crate) first: usize,
    /// The number of callers. Measured frames call only one in [`Level::every`] of them.
    pub(crate) callers: usize,
    pub(crate) every: usize,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Frame {
    All,
    /// Calls only the live callers, one in [`Level::every`]. The number selects which ones.
    #[allow(dead_code)] // Some benches have only live zones.
    Live(usize),
}

pub(crate) fn call(levels: &[Level], frame: Frame) {
    let Some((level, below)) = levels.split_first() else {
        black_box(());
        return;
    };
    let callers =
        &CALLERS.as_flattened().as_flattened().as_flattened()[level.first..][..level.callers];
    let (first, every) = match frame {
        Frame::All => (0, 1),
        Frame::Live(turn) => (turn % level.every, level.every),
    };
    for caller in callers[first..].iter().step_by(every) {
        caller(&mut || call(below, frame));
    }
}

/// Returns how many nodes [`call`] enters.
pub(crate) fn count(levels: &[Level], live: bool) -> usize {
    levels.iter().rev().fold(0, |below, level| {
        let every = if live { level.every } else { 1 };
        level.callers.div_ceil(every) * (1 + below)
    })
}

/// Creates levels that each have their own zones. Each pair contains the number of callers, and `n` if one in `n` is
/// live.
pub(crate) fn levels(shape: &[(usize, usize)]) -> Vec<Level> {
    let mut first = 0;
    let mut levels = Vec::new();
    for &(callers, every) in shape {
        levels.push(Level {
            first,
            callers,
            every,
        });
        first += callers;
    }
    levels
}

/// Creates a call chain of the given depth from ten zones that call one another in a ring.
pub(crate) fn chain(depth: usize) -> Vec<Level> {
    let level = |at| Level {
        first: at % 10,
        callers: 1,
        every: 1,
    };
    (0..depth).map(level).collect()
}
