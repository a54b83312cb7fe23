//! Tests the gprof call graph with gprof2dot.

use crate::html_idle::waiting;
use crate::program::{Folder, missing, output_of, readers};
use crate::recorded::{by_zone, calls, empty, names, odd_names, one_line, random, total_ns};
use iprof::Snapshot;
use std::collections::BTreeMap;
use std::process::Command;

/// A script that prints the result of gprof2dot's parser as JSON.
const SCRIPT: &str = r"
import sys, json, gprof2dot
profile = gprof2dot.GprofParser(open(sys.argv[1], encoding='utf-8', newline='\n')).parse()
functions = profile.functions.values()
names = {f.id: f.name for f in functions}
print(json.dumps({
    'total': profile[gprof2dot.TIME],
    'functions': [[f.name, f[gprof2dot.TIME], f.called,
        {names[c.callee_id]: c[gprof2dot.CALLS] for c in f.calls.values()}] for f in functions],
    'cycles': sorted(sorted(f.name for f in c.functions) for c in profile.cycles),
}))
";

fn read(snapshot: &Snapshot, folder: &Folder) -> Option<serde_json::Value> {
    let python = readers().join("python");
    if !python.join("gprof2dot.py").exists() {
        missing("there is no gprof2dot");
        return None;
    }
    let mut out = Vec::new();
    iprof::Format::Gprof.write(snapshot, &mut out).unwrap();
    let file = folder.file("gprof.txt", &out);
    let mut command = Command::new("python3");
    command
        .args(["-c", SCRIPT])
        .arg(file)
        .env("PYTHONPATH", python);
    let read = output_of(&mut command)?;
    Some(serde_json::from_str(&read).unwrap())
}

/// Returns a name as iprof writes it. Text that gprof would mistake for a cycle mark is replaced.
fn shown(name: &str) -> String {
    one_line(name).replace("<cycle 1>", "(cycle 1)")
}

#[test]
fn gprof2dot_reads_times_counts_and_calls() {
    for (at, names) in [names(20), names(200), odd_names()].into_iter().enumerate() {
        let folder = Folder::new(&format!("gprof-{at}"));
        // With so few nodes, some zones are not part of the cycle.
        let snapshot = random(&names, 90);
        let Some(json) = read(&snapshot, &folder) else {
            return;
        };
        let total = json["total"].as_f64().unwrap() * 1e9;
        assert!((total - total_ns(&snapshot)).abs() < 3.0);
        let mut entries_of = BTreeMap::<(u32, u32), u64>::new();
        for [caller, callee] in calls(&snapshot) {
            *entries_of.entry((caller.zone, callee.zone)).or_default() += callee.entries;
        }
        let functions = json["functions"].as_array().unwrap();
        let find = |name: &str| functions.iter().find(|function| function[0] == name);
        for (zone, sums) in by_zone(&snapshot).into_iter().enumerate() {
            let name = shown(&snapshot.zones[zone].name);
            if sums.hier_ns == 0.0 {
                assert!(find(&name).is_none(), "{name}");
                continue;
            }
            let function = find(&name).unwrap_or_else(|| panic!("{name} is missing: {json}"));
            let ns = function[1].as_f64().unwrap() * 1e9;
            assert!((ns - sums.self_ns).abs() < 90.0, "{name}: {ns}, {sums:?}");
            assert_eq!(function[2].as_u64().unwrap_or(0), sums.entries, "{name}");
            for ((_, callee), entries) in entries_of
                .iter()
                .filter(|((from, _), _)| *from as usize == zone)
            {
                let callee = shown(&snapshot.zones[*callee as usize].name);
                assert_eq!(function[3][&callee], *entries, "{name} calls {callee}");
            }
        }
    }
}

#[test]
fn gprof2dot_reads_idle_zones() {
    let Some(json) = read(&waiting(), &Folder::new("gprof-idle")) else {
        return;
    };
    let functions = json["functions"].as_array().unwrap();
    let read: BTreeMap<&str, f64> = functions
        .iter()
        .map(|function| (function[0].as_str().unwrap(), function[1].as_f64().unwrap()))
        .collect();
    let expected = [
        ("(outside zones)", 0.0),
        ("(outside zones, idle)", 0.02),
        ("frame", 0.006),
        ("job", 0.002),
        ("wait (idle)", 0.01),
    ];
    assert_eq!(read, BTreeMap::from(expected));
    let total = json["total"].as_f64().unwrap();
    assert!((total - 0.038).abs() < 1e-9, "{total}");
}

#[test]
fn gprof2dot_reads_an_empty_profile() {
    if let Some(json) = read(&empty(), &Folder::new("gprof-empty")) {
        assert_eq!(json["functions"].as_array().unwrap().len(), 0);
    }
}
