//! The overlay is a guest. Whatever the host has set: the picture is the same to the bit, the state
//! is afterwards what it was before, the error queue is the host's own, and the driver has nothing
//! to complain about.
//!
//! A row of [`HOSTS`] is a host that has set something. Each is run on each kind of context.

#![cfg(feature = "gl")]
#![allow(unsafe_code, reason = "every GL call is unsafe")]

// The invariant behind the SAFETY lines: "current": `Headless`'s own.

mod support;

use glow::HasContext;
use iprof::__test_gl::{AtlasImage, DrawList, Painter};
use support::headless::{Headless, Kind, Target, in_old_gl, renderbuffer};
use support::image::{Image, Tolerance, assert_golden, assert_same};
use support::statedump::{changes, dump};

const SIZE: Target = Target {
    width: 96,
    height: 64,
    samples: 0,
    srgb: false,
};
const CLEAR: [f32; 4] = [0.2, 0.4, 0.6, 0.5];

/// `GL_MULTIPLY_KHR`, of `KHR_blend_equation_advanced`.
const MULTIPLY: u32 = 0x9294;

/// All painting of this file: the overlay is set up, and draws two frames, the second with another
/// atlas. To be swapped for `iprof::gl::Overlay`.
fn paint(gl: &glow::Context) {
    let mut list = DrawList::default();
    list.push_quad([4.0, 4.0, 92.0, 60.0], [0; 4], [20, 30, 90, 217]);
    for i in 0..4u8 {
        let x = 8.0 + 20.0 * f32::from(i);
        list.push_quad(
            [x, 10.0, x + 16.0, 26.0],
            [0, 0, 65535, 65535],
            [255, 60 * i, 200 - 40 * i, 255 - 50 * i],
        );
    }
    list.push_line([6.0, 40.5], [90.0, 40.5], 1.0, [255, 0, 0, 255], [0; 2]);
    list.push_line([10.0, 56.0], [80.0, 44.0], 2.0, [255, 255, 0, 128], [0; 2]);
    // Full coverage at its first texel; odd in width, so that a wrong UNPACK_ALIGNMENT shows.
    let mut atlas = AtlasImage {
        width: 15,
        height: 16,
        pixels: (0..15 * 16)
            .map(|i: u32| if i == 0 { 255 } else { (i * 37) as u8 })
            .collect(),
        revision: 1,
    };
    // SAFETY: current.
    unsafe {
        let mut painter = Painter::new(gl).expect("a painter");
        let viewport = iprof::__test_gl::viewport(gl);
        painter.paint(gl, &list, &atlas, viewport);
        atlas.pixels[20..200].reverse();
        atlas.revision += 1;
        painter.paint(gl, &list, &atlas, viewport);
        painter.destroy(gl);
    }
}

/// What a host has set, and where that exists.
struct Host {
    name: &'static str,
    /// From this desktop and this ES version on.
    from: ((u32, u32), (u32, u32)),
    set: fn(&Headless),
    target: Target,
    /// Names of the dump that cannot come back, with the reason in `state.rs`.
    lost: &'static [&'static str],
}

const ALL: ((u32, u32), (u32, u32)) = ((3, 3), (3, 0));
const DESKTOP: ((u32, u32), (u32, u32)) = ((3, 3), (99, 0));

const fn host(name: &'static str, from: ((u32, u32), (u32, u32)), set: fn(&Headless)) -> Host {
    Host {
        name,
        from,
        set,
        target: SIZE,
        lost: &[],
    }
}

const fn multisampled(host: Host) -> Host {
    Host {
        target: Target { samples: 4, ..SIZE },
        ..host
    }
}

