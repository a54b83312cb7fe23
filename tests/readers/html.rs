//! A browser shows the page.

use crate::program::{Folder, run};
use crate::recorded::{by_zone, empty, names, odd_names, random};
use iprof::{Snapshot, SnapshotNode, SnapshotThread, SnapshotZone};
use std::process::Command;

/// The page at an address, as it is once its scripts have left `mark` in it; nothing if there is no
/// browser.
pub(crate) fn page(url: &str, mark: &str, folder: &Folder) -> Option<String> {
    let mut page = String::new();
    // The clock of a page runs ahead while nothing is loaded, and now and then too far.
    for _ in 0..5 {
        let mut browser = browser(folder);
        browser.args(["--virtual-time-budget=20000", "--dump-dom"]);
        // It warns of much that the machine does not have.
        let output = run(browser.arg(url))?;
        page = String::from_utf8(output.stdout).expect("it prints UTF-8");
        if page.contains(mark) {
            return Some(page);
        }
    }
    panic!("there is no {mark} in {page}");
}

fn browser(folder: &Folder) -> Command {
    let programs = [
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
    ];
    let is_there = |program: &&&str| Command::new(program).arg("--version").output().is_ok();
    let program = programs.iter().find(is_there).unwrap_or(&programs[0]);
    let mut browser = Command::new(program);
    // The sandbox does not start where the user is root.
    browser.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
    ]);
    browser.args(["--disable-background-networking", "--window-size=1200,4000"]);
    let profile = folder.file("profile", b"").with_file_name("browser");
    browser.arg(format!("--user-data-dir={}", profile.display()));
    browser.arg("--allow-file-access-from-files");
    browser
}

/// Clicks through the page, and leaves what it found as JSON in an element of its own.
const SCRIPT: &str = r##"
<script>
try {
  const all = (what, from = document) => [...from.querySelectorAll(what)];
  const rows = () => all("#tree tbody tr");
  const found = {};
  found.title = document.title;
  found.about = all("dl dd").map((part) => part.textContent);
  found.rowsAtFirst = rows().length;
  document.querySelector("#tree .close").click();
  found.rowsClosed = rows().length;
  rows()[0]?.click();
  found.rowsOpen = rows().length;
  found.unsureRows = rows().map((row) => row.children[2].textContent.startsWith("~"));
  found.children = data.threads.length > 0 ? (data.threads[0].children[0] ?? []).length : 0;
  rows()[0]?.click();
  found.rowsClosedAgain = rows().length;

  const zoneRows = () => all("#zones tbody tr").map((row) => [
    row.children[0].textContent, row.children[1].textContent,
    row.children[2].title, row.children[4].title]);
  found.zones = zoneRows();
  const isUnsure = (row, column) => row.children[column].textContent.startsWith("~");
  found.unsure = [2, 4].map((column) => all("#zones tbody tr")
    .filter((row) => isUnsure(row, column)).map((row) => row.children[0].textContent));
  // As wide as a time gets, and the cycles of an hour.
  const widest = {
    "#zones td:nth-child(3)": "~888.888 ms",
    "#zones td:nth-child(5)": "~888.888 ms",
    "#tree td:nth-child(2)": "888,888,888",
    "#tree td:nth-child(3)": "~888.888 ms",
    "#tree td:nth-child(4)": "100.00",
    "#tree td:nth-child(6)": "~888.888 ms",
    "#tree td:nth-child(7)": "18,888,888,888,888",
  };
  found.cut = Object.keys(widest).filter((place) => {
    const cell = document.querySelector(place);
    if (cell) cell.textContent = widest[place];
    return cell?.scrollWidth > cell?.clientWidth;
  });
  const sortedBy = (key) => {
    document.querySelector(`#zones th[data-key=${key}]`).click();
    return zoneRows().map((row) => row[0]);
  };
  found.byName = sortedBy("name");
  found.byNameBack = sortedBy("name");
  found.byEntries = sortedBy("entries");
  found.heats = all("#zones tbody tr").map((row) => Number(row.style.getPropertyValue("--heat")));
  found.markup = all("main b, main script").length;

  const widths = () => all("#flame .frame").map((frame) => [frame.node, frame.offsetWidth, frame.offsetTop]);
  found.flame = widths();
  const second = all("#flame .frame").filter((frame) => frame.offsetTop > 0)
    .sort((a, b) => b.offsetWidth - a.offsetWidth)[0];
  if (second) {
    found.clicked = second.node;
    found.above = data.threads[0].children[second.node][0];
    second.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    found.hovered = document.querySelector("#flame output").textContent;
    second.click();
    found.zoomed = widths();
    document.querySelector("#flame .all").click();
    found.whole = widths();
  }
  const hovers = (element) => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
    .some((rule) => rule.selectorText?.includes(":hover")
      && element?.matches(rule.selectorText.replaceAll(":hover", "")));
  found.rowsHover = rows().length === 0 || hovers(rows()[0]);
  found.framesHover = !second || hovers(document.querySelector("#flame .frame"));
  const back = () => getComputedStyle(document.body).backgroundColor;
  found.light = back();
  document.getElementById("theme").click();
  found.dark = back();
  found.ran = window.ran ?? 0;
  found.requests = performance.getEntriesByType("resource").map((entry) => entry.name);
  found.sum = data.threads.map((thread) => thread.hier[0]);
  report(found);
} catch (error) {
  report({ error: String(error) + error.stack });
}
function report(found) {
  const place = document.createElement("pre");
  place.id = "found";
  place.textContent = btoa(unescape(encodeURIComponent(JSON.stringify(found))));
  document.body.append(place);
}
</script>
</body>"##;

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

