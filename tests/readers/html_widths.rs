//! Tests the widths of boxes and columns in the HTML page.

use crate::browser::visit;
use crate::program::Folder;
use crate::recorded::{names, random};
use iprof::{Snapshot, SnapshotThread, SnapshotZone};

/// Measures the errors in box widths, the overlap of boxes on the same level, and the gap between the widest box and
/// the end of the graph.
const FRAMES: &str = r##"
const found = { off: 0, overlap: 0, narrow: 0, count: 0, outside: 0 };
const graph = document.querySelector("#flame .graph");
const inner = graph.getBoundingClientRect().left + graph.clientLeft;
const scale = graph.clientWidth / tree.ranked;
const levels = new Map();
for (const { box, left, width, top } of frames()) {
  found.count++;
  found.off = Math.max(found.off, Math.abs(width - box.node.ranked * scale));
  found.outside = Math.max(found.outside, left + width - inner - graph.clientWidth);
  if (width < 9) found.narrow++;
  levels.set(top, [...(levels.get(top) ?? []), [left, left + width]]);
}
for (const level of levels.values()) {
  level.sort((a, b) => a[0] - b[0]);
  for (let at = 1; at < level.length; at++) found.overlap = Math.max(found.overlap, level[at - 1][1] - level[at][0]);
}
const border = graph.getBoundingClientRect();
found.gap = Math.abs(border.right - graph.clientLeft - frames()[0].left - frames()[0].width);
return found;
"##;

#[test]
fn box_widths_match_times_to_the_pixel() {
    // Create five hundred calls, each about 2 pixels wide and with one callee.
    let mut snapshot = Snapshot::default();
    let mut thread = SnapshotThread::new("main");
    for at in 0..500 {
        let zone = snapshot.intern_zone(SnapshotZone::new(&format!("zone {at}"), "a.rs", 1));
        let outer = thread.child(0, zone);
        thread.nodes[outer].ticks = 500;
        let inner = thread.child(outer, zone);
        thread.nodes[inner].ticks = 1_000 + at;
    }
    snapshot.threads.push(thread);
    let Some(found) = visit(FRAMES, &snapshot, &Folder::new("html-frames")) else {
        return;
    };
    let measured = |key: &str| found[key].as_f64().unwrap();
    assert!(measured("count") > 900.0, "{found}");
    assert!(measured("narrow") > 900.0, "{found}");
    // Browsers lay out in units of 1/64 pixel.
    for key in ["off", "overlap", "outside", "gap"] {
        assert!(measured(key) < 0.05, "{key}: {found}");
    }
}

/// Zooms into groups of zones, starting with five thousand zones, until individual zones are visible.
const GROUPS: &str = r##"
const found = { steps: [] };
choose("#shape", "inverted");
const look = () => {
  const groups = all("#flame .group").filter((box) => box.node !== flame.zoomed);
  found.steps.push({
    zones: all("#flame .frame").filter((box) => box.node.part > 0).length,
    groups: groups.length,
    grouped: groups.reduce((sum, box) => sum + Number(box.node.name.replace(/ zones? narrower than a pixel$/, "").replace(",", "")), 0),
    wide: groups.reduce((sum, box) => sum + box.getBoundingClientRect().width, 0) / document.querySelector("#flame .graph").clientWidth,
  });
};
look();
key("#flame .graph", "ArrowDown");
found.said = document.querySelector("#flame output").textContent;
for (let step = 0; step < 3 && found.steps.at(-1).groups > 0; step++) {
  all("#flame .group").at(-1).click();
  look();
}
search("zone 4999");
key("#flame .graph", "Escape");
found.marked = all("#flame .group.found").length;
return found;
"##;

#[test]
fn zones_narrower_than_a_pixel_are_grouped() {
    let mut snapshot = Snapshot::default();
    let mut thread = SnapshotThread::new("main");
    for at in 0..5_000 {
        let zone = snapshot.intern_zone(SnapshotZone::new(&format!("zone {at}"), "a.rs", at));
        let mut node = iprof::SnapshotNode {
            parent: 0,
            zone,
            ..iprof::SnapshotNode::default()
        };
        (node.entries, node.ticks) = (1, 1_000);
        thread.nodes.push(node);
    }
    snapshot.threads.push(thread);
    let Some(found) = visit(GROUPS, &snapshot, &Folder::new("html-groups")) else {
        return;
    };
    let steps = found["steps"].as_array().unwrap();
    let number = |step: usize, key: &str| steps[step][key].as_f64().unwrap();
    assert_eq!(number(0, "zones"), 0.0, "{found}");
    assert_eq!(number(0, "grouped"), 5_000.0, "{found}");
    assert!((number(0, "wide") - 1.0).abs() < 0.01, "{found}");
    let last = steps.len() - 1;
    assert!(number(last, "zones") > 100.0, "{found}");
    assert_eq!(number(last, "groups"), 0.0, "{found}");
    let said = found["said"].as_str().unwrap();
    assert!(said.contains(" zones narrower than a pixel: "), "{said}");
    assert_eq!(found["marked"], 1);
}

