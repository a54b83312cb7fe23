//! Draws the text with egui's painter, without widgets, and without any layout other than text layout.

use crate::context::Context;
use crate::page::{self, Page};
use crate::wgpu_target::{FORMAT, WgpuTarget};
use crate::{Contender, Frame, Parts};
use egui::{Align2, Color32, FontDefinitions, FontFamily, FontId, LayerId, Pos2, Rect};
use egui_glow::{Painter, glow};
use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};
use std::sync::Arc;
use std::time::Instant;

pub(crate) struct Egui {
    context: egui::Context,
    painter: Painter,
}

impl Egui {
    pub(crate) fn new(context: &Context) -> Egui {
        // SAFETY: the context is current, and the addresses are the driver's.
        let gl = unsafe { glow::Context::from_loader_function_cstr(context.loader()) };
        let painter =
            Painter::new(Arc::new(gl), "", None, false).expect("failed to create a painter");
        Egui {
            context: context_with_font(),
            painter,
        }
    }
}

fn context_with_font() -> egui::Context {
    let context = egui::Context::default();
    let mut fonts = FontDefinitions::empty();
    let font = egui::FontData::from_static(page::FONT);
    fonts.font_data.insert("mono".to_owned(), Arc::new(font));
    for family in [FontFamily::Monospace, FontFamily::Proportional] {
        fonts.families.insert(family, vec!["mono".to_owned()]);
    }
    context.set_fonts(fonts);
    // All edges are on whole pixels here, so feathering is unnecessary.
    context.tessellation_options_mut(|options| options.feathering = false);
    context
}

fn color([r, g, b, a]: [u8; 4]) -> Color32 {
    Color32::from_rgba_unmultiplied(r, g, b, a)
}

fn text(painter: &egui::Painter, at: [f32; 2], align: Align2, text: impl ToString, color: Color32) {
    painter.text(
        Pos2::from(at),
        align,
        text,
        FontId::monospace(page::TEXT_PX),
        color,
    );
}

fn lay_out(painter: &egui::Painter, page: &Page) {
    let ([left, top, right], [head, calm]) = (page::RECT, [page::HEAD_TEXT, page::TEXT].map(color));
    let ground = |y: f32, fill| {
        let rect = Rect::from_min_max(Pos2::new(left, y), Pos2::new(right, y + page::LINE));
        painter.rect_filled(rect, 0.0, color(fill));
    };
    ground(top, page::HEAD);
    text(
        painter,
        [page::NAMES_X, top],
        Align2::LEFT_TOP,
        page::ZONE,
        head,
    );
    for (column, right) in page::COLUMNS.iter().zip(page::RIGHTS) {
        text(
            painter,
            [right, top],
            Align2::RIGHT_TOP,
            column.header(),
            head,
        );
    }
    for (at, row) in page.report.rows.iter().enumerate() {
        let y = top + (at + 1) as f32 * page::LINE;
        ground(y, page::GROUNDS[at % 2]);
        text(
            painter,
            [page::NAMES_X, y],
            Align2::LEFT_TOP,
            &row.name,
            calm,
        );
        let [own, hier, count] =
            page::COLUMNS.map(|column| row.value(column).map_or(0.0, |value| value.number));
        let numbers = [
            format!("{own:.2}"),
            format!("{hier:.2}"),
            format!("{count:.0}"),
        ];
        for (number, right) in numbers.into_iter().zip(page::RIGHTS) {
            text(painter, [right, y], Align2::RIGHT_TOP, number, calm);
        }
    }
}

struct Tessellated {
    primitives: Vec<egui::ClippedPrimitive>,
    textures: egui::TexturesDelta,
    parts: Parts,
}

