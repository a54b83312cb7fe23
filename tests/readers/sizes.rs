//! Large and unusual snapshots in every format.

use crate::recorded::{empty, names, odd_names, random};
use iprof::{FrameSnapshot, Snapshot, write_trace_events};
use std::io;
use std::time::Instant;

type Writer = fn(&Snapshot, &mut Vec<u8>) -> io::Result<()>;

const WRITERS: [(&str, Writer); 10] = [
    ("folded", |snapshot, out| snapshot.write_folded(out)),
    ("callgrind", |snapshot, out| snapshot.write_callgrind(out)),
    ("speedscope", |snapshot, out| snapshot.write_speedscope(out)),
    ("trace", |snapshot, out| {
        write_trace_events([frame(snapshot)], out)
    }),
    ("csv", |snapshot, out| snapshot.write_csv(out)),
    ("json", |snapshot, out| snapshot.write_json(out)),
    ("gprof", |snapshot, out| snapshot.write_gprof(out)),
    ("pprof", |snapshot, out| snapshot.write_pprof(out)),
    ("tree", |snapshot, out| snapshot.write_tree(out)),
    ("html", |snapshot, out| snapshot.write_html(out)),
];

fn frame(snapshot: &Snapshot) -> FrameSnapshot {
    FrameSnapshot::new(0, 0, snapshot.clone())
}

#[test]
fn a_hundred_thousand_nodes_are_written() {
    let snapshot = random(&names(500), 100_000);
    for (name, write) in WRITERS {
        let start = Instant::now();
        let mut out = Vec::new();
        write(&snapshot, &mut out).unwrap();
        println!(
            "{name}: {:.3} s, {} bytes",
            start.elapsed().as_secs_f64(),
            out.len()
        );
        // A list of all nodes or of all zones is in each.
        assert!(out.len() > 10_000, "{name}: {}", out.len());
    }
}

#[test]
fn nothing_and_odd_names_are_written() {
    for snapshot in [empty(), random(&odd_names(), 300)] {
        for (name, write) in WRITERS {
            let mut out = Vec::new();
            write(&snapshot, &mut out).unwrap();
            match name {
                "pprof" => assert_eq!(out[..2], [0x1f, 0x8b]),
                "speedscope" | "json" | "trace" => {
                    serde_json::from_slice::<serde_json::Value>(&out).unwrap();
                }
                _ => assert!(String::from_utf8(out).is_ok(), "{name}"),
            }
        }
    }
}

#[test]
fn what_the_writer_says_comes_back() {
    let snapshot = random(&names(20), 600);
    for (name, write) in WRITERS {
        let mut whole = Vec::new();
        write(&snapshot, &mut whole).unwrap();
        let full = Full(whole.len() / 2);
        let result = match name {
            "folded" => snapshot.write_folded(full),
            "callgrind" => snapshot.write_callgrind(full),
            "speedscope" => snapshot.write_speedscope(full),
            "trace" => write_trace_events([frame(&snapshot)], full),
            "csv" => snapshot.write_csv(full),
            "json" => snapshot.write_json(full),
            "gprof" => snapshot.write_gprof(full),
            "pprof" => snapshot.write_pprof(full),
            "tree" => snapshot.write_tree(full),
            _ => snapshot.write_html(full),
        };
        assert_eq!(
            result.unwrap_err().kind(),
            io::ErrorKind::StorageFull,
            "{name}"
        );
    }
}

/// A disk with so many bytes left.
struct Full(usize);

impl io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
