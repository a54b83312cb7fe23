use eframe::egui::{self, Event, LayerId, MouseWheelUnit, Order};
use eframe::egui_wgpu::{Callback, CallbackResources, CallbackTrait, ScreenDescriptor};
use eframe::wgpu::{CommandBuffer, CommandEncoder, Device, Queue, RenderPass};
use iprof::overlay::{Overlay, PointerButton, PointerEvent};
use iprof::{Controls, Modifiers, ViewControls};
use iprof_wgpu::Painter;
use std::sync::{Arc, Mutex};

fn main() -> eframe::Result {
    let options = eframe::NativeOptions::default();
    eframe::run_native("app", options, Box::new(|creation| Ok(Box::new(App::new(creation)?))))
}

struct App(Arc<Mutex<Profiler>>); // The paint callback shares it.

struct Profiler {
    overlay: Overlay,
    painter: Painter,
    controls: Controls,
}

impl App {
    fn new(creation: &eframe::CreationContext<'_>) -> Result<App, &'static str> {
        let wgpu = creation.wgpu_render_state.as_ref().ok_or("eframe does not draw with wgpu")?;
        let painter = Painter::new(&wgpu.device, &wgpu.queue, wgpu.target_format, 1);
        let (overlay, controls) = (Overlay::new(), Controls::new());
        Ok(App(Arc::new(Mutex::new(Profiler { overlay, painter, controls }))))
    }
}

impl eframe::App for App {
    fn raw_input_hook(&mut self, context: &egui::Context, input: &mut egui::RawInput) {
        let Profiler { overlay, controls, .. } = &mut *self.0.lock().unwrap();
        let mut controls = controls.with_overlay(overlay);
        let is_typing = context.egui_wants_keyboard_input();
        input.events.retain(|event| !overlay_uses(&mut controls, event, is_typing));
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        iprof::update(!self.0.lock().unwrap().controls.paused);
        egui::CentralPanel::default().show(ui, |ui| {
            iprof::zone!(panel);
            ui.heading("the program");
        });

        let top = LayerId::new(Order::Debug, egui::Id::unique("iprof"));
        let callback = Callback::new_paint_callback(ui.ctx().content_rect(), Draw(self.0.clone()));
        ui.ctx().layer_painter(top).add(callback);
        ui.ctx().request_repaint(); // A live report needs new frames.
    }
}

struct Draw(Arc<Mutex<Profiler>>);

impl CallbackTrait for Draw {
    fn prepare(
        &self,
        device: &Device,
        queue: &Queue,
        screen: &ScreenDescriptor,
        _: &mut CommandEncoder,
        _: &mut CallbackResources,
    ) -> Vec<CommandBuffer> {
        let Profiler { overlay, painter, controls } = &mut *self.0.lock().unwrap();
        let (size, scale) = (screen.size_in_pixels.map(|px| px as f32), screen.pixels_per_point);
        overlay.set_scale(scale);
        let [width, height] = size.map(|px| px / scale - 40.0);
        controls.draw(&mut overlay.begin(size), 20.0, 20.0, width, height);
        painter.prepare(device, queue, overlay.draw_data());
        Vec::new()
    }

    fn paint(
        &self,
        _: egui::PaintCallbackInfo,
        pass: &mut RenderPass<'static>,
        _: &CallbackResources,
    ) {
        self.0.lock().unwrap().painter.render(pass);
    }
}

/// Passes the event to the overlay. Returns whether the overlay used it, so that egui must ignore it.
fn overlay_uses(controls: &mut ViewControls<'_>, event: &Event, is_typing: bool) -> bool {
    let event = match event {
        // A text field has the focus.
        Event::Key { .. } | Event::Text(_) if is_typing => return false,
        Event::Key { key, pressed: true, modifiers: m, .. } => {
            let (shift, control, alt, meta) = (m.shift, m.ctrl, m.alt, m.mac_cmd);
            return controls.key(key.name(), Modifiers { shift, control, alt, meta });
        }
        Event::Text(text) => return controls.text(text),
        Event::PointerMoved(at) => PointerEvent::Moved { x: at.x, y: at.y },
        Event::PointerButton { button, pressed, .. } => {
            let button = match button {
                egui::PointerButton::Primary => PointerButton::Primary,
                egui::PointerButton::Secondary => PointerButton::Secondary,
                _ => PointerButton::Other,
            };
            if *pressed { PointerEvent::Pressed(button) } else { PointerEvent::Released(button) }
        }
        Event::MouseWheel { unit, delta, modifiers, .. } => {
            // A touchpad scrolls in points.
            let per_line = if matches!(unit, MouseWheelUnit::Point) { 20.0 } else { 1.0 };
            PointerEvent::Wheel { lines: delta.y / per_line, zoom: modifiers.shift }
        }
        Event::PointerGone => PointerEvent::LeftWindow,
        _ => return false,
    };
    controls.pointer(event)
}
