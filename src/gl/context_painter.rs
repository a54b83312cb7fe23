//! Implements `BoundPainter` for one version of `glow`: a painter together with the context that it
//! was created for. Compiled once per version.

#![allow(unsafe_code, reason = "passes the host's promise on")]

use super::glow;
use super::{Painter, viewport};
use crate::gl::attribute_calls::AttributeCalls;
use crate::gl::{BoundPainter, GlError, HostState, PaintContext};
use crate::overlay::DrawData;
use std::ops::Deref;
use std::rc::Rc;

struct ContextPainter<D> {
    gl: Rc<D>,
    painter: Painter,
}

impl<D: Deref<Target = glow::Context>> BoundPainter for ContextPainter<D> {
    unsafe fn viewport(&self) -> [i32; 4] {
        // SAFETY: the contract is the same, here and below.
        unsafe { viewport(&self.gl) }
    }

    unsafe fn paint(
        &mut self,
        data: DrawData<'_>,
        viewport: [i32; 4],
        declared: Option<&HostState>,
    ) {
        let Self { gl, painter } = self;
        // SAFETY: as above.
        unsafe { painter.paint(gl, data, viewport, declared) }
    }

    unsafe fn destroy(&mut self) {
        // SAFETY: as above.
        unsafe { self.painter.destroy(&self.gl) }
    }
}

impl PaintContext for glow::Context {
    unsafe fn bound_painter<D: Deref<Target = Self> + 'static>(
        gl: &Rc<D>,
        calls: Option<AttributeCalls>,
    ) -> Result<Box<dyn BoundPainter>, GlError> {
        // SAFETY: the contract is the same.
        let painter = unsafe { Painter::new(gl, calls) }?;
        let gl = gl.clone();
        Ok(Box::new(ContextPainter { gl, painter }))
    }
}
