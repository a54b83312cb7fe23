//! Draws the scene with OpenGL 3.3 core or OpenGL ES 3.0: the traced picture in the whole window, and the particles on
//! top.
//!
//! The picture lags a few frames behind the camera, so it is warped to the current viewpoint, as if it were painted on
//! a plane through the flake. Particles use the same warp to look up in the picture's alpha channel whether something
//! is in front of them.

// Every call into OpenGL is unsafe. `Stage`'s doc comment explains why the calls are sound.
#![allow(unsafe_code)]

use std::ops::Range;

use glow::HasContext;

use super::particles::Sprite;
use super::scene::Scene;
use super::tiles::ALPHA_RANGE;

const NEAR: f32 = 0.1;
const FAR: f32 = 100.0;

const PICTURE_VERTEX: &str = r"
out vec2 screen;
void main() {
    // The vertices of one triangle that covers the window: (-1, -1), (3, -1), (-1, 3).
    screen = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 4.0 - 1.0;
    gl_Position = vec4(screen, 0.0, 1.0);
}
";

const PICTURE_FRAGMENT: &str = r"
uniform sampler2D picture;
uniform mat3 warp;
in vec2 screen;
out vec4 color;
void main() {
    vec3 seen = warp * vec3(screen, 1.0);
    vec2 place = vec2(0.5, -0.5) * seen.xy / seen.z + 0.5;
    float vignette = 1.0 - 0.42 * smoothstep(0.45, 1.9, dot(screen, screen));
    color = vec4(texture(picture, place).rgb * vignette, 1.0);
}
";

const PARTICLE_VERTEX: &str = r"
uniform mat4 view_projection;
uniform vec3 picture_eye;
uniform float pixels_per_unit;
layout(location = 0) in vec3 position;
layout(location = 1) in float size;
layout(location = 2) in vec3 light;
out vec3 glow;
out float eye_distance;
void main() {
    gl_Position = view_projection * vec4(position, 1.0);
    float pixels = size * pixels_per_unit / max(gl_Position.w, 0.01);
    // A very small sprite would flicker from pixel to pixel, so draw it larger and correspondingly dimmer.
    float drawn = clamp(pixels, 2.5, 48.0);
    gl_PointSize = drawn;
    glow = light * min(1.0, pixels * pixels / (drawn * drawn));
    eye_distance = distance(position, picture_eye);
}
";

const PARTICLE_FRAGMENT: &str = r"
uniform sampler2D picture;
uniform mat3 warp;
uniform vec2 pixel_size;
uniform float alpha_range;
in vec3 glow;
in float eye_distance;
out vec4 color;
void main() {
    vec3 seen = warp * vec3(gl_FragCoord.xy * pixel_size * 2.0 - 1.0, 1.0);
    vec2 place = vec2(0.5, -0.5) * seen.xy / seen.z + 0.5;
    float alpha = texture(picture, place).a;
    float behind = eye_distance - alpha * alpha_range;
    // Full alpha means this distance or farther. Elsewhere, the edge is soft over two or three alpha steps.
    float hidden = alpha > 0.998 ? 0.0 : smoothstep(0.04, 0.20, behind);
    vec2 off_middle = gl_PointCoord * 2.0 - 1.0;
    float inside = max(0.0, 1.0 - dot(off_middle, off_middle));
    float core = inside * inside * inside;
    // A bright core turns white, as bright lights do.
    vec3 hot = glow + 0.25 * dot(glow, vec3(0.33));
    vec3 light = glow * (0.55 * inside * inside) + hot * (core * core);
    color = vec4(light * (1.0 - hidden), 0.0);
}
";

/// The scene's OpenGL objects.
///
/// Invariant: the objects belong to the context passed to `Stage::new`. All methods require that this context, or one
/// that shares all its objects, is current on the calling thread, and that `destroy` has not been called.
#[derive(Debug)]
pub(crate) struct Stage {
    embedded: bool,
    picture: Painter,
    particles: Painter,
    particle_uniforms: ParticleUniforms,
    sprite_buffer: glow::Buffer,
    texture: glow::Texture,
    /// The size of the uploaded texture, zero until the first upload.
    texture_size: (usize, usize),
}

