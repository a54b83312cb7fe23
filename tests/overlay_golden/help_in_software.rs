//! Compares the help with `examples/software.rs`.

use crate::canvas::Canvas;
use crate::help::EXACT_EDGES;
use crate::scenes::{HELP, SIZE, stripes};
use crate::stage::picture;
use crate::support::headless::Kind;
use crate::support::image::{Image, assert_same};
use iprof::overlay::Overlay;

/// Replaces a golden picture of the help.
#[test]
fn help_looks_like_the_software_rendering() {
    let [width, height] = SIZE.map(|px| px as usize);
    let mut overlay = Overlay::new();
    HELP.begin(&mut overlay);
    (HELP.draw)(&mut overlay.begin(SIZE.map(|px| px as f32)));
    let mut canvas = Canvas::new(width, height, [0; 4]);
    let pixels = canvas.pixels.as_flattened_mut();
    pixels.copy_from_slice(&stripes());
    canvas.draw(overlay.draw_data());
    let expected = Image {
        width: width as u32,
        height: height as u32,
        rgba: canvas.pixels.into_flattened(),
    };
    let drawn = picture(Kind::Gl33Core, SIZE, |overlay| {
        HELP.begin(overlay);
        overlay.draw(|frame| (HELP.draw)(frame));
    });
    if let Some(drawn) = drawn {
        assert_same("help", &drawn, &expected, EXACT_EDGES);
    }
}
