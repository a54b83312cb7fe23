//! `go tool pprof` reads profiles.

use crate::go::{TOP, pprof, rows};
use crate::program::Folder;
use crate::recorded::{by_name, calls, empty, names, odd_names, one_line, random, total_ns};
use iprof::Snapshot;
use std::path::PathBuf;

fn write(snapshot: &Snapshot, name: &str, folder: &Folder) -> PathBuf {
    let mut out = Vec::new();
    snapshot.write_pprof(&mut out).unwrap();
    folder.file(name, &out)
}

#[test]
fn go_tool_pprof_reads_times_and_entries() {
    for (at, names) in [names(20), odd_names()].into_iter().enumerate() {
        let folder = Folder::new(&format!("pprof-{at}"));
        let snapshot = random(&names, 600);
        let file = write(&snapshot, "a.pb.gz", &folder);
        let Some(times) = pprof(&TOP, &[&file]) else {
            return;
        };
        assert!(times.contains("Type: self\n"), "{times}");
        let times = rows(&times);
        for (name, sums) in by_name(&snapshot, one_line) {
            let Some((own, all)) = times.get(&name) else {
                panic!("{name:?} is missing: {:?}", times.keys());
            };
            assert!(
                (*own as f64 - sums.self_ns).abs() < 600.0,
                "{name}: {own} {sums:?}"
            );
            assert!(
                (*all as f64 - sums.hier_ns).abs() < 600.0,
                "{name}: {all} {sums:?}"
            );
        }
        let index = ["-sample_index=entries"];
        let options: Vec<&str> = TOP
            .into_iter()
            .chain(index)
            .filter(|o| *o != "-unit=ns")
            .collect();
        let entries = rows(&pprof(&options, &[&file]).unwrap());
        for (name, sums) in by_name(&snapshot, one_line) {
            assert_eq!(entries[&name].0 as u64, sums.entries, "{name}");
        }
    }
}

#[test]
fn go_tool_pprof_shows_callers_threads_and_differences() {
    let folder = Folder::new("pprof-peek");
    let before = random(&names(20), 600);
    let mut after = before.clone();
    let node = after.threads[0].nodes.len() - 1;
    after.threads[0].nodes[node].ticks += 3_000_000_000;
    let changed = after.threads[0].nodes[node].zone as usize;
    let name = after.zones[changed].name.clone();
    let (old, new) = (
        write(&before, "old.pb.gz", &folder),
        write(&after, "new.pb.gz", &folder),
    );
    let Some(peek) = pprof(&["-peek", &format!("^{name}$"), "-unit=ns"], &[&new]) else {
        return;
    };
    for call in calls(&after) {
        let zones = call.map(|node| node.zone as usize);
        if zones.contains(&changed) {
            for name in zones.map(|zone| &*after.zones[zone].name) {
                assert!(peek.contains(name), "{name} is missing: {peek}");
            }
        }
    }
    let base = format!("-diff_base={}", old.display());
    let difference = pprof(&["-top", "-unit=ns", &base], &[&new]).unwrap();
    let (own, _) = rows(&difference)[&*name];
    assert!((own - 1_000_000_000).abs() < 2, "{difference}");
    let tags = pprof(&["-tags", "-unit=ns"], &[&new]).unwrap();
    assert!(
        tags.contains("thread: Total") && tags.contains("worker"),
        "{tags}"
    );
    let total = rows(&pprof(&TOP, &[&old]).unwrap())
        .values()
        .map(|(own, _)| own)
        .sum::<i64>();
    assert!((total as f64 - total_ns(&before)).abs() < 2.0);
}

#[test]
fn go_tool_pprof_reads_samples_and_shows_times_unless_asked() {
    let folder = Folder::new("pprof-samples");
    let mut snapshot = random(&names(20), 300);
    for node in snapshot
        .threads
        .iter_mut()
        .flat_map(|thread| &mut thread.nodes)
    {
        node.samples = 2;
    }
    let nodes: usize = snapshot
        .threads
        .iter()
        .map(|thread| thread.nodes.len())
        .sum();
    let file = write(&snapshot, "a.pb.gz", &folder);
    let Some(text) = pprof(&TOP, &[&file]) else {
        return;
    };
    assert!(text.contains("Type: self\n"), "{text}");
    let text = pprof(&["-top", "-sample_index=samples"], &[&file]).unwrap();
    assert!(text.contains(&format!("of {} total", 2 * nodes)), "{text}");
}

#[test]
fn go_tool_pprof_reads_nothing() {
    let folder = Folder::new("pprof-empty");
    let file = write(&empty(), "a.pb.gz", &folder);
    if let Some(text) = pprof(&TOP, &[&file]) {
        assert!(text.contains("Type: self"), "{text}");
    }
}
