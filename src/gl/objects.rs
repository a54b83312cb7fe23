//! The painter's GL objects. This module compiles the shaders, uploads a list of quads and the glyph atlas, and draws
//! the quads with one draw call, or up to three with 16-bit indices.
//!
//! **Upload.** Each draw uploads the whole list into one buffer. `glBufferData` without data orphans the old store, so
//! the driver never waits for a draw that still reads it, and `glBufferSubData` fills the new one. The store keeps its
//! power-of-two size from frame to frame, which lets drivers recycle it. A ring buffer would need fences or
//! unsynchronized mapping, which some GL versions lack, and would gain nothing at this size.
//!
//! **Indices.** A quad is four vertices and six indices. The indices are the same for every list and are uploaded only
//! when a list is longer than any before it. Without indices a quad would be six vertices, so there would be 50% more
//! data to write, upload and transform. Instancing would need even fewer bytes, but GL 2.1 and ES 2.0 lack it, and
//! software renderers are slow with small instances.
//!
//! **Initialization** creates objects and compiles shaders, but binds nothing. Steps that need a binding, such as the
//! vertex layout and the atlas, happen in the first `paint`, which saves the host's state anyway.

#![allow(unsafe_code, reason = "every GL call is unsafe")]

// Terms used in this file's SAFETY comments:
// "current": the context passed to `Objects::new` is current on this thread. Each unsafe function here requires
// this.
// "ours": `Objects::new` created the objects in that context, and only `Objects::destroy` deletes them.

use glow::HasContext;

use super::state::host_state::HostState;
use super::state::{self, ATTRIBUTES_USED, AttributeCalls, Caps, StateGuard, UnpackGuard};
use crate::draw::{AtlasRect, CORNERS, Quad, Vertex};
use crate::gl::GlError;
use crate::gl::shader_variant::ShaderVariant;
use crate::overlay::{DrawData, quad_indices};

const VERTEX_SHADER: &str = include_str!("../../shaders/overlay.vert");
const FRAGMENT_SHADER: &str = include_str!("../../shaders/overlay.frag");

/// The attribute names, in order of location.
const ATTRIBUTES: [&str; ATTRIBUTES_USED] = ["a_position", "a_uv", "a_color"];

/// The fragment shader's output, in versions where outputs have names.
const OUTPUT: &str = "frag_color";

/// The minimum versions of GL and GL ES.
const OLDEST: [(u32, u32); 2] = [(2, 1), (2, 0)];

/// The minimum size of the vertex buffer's store, in bytes: 256 quads.
const MIN_STORE: usize = 256 * size_of::<Quad>();
/// The maximum number of quads drawn, because `glow` passes sizes in bytes as `i32`.
const MAX_QUADS: usize = 20_000_000;
/// The number of quads per draw call with 16-bit indices. One more would use the primitive restart index.
const SHORT_BATCH: usize = (u16::MAX / 4) as usize;
/// The maximum number of draw calls with 16-bit indices.
const MAX_DRAWS: usize = 3;

/// Draws lists of quads in the host's GL context.
///
/// Dropping this leaks its GL objects on purpose. The context may no longer exist, and deleting the same names in a
/// different context would delete the host's objects. The objects are deleted by [`Objects::destroy`] or together with
/// the context.
#[derive(Debug)]
pub(super) struct Objects {
    caps: Caps,
    program: glow::Program,
    to_clip: Option<glow::UniformLocation>,
    /// `None` in contexts without vertex arrays, where each draw sets the vertex layout.
    vertex_array: Option<glow::VertexArray>,
    vertices: glow::Buffer,
    indices: glow::Buffer,
    atlas: glow::Texture,
    buffers: Buffers,
    /// The version of the atlas in the texture `atlas`, or 0 if the texture has no storage yet.
    uploaded: u64,
    /// The current value of `u_to_clip`.
    set_to_clip: [f32; 4],
}

