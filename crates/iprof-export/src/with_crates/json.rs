//! Writes the complete snapshot as JSON, for scripts and other programs.

use crate::conversions::in_nanoseconds;
use crate::totals::SnapshotTotals;
use iprof_process::{Snapshot, SnapshotThread};
use serde::Serialize;
use std::io::{self, Write};

pub(crate) fn write(snapshot: &Snapshot, mut out: impl Write) -> io::Result<()> {
    let whole = in_nanoseconds(snapshot)?;
    serde_json::to_writer(&mut out, &Document::of(snapshot, &whole))?;
    out.flush()
}

#[derive(Serialize)]
struct Document<'a> {
    iprof: &'static str,
    program: &'a str,
    arguments: &'a [String],
    machine: &'a str,
    date: String,
    ns_per_tick: f64,
    ns: u64,
    frames: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Value<'a>>,
    zones: Vec<Zone<'a>>,
    threads: Vec<Thread<'a>>,
}

/// A zone and its totals on all threads except the GPU.
#[derive(Serialize)]
struct Zone<'a> {
    name: &'a str,
    file: &'a str,
    line: u32,
    idle: bool,
    own: bool,
    entries: u64,
    self_ns: u64,
    hier_ns: u64,
    sampled: bool,
    hier_sampled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<Budget>,
}

#[derive(Serialize)]
struct Budget {
    ns: u64,
    frames: u64,
    misses: u64,
}

fn zones(whole: &Snapshot) -> Vec<Zone<'_>> {
    let totals = SnapshotTotals::of(whole, whole.cpu_threads());
    let zones = whole.zones.iter().zip(&totals.zones);
    let budget = |zone: u32| {
        let (_, budget) = whole.budgets.iter().find(|(of, _)| *of == zone)?;
        Some(Budget {
            ns: budget.limit.as_nanos() as u64,
            frames: budget.frames,
            misses: budget.misses,
        })
    };
    zones
        .zip(0..)
        .map(|((zone, totals), at)| Zone {
            name: &zone.name,
            file: &zone.file,
            line: zone.line,
            idle: zone.is_idle,
            own: zone.is_own,
            entries: totals.sums.entries,
            self_ns: totals.sums.self_ticks,
            hier_ns: totals.sums.hier_ticks,
            sampled: totals.error > 0.0,
            hier_sampled: totals.is_hier_sampled,
            budget: budget(at),
        })
        .collect()
}

#[derive(Serialize)]
struct Thread<'a> {
    name: &'a str,
    ended: bool,
    gpu: bool,
    nodes: Vec<Node>,
}

#[derive(Serialize)]
struct Node {
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<u32>,
    zone: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    idle: bool,
    entries: u64,
    self_ns: u64,
    hier_ns: u64,
    ticks: u64,
    error_ns: f64,
    samples: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<i64>,
}

