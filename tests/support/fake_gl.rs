//! A fake GL without a driver. It records calls, and answers queries as a new context would. It implements only the
//! functions that the overlay calls, so `glow` panics if a test calls any other function.

#![allow(unsafe_code, reason = "the functions of a GL loader have C signatures")]

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_void};

thread_local! {
    static CALLS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    static VERSION: Cell<&'static CStr> = const { Cell::new(c"4.5 of no driver") };
    static LOST: Cell<bool> = const { Cell::new(false) };
    static FORMATS: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    static LAST_NAME: Cell<u32> = const { Cell::new(0) };
    static EXTENSIONS: Cell<&'static [&'static CStr]> = const { Cell::new(&[]) };
    static READY: Cell<bool> = const { Cell::new(true) };
    static DISJOINTS_ASKED: Cell<usize> = const { Cell::new(0) };
    static PLACES: RefCell<Vec<[f32; 2]>> = const { RefCell::new(Vec::new()) };
    static BACK_EVERYWHERE: Cell<bool> = const { Cell::new(false) };
    static CALLBACK: Cell<Option<fn(&'static str)>> = const { Cell::new(None) };
}

const GPU_DISJOINT: u32 = 0x8FBB;

/// Sets the version string of this thread's context, such as `2.1 …` or `OpenGL ES 3.0 …`.
pub fn set_version(version: &'static CStr) {
    VERSION.set(version);
}

/// Sets the extensions. Must be called before a `glow` context is created.
pub fn set_extensions(names: &'static [&'static CStr]) {
    EXTENSIONS.set(names);
}

/// Sets whether query results are available, which they are by default.
pub fn set_ready(is_ready: bool) {
    READY.set(is_ready);
}

/// Makes the default framebuffer behave as in Chrome, which reports `GL_BACK` for every possible draw buffer although
/// there is only one.
pub fn set_back_everywhere(is_everywhere: bool) {
    BACK_EVERYWHERE.set(is_everywhere);
}

/// Returns how many times the disjoint state of GPU timers was queried since the last call.
pub fn take_disjoint_queries() -> usize {
    DISJOINTS_ASKED.take()
}

/// Makes each GL function call `callback` with its name, like synchronous debug output. GL calls made by `callback`
/// itself do not.
pub fn set_callback(callback: Option<fn(&'static str)>) {
    CALLBACK.set(callback);
}

pub fn write_down(name: &'static str) {
    CALLS.with_borrow_mut(|calls| calls.push(name));
}

fn called(name: &'static str) {
    write_down(name);
    if let Some(callback) = CALLBACK.take() {
        callback(name);
        CALLBACK.set(Some(callback));
    }
}

/// Makes this thread's context lost, as after a GPU reset: calls do nothing, and queries return nothing.
pub fn lose() {
    LOST.set(true);
}

/// Returns this thread's GL calls since this function was last called, in order.
pub fn take_calls() -> Vec<&'static str> {
    CALLS.take()
}

/// Returns the internal format and format of each texture created on this thread.
pub fn take_formats() -> Vec<u32> {
    FORMATS.take()
}

/// Returns the vertices drawn on this thread since the last call, in pixels from the viewport's top left corner.
pub fn take_places() -> Vec<[f32; 2]> {
    PLACES.take()
}

/// Records vertex positions.
///
/// # Safety
///
/// `data` must point to `size` bytes that hold the overlay's vertices.
unsafe fn place(target: u32, size: isize, data: *const c_void) {
    if target != glow::ARRAY_BUFFER {
        return;
    }
    // SAFETY: the caller promises it.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size as usize) };
    let float = |at: &[u8]| f32::from_ne_bytes([at[0], at[1], at[2], at[3]]);
    let vertices = bytes.chunks_exact(16);
    let places = vertices.map(|vertex| [float(&vertex[..4]), float(&vertex[4..8])]);
    PLACES.with_borrow_mut(|all| all.extend(places));
}

/// Returns whether a driver that queues calls for a separate thread would have to wait for this call to complete.
pub fn is_question(call: &str) -> bool {
    let words = [
        "glGet",
        "glIs",
        "glCheck",
        "glRead",
        "glFinish",
        "glClientWait",
        "glMap",
    ];
    words.iter().any(|word| call.starts_with(word))
}

