//! Tests comparing the page with a second profile.

use crate::browser::visit;
use crate::html::game;
use crate::program::Folder;
use iprof::{Snapshot, SnapshotThread, SnapshotZone};
use serde_json::{Value, json};

/// Drops a file on the page, and waits until the page has read it. If only a timer were pending, virtual time would
/// advance before the file is read. Pending messages prevent this, and the timer limits each advance to a millisecond.
const DROP: &str = r##"
const status = () => document.querySelector("#status").textContent;
const drop = async (text, name) => {
  document.querySelector("#status").textContent = "";
  const event = new Event("drop", { bubbles: true, cancelable: true });
  event.dataTransfer = { files: [new File([text], name)] };
  document.body.dispatchEvent(event);
  const { port1, port2 } = new MessageChannel();
  const timer = setInterval(() => {}, 1);
  for (let turn = 0; turn < 1e6 && !status(); turn++) {
    await new Promise((done) => { port1.onmessage = done; port2.postMessage(""); });
  }
  clearInterval(timer);
};
const differences = (grid) => rows(grid).map((row) => [row.name, Number(row.deltaNs) / 1e6]);
"##;

/// Adds the constant `OTHERS` to a script: the names and contents of the files to drop.
pub(crate) fn with_files(script: &str, files: &[(&str, Vec<u8>)]) -> String {
    let files: Vec<_> = files
        .iter()
        .map(|(name, content)| (name, std::str::from_utf8(content).unwrap()))
        .collect();
    // A `</script>` tag in the files would end the page's own script element.
    let files = json!(files).to_string().replace('<', "\\u003c");
    format!("{DROP}\nconst OTHERS = {files};\n{script}")
}

pub(crate) fn json_of(snapshot: &Snapshot) -> Vec<u8> {
    let mut out = Vec::new();
    iprof::Format::Json.write(snapshot, &mut out).unwrap();
    out
}

/// Drops a profile to compare with, and then a file that is not a profile.
const DIFF: &str = r##"
const found = {};
for (const [name, text] of OTHERS) {
  await drop(text, name);
  found[name] = {
    status: status(),
    zones: rows("#zones").map((row) => [row.name, Number(row.deltaNs) / 1e6, row.delta]),
    tree: differences("#tree"),
    colors: all("#zones .body .row").map((row) => getComputedStyle(row).backgroundColor),
    marks: all("#zones .mark, #tree .mark").map((mark) => [mark.parentNode.querySelector(".label").textContent, mark.textContent]),
    head: document.querySelector("#zones [data-key=delta]").textContent,
  };
}
for (const wrong of ["", "[]", "{}", '{"zones":[],"threads":[{}]}',
  '{"zones":[{"name":"a"}],"threads":[{"nodes":[{"zone":0,"self_ns":1},{"parent":5,"zone":0,"self_ns":1}]}]}',
  '{"zones":[{"name":"a"}],"threads":[{"nodes":[{"zone":3,"self_ns":1}]}]}',
  '{"zones":[{"name":"a"}],"threads":[{"nodes":[{"zone":0,"self_ns":-1}]}]}']) {
  await drop(wrong, "wrong.json");
  (found.wrong ??= []).push(status());
}
click("#alone");
found.alone = [status(), heads("#zones").includes("delta")];
return found;
"##;