const HOSTS: &[Host] = &[
    host("nothing", ALL, |_| {}),
    host("a scissor box on", ALL, |h| {
        enable(h, glow::SCISSOR_TEST);
        // SAFETY: current.
        unsafe { h.gl.scissor(10, 10, 5, 5) };
    }),
    host("a scissor for one viewport only", ((4, 1), (99, 0)), |h| {
        // SAFETY: current.
        unsafe {
            h.gl.scissor(10, 10, 5, 5);
            h.gl.enable_draw_buffer(glow::SCISSOR_TEST, 0);
            h.gl.enable_draw_buffer(glow::SCISSOR_TEST, 3);
        }
    }),
    host("additive blending", ALL, |h| {
        enable(h, glow::BLEND);
        // SAFETY: current.
        unsafe { h.gl.blend_func(glow::ONE, glow::ONE) };
    }),
    host("blending by separate functions and equations", ALL, |h| {
        // SAFETY: current.
        unsafe {
            h.gl.blend_color(0.1, 0.2, 0.3, 0.4);
            h.gl.blend_func_separate(
                glow::DST_COLOR,
                glow::CONSTANT_ALPHA,
                glow::SRC_ALPHA_SATURATE,
                glow::ZERO,
            );
            h.gl.blend_equation_separate(glow::FUNC_REVERSE_SUBTRACT, glow::MAX);
        }
    }),
    host("the overlay's own blend function, off", ALL, |h| {
        // SAFETY: current.
        unsafe {
            h.gl.blend_func_separate(
                glow::SRC_ALPHA,
                glow::ONE_MINUS_SRC_ALPHA,
                glow::ONE,
                glow::ONE_MINUS_SRC_ALPHA,
            );
        }
    }),
    host("an advanced blend equation", ALL, |h| {
        if has(h, "GL_KHR_blend_equation_advanced") {
            enable(h, glow::BLEND);
            // SAFETY: current.
            unsafe { h.gl.blend_equation(MULTIPLY) };
        }
    }),
    host("blending per draw buffer", ((4, 0), (3, 2)), |h| {
        second_attachment(h);
        // SAFETY: current.
        unsafe {
            let gl = &h.gl;
            gl.disable_draw_buffer(glow::BLEND, 0);
            gl.enable_draw_buffer(glow::BLEND, 1);
            gl.enable_draw_buffer(glow::BLEND, 3);
            gl.blend_func_draw_buffer(0, glow::ZERO, glow::ONE);
            gl.blend_func_draw_buffer(1, glow::ONE, glow::ONE);
            gl.blend_equation_draw_buffer(0, glow::MIN);
            gl.blend_equation_separate_draw_buffer(1, glow::MAX, glow::FUNC_SUBTRACT);
            gl.color_mask_draw_buffer(0, false, true, false, true);
            gl.color_mask_draw_buffer(1, true, false, true, true);
        }
    }),
    host("several draw buffers", ALL, |h| {
        second_attachment(h);
    }),
    host("both faces culled", ALL, |h| {
        enable(h, glow::CULL_FACE);
        // SAFETY: current.
        unsafe {
            h.gl.cull_face(glow::FRONT_AND_BACK);
            h.gl.front_face(glow::CW);
        }
    }),
    host("a depth test that never passes", ALL, |h| {
        enable(h, glow::DEPTH_TEST);
        // SAFETY: current.
        unsafe {
            h.gl.depth_func(glow::NEVER);
            h.gl.depth_mask(false);
            h.gl.depth_range_f32(0.75, 0.25);
        }
    }),
    host("a stencil test that never passes", ALL, |h| {
        enable(h, glow::STENCIL_TEST);
        // SAFETY: current.
        unsafe {
            h.gl.stencil_func(glow::NEVER, 3, 0x55);
            h.gl.stencil_op(glow::INCR, glow::INVERT, glow::REPLACE);
        }
    }),
    // SAFETY: current.
    host("no colour written", ALL, |h| unsafe {
        h.gl.color_mask(false, false, false, false)
    }),
    // SAFETY: current.
    host("red and alpha written only", ALL, |h| unsafe {
        h.gl.color_mask(true, false, false, true)
    }),
    // SAFETY: current.
    host("polygons as lines", DESKTOP, |h| unsafe {
        h.gl.polygon_mode(glow::FRONT_AND_BACK, glow::LINE);
    }),
    host("smooth polygons", DESKTOP, |h| {
        enable(h, glow::POLYGON_SMOOTH)
    }),
    host("its own program", ALL, |h| {
        let program = program(h, false);
        // SAFETY: current.
        unsafe { h.gl.use_program(Some(program)) };
    }),
    Host {
        lost: &["CURRENT_PROGRAM"],
        ..host(
            "a program that is deleted once it is not current",
            ALL,
            |h| {
                let program = program(h, false);
                // SAFETY: current.
                unsafe {
                    h.gl.use_program(Some(program));
                    h.gl.delete_program(program);
                }
            },
        )
    },
    Host {
        lost: &["CURRENT_PROGRAM"],
        ..host("a program whose relink failed", ALL, |h| {
            let program = program(h, false);
            // SAFETY: current.
            unsafe {
                h.gl.use_program(Some(program));
                let varyings = ["no such output"];
                h.gl.transform_feedback_varyings(program, &varyings, glow::SEPARATE_ATTRIBS);
                h.gl.link_program(program);
                assert!(!h.gl.get_program_link_status(program));
            }
        })
    },
    host("a program pipeline", ((4, 1), (3, 1)), |h| {
        let mut pipeline = 0;
        let program = program(h, true);
        // SAFETY: current.
        unsafe {
            (h.raw.gen_program_pipelines)(1, &mut pipeline);
            (h.raw.use_program_stages)(pipeline, u32::MAX, program.0.get());
            (h.raw.bind_program_pipeline)(pipeline);
        }
    }),
    host("textures on two units, the sixth active", ALL, |h| {
        // SAFETY: current.
        unsafe {
            for unit in [0, 5] {
                h.gl.active_texture(glow::TEXTURE0 + unit);
                texture(h);
            }
        }
    }),
    host("a sampler object on the first unit", ALL, |h| {
        texture(h);
        // SAFETY: current.
        unsafe {
            let sampler = h.gl.create_sampler().expect("a sampler");
            for (name, value) in [
                (glow::TEXTURE_MIN_FILTER, glow::LINEAR_MIPMAP_LINEAR),
                (glow::TEXTURE_MAG_FILTER, glow::LINEAR),
                (glow::TEXTURE_WRAP_S, glow::MIRRORED_REPEAT),
            ] {
                h.gl.sampler_parameter_i32(sampler, name, value as i32);
            }
            h.gl.bind_sampler(0, Some(sampler));
            h.gl.bind_sampler(2, Some(sampler));
            h.gl.active_texture(glow::TEXTURE2);
        }
    }),
    host("a pixel unpack buffer", ALL, |h| {
        buffer(h, glow::PIXEL_UNPACK_BUFFER);
    }),
    host("odd pixel unpacking", ALL, |h| {
        // SAFETY: current.
        unsafe {
            for (name, value) in [
                (glow::UNPACK_ALIGNMENT, 8),
                (glow::UNPACK_ROW_LENGTH, 77),
                (glow::UNPACK_SKIP_ROWS, 3),
                (glow::UNPACK_SKIP_PIXELS, 5),
                (glow::UNPACK_IMAGE_HEIGHT, 9),
                (glow::UNPACK_SKIP_IMAGES, 2),
                (glow::PACK_ALIGNMENT, 2),
            ] {
                h.gl.pixel_store_i32(name, value);
            }
            if !h.gl.version().is_embedded {
                h.gl.pixel_store_i32(glow::UNPACK_SWAP_BYTES, 1);
                h.gl.pixel_store_i32(glow::UNPACK_LSB_FIRST, 1);
            }
        }
    }),
    host(
        "a vertex array with divisors, an array and an element buffer",
        ALL,
        |h| {
            // SAFETY: current.
            unsafe {
                let array = h.gl.create_vertex_array().expect("a vertex array");
                h.gl.bind_vertex_array(Some(array));
                buffer(h, glow::ARRAY_BUFFER);
                for i in 0..6 {
                    h.gl.enable_vertex_attrib_array(i);
                    h.gl.vertex_attrib_pointer_f32(i, 3, glow::SHORT, true, 24, 2 * i as i32);
                    h.gl.vertex_attrib_divisor(i, i);
                }
                buffer(h, glow::ARRAY_BUFFER);
                buffer(h, glow::ELEMENT_ARRAY_BUFFER);
            }
        },
    ),
    Host {
        target: Target { srgb: true, ..SIZE },
        ..host("an sRGB framebuffer with encoding on", DESKTOP, |h| {
            enable(h, glow::FRAMEBUFFER_SRGB);
        })
    },
    host("primitive restart at vertex 4", DESKTOP, |h| {
        enable(h, glow::PRIMITIVE_RESTART);
        // SAFETY: current.
        unsafe { (h.raw.primitive_restart_index)(4) };
    }),
    host(
        "primitive restart at the fixed index",
        ((4, 3), (3, 0)),
        |h| {
            enable(h, glow::PRIMITIVE_RESTART_FIXED_INDEX);
        },
    ),
    host("rasteriser discard", ALL, |h| {
        enable(h, glow::RASTERIZER_DISCARD)
    }),
    host("a logic operation", DESKTOP, |h| {
        enable(h, glow::COLOR_LOGIC_OP);
        // SAFETY: current.
        unsafe { (h.raw.logic_op)(glow::INVERT) };
    }),
    multisampled(host("multisampling", ALL, |_| {})),
    multisampled(host("alpha to coverage", ALL, |h| {
        enable(h, glow::SAMPLE_ALPHA_TO_COVERAGE)
    })),
    multisampled(host("alpha to one", DESKTOP, |h| {
        enable(h, glow::SAMPLE_ALPHA_TO_ONE)
    })),
    multisampled(host("sample coverage", ALL, |h| {
        enable(h, glow::SAMPLE_COVERAGE);
        // SAFETY: current.
        unsafe { h.gl.sample_coverage(0.0, false) };
    })),
    multisampled(host("a sample mask", ((3, 3), (3, 1)), |h| {
        enable(h, glow::SAMPLE_MASK);
        // SAFETY: current.
        unsafe { (h.raw.sample_mask_i)(0, 0) };
    })),
    host("clip distances", DESKTOP, |h| {
        for i in 0..8 {
            enable(h, glow::CLIP_DISTANCE0 + i);
        }
    }),
    host("clip distances in ES", ((99, 0), (3, 0)), |h| {
        if has(h, "GL_EXT_clip_cull_distance") {
            for i in 0..8 {
                enable(h, glow::CLIP_DISTANCE0 + i);
            }
        }
    }),
    host("clip space upside down", ((4, 5), (99, 0)), |h| {
        // SAFETY: current.
        unsafe { (h.raw.clip_control)(glow::UPPER_LEFT, glow::ZERO_TO_ONE) };
    }),
    host("an active transform feedback", ALL, feed_back),
    host("a paused transform feedback", ALL, |h| {
        feed_back(h);
        // SAFETY: current.
        unsafe { h.gl.pause_transform_feedback() };
    }),
    host("an open occlusion query", ALL, |h| {
        // SAFETY: current.
        unsafe {
            let query = h.gl.create_query().expect("a query");
            h.gl.begin_query(glow::ANY_SAMPLES_PASSED, query);
        }
    }),
    host("uniform buffers bound by index", ALL, |h| {
        let buffer = buffer(h, glow::UNIFORM_BUFFER);
        // SAFETY: current.
        unsafe {
            h.gl.bind_buffer_range(glow::UNIFORM_BUFFER, 3, Some(buffer), 0, 64)
        };
    }),
    multisampled(host("everything at once", ALL, |h| {
        for host in HOSTS.iter().filter(|h| h.name != "everything at once") {
            let conflicts = host.name.contains("blend") || host.name.contains("transform feedback");
            if !conflicts && host.lost.is_empty() && !host.target.srgb && knows(h, host) {
                (host.set)(h);
            }
        }
    })),
];

