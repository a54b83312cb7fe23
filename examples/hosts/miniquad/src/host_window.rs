//! A miniquad program's window, and the overlay in it.

use miniquad::conf::{Conf, LinuxX11Gl, Platform};
use miniquad::native::module::Module;
use miniquad::{gl, window};
use picture::{GRAPH, HISTORY, Options, REPORT, SIZE};
use std::ffi::{CStr, c_char, c_void};

pub(crate) fn conf(title: &str) -> Conf {
    Conf {
        window_title: title.into(),
        window_width: SIZE[0] as i32,
        window_height: SIZE[1] as i32,
        platform: Platform {
            linux_x11_gl: LinuxX11Gl::EGLOnly,
            ..Default::default()
        },
        ..Default::default()
    }
}

/// Creates the overlay with the loader function that miniquad itself uses.
pub(crate) fn init_overlay() {
    type GetProcAddress = unsafe extern "C" fn(*const c_char) -> *const c_void;
    let egl = Module::load("libEGL.so.1").expect("failed to load EGL");
    let find: GetProcAddress = egl
        .get_symbol("eglGetProcAddress")
        .expect("libEGL lacks eglGetProcAddress");
    // SAFETY: `find` returns null or the OpenGL function with that name. miniquad makes its only context current on
    // this thread before it requests an event handler, and leaves it current.
    unsafe { iprof::gl::init_from_loader(|name: &CStr| find(name.as_ptr())) }
        .expect("failed to create the overlay");
    iprof::configure(|config| config.history = HISTORY);
}

/// Draws the overlay on top of the frame. After the last frame, writes the picture and exits the program.
pub(crate) fn finish_frame(options: &Options, frame: u32) {
    if options.overlay {
        let [x, y, w, h] = REPORT;
        iprof::draw_gl(x, y, w, h, 2);
        let [x, y, per_frame, per_ms] = GRAPH;
        iprof::draw_graph_gl(x, y, per_frame, per_ms);
    }
    if options.is_last(frame) {
        let (width, height) = window::screen_size();
        let size = [width as u32, height as u32];
        options.save(size, &pixels(size));
        window::order_quit();
    }
}

fn pixels([width, height]: [u32; 2]) -> Vec<u8> {
    let mut pixels = vec![0_u8; (4 * width * height) as usize];
    // SAFETY: the context is current while miniquad draws, and there is room for all pixels.
    unsafe {
        let (width, height) = (width as i32, height as i32);
        let to = pixels.as_mut_ptr().cast();
        gl::glReadPixels(0, 0, width, height, gl::GL_RGBA, gl::GL_UNSIGNED_BYTE, to);
    }
    pixels
}