#[test]
fn profile_dropped_on_the_page_is_compared() {
    let mut before = game();
    before.frames = 5;
    // On `main`, `frame` took half as long and `sort` twice as long, and `gone` no longer exists.
    let gone = before.intern_zone(SnapshotZone::new("</script> gone", "src/game.rs", 7));
    let main = &mut before.threads[0];
    for node in &mut main.nodes {
        node.ticks /= 2;
    }
    main.nodes[1].ticks = 1_500_000;
    main.nodes[4].ticks = 2_000_000;
    let at = main.child(0, gone);
    main.nodes[at].ticks = 500_000;
    before.threads[1].nodes[1].ticks = 2_500_000;
    let mut page = Vec::new();
    iprof::Format::Html.write(&before, &mut page).unwrap();
    let script = with_files(DIFF, &[("a.html", page), ("a.json", json_of(&before))]);
    let Some(found) = visit(&script, &game(), &Folder::new("html-diff")) else {
        return;
    };
    for name in ["a.html", "a.json"] {
        let found = &found[name];
        assert_eq!(
            found["status"],
            format!(
                "compared with {name}, its times and counts scaled from 5 frames to 10: Δ is this profile minus the other"
            )
        );
        assert_eq!(found["head"], "Δself ms ▼");
        // By default, the largest differences are listed first.
        assert_eq!(
            found["zones"],
            json!([
                ["frame", 3, "+3.000"],
                ["sort", -2, "-2.000"],
                ["</script> gone", -1, "-1.000"],
                ["(outside zones)", 0, "0.000"],
                ["solve", 0, "0.000"],
                ["load", 0, "0.000"]
            ])
        );
        assert_eq!(
            found["tree"],
            json!([
                ["all threads", 0],
                ["main", 0],
                ["frame", 1],
                ["solve", -2],
                ["sort", -2],
                ["solve", 0],
                ["</script> gone", -1],
                ["(outside zones)", 0],
                ["load", 0],
                ["solve", 0],
                ["worker", 0],
                ["solve", 0]
            ])
        );
        let only = json!(["</script> gone", "only in the other profile"]);
        assert_eq!(found["marks"], json!([only, only]));
        check_colors(&found["colors"]);
    }
    for wrong in found["wrong"].as_array().unwrap() {
        let wrong = wrong.as_str().unwrap();
        assert!(
            wrong.starts_with("wrong.json is not an iprof HTML page or JSON profile: "),
            "{wrong}"
        );
    }
    assert_eq!(found["alone"], json!(["", false]));
}

