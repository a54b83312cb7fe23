//! Runs scripts in iprof's HTML page, in a headless browser.

use crate::program::{Folder, run};
use iprof::{FrameSnapshot, Snapshot};
use std::process::Command;
use std::sync::OnceLock;

/// Returns a page's contents once its scripts have added `mark`, or `None` without a browser.
pub(crate) fn page(url: &str, mark: &str, folder: &Folder) -> Option<String> {
    // The window is tall, because tables only render visible rows.
    let options = ["--virtual-time-budget=20000", "--window-size=1200,4000"];
    page_as(&options, url, mark, folder)
}

fn page_as(options: &[&str], url: &str, mark: &str, folder: &Folder) -> Option<String> {
    let mut page = String::new();
    // Virtual time advances while nothing is loading. Retry, because it sometimes advances too far.
    for _ in 0..5 {
        let mut browser = browser(folder);
        browser.args(options).arg("--dump-dom");
        // The browser prints many warnings about missing system components.
        let output = run(browser.arg(url))?;
        page = String::from_utf8(output.stdout).expect("the browser's output is not UTF-8");
        if page.contains(mark) {
            return Some(page);
        }
    }
    panic!("the page does not contain {mark}: {page}");
}

fn browser(folder: &Folder) -> Command {
    let programs = [
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
    ];
    static PROGRAM: OnceLock<&str> = OnceLock::new();
    let is_installed = |program: &&str| Command::new(program).arg("--version").output().is_ok();
    let found = || {
        programs
            .into_iter()
            .find(is_installed)
            .unwrap_or(programs[0])
    };
    let mut browser = Command::new(PROGRAM.get_or_init(found));
    // The sandbox does not work as root.
    browser.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
    ]);
    browser.args(["--disable-background-networking", "--window-size=1200,1600"]);
    let profile = folder.file("profile", b"").with_file_name("browser");
    browser.arg(format!("--user-data-dir={}", profile.display()));
    browser.arg("--allow-file-access-from-files");
    browser
}

fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let text = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::new();
    for four in text.chunks(4) {
        let bits = four
            .iter()
            .fold(0u32, |bits, c| bits << 6 | u32::from(value(*c)));
        let bits = bits << (6 * (4 - four.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}

/// Helper functions for all scripts. They read rows, send keys and clicks, and measure widths.
const TOOLS: &str = r##"
const all = (what, from = document) => [...from.querySelectorAll(what)];
const key = (what, key, more) => document.querySelector(what)
  .dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
const click = (what) => document.querySelector(what).click();
const heads = (grid) => all(grid + " [role=columnheader]").map((head) => head.dataset.key);
// A row object maps each column's key to its cell text, and the key plus `Ns` to the exact nanoseconds.
const rows = (grid) => all(grid + " .body .row[aria-rowindex]").map((row) => {
  const cells = Object.fromEntries(heads(grid).map((head, at) => [head, row.children[at].textContent]));
  heads(grid).forEach((head, at) => (cells[head + "Ns"] = row.children[at].title.replace(/[^\d.-]/g, "")));
  return { ...cells, name: row.querySelector(".label").textContent, expanded: row.ariaExpanded, level: row.ariaLevel };
});
const search = (wanted) => {
  document.querySelector("#search").value = wanted;
  document.querySelector("#search").dispatchEvent(new Event("input"));
};
const choose = (select, value) => {
  document.querySelector(select).value = value;
  document.querySelector(select).dispatchEvent(new Event("change"));
};
const frames = () => all("#flame .frame").map((box) => {
  const { left, width, top } = box.getBoundingClientRect();
  return { name: box.ariaLabel, box, left, width, top };
});
"##;

/// Runs a script in a snapshot's page and returns its result. Virtual time advances while the script waits.
pub(crate) fn visit(
    script: &str,
    snapshot: &Snapshot,
    folder: &Folder,
) -> Option<serde_json::Value> {
    visit_as(&["--virtual-time-budget=20000"], script, snapshot, folder)
}

pub(crate) fn visit_with_frames(
    script: &str,
    snapshot: &Snapshot,
    frames: Vec<FrameSnapshot>,
    folder: &Folder,
) -> Option<serde_json::Value> {
    let mut out = Vec::new();
    iprof::Format::Html
        .write_with_frames(snapshot, frames, &mut out)
        .unwrap();
    visit_page(&["--virtual-time-budget=20000"], script, out, folder)
}

/// Like [`visit_with_frames`], but in real time. The script must therefore not wait.
pub(crate) fn visit_in_real_time(
    script: &str,
    snapshot: &Snapshot,
    frames: Vec<FrameSnapshot>,
    folder: &Folder,
) -> Option<serde_json::Value> {
    let mut out = Vec::new();
    iprof::Format::Html
        .write_with_frames(snapshot, frames, &mut out)
        .unwrap();
    visit_page(&[], script, out, folder)
}

fn visit_as(
    options: &[&str],
    script: &str,
    snapshot: &Snapshot,
    folder: &Folder,
) -> Option<serde_json::Value> {
    let mut out = Vec::new();
    iprof::Format::Html.write(snapshot, &mut out).unwrap();
    visit_page(options, script, out, folder)
}

fn visit_page(
    options: &[&str],
    script: &str,
    page: Vec<u8>,
    folder: &Folder,
) -> Option<serde_json::Value> {
    let html = String::from_utf8(page).unwrap();
    // The block keeps the script's variables in a separate scope.
    let script = format!(
        r##"<script>
{{
{TOOLS}
const report = (found) => {{
  const place = document.createElement("pre");
  place.id = "found";
  place.textContent = btoa(unescape(encodeURIComponent(JSON.stringify(found))));
  document.body.append(place);
}};
(async () => {{
{script}
}})().then(report, (error) => report({{ error: String(error) + error.stack }}));
}}
</script>
</body>"##
    );
    let html = html.replace("</body>", &script);
    let file = folder.file("page.html", html.as_bytes());
    let mark = "<pre id=\"found\">";
    let page = page_as(options, &format!("file://{}", file.display()), mark, folder)?;
    let (_, found) = page.split_once(mark).unwrap();
    let (found, _) = found.split_once("</pre>").unwrap();
    let found: serde_json::Value = serde_json::from_slice(&base64(found)).unwrap();
    assert_eq!(found.get("error"), None);
    Some(found)
}
