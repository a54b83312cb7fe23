//! Tests the page that is drawn by wgpu, with WebGL 2 and with WebGPU.

use crate::browser::{Browser, Start};
use crate::devtools::{Page, Screen};
use crate::overlay_page::{SCREEN, colors, has_a_tooltip, has_the_overlay};
use crate::server::Server;
use crate::site::Site;
use crate::tests::{self, Outcome};
use std::collections::BTreeSet;
use std::path::Path;

/// A test's name, the page's query string, the backend, and the function that starts a suitable browser.
const TESTS: [(&str, &str, &str, Start); 2] = [
    (
        "a_page_of_wgpu_by_webgl2_has_the_overlay_and_takes_input",
        "?webgl",
        "Gl",
        Browser::start,
    ),
    (
        "webgpu_page_has_overlay_and_takes_input",
        "",
        "BrowserWebGpu",
        Browser::start_showing_webgpu,
    ),
];

/// Runs the tests whose names contain `name`, and returns their outcomes.
pub(crate) fn run(programs: &Path, name: &str) -> Vec<Outcome> {
    let tests = TESTS.iter().filter(|(test, ..)| test.contains(name));
    let mut tests = tests.peekable();
    if tests.peek().is_none() {
        return Vec::new();
    }
    let page = "examples/web/wgpu/index.html";
    let site = Site::of_repository(programs, "wgpu_page.wasm", page);
    let server = Server::new(&site.folder, 0).expect("no free port");
    tests
        .map(|(name, query, backend, start)| {
            let mut browser = start(&site.folder.join("browser"));
            tests::run_unless_skipped(name, || {
                let url = format!("{}{query}", server.url());
                has_the_overlay_and_takes_input(&mut browser, &url, backend)
            })
        })
        .collect()
}

fn has_the_overlay_and_takes_input(
    browser: &mut Browser,
    url: &str,
    backend: &str,
) -> Result<(), &'static str> {
    let mut page = Page::open(browser, url, SCREEN);
    page.wait_until("typeof page !== 'undefined'");
    let draws = page.evaluate("page.backend()");
    if backend != "Gl" && draws == "Gl" {
        return Err("the browser has no WebGPU");
    }
    assert_eq!(draws, backend);
    page.wait_until("page.report_text().includes('scene')");
    page.wait_for_frames();
    let hidden = has_the_overlay(&mut page);
    let colors: BTreeSet<_> = colors(&hidden).collect();
    assert!(
        colors.len() > 100,
        "the host's picture has {} colors",
        colors.len()
    );
    has_a_tooltip(&mut page);
    page.press("Tab");
    let report = page.evaluate("page.report_text()");
    let report = report.as_str().expect("the script should return a string");
    assert!(report.contains("hierarchical time"), "{report}");

    // Check that the picture also fills the canvas on a screen of a different size.
    let large = Screen {
        size: [500, 400],
        ratio: 2.0,
        is_touch: false,
    };
    page.set_screen(large);
    page.wait_until("document.querySelector('canvas').width === 1000");
    page.wait_for_frames();
    page.press("p");
    let alone = page.picture();
    assert_eq!([alone.width, alone.height], [1000, 800]);
    for [x, y] in [[0, 0], [999, 799]] {
        assert_ne!(alone.at(x, y), [0; 3], "at {x}, {y}");
    }
    page.press("p");
    let covered = page.picture().differing(&alone, |_, _| true);
    assert!(covered > 200_000, "the overlay covers only {covered} px");
    assert_eq!(page.errors(), [""; 0]);
    Ok(())
}
