//! Saves and restores the vertex attributes in contexts without vertex array objects (GL 2.1 and ES 2.0 without the
//! extension), where the host and the overlay share one set.

#![allow(unsafe_code, reason = "every GL call is unsafe")]

// Terms used in this file's SAFETY comments:
// "current" means the same as in `mod.rs`.
// "theirs": each function pointer in `AttributeCalls` has the type that the GL registry specifies for its name.

use std::ffi::{CStr, c_void};

use glow::HasContext;

use super::Caps;

/// The maximum number of attributes that are saved. GL requires 16 and ES 8; some drivers have 32.
const MAX_ATTRIBUTES: u32 = 32;
/// The number of attributes that the overlay uses, starting with attribute 0.
pub(crate) const USED: usize = 3;

/// The vertex attribute capabilities of a context without vertex array objects.
#[derive(Debug)]
pub(crate) struct AttributeCaps {
    calls: AttributeCalls,
    count: u32,
    /// Whether attribute 0 is the vertex position and has no current value, as in desktop contexts.
    first_is_the_vertex: bool,
}

impl AttributeCaps {
    /// # Safety
    /// The context of `gl` is current.
    pub(super) unsafe fn detect(gl: &glow::Context, calls: AttributeCalls, caps: &Caps) -> Self {
        // SAFETY: current (contract).
        let count = unsafe { gl.get_parameter_i32(glow::MAX_VERTEX_ATTRIBS) } as u32;
        let divisors = !caps.gles && caps.version >= (3, 3)
            || [
                "GL_ARB_instanced_arrays",
                "GL_EXT_instanced_arrays",
                "GL_ANGLE_instanced_arrays",
            ]
            .iter()
            .any(|name| gl.supported_extensions().contains(*name));
        Self {
            calls: AttributeCalls {
                set_divisor: calls.set_divisor.filter(|_| divisors),
                ..calls
            },
            count: count.min(MAX_ATTRIBUTES),
            first_is_the_vertex: !caps.gles,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Attribute {
    size: i32,
    kind: u32,
    normalized: bool,
    stride: i32,
    buffer: Option<glow::Buffer>,
    /// The array's offset in the buffer, or its address if there is no buffer.
    pointer: *mut c_void,
    divisor: i32,
    /// The attribute's current value, which shaders read while the array is off. A draw with the array on leaves the
    /// value undefined.
    value: [f32; 4],
}

/// Saves the host's attributes while the overlay uses them. All arrays are turned off, so GL reads no host memory,
/// and the attributes that the overlay uses advance once per vertex.
#[must_use = "if unused, the host's state is restored immediately"]
#[derive(Debug)]
pub(super) struct AttributeGuard<'a> {
    gl: &'a glow::Context,
    caps: &'a AttributeCaps,
    /// Bit `i` is set if the array of attribute `i` was on.
    on: u32,
    /// `None` if nothing was queried. In that case, the attributes that the overlay uses are left off.
    used: Option<[Attribute; USED]>,
}

impl<'a> AttributeGuard<'a> {
    /// Turns the arrays off. With `query`, queries the attributes, which are restored when the guard is dropped.
    ///
    /// # Safety
    /// The rules of [`super::StateGuard::save`] apply.
    pub(super) unsafe fn save(gl: &'a glow::Context, caps: &'a AttributeCaps, query: bool) -> Self {
        // SAFETY: current (contract); theirs.
        unsafe {
            let mut guard = Self {
                gl,
                caps,
                on: u32::MAX,
                used: None,
            };
            if query {
                let enabled = |i| guard.get(i, glow::VERTEX_ATTRIB_ARRAY_ENABLED) != 0;
                let on = (0..caps.count).fold(0, |on, i| on | u32::from(enabled(i)) << i);
                guard.on = on;
                guard.used = Some(std::array::from_fn(|i| guard.query(i as u32)));
            }
            for i in (0..caps.count).filter(|i| guard.on & (1 << i) != 0) {
                gl.disable_vertex_attrib_array(i);
            }
            if let Some(set_divisor) = caps.calls.set_divisor {
                for i in 0..USED {
                    if guard.used.is_none_or(|used| used[i].divisor != 0) {
                        set_divisor(i as u32, 0);
                    }
                }
            }
            guard
        }
    }

    unsafe fn get(&self, index: u32, name: u32) -> i32 {
        // Four integers, the maximum that a driver could return.
        let mut value = [0; 4];
        // SAFETY: current; theirs.
        unsafe { (self.caps.calls.get)(index, name, value.as_mut_ptr()) };
        value[0]
    }

    unsafe fn query(&self, index: u32) -> Attribute {
        let calls = &self.caps.calls;
        // SAFETY: current; theirs.
        unsafe {
            let buffer = self.get(index, glow::VERTEX_ATTRIB_ARRAY_BUFFER_BINDING);
            let mut attribute = Attribute {
                size: self.get(index, glow::VERTEX_ATTRIB_ARRAY_SIZE),
                kind: self.get(index, glow::VERTEX_ATTRIB_ARRAY_TYPE) as u32,
                normalized: self.get(index, glow::VERTEX_ATTRIB_ARRAY_NORMALIZED) != 0,
                stride: self.get(index, glow::VERTEX_ATTRIB_ARRAY_STRIDE),
                buffer: buffer_named(buffer as u32),
                pointer: std::ptr::null_mut(),
                divisor: 0,
                value: [0.0; 4],
            };
            let pointer = glow::VERTEX_ATTRIB_ARRAY_POINTER;
            (calls.get_pointer)(index, pointer, &mut attribute.pointer);
            if calls.set_divisor.is_some() {
                attribute.divisor = self.get(index, glow::VERTEX_ATTRIB_ARRAY_DIVISOR);
            }
            if self.has_value(index) {
                let name = glow::CURRENT_VERTEX_ATTRIB;
                let value = &mut attribute.value;
                self.gl
                    .get_vertex_attrib_parameter_f32_slice(index, name, value);
            }
            attribute
        }
    }

    fn has_value(&self, index: u32) -> bool {
        index > 0 || !self.caps.first_is_the_vertex
    }

    /// Restores an attribute. Changes the array buffer binding.
    unsafe fn restore(&self, index: u32, attribute: &Attribute) {
        let (gl, calls) = (self.gl, &self.caps.calls);
        let Attribute {
            size,
            kind,
            stride,
            pointer,
            ..
        } = *attribute;
        // SAFETY: current; theirs; the host itself had set these values.
        unsafe {
            gl.bind_buffer(glow::ARRAY_BUFFER, attribute.buffer);
            let normalized = u8::from(attribute.normalized);
            (calls.set_pointer)(index, size, kind, normalized, stride, pointer);
            if let Some(set_divisor) = calls.set_divisor
                && attribute.divisor != 0
            {
                set_divisor(index, attribute.divisor as u32);
            }
            if self.has_value(index) {
                let [x, y, z, w] = attribute.value;
                gl.vertex_attrib_4_f32(index, x, y, z, w);
            }
        }
    }
}

impl Drop for AttributeGuard<'_> {
    fn drop(&mut self) {
        let gl = self.gl;
        // SAFETY: current, since `save`'s contract lasts until here.
        unsafe {
            for i in 0..USED as u32 {
                gl.disable_vertex_attrib_array(i);
            }
            let Some(used) = &self.used else { return };
            let mut on = self.on;
            for (i, attribute) in (0..).zip(used) {
                // A sharing context has deleted the buffer. Binding the buffer would be an error, and without a buffer
                // GL would interpret the offset as an address.
                if attribute.buffer.is_some_and(|b| !gl.is_buffer(b)) {
                    on &= !(1 << i);
                } else {
                    self.restore(i, attribute);
                }
            }
            for i in (0..self.caps.count).filter(|i| on & (1 << i) != 0) {
                gl.enable_vertex_attrib_array(i);
            }
        }
    }
}

#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
fn buffer_named(name: u32) -> Option<glow::Buffer> {
    std::num::NonZeroU32::new(name).map(glow::NativeBuffer)
}

/// Never called. WebGL 2 has vertex array objects, and WebGL objects have no numeric names.
#[cfg(all(target_family = "wasm", not(target_os = "emscripten")))]
fn buffer_named(_: u32) -> Option<glow::Buffer> {
    None
}

/// Functions that `glow` lacks, or declares with a pointer type too narrow for an address in the host's memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttributeCalls {
    get: unsafe extern "system" fn(u32, u32, *mut i32),
    get_pointer: unsafe extern "system" fn(u32, u32, *mut *mut c_void),
    set_pointer: unsafe extern "system" fn(u32, i32, u32, u8, i32, *const c_void),
    /// `glVertexAttribDivisor` under any of its names, or `None` without instanced arrays.
    set_divisor: Option<unsafe extern "system" fn(u32, u32)>,
}

impl AttributeCalls {
    /// Loads the functions. Returns `None` if the loader lacks a required one.
    ///
    /// # Safety
    /// `loader` must return null or the GL function with the given name.
    #[cfg_attr(
        all(target_family = "wasm", not(target_os = "emscripten")),
        allow(dead_code, reason = "web pages have no loader")
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
