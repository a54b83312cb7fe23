//! Draws the golden pictures' scenes with wgpu on Vulkan and OpenGL ES, on several kinds of targets, and compares the
//! results with OpenGL's golden pictures.

#[path = "../../../examples/software.rs"]
#[allow(dead_code, unreachable_pub)]
mod canvas;
#[path = "../../../tests/support/image.rs"]
#[allow(dead_code, unreachable_pub)]
mod image;
#[path = "../../../tests/overlay_golden/scenes.rs"]
mod scenes;
mod stage;
#[path = "stage/target.rs"]
mod target;

use canvas::Canvas;
use image::{Image, Tolerance, assert_same};
use iprof::overlay::Overlay;
use iprof_wgpu::Painter;
use scenes::{SCENES, Scene, stripes};
use stage::{BACKENDS, Stage, stage};
use std::path::Path;
use target::{Attachments, PX, drawn, overlay, render, view};
use wgpu::TextureFormat;

/// The usual window formats: one with red first, and one with blue first.
const SRGB: [TextureFormat; 2] = [TextureFormat::Rgba8UnormSrgb, TextureFormat::Bgra8UnormSrgb];

fn golden(scene: Scene) -> Image {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    Image::read(&folder.join(format!("{}.png", scene.name)))
}

/// Draws a scene over a striped texture, through a view with a different format.
fn draw(
    stage: &Stage,
    overlay: &mut (Overlay, Painter),
    scene: Scene,
    format: TextureFormat,
    viewed_as: TextureFormat,
) -> Image {
    let swaps = matches!(format.remove_srgb_suffix(), TextureFormat::Bgra8Unorm);
    let swap = |rgba: &mut [u8]| rgba.chunks_exact_mut(4).for_each(|pixel| pixel.swap(0, 2));
    let mut background = stripes();
    if swaps {
        swap(&mut background);
    }
    let mut rgba = drawn(stage, overlay, scene, &background, [format, viewed_as]);
    if swaps {
        swap(&mut rgba);
    }
    Image {
        width: PX[0],
        height: PX[1],
        rgba,
    }
}

/// Returns the tolerance: 1/255 for Mesa's software renderers, which round like the golden pictures. Other renderers
/// may round layers differently. Pixels whose centers are on the edge of a slanted line may differ by more.
fn tolerance(stage: &Stage, scene: Scene) -> Tolerance {
    let (per_channel, pixels) = if stage.is_llvmpipe() { (1, 0) } else { (2, 8) };
    Tolerance {
        per_channel,
        pixels: if scene.is_slanted { 60 } else { pixels },
    }
}

/// Draws all scenes with one overlay, so that the atlas and the buffers grow along the way.
#[test]
fn all_scenes_match_opengl() {
    let Some(stage) = BACKENDS.into_iter().find_map(stage) else {
        return;
    };
    let format = TextureFormat::Rgba8Unorm;
    let mut overlay = overlay(&stage, format);
    for scene in SCENES {
        let drawn = draw(&stage, &mut overlay, scene, format, format);
        let name = format!("wgpu_{}", scene.name);
        assert_same(&name, &drawn, &golden(scene), tolerance(&stage, scene));
    }
}

/// Draws to the usual window formats, on Vulkan and on OpenGL ES.
#[test]
fn all_backends_and_channel_orders_look_the_same() {
    for stage in BACKENDS.into_iter().filter_map(stage) {
        for format in [TextureFormat::Rgba8Unorm, TextureFormat::Bgra8Unorm] {
            let mut overlay = overlay(&stage, format);
            let drawn = draw(&stage, &mut overlay, scenes::SCREEN, format, format);
            let name = format!("{} {format:?}", stage.name).replace(['/', ' '], "_");
            let tolerance = tolerance(&stage, scenes::SCREEN);
            assert_same(&name, &drawn, &golden(scenes::SCREEN), tolerance);
        }
    }
}

