//! The text of the help: keys as they are bound, the pointer, modes, columns, colors. Plain data, which the
//! overlay lays out.

use crate::action::Action;
use crate::bindings::Bindings;
use crate::frame_selection::FrameSelection;
use crate::report::ColumnId;
use std::borrow::Cow;
use std::fmt::Write as _;

/// A part of the help with a title.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HelpSection {
    pub(crate) title: &'static str,
    pub(crate) lines: Vec<HelpLine>,
}

/// A term and what it means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HelpLine {
    pub(crate) term: String,
    pub(crate) meaning: Cow<'static, str>,
}

/// What the pointer does.
const POINTER: &[(&str, &str)] = &[
    ("hover", "details of a row, a bar, the head of a column"),
    ("click a row", "put the cursor there; again: open its zone"),
    ("right click", "expand, collapse the row"),
    (
        "click a head",
        "sort by that column; again: reverse; again: as before",
    ),
    (
        "click the title",
        "next mode, threads, average; live or paused",
    ),
    (
        "click a bar",
        "show that frame; drag: a range; right click: live",
    ),
    ("wheel", "move the cursor; graph: scroll, with Shift zoom"),
    (
        "wheel on the axis",
        "graph: zoom vertically, with Shift scroll",
    ),
];

/// How to find what is slow: what to do, or the key for it, and what that shows.
fn first_steps(bindings: &Bindings) -> Vec<HelpLine> {
    let line = |term: &str, meaning| HelpLine {
        term: term.to_owned(),
        meaning: Cow::Borrowed(meaning),
    };
    let by_key = |action: &Action, meaning| {
        let key = bindings.key_of(action)?;
        Some(line(&key, meaning))
    };
    let longest = Action::SetFrames(FrameSelection::Longest);
    let steps = [
        Some(line(
            "top rows",
            "where the time goes: the zones that cost most",
        )),
        Some(line(
            "hover a row",
            "time per call, share of the frame, source file",
        )),
        by_key(
            &Action::Select,
            "which callers that time is spent for, and on what",
        ),
        by_key(
            &longest,
            "the longest frame; its bar is labeled in the graph",
        ),
        by_key(&Action::NextBaseline, "what that frame has more than usual"),
    ];
    steps.into_iter().flatten().collect()
}

/// What the rows are.
const MODES: &[(&str, &str)] = &[
    ("self time", "zones by the time in the zone itself"),
    (
        "hierarchical",
        "zones by self time and that of all they call; also called inclusive",
    ),
    (
        "call graph",
        "one zone: above it what called it, below it what it calls",
    ),
    ("descendants", "one zone, and all that was called from it"),
    ("call tree", "from the whole frame down, call by call"),
];

/// What colors and signs mean.
const SIGNS: &[(&str, &str)] = &[
    (
        "bar at the left, glow",
        "heat: the time varies from frame to frame",
    ),
    ("brighter row", "the cursor"),
    ("+ -", "the row can be expanded; it is expanded"),
    ("~", "a sampled time"),
    ("zone (3)", "a recursive zone, three calls deep"),
    (
        "graph",
        "a bar is a frame, a color a zone; gray is time outside zones",
    ),
    ("marked top of a bar", "cut: the frame took longer"),
];

/// The text for some bindings.
#[derive(Debug, Default)]
pub(crate) struct HelpText {
    bindings: Option<Bindings>,
    pub(crate) sections: Vec<HelpSection>,
    /// The key that turns pages; empty if none is bound.
    key: String,
    hint: String,
    footer: String,
}

impl HelpText {
    /// Makes the text that of these bindings. Builds nothing if it is already.
    pub(crate) fn update(&mut self, bindings: &Bindings) {
        if self.bindings.as_ref() == Some(bindings) {
            return;
        }
        self.bindings = Some(bindings.clone());
        self.sections = sections(bindings);
        self.key = bindings.key_of(&Action::NextHelpPage).unwrap_or_default();
        self.hint = match &*self.key {
            "" => String::new(),
            key => format!("{key} help"),
        };
    }

    /// The hint that there is help: `F1 help`. Empty if no key is bound.
    pub(crate) fn hint(&self) -> &str {
        &self.hint
    }

