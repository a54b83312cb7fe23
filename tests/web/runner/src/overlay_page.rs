//! What holds of every page that has the overlay at 20, 20 with as much room to the right and below.

use crate::devtools::{Page, Screen};
use crate::picture::Picture;

/// The screen that such a page is opened on.
pub(crate) const SCREEN: Screen = Screen {
    size: [800, 500],
    ratio: 1.0,
    is_touch: false,
};

/// The overlay is there, and the picture beside it is the host's. Returns the host's. The overlay is paused then, and
/// shown.
pub(crate) fn has_the_overlay(page: &mut Page<'_>) -> Picture {
    let is_edge = |x: u32, y: u32| !(20..780).contains(&x) || !(20..480).contains(&y);
    // It stands still.
    page.press(" ");
    let shown = page.picture();
    page.press("p");
    let hidden = page.picture();
    assert_eq!(shown.differing(&hidden, is_edge), 0, "beside the overlay");
    let covered = shown.differing(&hidden, |_, _| true);
    assert!(covered > 50_000, "{covered} px of overlay");
    page.press("p");
    hidden
}

/// A tooltip is over a row where the pointer is. Returns the picture without.
pub(crate) fn has_a_tooltip(page: &mut Page<'_>) -> Picture {
    page.move_to([1.0, 1.0]);
    let without = page.picture();
    page.move_to([100.0, 90.0]);
    let with = page.picture();
    let differing = with.differing(&without, |_, _| true);
    assert!(differing > 3_000, "{differing} px of tooltip");
    without
}

/// The colors of a picture, one for each pixel.
pub(crate) fn colors(picture: &Picture) -> impl Iterator<Item = [u8; 3]> + '_ {
    let all = (0..picture.height).flat_map(|y| (0..picture.width).map(move |x| (x, y)));
    all.map(|(x, y)| picture.at(x, y))
}