impl<'a> Document<'a> {
    fn of(ticks: &Snapshot, whole: &'a Snapshot) -> Document<'a> {
        let threads = ticks.threads.iter().zip(&whole.threads);
        Document {
            iprof: env!("CARGO_PKG_VERSION"),
            program: &whole.about.program,
            arguments: &whole.about.arguments,
            machine: &whole.about.machine,
            date: whole.about.date(),
            ns_per_tick: ticks.ns_per_tick,
            ns: whole.ticks,
            frames: whole.frames,
            values: Value::all(whole),
            zones: zones(whole),
            threads: threads
                .map(|(ticks, ns)| Thread::of(whole, ticks, ns))
                .collect(),
        }
    }
}

impl<'a> Thread<'a> {
    fn of(whole: &Snapshot, ticks: &SnapshotThread, ns: &'a SnapshotThread) -> Thread<'a> {
        let hier = ns.subtree_ticks();
        let count = whole.values.len();
        let steps = ns.steps_by_node(count);
        let steps_at = |node: usize| {
            let steps = &steps[node * count..(node + 1) * count];
            match steps.iter().all(|steps| *steps == 0) {
                true => Vec::new(),
                false => steps.to_vec(),
            }
        };
        let nodes = ns.nodes.iter().zip(&ticks.nodes).enumerate();
        Thread {
            name: &ns.name,
            ended: ns.has_ended,
            gpu: ns.is_gpu,
            nodes: nodes
                .map(|(at, (node, ticks))| Node {
                    parent: (at != SnapshotThread::ROOT).then_some(node.parent),
                    zone: node.zone,
                    idle: whole.is_idle(ns, at),
                    entries: node.entries,
                    self_ns: node.ticks,
                    hier_ns: hier[at],
                    ticks: ticks.ticks,
                    error_ns: node.error,
                    samples: node.samples,
                    steps: steps_at(at),
                })
                .collect(),
        }
    }
}

/// A named value. The HTML page uses the same type.
#[derive(Serialize)]
pub(super) struct Value<'a> {
    name: &'a str,
    unit: &'a str,
    steps: u32,
}

impl<'a> Value<'a> {
    pub(super) fn all(whole: &'a Snapshot) -> Vec<Value<'a>> {
        let values = whole.values.iter().map(|value| Value {
            name: &value.name,
            unit: &value.unit,
            steps: value.steps,
        });
        values.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::write;
    use iprof_process::{
        Snapshot, SnapshotThread, SnapshotValue, SnapshotZone, ValueInfo, ZoneBudget,
    };
    use std::time::Duration;

    #[test]
    fn names_and_numbers_are_read_back_unchanged() {
        let name = "\"</script>\n🦀\\\u{0}";
        let mut snapshot = Snapshot::default();
        snapshot.ns_per_tick = 0.5;
        snapshot.frames = 3;
        let mut idle = SnapshotZone::new(name, "a.rs", 12);
        idle.is_idle = true;
        let zone = snapshot.intern_zone(idle);
        let mut thread = SnapshotThread::new(name);
        let node = thread.child(0, zone);
        thread.nodes[node].ticks = 7;
        thread.nodes[node].entries = 1 << 60;
        thread.nodes[node].error = 3.0;
        snapshot.values = vec![ValueInfo {
            name: "energy".into(),
            unit: "J".into(),
            steps: 1_000,
        }];
        thread.values.push(SnapshotValue {
            node: node as u32,
            value: 0,
            steps: -250,
        });
        let budget = ZoneBudget {
            limit: Duration::from_micros(2_500),
            frames: 9,
            misses: 4,
        };
        snapshot.budgets = vec![(zone, budget)];
        snapshot.threads.push(thread);
        let mut out = Vec::new();
        write(&snapshot, &mut out).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(json["frames"], 3);
        assert_eq!(json["zones"][1]["name"], name);
        assert_eq!(json["zones"][1]["hier_ns"], 4);
        let sampled = |zone: usize| json["zones"][zone]["sampled"].as_bool();
        assert_eq!((sampled(0), sampled(1)), (Some(false), Some(true)));
        let hier = |zone: usize| json["zones"][zone]["hier_sampled"].as_bool();
        assert_eq!((hier(0), hier(1)), (Some(false), Some(true)));
        let budget = serde_json::json!({ "ns": 2_500_000, "frames": 9, "misses": 4 });
        assert_eq!(json["zones"][1]["budget"], budget);
        assert!(json["zones"][0].get("budget").is_none());
        assert_eq!(json["threads"][0]["name"], name);
        assert_eq!(json["values"][0]["name"], "energy");
        assert_eq!(
            (&json["values"][0]["unit"], &json["values"][0]["steps"]),
            (&"J".into(), &1_000.into())
        );
        assert_eq!(
            json["threads"][0]["nodes"][1]["steps"],
            serde_json::json!([-250])
        );
        assert!(json["threads"][0]["nodes"][0].get("steps").is_none());
        let nodes = &json["threads"][0]["nodes"];
        assert!(nodes[0].get("parent").is_none());
        assert_eq!(nodes[0]["hier_ns"], 4);
        assert_eq!(
            (&json["zones"][0]["idle"], &json["zones"][1]["idle"]),
            (&false.into(), &true.into())
        );
        assert!(nodes[0].get("idle").is_none());
        assert_eq!(nodes[1]["idle"], true);
        assert_eq!(nodes[1]["parent"], 0);
        assert_eq!(nodes[1]["entries"], 1u64 << 60);
        assert_eq!(nodes[1]["self_ns"], 4);
        assert_eq!(nodes[1]["ticks"], 7);
        assert_eq!(nodes[1]["error_ns"], 1.5);
    }
}
