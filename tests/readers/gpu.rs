//! Tests the files exported by a program with GPU zones. The GPU runs in parallel with the threads, so no reader may
//! add GPU times to thread times.

use crate::browser::visit;
use crate::go::{TOP, pprof, rows};
use crate::program::{Folder, output_of};
use iprof::{FrameSnapshot, Snapshot, SnapshotThread, SnapshotZone};
use serde_json::{Value, json};
use std::process::Command;

const MS: u64 = 1_000_000;

/// A snapshot with GPU zones. The GPU spends 40 ms in `draw` and 60 ms outside zones. On `main`, `frame` has 6 ms of
/// self time and calls `draw` for 2 ms. `worker` spends 3 ms in `job`, and a thread named `GPU` spends 1 ms in `job`.
fn recorded() -> Snapshot {
    let mut snapshot = Snapshot::default();
    let [frame, draw, job] = ["frame", "draw", "job"]
        .map(|name| snapshot.intern_zone(SnapshotZone::new(name, "src/game.rs", 7)));
    let thread = |name: &str, zones: &[(u32, u64)]| {
        let mut thread = SnapshotThread::new(name);
        let mut node = 0;
        for (zone, ms) in zones {
            node = thread.child(node, *zone);
            thread.nodes[node].ticks = ms * MS;
            thread.nodes[node].entries = 1;
        }
        thread.is_idle_outside_zones = name != "main";
        thread
    };
    let mut gpu = thread("GPU", &[(draw, 40)]);
    gpu.is_gpu = true;
    gpu.nodes[0].ticks = 60 * MS;
    snapshot.threads = vec![
        gpu,
        thread("main", &[(frame, 6), (draw, 2)]),
        thread("worker", &[(job, 3)]),
        thread("GPU", &[(job, 1)]),
    ];
    (snapshot.ticks, snapshot.frames) = (100 * MS, 1);
    snapshot
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    out
}

#[test]
fn pprof_has_separate_gpu_sample_types() {
    let folder = Folder::new("gpu-pprof");
    let file = folder.file(
        "a.pb.gz",
        &written(|out| iprof::Format::Pprof.write(&recorded(), out)),
    );
    let top = |index: &str| {
        let options: Vec<&str> = TOP.into_iter().chain([index]).collect();
        pprof(&options, &[&file])
    };
    let Some(cpu) = top("-sample_index=self") else {
        return;
    };
    assert!(
        cpu.contains("Total: 12000000ns") || cpu.contains("of 12000000ns total"),
        "{cpu}"
    );
    assert_eq!(rows(&cpu)["draw"], (2_000_000, 2_000_000), "{cpu}");
    let gpu = top("-sample_index=gpu").unwrap();
    assert_eq!(rows(&gpu)["draw"], (40_000_000, 40_000_000), "{gpu}");
    // The GPU's idle time has a different sample type, so it is not ranked first.
    assert!(gpu.contains("of 40000000ns total"), "{gpu}");
    assert_eq!(rows(&gpu)["(outside zones)"], (0, 40_000_000), "{gpu}");
    let all = top("-sample_index=gpu_wall").unwrap();
    assert!(all.contains("of 100000000ns total"), "{all}");
    assert_eq!(
        rows(&all)["(outside zones)"],
        (60_000_000, 100_000_000),
        "{all}"
    );
    let entries = |index: &str| {
        let options = ["-top", "-nodefraction=0", index];
        rows(&pprof(&options, &[&file]).unwrap())["draw"].0
    };
    assert_eq!(entries("-sample_index=entries"), 1);
    assert_eq!(entries("-sample_index=gpu_entries"), 1);
}

#[test]
fn callgrind_has_separate_gpu_events() {
    let folder = Folder::new("gpu-callgrind");
    let file = folder.file(
        "callgrind.out",
        &written(|out| iprof::Format::Callgrind.write(&recorded(), out)),
    );
    let mut command = Command::new("callgrind_annotate");
    let Some(text) = output_of(command.args(["--threshold=100", "--auto=no"]).arg(file)) else {
        return;
    };
    let row = |name: &str| -> Vec<String> {
        let end = format!("game.rs:{name} []");
        let row = text.lines().find(|line| {
            line.trim_end().ends_with(&end) || line.trim_end().ends_with(&format!("game.rs:{name}"))
        });
        let row = row.unwrap_or_else(|| panic!("{name} is missing: {text}"));
        row.split_whitespace()
            .filter(|word| !word.contains('%'))
            .map(str::to_owned)
            .collect()
    };
    // The columns are the threads' work and total time, followed by the GPU's work and total time.
    assert_eq!(row("draw")[..2], ["2,000,000", "2,000,000"], "{text}");
    let gpu = row("draw (GPU)");
    assert_eq!(gpu[..4], ["0", "0", "40,000,000", "40,000,000"], "{text}");
    let total = text
        .lines()
        .find(|line| line.contains("PROGRAM TOTALS"))
        .unwrap();
    assert!(
        total.contains("12,000,000") && total.contains("100,000,000"),
        "{text}"
    );
}