/// A program with its vertex array, and the one uniform that both programs use.
#[derive(Debug)]
struct Painter {
    program: glow::Program,
    vertex_array: glow::VertexArray,
    warp: Uniform,
}

/// The uniform's location, or `None` if the compiler optimized the uniform away. Setting it then does nothing.
type Uniform = Option<glow::UniformLocation>;

#[derive(Debug)]
struct ParticleUniforms {
    view_projection: Uniform,
    picture_eye: Uniform,
    pixels_per_unit: Uniform,
    pixel_size: Uniform,
    alpha_range: Uniform,
}

impl Stage {
    /// Creates the stage's objects.
    ///
    /// # Errors
    ///
    /// Returns the driver's message if a shader does not compile or an object cannot be created.
    ///
    /// # Safety
    ///
    /// The context of `gl` must be current on this thread, and must support OpenGL 3.3, OpenGL ES 3.0, or later.
    pub(crate) unsafe fn new(gl: &glow::Context) -> Result<Stage, String> {
        let embedded = gl.version().is_embedded;
        // SAFETY: the context is current (contract). If a call fails, the objects created so far leak until the context
        // is destroyed.
        unsafe {
            let picture = Painter::new(gl, embedded, PICTURE_VERTEX, PICTURE_FRAGMENT)?;
            let particles = Painter::new(gl, embedded, PARTICLE_VERTEX, PARTICLE_FRAGMENT)?;
            let at = |name| gl.get_uniform_location(particles.program, name);
            let particle_uniforms = ParticleUniforms {
                view_projection: at("view_projection"),
                picture_eye: at("picture_eye"),
                pixels_per_unit: at("pixels_per_unit"),
                pixel_size: at("pixel_size"),
                alpha_range: at("alpha_range"),
            };

            let sprite_buffer = gl.create_buffer()?;
            gl.bind_vertex_array(Some(particles.vertex_array));
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(sprite_buffer));
            let stride = size_of::<Sprite>() as i32;
            for (location, parts, first) in [(0, 3, 0), (1, 1, 3), (2, 3, 4)] {
                let offset = first * size_of::<f32>() as i32;
                gl.vertex_attrib_pointer_f32(location, parts, glow::FLOAT, false, stride, offset);
                gl.enable_vertex_attrib_array(location);
            }
            gl.bind_vertex_array(None);
            gl.bind_buffer(glow::ARRAY_BUFFER, None);

            let texture = gl.create_texture()?;
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, Some(texture));
            for (parameter, value) in [
                (glow::TEXTURE_MIN_FILTER, glow::LINEAR),
                (glow::TEXTURE_MAG_FILTER, glow::LINEAR),
                (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
            ] {
                gl.tex_parameter_i32(glow::TEXTURE_2D, parameter, value as i32);
            }
            gl.bind_texture(glow::TEXTURE_2D, None);
            Ok(Stage {
                embedded,
                picture,
                particles,
                particle_uniforms,
                sprite_buffer,
                texture,
                texture_size: (0, 0),
            })
        }
    }

    /// Fills the bound framebuffer, `width` by `height` pixels. Sets all the state that it relies on, and restores none
    /// of it.
    ///
    /// # Safety
    ///
    /// The invariant of [`Stage`] must hold.
    pub(crate) unsafe fn draw(
        &mut self,
        gl: &glow::Context,
        scene: &mut Scene,
        width: i32,
        height: i32,
    ) {
        iprof::gpu_zone!(gl, "draw::stage");
        // SAFETY: the invariant of `Stage` (contract).
        unsafe {
            self.set_state(gl, width, height);
            let dirty_rows = scene.take_dirty_rows();
            // After a context was lost and restored, the texture is empty.
            if !dirty_rows.is_empty() || self.texture_size == (0, 0) {
                self.upload_texture(gl, scene, dirty_rows);
            }
            self.draw_picture(gl, scene);
            self.draw_particles(gl, scene, width, height);
            gl.disable(glow::BLEND);
            gl.bind_vertex_array(None);
            gl.use_program(None);
        }
    }

    /// Deletes the stage's objects.
    ///
    /// # Safety
    ///
    /// The invariant of [`Stage`] must hold. Afterward, it no longer holds.
    pub(crate) unsafe fn destroy(&mut self, gl: &glow::Context) {
        // SAFETY: the invariant of `Stage` (contract).
        unsafe {
            for painter in [&self.picture, &self.particles] {
                gl.delete_program(painter.program);
                gl.delete_vertex_array(painter.vertex_array);
            }
            gl.delete_buffer(self.sprite_buffer);
            gl.delete_texture(self.texture);
        }
    }

    unsafe fn set_state(&self, gl: &glow::Context, width: i32, height: i32) {
        // SAFETY: the invariant of `Stage`. All calls are legal in both 3.3 core and ES 3.0, except those that involve
        // two desktop-only capabilities.
        unsafe {
            gl.viewport(0, 0, width, height);
            for capability in [
                glow::BLEND,
                glow::CULL_FACE,
                glow::DEPTH_TEST,
                glow::RASTERIZER_DISCARD,
                glow::SCISSOR_TEST,
                glow::STENCIL_TEST,
            ] {
                gl.disable(capability);
            }
            if !self.embedded {
                // The picture is already gamma-corrected. A second correction would wash it out.
                gl.disable(glow::FRAMEBUFFER_SRGB);
                gl.enable(glow::PROGRAM_POINT_SIZE);
            }
            gl.color_mask(true, true, true, true);
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, Some(self.texture));
            gl.bind_sampler(0, None);
        }
    }

    unsafe fn upload_texture(&mut self, gl: &glow::Context, scene: &Scene, rows: Range<usize>) {
        iprof::gpu_zone!(gl, upload_texture);
        let (width, height) = scene.picture_size();
        let format = (glow::RGBA, glow::UNSIGNED_BYTE);
        // SAFETY: the invariant of `Stage`. With the unpack state set here, OpenGL reads `width` times four bytes per
        // row, which matches the slices.
        unsafe {
            gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
            gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 4);
            for parameter in [
                glow::UNPACK_ROW_LENGTH,
                glow::UNPACK_SKIP_ROWS,
                glow::UNPACK_SKIP_PIXELS,
            ] {
                gl.pixel_store_i32(parameter, 0);
            }
            if self.texture_size == (width, height) {
                let pixels = &scene.pixels()[rows.start * width..rows.end * width];
                gl.tex_sub_image_2d(
                    glow::TEXTURE_2D,
                    0,
                    0,
                    rows.start as i32,
                    width as i32,
                    rows.len() as i32,
                    format.0,
                    format.1,
                    glow::PixelUnpackData::Slice(Some(bytemuck::cast_slice(pixels))),
                );
            } else {
                gl.tex_image_2d(
                    glow::TEXTURE_2D,
                    0,
                    glow::RGBA8 as i32,
                    width as i32,
                    height as i32,
                    0,
                    format.0,
                    format.1,
                    glow::PixelUnpackData::Slice(Some(bytemuck::cast_slice(scene.pixels()))),
                );
                self.texture_size = (width, height);
            }
        }
    }

    unsafe fn draw_picture(&self, gl: &glow::Context, scene: &Scene) {
        iprof::gpu_zone!(gl, "draw::picture");
        // SAFETY: the invariant of `Stage`. The three vertices are computed only from their indices.
        unsafe {
            self.picture.bind(gl, scene);
            gl.draw_arrays(glow::TRIANGLES, 0, 3);
        }
    }

    unsafe fn draw_particles(&self, gl: &glow::Context, scene: &Scene, width: i32, height: i32) {
        iprof::gpu_zone!(gl, "draw::particles");
        let sprites = scene.sprites();
        let camera = scene.camera();
        let eye = scene.picture_camera().eye;
        let pixels_per_unit = height as f32 / (2.0 * camera.half_height);
        let uniforms = &self.particle_uniforms;
        // SAFETY: the invariant of `Stage`. The buffer is filled with as many sprites as are drawn, in the layout that
        // `new` describes.
        unsafe {
            self.particles.bind(gl, scene);
            gl.uniform_matrix_4_f32_slice(
                uniforms.view_projection.as_ref(),
                false,
                &camera.view_projection(NEAR, FAR),
            );
            gl.uniform_3_f32(uniforms.picture_eye.as_ref(), eye.x, eye.y, eye.z);
            gl.uniform_1_f32(uniforms.pixels_per_unit.as_ref(), pixels_per_unit);
            gl.uniform_2_f32(
                uniforms.pixel_size.as_ref(),
                1.0 / width as f32,
                1.0 / height as f32,
            );
            gl.uniform_1_f32(uniforms.alpha_range.as_ref(), ALPHA_RANGE);

            gl.bind_buffer(glow::ARRAY_BUFFER, Some(self.sprite_buffer));
            // A new buffer store is allocated every frame, so that the driver doesn't have to wait until the GPU has
            // read the previous one.
            gl.buffer_data_u8_slice(
                glow::ARRAY_BUFFER,
                bytemuck::cast_slice(sprites),
                glow::STREAM_DRAW,
            );
            gl.bind_buffer(glow::ARRAY_BUFFER, None);
            gl.enable(glow::BLEND);
            gl.blend_equation(glow::FUNC_ADD);
            gl.blend_func_separate(glow::ONE, glow::ONE, glow::ZERO, glow::ONE);
            gl.draw_arrays(glow::POINTS, 0, sprites.len() as i32);
        }
    }
}

