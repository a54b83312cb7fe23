//! Tests that the HTML page shows the recorded data.

use crate::browser::visit;
use crate::program::Folder;
use crate::recorded::{by_zone, empty, names, odd_names, random};
use iprof::{Snapshot, SnapshotNode, SnapshotThread, SnapshotZone};
use serde_json::{Value, json};

const SCRIPT: &str = r##"
const found = {};
found.title = document.title;
found.about = all("dl dd").map((part) => part.textContent);
found.rowsAtFirst = rows("#tree").length;
click("#close");
found.rowsClosed = rows("#tree").length;
key("#tree .grid", "ArrowRight");
found.threads = rows("#tree").slice(1).map((row) => [row.name, Number(row.hierNs)]);
found.children = own.threads.map((thread) => calls.root.children[thread.index]?.children.length);
key("#tree .grid", "ArrowDown");
key("#tree .grid", "ArrowRight");
found.rowsOpen = rows("#tree").length;
found.sampledRows = rows("#tree").map((row) => row.hier.startsWith("~"));
key("#tree .grid", "ArrowLeft");
found.rowsClosedAgain = rows("#tree").length;

const zoneRows = () => rows("#zones");
found.zones = zoneRows();
const sortedBy = (key) => {
  click(`#zones [data-key=${key}] button`);
  return zoneRows().map((row) => row.name);
};
found.byName = sortedBy("name");
found.byNameBack = sortedBy("name");
found.byEntries = sortedBy("entries");
found.markup = all("main b, main script").length;
const back = () => getComputedStyle(document.body).backgroundColor;
found.light = back();
click("#theme");
found.dark = back();
found.ran = window.ran ?? 0;
found.requests = performance.getEntriesByType("resource").map((entry) => entry.name);
return found;
"##;

pub(crate) fn list(found: &Value) -> Vec<String> {
    let list = found.as_array().unwrap().iter();
    list.map(|name| name.as_str().unwrap().to_owned()).collect()
}

fn number(value: &Value) -> f64 {
    value.as_str().unwrap().parse().unwrap_or(0.0)
}

/// Returns a name as the page shows it.
fn shown(name: &str) -> &str {
    match name.trim() {
        "" => "(unnamed)",
        name => name,
    }
}

#[test]
fn page_shows_recorded_data_and_loads_nothing() {
    for (at, names) in [names(20), odd_names()].into_iter().enumerate() {
        let folder = Folder::new(&format!("html-{at}"));
        let mut snapshot = random(&names, 600);
        // One node's time was sampled, so all times that include it are partly sampled.
        let thread = &mut snapshot.threads[0];
        let deepest = (1..thread.nodes.len())
            .filter(|node| thread.nodes[*node].ticks > 0)
            .max_by_key(|node| thread.stack(*node).count())
            .unwrap();
        thread.nodes[deepest].error = 300.0;
        let snapshot = snapshot;
        let Some(found) = visit(SCRIPT, &snapshot, &folder) else {
            return;
        };
        let count = |key: &str| found[key].as_u64().unwrap();
        assert_eq!(found["title"], "demo \"x\" <b> - iprof");
        assert_eq!(found["about"][1], "--fine </dd>");
        assert_eq!(found["about"][2], "2027-01-15 08:00:00 UTC");
        assert!(count("rowsAtFirst") > 3);
        assert_eq!(count("rowsClosed"), 1);
        let threads = found["threads"].as_array().unwrap();
        assert_eq!(threads.len(), 3);
        let shown_names = ["main", "worker #1", "worker #2"];
        for ((shown, thread), name) in threads.iter().zip(&snapshot.threads).zip(shown_names) {
            let ticks: u64 = thread.nodes.iter().map(|node| node.ticks).sum();
            assert_eq!(shown[0], name);
            assert!((shown[1].as_f64().unwrap() - snapshot.ns(ticks)).abs() < 1.0);
        }
        assert!(count("rowsOpen") > 4);
        assert_eq!(count("rowsClosedAgain"), 4);

        let zones: Vec<_> = found["zones"].as_array().unwrap().iter().collect();
        for (at, (zone, sums)) in snapshot.zones.iter().zip(by_zone(&snapshot)).enumerate() {
            let name = shown(&zone.name);
            let row = zones.iter().find(|row| row["name"] == name);
            let row = row.unwrap_or_else(|| panic!("{name} is missing"));
            let entries = row["entries"].as_str().unwrap().replace(',', "");
            assert_eq!(entries.parse().unwrap_or(0), sums.entries, "{name}");
            assert!(
                (number(&row["selfNs"]) - sums.self_ns).abs() < 600.0,
                "{name}"
            );
            // A thread's row includes the time outside zones, but the `(outside zones)` row does not include zones.
            let hier = if at == 0 { sums.self_ns } else { sums.hier_ns };
            assert!((number(&row["hierNs"]) - hier).abs() < 600.0, "{name}");
        }
        let mut sampled: Vec<&str> = Vec::new();
        for node in snapshot.threads[0].stack(deepest) {
            let name = shown(&snapshot.zones[node.zone as usize].name);
            if node.zone != 0 && !sampled.contains(&name) {
                sampled.push(name);
            }
        }
        let marked = |column: &str| -> Vec<&str> {
            let marked = zones
                .iter()
                .filter(|row| row[column].as_str().unwrap().starts_with('~'));
            marked.map(|row| row["name"].as_str().unwrap()).collect()
        };
        assert_eq!(marked("self"), [sampled[0]]);
        let mut hier = marked("hier");
        hier.sort_unstable();
        let own = sampled[0];
        sampled.sort_unstable();
        assert_eq!(hier, sampled);
        // 300 ticks are 100 ns.
        let error = zones.iter().find(|row| row["name"] == own).unwrap();
        assert_eq!(error["errorNs"], "100");
        assert!(error["error"].as_str().unwrap().starts_with('±'));
        let rows = found["sampledRows"].as_array().unwrap();
        assert_eq!(rows[1], false, "the thread's time should be exact");
        assert_eq!(rows.iter().filter(|row| **row == true).count(), 1);

        let mut back = list(&found["byNameBack"]);
        back.reverse();
        assert_eq!(list(&found["byName"]), back);
        assert_ne!(list(&found["byName"]), list(&found["byEntries"]));
        assert_eq!(found["markup"], 0);
        assert_eq!(found["ran"], 0, "a name ran as a script");
        assert_ne!(found["light"], found["dark"]);
        assert_eq!(found["requests"], json!([]));
    }
}

