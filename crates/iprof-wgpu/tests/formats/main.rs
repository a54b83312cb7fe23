//! Tests pictures on targets with each kind of format: 8 bits, 10 bits and floats, with and without color conversion,
//! and with multisampling.
//!
//! A pixel's tolerance follows from the number of bits in the format.

mod ideal;
#[path = "../../../../tests/support/image.rs"]
#[allow(dead_code, unreachable_pub)]
mod image;
#[path = "../../../../tests/overlay_golden/scenes.rs"]
mod scenes;
#[path = "../stage/mod.rs"]
mod stage;
#[path = "../stage/target.rs"]
mod target;
mod texel;

use ideal::{Fragment, Ideal, encoded};
use image::Image;
use iprof::overlay::Overlay;
use iprof_wgpu::Painter;
use scenes::{Scene, stripes};
use stage::{BACKENDS, Stage, stage};
use std::path::Path;
use target::{Attachments, PX, drawn, overlay, render, view};
use wgpu::TextureFormat;
use wgpu::TextureFormat::{Bgra8UnormSrgb, Rgb10a2Unorm, Rgba8Unorm, Rgba8UnormSrgb, Rgba16Float};

/// Each texture's format, and the format of the view to draw with.
const TARGETS: [[TextureFormat; 2]; 7] = [
    [Rgba8Unorm, Rgba8Unorm],
    [Rgba8UnormSrgb, Rgba8UnormSrgb],
    [Bgra8UnormSrgb, Bgra8UnormSrgb],
    [Rgba8UnormSrgb, Rgba8Unorm],
    [Rgba8Unorm, Rgba8UnormSrgb],
    [Rgb10a2Unorm, Rgb10a2Unorm],
    [Rgba16Float, Rgba16Float],
];

/// Scenes with each kind of part, opaque and translucent, on dark and light backgrounds. `pictures` draws the other
/// scenes.
const SHOWN: [Scene; 6] = [
    scenes::REPORT,
    scenes::GRAPH_LINES,
    scenes::FLAME,
    scenes::SCREEN,
    scenes::LIGHT,
    scenes::TOOLTIP,
];

/// The number of pixels at the edges of slanted lines that may differ, because rasterizers round corners to different
/// fractions of a pixel.
const SLANTED_PIXELS: usize = 60;

/// The tolerance for arithmetic: renderers calculate with at most 32 bits, and approximate the sRGB curve.
const ARITHMETIC: f64 = 0.000_2;

/// Returns the sRGB picture that the overlay is drawn on.
fn background() -> impl Iterator<Item = [f64; 3]> {
    let stripes = stripes();
    let pixels = stripes
        .chunks_exact(4)
        .map(|rgba| [rgba[0], rgba[1], rgba[2]]);
    let pixels: Vec<_> = pixels
        .map(|rgb| rgb.map(|channel| f64::from(channel) / 255.0))
        .collect();
    pixels.into_iter()
}

fn background_of(format: TextureFormat) -> Vec<u8> {
    background()
        .flat_map(|color| texel::write(format, color))
        .collect()
}

/// Converts a picture's bytes to the numbers that a target with this format blends.
fn numbers(format: TextureFormat, bytes: &[u8]) -> Vec<[f64; 3]> {
    let texel = bytes.len() / (PX[0] * PX[1]) as usize;
    let pixels = bytes.chunks_exact(texel).map(|bytes| {
        let (color, opacity) = texel::read(format, bytes);
        assert_eq!(opacity, 1.0, "the picture should stay opaque");
        color
    });
    pixels.collect()
}

/// Draws a scene on the background. Returns the numbers that the target blends.
fn draw(
    stage: &Stage,
    overlay: &mut (Overlay, Painter),
    scene: Scene,
    formats: [TextureFormat; 2],
) -> Vec<[f64; 3]> {
    let [format, viewed_as] = formats;
    let bytes = drawn(stage, overlay, scene, &background_of(format), formats);
    numbers(viewed_as, &bytes)
}

fn fragments(scene: Scene) -> Vec<Fragment> {
    let mut overlay = Overlay::new();
    scene.begin(&mut overlay);
    (scene.draw)(&mut overlay.begin(PX.map(|px| px as f32)));
    ideal::fragments(overlay.draw_data(), PX)
}

/// Returns the pixels that a target with this format must show for the fragments. A layer may be off by one step of the
/// format: opacity and color are rounded before blending, and so is the result, not always to nearest.
fn expected(fragments: &[Fragment], format: TextureFormat) -> Vec<Ideal> {
    let background = numbers(format, &background_of(format));
    let step = |value| texel::step(format, value);
    ideal::blend(fragments, &background, texel::is_linear(format), step)
}

/// A factor applied to an exact renderer's tolerance, and an additional tolerance for arithmetic.
type Bound = (f64, f64);

const EXACT: Bound = (1.0, ARITHMETIC);

/// Returns the number of pixels beyond the bound, and the worst error as a fraction of the bound.
fn far(
    scene: Scene,
    drawn: &[[f64; 3]],
    expected: &[Ideal],
    (times, arithmetic): Bound,
) -> (usize, f64) {
    let (mut count, mut worst) = (0, 0.0_f64);
    for (drawn, ideal) in drawn.iter().zip(expected) {
        let off = (0..3).map(|channel| {
            let allowed = times * ideal.off[channel] + arithmetic;
            (drawn[channel] - ideal.value[channel]).abs() / allowed
        });
        let off = off.fold(0.0, f64::max);
        count += usize::from(off > 1.0);
        if !scene.is_slanted {
            worst = worst.max(off);
        }
    }
    (count, worst)
}

