//! The context that `gpu_zone!` names: a context of `glow`, or a smart pointer to one. Anything else is a compile error
//! that says which feature to turn on, like that of `gl::init`.
//!
//! The macro calls a method on `&&&Named(&gl)`. Of the traits below the first whose conditions hold is chosen, as methods
//! are looked up from the outermost reference inwards; the last has none, and its method asks for `GpuContext`.

#![allow(missing_docs)]

use super::GpuContext;
use std::ops::Deref;

/// What the macro was given.
#[derive(Debug)]
pub struct Named<'a, T: ?Sized>(pub &'a T);

impl<T: ?Sized> Clone for Named<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Named<'_, T> {}

pub trait IsContext<'a> {
    fn iprof_context(self) -> &'a dyn GpuContext;
}

impl<'a, T: GpuContext> IsContext<'a> for &&&Named<'a, T> {
    fn iprof_context(self) -> &'a dyn GpuContext {
        self.0.as_gpu_context()
    }
}

pub trait PointsToContext<'a> {
    fn iprof_context(self) -> &'a dyn GpuContext;
}

impl<'a, T: Deref<Target: GpuContext>> PointsToContext<'a> for &&Named<'a, T> {
    fn iprof_context(self) -> &'a dyn GpuContext {
        self.0.deref().as_gpu_context()
    }
}

/// As a reference to an `Rc` of a context.
pub trait PointsToPointer<'a> {
    fn iprof_context(self) -> &'a dyn GpuContext;
}

impl<'a, T: Deref<Target: Deref<Target: GpuContext>>> PointsToPointer<'a> for &Named<'a, T> {
    fn iprof_context(self) -> &'a dyn GpuContext {
        self.0.deref().deref().as_gpu_context()
    }
}

pub trait IsNoContext<'a, T> {
    fn iprof_context(self) -> &'a dyn GpuContext
    where
        T: GpuContext;
}

impl<'a, T> IsNoContext<'a, T> for Named<'a, T> {
    fn iprof_context(self) -> &'a dyn GpuContext
    where
        T: GpuContext,
    {
        self.0.as_gpu_context()
    }
}
