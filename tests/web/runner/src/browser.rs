//! Starts a headless browser.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Any of these will do.
const PROGRAMS: [&str; 4] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
];

/// A browser that shows a page, until the value goes.
pub(crate) struct Browser(Child);

impl Browser {
    pub(crate) fn start(url: &str, folder: &Path) -> Browser {
        let is_there = |program: &&&str| Command::new(program).arg("--version").output().is_ok();
        let program = PROGRAMS.iter().find(is_there).expect("there is a browser");
        let mut browser = Command::new(program);
        // The sandbox does not start where the user is root.
        browser.args(["--headless", "--no-sandbox", "--no-first-run"]);
        browser.arg("--disable-background-networking");
        // WebGL by the processor, so that it is there and the same everywhere.
        browser.args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
        // With a port for its tools it stays until it is ended.
        browser.arg("--remote-debugging-port=0");
        let profile = folder.join("browser");
        browser.arg(format!("--user-data-dir={}", profile.display()));
        // It warns of much that the machine does not have.
        browser
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Browser(browser.arg(url).spawn().expect("the browser starts"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
