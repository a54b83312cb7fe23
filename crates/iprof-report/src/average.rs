//! The choice of the values that the live view shows: those of the newest frame, or one of two
//! exponential moving averages.

use crate::display_and_from_str;
use crate::variant_name::VariantName;

/// The averaging window of the live view; see [`View::average`](crate::View::average).
///
/// ```
/// use iprof::Average;
///
/// let mut view = iprof::View::default();
/// view.average = Average::Slow;
/// assert_eq!(view.average, Average::Slow);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Average {
    /// No average: the newest frame's values.
    Newest,
    /// An exponential moving average that follows a step by 90 % in 0.8 s.
    #[default]
    Fast,
    /// An exponential moving average that follows a step by 90 % in 2.5 s.
    Slow,
}

impl Average {
    /// All averages, from the newest frame's values to the slowest average.
    ///
    /// ```
    /// assert_eq!(iprof::Average::ALL[1], iprof::Average::default());
    /// ```
    pub const ALL: &[Average] = &[Average::Newest, Average::Fast, Average::Slow];

    /// The position of the average among those that are computed; `None` for the newest frame's values.
    #[doc(hidden)]
    pub fn slot(self) -> Option<usize> {
        match self {
            Average::Newest => None,
            Average::Fast => Some(0),
            Average::Slow => Some(1),
        }
    }

    /// As [`slot`](Average::slot); that of the default for the newest frame's values, which have no
    /// average of their own.
    #[doc(hidden)]
    pub fn slot_or_default(self) -> usize {
        self.slot().unwrap_or(0)
    }
}

impl VariantName for Average {
    const KIND: &'static str = "average";
    const NAMES: &'static [(Average, &'static str)] = &[
        (Average::Newest, "newest"),
        (Average::Fast, "fast"),
        (Average::Slow, "slow"),
    ];
}
display_and_from_str!(Average);
