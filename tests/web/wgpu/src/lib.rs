//! wgpu tests that run in a browser: a golden picture in WebGL 2, and GPU times. Each test runs in a separate instance
//! of this program. `web-runner` builds a page that runs the tests, and opens the page.

#[path = "../../../support/image.rs"]
#[allow(dead_code, unreachable_pub, reason = "a page has no files")]
mod image;
mod pictures;
#[path = "../../../overlay_golden/scenes.rs"]
#[allow(dead_code, reason = "only one golden picture is drawn")]
mod scenes;
mod stage;
mod timer;

use std::pin::Pin;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Logs a line. The line is only shown if the test fails.
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// A test's name and function. The future resolves to a note that is printed if the test passes.
type Test = (&'static str, fn() -> Pin<Box<dyn Future<Output = String>>>);

const TESTS: [Test; 4] = [
    ("webgl2_draws_a_golden_picture", || {
        Box::pin(pictures::by_glow())
    }),
    (
        "webgl2_has_no_timestamps_and_passes_are_zones_of_the_processor",
        || Box::pin(timer::on_webgl2()),
    ),
    ("webgpu_measures_passes_with_timestamps", || {
        Box::pin(timer::on_webgpu())
    }),
    (
        "webgpu_without_timestamps_leaves_passes_to_the_processor",
        || Box::pin(timer::on_webgpu_without()),
    ),
];

#[wasm_bindgen]
pub fn names() -> Vec<String> {
    TESTS.iter().map(|(name, _)| name.to_string()).collect()
}

/// Runs a test, and panics if it fails. The promise then never settles, but the page receives an `error` event.
#[wasm_bindgen]
pub async fn run(name: String) -> String {
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
    let (_, test) = TESTS
        .iter()
        .find(|(has, _)| *has == name)
        .expect("no test name");
    test().await
}
