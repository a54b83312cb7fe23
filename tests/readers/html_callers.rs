//! Tests the sums on the page: a zone's callers must sum to its total time, and its callees to its total time minus its
//! self time.

use crate::browser::visit;
use crate::html::game;
use crate::program::Folder;
use crate::recorded::{names, random};
use serde_json::json;

/// Collects the summed rows of each zone's callers and callees, including those in the inverted tree.
const SCRIPT: &str = r##"
const found = { callers: [], callees: [], inverted: [], own: [], count: 0 };
const sum = (rows, of) => rows.reduce((sum, row) => sum + of(row), 0);
const differs = (a, b) => Math.abs(a - b) > 0.5;
for (const thread of ["all", "merged", "0", "1"]) {
  choose("#thread", thread);
  for (const row of zones.all) {
    if (row.part === OUTSIDE || row.hier === 0) continue;
    neighbors.show(scope, row.part);
    const [callers, callees] = [neighbors.callers.rows, neighbors.callees.rows];
    found.count++;
    for (const [name, [head, ...rest], sums] of [["callers", callers, (head) => head.hier], ["callees", callees, (head) => head.hier - head.self]]) {
      const direct = rest.filter((node) => node.depth === 1);
      if (differs(sum(direct, (node) => node.hier), sums(head))) found[name].push([thread, row.name, head.hier, direct.map((node) => [node.name, node.hier])]);
      if (differs(head.hier, row.hier)) found.own.push([thread, row.name, head.hier, row.hier]);
    }
    const calls = sum(callers.filter((node) => node.depth === 1), (node) => node.entries);
    if (calls !== callers[0].entries) found.callers.push([thread, row.name, calls, callers[0].entries]);
  }
  const inverted = new InvertedNode(scope);
  const waiting = [inverted];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (node.children.length > 0 && differs(sum(node.children, (child) => child.hier), node.hier)) found.inverted.push([thread, node.name, node.hier]);
    if (node.depth < 5) waiting.push(...node.children);
  }
}
choose("#thread", "all");
chooseZone(zones.all.find((row) => row.name === "module::zone_3"));
found.names = rows("#callers").map((row) => row.name);
return found;
"##;

#[test]
fn callers_and_callees_sum_to_zone_time() {
    let snapshot = random(&names(12), 900);
    let Some(found) = visit(SCRIPT, &snapshot, &Folder::new("html-callers")) else {
        return;
    };
    assert!(found["count"].as_u64().unwrap() > 40, "{found}");
    for kind in ["callers", "callees", "inverted", "own"] {
        assert_eq!(found[kind], json!([]), "{kind}");
    }
}

#[test]
fn outside_zones_is_a_caller_of_each_thread() {
    let script = r##"
const found = {};
const numbers = (grid) => rows(grid).map((row) => [row.name, Number(row.hierNs) / 1e6]);
chooseZone(zones.all.find((row) => row.name === "solve"));
found.all = numbers("#callers");
choose("#thread", "merged");
found.merged = numbers("#callers");
choose("#thread", "1");
found.one = numbers("#callers");
found.expandable = all("#callers .row[aria-expanded]").length;
choose("#thread", "all");
chooseZone(zones.all.find((row) => row.name === "(outside zones)"));
found.outside = numbers("#callers");
return found;
"##;
    let mut snapshot = game();
    // Add a second worker.
    snapshot.threads.push(snapshot.threads[1].clone());
    let Some(found) = visit(script, &snapshot, &Folder::new("html-outside")) else {
        return;
    };
    let threads = [
        "(outside zones) on worker #1",
        "(outside zones) on worker #2",
    ];
    let all = json!([
        ["solve", 20],
        ["frame", 6],
        [threads[0], 5],
        [threads[1], 5],
        ["load", 4]
    ]);
    assert_eq!(found["all"], all);
    let merged = json!([
        ["solve", 20],
        ["(outside zones)", 10],
        ["frame", 6],
        ["load", 4]
    ]);
    assert_eq!(found["merged"], merged);
    assert_eq!(found["one"], json!([["solve", 5], ["(outside zones)", 5]]));
    assert_eq!(found["expandable"], 1);
    let outside = json!([["(outside zones)", 8], ["(outside zones) on main", 8]]);
    assert_eq!(found["outside"], outside);
}

/// Clicking a flame graph box selects its row in all tables.
#[test]
fn flame_graph_click_selects_in_the_tables() {
    let script = r##"
const found = { clicked: [] };
const current = (grid) => grid.rows[grid.current].name;
const line = (grid) => document.querySelector(grid + " [aria-selected=true] .label").textContent;
for (const name of ["sort", "load", "main"]) {
  click("#whole");
  const box = all("#flame .frame").find((box) => box.node.name === name);
  box.click();
  found.clicked.push([name, current(calls.grid), line("#tree"), current(zones.grid), neighbors.callers.rows[0].name]);
}
found.heads = ["#zones", "#tree", "#callers", "#callees"].map((grid) => document.querySelector(grid + " [data-key=share]").textContent);
found.explained = document.querySelector("#callees [data-key=share]").title;
found.calls = describe(calls.root.children[0].byKey.get(own.keys[4]));
found.counts = [0, 1, 2, 1000].map((count) => counted(count, "zone"));
found.threads = own.threads.map((thread) => thread.name);
return found;
"##;
    let mut snapshot = game();
    for name in ["unnamed", "unnamed"] {
        let mut thread = snapshot.threads[1].clone();
        thread.name = name.into();
        snapshot.threads.push(thread);
    }
    let Some(found) = visit(script, &snapshot, &Folder::new("html-clicks")) else {
        return;
    };
    let clicked = json!([
        ["sort", "sort", "sort", "sort", "sort"],
        ["load", "load", "load", "load", "load"],
        // A thread is not a zone, so selecting a thread doesn't change the callers and callees.
        ["main", "main", "main", "load", "load"],
    ]);
    assert_eq!(found["clicked"], clicked);
    let heads = ["self %", "time %", "% of zone", "% of zone"];
    assert_eq!(found["heads"], json!(heads));
    let explained =
        "time in the zone and everything it calls, as a share of the chosen zone's time";
    assert_eq!(found["explained"], explained);
    assert!(
        found["calls"].as_str().unwrap().contains(", 1 call,"),
        "{found}"
    );
    let counts = ["0 zones", "1 zone", "2 zones", "1,000 zones"];
    assert_eq!(found["counts"], json!(counts));
    let threads = ["main", "worker", "thread unnamed #1", "thread unnamed #2"];
    assert_eq!(found["threads"], json!(threads));
}

#[test]
fn recursive_caller_counts_are_explained() {
    let script = r##"
const note = () => all("#neighbors .recursive").map((note) => [note.checkVisibility(), note.textContent]);
const found = [];
for (const name of ["sort", "solve", "load"]) {
  chooseZone(zones.all.find((row) => row.name === name));
  found.push(note());
}
choose("#thread", "1");
chooseZone(zones.all.find((row) => row.name === "solve"));
found.push(note());
return found;
"##;
    let Some(found) = visit(script, &game(), &Folder::new("html-recursive")) else {
        return;
    };
    let note = "solve is recursive: its callers and its own row only show its outermost calls, 31 of 36, and their \
                self time. The other calls are listed among its callees.";
    let hidden = json!([[false, ""]]);
    let shown = json!([[true, note]]);
    // On the worker, `solve` does not call itself.
    assert_eq!(found, json!([hidden, shown, hidden, hidden]));
}
