//! Tests of GPU zones based on timestamp queries: times are reported for the frame that submitted them, and nothing
//! waits for the GPU.

mod stage;

use iprof::overlay::Overlay;
use iprof::{ColumnId, Frames, Report, Threads, View};
use iprof_wgpu::{GpuTimer, Painter};
use stage::{BACKENDS, Stage, stage};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use wgpu::Backends;

/// Serializes the tests, because frames are global to the program.
static ALONE: Mutex<()> = Mutex::new(());

const SIZE: [u32; 2] = [512, 512];

/// Ends the frame and returns its number.
fn frame() -> u64 {
    iprof::update(true);
    View::default()
        .graph(&iprof::profiler())
        .bars
        .back()
        .expect("the last frame should be kept")
        .frame
}

/// Returns the report for the GPU's own tree in a frame.
fn gpu(frame: u64) -> Option<Report> {
    let threads = iprof::threads();
    let gpu = threads.iter().find(|thread| thread.name == "GPU")?;
    let mut view = View::default();
    view.set_threads(Threads::One(gpu.id));
    view.show_frames(&iprof::profiler(), Frames::Number(frame));
    Some(view.report(&iprof::profiler()))
}

fn value(report: &Report, name: &str, column: ColumnId) -> Option<f64> {
    let row = report.rows.iter().find(|row| &*row.name == name)?;
    row.value(column).map(|value| value.number)
}

/// A heavy GPU load: triangles over the whole target, with a loop for each pixel.
struct Load(wgpu::RenderPipeline);

const LOAD: &str = "
@vertex fn vertex(@builtin(vertex_index) at: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(at & 1u) * 4.0 - 1.0, f32(at >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}
@fragment fn fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    var x = u32(at.x) * 512u + u32(at.y) + 1u;
    for (var step = 0u; step < 500u; step++) {
        x ^= x << 13u;
        x ^= x >> 17u;
        x ^= x << 5u;
    }
    return vec4<f32>(f32(x & 255u) / 255.0);
}
";

impl Load {
    fn new(device: &wgpu::Device) -> Load {
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(LOAD.into()),
        });
        let format = wgpu::TextureFormat::Rgba8Unorm;
        Load(
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: None,
                layout: None,
                vertex: wgpu::VertexState {
                    module: &shader,
                    entry_point: None,
                    compilation_options: Default::default(),
                    buffers: &[],
                },
                primitive: Default::default(),
                depth_stencil: None,
                multisample: Default::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &shader,
                    entry_point: None,
                    compilation_options: Default::default(),
                    targets: &[Some(format.into())],
                }),
                multiview_mask: None,
                cache: None,
            }),
        )
    }
}

/// Submits a frame with several passes inside an encoder zone, and collects times.
fn submit(stage: &Stage, timer: &mut GpuTimer) {
    submit_with(stage, timer, |_| ());
    timer.collect();
}

fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    view: &wgpu::TextureView,
    writes: Option<wgpu::RenderPassTimestampWrites<'_>>,
) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations::default(),
        })],
        timestamp_writes: writes,
        ..Default::default()
    })
}

/// Like `submit`, but draws in each render pass and does not collect times.
fn submit_with(stage: &Stage, timer: &mut GpuTimer, draw: impl Fn(&mut wgpu::RenderPass<'_>)) {
    let texture = stage.texture(SIZE, wgpu::TextureFormat::Rgba8Unorm, 1);
    let view = texture.create_view(&Default::default());
    let mut encoder = stage.device.create_command_encoder(&Default::default());
    let passes = iprof::open_zone!("passes");
    let count = timer.gpu_zone(&mut encoder, passes, |timer, encoder| {
        for _ in 0..3 {
            let zone = timer.begin_pass(iprof::open_zone!("clear"));
            draw(&mut begin(encoder, &view, timer.render_pass_writes(&zone)));
            timer.end_pass(zone);
        }
        let zone = timer.begin_pass(iprof::open_zone!("compute"));
        drop(encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: timer.compute_pass_writes(&zone),
        }));
        timer.end_pass(zone);
        4
    });
    assert_eq!(count, 4);
    timer.resolve(&mut encoder);
    stage.queue.submit([encoder.finish()]);
}

