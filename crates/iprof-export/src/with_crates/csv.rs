//! Writes a snapshot as CSV (RFC 4180), with a row for each node.

use super::Fused;
use crate::conversions::in_nanoseconds;
use crate::truncate::depths;
use iprof_process::{Snapshot, SnapshotThread};
use std::io::{self, Write};

const HEADS: [&str; 17] = [
    "thread",
    "thread_name",
    "node",
    "parent",
    "depth",
    "zone",
    "file",
    "line",
    "entries",
    "self_ns",
    "hier_ns",
    "self_ticks",
    "error_ns",
    "samples",
    "ended",
    "idle",
    "gpu",
];

pub(crate) fn write(snapshot: &Snapshot, out: impl Write) -> io::Result<()> {
    let whole = in_nanoseconds(snapshot)?;
    write_records(out, |csv| write_rows(snapshot, &whole, csv))
}

/// Runs `write` with a CSV writer. Errors of `out` are returned unchanged.
pub(super) fn write_records<W: Write>(
    out: W,
    write: impl FnOnce(&mut csv::Writer<Fused<W>>) -> csv::Result<()>,
) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(Fused::new(out));
    let written = write(&mut csv).and_then(|()| Ok(csv.flush()?));
    written.map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    })
}

fn write_rows(
    snapshot: &Snapshot,
    whole: &Snapshot,
    csv: &mut csv::Writer<impl Write>,
) -> csv::Result<()> {
    let names = snapshot.values.iter().map(|value| &*value.name);
    csv.write_record(HEADS.into_iter().chain(names))?;
    let word = |flag| if flag { "true" } else { "false" };
    for (at, (ticks, ns)) in snapshot.threads.iter().zip(&whole.threads).enumerate() {
        let hier = ns.subtree_ticks();
        let steps = ns.steps_by_node(snapshot.values.len());
        let depths = depths(ns);
        for (place, node) in ns.nodes.iter().enumerate() {
            let zone = &whole.zones[node.zone as usize];
            let parent = match place {
                SnapshotThread::ROOT => String::new(),
                _ => node.parent.to_string(),
            };
            let columns = [
                &*at.to_string(),
                &*ns.name,
                &*place.to_string(),
                &*parent,
                &*depths[place].to_string(),
                &*zone.name,
                &*zone.file,
                &*zone.line.to_string(),
                &*node.entries.to_string(),
                &*node.ticks.to_string(),
                &*hier[place].to_string(),
                &*ticks.nodes[place].ticks.to_string(),
                &*node.error.to_string(),
                &*node.samples.to_string(),
                word(ns.has_ended),
                word(whole.is_idle(ns, place)),
                word(ns.is_gpu),
            ];
            let steps = &steps[place * snapshot.values.len()..];
            let values = snapshot.values.iter().zip(steps);
            let values: Vec<String> = values.map(|(value, steps)| value.text(*steps)).collect();
            csv.write_record(columns.into_iter().chain(values.iter().map(|text| &**text)))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::write;
    use iprof_process::{Snapshot, SnapshotThread, SnapshotValue, SnapshotZone, ValueInfo};

    #[test]
    fn named_values_have_columns_in_units() {
        let mut snapshot = Snapshot::default();
        snapshot.values = vec![
            ValueInfo {
                name: "bodies".into(),
                unit: "body".into(),
                steps: 1,
            },
            ValueInfo {
                name: "energy".into(),
                unit: "J".into(),
                steps: 1_000,
            },
        ];
        let mut thread = SnapshotThread::new("main");
        thread.values = [(0, -3), (1, 250), (1, 1)]
            .map(|(value, steps)| SnapshotValue {
                node: 0,
                value,
                steps,
            })
            .to_vec();
        snapshot.threads.push(thread);
        let mut out = Vec::new();
        write(&snapshot, &mut out).unwrap();
        let mut csv = csv::Reader::from_reader(&out[..]);
        let last =
            |record: &csv::StringRecord| [17, 18].map(|at| record.get(at).unwrap().to_owned());
        assert_eq!(last(csv.headers().unwrap()), ["bodies", "energy"]);
        assert_eq!(
            last(&csv.records().next().unwrap().unwrap()),
            ["-3", "0.251"]
        );
    }

    #[test]
    fn names_and_numbers_are_read_back_unchanged() {
        let name = "\"a\", b;\n🦀";
        let mut snapshot = Snapshot::default();
        snapshot.ns_per_tick = 0.5;
        let mut zone = SnapshotZone::new(name, "a.rs", 12);
        zone.is_idle = true;
        let zone = snapshot.intern_zone(zone);
        let mut thread = SnapshotThread::new("");
        let node = thread.child(0, zone);
        thread.nodes[0].ticks = 2;
        thread.nodes[node].ticks = 8;
        thread.nodes[node].entries = 3;
        thread.nodes[node].error = 1.0;
        snapshot.threads.push(thread);
        let mut out = Vec::new();
        write(&snapshot, &mut out).unwrap();
        let mut csv = csv::Reader::from_reader(&out[..]);
        assert_eq!(csv.headers().unwrap().get(5), Some("zone"));
        let rows: Vec<_> = csv.records().map(Result::unwrap).collect();
        assert_eq!(
            rows[0].iter().collect::<Vec<_>>().join("|"),
            "0||0||0|(outside zones)||0|0|1|5|2|0|0|false|false|false"
        );
        let expected = format!("0||1|0|1|{name}|a.rs|12|3|4|4|8|0.5|0|false|true|false");
        assert_eq!(rows[1].iter().collect::<Vec<_>>().join("|"), expected);
        snapshot.threads[0].is_idle_outside_zones = true;
        snapshot.threads[0].is_gpu = true;
        let mut out = Vec::new();
        write(&snapshot, &mut out).unwrap();
        let mut csv = csv::Reader::from_reader(&out[..]);
        let root = csv.records().next().unwrap().unwrap();
        let [idle, gpu] = [15, 16].map(|column| root.get(column));
        assert_eq!(
            (idle, gpu),
            (Some("true"), Some("true")),
            "outside zones, on the GPU"
        );
    }
}
