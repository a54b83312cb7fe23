//! Tests that a frame in the steady state takes one upload and one draw call, and makes no allocations apart from
//! wgpu's.
//!
//! Uploads and draws are counted in the call trace that wgpu writes. Allocations are counted on Rust's heap, for the
//! drawing thread. wgpu's calls allocate, so `prepare` and `render` are compared with the same wgpu calls made
//! directly.

#[path = "../../../tests/support/allocations.rs"]
mod allocations;
mod stage;

use allocations::allocations;
use iprof::overlay::{Overlay, PointerEvent};
use iprof::{Bar, ColumnId, Flame, Graph, GraphZone, Report, Row, Segment};
use iprof_wgpu::Painter;
use stage::{BACKENDS, Stage, stage, traced};
use std::fs;
use std::path::Path;
use std::process::Command;
use wgpu::{Backends, BufferUsages, RenderPass, TextureFormat, TextureView};

const SIZE: [u32; 2] = [640, 480];
const FORMAT: TextureFormat = TextureFormat::Rgba8Unorm;
/// The number of frames after which the report repeats. The first such period uses every character and grows the vertex
/// list to its maximum size.
const FIRST: usize = 30;
const FRAMES: usize = 90;

/// Returns a report whose numbers and cursor change from frame to frame.
fn report(frame: usize) -> Report {
    let mut report = Report::default();
    report.title = vec!["0123456789 title".into()];
    report.columns = vec![
        ColumnId::SelfTime,
        ColumnId::HierarchicalTime,
        ColumnId::Count,
    ];
    for at in 0..30 {
        let value = ((at * 37 + frame % FIRST * 1_117) % 1000) as f64 * 23.7;
        let times = [
            (ColumnId::SelfTime, value),
            (ColumnId::HierarchicalTime, value * 2.0),
            (ColumnId::Count, value / 3.0),
        ];
        let mut row = Row::new("a_zone", times);
        row.location = Some(("0123456789/file.rs", at as u32));
        row.heat = at as f32 / 30.0;
        row.cursor = at == frame % FIRST;
        report.rows.push(row);
    }
    report
}

fn graph(frame: usize) -> Graph {
    let bars = (frame..frame + 200).map(|at| {
        let segments = (0..3).map(|zone| Segment {
            zone,
            ms: (at % 7) as f32 * 3.0,
        });
        Bar::new(at as u64, segments.collect())
    });
    let mut graph = Graph::default();
    graph.title = "frames".into();
    graph.zones = ["physics", "render", "sound"].map(GraphZone::new).into();
    graph.bars = bars.collect();
    graph.capacity = 200;
    graph
}

/// Returns a flame graph whose widths and cursor change from frame to frame.
fn flame(frame: usize) -> Flame {
    let frame = frame % FIRST;
    let mut flame = Flame::default();
    flame.title = "a frame".into();
    flame.zones = ["physics", "render", "sound"].map(GraphZone::new).into();
    for at in 0..100 {
        let caller = (at * 7 + frame) % at.max(1) / 3;
        let time = (at * frame % 11) as f64;
        flame.add(caller, at as u32 % 3, time, 1.0);
    }
    flame.cursor = Some(frame);
    flame
}

/// Lays out a frame with all parts, including the tooltip over the rows.
fn lay_out(overlay: &mut Overlay, report: &Report, graph: &Graph, flame: &Flame) {
    overlay.pointer(PointerEvent::Moved { x: 200.0, y: 90.0 });
    let mut frame = overlay.begin(SIZE.map(|px| px as f32));
    frame.draw_report(report, 5.0, 5.0, 500.0, 200.0, 2);
    frame.draw_graph(graph, 5.0, 240.0, 1.5, 2.0);
    frame.draw_flame(flame, 5.0, 340.0, 500.0, 120.0);
    frame.draw_tooltip();
}

/// Submits one pass with the commands that `render` records.
fn submit(stage: &Stage, view: &TextureView, render: impl FnOnce(&mut RenderPass<'_>)) {
    let mut encoder = stage.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations::default(),
        })],
        ..Default::default()
    });
    render(&mut pass);
    drop(pass);
    stage.queue.submit([encoder.finish()]);
    let wait = wgpu::PollType::wait_indefinitely();
    stage.device.poll(wait).expect("failed to poll the device");
}

#[test]
fn frame_takes_one_upload_and_one_draw_call() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wgpu-trace");
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("failed to create the trace folder");
    let Some(stage) = traced(Backends::VULKAN, &folder) else {
        return;
    };
    let view = (stage.texture(SIZE, FORMAT, 1)).create_view(&Default::default());
    let mut overlay = Overlay::new();
    let mut painter = Painter::new(&stage.device, &stage.queue, FORMAT, 1);
    let calls =
        || fs::read_to_string(folder.join("trace.ron")).expect("failed to read wgpu's trace");
    let mut seen = calls().len();
    for frame in 0..FIRST + 4 {
        lay_out(&mut overlay, &report(frame), &graph(frame), &flame(frame));
        painter.prepare(&stage.device, &stage.queue, overlay.draw_data());
        submit(&stage, &view, |pass| painter.render(pass));
        let calls = calls();
        let of_frame = &calls[seen..];
        seen = calls.len();
        let count = |call: &str| of_frame.matches(call).count();
        let counts = [
            "WriteBuffer",
            "WriteTexture",
            "Submit",
            "DrawIndexed",
            "Draw",
        ]
        .map(count);
        // The count for "Draw" includes each "DrawIndexed".
        match frame {
            // The first frame writes the indices, the vertices, the target's size, and glyphs.
            0 => assert_eq!(counts, [3, 1, 1, 1, 1], "the first frame: {of_frame}"),
            FIRST.. => assert_eq!(counts, [1, 0, 1, 1, 1], "frame {frame}: {of_frame}"),
            // Later frames of the first period may have new glyphs.
            _ => {
                let with_glyphs = [1, counts[1].min(1), 1, 1, 1];
                assert_eq!(counts, with_glyphs, "frame {frame}: {of_frame}");
            }
        }
    }
}

