//! A device without a window, and a texture to draw into.

#[path = "../../../tests/support/wgpu_picture.rs"]
mod wgpu_picture;

use crate::Target;
use crate::page;
use std::time::Instant;
use wgpu::{Device, Queue, RenderPass, Texture, TextureFormat, TextureUsages, TextureView};

pub(crate) const FORMAT: TextureFormat = TextureFormat::Rgba8Unorm;

/// A device that plays the role of the host.
pub(crate) struct WgpuTarget {
    pub(crate) device: Device,
    pub(crate) queue: Queue,
    about: String,
    texture: Texture,
    view: TextureView,
}

impl WgpuTarget {
    /// Opens a Vulkan device, preferably a software renderer such as Mesa's.
    ///
    /// # Panics
    ///
    /// Panics if Vulkan is not available.
    pub(crate) fn new() -> WgpuTarget {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let software = |a: &&wgpu::Adapter| a.get_info().device_type == wgpu::DeviceType::Cpu;
        let adapter = adapters.iter().find(software).or(adapters.first());
        let adapter = adapter.expect("no Vulkan device was found");
        let opened = pollster::block_on(adapter.request_device(&Default::default()));
        let (device, queue) = opened.expect("failed to open the device");
        let info = adapter.get_info();
        let [width, height] = page::SCREEN.map(|px| px as u32);
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d {
                width,
                height,
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        WgpuTarget {
            view: texture.create_view(&Default::default()),
            about: format!(
                "{width} x {height} px, {}, {} {}, wgpu {}",
                info.name,
                info.driver,
                info.driver_info,
                crate::version_of("wgpu"),
            ),
            device,
            queue,
            texture,
        }
    }

    /// Encodes a pass that keeps the existing picture, and calls `render` to draw in it.
    pub(crate) fn encode(
        &self,
        encoder: wgpu::CommandEncoder,
        render: impl FnOnce(&mut RenderPass<'static>),
    ) -> wgpu::CommandBuffer {
        self.encode_with(encoder, wgpu::LoadOp::Load, render)
    }

    fn encode_with(
        &self,
        mut encoder: wgpu::CommandEncoder,
        load: wgpu::LoadOp<wgpu::Color>,
        render: impl FnOnce(&mut RenderPass<'static>),
    ) -> wgpu::CommandBuffer {
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load,
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        let mut pass = pass.forget_lifetime();
        render(&mut pass);
        drop(pass);
        encoder.finish()
    }

    /// Submits the commands, and returns how many nanoseconds that took.
    pub(crate) fn submit(&self, commands: impl IntoIterator<Item = wgpu::CommandBuffer>) -> u64 {
        let start = Instant::now();
        self.queue.submit(commands);
        start.elapsed().as_nanos() as u64
    }
}

impl Target for WgpuTarget {
    fn about(&self) -> String {
        self.about.clone()
    }

    fn api_sum_name(&self) -> &'static str {
        "= wgpu calls"
    }

    fn prepare(&self) {
        let encoder = self.device.create_command_encoder(&Default::default());
        let black = wgpu::LoadOp::Clear(wgpu::Color::BLACK);
        self.submit([self.encode_with(encoder, black, |_| {})]);
        self.finish();
    }

    fn finish(&self) {
        let wait = wgpu::PollType::wait_indefinitely();
        self.device.poll(wait).expect("the device was lost");
    }

    fn read(&self) -> Vec<u8> {
        let pixels = wgpu_picture::read(&self.device, &self.queue, &self.texture);
        let rows = pixels.chunks_exact(4 * self.texture.width() as usize).rev();
        rows.flatten().copied().collect()
    }
}
