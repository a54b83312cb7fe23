//! An allocation storm for the profiler to find: from time to time, the labels of all particles are rebuilt from
//! short-lived strings.

use super::particles::Sprite;

/// The number of frames between rewrites of the labels.
const EVERY: u32 = 30;
/// The number of times that each rewrite is repeated, although once would be enough.
const ROUNDS: usize = 10;

/// A label for each particle, which shows its position.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    texts: Vec<String>,
    frames: u32,
}

impl Labels {
    /// Runs a frame. Every [`EVERY`]th frame rewrites all labels.
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
