//! The overlay in an eframe application: a paint callback on the topmost layer draws it after egui has painted
//! everything else.

use eframe::egui::{self, Color32, LayerId, Order, Pos2, Shape, Stroke};
use eframe::egui_glow::CallbackFn;
use eframe::glow::{self, HasContext};
use picture::{GRAPH, HISTORY, Options, REPORT, SIZE};
use std::sync::Arc;

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
            let gl = creation.gl.clone().expect("eframe's renderer is glow");
            // SAFETY: eframe makes its one context current on this thread, and paints on it.
            unsafe { iprof::gl::init(gl) }?;
            iprof::set_history(HISTORY);
            Ok(Box::new(Waves {
                options,
                frame: 0,
                amplitude: 0.6,
                is_filled: false,
            }))
        }),
    )
}

struct Waves {
    options: Options,
    frame: u32,
    amplitude: f32,
    is_filled: bool,
}

impl eframe::App for Waves {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        iprof::update(true);
        iprof::zone!(ui);
        self.controls(ui);
        self.waves(ui);
        self.overlay(ui.ctx());
        if self.options.is_last(self.frame) {
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
        }
        self.frame += 1;
        ui.ctx().request_repaint();
    }
}

impl Waves {
    /// Has the overlay drawn on top of everything.
    fn overlay(&self, context: &egui::Context) {
        let options = self.options.clone();
        let is_last = options.is_last(self.frame);
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

    fn controls(&mut self, ui: &mut egui::Ui) {
        iprof::zone!(controls);
        egui::Panel::right("controls").show(ui, |ui| {
            ui.heading("Waves");
            ui.add(egui::Slider::new(&mut self.amplitude, 0.0..=1.0).text("amplitude"));
            ui.checkbox(&mut self.is_filled, "filled");
            ui.separator();
            egui::Grid::new("numbers").striped(true).show(ui, |ui| {
                for row in 0..12_u32 {
                    iprof::zone!(row);
                    ui.label(format!("wave {row}"));
                    ui.monospace(format!("{:.3}", self.height(row, 0.5)));
                    ui.end_row();
                }
            });
        });
    }

    fn waves(&self, ui: &mut egui::Ui) {
        iprof::zone!(waves);
        egui::CentralPanel::default().show(ui, |ui| {
            let rect = ui.max_rect();
            for wave in 0..12 {
                let line = self.line(wave, rect);
                let [r, g, b] = [40 + 17 * wave, 200 - 12 * wave, 90 + 11 * wave].map(|c| c as u8);
                let color = Color32::from_rgb(r, g, b);
                if self.is_filled {
                    let floor = rect.bottom();
                    for pair in line.windows(2) {
                        let corners = vec![
                            pair[0],
                            pair[1],
                            Pos2::new(pair[1].x, floor),
                            Pos2::new(pair[0].x, floor),
                        ];
                        let veil = color.gamma_multiply(0.08);
                        ui.painter()
                            .add(Shape::convex_polygon(corners, veil, Stroke::NONE));
                    }
                }
                ui.painter().add(Shape::line(line, Stroke::new(2.0, color)));
            }
        });
    }

    fn line(&self, wave: u32, rect: egui::Rect) -> Vec<Pos2> {
        iprof::zone!(line);
        (0..=160_u32)
            .map(|step| {
                let along = step as f32 / 160.0;
                let height = self.height(wave, along);
                Pos2::new(
                    egui::lerp(rect.x_range(), along),
                    rect.center().y - height * rect.height() * 0.5 + (wave as f32 - 6.0) * 20.0,
                )
            })
            .collect()
    }

    fn height(&self, wave: u32, along: f32) -> f32 {
        iprof::zone!(height);
        let phase = self.frame as f32 * 0.02 + wave as f32 * 0.5;
        self.amplitude * (along * 9.0 + phase).sin() * (along * 3.1 - phase * 0.3).cos()
    }
}

fn pixels(gl: &glow::Context, [width, height]: [u32; 2]) -> Vec<u8> {
    let mut pixels = vec![0; (4 * width * height) as usize];
    // SAFETY: the context is current while egui paints; there is room for all pixels.
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
