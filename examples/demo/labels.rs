//! An allocation storm, a fault to find with the profiler: now and then every particle gets a label, made of texts that
//! are thrown away at once.

use super::particles::Sprite;

/// Labels are made anew after so many frames.
const EVERY: u32 = 30;
/// So often, of which the last time would do.
const ROUNDS: usize = 10;

/// A label for each particle: where it is.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    texts: Vec<String>,
    frames: u32,
}

impl Labels {
    /// A frame: in one of thirty all labels are made anew.
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
