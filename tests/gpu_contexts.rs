//! Checks with a fake GL that GPU zones only make calls in contexts that are enabled and current.

#![cfg(all(feature = "enable", feature = "gl"))]
#![allow(
    unsafe_code,
    reason = "GPU zones require the promise that their context is current"
)]

#[path = "support/fake_gl.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod fake_gl;

use fake_gl::{address, take_calls};
use iprof::gl::Painter;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Runs one test at a time, because warnings are global.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|error| error.into_inner())
}

fn context() -> Rc<glow::Context> {
    // SAFETY: the functions of `fake_gl` need no context.
    Rc::new(unsafe { glow::Context::from_loader_function_cstr(address) })
}

fn enable(gl: &Rc<glow::Context>) {
    // SAFETY: the functions of `fake_gl` need no context.
    unsafe { iprof::gl::enable_gpu_zones(gl.clone()) };
}

fn is_measured(gl: &glow::Context) -> bool {
    take_calls();
    {
        iprof::gpu_zone!(gl, zone);
    }
    let calls = take_calls();
    let stamps = calls.iter().filter(|c| **c == "glQueryCounter").count();
    assert!([0, 2].contains(&stamps), "{calls:?}");
    if stamps == 0 {
        assert_eq!(calls, [""; 0]);
        iprof::gl::collect_gpu_times(gl);
        assert_eq!(take_calls(), [""; 0]);
    }
    stamps == 2
}

#[test]
fn context_is_called_only_while_enabled() {
    let _alone = alone();
    let (gl, other) = (context(), context());
    assert!(!is_measured(&gl));
    enable(&gl);
    // Enabling a context twice has no additional effect.
    enable(&gl);
    assert!(is_measured(&gl));
    assert!(!is_measured(&other));
    iprof::update(true);
    let warnings = iprof::report().warnings;
    let says = |line: &String| line.contains("context not enabled");
    assert!(warnings.iter().any(says), "{warnings:?}");
    take_calls();
    iprof::gl::disable_gpu_zones(&gl);
    iprof::gl::disable_gpu_zones(&gl);
    iprof::gl::disable_gpu_zones(&other);
    assert_eq!(take_calls(), [""; 0]);
    assert!(!is_measured(&gl));
    assert_eq!(
        Rc::strong_count(&gl),
        1,
        "the context should not be kept alive"
    );
    enable(&gl);
    assert!(is_measured(&gl));
}

#[test]
fn context_is_measured_while_an_overlay_exists() {
    let _alone = alone();
    let gl = context();
    // SAFETY: the functions of `fake_gl` need no context.
    let overlay = unsafe { Painter::new(gl.clone()) }.expect("failed to create a painter");
    // SAFETY: the functions of `fake_gl` need no context.
    let second = unsafe { Painter::new(gl.clone()) }.expect("failed to create a painter");
    assert!(is_measured(&gl));
    drop(overlay);
    assert!(is_measured(&gl), "the second painter still exists");
    enable(&gl);
    take_calls();
    drop(second);
    assert_eq!(take_calls(), [""; 0]);
    assert!(is_measured(&gl), "the enabled context should be measured");
    iprof::gl::disable_gpu_zones(&gl);
    assert!(!is_measured(&gl));
}

/// An allocator that reuses the memory of the last dropped context for the next context. On some systems, the default
/// allocator would reuse that memory only after all other free memory.
struct SamePlace;

static FREE: AtomicPtr<u8> = AtomicPtr::new(null_mut());

#[global_allocator]
static SAME_PLACE: SamePlace = SamePlace;

/// Whether the layout is that of a context in an `Rc`.
fn is_contexts(layout: Layout) -> bool {
    layout == Layout::new::<([usize; 2], glow::Context)>()
}

