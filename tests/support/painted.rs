//! An overlay with its painter.

#![allow(unsafe_code, reason = "creating a painter requires a current context")]

use iprof::gl::{GlError, HostState, Painter};
use iprof::overlay::{Frame, Overlay};
use std::ops::{Deref, DerefMut};

#[derive(Debug)]
pub struct Painted {
    pub overlay: Overlay,
    pub painter: Painter,
}

impl Painted {
    pub fn by(painter: Painter) -> Painted {
        Painted {
            overlay: Overlay::new(),
            painter,
        }
    }

    /// # Safety
    ///
    /// The contract of [`Painter::new`] applies.
    pub unsafe fn new(
        gl: impl Deref<Target = glow::Context> + 'static,
    ) -> Result<Painted, GlError> {
        // SAFETY: the caller upholds the same contract.
        unsafe { Painter::new(gl) }.map(Painted::by)
    }

    /// # Safety
    ///
    /// The contract of [`Painter::from_loader`] applies.
    #[cfg(not(target_family = "wasm"))]
    pub unsafe fn from_loader(
        loader: impl FnMut(&std::ffi::CStr) -> *const std::ffi::c_void,
    ) -> Result<Painted, GlError> {
        // SAFETY: the caller upholds the same contract.
        unsafe { Painter::from_loader(loader) }.map(Painted::by)
    }

    pub fn draw<R>(&mut self, add_parts: impl FnOnce(&mut Frame<'_>) -> R) -> R {
        self.painter.draw(&mut self.overlay, add_parts)
    }

    pub fn set_host_state(&mut self, state: Option<HostState>) {
        self.painter.set_host_state(state);
    }

    pub fn destroy(self) {
        self.painter.destroy();
    }

    /// Returns both parts, as `make_current` expects them.
    pub fn pair(self) -> (Overlay, Painter) {
        (self.overlay, self.painter)
    }
}

impl Deref for Painted {
    type Target = Overlay;

    fn deref(&self) -> &Overlay {
        &self.overlay
    }
}

impl DerefMut for Painted {
    fn deref_mut(&mut self) -> &mut Overlay {
        &mut self.overlay
    }
}