/// Hosts that only a compatibility context can be.
const COMPATIBLE_HOSTS: &[Host] = &[
    host("an alpha test that never passes", DESKTOP, |h| {
        enable(h, 0x0BC0);
        // SAFETY: current.
        unsafe { (h.raw.alpha_func)(glow::NEVER, 0.5) };
    }),
    host("an empty polygon stipple", DESKTOP, |h| {
        enable(h, 0x0B42);
        // SAFETY: current; a stipple is 32 x 32 bits.
        unsafe { (h.raw.polygon_stipple)([0_u8; 128].as_ptr()) };
    }),
    host("a polygon mode for each face", DESKTOP, |h| {
        // SAFETY: current.
        unsafe {
            h.gl.polygon_mode(glow::FRONT, glow::POINT);
            h.gl.polygon_mode(glow::BACK, glow::LINE);
        }
    }),
    host("lighting, fog and fixed-function texturing", DESKTOP, |h| {
        for name in [0x0B50, 0x0B60, 0x0DE1, 0x8458] {
            enable(h, name);
        }
    }),
];

fn enable(h: &Headless, name: u32) {
    // SAFETY: current.
    unsafe { h.gl.enable(name) };
}

fn has(h: &Headless, extension: &str) -> bool {
    h.gl.supported_extensions().contains(extension)
}