impl Objects {
    /// Compiles the shaders and creates the objects, without changing the host's state. `calls` are needed only in
    /// contexts without vertex array objects.
    ///
    /// # Safety
    /// The context of `gl` is current on this thread, and `calls` were loaded for it.
    ///
    /// # Errors
    /// Returns an error if the context is too old, or if the driver rejects a shader or fails to create an object. In
    /// that case, all objects created so far are deleted.
    pub(crate) unsafe fn new(
        gl: &glow::Context,
        calls: Option<AttributeCalls>,
    ) -> Result<Self, GlError> {
        let version = (gl.version().major, gl.version().minor);
        if version < OLDEST[usize::from(gl.version().is_embedded)] {
            // SAFETY: current.
            let version = unsafe { gl.get_parameter_string(glow::VERSION) };
            return Err(GlError::UnsupportedVersion { version });
        }
        // SAFETY: current.
        unsafe {
            let caps = Caps::detect(gl, calls);
            if !caps.vertex_arrays && caps.attributes.is_none() {
                return Err(GlError::NeedsLoader);
            }
            let program = link(gl, &caps)?;
            let created = || -> Result<_, GlError> {
                let vertex_array = if caps.vertex_arrays {
                    Some(gl.create_vertex_array().map_err(create("vertex array"))?)
                } else {
                    None
                };
                let delete_vertex_array = || {
                    if let Some(vertex_array) = vertex_array {
                        gl.delete_vertex_array(vertex_array);
                    }
                };
                let vertices = gl
                    .create_buffer()
                    .map_err(create("buffer"))
                    .inspect_err(|_| delete_vertex_array())?;
                let indices = gl
                    .create_buffer()
                    .map_err(create("buffer"))
                    .inspect_err(|_| {
                        delete_vertex_array();
                        gl.delete_buffer(vertices);
                    })?;
                let atlas = gl
                    .create_texture()
                    .map_err(create("texture"))
                    .inspect_err(|_| {
                        delete_vertex_array();
                        gl.delete_buffer(vertices);
                        gl.delete_buffer(indices);
                    })?;
                Ok((vertex_array, vertices, indices, atlas))
            };
            let (vertex_array, vertices, indices, atlas) =
                created().inspect_err(|_| gl.delete_program(program))?;
            Ok(Self {
                caps,
                program,
                to_clip: gl.get_uniform_location(program, "u_to_clip"),
                vertex_array,
                vertices,
                indices,
                atlas,
                buffers: Buffers::default(),
                uploaded: 0,
                set_to_clip: [0.0; 4],
            })
        }
    }

