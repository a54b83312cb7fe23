//! The overlay in an eframe application as it comes, drawn with wgpu: a paint callback on the topmost layer draws it
//! after egui has painted everything else.

mod waves;

use eframe::egui::{self, LayerId, Order};
use eframe::egui_wgpu::{self, CallbackResources, CallbackTrait, ScreenDescriptor};
use eframe::wgpu;
use iprof_wgpu::Overlay;
use picture::{GRAPH, HISTORY, Options, REPORT, SIZE};
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
            let wgpu = creation.wgpu_render_state.as_ref();
            let wgpu = wgpu.ok_or("eframe's renderer is wgpu")?;
            let overlay = Overlay::new(&wgpu.device, &wgpu.queue, wgpu.target_format, 1);
            let resources = &mut wgpu.renderer.write().callback_resources;
            resources.insert(overlay);
            iprof::set_history(HISTORY);
            Ok(Box::new(App {
                options,
                waves: Waves::new(),
                is_asked: false,
            }))
        }),
    )
}

struct App {
    options: Options,
    waves: Waves,
    /// Whether the picture of the window was asked for.
    is_asked: bool,
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        iprof::update(true);
        self.waves.show(ui);
        if self.options.overlay {
            let rect = ui.ctx().content_rect();
            let top = LayerId::new(Order::Debug, egui::Id::unique("iprof"));
            let callback = egui_wgpu::Callback::new_paint_callback(rect, Draw);
            ui.ctx().layer_painter(top).add(callback);
        }
        self.save(ui.ctx());
        if !self.is_asked {
            self.waves.frame += 1;
        }
        ui.ctx().request_repaint();
    }
}

impl App {
    /// Has the picture of the last frame saved, which egui has later.
    fn save(&mut self, context: &egui::Context) {
        if !self.options.is_last(self.waves.frame) || self.is_asked {
            return;
        }
        self.is_asked = true;
        let (options, closing) = (self.options.clone(), context.clone());
        context.request_screenshot(move |picture| {
            let size = picture.size.map(|px| px as u32);
            options.save_from_top(size, picture.as_raw(), false);
            closing.send_viewport_cmd(egui::ViewportCommand::Close);
        });
    }
}

/// Draws the overlay, which is among the resources of callbacks.
struct Draw;

impl CallbackTrait for Draw {
    fn prepare(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        screen: &ScreenDescriptor,
        _: &mut wgpu::CommandEncoder,
        resources: &mut CallbackResources,
    ) -> Vec<wgpu::CommandBuffer> {
        if let Some(overlay) = resources.get_mut::<Overlay>() {
            let mut drawing = overlay.begin(screen.size_in_pixels.map(|px| px as f32));
            let [x, y, w, h] = REPORT;
            drawing.draw_default(x, y, w, h, 2);
            let [x, y, per_frame, per_ms] = GRAPH;
            drawing.draw_default_graph(x, y, per_frame, per_ms);
            overlay.prepare(device, queue);
        }
        Vec::new()
    }

    fn paint(
        &self,
        _: egui::PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        resources: &CallbackResources,
    ) {
        if let Some(overlay) = resources.get::<Overlay>() {
            overlay.render(pass);
        }
    }
}