fn buffer(h: &Headless, target: u32) -> glow::Buffer {
    // SAFETY: current.
    unsafe {
        let buffer = h.gl.create_buffer().expect("a buffer");
        h.gl.bind_buffer(target, Some(buffer));
        h.gl.buffer_data_u8_slice(target, &[0x5A; 1024], glow::STATIC_DRAW);
        buffer
    }
}

/// A texture on the active unit.
fn texture(h: &Headless) {
    // SAFETY: current.
    unsafe {
        let texture = h.gl.create_texture().expect("a texture");
        h.gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        let pixels = glow::PixelUnpackData::Slice(Some(&[0x80; 16]));
        let (rgba, byte) = (glow::RGBA, glow::UNSIGNED_BYTE);
        h.gl.tex_image_2d(
            glow::TEXTURE_2D,
            0,
            glow::RGBA8 as i32,
            2,
            2,
            0,
            rgba,
            byte,
            pixels,
        );
    }
}

/// A second colour attachment, cleared like the first, and both drawn to.
fn second_attachment(h: &Headless) {
    let Target {
        width,
        height,
        samples,
        ..
    } = h.target;
    // SAFETY: current.
    unsafe {
        let buffer = renderbuffer(&h.gl, glow::RGBA8, width, height, samples);
        h.gl.framebuffer_renderbuffer(
            glow::FRAMEBUFFER,
            glow::COLOR_ATTACHMENT1,
            glow::RENDERBUFFER,
            Some(buffer),
        );
        h.gl.draw_buffers(&[glow::COLOR_ATTACHMENT0, glow::COLOR_ATTACHMENT1]);
        h.gl.clear_buffer_f32_slice(glow::COLOR, 1, &CLEAR);
    }
}

