use glow::{Context, HasContext};
use iprof::web::Input;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Event, HtmlCanvasElement};

#[wasm_bindgen]
pub struct Page(Rc<Context>, Input);

#[wasm_bindgen]
impl Page {
    #[wasm_bindgen(constructor)]
    pub fn new(canvas: &HtmlCanvasElement, lost: Option<Page>) -> Result<Page, JsValue> {
        let web = canvas.get_context("webgl2")?.ok_or("no WebGL 2")?;
        let gl = Rc::new(Context::from_webgl2_context(web.unchecked_into()));
        // SAFETY: the context of a page is always current.
        unsafe { iprof::gl::init(gl.clone()) }.map_err(|error| error.to_string())?;
        Ok(Page(gl, lost.map(|page| page.1).unwrap_or_default()))
    }

    pub fn frame(&mut self, width: i32, height: i32, ratio: f32) {
        let Page(gl, input) = self;
        iprof::update(!input.controls.paused);
        iprof::zone!(frame);
        // SAFETY: the context of a page is always current.
        unsafe {
            gl.viewport(0, 0, width, height);
            gl.clear_color(0.1, 0.2, 0.3, 1.0);
            gl.clear(glow::COLOR_BUFFER_BIT);
        }
        iprof::gl::with_current(|overlay| overlay.set_scale(ratio));
        let [w, h] = [width, height].map(|px| px as f32 / ratio - 40.0);
        input.controls.draw_gl(20.0, 20.0, w, h);
    }

    pub fn event(&mut self, event: &Event) -> bool {
        self.1.event(event) // whether the overlay has used it
    }
}
