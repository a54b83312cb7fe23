//! GPU zones in real contexts.

#![cfg(all(feature = "enable", feature = "gl"))]
#![allow(unsafe_code, reason = "every GL call is unsafe")]

mod support;

use glow::HasContext;
use support::headless::{Headless, Kind, Target};

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

#[test]
fn explore() {
    for kind in [Kind::Gl33Core, Kind::Gl45Core, Kind::Gles30, Kind::Gles32] {
        let h = Headless::new(kind, Target::new(512, 512)).unwrap();
        let gl = &h.gl;
        println!("{kind:?} {:?} {}", gl.version(), gl.supported_extensions().contains("GL_EXT_disjoint_timer_query"));
        unsafe {
            let program = gl.create_program().unwrap();
            let head = if gl.version().is_embedded { "#version 300 es\nprecision highp float;\n" } else { "#version 330\n" };
            for (k, s) in [(glow::VERTEX_SHADER, VERTEX), (glow::FRAGMENT_SHADER, FRAGMENT)] {
                let shader = gl.create_shader(k).unwrap();
                gl.shader_source(shader, &format!("{head}{s}"));
                gl.compile_shader(shader);
                assert!(gl.get_shader_compile_status(shader), "{}", gl.get_shader_info_log(shader));
                gl.attach_shader(program, shader);
            }
            gl.link_program(program);
            gl.use_program(Some(program));
            let amount = gl.get_uniform_location(program, "amount");
            let va = gl.create_vertex_array().unwrap();
            gl.bind_vertex_array(Some(va));
            let q: Vec<_> = (0..6).map(|_| gl.create_query().unwrap()).collect();
            for round in 0..4 {
                for flush in [false, true] {
                    gl.finish();
                    let stamp = |q| gl.query_counter(q, glow::TIMESTAMP);
                    let t = std::time::Instant::now();
                    stamp(q[0]);
                    gl.uniform_1_f32(amount.as_ref(), 5.0);
                    gl.draw_arrays(glow::TRIANGLES, 0, 3);
                    if flush { gl.flush(); }
                    stamp(q[1]);
                    gl.uniform_1_f32(amount.as_ref(), 200.0);
                    gl.draw_arrays(glow::TRIANGLES, 0, 3);
                    if flush { gl.flush(); }
                    stamp(q[2]);
                    stamp(q[3]);
                    gl.finish();
                    let wall = t.elapsed();
                    let r: Vec<u64> = (0..4).map(|i| gl.get_query_parameter_u64(q[i], glow::QUERY_RESULT)).collect();
                    println!("round {round} flush {flush} wall {wall:?}: {r:?} {} {} {}", r[1].wrapping_sub(r[0]), r[2].wrapping_sub(r[1]), r[3].wrapping_sub(r[2]));
                }
            }
        }
        println!("{:?}", h.take_log().iter().filter(|l| l.contains("rror")).collect::<Vec<_>>());
    }
}
