//! What is known of a named value, for reports and files.

use std::sync::Arc;

/// A [named value](macro.value.html) to which the program has added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ValueInfo {
    /// Its name, which several values may have.
    pub name: Arc<str>,
    /// The name of one unit, in which times per unit are given; may be empty.
    pub unit: Arc<str>,
    /// How many steps a unit has: the value is a whole number of steps. 1 for whole numbers.
    pub steps: u32,
}

impl ValueInfo {
    /// So many steps, in units.
    #[must_use]
    pub fn amount(&self, steps: i64) -> f64 {
        steps as f64 / f64::from(self.steps.max(1))
    }

    /// As text that can be read back: whole numbers without a fraction.
    #[doc(hidden)]
    pub fn text(&self, steps: i64) -> String {
        match self.steps {
            0 | 1 => steps.to_string(),
            _ => self.amount(steps).to_string(),
        }
    }

    #[doc(hidden)]
    pub fn unit_or_default(&self) -> &str {
        match &*self.unit {
            "" => "unit",
            unit => unit,
        }
    }

    /// The decimal places at which steps differ, but no more than a column has room for.
    #[doc(hidden)]
    pub fn places(&self) -> u32 {
        match self.steps {
            0 | 1 => 0,
            2..=10 => 1,
            11..=100 => 2,
            _ => 3,
        }
    }
}
