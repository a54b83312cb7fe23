//! The demo's own keys, in addition to the profiler's.

use winit::keyboard::{Key, NamedKey};

pub(crate) const OWN_KEYS: [(&str, &str); 5] = [
    ("I", "a storm: one slow frame"),
    ("8", "slow growth, on or off"),
    ("9", "an allocation storm, on or off"),
    ("W", "write report and picture to files"),
    ("Esc", "end the demo"),
];

/// The state changed by the demo's own keys.
#[derive(Debug, Default)]
pub(crate) struct Controls {
    pub(crate) storm: bool,
    pub(crate) growth: bool,
    pub(crate) allocations: bool,
    pub(crate) write: bool,
    pub(crate) quit: bool,
}

impl Controls {
    /// Handles a key that the profiler does not use. [`OWN_KEYS`] lists them.
    pub(crate) fn press(&mut self, key: &Key) {
        match key {
            Key::Named(NamedKey::Escape) => self.quit = true,
            Key::Character(text) => match text.to_lowercase().as_str() {
                "i" => self.storm = true,
                "8" => self.growth = true,
                "9" => self.allocations = true,
                "w" => self.write = true,
                _ => {}
            },
            _ => {}
        }
    }
}
