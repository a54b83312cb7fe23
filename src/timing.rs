//! How times are measured: plain data.

use std::str::FromStr;
use std::{error, fmt};

/// How zones get their times, on all threads; for [`set_timing`](crate::set_timing).
///
/// Entry counts are exact in any case but [`Off`](Timing::Off). Times that were sampled are marked
/// so in every report, with their standard error; they sum up just as exact ones do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Timing {
    /// Every zone reads the clock when it is entered and when it is left.
    #[default]
    Exact,
    /// No zone reads the clock. A thread of the profiler's own looks `hz` times a second, at random
    /// moments, at what every thread is in; so a zone costs about a nanosecond.
    Sampled {
        /// Samples of each thread per second of time: 1 to 10,000, clamped; 1,000 if it is not a
        /// number. Systems wake a thread some 20,000 times a second at best, and no sampling is
        /// free: a thousand times a second costs one core one to two per cent, most of it for
        /// waking the thread. The report's second line has it, as the system accounts for it.
        hz: f64,
    },
    /// Zones are not recorded at all. Frames in which this held at any moment are thrown away; what
    /// was shown stays.
    Off,
    /// Exact as far as it is cheap: zones that are entered so often, in such short calls, that
    /// reading the clock would cost more than the budget count their entries only, stack by stack,
    /// and get their times from samples. Decided anew with each frame; in a program that has not
    /// called [`update`](crate::update) yet, or never does, by a thread of the profiler's own, after
    /// 10 ms and then less and less often, down to six times a second, or once a second where there
    /// are a hundred thousand stacks.
    ///
    /// Counting an entry takes about a nanosecond and is never given up: a program that enters a
    /// zone every 50 ns pays two per cent for that, whatever the budget.
    Auto {
        /// What recording may cost on each thread, as a part of its time: 0.0001 to 1, clamped;
        /// 0.01 if it is not a number. The sampler looks as often as takes a quarter of that part
        /// of one core, by what a look was measured to take: 100 to 1,000 times a second.
        budget: f64,
    },
}

impl Timing {
    /// [`Sampled`](Timing::Sampled) a thousand times a second.
    pub const SAMPLED: Timing = Timing::Sampled { hz: 1000.0 };
    /// [`Auto`](Timing::Auto) with a budget of one per cent.
    pub const AUTO: Timing = Timing::Auto { budget: 0.01 };

    /// With the numbers in their ranges.
    pub(crate) fn clamped(self) -> Timing {
        let clamp = |value: f64, usual: f64, from: f64, to: f64| {
            if value.is_nan() {
                usual
            } else {
                value.clamp(from, to)
            }
        };
        match self {
            Timing::Sampled { hz } => Timing::Sampled {
                hz: clamp(hz, 1000.0, 1.0, 10_000.0),
            },
            Timing::Auto { budget } => Timing::Auto {
                budget: clamp(budget, 0.01, 1e-4, 1.0),
            },
            other => other,
        }
    }
}

/// Reads a timing as the variable `IPROF_TIMING` has it: `exact`, `sampled` or `sampled:500` with the
/// rate in Hz, `auto` or `auto:2` with the budget in per cent, `off`. Upper case is as good; numbers
/// out of range are clamped.
impl FromStr for Timing {
    type Err = ParseTimingError;

    fn from_str(text: &str) -> Result<Timing, ParseTimingError> {
        let error = || ParseTimingError {
            text: text.to_owned(),
        };
        let (word, number) = match text.split_once(':') {
            Some((word, number)) => (word, Some(number.trim().trim_end_matches('%'))),
            None => (text, None),
        };
        let number: Option<f64> = match number {
            Some(number) => Some(number.trim().parse().map_err(|_| error())?),
            None => None,
        };
        let word = word.trim().to_ascii_lowercase();
        let timing = match (word.as_str(), number) {
            ("exact", None) => Timing::Exact,
            ("off", None) => Timing::Off,
            ("sampled", None) => Timing::SAMPLED,
            ("sampled", Some(hz)) => Timing::Sampled { hz },
            ("auto", None) => Timing::AUTO,
            ("auto", Some(percent)) => Timing::Auto {
                budget: percent / 100.0,
            },
            _ => return Err(error()),
        };
        Ok(timing.clamped())
    }
}

/// A text that is no [`Timing`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseTimingError {
    text: String,
}

impl fmt::Display for ParseTimingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        write!(
            f,
            "\"{text}\" is no timing: exact, sampled, sampled:HZ, auto, auto:PERCENT or off"
        )
    }
}

impl error::Error for ParseTimingError {}

#[cfg(test)]
mod tests {
    use super::Timing;

    #[test]
    fn a_timing_can_be_read_from_a_text() {
        for (text, timing) in [
            ("exact", Timing::Exact),
            ("Off", Timing::Off),
            (" sampled ", Timing::SAMPLED),
            ("sampled:500", Timing::Sampled { hz: 500.0 }),
            ("sampled: 1e9", Timing::Sampled { hz: 10_000.0 }),
            ("AUTO", Timing::AUTO),
            ("auto:2%", Timing::Auto { budget: 0.02 }),
            ("auto:0.5", Timing::Auto { budget: 0.005 }),
        ] {
            assert_eq!(text.parse(), Ok(timing), "{text}");
        }
        for text in ["", "exactly", "off:1", "sampled:", "auto:much", ":5"] {
            let error = text.parse::<Timing>().unwrap_err().to_string();
            assert!(
                error.contains(&format!("\"{text}\" is no timing")),
                "{error}"
            );
        }
    }

    #[test]
    fn numbers_out_of_range_are_clamped() {
        let hz = |hz| Timing::Sampled { hz };
        let budget = |budget| Timing::Auto { budget };
        for (given, kept) in [
            (hz(0.0), hz(1.0)),
            (hz(f64::INFINITY), hz(10_000.0)),
            (hz(f64::NAN), Timing::SAMPLED),
            (hz(250.0), hz(250.0)),
            (budget(-1.0), budget(1e-4)),
            (budget(7.0), budget(1.0)),
            (budget(f64::NAN), Timing::AUTO),
            (Timing::Off, Timing::Off),
        ] {
            assert_eq!(given.clamped(), kept);
        }
    }
}
