//! Tests of the page in the guide.

use crate::browser::Browser;
use crate::devtools::{Page, Screen};
use crate::server::Server;
use crate::site::Site;
use crate::tests;
use std::path::Path;

const NAME: &str = "the_guides_page_has_the_overlay_and_takes_input";

const SCREEN: Screen = Screen {
    size: [800, 500],
    ratio: 1.0,
    is_touch: false,
};

/// What the page clears with, to the nearest.
const CLEAR: [u8; 3] = [26, 51, 77];

/// Whether the test passed.
pub(crate) fn run(programs: &Path, name: &str) -> Option<bool> {
    NAME.contains(name).then(|| {
        let page = "examples/web/minimal/index.html";
        let site = Site::of_repository(programs, "minimal.wasm", page);
        let server = Server::new(&site.folder, 0).expect("some port is free");
        let mut browser = Browser::start(&site.folder.join("browser"));
        tests::run(NAME, || {
            the_guides_page_has_the_overlay_and_takes_input(&mut browser, &server.url());
        })
    })
}

fn the_guides_page_has_the_overlay_and_takes_input(browser: &mut Browser, url: &str) {
    // The graph ends 8 px before the edge of the screen.
    let is_edge = |x: u32, y: u32| !(20..792).contains(&x) || !(20..480).contains(&y);
    let mut page = Page::open(browser, url, SCREEN);
    page.wait_until("document.querySelector('canvas').width === 800");
    page.wait_for_frames();
    page.wait_for_frames();
    // It stands still.
    page.press(" ");
    let shown = page.picture();
    page.press("p");
    let hidden = page.picture();
    let all = (0..hidden.height).flat_map(|y| (0..hidden.width).map(move |x| (x, y)));
    for (x, y) in all {
        assert_eq!(hidden.at(x, y), CLEAR, "at {x}, {y}");
    }
    assert_eq!(shown.differing(&hidden, is_edge), 0);
    let covered = shown.differing(&hidden, |_, _| true);
    assert!(covered > 50_000, "{covered} px of overlay");

    page.press("p");
    page.move_to([1.0, 1.0]);
    let without = page.picture();
    page.move_to([100.0, 90.0]);
    let with = page.picture();
    let differing = with.differing(&without, |_, _| true);
    assert!(differing > 3_000, "{differing} px of tooltip");
    page.move_to([1.0, 1.0]);
    page.evaluate(
        "globalThis.loss = document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context'); \
         loss.loseContext()",
    );
    page.wait_for_frames();
    page.evaluate("loss.restoreContext()");
    page.wait_until("!document.querySelector('canvas').getContext('webgl2').isContextLost()");
    page.wait_for_frames();
    // The graph's scale may still change.
    assert_eq!(page.picture().differing(&without, |_, y| y < 250), 0);
    assert_eq!(page.errors(), [""; 0]);
}
