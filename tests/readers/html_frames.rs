//! Tests how the HTML page shows remembered frames, as bars and individually.

use crate::browser::visit_with_frames;
use crate::program::Folder;
use iprof::{FrameSnapshot, Snapshot, SnapshotThread, SnapshotZone};
use serde_json::{Value, json};

/// Selects frames in every possible way.
const SCRIPT: &str = r##"
const found = { steps: [], heights: [] };
const shown = (what) => {
  const zones = Object.fromEntries(rows("#zones").map((row) => [row.name, Number(row.selfNs)]));
  const text = document.querySelector("#frames output").textContent;
  const bars = document.querySelector(".bars");
  found.steps.push([what, text, zones, bars.ariaValueNow]);
  found.same ??= true;
  found.same &&= bars.getAttribute("aria-valuetext") === text;
};
shown("at first");
click("#longest");
shown("longest");
key(".bars", "ArrowLeft");
shown("left");
key(".bars", "End");
shown("end");
key(".bars", "Escape");
shown("escape");
const box = document.querySelector(".bars").getBoundingClientRect();
const clientX = box.left + box.width * 0.1;
document.querySelector(".bars").dispatchEvent(new MouseEvent("click", { clientX, bubbles: true }));
shown("click");
choose("#thread", "0");
key(".bars", "ArrowRight");
found.thread = document.querySelector("#thread").value;
click("#all");
shown("all");
for (const kind of ["bar", "cut"]) {
  const path = document.querySelector(".bars ." + kind);
  const { y, height } = path.getBBox();
  found[kind] = [path.getAttribute("d").split("M").length - 1, y, height];
}
found.hidden = document.querySelector("#frames").hidden;
return found;
"##;

/// Reads the axis labels, and checks that a selected, clipped bar is visible among a thousand bars.
const AXIS: &str = r##"
const found = {};
const bars = document.querySelector(".bars");
const box = (what) => what.getBoundingClientRect();
found.labels = all("#frames .axis span").map((label) => label.textContent);
// The distance between each label and its line.
const lines = all(".bars .line");
found.off = all("#frames .axis span").slice(1).map((label, at) => {
  const line = box(lines.at(-1 - at));
  return Math.abs(box(label).top + box(label).height / 2 - line.top);
});
found.overlap = all("#frames .axis span").filter((label) => box(label).right > box(bars).left).length;
found.numbers = document.querySelector("#frames .numbers").textContent;
found.cut = document.querySelector("#cut").textContent;
found.lengths = all("#frames .lengths span").map((label) => label.textContent);
const mark = document.querySelector(".bars .chosen");
found.hiddenAtFirst = mark.hidden;
click("#longest");
const { left, width, top, height } = box(mark);
const at = frameData.frames.findIndex((frame) => frame.number === 500);
found.place = Math.abs(left - box(bars).left - (at / frameData.frames.length) * box(bars).width);
found.outline = parseFloat(getComputedStyle(mark).outlineWidth);
found.width = width;
found.height = height / box(bars).height;
// The outline must be drawn on top of the bars.
found.over = document.elementFromPoint(left + width / 2, top + height / 2) === mark;
found.arrow = getComputedStyle(mark, "::before").content;
return found;
"##;

#[test]
fn frame_graph_has_axis_and_visible_selected_bar() {
    let frames = (1..=1000).map(|number| {
        let ns = if number == 500 {
            900_000_000
        } else {
            16_000_000 + number
        };
        FrameSnapshot {
            number,
            begin_ns: 0,
            recorded: recorded(&[("a", ns)]),
            marks: Vec::new(),
        }
    });
    let folder = Folder::new("html-axis");
    let Some(found) = visit_with_frames(AXIS, &recorded(&[("a", 7)]), frames.collect(), &folder)
    else {
        return;
    };
    assert_eq!(found["labels"], json!(["0", "20 ms", "40 ms", "60 ms"]));
    for off in found["off"].as_array().unwrap() {
        assert!(off.as_f64().unwrap() < 2.0, "{found}");
    }
    assert_eq!(found["overlap"], 0);
    assert_eq!(found["numbers"], "frame 1frame 1,000");
    assert_eq!(
        found["cut"],
        "1 bar is cut off at 64.002 ms (red), with its length above it."
    );
    assert_eq!(found["lengths"], json!(["900 ms"]));
    assert_eq!(found["hiddenAtFirst"], true);
    let number = |key: &str| found[key].as_f64().unwrap();
    assert!(number("place") < 0.1, "{found}");
    assert!(
        number("outline") >= 2.0 && number("width") >= 1.0,
        "{found}"
    );
    assert!(number("height") > 0.95, "{found}");
    assert_eq!(found["over"], true);
    assert_eq!(found["arrow"], "\"▼\"");
}