    /// Draws `data` into the host's framebuffer, through the host's viewport. Afterward, even after a panic, the GL
    /// state is what the host had set or `declared`.
    ///
    /// Uploads the atlas rows that changed. Draws nothing if drawing would harm the host: see
    /// [`state::painted_buffer`].
    ///
    /// If the host breaks its promise about `declared`, or if it has active transform feedback that cannot be paused,
    /// the result is a GL error or a wrong image. This is not unsound, because GL checks the names, values and buffers
    /// it is given.
    ///
    /// # Safety
    /// The context passed to `new` is current on this thread.
    pub(crate) unsafe fn paint(
        &mut self,
        gl: &glow::Context,
        data: DrawData<'_>,
        declared: Option<&HostState>,
    ) {
        let quads = data.quads();
        let quads = &quads[..quads.len().min(MAX_QUADS)];
        if quads.is_empty() {
            return;
        }
        // SAFETY: current; ours.
        unsafe {
            let (flipped, _host) = match declared {
                None => {
                    let Some(painted) = state::painted_buffer(gl, &self.caps) else {
                        return;
                    };
                    let flipped = state::clips_upside_down(gl, &self.caps);
                    (flipped, StateGuard::save(gl, &self.caps, painted))
                }
                Some(host) => {
                    let flipped = host.clip_origin == glow::UPPER_LEFT;
                    (flipped, StateGuard::declared(gl, &self.caps, host))
                }
            };
            gl.bind_texture(glow::TEXTURE_2D, Some(self.atlas));
            if let Some(changed) = data.atlas_changes(self.uploaded) {
                let whole = (self.uploaded == 0).then_some(DrawData::ATLAS_SIZE);
                upload_atlas(gl, &self.caps, whole, changed, declared.is_none());
                self.uploaded = data.atlas_version();
            }
            if self.vertex_array.is_some() {
                gl.bind_vertex_array(self.vertex_array);
            }
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(self.vertices));
            gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(self.indices));
            if self.buffers.store == 0 || self.vertex_array.is_none() {
                describe_vertices(gl, 0);
            }
            gl.use_program(Some(self.program));
            let to_clip = to_clip(data.size(), flipped);
            if self.set_to_clip != to_clip {
                gl.uniform_4_f32_slice(self.to_clip.as_ref(), &to_clip);
                self.set_to_clip = to_clip;
            }
            if state::may_restart_primitives(gl, &self.caps, declared.is_none()) {
                self.buffers.by_corners(gl, quads);
            } else {
                self.buffers.by_indices(gl, quads, self.caps.wide_indices);
            }
        }
    }

    /// Deletes the objects. They must not be used afterward.
    ///
    /// # Safety
    /// Must be called only once.
    pub(crate) unsafe fn destroy(&mut self, gl: &glow::Context) {
        // SAFETY: current; ours.
        unsafe {
            gl.delete_texture(self.atlas);
            gl.delete_buffer(self.vertices);
            gl.delete_buffer(self.indices);
            if let Some(vertex_array) = self.vertex_array {
                gl.delete_vertex_array(vertex_array);
            }
            gl.delete_program(self.program);
        }
    }
}

#[derive(Debug, Default)]
struct Buffers {
    /// The size of the vertex buffer's store in bytes, or 0 before the first `paint`.
    store: usize,
    /// The number of quads that have indices.
    indexed: usize,
    /// Scratch memory for drawing without indices.
    corners: Vec<Vertex>,
}

impl Buffers {
    /// Draws with indices.
    ///
    /// # Safety
    /// The context is current, and all of the painter's objects are bound.
    unsafe fn by_indices(&mut self, gl: &glow::Context, quads: &[Quad], is_wide: bool) {
        let (batch, kind) = if is_wide {
            (MAX_QUADS, glow::UNSIGNED_INT)
        } else {
            (SHORT_BATCH, glow::UNSIGNED_SHORT)
        };
        // SAFETY: this function has the same contract.
        unsafe {
            self.store = upload_vertices(gl, quads.as_flattened(), self.store);
            let indexed = quads.len().min(batch);
            self.indexed = upload_indices(gl, is_wide, indexed, self.indexed);
            for (at, part) in quads.chunks(batch).take(MAX_DRAWS).enumerate() {
                if at > 0 {
                    describe_vertices(gl, at * batch);
                }
                let count = part.len() * CORNERS.len();
                gl.draw_elements(glow::TRIANGLES, count as i32, kind, 0);
            }
            if quads.len() > batch {
                describe_vertices(gl, 0);
            }
        }
    }

    /// Draws without indices, so that no index can restart a primitive, at the cost of 50% more vertices.
    ///
    /// # Safety
    /// The rules of [`by_indices`](Self::by_indices) apply.
    unsafe fn by_corners(&mut self, gl: &glow::Context, quads: &[Quad]) {
        let corners = |quad: &Quad| CORNERS.map(|corner| quad[corner as usize]);
        self.corners.clear();
        self.corners.extend(quads.iter().flat_map(corners));
        // SAFETY: this function has the same contract.
        unsafe {
            self.store = upload_vertices(gl, &self.corners, self.store);
            gl.draw_arrays(glow::TRIANGLES, 0, self.corners.len() as i32);
        }
    }
}

/// Returns the scale and offset from pixels, with y pointing down, to clip space. `flipped` means that y points down in
/// clip space as well.
fn to_clip([width, height]: [f32; 2], flipped: bool) -> [f32; 4] {
    let up = if flipped { -1.0 } else { 1.0 };
    [2.0 / width, -2.0 * up / height, -1.0, up]
}

