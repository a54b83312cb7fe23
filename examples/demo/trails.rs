//! Slow growth for the profiler to find: each particle leaves marks that fade but are never removed.

use super::particles::Sprite;

/// The age in seconds beyond which marks no longer change.
const MAX_AGE_SECONDS: f32 = 20.0;

iprof::define_value!(MARKS, "marks", "mark");

#[derive(Clone, Copy, Debug)]
struct Mark {
    size: f32,
    light: f32,
    age_seconds: f32,
}

/// The marks, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Trails {
    marks: Vec<Mark>,
}

impl Trails {
    /// Runs a frame: fades every mark, even those that are already dark, and adds new marks.
    pub(crate) fn fade(&mut self, sprites: &[Sprite], dt_seconds: f32) {
        iprof::zone!("trails::fade");
        iprof::value!(MARKS, self.marks.len());
        for mark in &mut self.marks {
            mark.age_seconds = (mark.age_seconds + dt_seconds).min(MAX_AGE_SECONDS);
            mark.light = mark.size * (-mark.age_seconds).exp() * mark.age_seconds.cos().abs();
        }
        let new = sprites.iter().map(|sprite| Mark {
            size: sprite[3],
            light: sprite[3],
            age_seconds: 0.0,
        });
        self.marks.extend(new);
    }
}
