//! Tests that choosing a frame on the page keeps the selection, and that all parts of the page agree on it.

use crate::browser::{visit, visit_with_frames};
use crate::html::game;
use crate::program::Folder;
use iprof::FrameSnapshot;
use serde_json::json;

/// Reads the flame graph's zoom, text and outlined box, and each table's current row with the detail line below the
/// table.
const STATE: &str = r##"
const said = (what) => document.querySelector(what).textContent;
const first = (text) => text.split(/: | · /)[0];
const current = (grid) => all(grid + " .row[aria-selected=true] .label").map((label) => label.textContent).join();
const state = () => ({
  zoom: flame.zoomed.name + " under " + (flame.zoomed.parent?.name ?? "nothing"),
  flame: [all("#flame .frame[aria-selected=true]").map((box) => box.node.name).join(), first(said("#flame output"))],
  tree: [current("#tree"), first(said("#tree .detail"))],
  zones: [current("#zones"), first(said("#zones .detail"))],
  neighbors: [said("#neighbors h2").replace("Callers and callees of ", ""), current("#callers"), first(said("#callers .detail"))],
});
"##;

#[test]
fn selecting_a_frame_keeps_zoom_and_selection() {
    let script = r##"
const found = { steps: [] };
const step = (what) => found.steps.push([what, state()]);
all("#flame .frame").find((box) => box.node.name === "solve" && box.node.parent.name === "frame").click();
step("clicked");
key(".bars", "Home");
step("frame 1");
key(".bars", "ArrowRight");
step("frame 2, without it");
found.said = said("#flame output");
key(".bars", "ArrowRight");
step("frame 3");
found.saidThen = said("#flame output");
key(".bars", "Escape");
step("all");
click("#whole");
key(".bars", "Home");
found.whole = flame.zoomed.name;
return found;
"##;
    let whole = game();
    let mut slower = game();
    // In this order, the other thread comes first.
    slower.threads.reverse();
    slower.threads[1].nodes[5].ticks = 40_000_000;
    let mut without = game();
    for node in &mut without.threads[0].nodes[2..5] {
        (node.ticks, node.entries) = (0, 0);
    }
    without.threads[1].nodes.truncate(1);
    let frames = [slower.clone(), without, slower].into_iter();
    let frames = (1..).zip(frames);
    let frames = frames.map(|(number, recorded)| FrameSnapshot {
        number,
        begin_ns: 0,
        recorded,
        marks: Vec::new(),
    });
    let script = format!("{STATE}{script}");
    let folder = Folder::new("html-selection");
    let Some(found) = visit_with_frames(&script, &whole, frames.collect(), &folder) else {
        return;
    };
    let solve = json!(["solve", "solve"]);
    let kept = json!({
        "zoom": "solve under frame",
        "flame": solve, "tree": solve, "zones": solve,
        "neighbors": ["solve", "solve", "solve"],
    });
    for at in [0, 1, 3, 4] {
        let step = &found["steps"][at];
        assert_eq!(step[1], kept, "{}", step[0]);
    }
    // `solve` is missing, so its caller is zoomed to and outlined instead. `load` still calls `solve`.
    let without = &found["steps"][2][1];
    assert_eq!(without["zoom"], "frame under main");
    assert_eq!(without["flame"], json!(["frame", "frame"]));
    assert_eq!(without["neighbors"], json!(["solve", "solve", "solve"]));
    assert_eq!(without["zones"], solve);
    let said = found["said"].as_str().unwrap();
    assert!(
        said.ends_with("; solve does not occur in the frames and threads shown"),
        "{said}"
    );
    let said = found["saidThen"].as_str().unwrap();
    assert!(!said.contains("does not occur"), "{said}");
    assert_eq!(found["whole"], "all threads");
}

