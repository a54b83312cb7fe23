//! The demo's own keys, beside the profiler's.

use winit::keyboard::{Key, NamedKey};

/// The demo's own keys, which the help lists.
pub(crate) const OWN_KEYS: [(&str, &str); 3] = [
    ("I", "a storm: one slow frame"),
    ("W", "write report and picture to files"),
    ("Esc", "end the demo"),
];

/// The state that the demo's own keys change.
#[derive(Debug, Default)]
pub(crate) struct Controls {
    /// The next frame is to be a slow one.
    pub(crate) storm: bool,
    /// Report and picture are to be written after this frame.
    pub(crate) write: bool,
    pub(crate) quit: bool,
}

impl Controls {
    /// A key that the profiler has no use for: I makes one slow frame, W writes report and picture, Esc ends
    /// the demo.
    pub(crate) fn press(&mut self, key: &Key) {
        match key {
            Key::Named(NamedKey::Escape) => self.quit = true,
            Key::Character(text) => match text.to_lowercase().as_str() {
                "i" => self.storm = true,
                "w" => self.write = true,
                _ => {}
            },
            _ => {}
        }
    }
}
