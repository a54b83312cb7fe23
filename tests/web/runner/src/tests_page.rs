//! Runs the tests in the `web-page` and `web-wgpu` crates, which run in the page itself.

use crate::browser::Browser;
use crate::devtools::{Page, Screen};
use crate::server::Server;
use crate::site::Site;
use crate::tests::{self, Outcome};
use std::path::Path;
use std::time::Duration;

/// The time limit for all of the page's tests combined.
const DEADLINE: Duration = Duration::from_secs(180);

const PROGRAMS: [&str; 2] = ["web_page", "web_wgpu"];

/// Runs the tests whose names contain `name`, and returns their outcomes.
pub(crate) fn run(programs: &Path, name: &str) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let own = "incomplete_test_pages_fail";
    if own.contains(name) {
        let test = incomplete_test_pages_fail;
        outcomes.push(tests::run(own, test));
    }
    outcomes.extend(
        PROGRAMS
            .iter()
            .flat_map(|program| run_program(programs, program, name)),
    );
    outcomes
}

fn run_program(programs: &Path, program: &str, name: &str) -> Vec<Outcome> {
    let page = "tests/web/runner/src/page.html";
    let site = Site::of_repository(programs, &format!("{program}.wasm"), page);
    let server = Server::new(&site.folder, 0).expect("no free port");
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
        println!("{program} reported no results within {DEADLINE:?}");
        return vec![Outcome::Failed];
    };
    print!("{result}");
    let (outcomes, complaint) = read(&result);
    if let Some(complaint) = complaint {
        println!("{program}: {complaint}");
    }
    outcomes
}

/// Parses the page's text: the number of tests to run, the total number of tests, and a line for each test. Returns the
/// outcomes, and an error if the text is incomplete.
fn read(result: &str) -> (Vec<Outcome>, Option<String>) {
    let tests = result.lines().filter(|line| line.starts_with("test "));
    let mut outcomes: Vec<Outcome> = tests
        .map(|line| match line.split_once(" ... ") {
            Some((_, result)) if result.starts_with("ok") => Outcome::Passed,
            Some((_, result)) if result.starts_with("skipped") => Outcome::of_skipped(),
            _ => Outcome::Failed,
        })
        .collect();
    let counts = result.lines().find_map(|line| {
        let (chosen, all) = line.strip_prefix("running ")?.split_once(" of ")?;
        Some((chosen.parse::<usize>().ok()?, all.parse::<usize>().ok()?))
    });
    let ran = outcomes.len();
    if !counts.is_some_and(|(chosen, all)| chosen == ran && all > 0) {
        outcomes.push(Outcome::Failed);
        let complaint =
            format!("it has not run what it has: {ran} results, and of tests {counts:?}");
        return (outcomes, Some(complaint));
    }
    let is_refused = result.contains(" ... skipped") && outcomes.contains(&Outcome::Failed);
    let complaint =
        is_refused.then(|| "skipped tests fail, for IPROF_REQUIRE_READERS=1".to_owned());
    (outcomes, complaint)
}

fn incomplete_test_pages_fail() {
    let of = |result: &str| read(result).0;
    let one = "running 1 of 2\ntest a ... ok, 3 ms\n";
    assert_eq!(of(one), [Outcome::Passed]);
    assert_eq!(of("running 0 of 2\n"), []);
    for result in ["", "running 0 of 0\n", "running 1 of 1\n"] {
        assert_eq!(of(result), [Outcome::Failed], "{result}");
    }
    let two = "running 2 of 2\ntest a ... FAILED\nError: no\ntest b ... ok, 1 ms\n";
    assert_eq!(of(two), [Outcome::Failed, Outcome::Passed]);
    let broken = "running 1 of 1\nFAILED: no module\n";
    assert_eq!(of(broken), [Outcome::Failed]);
    let skipped = "running 1 of 1\ntest a ... skipped: the browser has no WebGPU, 2 ms\n";
    assert_eq!(of(skipped), [Outcome::of_skipped()]);
    assert_ne!(Outcome::of_skipped(), Outcome::Passed);
}
