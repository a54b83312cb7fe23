//! Idle time on the page: out of the ranking and the colors, unless asked for.

use crate::browser::visit;
use crate::html::{game, list};
use crate::program::Folder;
use iprof::{Snapshot, SnapshotThread, SnapshotZone};
use serde_json::json;

/// `main`: `frame` 6 ms, which calls `wait` for 10 ms; `worker`: `job` 2 ms, and 20 ms outside zones. Waiting,
/// and the worker's time outside zones, are idle.
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
// Opens one row after another.
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
fn idle_time_is_dimmed_and_ranks_only_if_asked() {
    let folder = Folder::new("html-idle");
    let Some(found) = visit(IDLE, &waiting(), &folder) else {
        return;
    };
    assert_eq!(found["isOffered"], true);
    assert_eq!(found["isWaitHot"], false, "hot paths are work");
    let work_first = json!(["frame", "job", "(outside zones)", "wait"]);
    assert_eq!(found["zones"], work_first);
    assert_eq!(found["shares"], json!([75, 25, 0, 0]));
    assert_eq!(found["dimmed"], json!(["(outside zones)", "wait"]));
    // The graph is as wide as what ranks.
    assert_eq!(found["inGraph"], json!([]));
    for place in ["dimmedInTree", "dimmedInGraph"] {
        let mut names = list(&found[place]);
        names.sort_unstable();
        assert_eq!(names, ["(outside zones)", "wait"], "{place}");
    }
    let by_time = json!(["(outside zones)", "wait", "frame", "job"]);
    assert_eq!(found["ranked"], by_time);
    assert_eq!(found["sharesOfAll"], json!([53, 26, 16, 5]));
    assert_eq!(found["again"], work_first);

    let found = visit(IDLE, &game(), &folder).unwrap();
    assert_eq!(found["isOffered"], false, "nothing is idle");
    assert_eq!(found["dimmed"], json!([]));
}

/// Merged, and as one frame of many threads.
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
fn idle_time_outside_zones_is_a_row_of_its_own_where_threads_are_merged() {
    let mut snapshot = waiting();
    snapshot.threads[0].nodes[0].ticks = 2_000_000;
    let folder = Folder::new("html-idle-merged");
    let Some(found) = visit(MERGED, &snapshot, &folder) else {
        return;
    };
    let outside = "(outside zones)";
    let tree = json!([
        ["all threads merged", 40, "100.00"],
        ["frame", 16, "60.00"],
        ["wait", 10, ""],
        ["job", 2, "20.00"],
        [outside, 2, "20.00"],
        [outside, 20, ""]
    ]);
    assert_eq!(found["tree"], tree);
    assert_eq!(found["marks"], json!([["wait", "idle"], [outside, "idle"]]));
    let zones = json!([
        ["frame", 6, "60.00"],
        [outside, 2, "20.00"],
        ["job", 2, "20.00"],
        [outside, 20, ""],
        ["wait", 10, ""]
    ]);
    assert_eq!(found["zones"], zones);
    assert_eq!(
        found["zoneMarks"],
        json!([[outside, "idle"], ["wait", "idle"]])
    );
    // A quarter of all work has the full color, and idle time has none, however it ranks.
    assert_eq!(found["heats"], json!([1, 0.8, 0.8, 0, 0]));
    assert_eq!(found["heatsOfAll"], json!([0, 0]));
    assert_eq!(found["inverted"].as_array().unwrap().len(), 6);
    assert_eq!([&found["head"], &found["headOfAll"]], ["self %", "self %"]);
}

#[test]
fn a_row_is_colored_by_its_share_of_all_work() {
    let mut snapshot = Snapshot::default();
    let mut thread = SnapshotThread::new("main");
    // Half of all time is outside zones; of zones the largest has 0.5 %.
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
            "threads, then their calls"
        );
    }
}
