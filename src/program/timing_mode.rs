//! Changes the timing mode of the running program, and starts and stops the sampler accordingly.

use super::Program;
use super::snapshots::record_or_discard;
use crate::gather::{
    IS_ENABLED,
    mode::{self, cutoff},
};
use crate::sample;
use iprof_process::Profiler;
use iprof_process::Timing;

impl Program {
    /// See [`set_timing`](crate::set_timing).
    pub(crate) fn set_timing(&mut self, timing: Timing) {
        if !IS_ENABLED {
            return;
        }
        let timing = timing.clamped();
        let was_off = self.profiler.timing() == Timing::Off;
        if was_off != (timing == Timing::Off) && !self.profiler.has_frames() {
            record_or_discard(self, !was_off);
        }
        self.profiler.set_timing(timing);
        self.profiler.outdate();
        if was_off {
            mode::note_off();
        }
        follow_timing(&mut self.profiler);
        match self.profiler.timing() {
            Timing::Exact => mode::turn_on(cutoff::EXACT),
            Timing::Sampled { .. } => mode::turn_on(cutoff::SAMPLED),
            // Automatic mode samples all nodes during the first frame, which determines which nodes may read the clock.
            Timing::Auto { .. } if !self.profiler.has_frames() => mode::turn_on(cutoff::SAMPLED),
            Timing::Auto { .. } => mode::turn_on(cutoff::AUTO),
            Timing::Off if self.sessions.is_active() => mode::turn_on(cutoff::SAMPLED),
            Timing::Off => mode::turn_off(),
        }
        if !self.profiler.has_frames() {
            // The time while timing was off has already been discarded. `take_was_off` is called only to clear the
            // flag, so that the frame in progress is recorded.
            mode::take_was_off();
        }
    }
}

/// Starts, stops or adjusts the sampler to match the timing mode.
pub(super) fn follow_timing(profiler: &mut Profiler) {
    if let Err(reason) = sample::set_rate(profiler.sampler_hz()) {
        profiler.use_exact_timing(reason.to_string());
        mode::turn_on(cutoff::EXACT);
    }
}
