//! The tests of the crates `web-page` and `web-wgpu`, which the page runs itself.

use crate::browser::Browser;
use crate::devtools::{Page, Screen};
use crate::server::Server;
use crate::site::Site;
use crate::tests;
use std::path::Path;
use std::time::Duration;

/// The time limit for all tests together.
const DEADLINE: Duration = Duration::from_secs(180);

/// The crates' programs.
const PROGRAMS: [&str; 2] = ["web_page", "web_wgpu"];

/// Whether each test passed.
pub(crate) fn run(programs: &Path, name: &str) -> Vec<bool> {
    let results = PROGRAMS.map(|program| run_program(programs, program, name));
    results.concat()
}

fn run_program(programs: &Path, program: &str, name: &str) -> Vec<bool> {
    let page = "tests/web/runner/src/page.html";
    let site = Site::of_repository(programs, &format!("{program}.wasm"), page);
    let server = Server::new(&site.folder, 0).expect("some port is free");
    let mut browser = Browser::start(&site.folder.join("browser"));
    let screen = Screen {
        size: [800, 600],
        ratio: 1.0,
        is_touch: false,
    };
    let url = format!("{}?program={program}&name={name}", server.url());
    let page = Page::open(&mut browser, &url, screen);
    let result = server.wait_for_result(DEADLINE);
    drop(page);
    let Some(result) = result else {
        println!("the page reported no results within {DEADLINE:?}");
        return vec![false];
    };
    print!("{result}");
    let tests = result.lines().filter(|line| line.starts_with("test "));
    let passed = tests.map(|line| {
        let is_skipped = line.contains(" ... skipped");
        if is_skipped && tests::are_required() {
            println!("IPROF_REQUIRE_READERS=1, and this was skipped: {line}");
        }
        line.contains(" ... ok") || is_skipped && !tests::are_required()
    });
    // What says that the page itself failed is no test.
    let failed = result.lines().any(|line| line.starts_with("FAILED"));
    passed.chain(failed.then_some(false)).collect()
}
