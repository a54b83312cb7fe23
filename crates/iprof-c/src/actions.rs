//! The actions by their numbers and names, which stand in the header, too.

use crate::border::{Error, VALUE, code_of, text};
use crate::controls::with_controls;
use crate::views::used;
use iprof::{Action, Average, FlameStep, FrameSelection, ReportMode};
use std::ffi::{c_char, c_double, c_int};

/// An action's number and name, and what it makes of its value.
pub type NamedAction = (c_int, &'static str, fn(f64) -> Action);

/// The actions by their numbers, which stand in the header, too.
pub const ACTIONS: &[NamedAction] = &[
    (1, "move_cursor", |value| Action::MoveCursor(value as i32)),
    (2, "set_cursor", |value| Action::SetCursor(value as usize)),
    (3, "click_row", |value| Action::ClickRow(value as usize)),
    (4, "toggle_row", |value| Action::ToggleRow(value as usize)),
    (5, "select", |_| Action::Select),
    (6, "select_parent", |_| Action::SelectParent),
    (7, "expand", |_| Action::Expand),
    (8, "collapse", |_| Action::Collapse),
    (9, "go_back", |_| Action::GoBack),
    (10, "go_forward", |_| Action::GoForward),
    (11, "move_frame", |value| Action::MoveFrame(value as i32)),
    (12, "extend_range", |value| {
        Action::ExtendRange(value as i32)
    }),
    (13, "previous_spike", |_| Action::PreviousSpike),
    (14, "next_spike", |_| Action::NextSpike),
    (15, "previous_zone_spike", |_| Action::PreviousZoneSpike),
    (16, "next_zone_spike", |_| Action::NextZoneSpike),
    (17, "previous_mark", |_| Action::PreviousMark),
    (18, "next_mark", |_| Action::NextMark),
    (19, "scroll_graph", |value| {
        Action::ScrollGraph(value as i32)
    }),
    (20, "zoom_graph", |value| Action::ZoomGraph(value as f32)),
    (21, "zoom_graph_vertically", |value| {
        Action::ZoomGraphVertically(value as f32)
    }),
    (22, "scroll_graph_vertically", |value| {
        Action::ScrollGraphVertically(value as f32)
    }),
    (23, "next_graph_style", |_| Action::NextGraphStyle),
    (24, "next_theme", |_| Action::NextTheme),
    (25, "next_report_mode", |_| Action::NextReportMode),
    (26, "next_average", |_| Action::NextAverage),
    (27, "next_recursion", |_| Action::NextRecursion),
    (28, "next_threads", |_| Action::NextThreads),
    (29, "next_baseline", |_| Action::NextBaseline),
    (30, "set_baseline_to_shown_frame", |_| {
        Action::SetBaselineToShownFrame
    }),
    (31, "next_sort", |_| Action::NextSort),
    (32, "reverse_sort", |_| Action::ReverseSort),
    (33, "next_min_share", |_| Action::NextMinShare),
    (34, "toggle_grouping", |_| Action::ToggleGrouping),
    (35, "toggle_idle", |_| Action::ToggleIdle),
    (36, "toggle_net_times", |_| Action::ToggleNetTimes),
    (37, "erase_filter", |_| Action::EraseFilter),
    (38, "clear_filter", |_| Action::ClearFilter),
    (39, "edit_filter", |_| Action::EditFilter),
    (40, "end_filter", |_| Action::EndFilter),
    (41, "next_timing", |_| Action::NextTiming),
    (42, "mark", |_| Action::Mark),
    (43, "next_history_memory", |_| Action::NextHistoryMemory),
    (44, "next_longest_frames", |_| Action::NextLongestFrames),
    (45, "toggle_pause", |_| Action::TogglePause),
    (46, "toggle_hidden", |_| Action::ToggleHidden),
    (47, "next_help_page", |_| Action::NextHelpPage),
    (48, "close_help", |_| Action::CloseHelp),
    (49, "less_precision", |_| Action::LessPrecision),
    (50, "more_precision", |_| Action::MorePrecision),
    (51, "compare_slow_frames", |_| Action::CompareSlowFrames),
    (52, "toggle_flame", |_| Action::ToggleFlame),
    (53, "walk_flame", |value| {
        Action::WalkFlame(match value as i32 {
            0 => FlameStep::Caller,
            1 => FlameStep::Callee,
            2 => FlameStep::Left,
            _ => FlameStep::Right,
        })
    }),
    (54, "zoom_flame", |_| Action::ZoomFlame),
    (55, "unzoom_flame", |_| Action::UnzoomFlame),
    (56, "next_columns", |_| Action::NextColumns),
    (57, "move_band", |value| Action::MoveBand(value as i32)),
    (58, "move_bucket", |value| Action::MoveBucket(value as i32)),
    (59, "next_value", |_| Action::NextValue),
    (60, "set_average", |value| {
        Action::SetAverage(Average::ALL[value as usize])
    }),
    (61, "set_report_mode", |value| {
        Action::SetReportMode(ReportMode::ALL[value as usize])
    }),
    (62, "show_live", |_| Action::SetFrames(FrameSelection::Live)),
    (63, "show_longest_frame", |_| {
        Action::SetFrames(FrameSelection::Longest)
    }),
];

/// How many choices those actions have whose value is one.
const CHOICES: &[(c_int, usize)] = &[
    (53, 4),
    (60, Average::ALL.len()),
    (61, ReportMode::ALL.len()),
];

/// The action of that number.
pub(crate) fn numbered(number: c_int, value: f64) -> Result<Action, Error> {
    let known = ACTIONS.iter().find(|(known, ..)| *known == number);
    let known = known.ok_or_else(|| Error(VALUE, format!("there is no action {number}")))?;
    with_value(known, value)
}

fn with_value((number, name, make): &NamedAction, value: f64) -> Result<Action, Error> {
    let choices = CHOICES.iter().find(|(known, _)| known == number);
    let is_valid = match choices {
        Some((_, choices)) => (0.0..*choices as f64).contains(&value),
        None => !value.is_nan(),
    };
    if is_valid {
        return Ok(make(value));
    }
    let expected = match choices {
        Some((_, choices)) => format!("0 to {}", choices - 1),
        None => "a number".to_owned(),
    };
    Err(Error(
        VALUE,
        format!("invalid value {value} of the action {name}; expected {expected}"),
    ))
}

fn act(action: Action) {
    with_controls((), |controls| match used() {
        Some(view) => view.with(|view| controls.on(view).act(action)),
        None => controls.act(action),
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_act(action: c_int, value: c_double) -> c_int {
    code_of(|| {
        act(numbered(action, value)?);
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `action` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_act_text(action: *const c_char) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let text = unsafe { text(action, "action") }?;
        let (name, value) = text.trim().split_once(' ').unwrap_or((text.trim(), "0"));
        let known = ACTIONS.iter().find(|(_, known, _)| *known == name);
        let known = known.ok_or_else(|| Error(VALUE, format!("there is no action \"{name}\"")))?;
        let value = value.trim().parse().map_err(|_| {
            Error(
                VALUE,
                format!("invalid value \"{value}\" of the action {name}; expected a number"),
            )
        })?;
        act(with_value(known, value)?);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use iprof::Bindings;

    #[test]
    fn each_default_key_can_be_bound_again() {
        let values = [
            -50.0, -10.0, -1.0, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 10.0, 50.0,
        ];
        let of = |known: &'static NamedAction| {
            values
                .into_iter()
                .filter_map(|value| with_value(known, value).ok())
        };
        let all: Vec<Action> = ACTIONS.iter().flat_map(of).collect();
        for (chord, action) in Bindings::default().iter() {
            assert!(all.contains(action), "{chord}: {action:?}");
        }
    }

    #[test]
    fn a_value_that_is_no_choice_makes_no_action() {
        for (number, choices) in CHOICES {
            for value in 0..*choices {
                assert!(numbered(*number, value as f64).is_ok(), "{number} {value}");
            }
            for value in [-1.0, *choices as f64, f64::INFINITY, f64::NAN] {
                assert!(numbered(*number, value).is_err(), "{number} {value}");
            }
        }
        assert!(numbered(1, f64::NAN).is_err());
        assert_eq!(numbered(1, 1e300).ok(), Some(Action::MoveCursor(i32::MAX)));
    }
}
