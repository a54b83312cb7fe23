//! Tests that run in a browser. Each test runs in a separate instance of this program. `web-runner` builds a page that
//! runs the tests, and opens the page.

// This module is the example shown in the documentation.
#[rustfmt::skip]
pub mod documented;
mod drawing;
mod input;
#[path = "../../../support/painted.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod painted;
mod plain_data;
mod recording;

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Logs a line. The line is only shown if the test fails.
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

type Test = (&'static str, fn());

const TESTS: &[&[Test]] = &[
    recording::TESTS,
    drawing::TESTS,
    input::TESTS,
    plain_data::TESTS,
];

fn tests() -> impl Iterator<Item = &'static Test> {
    TESTS.iter().copied().flatten()
}

#[wasm_bindgen]
pub fn names() -> Vec<String> {
    tests().map(|(name, _)| name.to_string()).collect()
}

/// Runs a test, and panics if it fails.
#[wasm_bindgen]
pub fn run(name: &str) {
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
    let (_, test) = tests().find(|(has, _)| *has == name).expect("no test name");
    test();
}
