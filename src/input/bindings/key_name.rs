//! Key names from the web's `KeyboardEvent` and from other libraries.

use std::fmt;

/// A key: a character, a named key, or a position on the keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyName {
    /// A character in the current layout, in lower case.
    Character(char),
    /// Space, Tab, Enter, or a key that types no character, identified by its name in the web's `KeyboardEvent.key`.
    Named(String),
    /// The position of a key that types a character, identified by its name in the web's `KeyboardEvent.code`.
    Position(String),
}

/// Named keys: the web's name, and alternative names in lower case without separators.
const NAMED: &[(&str, &[&str])] = &[
    ("ArrowUp", &["up"]),
    ("ArrowDown", &["down"]),
    ("ArrowLeft", &["left"]),
    ("ArrowRight", &["right"]),
    ("PageUp", &["pgup", "prior"]),
    ("PageDown", &["pgdn", "pgdown", "next"]),
    ("Home", &[]),
    ("End", &[]),
    ("Insert", &[]),
    ("Delete", &["del"]),
    ("Backspace", &[]),
    ("Tab", &[]),
    ("Enter", &["return", "numpadenter"]),
    ("Escape", &["esc"]),
    ("Space", &["spacebar"]),
];

/// Positions: the web's name, alternative names in lower case without separators, and the key's character in the US
/// layout.
const POSITIONS: &[(&str, &[&str], char)] = &[
    ("Minus", &[], '-'),
    ("Equal", &["equals"], '='),
    ("BracketLeft", &["leftbracket", "openbracket"], '['),
    ("BracketRight", &["rightbracket", "closebracket"], ']'),
    ("Backslash", &[], '\\'),
    ("Semicolon", &[], ';'),
    ("Quote", &["apostrophe"], '\''),
    ("Backquote", &["grave", "graveaccent", "backtick"], '`'),
    ("Comma", &[], ','),
    ("Period", &["dot"], '.'),
    ("Slash", &[], '/'),
    ("NumpadAdd", &["numpadplus", "numpad+"], '+'),
    ("NumpadSubtract", &["numpadminus", "numpad-"], '-'),
    ("NumpadMultiply", &["numpad*"], '*'),
    ("NumpadDivide", &["numpad/"], '/'),
    ("NumpadDecimal", &["numpadperiod"], '.'),
    ("NumpadEqual", &[], '='),
];

impl KeyName {
    /// Returns the key with this name. Unknown names are accepted, but match only themselves.
    pub(crate) fn parse(text: &str) -> KeyName {
        let mut characters = text.chars();
        if let (Some(character), None) = (characters.next(), characters.next()) {
            return KeyName::of_character(character);
        }
        let mut small = text.replace([' ', '_'], "").to_ascii_lowercase();
        for prefix in ["keypad", "kp"] {
            if let Some(rest) = small.strip_prefix(prefix) {
                small = format!("numpad{rest}");
            }
        }
        if small == "plus" {
            return KeyName::Character('+');
        }
        let is_it = |name: &str, others: &[&str]| {
            name.eq_ignore_ascii_case(&small) || others.contains(&&*small)
        };
        if let Some((name, _)) = NAMED.iter().find(|(name, others)| is_it(name, others)) {
            return KeyName::Named((*name).into());
        }
        let mut positions = POSITIONS.iter();
        if let Some((code, ..)) = positions.find(|(code, others, _)| is_it(code, others)) {
            return KeyName::Position((*code).into());
        }
        numbered(&small).unwrap_or_else(|| KeyName::Named(text.into()))
    }

    /// Returns the key that types this character. Some libraries use control characters as key names.
    pub(crate) fn of_character(character: char) -> KeyName {
        let name = match character {
            ' ' => "Space",
            '\t' => "Tab",
            '\r' | '\n' => "Enter",
            '\u{8}' => "Backspace",
            '\u{1b}' => "Escape",
            '\u{7f}' => "Delete",
            _ => {
                let mut small = character.to_lowercase();
                return KeyName::Character(match (small.next(), small.next()) {
                    (Some(small), None) => small,
                    _ => character,
                });
            }
        };
        KeyName::Named(name.into())
    }

    /// Returns the character at this position in the US layout, for hosts that only know key positions.
    pub(super) fn in_us_layout(&self) -> Option<KeyName> {
        let KeyName::Position(code) = self else {
            return None;
        };
        let listed = POSITIONS.iter().find(|(name, ..)| name == code);
        let character = match listed {
            Some((_, _, character)) => *character,
            // `KeyS`, `Digit1`, `Numpad1`
            None => code.chars().next_back()?.to_ascii_lowercase(),
        };
        Some(KeyName::Character(character))
    }