/// Checks that no call waits for the GPU, even while the GPU spends a long time on a frame, and that the frame's times
/// arrive once the GPU is done. wgpu only notices that the GPU is done when the device is polled. The test runs only on
/// Vulkan, because OpenGL on llvmpipe has no timestamps, and wgpu's OpenGL calls wait until everything is drawn.
#[test]
fn recording_never_waits_for_the_gpu() {
    const ATTEMPTS: u32 = 6;
    let _alone = ALONE.lock().unwrap();
    let Some(stage) = stage(Backends::VULKAN) else {
        return;
    };
    if !stage.has_timestamps() {
        eprintln!("skipped: {} has no timestamps", stage.name);
        return;
    }
    iprof::configure(|config| config.history = 4_096);
    let load = Load::new(&stage.device);
    let mut timer = GpuTimer::new(&stage.device, &stage.queue);
    // On a busy machine, the GPU may finish a short load before this thread continues. In that case, try again with
    // twice the load.
    let in_time = (0..ATTEMPTS).find_map(|attempt| {
        submit_with(&stage, &mut timer, |pass| {
            pass.set_pipeline(&load.0);
            pass.draw(0..3, 0..1 << attempt);
        });
        let done = Arc::new(AtomicBool::new(false));
        let signal = done.clone();
        let tell = move || signal.store(true, Relaxed);
        stage.queue.on_submitted_work_done(tell);
        timer.collect();
        let number = frame();
        timer.collect();
        frame();
        (!done.load(Relaxed)).then_some((number, done))
    });
    let (number, done) = in_time.expect("the GPU was always done before `collect` returned");
    let count = || value(&gpu(number)?, "clear", ColumnId::Count);
    assert_eq!(count(), None, "times were reported before the GPU was done");
    for _ in 0..3_000 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        timer.collect();
        frame();
        if done.load(Relaxed) && count() == Some(3.0) {
            return;
        }
    }
    panic!("no times; done: {done:?}");
}

#[test]
fn times_are_reported_for_submitting_frame() {
    let _alone = ALONE.lock().unwrap();
    for stage in BACKENDS.into_iter().filter_map(stage) {
        let mut timer = GpuTimer::new(&stage.device, &stage.queue);
        let mut numbers = Vec::new();
        for _ in 0..12 {
            submit(&stage, &mut timer);
            numbers.push(frame());
            // A real program would wait for the display here, giving the GPU time to catch up.
            stage
                .device
                .poll(wgpu::PollType::wait_indefinitely())
                .unwrap();
        }
        timer.collect();
        frame();
        let counts = |number| {
            let report = gpu(number)?;
            value(&report, "clear", ColumnId::Count)
        };
        if !stage.has_timestamps() {
            assert!(numbers.iter().all(|number| counts(*number).is_none()));
            eprintln!("{}: no timestamps, and no column", stage.name);
            continue;
        }
        let known = numbers
            .iter()
            .filter(|number| counts(**number) == Some(3.0));
        assert!(known.count() >= 10, "{}: {numbers:?}", stage.name);
        let report = gpu(numbers[5]).unwrap();
        let [whole, own] = [ColumnId::HierarchicalTime, ColumnId::SelfTime]
            .map(|column| value(&report, "passes", column).unwrap());
        let [render, compute] = ["clear", "compute"]
            .map(|name| value(&report, name, ColumnId::HierarchicalTime).unwrap());
        assert!(whole > 0.0 && render > 0.0, "{report:?}");
        assert!((whole - own - render - compute).abs() < 1e-6, "{report:?}");
        let computed = value(&report, "compute", ColumnId::Count);
        assert_eq!(computed, Some(1.0), "{report:?}");
    }
}

