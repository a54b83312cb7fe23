use femtovg::{Canvas, Color, Paint, Path, renderer::OpenGl};
use glutin::config::ConfigTemplateBuilder;
use glutin::context::{ContextAttributesBuilder, NotCurrentGlContext, PossiblyCurrentContext};
use glutin::display::{GetGlDisplay, GlDisplay};
use glutin::surface::{GlSurface, Surface, WindowSurface};
use glutin_winit::{DisplayBuilder, GlWindow};
use iprof::winit::Input;
use std::error::Error;
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
    canvas: Canvas<OpenGl>,
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
            .build(event_loop, ConfigTemplateBuilder::new().with_stencil_size(8), |mut all| {
                all.next().expect("no config with a stencil")
            })?;
        let window = window.ok_or("no window")?;
        let (handle, display) = (window.window_handle()?.as_raw(), config.display());
        let attributes = ContextAttributesBuilder::new().build(Some(handle));
        let of_surface = window.build_surface_attributes(Default::default())?;
        // SAFETY: the window outlives the context and the surface.
        let (context, surface) = unsafe {
            let context = display.create_context(&config, &attributes)?;
            (context, display.create_window_surface(&config, &of_surface)?)
        };
        let context = context.make_current(&surface)?;
        // SAFETY: the context is current and stays current, and the functions belong to it.
        let renderer = unsafe {
            iprof::gl::init_from_loader(|name| display.get_proc_address(name))?;
            OpenGl::new_from_function_cstr(|name| display.get_proc_address(name))?
        };
        Ok(Screen { canvas: Canvas::new(renderer)?, surface, context, window })
    }

    fn draw(&mut self, input: &mut Input) -> Result<(), Box<dyn Error>> {
        self.window.request_redraw();
        iprof::update(!input.controls.paused);
        let (size, scale) = (self.window.inner_size(), self.window.scale_factor() as f32);
        {
            iprof::zone!(scene);
            self.canvas.set_size(size.width, size.height, scale);
            self.canvas.clear_rect(0, 0, size.width, size.height, Color::rgb(40, 60, 90));
            let mut path = Path::new();
            path.circle(200.0, 420.0, 100.0);
            self.canvas.fill_path(&path, &Paint::color(Color::rgb(250, 200, 60)));
            self.canvas.flush();
        }
        iprof::gl::with_current(|overlay, _| overlay.set_scale(scale));
        let [w, h] = [size.width, size.height].map(|px| px as f32 / scale - 40.0);
        input.controls.draw_gl(20.0, 20.0, w, h);
        iprof::zone!(swap_buffers, idle);
        Ok(self.surface.swap_buffers(&self.context)?)
    }
}