/// What is shown of a stack that is far deeper than a page can be.
const DEEP_SCRIPT: &str = r##"
<script>
const found = {};
try {
  const count = (what) => document.querySelectorAll(what).length;
  found.rows = count("#tree tbody tr");
  found.frames = count("#flame .frame");
  zoom(data.threads[0].parent.length - 1);
  found.zoomed = count("#flame .frame");
  zoom(500);
  found.wholeAgain = count("#flame .frame");
} catch (error) {
  found.error = String(error) + error.stack;
}
const place = document.createElement("pre");
place.id = "found";
place.textContent = btoa(JSON.stringify(found));
document.body.append(place);
</script>
</body>"##;

fn visit(snapshot: &Snapshot, folder: &Folder) -> Option<serde_json::Value> {
    visit_with(SCRIPT, snapshot, folder)
}

fn visit_with(script: &str, snapshot: &Snapshot, folder: &Folder) -> Option<serde_json::Value> {
    let mut out = Vec::new();
    snapshot.write_html(&mut out).unwrap();
    let html = String::from_utf8(out).unwrap();
    let html = html.replace("</body>", script);
    let file = folder.file("page.html", html.as_bytes());
    let mark = "<pre id=\"found\">";
    let page = page(&format!("file://{}", file.display()), mark, folder)?;
    let (_, found) = page.split_once(mark).unwrap();
    let (found, _) = found.split_once("</pre>").unwrap();
    let found: serde_json::Value = serde_json::from_slice(&base64(found)).unwrap();
    assert_eq!(found.get("error"), None);
    Some(found)
}

