//! The hosts in the test matrix, with the GL state that they set before the overlay paints. This file is long because
//! it is one big table.

use super::host::{ALL, DESKTOP, Host, MODERN, NOT_ES_2, SIZE, host, knows, multisampled};
use super::objects::{
    attributes, buffer, divisor, enable, feed_back, has, program, second_attachment, texture,
};
use crate::support::headless::Target;
use glow::HasContext;

/// `GL_MULTIPLY_KHR` from `KHR_blend_equation_advanced`.
const MULTIPLY: u32 = 0x9294;

const TWO_BUFFERS: [u32; 2] = [glow::COLOR_ATTACHMENT0, glow::COLOR_ATTACHMENT1];

pub(crate) const HOSTS: &[Host] = &[
    host("nothing", ALL, |_| {}),
    host("a scissor box on", ALL, |h| {
        enable(h, glow::SCISSOR_TEST);
        // SAFETY: the context is current.
        unsafe { h.gl.scissor(10, 10, 5, 5) };
    }),
    host("a scissor for one viewport only", ((4, 1), (99, 0)), |h| {
        // SAFETY: the context is current.
        unsafe {
            h.gl.scissor(10, 10, 5, 5);
            h.gl.enable_draw_buffer(glow::SCISSOR_TEST, 0);
            h.gl.enable_draw_buffer(glow::SCISSOR_TEST, 3);
        }
    }),
    host(
        "a scissor for another viewport only",
        ((4, 1), (99, 0)),
        |h| {
            // With this state, Mesa 22.3 draws nothing until the first viewport has used a scissor box.
            if h.is_mesa() {
                return;
            }
            // SAFETY: the context is current.
            unsafe {
                h.gl.scissor(10, 10, 5, 5);
                h.gl.enable_draw_buffer(glow::SCISSOR_TEST, 3);
            }
        },
    ),
    host(
        "blending for another draw buffer only",
        ((3, 0), (3, 2)),
        |h| {
            // SAFETY: the context is current.
            unsafe { h.gl.enable_draw_buffer(glow::BLEND, 1) };
        },
    ),
    host("additive blending", ALL, |h| {
        enable(h, glow::BLEND);
        // SAFETY: the context is current.
        unsafe { h.gl.blend_func(glow::ONE, glow::ONE) };
    }),
    host("blending by separate functions and equations", ALL, |h| {
        // SAFETY: the context is current.
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
        // SAFETY: the context is current.
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
            // SAFETY: the context is current.
            unsafe { h.gl.blend_equation(MULTIPLY) };
        }
    }),
    Host {
        declare: Some(|host| host.draw_buffers = TWO_BUFFERS.into()),
        ..host("blending per draw buffer", ((4, 0), (3, 2)), |h| {
            second_attachment(h, glow::RGBA8);
            // SAFETY: the context is current.
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
        })
    },
    Host {
        declare: Some(|host| host.draw_buffers = TWO_BUFFERS.into()),
        ..host("several draw buffers", MODERN, |h| {
            second_attachment(h, glow::RGBA8);
        })
    },
    host("a color mask per draw buffer", ((3, 0), (3, 2)), |h| {
        // SAFETY: the context is current.
        unsafe {
            h.gl.color_mask_draw_buffer(0, true, true, false, false);
            h.gl.color_mask_draw_buffer(1, false, true, false, true);
        }
    }),
    host("both faces culled", ALL, |h| {
        enable(h, glow::CULL_FACE);
        // SAFETY: the context is current.
        unsafe {
            h.gl.cull_face(glow::FRONT_AND_BACK);
            h.gl.front_face(glow::CW);
        }
    }),
    host("a depth test that never passes", ALL, |h| {
        enable(h, glow::DEPTH_TEST);
        // SAFETY: the context is current.
        unsafe {
            h.gl.depth_func(glow::NEVER);
            h.gl.depth_mask(false);
            h.gl.depth_range_f32(0.75, 0.25);
        }
    }),
    host("a stencil test that never passes", ALL, |h| {
        enable(h, glow::STENCIL_TEST);
        // SAFETY: the context is current.
        unsafe {
            h.gl.stencil_func(glow::NEVER, 3, 0x55);
            h.gl.stencil_op(glow::INCR, glow::INVERT, glow::REPLACE);
        }
    }),
    // SAFETY: the context is current.
    host("no color written", ALL, |h| unsafe {
        h.gl.color_mask(false, false, false, false)
    }),
    // SAFETY: the context is current.
    host("red and alpha written only", ALL, |h| unsafe {
        h.gl.color_mask(true, false, false, true)
    }),
    // SAFETY: the context is current.
    host("polygons as lines", DESKTOP, |h| unsafe {
        h.gl.polygon_mode(glow::FRONT_AND_BACK, glow::LINE);
    }),
    host("smooth polygons", DESKTOP, |h| {
        enable(h, glow::POLYGON_SMOOTH)
    }),
    host("its own program", ALL, |h| {
        let program = program(h, false);
        // SAFETY: the context is current.
        unsafe { h.gl.use_program(Some(program)) };
    }),
    Host {
        is_drawn_on: false,
        ..host(
            "a program that is deleted once it is not current",
            ALL,
            |h| {
                let program = program(h, false);
                // SAFETY: the context is current.
                unsafe {
                    h.gl.use_program(Some(program));
                    h.gl.delete_program(program);
                }
            },
        )
    },
    Host {
        is_drawn_on: false,
        ..host("a program whose relink failed", ALL, |h| {
            let program = program(h, false);
            // SAFETY: the context is current.
            unsafe {
                h.gl.use_program(Some(program));
                let (mut shader, mut count) = (0, 0);
                (h.raw.get_attached_shaders)(program.0.get(), 1, &mut count, &mut shader);
                let shader = glow::NativeShader(
                    shader.try_into().expect("the program should have a shader"),
                );
                h.gl.shader_source(shader, "no such language");
                h.gl.compile_shader(shader);
                h.gl.link_program(program);
                assert!(!h.gl.get_program_link_status(program));
            }
        })
    },
    host("a program pipeline", ((4, 1), (3, 1)), |h| {
        let mut pipeline = 0;
        let program = program(h, true);
        // SAFETY: the context is current.
        unsafe {
            (h.raw.gen_program_pipelines)(1, &mut pipeline);
            (h.raw.use_program_stages)(pipeline, u32::MAX, program.0.get());
            (h.raw.bind_program_pipeline)(pipeline);
        }
    }),
    host("textures on two units, the sixth active", ALL, |h| {
        // SAFETY: the context is current.
        unsafe {
            for unit in [0, 5] {
                h.gl.active_texture(glow::TEXTURE0 + unit);
                texture(h);
            }
        }
    }),
    host(
        "a sampler object on the first unit",
        ((3, 3), (3, 0)),
        |h| {
            texture(h);
            // SAFETY: the context is current.
            unsafe {
                let sampler = h.gl.create_sampler().expect("failed to create a sampler");
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
        },
    ),
    host("a pixel unpack buffer", NOT_ES_2, |h| {
        buffer(h, glow::PIXEL_UNPACK_BUFFER);
    }),
    host("odd pixel unpacking", ALL, |h| {
        // SAFETY: the context is current.
        unsafe {
            h.gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 8);
            h.gl.pixel_store_i32(glow::PACK_ALIGNMENT, 2);
            if h.from((2, 1), (3, 0)) || has(h, "GL_EXT_unpack_subimage") {
                h.gl.pixel_store_i32(glow::UNPACK_ROW_LENGTH, 77);
                h.gl.pixel_store_i32(glow::UNPACK_SKIP_ROWS, 3);
                h.gl.pixel_store_i32(glow::UNPACK_SKIP_PIXELS, 5);
            }
            if h.from((2, 1), (3, 0)) {
                h.gl.pixel_store_i32(glow::UNPACK_IMAGE_HEIGHT, 9);
                h.gl.pixel_store_i32(glow::UNPACK_SKIP_IMAGES, 2);
            }
            if !h.gl.version().is_embedded {
                h.gl.pixel_store_i32(glow::UNPACK_SWAP_BYTES, 1);
                h.gl.pixel_store_i32(glow::UNPACK_LSB_FIRST, 1);
            }
        }
    }),
    host(
        "a vertex array with divisors, an array and an element buffer",
        MODERN,
        |h| {
            // SAFETY: the context is current.
            unsafe {
                let array =
                    h.gl.create_vertex_array()
                        .expect("failed to create a vertex array");
                h.gl.bind_vertex_array(Some(array));
            }
            attributes(h);
        },
    ),
    // SAFETY: the context is current.
    host("no vertex array bound", MODERN, |h| unsafe {
        h.gl.bind_vertex_array(None);
    }),
    Host {
        without_array: true,
        ..host("attributes of no vertex array", ALL, |h| {
            // SAFETY: the context is current.
            unsafe {
                if h.from((3, 0), (3, 0)) {
                    h.gl.bind_vertex_array(None);
                }
            }
            attributes(h);
        })
    },
    Host {
        without_array: true,
        ..host("attributes in the host's own memory", ALL, |h| {
            static MEMORY: [u8; 4096] = [0x3E; 4096];
            // SAFETY: the context is current, and the memory is static and as large as any draw here reads.
            unsafe {
                if h.from((3, 0), (3, 0)) {
                    h.gl.bind_vertex_array(None);
                }
                h.gl.bind_buffer(glow::ARRAY_BUFFER, None);
                for i in 0..7_u8 {
                    let (index, at) = (u32::from(i), MEMORY[usize::from(i)..].as_ptr().cast());
                    let (size, stride) = (1 + i32::from(i % 4), 16 + 4 * i32::from(i));
                    let normalized = i % 2;
                    (h.raw.vertex_attrib_pointer)(index, size, glow::FLOAT, normalized, stride, at);
                    h.gl.vertex_attrib_4_f32(u32::from(i) + 1, 0.1, 0.2, 0.3, 0.4);
                    if i != 1 {
                        h.gl.enable_vertex_attrib_array(index);
                    }
                    divisor(h, index, u32::from(i % 3));
                }
            }
        })
    },
    Host {
        target: Target { srgb: true, ..SIZE },
        ..host(
            "an sRGB framebuffer with encoding on",
            ((3, 0), (99, 0)),
            |h| {
                enable(h, glow::FRAMEBUFFER_SRGB);
            },
        )
    },
    Host {
        target: Target { srgb: true, ..SIZE },
        ..host("an sRGB framebuffer", NOT_ES_2, |_| {})
    },
    host("primitive restart at vertex 4", ((3, 1), (99, 0)), |h| {
        enable(h, glow::PRIMITIVE_RESTART);
        // SAFETY: the context is current.
        unsafe { (h.raw.primitive_restart_index)(4) };
    }),
    host(
        "primitive restart at the fixed index",
        ((4, 3), (3, 0)),
        |h| {
            enable(h, glow::PRIMITIVE_RESTART_FIXED_INDEX);
        },
    ),
    host("rasterizer discard", MODERN, |h| {
        enable(h, glow::RASTERIZER_DISCARD)
    }),
    host("a logic operation", DESKTOP, |h| {
        enable(h, glow::COLOR_LOGIC_OP);
        // SAFETY: the context is current.
        unsafe { (h.raw.logic_op)(glow::INVERT) };
    }),
    multisampled(host("multisampling", NOT_ES_2, |_| {})),
    Host {
        declare: None,
        ..multisampled(host("multisampling turned off", DESKTOP, |h| {
            // SAFETY: the context is current.
            unsafe { h.gl.disable(glow::MULTISAMPLE) };
        }))
    },
    multisampled(host(
        "a shader run for each sample",
        ((4, 0), (3, 2)),
        |h| {
            enable(h, glow::SAMPLE_SHADING);
            // SAFETY: the context is current.
            unsafe { (h.raw.min_sample_shading)(1.0) };
        },
    )),
    Host {
        declare: None,
        is_drawn_on: false,
        ..host("no draw buffer", MODERN, |h| {
            // SAFETY: the context is current.
            unsafe { h.gl.draw_buffers(&[glow::NONE]) };
        })
    },
    Host {
        declare: None,
        is_drawn_on: false,
        ..host("no first draw buffer, but a second one", MODERN, |h| {
            second_attachment(h, glow::RGBA8);
            // SAFETY: the context is current.
            unsafe { h.gl.draw_buffers(&[glow::NONE, glow::COLOR_ATTACHMENT1]) };
        })
    },
    Host {
        declare: Some(|host| host.draw_buffers = TWO_BUFFERS.into()),
        ..host("a second draw buffer of integers", MODERN, |h| {
            second_attachment(h, glow::RGBA8UI);
        })
    },
    host("textures of other kinds on the first unit", ALL, |h| {
        // SAFETY: the context is current.
        unsafe {
            for (target, from) in [
                (glow::TEXTURE_CUBE_MAP, ALL),
                (glow::TEXTURE_3D, NOT_ES_2),
                (glow::TEXTURE_2D_ARRAY, MODERN),
            ] {
                if h.from(from.0, from.1) {
                    let texture = h.gl.create_texture().expect("failed to create a texture");
                    h.gl.bind_texture(target, Some(texture));
                }
            }
        }
    }),
    multisampled(host("alpha to coverage", NOT_ES_2, |h| {
        enable(h, glow::SAMPLE_ALPHA_TO_COVERAGE)
    })),
    multisampled(host("alpha to one", DESKTOP, |h| {
        enable(h, glow::SAMPLE_ALPHA_TO_ONE)
    })),
    multisampled(host("sample coverage", NOT_ES_2, |h| {
        enable(h, glow::SAMPLE_COVERAGE);
        // SAFETY: the context is current.
        unsafe { h.gl.sample_coverage(0.0, false) };
    })),
    multisampled(host("a sample mask", ((3, 2), (3, 1)), |h| {
        enable(h, glow::SAMPLE_MASK);
        // SAFETY: the context is current.
        unsafe { (h.raw.sample_mask_i)(0, 0) };
    })),
    host("clip distances", DESKTOP, |h| {
        for i in 0..if h.from((3, 0), (99, 0)) { 8 } else { 6 } {
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
    Host {
        declare: Some(|host| host.clip_origin = glow::UPPER_LEFT),
        ..host("clip space upside down", ((4, 5), (99, 0)), |h| {
            // SAFETY: the context is current.
            unsafe { (h.raw.clip_control)(glow::UPPER_LEFT, glow::ZERO_TO_ONE) };
        })
    },
    Host {
        declare: None,
        ..host("an active transform feedback", MODERN, feed_back)
    },
    Host {
        declare: None,
        ..host("a paused transform feedback", MODERN, |h| {
            feed_back(h);
            // SAFETY: the context is current.
            unsafe { h.gl.pause_transform_feedback() };
        })
    },
    Host {
        declare: None,
        is_drawn_on: false,
        ..host(
            "a transform feedback whose program is deleted",
            MODERN,
            |h| {
                feed_back(h);
                // SAFETY: the context is current.
                unsafe {
                    let program = h.gl.get_parameter_program(glow::CURRENT_PROGRAM);
                    h.gl.delete_program(program.expect("a program should be in use"));
                }
            },
        )
    },
    host("an open occlusion query", NOT_ES_2, |h| {
        let boolean = h.from((3, 3), (3, 0));
        // SAFETY: the context is current.
        unsafe {
            let query = h.gl.create_query().expect("failed to create a query");
            let target = [glow::SAMPLES_PASSED, glow::ANY_SAMPLES_PASSED][usize::from(boolean)];
            h.gl.begin_query(target, query);
        }
    }),
    host("an open timer query", ((3, 3), (99, 0)), |h| {
        // SAFETY: the context is current.
        unsafe {
            let query = h.gl.create_query().expect("failed to create a query");
            h.gl.begin_query(glow::TIME_ELAPSED, query);
        }
    }),
    host("uniform buffers bound by index", ((3, 1), (3, 0)), |h| {
        let buffer = buffer(h, glow::UNIFORM_BUFFER);
        // SAFETY: the context is current.
        unsafe {
            h.gl.bind_buffer_range(glow::UNIFORM_BUFFER, 3, Some(buffer), 0, 64)
        };
    }),
    multisampled(host("everything at once", NOT_ES_2, |h| {
        for host in HOSTS.iter().filter(|h| h.name != "everything at once") {
            let conflicts = [
                "blend",
                "several",
                "second",
                "no vertex array",
                "other kinds",
                "upside down",
            ];
            let conflicts = conflicts.iter().any(|word| host.name.contains(word));
            let promises = host.declare.is_some();
            if !conflicts && promises && host.is_drawn_on && !host.target.srgb && knows(h, host) {
                (host.set)(h);
            }
        }
    })),
];

/// Hosts that require a compatibility context.
pub(crate) const COMPATIBLE_HOSTS: &[Host] = &[
    host("an alpha test that never passes", DESKTOP, |h| {
        enable(h, 0x0BC0);
        // SAFETY: the context is current.
        unsafe { (h.raw.alpha_func)(glow::NEVER, 0.5) };
    }),
    host("an empty polygon stipple", DESKTOP, |h| {
        enable(h, 0x0B42);
        // SAFETY: the context is current, and a stipple has 32 x 32 bits.
        unsafe { (h.raw.polygon_stipple)([0_u8; 128].as_ptr()) };
    }),
    host("a polygon mode for each face", DESKTOP, |h| {
        // SAFETY: the context is current.
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
    host("primitive restart by a client state", DESKTOP, |h| {
        if has(h, "GL_NV_primitive_restart") {
            // SAFETY: the context is current.
            unsafe {
                (h.raw.enable_client_state)(0x8558);
                (h.raw.primitive_restart_index)(4);
            }
        }
    }),
    host("arrays of fixed functions", DESKTOP, |h| {
        static MEMORY: [f32; 1024] = [0.25; 1024];
        // SAFETY: the context is current, and the memory is static and as large as any draw here reads.
        unsafe {
            if h.from((3, 0), (3, 0)) {
                h.gl.bind_vertex_array(None);
            }
            h.gl.bind_buffer(glow::ARRAY_BUFFER, None);
            (h.raw.vertex_pointer)(3, glow::FLOAT, 0, MEMORY.as_ptr().cast());
            for name in [0x8074, 0x8076] {
                (h.raw.enable_client_state)(name);
            }
        }
    }),
];
