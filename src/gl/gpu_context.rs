//! Keeps the list of enabled contexts and, for each thread, the queries (`Ring`) of each context.

#![allow(unsafe_code, reason = "calls a context that is enabled")]

// The invariant behind the SAFETY lines, "enabled": `enabled_id` has found the context's address, so it
// is the one that was enabled (it has not moved since, by the contract of `enable`), and is
// current on this thread (by the same contract).

use super::gpu_queries::{GlQueries, TimerCaps};
use crate::Zone;
use crate::gather::ThreadRecord;
use crate::gather::gpu::{GpuLosses, with_mailbox};
use crate::sync::{Mutex, lock};
use iprof_gather::gpu::ring::{MAX_IN_FLIGHT, Ring};
use std::cell::RefCell;

/// Maximum number of contexts whose queries a thread keeps. The least recently used one is dropped, with
/// its queries.
const MAX_RINGS: usize = 8;

/// Enabled contexts: their hosts have promised that they are current wherever they are passed.
static ENABLED: Mutex<Enabled> = Mutex::new(Enabled {
    contexts: Vec::new(),
    last_id: 0,
});

#[derive(Default)]
struct Enabled {
    contexts: Vec<EnabledContext>,
    last_id: u64,
}

/// A context is identified by its address. The caller that enabled it keeps it there until it is disabled,
/// so no other context can have that address.
struct EnabledContext {
    address: usize,
    /// Unique, also among contexts that are later at the same address.
    id: u64,
    /// How often it was enabled and not yet disabled.
    times: usize,
}

fn address(gl: &glow::Context) -> usize {
    std::ptr::from_ref(gl).addr()
}

/// The id of the context; `None` if it is not enabled.
fn enabled_id(gl: &glow::Context) -> Option<u64> {
    let address = address(gl);
    let enabled = lock(&ENABLED);
    let has = |context: &&EnabledContext| context.address == address;
    Some(enabled.contexts.iter().find(has)?.id)
}

thread_local! {
    /// In order of use, the last used one last.
    static RINGS: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// A context that was used on this thread.
struct Known {
    /// [`EnabledContext::id`].
    context: u64,
    caps: Option<TimerCaps>,
    ring: Ring<glow::Query>,
}

/// Calls `f` with this thread's state of the enabled context `id`. `None` if called from within `f`, as by
/// a debug callback of the driver, or if the thread's locals are already destroyed.
fn with_known<R>(id: u64, gl: &glow::Context, f: impl FnOnce(&mut Known) -> R) -> Option<R> {
    let with = |rings: &RefCell<Vec<Known>>| {
        let mut rings = rings.try_borrow_mut().ok()?;
        match rings.iter().rposition(|known| known.context == id) {
            Some(at) => {
                let last = rings.len() - 1;
                if at < last {
                    rings[at..].rotate_left(1);
                }
            }
            None => {
                if rings.len() == MAX_RINGS {
                    rings.remove(0);
                }
                rings.push(Known {
                    context: id,
                    caps: TimerCaps::detect(gl),
                    ring: Ring::new(MAX_IN_FLIGHT),
                });
            }
        }
        rings.last_mut().map(f)
    };
    RINGS.try_with(with).ok().flatten()
}

/// Drops this thread's state of a context that is no longer enabled. Other threads drop theirs when they
/// end, or when they use other contexts.
fn forget(id: u64) {
    let _past_the_end = RINGS.try_with(|rings| {
        let mut rings = rings.try_borrow_mut().ok()?;
        let at = rings.iter().position(|known| known.context == id)?;
        Some(rings.remove(at))
    });
}

/// Allows GPU zones of this context to be measured, until it is [disabled](disable) as often as it was enabled.
///
/// # Safety
///
/// Until then the context must not move in memory; and it must be current on the calling thread
/// whenever a GPU zone of it begins or ends, when its results are [collected](collect), and
/// when its queries are [deleted](delete_queries).
pub(crate) unsafe fn enable(gl: &glow::Context) {
    let address = address(gl);
    let mut enabled = lock(&ENABLED);
    let Enabled { contexts, last_id } = &mut *enabled;
    match contexts.iter_mut().find(|known| known.address == address) {
        Some(context) => context.times += 1,
        None => {
            *last_id += 1;
            contexts.push(EnabledContext {
                address,
                id: *last_id,
                times: 1,
            });
        }
    }
}

/// Reverts one [`enable`]. Calls no GL.
pub(crate) fn disable(gl: &glow::Context) {
    let address = address(gl);
    let mut enabled = lock(&ENABLED);
    let contexts = &mut enabled.contexts;
    let Some(at) = contexts.iter().position(|known| known.address == address) else {
        return;
    };
    contexts[at].times -= 1;
    let gone = (contexts[at].times == 0).then(|| contexts.swap_remove(at).id);
    drop(enabled);
    if let Some(id) = gone {
        forget(id);
    }
}

/// Discards the measurements in progress on this thread, and deletes its queries.
pub(crate) fn delete_queries(gl: &glow::Context) {
    let Some(id) = enabled_id(gl) else { return };
    with_known(id, gl, |known| {
        let Some(caps) = known.caps else { return };
        // SAFETY: enabled.
        let mut queries = unsafe { GlQueries::new(gl, caps) };
        known.ring.give_up();
        known.ring.delete(&mut queries);
        known.ring.timeline.deliver();
    });
}

/// Begins a zone on the GPU. On the CPU it is open as that node of the thread.
pub(crate) fn begin(
    gl: &glow::Context,
    (thread, node): (&'static ThreadRecord, u32),
    zone: &'static Zone,
) -> Option<u64> {
    let Some(id) = enabled_id(gl) else {
        let mut losses = GpuLosses {
            unknown_context: 1,
            ..GpuLosses::default()
        };
        with_mailbox(|mailbox| mailbox.deliver(&mut Vec::new(), &mut losses));
        return None;
    };
    let begun = with_known(id, gl, |known| {
        let caps = known.caps?;
        // SAFETY: enabled.
        let mut queries = unsafe { GlQueries::new(gl, caps) };
        let (frame, origin) = known.ring.timeline.origin(thread, node, zone);
        if known.ring.is_due_in(frame) {
            known
                .ring
                .read_before(&mut queries, frame.saturating_sub(1));
        }
        let id = known.ring.begin(&mut queries, origin?);
        known.ring.timeline.deliver();
        id
    });
    begun.flatten()
}

/// Ends a zone.
pub(crate) fn end(gl: &glow::Context, zone: u64) {
    let Some(id) = enabled_id(gl) else { return };
    with_known(id, gl, |known| {
        let Some(caps) = known.caps else { return };
        // SAFETY: enabled.
        let mut queries = unsafe { GlQueries::new(gl, caps) };
        let (zones, frame) = known.ring.timeline.submit(zone);
        known.ring.end(&mut queries, zones, frame);
    });
}

/// Reads the available results of all frames that have ended.
pub(crate) fn collect(gl: &glow::Context) {
    let Some(id) = enabled_id(gl) else { return };
    with_known(id, gl, |known| {
        let Some(caps) = known.caps else { return };
        // SAFETY: enabled.
        let mut queries = unsafe { GlQueries::new(gl, caps) };
        let frame = with_mailbox(|mailbox| mailbox.frame);
        known.ring.read_before(&mut queries, frame);
        known.ring.timeline.deliver();
    });
}
