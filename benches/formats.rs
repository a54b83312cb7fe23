//! Measures how long each export format takes to write, and how many bytes it writes.
//!
//! The program first records as many frames as the default history keeps, with 30 zones on 210 call stacks. Formats
//! that contain individual frames write all of these frames.
//!
//! `--tsv FILE` adds the results to a table, and a small `--runs N` gives quicker results.

#[path = "shared/options.rs"]
mod options;
#[path = "shared/tree.rs"]
#[allow(dead_code, reason = "shared with other benches")]
mod tree;
#[path = "shared/tsv.rs"]
mod tsv;

use iprof::Format;
use options::value_of;
use std::time::Instant;
use tree::{Frame, call, count, levels};
use tsv::Tsv;

/// How many times each format is written.
const RUNS: usize = 10;

const FORMATS: [Format; 12] = [
    Format::Tree,
    Format::TreeInCycles,
    Format::Folded,
    Format::Callgrind,
    Format::Gprof,
    Format::Html,
    Format::Pprof,
    Format::Speedscope,
    Format::TraceEvents,
    Format::TraceEventsGzip,
    Format::Json,
    Format::Csv,
];

fn main() -> std::io::Result<()> {
    let tree = levels(&[(10, 1), (20, 1)]);
    for _ in 0..iprof::config().history {
        call(&tree, Frame::All);
        iprof::update(true);
    }
    let snapshot = iprof::snapshot();
    let nodes: usize = snapshot
        .threads
        .iter()
        .map(|thread| thread.nodes.len())
        .sum();
    assert!(
        nodes > count(&tree, false),
        "all call stacks should be recorded"
    );

    let mut tsv = Tsv::new("formats", value_of("--tsv").as_deref())?;
    println!("{:<20} {:>10} {:>12}", "minimum", "ms", "bytes");
    let mut baseline = None;
    for format in FORMATS {
        let mut file = Vec::new();
        let mut least = f64::INFINITY;
        for _ in 0..options::runs(RUNS) {
            file.clear();
            let start = Instant::now();
            format.write_with_frames(&snapshot, iprof::frame_snapshots(..), &mut file)?;
            least = least.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let bytes = file.len() as f64;
        let name = format.to_string();
        println!("{name:<20} {least:>10.3} {bytes:>12}");
        let (base_ms, base_bytes) = *baseline.get_or_insert((least, bytes));
        let base = FORMATS[0].to_string();
        tsv.line(&name, least, "ms", &base, least / base_ms)?;
        tsv.line(&name, bytes, "bytes", &base, bytes / base_bytes)?;
    }
    Ok(())
}
