//! The key bindings. This is the only table of default keys; input, help and documentation are generated from it or
//! checked against it.

mod chord;
mod key_name;

pub use chord::Chord;
pub use chord::Modifiers;
pub(crate) use key_name::KeyName;

use iprof_process::Frames;
use iprof_report::Action;
use iprof_report::Average;
use iprof_report::FlameStep;

/// Key bindings. The default keys are:
///
/// | keys | action |
/// |---|---|
/// | F1 | this help: next page, close |
/// | Up, Down, PgUp, PgDn | move the cursor |
/// | Enter | open the zone: callers, callees |
/// | Backspace | go to the most expensive caller |
/// | Tab | next mode: self, hier, graph, descendants, tree |
/// | +, =, - | expand, collapse the row |
/// | comma, period | previous, next visited zone |
/// | Left, Right | previous, next frame |
/// | Home | back to the live view |
/// | Space | pause or continue |
/// | P | hide or show the overlay |
/// | X | the longest frame |
/// | Shift+ X | slow frames vs. the rest |
/// | S, D | previous, next spike |
/// | Shift+ S, D | previous, next spike of the row's zone |
/// | Shift+ Left, Right, PgUp, PgDn | extend the range of frames |
/// | Shift+ Up, Down, R, T | session: by length, by time |
/// | K | mark the frame |
/// | J, L | previous, next mark |
/// | B | compare: average, median, off |
/// | Shift+ B | compare with the shown frame |
/// | O | sort by the next column |
/// | Shift+ O | next set of columns |
/// | Q | reverse the order |
/// | H | fold small rows |
/// | Shift+ H | idle zones in one row, or ranked |
/// | U | group zones by name prefix |
/// | / | filter by name; Esc clears it |
/// | 1, 2, 3 | average: none, 0.8 s, 2.5 s |
/// | R | flatten or spread recursion |
/// | T | show threads: all, a group, one |
/// | N | net times: self times minus recording cost |
/// | Shift+ N | next named value |
/// | M | timing: exact, auto, sampled, off |
/// | C, V | graph: zoom out (to session), in |
/// | A, E | graph: scroll back, forward |
/// | Shift+ C, V | graph: zoom out, in vertically |
/// | Shift+ A, E | graph: scroll down, up |
/// | G | graph: bars or lines |
/// | Shift+ G | flame graph or frame bars |
/// | Shift+ I, K | flame: caller, callee |
/// | Shift+ J, L | flame: left, right |
/// | Shift+ Enter | flame: zoom in; Esc zooms out |
/// | Z | colors: dark, light, color-blind, custom |
/// | F | history memory limit |
/// | Y | number of longest frames kept |
/// | \[, \] | fewer, more decimal places |
///
/// ```
/// use iprof::{Action, Bindings, Chord, Modifiers};
///
/// let mut bindings = Bindings::default();
/// bindings.unbind("p");
/// bindings.bind("F9", Action::ToggleHidden);
/// bindings.bind(Chord::from("KeyF").with(Modifiers::CONTROL), Action::EditFilter);
/// assert_eq!(bindings.find("F9", None, Modifiers::NONE), Some(Action::ToggleHidden));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bindings {
    all: Vec<(Chord, Action)>,
    /// The host program's own keys and descriptions, shown in the help.
    own: Vec<(String, String)>,
}

