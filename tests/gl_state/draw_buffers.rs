//! Tests which attachment the overlay paints on when the host draws to several attachments, or not to the
//! first attachment.

use super::host::{CLEAR, SIZE};
use super::picture::{clean_picture, paint};
use crate::support::headless::{Headless, Kind, Target, renderbuffer};
use crate::support::image::{Image, Tolerance, assert_same};
use crate::support::statedump::{changes, dump};
use glow::HasContext;

/// Attaches cleared color buffers with the given formats, and sets the draw buffers.
fn attach(h: &Headless, formats: [u32; 4], draw_buffers: &[u32]) {
    let gl = &h.gl;
    let Target { width, height, .. } = h.target;
    // SAFETY: the context is current.
    unsafe {
        for (at, format) in (0..).zip(formats) {
            let buffer = renderbuffer(gl, format, width, height, 0);
            let (target, attachment) = (glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0 + at);
            gl.framebuffer_renderbuffer(target, attachment, glow::RENDERBUFFER, Some(buffer));
        }
        let all: [u32; 4] = std::array::from_fn(|at| glow::COLOR_ATTACHMENT0 + at as u32);
        gl.draw_buffers(&all);
        for (at, format) in (0..).zip(formats) {
            match format {
                glow::RGBA8UI => gl.clear_buffer_u32_slice(glow::COLOR, at, &[7; 4]),
                _ => gl.clear_buffer_f32_slice(glow::COLOR, at, &CLEAR),
            }
        }
        gl.draw_buffers(draw_buffers);
    }
    assert_eq!(h.take_error(), glow::NO_ERROR, "{:?}", h.take_log());
}

fn attachment(h: &Headless, at: u32) -> Image {
    h.read_attachment(h.framebuffer, glow::COLOR_ATTACHMENT0 + at)
}

const PLAIN: u32 = glow::RGBA8;
const INTEGERS: u32 = glow::RGBA8UI;
const NONE: u32 = glow::NONE;
const A0: u32 = glow::COLOR_ATTACHMENT0;
const A1: u32 = glow::COLOR_ATTACHMENT1;
const A2: u32 = glow::COLOR_ATTACHMENT2;
const A3: u32 = glow::COLOR_ATTACHMENT3;

