//! Measures the time spent in the GL driver. Times all calls that upload or draw, and records when the overlay's
//! painter makes its first call.

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// A driver function, and the time spent in calls to it.
struct Timed {
    address: AtomicPtr<c_void>,
    ns: AtomicU64,
}

impl Timed {
    const fn new() -> Timed {
        Timed {
            address: AtomicPtr::new(std::ptr::null_mut()),
            ns: AtomicU64::new(0),
        }
    }

    fn call(&self, call: impl FnOnce(*mut c_void)) {
        let start = Instant::now();
        call(self.address.load(Relaxed));
        self.ns
            .fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
    }
}

static UPLOAD: Timed = Timed::new();
static ORPHAN: Timed = Timed::new();
static DRAW: Timed = Timed::new();

/// The function that the painter calls first, after the layout and before it queries the host's state.
static STATUS: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    static PAINT_STARTED: Cell<Option<Instant>> = const { Cell::new(None) };
}

type BufferData = unsafe extern "system" fn(u32, isize, *const c_void, u32);
type BufferSubData = unsafe extern "system" fn(u32, isize, isize, *const c_void);
type CheckFramebufferStatus = unsafe extern "system" fn(u32) -> u32;
type DrawElements = unsafe extern "system" fn(u32, i32, u32, *const c_void);

unsafe extern "system" fn buffer_data(target: u32, size: isize, data: *const c_void, usage: u32) {
    ORPHAN.call(|address| {
        // SAFETY: this calls the driver's function of the same name, whose contract the caller upholds.
        unsafe {
            std::mem::transmute::<*mut c_void, BufferData>(address)(target, size, data, usage)
        }
    });
}

unsafe extern "system" fn buffer_sub_data(
    target: u32,
    at: isize,
    size: isize,
    data: *const c_void,
) {
    UPLOAD.call(|address| {
        // SAFETY: as above.
        unsafe {
            std::mem::transmute::<*mut c_void, BufferSubData>(address)(target, at, size, data)
        }
    });
}

unsafe extern "system" fn draw_elements(mode: u32, count: i32, kind: u32, at: *const c_void) {
    DRAW.call(|address| {
        // SAFETY: as above.
        unsafe { std::mem::transmute::<*mut c_void, DrawElements>(address)(mode, count, kind, at) }
    });
}

unsafe extern "system" fn check_framebuffer_status(target: u32) -> u32 {
    PAINT_STARTED.with(|started| started.set(started.get().or_else(|| Some(Instant::now()))));
    let address = STATUS.load(Relaxed);
    // SAFETY: as above.
    unsafe { std::mem::transmute::<*mut c_void, CheckFramebufferStatus>(address)(target) }
}

/// Wraps `loader` so that it returns the timed functions for uploads and draws, and the function that records when the
/// painter starts.
pub(crate) fn timed(
    mut loader: impl FnMut(&CStr) -> *const c_void,
) -> impl FnMut(&CStr) -> *const c_void {
    move |name| {
        let address = loader(name);
        let (timed, stub) = match name.to_bytes() {
            b"glBufferData" => (&ORPHAN, buffer_data as BufferData as *const c_void),
            b"glBufferSubData" => (&UPLOAD, buffer_sub_data as BufferSubData as *const c_void),
            b"glDrawElements" => (&DRAW, draw_elements as DrawElements as *const c_void),
            b"glCheckFramebufferStatus" => {
                STATUS.store(address.cast_mut(), Relaxed);
                return check_framebuffer_status as CheckFramebufferStatus as *const c_void;
            }
            _ => return address,
        };
        timed.address.store(address.cast_mut(), Relaxed);
        stub
    }
}

/// The times since the last call to [`taken`].
pub(crate) struct Taken {
    /// When the painter started, or `None` if it didn't run.
    pub(crate) paint_started: Option<Instant>,
    /// The nanoseconds spent on uploading vertices, and on drawing.
    pub(crate) upload: u64,
    pub(crate) draw: u64,
}

pub(crate) fn taken() -> Taken {
    let [orphan, upload, draw] = [&ORPHAN, &UPLOAD, &DRAW].map(|timed| timed.ns.swap(0, Relaxed));
    Taken {
        paint_started: PAINT_STARTED.take(),
        upload: orphan + upload,
        draw,
    }
}