/// A program of the host's, with an output that transform feedback can catch.
fn program(h: &Headless, separable: bool) -> glow::Program {
    let gl = &h.gl;
    let version = if gl.version().is_embedded {
        "300 es"
    } else {
        "330 core"
    };
    let per_vertex = if gl.version().is_embedded {
        ""
    } else if separable {
        "#extension GL_ARB_separate_shader_objects : enable\nout gl_PerVertex { vec4 gl_Position; };\n"
    } else {
        ""
    };
    // SAFETY: current.
    unsafe {
        let program = gl.create_program().expect("a program");
        for (stage, text) in [
            (
                glow::VERTEX_SHADER,
                format!(
                    "#version {version}\n{per_vertex}\
                     out vec4 caught; void main() {{ caught = vec4(1.0); gl_Position = caught; }}"
                ),
            ),
            (
                glow::FRAGMENT_SHADER,
                format!(
                    "#version {version}\nprecision mediump float;\n\
                     out vec4 color; void main() {{ color = vec4(1.0, 0.0, 1.0, 1.0); }}"
                ),
            ),
        ] {
            let shader = gl.create_shader(stage).expect("a shader");
            gl.shader_source(shader, &text);
            gl.compile_shader(shader);
            assert!(
                gl.get_shader_compile_status(shader),
                "{}",
                gl.get_shader_info_log(shader)
            );
            gl.attach_shader(program, shader);
        }
        gl.transform_feedback_varyings(program, &["caught"], glow::INTERLEAVED_ATTRIBS);
        if separable {
            (h.raw.program_parameter)(program.0.get(), glow::PROGRAM_SEPARABLE, 1);
        }
        gl.link_program(program);
        assert!(
            gl.get_program_link_status(program),
            "{}",
            gl.get_program_info_log(program)
        );
        program
    }
}

fn feed_back(h: &Headless) {
    let program = program(h, false);
    let buffer = buffer(h, glow::TRANSFORM_FEEDBACK_BUFFER);
    // SAFETY: current.
    unsafe {
        h.gl.bind_buffer_base(glow::TRANSFORM_FEEDBACK_BUFFER, 0, Some(buffer));
        h.gl.use_program(Some(program));
        h.gl.begin_transform_feedback(glow::POINTS);
    }
}

fn knows(h: &Headless, host: &Host) -> bool {
    let version = (h.gl.version().major, h.gl.version().minor);
    version
        >= if h.gl.version().is_embedded {
            host.from.1
        } else {
            host.from.0
        }
}

/// What the overlay paints for a host that has set nothing, on such a framebuffer.
fn clean_picture(kind: Kind, target: Target) -> Image {
    let h = Headless::new(kind, target).expect("there was one a moment ago");
    h.clear(CLEAR);
    let blank = h.read();
    h.clear(CLEAR);
    paint(&h.gl);
    let picture = h.read();
    assert!(
        picture.differing(&blank, 8) > 2000,
        "the overlay paints something"
    );
    picture
}

