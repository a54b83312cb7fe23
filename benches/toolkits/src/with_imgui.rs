//! Draws the text with Dear ImGui's draw list, without windows or widgets.

use crate::context::Context;
use crate::page::{self, ADVANCE, Page};
use crate::wgpu_target::{FORMAT, WgpuTarget};
use crate::{Contender, Frame};
use dear_imgui_glow::{GlowRenderer, glow};
use dear_imgui_rs::render::{PendingFrame, SynchronousRendererConsumer};
use dear_imgui_rs::{DrawListMut, FontSource};
use dear_imgui_wgpu::{FramebufferExtent, WgpuInitInfo, WgpuRenderer};
use std::time::Instant;

/// The font size. Dear ImGui measures fonts by line height, not by em.
const FONT_PX: f32 = page::TEXT_PX * 1.32;

pub(crate) struct Imgui {
    // These fields must be dropped in this order, which the context asserts.
    renderer: GlowRenderer,
    context: dear_imgui_rs::Context,
}

impl Imgui {
    pub(crate) fn new(context: &Context) -> Imgui {
        // SAFETY: the context is current, and the addresses are the driver's.
        let gl = unsafe { glow::Context::from_loader_function_cstr(context.loader()) };
        let mut imgui = new_context();
        let renderer = GlowRenderer::new(gl, &mut imgui).expect("failed to create a renderer");
        add_font(&imgui);
        Imgui {
            renderer,
            context: imgui,
        }
    }
}

fn new_context() -> dear_imgui_rs::Context {
    let mut imgui = dear_imgui_rs::Context::create();
    let _ = imgui.set_ini_filename(None::<&str>);
    imgui
        .io_mut()
        .set_display_size(page::SCREEN.map(|px| px as f32));
    imgui.io_mut().set_delta_time(1.0 / 60.0);
    imgui
}

/// Adds the font. The context must have a renderer.
fn add_font(imgui: &dear_imgui_rs::Context) {
    // SAFETY: the bytes are a valid font.
    let font = unsafe { FontSource::ttf_data_with_size(page::FONT, FONT_PX) };
    imgui.font_atlas().add_font(&[font]);
}

fn versions(renderer: &str) -> String {
    let [binding, of_renderer] = ["dear-imgui-rs", renderer].map(crate::version_of);
    let imgui = dear_imgui_rs::dear_imgui_version();
    format!("{imgui}, dear-imgui-rs {binding}, {renderer} {of_renderer}")
}

/// Lays out a page as a frame for a renderer. Also returns how many nanoseconds that took.
fn laid_out<'a>(
    context: &'a mut dear_imgui_rs::Context,
    consumer: &SynchronousRendererConsumer,
    page: &Page,
) -> (PendingFrame<'a>, u64) {
    let start = Instant::now();
    lay_out(&context.frame().get_background_draw_list(), page);
    let frame = context.render(consumer);
    (frame, start.elapsed().as_nanos() as u64)
}

/// Packs a color as Dear ImGui expects.
fn color(rgba: [u8; 4]) -> u32 {
    u32::from_le_bytes(rgba)
}

fn lay_out(list: &DrawListMut<'_>, page: &Page) {
    let ([left, top, right], [head, calm]) = (page::RECT, [page::HEAD_TEXT, page::TEXT].map(color));
    let ground = |y: f32, fill| {
        let rect = list.add_rect([left, y], [right, y + page::LINE], color(fill));
        rect.filled(true).build();
    };
    // All characters have the same width.
    let right_aligned = |right: f32, y: f32, text: &str, color| {
        let x = right - text.len() as f32 * ADVANCE;
        list.add_text([x.round(), y], color, text);
    };
    ground(top, page::HEAD);
    list.add_text([page::NAMES_X.round(), top], head, page::ZONE);
    for (column, right) in page::COLUMNS.iter().zip(page::RIGHTS) {
        right_aligned(right, top, column.header(), head);
    }
    for (at, row) in page.report.rows.iter().enumerate() {
        let y = top + (at + 1) as f32 * page::LINE;
        ground(y, page::GROUNDS[at % 2]);
        list.add_text([page::NAMES_X.round(), y], calm, &row.name);
        let [own, hier, count] =
            page::COLUMNS.map(|column| row.value(column).map_or(0.0, |value| value.number));
        let numbers = [
            format!("{own:.2}"),
            format!("{hier:.2}"),
            format!("{count:.0}"),
        ];
        for (number, right) in numbers.iter().zip(page::RIGHTS) {
            right_aligned(right, y, number, calm);
        }
    }
}

