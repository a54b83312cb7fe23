//! Tests that the page neither ranks nor colors idle time by default.

use crate::browser::visit;
use crate::html::{game, list};
use crate::program::Folder;
use iprof::{Snapshot, SnapshotThread, SnapshotZone};
use serde_json::json;

/// Two threads that are partly idle. On `main`, `frame` takes 6 ms itself and calls `wait`, which is idle for 10 ms.
/// `worker` spends 2 ms in `job` and is idle outside zones for 20 ms.
pub(crate) fn waiting() -> Snapshot {
    let mut snapshot = Snapshot::default();
    let [frame, wait, job] = ["frame", "wait", "job"].map(|name| {
        let mut zone = SnapshotZone::new(name, "src/game.rs", 7);
        zone.is_idle = name == "wait";
        snapshot.intern_zone(zone)
    });
    let add = |thread: &mut SnapshotThread, parent: usize, zone, ms: u64| {
        let at = thread.child(parent, zone);
        thread.nodes[at].ticks = ms * 1_000_000;
        thread.nodes[at].entries = 1;
        at
    };
    let mut main = SnapshotThread::new("main");
    let in_frame = add(&mut main, 0, frame, 6);
    add(&mut main, in_frame, wait, 10);
    let mut worker = SnapshotThread::new("worker");
    worker.is_idle_outside_zones = true;
    worker.nodes[0].ticks = 20_000_000;
    add(&mut worker, 0, job, 2);
    snapshot.threads = vec![main, worker];
    snapshot
}

const IDLE: &str = r##"
const found = {};
const zones = () => rows("#zones").map((row) => row.name);
const shares = () => rows("#zones").map((row) => Math.round(parseFloat(row.share) || 0));
const dimmed = (rows) => all(rows).map((row) => row.querySelector(".label").textContent);
found.isOffered = !document.querySelector("#idle").closest("label").hidden;
click("#hot");
found.isWaitHot = rows("#tree").some((row) => row.name === "wait");
// Close the tree, then expand its rows one by one.
click("#close");
for (let row = 0; row < 10; row++) {
  key("#tree .grid", "ArrowRight");
  key("#tree .grid", "ArrowDown");
}
found.zones = zones();
found.shares = shares();
found.dimmed = dimmed("#zones .row.idle");
found.dimmedInTree = dimmed("#tree .row.idle");
const idleBoxes = () => all("#flame .idle").map((box) => box.node.name);
found.inGraph = idleBoxes();
click("#idle");
found.dimmedInGraph = idleBoxes();
found.ranked = zones();
found.sharesOfAll = shares();
click("#idle");
found.again = zones();
return found;
"##;

#[test]
fn idle_time_is_dimmed_and_ranked_on_request() {
    let folder = Folder::new("html-idle");
    let Some(found) = visit(IDLE, &waiting(), &folder) else {
        return;
    };
    assert_eq!(found["isOffered"], true);
    assert_eq!(
        found["isWaitHot"], false,
        "`wait` is idle, so it is not on a hot path"
    );
    let outside = "(outside zones, idle)";
    let work_first = json!(["frame", "job", outside, "wait"]);
    assert_eq!(found["zones"], work_first);
    assert_eq!(found["shares"], json!([75, 25, 0, 0]));
    assert_eq!(found["dimmed"], json!([outside, "wait"]));
    // By default, the flame graph leaves out idle time.
    assert_eq!(found["inGraph"], json!([]));
    for place in ["dimmedInTree", "dimmedInGraph"] {
        let mut names = list(&found[place]);
        names.sort_unstable();
        assert_eq!(names, [outside, "wait"], "{place}");
    }
    let by_time = json!([outside, "wait", "frame", "job"]);
    assert_eq!(found["ranked"], by_time);
    assert_eq!(found["sharesOfAll"], json!([53, 26, 16, 5]));
    assert_eq!(found["again"], work_first);

    let found = visit(IDLE, &game(), &folder).unwrap();
    assert_eq!(
        found["isOffered"], false,
        "the checkbox should be hidden without idle zones"
    );
    assert_eq!(found["dimmed"], json!([]));
}

