//! Reads pictures drawn by wgpu.

#![allow(
    unreachable_pub,
    reason = "these items would be public in a separate crate"
)]

/// Copies the texture to a buffer that can be mapped when the queue is done. The top row comes first. Each row's size
/// in bytes must be a multiple of 256.
pub fn copied(device: &wgpu::Device, queue: &wgpu::Queue, texture: &wgpu::Texture) -> wgpu::Buffer {
    let (size, format) = (texture.size(), texture.format());
    let texel = format.block_copy_size(None).expect("not a color format");
    let row = size.width * texel;
    assert_eq!(row % wgpu::COPY_BYTES_PER_ROW_ALIGNMENT, 0);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(row * size.height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(row),
        rows_per_image: None,
    };
    let to = wgpu::TexelCopyBufferInfo {
        buffer: &buffer,
        layout,
    };
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(texture.as_image_copy(), to, size);
    queue.submit([encoder.finish()]);
    buffer
}

/// Returns the texture's bytes, top row first. Waits for the queue, which isn't possible in a web page.
#[allow(dead_code, reason = "pages cannot wait for the queue")]
pub fn read(device: &wgpu::Device, queue: &wgpu::Queue, texture: &wgpu::Texture) -> Vec<u8> {
    let buffer = copied(device, queue, texture);
    buffer.map_async(wgpu::MapMode::Read, .., |result| {
        result.expect("failed to map the buffer")
    });
    let wait = wgpu::PollType::wait_indefinitely();
    device.poll(wait).expect("the device was lost");
    let mapped = buffer
        .get_mapped_range(..)
        .expect("failed to map the buffer");
    mapped.to_vec()
}
