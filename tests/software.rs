//! Checks that the renderer in `examples/software.rs` draws the same golden pictures as OpenGL. This tests the
//! overlay's geometry and the documentation of `DrawData` independently of OpenGL.

#![cfg(feature = "overlay")]

#[path = "../examples/software.rs"]
#[allow(dead_code, unreachable_pub)]
mod canvas;
#[path = "support/image.rs"]
#[allow(dead_code, unreachable_pub)]
mod image;
#[path = "support/own_program.rs"]
mod own_program;
#[path = "support/program.rs"]
#[allow(dead_code, unreachable_pub)]
mod program;
#[path = "overlay_golden/scenes.rs"]
mod scenes;

use canvas::Canvas;
use image::{Image, Tolerance, assert_golden};
use iprof::overlay::Overlay;
use scenes::{SCENES, SIZE, Scene, stripes};

fn striped() -> Canvas {
    let [width, height] = SIZE.map(|px| px as usize);
    let mut canvas = Canvas::new(width, height, [0, 0, 0, 255]);
    let pixels = canvas.pixels.as_flattened_mut();
    pixels.copy_from_slice(&stripes());
    canvas
}

fn image(canvas: &Canvas) -> Image {
    Image {
        width: canvas.width as u32,
        height: canvas.height as u32,
        rgba: canvas.pixels.as_flattened().to_vec(),
    }
}

fn check(scene: Scene) {
    let mut overlay = Overlay::new();
    scene.begin(&mut overlay);
    (scene.draw)(&mut overlay.begin(SIZE.map(|px| px as f32)));
    let mut canvas = striped();
    canvas.draw(overlay.draw_data());
    // Mesa blends in 8 bits and rounds once per layer, up to three times. Rasterizers also differ for pixels whose
    // centers lie on the edge of a slanted line.
    let tolerance = Tolerance {
        per_channel: 2,
        pixels: if scene.is_slanted { 60 } else { 8 },
    };
    assert_golden(scene.name, &image(&canvas), tolerance);
}

#[test]
fn all_scenes_look_the_same_as_with_opengl() {
    // Golden pictures are written only by the OpenGL tests.
    if std::env::var_os("IPROF_BLESS").is_none() {
        SCENES.into_iter().for_each(check);
    }
}

