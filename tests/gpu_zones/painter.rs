//! Draws a heavy pass and a light pass in GPU zones.

use crate::support::headless::Headless;
use glow::HasContext;
use std::time::{Duration, Instant};

const VERTEX: &str = "void main() {
    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}";
const FRAGMENT: &str = "uniform float amount;
out vec4 color;
void main() {
    float x = gl_FragCoord.x;
    for (float i = 0.0; i < amount; i += 1.0) { x = sin(x + i); }
    color = vec4(x);
}";

const LIGHT: f32 = 1.0;
/// The minimum duration of a heavy pass. To reach it, llvmpipe needs 60 times as much work as in a light pass, and
/// hardware needs even more.
const BUSY: Duration = Duration::from_millis(1);

/// Draws over the whole target, with an adjustable amount of work.
pub(crate) struct Painter<'a> {
    gl: &'a glow::Context,
    amount: Option<glow::UniformLocation>,
    /// The amount of work in a heavy pass. It is enough to keep the GPU busy for a while.
    heavy: f32,
}

impl<'a> Painter<'a> {
    pub(crate) fn new(h: &'a Headless) -> Painter<'a> {
        let gl = &*h.gl;
        let head = match gl.version().is_embedded {
            true => "#version 300 es\nprecision highp float;\n",
            false => "#version 330\n",
        };
        // SAFETY: the context is current.
        unsafe {
            let program = gl.create_program().unwrap();
            for (kind, source) in [
                (glow::VERTEX_SHADER, VERTEX),
                (glow::FRAGMENT_SHADER, FRAGMENT),
            ] {
                let shader = gl.create_shader(kind).unwrap();
                gl.shader_source(shader, &format!("{head}{source}"));
                gl.compile_shader(shader);
                gl.attach_shader(program, shader);
            }
            gl.link_program(program);
            assert!(gl.get_program_link_status(program));
            gl.use_program(Some(program));
            let vertex_array = gl.create_vertex_array().unwrap();
            gl.bind_vertex_array(Some(vertex_array));
            let mut painter = Painter {
                gl,
                amount: gl.get_uniform_location(program, "amount"),
                heavy: LIGHT,
            };
            // The first draw may compile the shader.
            painter.draw(LIGHT);
            gl.finish();
            while painter.heavy < 60.0 * LIGHT || painter.takes(painter.heavy) < BUSY {
                painter.heavy *= 2.0;
            }
            painter
        }
    }

    fn takes(&self, amount: f32) -> Duration {
        let start = Instant::now();
        self.draw(amount);
        // SAFETY: the context is current.
        unsafe { self.gl.finish() };
        start.elapsed()
    }

    /// Draws a pass, with a flush before and after it.
    pub(crate) fn draw(&self, amount: f32) {
        // SAFETY: the context is current.
        unsafe {
            self.gl.flush();
            self.gl.uniform_1_f32(self.amount.as_ref(), amount);
            self.gl.draw_arrays(glow::TRIANGLES, 0, 3);
            self.gl.flush();
        }
    }

    /// Draws a heavy and a light pass in a zone. Returns how long the GPU takes to complete them.
    pub(crate) fn frame(&self) -> Duration {
        let start = Instant::now();
        {
            iprof::zone!(scene);
            iprof::gpu_zone!(self.gl, passes);
            {
                iprof::gpu_zone!(self.gl, heavy);
                self.draw(self.heavy);
            }
            {
                iprof::gpu_zone!(self.gl, "light");
                self.draw(LIGHT);
            }
        }
        // SAFETY: the context is current.
        unsafe { self.gl.finish() };
        let passed = start.elapsed();
        iprof::update(true);
        passed
    }
}
