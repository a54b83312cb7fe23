//! Tests the table that all benchmarks write with `--tsv`, and the Markdown tables generated from it.

#[path = "../benches/shared/markdown.rs"]
mod markdown;
#[path = "../benches/shared/tsv.rs"]
mod tsv;

use markdown::{Results, Table};
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
fn benches_share_a_table_with_one_header() {
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
fn empty_file_gets_a_header() {
    let path = path("empty");
    fs::write(&path, "").unwrap();
    Tsv::new("record", Some(&path)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), HEADER);
}

#[test]
fn file_without_a_table_is_left_unchanged() {
    let path = path("other");
    for text in ["notes\n", "\n", "bench\tcase\n", "\u{fffd}\0"] {
        fs::write(&path, text).unwrap();
        Tsv::new("record", Some(&path)).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

const TABLE: Table = Table {
    title: "Zones",
    about: "Each row is a zone.",
    benches: &[("record", 1), ("update --only all", 9)],
    columns: &[("fast", "record|*, fast|ns"), ("slow", "record|*, slow|ns")],
    rows: &[
        ("any", &["a zone"]),
        ("**long**", &["a loop", "=update|all|us, minimum"]),
        (
            "relative",
            &["=record|a loop, fast|ratio", "=record|a zone, fast|ratio"],
        ),
        ("empty", &["", ""]),
        ("file", &["=formats|html|bytes", "=formats|csv|bytes"]),
    ],
};

#[test]
fn results_become_a_markdown_table() {
    let tsv = format!(
        "{HEADER}\
         record\ta zone, fast\t1.130\tns\tnothing\t1.0000\n\
         record\ta zone, slow\t17.250\tns\tnothing\t15.2655\n\
         record\ta loop, fast\t999.900\tns\tnothing\t884.8673\n\
         record\ta loop, fast\t2000.000\tns\tnothing\t1769.9115\n\
         update\tall\t2740.000\tus, minimum\tall\t1.0000\n\
         formats\thtml\t34500.000\tbytes\thtml\t1.0000\n\
         formats\tcsv\t25000000.000\tbytes\thtml\t724.6377\n"
    );
    let mut missing = Vec::new();
    let markdown = TABLE.markdown("iprof 0.3.0, a machine", &Results::new(&tsv), &mut missing);
    let expected = "\
        ## Zones\n\n\
        Each row is a zone.\n\n\
        iprof 0.3.0, a machine:\n\
        `./dev bench record --runs 1`, `./dev bench update --only all --runs 9`\n\n\
        | | fast | slow |\n\
        |---|---:|---:|\n\
        | any | 1.13 ns | 17.2 ns |\n\
        | **long** | 1000 ns | 2.74 ms |\n\
        | relative | 884.9 × | 1.000 × |\n\
        | empty | | |\n\
        | file | 34.5 kB | 25.0 MB |\n";
    assert_eq!(markdown, expected);
    assert_eq!(missing, [""; 0]);
}

#[test]
fn missing_results_are_listed() {
    let mut missing = Vec::new();
    let markdown = TABLE.markdown(
        "iprof 0.3.0, a machine",
        &Results::new(HEADER),
        &mut missing,
    );
    assert!(markdown.contains("| any | ? | ? |\n"), "{markdown}");
    assert_eq!(
        missing[..2],
        ["record|a zone, fast|ns", "record|a zone, slow|ns"]
    );
    assert_eq!(missing.len(), 8);
}
