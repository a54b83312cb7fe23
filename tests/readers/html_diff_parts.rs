//! Tests comparing frames, counters, callers and callees with a second profile.

use crate::browser::{visit, visit_with_frames};
use crate::html::{game, list};
use crate::html_diff::{json_of, with_files};
use crate::program::Folder;
use iprof::SnapshotZone;
use serde_json::json;

/// Compares the whole recording and one frame with a profile of many frames, and then with a profile of one frame.
const FRAME: &str = r##"
const [[name, text], [single, one]] = OTHERS;
const found = { said: [] };
await drop(text, name);
found.said.push(status());
key(".bars", "End");
found.said.push(status());
await drop(one, single);
found.said.push(status());
key(".bars", "Escape");
found.said.push(status());
return found;
"##;

#[test]
fn status_line_explains_single_frame_comparison() {
    let (mut sixty, mut one) = (game(), game());
    (sixty.frames, one.frames) = (60, 1);
    let files = [("sixty.json", json_of(&sixty)), ("one.json", json_of(&one))];
    let script = with_files(FRAME, &files);
    let frames = vec![iprof::FrameSnapshot {
        number: 7,
        begin_ns: 0,
        recorded: game(),
        marks: Vec::new(),
    }];
    let folder = Folder::new("html-diff-frame");
    let Some(found) = visit_with_frames(&script, &game(), frames, &folder) else {
        return;
    };
    let said = [
        "compared with sixty.json, its times and counts scaled from 60 frames to 10: Δ is this profile minus the other",
        "compared with sixty.json, the mean of its 60 frames: Δ is frame 7 minus the other",
        "compared with one.json: Δ is frame 7 minus the other",
        "compared with one.json, its times and counts scaled from 1 frame to 10: Δ is this profile minus the other",
    ];
    assert_eq!(found["said"], json!(said));
}

/// Reads the tables of a profile that contains zones that are only counted, and times of all magnitudes.
const COUNTED: &str = r##"
const [[name, text]] = OTHERS;
const found = {};
await drop(text, name);
const cells = (grid) => rows(grid).filter((row) => /hits|misses/.test(row.name)).map((row) => [row.name, row.delta, row.deltaEntries]);
choose("#thread", "0");
found.zones = cells("#zones");
found.tree = cells("#tree");
found.heads = all("#zones [role=columnheader]").map((head) => head.textContent);
found.decimals = {};
for (const grid of ["#zones", "#tree"]) {
  for (const key of heads(grid).slice(1)) {
    const texts = rows(grid).map((row) => row[key]).filter((text) => text !== "");
    found.decimals[grid + " " + key] = [...new Set(texts.map((text) => text.split(".")[1]?.length ?? 0))];
  }
}
found.small = rows("#zones").filter((row) => row.name === "small" || row.name === "smaller").map((row) => [row.name, row.delta, row.self]);
chooseZone(zones.all.find((row) => row.name === "hits"));
found.callers = [heads("#callers"), rows("#callers").map((row) => [row.name, row.entries])];
found.detail = document.querySelector("#callers .detail").textContent;
click("#alone");
chooseZone(zones.all.find((row) => row.name === "misses"));
found.alone = heads("#callers");
return found;
"##;

#[test]
fn counters_are_compared_with_uniform_decimals() {
    let snapshot = |hits: u64, misses: u64, small: u64| {
        let mut snapshot = game();
        let names = ["hits", "misses", "small", "smaller"];
        for (name, (ticks, entries)) in
            names
                .into_iter()
                .zip([(0, hits), (0, misses), (small, 1), (40, 1)])
        {
            let zone = snapshot.intern_zone(SnapshotZone::new(name, "src/game.rs", 9));
            let main = &mut snapshot.threads[0];
            let at = main.child(0, zone);
            (main.nodes[at].ticks, main.nodes[at].entries) = (ticks, entries);
        }
        snapshot
    };
    let script = with_files(COUNTED, &[("a.json", json_of(&snapshot(1_000, 0, 250)))]);
    let folder = Folder::new("html-diff-counted");
    let Some(found) = visit(&script, &snapshot(2_500, 12, 100), &folder) else {
        return;
    };
    let counters = json!([["hits", "", "+1,500"], ["misses", "", "+12"]]);
    for grid in ["zones", "tree"] {
        assert_eq!(found[grid], counters, "{grid}");
    }
    let titles = list(&found["heads"]);
    assert!(titles.contains(&"Δcalls".to_owned()), "{titles:?}");
    for (column, decimals) in found["decimals"].as_object().unwrap() {
        assert_eq!(
            decimals.as_array().unwrap().len(),
            1,
            "{column}: {decimals}"
        );
    }
    let small = json!([
        ["small", "-0.000", "<0.001"],
        ["smaller", "0.000", "<0.001"]
    ]);
    assert_eq!(found["small"], small);
    // Counters have no times, so their tables have no time columns.
    let columns = json!([
        ["name", "deltaEntries", "entries"],
        [["hits", "2,500"], ["(outside zones)", "2,500"]]
    ]);
    assert_eq!(found["callers"], columns);
    assert_eq!(
        found["detail"],
        "hits · src/game.rs:9 · Δcalls +1,500 · 2,500 calls"
    );
    assert_eq!(found["alone"], json!(["name", "entries"]));
}

#[test]
fn callers_and_callees_are_compared() {
    let script = r##"
const [[name, text]] = OTHERS;
await drop(text, name);
const found = {};
for (const zone of ["solve", "sort"]) {
  chooseZone(zones.all.find((row) => row.name === zone));
  found[zone] = ["#callers", "#callees"].map(differences);
}
return found;
"##;
    let mut before = game();
    // `load` called `solve` for 1 ms, and only `load` called `sort`.
    before.threads[0].nodes[6].ticks = 1_000_000;
    before.threads[0].nodes[4].ticks = 0;
    before.threads[0].nodes[4].entries = 0;
    let at = before.threads[0].child(5, 3);
    (
        before.threads[0].nodes[at].ticks,
        before.threads[0].nodes[at].entries,
    ) = (500_000, 1);
    let script = with_files(script, &[("a.json", json_of(&before))]);
    let folder = Folder::new("html-diff-callers");
    let Some(found) = visit(&script, &game(), &folder) else {
        return;
    };
    let solve = json!([
        [
            ["solve", 5],
            ["load", 3],
            ["frame", 2],
            ["(outside zones) on worker", 0]
        ],
        [["solve", 5], ["sort", 2], ["solve", 0]]
    ]);
    assert_eq!(found["solve"], solve);
    let sort = json!([
        [["sort", 1.5], ["solve", 2], ["load", -0.5]],
        [["sort", 1.5]]
    ]);
    assert_eq!(found["sort"], sort);
}
