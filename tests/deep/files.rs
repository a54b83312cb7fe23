//! Tests files with deep call stacks in every format. Checks their contents, peak memory use and time.

use crate::heap::{check_is_linear, most_while, on_a_small_stack, processor_time};
use crate::own_program::is_emulated;
use iprof::{Format, Snapshot, SnapshotNode, SnapshotThread, SnapshotZone};
use std::io::{self, Write};
use std::time::Duration;

/// The time limit stated in the documentation of the formats.
const SECOND: Duration = Duration::from_secs(1);

const FORMATS: [Format; 11] = [
    Format::Folded,
    Format::Callgrind,
    Format::Speedscope,
    Format::TraceEvents,
    Format::TraceEventsGzip,
    Format::Csv,
    Format::Json,
    Format::Gprof,
    Format::Pprof,
    Format::Tree,
    Format::Html,
];

#[derive(Default)]
struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns `chains` chains that start at the root. Each chain has `depth` nodes, which cycle through the zones.
fn chains(chains: usize, depth: usize, zones: usize) -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.ticks = 1 << 40;
    for zone in 0..zones {
        let name = format!("module::zone_{zone}");
        snapshot
            .zones
            .push(SnapshotZone::new(&name, "src/lib.rs", zone as u32));
    }
    let mut thread = SnapshotThread::new("main");
    for chain in 0..chains {
        for level in 0..depth {
            let parent = if level == 0 {
                0
            } else {
                thread.nodes.len() - 1
            };
            let zone = (1 + (chain + level) % zones) as u32;
            let mut node = SnapshotNode {
                parent: parent as u32,
                zone,
                ..SnapshotNode::default()
            };
            node.entries = 3;
            node.ticks = 1_000 + (level % 7) as u64;
            thread.nodes.push(node);
        }
    }
    snapshot.threads.push(thread);
    snapshot
}

/// Returns the number of bytes written, the peak heap use and the time taken.
fn measure(snapshot: &Snapshot, format: Format) -> (usize, usize, Duration) {
    let mut out = Counter::default();
    let start = processor_time();
    let heap = most_while(|| format.write(snapshot, &mut out).unwrap());
    (out.0, heap, processor_time() - start)
}

#[test]
fn every_format_needs_little_memory_for_deep_stacks() {
    on_a_small_stack(|| {
        // The mean depth of the nodes is 1,250.
        let snapshot = chains(20, 2_500, 500);
        let mut faults = Vec::new();
        for format in FORMATS {
            let (bytes, heap, mut time) = measure(&snapshot, format);
            for _ in 0..3 {
                if time > SECOND {
                    time = time.min(measure(&snapshot, format).2);
                }
            }
            println!("{format}: {bytes} bytes, {heap} of heap, {time:?}");
            // Peak heap use includes 40 bytes per node for the snapshot's copy in nanoseconds.
            if bytes > 200 << 20 || heap > 32 << 20 {
                faults.push(format!("{format}: {bytes} bytes, {heap} of heap"));
            }
            if time > SECOND && !is_emulated() {
                faults.push(format!("{format}: {time:?}"));
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
    });
}

/// Checks that ten times as many levels take about ten times as long. Quadratic work would take a hundred times as
/// long.
#[test]
fn writing_a_deep_chain_takes_linear_time() {
    on_a_small_stack(|| {
        for zones in [1, 3, 100_000] {
            let (short, long) = (chains(1, 10_000, zones), chains(1, 100_000, zones));
            for format in FORMATS {
                let what = format!("{zones} zones, {format}");
                let (mut bytes, mut heap) = (0, 0);
                let write_long = || {
                    let time;
                    (bytes, heap, time) = measure(&long, format);
                    time
                };
                check_is_linear(&what, write_long, || measure(&short, format).2);
                println!("{what}: {bytes} bytes, {heap} of heap");
                assert!(bytes < 200 << 20, "{format}: {bytes} bytes");
                assert!(heap < 100 << 20, "{format}: {heap} of heap");
            }
        }
    });
}
