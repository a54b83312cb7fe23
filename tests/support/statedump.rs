//! Dumps a context's GL state as text. If two dumps are equal, no state has changed between them.
//!
//! The queries depend on the GL version, so that a dump causes no errors. It does not clear pending errors either.
//!
//! This file is long because it lists all state that can be queried from GL.

#![allow(unsafe_code, reason = "every GL call is unsafe")]

// The SAFETY comments rely on `Headless`, which makes its context current. "wide" means that the buffer has room for
// `WIDE` values, which is enough because no GL state has more than 16.

use std::collections::BTreeMap;

use glow::HasContext;

use super::headless::Headless;

const WIDE: usize = 64;
const TEXTURE_UNITS: u32 = 8;

/// State values, sorted by name.
pub type Dump = BTreeMap<String, String>;

/// Returns the differences between two dumps as lines of the form `name: before -> after`.
pub fn changes(before: &Dump, after: &Dump) -> Vec<String> {
    let names: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let none = String::from("(not there)");
    names
        .into_iter()
        .map(|name| {
            (
                name,
                before.get(name).unwrap_or(&none),
                after.get(name).unwrap_or(&none),
            )
        })
        .filter(|(_, before, after)| before != after)
        .map(|(name, before, after)| format!("{name}: {before} -> {after}"))
        .collect()
}

macro_rules! names {
    ($($name:ident)*) => { &[$((stringify!($name), glow::$name)),*] };
}

type Names = &'static [(&'static str, u32)];

/// A table of names, with the first versions of desktop GL and of ES that support all of them.
type Table = ((u32, u32), (u32, u32), Names);

const NEVER: (u32, u32) = (99, 0);
const ALWAYS: (u32, u32) = (0, 0);

const SWITCHES: &[Table] = &[
    (
        ALWAYS,
        ALWAYS,
        names![
            BLEND CULL_FACE DEPTH_TEST STENCIL_TEST SCISSOR_TEST DITHER POLYGON_OFFSET_FILL
            SAMPLE_ALPHA_TO_COVERAGE SAMPLE_COVERAGE
        ],
    ),
    ((3, 0), (3, 0), names![RASTERIZER_DISCARD]),
    (
        ALWAYS,
        NEVER,
        names![
            COLOR_LOGIC_OP LINE_SMOOTH POLYGON_SMOOTH POLYGON_OFFSET_LINE POLYGON_OFFSET_POINT MULTISAMPLE
            SAMPLE_ALPHA_TO_ONE PROGRAM_POINT_SIZE CLIP_DISTANCE0 CLIP_DISTANCE1 CLIP_DISTANCE2
            CLIP_DISTANCE3 CLIP_DISTANCE4 CLIP_DISTANCE5
        ],
    ),
    (
        (3, 0),
        NEVER,
        names![
            FRAMEBUFFER_SRGB CLIP_DISTANCE6 CLIP_DISTANCE7
        ],
    ),
    ((3, 1), NEVER, names![PRIMITIVE_RESTART]),
    ((3, 2), NEVER, names![DEPTH_CLAMP TEXTURE_CUBE_MAP_SEAMLESS]),
    ((3, 2), (3, 1), names![SAMPLE_MASK]),
    ((4, 0), (3, 2), names![SAMPLE_SHADING]),
    ((4, 3), (3, 0), names![PRIMITIVE_RESTART_FIXED_INDEX]),
    (
        (4, 3),
        (3, 2),
        names![DEBUG_OUTPUT DEBUG_OUTPUT_SYNCHRONOUS],
    ),
];