macro_rules! functions {
    ($($name:ident($($arg:ident: $type:ty),*) $(-> $result:ty = $value:expr)?;)*) => {
        /// Returns the address of the named function, or null.
        pub fn address(name: &CStr) -> *const c_void {
            $({
                #[allow(non_snake_case, clippy::redundant_closure_call)]
                unsafe extern "system" fn $name($($arg: $type),*) $(-> $result)? {
                    called(stringify!($name));
                    $(let _ = $arg;)*
                    $(return $value;)?
                }
                if name.to_bytes() == stringify!($name).as_bytes() {
                    return $name as *const c_void;
                }
            })*
            std::ptr::null()
        }
    };
}

/// Returns `answer`, or zero if the context is lost.
fn answer<T: Default>(answer: T) -> T {
    if LOST.get() { T::default() } else { answer }
}

/// # Safety
///
/// `to` must have room for the named value.
unsafe fn integers(name: u32, to: *mut i32) {
    if name == GPU_DISJOINT {
        DISJOINTS_ASKED.set(DISJOINTS_ASKED.get() + 1);
    }
    let value: &[i32] = match name {
        glow::NUM_EXTENSIONS => &[EXTENSIONS.get().len() as i32],
        glow::VIEWPORT => &[0, 0, 640, 480],
        glow::MAX_DRAW_BUFFERS | glow::MAX_CLIP_DISTANCES => &[8],
        glow::MAX_VERTEX_ATTRIBS => &[16],
        glow::CONTEXT_PROFILE_MASK => &[glow::CONTEXT_CORE_PROFILE_BIT as i32],
        glow::ACTIVE_TEXTURE => &[glow::TEXTURE0 as i32],
        glow::DRAW_BUFFER0 => &[glow::BACK as i32],
        glow::DRAW_BUFFER1..=glow::DRAW_BUFFER15 if BACK_EVERYWHERE.get() => &[glow::BACK as i32],
        glow::POLYGON_MODE => &[glow::FILL as i32, glow::FILL as i32],
        glow::UNPACK_ALIGNMENT => &[4],
        _ => &[0],
    };
    if !LOST.get() {
        // SAFETY: the caller promises it.
        unsafe { to.copy_from_nonoverlapping(value.as_ptr(), value.len()) };
    }
}

/// Writes one value.
///
/// # Safety
///
/// `to` must have room for the value.
unsafe fn one<T>(value: T, to: *mut T) {
    if !LOST.get() {
        // SAFETY: the caller promises it.
        unsafe { to.write(value) };
    }
}

fn new_name() -> u32 {
    LAST_NAME.set(LAST_NAME.get() + 1);
    answer(LAST_NAME.get())
}

