//! The painter, which uses a pipeline, buffers and a texture to draw a list of vertices with a single call.
//!
//! The buffers only grow, in powers of two. The indices are the same for every list, so they are uploaded again only
//! when a list is longer than all previous lists.

use iprof::overlay::{DrawData, Vertex};
use wgpu::util::{BufferInitDescriptor, DeviceExt as _};
use wgpu::{BufferUsages, Device, Queue, RenderPass, TextureFormat};

/// The minimum capacity of the buffers, in rectangles.
const MIN_QUADS: usize = 256;
const VERTICES_PER_QUAD: usize = 4;
const INDICES_PER_QUAD: usize = 6;

/// The shader's `Target` struct.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Target {
    to_clip: [f32; 4],
    is_linear: bool,
}

impl Target {
    fn bytes(self) -> [u8; 32] {
        let flags = [u32::from(self.is_linear), 0, 0, 0];
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(bytemuck::bytes_of(&self.to_clip));
        bytes[16..].copy_from_slice(bytemuck::bytes_of(&flags));
        bytes
    }
}

/// Draws the frames of an [`Overlay`](iprof::overlay::Overlay) in one of your render passes.
///
/// For each frame, [`begin`](iprof::overlay::Overlay::begin) an overlay frame and add its parts. Then
/// [`prepare`](Painter::prepare) its [data](iprof::overlay::Overlay::draw_data) and [`render`](Painter::render) it. A
/// painter holds a copy of one overlay's glyph atlas, so each overlay needs its own painter.
///
/// Drawing a frame takes one draw call and one vertex upload. Once all characters and sizes have been drawn before, the
/// painter no longer allocates anything, apart from wgpu's own allocations in these calls.
///
/// # Colors
///
/// On a target without color conversion, such as `Bgra8Unorm`, the picture is the same as with OpenGL, within 1/255 per
/// channel.
///
/// sRGB formats convert colors from linear light, and float formats store linear light. On such targets, opaque parts
/// still look the same. Translucent parts, such as letters and backgrounds, are blended in linear light, with an
/// adjusted opacity to compensate. Channels differ by at most 3/255 on average, and at most one channel in 200 differs
/// by more than 24/255.
///
/// To get exactly the same picture on such targets, render the overlay in a separate pass, to a view of the texture
/// with a format that has no conversion. Configure the surface with that format in `view_formats`, and create the view
/// and the painter with [`TextureFormat::remove_srgb_suffix`].
#[derive(Debug)]
pub struct Painter {
    pipeline: wgpu::RenderPipeline,
    bind_group: wgpu::BindGroup,
    atlas: wgpu::Texture,
    /// The version of the atlas that is in the texture.
    uploaded: u64,
    target: wgpu::Buffer,
    /// The current contents of the `target` buffer.
    set_target: Target,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    /// The capacity of the buffers, in rectangles.
    room: usize,
    /// The number of indices in the most recently prepared frame.
    index_count: u32,
    size: [f32; 2],
}

impl Painter {
    /// Creates a painter for render passes with one color attachment of `format`, and without depth or stencil.
    ///
    /// `samples` is the number of samples per pixel: 1 without multisampling.
    ///
    /// # Panics
    ///
    /// Panics in the device's error handler, as wgpu itself does, if the device does not support blending or this
    /// number of samples for `format`.
    #[must_use]
    pub fn new(device: &Device, queue: &Queue, format: TextureFormat, samples: u32) -> Painter {
        Painter::with_depth(device, queue, format, samples, None)
    }

