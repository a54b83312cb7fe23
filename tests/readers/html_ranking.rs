//! Tests that the page ranks by work: percentages refer to the work column next to them, and idle rows come last.

use crate::browser::visit;
use crate::html::list;
use crate::html_idle::waiting;
use crate::program::Folder;
use iprof::SnapshotZone;
use serde_json::json;

#[test]
fn work_percentages_match_the_adjacent_column() {
    let script = r##"
const found = { wrong: [], keys: {}, count: 0 };
const check = (grid, of) => {
  const at = heads(grid).indexOf("share");
  if (at < 0) return;
  (found.keys[grid] ??= []).push(heads(grid)[at - 1]);
  for (const row of rows(grid)) {
    const part = Number(row[heads(grid)[at - 1] + "Ns"]);
    if (row.share === "") continue;
    found.count++;
    if (Math.abs(100 * part / of - Number(row.share)) > 0.01) found.wrong.push([grid, row.name, part, row.share]);
  }
};
for (const width of [1280, 800, 400]) {
  document.body.style.width = width + "px";
  for (const [shape, thread] of [["calls", "all"], ["calls", "1"], ["inverted", "all"], ["calls", "merged"]]) {
    choose("#shape", shape);
    choose("#thread", thread);
    for (const name of ["frame", "job"]) {
      neighbors.show(scope, zones.all.find((row) => row.name === name)?.part ?? 3, null);
      for (const grid of [calls.grid, neighbors.callers, neighbors.callees]) grid.layout();
      check("#tree", calls.root.ranked);
      if (document.querySelector("#neighbors .pair").hidden) continue;
      check("#callers", neighbors.callers.rows[0].ranked);
      check("#callees", neighbors.callees.rows[0].ranked);
    }
  }
}
return found;
"##;
    let Some(found) = visit(script, &waiting(), &Folder::new("html-work")) else {
        return;
    };
    assert_eq!(found["wrong"], json!([]));
    assert!(found["count"].as_u64().unwrap() > 40, "{found}");
    let keys = list(&found["keys"]["#tree"]);
    assert!(keys.iter().all(|key| key == "work"), "{found}");
    // Without idle zones, all time is work.
    let keys = list(&found["keys"]["#callees"]);
    assert!(
        keys.contains(&"work".into()) && keys.contains(&"hier".into()),
        "{found}"
    );
}

/// Checks a profile in which `frame` calls `wait`, `poll` and, for shorter times, `draw` and `sound`. `draw` also calls
/// `wait`.
#[test]
fn idle_rows_are_last_and_dimmed_in_every_ranking() {
    let mut snapshot = waiting();
    let [poll, draw, sound] = ["poll", "draw", "sound"].map(|name| {
        let mut zone = SnapshotZone::new(name, "src/game.rs", 7);
        zone.is_idle = name == "poll";
        snapshot.intern_zone(zone)
    });
    let main = &mut snapshot.threads[0];
    for (parent, zone, ms) in [(1, poll, 12), (1, draw, 2), (1, sound, 1), (4, 2, 9)] {
        let at = main.child(parent, zone);
        (main.nodes[at].ticks, main.nodes[at].entries) = (ms * 1_000_000, 3);
    }
    let script = r##"
const found = {};
const listed = (nodes) => nodes.map((node) => node.name + (node.isIdle ? " idle" : ""));
const dimmed = (grid) => all(grid + " .body .row").filter((row) => row.matches(".idle") !== row.node.isIdle || (row.node.isIdle && Number(row.style.getPropertyValue("--heat")) > 0)).length;
const flameNames = () => frames().filter((frame) => frame.box.node.isIdle).map((frame) => frame.box.node.name);
const show = (name) => neighbors.show(scope, zones.all.find((row) => row.name === name).part, null);
const look = () => {
  for (const shape of ["calls", "inverted"]) {
    choose("#thread", "merged");
    choose("#shape", shape);
    calls.grid.expand(1);
    calls.grid.layout();
    found[shape] = listed(tree.children);
    found[shape + " below"] = listed(tree.children[0].children);
    found[shape + " flame"] = flameNames();
    found[shape + " dimmed"] = dimmed("#tree");
  }
  choose("#shape", "calls");
  show("frame");
  found.callees = listed(neighbors.callees.rows);
  found.calleesDimmed = dimmed("#callees");
  show("wait");
  found.callers = listed(neighbors.callers.rows);
  found.callersDimmed = dimmed("#callers");
  for (const key of ["self", "hier", "each", "share"]) {
    while (!document.querySelector(`#zones [data-key=${key}][aria-sort=descending]`)) click(`#zones [data-key=${key}] button`);
    found["zones by " + key] = listed(zones.grid.rows).slice(-3);
    found["zones dimmed by " + key] = dimmed("#zones");
  }
};
look();
return found;
"##;
    let Some(found) = visit(script, &snapshot, &Folder::new("html-rankings")) else {
        return;
    };
    let outside = "(outside zones, idle) idle";
    assert_eq!(found["calls"], json!(["frame", "job", outside]));
    assert_eq!(
        found["calls below"],
        json!(["draw", "sound", "poll idle", "wait idle"])
    );
    let idle = [outside, "wait idle", "poll idle"];
    let mut inverted = list(&found["inverted"]);
    assert_eq!(inverted.split_off(4), idle);
    assert_eq!(inverted, ["frame", "draw", "job", "sound"]);
    assert_eq!(
        found["callees"],
        json!(["frame", "draw", "sound", "poll idle", "wait idle"])
    );
    assert_eq!(
        found["callers"],
        json!(["wait idle", "frame idle", "draw idle"])
    );
    for (key, value) in found.as_object().unwrap() {
        if key.contains("immed") {
            assert_eq!(*value, 0, "{key}");
        } else if key.ends_with("flame") {
            assert_eq!(*value, json!([]), "{key}");
        } else if key.starts_with("zones by") {
            let mut last = list(value);
            last.sort_unstable();
            assert_eq!(
                last,
                ["(outside zones, idle) idle", "poll idle", "wait idle"],
                "{key}"
            );
        }
    }
}
