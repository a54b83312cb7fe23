//! An allocation storm for the profiler to find: now and then every particle gets a label made of short-lived strings.

use super::particles::Sprite;

/// Labels are rewritten every this many frames.
const EVERY: u32 = 30;
/// How often each rewrite is repeated, although once would do.
const ROUNDS: usize = 10;

/// A label for each particle: its position.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    texts: Vec<String>,
    frames: u32,
}

impl Labels {
    /// Runs a frame. One in [`EVERY`] rewrites all labels.
    pub(crate) fn write(&mut self, sprites: &[Sprite]) {
        self.frames += 1;
        if !self.frames.is_multiple_of(EVERY) {
            return;
        }
        iprof::zone!("labels::write");
        for _ in 0..ROUNDS {
            let label = |[x, y, z, ..]: &Sprite| [x, y, z].map(|at| format!("{at:.2}")).join(" ");
            self.texts = sprites.iter().map(label).collect();
        }
    }
}
