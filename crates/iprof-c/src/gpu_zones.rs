//! GPU zones in the context of this thread's overlay.

use crate::border::caught;
use crate::zones::zone_of;
use iprof::Zone;
use iprof::gl::{OpenGpuZone, enter_gpu_zone};
use std::cell::RefCell;

thread_local! {
    /// Those that are open on this thread, the innermost last.
    static OPEN: RefCell<Vec<(*const Zone, OpenGpuZone)>> = const { RefCell::new(Vec::new()) };
}

/// See `iprof.h`.
///
/// # Safety
///
/// `made` is NULL, or `iprof_make_zone` returned it. The context of this thread's overlay is current, if there is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gpu_begin(made: *const Zone) {
    caught((), || {
        // SAFETY: the caller's promise is the same.
        let Some(zone) = (unsafe { zone_of(made) }) else {
            return;
        };
        let open = enter_gpu_zone(zone);
        // Past the thread's end it closes at once: there is nothing that could keep it.
        let _past_the_end = OPEN.try_with(|zones| zones.borrow_mut().push((made, open)));
    });
}

/// See `iprof.h`.
///
/// # Safety
///
/// That of [`iprof_gpu_begin`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gpu_end(made: *const Zone) {
    caught((), || {
        let ended = OPEN.try_with(|zones| {
            let mut zones = zones.borrow_mut();
            let at = zones.iter().rposition(|(open, _)| *open == made)?;
            Some(zones.split_off(at))
        });
        match ended {
            // The innermost first.
            Ok(Some(mut ended)) => while ended.pop().is_some() {},
            _ => {
                // SAFETY: the caller's promise. It is counted as the fault that it is.
                if let Some(zone) = unsafe { zone_of(made) } {
                    zone.end();
                }
            }
        }
    });
}
