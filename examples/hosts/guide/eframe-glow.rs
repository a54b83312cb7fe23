use eframe::egui::{self, Event, LayerId, MouseWheelUnit, Order};
use eframe::egui_glow::CallbackFn;
use iprof::overlay::{PointerButton, PointerEvent};
use iprof::{Controls, Modifiers};
use std::error::Error;
use std::sync::{Arc, Mutex};

fn main() -> eframe::Result {
    let renderer = eframe::Renderer::Glow;
    let options = eframe::NativeOptions { renderer, ..Default::default() };
    eframe::run_native("app", options, Box::new(|creation| Ok(Box::new(App::new(creation)?))))
}

struct App(Arc<Mutex<Controls>>); // The paint callback shares it.

impl App {
    fn new(creation: &eframe::CreationContext<'_>) -> Result<App, Box<dyn Error + Send + Sync>> {
        let find = creation.get_proc_address.as_ref().ok_or("eframe does not draw with glow")?;
        // SAFETY: eframe's only context is current on this thread, and `find` belongs to it.
        unsafe { iprof::gl::init_from_loader(|name| find(name)) }?;
        Ok(App(Arc::new(Mutex::new(Controls::new()))))
    }
}

impl eframe::App for App {
    fn raw_input_hook(&mut self, context: &egui::Context, input: &mut egui::RawInput) {
        let controls = &mut *self.0.lock().unwrap();
        let is_typing = context.egui_wants_keyboard_input();
        input.events.retain(|event| !overlay_uses(controls, event, is_typing));
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        iprof::update(!self.0.lock().unwrap().paused);
        egui::CentralPanel::default().show(ui, |ui| {
            iprof::zone!(panel);
            ui.heading("the program");
        });

        let controls = self.0.clone();
        // egui calls this on the same thread, with the context current.
        let draw = CallbackFn::new(move |info, _| {
            let (size, scale) = (info.screen_size_px.map(|px| px as f32), info.pixels_per_point);
            iprof::gl::with_current(|overlay, _| overlay.set_scale(scale));
            let [width, height] = size.map(|px| px / scale - 40.0);
            controls.lock().unwrap().draw_gl(20.0, 20.0, width, height);
        });
        let (rect, callback) = (ui.ctx().content_rect(), Arc::new(draw));
        let top = LayerId::new(Order::Debug, egui::Id::unique("iprof"));
        ui.ctx().layer_painter(top).add(egui::PaintCallback { rect, callback });
        ui.ctx().request_repaint(); // A live report needs new frames.
    }
}

/// Passes the event to the overlay. Returns whether the overlay used it, so that egui must ignore it.
fn overlay_uses(controls: &mut Controls, event: &Event, is_typing: bool) -> bool {
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