const INTEGERS: &[Table] = &[
    (
        ALWAYS,
        ALWAYS,
        names![
            ACTIVE_TEXTURE CURRENT_PROGRAM ARRAY_BUFFER_BINDING ELEMENT_ARRAY_BUFFER_BINDING
            TEXTURE_BINDING_2D TEXTURE_BINDING_CUBE_MAP RENDERBUFFER_BINDING
            BLEND_SRC_RGB BLEND_DST_RGB BLEND_SRC_ALPHA BLEND_DST_ALPHA BLEND_EQUATION_RGB
            BLEND_EQUATION_ALPHA COLOR_WRITEMASK
            CULL_FACE_MODE FRONT_FACE DEPTH_FUNC DEPTH_WRITEMASK
            STENCIL_FUNC STENCIL_REF STENCIL_VALUE_MASK STENCIL_WRITEMASK STENCIL_FAIL
            STENCIL_PASS_DEPTH_FAIL STENCIL_PASS_DEPTH_PASS STENCIL_CLEAR_VALUE
            STENCIL_BACK_FUNC STENCIL_BACK_REF STENCIL_BACK_VALUE_MASK STENCIL_BACK_WRITEMASK
            STENCIL_BACK_FAIL STENCIL_BACK_PASS_DEPTH_FAIL STENCIL_BACK_PASS_DEPTH_PASS
            SCISSOR_BOX VIEWPORT SAMPLE_COVERAGE_INVERT
            PACK_ALIGNMENT UNPACK_ALIGNMENT
        ],
    ),
    // In ES 2.0, this name refers to the common binding for drawing and reading.
    (ALWAYS, ALWAYS, names![DRAW_FRAMEBUFFER_BINDING]),
    (
        ALWAYS,
        (3, 0),
        names![
            READ_FRAMEBUFFER_BINDING READ_BUFFER PIXEL_PACK_BUFFER_BINDING PIXEL_UNPACK_BUFFER_BINDING
            PACK_ROW_LENGTH PACK_SKIP_ROWS PACK_SKIP_PIXELS
            UNPACK_ROW_LENGTH UNPACK_SKIP_ROWS UNPACK_SKIP_PIXELS UNPACK_IMAGE_HEIGHT UNPACK_SKIP_IMAGES
            FRAGMENT_SHADER_DERIVATIVE_HINT
        ],
    ),
    (
        (3, 0),
        (3, 0),
        names![VERTEX_ARRAY_BINDING TRANSFORM_FEEDBACK_BUFFER_BINDING],
    ),
    (
        (3, 1),
        (3, 0),
        names![
            UNIFORM_BUFFER_BINDING COPY_READ_BUFFER_BINDING COPY_WRITE_BUFFER_BINDING
        ],
    ),
    ((3, 0), NEVER, names![CLAMP_READ_COLOR]),
    ((3, 2), NEVER, names![PROVOKING_VERTEX]),
    (
        ALWAYS,
        NEVER,
        names![
            PACK_SWAP_BYTES PACK_LSB_FIRST PACK_IMAGE_HEIGHT PACK_SKIP_IMAGES UNPACK_SWAP_BYTES
            UNPACK_LSB_FIRST POLYGON_MODE LOGIC_OP_MODE POINT_SPRITE_COORD_ORIGIN
            LINE_SMOOTH_HINT POLYGON_SMOOTH_HINT TEXTURE_COMPRESSION_HINT
        ],
    ),
    (
        (3, 1),
        NEVER,
        names![PRIMITIVE_RESTART_INDEX TEXTURE_BUFFER_BINDING],
    ),
    (
        (4, 0),
        (3, 0),
        names![
            TRANSFORM_FEEDBACK_BINDING TRANSFORM_FEEDBACK_ACTIVE TRANSFORM_FEEDBACK_PAUSED
        ],
    ),
    ((4, 0), (3, 1), names![DRAW_INDIRECT_BUFFER_BINDING]),
    ((4, 0), (3, 2), names![PATCH_VERTICES]),
    ((4, 1), (3, 1), names![PROGRAM_PIPELINE_BINDING]),
    (
        (4, 3),
        (3, 1),
        names![
            DISPATCH_INDIRECT_BUFFER_BINDING SHADER_STORAGE_BUFFER_BINDING ATOMIC_COUNTER_BUFFER_BINDING
        ],
    ),
    ((4, 4), NEVER, names![QUERY_BUFFER_BINDING]),
    ((4, 5), NEVER, names![CLIP_ORIGIN CLIP_DEPTH_MODE]),
];

