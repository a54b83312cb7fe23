//! Uses speedscope's page in a browser to test two formats: its own format, and trace events.

use crate::browser::page;
use crate::program::{Folder, missing, readers};
use crate::recorded::{by_name, chain, empty, names, odd_names, one_line, random};
use iprof::{Format, FrameSnapshot, Snapshot};
use std::collections::BTreeMap;

/// Returns speedscope's page for a snapshot, with the table of a profile's zones.
fn import(snapshot: &Snapshot, profile: usize, folder: &Folder) -> Option<String> {
    let mut out = Vec::new();
    Format::Speedscope.write(snapshot, &mut out).unwrap();
    let mut json: serde_json::Value = serde_json::from_slice(&out).unwrap();
    json["activeProfileIndex"] = profile.into();
    // The mark to wait for is a value in the table, or the profile's name if the snapshot is empty.
    let mark = if snapshot.threads.is_empty() {
        "nothing"
    } else {
        "%)"
    };
    import_file("a.speedscope.json", &json, mark, folder)
}

/// Returns the page once it has loaded a file and contains `mark`. Files are loaded as speedscope's command-line tool
/// does.
fn import_file(
    name: &str,
    json: &serde_json::Value,
    mark: &str,
    folder: &Folder,
) -> Option<String> {
    let release = readers().join("node_modules/speedscope/dist/release/index.html");
    if !release.exists() {
        missing("there is no speedscope");
        return None;
    }
    let out = json.to_string().into_bytes();
    let bytes: Vec<String> = out.iter().map(u8::to_string).collect();
    // `btoa` treats each character as a byte.
    let script = format!(
        "const bytes = new Uint8Array([{}]);
         let text = ''; for (const byte of bytes) text += String.fromCharCode(byte);
         window.speedscope.loadFileFromBase64('{name}', btoa(text));",
        bytes.join(",")
    );
    let script = folder.file("load.js", script.as_bytes());
    let path = script.display().to_string();
    let url = format!(
        "file://{}#view=sandwich&localProfilePath={}",
        release.display(),
        path.trim_start_matches('/')
    );
    page(&url, mark, folder)
}

/// Returns each name's total and self values.
fn rows(page: &str) -> BTreeMap<String, (f64, f64)> {
    let rows = page.split("<tr").filter_map(|row| {
        // Each row has two columns in which a bar is below the value, followed by the name.
        let mut cells = row
            .split("<td")
            .skip(1)
            .map(|cell| cell.split_once('>').unwrap().1);
        let (whole, own) = (value(cells.next()?)?, value(cells.next()?)?);
        let (_, name) = cells.next()?.split_once("</span>")?;
        let (name, _) = name.split_once("</td>")?;
        Some((decoded(name), (whole, own)))
    });
    rows.collect()
}

