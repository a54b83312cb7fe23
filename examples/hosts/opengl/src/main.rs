//! The overlay in a winit window of a program that uses OpenGL directly.
//!
//! The program binds everything once and then only sets a uniform, so any state that the overlay fails to restore would
//! change the picture.

use glow::HasContext;
use glutin::config::ConfigTemplateBuilder;
use glutin::context::{ContextAttributesBuilder, NotCurrentGlContext, PossiblyCurrentContext};
use glutin::display::{GetGlDisplay, GlDisplay};
use glutin::surface::{GlSurface, Surface, WindowSurface};
use glutin_winit::{DisplayBuilder, GlWindow};
use picture::{GRAPH, HISTORY, Options, REPORT, SIZE};
use std::error::Error;
use std::rc::Rc;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::raw_window_handle::HasWindowHandle;
use winit::window::{Window, WindowId};

const VERTEX_SHADER: &str = "#version 330
uniform float turn;
out vec3 color;
void main() {
    int blade = gl_InstanceID;
    float angle = turn * (1.0 + float(blade % 3)) + float(blade) * 0.7 + float(gl_VertexID) * 0.3;
    float radius = gl_VertexID == 0 ? 0.0 : 0.9 - 0.02 * float(blade);
    gl_Position = vec4(radius * cos(angle), radius * sin(angle), 0.0, 1.0);
    color = 0.5 + 0.5 * cos(float(blade) + vec3(0.0, 2.0, 4.0) + float(gl_VertexID));
}";

const FRAGMENT_SHADER: &str = "#version 330
in vec3 color;
out vec4 pixel;
void main() { pixel = vec4(color, 0.7); }";

/// The number of triangles around the middle of the window.
const BLADES: i32 = 24;

fn main() -> Result<(), Box<dyn Error>> {
    let event_loop = EventLoop::new()?;
    event_loop.set_control_flow(ControlFlow::Poll);
    let mut host = Host {
        options: Options::from_command_line(),
        open: None,
    };
    event_loop.run_app(&mut host)?;
    Ok(())
}

struct Host {
    options: Options,
    open: Option<Open>,
}

/// The state while the window is open. Fields are dropped in this order.
struct Open {
    turn: Option<glow::UniformLocation>,
    gl: Rc<glow::Context>,
    surface: Surface<WindowSurface>,
    context: PossiblyCurrentContext,
    window: Window,
    frame: u32,
}

impl ApplicationHandler for Host {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.open.is_none() {
            self.open = Some(Open::new(event_loop).expect("failed to open a window with OpenGL"));
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(open) = &mut self.open else { return };
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::RedrawRequested if open.draw(&self.options) => event_loop.exit(),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, _: &ActiveEventLoop) {
        if let Some(open) = &self.open {
            open.window.request_redraw();
        }
    }
}

impl Open {
    fn new(event_loop: &ActiveEventLoop) -> Result<Open, Box<dyn Error>> {
        let attributes = Window::default_attributes()
            .with_title("iprof over OpenGL")
            .with_inner_size(PhysicalSize::new(SIZE[0], SIZE[1]));
        let (window, config) = DisplayBuilder::new()
            .with_window_attributes(Some(attributes))
            .build(event_loop, ConfigTemplateBuilder::new(), |mut configs| {
                configs.next().expect("no configuration")
            })?;
        let window = window.ok_or("no window")?;
        let (handle, display) = (window.window_handle()?.as_raw(), config.display());
        let attributes = ContextAttributesBuilder::new().build(Some(handle));
        let of_surface = window.build_surface_attributes(Default::default())?;
        // SAFETY: the handle belongs to the window, which outlives the context and the surface in `Open`.
        let (context, surface) = unsafe {
            let context = display.create_context(&config, &attributes)?;
            (
                context,
                display.create_window_surface(&config, &of_surface)?,
            )
        };
        let context = context.make_current(&surface)?;
        // SAFETY: this thread's only context is current and stays current, and the loader belongs to it.
        let (gl, turn) = unsafe {
            let find = |name: &std::ffi::CStr| display.get_proc_address(name);
            let gl = Rc::new(glow::Context::from_loader_function_cstr(find));
            iprof::gl::init(gl.clone())?;
            let turn = bind_all(&gl)?;
            (gl, turn)
        };
        iprof::configure(|config| config.history = HISTORY);
        Ok(Open {
            turn,
            gl,
            surface,
            context,
            window,
            frame: 0,
        })
    }

    /// Draws a frame. Returns whether it was the last one.
    fn draw(&mut self, options: &Options) -> bool {
        iprof::update(true);
        self.scene();
        if options.overlay {
            let [x, y, w, h] = REPORT;
            iprof::draw_gl(x, y, w, h, 2);
            let [x, y, per_frame, per_ms] = GRAPH;
            iprof::draw_graph_gl(x, y, per_frame, per_ms);
        }
        let is_last = options.is_last(self.frame);
        if is_last {
            options.save(SIZE, &self.pixels());
        }
        self.surface
            .swap_buffers(&self.context)
            .expect("failed to swap buffers");
        self.frame += 1;
        is_last
    }

    fn scene(&self) {
        iprof::gpu_zone!(self.gl.clone(), scene);
        // SAFETY: the context is current, and everything that the call needs was bound before the first frame.
        unsafe {
            self.gl.clear(glow::COLOR_BUFFER_BIT);
            let turn = self.frame as f32 * 0.01;
            self.gl.uniform_1_f32(self.turn.as_ref(), turn);
            self.gl.draw_arrays_instanced(glow::TRIANGLES, 0, 3, BLADES);
        }
    }

    fn pixels(&self) -> Vec<u8> {
        let mut pixels = vec![0; (4 * SIZE[0] * SIZE[1]) as usize];
        let into = glow::PixelPackData::Slice(Some(&mut pixels));
        let [width, height] = SIZE.map(|px| px as i32);
        // SAFETY: the context is current, and there is room for all pixels.
        unsafe {
            self.gl
                .read_pixels(0, 0, width, height, glow::RGBA, glow::UNSIGNED_BYTE, into);
        }
        pixels
    }
}

/// Creates and binds everything needed to draw frames. Returns the angle uniform's location.
///
/// # Safety
///
/// The context must be current.
unsafe fn bind_all(gl: &glow::Context) -> Result<Option<glow::UniformLocation>, String> {
    // SAFETY: the context is current (contract).
    unsafe {
        let program = gl.create_program()?;
        for (kind, source) in [
            (glow::VERTEX_SHADER, VERTEX_SHADER),
            (glow::FRAGMENT_SHADER, FRAGMENT_SHADER),
        ] {
            let shader = gl.create_shader(kind)?;
            gl.shader_source(shader, source);
            gl.compile_shader(shader);
            gl.attach_shader(program, shader);
        }
        gl.link_program(program);
        if !gl.get_program_link_status(program) {
            return Err(gl.get_program_info_log(program));
        }
        gl.use_program(Some(program));
        gl.bind_vertex_array(Some(gl.create_vertex_array()?));
        gl.viewport(0, 0, SIZE[0] as i32, SIZE[1] as i32);
        gl.clear_color(0.15, 0.2, 0.3, 1.0);
        gl.enable(glow::BLEND);
        gl.blend_func(glow::SRC_ALPHA, glow::ONE);
        Ok(gl.get_uniform_location(program, "turn"))
    }
}