/// Submits frames that have the same zones and passes but take different amounts of time, while the GPU lags by several
/// frames. Each zone's time must lie between two of the test's own measurements: one just inside the zone and one just
/// around it.
#[test]
fn times_of_similar_frames_are_not_mixed_up() {
    /// The number of draws per pass, for each frame.
    const LOADS: [u32; 7] = [1, 6, 2, 1, 9, 3, 1];
    let _alone = ALONE.lock().unwrap();
    for stage in BACKENDS.into_iter().filter_map(stage) {
        if !stage.has_timestamps() {
            eprintln!("skipped: {} has no timestamps", stage.name);
            continue;
        }
        let load = Load::new(&stage.device);
        let mut timer = GpuTimer::new(&stage.device, &stage.queue);
        let own = stage.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count: 4 * LOADS.len() as u32,
        });
        let texture = stage.texture(SIZE, wgpu::TextureFormat::Rgba8Unorm, 1);
        let view = texture.create_view(&Default::default());
        let mut first = 0;
        let numbers = LOADS.map(|instances| {
            let mut encoder = stage.device.create_command_encoder(&Default::default());
            encoder.write_timestamp(&own, first);
            timer.gpu_zone(
                &mut encoder,
                iprof::open_zone!("equal"),
                |timer, encoder| {
                    encoder.write_timestamp(&own, first + 1);
                    for _ in 0..2 {
                        let zone = timer.begin_pass(iprof::open_zone!("draw"));
                        let mut pass = begin(encoder, &view, timer.render_pass_writes(&zone));
                        pass.set_pipeline(&load.0);
                        pass.draw(0..3, 0..instances);
                        drop(pass);
                        timer.end_pass(zone);
                    }
                    encoder.write_timestamp(&own, first + 2);
                },
            );
            encoder.write_timestamp(&own, first + 3);
            first += 4;
            timer.resolve(&mut encoder);
            stage.queue.submit([encoder.finish()]);
            timer.collect();
            frame()
        });
        let ns = stage.timestamps(&own);
        timer.collect();
        frame();
        let ms = |from: usize, to: usize| (ns[to] - ns[from]) / 1e6;
        let limits: Vec<[f64; 2]> = (0..LOADS.len())
            .map(|at| [ms(4 * at + 1, 4 * at + 2), ms(4 * at, 4 * at + 3)])
            .collect();
        // The report's times are rounded to whole nanoseconds.
        const ROUNDING: f64 = 1e-5;
        let mut times = Vec::new();
        for (number, [inner, outer]) in numbers.into_iter().zip(&limits) {
            let report = gpu(number).expect("the frame should have GPU times");
            let [equal, draw] = ["equal", "draw"].map(|zone| {
                value(&report, zone, ColumnId::HierarchicalTime)
                    .expect("the row should have a GPU time")
            });
            assert_eq!(value(&report, "draw", ColumnId::Count), Some(2.0));
            let is_within = inner - ROUNDING <= equal && equal <= outer + ROUNDING;
            assert!(is_within, "{equal} is not in {inner}..{outer}, {limits:?}");
            assert!(draw <= inner + ROUNDING, "{draw} of {inner}: {report:?}");
            times.push(equal);
        }
        // The times must differ enough to tell the frames apart.
        let fits = |time: &f64, [inner, outer]: &[f64; 2]| inner <= time && time <= outer;
        let fitting = |time| limits.iter().filter(|limit| fits(time, limit)).count();
        let unique = times.iter().filter(|time| fitting(time) <= 1).count();
        assert!(unique > LOADS.len() / 2, "{times:?}, {limits:?}");
    }
}

