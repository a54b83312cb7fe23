//! What the overlay asks of a GL context, whatever version of `glow` it comes by.

#![allow(unsafe_code, reason = "states the host's promise about its GL context")]

use super::attribute_calls::AttributeCalls;
use super::{AtlasImage, DrawList, GlError, HostState};
use std::ops::Deref;
use std::rc::Rc;

/// A `glow` context in which something can be painted.
pub(crate) trait PaintContext: Sized {
    /// Sets up what it takes to paint in the context, as `Painter::new` of `gl.rs` does.
    ///
    /// # Safety
    /// The context is current on this thread, and `calls` were loaded for it.
    ///
    /// # Errors
    /// The context is too old, or its driver refuses the shaders or an object.
    unsafe fn canvas<D: Deref<Target = Self> + 'static>(
        gl: &Rc<D>,
        calls: Option<AttributeCalls>,
    ) -> Result<Box<dyn Canvas>, GlError>;
}

/// A context and what was set up in it. Each method has the context current as its contract.
pub(crate) trait Canvas {
    /// The host's viewport: x, y, width and height in px of the framebuffer, y upwards.
    ///
    /// # Safety
    /// The context is current on this thread.
    unsafe fn viewport(&self) -> [i32; 4];

    /// Draws `list` and leaves the host's state as it was, or as `declared`.
    ///
    /// # Safety
    /// The context is current on this thread.
    unsafe fn paint(
        &mut self,
        list: &DrawList,
        atlas: &mut AtlasImage,
        viewport: [i32; 4],
        declared: Option<&HostState>,
    );

    /// Deletes what was set up.
    ///
    /// # Safety
    /// The context is current on this thread; called once, and nothing after it.
    unsafe fn destroy(&mut self);
}
