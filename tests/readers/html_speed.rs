//! Tests the HTML page's response times with a large profile.

use crate::browser::visit_in_real_time;
use crate::program::Folder;
use crate::recorded::{names, random};
use iprof::{FrameSnapshot, Snapshot};
use std::collections::BTreeMap;

/// The page's time limits in milliseconds, for opening the page and for responding to an action.
const OPEN_MS: f64 = 1_000.0;
const ANSWER_MS: f64 = 50.0;
/// `./dev test` multiplies the limits by this factor, because other programs slow the page down. The test still detects
/// large errors, because with 50,000 stacks, a quadratic algorithm takes seconds. `./dev soak page` sets
/// `IPROF_PAGE_LIMITS=1`, which tests the original limits on an idle machine.
const ALLOWANCE: f64 = 3.0;
/// The time in milliseconds that the reference workload takes on an idle machine on which the limits hold. On slower
/// machines, measured times are scaled down.
const YARDSTICK_MS: f64 = 12.0;

/// Repeats an action from the same state until the action and its layout complete within the limit, but at most `TURNS`
/// times. Only the best time is used, because interference from other programs only adds time.
const TIMED: &str = r##"
document.body.offsetHeight;
const found = { ms: { open: performance.now() } };
// The reference workload: a fixed amount of work similar to the page's.
const yardstick = () => {
  let seed = 1;
  const numbers = Array.from({ length: 50_000 }, () => (seed = (seed * 16_807) % 2_147_483_647));
  const start = performance.now();
  numbers.sort((a, b) => a - b);
  return performance.now() - start;
};
found.yardstick = Math.min(...Array.from({ length: 20 }, yardstick));
const timed = (name, prepare, act) => {
  let best = Infinity;
  for (let turn = 0; turn < TURNS && best >= LIMIT; turn++) {
    prepare(turn);
    document.body.offsetHeight;
    const start = performance.now();
    act();
    document.body.offsetHeight;
    best = Math.min(best, performance.now() - start);
    // More repetitions would take minutes.
    if (turn === 2 && best > 10 * LIMIT) throw new Error(`${name} took ${best} ms`);
  }
  found.ms[name] = best;
};
"##;

/// Measures how long the page takes to respond to each key.
const KEYS: &str = r##"
const tree = (...names) => names.forEach((name) => key("#tree .grid", name));
const table = (...names) => names.forEach((name) => key("#zones .grid", name));
const graph = (...names) => names.forEach((name) => key("#flame .graph", name));
// Show a different zone's callers and callees before each turn, so that the timed action has to build new lists.
const other = () => neighbors.show(scope, zones.all.find((row) => row.part !== OUTSIDE && row.part !== neighbors.part).part);
for (const [before, name] of [[["Home", "ArrowDown"], "ArrowDown"], [["Home", "ArrowDown", "ArrowDown", "ArrowLeft"], "ArrowRight"],
  [["Home", "ArrowDown", "ArrowRight"], "ArrowLeft"], [["Home"], "PageDown"], [["Home"], "End"], [["End"], "PageUp"], [["End"], "Home"],
  [["Home", "ArrowDown", "ArrowDown"], "Enter"]]) {
  timed("tree " + name, () => (tree(...before), other()), () => tree(name));
}
for (const [before, name] of [["Home", "ArrowDown"], ["Home", "PageDown"], ["Home", "End"], ["End", "PageUp"], ["End", "Home"]]) {
  timed("zones " + name, () => (table(before), other()), () => table(name));
}
for (const [before, name] of [[["Escape"], "ArrowDown"], [["Escape", "ArrowDown", "ArrowDown"], "ArrowRight"], [["Escape", "ArrowDown"], "Enter"],
  [["Escape", "ArrowDown", "Enter"], "-"], [["Escape", "ArrowDown", "Enter"], "Escape"]]) {
  timed("flame " + name, () => (graph(...before), other()), () => graph(name));
}
for (const wanted of ["z", "zo", "zone_12", "zone_1234"]) timed("search " + wanted, () => search(""), () => search(wanted));
timed("search", () => search("zone_1"), () => search(""));
timed("search Enter", () => (click("#close"), search("zone_1")), () => key("#search", "Enter"));
search("");
const sort = (column) => click(`#zones [data-key=${column}] button`);
for (const column of ["name", "entries", "self"]) timed("sort " + column, () => sort("share"), () => sort(column));
const shapes = ["calls", "inverted"];
for (const shape of shapes) timed(shape, () => choose("#shape", shapes.find((each) => each !== shape)), () => choose("#shape", shape));
for (const thread of ["merged", "0", "all"]) timed("thread " + thread, () => choose("#thread", "1"), () => choose("#thread", thread));
found.frames = frames().length;
found.zones = own.zones.length;
found.stacks = own.parent.length;
return found;
"##;