/// Uploads the changed part of the atlas. If `whole` contains a size, first allocates the texture with that size. With
/// `query`, queries and restores the host's pixel unpacking state.
///
/// # Safety
/// The context is current, and the painter's texture is bound.
unsafe fn upload_atlas(
    gl: &glow::Context,
    caps: &Caps,
    whole: Option<[u32; 2]>,
    changed: AtlasRect<'_>,
    query: bool,
) {
    // Shaders read red from both formats. Core contexts have no luminance textures.
    let (internal, format) = if caps.red_textures {
        (glow::R8, glow::RED)
    } else {
        (glow::LUMINANCE, glow::LUMINANCE)
    };
    // SAFETY: current. With the unpacking state set by `UnpackGuard`, the driver reads exactly the slice's bytes.
    unsafe {
        let _unpack = UnpackGuard::save(gl, caps, query);
        if let Some([width, height]) = whole {
            gl.tex_image_2d(
                glow::TEXTURE_2D,
                0,
                internal as i32,
                width as i32,
                height as i32,
                0,
                format,
                glow::UNSIGNED_BYTE,
                glow::PixelUnpackData::Slice(None),
            );
            for (name, value) in [
                (glow::TEXTURE_MIN_FILTER, glow::NEAREST),
                (glow::TEXTURE_MAG_FILTER, glow::NEAREST),
                (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
            ] {
                gl.tex_parameter_i32(glow::TEXTURE_2D, name, value as i32);
            }
            if caps.texture_levels {
                gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MAX_LEVEL, 0);
            }
        }
        gl.tex_sub_image_2d(
            glow::TEXTURE_2D,
            0,
            changed.x as i32,
            changed.y as i32,
            changed.width as i32,
            changed.height as i32,
            format,
            glow::UNSIGNED_BYTE,
            glow::PixelUnpackData::Slice(Some(changed.pixels)),
        );
    }
}

/// Uploads the vertices and returns the size of the store that now holds them.
///
/// # Safety
/// The context is current, and the painter's buffer is bound.
unsafe fn upload_vertices(gl: &glow::Context, vertices: &[Vertex], store: usize) -> usize {
    let bytes: &[u8] = bytemuck::cast_slice(vertices);
    let wanted = bytes.len().next_power_of_two().min(i32::MAX as usize);
    let store = store.max(wanted).max(MIN_STORE);
    // SAFETY: current; the data fits into the store.
    unsafe {
        gl.buffer_data_size(glow::ARRAY_BUFFER, store as i32, glow::STREAM_DRAW);
        gl.buffer_sub_data_u8_slice(glow::ARRAY_BUFFER, 0, bytes);
    }
    store
}

/// Uploads indices for `quads` quads if needed. Returns the number of quads that now have indices.
///
/// # Safety
/// The context is current, and the painter's vertex array and index buffer are bound.
unsafe fn upload_indices(gl: &glow::Context, is_wide: bool, quads: usize, indexed: usize) -> usize {
    if quads <= indexed {
        return indexed;
    }
    let indexed = quads.next_power_of_two().max(MIN_STORE / size_of::<Quad>());
    let indices = quad_indices(indexed);
    // The index count is a power of two, so the last 16-bit indices may wrap around. No draw uses them.
    let (wide, short): (Vec<u32>, Vec<u16>) = match is_wide {
        true => (indices.collect(), Vec::new()),
        false => (Vec::new(), indices.map(|index| index as u16).collect()),
    };
    let bytes: &[u8] = match is_wide {
        true => bytemuck::cast_slice(&wide),
        false => bytemuck::cast_slice(&short),
    };
    // SAFETY: current.
    unsafe { gl.buffer_data_u8_slice(glow::ELEMENT_ARRAY_BUFFER, bytes, glow::STATIC_DRAW) };
    indexed
}

