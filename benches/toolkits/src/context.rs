//! A GL context without a window, and a framebuffer to draw into.

use crate::Target;
use glow::HasContext;
use glutin::api::egl::context::PossiblyCurrentContext;
use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::config::{Api, ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::{ContextApi, ContextAttributesBuilder, GlProfile, Version};
use glutin::display::GlDisplay;
use std::ffi::{CStr, c_void};

// SAFETY comments in this package rely on a current context: `Context::new` makes the only context current on the only
// thread, where it stays current.

/// A current GL context that plays the role of the host.
pub(crate) struct Context {
    gl: glow::Context,
    size: [i32; 2],
    display: Display,
    _context: PossiblyCurrentContext,
}

impl Context {
    /// # Panics
    ///
    /// Panics if EGL or OpenGL 3.3 is not available.
    pub(crate) fn new(size: [i32; 2]) -> Context {
        let devices: Vec<_> = Device::query_devices()
            .expect("failed to list EGL devices")
            .collect();
        let software = |d: &&Device| d.extensions().contains("EGL_MESA_device_software");
        let device = devices.iter().find(software).or(devices.first());
        // SAFETY: no raw display is passed that could be stale.
        let display =
            unsafe { Display::with_device(device.expect("no EGL device was found"), None) };
        let display = display.expect("failed to open the EGL display");
        let template = ConfigTemplateBuilder::new()
            .with_api(Api::OPENGL)
            .with_surface_type(ConfigSurfaceTypes::PBUFFER)
            .build();
        // SAFETY: the template names no native window.
        let config = unsafe { display.find_configs(template) }
            .expect("failed to list EGL configs")
            .next();
        let attributes = ContextAttributesBuilder::new()
            .with_profile(GlProfile::Core)
            .with_context_api(ContextApi::OpenGl(Some(Version::new(3, 3))))
            .build(None);
        // SAFETY: there is no window whose handle could be stale.
        let context = unsafe {
            display.create_context(&config.expect("no EGL config was found"), &attributes)
        };
        let context = context
            .expect("a context")
            .make_current_surfaceless()
            .expect("failed to make the context current");
        // SAFETY: the context is current.
        unsafe {
            let get = |name: &CStr| display.get_proc_address(name);
            let gl = glow::Context::from_loader_function_cstr(get);
            let color = gl
                .create_renderbuffer()
                .expect("failed to create a renderbuffer");
            gl.bind_renderbuffer(glow::RENDERBUFFER, Some(color));
            gl.renderbuffer_storage(glow::RENDERBUFFER, glow::RGBA8, size[0], size[1]);
            let framebuffer = gl
                .create_framebuffer()
                .expect("failed to create a framebuffer");
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            gl.framebuffer_renderbuffer(
                glow::FRAMEBUFFER,
                glow::COLOR_ATTACHMENT0,
                glow::RENDERBUFFER,
                Some(color),
            );
            let context = Context {
                gl,
                size,
                display,
                _context: context,
            };
            context.prepare();
            context
        }
    }

    pub(crate) fn loader(&self) -> impl FnMut(&CStr) -> *const c_void {
        |name| self.display.get_proc_address(name)
    }
}

impl Target for Context {
    fn about(&self) -> String {
        let [width, height] = self.size;
        // SAFETY: the context is current.
        unsafe {
            let renderer = self.gl.get_parameter_string(glow::RENDERER);
            let version = self.gl.get_parameter_string(glow::VERSION);
            format!("{width} x {height} px, {renderer}, {version}")
        }
    }

    fn api_sum_name(&self) -> &'static str {
        "= GL calls"
    }

    fn prepare(&self) {
        let gl = &self.gl;
        // SAFETY: the context is current.
        unsafe {
            for what in [
                glow::BLEND,
                glow::SCISSOR_TEST,
                glow::CULL_FACE,
                glow::DEPTH_TEST,
                glow::STENCIL_TEST,
                glow::FRAMEBUFFER_SRGB,
            ] {
                gl.disable(what);
            }
            gl.use_program(None);
            gl.bind_vertex_array(None);
            gl.bind_buffer(glow::ARRAY_BUFFER, None);
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, None);
            gl.color_mask(true, true, true, true);
            gl.viewport(0, 0, self.size[0], self.size[1]);
            gl.clear_color(0.0, 0.0, 0.0, 1.0);
            gl.clear(glow::COLOR_BUFFER_BIT);
            gl.finish();
            assert_eq!(gl.get_error(), glow::NO_ERROR);
        }
    }

    fn finish(&self) {
        // SAFETY: the context is current.
        unsafe { self.gl.finish() };
    }

    fn read(&self) -> Vec<u8> {
        let [width, height] = self.size;
        let mut pixels = vec![0; (width * height * 4) as usize];
        // SAFETY: the context is current, and the buffer has room for the pixels.
        unsafe {
            let into = glow::PixelPackData::Slice(Some(&mut pixels));
            self.gl
                .read_pixels(0, 0, width, height, glow::RGBA, glow::UNSIGNED_BYTE, into);
        }
        pixels
    }
}
