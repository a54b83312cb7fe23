//! Draws one of the OpenGL golden pictures in WebGL 2.

use crate::image::Image;
use crate::scenes::{SCREEN, SIZE, STRIPES};
use crate::stage::{PX, canvas};
use glow::HasContext;
use iprof::gl::Painter;
use iprof::overlay::Overlay;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::js_sys::{Object, Reflect};

const GOLDEN: &[u8] = include_bytes!("../../../golden/screen.png");

/// The number of pixels that may differ by more than 2/255. SwiftShader, the browser's renderer, rounds vertices to
/// 1/16 of a pixel, while Mesa rounds to smaller fractions.
const PIXELS: usize = 400;

pub(crate) async fn by_glow() -> String {
    // The golden picture was drawn with one sample per pixel.
    let options = Object::new();
    Reflect::set(&options, &"antialias".into(), &false.into())
        .expect("failed to set a property of a plain object");
    let web = canvas().get_context_with_context_options("webgl2", &options);
    let web = web.ok().flatten().expect("WebGL 2 is not available");
    let gl = Rc::new(glow::Context::from_webgl2_context(web.unchecked_into()));
    // SAFETY: a page's contexts are always current.
    let mut painter = unsafe { Painter::new(gl.clone()) }.expect("failed to create the painter");
    let mut overlay = Overlay::new();
    let [width, height] = SIZE;
    SCREEN.begin(&mut overlay);
    let mut pixels = vec![0; PX[0] as usize * PX[1] as usize * 4];
    // SAFETY: a page's contexts are always current.
    unsafe {
        gl.enable(glow::SCISSOR_TEST);
        for (at, [r, g, b]) in (0..).zip(STRIPES) {
            let stripe = width / STRIPES.len() as i32;
            gl.scissor(at * stripe, 0, stripe, height);
            gl.clear_color(r, g, b, 1.0);
            gl.clear(glow::COLOR_BUFFER_BIT);
        }
        gl.disable(glow::SCISSOR_TEST);
    }
    painter.draw(&mut overlay, SCREEN.draw);
    let to = glow::PixelPackData::Slice(Some(&mut pixels));
    // SAFETY: a page's contexts are always current, and there is room for each pixel.
    unsafe {
        gl.read_pixels(0, 0, width, height, glow::RGBA, glow::UNSIGNED_BYTE, to);
        assert_eq!(gl.get_error(), glow::NO_ERROR);
    }
    painter.destroy();
    let drawn = Image {
        width: PX[0],
        height: PX[1],
        // The bottom row comes first.
        rgba: pixels
            .chunks_exact(PX[0] as usize * 4)
            .rev()
            .flatten()
            .copied()
            .collect(),
    };
    let golden = Image::from_png(SCREEN.name, GOLDEN, png::ColorType::Rgba);
    let differing = drawn.differing(&golden, 2);
    assert!(differing <= PIXELS, "{differing} pixels differ");
    format!("{differing} px further than 2 of 255")
}