/// Returns a thread `main` with these zones and nanoseconds.
fn recorded(zones: &[(&str, u64)]) -> Snapshot {
    let mut snapshot = Snapshot::default();
    let mut thread = SnapshotThread::new("main");
    for (name, ns) in zones {
        let zone = snapshot.intern_zone(SnapshotZone::new(name, "src/a.rs", 1));
        let node = thread.child(SnapshotThread::ROOT, zone);
        (thread.nodes[node].entries, thread.nodes[node].ticks) = (1, *ns);
        snapshot.ticks += ns;
    }
    snapshot.threads.push(thread);
    snapshot
}

#[test]
fn selected_frame_is_shown_alone() {
    let whole = recorded(&[("a", 2_000), ("b", 103_000)]);
    // The frames number their zones differently from the snapshot, and one zone exists in only one frame.
    let frames = [
        recorded(&[("b", 1_000), ("a", 500)]),
        recorded(&[("a", 1_500)]),
        recorded(&[("b", 100_000)]),
        recorded(&[("late </script>", 700), ("b", 2_000)]),
    ];
    let frames = (1..).zip(frames).map(|(number, recorded)| {
        let mut frame = FrameSnapshot {
            number,
            begin_ns: 0,
            recorded,
            marks: Vec::new(),
        };
        if number == 4 {
            frame.marks.push("level <loaded>".into());
        }
        frame
    });
    let folder = Folder::new("html-frame-graph");
    let Some(found) = visit_with_frames(SCRIPT, &whole, frames.collect(), &folder) else {
        return;
    };
    let all = "everything recorded; 4 frames";
    let everything = json!({"a": 2_000, "b": 103_000});
    let expected = json!([
        ["at first", all, everything, "0"],
        ["longest", "frame 3, 100.000 µs", {"b": 100_000}, "3"],
        ["left", "frame 2, 1.500 µs", {"a": 1_500}, "2"],
        ["end", "frame 4: level <loaded>, 2.700 µs", {"b": 2_000, "late </script>": 700}, "4"],
        ["escape", all, everything, "0"],
        ["click", "frame 1, 1.500 µs", {"b": 1_000, "a": 500}, "1"],
        ["all", all, everything, "0"],
    ]);
    assert_eq!(found["steps"], expected);
    assert_eq!(found["same"], true);
    assert_eq!(found["thread"], "0");
    assert_eq!(found["hidden"], false);
    // The longest bar is clipped at the graph's height, which is four medians, or 10.8 µs. The second-longest bar is
    // 2.7 µs high.
    let number = |value: &Value| value.as_f64().unwrap();
    assert_eq!(found["cut"], json!([1, 0, 1]));
    assert_eq!(found["bar"][0], 3);
    let height = number(&found["bar"][2]);
    assert!((height - 2_700.0 / 10_800.0).abs() < 0.001, "{height}");
}

#[test]
fn frames_beyond_the_limit_have_only_a_length() {
    let frames = (1..=5).map(|number| {
        let mut recorded = Snapshot::default();
        let mut thread = SnapshotThread::new("main");
        for _ in 1..70_000 {
            let mut node = iprof::SnapshotNode {
                parent: 0,
                zone: 0,
                ..iprof::SnapshotNode::default()
            };
            (node.entries, node.ticks) = (1, number);
            thread.nodes.push(node);
        }
        recorded.ticks = number * 70_000;
        recorded.threads.push(thread);
        FrameSnapshot {
            number,
            begin_ns: 0,
            recorded,
            marks: Vec::new(),
        }
    });
    let script = r##"
return all("#frames").map(() => frameData.frames.map((_, at) => {
  key(".bars", "Escape");
  for (let step = 0; step < frameData.frames.length - at; step++) key(".bars", "ArrowLeft");
  return [document.querySelector("#frames output").textContent, own.ns];
}))[0];
"##;
    let folder = Folder::new("html-many-frames");
    let frames = frames.collect();
    let Some(found) = visit_with_frames(script, &recorded(&[("a", 7)]), frames, &folder) else {
        return;
    };
    let missing = "; its zones did not fit into the page, which shows everything recorded";
    // When a frame without zones is selected, the page keeps showing everything recorded.
    let expected = json!([
        [format!("frame 1, 70.000 µs{missing}"), 7],
        [format!("frame 2, 140.000 µs{missing}"), 7],
        [format!("frame 3, 210.000 µs{missing}"), 7],
        ["frame 4, 280.000 µs", 280_000],
        ["frame 5, 350.000 µs", 350_000],
    ]);
    assert_eq!(found, expected);
}

