use glow::{Context, HasContext};
use iprof::overlay::{PointerButton, PointerEvent};
use iprof::{Controls, Modifiers};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext};

#[wasm_bindgen]
#[derive(Default)]
pub struct Page(Controls, Option<Rc<Context>>);

#[wasm_bindgen]
impl Page {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Page {
        Page::default()
    }

    /// Once, and when the context was lost and is restored.
    pub fn start(&mut self, canvas: &HtmlCanvasElement) -> Result<(), JsValue> {
        let web = canvas.get_context("webgl2")?.ok_or("no WebGL 2")?;
        let web: WebGl2RenderingContext = web.unchecked_into();
        let gl = Rc::new(Context::from_webgl2_context(web));
        // SAFETY: the context of a page is always current.
        unsafe { iprof::gl::init(gl.clone()) }.map_err(|error| error.to_string())?;
        self.1 = Some(gl);
        Ok(())
    }

    pub fn frame(&mut self, width: i32, height: i32, ratio: f32) {
        if let Some(gl) = &self.1 {
            iprof::zone!(draw_scene);
            // SAFETY: the context of a page is always current.
            unsafe {
                gl.viewport(0, 0, width, height);
                gl.clear_color(0.1, 0.2, 0.3, 1.0);
                gl.clear(glow::COLOR_BUFFER_BIT);
            }
        }
        iprof::update(!self.0.paused);
        iprof::gl::with_current(|overlay| overlay.set_scale(ratio));
        let [w, h] = [width, height].map(|px| px as f32 / ratio);
        self.0.draw_gl(20.0, 20.0, w - 40.0, h - 40.0);
    }

    /// As the others: returns whether the overlay used the input; then it is not the page's.
    pub fn key(&mut self, key: &str, shift: bool, control: bool, alt: bool, meta: bool) -> bool {
        let modifiers = Modifiers {
            shift,
            control,
            alt,
            meta,
        };
        let is_text = key.chars().count() == 1 && !control && !meta;
        self.0.key(key, modifiers) | (is_text && self.0.text(key))
    }

    pub fn wheel(&mut self, lines: f32, zoom: bool) -> bool {
        self.0.pointer(PointerEvent::Wheel { lines, zoom })
    }

    pub fn pointer(&mut self, event: &str, is_primary: bool, x: f32, y: f32) -> bool {
        let button = [PointerButton::Secondary, PointerButton::Primary][usize::from(is_primary)];
        self.0.pointer(PointerEvent::Moved { x, y }); // a finger comes down where no pointer was
        self.0.pointer(match event {
            "pointerdown" => PointerEvent::Pressed(button),
            "pointerup" => PointerEvent::Released(button),
            "pointerout" => PointerEvent::LeftWindow,
            _ => PointerEvent::Moved { x, y },
        })
    }
}
