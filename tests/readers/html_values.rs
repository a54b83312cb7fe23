//! Tests named values on the page: sums and times per unit must match sums over entire call stacks.

use crate::browser::{visit, visit_with_frames};
use crate::html_diff::{json_of, with_files};
use crate::program::Folder;
use iprof::{FrameSnapshot, Snapshot, SnapshotThread, SnapshotValue, SnapshotZone, ValueInfo};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Each stack with its self nanoseconds and the steps added to each value.
type Stacks = Vec<(Vec<&'static str>, u64, [i64; 2])>;

/// `solve` calls itself and is called by two zones. The second value has 100 steps per unit.
fn stacks() -> Stacks {
    vec![
        (vec!["frame"], 4_000, [0, 7]),
        (vec!["frame", "solve"], 30_000, [120, 1_250]),
        (vec!["frame", "solve", "solve"], 6_000, [30, 0]),
        (vec!["frame", "solve", "solve", "leaf"], 500, [-5, 0]),
        (vec!["load"], 9_000, [0, 0]),
        (vec!["load", "solve"], 1_000, [3, -50]),
        (vec!["wait"], 2_000, [0, 0]),
    ]
}

fn snapshot(stacks: &Stacks) -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.frames = 4;
    snapshot.values = vec![
        ValueInfo {
            name: "bodies".into(),
            unit: "body".into(),
            steps: 1,
        },
        ValueInfo {
            name: "energy".into(),
            unit: "".into(),
            steps: 100,
        },
        ValueInfo {
            name: "never".into(),
            unit: "unit".into(),
            steps: 1,
        },
    ];
    let mut thread = SnapshotThread::new("main");
    for (stack, ns, steps) in stacks {
        let mut at = SnapshotThread::ROOT;
        for name in stack {
            let zone = snapshot.intern_zone(SnapshotZone::new(name, "game.rs", 1));
            at = thread.child(at, zone);
        }
        thread.nodes[at].ticks = *ns;
        thread.nodes[at].entries = 1;
        for (value, steps) in (0..).zip(steps).filter(|(_, steps)| **steps != 0) {
            let sum = SnapshotValue {
                node: at as u32,
                value,
                steps: *steps,
            };
            thread.values.push(sum);
        }
    }
    // Time and values outside zones.
    thread.nodes[0].ticks = 100;
    thread.values.push(SnapshotValue {
        node: 0,
        value: 0,
        steps: 11,
    });
    snapshot.threads.push(thread);
    snapshot
}

const SCRIPT: &str = r##"
const found = {};
const numbers = (node) => node.values.map((sum) => Math.round(sum * 100));
found.zones = Object.fromEntries(zones.all.map((row) => [row.name, numbers(row)]));
const tree = {};
const walk = (node, path) => {
  tree[path] = numbers(node);
  for (const child of node.children) walk(child, path === "" ? child.name : path + "/" + child.name);
};
walk(new MergedNode(everything, null, NO_ZONE, everything.threads.map(({ root }) => root)), "");
found.tree = tree;
const solve = everything.zones.findIndex(({ name }) => name === "solve");
const callers = callersOf({ profile: everything, threads: everything.threads }, solve);
found.callers = [numbers(callers), ...callers.children.map((node) => [node.name, numbers(node)])];
found.inverted = numbers(new InvertedNode({ profile: everything, threads: everything.threads }).children.find((node) => node.name === "solve"));
found.keys = zones.columns.map(({ key }) => key);
found.heads = zones.columns.filter(({ key }) => key.includes("value")).map(({ title }) => title);
const cells = (key) => Object.fromEntries(rows("#zones").map((row) => [row.name, row[key]]));
found.shown = heads("#zones");
found.bodies = cells("value0");
found.each = cells("per value0");
const sorts = all("#zones [role=columnheader] button");
sorts.find((button) => button.textContent.startsWith("bodies")).click();
found.sorted = rows("#zones").map((row) => row.name);
const cell = all("#zones .body .row").find((row) => row.node.name === "solve").children[heads("#zones").indexOf("value0")];
found.title = cell.title;
zones.goTo(solve);
found.detail = document.querySelector("#zones .detail").textContent;
found.described = describe(all("#flame .frame").map((box) => box.node).find((node) => node.name === "solve"));
return found;
"##;

/// Converts steps to hundredths of units.
fn units(steps: [i64; 2]) -> [i64; 3] {
    [steps[0] * 100, steps[1], 0]
}

