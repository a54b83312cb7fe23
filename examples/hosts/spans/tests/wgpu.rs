//! Tests the scopes in wgpu, which the crate `profiling` turns into spans.

use iprof_tracing::Subscriber;

const FRAMES: u64 = 20;

#[test]
fn wgpu_scopes_become_zones() {
    Subscriber::new().init();
    let instance = wgpu::Instance::default();
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()));
    let adapter = adapter.expect("no adapter; even lavapipe is missing");
    let required = std::env::var_os("IPROF_REQUIRE_GL").is_some_and(|value| value == "1");
    let found = adapter.get_info();
    assert!(
        !required || found.name.starts_with("llvmpipe"),
        "the adapter is not Mesa's software renderer: {found:?}"
    );
    let device = pollster::block_on(adapter.request_device(&Default::default()));
    let (device, queue) = device.unwrap();
    let picture = device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d {
            width: 64,
            height: 64,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    let view = picture.create_view(&Default::default());
    iprof::zone!(here); // Registers this thread before the snapshot.
    let before = iprof::snapshot();
    for _ in 0..FRAMES {
        iprof::zone!(frame);
        let mut encoder = device.create_command_encoder(&Default::default());
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLUE),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        drop(pass);
        queue.submit([encoder.finish()]);
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    }
    let entries = spans::checked_entries(&before);
    for zone in [
        "frame",
        "RenderPassInfo::start",
        "RenderPassInfo::finish",
        "CommandEncoder::finish",
        "Queue::submit",
        "prepare",
        "process command buffer",
    ] {
        assert_eq!(entries.get(zone), Some(&FRAMES), "{zone}: {entries:#?}");
    }
}
