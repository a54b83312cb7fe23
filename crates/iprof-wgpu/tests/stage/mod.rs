//! Test setup: a device, usually a software renderer, and the pictures drawn with it.

#![allow(dead_code, reason = "not every test uses all of it")]

#[path = "../../../../tests/support/wgpu_picture.rs"]
mod wgpu_picture;

use iprof_wgpu::GpuTimer;
use std::path::Path;
use wgpu::{Backends, Device, Features, Queue, Texture, TextureFormat, TextureUsages};

/// The backends for which Mesa has software renderers.
pub(crate) const BACKENDS: [Backends; 2] = [Backends::VULKAN, Backends::GL];

#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) name: String,
    pub(crate) device: Device,
    pub(crate) queue: Queue,
}

/// Opens a device on the given backend with the features that `GpuTimer` uses, or returns `None` if there is no such
/// device. If `IPROF_REQUIRE_GL` is 1, the device must be Mesa's software renderer, which rounds like the golden
/// pictures.
pub(crate) fn stage(backend: Backends) -> Option<Stage> {
    open(backend, wgpu::Trace::Off)
}

/// Like `stage`, but also writes a trace of all wgpu calls to `trace.ron` in `folder`.
pub(crate) fn traced(backend: Backends, folder: &Path) -> Option<Stage> {
    open(backend, wgpu::Trace::Directory(folder.to_owned()))
}

fn open(backend: Backends, trace: wgpu::Trace) -> Option<Stage> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: backend,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let mut adapters = pollster::block_on(instance.enumerate_adapters(backend));
    let is_hardware =
        |adapter: &wgpu::Adapter| adapter.get_info().device_type != wgpu::DeviceType::Cpu;
    adapters.sort_by_key(is_hardware);
    let required = std::env::var_os("IPROF_REQUIRE_GL").is_some_and(|value| value == "1");
    let Some(adapter) = adapters.into_iter().next() else {
        assert!(!required, "no adapter for {backend:?}");
        eprintln!("skipped: there is no adapter of {backend:?}");
        return None;
    };
    let found = adapter.get_info();
    assert!(
        !required || found.name.starts_with("llvmpipe"),
        "the adapter is not Mesa's software renderer: {found:?}"
    );
    // The timer requests features that the adapter has, and Mesa's Vulkan has timestamps.
    let timestamps = [
        Features::TIMESTAMP_QUERY,
        Features::TIMESTAMP_QUERY_INSIDE_ENCODERS,
    ];
    for feature in timestamps {
        let has = adapter.features().contains(feature);
        assert_eq!(GpuTimer::features(&adapter).contains(feature), has);
        assert!(
            has || !required || backend != Backends::VULKAN,
            "{found:?} has no {feature:?}"
        );
    }
    let opened = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: GpuTimer::features(&adapter),
        required_limits: wgpu::Limits::downlevel_webgl2_defaults(),
        trace,
        ..Default::default()
    }));
    if let (Err(error), false) = (&opened, required) {
        eprintln!("skipped: no device of {found:?}: {error}");
        return None;
    }
    let (device, queue) = opened.expect("failed to open a device");
    Some(Stage {
        name: format!("{:?} {}", found.backend, found.name),
        device,
        queue,
    })
}

impl Stage {
    /// Returns whether this is Mesa's software renderer.
    pub(crate) fn is_llvmpipe(&self) -> bool {
        self.name.contains("llvmpipe")
    }

    pub(crate) fn texture(
        &self,
        [width, height]: [u32; 2],
        format: TextureFormat,
        samples: u32,
    ) -> Texture {
        let copied = match samples {
            1 => TextureUsages::COPY_SRC | TextureUsages::COPY_DST,
            _ => TextureUsages::empty(),
        };
        let formats = [format.remove_srgb_suffix(), format.add_srgb_suffix()];
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d {
                width,
                height,
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: samples,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: TextureUsages::RENDER_ATTACHMENT | copied,
            view_formats: match self.has_view_formats() {
                true => &formats,
                false => &[],
            },
        })
    }

    pub(crate) fn write(&self, texture: &Texture, texels: &[u8]) {
        let size = texture.size();
        let row = texels.len() as u32 / size.height;
        self.queue.write_texture(
            texture.as_image_copy(),
            texels,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(row),
                rows_per_image: None,
            },
            size,
        );
    }

    /// Reads a picture whose row size is a multiple of 256 bytes.
    pub(crate) fn read(&self, texture: &Texture) -> Vec<u8> {
        wgpu_picture::read(&self.device, &self.queue, texture)
    }

    /// Waits for all submitted commands, and returns a query set's timestamps in nanoseconds.
    pub(crate) fn timestamps(&self, queries: &wgpu::QuerySet) -> Vec<f64> {
        let count = queries.count();
        let buffer = |usage| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: u64::from(count * wgpu::QUERY_SIZE),
                usage,
                mapped_at_creation: false,
            })
        };
        let resolved = buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC);
        let readable = buffer(wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.resolve_query_set(queries, 0..count, &resolved, 0);
        encoder.copy_buffer_to_buffer(&resolved, 0, &readable, 0, readable.size());
        self.queue.submit([encoder.finish()]);
        readable.map_async(wgpu::MapMode::Read, .., |result| {
            result.expect("failed to map the buffer")
        });
        let wait = wgpu::PollType::wait_indefinitely();
        self.device.poll(wait).expect("failed to poll the device");
        let bytes = readable
            .get_mapped_range(..)
            .expect("failed to map the buffer");
        let ns_per_tick = f64::from(self.queue.get_timestamp_period());
        let ticks = bytes.chunks_exact(8);
        let ticks = ticks.map(|tick| {
            u64::from_le_bytes(tick.try_into().expect("a chunk should have eight bytes"))
        });
        ticks.map(|tick| tick as f64 * ns_per_tick).collect()
    }

    /// Returns whether textures can be viewed in a different format, which OpenGL does not support.
    pub(crate) fn has_view_formats(&self) -> bool {
        self.device.adapter_info().backend == wgpu::Backend::Vulkan
    }

    pub(crate) fn has_timestamps(&self) -> bool {
        self.device.features().contains(Features::TIMESTAMP_QUERY)
    }
}
