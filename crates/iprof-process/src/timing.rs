//! The timing modes, with conversions to and from text.

use std::str::FromStr;
use std::{error, fmt};

/// Whether and how zones are recorded and timed on all threads, for [`set_timing`](fn.set_timing.html).
///
/// Entry counts are exact in every mode except [`Off`](Timing::Off). Reports mark sampled times and show their standard
/// errors. Sampled times add up in the same way as exact times.
///
/// # Without threads
///
/// Web pages can't run the sampler, which needs a thread. There, [`Sampled`](Timing::Sampled) and
/// [`Auto`](Timing::Auto) become [`Exact`](Timing::Exact), which [`timing`](crate::timing) then returns. Every zone
/// reads the clock, the overhead isn't limited, and no time is marked as sampled. The report's second line contains
/// `(no sampler)`, and a warning explains why.
///
/// # Coarse clocks
///
/// In browsers, `performance.now()` advances in steps of 0.1 or 1 ms, or 5 µs in cross-origin isolated pages. The
/// report's second line then only describes the counts as exact: `counts exact, 0.1 ms clock`.
///
/// A step is added to the zone that is open when the clock advances, as if the clock sampled the program. A call that
/// is shorter than a step measures as zero steps or one step, and sums over many calls are correct on average. The
/// standard error of a total `T` is at most `√(T · step)`. With steps of 0.1 ms, it is 1 ms for 10 ms in a frame, and a
/// tenth of that for the mean of a hundred frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Timing {
    /// Every zone reads the clock when it is entered and when it is left.
    #[default]
    Exact,
    /// No zone reads the clock. The sampler, one of the profiler's threads, reads each thread's current zone `hz` times
    /// per second at random moments. A zone costs about one nanosecond.
    Sampled {
        /// The number of samples of each thread per second, clamped to 1 to 10,000. NaN means 1,000.
        ///
        /// Sampling a thousand times per second takes one or two percent of a core, mostly for waking the sampler. The
        /// report's second line shows the cost. Operating systems wake a thread at most about 20,000 times per second.
        hz: f64,
    },
    /// Zones are not recorded. Frames during which this mode was ever on are discarded, and reports show earlier
    /// frames.
    Off,
    /// Exact where that is cheap. Some zones are entered so often, and so briefly, that reading the clock would exceed
    /// `budget`. Such zones only count their entries, for each call stack, and their times are estimated from samples.
    ///
    /// The choice is reviewed in each frame. Before the first [`update`](fn.update.html), and so in programs that never
    /// call it, all zones are sampled. Counting takes about one nanosecond: a program that enters a zone every 50 ns
    /// spends two percent of its time on it, whatever the budget.
    Auto {
        /// The maximum cost of recording on each thread as a fraction of its time, clamped to 0.0001 to 1. NaN means
        /// 0.01.
        ///
        /// The sampler may use a quarter of this fraction of one core. Together with the measured cost of a sample,
        /// this determines the sampling rate, from 100 to 1,000 Hz. Until the first frame has ended, a sample is
        /// assumed to cost at least 15 µs, so the rate is at most 167 Hz with a budget of 0.01.
        budget: f64,
    },
}

impl Timing {
    /// [`Sampled`](Timing::Sampled), a thousand times per second.
    pub const SAMPLED: Timing = Timing::Sampled { hz: 1000.0 };
    /// [`Auto`](Timing::Auto) with a budget of one percent.
    pub const AUTO: Timing = Timing::Auto { budget: 0.01 };

    /// Clamps the numbers to their ranges.
    #[doc(hidden)]
    pub fn clamped(self) -> Timing {
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

/// Parses a timing mode in the same syntax as the variable `IPROF_TIMING`: `exact`, `sampled` or `sampled:500` (the
/// rate in Hz), `auto` or `auto:2` (the budget in percent), or `off`. Case is ignored, and numbers are clamped to their
/// ranges.
impl FromStr for Timing {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Timing, ParseNameError> {
        let error = || ParseNameError {
            kind: "timing mode",
            text: text.to_owned(),
            expected: "exact, sampled[:HZ], auto[:PERCENT] or off".to_owned(),
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

/// Writes the mode in the form that `from_str` reads: `exact`, `sampled:1000`, `auto:1` (the budget in percent), or
/// `off`. Numbers are clamped to their ranges.
impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.clamped() {
            Timing::Exact => f.write_str("exact"),
            Timing::Sampled { hz } => write!(f, "sampled:{hz}"),
            Timing::Off => f.write_str("off"),
            Timing::Auto { budget } => write!(f, "auto:{}", budget * 100.0),
        }
    }
}

/// The error returned when parsing a [`Timing`], [`Format`](enum.Format.html), [`ReportMode`](enum.ReportMode.html),
/// [`Average`](enum.Average.html), [`Recursion`](enum.Recursion.html) or [`GraphStyle`](enum.GraphStyle.html) fails.
///
/// ```
/// let error = "tree".parse::<iprof::ReportMode>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "invalid report mode \"tree\"; expected self-time, hierarchical-time, call-graph, \
///      call-graph-descendants or call-tree"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseNameError {
    #[doc(hidden)]
    pub kind: &'static str,
    #[doc(hidden)]
    pub text: String,
    #[doc(hidden)]
    pub expected: String,
}

impl fmt::Display for ParseNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseNameError {
            kind,
            text,
            expected,
        } = self;
        write!(f, "invalid {kind} \"{text}\"; expected {expected}")
    }
}

impl error::Error for ParseNameError {}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Timing;

    #[test]
    fn timing_modes_are_parsed() {
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
                error.contains(&format!("invalid timing mode \"{text}\"")),
                "{error}"
            );
        }
    }

    #[test]
    fn written_timing_modes_can_be_parsed() {
        for (timing, text) in [
            (Timing::Exact, "exact"),
            (Timing::Off, "off"),
            (Timing::SAMPLED, "sampled:1000"),
            (Timing::Sampled { hz: 0.0 }, "sampled:1"),
            (Timing::AUTO, "auto:1"),
            (Timing::Auto { budget: 0.005 }, "auto:0.5"),
        ] {
            assert_eq!(timing.to_string(), text);
            assert_eq!(text.parse(), Ok(timing.clamped()));
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
