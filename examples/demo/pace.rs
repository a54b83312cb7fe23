//! How long frames are: as long as they take, or all the same.

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

    /// A frame begins: how far the scene moves, in seconds.
    pub(crate) fn begin_frame(&mut self) -> f32 {
        let now = Instant::now();
        let last = self.begin.replace(now).unwrap_or(now);
        self.fixed.unwrap_or(now - last).as_secs_f32()
    }

    /// Sleeps for what is left of the frame: of a fixed pace, or of `least`.
    pub(crate) fn wait(&self, least: Duration) {
        let taken = self.begin.map_or(Duration::ZERO, |begin| begin.elapsed());
        let left = self.fixed.unwrap_or(least).saturating_sub(taken);
        std::thread::sleep(left);
    }
}