impl Default for Bindings {
    fn default() -> Bindings {
        const PLAIN: Modifiers = Modifiers::NONE;
        const SHIFT: Modifiers = Modifiers::SHIFT;
        let table = [
            ("F1", PLAIN, Action::NextHelpPage),
            ("ArrowUp", PLAIN, Action::MoveCursor(-1)),
            ("ArrowDown", PLAIN, Action::MoveCursor(1)),
            ("PageUp", PLAIN, Action::MoveCursor(-10)),
            ("PageDown", PLAIN, Action::MoveCursor(10)),
            ("Enter", PLAIN, Action::Select),
            ("Backspace", PLAIN, Action::SelectParent),
            ("Tab", PLAIN, Action::NextReportMode),
            ("+", PLAIN, Action::Expand),
            // For layouts where `+` needs the shift key.
            ("=", PLAIN, Action::Expand),
            ("-", PLAIN, Action::Collapse),
            (",", PLAIN, Action::GoBack),
            (".", PLAIN, Action::GoForward),
            ("ArrowLeft", PLAIN, Action::MoveFrame(-1)),
            ("ArrowRight", PLAIN, Action::MoveFrame(1)),
            ("Home", PLAIN, Action::SetFrames(Frames::Live)),
            ("Space", PLAIN, Action::TogglePause),
            ("p", PLAIN, Action::ToggleHidden),
            ("x", PLAIN, Action::SetFrames(Frames::Longest)),
            ("x", SHIFT, Action::CompareSlowFrames),
            ("s", PLAIN, Action::PreviousSpike),
            ("d", PLAIN, Action::NextSpike),
            ("s", SHIFT, Action::PreviousZoneSpike),
            ("d", SHIFT, Action::NextZoneSpike),
            ("ArrowLeft", SHIFT, Action::ExtendRange(-1)),
            ("ArrowRight", SHIFT, Action::ExtendRange(1)),
            ("PageUp", SHIFT, Action::ExtendRange(-10)),
            ("PageDown", SHIFT, Action::ExtendRange(10)),
            ("ArrowUp", SHIFT, Action::MoveBand(1)),
            ("ArrowDown", SHIFT, Action::MoveBand(-1)),
            ("r", SHIFT, Action::MoveBucket(-1)),
            ("t", SHIFT, Action::MoveBucket(1)),
            ("k", PLAIN, Action::Mark),
            ("j", PLAIN, Action::PreviousMark),
            ("l", PLAIN, Action::NextMark),
            ("b", PLAIN, Action::NextBaseline),
            ("b", SHIFT, Action::SetBaselineToShownFrame),
            ("o", PLAIN, Action::NextSort),
            ("o", SHIFT, Action::NextColumns),
            ("q", PLAIN, Action::ReverseSort),
            ("h", PLAIN, Action::NextMinShare),
            ("h", SHIFT, Action::ToggleIdle),
            ("u", PLAIN, Action::ToggleGrouping),
            ("/", PLAIN, Action::EditFilter),
            ("1", PLAIN, Action::SetAverage(Average::Newest)),
            ("2", PLAIN, Action::SetAverage(Average::Fast)),
            ("3", PLAIN, Action::SetAverage(Average::Slow)),
            ("r", PLAIN, Action::NextRecursion),
            ("t", PLAIN, Action::NextThreads),
            ("n", PLAIN, Action::ToggleNetTimes),
            ("n", SHIFT, Action::NextValue),
            ("m", PLAIN, Action::NextTiming),
            ("c", PLAIN, Action::ZoomGraph(0.5)),
            ("v", PLAIN, Action::ZoomGraph(2.0)),
            ("a", PLAIN, Action::ScrollGraph(-50)),
            ("e", PLAIN, Action::ScrollGraph(50)),
            ("c", SHIFT, Action::ZoomGraphVertically(0.5)),
            ("v", SHIFT, Action::ZoomGraphVertically(2.0)),
            ("a", SHIFT, Action::ScrollGraphVertically(-0.25)),
            ("e", SHIFT, Action::ScrollGraphVertically(0.25)),
            ("g", PLAIN, Action::NextGraphStyle),
            ("g", SHIFT, Action::ToggleFlame),
            ("i", SHIFT, Action::WalkFlame(FlameStep::Caller)),
            ("k", SHIFT, Action::WalkFlame(FlameStep::Callee)),
            ("j", SHIFT, Action::WalkFlame(FlameStep::Left)),
            ("l", SHIFT, Action::WalkFlame(FlameStep::Right)),
            ("Enter", SHIFT, Action::ZoomFlame),
            ("z", PLAIN, Action::NextTheme),
            ("f", PLAIN, Action::NextHistoryMemory),
            ("y", PLAIN, Action::NextLongestFrames),
            ("[", PLAIN, Action::LessPrecision),
            ("]", PLAIN, Action::MorePrecision),
        ];
        let all = table.map(|(key, modifiers, action)| (Chord::from(key).with(modifiers), action));
        Bindings {
            all: all.into(),
            own: Vec::new(),
        }
    }
}

impl Bindings {
    /// Returns an empty set of bindings.
    #[must_use]
    pub fn none() -> Bindings {
        Bindings {
            all: Vec::new(),
            own: Vec::new(),
        }
    }

