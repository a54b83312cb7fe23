//! A GL context without a window. The context is created with EGL through glutin. It has no surface, but a framebuffer
//! to draw into.
//!
//! This file is long because creating such a context takes many steps.

#![allow(unsafe_code, reason = "every GL call is unsafe")]

// The SAFETY comments rely on the context being current. `Headless::new` makes it current on the calling thread, and
// `Headless` cannot leave that thread, because its context is not `Send`. A test with several contexts calls
// `make_current` before it uses a different one.

use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, OnceLock};

use glow::HasContext;
use glutin::api::egl::config::Config;
use glutin::api::egl::context::PossiblyCurrentContext;
use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::config::{Api, ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::{ContextApi, ContextAttributesBuilder, GlProfile, Version};
use glutin::display::GlDisplay;
use glutin::prelude::PossiblyCurrentGlContext;

/// The kind of context to request. The driver may return a newer version in the same family. Use [`in_old_gl`] to get
/// an old version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A version older than those that the overlay supports.
    Gl20,
    Gl21,
    Gl30,
    Gl31,
    Gl32Core,
    Gl32Compat,
    Gl33Core,
    Gl33Compat,
    Gl45Core,
    Gl45Compat,
    Gles20,
    Gles30,
    Gles31,
    Gles32,
}

impl Kind {
    fn attributes(self) -> (Api, ContextApi, Option<GlProfile>) {
        let desktop = |major, minor, profile| {
            let version = ContextApi::OpenGl(Some(Version::new(major, minor)));
            (Api::OPENGL, version, profile)
        };
        let es = |api, major, minor| {
            let version = ContextApi::Gles(Some(Version::new(major, minor)));
            (api, version, None)
        };
        let core = Some(GlProfile::Core);
        let compatibility = Some(GlProfile::Compatibility);
        match self {
            Self::Gl20 => desktop(2, 0, None),
            Self::Gl21 => desktop(2, 1, None),
            Self::Gl30 => desktop(3, 0, None),
            Self::Gl31 => desktop(3, 1, None),
            Self::Gl32Core => desktop(3, 2, core),
            Self::Gl32Compat => desktop(3, 2, compatibility),
            Self::Gl33Core => desktop(3, 3, core),
            Self::Gl33Compat => desktop(3, 3, compatibility),
            Self::Gl45Core => desktop(4, 5, core),
            Self::Gl45Compat => desktop(4, 5, compatibility),
            Self::Gles20 => es(Api::GLES2, 2, 0),
            Self::Gles30 => es(Api::GLES3, 3, 0),
            Self::Gles31 => es(Api::GLES3, 3, 1),
            Self::Gles32 => es(Api::GLES3, 3, 2),
        }
    }
}

/// The framebuffer to draw into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    pub width: i32,
    pub height: i32,
    /// The number of samples, or 0 without multisampling.
    pub samples: i32,
    /// Whether the color format is `GL_SRGB8_ALPHA8` instead of `GL_RGBA8`.
    pub srgb: bool,
}

impl Target {
    pub fn new(width: i32, height: i32) -> Self {
        Self {
            width,
            height,
            samples: 0,
            srgb: false,
        }
    }

    fn color_format(self) -> u32 {
        if self.srgb {
            glow::SRGB8_ALPHA8
        } else {
            glow::RGBA8
        }
    }
}