#[test]
fn flame_graph_describes_the_outlined_zone() {
    let script = r##"
const found = {};
const frame = (name) => all("#flame .frame").find((box) => box.node.name === name);
frame("load").click();
const shown = () => [all("#flame .frame[aria-selected=true]").map((box) => box.node.name).join(), first(said("#flame output"))];
frame("main").dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
found.hovered = first(said("#flame output"));
document.querySelector("#flame .graph").dispatchEvent(new MouseEvent("mouseleave"));
found.left = shown();
// The outline is visible even without focus.
document.querySelector("#search").focus();
found.outline = getComputedStyle(frame("load")).outlineStyle;
for (const [select, value] of [["#thread", "0"], ["#shape", "inverted"], ["#thread", "all"], ["#shape", "calls"]]) {
  choose(select, value);
  (found.views ??= []).push(state());
}
click("#zones [data-key=name] button");
found.sorted = state();
return found;
"##;
    let script = format!("{STATE}{script}");
    let Some(found) = visit(&script, &game(), &Folder::new("html-hover")) else {
        return;
    };
    assert_eq!(found["hovered"], "main");
    assert_eq!(found["left"], json!(["load", "load"]));
    assert_eq!(found["outline"], "solid");
    let views = found["views"].as_array().unwrap().iter();
    for view in views.chain([&found["sorted"]]) {
        for part in ["flame", "tree", "zones"] {
            assert_eq!(view[part][0], view[part][1], "{part}: {view}");
        }
        assert_eq!(view["neighbors"], json!(["load", "load", "load"]));
        assert_eq!(view["zones"][0], "load");
    }
    // The path stays the same when only the thread it belongs to is shown.
    assert_eq!(found["views"][0]["zoom"], "load under main");
}

#[test]
fn zone_missing_in_a_frame_has_no_callers() {
    let script = r##"
chooseZone(zones.all.find((row) => row.name === "sort"));
key(".bars", "End");
const found = { hint: document.querySelector("#neighbors .hint").textContent, title: document.querySelector("#neighbors h2").textContent, shown: all("#neighbors .pair").map((pair) => pair.checkVisibility()) };
key(".bars", "Escape");
found.again = all("#neighbors .pair").map((pair) => pair.checkVisibility());
return found;
"##;
    let mut frame = game();
    frame.threads.remove(0);
    let frames = vec![FrameSnapshot {
        number: 1,
        begin_ns: 0,
        recorded: frame,
        marks: Vec::new(),
    }];
    let folder = Folder::new("html-absent");
    let Some(found) = visit_with_frames(script, &game(), frames, &folder) else {
        return;
    };
    assert_eq!(found["title"], "Callers and callees of sort");
    assert_eq!(
        found["hint"],
        "sort does not occur in the frames and threads shown."
    );
    assert_eq!(found["shown"], json!([false]));
    assert_eq!(found["again"], json!([true]));
}

#[test]
fn tree_click_selects_in_table_and_flame_graph() {
    let script = r##"
const found = [];
click("#hot");
for (let row = 0; row < 4; row++) {
  key("#tree .grid", "ArrowDown");
  found.push(state());
}
key("#tree .grid", "Home");
found.push(state());
return found;
"##;
    let script = format!("{STATE}{script}");
    let Some(found) = visit(&script, &game(), &Folder::new("html-rows")) else {
        return;
    };
    let rows = found.as_array().unwrap();
    for (row, name) in rows
        .iter()
        .zip(["main", "frame", "solve", "sort", "all threads"])
    {
        for part in ["flame", "tree"] {
            assert_eq!(row[part], json!([name, name]), "{part}: {row}");
        }
        // Threads are not zones, so the zone selection does not change.
        let zone = match name {
            "main" => continue,
            "all threads" => "sort",
            zone => zone,
        };
        assert_eq!(row["zones"], json!([zone, zone]), "{row}");
        assert_eq!(row["neighbors"][0], zone, "{row}");
        assert_eq!(row["zoom"], "all threads under nothing");
    }
}

#[test]
fn selected_thread_is_found_by_name_in_a_frame() {
    let script = r##"
const found = [];
const shown = () => [document.querySelector("#thread").selectedOptions[0].textContent.split(" (")[0], tree.name];
choose("#thread", "1");
found.push(shown());
for (const name of ["Home", "ArrowRight", "Escape"]) {
  key(".bars", name);
  found.push(shown());
}
return found;
"##;
    let (mut reversed, mut without) = (game(), game());
    reversed.threads.reverse();
    without.threads.truncate(1);
    let frames = (1..).zip([reversed, without]);
    let frames = frames.map(|(number, recorded)| FrameSnapshot {
        number,
        begin_ns: 0,
        recorded,
        marks: Vec::new(),
    });
    let folder = Folder::new("html-thread");
    let Some(found) = visit_with_frames(script, &game(), frames.collect(), &folder) else {
        return;
    };
    let worker = ["worker", "worker"];
    let all = ["all threads", "all threads"];
    assert_eq!(found, json!([worker, worker, all, worker]));
}
