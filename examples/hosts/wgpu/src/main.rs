//! The overlay in a program that draws with wgpu in a winit window. The overlay is drawn last in the scene's pass.

#[path = "../../../../tests/support/wgpu_picture.rs"]
mod wgpu_picture;

use iprof::{overlay::Overlay, winit::Input};
use iprof_wgpu::{GpuTimer, Painter};
use picture::{HISTORY, Options, SIZE};
use std::error::Error;
use std::sync::Arc;
use wgpu::CurrentSurfaceTexture::{Outdated, Suboptimal, Success};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::window::{Window, WindowId};

fn main() -> Result<(), Box<dyn Error>> {
    let mut app = App {
        options: Options::from_command_line(),
        input: Input::new(),
        screen: None,
        frame: 0,
    };
    iprof::configure(|config| config.history = HISTORY);
    Ok(EventLoop::new()?.run_app(&mut app)?)
}

struct App {
    options: Options,
    input: Input,
    screen: Option<Screen>,
    frame: u32,
}

struct Screen {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    device: wgpu::Device,
    queue: wgpu::Queue,
    scene: wgpu::RenderPipeline,
    turned: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
    overlay: Overlay,
    painter: Painter,
    timer: GpuTimer,
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        match Screen::new(event_loop) {
            Ok(screen) => self.screen = Some(screen),
            Err(error) => panic!("failed to set up the window: {error}"),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(screen) = &mut self.screen else {
            return;
        };
        if self.input.window_event_with(&mut screen.overlay, &event) {
            return;
        }
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => screen.resize(size),
            WindowEvent::RedrawRequested => {
                let is_last = self.options.is_last(self.frame);
                iprof::update(!self.input.controls.paused);
                if screen.draw(&self.options, self.frame, is_last) {
                    self.frame += 1;
                    if is_last {
                        event_loop.exit();
                    }
                }
                screen.window.request_redraw();
            }
            _ => {}
        }
    }
}

impl Screen {
    fn new(event_loop: &ActiveEventLoop) -> Result<Screen, Box<dyn Error>> {
        let [width, height] = SIZE;
        let attributes = Window::default_attributes()
            .with_title("iprof with wgpu")
            .with_inner_size(PhysicalSize::new(width, height));
        let window = Arc::new(event_loop.create_window(attributes)?);
        let display = Box::new(event_loop.owned_display_handle());
        let instance = wgpu::InstanceDescriptor::new_with_display_handle(display);
        let instance = wgpu::Instance::new(instance);
        let surface = instance.create_surface(window.clone())?;
        let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions {
            compatible_surface: Some(&surface),
            ..Default::default()
        });
        let adapter = pollster::block_on(adapter)?;
        let (device, queue) =
            pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
                required_features: GpuTimer::features(&adapter),
                ..Default::default()
            }))?;
        let mut config = surface
            .get_default_config(&adapter, width, height)
            .ok_or("the adapter cannot draw in the window")?;
        config.usage |= wgpu::TextureUsages::COPY_SRC;
        surface.configure(&device, &config);

        let shader = device.create_shader_module(wgpu::include_wgsl!("scene.wgsl"));
        let scene = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("scene"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &shader,
                entry_point: Some("vertex"),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &shader,
                entry_point: Some("fragment"),
                compilation_options: Default::default(),
                targets: &[Some(config.format.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let turned = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("turned"),
            size: 16,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &scene.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: turned.as_entire_binding(),
            }],
        });
        Ok(Screen {
            overlay: Overlay::new(),
            painter: Painter::new(&device, &queue, config.format, 1),
            timer: GpuTimer::new(&device, &queue),
            window,
            surface,
            config,
            device,
            queue,
            scene,
            turned,
            bind_group,
        })
    }

    fn resize(&mut self, size: PhysicalSize<u32>) {
        self.config.width = size.width.max(1);
        self.config.height = size.height.max(1);
        self.surface.configure(&self.device, &self.config);
    }

    /// Draws a frame. Returns false if the surface had no frame to draw into.
    fn draw(&mut self, options: &Options, frame: u32, is_last: bool) -> bool {
        iprof::zone!(draw);
        let texture = match self.surface.get_current_texture() {
            Success(texture) => texture,
            Outdated | Suboptimal(_) => {
                self.surface.configure(&self.device, &self.config);
                return false;
            }
            _ => return false,
        };
        let angle = [frame as f32 * 0.02, 0.0, 0.0, 0.0];
        let bytes: Vec<u8> = angle.iter().flat_map(|part| part.to_ne_bytes()).collect();
        self.queue.write_buffer(&self.turned, 0, &bytes);
        self.lay_out(options);

        let view = texture.texture.create_view(&Default::default());
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let zone = self.timer.begin_pass(iprof::open_zone!("scene"));
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations::default(),
            })],
            timestamp_writes: self.timer.render_pass_writes(&zone),
            ..Default::default()
        });
        pass.set_pipeline(&self.scene);
        pass.set_bind_group(0, &self.bind_group, &[]);
        pass.draw(0..3, 0..1);
        if options.overlay {
            self.painter.render(&mut pass);
        }
        drop(pass);
        self.timer.end_pass(zone);
        self.timer.resolve(&mut encoder);
        self.queue.submit([encoder.finish()]);
        self.timer.collect();
        if is_last {
            let size = [self.config.width, self.config.height];
            let pixels = wgpu_picture::read(&self.device, &self.queue, &texture.texture);
            let format = texture.texture.format().remove_srgb_suffix();
            let is_bgra = format == wgpu::TextureFormat::Bgra8Unorm;
            options.save_from_top(size, &pixels, is_bgra);
        }
        self.queue.present(texture);
        true
    }

    fn lay_out(&mut self, options: &Options) {
        if options.overlay {
            let size = [self.config.width, self.config.height];
            picture::draw(&mut self.overlay.begin(size.map(|px| px as f32)));
            let data = self.overlay.draw_data();
            self.painter.prepare(&self.device, &self.queue, data);
        }
    }
}