/// GL functions that `glow` lacks, and getters whose `glow` versions are too narrow. A function exists if the driver
/// exports its name, even if calling it is illegal in the context.
macro_rules! raw {
    ($($field:ident: $name:literal, fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        pub struct Raw { $(pub $field: unsafe extern "system" fn($($arg),*) $(-> $ret)?,)* }

        impl Raw {
            fn load(get: impl Fn(&CStr) -> *const c_void) -> Self {
                Self {$(
                    $field: {
                        let address = get($name);
                        assert!(!address.is_null(), "the driver has no {:?}", $name);
                        // SAFETY: the type is the one in the GL registry.
                        unsafe {
                            std::mem::transmute::<
                                *const c_void,
                                unsafe extern "system" fn($($arg),*) $(-> $ret)?,
                            >(address)
                        }
                    },
                )*}
            }
        }
    };
}

raw! {
    get_integer_i: c"glGetIntegeri_v", fn(u32, u32, *mut i32);
    get_boolean_i: c"glGetBooleani_v", fn(u32, u32, *mut u8);
    get_float_i: c"glGetFloati_v", fn(u32, u32, *mut f32);
    is_enabled_i: c"glIsEnabledi", fn(u32, u32) -> u8;
    get_query: c"glGetQueryiv", fn(u32, u32, *mut i32);
    get_vertex_attrib_pointer: c"glGetVertexAttribPointerv", fn(u32, u32, *mut *mut c_void);
    clip_control: c"glClipControl", fn(u32, u32);
    logic_op: c"glLogicOp", fn(u32);
    primitive_restart_index: c"glPrimitiveRestartIndex", fn(u32);
    sample_mask_i: c"glSampleMaski", fn(u32, u32);
    gen_program_pipelines: c"glGenProgramPipelines", fn(i32, *mut u32);
    bind_program_pipeline: c"glBindProgramPipeline", fn(u32);
    use_program_stages: c"glUseProgramStages", fn(u32, u32, u32);
    program_parameter: c"glProgramParameteri", fn(u32, u32, i32);
    alpha_func: c"glAlphaFunc", fn(u32, f32);
    polygon_stipple: c"glPolygonStipple", fn(*const u8);
    min_sample_shading: c"glMinSampleShading", fn(f32);
    get_attached_shaders: c"glGetAttachedShaders", fn(u32, i32, *mut i32, *mut u32);
    vertex_attrib_divisor_arb: c"glVertexAttribDivisorARB", fn(u32, u32);
    vertex_pointer: c"glVertexPointer", fn(i32, u32, i32, *const c_void);
    enable_client_state: c"glEnableClientState", fn(u32);
    vertex_attrib_pointer: c"glVertexAttribPointer", fn(u32, i32, u32, u8, i32, *const c_void);
}

/// A current context. Its framebuffer is bound, and its viewport covers the framebuffer.
pub struct Headless {
    pub gl: Arc<glow::Context>,
    pub raw: Raw,
    pub kind: Kind,
    pub target: Target,
    pub framebuffer: glow::Framebuffer,
    pub colors: glow::Renderbuffer,
    log: Arc<Mutex<Vec<String>>>,
    context: PossiblyCurrentContext,
}

impl Headless {
    /// Creates a context. If that fails, prints that the test is skipped and returns `None`, or panics if
    /// `IPROF_REQUIRE_GL=1`.
    pub fn new(kind: Kind, target: Target) -> Option<Self> {
        match Self::try_new(kind, target) {
            Ok(headless) => Some(headless),
            Err(reason) if std::env::var_os("IPROF_REQUIRE_GL").is_some_and(|v| v == "1") => {
                panic!("IPROF_REQUIRE_GL=1, and there is no {kind:?} context: {reason}")
            }
            Err(reason) => {
                println!("skipped: no {kind:?} context: {reason}");
                None
            }
        }
    }

    fn try_new(kind: Kind, target: Target) -> Result<Self, String> {
        let display = display()?;
        let (api, version, profile) = kind.attributes();
        let config = config(display, api)?;
        let mut attributes = ContextAttributesBuilder::new().with_context_api(version);
        if let Some(profile) = profile {
            attributes = attributes.with_profile(profile);
        }
        // SAFETY: there is no window whose handle could be stale.
        let context = unsafe { display.create_context(&config, &attributes.build(None)) }
            .map_err(|e| format!("create context: {e}"))?;
        let context = context
            .make_current_surfaceless()
            .map_err(|e| format!("current: {e}"))?;

        let log = Arc::new(Mutex::new(Vec::new()));
        let get = |name: &CStr| display.get_proc_address(name);
        // SAFETY: the context is current from here on.
        let gl = unsafe {
            let mut gl = glow::Context::from_loader_function_cstr(get);
            let sink = Arc::clone(&log);
            gl.debug_message_callback(move |_source, kind, id, severity, message| {
                let message = format!(
                    "type {kind:#x} id {id} severity {severity:#x}: {}",
                    message.trim()
                );
                sink.lock().unwrap_or_else(|e| e.into_inner()).push(message);
            });
            gl.enable(glow::DEBUG_OUTPUT);
            gl.enable(glow::DEBUG_OUTPUT_SYNCHRONOUS);
            // NVIDIA's driver reports where each buffer is stored, and Mesa reports how each shader was compiled.
            let (all, notification) = (glow::DONT_CARE, glow::DEBUG_SEVERITY_NOTIFICATION);
            gl.debug_message_control(all, all, notification, &[], false);
            gl
        };
        // SAFETY: the context is current.
        let (framebuffer, colors) = unsafe { framebuffer(&gl, target) };
        let headless = Self {
            gl: Arc::new(gl),
            raw: Raw::load(get),
            kind,
            target,
            framebuffer,
            colors,
            log,
            context,
        };
        // Discard messages about creating the framebuffer.
        headless.take_log();
        while headless.take_error() != glow::NO_ERROR {}
        Ok(headless)
    }

    /// Returns whether the version is at least the given version for desktop GL or for ES.
    pub fn from(&self, desktop: (u32, u32), es: (u32, u32)) -> bool {
        let version = self.gl.version();
        (version.major, version.minor) >= if version.is_embedded { es } else { desktop }
    }

    /// Returns whether the driver respects the variables set by [`in_old_gl`].
    pub fn is_mesa(&self) -> bool {
        self.gl.version().vendor_info.contains("Mesa")
    }

    /// Returns whether the context has fixed functions and can draw without a vertex array object.
    pub fn is_compatible(&self) -> bool {
        let version = self.gl.version();
        let profile = glow::CONTEXT_COMPATIBILITY_PROFILE_BIT as i32;
        let forward = glow::CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT as i32;
        !version.is_embedded
            && match (version.major, version.minor) {
                (..=2, _) => true,
                // SAFETY: the context is current, and 3.0 has flags.
                (3, 0) => unsafe { self.gl.get_parameter_i32(glow::CONTEXT_FLAGS) & forward == 0 },
                (3, 1) => self
                    .gl
                    .supported_extensions()
                    .contains("GL_ARB_compatibility"),
                // SAFETY: the context is current, and 3.2 has profiles.
                _ => unsafe {
                    self.gl.get_parameter_i32(glow::CONTEXT_PROFILE_MASK) & profile != 0
                },
            }
    }

    /// Returns the address of a GL function, as loaders need it.
    pub fn address(name: &CStr) -> *const c_void {
        display().map_or(std::ptr::null(), |display| display.get_proc_address(name))
    }

    pub fn make_current(&self) {
        self.context
            .make_current_surfaceless()
            .expect("the context should be current on this thread");
    }

    /// Returns the driver's debug messages since the last call (KHR_debug, synchronous).
    pub fn take_log(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(|e| e.into_inner()))
    }

    /// Clears the framebuffer to a color, depth 1 and stencil 0. The result is only correct before the test has set any
    /// state.
    pub fn clear(&self, [r, g, b, a]: [f32; 4]) {
        // SAFETY: the context is current.
        unsafe {
            self.gl.clear_color(r, g, b, a);
            self.gl
                .clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT | glow::STENCIL_BUFFER_BIT);
        }
    }

    /// Creates a second color buffer like the target's.
    pub fn new_colors(&self) -> glow::Renderbuffer {
        let Target {
            width,
            height,
            samples,
            ..
        } = self.target;
        // SAFETY: the context is current.
        unsafe {
            let format = self.target.color_format();
            let colors = renderbuffer(&self.gl, format, width, height, samples);
            self.gl.bind_renderbuffer(glow::RENDERBUFFER, None);
            colors
        }
    }

    /// Makes the framebuffer, which must be bound, draw to a different color buffer.
    pub fn swap_colors(&self, colors: glow::Renderbuffer) {
        // SAFETY: the context is current.
        unsafe {
            self.gl.framebuffer_renderbuffer(
                glow::FRAMEBUFFER,
                glow::COLOR_ATTACHMENT0,
                glow::RENDERBUFFER,
                Some(colors),
            );
        }
    }

    /// Returns the framebuffer as RGBA, top row first. Changes the context's state.
    pub fn read(&self) -> super::image::Image {
        self.read_attachment(self.framebuffer, glow::COLOR_ATTACHMENT0)
    }

    /// Returns an attachment of a framebuffer of the target's size. Changes the context's state.
    pub fn read_attachment(
        &self,
        framebuffer: glow::Framebuffer,
        attachment: u32,
    ) -> super::image::Image {
        let (
            gl,
            Target {
                width,
                height,
                samples,
                ..
            },
        ) = (&self.gl, self.target);
        let mut pixels = vec![0; width as usize * height as usize * 4];
        // SAFETY: the context is current, and `pixels` has room for each byte, without padding.
        unsafe {
            // ES 2.0 has a single binding for drawing and reading, and this name refers to it.
            let drawn_to = gl.get_parameter_framebuffer(glow::DRAW_FRAMEBUFFER_BINDING);
            gl.disable(glow::SCISSOR_TEST);
            if self.from((2, 1), (3, 0)) {
                gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(framebuffer));
                gl.read_buffer(attachment);
                if samples > 0 {
                    let target = Target {
                        samples: 0,
                        ..self.target
                    };
                    let (single, _) = self::framebuffer(gl, target);
                    // NVIDIA's driver resolves multisampled framebuffers by drawing, so these settings affect it.
                    for (switch, desktop, es) in [
                        (glow::RASTERIZER_DISCARD, (3, 0), (3, 0)),
                        (glow::SAMPLE_ALPHA_TO_COVERAGE, (2, 1), (3, 0)),
                        (glow::SAMPLE_COVERAGE, (2, 1), (3, 0)),
                        (glow::SAMPLE_MASK, (3, 2), (3, 1)),
                    ] {
                        if self.from(desktop, es) {
                            gl.disable(switch);
                        }
                    }
                    gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(framebuffer));
                    gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(single));
                    let (w, h) = (width, height);
                    let colors = glow::COLOR_BUFFER_BIT;
                    gl.blit_framebuffer(0, 0, w, h, 0, 0, w, h, colors, glow::NEAREST);
                    gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(single));
                }
                gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
                for name in [
                    glow::PACK_ROW_LENGTH,
                    glow::PACK_SKIP_ROWS,
                    glow::PACK_SKIP_PIXELS,
                ] {
                    gl.pixel_store_i32(name, 0);
                }
            } else {
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            }
            gl.pixel_store_i32(glow::PACK_ALIGNMENT, 1);
            gl.read_pixels(
                0,
                0,
                width,
                height,
                glow::RGBA,
                glow::UNSIGNED_BYTE,
                glow::PixelPackData::Slice(Some(&mut pixels)),
            );
            gl.bind_framebuffer(glow::FRAMEBUFFER, drawn_to);
        }
        let row = width as usize * 4;
        // Whole rows are copied, because tests are barely optimized and a picture has millions of bytes.
        let rows: Vec<&[u8]> = pixels.chunks_exact(row).rev().collect();
        let rgba = rows.concat();
        super::image::Image {
            width: width as u32,
            height: height as u32,
            rgba,
        }
    }

    pub fn take_error(&self) -> u32 {
        // SAFETY: the context is current.
        unsafe { self.gl.get_error() }
    }
}

