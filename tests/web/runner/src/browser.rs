//! Starts a headless browser, and drives it over two pipes using the DevTools protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// The names of supported browsers.
const PROGRAMS: [&str; 4] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
];

/// The time limit for a response. The browser usually starts within seconds, but may take longer on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) type Start = fn(&Path) -> Browser;

/// A browser process, closed when dropped.
pub(crate) struct Browser {
    process: Child,
    input: ChildStdin,
    /// The browser's responses and events.
    output: Receiver<Value>,
    calls: u64,
    /// Events that arrived while waiting for a response.
    pub(crate) events: Vec<Value>,
}

pub(crate) fn program() -> Option<&'static str> {
    let is_installed = |program: &&str| Command::new(program).arg("--version").output().is_ok();
    PROGRAMS.into_iter().find(is_installed)
}

impl Browser {
    /// Starts a browser with its profile in `folder`. Canvases use WebGL. The page is composited without a GPU, because
    /// an emulated GPU would be very slow.
    pub(crate) fn start(folder: &Path) -> Browser {
        Browser::start_with(folder, &["--disable-gpu-compositing"])
    }

    /// Like [`Browser::start`], but always draws one sample per pixel, which is faster.
    pub(crate) fn start_with_single_samples(folder: &Path) -> Browser {
        let flags = [
            "--disable-gpu-compositing",
            "--webgl-antialiasing-mode=none",
        ];
        Browser::start_with(folder, &flags)
    }

    /// Starts a browser that shows canvases with WebGPU. This requires Vulkan for the whole page.
    pub(crate) fn start_showing_webgpu(folder: &Path) -> Browser {
        Browser::start_with(
            folder,
            &["--enable-features=Vulkan", "--use-vulkan=swiftshader"],
        )
    }

    fn start_with(folder: &Path, more: &[&str]) -> Browser {
        let program =
            program().unwrap_or_else(|| panic!("no browser: install one of {PROGRAMS:?}"));
        // The browser reads from descriptor 3 and writes to descriptor 4.
        let mut browser = Command::new("sh");
        browser.args(["-c", "exec \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null", "sh"]);
        browser.arg(program);
        // The sandbox does not work as root.
        browser.args(["--headless", "--no-sandbox", "--no-first-run"]);
        browser.arg("--disable-background-networking");
        // WebGL runs on the CPU, so that it is available everywhere and gives the same results.
        browser.args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
        // WebGPU is not enabled by default on all systems.
        browser.arg("--enable-unsafe-webgpu");
        browser.args(more);
        browser.args(["--hide-scrollbars", "--remote-debugging-pipe"]);
        browser.arg(format!("--user-data-dir={}", folder.display()));
        // The browser prints many warnings about missing system components.
        let mut process = browser
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("failed to start the browser");
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut lines = BufReader::new(output.expect("stdout should be piped"));
            let mut line = Vec::new();
            while let Ok(1..) = lines.read_until(0, &mut line) {
                line.pop_if(|end| *end == 0);
                let message = serde_json::from_slice(&line).expect("the browser sent invalid JSON");
                if sender.send(message).is_err() {
                    return;
                }
                line.clear();
            }
        });
        Browser {
            process,
            input: input.expect("stdin should be piped"),
            output: receiver,
            calls: 0,
            events: Vec::new(),
        }
    }

    /// Calls a method and waits for the response. With a session, the method applies to the session's page.
    pub(crate) fn call(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Value {
        self.calls += 1;
        let number = self.calls;
        let mut message = json!({ "id": number, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let sent = self.input.write_all(format!("{message}\0").as_bytes());
        sent.expect("failed to write to the browser");
        let end = Instant::now() + DEADLINE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self.output.recv_timeout(left);
            let message = message.unwrap_or_else(|error| panic!("{method}: no response: {error}"));
            if message["id"] != number {
                self.events.push(message);
                continue;
            }
            let error = &message["error"]["message"];
            assert!(error.is_null(), "{method}: {error}");
            return message["result"].clone();
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser may have exited already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