impl Painter {
    unsafe fn new(
        gl: &glow::Context,
        embedded: bool,
        vertex: &str,
        fragment: &str,
    ) -> Result<Painter, String> {
        let version = if embedded {
            "#version 300 es\nprecision highp float;\nprecision highp sampler2D;\n"
        } else {
            "#version 330 core\n"
        };
        // SAFETY: the context is current (contract of `Stage::new`).
        unsafe {
            let program = gl.create_program()?;
            for (stage, source) in [
                (glow::VERTEX_SHADER, vertex),
                (glow::FRAGMENT_SHADER, fragment),
            ] {
                let shader = gl.create_shader(stage)?;
                gl.shader_source(shader, &format!("{version}{source}"));
                gl.compile_shader(shader);
                if !gl.get_shader_compile_status(shader) {
                    return Err(gl.get_shader_info_log(shader));
                }
                gl.attach_shader(program, shader);
                // The program keeps the shader alive.
                gl.delete_shader(shader);
            }
            gl.link_program(program);
            if !gl.get_program_link_status(program) {
                return Err(gl.get_program_info_log(program));
            }
            let warp = gl.get_uniform_location(program, "warp");
            Ok(Painter {
                program,
                vertex_array: gl.create_vertex_array()?,
                warp,
            })
        }
    }

    /// Selects this program for drawing. The sampler `picture` keeps its default, texture unit 0.
    unsafe fn bind(&self, gl: &glow::Context, scene: &Scene) {
        let camera = scene.camera();
        // The warp is exact on the plane through the middle of the flake.
        let plane_distance = (super::tracer::ROOT.center - camera.eye).dot(camera.forward);
        let warp = camera.reprojection(scene.picture_camera(), plane_distance);
        // SAFETY: the invariant of `Stage`.
        unsafe {
            gl.use_program(Some(self.program));
            gl.bind_vertex_array(Some(self.vertex_array));
            gl.uniform_matrix_3_f32_slice(self.warp.as_ref(), false, &warp);
        }
    }
}