impl Drop for Headless {
    /// Turns debug messages off, because `glow`'s callback is dropped before the context. A context that is destroyed
    /// while current lives until a different context becomes current, and must not call the callback until then.
    ///
    /// Also finishes all drawing. After a failed test, Mesa's llvmpipe threads may still be drawing with an object that
    /// the context has freed, such as an open query.
    fn drop(&mut self) {
        self.make_current();
        // SAFETY: the context is current. A failed test may have left a transform feedback open.
        unsafe {
            self.gl.disable(glow::DEBUG_OUTPUT);
            if self.from((4, 0), (3, 0))
                && self.gl.get_parameter_bool(glow::TRANSFORM_FEEDBACK_ACTIVE)
            {
                self.gl.end_transform_feedback();
            }
            self.gl.finish();
        }
        self.context
            .make_not_current_in_place()
            .expect("the context should be current on this thread");
    }
}

/// The process's display, shared by the contexts of all threads.
fn display() -> Result<&'static Display, String> {
    static DISPLAY: OnceLock<Result<Display, String>> = OnceLock::new();
    let open = || {
        let devices: Vec<_> = Device::query_devices()
            .map_err(|e| format!("query EGL devices: {e}"))?
            .collect();
        let software = |d: &&Device| d.extensions().contains("EGL_MESA_device_software");
        let device = devices
            .iter()
            .find(software)
            .or(devices.first())
            .ok_or("no EGL device")?;
        // SAFETY: no raw display is passed that could be stale.
        unsafe { Display::with_device(device, None) }.map_err(|e| format!("EGL display: {e}"))
    };
    DISPLAY.get_or_init(open).as_ref().map_err(Clone::clone)
}