/// Parses `1.25ms (12%)` as nanoseconds, and `1,250 (12%)` as a number.
fn value(cell: &str) -> Option<f64> {
    let (value, _) = cell.split_once(" (")?;
    let units = [
        ("ns", 1.0),
        ("\u{b5}s", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
        ("", 1.0),
    ];
    let (unit, ns) = units.iter().find(|(unit, _)| value.ends_with(unit))?;
    let digits = value.strip_suffix(unit)?.replace(',', "");
    Some(digits.parse::<f64>().ok()? * ns)
}

fn decoded(html: &str) -> String {
    let html = html
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    html.replace("&nbsp;", " ").replace("&amp;", "&")
}

/// Returns a random snapshot with a single thread, because the page shows only one thread.
fn thread(names: &[String]) -> Snapshot {
    let mut snapshot = random(names, 300);
    snapshot.threads.truncate(1);
    snapshot
}

#[test]
fn speedscope_shows_times_and_entries_of_every_zone() {
    for (at, names) in [names(20), odd_names()].into_iter().enumerate() {
        let folder = Folder::new(&format!("speedscope-{at}"));
        let snapshot = thread(&names);
        for profile in [0, 1] {
            let Some(page) = import(&snapshot, profile, &folder) else {
                return;
            };
            let rows = rows(&page);
            for (name, sums) in by_name(&snapshot, one_line) {
                let found = rows.get(&name);
                let (whole, own) =
                    found.unwrap_or_else(|| panic!("{name:?} is missing: {:?}", rows.keys()));
                let expected = [sums.entries as f64, sums.self_ns][1 - profile];
                // speedscope shows three or four digits.
                let is_near =
                    |got: f64, wanted: f64| (got - wanted).abs() <= 0.006 * wanted.max(1.0);
                assert!(is_near(*own, expected), "{name}: {own}, {sums:?}");
                assert!(
                    profile == 1 || is_near(*whole, sums.hier_ns),
                    "{name}: {whole}, {sums:?}"
                );
            }
        }
    }
}

/// Imports trace events from two frames. The page shows either a thread or the frames themselves.
fn import_trace(snapshot: &Snapshot, thread: u64, folder: &Folder) -> Option<String> {
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
    let mut json: serde_json::Value = serde_json::from_slice(&out).unwrap();
    let events = json.as_array_mut().unwrap();
    events.retain(|event| event["tid"] == thread);
    import_file("trace.json", &json, "%)", folder)
}

#[test]
fn speedscope_shows_trace_event_times() {
    for (at, names) in [names(20), odd_names()].into_iter().enumerate() {
        let folder = Folder::new(&format!("trace-{at}"));
        let snapshot = thread(&names);
        let Some(page) = import_trace(&snapshot, 2, &folder) else {
            return;
        };
        // Each row's value is rounded to four digits.
        let is_near = |got: f64, wanted: f64| (got - wanted).abs() <= 0.006 * wanted.max(1.0);
        let mut own_times: BTreeMap<String, f64> = BTreeMap::new();
        for (row, (whole, own)) in rows(&page) {
            // Names include the event's arguments, so each stack has a separate row.
            let (name, args) = row.rsplit_once(" {").unwrap();
            let args: serde_json::Value = serde_json::from_str(&format!("{{{args}")).unwrap();
            *own_times.entry(name.to_owned()).or_default() += own;
            if name == "(outside zones)" {
                let time: u64 = snapshot.threads[0]
                    .nodes
                    .iter()
                    .map(|node| node.ticks)
                    .sum();
                assert!(is_near(whole, 2.0 * snapshot.ns(time)), "{whole}");
                assert!(is_near(own, 2.0 * args["self_ns"].as_f64().unwrap()));
            }
        }
        for (name, sums) in by_name(&snapshot, one_line) {
            let own = own_times.get(&name).copied().unwrap_or(f64::NAN);
            assert!(is_near(own, 2.0 * sums.self_ns), "{name}: {own}, {sums:?}");
        }
        let page = import_trace(&snapshot, 1, &folder).unwrap();
        let frames = rows(&page);
        assert_eq!(frames.len(), 2);
        let second = snapshot.ns(snapshot.ticks);
        for name in ["frame 1", "frame 2"] {
            assert!(is_near(frames[name].1, second), "{frames:?}");
        }
    }
}

/// speedscope fails beyond a few thousand levels.
#[test]
fn speedscope_imports_deep_stacks() {
    let folder = Folder::new("speedscope-deep");
    let snapshot = chain(100_000);
    if let Some(page) = import(&snapshot, 0, &folder) {
        let rows = rows(&page);
        assert_eq!(rows["(outside zones)"].0, 100_000.0, "{rows:?}");
        assert_eq!(rows["(levels omitted)"].1, 98_000.0, "{rows:?}");
    }
}

#[test]
fn speedscope_imports_an_empty_profile() {
    if let Some(page) = import(&empty(), 0, &Folder::new("speedscope-empty")) {
        assert!(!page.contains("Something went wrong"), "{page}");
    }
}