const FLOATS: &[Table] = &[
    (
        ALWAYS,
        ALWAYS,
        names![
            BLEND_COLOR COLOR_CLEAR_VALUE DEPTH_CLEAR_VALUE DEPTH_RANGE LINE_WIDTH
            POLYGON_OFFSET_FACTOR POLYGON_OFFSET_UNITS SAMPLE_COVERAGE_VALUE
        ],
    ),
    (ALWAYS, NEVER, names![POINT_SIZE POINT_FADE_THRESHOLD_SIZE]),
    ((4, 0), (3, 2), names![MIN_SAMPLE_SHADING_VALUE]),
];

const TEXTURES: &[Table] = &[
    (
        ALWAYS,
        ALWAYS,
        names![TEXTURE_BINDING_2D TEXTURE_BINDING_CUBE_MAP],
    ),
    (
        (3, 0),
        (3, 0),
        names![TEXTURE_BINDING_3D TEXTURE_BINDING_2D_ARRAY],
    ),
    (
        (3, 0),
        NEVER,
        names![TEXTURE_BINDING_1D TEXTURE_BINDING_1D_ARRAY],
    ),
    ((3, 1), NEVER, names![TEXTURE_BINDING_RECTANGLE]),
    ((3, 1), (3, 2), names![TEXTURE_BINDING_BUFFER]),
    ((3, 2), (3, 1), names![TEXTURE_BINDING_2D_MULTISAMPLE]),
    ((3, 3), (3, 0), names![SAMPLER_BINDING]),
    ((4, 0), (3, 2), names![TEXTURE_BINDING_CUBE_MAP_ARRAY]),
];

/// Indexed state, with the number of indices.
const INDEXED: &[(u32, Table)] = &[
    (
        8,
        (
            (4, 0),
            (3, 2),
            names![
                BLEND_SRC_RGB BLEND_DST_RGB BLEND_SRC_ALPHA BLEND_DST_ALPHA BLEND_EQUATION_RGB
                BLEND_EQUATION_ALPHA
            ],
        ),
    ),
    (8, ((3, 0), (3, 2), names![COLOR_WRITEMASK])),
    (8, ((3, 1), (3, 0), names![UNIFORM_BUFFER_BINDING])),
    (
        4,
        ((3, 0), (3, 0), names![TRANSFORM_FEEDBACK_BUFFER_BINDING]),
    ),
    (4, ((4, 3), (3, 1), names![SHADER_STORAGE_BUFFER_BINDING])),
    (1, ((3, 2), (3, 1), names![SAMPLE_MASK_VALUE])),
    (16, ((4, 1), NEVER, names![SCISSOR_BOX])),
    (
        4,
        (
            (4, 2),
            (3, 1),
            names![IMAGE_BINDING_NAME IMAGE_BINDING_LEVEL IMAGE_BINDING_ACCESS],
        ),
    ),
    (
        16,
        (
            (4, 3),
            (3, 1),
            names![
                VERTEX_BINDING_OFFSET VERTEX_BINDING_STRIDE VERTEX_BINDING_DIVISOR
            ],
        ),
    ),
];

const INDEXED_64: &[(u32, Table)] = &[
    (
        8,
        (
            (3, 1),
            (3, 0),
            names![UNIFORM_BUFFER_START UNIFORM_BUFFER_SIZE],
        ),
    ),
    (
        4,
        (
            (3, 0),
            (3, 0),
            names![TRANSFORM_FEEDBACK_BUFFER_START TRANSFORM_FEEDBACK_BUFFER_SIZE],
        ),
    ),
];

const INDEXED_SWITCHES: &[(u32, Table)] = &[
    (8, ((3, 0), (3, 2), names![BLEND])),
    (16, ((4, 1), NEVER, names![SCISSOR_TEST])),
];

const ATTRIBUTES: &[Table] = &[
    (
        ALWAYS,
        ALWAYS,
        names![
            VERTEX_ATTRIB_ARRAY_ENABLED VERTEX_ATTRIB_ARRAY_SIZE VERTEX_ATTRIB_ARRAY_STRIDE
            VERTEX_ATTRIB_ARRAY_TYPE VERTEX_ATTRIB_ARRAY_NORMALIZED VERTEX_ATTRIB_ARRAY_BUFFER_BINDING
        ],
    ),
    ((3, 0), (3, 0), names![VERTEX_ATTRIB_ARRAY_INTEGER]),
    ((3, 3), (3, 0), names![VERTEX_ATTRIB_ARRAY_DIVISOR]),
];

