//! A context's GPU zones: this thread's rings, and which contexts may be called.

#![allow(unsafe_code, reason = "calls a context that somebody has vouched for")]

use super::glow::{self, HasContext};
use super::queries::{GlQueries, TimerCaps};
use crate::Zone;
use crate::gather::gpu::{GpuLosses, GpuPlace, with_post};
use crate::gather::local::Guard;
use crate::gpu::GpuContext;
use crate::gpu::ring::{MOST, Ring};
use crate::sync::{Mutex, lock};
use std::cell::RefCell;
use std::hash::BuildHasher;

/// Contexts whose queries a thread knows at once. Of more, the one that was not used for longest is
/// forgotten, with its queries.
const MOST_RINGS: usize = 8;

/// Contexts that somebody has promised to be current wherever they are passed.
static VOUCHED_FOR: Mutex<Vec<u64>> = Mutex::new(Vec::new());

thread_local! {
    /// The one that was used last is the last one.
    static RINGS: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// A context that was used on this thread.
struct Known {
    context: u64,
    caps: Option<TimerCaps>,
    ring: Ring<glow::Query>,
}

impl Known {
    /// Hands on what became of zones. GL is never called with the post locked: drivers call back.
    fn deliver(&mut self) {
        let ring = &mut self.ring;
        if !ring.spans.is_empty() || ring.losses != GpuLosses::default() {
            with_post(|post| post.deliver(&mut ring.spans, &mut ring.losses));
        }
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        self.ring.give_up();
        self.deliver();
    }
}

/// Tells a `glow` context from all others, gone ones included, as its address does not: each has a
/// set of extensions with random keys of its own.
fn identity(gl: &glow::Context) -> u64 {
    gl.supported_extensions().hasher().hash_one(())
}

fn is_vouched_for(context: u64) -> bool {
    lock(&VOUCHED_FOR).contains(&context)
}

/// Calls `f` with what this thread knows of a context. None if nobody has vouched for it; if this
/// is called from within `f`, as by a debug callback of the driver's; or if the thread is past the
/// point where it could give up what is under way.
fn with_known<R>(gl: &glow::Context, f: impl FnOnce(&mut Known) -> R) -> Option<R> {
    let context = identity(gl);
    RINGS
        .try_with(|rings| {
            let mut rings = rings.try_borrow_mut().ok()?;
            match rings.iter().rposition(|known| known.context == context) {
                Some(at) => {
                    let last = rings.len() - 1;
                    if at < last {
                        rings[at..].rotate_left(1);
                    }
                }
                None => {
                    if !is_vouched_for(context) {
                        return None;
                    }
                    if rings.len() == MOST_RINGS {
                        rings.remove(0);
                    }
                    rings.push(Known {
                        context,
                        caps: TimerCaps::detect(gl),
                        ring: Ring::new(MOST),
                    });
                }
            }
            rings.last_mut().map(f)
        })
        .ok()
        .flatten()
}

impl GpuContext for glow::Context {
    fn as_gpu_context(&self) -> &dyn GpuContext {
        self
    }

    unsafe fn vouch_for(&self) {
        let context = identity(self);
        let mut known = lock(&VOUCHED_FOR);
        if !known.contains(&context) {
            known.push(context);
        }
    }

    fn begin(&self, on_processor: &Guard, zone: &'static Zone) -> Option<u32> {
        let (thread, node) = on_processor.place()?;
        let begun = with_known(self, |known| {
            let caps = known.caps?;
            // SAFETY: somebody has vouched for the context.
            let mut queries = unsafe { GlQueries::new(self, caps) };
            let parent = known.ring.innermost();
            let (frame, gpu_node) = with_post(|post| (post.frame, post.node_for(parent, zone)));
            if known.ring.is_due_in(frame) {
                known
                    .ring
                    .read_before(&mut queries, frame.saturating_sub(1));
            }
            let place = GpuPlace {
                thread,
                node,
                gpu_node: gpu_node?,
                begun_in: frame,
            };
            let id = known.ring.begin(&mut queries, place);
            known.deliver();
            id
        });
        if begun.is_none() && !is_vouched_for(identity(self)) {
            let mut losses = GpuLosses {
                strange: 1,
                ..GpuLosses::default()
            };
            with_post(|post| post.deliver(&mut Vec::new(), &mut losses));
        }
        begun.flatten()
    }

    fn end(&self, id: u32) {
        with_known(self, |known| {
            let Some(caps) = known.caps else { return };
            // SAFETY: somebody has vouched for the context.
            let mut queries = unsafe { GlQueries::new(self, caps) };
            let zones = known.ring.zones_ending_with(id);
            let frame = with_post(|post| post.submit(zones));
            known.ring.end(&mut queries, zones, frame);
        });
    }

    fn collect(&self) {
        with_known(self, |known| {
            let Some(caps) = known.caps else { return };
            // SAFETY: somebody has vouched for the context.
            let mut queries = unsafe { GlQueries::new(self, caps) };
            let frame = with_post(|post| post.frame);
            known.ring.read_before(&mut queries, frame);
            known.deliver();
        });
    }
}
