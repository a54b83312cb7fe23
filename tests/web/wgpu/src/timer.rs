//! Tests GPU zones in a browser. They use timestamps if the browser supports them, and otherwise only measure CPU time.

use crate::stage::{By, Stage, pass};
use iprof::ColumnId;
use iprof_wgpu::GpuTimer;
use wgpu::{Features, TextureFormat};

/// The maximum number of frames by which the GPU may lag behind.
const MOST_FRAMES: usize = 200;

const TIMESTAMPS: Features = Features::TIMESTAMP_QUERY;

/// Draws frames until `is_done` returns true. Each frame has one zone around a pass and one zone around other commands.
async fn frames(stage: &Stage, mut is_done: impl FnMut(usize) -> bool) {
    let mut timer = GpuTimer::new(&stage.device, &stage.queue);
    let texture = stage.texture(TextureFormat::Rgba8Unorm);
    let view = texture.create_view(&Default::default());
    for frame in 0..MOST_FRAMES {
        iprof::update(true);
        let mut encoder = stage.device.create_command_encoder(&Default::default());
        timer.gpu_zone(
            &mut encoder,
            iprof::open_zone!("commands"),
            |timer, encoder| {
                let zone = timer.begin_pass(iprof::open_zone!("clearing"));
                let clearing = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                    color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                        view: &view,
                        depth_slice: None,
                        resolve_target: None,
                        ops: wgpu::Operations::default(),
                    })],
                    timestamp_writes: timer.render_pass_writes(&zone),
                    ..Default::default()
                });
                drop(clearing);
                timer.end_pass(zone);
            },
        );
        timer.resolve(&mut encoder);
        stage.queue.submit([encoder.finish()]);
        timer.collect();
        if is_done(frame) {
            return;
        }
        pass().await;
    }
    panic!(
        "not done within {MOST_FRAMES} frames: {:?}",
        iprof::report()
    );
}

/// Checks that zones without timestamps are recorded, but have no GPU time.
async fn check_cpu_only_zones(stage: &Stage) {
    assert!(!stage.device.features().contains(TIMESTAMPS));
    frames(stage, |frame| frame == 20).await;
    iprof::update(true);
    let report = iprof::report();
    for zone in ["commands", "clearing"] {
        let row = report.rows.iter().find(|row| &*row.name == zone);
        let row = row.unwrap_or_else(|| panic!("no row for {zone}: {report:?}"));
        // The count is an average over frames.
        let count = row.value(ColumnId::Count).map(|count| count.number.round());
        assert_eq!(count, Some(1.0), "{zone}");
    }
    assert!(!report.columns.contains(&ColumnId::GpuTime), "{report:?}");
    assert_eq!(report.warnings, [""; 0]);
    assert!(iprof::threads().iter().all(|thread| thread.name != "GPU"));
}

pub(crate) async fn on_webgl2() -> String {
    let stage = Stage::new(By::WebGl2, Features::empty()).await;
    check_cpu_only_zones(&stage.expect("WebGL 2 is not available")).await;
    String::new()
}

pub(crate) async fn on_webgpu_without() -> String {
    let Some(stage) = Stage::new(By::WebGpu, TIMESTAMPS).await else {
        return "skipped: the browser has no WebGPU".into();
    };
    check_cpu_only_zones(&stage).await;
    String::new()
}

pub(crate) async fn on_webgpu() -> String {
    let Some(stage) = Stage::new(By::WebGpu, Features::empty()).await else {
        return "skipped: the browser has no WebGPU".into();
    };
    if !stage.device.features().contains(TIMESTAMPS) {
        return "skipped: the browser's WebGPU has no timestamps".into();
    }
    let mut shown = 0;
    frames(&stage, |frame| {
        let has_gpu = iprof::threads().iter().any(|thread| thread.name == "GPU");
        let report = iprof::report();
        shown = frame;
        has_gpu && report.columns.contains(&ColumnId::GpuTime)
    })
    .await;
    let report = iprof::report();
    let row = report.rows.iter().find(|row| &*row.name == "clearing");
    let row = row.expect("the zone has no row");
    assert!(row.value(ColumnId::GpuTime).is_some(), "{row:?}");
    assert_eq!(report.warnings, [""; 0]);
    format!("the GPU's column is there after {shown} frames")
}
