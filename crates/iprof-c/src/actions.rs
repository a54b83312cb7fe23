//! The program's controls, and functions that perform actions by the names listed in the header.

use crate::{Error, ErrorCode, NOT_FOUND, VALUE, catch_panic, code_of, text};
use iprof::{Action, Controls, FlameStep, Frames, ShownValue, Threads};
use std::cell::Cell;
use std::ffi::c_char;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::{Mutex, OnceLock, PoisonError};

thread_local! {
    static IN_CONTROLS: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` with the program's controls. Returns `otherwise` if called from within `f`, or if `f` panics.
pub(crate) fn with_controls<R>(otherwise: R, f: impl FnOnce(&mut Controls) -> R) -> R {
    static CONTROLS: OnceLock<Mutex<Controls>> = OnceLock::new();
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            IN_CONTROLS.set(false);
        }
    }
    catch_panic(None, || {
        if IN_CONTROLS.replace(true) {
            return None;
        }
        let _leave = Leave;
        let controls = CONTROLS.get_or_init(Mutex::default);
        let mut controls = controls.lock().unwrap_or_else(PoisonError::into_inner);
        Some(f(&mut controls))
    })
    .unwrap_or(otherwise)
}

/// Returns the action for a name and argument such as `move_cursor -1`.
pub(crate) fn parse(text: &str) -> Result<Action, Error> {
    let (name, argument) = split(text);
    let action = match name {
        "select" => Action::Select,
        "select_parent" => Action::SelectParent,
        "expand" => Action::Expand,
        "collapse" => Action::Collapse,
        "go_back" => Action::GoBack,
        "go_forward" => Action::GoForward,
        "compare_slow_frames" => Action::CompareSlowFrames,
        "previous_spike" => Action::PreviousSpike,
        "next_spike" => Action::NextSpike,
        "previous_zone_spike" => Action::PreviousZoneSpike,
        "next_zone_spike" => Action::NextZoneSpike,
        "previous_mark" => Action::PreviousMark,
        "next_mark" => Action::NextMark,
        "next_graph_style" => Action::NextGraphStyle,
        "toggle_flame" => Action::ToggleFlame,
        "zoom_flame" => Action::ZoomFlame,
        "unzoom_flame" => Action::UnzoomFlame,
        "next_theme" => Action::NextTheme,
        "next_report_mode" => Action::NextReportMode,
        "next_average" => Action::NextAverage,
        "next_recursion" => Action::NextRecursion,
        "next_threads" => Action::NextThreads,
        "next_baseline" => Action::NextBaseline,
        "set_baseline_to_shown_frame" => Action::SetBaselineToShownFrame,
        "next_sort" => Action::NextSort,
        "reverse_sort" => Action::ReverseSort,
        "next_min_share" => Action::NextMinShare,
        "toggle_grouping" => Action::ToggleGrouping,
        "toggle_idle" => Action::ToggleIdle,
        "toggle_net_times" => Action::ToggleNetTimes,
        "next_columns" => Action::NextColumns,
        "next_value" => Action::NextValue,
        "erase_filter" => Action::EraseFilter,
        "clear_filter" => Action::ClearFilter,
        "edit_filter" => Action::EditFilter,
        "end_filter" => Action::EndFilter,
        "next_timing" => Action::NextTiming,
        "mark" => Action::Mark,
        "next_history_memory" => Action::NextHistoryMemory,
        "next_longest_frames" => Action::NextLongestFrames,
        "toggle_pause" => Action::TogglePause,
        "toggle_hidden" => Action::ToggleHidden,
        "next_help_page" => Action::NextHelpPage,
        "close_help" => Action::CloseHelp,
        "less_precision" => Action::LessPrecision,
        "more_precision" => Action::MorePrecision,
        _ => return parse_with_argument(name, argument),
    };
    match argument {
        "" => Ok(action),
        _ => Err(invalid(name, argument, "none")),
    }
}

fn parse_with_argument(name: &str, argument: &str) -> Result<Action, Error> {
    Ok(match name {
        "move_cursor" => Action::MoveCursor(number(name, argument)?),
        "set_cursor" => Action::SetCursor(number(name, argument)?),
        "click_row" => Action::ClickRow(number(name, argument)?),
        "toggle_row" => Action::ToggleRow(number(name, argument)?),
        "select_zone" => Action::SelectZone(argument.into()),
        "move_frame" => Action::MoveFrame(number(name, argument)?),
        "set_frames" => Action::SetFrames(frames(name, argument)?),
        "move_band" => Action::MoveBand(number(name, argument)?),
        "move_bucket" => Action::MoveBucket(number(name, argument)?),
        "extend_range" => Action::ExtendRange(number(name, argument)?),
        "scroll_graph" => Action::ScrollGraph(number(name, argument)?),
        "zoom_graph" => Action::ZoomGraph(number(name, argument)?),
        "zoom_graph_vertically" => Action::ZoomGraphVertically(number(name, argument)?),
        "scroll_graph_vertically" => Action::ScrollGraphVertically(number(name, argument)?),
        "set_report_mode" => Action::SetReportMode(choice(argument)?),
        "set_average" => Action::SetAverage(choice(argument)?),
        "walk_flame" => Action::WalkFlame(match argument {
            "caller" => FlameStep::Caller,
            "callee" => FlameStep::Callee,
            "left" => FlameStep::Left,
            "right" => FlameStep::Right,
            _ => return Err(invalid(name, argument, "caller, callee, left or right")),
        }),
        _ => return Err(Error(VALUE, format!("unknown action \"{name}\""))),
    })
}

/// Splits a text into an action's name and its argument, which may be empty.
fn split(text: &str) -> (&str, &str) {
    let (name, argument) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    (name, argument.trim())
}

fn invalid(name: &str, argument: &str, expected: &str) -> Error {
    let message = format!("invalid argument \"{argument}\" of {name}; expected {expected}");
    Error(VALUE, message)
}

fn number<T: FromStr>(name: &str, argument: &str) -> Result<T, Error> {
    // `parse` also accepts NaN.
    let is_number = argument.parse::<f64>().is_ok_and(|number| !number.is_nan());
    let parsed = argument.parse().ok().filter(|_| is_number);
    parsed.ok_or_else(|| invalid(name, argument, "a number"))
}

/// Parses an argument as a value of the Rust type `T`.
fn choice<T: FromStr<Err: Display>>(argument: &str) -> Result<T, Error> {
    argument.parse().map_err(|error| Error::new(VALUE, error))
}

fn frames(name: &str, argument: &str) -> Result<Frames, Error> {
    Ok(match argument.split_once(' ') {
        None if argument == "live" => Frames::Live,
        None if argument == "longest" => Frames::Longest,
        Some(("back", frames)) => Frames::Back(number(name, frames)?),
        Some(("marked", mark)) => Frames::Marked(mark.into()),
        Some((first, last)) => Frames::Range {
            first: number(name, first)?,
            last: number(name, last.trim())?,
        },
        None => Frames::Number(number(name, argument)?),
    })
}

/// Performs an action that only affects the default view and cannot be bound to a key. Returns `None` for other
/// actions.
fn change_view(text: &str) -> Option<Result<(), Error>> {
    let (name, argument) = split(text);
    match name {
        "set_filter" => iprof::with_view(|view| view.filter = argument.to_owned()),
        "set_recursion" => match choice(argument) {
            Ok(recursion) => iprof::set_recursion(recursion),
            Err(error) => return Some(Err(error)),
        },
        "set_value" => {
            let value = match argument {
                "" => ShownValue::None,
                name => ShownValue::Named(name.into()),
            };
            iprof::with_view(|view| view.value = value);
        }
        "set_threads" => {
            let threads = iprof::threads();
            let found = threads.iter().find(|thread| thread.name == argument);
            let shown = match (argument, found) {
                ("", _) => Threads::All,
                (_, Some(thread)) => Threads::One(thread.id),
                (_, None) => {
                    let message = format!("no thread with zones is named \"{argument}\"");
                    return Some(Err(Error(NOT_FOUND, message)));
                }
            };
            iprof::with_view(|view| view.set_threads(shown));
        }
        _ => return None,
    }
    Some(Ok(()))
}

/// See `iprof.h`.
///
/// # Safety
///
/// `action` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_act(action: *const c_char) -> ErrorCode {
    code_of(|| {
        // SAFETY: the caller guarantees this.
        let text = unsafe { text(action, "action") }?;
        if let Some(result) = change_view(&text) {
            return result;
        }
        let action = parse(&text)?;
        with_controls((), |controls| controls.act(action));
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use iprof::Bindings;
    use std::collections::BTreeSet;

    /// Returns the action names in the header's list: the first word of each item.
    fn names_in_header() -> BTreeSet<&'static str> {
        let header = include_str!("../include/iprof.h");
        let list = header
            .split_once("The actions:\n")
            .expect("the header should list the actions")
            .1;
        let list = list.split_once("*/").expect("the list should end").0;
        let lines = list.lines().filter_map(|line| line.strip_prefix(" *     "));
        let names = lines.flat_map(|line| line.split("  ").next().unwrap_or_default().split(", "));
        names.filter_map(|name| name.split(' ').next()).collect()
    }

    #[test]
    fn header_lists_every_action() {
        let source = include_str!("actions.rs");
        let code = source
            .split_once("mod tests")
            .expect("the source should have tests")
            .0;
        let arms = code
            .lines()
            .filter_map(|line| line.trim().strip_prefix('"')?.split_once("\" => "))
            .map(|(name, _)| name)
            .filter(|name| {
                name.contains('_') || matches!(*name, "select" | "expand" | "collapse" | "mark")
            });
        assert_eq!(arms.collect::<BTreeSet<_>>(), names_in_header());
    }

    #[test]
    fn every_default_key_can_be_bound_by_name() {
        let arguments = [
            "", "-50", "-10", "-1", "-0.25", "0.25", "0.5", "1", "2", "2.0", "10", "50", "live",
            "longest", "newest", "fast", "slow", "caller", "callee", "left", "right",
        ];
        let names = names_in_header();
        let texts = names
            .iter()
            .flat_map(|name| arguments.map(|argument| format!("{name} {argument}")));
        let all: Vec<Action> = texts.filter_map(|text| parse(&text).ok()).collect();
        for (chord, action) in Bindings::default().iter() {
            assert!(all.contains(action), "{chord}: {action:?}");
        }
    }

    #[test]
    fn arguments_are_checked() {
        for text in [
            "select 1",
            "move_cursor up",
            "zoom_graph nan",
            "move_cursor",
            "set_cursor -1",
            "set_frames 1 two",
            "set_average 1",
            "walk_flame up",
            "explode",
            "",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let range = Frames::Range { first: 3, last: 9 };
        assert_eq!(
            parse(" set_frames  3 9 ").ok(),
            Some(Action::SetFrames(range))
        );
        assert_eq!(
            parse("select_zone a b").ok(),
            Some(Action::SelectZone("a b".into()))
        );
    }
}