fn golden(scene: Scene) -> Vec<[f64; 3]> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let image = Image::read(&folder.join(format!("{}.png", scene.name)));
    numbers(Rgba8Unorm, &image.rgba)
}

fn allowed(scene: Scene) -> usize {
    if scene.is_slanted { SLANTED_PIXELS } else { 0 }
}

/// Asserts that a target that blends linear light matches the golden picture as closely as `Painter` documents.
fn assert_near(name: &str, drawn: &[[f64; 3]], golden: &[[f64; 3]]) {
    // Count all four channels; the opacity is the same in both pictures.
    let channels = 4.0 * drawn.len() as f64;
    let (mut sum, mut far) = (0.0, 0.0);
    for (drawn, golden) in drawn.iter().zip(golden) {
        for channel in 0..3 {
            let off = (encoded(drawn[channel]) - golden[channel]).abs() * 255.0;
            sum += off;
            far += if off > 24.5 { 1.0 } else { 0.0 };
        }
    }
    let (mean, share) = (sum / channels, far / channels);
    assert!(mean < 3.0 && share < 0.005, "{name}: {mean} {share}");
}

#[test]
fn precision_matches_format_bits() {
    let stages: Vec<Stage> = BACKENDS.into_iter().filter_map(stage).collect();
    let can = |stage: &Stage, [format, viewed_as]: [TextureFormat; 2]| {
        format == viewed_as || stage.has_view_formats()
    };
    let mut overlays: Vec<_> = stages
        .iter()
        .flat_map(|stage| TARGETS.map(|target| (stage, target)))
        .filter(|(stage, target)| can(stage, *target))
        .map(|(stage, target)| {
            let overlay = overlay(stage, target[1]);
            (stage, target, overlay)
        })
        .collect();
    for scene in SHOWN {
        let fragments = fragments(scene);
        let golden = golden(scene);
        let ideals = [Rgba8Unorm, Rgba8UnormSrgb, Rgb10a2Unorm, Rgba16Float]
            .map(|format| (format, expected(&fragments, format)));
        // The golden picture has 8 bits, and its background is also rounded.
        let mut ideal = ideals[0].1.clone();
        for pixel in &mut ideal {
            pixel.off = pixel.off.map(|off| off + 1.0 / 255.0);
        }
        let off = far(scene, &golden, &ideal, EXACT);
        assert!(off.0 <= allowed(scene), "golden {}: {off:?}", scene.name);
        for (stage, target, overlay) in &mut overlays {
            let drawn = draw(stage, overlay, scene, *target);
            let of_same_bits = match target[1] {
                Bgra8UnormSrgb => Rgba8UnormSrgb,
                format => format,
            };
            let is_it = |(format, _): &&(TextureFormat, _)| *format == of_same_bits;
            let (_, ideal) = ideals
                .iter()
                .find(is_it)
                .expect("the scene should have an ideal picture");
            // Hardware may round each product and the sum, and may convert to and from sRGB less exactly.
            let bound = match (stage.is_llvmpipe(), target[1].is_srgb()) {
                (true, _) => EXACT,
                (false, false) => (1.2, 2.5 * ARITHMETIC),
                (false, true) => (2.0, 2.5 * ARITHMETIC),
            };
            let (count, worst) = far(scene, &drawn, ideal, bound);
            let name = format!("{} {target:?} {}", stage.name, scene.name);
            println!("{name}: {count} far, {worst:.2} of what may be");
            assert!(count <= allowed(scene), "{name}: {count}, {worst}");
            if target[1] == Rgba16Float {
                assert_near(&name, &drawn, &golden);
            }
        }
    }
}

/// Edges are on whole pixels, so four samples per pixel make no difference in any format.
#[test]
fn multisampling_and_depth_have_no_effect() {
    let depth = TextureFormat::Depth32Float;
    let formats = [
        Rgba8Unorm,
        Rgba8UnormSrgb,
        Bgra8UnormSrgb,
        Rgb10a2Unorm,
        Rgba16Float,
    ];
    for stage in BACKENDS.into_iter().filter_map(stage) {
        for format in formats {
            let samples = 4;
            let colors = stage.texture(PX, format, samples);
            let resolved = stage.texture(PX, format, 1);
            let depths = stage.texture(PX, depth, samples);
            let pictures = [samples, 1].map(|samples| {
                let depth = (samples > 1).then_some(depth);
                let mut overlay = Overlay::new();
                let mut painter =
                    Painter::with_depth(&stage.device, &stage.queue, format, samples, depth);
                (scenes::REPORT.draw)(&mut overlay.begin(PX.map(|px| px as f32)));
                painter.prepare(&stage.device, &stage.queue, overlay.draw_data());
                let (multiple, single) = (view(&colors, format), view(&resolved, format));
                let depth_view = depths.create_view(&Default::default());
                let attachments = match depth {
                    Some(_) => Attachments {
                        color: &multiple,
                        resolved: Some(&single),
                        depth: Some(&depth_view),
                    },
                    None => Attachments {
                        color: &single,
                        resolved: None,
                        depth: None,
                    },
                };
                let clear = wgpu::LoadOp::Clear(wgpu::Color::GREEN);
                render(&stage, &painter, &attachments, clear);
                stage.read(&resolved)
            });
            let [sampled, plain] = pictures.map(|bytes| numbers(format, &bytes));
            let green = |number: &[f64; 3]| *number == [0.0, 1.0, 0.0];
            assert!(plain.iter().filter(|number| !green(number)).count() > 50_000);
            let differing = sampled.iter().zip(&plain).filter(|(a, b)| a != b).count();
            assert_eq!(differing, 0, "{} {format:?}", stage.name);
        }
    }
}
