//! The golden pictures of OpenGL.

use crate::canvas::Canvas;
use crate::image::{Image, Tolerance};
use crate::scenes::{SCENES, SIZE, STRIPES, Scene, stripes};
use crate::stage::{By, PX, Stage, canvas};
use glow::HasContext;
use iprof::gl::Overlay;
use iprof::overlay::Layout;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::js_sys::{Object, Reflect};
use wgpu::{Features, TextureFormat};

macro_rules! golden {
    ($($name:literal)*) => {
        [$(($name, include_bytes!(concat!("../../../golden/", $name, ".png")).as_slice())),*]
    };
}

/// By name of the scene.
const GOLDEN: [(&str, &[u8]); SCENES.len()] = golden![
    "report" "units" "text_sizes" "small_rectangles" "graph_bars" "graph_lines" "flame" "session"
    "screen" "light" "tooltip"
];

/// SwiftShader, which draws for the browser, places corners on sixteenths of a pixel, Mesa on finer parts: so many pixels
/// on edges of slanted lines differ, whatever draws the page.
const SLANTED_PIXELS: usize = 400;

/// From the golden pictures: Mesa does not round to the nearest, each time that something is on top of something. The
/// same as of `examples/software.rs`.
fn from_golden(scene: Scene) -> Tolerance {
    Tolerance {
        per_channel: 2,
        pixels: if scene.is_slanted { SLANTED_PIXELS } else { 8 },
    }
}

/// From `examples/software.rs`.
fn from_software(scene: Scene) -> Tolerance {
    Tolerance {
        per_channel: 0,
        pixels: if scene.is_slanted { SLANTED_PIXELS } else { 0 },
    }
}

/// How many pixels are off, of all scenes that were compared.
#[derive(Default)]
pub(crate) struct Compared {
    by_one: usize,
    by_two: usize,
    further: usize,
    slanted: usize,
}

impl Compared {
    pub(crate) fn add(&mut self, scene: Scene, rgba: Vec<u8>) {
        let drawn = image(rgba);
        let (_, file) = GOLDEN
            .iter()
            .find(|(name, _)| *name == scene.name)
            .expect("a picture");
        let golden = Image::from_png(scene.name, file, png::ColorType::Rgba);
        for (expected, what, tolerance) in [
            (&golden, "the golden picture", from_golden(scene)),
            (
                &software(scene),
                "the software renderer",
                from_software(scene),
            ),
        ] {
            let differing = drawn.differing(expected, tolerance.per_channel);
            assert!(
                differing <= tolerance.pixels,
                "{}: {differing} pixels are further off from {what} than {tolerance:?}",
                scene.name,
            );
        }
        let [any, two, further] = [0, 1, 2].map(|least| drawn.differing(&golden, least));
        if scene.is_slanted {
            self.slanted += further;
        } else {
            self.by_one += any - two;
            self.by_two += two - further;
            self.further += further;
        }
    }

    pub(crate) fn text(self) -> String {
        let Compared {
            by_one,
            by_two,
            further,
            slanted,
        } = self;
        format!(
            "{by_one} px by 1 of 255, {by_two} by 2, {further} further, and {slanted} on slanted lines"
        )
    }
}

fn image(rgba: Vec<u8>) -> Image {
    Image {
        width: PX[0],
        height: PX[1],
        rgba,
    }
}

/// What `examples/software.rs` draws.
fn software(scene: Scene) -> Image {
    let mut layout = Layout::new();
    scene.begin(&mut layout);
    (scene.draw)(&mut layout.begin(PX.map(|px| px as f32)));
    let [width, height] = PX.map(|px| px as usize);
    let mut canvas = Canvas::new(width, height, [0; 4]);
    let pixels = canvas.pixels.as_flattened_mut();
    pixels.copy_from_slice(&stripes());
    canvas.draw(layout.draw_data());
    image(canvas.pixels.as_flattened().to_vec())
}

pub(crate) async fn by_glow() -> String {
    // Or the canvas has more samples than its picture has pixels.
    let options = Object::new();
    Reflect::set(&options, &"antialias".into(), &false.into()).expect("it is set");
    let web = canvas().get_context_with_context_options("webgl2", &options);
    let web = web.ok().flatten().expect("WebGL 2");
    let gl = Rc::new(glow::Context::from_webgl2_context(web.unchecked_into()));
    // SAFETY: the context of a page is always current.
    let mut overlay = unsafe { Overlay::new(gl.clone()) }.expect("an overlay");
    let [width, height] = SIZE;
    let mut compared = Compared::default();
    for scene in SCENES {
        scene.begin(&mut overlay);
        let mut pixels = vec![0; PX[0] as usize * PX[1] as usize * 4];
        // SAFETY: the context of a page is always current.
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
        overlay.draw(|frame| (scene.draw)(frame));
        let to = glow::PixelPackData::Slice(Some(&mut pixels));
        // SAFETY: the context of a page is always current; there is room for each pixel.
        unsafe {
            gl.read_pixels(0, 0, width, height, glow::RGBA, glow::UNSIGNED_BYTE, to);
            assert_eq!(gl.get_error(), glow::NO_ERROR);
        }
        // It has the lowest row first.
        let rows = pixels.chunks_exact(PX[0] as usize * 4).rev();
        compared.add(scene, rows.flatten().copied().collect());
    }
    overlay.destroy();
    compared.text()
}

/// One overlay draws all scenes: the atlas and the buffers grow on the way.
pub(crate) async fn by_wgpu(by: By) -> String {
    let Some(stage) = Stage::new(by, Features::empty()).await else {
        return "skipped: the browser has no WebGPU".into();
    };
    let format = TextureFormat::Rgba8Unorm;
    let mut overlay = iprof_wgpu::Overlay::new(&stage.device, &stage.queue, format, 1);
    let mut compared = Compared::default();
    for scene in SCENES {
        let texture = stage.texture(format);
        stage.lay_ground(&texture);
        scene.begin(&mut overlay);
        (scene.draw)(&mut overlay.begin(PX.map(|px| px as f32)));
        overlay.prepare(&stage.device, &stage.queue);
        let view = texture.create_view(&Default::default());
        let mut encoder = stage.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Load,
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        overlay.render(&mut pass);
        drop(pass);
        stage.queue.submit([encoder.finish()]);
        compared.add(scene, stage.read(&texture).await);
    }
    compared.text()
}