#[test]
fn longest_frame_excludes_program_start() {
    let script = r##"
click("#longest");
return document.querySelector("#frames output").textContent;
"##;
    let second = 1_000_000_000;
    let begins = [0, second - 1, second, second + 5];
    // If a different bar is longer, the page explains why that frame is not called the longest.
    let later = "frame 4, 40 ns, the longest but for the program's first second";
    for (last, longest) in [(4, later), (2, "frame 1, 900 ns")] {
        let frames = begins.iter().zip([900, 800, 30, 40]).zip(1..);
        let frames = frames
            .take(last)
            .map(|((begin_ns, ns), number)| FrameSnapshot {
                number,
                begin_ns: *begin_ns,
                recorded: recorded(&[("a", ns)]),
                marks: Vec::new(),
            });
        let whole = recorded(&[("a", 1_000)]);
        let folder = Folder::new("html-longest");
        if let Some(found) = visit_with_frames(script, &whole, frames.collect(), &folder) {
            assert_eq!(found, longest);
        }
    }
}

/// Tests clipped bars at both ends of the graph, two of which are adjacent.
#[test]
fn clipped_bar_is_labeled_with_its_length() {
    let ms = |number: u64| match number {
        1 => 900,
        59 => 70_000,
        60 => 4_321,
        30 => 123,
        31 => 150,
        _ => 10,
    };
    let frames = (1..=60).map(|number| FrameSnapshot {
        number,
        begin_ns: 0,
        recorded: recorded(&[("a", ms(number) * 1_000_000)]),
        marks: Vec::new(),
    });
    let script = r##"
const found = [];
for (const [width, dark] of [[1280, "dark"], [800, "light"], [400, "light"]]) {
  document.documentElement.dataset.theme = dark;
  document.body.style.width = width + "px";
  await new Promise((done) => setTimeout(done, 100));
  const box = (what) => what.getBoundingClientRect();
  const labels = all("#frames .lengths span");
  const bars = box(document.querySelector(".bars"));
  const center = (frame) => bars.left + ((frame - 0.5) / 60) * bars.width;
  const nearest = labels.map((label) => Math.min(...[1, 30, 31, 59, 60].map((frame) => Math.max(0, box(label).left - center(frame), center(frame) - box(label).right))));
  const pairs = labels.flatMap((a) => labels.filter((b) => b !== a && box(a).left < box(b).right && box(b).left < box(a).right));
  found.push({
    texts: labels.map((label) => label.textContent),
    overlap: pairs.length,
    off: Math.max(...nearest),
    outside: labels.filter((label) => box(label).left < bars.left - 0.5 || box(label).right > bars.right + 0.5).length,
    above: labels.every((label) => box(label).bottom <= bars.top + 1),
  });
}
// A clipped bar's arrow is above its length label, and any other bar's arrow is directly above the bar.
const bottom = () => parseFloat(getComputedStyle(document.querySelector(".bars .chosen"), "::before").bottom) - document.querySelector(".bars .chosen").clientHeight;
const arrows = [];
for (const step of [59, 20]) {
  key(".bars", "Escape");
  key(".bars", "End");
  for (let at = 0; at < 59 - step; at++) key(".bars", "ArrowLeft");
  arrows.push(bottom() > 10);
}
return { found, arrows, text: document.querySelector("#cut").textContent };
"##;
    let folder = Folder::new("html-cut");
    let whole = recorded(&[("a", 7)]);
    let Some(found) = visit_with_frames(script, &whole, frames.collect(), &folder) else {
        return;
    };
    assert_eq!(found["arrows"], json!([true, false]), "{found}");
    let widths = found["found"].as_array().unwrap();
    assert_eq!(widths.len(), 3);
    for found in widths {
        // Only the longer of two adjacent bars is labeled.
        let expected = json!(["900 ms", "150 ms", "1:10 min"]);
        assert_eq!(found["texts"], expected, "{found}");
        assert_eq!(found["overlap"], 0, "{found}");
        assert_eq!(found["off"], 0, "{found}");
        assert_eq!(found["outside"], 0, "{found}");
        assert_eq!(found["above"], true, "{found}");
    }
    let text =
        "5 bars are cut off at 40.000 ms (red), with their lengths above them where there is room.";
    assert_eq!(found["text"], text);
}
