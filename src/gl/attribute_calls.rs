//! Loads, through the host's loader, the GL functions for vertex attributes that `glow` lacks.
//! Contexts without vertex array objects need them.

#![allow(unsafe_code, reason = "gives addresses their types")]

// The invariant behind the SAFETY lines:
// "theirs": the type of each entry of `AttributeCalls` is that of the GL registry for its name.

use std::ffi::{CStr, c_void};

/// Functions that `glow` does not have, or only with a pointer type too narrow for the address of an array
/// in the host's memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttributeCalls {
    pub(super) get: unsafe extern "system" fn(u32, u32, *mut i32),
    pub(super) get_pointer: unsafe extern "system" fn(u32, u32, *mut *mut c_void),
    pub(super) set_pointer: unsafe extern "system" fn(u32, i32, u32, u8, i32, *const c_void),
    /// Loaded by any of its names; `None` without instanced arrays.
    pub(super) set_divisor: Option<unsafe extern "system" fn(u32, u32)>,
}

impl AttributeCalls {
    /// Loads the functions; `None` if the loader does not know them all.
    ///
    /// # Safety
    /// What `loader` returns is null or the GL function of that name.
    #[cfg_attr(
        all(target_family = "wasm", not(target_os = "emscripten")),
        allow(dead_code, reason = "there is no loader")
    )]
    pub(crate) unsafe fn load(mut loader: impl FnMut(&CStr) -> *const c_void) -> Option<Self> {
        let mut find = |name| Some(loader(name)).filter(|address| !address.is_null());
        let divisors = [
            c"glVertexAttribDivisor",
            c"glVertexAttribDivisorARB",
            c"glVertexAttribDivisorEXT",
            c"glVertexAttribDivisorANGLE",
        ];
        let divisor = divisors.into_iter().find_map(&mut find);
        // SAFETY: theirs, and not null.
        unsafe {
            Some(Self {
                get: std::mem::transmute::<
                    *const c_void,
                    unsafe extern "system" fn(u32, u32, *mut i32),
                >(find(c"glGetVertexAttribiv")?),
                get_pointer: std::mem::transmute::<
                    *const c_void,
                    unsafe extern "system" fn(u32, u32, *mut *mut c_void),
                >(find(c"glGetVertexAttribPointerv")?),
                set_pointer: std::mem::transmute::<
                    *const c_void,
                    unsafe extern "system" fn(u32, i32, u32, u8, i32, *const c_void),
                >(find(c"glVertexAttribPointer")?),
                set_divisor: divisor.map(|address| {
                    std::mem::transmute::<*const c_void, unsafe extern "system" fn(u32, u32)>(
                        address,
                    )
                }),
            })
        }
    }
}
