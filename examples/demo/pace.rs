//! The length of frames: as long as they take, or always the same.

use std::time::{Duration, Instant};

#[derive(Debug)]
pub(crate) struct Pace {
    /// The length of every frame, with a fixed pace.
    fixed: Option<Duration>,
    begin: Option<Instant>,
}

impl Pace {
    pub(crate) fn new(fixed: Option<Duration>) -> Pace {
        Pace { fixed, begin: None }
    }

    /// Begins a frame, and returns how far the scene moves, in seconds.
    pub(crate) fn begin_frame(&mut self) -> f32 {
        let now = Instant::now();
        let last = self.begin.replace(now).unwrap_or(now);
        self.fixed.unwrap_or(now - last).as_secs_f32()
    }

    /// Sleeps for the rest of the frame, which is as long as the fixed pace, or else `least`.
    pub(crate) fn wait(&self, least: Duration) {
        let taken = self.begin.map_or(Duration::ZERO, |begin| begin.elapsed());
        let left = self.fixed.unwrap_or(least).saturating_sub(taken);
        std::thread::sleep(left);
    }
}
