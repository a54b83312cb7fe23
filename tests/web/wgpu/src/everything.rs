//! Every public function of `iprof-wgpu` is called in a browser, by each renderer that a page has. The house's test
//! `guide` compares with the crate's sources: it knows a method's type by the name of the variable that has it.

use crate::pictures::Compared;
use crate::scenes::REPORT;
use crate::stage::{By, PX, Stage};
use iprof_wgpu::{GpuTimer, Overlay};
use wgpu::{Features, TextureFormat};

const DEPTH: TextureFormat = TextureFormat::Depth24Plus;

pub(crate) async fn on(by: By) -> String {
    let Some(stage) = Stage::new(by, Features::empty()).await else {
        return "skipped: the browser has no WebGPU".into();
    };
    let (device, queue) = (&stage.device, &stage.queue);
    let has_timestamps = device.features().contains(Features::TIMESTAMP_QUERY);
    let mut gpu_timer = GpuTimer::new(device, queue);
    let format = TextureFormat::Rgba8Unorm;
    let textures = [stage.texture(format), stage.texture(format)];
    for texture in &textures {
        stage.lay_ground(texture);
    }
    let views = textures
        .each_ref()
        .map(|texture| texture.create_view(&Default::default()));
    let depth = stage.depth_texture(DEPTH);
    let depth = depth.create_view(&Default::default());

    // For passes without depth, and with.
    let mut plain = Overlay::new(device, queue, format, 1);
    let mut overlay = Overlay::with_depth(device, queue, format, 1, Some(DEPTH));
    assert!(format!("{overlay:?} {gpu_timer:?}").contains("GpuTimer"));
    for overlay in [&mut plain, &mut overlay] {
        REPORT.begin(overlay);
        (REPORT.draw)(&mut overlay.begin(PX.map(|px| px as f32)));
        overlay.prepare(device, queue);
    }

    let mut encoder = device.create_command_encoder(&Default::default());
    let whole = gpu_timer.begin(&mut encoder, iprof::open_zone!("whole"));
    let drawn = gpu_timer.gpu_zone(
        &mut encoder,
        iprof::open_zone!("within"),
        |gpu_timer, encoder| {
            let targets = [
                (&plain, &views[0], None),
                (&overlay, &views[1], Some(&depth)),
            ];
            for (overlay, view, depth) in targets {
                let zone = gpu_timer.begin_pass(iprof::open_zone!("drawing"));
                let timestamp_writes = gpu_timer.render_pass_writes(&zone);
                assert_eq!(timestamp_writes.is_some(), has_timestamps);
                let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                    color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                        view,
                        depth_slice: None,
                        resolve_target: None,
                        ops: wgpu::Operations {
                            load: wgpu::LoadOp::Load,
                            store: wgpu::StoreOp::Store,
                        },
                    })],
                    // Nearer than anything: a test would let nothing be drawn.
                    depth_stencil_attachment: depth.map(|view| {
                        wgpu::RenderPassDepthStencilAttachment {
                            view,
                            depth_ops: Some(wgpu::Operations {
                                load: wgpu::LoadOp::Clear(0.0),
                                store: wgpu::StoreOp::Discard,
                            }),
                            stencil_ops: None,
                        }
                    }),
                    timestamp_writes,
                    ..Default::default()
                });
                overlay.render(&mut pass);
                drop(pass);
                gpu_timer.end_pass(zone);
            }
            2
        },
    );
    assert_eq!(drawn, 2);
    let zone = gpu_timer.begin_pass(iprof::open_zone!("computing"));
    let timestamp_writes = gpu_timer.compute_pass_writes(&zone);
    assert_eq!(timestamp_writes.is_some(), has_timestamps);
    // WebGL has none.
    if by == By::WebGpu {
        drop(encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes,
        }));
    }
    gpu_timer.end_pass(zone);
    gpu_timer.end(&mut encoder, whole);
    gpu_timer.resolve(&mut encoder);
    queue.submit([encoder.finish()]);
    gpu_timer.collect();
    iprof::update(true);
    let report = iprof::report();
    for zone in ["whole", "within", "drawing", "computing"] {
        let has = report.rows.iter().any(|row| &*row.name == zone);
        assert!(has, "no {zone}: {report:?}");
    }
    assert_eq!(report.warnings, [""; 0]);

    let mut compared = Compared::default();
    for texture in &textures {
        compared.add(REPORT, stage.read(texture).await);
    }
    compared.text()
}
