//! The overlay in a miniquad program. miniquad uses OpenGL without `glow`, so the overlay loads OpenGL through a loader
//! function.

mod host_window;

use miniquad::*;
use picture::{Options, SIZE};
use std::f32::consts::TAU;

const VERTEX_SHADER: &str = "#version 100
attribute vec2 position;
attribute vec4 color;
varying lowp vec4 shade;
void main() {
    gl_Position = vec4(position, 0.0, 1.0);
    shade = color;
}";

const FRAGMENT_SHADER: &str = "#version 100
varying lowp vec4 shade;
void main() { gl_FragColor = shade; }";

const SPOKES: usize = 600;

fn main() {
    let options = Options::from_command_line();
    miniquad::start(host_window::conf("iprof in miniquad"), move || {
        Box::new(Dial::new(options))
    });
}

#[repr(C)]
struct Vertex {
    position: [f32; 2],
    color: [f32; 4],
}

struct Dial {
    options: Options,
    frame: u32,
    backend: Box<dyn RenderingBackend>,
    pipeline: Pipeline,
    bindings: Bindings,
}

impl Dial {
    fn new(options: Options) -> Dial {
        host_window::init_overlay();
        let mut backend: Box<dyn RenderingBackend> = window::new_rendering_backend();
        let vertices = backend.new_buffer(
            BufferType::VertexBuffer,
            BufferUsage::Stream,
            BufferSource::empty::<Vertex>(3 * SPOKES),
        );
        let indices: Vec<u16> = (0..3 * SPOKES as u16).collect();
        let indices = backend.new_buffer(
            BufferType::IndexBuffer,
            BufferUsage::Immutable,
            BufferSource::slice(&indices),
        );
        let shader = ShaderSource::Glsl {
            vertex: VERTEX_SHADER,
            fragment: FRAGMENT_SHADER,
        };
        let meta = ShaderMeta {
            images: vec![],
            uniforms: UniformBlockLayout { uniforms: vec![] },
        };
        let shader = backend
            .new_shader(shader, meta)
            .expect("failed to create the shader");
        let pipeline = backend.new_pipeline(
            &[BufferLayout::default()],
            &[
                VertexAttribute::new("position", VertexFormat::Float2),
                VertexAttribute::new("color", VertexFormat::Float4),
            ],
            shader,
            PipelineParams::default(),
        );
        Dial {
            options,
            frame: 0,
            backend,
            pipeline,
            bindings: Bindings {
                vertex_buffers: vec![vertices],
                index_buffer: indices,
                images: vec![],
            },
        }
    }

    fn dial(&mut self) {
        iprof::zone!(dial);
        let vertices: Vec<Vertex> = (0..SPOKES).flat_map(|at| spoke(at, self.frame)).collect();
        let buffer = self.bindings.vertex_buffers[0];
        self.backend
            .buffer_update(buffer, BufferSource::slice(&vertices));
        iprof::zone!(submit);
        self.backend
            .begin_default_pass(PassAction::clear_color(0.1, 0.25, 0.3, 1.0));
        self.backend.apply_pipeline(&self.pipeline);
        self.backend.apply_bindings(&self.bindings);
        self.backend.draw(0, 3 * SPOKES as i32, 1);
        self.backend.end_render_pass();
    }
}

fn spoke(at: usize, frame: u32) -> [Vertex; 3] {
    iprof::zone!(spoke);
    let ring = at % 6;
    let angle = at as f32 / SPOKES as f32 * 6.0 * TAU + frame as f32 * 0.004 * (ring as f32 - 2.5);
    let radius = 0.25 + 0.12 * ring as f32;
    let color = [
        0.5 + 0.5 * (angle + 1.0).sin(),
        0.3 + 0.1 * ring as f32,
        0.5 + 0.5 * (angle * 2.0).cos(),
        1.0,
    ];
    [(0.0, -0.05), (0.0, 0.05), (0.11, 0.0)].map(|(out, aside)| {
        let (sin, cos) = (angle + aside).sin_cos();
        let radius = radius + out;
        let aspect = SIZE[1] as f32 / SIZE[0] as f32;
        Vertex {
            position: [radius * cos * aspect, radius * sin],
            color,
        }
    })
}

impl EventHandler for Dial {
    fn update(&mut self) {}

    fn draw(&mut self) {
        iprof::update(true);
        self.dial();
        host_window::finish_frame(&self.options, self.frame);
        self.backend.commit_frame();
        self.frame += 1;
    }
}