/// A host's formats and draw buffers, and the attachment that the overlay paints on, if any.
type Case = ([u32; 4], &'static [u32], Option<u32>);

/// Cases for all versions. In ES, each draw buffer must be `NONE` or the attachment with the same number, so the
/// overlay paints on the first attachment or on none.
const ANYWHERE: &[Case] = &[
    ([PLAIN; 4], &[A0, A1, A2, A3], Some(0)),
    ([PLAIN; 4], &[NONE], None),
    ([PLAIN, INTEGERS, PLAIN, PLAIN], &[A0, A1], Some(0)),
    ([INTEGERS; 4], &[A0, A1, A2, A3], None),
];
const DESKTOP: &[Case] = &[
    ([PLAIN; 4], &[NONE, A1], Some(1)),
    ([PLAIN; 4], &[NONE, NONE, A2, A3], Some(2)),
    ([PLAIN; 4], &[A3, A0, NONE, A1], Some(3)),
    ([PLAIN; 4], &[A1], Some(1)),
    ([PLAIN; 4], &[NONE, A0], Some(0)),
    ([INTEGERS, PLAIN, PLAIN, PLAIN], &[A1], Some(1)),
    ([INTEGERS, PLAIN, PLAIN, PLAIN], &[NONE, A1], Some(1)),
    ([INTEGERS, PLAIN, PLAIN, PLAIN], &[A0, A1], Some(1)),
    ([INTEGERS, PLAIN, PLAIN, PLAIN], &[A0, A3], Some(3)),
    (
        [INTEGERS, INTEGERS, PLAIN, PLAIN],
        &[A0, A1, A2, A3],
        Some(2),
    ),
    (
        [PLAIN, PLAIN, PLAIN, INTEGERS],
        &[A3, A0, NONE, A1],
        Some(0),
    ),
];
const EMBEDDED: &[Case] = &[
    ([PLAIN; 4], &[NONE, A1], None),
    ([INTEGERS, PLAIN, PLAIN, PLAIN], &[A0, A1], None),
];

const KINDS: [Kind; 6] = [
    Kind::Gl30,
    Kind::Gl33Core,
    Kind::Gl45Core,
    Kind::Gles30,
    Kind::Gles31,
    Kind::Gles32,
];

#[test]
fn only_first_color_draw_buffer_is_painted() {
    let mut failures = Vec::new();
    for kind in KINDS {
        let is_embedded = [Kind::Gles30, Kind::Gles31, Kind::Gles32].contains(&kind);
        let more = if is_embedded { EMBEDDED } else { DESKTOP };
        for (formats, draw_buffers, painted) in ANYWHERE.iter().chain(more) {
            let Some(h) = Headless::new(kind, SIZE) else {
                return;
            };
            h.clear(CLEAR);
            let blank = h.read();
            attach(&h, *formats, draw_buffers);
            let before = dump(&h);
            h.take_log();
            paint(&h, None);
            let name = format!("{kind:?} {formats:x?} {draw_buffers:x?}");
            let log = h.take_log();
            if !log.is_empty() || h.take_error() != glow::NO_ERROR {
                failures.push(format!("{name}: {log:?}"));
            }
            let changed = changes(&before, &dump(&h));
            if !changed.is_empty() {
                failures.push(format!("{name}: {changed:?}"));
            }
            let clean = clean_picture(kind, SIZE);
            h.make_current();
            // For integer formats, which can't be blended, Mesa 22.3 confuses attachment 0 with draw buffer 0. It makes
            // the same mistake for the host's own drawing.
            let is_blended = formats[0] != INTEGERS;
            for at in 0..4 {
                if formats[at as usize] == INTEGERS {
                    continue;
                }
                if *painted == Some(at) && !is_blended {
                    let shown = attachment(&h, at).differing(&blank, 8);
                    if shown < 10_000 {
                        failures.push(format!("{name}: {shown} px painted"));
                    }
                    continue;
                }
                let wanted = if *painted == Some(at) { &clean } else { &blank };
                let off = attachment(&h, at).differing(wanted, 0);
                if off > 0 {
                    failures.push(format!("{name}: {off} px of attachment {at}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Draws over each draw buffer's content in a different color.
fn scene(h: &Headless) {
    let gl = &h.gl;
    let version = match (h.gl.version().is_embedded, h.from((3, 3), (3, 0))) {
        (true, _) => "300 es\nprecision highp float;",
        (false, true) => "330 core",
        (false, false) => "130",
    };
    let layout = |at: u32| match version {
        "130" => format!("out vec4 c{at};"),
        _ => format!("layout(location = {at}) out vec4 c{at};"),
    };
    let outputs: String = (0..4).map(layout).collect();
    let fragment = format!(
        "#version {version}\n{outputs}\nvoid main() {{ vec2 p = gl_FragCoord.xy / 160.0;
         c0 = vec4(p, 0.1, 0.5); c1 = vec4(0.3, p, 0.4); c2 = vec4(p.yx, 0.9, 0.6);
         c3 = vec4(p.y, 0.8, p.x, 0.7); }}"
    );
    let vertex = format!(
        "#version {version}\nin vec2 place; void main() {{ gl_Position = vec4(place, 0.0, 1.0); }}"
    );
    // SAFETY: the context is current, and the array has as many vertices as are drawn.
    unsafe {
        let program = gl.create_program().expect("failed to create a program");
        for (stage, text) in [
            (glow::VERTEX_SHADER, vertex),
            (glow::FRAGMENT_SHADER, fragment),
        ] {
            let shader = gl.create_shader(stage).expect("failed to create a shader");
            gl.shader_source(shader, &text);
            gl.compile_shader(shader);
            let log = gl.get_shader_info_log(shader);
            assert!(gl.get_shader_compile_status(shader), "{log}");
            gl.attach_shader(program, shader);
        }
        if version == "130" {
            for at in 0..4 {
                gl.bind_frag_data_location(program, at, &format!("c{at}"));
            }
        }
        gl.bind_attrib_location(program, 0, "place");
        gl.link_program(program);
        assert!(gl.get_program_link_status(program));
        gl.use_program(Some(program));
        let array = gl
            .create_vertex_array()
            .expect("failed to create a vertex array");
        gl.bind_vertex_array(Some(array));
        let buffer = gl.create_buffer().expect("failed to create a buffer");
        gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
        let places: [f32; 6] = [-1.0, -1.0, 3.0, -1.0, -1.0, 3.0];
        let bytes: Vec<u8> = places
            .iter()
            .flat_map(|place| place.to_ne_bytes())
            .collect();
        gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, &bytes, glow::STATIC_DRAW);
        gl.enable_vertex_attrib_array(0);
        gl.vertex_attrib_pointer_f32(0, 2, glow::FLOAT, false, 8, 0);
        gl.enable(glow::BLEND);
        gl.blend_func(glow::SRC_ALPHA, glow::ONE);
        gl.draw_arrays(glow::TRIANGLES, 0, 3);
    }
}

/// The overlay may be visible only where it paints.
#[test]
fn scene_with_several_draw_buffers_is_undisturbed() {
    for kind in KINDS {
        let is_embedded = [Kind::Gles30, Kind::Gles31, Kind::Gles32].contains(&kind);
        let lists: &[&[u32]] = match is_embedded {
            true => &[&[A0, A1, A2, A3], &[A0, NONE, A2], &[NONE, A1, NONE, A3]],
            false => &[&[A3, A0, NONE, A1], &[A1, A0], &[NONE, A2, A0, A3]],
        };
        for list in lists {
            let draw = |with_overlay: bool| {
                let h = Headless::new(kind, SIZE)?;
                h.clear(CLEAR);
                attach(&h, [PLAIN; 4], list);
                scene(&h);
                if with_overlay {
                    paint(&h, None);
                }
                // Clear what the overlay has painted. SAFETY: the context is current.
                unsafe {
                    h.gl.clear_color(0.1, 0.2, 0.3, 0.4);
                    h.gl.clear(glow::COLOR_BUFFER_BIT);
                    h.gl.draw_arrays(glow::TRIANGLES, 0, 3);
                }
                assert_eq!(h.take_error(), glow::NO_ERROR);
                Some([0, 1, 2, 3].map(|at| attachment(&h, at)))
            };
            let (Some(with), Some(without)) = (draw(true), draw(false)) else {
                return;
            };
            for (at, (with, without)) in with.iter().zip(&without).enumerate() {
                let name = format!("gl_state-{kind:?}-{list:x?}-{at}");
                assert_same(&name, with, without, Tolerance::EXACT);
            }
        }
    }
}