/// Merges all threads, and reads the tree, the zones and their colors, without and with idle time.
const MERGED: &str = r##"
const found = {};
const times = (grid) => rows(grid).map((row) => [row.name, Number(row.hierNs) / 1e6, row.share]);
const marked = (grid) => all(grid + " .mark").map((mark) => [mark.parentNode.querySelector(".label").textContent, mark.textContent]);
choose("#thread", "merged");
for (const row of [0, 1]) calls.grid.expand(row);
calls.grid.layout();
found.tree = times("#tree");
found.marks = marked("#tree");
found.zones = rows("#zones").map((row) => [row.name, Number(row.selfNs) / 1e6, row.share]);
found.zoneMarks = marked("#zones");
found.heats = all("#zones .body .row").map((row) => Number(row.style.getPropertyValue("--heat")));
found.head = document.querySelector("#zones [data-key=share]").textContent;
choose("#shape", "inverted");
found.inverted = times("#tree");
click("#idle");
found.headOfAll = document.querySelector("#zones [data-key=share]").textContent;
found.heatsOfAll = all("#zones .body .row.idle").map((row) => Number(row.style.getPropertyValue("--heat")));
return found;
"##;

#[test]
fn idle_outside_zones_has_separate_row_when_merged() {
    let mut snapshot = waiting();
    snapshot.threads[0].nodes[0].ticks = 2_000_000;
    let folder = Folder::new("html-idle-merged");
    let Some(found) = visit(MERGED, &snapshot, &folder) else {
        return;
    };
    let [outside, idle] = ["(outside zones)", "(outside zones, idle)"];
    let tree = json!([
        ["all threads merged", 40, "100.00"],
        ["frame", 16, "60.00"],
        ["wait", 10, ""],
        ["job", 2, "20.00"],
        [outside, 2, "20.00"],
        [idle, 20, ""]
    ]);
    assert_eq!(found["tree"], tree);
    assert_eq!(found["marks"], json!([["wait", "idle"]]));
    let zones = json!([
        ["frame", 6, "60.00"],
        [outside, 2, "20.00"],
        ["job", 2, "20.00"],
        [idle, 20, ""],
        ["wait", 10, ""]
    ]);
    assert_eq!(found["zones"], zones);
    assert_eq!(found["zoneMarks"], json!([["wait", "idle"]]));
    // Rows with at least 25% of all work have the full color. Idle rows have no color, even when they are ranked.
    assert_eq!(found["heats"], json!([1, 0.8, 0.8, 0, 0]));
    assert_eq!(found["heatsOfAll"], json!([0, 0]));
    assert_eq!(found["inverted"].as_array().unwrap().len(), 6);
    assert_eq!([&found["head"], &found["headOfAll"]], ["self %", "self %"]);
}

const BASES: &str = r##"
const found = {};
const head = (grid) => document.querySelector(grid + " [data-key=share]");
const grids = ["#tree", "#zones", "#callers", "#callees"];
const frame = () => frames().find(({ box }) => box.node.name === "frame").box;
frame().click();
found.said = document.querySelector("#flame output").textContent;
key("#flame .graph", "Escape");
found.root = document.querySelector("#flame output").textContent;
key("#tree .grid", "Home");
found.detail = document.querySelector("#tree .detail").textContent;
found.heads = grids.map((grid) => head(grid).textContent);
found.tips = grids.map((grid) => head(grid).title);
click("#idle");
frame().click();
found.saidOfAll = document.querySelector("#flame output").textContent;
found.headsOfAll = grids.map((grid) => head(grid).textContent);
found.tipsOfAll = grids.map((grid) => head(grid).title);
return found;
"##;

/// In this profile, `frame` takes 16 ms, of which 6 ms are work. Each percentage states the total it refers to.
#[test]
fn percentages_state_their_total() {
    let Some(found) = visit(BASES, &waiting(), &Folder::new("html-bases")) else {
        return;
    };
    let said = |key: &str| found[key].as_str().unwrap();
    let frame = "frame: 16.000 ms, 6.000 ms of it work, 75.00 % of all work, self 6.000 ms, 1 call";
    assert!(said("said").starts_with(frame), "{found}");
    let root = "all threads: 38.000 ms, 8.000 ms of it work, 100.00 % of all work";
    assert_eq!(said("root"), root);
    let detail = "all threads · time 38.000 ms · work 8.000 ms · 100.00 % of all work";
    assert_eq!(said("detail"), detail);
    assert_eq!(
        found["heads"],
        json!(["work %", "self %", "% of its work", "% of its work"])
    );
    let hier = "time in the zone and everything it calls";
    let caller = "time of the topmost zone on behalf of this path";
    let tips = |all: &str, rest: &str| {
        [
            format!("{hier}{rest}, as a share of all {all} of the threads shown"),
            format!("self time, as a share of all {all} of the threads shown"),
            format!("{caller}{rest}, as a share of the chosen zone's time"),
            format!("{hier}{rest}, as a share of the chosen zone's time"),
        ]
    };
    assert_eq!(found["tips"], json!(tips("work", " without idle time")));
    let frame = "frame: 16.000 ms, 42.11 %, self 6.000 ms, 1 call";
    assert!(said("saidOfAll").starts_with(frame), "{found}");
    assert_eq!(
        found["headsOfAll"],
        json!(["time %", "self %", "% of zone", "% of zone"])
    );
    assert_eq!(found["tipsOfAll"], json!(tips("time", "")));
}