impl Contender for Imgui {
    fn name(&self) -> &'static str {
        "imgui"
    }

    fn is_compared(&self) -> bool {
        true
    }

    fn about(&self) -> String {
        versions("dear-imgui-glow") + "; restores the state it saved"
    }

    fn draw(&mut self, page: &Page) -> Frame {
        let consumer = self
            .renderer
            .renderer_consumer()
            .expect("the renderer should have a consumer");
        let (frame, layout) = laid_out(&mut self.context, consumer, page);
        let start = Instant::now();
        let frame = self
            .renderer
            .reconcile_frame(frame)
            .expect("failed to update textures");
        let quads = frame.draw_data().total_vtx_count() / 4;
        self.renderer
            .render_reconciled(frame)
            .expect("failed to render");
        let paint = start.elapsed().as_nanos() as u64;
        Frame {
            noted: Vec::new(),
            prepared: vec![("layout", layout)],
            api_calls: vec![("paint", paint)],
            quads,
        }
    }
}

/// Draws with wgpu. The renderer doesn't reuse vertex buffers, so each frame gets its own.
pub(crate) struct WgpuImgui<'a> {
    target: &'a WgpuTarget,
    // These fields must be dropped in this order, which the context asserts.
    renderer: WgpuRenderer,
    context: dear_imgui_rs::Context,
}

impl WgpuImgui<'_> {
    pub(crate) fn new(target: &WgpuTarget) -> WgpuImgui<'_> {
        let mut imgui = new_context();
        let init = WgpuInitInfo::new(target.device.clone(), target.queue.clone(), FORMAT);
        let renderer = WgpuRenderer::new(init, &mut imgui).expect("failed to create a renderer");
        add_font(&imgui);
        WgpuImgui {
            target,
            renderer,
            context: imgui,
        }
    }
}

impl Contender for WgpuImgui<'_> {
    fn name(&self) -> &'static str {
        "imgui wgpu"
    }

    fn is_compared(&self) -> bool {
        true
    }

    fn about(&self) -> String {
        versions("dear-imgui-wgpu")
    }

    fn draw(&mut self, page: &Page) -> Frame {
        let consumer = self
            .renderer
            .renderer_consumer()
            .expect("the renderer should have a consumer");
        let (frame, layout) = laid_out(&mut self.context, consumer, page);
        let start = Instant::now();
        let frame = self
            .renderer
            .reconcile_frame(frame)
            .expect("failed to update textures");
        let prepare = start.elapsed().as_nanos() as u64;
        let quads = frame.draw_data().total_vtx_count() / 4;
        let [width, height] = page::SCREEN.map(|px| px as u32);
        let start = Instant::now();
        let encoder = (self.target.device).create_command_encoder(&Default::default());
        let commands = self.target.encode(encoder, |pass| {
            let extent = FramebufferExtent::new(width, height);
            let recorded = self.renderer.render_reconciled(frame, pass, extent);
            recorded.expect("failed to render");
        });
        let encode = start.elapsed().as_nanos() as u64;
        let submit = self.target.submit([commands]);
        Frame {
            noted: Vec::new(),
            prepared: vec![("layout", layout)],
            // The renderer uploads vertices during encoding.
            api_calls: vec![("prepare", prepare), ("encode", encode), ("submit", submit)],
            quads,
        }
    }
}
