//! Throwaway: a window that prints what it is sent, and shows the number of keys as its colour.
#![allow(unsafe_code, reason = "a throwaway")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "a throwaway")]

use glow::HasContext as _;
use glutin::config::ConfigTemplateBuilder;
use glutin::context::{ContextAttributesBuilder, NotCurrentGlContext as _, PossiblyCurrentContext};
use glutin::display::{GetGlDisplay as _, GlDisplay as _};
use glutin::surface::{GlSurface as _, Surface, WindowSurface};
use glutin_winit::{DisplayBuilder, GlWindow as _};
use raw_window_handle::HasWindowHandle as _;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::window::{Window, WindowId};

struct Live {
    gl: glow::Context,
    context: PossiblyCurrentContext,
    surface: Surface<WindowSurface>,
    window: Window,
}

#[derive(Default)]
struct App {
    live: Option<Live>,
    keys: u8,
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let (window, config) = DisplayBuilder::new()
            .with_window_attributes(Some(
                Window::default_attributes()
                    .with_title("the window probe")
                    .with_inner_size(winit::dpi::PhysicalSize::new(400, 300)),
            ))
            .build(event_loop, ConfigTemplateBuilder::new(), |mut it| {
                it.next().unwrap()
            })
            .unwrap();
        let window = window.unwrap();
        let display = config.display();
        let handle = window.window_handle().unwrap().as_raw();
        let (gl, context, surface) = unsafe {
            let context = display
                .create_context(
                    &config,
                    &ContextAttributesBuilder::new().build(Some(handle)),
                )
                .unwrap();
            let attributes = window.build_surface_attributes(Default::default()).unwrap();
            let surface = display.create_window_surface(&config, &attributes).unwrap();
            let context = context.make_current(&surface).unwrap();
            let gl = glow::Context::from_loader_function_cstr(|it| display.get_proc_address(it));
            (gl, context, surface)
        };
        println!(
            "open {:?} scale {}",
            window.inner_size(),
            window.scale_factor()
        );
        self.live = Some(Live {
            gl,
            context,
            surface,
            window,
        });
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(live) = &self.live else { return };
        match event {
            WindowEvent::CloseRequested => {
                println!("closed");
                event_loop.exit();
            }
            WindowEvent::KeyboardInput {
                event,
                is_synthetic: false,
                ..
            } if event.state.is_pressed() => {
                println!("key {:?}", event.logical_key);
                self.keys += 1;
                live.window.request_redraw();
            }
            WindowEvent::CursorMoved { position, .. } => println!("mouse {position:?}"),
            WindowEvent::MouseInput { state, button, .. } => {
                println!("button {button:?} {state:?}")
            }
            WindowEvent::Resized(size) => {
                println!("resized {size:?}");
                live.window.resize_surface(&live.surface, &live.context);
            }
            WindowEvent::RedrawRequested => {
                unsafe {
                    live.gl
                        .clear_color(f32::from(self.keys) * 51.0 / 255.0, 1.0, 0.0, 1.0);
                    live.gl.clear(glow::COLOR_BUFFER_BIT);
                }
                live.surface.swap_buffers(&live.context).unwrap();
            }
            _ => {}
        }
    }
}

fn main() {
    EventLoop::new()
        .unwrap()
        .run_app(&mut App::default())
        .unwrap();
}