/// Collects, at three widths, clipped cells and headers, cells that contain more than a number, and elements that
/// extend past the page.
const COLUMNS: &str = r##"
const found = { cut: [], units: [], clocks: 0, kept: [], places: null, wide: [] };
const other = JSON.parse(document.querySelector("#data").textContent);
for (const thread of other.threads) thread.ns = thread.ns.map((ns) => ns * 2.5);
other.frames = 7;
for (const [width, isCompared] of [[1280, false], [800, false], [400, false], [1280, true], [800, true], [400, true]]) {
  document.body.style.width = width + "px";
  baseline = isCompared ? new Baseline(new Profile(other, "other"), own) : null;
  showAll();
  for (const shape of ["calls", "inverted"]) {
    choose("#shape", shape);
    calls.openHot();
    neighbors.show(scope, 3, baseline);
    for (const grid of [calls.grid, zones.grid, neighbors.callers, neighbors.callees]) {
      grid.layout();
      for (const cell of all(".row > div:not(.name)", grid.box)) {
        if (cell.role === "columnheader" && cell === cell.parentNode.firstChild) continue;
        const range = document.createRange();
        range.selectNodeContents(cell);
        const text = range.getBoundingClientRect();
        const box = cell.getBoundingClientRect();
        if (text.width > 0 && (text.left < box.left || text.right > box.right)) found.cut.push([width, cell.textContent]);
        if (cell.role !== "gridcell" || cell.textContent === "") continue;
        const { title } = grid.shownColumns[[...cell.parentNode.children].indexOf(cell)];
        const clock = title.endsWith(" h:min:s") ? /^[~±+-]*\d+:\d\d:\d\d\.\d{3}$/ : title.endsWith(" min:s") ? /^[~±+-]*\d+:\d\d\.\d{3}$/ : null;
        if (clock) found.clocks++;
        if (!(clock ?? /^[~±+-]*<?[\d,.]+$/).test(cell.textContent)) found.units.push([title, cell.textContent]);
      }
      if (grid.box.scrollWidth > grid.box.clientWidth) found.wide.push([width, grid.id]);
      found.kept.push([width, grid.id, heads("#" + grid.box.closest("[id]").id)]);
    }
    found.places ??= all("#zones .place").filter((place) => place.textContent && place.offsetTop === place.previousSibling.offsetTop).length;
  }
  if (document.body.scrollWidth > width) found.wide.push([width, "page"]);
  found.hours ??= rows("#zones").map((row) => row.hier);
  found.head ??= document.querySelector("#zones [data-key=hier]").textContent;
}
return found;
"##;

#[test]
fn numbers_are_not_clipped_and_share_a_unit() {
    let mut snapshot = random(&names(20), 600);
    // Five hours of sampled time, and a huge number of calls.
    let node = &mut snapshot.threads[0].nodes[5];
    (node.ticks, node.entries, node.error) = (54_000_000_000_000, 888_888_888_888, 1e12);
    let Some(found) = visit(COLUMNS, &snapshot, &Folder::new("html-columns")) else {
        return;
    };
    let none = serde_json::json!([]);
    assert_eq!(found["cut"], none);
    assert_eq!(found["units"], none);
    assert_eq!(found["wide"], none);
    assert!(found["clocks"].as_u64().unwrap() > 100, "{found}");
    assert!(found["places"].as_u64().unwrap() > 19, "{found}");
    for kept in found["kept"].as_array().unwrap() {
        // Each table's essential columns are shown at any width.
        assert!(kept[2].as_array().unwrap().len() >= 2, "{kept}");
    }
    assert_eq!(found["head"], "time h:min:s");
    let hours = found["hours"].as_array().unwrap();
    assert!(
        hours
            .iter()
            .any(|time| time.as_str().unwrap().starts_with("~5:00:00.")),
        "{hours:?}"
    );
}

#[test]
fn rows_are_redrawn_when_a_table_shrinks() {
    let script = r##"
const box = calls.grid.box;
choose("#thread", "0");
const at = calls.grid.rows.findIndex((row) => row.name === "last");
calls.grid.focus(at);
key("#tree .grid", "ArrowRight");
box.scrollTop = (at - 20) * 22;
box.dispatchEvent(new Event("scroll"));
key("#tree .grid", "ArrowLeft");
const [first, last] = [0, -1].map((row) => all("#tree .body .row").at(row).getBoundingClientRect());
const view = box.getBoundingClientRect();
return { rows: calls.grid.rows.length, top: first.top - view.top, bottom: last.bottom - view.bottom };
"##;
    let mut snapshot = Snapshot::default();
    let mut thread = SnapshotThread::new("main");
    let mut add = |parent: u32, name: &str, ticks: u64| {
        let zone = snapshot.intern_zone(SnapshotZone::new(name, "a.rs", 1));
        let mut node = iprof::SnapshotNode {
            parent,
            zone,
            ..iprof::SnapshotNode::default()
        };
        (node.entries, node.ticks) = (1, ticks);
        thread.nodes.push(node);
        thread.nodes.len() as u32 - 1
    };
    for at in 0..400 {
        add(0, &format!("zone {at}"), 1_000);
    }
    let last = add(0, "last", 1);
    for at in 0..1_000 {
        add(last, &format!("below {at}"), 0);
    }
    snapshot.threads.push(thread);
    let Some(found) = visit(script, &snapshot, &Folder::new("html-shorter")) else {
        return;
    };
    assert_eq!(found["rows"], 402, "{found}");
    assert!(found["top"].as_f64().unwrap() <= 25.0, "{found}");
    assert!(found["bottom"].as_f64().unwrap() >= -1.0, "{found}");
}
