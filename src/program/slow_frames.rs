//! Calls back after frames that took longer than the frame budget: `on_slow_frame`.

use crate::clock::Instant;
use crate::sync::{Mutex, Ordering::Relaxed, StaticBool, lock};
use iprof_process::SlowFrame;
use std::time::Duration;

/// Calls `callback` once for each hitch: for the first of the recorded frames in a row that take longer than the
/// [frame budget](crate::Config::frame_budget), unless the last call was less than `dead_time` ago. It replaces the callback before.
///
/// The function that ends the frame calls it last, on its thread, and time that it takes belongs to the next frame. No lock is
/// held: it may call everything here. A frame that it ends itself calls nothing back. A panic is passed on to what ended the
/// frame, and the next hitch calls back again.
///
/// ```
/// use std::time::Duration;
///
/// iprof::on_slow_frame(Duration::from_secs(1), |frame| {
///     eprintln!("frame {} took {:?}", frame.number, frame.duration);
///     iprof::mark("hitch before");
/// });
/// ```
pub fn on_slow_frame(dead_time: Duration, callback: impl FnMut(SlowFrame) + Send + 'static) {
    set(Of::Host, dead_time, Box::new(callback));
}

/// As [`on_slow_frame`], beside the host's callback.
pub(crate) fn on_slow_frame_of_environment(
    dead_time: Duration,
    callback: Box<dyn FnMut(SlowFrame) + Send>,
) {
    set(Of::Environment, dead_time, callback);
}

/// Whose callback it is.
#[derive(Clone, Copy)]
enum Of {
    Host,
    Environment,
}

type Callback = Box<dyn FnMut(SlowFrame) + Send>;

struct Hook {
    hitches: Hitches,
    /// `None` while it is called.
    callback: Option<Callback>,
    /// Tells a callback from the one that replaced it.
    generation: u32,
}

static HAS_HOOKS: StaticBool = StaticBool::new(false);
static HOOKS: Mutex<[Option<Hook>; 2]> = Mutex::new([None, None]);

fn set(of: Of, dead_time: Duration, callback: Callback) {
    let mut hooks = lock(&HOOKS);
    let hook = &mut hooks[of as usize];
    let generation = hook.as_ref().map_or(0, |hook| hook.generation + 1);
    let replaced = hook.replace(Hook {
        hitches: Hitches::new(dead_time),
        callback: Some(callback),
        generation,
    });
    HAS_HOOKS.store(true, Relaxed);
    drop(hooks);
    // What it holds may call this function, too.
    drop(replaced);
}

/// Calls back if the frame is the first of a hitch. It was recorded, and took so many milliseconds. The caller holds no lock.
pub(super) fn note_frame(number: u64, ms: f64, budget: Duration) {
    if !HAS_HOOKS.load(Relaxed) {
        return;
    }
    let duration = Duration::try_from_secs_f64(ms / 1e3).unwrap_or_default();
    let frame = SlowFrame {
        number,
        duration,
        budget,
    };
    for at in 0..2 {
        let found = {
            let mut hooks = lock(&HOOKS);
            let Some(hook) = &mut hooks[at] else { continue };
            if !hook
                .hitches
                .begins(frame.duration > frame.budget, Instant::now)
            {
                continue;
            }
            (hook.callback.take(), hook.generation)
        };
        let (Some(callback), generation) = found else {
            continue;
        };
        let mut called = Called {
            at,
            generation,
            callback: Some(callback),
        };
        if let Some(callback) = &mut called.callback {
            callback(frame);
        }
    }
}

/// Puts a callback back after a call, also one that panics, unless it was replaced meanwhile.
struct Called {
    at: usize,
    generation: u32,
    callback: Option<Callback>,
}

impl Drop for Called {
    fn drop(&mut self) {
        let mut hooks = lock(&HOOKS);
        match &mut hooks[self.at] {
            Some(hook) if hook.generation == self.generation => {
                hook.callback = self.callback.take()
            }
            // Dropped when the lock is free: what it holds may call here, too.
            _ => (),
        }
    }
}

/// Which slow frames begin a hitch that counts.
struct Hitches {
    dead_time: Duration,
    last: Option<Instant>,
    was_slow: bool,
}

impl Hitches {
    fn new(dead_time: Duration) -> Hitches {
        Hitches {
            dead_time,
            last: None,
            was_slow: false,
        }
    }

    fn begins(&mut self, is_slow: bool, now: impl FnOnce() -> Instant) -> bool {
        let is_first = is_slow && !self.was_slow;
        self.was_slow = is_slow;
        if !is_first {
            return false;
        }
        let now = now();
        let is_dead = self
            .last
            .is_some_and(|last| now.duration_since(last) < self.dead_time);
        if !is_dead {
            self.last = Some(now);
        }
        !is_dead
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_hitch_is_its_first_slow_frame_and_dead_time_hides_those_that_follow() {
        let mut hitches = Hitches::new(Duration::from_secs(1));
        let start = Instant::now();
        let frames = [
            (0, false, false),
            (100, true, true),
            (200, true, false),
            (300, false, false),
            // Within the dead time, and its rest is no hitch either.
            (1_050, true, false),
            (1_200, true, false),
            (1_250, false, false),
            (1_300, true, true),
            (2_350, true, false),
            (2_360, false, false),
            (2_370, true, true),
        ];
        for (ms, is_slow, wanted) in frames {
            let now = || start + Duration::from_millis(ms);
            assert_eq!(hitches.begins(is_slow, now), wanted, "{ms}");
        }
    }
}
