//! The overlay in a winit window that femtovg draws in.

use femtovg::renderer::OpenGl;
use femtovg::{Canvas, Color, Paint, Path};
use glow::HasContext;
use glutin::config::ConfigTemplateBuilder;
use glutin::context::{ContextAttributesBuilder, NotCurrentGlContext, PossiblyCurrentContext};
use glutin::display::{GetGlDisplay, GlDisplay};
use glutin::surface::{GlSurface, Surface, WindowSurface};
use glutin_winit::{DisplayBuilder, GlWindow};
use picture::{GRAPH, HISTORY, Options, REPORT, SIZE};
use std::error::Error;
use std::f32::consts::TAU;
use std::rc::Rc;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::raw_window_handle::HasWindowHandle;
use winit::window::{Window, WindowId};

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
    canvas: Canvas<OpenGl>,
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
            WindowEvent::Resized(_) => open.window.resize_surface(&open.surface, &open.context),
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
        let [width, height] = SIZE;
        let attributes = Window::default_attributes()
            .with_title("iprof in femtovg")
            .with_inner_size(PhysicalSize::new(width, height));
        let template = ConfigTemplateBuilder::new().with_stencil_size(8);
        let (window, config) = DisplayBuilder::new()
            .with_window_attributes(Some(attributes))
            .build(event_loop, template, |mut configs| {
                configs
                    .next()
                    .expect("no configuration with a stencil buffer")
            })?;
        let window = window.ok_or("no window")?;
        let handle = window.window_handle()?.as_raw();
        let display = config.display();
        // SAFETY: the handle belongs to the window, which outlives the context and the surface in `Open`.
        let (context, surface) = unsafe {
            let attributes = ContextAttributesBuilder::new().build(Some(handle));
            let context = display.create_context(&config, &attributes)?;
            let attributes = window.build_surface_attributes(Default::default())?;
            (
                context,
                display.create_window_surface(&config, &attributes)?,
            )
        };
        let context = context.make_current(&surface)?;

        // SAFETY: the loader belongs to the current context.
        let (renderer, gl) = unsafe {
            (
                OpenGl::new_from_function_cstr(|name| display.get_proc_address(name))?,
                glow::Context::from_loader_function_cstr(|name| display.get_proc_address(name)),
            )
        };
        let gl = Rc::new(gl);
        // SAFETY: this thread's only context is current and stays current.
        unsafe { iprof::gl::init(gl.clone()) }?;
        iprof::configure(|config| config.history = HISTORY);
        Ok(Open {
            canvas: Canvas::new(renderer)?,
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
            let size = self.window.inner_size();
            options.save(size.into(), &pixels(&self.gl, size));
        }
        self.surface
            .swap_buffers(&self.context)
            .expect("failed to swap buffers");
        self.frame += 1;
        is_last
    }

    fn scene(&mut self) {
        iprof::gpu_zone!(self.gl.clone(), scene);
        let PhysicalSize { width, height } = self.window.inner_size();
        self.canvas.set_size(width, height, 1.0);
        self.canvas
            .clear_rect(0, 0, width, height, Color::rgb(236, 232, 222));
        let [width, height] = [width as f32, height as f32];
        for at in 0..7_u32 {
            let along = (at as f32 + 0.5) / 7.0;
            let y = height * (0.5 + 0.3 * (along * TAU + self.frame as f32 * 0.01).sin());
            self.flower(width * along, y, at);
        }
        iprof::zone!(flush);
        self.canvas.flush();
    }

    fn flower(&mut self, x: f32, y: f32, kind: u32) {
        iprof::zone!(flower);
        let petals = 5 + kind;
        let turn = self.frame as f32 * 0.015 * if kind % 2 == 0 { 1.0 } else { -1.0 };
        for petal in 0..petals {
            let angle = turn + petal as f32 / petals as f32 * TAU;
            self.petal(x, y, angle, kind);
        }
        let mut middle = Path::new();
        middle.circle(x, y, 18.0);
        self.canvas
            .fill_path(&middle, &Paint::color(Color::rgb(250, 200, 60)));
    }

    fn petal(&mut self, x: f32, y: f32, angle: f32, kind: u32) {
        iprof::zone!(petal);
        let point = |radius: f32, aside: f32| {
            let (sin, cos) = (angle + aside).sin_cos();
            (x + radius * cos, y + radius * sin)
        };
        let (tip, left, right) = (point(110.0, 0.0), point(80.0, -0.5), point(80.0, 0.5));
        let mut path = Path::new();
        path.move_to(x, y);
        path.bezier_to(left.0, left.1, left.0, left.1, tip.0, tip.1);
        path.bezier_to(right.0, right.1, right.0, right.1, x, y);
        let inner = Color::hsla(kind as f32 / 7.0, 0.7, 0.75, 0.9);
        let outer = Color::hsla(kind as f32 / 7.0, 0.8, 0.35, 0.9);
        let paint = Paint::radial_gradient(x, y, 20.0, 110.0, inner, outer);
        self.canvas.fill_path(&path, &paint);
        let edge = Paint::color(Color::rgba(40, 20, 30, 160)).with_line_width(1.5);
        self.canvas.stroke_path(&path, &edge);
    }
}

fn pixels(gl: &glow::Context, size: PhysicalSize<u32>) -> Vec<u8> {
    let mut pixels = vec![0; (4 * size.width * size.height) as usize];
    // SAFETY: the context is current, and there is room for all pixels.
    unsafe {
        gl.read_pixels(
            0,
            0,
            size.width as i32,
            size.height as i32,
            glow::RGBA,
            glow::UNSIGNED_BYTE,
            glow::PixelPackData::Slice(Some(&mut pixels)),
        );
    }
    pixels
}
