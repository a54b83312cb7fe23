//! A host's render passes, which contain the overlay.

use super::scenes::{SIZE, Scene};
use super::stage::Stage;
use iprof::overlay::Overlay;
use iprof_wgpu::Painter;
use wgpu::{Texture, TextureFormat, TextureView};

pub(crate) const PX: [u32; 2] = [SIZE[0] as u32, SIZE[1] as u32];

/// A pass's attachments: color, resolve target and depth.
pub(crate) struct Attachments<'a> {
    pub(crate) color: &'a TextureView,
    pub(crate) resolved: Option<&'a TextureView>,
    pub(crate) depth: Option<&'a TextureView>,
}

pub(crate) fn overlay(stage: &Stage, format: TextureFormat) -> (Overlay, Painter) {
    let painter = Painter::new(&stage.device, &stage.queue, format, 1);
    (Overlay::new(), painter)
}

/// Draws the prepared frame over the existing contents.
pub(crate) fn render(
    stage: &Stage,
    painter: &Painter,
    at: &Attachments<'_>,
    load: wgpu::LoadOp<wgpu::Color>,
) {
    let mut encoder = stage.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: at.color,
            depth_slice: None,
            resolve_target: at.resolved,
            ops: wgpu::Operations {
                load,
                store: wgpu::StoreOp::Store,
            },
        })],
        depth_stencil_attachment: at.depth.map(|view| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(0.0),
                store: wgpu::StoreOp::Discard,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    });
    // A host may leave an unrelated viewport and scissor rectangle behind.
    pass.set_viewport(3.0, 5.0, 7.0, 11.0, 0.2, 0.4);
    pass.set_scissor_rect(1, 2, 3, 4);
    painter.render(&mut pass);
    drop(pass);
    stage.queue.submit([encoder.finish()]);
}

/// Draws a scene over `background` in a texture, through a view with a different format. Returns the texture's bytes.
pub(crate) fn drawn(
    stage: &Stage,
    (overlay, painter): &mut (Overlay, Painter),
    scene: Scene,
    background: &[u8],
    [format, viewed_as]: [TextureFormat; 2],
) -> Vec<u8> {
    let texture = stage.texture(PX, format, 1);
    stage.write(&texture, background);
    scene.begin(overlay);
    (scene.draw)(&mut overlay.begin(PX.map(|px| px as f32)));
    painter.prepare(&stage.device, &stage.queue, overlay.draw_data());
    let attachments = Attachments {
        color: &view(&texture, viewed_as),
        resolved: None,
        depth: None,
    };
    render(stage, painter, &attachments, wgpu::LoadOp::Load);
    stage.read(&texture)
}

pub(crate) fn view(texture: &Texture, format: TextureFormat) -> TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor {
        format: Some(format),
        ..Default::default()
    })
}