fn config(display: &Display, api: Api) -> Result<Config, String> {
    let template = ConfigTemplateBuilder::new()
        .with_api(api)
        .with_surface_type(ConfigSurfaceTypes::PBUFFER)
        .build();
    // SAFETY: the template names no native window.
    unsafe { display.find_configs(template) }
        .map_err(|e| format!("EGL configs: {e}"))?
        .next()
        .ok_or_else(|| "no EGL config".into())
}

/// Creates a framebuffer with color and depth/stencil attachments, binds it, and makes the viewport cover it.
///
/// # Safety
///
/// The context must be current.
unsafe fn framebuffer(
    gl: &glow::Context,
    target: Target,
) -> (glow::Framebuffer, glow::Renderbuffer) {
    let Target {
        width,
        height,
        samples,
        ..
    } = target;
    // SAFETY: the context is current.
    unsafe {
        let framebuffer = gl
            .create_framebuffer()
            .expect("failed to create a framebuffer");
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        let attach = |attachment, buffer| {
            let (framebuffer, kind) = (glow::FRAMEBUFFER, glow::RENDERBUFFER);
            gl.framebuffer_renderbuffer(framebuffer, attachment, kind, Some(buffer));
        };
        let colors = renderbuffer(gl, target.color_format(), width, height, samples);
        attach(glow::COLOR_ATTACHMENT0, colors);
        let depth = renderbuffer(gl, glow::DEPTH24_STENCIL8, width, height, samples);
        // ES 2.0 has no combined attachment point for depth and stencil.
        attach(glow::DEPTH_ATTACHMENT, depth);
        attach(glow::STENCIL_ATTACHMENT, depth);
        assert_eq!(
            gl.check_framebuffer_status(glow::FRAMEBUFFER),
            glow::FRAMEBUFFER_COMPLETE
        );
        gl.bind_renderbuffer(glow::RENDERBUFFER, None);
        gl.viewport(0, 0, width, height);
        gl.scissor(0, 0, width, height);
        (framebuffer, colors)
    }
}

