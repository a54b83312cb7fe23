//! Checks for pages on which the overlay is drawn at (20, 20) with the same margin on all sides.

use crate::devtools::{Page, Screen};
use crate::picture::Picture;

pub(crate) const SCREEN: Screen = Screen {
    size: [800, 500],
    ratio: 1.0,
    is_touch: false,
};

/// Checks that the overlay is drawn and that nothing around it changes. Leaves the overlay paused and visible. Returns
/// the host's picture.
pub(crate) fn has_the_overlay(page: &mut Page<'_>) -> Picture {
    let is_edge = |x: u32, y: u32| !(20..780).contains(&x) || !(20..480).contains(&y);
    // A paused overlay does not change between screenshots.
    page.press(" ");
    let shown = page.picture();
    page.press("p");
    let hidden = page.picture();
    assert_eq!(
        shown.differing(&hidden, is_edge),
        0,
        "the overlay changed pixels outside of its margin"
    );
    let covered = shown.differing(&hidden, |_, _| true);
    assert!(covered > 50_000, "the overlay covers only {covered} px");
    page.press("p");
    hidden
}

/// Checks that a row under the pointer has a tooltip. Returns the picture without the tooltip.
pub(crate) fn has_a_tooltip(page: &mut Page<'_>) -> Picture {
    page.move_to([1.0, 1.0]);
    let without = page.picture();
    page.move_to([100.0, 90.0]);
    let with = page.picture();
    let differing = with.differing(&without, |_, _| true);
    assert!(differing > 3_000, "the tooltip covers only {differing} px");
    without
}

pub(crate) fn colors(picture: &Picture) -> impl Iterator<Item = [u8; 3]> + '_ {
    let all = (0..picture.height).flat_map(|y| (0..picture.width).map(move |x| (x, y)));
    all.map(|(x, y)| picture.at(x, y))
}
