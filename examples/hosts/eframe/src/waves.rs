//! The program shared by the eframe hosts: waves with a few controls.

use eframe::egui::{self, Color32, Pos2, Shape, Stroke};

pub(crate) struct Waves {
    pub(crate) frame: u32,
    amplitude: f32,
    is_filled: bool,
}

impl Waves {
    pub(crate) fn new() -> Waves {
        Waves {
            frame: 0,
            amplitude: 0.6,
            is_filled: false,
        }
    }

    pub(crate) fn show(&mut self, ui: &mut egui::Ui) {
        iprof::zone!(ui);
        self.controls(ui);
        self.waves(ui);
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