functions! {
    glGetString(name: u32) -> *const c_char = match name {
        _ if LOST.get() => std::ptr::null(),
        glow::VERSION => VERSION.get().as_ptr(),
        _ => c"".as_ptr(),
    };
    glGetStringi(name: u32, index: u32) -> *const c_char =
        EXTENSIONS.get().get(index as usize).map_or(c"".as_ptr(), |name| name.as_ptr());
    // SAFETY: the caller provides room for the value, both here and below.
    glGetIntegerv(name: u32, to: *mut i32) -> () = unsafe { integers(name, to) };
    glGetBooleanv(name: u32, to: *mut u8) -> () = {
        let count = if name == glow::COLOR_WRITEMASK { 4 } else { 1 };
        for i in 0..count {
            // SAFETY: the caller provides room for the value.
            unsafe { one(u8::from(count > 1), to.add(i)) };
        }
    };
    glIsEnabled(name: u32) -> u8 = 0;
    glIsBuffer(name: u32) -> u8 = answer(1);
    glIsProgram(name: u32) -> u8 = answer(1);
    glIsTexture(name: u32) -> u8 = answer(1);
    glCheckFramebufferStatus(target: u32) -> u32 = answer(glow::FRAMEBUFFER_COMPLETE);
    glGetFramebufferAttachmentParameteriv(target: u32, at: u32, name: u32, to: *mut i32);
    // SAFETY: as above.
    glGetProgramiv(program: u32, name: u32, to: *mut i32) -> () = unsafe { one(1, to) };
    // SAFETY: as above.
    glGetShaderiv(shader: u32, name: u32, to: *mut i32) -> () = unsafe { one(1, to) };
    glGetShaderInfoLog(shader: u32, room: i32, length: *mut i32, to: *mut c_char);
    glGetProgramInfoLog(program: u32, room: i32, length: *mut i32, to: *mut c_char);
    glGetUniformLocation(program: u32, name: *const c_char) -> i32 = answer(3) - 1;
    glGetVertexAttribiv(index: u32, name: u32, to: *mut i32) -> () = {
        let on = name == glow::VERTEX_ATTRIB_ARRAY_ENABLED;
        // SAFETY: as above.
        unsafe { one(i32::from(on), to) };
    };
    glGetVertexAttribfv(index: u32, name: u32, to: *mut f32);
    glGetVertexAttribPointerv(index: u32, name: u32, to: *mut *mut c_void);

    glCreateProgram() -> u32 = new_name();
    glCreateShader(stage: u32) -> u32 = new_name();
    // SAFETY: as above.
    glGenVertexArrays(count: i32, to: *mut u32) -> () = unsafe { to.write(new_name()) };
    // SAFETY: as above.
    glGenBuffers(count: i32, to: *mut u32) -> () = unsafe { to.write(new_name()) };
    // SAFETY: as above.
    glGenTextures(count: i32, to: *mut u32) -> () = unsafe { to.write(new_name()) };
    // SAFETY: as above.
    glGenQueries(count: i32, to: *mut u32) -> () = unsafe { to.write(new_name()) };
    glQueryCounter(query: u32, what: u32);
    // SAFETY: as above.
    glGetQueryObjectuiv(query: u32, what: u32, to: *mut u32) -> () = unsafe { one(READY.get().into(), to) };
    // SAFETY: as above.
    glGetQueryObjectui64v(query: u32, what: u32, to: *mut u64) -> () = unsafe { one(1, to) };
    glShaderSource(shader: u32, count: i32, texts: *const *const c_char, lengths: *const i32);
    glCompileShader(shader: u32);
    glAttachShader(program: u32, shader: u32);
    glDeleteShader(shader: u32);
    glBindAttribLocation(program: u32, index: u32, name: *const c_char);
    glBindFragDataLocation(program: u32, index: u32, name: *const c_char);
    glLinkProgram(program: u32);
    glDeleteProgram(program: u32);
    glDeleteVertexArrays(count: i32, names: *const u32);
    glDeleteBuffers(count: i32, names: *const u32);
    glDeleteTextures(count: i32, names: *const u32);
    glDeleteQueries(count: i32, names: *const u32);

    glActiveTexture(unit: u32);
    glBindTexture(target: u32, texture: u32);
    glBindSampler(unit: u32, sampler: u32);
    glBindBuffer(target: u32, buffer: u32);
    glBindVertexArray(array: u32);
    glUseProgram(program: u32);
    glUniform4fv(location: i32, count: i32, values: *const f32);
    glEnable(name: u32);
    glDisable(name: u32);
    glEnablei(name: u32, index: u32);
    glDisablei(name: u32, index: u32);
    glBlendFuncSeparate(a: u32, b: u32, c: u32, d: u32);
    glBlendFuncSeparatei(index: u32, a: u32, b: u32, c: u32, d: u32);
    glBlendEquation(mode: u32);
    glBlendEquationi(index: u32, mode: u32);
    glBlendEquationSeparate(rgb: u32, alpha: u32);
    glBlendEquationSeparatei(index: u32, rgb: u32, alpha: u32);
    glColorMask(r: u8, g: u8, b: u8, a: u8);
    glColorMaski(index: u32, r: u8, g: u8, b: u8, a: u8);
    glPolygonMode(face: u32, mode: u32);
    glDrawBuffers(count: i32, buffers: *const u32);
    glPixelStorei(name: u32, value: i32);
    glTexParameteri(target: u32, name: u32, value: i32);
    glTexImage2D(
        target: u32, level: i32, internal: i32, width: i32, height: i32, border: i32, format: u32,
        kind: u32, pixels: *const c_void
    ) -> () = FORMATS.with_borrow_mut(|formats| formats.extend([internal as u32, format]));
    glTexSubImage2D(
        target: u32, level: i32, x: i32, y: i32, width: i32, height: i32, format: u32, kind: u32,
        pixels: *const c_void
    );
    glBufferData(target: u32, size: isize, data: *const c_void, usage: u32);
    glBufferSubData(target: u32, offset: isize, size: isize, data: *const c_void) -> () = {
        // SAFETY: the caller passes this many bytes.
        unsafe { place(target, size, data) };
    };
    glEnableVertexAttribArray(index: u32);
    glDisableVertexAttribArray(index: u32);
    glVertexAttribPointer(
        index: u32, size: i32, kind: u32, normalized: u8, stride: i32, pointer: *const c_void
    );
    glVertexAttribDivisor(index: u32, divisor: u32);
    glVertexAttrib4f(index: u32, x: f32, y: f32, z: f32, w: f32);
    glDrawElements(mode: u32, count: i32, kind: u32, at: *const c_void);
}