#[test]
fn page_of_empty_profile_works() {
    let folder = Folder::new("html-empty");
    if let Some(found) = visit(SCRIPT, &empty(), &folder) {
        assert_eq!(found["title"], "iprof");
        assert_eq!(found["zones"], json!([]));
        assert_eq!(found["requests"], json!([]));
    }
}

/// A snapshot of a small game. On `main`, `frame` takes 6 ms itself and calls `solve` (3 ms), which calls itself (1 ms)
/// and `sort` (2 ms). `load` calls `solve` for 4 ms, and 8 ms are outside zones. `worker` spends 5 ms in `solve`.
pub(crate) fn game() -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.frames = 10;
    let zones = ["frame", "solve", "sort", "load"];
    let [frame, solve, sort, load] =
        zones.map(|name| snapshot.intern_zone(SnapshotZone::new(name, "src/game.rs", 7)));
    let mut main = SnapshotThread::new("main");
    main.nodes[0].ticks = 8_000_000;
    let add = |thread: &mut SnapshotThread, parent: usize, zone, ms: u64, entries| {
        let at = thread.child(parent, zone);
        thread.nodes[at].ticks = ms * 1_000_000;
        thread.nodes[at].entries = entries;
        at
    };
    let in_frame = add(&mut main, 0, frame, 6, 10);
    let in_solve = add(&mut main, in_frame, solve, 3, 20);
    add(&mut main, in_solve, solve, 1, 5);
    add(&mut main, in_solve, sort, 2, 40);
    let in_load = add(&mut main, 0, load, 0, 1);
    add(&mut main, in_load, solve, 4, 2);
    let mut worker = SnapshotThread::new("worker");
    add(&mut worker, 0, solve, 5, 9);
    snapshot.threads = vec![main, worker];
    snapshot
}

const VIEWS: &str = r##"
const found = {};
const numbers = (grid) => rows(grid).map((row) => [Number(row.level), row.name, Number(row.hierNs) / 1e6, row.entries]);
click("#hot");
found.tree = numbers("#tree");
choose("#thread", "merged");
found.merged = numbers("#tree").slice(0, 5);
found.mergedFlame = frames().map((frame) => frame.name.split(":")[0]);
choose("#shape", "inverted");
key("#tree .grid", "ArrowDown");
key("#tree .grid", "ArrowRight");
found.inverted = numbers("#tree");
choose("#thread", "0");
found.invertedMain = numbers("#tree");
choose("#shape", "calls");
choose("#thread", "all");
// Clicking a box zooms to it and shows its zone's callers and callees.
frames().find((frame) => frame.name === "solve" && frame.box.node.parent.name === "frame").box.click();
found.title = document.querySelector("#neighbors h2").textContent;
found.callers = numbers("#callers");
found.callees = numbers("#callees");
found.zoomed = frames().map((frame) => frame.name.split(":")[0]);
key("#flame .graph", "Escape");
found.wholeAgain = frames().length;
// The same with the keyboard: down to `main`, to its largest callee and to that zone's largest callee, then zoom in.
for (const name of ["ArrowDown", "ArrowDown", "ArrowDown"]) key("#flame .graph", name);
found.said = document.querySelector("#flame output").textContent;
found.active = document.getElementById(document.querySelector("#flame .graph").getAttribute("aria-activedescendant")).ariaLabel;
key("#flame .graph", "Enter");
found.zoomedByKey = frames().map((frame) => frame.name.split(":")[0]);
key("#flame .graph", "-");
found.zoomedOut = flame.zoomed.name;
click("#whole");
search("sort");
found.foundTime = document.querySelector("#found").textContent;
found.foundFrames = all("#flame .found").map((frame) => frame.node.name);
found.foundZones = rows("#zones").map((row) => row.name);
click("#close");
key("#search", "Enter");
found.foundRow = document.querySelector("#tree .detail").textContent;
found.foundRows = all("#tree .row.found").map((row) => row.querySelector(".label").textContent);
search("");
found.afterward = rows("#zones").length;
return found;
"##;