#[test]
fn the_page_opens_sorts_zooms_and_asks_for_nothing() {
    for (at, names) in [names(20), odd_names()].into_iter().enumerate() {
        let folder = Folder::new(&format!("html-{at}"));
        let mut snapshot = random(&names, 600);
        // One time was sampled, and so is a part of all that it is in.
        let thread = &mut snapshot.threads[0];
        let deepest = (1..thread.nodes.len())
            .filter(|node| thread.nodes[*node].ticks > 0)
            .max_by_key(|node| thread.stack(*node).count())
            .unwrap();
        thread.nodes[deepest].error = 3.0;
        let snapshot = snapshot;
        let Some(found) = visit(&snapshot, &folder) else {
            return;
        };
        let count = |key: &str| {
            found[key]
                .as_u64()
                .unwrap_or_else(|| panic!("{key}: {found}"))
        };
        assert_eq!(found["title"], "demo \"x\" <b> - iprof");
        assert_eq!(found["about"][1], "--fine </dd>");
        assert_eq!(found["about"][2], "2027-01-15 08:00:00 UTC");
        assert!(count("rowsAtFirst") > 3);
        assert_eq!(count("rowsClosed"), 3);
        assert_eq!(count("rowsOpen"), 3 + count("children"));
        assert_eq!(count("rowsClosedAgain"), 3);

        let zones: Vec<_> = found["zones"].as_array().unwrap().iter().collect();
        let digits = |value: &serde_json::Value| -> u64 {
            let digits = value
                .as_str()
                .unwrap()
                .replace(|c: char| !c.is_ascii_digit(), "");
            digits.parse().unwrap()
        };
        for (zone, sums) in snapshot.zones.iter().zip(by_zone(&snapshot)) {
            let name = if zone.name.is_empty() {
                "(no name)"
            } else {
                &*zone.name
            };
            let row = zones.iter().find(|row| row[0] == name);
            let row = row.unwrap_or_else(|| panic!("{name} is missing"));
            assert_eq!(digits(&row[1]), sums.entries, "{name}");
            assert!(
                (digits(&row[2]) as f64 - sums.self_ns).abs() < 600.0,
                "{name}"
            );
            assert!(
                (digits(&row[3]) as f64 - sums.hier_ns).abs() < 600.0,
                "{name}"
            );
        }
        let mut unsure: Vec<String> = Vec::new();
        for node in snapshot.threads[0].stack(deepest) {
            let name = &snapshot.zones[node.zone as usize].name;
            let name = if name.is_empty() { "(no name)" } else { name };
            if node.zone != 0 && !unsure.iter().any(|known| known == name) {
                unsure.push(name.to_owned());
            }
        }
        assert_eq!(found["unsure"][0], serde_json::json!([unsure[0]]));
        let mut marked: Vec<&str> = found["unsure"][1]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        marked.sort_unstable();
        unsure.sort_unstable();
        assert_eq!(marked, unsure);
        let rows = found["unsureRows"].as_array().unwrap();
        assert_eq!(rows[0], false, "a thread's time is exact");
        assert_eq!(
            rows.iter().filter(|is_unsure| **is_unsure == true).count(),
            1
        );

        let list = |key: &str| -> Vec<String> {
            let list = found[key].as_array().unwrap().iter();
            list.map(|name| name.as_str().unwrap().to_owned()).collect()
        };
        let mut back = list("byNameBack");
        back.reverse();
        assert_eq!(list("byName"), back);
        assert_ne!(list("byName"), list("byEntries"));
        assert_eq!(found["markup"], 0);
        assert_eq!(found["cut"], serde_json::json!([]));
        assert_eq!(found["ran"], 0, "a name was run");
        let heats = found["heats"].as_array().unwrap();
        let heats: Vec<f64> = heats.iter().map(|heat| heat.as_f64().unwrap()).collect();
        assert!(
            heats.contains(&1.0) && heats.iter().any(|heat| *heat < 0.5),
            "{heats:?}"
        );

        let flame = |key: &str| found[key].as_array().unwrap().clone();
        let width = |frames: &[serde_json::Value], node: &serde_json::Value| -> u64 {
            let frame = frames.iter().find(|frame| frame[0] == *node).unwrap();
            frame[1].as_u64().unwrap()
        };
        let whole = width(&flame("flame"), &serde_json::json!(0));
        assert!(whole > 500);
        assert!(width(&flame("flame"), &found["clicked"]) < whole);
        assert_eq!(width(&flame("zoomed"), &found["clicked"]), whole);
        // What stands on it grows as much.
        let grows = width(&flame("flame"), &found["clicked"]) as f64 / whole as f64;
        let above = &found["above"];
        let (before, after) = (
            width(&flame("flame"), above),
            width(&flame("zoomed"), above),
        );
        assert!(
            (after as f64 * grows - before as f64).abs() < 2.0,
            "{before} {after}"
        );
        assert_eq!(flame("whole"), flame("flame"));
        assert!(found["hovered"].as_str().unwrap().contains(" calls"));
        assert_eq!(found["rowsHover"], true);
        assert_eq!(found["framesHover"], true);
        assert_ne!(found["light"], found["dark"]);
        assert_eq!(found["requests"], serde_json::json!([]));
    }
}

#[test]
fn the_page_of_nothing_is_a_page() {
    let folder = Folder::new("html-empty");
    if let Some(found) = visit(&empty(), &folder) {
        assert_eq!(found["title"], "iprof");
        assert_eq!(found["zones"], serde_json::json!([]));
        assert_eq!(found["requests"], serde_json::json!([]));
    }
}

#[test]
fn a_page_of_a_hundred_thousand_levels_shows_as_many_as_can_be_read() {
    let folder = Folder::new("html-deep");
    let mut snapshot = Snapshot::default();
    let zone = snapshot.intern_zone(SnapshotZone::new("visit", "a.rs", 1));
    let mut thread = SnapshotThread::new("main");
    for parent in 0..100_000 {
        let mut node = SnapshotNode::new(parent, zone);
        (node.entries, node.ticks) = (1, 1);
        thread.nodes.push(node);
    }
    snapshot.threads.push(thread);
    if let Some(found) = visit_with(DEEP_SCRIPT, &snapshot, &folder) {
        let count = |key: &str| found[key].as_u64().unwrap();
        assert!((2_000..2_010).contains(&count("rows")), "{found}");
        // What is zoomed to, and what it called.
        assert_eq!(count("frames"), 1_001);
        assert_eq!(count("zoomed"), 101);
        assert_eq!(count("wholeAgain"), 1_101);
    }
}
