//! Runs the demo in a window, controlled with keys and mouse.

#![allow(unsafe_code)] // OpenGL is called through unsafe functions.

use super::app::{self, App};
use super::options::Options;
use glutin::config::{Config, ConfigTemplateBuilder, GlConfig};
use glutin::context::{ContextAttributesBuilder, NotCurrentGlContext, PossiblyCurrentContext};
use glutin::display::{GetGlDisplay, GlDisplay};
use glutin::surface::{GlSurface, Surface, SwapInterval, WindowSurface};
use glutin_winit::{DisplayBuilder, GlWindow};
use raw_window_handle::HasWindowHandle;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::time::Duration;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::window::{Window, WindowId};

/// The reason why there is no window.
pub(crate) enum Failure {
    NoDisplay(String),
    Broken(String),
}

/// Opens the window and runs until the window is closed or all frames have been drawn.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let event_loop = EventLoop::new().map_err(|_| Failure::NoDisplay("No display".into()))?;
    event_loop.set_control_flow(ControlFlow::Poll);
    let mut host = Host {
        options: options.clone(),
        open: None,
        failure: None,
    };
    let ended = event_loop.run_app(&mut host);
    if let Some(open) = host.open.take() {
        open.app.destroy();
    }
    match host.failure {
        Some(failure) => Err(failure),
        None => ended.map_err(|error| Failure::Broken(error.to_string())),
    }
}

/// Window system errors can be long, but their first line is enough.
fn one_line(error: &impl ToString) -> String {
    error
        .to_string()
        .lines()
        .next()
        .unwrap_or("no reason given")
        .to_owned()
}

struct Host {
    options: Options,
    open: Option<Open>,
    failure: Option<Failure>,
}

/// The state while the window is open. Fields are dropped in this order.
struct Open {
    app: App,
    surface: Surface<WindowSurface>,
    context: PossiblyCurrentContext,
    window: Window,
}

impl ApplicationHandler for Host {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.open.is_some() {
            return;
        }
        match Open::new(event_loop, &self.options) {
            Ok(open) => self.open = Some(open),
            Err(why) => self.fail(event_loop, Failure::NoDisplay(format!("No window ({why})"))),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(open) = &mut self.open else { return };
        let used = open.app.input.window_event(&event);
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => open.resize(size),
            WindowEvent::KeyboardInput { event, .. }
                if event.state == ElementState::Pressed && !used =>
            {
                open.app.controls.press(&event.logical_key);
            }
            WindowEvent::RedrawRequested => {
                if let Err(why) = open.draw() {
                    return self.fail(event_loop, Failure::Broken(why));
                }
                if open.app.is_done() {
                    let size = open.size();
                    let saved = open.app.save_requested_files(&self.options, size);
                    match saved {
                        Ok(()) => event_loop.exit(),
                        Err(why) => self.fail(event_loop, Failure::Broken(why)),
                    }
                } else if let Err(why) = open.present() {
                    self.fail(event_loop, Failure::Broken(why));
                }
            }
            _ => {}
        }
    }

    fn about_to_wait(&mut self, _: &ActiveEventLoop) {
        if let Some(open) = &self.open {
            open.window.request_redraw();
        }
    }
}

impl Host {
    fn fail(&mut self, event_loop: &ActiveEventLoop, failure: Failure) {
        self.failure = Some(failure);
        event_loop.exit();
    }
}

impl Open {
    fn new(event_loop: &ActiveEventLoop, options: &Options) -> Result<Open, String> {
        let attributes = Window::default_attributes()
            .with_title("iprof demo")
            .with_inner_size(PhysicalSize::new(options.size.0, options.size.1));
        let (window, config) = DisplayBuilder::new()
            .with_window_attributes(Some(attributes))
            .build(event_loop, ConfigTemplateBuilder::new(), best_config)
            .map_err(|error| one_line(&error))?;
        let window = window.ok_or("the window system made no window")?;
        let context = make_context(&window, &config)?;
        let attributes = window
            .build_surface_attributes(<_>::default())
            .map_err(|error| one_line(&error))?;
        let display = config.display();
        // SAFETY: the window outlives the surface, because of the field order.
        let surface = unsafe { display.create_window_surface(&config, &attributes) }
            .map_err(|error| one_line(&error))?;
        let context = context
            .make_current(&surface)
            .map_err(|error| one_line(&error))?;
        // If the display does not pace the demo, it runs as fast as it can, which is also fine.
        let _ = surface.set_swap_interval(&context, SwapInterval::Wait(NonZeroU32::MIN));
        // SAFETY: the context is current and remains so, and the loader is its display's.
        let app = unsafe {
            let gl =
                glow::Context::from_loader_function_cstr(|name| display.get_proc_address(name));
            App::new(Rc::new(gl), options)?
        };
        Ok(Open {
            app,
            surface,
            context,
            window,
        })
    }

    /// Returns the window's size. A minimized window has no size and is drawn as a single pixel.
    fn size(&self) -> (u32, u32) {
        let PhysicalSize { width, height } = self.window.inner_size();
        (width.max(1), height.max(1))
    }

    fn resize(&self, size: PhysicalSize<u32>) {
        if let (Some(width), Some(height)) =
            (NonZeroU32::new(size.width), NonZeroU32::new(size.height))
        {
            self.surface.resize(&self.context, width, height);
        }
    }

    fn draw(&mut self) -> Result<(), String> {
        let scale = self.window.scale_factor() as f32;
        self.app.frame(self.size(), scale)
    }

    fn present(&self) -> Result<(), String> {
        // Most of this time is spent waiting for the display or the GPU.
        iprof::zone!(swap_buffers, idle);
        self.surface
            .swap_buffers(&self.context)
            .map_err(|error| one_line(&error))?;
        // With a fixed pace, this waits as a display with that refresh rate would.
        self.app.pace.wait(Duration::ZERO);
        Ok(())
    }
}

/// Returns the first configuration without multisampling, because the picture is already antialiased.
fn best_config(configs: Box<dyn Iterator<Item = Config> + '_>) -> Config {
    configs
        .min_by_key(|config| config.num_samples())
        .expect("glutin found no configuration")
}

fn make_context(
    window: &Window,
    config: &Config,
) -> Result<glutin::context::NotCurrentContext, String> {
    let handle = window
        .window_handle()
        .map_err(|error| one_line(&error))?
        .as_raw();
    let mut reason = String::new();
    for api in app::CONTEXTS {
        let attributes = ContextAttributesBuilder::new()
            .with_context_api(api)
            .build(Some(handle));
        // SAFETY: the handle's window is open.
        match unsafe { config.display().create_context(config, &attributes) } {
            Ok(context) => return Ok(context),
            Err(error) => reason = one_line(&error),
        }
    }
    Err(reason)
}
