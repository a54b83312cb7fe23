//! Tests the HTML page's accessibility with axe-core, and checks contrast and keyboard access.

use crate::browser::{visit, visit_with_frames};
use crate::html::game;
use crate::program::{Folder, missing, readers};
use serde_json::json;

/// Runs axe-core in both color schemes, with everything visible.
const AXE: &str = r##"
const found = { passes: 0, violations: [] };
choose("#thread", "merged");
key(".bars", "End");
const other = new Profile(JSON.parse(document.querySelector("#data").textContent), "other");
baseline = new Baseline(other, own);
showBaselineStatus();
showAll();
neighbors.show(scope, 2, baseline);
found.parts = [".lengths span", ".recursive", "[data-key=deltaEntries]"].filter((part) => !all(part).some((one) => one.checkVisibility()));
search("s");
for (const scheme of ["light", "dark"]) {
  document.documentElement.dataset.theme = scheme;
  const { passes, violations } = await axe.run(document, { resultTypes: ["violations", "passes"] });
  found.passes += passes.length;
  for (const { id, nodes } of violations) found.violations.push([scheme, id, nodes.length, nodes[0].html, nodes[0].failureSummary]);
}
return found;
"##;

#[test]
fn axe_finds_no_violations() {
    let Ok(axe) = std::fs::read_to_string(readers().join("node_modules/axe-core/axe.min.js"))
    else {
        missing("there is no axe-core");
        return;
    };
    let mut snapshot = game();
    snapshot.threads[0].nodes[2].error = 1e5;
    // A `</script>` tag in the code would end the page's own script element.
    let script = format!("{}\n{AXE}", axe.replace("</", "<\\/"));
    let frames = (1..=3).map(|number| {
        let mut recorded = snapshot.clone();
        // One bar is clipped.
        recorded.ticks = if number == 1 { 900_000_000 } else { 10_000_000 };
        iprof::FrameSnapshot {
            number,
            begin_ns: 0,
            recorded,
            marks: Vec::new(),
        }
    });
    let (frames, folder) = (frames.collect(), Folder::new("html-axe"));
    if let Some(found) = visit_with_frames(&script, &snapshot, frames, &folder) {
        assert_eq!(found["parts"], json!([]), "some elements are hidden");
        assert_eq!(found["violations"], json!([]));
        assert!(found["passes"].as_u64().unwrap() > 30, "{found}");
    }
}

/// Measures the contrast between text and each box or row color.
const CONTRAST: &str = r##"
const rgb = (color) => {
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
  canvas.fillRect(0, 0, 1, 1);
  for (const one of color) {
    canvas.fillStyle = one;
    canvas.fillRect(0, 0, 1, 1);
  }
  return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const light = (color) => {
  const [r, g, b] = color.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [more, less] = [light(a), light(b)].sort((a, b) => b - a);
  return (more + 0.05) / (less + 0.05);
};
const found = {};
search("sort");
for (const scheme of ["light", "dark"]) {
  document.documentElement.dataset.theme = scheme;
  const worst = (name, ratio) => (found[scheme + " " + name] = Math.min(found[scheme + " " + name] ?? 99, ratio));
  const box = document.querySelector("#flame .frame");
  for (const [name, list] of [["frame", "frame found"], ["above", "frame found above"], ["unfound", "frame"], ["idle", "frame found idle"], ["own", "frame found own"], ["group", "frame group"]]) {
    box.className = list;
    for (let hue = 0; hue < 360; hue += 3) {
      box.style.setProperty("--hue", hue);
      const style = getComputedStyle(box);
      worst(name, contrast(rgb([style.color]), rgb([style.backgroundColor])));
    }
  }
  const row = document.querySelector("#zones .body .row");
  for (const part of ["toggle", "depth", "mark"]) row.querySelector("." + part) ?? row.firstChild.append(Object.assign(document.createElement("span"), { className: part }));
  const panel = getComputedStyle(row.closest(".grid")).backgroundColor;
  for (let heat = -10; heat <= 10; heat++) {
    row.style.setProperty("--heat", Math.abs(heat) / 10);
    row.classList.toggle("less", heat < 0);
    for (const [name, what] of [["row", row], ...["place", "toggle", "depth", "mark"].map((part) => [part, row.querySelector("." + part)])]) {
      worst(name, contrast(rgb([getComputedStyle(what).color]), rgb([panel, getComputedStyle(row).backgroundColor])));
    }
  }
  for (const what of [".detail", ".keys", "dt", "#zones .head", "#status", ".recursive", "#frames .lengths"]) {
    const color = getComputedStyle(document.querySelector(what)).color;
    worst(what, contrast(rgb([color]), rgb([])));
  }
}
return found;
"##;

#[test]
fn text_contrast_is_sufficient_on_every_color() {
    let Some(found) = visit(CONTRAST, &game(), &Folder::new("html-contrast")) else {
        return;
    };
    let worst = found.as_object().unwrap();
    assert_eq!(worst.len(), 36);
    for (place, ratio) in worst {
        assert!(ratio.as_f64().unwrap() >= 4.5, "{place}: {ratio}");
    }
}

/// Checks that Tab reaches all interactive elements, and reads the attributes that describe rows to screen readers.
const ROLES: &str = r##"
const found = {};
const canFocus = (what) => all(what).every((one) => one.tabIndex === 0 && one.checkVisibility());
found.focus = ["#thread", "#shape", "#search", "#previous", "#next", "#compare", "#whole", "#hot", "#close", "#theme",
  ".graph", "#tree .grid", "#zones .grid", "#zones .head button"].filter((what) => !canFocus(what));
const grid = document.querySelector("#tree .grid");
const active = () => document.getElementById(grid.getAttribute("aria-activedescendant"));
grid.focus();
key("#tree .grid", "Home");
found.first = [active().querySelector(".label").textContent, active().ariaExpanded, active().ariaLevel];
key("#tree .grid", "ArrowLeft");
found.closed = [active().ariaExpanded, grid.ariaRowCount];
key("#tree .grid", "ArrowRight");
found.open = [active().ariaExpanded, grid.ariaRowCount];
key("#tree .grid", "ArrowDown");
found.second = [active().querySelector(".label").textContent, active().ariaSelected, active().ariaLevel, active().ariaRowIndex];
const heads = all("#zones [role=columnheader]");
found.sorted = heads.filter((head) => head.ariaSort === "descending").map((head) => head.dataset.key);
key("body", "/");
found.slash = document.activeElement.id;
return found;
"##;

#[test]
fn controls_have_roles_and_keyboard_access() {
    let Some(found) = visit(ROLES, &game(), &Folder::new("html-roles")) else {
        return;
    };
    assert_eq!(found["focus"], json!([]));
    assert_eq!(found["first"], json!(["all threads", "true", "1"]));
    assert_eq!(found["closed"], json!(["false", "2"]));
    assert_eq!(found["open"], json!(["true", "4"]));
    assert_eq!(found["second"], json!(["main", "true", "2", "3"]));
    assert_eq!(found["sorted"], json!(["self"]));
    assert_eq!(found["slash"], "search");
}
