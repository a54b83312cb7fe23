//! Callbacks after frames that exceeded the frame budget: `on_slow_frame`.

use crate::clock::Instant;
use crate::sync::{Mutex, Ordering::Relaxed, StaticBool, lock};
use iprof_process::SlowFrame;
use std::time::Duration;

/// Registers `callback` to be called once per hitch. The new callback replaces the previous one.
///
/// A hitch begins with the first of consecutive recorded frames that exceed the [frame
/// budget](crate::Config::frame_budget). A hitch is ignored if the last call was less than `dead_time` ago.
///
/// The callback runs last when a frame ends, on the thread that ends the frame. The callback's time belongs to the next
/// frame. No lock is held, so the callback may call any function in this crate. Frames that the callback itself ends
/// don't trigger further calls. A panic propagates to the caller that ended the frame, and the callback stays
/// registered.
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
    set(Owner::Host, dead_time, Box::new(callback));
}

/// Works like [`on_slow_frame`], but sets a second callback, which does not replace the host's.
pub(crate) fn on_slow_frame_of_environment(
    dead_time: Duration,
    callback: Box<dyn FnMut(SlowFrame) + Send>,
) {
    set(Owner::Environment, dead_time, callback);
}

#[derive(Clone, Copy)]
enum Owner {
    Host,
    Environment,
}

type Callback = Box<dyn FnMut(SlowFrame) + Send>;

struct Hook {
    hitches: Hitches,
    /// The callback, or `None` while it is being called.
    callback: Option<Callback>,
    /// Distinguishes a callback from its replacement.
    generation: u32,
}

static HAS_HOOKS: StaticBool = StaticBool::new(false);
static HOOKS: Mutex<[Option<Hook>; 2]> = Mutex::new([None, None]);

fn set(owner: Owner, dead_time: Duration, callback: Callback) {
    let mut hooks = lock(&HOOKS);
    let hook = &mut hooks[owner as usize];
    let generation = hook.as_ref().map_or(0, |hook| hook.generation + 1);
    let replaced = hook.replace(Hook {
        hitches: Hitches::new(dead_time),
        callback: Some(callback),
        generation,
    });
    HAS_HOOKS.store(true, Relaxed);
    drop(hooks);
    // The previous callback is dropped without holding the lock, because its destructor may call this function.
    drop(replaced);
}

/// Runs the callbacks if the recorded frame, which took `ms` milliseconds, begins a hitch. The caller must not hold the
/// lock.
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

/// Puts a callback back after a call, even one that panics, unless it was replaced in the meantime.
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
            // The callback is dropped after the lock is released, because its destructor may register another one.
            _ => (),
        }
    }
}

/// Decides which slow frames begin a hitch that counts.
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
    fn dead_time_hides_slow_frames_after_a_hitch() {
        let mut hitches = Hitches::new(Duration::from_secs(1));
        let start = Instant::now();
        let frames = [
            (0, false, false),
            (100, true, true),
            (200, true, false),
            (300, false, false),
            // This hitch begins within the dead time. The rest of the hitch does not count either.
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
