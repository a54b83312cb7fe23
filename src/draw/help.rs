//! The help text as plain data: key bindings, pointer, modes, columns and colors.

use crate::input::bindings::Bindings;
use iprof_process::Frames;
use iprof_report::Action;
use iprof_report::ColumnId;
use std::borrow::Cow;
use std::fmt::Write as _;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HelpSection {
    pub(crate) title: &'static str,
    pub(crate) lines: Vec<HelpLine>,
    /// Whether the section is highlighted, so that it is read first.
    pub(crate) is_highlighted: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HelpLine {
    pub(crate) term: String,
    pub(crate) meaning: Cow<'static, str>,
}

const POINTER: &[(&str, &str)] = &[
    ("hover", "details of a row, bar or column header"),
    ("click a row", "move cursor there; again: open its zone"),
    ("right click", "expand, collapse the row"),
    (
        "click a column header",
        "sort by it; again: reverse; again: default order",
    ),
    (
        "click the title",
        "next mode, threads, average; live or paused",
    ),
    (
        "click a bar",
        "show that frame; drag: a range; right click: live",
    ),
    (
        "click a box",
        "flame: select its zone; double: zoom; right: back",
    ),
    (
        "wheel",
        "move the cursor; graph: scroll; its axis: zoom; Shift swaps both",
    ),
];

/// Returns the steps for finding slow code. Each step consists of an action or key and a description of what it shows.
fn first_steps(bindings: &Bindings) -> Vec<HelpLine> {
    let line = |term: &str, meaning| HelpLine {
        term: term.to_owned(),
        meaning: Cow::Borrowed(meaning),
    };
    let by_key = |action: &Action, meaning| {
        let key = bindings.key_of(action)?;
        Some(line(&key, meaning))
    };
    let longest = Action::SetFrames(Frames::Longest);
    let steps = [
        Some(line(
            "top rows",
            "where the time goes: the most expensive zones",
        )),
        Some(line(
            "hover a row",
            "time per call, share of the frame, source file",
        )),
        by_key(
            &Action::Select,
            "its callers and callees, with the time of each",
        ),
        by_key(&longest, "the longest frame after the first second"),
        by_key(
            &Action::NextBaseline,
            "what took longer in that frame than usual",
        ),
    ];
    steps.into_iter().flatten().collect()
}

const MODES: &[(&str, &str)] = &[
    ("self time", "zones by the time in the zone itself"),
    (
        "hierarchical",
        "zones by time including everything they call (inclusive time)",
    ),
    (
        "call graph",
        "one zone: its callers above it, its callees below",
    ),
    ("descendants", "one zone and everything it calls"),
    ("call tree", "from the whole frame down, call by call"),
];

const SIGNS: &[(&str, &str)] = &[
    (
        "bar at the left, glow",
        "heat: the time varies between frames; in a comparison: slower",
    ),
    ("bar from the top", "in a comparison: faster"),
    ("brighter row", "the cursor"),
    ("+ -", "can be expanded; is expanded"),
    ("~", "a sampled time"),
    ("zone (3)", "a recursive zone, three calls deep"),
    (
        "graph",
        "each bar is a frame, each color a zone; gray is time outside zones",
    ),
    ("marked top of a bar", "bar cut off: the frame took longer"),
    ("16 older frames kept", "the longest ones, kept longer"),
    (
        "(idle)",
        "waiting: idle zones, and other threads' time outside zones",
    ),
    ("red row", "over its budget"),
    ("dimmed row", "waiting, or iprof's own time"),
    ("(order held)", "rows keep their places while hovered"),
];

/// The key sections, grouped by what the keys act on.
const KEYS: [(KeyGroup, &str); 4] = [
    (KeyGroup::Rows, "keys: report"),
    (KeyGroup::Frames, "keys: frames, comparison"),
    (KeyGroup::Graph, "keys: graph, flame graph"),
    (KeyGroup::Settings, "keys: settings"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyGroup {
    Rows,
    Frames,
    Graph,
    Settings,
}

impl KeyGroup {
    fn of(action: &Action) -> KeyGroup {
        match action {
            Action::MoveFrame(_)
            | Action::SetFrames(_)
            | Action::CompareSlowFrames
            | Action::MoveBand(_)
            | Action::MoveBucket(_)
            | Action::ExtendRange(_)
            | Action::PreviousSpike
            | Action::NextSpike
            | Action::PreviousZoneSpike
            | Action::NextZoneSpike
            | Action::PreviousMark
            | Action::NextMark
            | Action::Mark
            | Action::TogglePause
            | Action::NextAverage
            | Action::SetAverage(_)
            | Action::NextBaseline
            | Action::SetBaselineToShownFrame => KeyGroup::Frames,
            Action::ScrollGraph(_)
            | Action::ZoomGraph(_)
            | Action::ZoomGraphVertically(_)
            | Action::ScrollGraphVertically(_)
            | Action::NextGraphStyle
            | Action::ToggleFlame
            | Action::WalkFlame(_)
            | Action::ClickFlame(_)
            | Action::ZoomFlame
            | Action::UnzoomFlame => KeyGroup::Graph,
            Action::ToggleHidden
            | Action::NextTheme
            | Action::NextTiming
            | Action::NextHistoryMemory
            | Action::NextLongestFrames
            | Action::ToggleNetTimes
            | Action::NextColumns
            | Action::NextValue
            | Action::LessPrecision
            | Action::MorePrecision => KeyGroup::Settings,
            _ => KeyGroup::Rows,
        }
    }
}

/// The help text for the current bindings.
#[derive(Debug, Default)]
pub(crate) struct HelpText {
    bindings: Option<Bindings>,
    pub(crate) sections: Vec<HelpSection>,
    /// The key that turns pages; empty if none is bound.
    key: String,
    hint: String,
    footer: String,
    /// The number of times the text has been built.
    version: u64,
}

impl HelpText {
    /// Rebuilds the text if the bindings have changed.
    pub(crate) fn update(&mut self, bindings: &Bindings) {
        if self.bindings.as_ref() == Some(bindings) {
            return;
        }
        self.bindings = Some(bindings.clone());
        self.version += 1;
        self.sections = sections(bindings);
        self.key = bindings.key_of(&Action::NextHelpPage).unwrap_or_default();
        self.hint = match &*self.key {
            "" => String::new(),
            key => format!("{key} help"),
        };
    }

    /// Returns a number that changes whenever the text does.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Returns the hint for opening the help: `F1 help`. It is empty if no key is bound.
    pub(crate) fn hint(&self) -> &str {
        &self.hint
    }

    /// Returns the footer, which explains how to turn pages and close the help. `short` selects a shorter version.
    pub(crate) fn footer(&mut self, page: usize, pages: usize, short: bool) -> &str {
        let turns = if page < pages { "next page" } else { "close" };
        self.footer.clear();
        // Writing to a string cannot fail.
        let _ = match &*self.key {
            "" => write!(self.footer, "{page}/{pages}  click: {turns}"),
            key if short && page < pages => write!(self.footer, "{page}/{pages} {key}: next"),
            key if short => write!(self.footer, "{page}/{pages} {key}: close"),
            key if page < pages => write!(
                self.footer,
                "{page}/{pages}  {key} or click: next page, Esc: close"
            ),
            key => write!(self.footer, "{page}/{pages}  {key}, click or Esc: close"),
        };
        &self.footer
    }
}

/// Returns all sections, starting with the one for newcomers.
fn sections(bindings: &Bindings) -> Vec<HelpSection> {
    let line = |(term, meaning): &(&str, &'static str)| HelpLine {
        term: (*term).to_owned(),
        meaning: Cow::Borrowed(meaning),
    };
    let section = |title, lines: Vec<HelpLine>| HelpSection {
        title,
        lines,
        is_highlighted: false,
    };
    let table =
        |title, lines: &[(&str, &'static str)]| section(title, lines.iter().map(line).collect());
    let keys = KEYS.iter().map(|(group, title)| {
        let lines = bindings.lines_where(|action| KeyGroup::of(action) == *group);
        let line = |(term, meaning): (String, &'static str)| HelpLine {
            term,
            meaning: meaning.into(),
        };
        section(title, lines.into_iter().map(line).collect())
    });
    let own = bindings.own_keys().iter();
    let own = own.map(|(keys, meaning)| HelpLine {
        term: keys.clone(),
        meaning: meaning.clone().into(),
    });
    let columns = listed_columns().map(|column| HelpLine {
        term: column_term(*column).to_owned(),
        meaning: column_meaning(*column).into(),
    });
    let mut sections = vec![HelpSection {
        title: "finding what is slow",
        lines: first_steps(bindings),
        is_highlighted: true,
    }];
    sections.extend(keys);
    sections.push(section("this program", own.collect()));
    sections.push(table("pointer", POINTER));
    sections.push(table("modes", MODES));
    sections.push(section("columns", columns.collect()));
    sections.push(table("colors and symbols", SIGNS));
    sections
}

/// Returns the columns listed in the help. Columns that share a line are represented by the first of them. Named-value
/// columns are omitted, since their headers are the values' names.
fn listed_columns() -> impl Iterator<Item = &'static ColumnId> {
    let left_out = [
        ColumnId::NamedValue,
        ColumnId::TimePerUnit,
        ColumnId::BaselineValue,
        ColumnId::ByCost,
    ];
    let [times, values] = [&ColumnId::TIMES_PER_FRAME[1..], ColumnId::VALUES_PER_FRAME];
    let left_out = [&left_out, times, values].concat();
    ColumnId::ALL
        .iter()
        .filter(move |column| !left_out.contains(column))
}

/// Returns a column's header without the unit, which depends on the column's values.
fn column_term(column: ColumnId) -> &'static str {
    match column {
        ColumnId::GpuTime => "gpu self, gpu hier",
        ColumnId::ByCount => "by count, by cost",
        ColumnId::P50 => "p50 ... sd",
        column => column.header().trim_end_matches(" ms"),
    }
}

fn column_meaning(column: ColumnId) -> &'static str {
    match column {
        ColumnId::GpuTime => "GPU time, self or hierarchical",
        ColumnId::ByCount => "difference due to calls, cost",
        ColumnId::P50 => "times per frame: percentiles, sd",
        ColumnId::Rescued => "frames rescued by halving its time",
        column => column.description(),
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn help_lists_every_bound_key_and_column() {
        let mut bindings = Bindings::default();
        bindings.bind("F9", Action::Mark);
        bindings.describe_own_key("I", "a slow frame");
        let sections = sections(&bindings);
        let is_keys = |section: &&HelpSection| section.title.starts_with("keys");
        let keys: Vec<&HelpLine> = sections
            .iter()
            .filter(is_keys)
            .flat_map(|section| &section.lines)
            .collect();
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
        let of = |title| {
            let mut found = sections
                .iter()
                .filter(move |section| section.title == title);
            &found
                .next()
                .expect("the help should contain the section")
                .lines
        };
        assert_eq!(of("this program")[0].meaning, "a slow frame");
        let mut frames = of("keys: frames, comparison").iter();
        assert!(frames.any(|line| line.term == "Shift+ X"));
        for (line, column) in of("columns").iter().zip(listed_columns()) {
            let begins = line.term.split(' ').next().unwrap();
            assert!(column.header().starts_with(begins), "{column:?}");
            assert!(
                !line.term.ends_with("ms"),
                "terms should not include a unit"
            );
            assert_eq!(line.meaning, column_meaning(*column));
        }
        assert_eq!(of("columns")[3].term, "gpu self, gpu hier");
        for sign in ["(idle)", "dimmed row", "(order held)"] {
            let mut signs = of("colors and symbols").iter();
            assert!(signs.any(|line| line.term == sign), "{sign}");
        }
        assert!(sections[0].is_highlighted && !sections[1].is_highlighted);
    }

    #[test]
    fn first_steps_name_bound_keys() {
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
    fn hint_and_footer_name_the_bound_key() {
        let (mut bindings, mut text) = (Bindings::default(), HelpText::default());
        text.update(&bindings);
        assert_eq!(text.hint(), "F1 help");
        let footers = [(1, false), (3, false), (1, true), (3, true)]
            .map(|(page, short)| text.footer(page, 3, short).to_owned());
        let wanted = [
            "1/3  F1 or click: next page, Esc: close",
            "3/3  F1, click or Esc: close",
            "1/3 F1: next",
            "3/3 F1: close",
        ];
        assert_eq!(footers, wanted);
        bindings.unbind("F1");
        text.update(&bindings);
        assert_eq!(text.hint(), "");
        assert_eq!(text.footer(1, 1, false), "1/1  click: close");
        bindings.bind("F12", Action::NextHelpPage);
        text.update(&bindings);
        assert_eq!(text.hint(), "F12 help");
    }
}