/// The wgpu objects of a minimal program that draws as many indices as the overlay.
struct Bare {
    pipeline: wgpu::RenderPipeline,
    bind_group: wgpu::BindGroup,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
}

const SHADER: &str = "
@group(0) @binding(0) var<uniform> offset: vec4<f32>;
@vertex fn vertex(@location(0) at: vec4<f32>) -> @builtin(position) vec4<f32> { return at + offset; }
@fragment fn fragment() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }
";

impl Bare {
    fn new(stage: &Stage) -> Bare {
        let device = &stage.device;
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(SHADER.into()),
        });
        let attributes = wgpu::vertex_attr_array![0 => Float32x4];
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: wgpu::VertexState {
                module: &shader,
                entry_point: None,
                compilation_options: Default::default(),
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: 16,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &attributes,
                })],
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &shader,
                entry_point: None,
                compilation_options: Default::default(),
                targets: &[Some(FORMAT.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let buffer = |size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage: usage | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let offset = buffer(16, BufferUsages::UNIFORM);
        Bare {
            bind_group: device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: offset.as_entire_binding(),
                }],
            }),
            vertices: buffer(1 << 20, BufferUsages::VERTEX),
            indices: buffer(1 << 20, BufferUsages::INDEX),
            pipeline,
        }
    }

    fn prepare(&self, stage: &Stage, vertices: &[u8]) {
        stage.queue.write_buffer(&self.vertices, 0, vertices);
    }

    fn render(&self, pass: &mut RenderPass<'_>, indices: u32) {
        let [width, height] = SIZE;
        pass.set_viewport(0.0, 0.0, width as f32, height as f32, 0.0, 1.0);
        pass.set_scissor_rect(0, 0, width, height);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..indices, 0, 0..1);
    }
}

/// The indices of the two callers. Each frame runs both callers in alternating order, because wgpu's allocations depend
/// on earlier calls.
const OVERLAY: usize = 0;
const BARE: usize = 1;
const ATTEMPTS: usize = 5;

/// With backtraces enabled, wgpu's memory allocator stores a backtrace for each call, and deeper calls have longer
/// backtraces, which would change the counts. In that case, runs the test in a separate process without backtraces, and
/// returns true.
fn ran_without_backtraces(test: &str) -> bool {
    let variables = ["RUST_BACKTRACE", "RUST_LIB_BACKTRACE"];
    if variables
        .iter()
        .all(|name| std::env::var_os(name).is_none())
    {
        return false;
    }
    let program = std::env::current_exe().expect("failed to find the path of this program");
    let mut command = Command::new(program);
    command.args([test, "--exact", "--nocapture"]);
    for name in variables {
        command.env_remove(name);
    }
    assert!(
        command
            .status()
            .expect("failed to start the child process")
            .success()
    );
    true
}

#[test]
fn frame_allocates_no_more_than_wgpu_itself() {
    if ran_without_backtraces("frame_allocates_no_more_than_wgpu_itself") {
        return;
    }
    for backend in BACKENDS {
        // wgpu's lists grow in this frame or the next, depending on when the driver finishes. Any allocations by the
        // overlay would occur in the same frames in every attempt.
        for attempt in 1..=ATTEMPTS {
            let Some(stage) = stage(backend) else {
                break;
            };
            let [overlay, bare] = counts(&stage);
            if overlay == bare {
                let [first, second] = [0, 1].map(|at| overlay[at][0]);
                eprintln!("{}: {first:?} first, {second:?} second", stage.name);
                break;
            }
            assert!(
                attempt < ATTEMPTS,
                "{}: {overlay:?} with the overlay, {bare:?} with bare calls",
                stage.name
            );
        }
    }
}

/// The number of allocations in `prepare` and in `render` in one frame, or in the corresponding bare calls.
type OfFrame = [usize; 2];

/// Returns the counts for each frame in the steady state, by caller, and by whether the caller goes first or second in
/// the frame.
fn counts(stage: &Stage) -> [[Vec<OfFrame>; 2]; 2] {
    let view = (stage.texture(SIZE, FORMAT, 1)).create_view(&Default::default());
    let mut overlay = Overlay::new();
    let mut painter = Painter::new(&stage.device, &stage.queue, FORMAT, 1);
    let bare = Bare::new(stage);
    let mut counts = [const { [const { Vec::new() }; 2] }; 2];
    for frame in 0..FRAMES {
        let (report, graph, flame) = (report(frame), graph(frame), flame(frame));
        let layout = allocations(|| lay_out(&mut overlay, &report, &graph, &flame));
        assert!(
            frame < FIRST || layout == 0,
            "laying out frame {frame} made {layout} allocations"
        );
        let bytes: Vec<u8> = bytemuck::cast_slice(overlay.draw_data().vertices()).to_vec();
        let indices = overlay.draw_data().index_count() as u32;
        let order = [[OVERLAY, BARE], [BARE, OVERLAY]][frame % 2];
        for (at, who) in order.into_iter().enumerate() {
            let prepare = allocations(|| match who {
                OVERLAY => painter.prepare(&stage.device, &stage.queue, overlay.draw_data()),
                _ => bare.prepare(stage, &bytes),
            });
            let mut render = 0;
            submit(stage, &view, |pass| {
                render = allocations(|| match who {
                    OVERLAY => painter.render(pass),
                    _ => bare.render(pass, indices),
                });
            });
            if frame >= FIRST {
                counts[who][at].push([prepare, render]);
            }
        }
    }
    counts
}
