//! The overlay in an eframe application that renders with glow. A paint callback on the topmost layer draws the overlay
//! after egui has painted everything else.

#[path = "../../eframe/src/waves.rs"]
mod waves;

use eframe::egui::{self, LayerId, Order};
use eframe::egui_glow::CallbackFn;
use eframe::glow::{self, HasContext};
use picture::{GRAPH, HISTORY, Options, REPORT, SIZE};
use std::sync::Arc;
use waves::Waves;

fn main() -> eframe::Result {
    let options = Options::from_command_line();
    let native = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default().with_inner_size(SIZE.map(|px| px as f32)),
        ..Default::default()
    };
    eframe::run_native(
        "iprof in eframe",
        native,
        Box::new(|creation| {
            let find = creation.get_proc_address.as_ref();
            let find = find.expect("eframe should use its glow renderer");
            // SAFETY: eframe has made its only context current on this thread, where it also paints. The loader belongs
            // to that context.
            unsafe { iprof::gl::init_from_loader(|name| find(name)) }?;
            iprof::configure(|config| config.history = HISTORY);
            Ok(Box::new(App {
                options,
                waves: Waves::new(),
            }))
        }),
    )
}

struct App {
    options: Options,
    waves: Waves,
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        iprof::update(true);
        self.waves.show(ui);
        self.overlay(ui.ctx());
        if self.options.is_last(self.waves.frame) {
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
        }
        self.waves.frame += 1;
        ui.ctx().request_repaint();
    }
}

impl App {
    fn overlay(&self, context: &egui::Context) {
        let options = self.options.clone();
        let is_last = options.is_last(self.waves.frame);
        let draw = CallbackFn::new(move |info, painter| {
            if options.overlay {
                let [x, y, w, h] = REPORT;
                iprof::draw_gl(x, y, w, h, 2);
                let [x, y, per_frame, per_ms] = GRAPH;
                iprof::draw_graph_gl(x, y, per_frame, per_ms);
            }
            if is_last {
                let size = info.screen_size_px;
                options.save(size, &pixels(painter.gl(), size));
            }
        });
        let callback = egui::PaintCallback {
            rect: context.content_rect(),
            callback: Arc::new(draw),
        };
        let top = LayerId::new(Order::Debug, egui::Id::unique("iprof"));
        context.layer_painter(top).add(callback);
    }
}

fn pixels(gl: &glow::Context, [width, height]: [u32; 2]) -> Vec<u8> {
    let mut pixels = vec![0; (4 * width * height) as usize];
    // SAFETY: the context is current while egui paints, and there is room for all pixels.
    unsafe {
        gl.read_pixels(
            0,
            0,
            width as i32,
            height as i32,
            glow::RGBA,
            glow::UNSIGNED_BYTE,
            glow::PixelPackData::Slice(Some(&mut pixels)),
        );
    }
    pixels
}
