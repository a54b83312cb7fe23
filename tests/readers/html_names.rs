//! Tests that names on the page distinguish zones at any width, and that deep rows show their depth.

use crate::browser::visit;
use crate::program::Folder;
use crate::recorded::{chain, same_names};
use iprof::{FrameSnapshot, Snapshot, SnapshotThread, SnapshotZone};
use serde_json::json;

/// Checks at three widths whether the ends of labels are visible and where a selected row's location is shown.
const NAMES: &str = r##"
const found = { widths: {} };
const isSeen = (part, whole) => {
  const [a, b] = [part.getBoundingClientRect(), whole.getBoundingClientRect()];
  return a.width > 0 && a.left >= b.left && a.right <= b.right + 0.5 && part.scrollWidth <= part.clientWidth;
};
for (const width of [1280, 800, 400]) {
  document.body.style.width = width + "px";
  for (const grid of [calls.grid, zones.grid]) grid.layout();
  flame.draw();
  calls.openHot();
  const suffixes = [...all("#tree .suffix"), ...all("#zones .suffix")];
  key("#zones .grid", "Home");
  document.querySelector("#zones .grid").focus();
  const detail = document.querySelector("#zones .detail");
  found.widths[width] = {
    names: rows("#zones").map((row) => row.name),
    tree: rows("#tree").slice(2).map((row) => row.name),
    seen: suffixes.filter((suffix) => isSeen(suffix, suffix.closest(".name"))).length,
    flame: frames().map((frame) => frame.box.textContent),
    detail: detail.textContent,
    isDetailSeen: isSeen(detail, detail.parentNode),
  };
}
search("x.rs");
found.found = rows("#zones").map((row) => row.name);
return found;
"##;

#[test]
fn same_named_zones_stay_distinct_at_any_width() {
    let mut snapshot = Snapshot::default();
    let long = "a::module::with::a::very::long::path::to::update";
    let mut thread = SnapshotThread::new("main");
    for (file, ticks) in [("src/ui/x.rs", 1_000_000), ("src/net/y.rs", 2_000_000)] {
        let zone = snapshot.intern_zone(SnapshotZone::new(long, file, 7));
        let node = thread.child(0, zone);
        (thread.nodes[node].ticks, thread.nodes[node].entries) = (ticks, 1);
    }
    snapshot.threads.push(thread);
    let Some(found) = visit(NAMES, &snapshot, &Folder::new("html-names")) else {
        return;
    };
    let names = [format!("{long} (y.rs)"), format!("{long} (x.rs)")];
    for (width, found) in found["widths"].as_object().unwrap() {
        assert_eq!(found["names"], json!(names), "{width}");
        assert_eq!(found["tree"], json!(names), "{width}");
        assert_eq!(found["seen"], 4, "{width}");
        assert_eq!(
            found["flame"],
            json!(["all threads", "main", names[0], names[1]])
        );
        let detail = found["detail"].as_str().unwrap();
        assert!(
            detail.starts_with(&format!("{} · src/net/y.rs:7 · ", names[0])),
            "{detail}"
        );
        assert_eq!(found["isDetailSeen"], true, "{width}");
    }
    assert_eq!(found["found"], json!([names[1]]));
}

#[test]
fn same_named_zones_stay_distinct_in_a_frame() {
    let script = r##"
key(".bars", "End");
return rows("#zones").map((row) => row.name);
"##;
    let mut whole = same_names();
    whole.threads[0].nodes.truncate(2);
    whole.zones.truncate(2);
    let frames = vec![FrameSnapshot {
        number: 1,
        begin_ns: 0,
        recorded: same_names(),
        marks: Vec::new(),
    }];
    let folder = Folder::new("html-frame-names");
    if let Some(found) = crate::browser::visit_with_frames(script, &whole, frames, &folder) {
        assert_eq!(found, json!(["update (a b.rs:9)", "update"]));
    }
}

/// Reads each row's level and where its name begins.
const DEPTH: &str = r##"
const found = [];
for (const width of [1280, 400]) {
  document.body.style.width = width + "px";
  calls.openHot();
  for (const end of ["Home", "End"]) {
    key("#tree .grid", end);
    found.push(all("#tree .body .row").slice(0, 40).map((row) => {
      const label = row.querySelector(".label").getBoundingClientRect();
      return {
        left: row.querySelector(".toggle").getBoundingClientRect().left,
        number: row.querySelector(".depth")?.textContent ?? "",
        depth: row.node.depth,
        // A label without enough room would wrap below its row.
        width: label.bottom <= row.getBoundingClientRect().bottom ? label.width : 0,
      };
    }));
  }
}
return found;
"##;

