//! Tests large and unusual snapshots in every format.

use crate::recorded::{empty, names, odd_names, random};
use iprof::Format;
use std::io;
use std::time::Instant;

const FORMATS: [Format; 10] = [
    Format::Folded,
    Format::Callgrind,
    Format::Speedscope,
    Format::TraceEvents,
    Format::Csv,
    Format::Json,
    Format::Gprof,
    Format::Pprof,
    Format::Tree,
    Format::Html,
];

#[test]
fn hundred_thousand_nodes_are_written() {
    let snapshot = random(&names(500), 100_000);
    for format in FORMATS {
        let start = Instant::now();
        let mut out = Vec::new();
        format.write(&snapshot, &mut out).unwrap();
        println!(
            "{format}: {:.3} s, {} bytes",
            start.elapsed().as_secs_f64(),
            out.len()
        );
        // Each format lists either all nodes or all zones.
        assert!(out.len() > 10_000, "{format}: only {} bytes", out.len());
    }
}

#[test]
fn empty_profile_and_odd_names_are_written() {
    for snapshot in [empty(), random(&odd_names(), 300)] {
        for format in FORMATS {
            let mut out = Vec::new();
            format.write(&snapshot, &mut out).unwrap();
            match format {
                Format::Pprof => assert_eq!(out[..2], [0x1f, 0x8b]),
                Format::Speedscope | Format::Json | Format::TraceEvents => {
                    serde_json::from_slice::<serde_json::Value>(&out).unwrap();
                }
                _ => assert!(String::from_utf8(out).is_ok(), "{format}"),
            }
        }
    }
}

#[test]
fn writer_errors_are_returned() {
    let snapshot = random(&names(20), 600);
    for format in FORMATS {
        let mut whole = Vec::new();
        format.write(&snapshot, &mut whole).unwrap();
        let full = Full(whole.len() / 2);
        let result = format.write(&snapshot, full);
        assert_eq!(
            result.unwrap_err().kind(),
            io::ErrorKind::StorageFull,
            "{format}"
        );
    }
}

/// A writer that fails after the given number of bytes, as on a full disk.
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
