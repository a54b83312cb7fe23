//! The traits by which the overlay creates and uses a painter in a GL context of any supported version
//! of `glow`.

#![allow(unsafe_code, reason = "states the host's promise about its GL context")]

use super::attribute_calls::AttributeCalls;
use super::{GlError, HostState};
use crate::overlay::DrawData;
use std::ops::Deref;
use std::rc::Rc;

/// A `glow` context of any supported version.
pub(crate) trait PaintContext: Sized {
    /// Creates a painter bound to the context, as `Painter::new` does.
    ///
    /// # Safety
    /// The context is current on this thread, and `calls` were loaded for it.
    ///
    /// # Errors
    /// The context is too old, or its driver refuses the shaders or an object.
    unsafe fn bound_painter<D: Deref<Target = Self> + 'static>(
        gl: &Rc<D>,
        calls: Option<AttributeCalls>,
    ) -> Result<Box<dyn BoundPainter>, GlError>;
}

/// A painter bound to its context. Every method requires that the context is current.
pub(crate) trait BoundPainter {
    /// The host's viewport: x, y, width and height in px of the framebuffer, y upwards.
    ///
    /// # Safety
    /// The context is current on this thread.
    unsafe fn viewport(&self) -> [i32; 4];

    /// Draws `data` and leaves the host's state as it was, or as `declared`.
    ///
    /// # Safety
    /// The context is current on this thread.
    unsafe fn paint(
        &mut self,
        data: DrawData<'_>,
        viewport: [i32; 4],
        declared: Option<&HostState>,
    );

    /// Deletes the painter's GL objects.
    ///
    /// # Safety
    /// The context is current on this thread; called once, and nothing after it.
    unsafe fn destroy(&mut self);
}
