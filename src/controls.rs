//! Performs every user action (`Action`), and holds the user settings that no view holds: pause,
//! visibility of the overlay, decimal places.

use crate::action::Action;
use crate::process::{View, act, mark, set_history_budget, set_longest_frames, set_timing, timing};
use crate::timing::Timing;

/// Initial number of decimal places of times.
const PRECISION: u32 = 2;
/// History budgets in bytes that the key cycles through.
const BUDGETS: [Option<usize>; 4] = [None, Some(16_000_000), Some(4_000_000), Some(1_000_000)];
/// Numbers of longest frames to keep that the key cycles through.
const LONGEST_FRAMES: [usize; 3] = [16, 64, 0];

/// Performs every [`Action`], and holds the user's settings that no view holds: whether profiling is
/// paused and the overlay hidden, and how many decimal places times have.
///
/// ```
/// use iprof::{Action, Controls};
///
/// let mut controls = Controls::new();
/// // on keys:
/// controls.act(Action::TogglePause);
/// controls.act(Action::MoveFrame(-1));
/// // each frame:
/// iprof::update(!controls.paused);
/// if !controls.hidden {
///     # #[cfg(feature = "glow-0-18")]
///     iprof::draw_gl(20.0, 20.0, 560.0, 400.0, controls.precision);
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controls {
    /// Whether frames are discarded: pass `!paused` to [`update`](crate::update).
    pub paused: bool,
    /// Whether the overlay is hidden.
    pub hidden: bool,
    /// Decimal places of times, 1 to 4, for [`draw_gl`](crate::draw_gl).
    pub precision: u32,
    /// Number of marked frames.
    marks: u32,
    /// Index of the chosen budget, and of the chosen number of frames.
    budget: usize,
    longest_frames: usize,
}

impl Default for Controls {
    fn default() -> Controls {
        Controls::new()
    }
}

impl Controls {
    /// The initial settings: recording, shown, two decimal places.
    #[must_use]
    pub fn new() -> Controls {
        Controls {
            paused: false,
            hidden: false,
            precision: PRECISION,
            marks: 0,
            budget: 0,
            longest_frames: 0,
        }
    }

    /// Performs an action: on these settings, the default view, or the program's timing.
    pub fn act(&mut self, action: Action) {
        self.act_here(&action);
        act(action);
    }

    /// As [`act`](Controls::act), for a view of the host's instead of the default one.
    pub fn act_on(&mut self, view: &mut View, action: Action) {
        self.act_here(&action);
        view.act(action);
    }

    fn act_here(&mut self, action: &Action) {
        match action {
            Action::TogglePause => self.paused = !self.paused,
            Action::ToggleHidden => self.hidden = !self.hidden,
            // The host may have set any value.
            Action::LessPrecision => self.precision = self.precision.saturating_sub(1).clamp(1, 4),
            Action::MorePrecision => self.precision = self.precision.saturating_add(1).clamp(1, 4),
            Action::Mark => {
                self.marks += 1;
                mark(&format!("mark {}", self.marks));
            }
            Action::NextHistoryBudget => {
                self.budget = (self.budget + 1) % BUDGETS.len();
                set_history_budget(BUDGETS[self.budget]);
            }
            Action::NextLongestFrames => {
                self.longest_frames = (self.longest_frames + 1) % LONGEST_FRAMES.len();
                set_longest_frames(LONGEST_FRAMES[self.longest_frames]);
            }
            Action::NextTiming => set_timing(match timing() {
                Timing::Exact => Timing::AUTO,
                Timing::Auto { .. } => Timing::SAMPLED,
                Timing::Sampled { .. } => Timing::Off,
                Timing::Off => Timing::Exact,
            }),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_change_the_settings() {
        let (mut controls, mut view) = (Controls::new(), View::new());
        let mut act = |action| {
            controls.act_on(&mut view, action);
            controls.clone()
        };
        assert!(act(Action::TogglePause).paused);
        assert!(!act(Action::TogglePause).paused);
        assert!(act(Action::ToggleHidden).hidden);
        for precision in [3, 4, 4] {
            assert_eq!(act(Action::MorePrecision).precision, precision);
        }
        for precision in [3, 2, 1, 1] {
            assert_eq!(act(Action::LessPrecision).precision, precision);
        }
        // After as many steps as there are choices, the first is chosen again.
        for (action, times) in [
            (Action::NextHistoryBudget, 4),
            (Action::NextLongestFrames, 3),
        ] {
            let before = act(Action::EndFilter);
            for time in 1..=times {
                assert_eq!(act(action.clone()) == before, time == times);
            }
        }
    }

    #[test]
    fn an_invalid_precision_is_clamped_by_the_next_key() {
        for odd in [0, 5, u32::MAX] {
            for action in [Action::LessPrecision, Action::MorePrecision] {
                let mut controls = Controls::new();
                controls.precision = odd;
                controls.act_on(&mut View::new(), action.clone());
                let wanted = if odd == 0 { 1 } else { 4 };
                assert_eq!(controls.precision, wanted, "{action:?} from {odd}");
            }
        }
    }

    #[test]
    fn typed_characters_go_into_the_views_filter() {
        let (mut controls, mut view) = (Controls::new(), View::new());
        for character in "übung".chars() {
            controls.act_on(&mut view, Action::TypeFilter(character));
        }
        controls.act_on(&mut view, Action::EraseFilter);
        assert_eq!(view.filter(), "übun");
        controls.act_on(&mut view, Action::ClearFilter);
        assert_eq!(view.filter(), "");
    }
}