/// Measures stepping through frames without and with zoom, and in a diff with the whole profile, which has the same
/// number of stacks.
const FRAMES: &str = r##"
const steps = (what) => {
  for (const [name, before] of [["ArrowLeft", ["End"]], ["ArrowRight", ["Home"]], ["PageDown", ["End"]], ["Home", ["End"]], ["Escape", ["End"]], ["End", ["Escape"]]]) {
    timed(what + name, () => before.forEach((each) => key(".bars", each)), () => key(".bars", name));
  }
  key(".bars", "End");
};
steps("");
// The page has to find the zoomed box and the selection in each frame.
const zoom = () => {
  let node = tree;
  for (let deep = 0; deep < 10 && node.children.length > 0; deep++) node = node.children[0];
  flame.zoom(node);
};
zoom();
steps("zoomed ");
key(".bars", "Escape");
zoom();
const other = new Profile(JSON.parse(document.querySelector("#data").textContent), "other");
baseline = new Baseline(other, own);
showAll();
steps("compared ");
const shapes = ["calls", "inverted"];
for (const shape of shapes) timed("compared " + shape, () => choose("#shape", shapes.find((each) => each !== shape)), () => choose("#shape", shape));
choose("#shape", "calls");
for (const where of ["End", "Escape"]) {
  key(".bars", where);
  for (const thread of ["merged", "0", "all"]) timed(`compared ${where} ${thread}`, () => choose("#thread", "1"), () => choose("#thread", thread));
}
// Show a different zone's callers and callees each time, with differences.
key(".bars", "Escape");
const another = () => neighbors.show(scope, zones.all.find((row) => !row.isGone && row.part !== OUTSIDE && row.part !== neighbors.part).part, baseline);
for (const grid of ["#tree", "#zones"]) {
  for (const name of ["ArrowDown", "End"]) timed(`compared ${grid} ${name}`, () => (key(grid + " .grid", "Home"), another()), () => key(grid + " .grid", name));
}
found.stacks = everything.parent.length;
found.frameStacks = (key(".bars", "End"), own.parent.length);
return found;
"##;

#[test]
fn page_of_50_000_stacks_responds_quickly() {
    let snapshot = random(&names(5_000), 50_000);
    is_timely("html-speed", KEYS, &snapshot, &[]);
}

#[test]
fn selecting_frames_is_fast_even_in_a_diff() {
    let snapshot = random(&names(5_000), 50_000);
    let frames: Vec<FrameSnapshot> = (1..=40)
        .map(|number| FrameSnapshot {
            number,
            begin_ns: number,
            recorded: frame(number),
            marks: Vec::new(),
        })
        .collect();
    is_timely("html-speed-frames", FRAMES, &snapshot, &frames);
}

/// Returns frames with the same zones and stacks but different times and counts, so that every row and box changes.
fn frame(number: u64) -> Snapshot {
    let mut snapshot = random(&names(5_000), 5_000);
    let nodes = snapshot
        .threads
        .iter_mut()
        .flat_map(|thread| &mut thread.nodes);
    for (at, node) in (0..).zip(nodes) {
        // The factor ranges from 0.25 to 1.75.
        let quarters = 1 + (at * 31 + number * 17) % 7;
        node.ticks = node.ticks * quarters / 4;
        node.entries = node.entries.div_ceil(4) * quarters;
    }
    snapshot
}

#[track_caller]
fn is_timely(name: &str, script: &str, snapshot: &Snapshot, frames: &[FrameSnapshot]) {
    let is_strict = std::env::var_os("IPROF_PAGE_LIMITS").is_some_and(|value| value == "1");
    // The maximum number of times that the page is opened and that each action is repeated.
    let (allowance, tries, turns) = if is_strict {
        (1.0, 5, 30)
    } else {
        (ALLOWANCE, 2, 10)
    };
    let is_quick = |(what, ms): (&String, &f64)| {
        let limit = if what == "open" { OPEN_MS } else { ANSWER_MS };
        *ms < limit * allowance
    };
    let folder = Folder::new(name);
    let limit = ANSWER_MS * allowance;
    let script = format!("const [LIMIT, TURNS] = [{limit}, {turns}];{TIMED}{script}");
    let mut best = BTreeMap::new();
    for _ in 0..tries {
        let Some(found) = visit_in_real_time(&script, snapshot, frames.to_vec(), &folder) else {
            return;
        };
        assert!(found["stacks"].as_u64().unwrap() > 49_000, "{found}");
        let slowness = (found["yardstick"].as_f64().unwrap() / YARDSTICK_MS).max(1.0);
        println!("{slowness} times as slow");
        for (what, ms) in found["ms"].as_object().unwrap() {
            let ms = ms.as_f64().unwrap() / slowness;
            let best = best.entry(what.clone()).or_insert(ms);
            *best = best.min(ms);
        }
        println!("{best:?}");
        if best.iter().all(is_quick) {
            return;
        }
    }
    best.retain(|what, ms| !is_quick((what, ms)));
    assert!(best.is_empty(), "{best:?}");
}
