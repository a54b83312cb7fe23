//! Performs the actions that do not apply to a view. These actions change the settings in [`Controls`], or what the
//! program records.

use super::Controls;
use crate::program::Program;
use iprof_process::Timing;
use iprof_report::Action;

/// The history's memory limits in bytes. A key cycles through them.
const HISTORY_MEMORY: [Option<usize>; 4] =
    [None, Some(16_000_000), Some(4_000_000), Some(1_000_000)];
/// The possible numbers of longest frames to keep. A key cycles through them.
const LONGEST_FRAMES: [usize; 3] = [16, 64, 0];

impl Controls {
    /// Performs an action unless it applies to a view.
    pub(super) fn act_outside_view(&mut self, program: &mut Program, action: &Action) {
        match action {
            Action::TogglePause => self.paused = !self.paused,
            Action::ToggleHidden => self.hidden = !self.hidden,
            Action::NextHelpPage if self.hidden => {
                self.hidden = false;
                self.help_page = 1;
            }
            Action::NextHelpPage => {
                let next = self.help_page.saturating_add(1);
                self.help_page = if next <= self.help_pages.max(1) {
                    next
                } else {
                    0
                };
            }
            Action::CloseHelp => self.help_page = 0,
            Action::ToggleFlame => self.flame = !self.flame,
            // The result is clamped, since the host may have set `precision` to any value.
            Action::LessPrecision => self.precision = self.precision.saturating_sub(1).clamp(1, 4),
            Action::MorePrecision => self.precision = self.precision.saturating_add(1).clamp(1, 4),
            Action::Mark => {
                self.marks += 1;
                let name = format!("mark {}", self.marks);
                program.profiler_mut().mark(name.into());
            }
            Action::NextHistoryMemory => {
                self.history_memory = (self.history_memory + 1) % HISTORY_MEMORY.len();
                let limit = HISTORY_MEMORY[self.history_memory].unwrap_or(usize::MAX);
                program.profiler_mut().history_mut().set_memory_limit(limit);
            }
            Action::NextLongestFrames => {
                self.longest_frames = (self.longest_frames + 1) % LONGEST_FRAMES.len();
                let frames = LONGEST_FRAMES[self.longest_frames];
                program.profiler_mut().history_mut().set_longest(frames);
            }
            Action::NextTiming => {
                let next = match program.profiler().timing() {
                    Timing::Exact if self.has_no_sampler => Timing::Off,
                    Timing::Exact => Timing::AUTO,
                    Timing::Auto { .. } => Timing::SAMPLED,
                    Timing::Sampled { .. } => Timing::Off,
                    Timing::Off => Timing::Exact,
                };
                program.set_timing(next);
                // Automatic timing was refused because the platform has no threads. The report shows a warning, and the
                // next key press selects the mode after automatic timing.
                self.has_no_sampler =
                    next == Timing::AUTO && program.profiler().timing() == Timing::Exact;
            }
            _ => {}
        }
    }
}