#[test]
fn gprof_omits_gpu_times() {
    let text =
        String::from_utf8(written(|out| iprof::Format::Gprof.write(&recorded(), out))).unwrap();
    assert!(text.contains("Total: 0.012000000 seconds."), "{text}");
    let draw = text.lines().find(|line| line.ends_with("  draw")).unwrap();
    assert_eq!(
        draw.split_whitespace().nth(2),
        Some("0.002000000"),
        "{text}"
    );
}

#[test]
fn json_stores_the_gpu_only_as_a_thread() {
    let json: Value =
        serde_json::from_slice(&written(|out| iprof::Format::Json.write(&recorded(), out)))
            .unwrap();
    let zones = json["zones"].as_array().unwrap();
    let draw = zones.iter().find(|zone| zone["name"] == "draw").unwrap();
    assert_eq!(
        [&draw["self_ns"], &draw["entries"]],
        [&json!(2 * MS), &json!(1)]
    );
    let threads = json["threads"].as_array().unwrap();
    let gpu: Vec<&Value> = threads.iter().map(|thread| &thread["gpu"]).collect();
    assert_eq!(gpu, [true, false, false, false]);
}

#[test]
fn other_formats_show_the_gpu_as_a_thread() {
    let folded =
        String::from_utf8(written(|out| iprof::Format::Folded.write(&recorded(), out))).unwrap();
    assert!(folded.contains("GPU;draw 40000000\n"), "{folded}");
    assert!(folded.contains("main;frame;draw 2000000\n"), "{folded}");
    assert!(folded.contains("GPU (thread);job 1000000\n"), "{folded}");
    let speedscope = written(|out| iprof::Format::Speedscope.write(&recorded(), out));
    let speedscope: Value = serde_json::from_slice(&speedscope).unwrap();
    let gpu = &speedscope["profiles"][0];
    assert_eq!(
        [&gpu["name"], &gpu["endValue"]],
        [&json!("GPU"), &json!(100 * MS)]
    );
    let frame = FrameSnapshot {
        number: 1,
        begin_ns: 0,
        recorded: recorded(),
        marks: Vec::new(),
    };
    let trace =
        written(|out| iprof::Format::TraceEvents.write_with_frames(&recorded(), [frame], out));
    let trace: Value = serde_json::from_slice(&trace).unwrap();
    let events = trace.as_array().unwrap();
    let draws = events
        .iter()
        .filter(|event| event["name"] == "draw" && event["ph"] == "B");
    let draws: Vec<[&Value; 2]> = draws
        .map(|draw| [&draw["tid"], &draw["args"]["self_ns"]])
        .collect();
    assert_eq!(
        draws,
        [[&json!(2), &json!(40 * MS)], [&json!(3), &json!(2 * MS)]]
    );
}

const PAGE: &str = r##"
const found = {};
found.recorded = all("dd").at(-1).textContent;
const options = () => all("#thread option").map((option) => option.textContent);
found.options = options();
const times = (grid) => rows(grid).map((row) => [row.name, Number(row.hierNs || row.selfNs) / 1e6]);
key("#tree .grid", "Home");
found.root = rows("#tree")[0].hierNs / 1e6;
found.threads = calls.root.children.map((node) => node.name);
found.zones = rows("#zones").map((row) => [row.name, row.selfNs / 1e6, row.entries]);
choose("#thread", "merged");
found.merged = rows("#tree")[0].hierNs / 1e6;
choose("#shape", "inverted");
found.inverted = rows("#tree")[0].hierNs / 1e6;
choose("#shape", "calls");
choose("#thread", "0");
found.gpu = rows("#zones").map((row) => [row.name, row.selfNs / 1e6, row.share]);
found.idle = all("#zones .row.idle .label").map((label) => label.textContent);
// The baseline contains the same data, so all differences must be zero.
const other = new File([document.querySelector("#data").textContent], "other.json");
await compareWith(other);
found.deltas = [rows("#zones").map((row) => Number(row.delta))];
choose("#thread", "3");
found.deltas.push(rows("#zones").map((row) => Number(row.delta)));
found.jobOf = rows("#zones")[0].name;
return found;
"##;

#[test]
fn page_shows_the_gpu_only_as_a_thread() {
    let Some(found) = visit(PAGE, &recorded(), &Folder::new("gpu-html")) else {
        return;
    };
    let recorded = found["recorded"].as_str().unwrap();
    assert!(
        recorded.starts_with("3 threads and the GPU, 1 frame, "),
        "{recorded}"
    );
    let options = [
        "all threads without the GPU",
        "all threads without the GPU, merged",
        "GPU (100.000 ms)",
        "main (8.000 ms)",
        "worker (3.000 ms)",
        "GPU (1.000 ms)",
    ];
    assert_eq!(found["options"], json!(options));
    for root in ["root", "merged", "inverted"] {
        assert_eq!(found[root], 12, "{root}");
    }
    assert_eq!(found["threads"], json!(["main", "worker", "GPU"]));
    let zones = json!([["frame", 6, "1"], ["job", 4, "2"], ["draw", 2, "1"]]);
    assert_eq!(found["zones"], zones);
    let outside = "(outside zones, idle)";
    assert_eq!(
        found["gpu"],
        json!([["draw", 40, "100.00"], [outside, 60, ""]])
    );
    assert_eq!(found["idle"], json!([outside]));
    assert_eq!(found["deltas"], json!([[0, 0], [0]]));
    assert_eq!(found["jobOf"], "job");
}