/// # Safety
///
/// The context must be current.
pub unsafe fn renderbuffer(
    gl: &glow::Context,
    format: u32,
    width: i32,
    height: i32,
    samples: i32,
) -> glow::Renderbuffer {
    // SAFETY: the context is current.
    unsafe {
        let buffer = gl
            .create_renderbuffer()
            .expect("failed to create a renderbuffer");
        gl.bind_renderbuffer(glow::RENDERBUFFER, Some(buffer));
        if samples > 0 {
            gl.renderbuffer_storage_multisample(glow::RENDERBUFFER, samples, format, width, height);
        } else {
            gl.renderbuffer_storage(glow::RENDERBUFFER, format, width, height);
        }
        buffer
    }
}

/// Runs the test `name` again in a child process in which Mesa reports an old version, according to `variables`
/// (`MESA_GL_VERSION_OVERRIDE` …). Returns `true` in the child, which then runs the test. In the parent process, waits
/// for the child and returns `false`, or panics if the child failed.
///
/// Other drivers ignore the variables, so the child uses whatever context they provide.
pub fn in_old_gl(name: &str, variables: &[(&str, &str)]) -> bool {
    const CHILD: &str = "IPROF_TEST_CHILD";
    if std::env::var_os(CHILD).is_some_and(|v| v == name) {
        return true;
    }
    let output = super::own_program::own_program()
        .args(["--exact", name, "--nocapture", "--include-ignored"])
        .env(CHILD, name)
        .envs(variables.iter().copied())
        .output()
        .expect("failed to restart the test program");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    for line in text.lines().filter(|line| line.starts_with("skipped:")) {
        println!("{line}");
    }
    assert!(
        output.status.success(),
        "{name} with {variables:?} failed:\n{text}"
    );
    assert!(
        text.contains("1 passed"),
        "no test is named {name}:\n{text}"
    );
    false
}
