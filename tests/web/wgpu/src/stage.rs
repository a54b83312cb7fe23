//! The browser's GPU device, and textures to draw on.

use crate::scenes::SIZE;
use iprof_wgpu::GpuTimer;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, js_sys::Promise};
use web_sys::HtmlCanvasElement;
use wgpu::{Backends, Device, Features, Queue, Texture, TextureFormat, TextureUsages};

/// The size of the golden pictures in pixels.
pub(crate) const PX: [u32; 2] = [SIZE[0] as u32, SIZE[1] as u32];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum By {
    WebGl2,
    WebGpu,
}

pub(crate) struct Stage {
    pub(crate) device: Device,
    pub(crate) queue: Queue,
}

pub(crate) fn canvas() -> HtmlCanvasElement {
    let document = web_sys::window().and_then(|window| window.document());
    let canvas = document
        .expect("no `document` object")
        .create_element("canvas");
    let canvas: HtmlCanvasElement = canvas.expect("failed to create a canvas").unchecked_into();
    canvas.set_width(PX[0]);
    canvas.set_height(PX[1]);
    canvas
}

impl Stage {
    /// Creates a device with the features that a `GpuTimer` needs, except for `without`. Returns `None` if WebGPU is
    /// not available.
    pub(crate) async fn new(by: By, without: Features) -> Option<Stage> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = match by {
            By::WebGl2 => Backends::GL,
            By::WebGpu if wgpu::util::is_browser_webgpu_supported().await => {
                Backends::BROWSER_WEBGPU
            }
            By::WebGpu => return None,
        };
        let instance = wgpu::Instance::new(descriptor);
        // WebGL needs a canvas to find an adapter.
        let surface = instance.create_surface(wgpu::SurfaceTarget::Canvas(canvas()));
        let surface = surface.expect("failed to create a surface");
        let options = wgpu::RequestAdapterOptions {
            compatible_surface: Some(&surface),
            ..Default::default()
        };
        let adapter = instance
            .request_adapter(&options)
            .await
            .expect("no adapter");
        let descriptor = wgpu::DeviceDescriptor {
            required_features: GpuTimer::features(&adapter) - without,
            required_limits: wgpu::Limits::downlevel_webgl2_defaults(),
            ..Default::default()
        };
        let (device, queue) = adapter
            .request_device(&descriptor)
            .await
            .expect("failed to create a device");
        Some(Stage { device, queue })
    }

    /// Creates a texture to draw on, with 8 bits per channel.
    pub(crate) fn texture(&self, format: TextureFormat) -> Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d {
                width: PX[0],
                height: PX[1],
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        })
    }
}

/// Yields to the browser.
pub(crate) async fn pass() {
    let window = web_sys::window().expect("no `window` object");
    let promise = Promise::new(&mut |resolve, _| {
        let set = window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, 1);
        set.expect("failed to set a timeout");
    });
    JsFuture::from(promise)
        .await
        .expect("the promise was rejected");
}