#[test]
fn trees_can_be_merged_inverted_and_searched() {
    let Some(found) = visit(VIEWS, &game(), &Folder::new("html-views")) else {
        return;
    };
    let tree = found["tree"].as_array().unwrap();
    assert_eq!(tree[0], json!([1, "all threads", 29, ""]));
    assert_eq!(tree[1], json!([2, "main", 24, ""]));
    assert_eq!(tree[2], json!([3, "frame", 12, "10"]));
    // The root is the thread. Its self time is shown as a sibling of its callees.
    let outside = json!([3, "(outside zones)", 8, ""]);
    assert!(tree.contains(&outside), "{tree:?}");
    assert_eq!(
        found["merged"],
        json!([
            [1, "all threads merged", 29, ""],
            [2, "frame", 12, "10"],
            [3, "solve", 6, "20"],
            [4, "sort", 2, "40"],
            [4, "solve", 1, "5"]
        ])
    );
    let merged = list(&found["mergedFlame"]);
    assert_eq!(merged.iter().filter(|name| *name == "solve").count(), 4);
    assert_eq!(
        found["inverted"],
        json!([
            [1, "all threads", 29, ""],
            [2, "solve", 13, "36"],
            [3, "(outside zones)", 5, "9"],
            [3, "load", 4, "2"],
            [3, "frame", 3, "20"],
            [3, "solve", 1, "5"],
            [2, "(outside zones)", 8, ""],
            [2, "frame", 6, "10"],
            [2, "sort", 2, "40"],
            [2, "load", 0, "1"]
        ])
    );
    assert_eq!(found["invertedMain"][0], json!([1, "main", 24, ""]));
    assert_eq!(found["title"], "Callers and callees of solve");
    // The 15 ms are counted only once, although `solve` is recursive. For 5 ms of them, `solve` was called from outside
    // zones.
    assert_eq!(
        found["callers"],
        json!([
            [1, "solve", 15, "31"],
            [2, "frame", 6, "20"],
            [2, "(outside zones) on worker", 5, "9"],
            [2, "load", 4, "2"]
        ])
    );
    assert_eq!(
        found["callees"],
        json!([
            [1, "solve", 15, "31"],
            [2, "sort", 2, "40"],
            [2, "solve", 1, "5"]
        ])
    );
    let zoomed = list(&found["zoomed"]);
    assert_eq!(
        zoomed,
        ["all threads", "main", "frame", "solve", "sort", "solve"]
    );
    assert_eq!(found["wholeAgain"], 11);
    let said = found["said"].as_str().unwrap();
    assert!(
        said.starts_with("solve: 6.000 ms, 20.69 %, self 3.000 ms, 20 calls, src/game.rs:7"),
        "{said}"
    );
    assert_eq!(found["active"], said);
    assert_eq!(list(&found["zoomedByKey"]), zoomed);
    assert_eq!(found["zoomedOut"], "frame");
    assert_eq!(found["foundTime"], "on the stack for 2.000 ms, 6.90 %");
    assert_eq!(found["foundFrames"], json!(["sort"]));
    assert_eq!(found["foundZones"], json!(["sort"]));
    assert!(
        found["foundRow"]
            .as_str()
            .unwrap()
            .starts_with("sort · src/game.rs:7")
    );
    assert_eq!(found["foundRows"], json!(["sort"]));
    assert_eq!(found["afterward"], 5);
}

/// A call stack that is much deeper than the page can show.
const DEEP_SCRIPT: &str = r##"
const found = {};
found.rows = calls.grid.rows.length;
found.inDocument = all("#tree .row").length;
choose("#thread", "0");
found.frames = frames().length;
let node = tree;
for (let depth = 0; depth < 5000; depth++) node = node.children[0];
flame.zoom(node);
found.zoomed = frames().length;
return found;
"##;

#[test]
fn page_of_deep_stack_shows_legible_levels() {
    let folder = Folder::new("html-deep");
    let mut snapshot = Snapshot::default();
    let zone = snapshot.intern_zone(SnapshotZone::new("visit", "a.rs", 1));
    let mut thread = SnapshotThread::new("main");
    for parent in 0..100_000 {
        let mut node = SnapshotNode {
            parent,
            zone,
            ..SnapshotNode::default()
        };
        (node.entries, node.ticks) = (1, 1);
        thread.nodes.push(node);
    }
    snapshot.threads.push(thread);
    if let Some(found) = visit(DEEP_SCRIPT, &snapshot, &folder) {
        let count = |key: &str| found[key].as_u64().unwrap();
        assert!((2_000..2_010).contains(&count("rows")), "{found}");
        assert!(count("inDocument") < 200, "{found}");
        // The visible frames are the zoomed box with its callees, plus a hundred callers.
        assert_eq!(count("frames"), 1_001);
        assert_eq!(count("zoomed"), 1_101);
    }
}
