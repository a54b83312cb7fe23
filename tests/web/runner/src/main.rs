//! Test runner for browsers: builds a page from a WebAssembly program, opens it in a headless browser, and prints the
//! results of its tests.
//!
//! `web-runner PROGRAM.wasm [NAME]`: with a name, only the tests whose names contain it.

mod browser;
mod server;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use wasm_bindgen_cli_support::Bindgen;

/// The time limit for all tests together, including the start of the browser.
const DEADLINE: Duration = Duration::from_secs(180);

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let program = words.next().expect("the program's file");
    let filter = words.next().unwrap_or_default();
    let folder = Path::new(&program).with_extension("page");
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(&program)
        .out_name("page")
        .typescript(false);
    bindgen.web(true).expect("one kind of output");
    bindgen.generate(&folder).expect("JavaScript is made of it");
    let page = include_str!("page.html").replace("FILTER", &filter);
    std::fs::write(folder.join("index.html"), page).expect("the page is written");

    let server = server::Server::new(&folder);
    let browser = browser::Browser::start(&server.url(), &folder);
    let result = server.wait_for_result(DEADLINE);
    drop(browser);
    let Some(result) = result else {
        println!("the page reported no results within {DEADLINE:?}");
        return ExitCode::FAILURE;
    };
    print!("{result}");
    match result.ends_with("all passed\n") {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
