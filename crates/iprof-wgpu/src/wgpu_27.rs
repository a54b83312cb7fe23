//! For wgpu 27, which iced 0.14 draws with: the same as at the crate's root for wgpu 30.

#[path = "gpu_timer.rs"]
mod gpu_timer;
#[path = "overlay.rs"]
mod overlay;
#[path = "painter.rs"]
mod painter;

use ::wgpu_27 as version;
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
        bind_group_layouts: &[group],
        ..Default::default()
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("iprof"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: shader,
            entry_point: Some("vertex"),
            compilation_options: Default::default(),
            buffers: &[vertices],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: depth.map(|format| wgpu::DepthStencilState {
            format,
            depth_write_enabled: false,
            depth_compare: wgpu::CompareFunction::Always,
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
        multiview: None,
        cache: None,
    })
}

/// Calls `f`. A validation error in it is ignored.
fn ignore_errors(device: &wgpu::Device, f: impl FnOnce()) {
    device.push_error_scope(wgpu::ErrorFilter::Validation);
    f();
    // It is taken off at once; what the promise would tell is not of interest.
    drop(device.pop_error_scope());
}

/// The bytes of a mapped buffer.
fn mapped_range(slice: wgpu::BufferSlice<'_>) -> Option<wgpu::BufferView> {
    Some(slice.get_mapped_range())
}