// SAFETY: a returned block either comes from the system's allocator or was freed before. `swap` hands it to only one
// caller.
unsafe impl GlobalAlloc for SamePlace {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_contexts(layout) {
            let free = FREE.swap(null_mut(), Ordering::AcqRel);
            if !free.is_null() {
                return free;
            }
        }
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, mut at: *mut u8, layout: Layout) {
        if is_contexts(layout) {
            at = FREE.swap(at, Ordering::AcqRel);
        }
        if !at.is_null() {
            // SAFETY: the caller upholds the contract for this block, or did for one with the same layout.
            unsafe { System.dealloc(at, layout) };
        }
    }
}

/// Tests that a new context at the address of a dropped one doesn't count as registered.
#[test]
fn new_context_at_a_reused_address_is_not_called() {
    let _alone = alone();
    let mut same = 0;
    for _ in 0..100 {
        let gl = context();
        let place = Rc::as_ptr(&gl);
        enable(&gl);
        assert!(is_measured(&gl));
        iprof::gl::disable_gpu_zones(&gl);
        drop(gl);
        let next = context();
        same += u32::from(Rc::as_ptr(&next) == place);
        assert!(!is_measured(&next));
        // The dropped context's queries must not be used in the new context either.
        enable(&next);
        take_calls();
        iprof::gl::collect_gpu_times(&next);
        assert_eq!(take_calls(), [""; 0]);
        iprof::gl::disable_gpu_zones(&next);
    }
    assert!(same > 0, "memory should be reused at least once");
}

/// Tests that an enabled context is kept alive, so that no other context can get the same address.
#[test]
fn enabled_context_is_kept_alive_until_disabled() {
    let _alone = alone();
    let gl = context();
    let weak = Rc::downgrade(&gl);
    enable(&gl);
    drop(gl);
    let gl = weak.upgrade().expect("the context should still be alive");
    assert!(is_measured(&gl));
    iprof::gl::disable_gpu_zones(&gl);
    drop(gl);
    assert!(weak.upgrade().is_none());
}

#[test]
fn zone_outliving_its_context_makes_no_calls() {
    let _alone = alone();
    let gl = context();
    enable(&gl);
    take_calls();
    {
        iprof::gpu_zone!(gl, outlives);
        assert!(take_calls().contains(&"glQueryCounter"));
        iprof::gl::disable_gpu_zones(&gl);
        enable(&gl);
        // This zone is entered after the context was enabled again, so leaving the earlier zone must not end this zone.
        iprof::gpu_zone!(gl, within);
        take_calls();
    }
    let calls = take_calls();
    let stamps = calls.iter().filter(|c| **c == "glQueryCounter").count();
    assert_eq!(stamps, 1, "{calls:?}");
    iprof::gl::disable_gpu_zones(&gl);
}

#[test]
fn destroying_an_overlay_deletes_its_queries() {
    let _alone = alone();
    fake_gl::set_ready(false);
    let gl = context();
    // SAFETY: the functions of `fake_gl` need no context.
    let overlay = unsafe { Painter::new(gl.clone()) }.expect("failed to create a painter");
    take_calls();
    for _ in 0..5 {
        iprof::gpu_zone!(gl, first);
        iprof::update(true);
    }
    let count = |calls: &[&str], name: &str| calls.iter().filter(|c| **c == name).count();
    let created = count(&take_calls(), "glGenQueries");
    assert!(created >= 2);
    overlay.destroy();
    assert_eq!(count(&take_calls(), "glDeleteQueries"), created);
    fake_gl::set_ready(true);
    // A second overlay in the same context has separate queries. SAFETY: the functions of `fake_gl` need no context.
    let overlay = unsafe { Painter::new(gl.clone()) }.expect("failed to create a painter");
    assert!(is_measured(&gl));
    drop(overlay);
}

#[test]
fn thread_may_end_with_pending_gpu_zones() {
    let _alone = alone();
    let ended = std::thread::spawn(|| {
        let gl = context();
        enable(&gl);
        assert!(is_measured(&gl));
        // SAFETY: the functions of `fake_gl` need no context.
        unsafe { iprof::gl::init(gl.clone()) }.expect("failed to create a painter");
        let open = iprof::open_zone!(left_open);
        std::mem::forget(open);
    });
    ended.join().expect("the thread panicked");
    iprof::update(true);
    iprof::update(true);
}