/// Checks that the painter's and timer's calls do nothing on a lost device, like wgpu's own calls, and that a new timer
/// works on a new device.
#[test]
fn lost_device_makes_painter_and_timer_inert() {
    let _alone = ALONE.lock().unwrap();
    for backend in BACKENDS {
        let Some(lost) = stage(backend) else { continue };
        let format = wgpu::TextureFormat::Rgba8Unorm;
        let mut overlay = Overlay::new();
        let mut painter = Painter::new(&lost.device, &lost.queue, format, 1);
        let mut timer = GpuTimer::new(&lost.device, &lost.queue);
        let texture = lost.texture(SIZE, format, 1);
        let view = texture.create_view(&Default::default());
        for round in 0..4 {
            submit(&lost, &mut timer);
            let mut frame = overlay.begin(SIZE.map(|px| px as f32));
            frame.draw_report(&Report::default(), 8.0, 8.0, 400.0, 300.0, 2);
            painter.prepare(&lost.device, &lost.queue, overlay.draw_data());
            let mut encoder = lost.device.create_command_encoder(&Default::default());
            painter.render(&mut encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations::default(),
                })],
                ..Default::default()
            }));
            lost.queue.submit([encoder.finish()]);
            if round == 0 {
                lost.device.destroy();
            }
        }
        let new = stage(backend).expect("the backend should still be available");
        let mut timer = GpuTimer::new(&new.device, &new.queue);
        submit(&new, &mut timer);
        // End the frame here, so that these zones are not attributed to the next test's first frame.
        drop(timer);
        frame();
    }
}

/// Makes the mistakes that a host can make: zones left open, passes never begun, and commands never submitted.
#[test]
fn host_mistakes_do_not_lose_other_times() {
    let _alone = ALONE.lock().unwrap();
    for stage in BACKENDS.into_iter().filter_map(stage) {
        let mut timer = GpuTimer::new(&stage.device, &stage.queue);
        for mistake in 0..4 {
            let mut encoder = stage.device.create_command_encoder(&Default::default());
            match mistake {
                0 => drop(timer.begin(&mut encoder, iprof::open_zone!("left open"))),
                1 => {
                    let zone = timer.begin_pass(iprof::open_zone!("never begun"));
                    timer.end_pass(zone);
                }
                2 => {
                    let zone = timer.begin(&mut encoder, iprof::open_zone!("ended late"));
                    timer.resolve(&mut encoder);
                    timer.end(&mut encoder, zone);
                }
                _ => {
                    let mut unused = stage.device.create_command_encoder(&Default::default());
                    let zone = timer.begin(&mut unused, iprof::open_zone!("not submitted"));
                    timer.end(&mut unused, zone);
                }
            }
            timer.resolve(&mut encoder);
            stage.queue.submit([encoder.finish()]);
            timer.collect();
            frame();
            stage
                .device
                .poll(wgpu::PollType::wait_indefinitely())
                .unwrap();
        }
        let numbers: Vec<u64> = (0..6)
            .map(|_| {
                submit(&stage, &mut timer);
                let number = frame();
                stage
                    .device
                    .poll(wgpu::PollType::wait_indefinitely())
                    .unwrap();
                number
            })
            .collect();
        timer.collect();
        frame();
        if stage.has_timestamps() {
            let report = gpu(numbers[2]).unwrap();
            assert_eq!(
                value(&report, "clear", ColumnId::Count),
                Some(3.0),
                "{report:?}"
            );
        }
    }
}

/// Checks that a frame with more zones than a batch has queries for still measures all of its zones on the CPU.
#[test]
fn zones_without_queries_are_measured_on_cpu() {
    let _alone = ALONE.lock().unwrap();
    for stage in BACKENDS.into_iter().filter_map(stage) {
        let mut timer = GpuTimer::new(&stage.device, &stage.queue);
        let mut encoder = stage.device.create_command_encoder(&Default::default());
        for _ in 0..1_500 {
            let zone = timer.begin(&mut encoder, iprof::open_zone!("many"));
            timer.end(&mut encoder, zone);
        }
        timer.resolve(&mut encoder);
        stage.queue.submit([encoder.finish()]);
        let number = frame();
        timer.collect();
        stage
            .device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
        timer.collect();
        frame();
        let mut view = View::default();
        view.show_frames(&iprof::profiler(), Frames::Number(number));
        assert_eq!(
            value(&view.report(&iprof::profiler()), "many", ColumnId::Count),
            Some(1_500.0)
        );
    }
}