/// Runs all `hosts`, or those with `IPROF_HOST` in their name; reports all that fail.
fn run(kind: Kind, hosts: &[&[Host]]) {
    let Some(h) = Headless::new(kind, SIZE) else {
        return;
    };
    let mut failures = Vec::new();
    let mut ran = 0;
    let wanted = std::env::var("IPROF_HOST").unwrap_or_default();
    for host in hosts
        .iter()
        .copied()
        .flatten()
        .filter(|host| knows(&h, host) && host.name.contains(&wanted))
    {
        for error_pending in [false, true] {
            ran += 1;
            if let Err(e) = std::panic::catch_unwind(|| run_one(kind, host, error_pending)) {
                let word = e.downcast_ref::<&str>().map(|s| (*s).into());
                let text = e
                    .downcast_ref()
                    .cloned()
                    .or(word)
                    .unwrap_or_else(String::new);
                failures.push(format!(
                    "[{}, error pending: {error_pending}] {text}",
                    host.name
                ));
            }
            h.make_current();
        }
    }
    println!("{kind:?}: {ran} hosts on {:?}", h.gl.version());
    assert!(failures.is_empty(), "{kind:?}:\n{}", failures.join("\n"));
}

fn run_one(kind: Kind, host: &Host, error_pending: bool) {
    let clean = clean_picture(kind, host.target);
    let h = Headless::new(kind, host.target).expect("there was one a moment ago");
    h.clear(CLEAR);
    (host.set)(&h);
    assert_eq!(
        h.take_error(),
        glow::NO_ERROR,
        "the host's own calls: {:?}",
        h.take_log()
    );
    let before = dump(&h);
    assert_eq!(
        h.take_error(),
        glow::NO_ERROR,
        "the dump's calls: {:?}",
        h.take_log()
    );
    if error_pending {
        enable(&h, 0xBAD);
    }
    h.take_log();

    paint(&h.gl);

    assert_eq!(h.take_log(), Vec::<String>::new(), "the driver's words");
    let expected = if error_pending {
        glow::INVALID_ENUM
    } else {
        glow::NO_ERROR
    };
    assert_eq!(h.take_error(), expected, "the host's error");
    assert_eq!(h.take_error(), glow::NO_ERROR, "one error, not two");
    let mut changed = changes(&before, &dump(&h));
    changed.retain(|line| {
        !host
            .lost
            .iter()
            .any(|name| line.starts_with(&format!("{name}:")))
    });
    assert_eq!(changed, Vec::<String>::new(), "changed state");
    settle(&h);
    let name = format!("gl_state-{kind:?}-{}", host.name.replace([' ', ','], "_"));
    assert_same(&name, &h.read(), &clean, Tolerance::EXACT);
}

/// Ends what would falsify reading back.
fn settle(h: &Headless) {
    // SAFETY: current.
    unsafe {
        if h.gl.get_parameter_bool(glow::TRANSFORM_FEEDBACK_ACTIVE) {
            h.gl.end_transform_feedback();
        }
        if !h.gl.version().is_embedded {
            h.gl.disable(glow::FRAMEBUFFER_SRGB);
        }
    }
}

#[test]
fn any_host_of_gl_33_core_is_left_as_found() {
    let mesa = [
        ("MESA_GL_VERSION_OVERRIDE", "3.3"),
        ("MESA_GLSL_VERSION_OVERRIDE", "330"),
    ];
    if in_old_gl("any_host_of_gl_33_core_is_left_as_found", &mesa) {
        run(Kind::Gl33Core, &[HOSTS]);
    }
}

#[test]
fn any_host_of_gl_45_core_is_left_as_found() {
    run(Kind::Gl45Core, &[HOSTS]);
}

#[test]
fn any_host_of_gl_45_compatibility_is_left_as_found() {
    run(Kind::Gl45Compat, &[HOSTS, COMPATIBLE_HOSTS]);
}

#[test]
fn any_host_of_gles_30_is_left_as_found() {
    let mesa = [("MESA_GLES_VERSION_OVERRIDE", "3.0")];
    if in_old_gl("any_host_of_gles_30_is_left_as_found", &mesa) {
        run(Kind::Gles30, &[HOSTS]);
    }
}

