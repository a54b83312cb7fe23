//! For wgpu 30: what all versions have, and where their interfaces differ.

#[path = "gpu_timer.rs"]
mod gpu_timer;
#[path = "overlay.rs"]
mod overlay;
#[path = "painter.rs"]
mod painter;

use ::wgpu as version;
pub use gpu_timer::{GpuTimer, GpuZone};
pub use overlay::Overlay;
use version as wgpu;

/// The pipeline that draws triangles of the overlay's vertices with the shader's functions `vertex` and `fragment`.
fn create_pipeline(
    device: &wgpu::Device,
    group: &wgpu::BindGroupLayout,
    shader: &wgpu::ShaderModule,
    vertices: wgpu::VertexBufferLayout<'_>,
    target: wgpu::ColorTargetState,
    multisample: wgpu::MultisampleState,
    depth: Option<wgpu::TextureFormat>,
) -> wgpu::RenderPipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("iprof"),
        bind_group_layouts: &[Some(group)],
        ..Default::default()
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("iprof"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: shader,
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
            module: shader,
            entry_point: Some("fragment"),
            compilation_options: Default::default(),
            targets: &[Some(target)],
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// Calls `f`. A validation error in it is ignored.
fn ignore_errors(device: &wgpu::Device, f: impl FnOnce()) {
    let _errors = device.push_error_scope(wgpu::ErrorFilter::Validation);
    f();
}

/// The bytes of a mapped buffer; `None` if its device is lost.
fn mapped_range(slice: wgpu::BufferSlice<'_>) -> Option<wgpu::BufferView> {
    slice.get_mapped_range().ok()
}
