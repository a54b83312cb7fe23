use glow::HasContext;
use glutin::config::ConfigTemplateBuilder;
use glutin::context::{ContextApi, ContextAttributesBuilder};
use glutin::context::{NotCurrentGlContext, PossiblyCurrentContext};
use glutin::display::{GetGlDisplay, GlDisplay};
use glutin::surface::{GlSurface, Surface, WindowSurface};
use glutin_winit::{DisplayBuilder, GlWindow};
use iprof::winit::Input;
use std::error::Error;
use std::rc::Rc;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::raw_window_handle::HasWindowHandle;
use winit::window::{Window, WindowId};

fn main() -> Result<(), Box<dyn Error>> {
    Ok(EventLoop::new()?.run_app(&mut App::default())?)
}

#[derive(Default)]
struct App {
    input: Input, // Holds the controls.
    screen: Option<Screen>,
}

struct Screen {
    gl: Rc<glow::Context>,
    surface: Surface<WindowSurface>,
    context: PossiblyCurrentContext,
    window: Window,
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        self.screen = Some(Screen::new(event_loop).expect("no window"));
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(screen) = &mut self.screen else { return };
        if self.input.window_event(&event) {
            return; // The overlay used it.
        }
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(_) => {
                screen.window.resize_surface(&screen.surface, &screen.context);
            }
            WindowEvent::RedrawRequested => screen.draw(&mut self.input).expect("failed to draw"),
            _ => {}
        }
    }
}

impl Screen {
    fn new(event_loop: &ActiveEventLoop) -> Result<Screen, Box<dyn Error>> {
        let (window, config) = DisplayBuilder::new()
            .with_window_attributes(Some(Window::default_attributes()))
            .build(event_loop, ConfigTemplateBuilder::new(), |mut all| {
                all.next().expect("no OpenGL")
            })?;
        let window = window.ok_or("no window")?;
        let (handle, display) = (window.window_handle()?.as_raw(), config.display());
        let attributes = ContextAttributesBuilder::new();
        let gles = attributes.clone().with_context_api(ContextApi::Gles(None)).build(Some(handle));
        let desktop = attributes.build(Some(handle));
        let of_surface = window.build_surface_attributes(Default::default())?;
        // SAFETY: the window outlives the context and the surface.
        let (context, surface) = unsafe {
            let context = display.create_context(&config, &desktop);
            let context = context.or_else(|_| display.create_context(&config, &gles))?;
            (context, display.create_window_surface(&config, &of_surface)?)
        };
        let context = context.make_current(&surface)?;
        // SAFETY: the context is current and stays current, and the functions belong to it.
        let gl = unsafe {
            let find = |name: &std::ffi::CStr| display.get_proc_address(name);
            let gl = Rc::new(glow::Context::from_loader_function_cstr(find));
            iprof::gl::init(gl.clone())?;
            gl
        };
        Ok(Screen { gl, surface, context, window })
    }

    fn draw(&mut self, input: &mut Input) -> Result<(), Box<dyn Error>> {
        self.window.request_redraw();
        iprof::update(!input.controls.paused);
        let (size, scale) = (self.window.inner_size(), self.window.scale_factor() as f32);
        {
            iprof::gpu_zone!(self.gl.clone(), scene);
            // SAFETY: the context is current.
            unsafe {
                self.gl.viewport(0, 0, size.width as i32, size.height as i32);
                self.gl.clear_color(0.1, 0.2, 0.3, 1.0);
                self.gl.clear(glow::COLOR_BUFFER_BIT);
            }
        }
        iprof::gl::with_current(|overlay, _| overlay.set_scale(scale));
        let [w, h] = [size.width, size.height].map(|px| px as f32 / scale - 40.0);
        input.controls.draw_gl(20.0, 20.0, w, h);
        iprof::zone!(swap_buffers, idle);
        Ok(self.surface.swap_buffers(&self.context)?)
    }
}