#[test]
fn any_host_of_gles_32_is_left_as_found() {
    run(Kind::Gles32, &[HOSTS]);
}

#[test]
fn only_the_first_draw_buffer_is_painted() {
    for kind in [Kind::Gl33Core, Kind::Gl45Core, Kind::Gles30, Kind::Gles32] {
        let Some(h) = Headless::new(kind, SIZE) else {
            return;
        };
        h.clear(CLEAR);
        let blank = h.read();
        second_attachment(&h);
        paint(&h.gl);
        let second = h.read_attachment(h.framebuffer, glow::COLOR_ATTACHMENT1);
        assert_same(
            &format!("gl_state-{kind:?}-second"),
            &second,
            &blank,
            Tolerance::EXACT,
        );
    }
}

#[test]
fn the_picture_keeps_inside_the_hosts_viewport() {
    let Some(h) = Headless::new(
        Kind::Gl33Core,
        Target::new(SIZE.width + 30, SIZE.height + 20),
    ) else {
        return;
    };
    h.clear(CLEAR);
    let blank = h.read();
    // SAFETY: current.
    unsafe { h.gl.viewport(10, 5, SIZE.width, SIZE.height) };
    paint(&h.gl);
    let (picture, clean) = (h.read(), clean_picture(Kind::Gl33Core, SIZE));
    let top = (SIZE.height + 20 - 5 - SIZE.height) as u32;
    for y in 0..picture.height {
        for x in 0..picture.width {
            let inside = (10..10 + SIZE.width as u32).contains(&x)
                && (top..top + SIZE.height as u32).contains(&y);
            let expected = if inside {
                clean.pixel(x - 10, y - top)
            } else {
                blank.pixel(x, y)
            };
            assert_eq!(picture.pixel(x, y), expected, "at {x}, {y}");
        }
    }
}

#[test]
fn the_picture_is_the_golden_one() {
    for kind in [
        Kind::Gl33Core,
        Kind::Gl45Core,
        Kind::Gl45Compat,
        Kind::Gles30,
        Kind::Gles32,
    ] {
        if Headless::new(kind, SIZE).is_none() {
            return;
        }
        // One step for rounding in blending; the slanted line's edge, some 70 px, is the rasteriser's.
        let tolerance = Tolerance {
            per_channel: 1,
            pixels: 24,
        };
        assert_golden("gl_painter", &clean_picture(kind, SIZE), tolerance);
    }
}

/// An atlas without its pixels panics in the middle of painting, where debug assertions are on.
#[test]
#[cfg(debug_assertions)]
fn a_panic_while_painting_leaves_the_host_as_found() {
    let Some(h) = Headless::new(Kind::Gl45Core, SIZE) else {
        return;
    };
    let everything = HOSTS
        .iter()
        .find(|host| host.name == "everything at once")
        .expect("a row");
    (everything.set)(&h);
    let mut list = DrawList::default();
    list.push_quad([0.0, 0.0, 9.0, 9.0], [0; 4], [255; 4]);
    let atlas = AtlasImage {
        width: 9,
        height: 9,
        pixels: Vec::new(),
        revision: 1,
    };
    let before = dump(&h);
    h.take_log();
    let painted = std::panic::catch_unwind(|| {
        // SAFETY: current.
        unsafe {
            let mut painter = Painter::new(&h.gl).expect("a painter");
            painter.paint(&h.gl, &list, &atlas, [0, 0, SIZE.width, SIZE.height]);
        }
    });
    assert!(painted.is_err(), "it was to panic");
    assert_eq!(h.take_log(), Vec::<String>::new());
    assert_eq!(changes(&before, &dump(&h)), Vec::<String>::new());
}

#[test]
fn an_incomplete_framebuffer_gets_neither_picture_nor_error() {
    for kind in [Kind::Gl45Core, Kind::Gles32] {
        let Some(h) = Headless::new(kind, SIZE) else {
            return;
        };
        // SAFETY: current.
        unsafe {
            let empty = h.gl.create_framebuffer().expect("a framebuffer");
            for framebuffer in [Some(empty), None] {
                h.gl.bind_framebuffer(glow::FRAMEBUFFER, framebuffer);
                let before = dump(&h);
                h.take_log();
                paint(&h.gl);
                // Mesa explains to whoever asks for the status why it is what it is.
                let mut log = h.take_log();
                log.retain(|line| !line.contains("FBO incomplete"));
                assert_eq!(log, Vec::<String>::new());
                assert_eq!(h.take_error(), glow::NO_ERROR);
                assert_eq!(changes(&before, &dump(&h)), Vec::<String>::new());
            }
        }
    }
}

