//! Tests the Callgrind format with `callgrind_annotate`.

use crate::html_idle::waiting;
use crate::program::{Folder, output_of};
use crate::recorded::{by_name, empty, names, odd_names, one_line, random, same_names};
use iprof::Snapshot;
use std::collections::BTreeMap;
use std::process::Command;

fn annotate(snapshot: &Snapshot, options: &[&str], folder: &Folder) -> Option<String> {
    let mut out = Vec::new();
    iprof::Format::Callgrind.write(snapshot, &mut out).unwrap();
    let file = folder.file("callgrind.out", &out);
    let mut command = Command::new("callgrind_annotate");
    output_of(
        command
            .args(["--threshold=100", "--auto=no"])
            .args(options)
            .arg(file),
    )
}

/// Returns each function's nanoseconds.
fn functions(text: &str) -> BTreeMap<String, u64> {
    let lines = text.lines().filter_map(|line| {
        let (ns, place) = line.trim_start().split_once(" (")?;
        // If nothing is idle, the first event accounts for all time.
        let (_, place) = place.rsplit_once("%)  ")?;
        let (_, name) = place.split_once("a b.rs:").or(place.split_once("???:"))?;
        Some((
            name.trim_end_matches(" []").to_owned(),
            ns.replace(',', "").parse().ok()?,
        ))
    });
    lines.collect()
}

#[test]
fn callgrind_annotate_reads_self_and_inclusive_times() {
    for (at, names) in [names(20), odd_names()].into_iter().enumerate() {
        let folder = Folder::new(&format!("callgrind-{at}"));
        let snapshot = random(&names, 600);
        let expected = by_name(&snapshot, one_line);
        for inclusive in [false, true] {
            let option = format!("--inclusive={}", if inclusive { "yes" } else { "no" });
            let Some(text) = annotate(&snapshot, &[&option], &folder) else {
                return;
            };
            let read = functions(&text);
            for (name, sums) in &expected {
                let ns = if inclusive {
                    sums.hier_ns
                } else {
                    sums.self_ns
                };
                let got = read.get(name).copied().unwrap_or(u64::MAX) as f64;
                // Rounding changes each node by less than a nanosecond.
                assert!(
                    (got - ns).abs() < 600.0,
                    "{name}: {got} instead of {ns}\n{text}"
                );
            }
        }
    }
}

#[test]
fn callgrind_annotate_separates_same_named_zones() {
    let folder = Folder::new("callgrind-same");
    let Some(text) = annotate(&same_names(), &[], &folder) else {
        return;
    };
    let functions = functions(&text);
    assert_eq!(functions["update (a b.rs:1)"], 1_000, "{text}");
    assert_eq!(functions["update (a b.rs:9)"], 2_000, "{text}");
}

#[test]
fn callgrind_annotate_ranks_work_before_idle_time() {
    let folder = Folder::new("callgrind-idle");
    let names = |options: &[&str]| -> Option<Vec<String>> {
        let text = annotate(&waiting(), options, &folder)?;
        // A row whose first value is missing has no time in the first event.
        let rows = text.lines().filter_map(|line| {
            let (times, name) = line.rsplit_once("%)  ")?;
            let time = times.split_whitespace().next()?;
            let (_, name) = name.split_once(':')?;
            let is_listed = time.contains(',') || options.is_empty();
            is_listed.then(|| name.trim_end_matches(" []").to_owned())
        });
        Some(rows.collect())
    };
    let Some(shown) = names(&[]) else {
        return;
    };
    assert_eq!(shown[..2], ["frame", "job"], "{shown:?}");
    let all = names(&["--show=ns", "--sort=ns"]).unwrap();
    assert_eq!(all, ["(outside zones)", "wait", "frame", "job"]);
}

#[test]
fn callgrind_annotate_reads_an_empty_profile() {
    let folder = Folder::new("callgrind-empty");
    if let Some(text) = annotate(&empty(), &[], &folder) {
        assert!(text.contains("PROGRAM TOTALS"), "{text}");
    }
}