    /// Binds the key to the action, replacing its previous binding.
    pub fn bind(&mut self, chord: impl Into<Chord>, action: Action) {
        let chord = chord.into();
        self.unbind(chord.clone());
        self.all.push((chord, action));
    }

    /// Removes the key's binding.
    pub fn unbind(&mut self, chord: impl Into<Chord>) {
        let chord = chord.into();
        self.all.retain(|(bound, _)| *bound != chord);
    }

    /// Adds a help line for a key that the program itself uses. Does not bind the key.
    ///
    /// ```
    /// let mut bindings = iprof::Bindings::default();
    /// bindings.describe_own_key("F5", "reload the level");
    /// ```
    pub fn describe_own_key(&mut self, keys: &str, meaning: &str) {
        self.own.push((keys.to_owned(), meaning.to_owned()));
    }

    pub(crate) fn own_keys(&self) -> &[(String, String)] {
        &self.own
    }

    /// Returns an iterator over all bindings, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (&Chord, &Action)> {
        self.all.iter().map(|(chord, action)| (chord, action))
    }

    /// Returns the action bound to a pressed key, given the key's [name](Chord), or `None` if there is none.
    ///
    /// If you also know the key's position, as on a web page, pass the position's name (such as `KeyS`) as `code`.
    /// Bindings by position take precedence. If you know only the position, pass it as `key`. That name then also
    /// matches the character at that position in the US layout.
    #[must_use]
    pub fn find(&self, key: &str, code: Option<&str>, modifiers: Modifiers) -> Option<Action> {
        self.find_key(
            &KeyName::parse(key),
            code.map(KeyName::parse).as_ref(),
            modifiers,
        )
    }

    pub(crate) fn find_key(
        &self,
        key: &KeyName,
        code: Option<&KeyName>,
        modifiers: Modifiers,
    ) -> Option<Action> {
        let bound = |key: &KeyName, modifiers: Modifiers| {
            let mut all = self.all.iter();
            let chord = all.find(|(chord, _)| chord.modifiers == modifiers && chord.key == *key);
            chord.map(|(_, action)| action.clone())
        };
        let in_us_layout = match code {
            Some(_) => None,
            None => key.in_us_layout(),
        };
        let written = in_us_layout.as_ref().unwrap_or(key);
        let unshifted = match written {
            KeyName::Character(_) => modifiers.without_shift(),
            _ => modifiers,
        };
        bound(code.unwrap_or(key), modifiers)
            .or_else(|| bound(written, modifiers))
            .or_else(|| bound(written, unshifted))
    }

    /// Returns the first key bound to the action, formatted as in menus, or `None` if no key is bound.
    ///
    /// ```
    /// use iprof::{Action, Bindings};
    ///
    /// let bindings = Bindings::default();
    /// assert_eq!(bindings.key_of(&Action::NextHelpPage).as_deref(), Some("F1"));
    /// ```
    #[must_use]
    pub fn key_of(&self, action: &Action) -> Option<String> {
        let mut all = self.all.iter();
        let bound = all.find(|(_, bound)| bound == action);
        bound.map(|(chord, _)| chord.to_string())
    }

    /// Returns the bindings in readable form: keys and descriptions, in binding order. Keys whose actions have the same
    /// [description](Action::description) share a line. Use this to draw your own help page.
    ///
    /// ```
    /// for (keys, action) in iprof::Bindings::default().lines() {
    ///     println!("{keys:26} {action}");
    /// }
    /// ```
    #[must_use]
    pub fn lines(&self) -> Vec<(String, &'static str)> {
        self.lines_where(|_| true)
    }

    /// Returns the lines for the actions that match a predicate.
    pub(crate) fn lines_where(
        &self,
        is_wanted: impl Fn(&Action) -> bool,
    ) -> Vec<(String, &'static str)> {
        // Each line: modifiers, keys, meaning.
        let mut lines: Vec<(String, String, &'static str)> = Vec::new();
        for (chord, action) in self.all.iter().filter(|(_, action)| is_wanted(action)) {
            let (modifiers, meaning) = (chord.modifier_names(), action.description());
            let key = match &*chord.key_name() {
                // These keys are spelled out, since the characters would be hard to see next to other punctuation.
                "," => "comma".to_owned(),
                "." => "period".to_owned(),
                name => name.to_owned(),
            };
            let is_alike = |line: &&mut (String, String, &'static str)| {
                line.0 == modifiers && line.2 == meaning
            };
            match lines.iter_mut().find(is_alike) {
                Some((_, keys, _)) => {
                    keys.push_str(", ");
                    keys.push_str(&key);
                }
                None => lines.push((modifiers, key, meaning)),
            }
        }
        let join = |(modifiers, keys, meaning): (String, String, _)| match &*modifiers {
            "" => (keys, meaning),
            _ => (format!("{modifiers} {keys}"), meaning),
        };
        lines.into_iter().map(join).collect()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const PLAIN: Modifiers = Modifiers::NONE;
    const SHIFT: Modifiers = Modifiers::SHIFT;

    fn find(bindings: &Bindings, key: &str, modifiers: Modifiers) -> Option<Action> {
        bindings.find(key, None, modifiers)
    }

    #[test]
    fn documented_keys_match_the_bindings() {
        let text = include_str!("bindings.rs");
        let table = text.split_once("/// | keys | action |\n/// |---|---|\n");
        let rows = table.expect("this file should contain the table").1.lines();
        let rows = rows.map_while(|row| row.strip_prefix("/// | "));
        let documented: Vec<(String, &str)> = rows
            .filter_map(|row| row.strip_suffix(" |")?.split_once(" | "))
            .map(|(keys, action)| (keys.replace('\\', ""), action))
            .collect();
        assert_eq!(documented, Bindings::default().lines());
    }

    #[test]
    fn default_keys_have_the_documented_actions() {
        let bindings = Bindings::default();
        let plain = |key| find(&bindings, key, PLAIN);
        assert_eq!(plain("s"), Some(Action::PreviousSpike));
        assert_eq!(plain("+"), Some(Action::Expand));
        assert_eq!(plain("ArrowLeft"), Some(Action::MoveFrame(-1)));
        assert_eq!(plain("w"), None);
        assert_eq!(plain("Escape"), None);
        let shifted = |key| find(&bindings, key, SHIFT);
        assert_eq!(shifted("S"), Some(Action::PreviousZoneSpike));
        assert_eq!(shifted("N"), Some(Action::NextValue));
        assert_eq!(shifted("Y"), Some(Action::NextLongestFrames));
        assert_eq!(shifted("+"), Some(Action::Expand));
        assert_eq!(plain("h"), Some(Action::NextMinShare));
        assert_eq!(shifted("H"), Some(Action::ToggleIdle));
        assert_eq!(plain("b"), Some(Action::NextBaseline));
        assert_eq!(shifted("B"), Some(Action::SetBaselineToShownFrame));
        assert_eq!(shifted("ArrowLeft"), Some(Action::ExtendRange(-1)));
        assert_eq!(shifted("Home"), None);
        let with_control = find(&bindings, "s", Modifiers::CONTROL);
        assert_eq!(with_control, None, "Ctrl+S should be left to the program");
    }

    #[test]
    fn opposite_keys_have_opposite_actions() {
        let bindings = Bindings::default();
        use Action::*;
        for (back, forth, modifiers, wanted) in [
            (
                "ArrowUp",
                "ArrowDown",
                PLAIN,
                [MoveCursor(-1), MoveCursor(1)],
            ),
            (
                "PageUp",
                "PageDown",
                PLAIN,
                [MoveCursor(-10), MoveCursor(10)],
            ),
            (
                "ArrowLeft",
                "ArrowRight",
                PLAIN,
                [MoveFrame(-1), MoveFrame(1)],
            ),
            (
                "ArrowLeft",
                "ArrowRight",
                SHIFT,
                [ExtendRange(-1), ExtendRange(1)],
            ),
            (
                "PageUp",
                "PageDown",
                SHIFT,
                [ExtendRange(-10), ExtendRange(10)],
            ),
            ("Backspace", "Enter", PLAIN, [SelectParent, Select]),
            ("-", "+", PLAIN, [Collapse, Expand]),
            ("-", "=", PLAIN, [Collapse, Expand]),
            (",", ".", PLAIN, [GoBack, GoForward]),
            ("s", "d", PLAIN, [PreviousSpike, NextSpike]),
            ("j", "l", PLAIN, [PreviousMark, NextMark]),
            ("c", "v", PLAIN, [ZoomGraph(0.5), ZoomGraph(2.0)]),
            ("a", "e", PLAIN, [ScrollGraph(-50), ScrollGraph(50)]),
            ("[", "]", PLAIN, [LessPrecision, MorePrecision]),
        ] {
            let got = [back, forth].map(|key| find(&bindings, key, modifiers));
            assert_eq!(got, wanted.map(Some));
        }
    }

    #[test]
    fn default_keys_are_distinct() {
        let bindings = Bindings::default();
        let all: Vec<_> = bindings.iter().collect();
        for (at, (chord, action)) in all.iter().enumerate() {
            let is_other = |(other, _): &(&Chord, &Action)| other != chord;
            assert!(all[..at].iter().all(is_other), "{action:?}");
        }
        assert!(all.len() >= 51);
    }

    /// Hosts that only have key positions can also reach all actions, except for actions bound to characters that need
    /// the shift key in the US layout.
    #[test]
    fn default_keys_are_found_by_name_and_position() {
        let bindings = Bindings::default();
        for (chord, action) in bindings.iter() {
            let named = match &chord.key {
                KeyName::Character(character) => character.to_string(),
                KeyName::Named(name) | KeyName::Position(name) => name.clone(),
            };
            let found = find(&bindings, &named, chord.modifiers);
            assert_eq!(found.as_ref(), Some(action), "{chord}");
            let position = match named.chars().next() {
                _ if named.len() > 1 => named.clone(),
                Some(letter @ 'a'..='z') => format!("Key{}", letter.to_uppercase()),
                Some(digit @ '0'..='9') => format!("Digit{digit}"),
                Some('+') => "NumpadAdd".into(),
                Some('=') => "Equal".into(),
                Some('-') => "Minus".into(),
                Some(',') => "Comma".into(),
                Some('.') => "Period".into(),
                Some('/') => "Slash".into(),
                Some('[') => "BracketLeft".into(),
                Some(']') => "BracketRight".into(),
                other => panic!("new key {other:?}: add its position to this test"),
            };
            let found = find(&bindings, &position, chord.modifiers);
            assert_eq!(found.as_ref(), Some(action), "{position}");
        }
    }

    #[test]
    fn keys_are_bound_by_character_and_by_position() {
        let mut bindings = Bindings::default();
        bindings.bind("S", Action::Mark);
        assert_eq!(find(&bindings, "s", PLAIN), Some(Action::Mark));
        bindings.bind(Chord::from("s").with(SHIFT), Action::Select);
        assert_eq!(find(&bindings, "S", SHIFT), Some(Action::Select));
        assert_eq!(find(&bindings, "s", PLAIN), Some(Action::Mark));
        bindings.unbind("s");
        assert_eq!(find(&bindings, "s", PLAIN), None);
        // A key that types `a` in one layout and `q` in a different one.
        bindings.bind("KeyQ", Action::EditFilter);
        let at = |code| bindings.find("a", Some(code), PLAIN);
        assert_eq!(at("KeyQ"), Some(Action::EditFilter));
        assert_eq!(at("KeyA"), Some(Action::ScrollGraph(-50)));
        assert_eq!(Bindings::none().iter().count(), 0);
    }

    #[test]
    fn keys_with_same_meaning_share_a_line() {
        let mut bindings = Bindings::none();
        bindings.bind("s", Action::PreviousSpike);
        bindings.bind("x", Action::Mark);
        bindings.bind(",", Action::NextSpike);
        bindings.bind(Chord::from("d").with(SHIFT), Action::NextSpike);
        let spikes = Action::NextSpike.description();
        let wanted = [
            ("S, comma".to_owned(), spikes),
            ("X".to_owned(), Action::Mark.description()),
            ("Shift+ D".to_owned(), spikes),
        ];
        assert_eq!(bindings.lines(), wanted);
        let mark = bindings.key_of(&Action::Mark);
        assert_eq!(
            (mark.as_deref(), bindings.key_of(&Action::Select)),
            (Some("X"), None)
        );
    }
}
