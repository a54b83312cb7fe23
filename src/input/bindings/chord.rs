//! A key together with its modifiers.

use super::key_name::KeyName;
use std::fmt;
use std::ops::BitOr;

/// A key with modifiers, which can be bound to an action.
///
/// Keys are named as in the web's `KeyboardEvent` and in winit. A character such as `s`, `+` or `ü` stands for the key
/// that types it in the current layout. Other keys have names such as `F1`, `ArrowUp`, `PageDown`, `Enter` or `Space`.
/// `KeyS`, `Digit1` and `BracketLeft` are key positions, independent of the layout. Case is ignored.
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
    /// Returns the same key with exactly these modifiers. For a character, shift may be omitted: `s` also matches `S`,
    /// unless `S` has its own binding.
    #[must_use]
    pub fn with(self, modifiers: Modifiers) -> Chord {
        Chord { modifiers, ..self }
    }

    /// Returns the names of the modifiers, each followed by `+`.
    pub(crate) fn modifier_names(&self) -> String {
        self.modifiers
            .names()
            .flat_map(|name| [name, "+"])
            .collect()
    }

    pub(crate) fn key_name(&self) -> String {
        self.key.to_string()
    }
}

/// Returns the key with this name, without modifiers.
impl From<&str> for Chord {
    fn from(key: &str) -> Chord {
        Chord {
            key: KeyName::parse(key),
            modifiers: Modifiers::NONE,
        }
    }
}

/// Formats the chord as menus do: `Shift+B`, `Ctrl+F5`, `PgUp`.
impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.modifier_names(), self.key)
    }
}

/// The modifier keys that are down. The modifiers are the same as in the web's `KeyboardEvent`.
///
/// ```
/// use iprof::Modifiers;
///
/// let (shift, control) = (true, false); // as the window library has them
/// let modifiers = Modifiers { shift, control, ..Modifiers::NONE };
/// assert_eq!(modifiers, Modifiers::SHIFT);
/// assert!((Modifiers::SHIFT | Modifiers::ALT).alt);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers {
    /// Shift.
    pub shift: bool,
    /// Ctrl.
    pub control: bool,
    /// Alt, or Option on a Mac.
    pub alt: bool,
    /// Command on a Mac, the Windows or Super key elsewhere. winit calls it `SUPER`, egui `mac_cmd`.
    pub meta: bool,
}

impl Modifiers {
    /// No modifiers.
    pub const NONE: Modifiers = Modifiers {
        shift: false,
        control: false,
        alt: false,
        meta: false,
    };
    /// Only Shift.
    pub const SHIFT: Modifiers = Modifiers {
        shift: true,
        ..Modifiers::NONE
    };
    /// Only Ctrl.
    pub const CONTROL: Modifiers = Modifiers {
        control: true,
        ..Modifiers::NONE
    };
    /// Only Alt.
    pub const ALT: Modifiers = Modifiers {
        alt: true,
        ..Modifiers::NONE
    };
    /// Only Command, Windows or Super.
    pub const META: Modifiers = Modifiers {
        meta: true,
        ..Modifiers::NONE
    };

    /// Returns whether a key pressed with these modifiers is a shortcut rather than text.
    pub(crate) fn is_shortcut(self) -> bool {
        self.control || self.alt || self.meta
    }

    pub(super) fn without_shift(self) -> Modifiers {
        Modifiers {
            shift: false,
            ..self
        }
    }

    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.control, "Ctrl"),
            (self.alt, "Alt"),
            (self.shift, "Shift"),
            (self.meta, "Meta"),
        ];
        all.into_iter()
            .filter(|(is_down, _)| *is_down)
            .map(|(_, name)| name)
    }
}

/// Combines the modifiers of both operands.
impl BitOr for Modifiers {
    type Output = Modifiers;

    fn bitor(self, other: Modifiers) -> Modifiers {
        Modifiers {
            shift: self.shift || other.shift,
            control: self.control || other.control,
            alt: self.alt || other.alt,
            meta: self.meta || other.meta,
        }
    }
}
