//! Tests of the page in the guide.

use crate::browser::Browser;
use crate::devtools::Page;
use crate::overlay_page::{SCREEN, colors, has_a_tooltip, has_the_overlay};
use crate::server::Server;
use crate::site::Site;
use crate::tests;
use std::path::Path;

const NAME: &str = "the_guides_page_has_the_overlay_and_takes_input";

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
    let mut page = Page::open(browser, url, SCREEN);
    page.wait_until("document.querySelector('canvas').width === 800");
    page.wait_for_frames();
    page.wait_for_frames();
    let hidden = has_the_overlay(&mut page);
    for (at, color) in colors(&hidden).enumerate() {
        assert_eq!(color, CLEAR, "pixel {at}");
    }
    let without = has_a_tooltip(&mut page);
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