fn written(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn golden_picture_survives_the_examples_png_writer() {
    let mut overlay = Overlay::new();
    (scenes::SCREEN.draw)(&mut overlay.begin(SIZE.map(|px| px as f32)));
    let mut canvas = striped();
    canvas.draw(overlay.draw_data());
    let path = written("software_screen.png");
    canvas.write_png(path.to_str().unwrap()).unwrap();
    let read = Image::read(&path);
    assert!(read == image(&canvas));
    if std::env::var_os("IPROF_BLESS").is_none() {
        let tolerance = Tolerance {
            per_channel: 2,
            pixels: 8,
        };
        assert_golden(scenes::SCREEN.name, &read, tolerance);
    }
}

/// The example shows its own measurements, so its pictures vary, and only parts of them are checked.
#[cfg(feature = "enable")]
#[test]
fn example_writes_the_overlay_of_its_zones() {
    const GROUND: [u8; 4] = [60, 80, 70, 255];
    let path = written("software_example.png");
    _ = std::fs::remove_file(&path);
    let ran = own_program::program_at(&program::example("software"))
        .arg(&path)
        .output()
        .expect("failed to start the example");
    let text = String::from_utf8(ran.stdout).expect("stdout should be UTF-8");
    assert!(ran.status.success(), "{text}");
    let picture = Image::read(&path);
    assert_eq!((picture.width, picture.height), (1280, 720));
    // The controls are 20 px from each edge.
    let is_outside = |x: u32, y: u32| !(20..1260).contains(&x) || !(20..700).contains(&y);
    let pixels = (0..720).flat_map(|y| (0..1280).map(move |x| (x, y)));
    let mut outside = pixels.filter(|&(x, y)| is_outside(x, y));
    assert!(outside.all(|(x, y)| picture.pixel(x, y) == GROUND));
    // The report is 600 px wide. The graph is below the report and uses the full width.
    let is_drawn = |x: u32, y: u32| picture.pixel(x, y) != GROUND;
    assert!(
        (20..620).all(|x| is_drawn(x, 20)),
        "the title should be drawn"
    );
    assert!(
        (20..1260).all(|x| is_drawn(x, 680)),
        "the graph should be drawn"
    );
    let is_text = |x: u32, y: u32| picture.pixel(x, y)[..3].iter().all(|value| *value > 200);
    let text_in = |rows: std::ops::Range<u32>| {
        let pixels = rows.flat_map(|y| (20..560).map(move |x| (x, y)));
        pixels.filter(|&(x, y)| is_text(x, y)).count()
    };
    let [title, rows] = [20..48, 65..125].map(text_in);
    assert!(title > 300 && rows > 100, "{title} and {rows} px of text");
    let (_, vertices) = text
        .trim()
        .rsplit_once(": ")
        .expect("the output should contain a vertex count");
    let vertices: usize = vertices
        .trim_end_matches(" vertices")
        .parse()
        .expect("the vertex count should be a number");
    assert!(vertices > 1_000, "{text}");
}

/// After the first draw, a renderer uploads only changes to the atlas.
#[test]
fn second_drawing_uploads_only_atlas_changes() {
    let mut overlay = Overlay::new();
    let mut kept = striped();
    for scene in SCENES {
        kept.pixels = striped().pixels;
        scene.begin(&mut overlay);
        (scene.draw)(&mut overlay.begin(SIZE.map(|px| px as f32)));
        kept.draw(overlay.draw_data());
        let mut new = striped();
        new.draw(overlay.draw_data());
        assert_eq!(kept.pixels, new.pixels, "{}", scene.name);
    }
    let version = overlay.draw_data().atlas_version();
    (scenes::REPORT.draw)(&mut overlay.begin(SIZE.map(|px| px as f32)));
    assert!(overlay.draw_data().atlas_changes(version).is_none());
}

#[test]
fn target_without_pixels_is_not_drawn_to() {
    let mut overlay = Overlay::new();
    for size in [
        [0.0, 100.0],
        [0.5, 0.5],
        [f32::NAN, 5.0],
        [5.0, f32::INFINITY],
    ] {
        let mut frame = overlay.begin(size);
        frame.draw_report(&scenes::rows(3, 0), 0.0, 0.0, 100.0, 100.0, 2);
        frame.draw_graph(&scenes::frames(iprof::GraphStyle::Bars), 0.0, 0.0, 1.0, 1.0);
        assert!(overlay.draw_data().is_empty(), "{size:?}");
    }
}

/// Checks that bars reach the left edge of the graph. The help may extend into the margin.
#[cfg(feature = "enable")]
#[test]
fn controls_draw_inside_their_rectangle() {
    let _alone = MEASUREMENTS.lock();
    let (mut overlay, mut controls) = (Overlay::new(), iprof::Controls::new());
    (0..700).for_each(|_| iprof::update(true));
    for [width, height] in [[1280.0, 720.0], [640.0, 480.0], [320.0, 240.0]] {
        for [x, y, right, bottom] in [[20.0; 4], [0.0; 4], [3.0, 40.0, 90.0, 7.0]] {
            let [to_x, to_y] = [width - right, height - bottom];
            for page in 0..3 {
                controls.help_page = page;
                let more = if page == 0 {
                    0.0
                } else {
                    f32::min(x, y).min(12.0)
                };
                let mut frame = overlay.begin([width, height]);
                controls.draw(&mut frame, x, y, to_x - x, to_y - y);
                let vertices = overlay.draw_data().vertices().iter();
                let positions = || vertices.clone().map(|vertex| vertex.position);
                for [at_x, at_y] in positions() {
                    let is_within = (x - more..=to_x + more).contains(&at_x)
                        && (y - more..=to_y + more).contains(&at_y);
                    assert!(
                        is_within,
                        "{at_x}, {at_y} is out of bounds at {width}, {height}"
                    );
                }
                assert!(
                    positions().any(|at| at[0] >= to_x),
                    "page {page} should reach {to_x} at {width}, {height}"
                );
            }
        }
    }
}

/// Runs one test at a time, because the measurements are global.
#[cfg(feature = "enable")]
static MEASUREMENTS: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Uses the flame graph in every way that a person would.
#[cfg(feature = "enable")]
#[test]
fn flame_graph_responds_to_pointer_and_keys() {
    use iprof::overlay::{PointerButton, PointerEvent};
    use iprof::{CallPath, Controls, Modifiers, View};
    use std::hint::black_box;

    let _alone = MEASUREMENTS.lock();
    let work = |amount: u64| black_box((0..amount).fold(1, |sum: u64, at| sum.rotate_left(1) ^ at));
    let (mut overlay, mut controls, mut view) = (Overlay::new(), Controls::new(), View::default());
    // On a busy machine, any zone may be the longest.
    let is_usual = |flame: iprof::Flame| {
        let time = |name: &str| {
            let is_named = |node: &&iprof::FlameNode| {
                let zone = &flame.zones[node.zone as usize];
                *zone.name == *name
            };
            let node = flame.nodes.iter().find(is_named);
            node.map_or(0.0, |node| node.time)
        };
        let names = ["flame: outer", "flame: inner", "flame: other"];
        let [outer, inner, other] = names.map(time);
        outer > 0.9 * flame.nodes[0].time && inner > 2.0 * other
    };
    for _ in 0..100 {
        iprof::update(true);
        {
            iprof::zone!("flame: outer");
            {
                iprof::zone!("flame: inner");
                work(3_000_000);
            }
            iprof::zone!("flame: other");
            work(1_000_000);
        }
        iprof::update(true);
        view.show_frames(&iprof::profiler(), iprof::Frames::Back(0));
        if is_usual(view.flame(&iprof::profiler())) {
            break;
        }
    }

    assert!(
        controls
            .on(&mut view, &mut overlay)
            .key("G", Modifiers::SHIFT)
    );
    assert!(controls.flame);
    // Draws a frame, and then handles an event on it.
    let pointer = |overlay: &mut Overlay, controls: &mut Controls, view: &mut View, event| {
        let mut frame = overlay.begin([1280.0, 720.0]);
        controls.draw_view(&mut frame, view, 20.0, 20.0, 1240.0, 680.0);
        let vertices = overlay.draw_data().vertices().len();
        let mut controls = controls.on(view, overlay);
        (controls.pointer(event), vertices)
    };
    let press = PointerEvent::Pressed(PointerButton::Primary);
    let release = PointerEvent::Released(PointerButton::Primary);

    let (_, plain) = pointer(
        &mut overlay,
        &mut controls,
        &mut view,
        PointerEvent::LeftWindow,
    );
    assert!(plain > 0);
    // Search from the title down to the second row of boxes. The box in the first row is the whole frame.
    let outer = (510..700).step_by(4).find_map(|y| {
        let (x, y) = (600.0, y as f32);
        pointer(
            &mut overlay,
            &mut controls,
            &mut view,
            PointerEvent::Moved { x, y },
        );
        let (used, hovered) = pointer(&mut overlay, &mut controls, &mut view, press);
        pointer(&mut overlay, &mut controls, &mut view, release);
        let path = view.flame_cursor().cloned()?;
        assert!(used);
        assert!(hovered > plain, "no tooltip: {hovered} vertices of {plain}");
        (path != CallPath::default()).then_some(path)
    });
    let outer = outer.expect("a box should be under the pointer");
    let lit = |view: &View| {
        let flame = view.flame(&iprof::profiler());
        let zone = flame.selected.expect("a zone should be highlighted");
        flame.zones[zone as usize].name.to_string()
    };
    assert_eq!(lit(&view), "flame: outer");
    assert!(!view.is_flame_zoomed());

    // This is the second click of a double click.
    pointer(&mut overlay, &mut controls, &mut view, press);
    pointer(&mut overlay, &mut controls, &mut view, release);
    assert!(view.is_flame_zoomed());
    assert_eq!(view.flame_cursor(), Some(&outer));
    let mut key = |overlay: &mut Overlay, view: &mut View, name, modifiers| {
        controls.on(view, overlay).key(name, modifiers)
    };
    assert!(key(&mut overlay, &mut view, "Escape", Modifiers::NONE));
    assert!(!view.is_flame_zoomed());
    assert!(
        !key(&mut overlay, &mut view, "Escape", Modifiers::NONE),
        "the key should be left to the host"
    );

    // These two clicks are too far apart for a double click.
    for _ in 0..2 {
        std::thread::sleep(std::time::Duration::from_millis(550));
        pointer(&mut overlay, &mut controls, &mut view, press);
        pointer(&mut overlay, &mut controls, &mut view, release);
        assert!(!view.is_flame_zoomed());
        assert_eq!(view.flame_cursor(), Some(&outer));
    }
    let mut key = |overlay: &mut Overlay, view: &mut View, name, modifiers| {
        controls.on(view, overlay).key(name, modifiers)
    };
    for (step, zone) in [
        ("K", "flame: inner"),
        ("L", "flame: other"),
        ("L", "flame: other"),
        ("J", "flame: inner"),
        ("K", "flame: inner"),
        ("I", "flame: outer"),
    ] {
        assert!(
            key(&mut overlay, &mut view, step, Modifiers::SHIFT),
            "{step}"
        );
        assert_eq!(lit(&view), zone, "{step}");
    }
    assert!(key(&mut overlay, &mut view, "Enter", Modifiers::SHIFT));
    assert!(view.is_flame_zoomed());
    assert!(key(&mut overlay, &mut view, "G", Modifiers::SHIFT));
    assert!(
        !key(&mut overlay, &mut view, "Escape", Modifiers::NONE),
        "the flame graph is hidden, so the key should be left to the host"
    );
}
