//! Tests profiles with `go tool pprof`.

use crate::go::{TOP, page, pprof, rows};
use crate::html_idle::waiting;
use crate::program::{Folder, output_of};
use crate::recorded::{
    by_name, calls, empty, names, odd_names, one_line, random, same_names, total_ns,
};
use iprof::Snapshot;
use std::path::PathBuf;
use std::process::Command;

fn write(snapshot: &Snapshot, name: &str, folder: &Folder) -> PathBuf {
    let mut out = Vec::new();
    iprof::Format::Pprof.write(snapshot, &mut out).unwrap();
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
        assert!(times.contains("Type: work\n"), "{times}");
        let times = rows(&times);
        for (name, sums) in by_name(&snapshot, one_line) {
            let Some((own, all)) = times.get(&name) else {
                panic!("{name:?} is missing: {:?}", times.keys());
            };
            assert!(
                (*own as f64 - sums.self_ns).abs() < 600.0,
                "{name}: self {own}, not {sums:?}"
            );
            assert!(
                (*all as f64 - sums.hier_ns).abs() < 600.0,
                "{name}: total {all}, not {sums:?}"
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
fn go_tool_pprof_shows_callers_threads_and_diffs() {
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
fn go_tool_pprof_shows_work_and_idle_time() {
    let folder = Folder::new("pprof-idle");
    let file = write(&waiting(), "a.pb.gz", &folder);
    let Some(shown) = pprof(&TOP, &[&file]) else {
        return;
    };
    let own = |text: &str| -> Vec<(String, i64)> {
        let rows = rows(text).into_iter();
        let own = rows.map(|(name, (own, _))| (name, own / 1_000_000));
        own.filter(|(_, ms)| *ms > 0).collect()
    };
    let named = |rows: &[(&str, i64)]| -> Vec<(String, i64)> {
        let rows = rows.iter();
        rows.map(|(name, ms)| (name.to_string(), *ms)).collect()
    };
    let (idle, work) = (
        [("(outside zones)", 20), ("wait", 10)],
        [("frame", 6), ("job", 2)],
    );
    assert!(shown.contains("of 8000000ns total"), "{shown}");
    assert_eq!(own(&shown), named(&work));
    let own_of = |options: &[&str]| {
        let options = [&TOP[..], options].concat();
        own(&pprof(&options, &[&file]).unwrap())
    };
    let all = ["-sample_index=self"];
    let (tagged, untagged) = ("-tagfocus=idle=true", "-tagignore=idle=true");
    assert_eq!(own_of(&all), named(&[idle[0], work[0], work[1], idle[1]]));
    assert_eq!(own_of(&[all[0], tagged]), named(&idle));
    assert_eq!(own_of(&[all[0], untagged]), named(&work));
}

#[test]
fn go_tool_pprof_reads_samples_but_defaults_to_times() {
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
    assert!(text.contains("Type: work\n"), "{text}");
    let text = pprof(&["-top", "-sample_index=samples"], &[&file]).unwrap();
    assert!(text.contains(&format!("of {} total", 2 * nodes)), "{text}");
}

/// A snapshot that refers to a source file on this machine and to this test's executable.
fn with_source(folder: &Folder) -> Snapshot {
    let mut snapshot = random(&["work".into(), "rest".into()], 60);
    let source = folder.file("source.rs", b"fn work() {}\n// The second line.\n");
    for zone in &mut snapshot.zones[1..] {
        zone.file = source.to_str().unwrap().into();
    }
    snapshot.about.program = std::env::current_exe().unwrap().display().to_string();
    snapshot
}

/// pprof must not try to disassemble the program, because the profile contains no addresses.
#[test]
fn go_tool_pprof_shows_the_source() {
    let folder = Folder::new("pprof-source");
    let file = write(&with_source(&folder), "a.pb.gz", &folder);
    for option in ["-list=work", "-weblist=work"] {
        let html = folder.file("list.html", b"");
        let output = format!("-output={}", html.display());
        if pprof(&[option, &output], &[&file]).is_none() {
            return;
        }
        let text = std::fs::read_to_string(html).unwrap();
        assert!(text.contains("fn work() {}"), "{option}: {text}");
    }
}

#[test]
fn pprof_web_page_shows_the_source() {
    let folder = Folder::new("pprof-page");
    let file = write(&with_source(&folder), "a.pb.gz", &folder);
    let Some(page) = page(&file, "/ui/source?f=work") else {
        return;
    };
    assert!(page.contains("fn work() {}"), "{page}");
}

#[test]
fn go_tool_pprof_handles_odd_thread_names() {
    let folder = Folder::new("pprof-threads");
    let mut snapshot = random(&odd_names(), 300);
    for (thread, name) in snapshot
        .threads
        .iter_mut()
        .zip(["a \"b\"", "new\nline", "back\\"])
    {
        thread.name = name.into();
    }
    let file = write(&snapshot, "a.pb.gz", &folder);
    let Some(tags) = pprof(&["-tags"], &[&file]) else {
        return;
    };
    let lines: Vec<&str> = tags.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 4, "{tags}");
    for name in ["a 'b'", "new line", "back/"] {
        assert!(lines.iter().any(|line| line.ends_with(name)), "{tags}");
    }
    let graph = folder.file("a.dot", b"");
    let output = format!("-output={}", graph.display());
    pprof(&["-dot", "-nodefraction=0", &output], &[&file]).unwrap();
    if let Some(drawn) = output_of(Command::new("dot").arg("-Tplain").arg(&graph)) {
        assert!(drawn.contains("a 'b'"), "{drawn}");
    }
}

/// If both zones shared one function, that function would have the times of both zones.
#[test]
fn go_tool_pprof_separates_same_named_zones() {
    let folder = Folder::new("pprof-same");
    let snapshot = same_names();
    let file = write(&snapshot, "a.pb.gz", &folder);
    let Some(text) = pprof(&TOP, &[&file]) else {
        return;
    };
    let rows = rows(&text);
    assert_eq!(rows["update (a b.rs:1)"], (1_000, 1_000), "{text}");
    assert_eq!(rows["update (a b.rs:9)"], (2_000, 2_000), "{text}");
}

/// Memory in use is attributed to the zone that allocates or frees it. It is therefore negative in a zone that frees
/// blocks allocated in a different zone.
#[cfg(feature = "enable")]
#[test]
fn go_tool_pprof_reads_allocations() {
    use std::hint::black_box;
    const BLOCK: i64 = 64;

    let before = iprof::snapshot();
    let mut blocks = Vec::with_capacity(1_000);
    {
        iprof::zone!("reader: load");
        {
            iprof::zone!("reader: keep");
            blocks.extend((0..1_000).map(|_| black_box(Box::new([0_u8; BLOCK as usize]))));
        }
        {
            iprof::zone!("reader: forget");
            blocks.truncate(600);
        }
        iprof::zone!("reader: shrink");
        // `shrink_to` allocates the new size and frees the old one.
        let mut text = Vec::<u8>::with_capacity(3_000);
        text.push(black_box(1));
        text.shrink_to(1_000);
        drop(black_box(text));
    }
    let recorded = iprof::snapshot().since(&before);
    drop(blocks);
    let folder = Folder::new("pprof-allocations");
    let file = write(&recorded, "a.pb.gz", &folder);
    for (kind, keep, forget, shrink) in [
        ("alloc_objects", 1_000, 0, 2),
        ("alloc_space", 1_000 * BLOCK, 0, 4_000),
        ("inuse_objects", 1_000, -400, 0),
        ("inuse_space", 1_000 * BLOCK, -400 * BLOCK, 0),
    ] {
        let index = format!("-sample_index={kind}");
        let unit = if kind.ends_with("space") {
            "-unit=B"
        } else {
            "-unit=count"
        };
        let options = ["-top", "-nodecount=1000", "-nodefraction=0", &index, unit];
        let Some(text) = pprof(&options, &[&file]) else {
            return;
        };
        assert!(text.contains(&format!("Type: {kind}\n")), "{text}");
        let rows = rows(&text);
        // pprof omits functions for which there are no values.
        let of = |name: &str| {
            rows.get(&format!("reader: {name}"))
                .copied()
                .unwrap_or_default()
        };
        assert_eq!(of("keep"), (keep, keep), "{text}");
        assert_eq!(of("forget"), (forget, forget), "{text}");
        assert_eq!(of("shrink"), (shrink, shrink), "{text}");
        assert_eq!(of("load"), (0, keep + forget + shrink), "{text}");
    }
}

#[test]
fn profile_collectors_find_times_by_name() {
    let folder = Folder::new("pprof-wall");
    let file = write(&random(&names(20), 600), "a.pb.gz", &folder);
    let Some(own) = pprof(&TOP, &[&file]) else {
        return;
    };
    let options: Vec<&str> = TOP.into_iter().chain(["-sample_index=wall"]).collect();
    let wall = pprof(&options, &[&file]).unwrap();
    assert!(wall.contains("Type: wall\n"), "{wall}");
    assert_eq!(rows(&wall), rows(&own));
}

#[test]
fn go_tool_pprof_reads_an_empty_profile() {
    let folder = Folder::new("pprof-empty");
    let file = write(&empty(), "a.pb.gz", &folder);
    if let Some(text) = pprof(&TOP, &[&file]) {
        assert!(text.contains("Type: work"), "{text}");
    }
}
