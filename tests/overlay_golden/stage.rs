//! Test setup: a context with a background, and an overlay.

use crate::scenes::STRIPES;
use crate::support::headless::{Headless, Kind, Target};
use crate::support::image::Image;
use crate::support::painted::Painted;
pub(crate) use crate::support::versions::overlay;
use glow::HasContext;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Resets the default view. The view is global, so it is locked while a test uses it.
pub(crate) fn default_view() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // Release the row order held by an earlier test.
    iprof::with_view(|view| view.filter = "rows of no test".to_owned());
    iprof::with_view(|view| *view = iprof::View::default());
    guard
}

/// Returns a context with a striped background, or `None` without GL.
pub(crate) fn stage(kind: Kind, [width, height]: [i32; 2]) -> Option<Headless> {
    let h = Headless::new(kind, Target::new(width, height))?;
    draw_background(&h);
    Some(h)
}

pub(crate) fn draw_background(h: &Headless) {
    let Target { width, height, .. } = h.target;
    let count = STRIPES.len() as i32;
    for (at, [r, g, b]) in (0..count).zip(STRIPES) {
        let (from, to) = (width * at / count, width * (at + 1) / count);
        // SAFETY: the context is current.
        unsafe {
            h.gl.enable(glow::SCISSOR_TEST);
            h.gl.scissor(from, 0, to - from, height);
        }
        h.clear([r, g, b, 1.0]);
    }
    // SAFETY: the context is current.
    unsafe { h.gl.disable(glow::SCISSOR_TEST) };
}

/// Returns the picture that `draw` draws on stripes. Asserts that the driver reports nothing.
pub(crate) fn picture(
    kind: Kind,
    size: [i32; 2],
    draw: impl FnOnce(&mut Painted),
) -> Option<Image> {
    let h = stage(kind, size)?;
    h.take_log();
    let mut overlay = overlay(&h);
    draw(&mut overlay);
    overlay.destroy();
    assert_quiet(&h);
    Some(h.read())
}

pub(crate) fn assert_quiet(h: &Headless) {
    assert_eq!(
        h.take_log(),
        Vec::<String>::new(),
        "the driver should log nothing"
    );
    assert_eq!(h.take_error(), glow::NO_ERROR);
}
