//! A page that clears its canvas. Building it with optional iprof features shows how much each feature adds to its
//! size.

use glow::{Context, HasContext};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext};

#[wasm_bindgen]
pub struct Page {
    gl: Rc<Context>,
    #[cfg(feature = "overlay")]
    controls: iprof::Controls,
}

#[wasm_bindgen]
impl Page {
    #[wasm_bindgen(constructor)]
    pub fn new(canvas: &HtmlCanvasElement) -> Result<Page, JsValue> {
        let web = canvas.get_context("webgl2")?.ok_or("no WebGL 2")?;
        let web: WebGl2RenderingContext = web.unchecked_into();
        let gl = Rc::new(Context::from_webgl2_context(web));
        #[cfg(feature = "overlay")]
        // SAFETY: a page's contexts are always current.
        unsafe { iprof::gl::init(gl.clone()) }.map_err(|error| error.to_string())?;
        Ok(Page {
            gl,
            #[cfg(feature = "overlay")]
            controls: iprof::Controls::new(),
        })
    }

    pub fn frame(&mut self) {
        iprof::zone!(frame);
        // SAFETY: a page's contexts are always current.
        unsafe {
            self.gl.clear_color(0.1, 0.2, 0.3, 1.0);
            self.gl.clear(glow::COLOR_BUFFER_BIT);
        }
        #[cfg(any(feature = "zones", feature = "overlay"))]
        iprof::update(true);
        #[cfg(feature = "overlay")]
        self.controls.draw_gl(20.0, 20.0, 600.0, 400.0);
    }

    /// Handles input, as a page with the overlay does.
    #[cfg(feature = "overlay")]
    pub fn key(&mut self, key: &str) -> bool {
        self.controls.key(key, iprof::Modifiers::NONE)
    }

    #[cfg(feature = "overlay")]
    pub fn pointer(&mut self, x: f32, y: f32) -> bool {
        self.controls
            .pointer(iprof::overlay::PointerEvent::Moved { x, y })
    }

    #[cfg(feature = "html")]
    pub fn html(&self) -> Vec<u8> {
        let mut page = Vec::new();
        let _ = iprof::Format::Html.write(&iprof::snapshot(), &mut page);
        page
    }

    /// Draws with only the overlay's rasterizer and font.
    #[cfg(feature = "rasterizer")]
    pub fn letter(&self, letter: char, px: f32) -> Vec<u8> {
        let font = include_bytes!("../../../../fonts/JetBrainsMono-Medium-subset.ttf");
        let font = fontdue::Font::from_bytes(&font[..], fontdue::FontSettings::default());
        font.map_or_else(|_| Vec::new(), |font| font.rasterize(letter, px).1)
    }
}
