//! The overlay in a default eframe application, which renders with wgpu. A paint callback on the topmost layer draws
//! the overlay after egui has painted everything else.

mod input;
mod waves;

use eframe::egui::{self, LayerId, Order};
use eframe::egui_wgpu::{self, CallbackResources, CallbackTrait, RenderState, ScreenDescriptor};
use eframe::wgpu;
use iprof::{Controls, overlay::Overlay};
use iprof_wgpu::Painter;
use picture::{HISTORY, Options, SIZE};
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
            let profiler = Profiler {
                overlay: Overlay::new(),
                painter: Painter::new(&wgpu.device, &wgpu.queue, wgpu.target_format, 1),
                controls: Controls::new(),
            };
            let resources = &mut wgpu.renderer.write().callback_resources;
            resources.insert(profiler);
            iprof::configure(|config| config.history = HISTORY);
            Ok(Box::new(App {
                options,
                wgpu: wgpu.clone(),
                waves: Waves::new(),
                is_asked: false,
            }))
        }),
    )
}

/// State shared by the callbacks and the input hook, stored among the renderer's callback resources.
struct Profiler {
    overlay: Overlay,
    painter: Painter,
    controls: Controls,
}

struct App {
    options: Options,
    wgpu: RenderState,
    waves: Waves,
    is_asked: bool,
}

impl eframe::App for App {
    /// Removes the events that the overlay uses, so that egui does not handle them.
    fn raw_input_hook(&mut self, context: &egui::Context, input: &mut egui::RawInput) {
        self.with_profiler(|profiler| {
            let mut controls = profiler.controls.with_overlay(&mut profiler.overlay);
            let is_typing = context.egui_wants_keyboard_input();
            let is_egui_s = |event: &_| !input::uses(&mut controls, event, is_typing);
            input.events.retain(is_egui_s);
        });
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        let is_paused = self.with_profiler(|profiler| profiler.controls.paused);
        iprof::update(!is_paused.unwrap_or_default());
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
    fn with_profiler<R>(&self, f: impl FnOnce(&mut Profiler) -> R) -> Option<R> {
        let mut renderer = self.wgpu.renderer.write();
        renderer.callback_resources.get_mut().map(f)
    }

    /// Requests a screenshot of the last frame, and saves it when egui delivers it.
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
        if let Some(profiler) = resources.get_mut::<Profiler>() {
            let [w, h] = screen.size_in_pixels.map(|px| px as f32);
            let mut frame = profiler.overlay.begin([w, h]);
            picture::draw(&mut frame);
            profiler.controls.draw_help(&mut frame, 0.0, 0.0, w, h);
            let data = profiler.overlay.draw_data();
            profiler.painter.prepare(device, queue, data);
        }
        Vec::new()
    }

    fn paint(
        &self,
        _: egui::PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        resources: &CallbackResources,
    ) {
        if let Some(profiler) = resources.get::<Profiler>() {
            profiler.painter.render(pass);
        }
    }
}