/// Points the attributes at the buffer's quads, starting with quad `first`.
///
/// # Safety
/// The context is current, and the painter's vertex array and buffer are bound.
unsafe fn describe_vertices(gl: &glow::Context, first: usize) {
    let layout = [
        (
            2,
            glow::FLOAT,
            false,
            std::mem::offset_of!(Vertex, position),
        ),
        (
            2,
            glow::UNSIGNED_SHORT,
            true,
            std::mem::offset_of!(Vertex, uv),
        ),
        (
            4,
            glow::UNSIGNED_BYTE,
            true,
            std::mem::offset_of!(Vertex, color),
        ),
    ];
    for (location, (size, kind, normalized, offset)) in (0..).zip(layout) {
        let stride = size_of::<Vertex>() as i32;
        let offset = first * size_of::<Quad>() + offset;
        // SAFETY: current; the offsets are the offsets of `Vertex`'s fields.
        unsafe {
            gl.enable_vertex_attrib_array(location);
            gl.vertex_attrib_pointer_f32(location, size, kind, normalized, stride, offset as i32);
        }
    }
}

unsafe fn link(gl: &glow::Context, caps: &Caps) -> Result<glow::Program, GlError> {
    let prelude = ShaderVariant::of(caps.gles, caps.version).prelude();
    // SAFETY: current. Deleting an attached shader only flags it, so the shader is deleted together with the program.
    unsafe {
        let program = gl.create_program().map_err(create("program"))?;
        let attach = || -> Result<(), GlError> {
            for (stage, name, text) in [
                (glow::VERTEX_SHADER, "vertex", VERTEX_SHADER),
                (glow::FRAGMENT_SHADER, "fragment", FRAGMENT_SHADER),
            ] {
                let shader = gl.create_shader(stage).map_err(create("shader"))?;
                gl.shader_source(shader, &format!("{prelude}{text}"));
                gl.compile_shader(shader);
                gl.attach_shader(program, shader);
                // Queried before the shader is deleted, because WebGL cannot query a deleted shader.
                let log =
                    (!gl.get_shader_compile_status(shader)).then(|| gl.get_shader_info_log(shader));
                gl.delete_shader(shader);
                if let Some(log) = log {
                    return Err(GlError::Compile { stage: name, log });
                }
            }
            for (location, name) in (0..).zip(ATTRIBUTES) {
                gl.bind_attrib_location(program, location, name);
            }
            if caps.named_outputs {
                gl.bind_frag_data_location(program, 0, OUTPUT);
            }
            gl.link_program(program);
            if gl.get_program_link_status(program) {
                Ok(())
            } else {
                Err(GlError::Link {
                    log: gl.get_program_info_log(program),
                })
            }
        };
        attach().inspect_err(|_| gl.delete_program(program))?;
        Ok(program)
    }
}

fn create(object: &'static str) -> impl FnOnce(String) -> GlError {
    move |reason| GlError::Create { object, reason }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn apply(to_clip: [f32; 4], [x, y]: [f32; 2]) -> [f32; 2] {
        [x * to_clip[0] + to_clip[2], y * to_clip[1] + to_clip[3]]
    }

    #[test]
    fn top_left_pixel_maps_to_top_left_of_clip_space() {
        let upright = to_clip([640.0, 480.0], false);
        assert_eq!(apply(upright, [0.0, 0.0]), [-1.0, 1.0]);
        assert_eq!(apply(upright, [640.0, 480.0]), [1.0, -1.0]);
        let flipped = to_clip([640.0, 480.0], true);
        assert_eq!(apply(flipped, [0.0, 0.0]), [-1.0, -1.0]);
        assert_eq!(apply(flipped, [640.0, 480.0]), [1.0, 1.0]);
    }

    #[test]
    fn errors_contain_the_drivers_log() {
        let error = GlError::UnsupportedVersion {
            version: "2.1 Mesa".into(),
        };
        assert!(error.to_string().contains("2.1 Mesa"));
        let error = GlError::Compile {
            stage: "vertex",
            log: "0:3: no\n".into(),
        };
        assert!(error.to_string().ends_with("failed to compile: 0:3: no"));
    }
}
