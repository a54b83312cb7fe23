//! Deliberate faults in the scene for the profiler to find.

use iprof::ShownValue;

/// The number of steps between storms, if they are enabled.
const STORM_EVERY: u64 = 120;
/// The step that deadlocks.
const DEADLOCK_AT: u64 = 60;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// A rare hitch, in which two computations take far longer than usual.
    pub(crate) storms: bool,
    /// A list that is never trimmed.
    pub(crate) growth: bool,
    pub(crate) allocations: bool,
    pub(crate) deadlock: bool,
}

impl Faults {
    /// Returns whether the step, counted from 1, has a storm.
    pub(crate) fn is_stormy(self, step: u64) -> bool {
        self.storms && step.is_multiple_of(STORM_EVERY)
    }

    /// Returns whether the step, counted from 1, deadlocks.
    pub(crate) fn is_deadlock(self, step: u64) -> bool {
        self.deadlock && step == DEADLOCK_AT
    }

    #[allow(dead_code, reason = "a page has no options")]
    pub(crate) fn turn_on(&mut self, name: &str) -> Result<(), String> {
        let fault = match name {
            "storms" => &mut self.storms,
            "growth" => &mut self.growth,
            "allocations" => &mut self.allocations,
            "deadlock" => &mut self.deadlock,
            _ => return Err("--fault takes storms, growth, allocations or deadlock".into()),
        };
        *fault = true;
        Ok(())
    }
}

/// Shows the columns of the named value that reveals a fault, or hides them.
pub(crate) fn show_value(is_shown: bool, name: &'static str) {
    let value = match is_shown {
        true => ShownValue::Named(name.into()),
        false => ShownValue::None,
    };
    iprof::with_view(|view| view.value = value);
}
