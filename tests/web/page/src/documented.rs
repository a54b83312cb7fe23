//! The example in the documentation of the module `iprof::web`.

use iprof::{overlay::Overlay, web::Input};
use web_sys::Event;

// With `#[wasm_bindgen]`, the page's JavaScript creates it and calls its methods.
#[derive(Default)]
pub struct Page {
    input: Input,
    overlay: Overlay,
}

impl Page {
    pub fn event(&mut self, event: &Event) -> bool {
        self.input.event_with(&mut self.overlay, event)
    }

    pub fn frame(&mut self, width: f32, height: f32, device_pixel_ratio: f32) {
        iprof::update(!self.input.controls.paused);
        self.overlay.set_scale(device_pixel_ratio); // one unit is a CSS pixel, as in events
        let mut frame = self.overlay.begin([width, height]);
        let [w, h] = [width, height].map(|px| px / device_pixel_ratio);
        self.input.controls.draw(&mut frame, 20.0, 20.0, w - 40.0, h - 40.0); // F1 shows the keys
    }
}