impl Tessellated {
    fn new(context: &egui::Context, page: &Page) -> Tessellated {
        let size = page::SCREEN.map(|px| px as f32);
        let start = Instant::now();
        context.begin_pass(egui::RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size.into())),
            ..egui::RawInput::default()
        });
        lay_out(&context.layer_painter(LayerId::background()), page);
        let output = context.end_pass();
        let layout = start.elapsed().as_nanos() as u64;
        let start = Instant::now();
        let primitives = context.tessellate(output.shapes, output.pixels_per_point);
        let tessellate = start.elapsed().as_nanos() as u64;
        Tessellated {
            primitives,
            textures: output.textures_delta,
            parts: vec![("layout", layout), ("tessellate", tessellate)],
        }
    }

    fn quads(&self) -> usize {
        let vertices = (self.primitives.iter()).map(|primitive| match &primitive.primitive {
            egui::epaint::Primitive::Mesh(mesh) => mesh.vertices.len(),
            egui::epaint::Primitive::Callback(_) => 0,
        });
        vertices.sum::<usize>() / 4
    }
}

impl Contender for Egui {
    fn name(&self) -> &'static str {
        "egui"
    }

    fn is_compared(&self) -> bool {
        true
    }

    fn about(&self) -> String {
        let versions = ["egui", "egui_glow"].map(crate::version_of);
        format!(
            "{}, egui_glow {}; restores no state",
            versions[0], versions[1]
        )
    }

    fn draw(&mut self, page: &Page) -> Frame {
        let mut tessellated = Tessellated::new(&self.context, page);
        let quads = tessellated.quads();
        let start = Instant::now();
        let screen = page::SCREEN.map(|px| px as u32);
        self.painter.paint_and_update_textures(
            screen,
            1.0,
            &tessellated.primitives,
            &mut tessellated.textures,
        );
        let paint = start.elapsed().as_nanos() as u64;
        Frame {
            noted: Vec::new(),
            prepared: tessellated.parts,
            api_calls: vec![("paint", paint)],
            quads,
        }
    }
}

impl Drop for Egui {
    fn drop(&mut self) {
        self.painter.destroy();
    }
}

pub(crate) struct WgpuEgui<'a> {
    target: &'a WgpuTarget,
    context: egui::Context,
    renderer: Renderer,
}

impl WgpuEgui<'_> {
    pub(crate) fn new(target: &WgpuTarget) -> WgpuEgui<'_> {
        let options = RendererOptions {
            dithering: false,
            ..RendererOptions::default()
        };
        WgpuEgui {
            target,
            context: context_with_font(),
            renderer: Renderer::new(&target.device, FORMAT, options),
        }
    }
}

impl Contender for WgpuEgui<'_> {
    fn name(&self) -> &'static str {
        "egui wgpu"
    }

    fn is_compared(&self) -> bool {
        true
    }

    fn about(&self) -> String {
        let versions = ["egui", "egui-wgpu"].map(crate::version_of);
        format!("{}, egui-wgpu {}", versions[0], versions[1])
    }

    fn draw(&mut self, page: &Page) -> Frame {
        let WgpuTarget { device, queue, .. } = self.target;
        let tessellated = Tessellated::new(&self.context, page);
        let quads = tessellated.quads();
        let screen = ScreenDescriptor {
            size_in_pixels: page::SCREEN.map(|px| px as u32),
            pixels_per_point: 1.0,
        };
        let (renderer, primitives) = (&mut self.renderer, &tessellated.primitives);
        let start = Instant::now();
        for (id, changes) in &tessellated.textures.set {
            for change in changes {
                renderer.update_texture(device, queue, *id, change);
            }
        }
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut commands =
            renderer.update_buffers(device, queue, &mut encoder, primitives, &screen);
        let prepare = start.elapsed().as_nanos() as u64;
        let start = Instant::now();
        let encoded = self
            .target
            .encode(encoder, |pass| renderer.render(pass, primitives, &screen));
        commands.push(encoded);
        let encode = start.elapsed().as_nanos() as u64;
        let submit = self.target.submit(commands);
        for id in &tessellated.textures.free {
            renderer.free_texture(id);
        }
        Frame {
            noted: Vec::new(),
            prepared: tessellated.parts,
            api_calls: vec![("prepare", prepare), ("encode", encode), ("submit", submit)],
            quads,
        }
    }
}
