use glow::{Context, HasContext};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
pub struct Page(Rc<Context>, iprof::web::Input);
#[wasm_bindgen]
impl Page {
    #[wasm_bindgen(constructor)]
    pub fn new(canvas: &web_sys::HtmlCanvasElement) -> Result<Page, JsValue> {
        let web = canvas.get_context("webgl2")?.ok_or("no WebGL 2")?;
        let gl = Rc::new(Context::from_webgl2_context(web.unchecked_into()));
        // SAFETY: here and below, the context of a page is always current.
        unsafe { iprof::gl::init(gl.clone()) }.map_err(|error| error.to_string())?;
        Ok(Page(gl, Default::default()))
    }
    pub fn frame(&mut self, width: f32, height: f32, ratio: f32) {
        let Page(gl, input) = self;
        iprof::update(!input.controls.paused);
        iprof::zone!(frame);
        unsafe { gl.viewport(0, 0, width as i32, height as i32) };
        unsafe { gl.clear(glow::COLOR_BUFFER_BIT) };
        iprof::gl::with_current(|overlay, _| overlay.set_scale(ratio));
        let [w, h] = [width, height].map(|px| px / ratio - 40.0);
        input.controls.draw_gl(20.0, 20.0, w, h);
    }
    pub fn event(&mut self, event: &web_sys::Event) -> bool {
        self.1.event(event) // whether the overlay has used it
    }
}
