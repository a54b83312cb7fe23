use iprof::{overlay::Overlay, winit::Input};
use iprof_wgpu::Painter;
use std::error::Error;
use std::sync::Arc;
use wgpu::CurrentSurfaceTexture::{Suboptimal, Success};
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
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
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    device: wgpu::Device,
    queue: wgpu::Queue,
    overlay: Overlay,
    painter: Painter,
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        self.screen = Some(Screen::new(event_loop).expect("no window"));
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(screen) = &mut self.screen else { return };
        if self.input.window_event_with(&mut screen.overlay, &event) {
            return; // The overlay used it.
        }
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => {
                screen.config.width = size.width.max(1);
                screen.config.height = size.height.max(1);
                screen.surface.configure(&screen.device, &screen.config);
            }
            WindowEvent::RedrawRequested => screen.draw(&mut self.input),
            _ => {}
        }
    }
}

impl Screen {
    fn new(event_loop: &ActiveEventLoop) -> Result<Screen, Box<dyn Error>> {
        let window = Arc::new(event_loop.create_window(Window::default_attributes())?);
        let display = Box::new(event_loop.owned_display_handle());
        let descriptor = wgpu::InstanceDescriptor::new_with_display_handle(display);
        let instance = wgpu::Instance::new(descriptor);
        let surface = instance.create_surface(window.clone())?;
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions {
            compatible_surface: Some(&surface),
            ..Default::default()
        }))?;
        let (device, queue) = pollster::block_on(adapter.request_device(&Default::default()))?;
        let size = window.inner_size();
        let config = surface.get_default_config(&adapter, size.width.max(1), size.height.max(1));
        let mut config = config.ok_or("the adapter cannot draw in this window")?;
        // The overlay draws to a view without sRGB conversion, where the adapter has such views.
        let flags = adapter.get_downlevel_capabilities().flags;
        let has_views = flags.contains(wgpu::DownlevelFlags::SURFACE_VIEW_FORMATS);
        let format = if has_views { config.format.remove_srgb_suffix() } else { config.format };
        config.view_formats.push(format);
        surface.configure(&device, &config);
        let painter = Painter::new(&device, &queue, format, 1);
        Ok(Screen { window, surface, config, device, queue, overlay: Overlay::new(), painter })
    }

    fn draw(&mut self, input: &mut Input) {
        self.window.request_redraw();
        iprof::update(!input.controls.paused);
        iprof::zone!(draw);
        let (Success(texture) | Suboptimal(texture)) = self.surface.get_current_texture() else {
            return self.surface.configure(&self.device, &self.config);
        };
        let size = [self.config.width, self.config.height].map(|px| px as f32);
        let scale = self.window.scale_factor() as f32;
        self.overlay.set_scale(scale);
        let [w, h] = size.map(|px| px / scale - 40.0);
        input.controls.draw(&mut self.overlay.begin(size), 20.0, 20.0, w, h);
        self.painter.prepare(&self.device, &self.queue, self.overlay.draw_data());

        let mut encoder = self.device.create_command_encoder(&Default::default());
        let view = texture.texture.create_view(&Default::default());
        let clear = wgpu::LoadOp::Clear(wgpu::Color { r: 0.01, g: 0.03, b: 0.07, a: 1.0 });
        drop(begin_pass(&mut encoder, &view, clear)); // Draw your own picture here.
        let format = self.config.view_formats.first().copied();
        let view = wgpu::TextureViewDescriptor { format, ..Default::default() };
        let view = texture.texture.create_view(&view);
        self.painter.render(&mut begin_pass(&mut encoder, &view, wgpu::LoadOp::Load));
        self.queue.submit([encoder.finish()]);
        iprof::zone!(present, idle);
        self.queue.present(texture);
    }
}

fn begin_pass<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    view: &wgpu::TextureView,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
        })],
        ..Default::default()
    })
}