    /// Like [`new`](Painter::new), but for render passes with a depth or stencil attachment in the `depth` format.
    ///
    /// The painter neither tests nor changes that attachment.
    #[must_use]
    pub fn with_depth(
        device: &Device,
        queue: &Queue,
        format: TextureFormat,
        samples: u32,
        depth: Option<TextureFormat>,
    ) -> Painter {
        let [width, height] = DrawData::ATLAS_SIZE;
        let atlas = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("iprof atlas"),
            size: wgpu::Extent3d {
                width,
                height,
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: TextureFormat::R8Unorm,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let set_target = Target {
            to_clip: [0.0; 4],
            is_linear: is_linear(format),
        };
        let target = device.create_buffer_init(&BufferInitDescriptor {
            label: Some("iprof target"),
            contents: &set_target.bytes(),
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
        });
        let pipeline = pipeline(device, format, samples, depth);
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("iprof"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: target.as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: wgpu::BindingResource::TextureView(
                        &atlas.create_view(&wgpu::TextureViewDescriptor::default()),
                    ),
                },
            ],
        });
        let [vertices, indices] = buffers(device, queue, MIN_QUADS);
        Painter {
            pipeline,
            bind_group,
            atlas,
            uploaded: 0,
            target,
            set_target,
            vertices,
            indices,
            room: MIN_QUADS,
            index_count: 0,
            size: [0.0; 2],
        }
    }

    /// Uploads a frame. Call it once per submission, before you submit the commands recorded by
    /// [`render`](Painter::render).
    pub fn prepare(&mut self, device: &Device, queue: &Queue, data: DrawData<'_>) {
        self.size = data.size();
        self.index_count = data.index_count() as u32;
        if data.is_empty() {
            return;
        }
        self.upload_atlas(queue, data);
        let quads = data.index_count() / INDICES_PER_QUAD;
        if quads > self.room {
            self.room = quads.next_power_of_two();
            [self.vertices, self.indices] = buffers(device, queue, self.room);
        }
        queue.write_buffer(&self.vertices, 0, bytemuck::cast_slice(data.vertices()));
        let [width, height] = data.size();
        let wanted = Target {
            to_clip: [2.0 / width, -2.0 / height, -1.0, 1.0],
            ..self.set_target
        };
        if wanted != self.set_target {
            queue.write_buffer(&self.target, 0, &wanted.bytes());
            self.set_target = wanted;
        }
    }

    fn upload_atlas(&mut self, queue: &Queue, data: DrawData<'_>) {
        let Some(changed) = data.atlas_changes(self.uploaded) else {
            return;
        };
        self.uploaded = data.atlas_version();
        queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &self.atlas,
                mip_level: 0,
                origin: wgpu::Origin3d {
                    x: changed.x,
                    y: changed.y,
                    z: 0,
                },
                aspect: wgpu::TextureAspect::All,
            },
            changed.pixels,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(changed.width),
                rows_per_image: None,
            },
            wgpu::Extent3d {
                width: changed.width,
                height: changed.height,
                depth_or_array_layers: 1,
            },
        );
    }

    /// Draws the most recently prepared frame.
    ///
    /// Sets the pass's viewport and scissor rectangle to the size passed to `begin`, which must be the attachment's
    /// size. Also sets the pipeline, bind group 0, the index buffer and vertex buffer 0.
    pub fn render(&self, pass: &mut RenderPass<'_>) {
        if self.index_count == 0 {
            return;
        }
        let [width, height] = self.size;
        pass.set_viewport(0.0, 0.0, width, height, 0.0, 1.0);
        pass.set_scissor_rect(0, 0, width as u32, height as u32);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..self.index_count, 0, 0..1);
    }
}

/// Returns whether a target with this format expects linear light: sRGB formats convert it, and float formats store it.
fn is_linear(format: TextureFormat) -> bool {
    let is_float = matches!(
        format,
        TextureFormat::R16Float
            | TextureFormat::Rg16Float
            | TextureFormat::Rgba16Float
            | TextureFormat::R32Float
            | TextureFormat::Rg32Float
            | TextureFormat::Rgba32Float
            | TextureFormat::Rg11b10Ufloat
    );
    is_float || format.is_srgb()
}

/// Creates buffers for `quads` rectangles: an empty vertex buffer, and an index buffer with its indices.
fn buffers(device: &Device, queue: &Queue, quads: usize) -> [wgpu::Buffer; 2] {
    let buffer = |label, size: usize, usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: size as u64,
            usage: usage | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    };
    let vertices = quads * VERTICES_PER_QUAD * size_of::<Vertex>();
    let indices: Vec<u32> = iprof::overlay::quad_indices(quads).collect();
    let bytes: &[u8] = bytemuck::cast_slice(&indices);
    let buffers = [
        buffer("iprof vertices", vertices, BufferUsages::VERTEX),
        buffer("iprof indices", bytes.len(), BufferUsages::INDEX),
    ];
    queue.write_buffer(&buffers[1], 0, bytes);
    buffers
}

fn pipeline(
    device: &Device,
    format: TextureFormat,
    samples: u32,
    depth: Option<TextureFormat>,
) -> wgpu::RenderPipeline {
    let shader = device.create_shader_module(wgpu::include_wgsl!("overlay.wgsl"));
    let group = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("iprof"),
        entries: &[
            wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            },
            wgpu::BindGroupLayoutEntry {
                binding: 1,
                visibility: wgpu::ShaderStages::FRAGMENT,
                ty: wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Float { filterable: false },
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
                count: None,
            },
        ],
    });
    let attributes = wgpu::vertex_attr_array![0 => Float32x2, 1 => Unorm16x2, 2 => Unorm8x4];
    let vertices = wgpu::VertexBufferLayout {
        array_stride: size_of::<Vertex>() as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &attributes,
    };
    let target = wgpu::ColorTargetState {
        format,
        blend: Some(wgpu::BlendState::ALPHA_BLENDING),
        write_mask: wgpu::ColorWrites::ALL,
    };
    let multisample = wgpu::MultisampleState {
        count: samples,
        ..Default::default()
    };
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("iprof"),
        bind_group_layouts: &[Some(&group)],
        ..Default::default()
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("iprof"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &shader,
            entry_point: Some("vertex"),
            compilation_options: Default::default(),
            buffers: &[Some(vertices)],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: depth.map(|format| wgpu::DepthStencilState {
            format,
            depth_write_enabled: Some(false),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample,
        fragment: Some(wgpu::FragmentState {
            module: &shader,
            entry_point: Some("fragment"),
            compilation_options: Default::default(),
            targets: &[Some(target)],
        }),
        multiview_mask: None,
        cache: None,
    })
}
