//! Tests the table that all benchmarks write with `--tsv`.

#[path = "../benches/shared/tsv.rs"]
mod tsv;

use std::fs;
use tsv::Tsv;

const HEADER: &str = "bench\tcase\tvalue\tunit\tbaseline\tratio\n";

/// Returns the path of a file that does not exist yet.
fn path(name: &str) -> String {
    let path = format!("{}/{name}.tsv", env!("CARGO_TARGET_TMPDIR"));
    if let Err(error) = fs::remove_file(&path) {
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{path}");
    }
    path
}

#[test]
fn benches_share_a_file_under_one_header() {
    let path = path("shared");
    for (bench, value) in [("record", 18.0), ("peers", 36.0), ("record", 17.9996)] {
        let mut tsv = Tsv::new(bench, Some(&path)).unwrap();
        tsv.line("site hit", value, "ns", "two reads", value / 18.0)
            .unwrap();
    }
    let lines = "record\tsite hit\t18.000\tns\ttwo reads\t1.0000\n\
                 peers\tsite hit\t36.000\tns\ttwo reads\t2.0000\n\
                 record\tsite hit\t18.000\tns\ttwo reads\t1.0000\n";
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        HEADER.to_owned() + lines
    );
}

#[test]
fn an_empty_file_is_a_table_yet_to_be_begun() {
    let path = path("empty");
    fs::write(&path, "").unwrap();
    Tsv::new("record", Some(&path)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), HEADER);
}

#[test]
fn a_file_that_is_no_table_is_left_alone() {
    let path = path("other");
    for text in ["notes\n", "\n", "bench\tcase\n", "\u{fffd}\0"] {
        fs::write(&path, text).unwrap();
        Tsv::new("record", Some(&path)).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}
