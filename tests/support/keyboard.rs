//! Maps key names, such as `Down`, `F1`, `a` and `plus`, to the X server's keycodes.

use x11rb::connection::Connection;
use x11rb::protocol::xproto::ConnectionExt;
use x11rb::rust_connection::RustConnection;

/// Keysyms by name. All names except `shift` are X11 keysym names. Letters and digits aren't listed, because their
/// names are the characters themselves.
const KEYSYMS: [(&str, u32); 22] = [
    ("space", 0x20),
    ("plus", 0x2b),
    ("comma", 0x2c),
    ("minus", 0x2d),
    ("period", 0x2e),
    ("slash", 0x2f),
    ("bracketleft", 0x5b),
    ("bracketright", 0x5d),
    ("underscore", 0x5f),
    ("BackSpace", 0xff08),
    ("Tab", 0xff09),
    ("Return", 0xff0d),
    ("Escape", 0xff1b),
    ("Home", 0xff50),
    ("Left", 0xff51),
    ("Up", 0xff52),
    ("Right", 0xff53),
    ("Down", 0xff54),
    ("Prior", 0xff55),
    ("Next", 0xff56),
    ("F1", 0xffbe),
    ("shift", SHIFT),
];
const SHIFT: u32 = 0xffe1;

/// The server's mapping of keycodes to keysyms.
#[derive(Debug)]
pub(super) struct Keyboard {
    first: u8,
    /// The number of keysyms per key: without modifiers, with Shift, and with other modifiers.
    per_key: usize,
    keysyms: Vec<u32>,
}

impl Keyboard {
    pub(super) fn of(connection: &RustConnection) -> Keyboard {
        let setup = connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let mapping = connection
            .get_keyboard_mapping(first, last - first + 1)
            .expect("failed to send the X request")
            .reply()
            .expect("failed to get the keyboard mapping");
        Keyboard {
            first,
            per_key: mapping.keysyms_per_keycode.into(),
            keysyms: mapping.keysyms,
        }
    }

    /// Returns the keycodes to press, in order, for a name such as `plus` or `shift+Tab`.
    ///
    /// # Panics
    ///
    /// Panics if the name is unknown, or no key has the keysym.
    pub(super) fn keys(&self, name: &str) -> Vec<u8> {
        let mut keys = Vec::new();
        for name in name.split('+') {
            let keysym = keysym(name).unwrap_or_else(|| panic!("unknown key name `{name}`"));
            let (key, needs_shift) = self.find(keysym);
            if needs_shift {
                keys.push(self.find(SHIFT).0);
            }
            keys.push(key);
        }
        keys
    }

    /// Returns the keycode for a keysym, and whether it needs Shift.
    fn find(&self, keysym: u32) -> (u8, bool) {
        let has = |column: usize| {
            let mut keys = self.keysyms.chunks(self.per_key);
            let at = keys.position(|of_key| of_key.get(column) == Some(&keysym))?;
            Some((self.first + at as u8, column == 1))
        };
        has(0)
            .or_else(|| has(1))
            .unwrap_or_else(|| panic!("no key has the keysym {keysym:#x}"))
    }
}

fn keysym(name: &str) -> Option<u32> {
    match *name.as_bytes() {
        [letter] if letter.is_ascii_alphanumeric() => Some(letter.into()),
        _ => KEYSYMS
            .iter()
            .find(|(its_name, _)| *its_name == name)
            .map(|(_, keysym)| *keysym),
    }
}
