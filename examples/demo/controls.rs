//! What a person can do beside what the profiler's own keys do.

use iprof::Report;
use winit::keyboard::{Key, NamedKey};

/// The keys as F1 shows them.
const KEYS: [(&str, &str); 30] = [
    ("Up, Down, PgUp, PgDn, wheel", "move the cursor"),
    (
        "Left, Right, Home, click a bar",
        "step through the frames, back to now",
    ),
    ("with Shift, also PgUp; drag", "a range of frames: its mean"),
    (
        "Enter, click the cursor's row",
        "open the zone under the cursor",
    ),
    ("Backspace", "go to the most expensive caller"),
    ("+, -, right click", "open the row in place, close it"),
    ("comma, period", "back and forth through what was opened"),
    ("Tab", "self, hier, graph, descendants, tree"),
    ("S, D", "previous spike; next spike"),
    ("X", "the longest frame"),
    (
        "B; Shift B",
        "compare with the average, the median; with this frame",
    ),
    ("O, Q", "sort by the next column; reverse"),
    ("H; U", "fold small rows; group zones"),
    ("/ text Enter; / Esc", "filter by name; clear the filter"),
    ("K; J, L", "mark the frame; previous, next mark"),
    ("C, V; A, E; (shift) wheel", "graph: zoom; scroll"),
    ("F; Y", "history: megabytes; longest frames kept"),
    ("Space", "pause the profiler"),
    ("1, 2, 3", "average: none, 0.8 s, 2.5 s"),
    ("R", "spread or flatten recursion"),
    ("T", "all threads, a thread group, one thread"),
    ("G", "graph as bars or as lines"),
    ("M", "exact, automatic, sampled, or off"),
    ("N", "net times, without recording's cost"),
    ("[, ]", "decimal places of times"),
    ("P", "hide or show the overlay"),
    ("I", "a storm: one slow frame"),
    ("hover", "details of a row or a bar"),
    ("W", "write report and picture to files"),
    ("F1, Esc", "this page; leave it, or the program"),
];

/// What the demo's own keys change.
#[derive(Debug, Default)]
pub(crate) struct Controls {
    /// The next frame is to be a slow one.
    pub(crate) storm: bool,
    /// Report and picture are to be written after this frame.
    pub(crate) write: bool,
    pub(crate) quit: bool,
}

impl Controls {
    /// A key that the profiler has no use for.
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

/// The page of keys, as a report of the demo's own.
pub(crate) fn help() -> Report {
    let mut report = Report::default();
    report.title.push("keys and mouse".into());
    for (key, meaning) in KEYS {
        report.title.push(format!("{key:<30} {meaning}"));
    }
    report
}
