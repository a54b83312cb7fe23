//! How times are measured: plain data.

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
    /// and get their times from samples. Decided anew with each frame.
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

#[cfg(test)]
mod tests {
    use super::Timing;

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
