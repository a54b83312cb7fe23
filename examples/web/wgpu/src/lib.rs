//! A page that draws with wgpu through WebGPU or WebGL 2, with the overlay on top.

use iprof::{overlay::Overlay, web::Input};
use iprof_wgpu::{GpuTimer, Painter};
use wasm_bindgen::prelude::*;
use web_sys::{Event, HtmlCanvasElement};
use wgpu::CurrentSurfaceTexture::{Suboptimal, Success};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// A canvas, the wgpu objects that draw on it, and the overlay.
#[wasm_bindgen]
pub struct Page {
    backend: String,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    device: wgpu::Device,
    queue: wgpu::Queue,
    scene: wgpu::RenderPipeline,
    overlay: Overlay,
    painter: Painter,
    timer: GpuTimer,
    input: Input,
}

#[wasm_bindgen]
impl Page {
    /// Uses WebGPU if the browser supports it. Otherwise, or if `webgl` is true, uses WebGL 2.
    pub async fn start(canvas: HtmlCanvasElement, webgl: bool) -> Result<Page, JsValue> {
        std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
        let say = |error: &dyn std::fmt::Display| JsValue::from(error.to_string());
        let mut instance = wgpu::InstanceDescriptor::new_without_display_handle();
        if webgl {
            instance.backends = wgpu::Backends::GL;
        }
        let instance = wgpu::util::new_instance_with_webgpu_detection(instance).await;
        let surface = instance.create_surface(wgpu::SurfaceTarget::Canvas(canvas));
        let surface = surface.map_err(|error| say(&error))?;
        let options = wgpu::RequestAdapterOptions {
            compatible_surface: Some(&surface),
            ..Default::default()
        };
        let adapter = instance.request_adapter(&options).await;
        let adapter = adapter.map_err(|error| say(&error))?;
        let limits = wgpu::Limits::downlevel_webgl2_defaults();
        let descriptor = wgpu::DeviceDescriptor {
            // With timestamps, the report includes GPU times.
            required_features: GpuTimer::features(&adapter),
            required_limits: limits.using_resolution(adapter.limits()),
            ..Default::default()
        };
        let device = adapter.request_device(&descriptor).await;
        let (device, queue) = device.map_err(|error| say(&error))?;
        let config = surface.get_default_config(&adapter, 1, 1);
        let config = config.ok_or("the adapter cannot draw on this canvas")?;
        Ok(Page {
            backend: format!("{:?}", adapter.get_info().backend),
            scene: scene(&device, config.format),
            overlay: Overlay::new(),
            painter: Painter::new(&device, &queue, config.format, 1),
            timer: GpuTimer::new(&device, &queue),
            input: Input::new(),
            surface,
            config,
            device,
            queue,
        })
    }

    /// Handles a page event. Returns whether the overlay used the event. If so, the page should ignore it.
    pub fn event(&mut self, event: &Event) -> bool {
        self.input.event_with(&mut self.overlay, event)
    }

    /// Draws one frame on a canvas of the given size.
    pub fn frame(&mut self, width: u32, height: u32, ratio: f32) {
        iprof::update(!self.input.controls.paused);
        iprof::zone!(frame);
        if [width, height] != [self.config.width, self.config.height] {
            (self.config.width, self.config.height) = (width, height);
            self.surface.configure(&self.device, &self.config);
        }
        let (Success(texture) | Suboptimal(texture)) = self.surface.get_current_texture() else {
            return self.surface.configure(&self.device, &self.config);
        };
        let size = [width, height].map(|px| px as f32);
        self.overlay.set_scale(ratio);
        let [w, h] = size.map(|px| px / ratio - 40.0);
        let frame = &mut self.overlay.begin(size);
        self.input.controls.draw(frame, 20.0, 20.0, w, h);
        let data = self.overlay.draw_data();
        self.painter.prepare(&self.device, &self.queue, data);

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
        pass.draw(0..3, 0..1);
        self.painter.render(&mut pass);
        drop(pass);
        self.timer.end_pass(zone);
        self.timer.resolve(&mut encoder);
        self.queue.submit([encoder.finish()]);
        self.timer.collect();
        self.queue.present(texture);
    }

    /// Returns the API in use: `BrowserWebGpu` or `Gl`.
    pub fn backend(&self) -> String {
        self.backend.clone()
    }

    /// Returns the displayed report as text.
    pub fn report_text(&self) -> String {
        let mut text = Vec::new();
        let written = iprof::write_report(&mut text);
        written.expect("writing to a Vec cannot fail");
        String::from_utf8_lossy(&text).into_owned()
    }
}

fn scene(device: &wgpu::Device, format: wgpu::TextureFormat) -> wgpu::RenderPipeline {
    let shader = device.create_shader_module(wgpu::include_wgsl!("scene.wgsl"));
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("scene"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &shader,
            entry_point: Some("vertex"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &shader,
            entry_point: Some("fragment"),
            compilation_options: Default::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