    /// How the help is turned and closed.
    pub(crate) fn footer(&mut self, page: usize, pages: usize) -> &str {
        let turns = if page < pages { "next page" } else { "close" };
        self.footer.clear();
        // Writing to a string cannot fail.
        let _ = match &*self.key {
            "" => write!(self.footer, "{page}/{pages}  click: {turns}"),
            key if page < pages => write!(
                self.footer,
                "{page}/{pages}  {key} or click: next page, Esc: close"
            ),
            key => write!(self.footer, "{page}/{pages}  {key}, click or Esc: close"),
        };
        &self.footer
    }
}

/// All sections: first what a newcomer needs.
fn sections(bindings: &Bindings) -> Vec<HelpSection> {
    let line = |(term, meaning): &(&str, &'static str)| HelpLine {
        term: (*term).to_owned(),
        meaning: Cow::Borrowed(meaning),
    };
    let section = |title, lines: &[(&str, &'static str)]| HelpSection {
        title,
        lines: lines.iter().map(line).collect(),
    };
    let keys = bindings.lines().into_iter();
    let own = bindings.own_keys().iter();
    let columns = ColumnId::ALL.iter().map(|column| HelpLine {
        term: column.title().to_owned(),
        meaning: column.description().into(),
    });
    vec![
        HelpSection {
            title: "to find what is slow",
            lines: first_steps(bindings),
        },
        HelpSection {
            title: "keys",
            lines: keys
                .map(|(term, meaning)| HelpLine {
                    term,
                    meaning: meaning.into(),
                })
                .collect(),
        },
        HelpSection {
            title: "this program",
            lines: own
                .map(|(keys, meaning)| HelpLine {
                    term: keys.clone(),
                    meaning: meaning.clone().into(),
                })
                .collect(),
        },
        section("pointer", POINTER),
        section("modes", MODES),
        HelpSection {
            title: "columns",
            lines: columns.collect(),
        },
        section("colors and signs", SIGNS),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_has_every_bound_key_and_every_column() {
        let mut bindings = Bindings::default();
        bindings.bind("F9", Action::Mark);
        bindings.describe_own_key("I", "a slow frame");
        let sections = sections(&bindings);
        let keys = &sections[1].lines;
        for (chord, action) in bindings.iter() {
            let line = keys.iter().find(|line| {
                let is_shifted = chord.to_string().starts_with("Shift+");
                line.meaning == action.description()
                    && line.term.starts_with("Shift+") == is_shifted
            });
            let line = line.unwrap_or_else(|| panic!("{chord}: {action:?}"));
            let key = chord.to_string();
            let key = key.strip_prefix("Shift+").unwrap_or(&key);
            let key = match key {
                "," => "comma",
                "." => "period",
                key => key,
            };
            let term = line.term.strip_prefix("Shift+ ").unwrap_or(&line.term);
            assert!(term.split(", ").any(|it| it == key), "{key}: {line:?}");
        }
        assert_eq!(sections[2].lines[0].meaning, "a slow frame");
        let text = format!("{sections:?}");
        for column in ColumnId::ALL {
            assert!(text.contains(column.title()), "{column:?}");
        }
    }

    #[test]
    fn the_first_steps_name_the_keys_that_are_bound() {
        let mut bindings = Bindings::default();
        let terms = |bindings: &Bindings| -> Vec<String> {
            let steps = first_steps(bindings);
            steps.into_iter().map(|step| step.term).collect()
        };
        let all = ["top rows", "hover a row", "Enter", "X", "B"];
        assert_eq!(terms(&bindings), all);
        bindings.unbind("X");
        bindings.unbind("B");
        bindings.bind("F7", Action::NextBaseline);
        assert_eq!(terms(&bindings), ["top rows", "hover a row", "Enter", "F7"]);
    }

    #[test]
    fn the_hint_and_the_footer_name_the_key_that_is_bound() {
        let (mut bindings, mut text) = (Bindings::default(), HelpText::default());
        text.update(&bindings);
        assert_eq!(text.hint(), "F1 help");
        assert_eq!(text.footer(1, 3), "1/3  F1 or click: next page, Esc: close");
        assert_eq!(text.footer(3, 3), "3/3  F1, click or Esc: close");
        bindings.unbind("F1");
        text.update(&bindings);
        assert_eq!(text.hint(), "");
        assert_eq!(text.footer(1, 1), "1/1  click: close");
        bindings.bind("F12", Action::NextHelpPage);
        text.update(&bindings);
        assert_eq!(text.hint(), "F12 help");
    }
}
