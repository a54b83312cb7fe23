//! What is wrong with the scene, for the profiler to find: three faults, by keys and by an option.

use std::str::FromStr;

/// Steps between two storms, when these come by themselves.
const STORM_EVERY: u64 = 120;

/// The faults that are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// A rare hitch: two computations take far longer in a step.
    pub(crate) storms: bool,
    /// A list that is never trimmed.
    pub(crate) growth: bool,
    /// Bursts of short-lived allocations.
    pub(crate) allocations: bool,
}

impl Faults {
    /// Whether a storm comes by itself in that step, counted from 1.
    pub(crate) fn is_stormy(self, step: u64) -> bool {
        self.storms && step.is_multiple_of(STORM_EVERY)
    }

    /// Turns on what the other has on.
    pub(crate) fn add(&mut self, other: Faults) {
        self.storms |= other.storms;
        self.growth |= other.growth;
        self.allocations |= other.allocations;
    }
}

impl FromStr for Faults {
    type Err = String;

    fn from_str(text: &str) -> Result<Faults, String> {
        let none = Faults::default();
        match text {
            "storms" => Ok(Faults {
                storms: true,
                ..none
            }),
            "growth" => Ok(Faults {
                growth: true,
                ..none
            }),
            "allocations" => Ok(Faults {
                allocations: true,
                ..none
            }),
            _ => Err("--fault takes storms, growth or allocations".into()),
        }
    }
}