    pub(crate) fn is_text(&self) -> bool {
        match self {
            KeyName::Named(name) => name == "Space",
            _ => true,
        }
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        matches!(self, KeyName::Named(own) if own == name)
    }
}

/// Parses letters, digits and function keys named by position or number: `keys`, `digit1`, `num1`, `numpad1`, `f1`.
fn numbered(small: &str) -> Option<KeyName> {
    let (at, last) = small.char_indices().next_back()?;
    Some(match (&small[..at], last) {
        ("key", 'a'..='z') => KeyName::Position(format!("Key{}", last.to_ascii_uppercase())),
        // GLFW and miniquad use the names `Num1` and `Key1`.
        ("digit" | "num" | "key", '0'..='9') => KeyName::Position(format!("Digit{last}")),
        ("numpad", '0'..='9') => KeyName::Position(format!("Numpad{last}")),
        _ => {
            let number: u32 = small.strip_prefix('f')?.parse().ok()?;
            (1..=35)
                .contains(&number)
                .then(|| KeyName::Named(format!("F{number}")))?
        }
    })
}

/// Formats the key as it is labeled on keyboards.
impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyName::Character(character) => match character.is_ascii_lowercase() {
                true => write!(f, "{}", character.to_ascii_uppercase()),
                false => write!(f, "{character}"),
            },
            KeyName::Named(name) => f.write_str(match &**name {
                "ArrowUp" => "Up",
                "ArrowDown" => "Down",
                "ArrowLeft" => "Left",
                "ArrowRight" => "Right",
                "PageUp" => "PgUp",
                "PageDown" => "PgDn",
                "Escape" => "Esc",
                other => other,
            }),
            KeyName::Position(code) => f.write_str(code),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn other_libraries_key_names_are_understood() {
        let named = |name: &str| KeyName::Named(name.into());
        let position = |code: &str| KeyName::Position(code.into());
        for (names, wanted) in [
            // Names from the web and winit, SDL, GLFW and miniquad, egui, and X11.
            (&["ArrowUp", "Up", "up", "Arrow Up"][..], named("ArrowUp")),
            (
                &["PageDown", "Page Down", "page_down", "Next"],
                named("PageDown"),
            ),
            (
                &["Enter", "Return", "\r", "NumpadEnter", "Keypad Enter"],
                named("Enter"),
            ),
            (&["Escape", "Esc", "\u{1b}"], named("Escape")),
            (&["Space", " ", "space"], named("Space")),
            (&["Backspace", "BackSpace", "\u{8}"], named("Backspace")),
            (&["F1", "f1"], named("F1")),
            (&["F35"], named("F35")),
            (&["s", "S"], KeyName::Character('s')),
            (&["\u{dc}"], KeyName::Character('\u{fc}')),
            (&["+", "Plus"], KeyName::Character('+')),
            (&["KeyS"], position("KeyS")),
            (&["Digit1", "Num1", "Key1"], position("Digit1")),
            (&["Numpad1", "Kp1", "Keypad 1"], position("Numpad1")),
            (&["NumpadAdd", "KpAdd", "Keypad +"], position("NumpadAdd")),
            (
                &["BracketLeft", "LeftBracket", "OpenBracket"],
                position("BracketLeft"),
            ),
            (&["Equal", "Equals"], position("Equal")),
        ] {
            for name in names {
                assert_eq!(KeyName::parse(name), wanted, "{name}");
            }
        }
    }

    #[test]
    fn unknown_key_names_are_unchanged() {
        for name in [
            "",
            "F0",
            "F36",
            "F1x",
            "Unidentified",
            "KeyÜ",
            "key",
            "Hyper",
        ] {
            assert_eq!(KeyName::parse(name), KeyName::Named(name.into()));
        }
    }

    #[test]
    fn key_positions_follow_the_us_layout() {
        for (code, character) in [
            ("KeyS", 's'),
            ("Digit3", '3'),
            ("Numpad3", '3'),
            ("NumpadAdd", '+'),
            ("BracketRight", ']'),
            ("Slash", '/'),
        ] {
            let character = Some(KeyName::Character(character));
            assert_eq!(KeyName::parse(code).in_us_layout(), character, "{code}");
        }
        assert_eq!(KeyName::parse("F1").in_us_layout(), None);
    }
}