#[test]
fn counters_have_no_times_on_the_page() {
    let mut snapshot = waiting();
    let hits = snapshot.intern_zone(SnapshotZone::new("hits", "src/game.rs", 9));
    let at = snapshot.threads[0].child(1, hits);
    snapshot.threads[0].nodes[at].entries = 12;
    let script = r##"
choose("#thread", "0");
calls.grid.expand(1);
calls.grid.layout();
const cells = (grid) => Object.entries(rows(grid).find((row) => row.name === "hits")).filter(([key]) => heads(grid).includes(key) && key !== "name");
neighbors.show(scope, zones.all.find((row) => row.name === "hits").part);
return { tree: Object.fromEntries(cells("#tree")), zones: Object.fromEntries(cells("#zones")), detail: document.querySelector("#callees .detail").textContent };
"##;
    let Some(found) = visit(script, &snapshot, &Folder::new("html-counted")) else {
        return;
    };
    for grid in ["tree", "zones"] {
        for (column, text) in found[grid].as_object().unwrap() {
            let expected = if column == "entries" { "12" } else { "" };
            assert_eq!(text, expected, "{grid} {column}");
        }
    }
    assert_eq!(found["detail"], "hits · src/game.rs:9 · 12 calls");
}

#[test]
fn profiler_rows_are_dimmed_and_never_colored() {
    let mut snapshot = Snapshot::default();
    let mut thread = SnapshotThread::new("main");
    for (name, is_own) in [("iprof_update", true), ("work", false)] {
        let mut zone = SnapshotZone::new(name, "a.rs", 1);
        zone.is_own = is_own;
        let zone = snapshot.intern_zone(zone);
        let node = thread.child(0, zone);
        (thread.nodes[node].ticks, thread.nodes[node].entries) = (1_000_000, 1);
    }
    snapshot.threads.push(thread);
    let script = r##"
const found = {};
click("#hot");
const own = (grid) => all(grid + " .body .row").map((row) => [row.querySelector(".label").textContent, row.matches(".own"), row.style.getPropertyValue("--heat") > 0]);
for (const grid of ["#tree", "#zones"]) found[grid] = own(grid);
found.marks = all("#zones .mark").map((mark) => mark.textContent);
found.flame = all("#flame .own").map((box) => box.node.name);
const color = (row) => getComputedStyle(document.querySelector(`#zones .body .row${row}`)).color;
found.isDimmed = color(".own") !== color(":not(.own)");
return found;
"##;
    let Some(found) = visit(script, &snapshot, &Folder::new("html-own")) else {
        return;
    };
    let zones = json!([["iprof_update", true, false], ["work", false, true]]);
    assert_eq!(found["#zones"], zones);
    assert_eq!(
        found["#tree"].as_array().unwrap()[2..],
        zones.as_array().unwrap()[..]
    );
    assert_eq!(found["marks"], json!(["iprof itself"]));
    assert_eq!(found["flame"], json!(["iprof_update"]));
    assert_eq!(found["isDimmed"], true);
}

#[test]
fn row_color_reflects_percentage_of_all_work() {
    let mut snapshot = Snapshot::default();
    let mut thread = SnapshotThread::new("main");
    // Half of the time is spent outside zones, and each zone takes 0.5%.
    thread.nodes[0].ticks = 500_000;
    for at in 0..100 {
        let zone = snapshot.intern_zone(SnapshotZone::new(&format!("zone {at}"), "a.rs", 1));
        let node = thread.child(0, zone);
        thread.nodes[node].ticks = 5_000;
    }
    snapshot.threads.push(thread);
    let script = r##"
const heat = (row) => Number(row.style.getPropertyValue("--heat"));
return ["#zones", "#tree"].map((grid) => all(grid + " .body .row").map(heat).slice(0, 4));
"##;
    let folder = Folder::new("html-heat");
    if let Some(found) = visit(script, &snapshot, &folder) {
        assert_eq!(found[0], json!([1, 0.02, 0.02, 0.02]));
        assert_eq!(
            found[1],
            json!([0, 0, 1, 0.02]),
            "the tree starts with two thread rows"
        );
    }
}
