//! The example of the module `iprof::web`, as its documentation has it.

use iprof::{overlay::Layout, web::Input};
use web_sys::Event;

// With `#[wasm_bindgen]`, the page's JavaScript creates it and calls its methods.
#[derive(Default)]
pub struct Page {
    input: Input,
    layout: Layout,
}

impl Page {
    pub fn event(&mut self, event: &Event) -> bool {
        self.input.event_with(&mut self.layout, event)
    }

    pub fn frame(&mut self, width: f32, height: f32, device_pixel_ratio: f32) {
        iprof::update(!self.input.controls.paused);
        self.layout.set_scale(device_pixel_ratio); // the page counts in its own pixels, as events do
        let mut drawing = self.layout.begin([width, height]);
        let [w, h] = [width, height].map(|px| px / device_pixel_ratio);
        self.input.controls.draw(&mut drawing, 20.0, 20.0, w - 40.0, h - 40.0); // F1 shows the keys
    }
}