#[test]
fn values_and_times_per_unit_have_columns() {
    let folder = Folder::new("html-values");
    let Some(found) = visit(SCRIPT, &snapshot(&stacks()), &folder) else {
        return;
    };
    // The expected sums for each zone, and for each path including its callees.
    let mut by_zone: BTreeMap<&str, [i64; 2]> = BTreeMap::new();
    let mut by_path: BTreeMap<String, [i64; 2]> = BTreeMap::new();
    let add = |to: &mut [i64; 2], steps: [i64; 2]| {
        to[0] += steps[0];
        to[1] += steps[1];
    };
    for (stack, _, steps) in stacks().into_iter().chain([(vec![], 100, [11, 0])]) {
        let zone = stack.last().copied().unwrap_or("(outside zones)");
        add(by_zone.entry(zone).or_default(), steps);
        for depth in 0..=stack.len() {
            add(by_path.entry(stack[..depth].join("/")).or_default(), steps);
        }
    }
    by_path.insert("(outside zones)".to_owned(), [11, 0]);
    for (zone, steps) in &by_zone {
        assert_eq!(found["zones"][*zone], json!(units(*steps)), "{zone}");
    }
    for (path, steps) in &by_path {
        assert_eq!(found["tree"][path], json!(units(*steps)), "{path}");
    }
    assert_eq!(found["tree"].as_object().unwrap().len(), by_path.len());
    // Caller sums cover the outermost calls of `solve`, including their callees.
    let of_solve = json!([
        units([148, 1_200]),
        ["frame", units([145, 1_250])],
        ["load", units([3, -50])]
    ]);
    assert_eq!(found["callers"], of_solve);
    assert_eq!(found["inverted"], json!(units([153, 1_200])));
    // Nothing was added to the third value, so it has no column.
    let keys: Vec<&str> = found["keys"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let of_values: Vec<&&str> = keys.iter().filter(|key| key.contains("value")).collect();
    assert_eq!(
        of_values,
        [&"value0", &"per value0", &"value1", &"per value1"]
    );
    assert_eq!(
        found["heads"],
        json!(["bodies", "ns/body", "energy", "µs/unit"])
    );
    assert_eq!(found["bodies"]["solve"], "153");
    assert_eq!(found["bodies"]["leaf"], "-5");
    assert_eq!(found["bodies"]["wait"], "");
    // (30,000 + 6,000 + 1,000) / 153.
    assert_eq!(found["each"]["solve"], "241.8");
    assert_eq!(found["sorted"][0], "solve");
    assert_eq!(found["sorted"][1], "(outside zones)");
    assert_eq!(found["title"], "bodies 153 body, 38.25 per frame");
    let detail = found["detail"].as_str().unwrap();
    assert!(
        detail.contains("bodies 153 body") && detail.contains("241.8 ns/body"),
        "{detail}"
    );
    let described = found["described"].as_str().unwrap();
    assert!(
        described.contains(", bodies 145 body, energy 12.5"),
        "{described}"
    );
}

/// Checks that a frame has its own sums, and that a JSON profile dropped on the page also has values.
#[test]
fn frames_and_dropped_profiles_have_values() {
    let whole = snapshot(&stacks());
    let mut other = stacks();
    other.truncate(2);
    let mut recorded = snapshot(&other);
    // The whole profile lacks a value that first appears in a later frame.
    recorded.values.insert(
        0,
        ValueInfo {
            name: "later".into(),
            unit: "".into(),
            steps: 1,
        },
    );
    for sum in &mut recorded.threads[0].values {
        sum.value += 1;
    }
    recorded.threads[0].values.push(SnapshotValue {
        node: 1,
        value: 0,
        steps: 9,
    });
    let frames = vec![FrameSnapshot {
        number: 1,
        begin_ns: 2_000_000_000,
        recorded,
        marks: Vec::new(),
    }];
    let script = r##"
const found = {};
const sums = (profile) => profile.values.map(({ name, self }) => [name, self.reduce((sum, one) => sum + one, 0)]);
chooseFrame(0);
found.frame = sums(own);
found.all = sums(everything);
found.empty = zones.columns.filter(({ key }) => key.startsWith("value")).length;
for (const [name, text] of OTHERS) found[name] = sums(new Profile(dataOf(text), name));
return found;
"##;
    let script = with_files(script, &[("dropped", json_of(&whole))]);
    let folder = Folder::new("html-values-frames");
    let Some(found) = visit_with_frames(&script, &whole, frames, &folder) else {
        return;
    };
    assert_eq!(
        found["frame"],
        json!([["bodies", 131], ["energy", 12.57], ["never", 0]])
    );
    let all = json!([["bodies", 159], ["energy", 12.07], ["never", 0]]);
    assert_eq!((&found["all"], &found["dropped"]), (&all, &all));
    assert_eq!(found["empty"], 2);
}

#[test]
fn page_without_values_has_no_value_columns() {
    let mut plain = snapshot(&stacks());
    plain.values.clear();
    plain.threads[0].values.clear();
    let script = r#"return zones.columns.concat(calls.grid.columns).map(({ key }) => key);"#;
    let Some(found) = visit(script, &plain, &Folder::new("html-values-none")) else {
        return;
    };
    let has_some = found
        .as_array()
        .unwrap()
        .iter()
        .any(|key| key.as_str().unwrap().contains("value"));
    assert!(!has_some, "{found}");
}