const QUERIES: &[Table] = &[
    (ALWAYS, NEVER, names![SAMPLES_PASSED]),
    (
        (3, 0),
        (3, 0),
        names![TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN],
    ),
    ((3, 0), (3, 2), names![PRIMITIVES_GENERATED]),
    ((3, 3), (3, 0), names![ANY_SAMPLES_PASSED]),
    ((3, 3), NEVER, names![TIME_ELAPSED]),
];

/// Fixed-function state that also affects shaders. It exists only in compatibility contexts.
const COMPATIBILITY: Names = &[
    ("ALPHA_TEST", 0x0BC0),
    ("POLYGON_STIPPLE", 0x0B42),
    ("LIGHTING", 0x0B50),
    ("FOG", 0x0B60),
    ("TEXTURE_2D", 0x0DE1),
    ("COLOR_SUM", 0x8458),
    ("NORMALIZE", 0x0BA1),
    ("VERTEX_ARRAY", 0x8074),
    ("NORMAL_ARRAY", 0x8075),
    ("COLOR_ARRAY", 0x8076),
    ("TEXTURE_COORD_ARRAY", 0x8078),
];

pub fn dump(host: &Headless) -> Dump {
    let (gl, raw) = (&host.gl, &host.raw);
    let gles = gl.version().is_embedded;
    let known = |desktop, es| host.from(desktop, es);
    let compatibility = host.is_compatible();
    let has = |extension: &str| gl.supported_extensions().contains(extension);
    let mut dump = Dump::new();
    let mut put = |name: String, value: String| {
        assert!(!dump.contains_key(&name), "{name} is queried twice");
        dump.insert(name, value);
    };

    // SAFETY: the context is current; wide.
    let integers = |name| unsafe {
        let mut value = [i32::MIN; WIDE];
        gl.get_parameter_i32_slice(name, &mut value);
        text(&value, i32::MIN)
    };
    for (name, id) in of(SWITCHES, known) {
        // SAFETY: the context is current.
        put(name.into(), format!("{}", unsafe { gl.is_enabled(id) }));
    }
    if compatibility {
        for &(name, id) in COMPATIBILITY {
            // SAFETY: the context is current.
            put(name.into(), format!("{}", unsafe { gl.is_enabled(id) }));
        }
    }
    for (name, id) in of(INTEGERS, known) {
        put(name.into(), integers(id));
    }
    if !known((3, 0), (3, 0))
        && (has("GL_ARB_vertex_array_object") || has("GL_OES_vertex_array_object"))
    {
        let id = glow::VERTEX_ARRAY_BINDING;
        put("VERTEX_ARRAY_BINDING".into(), integers(id));
    }
    for (name, id) in of(FLOATS, known) {
        let mut value = [f32::MIN; WIDE];
        // SAFETY: the context is current; wide.
        unsafe { gl.get_parameter_f32_slice(id, &mut value) };
        put(name.into(), text(&value, f32::MIN));
    }
    if known((2, 0), (3, 0)) {
        // SAFETY: the context is current.
        let buffers = unsafe { gl.get_parameter_i32(glow::MAX_DRAW_BUFFERS) } as u32;
        for i in 0..buffers {
            put(format!("DRAW_BUFFER{i}"), integers(glow::DRAW_BUFFER0 + i));
        }
    }
    for &(count, table) in INDEXED {
        for (name, id) in of(&[table], known) {
            for i in 0..count {
                let mut value = [i32::MIN; WIDE];
                // SAFETY: the context is current; wide.
                unsafe { (raw.get_integer_i)(id, i, value.as_mut_ptr()) };
                put(format!("{name}[{i}]"), text(&value, i32::MIN));
            }
        }
    }
    for &(count, table) in INDEXED_64 {
        for (name, id) in of(&[table], known) {
            for i in 0..count {
                // SAFETY: the context is current, and this writes one value.
                let value = unsafe { gl.get_parameter_indexed_i64(id, i) };
                put(format!("{name}[{i}]"), value.to_string());
            }
        }
    }
    for &(count, table) in INDEXED_SWITCHES {
        for (name, id) in of(&[table], known) {
            for i in 0..count {
                // SAFETY: the context is current.
                let on = unsafe { (raw.is_enabled_i)(id, i) } != 0;
                put(format!("{name}[{i}] on"), on.to_string());
            }
        }
    }
    if known((4, 1), NEVER) {
        for i in 0..16 {
            for (name, id) in [
                ("VIEWPORT", glow::VIEWPORT),
                ("DEPTH_RANGE", glow::DEPTH_RANGE),
            ] {
                let mut value = [f32::MIN; WIDE];
                // SAFETY: the context is current; wide.
                unsafe { (raw.get_float_i)(id, i, value.as_mut_ptr()) };
                put(format!("{name}[{i}]"), text(&value, f32::MIN));
            }
        }
    }
    for (name, id) in of(QUERIES, known) {
        let mut value = [i32::MIN; WIDE];
        // SAFETY: the context is current; wide.
        unsafe { (raw.get_query)(id, glow::CURRENT_QUERY, value.as_mut_ptr()) };
        put(format!("{name} query"), text(&value, i32::MIN));
    }

    // SAFETY: the context is current, and the active unit is restored.
    unsafe {
        let active = gl.get_parameter_i32(glow::ACTIVE_TEXTURE) as u32;
        for unit in 0..TEXTURE_UNITS {
            gl.active_texture(glow::TEXTURE0 + unit);
            for (name, id) in of(TEXTURES, known) {
                put(format!("unit {unit} {name}"), integers(id));
            }
        }
        gl.active_texture(active);
    }

    let divisors = ["ARB", "EXT", "ANGLE"]
        .iter()
        .any(|family| has(&format!("GL_{family}_instanced_arrays")));
    // SAFETY: the context is current. In core contexts, attributes exist only in a vertex array.
    unsafe {
        let array = known((3, 0), (3, 0)) && gl.get_parameter_i32(glow::VERTEX_ARRAY_BINDING) != 0;
        let attributes = gl.get_parameter_i32(glow::MAX_VERTEX_ATTRIBS) as u32;
        for i in 0..attributes.min(16) {
            let get = |id| {
                let mut value = [f32::MIN; WIDE];
                gl.get_vertex_attrib_parameter_f32_slice(i, id, &mut value);
                text(&value, f32::MIN)
            };
            if array || gles || compatibility {
                for (name, id) in of(ATTRIBUTES, known) {
                    put(format!("attribute {i} {name}"), get(id));
                }
                if !known((3, 3), (3, 0)) && divisors {
                    let divisor = get(glow::VERTEX_ATTRIB_ARRAY_DIVISOR);
                    put(format!("attribute {i} divisor"), divisor);
                }
                let mut pointer = std::ptr::null_mut();
                (raw.get_vertex_attrib_pointer)(i, glow::VERTEX_ATTRIB_ARRAY_POINTER, &mut pointer);
                put(format!("attribute {i} pointer"), format!("{pointer:?}"));
            }
            // In compatibility contexts, attribute 0 is the vertex position and has no current value.
            if i > 0 || !compatibility {
                put(
                    format!("attribute {i} value"),
                    get(glow::CURRENT_VERTEX_ATTRIB),
                );
            }
        }
    }
    dump
}

fn of<'a>(
    tables: &'a [Table],
    known: impl Fn((u32, u32), (u32, u32)) -> bool + 'a,
) -> impl Iterator<Item = (&'static str, u32)> + 'a {
    tables
        .iter()
        .filter(move |(desktop, es, _)| known(*desktop, *es))
        .flat_map(|(_, _, names)| names.iter().copied())
}

/// Returns the values that the getter wrote, up to the last one that is not `unset`.
fn text<T: PartialEq + std::fmt::Debug>(value: &[T], unset: T) -> String {
    let written = value
        .iter()
        .rposition(|v| *v != unset)
        .map_or(0, |last| last + 1);
    format!("{:?}", &value[..written])
}
