//! A key together with its modifiers.

use super::key_name::KeyName;
use super::modifiers::Modifiers;
use std::fmt;

/// A key with modifiers, to be bound to an action.
///
/// The key is named as in the web's `KeyboardEvent` and in winit: a character such as `s`, `+` or `ü` for the
/// key that writes it in the current layout; `F1`, `ArrowUp`, `PageDown`, `Enter` or `Space` for others;
/// `KeyS`, `Digit1` or `BracketLeft` for the position of a key, whatever the layout. Case does not matter.
///
/// ```
/// use iprof::{Chord, Modifiers};
///
/// let by_character = Chord::from("s");
/// let by_position = Chord::from("KeyS");
/// let with_control = Chord::from("F5").with(Modifiers::CONTROL);
/// assert_ne!(by_character, by_position);
/// assert_eq!(with_control.to_string(), "Ctrl+F5");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chord {
    pub(super) key: KeyName,
    pub(super) modifiers: Modifiers,
}

impl Chord {
    /// The same key with these modifiers, and no others. For a character the shift key may be omitted: `s`
    /// also matches `S`, unless that has a binding of its own.
    #[must_use]
    pub fn with(self, modifiers: Modifiers) -> Chord {
        Chord { modifiers, ..self }
    }

    /// The names of the modifiers, each followed by `+`.
    pub(crate) fn modifier_names(&self) -> String {
        self.modifiers
            .names()
            .flat_map(|name| [name, "+"])
            .collect()
    }

    /// The name of the key alone.
    pub(crate) fn key_name(&self) -> String {
        self.key.to_string()
    }
}

/// The key of that name, without modifiers.
impl From<&str> for Chord {
    fn from(key: &str) -> Chord {
        Chord {
            key: KeyName::parse(key),
            modifiers: Modifiers::NONE,
        }
    }
}

/// As in menus: `Shift+B`, `Ctrl+F5`, `PgUp`.
impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.modifier_names(), self.key)
    }
}