/// Checks the colors of four rows: a row with more time, two rows with less time, and an unchanged row.
fn check_colors(colors: &Value) {
    let colors: Vec<[f64; 4]> = colors.as_array().unwrap()[..4].iter().map(rgba).collect();
    let [more, less, other, same] = colors[..] else {
        panic!("expected four colors: {colors:?}");
    };
    assert!(same[3] < 0.001, "{same:?}");
    assert!(more[3] > 0.05 && less[3] > 0.05, "{more:?}, {less:?}");
    assert_eq!(less[..3], other[..3]);
    assert!(less[3] > other[3], "{less:?}, {other:?}");
    // The colors must differ for people with normal vision and for those who lack one type of cone (matrices by
    // Machado, Oliveira and Fernandes, 2009).
    let kinds = [
        [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        [
            0.152, 1.053, -0.205, 0.115, 0.786, 0.099, -0.004, -0.048, 1.052,
        ],
        [
            0.367, 0.861, -0.228, 0.280, 0.673, 0.047, -0.012, 0.043, 0.969,
        ],
        [
            1.256, -0.077, -0.179, -0.078, 0.931, 0.148, 0.005, 0.691, 0.304,
        ],
    ];
    for kind in kinds {
        let seen = |color: [f64; 4]| -> Vec<f64> {
            let row = |row: &[f64]| row.iter().zip(color).map(|(part, of)| part * of).sum();
            kind.chunks(3).map(row).collect()
        };
        let (more, less) = (seen(more), seen(less));
        let square: f64 = more.iter().zip(&less).map(|(a, b)| (a - b).powi(2)).sum();
        assert!(square.sqrt() > 100.0, "{more:?} and {less:?} look alike");
    }
}

/// Parses `rgb(…)` or `rgba(…)`. The last value is the opacity.
fn rgba(color: &Value) -> [f64; 4] {
    let text = color.as_str().unwrap();
    let parts = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut rgba = [1.0; 4];
    for (part, text) in rgba.iter_mut().zip(parts.trim_end_matches(')').split(',')) {
        *part = text.trim().parse().unwrap();
    }
    rgba
}

/// Collects the differences in each thread and in the inverted tree.
const THREADS: &str = r##"
const [[name, text]] = OTHERS;
await drop(text, name);
const found = {};
click("#hot");
found.all = differences("#tree");
for (const thread of ["0", "1"]) {
  choose("#thread", thread);
  found[thread] = differences("#zones");
}
return found;
"##;

#[test]
fn same_named_threads_are_compared_in_order() {
    let mut before = Snapshot::default();
    let job = before.intern_zone(SnapshotZone::new("job", "src/game.rs", 7));
    for ms in [1, 3] {
        let mut worker = SnapshotThread::new("worker");
        let at = worker.child(0, job);
        (worker.nodes[at].ticks, worker.nodes[at].entries) = (ms * 1_000_000, 1);
        before.threads.push(worker);
    }
    let mut after = before.clone();
    after.threads[1].nodes[1].ticks += 500_000;
    let script = with_files(THREADS, &[("before.json", json_of(&before))]);
    let Some(found) = visit(&script, &after, &Folder::new("html-diff-threads")) else {
        return;
    };
    assert_eq!(
        found["all"],
        json!([
            ["all threads", 0.5],
            ["worker #1", 0],
            ["job", 0],
            ["worker #2", 0.5],
            ["job", 0.5]
        ])
    );
    assert_eq!(found["0"], json!([["job", 0]]));
    assert_eq!(found["1"], json!([["job", 0.5]]));
}

/// Selects a row that exists only in the other profile.
const IDLE: &str = r##"
const [[name, text]] = OTHERS;
await drop(text, name);
const found = { ranked: differences("#zones") };
key("#zones .grid", "Home");
key("#zones .grid", "End");
found.detail = document.querySelector("#zones .detail").textContent;
found.neighbors = document.querySelector("#neighbors h2").textContent;
click("#idle");
found.idleRanked = differences("#zones");
return found;
"##;

#[test]
fn idle_time_is_not_ranked_in_diffs() {
    let snapshot = |wait_ms: u64, is_old: bool| {
        let mut snapshot = Snapshot::default();
        let mut wait = SnapshotZone::new("wait", "src/game.rs", 7);
        wait.is_idle = true;
        let mut thread = SnapshotThread::new("main");
        let work = SnapshotZone::new("work", "src/game.rs", 8);
        let mut zones = vec![(wait, wait_ms), (work, 20)];
        if is_old {
            let mut gone = SnapshotZone::new("gone", "src/game.rs", 9);
            gone.is_idle = true;
            zones.insert(0, (gone, 3));
        }
        for (zone, ms) in zones {
            let zone = snapshot.intern_zone(zone);
            let at = thread.child(0, zone);
            (thread.nodes[at].ticks, thread.nodes[at].entries) = (ms * 1_000_000, 1);
        }
        snapshot.threads.push(thread);
        snapshot
    };
    let script = with_files(IDLE, &[("a.json", json_of(&snapshot(50, true)))]);
    let Some(found) = visit(
        &script,
        &snapshot(10, false),
        &Folder::new("html-diff-idle"),
    ) else {
        return;
    };
    let expected = json!([["work", 0], ["wait", -40], ["gone", -3]]);
    assert_eq!(found["ranked"], expected);
    let detail = found["detail"].as_str().unwrap();
    let mark = "gone · only in the other profile · src/game.rs:9";
    assert!(detail.starts_with(mark), "{detail}");
    // In the other profile, `gone` has an index that belongs to a different zone in this profile.
    let title = "Callers and callees of work";
    assert_eq!(found["neighbors"], title);
    let expected = json!([["wait", -40], ["gone", -3], ["work", 0]]);
    assert_eq!(found["idleRanked"], expected);
}
