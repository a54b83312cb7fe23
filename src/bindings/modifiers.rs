//! The modifier keys that are down while another key is pressed.

use std::ops::BitOr;

/// The modifier keys that are down: those of the web's `KeyboardEvent`.
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
    /// Command on a Mac, the Windows or Super key elsewhere; winit calls it `SUPER`, egui `mac_cmd`.
    pub meta: bool,
}

impl Modifiers {
    /// No modifier.
    pub const NONE: Modifiers = Modifiers {
        shift: false,
        control: false,
        alt: false,
        meta: false,
    };
    /// Shift alone.
    pub const SHIFT: Modifiers = Modifiers {
        shift: true,
        ..Modifiers::NONE
    };
    /// Ctrl alone.
    pub const CONTROL: Modifiers = Modifiers {
        control: true,
        ..Modifiers::NONE
    };
    /// Alt alone.
    pub const ALT: Modifiers = Modifiers {
        alt: true,
        ..Modifiers::NONE
    };
    /// Command, Windows or Super alone.
    pub const META: Modifiers = Modifiers {
        meta: true,
        ..Modifiers::NONE
    };

    /// Whether a key pressed with these is a shortcut, not text.
    pub(crate) fn is_shortcut(self) -> bool {
        self.control || self.alt || self.meta
    }

    pub(super) fn without_shift(self) -> Modifiers {
        Modifiers {
            shift: false,
            ..self
        }
    }

    /// The names of those that are down.
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

/// The modifiers of both.
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