#[test]
fn rows_at_maximum_indent_show_their_depth() {
    let Some(found) = visit(DEPTH, &chain(1_900), &Folder::new("html-depth")) else {
        return;
    };
    for rows in found.as_array().unwrap() {
        let mut before: Option<f64> = None;
        let mut numbered = 0;
        for row in rows.as_array().unwrap() {
            let left = row["left"].as_f64().unwrap();
            // The first visible row is either the root or one of the deepest rows.
            let indent = before.map_or(0.0, |before| left - before);
            let number = format!("({})", row["depth"]);
            if indent.abs() > 0.01 || row["depth"] == 0 {
                assert!(indent == 0.0 || (indent - 12.0).abs() < 0.01, "{row}");
                assert_eq!(row["number"], "", "{row}");
            } else {
                // The row is not indented further than the row above, so it has a number.
                assert_eq!(row["number"], number);
                numbered += 1;
            }
            assert!(row["width"].as_f64().unwrap() > 30.0, "{row}");
            before = Some(left);
        }
        assert!(numbered > 20, "{rows}");
    }
}

/// Reads, at three widths, each row's location, whether the location is fully visible, and the room for it.
#[test]
fn source_locations_are_shortened_in_narrow_rows() {
    let script = r##"
const found = {};
for (const width of [1280, 800, 400]) {
  document.body.style.width = width + "px";
  for (const grid of [calls.grid, zones.grid]) grid.layout();
  calls.openHot();
  for (const grid of ["#zones", "#tree"]) {
    found[grid + width] = all(grid + " .body .row").filter((row) => row.node.place?.file).map((row) => {
      const [place, name, label] = [".place", ".name", ".label"].map((part) => row.querySelector(part));
      const [a, b] = [place.getBoundingClientRect(), name.getBoundingClientRect()];
      const isSeen = a.width > 0 && a.right <= b.right + 0.5 && a.top >= b.top && a.bottom <= b.bottom && place.scrollWidth <= place.clientWidth;
      return [place.textContent, isSeen, b.right - label.getBoundingClientRect().right, name.title];
    });
  }
}
return found;
"##;
    let mut snapshot = Snapshot::default();
    let mut thread = SnapshotThread::new("main");
    let path = "/home/me/game/src/simulation/rigid_bodies/solver/islands_of_bodies.rs";
    for (name, ticks) in [
        ("solve", 1_000_000),
        ("a_rather_long_name_of_a_zone", 500_000),
    ] {
        let zone = snapshot.intern_zone(SnapshotZone::new(name, path, 1_234));
        let node = thread.child(0, zone);
        (thread.nodes[node].ticks, thread.nodes[node].entries) = (ticks, 1);
    }
    snapshot.threads.push(thread);
    let Some(found) = visit(script, &snapshot, &Folder::new("html-places")) else {
        return;
    };
    let file = "islands_of_bodies.rs:1234";
    let whole = format!("solver/{file}");
    let mut shortened = 0;
    for (view, rows) in found.as_object().unwrap() {
        for row in rows.as_array().unwrap() {
            let (place, room) = (row[0].as_str().unwrap(), row[2].as_f64().unwrap());
            let begin = place.strip_suffix("…:1234");
            let is_cut = begin.is_some_and(|begin| file.starts_with(begin));
            assert!(
                place == whole || place == file || is_cut || room < 75.0,
                "{view}: {row}"
            );
            assert_eq!(row[1] == true, !place.is_empty(), "{view}: {row}");
            shortened += usize::from(is_cut);
            let title = row[3].as_str().unwrap();
            assert!(title.contains(&format!("{path}:1234")), "{title}");
        }
        if view.ends_with("1280") {
            assert_eq!(rows[0][0], whole, "{view}");
        }
        let place = rows[0][0].as_str().unwrap();
        assert!(place.ends_with(":1234"), "{view}: {rows}");
    }
    assert!(shortened > 0, "{found}");
}