#[test]
fn a_transform_feedback_whose_program_is_deleted_is_not_disturbed() {
    for (kind, paused) in [Kind::Gl45Core, Kind::Gles32]
        .into_iter()
        .flat_map(|kind| [(kind, false), (kind, true)])
    {
        let Some(h) = Headless::new(kind, SIZE) else {
            return;
        };
        h.clear(CLEAR);
        let blank = h.read();
        feed_back(&h);
        // SAFETY: current.
        unsafe {
            let program =
                h.gl.get_parameter_program(glow::CURRENT_PROGRAM)
                    .expect("a program");
            h.gl.delete_program(program);
            if paused {
                h.gl.pause_transform_feedback();
            }
        }
        let before = dump(&h);
        h.take_log();
        paint(&h.gl);
        assert_eq!(h.take_log(), Vec::<String>::new());
        assert_eq!(h.take_error(), glow::NO_ERROR);
        assert_eq!(changes(&before, &dump(&h)), Vec::<String>::new());
        settle(&h);
        assert_same(
            "gl_state-deleted-feedback",
            &h.read(),
            &blank,
            Tolerance::EXACT,
        );
    }
}

#[test]
fn an_empty_list_makes_no_call_that_can_be_seen() {
    let Some(h) = Headless::new(Kind::Gl45Core, SIZE) else {
        return;
    };
    h.clear(CLEAR);
    let blank = h.read();
    // SAFETY: current.
    unsafe {
        let mut painter = Painter::new(&h.gl).expect("a painter");
        let (list, atlas) = (DrawList::default(), AtlasImage::default());
        painter.paint(&h.gl, &list, &atlas, [0, 0, SIZE.width, SIZE.height]);
        let mut list = DrawList::default();
        list.push_quad([0.0, 0.0, 9.0, 9.0], [0; 4], [255; 4]);
        painter.paint(&h.gl, &list, &atlas, [0, 0, 0, SIZE.height]);
        painter.destroy(&h.gl);
    }
    assert_eq!(h.take_log(), Vec::<String>::new());
    assert_same("gl_state-empty", &h.read(), &blank, Tolerance::EXACT);
}

#[test]
fn a_context_that_is_too_old_is_refused_in_words() {
    let mesa = [
        ("MESA_GL_VERSION_OVERRIDE", "2.1"),
        ("MESA_GLSL_VERSION_OVERRIDE", "120"),
        ("MESA_GLES_VERSION_OVERRIDE", "2.0"),
    ];
    if !in_old_gl("a_context_that_is_too_old_is_refused_in_words", &mesa) {
        return;
    }
    let Some(h) = Headless::new(Kind::Gles20, SIZE) else {
        return;
    };
    // SAFETY: current.
    let error = unsafe { Painter::new(&h.gl) }.expect_err("ES 2.0 is too old");
    assert!(error.to_string().contains("OpenGL ES 2.0"), "{error}");
    assert_eq!(h.take_log(), Vec::<String>::new());
    assert_eq!(h.take_error(), glow::NO_ERROR);
}

/// `cargo test --release --test gl_state -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn state_save_and_restore_cost() {
    const TIMES: u32 = 20_000;
    let measure = |act: &mut dyn FnMut()| {
        let mut best = f64::INFINITY;
        for _ in 0..9 {
            let start = std::time::Instant::now();
            act();
            best = best.min(start.elapsed().as_secs_f64());
        }
        best * 1e6 / f64::from(TIMES)
    };
    for kind in [Kind::Gl33Core, Kind::Gl45Core, Kind::Gles32] {
        for name in ["nothing", "everything at once"] {
            let host = HOSTS.iter().find(|host| host.name == name).expect("a row");
            let Some(h) = Headless::new(kind, host.target) else {
                return;
            };
            (host.set)(&h);
            // SAFETY: current.
            let us = measure(&mut || unsafe { iprof::__test_gl::save_and_restore(&h.gl, TIMES) });
            println!("{kind:?}, {name}: {us:.2} us");
        }
    }
}
