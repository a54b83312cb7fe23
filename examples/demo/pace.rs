//! Frame pacing: frames are either as long as they take or all equally long.

use std::time::{Duration, Instant};

#[derive(Debug)]
pub(crate) struct Pace {
    /// The length of every frame, if the pace is fixed.
    fixed: Option<Duration>,
    begin: Option<Instant>,
}

impl Pace {
    pub(crate) fn new(fixed: Option<Duration>) -> Pace {
        Pace { fixed, begin: None }
    }

    /// Begins a frame. Returns the number of seconds by which the scene advances.
    pub(crate) fn begin_frame(&mut self) -> f32 {
        let now = Instant::now();
        let last = self.begin.replace(now).unwrap_or(now);
        self.fixed.unwrap_or(now - last).as_secs_f32()
    }

    /// Sleeps until the frame is as long as the fixed pace, or at least `least` if the pace is not fixed.
    pub(crate) fn wait(&self, least: Duration) {
        let taken = self.begin.map_or(Duration::ZERO, |begin| begin.elapsed());
        let left = self.fixed.unwrap_or(least).saturating_sub(taken);
        std::thread::sleep(left);
    }
}