/// Compares with `examples/software.rs`, because the help has no golden picture. Both draw the same picture, except for
/// Mesa's rounding.
#[test]
fn help_looks_like_the_software_rendering() {
    let [width, height] = PX.map(|px| px as usize);
    let mut overlay = Overlay::new();
    scenes::HELP.begin(&mut overlay);
    (scenes::HELP.draw)(&mut overlay.begin(PX.map(|px| px as f32)));
    let mut canvas = Canvas::new(width, height, [0; 4]);
    let pixels = canvas.pixels.as_flattened_mut();
    pixels.copy_from_slice(&stripes());
    canvas.draw(overlay.draw_data());
    let expected = Image {
        width: PX[0],
        height: PX[1],
        rgba: canvas.pixels.into_flattened(),
    };
    let tolerance = Tolerance {
        per_channel: 2,
        pixels: 8,
    };
    if let Some(stage) = BACKENDS.into_iter().find_map(stage) {
        let format = TextureFormat::Rgba8Unorm;
        let mut overlay = target::overlay(&stage, format);
        let drawn = draw(&stage, &mut overlay, scenes::HELP, format, format);
        assert_same("wgpu_help", &drawn, &expected, tolerance);
    }
}

/// Draws to a surface with an sRGB format, through a view without conversion.
#[test]
fn srgb_texture_without_conversion_looks_the_same() {
    for stage in BACKENDS.into_iter().filter_map(stage) {
        if !stage.has_view_formats() {
            eprintln!("skipped: {} has no views of another format", stage.name);
            continue;
        }
        for format in SRGB {
            let plain = format.remove_srgb_suffix();
            let mut overlay = overlay(&stage, plain);
            let drawn = draw(&stage, &mut overlay, scenes::REPORT, format, plain);
            assert_same(
                &format!("wgpu_view_{format:?}"),
                &drawn,
                &golden(scenes::REPORT),
                tolerance(&stage, scenes::REPORT),
            );
        }
    }
}

/// Checks that on a target that converts from linear light, opaque parts are the same and translucent parts are
/// similar.
#[test]
fn linear_light_target_looks_similar() {
    let stages = BACKENDS.into_iter().filter_map(stage);
    for (stage, format) in stages.flat_map(|stage| SRGB.map(|format| (stage.clone(), format))) {
        let mut overlay = overlay(&stage, format);
        let drawn = draw(&stage, &mut overlay, scenes::SCREEN, format, format);
        let golden = golden(scenes::SCREEN);
        let channels = || drawn.rgba.iter().zip(&golden.rgba);
        let off: u64 = channels().map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        let mean = off as f64 / drawn.rgba.len() as f64;
        let far = channels().filter(|(a, b)| a.abs_diff(**b) > 24).count();
        let share = far as f64 / drawn.rgba.len() as f64;
        assert!(
            mean < 3.0 && share < 0.005,
            "{}: {mean} {share}",
            stage.name
        );
        // The title is opaque, and its upper edge is above its letters.
        let mut theme = iprof::overlay::Theme::DARK;
        theme.title_bar[3] = 255;
        let scene = Scene {
            theme,
            ..scenes::REPORT
        };
        let drawn = draw(&stage, &mut overlay, scene, format, format);
        for x in 12..628 {
            let pixel = drawn.pixel(x, 10);
            let is_near = pixel
                .iter()
                .zip(theme.title_bar)
                .all(|(a, b)| a.abs_diff(b) <= 1);
            assert!(is_near, "{}: {pixel:?} at {x}", stage.name);
        }
    }
}

/// Checks that nothing is drawn before a frame is begun, or on a target without pixels.
#[test]
fn empty_drawing_makes_no_draw_call() {
    for stage in BACKENDS.into_iter().filter_map(stage) {
        let format = TextureFormat::Rgba8Unorm;
        let texture = stage.texture(PX, format, 1);
        stage.write(&texture, &stripes());
        let (mut overlay, mut painter) = overlay(&stage, format);
        for size in [None, Some([0.0, 360.0]), Some([f32::NAN, 1.0])] {
            if let Some(size) = size {
                (scenes::REPORT.draw)(&mut overlay.begin(size));
            }
            painter.prepare(&stage.device, &stage.queue, overlay.draw_data());
            let attachments = Attachments {
                color: &view(&texture, format),
                resolved: None,
                depth: None,
            };
            render(&stage, &painter, &attachments, wgpu::LoadOp::Load);
        }
        assert!(stage.read(&texture) == stripes(), "{}", stage.name);
    }
}
