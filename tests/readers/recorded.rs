//! Creates test snapshots, and computes the totals of their zones directly from the definition.

use iprof::{About, Snapshot, SnapshotNode, SnapshotThread, SnapshotZone};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

/// Names that have broken a format in the past.
pub(crate) fn odd_names() -> Vec<String> {
    let odd = [
        "say \"hello\"",
        "it's `quoted`",
        "two\nlines",
        "crlf\r\nand\ttab",
        "</script><script>window.ran = 1</script>",
        "<b>&amp;</b>",
        "a;b;c",
        "🦀 crab 🐙",
        "(12) looks like a number",
        "pass 2",
        "back\\slash %s {} #",
        "",
        "ends in [3]",
        "g <cycle 1>",
        " blanks at both ends  ",
        "a, b",
    ];
    let long = "long ".repeat(2000);
    odd.into_iter().map(str::to_owned).chain([long]).collect()
}

pub(crate) fn empty() -> Snapshot {
    Snapshot::default()
}

/// Returns random trees with a total of `nodes` nodes, with direct and mutual recursion. The result is always the same.
/// A tick is a third of a nanosecond.
pub(crate) fn random(names: &[String], nodes: usize) -> Snapshot {
    let mut about = About::default();
    about.program = "/usr/bin/demo \"x\" <b>".into();
    about.arguments = vec!["--fine".into(), "</dd>".into()];
    about.machine = "a machine".into();
    about.taken = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000));
    let mut snapshot = Snapshot::default();
    snapshot.ns_per_tick = 1.0 / 3.0;
    snapshot.ticks = 3_000_000_000;
    snapshot.frames = 60;
    snapshot.about = about;
    let zones: Vec<u32> = (1..)
        .zip(names)
        .map(|(line, name)| snapshot.intern_zone(SnapshotZone::new(name, "src/a b.rs", line)))
        .collect();
    let mut random = Random(42);
    for thread in ["main", "worker", "worker"] {
        let mut thread = SnapshotThread::new(thread);
        thread.nodes[0].ticks = 5_000;
        while thread.nodes.len() < nodes / 3 {
            // The parent is usually one of the most recently added nodes, so stacks are about ten zones deep.
            let count = thread.nodes.len();
            let newest = if random.below(4) == 0 {
                count
            } else {
                count.min(8)
            };
            let parent = count - 1 - random.below(newest);
            let zone = zones[random.below(zones.len())];
            // `child` would reuse a node for the same zone, but here siblings may share a zone.
            let mut node = SnapshotNode {
                parent: parent as u32,
                zone,
                ..SnapshotNode::default()
            };
            node.entries = random.below(1000) as u64 + 1;
            node.ticks = random.below(1_000_000) as u64;
            thread.nodes.push(node);
        }
        snapshot.threads.push(thread);
    }
    snapshot
}

/// Returns a thread whose three zones call one another, `levels` levels deep, with one nanosecond per level.
pub(crate) fn chain(levels: u32) -> Snapshot {
    let mut snapshot = Snapshot::default();
    for name in names(3) {
        snapshot
            .zones
            .push(SnapshotZone::new(&name, "src/deep.rs", 1));
    }
    let mut thread = SnapshotThread::new("main");
    for parent in 0..levels {
        let mut node = SnapshotNode {
            parent,
            zone: 1 + parent % 3,
            ..SnapshotNode::default()
        };
        (node.entries, node.ticks) = (1, 1);
        thread.nodes.push(node);
    }
    snapshot.threads.push(thread);
    snapshot.ticks = u64::from(levels);
    snapshot
}

/// Returns a snapshot of two zones with the same name in the same file. The second zone takes twice as long as the
/// first.
pub(crate) fn same_names() -> Snapshot {
    let mut snapshot = Snapshot::default();
    let mut thread = SnapshotThread::new("main");
    for (ticks, line) in [(1_000, 1), (2_000, 9)] {
        let zone = snapshot.intern_zone(SnapshotZone::new("update", "a b.rs", line));
        let node = thread.child(SnapshotThread::ROOT, zone);
        (thread.nodes[node].entries, thread.nodes[node].ticks) = (1, ticks);
    }
    snapshot.threads.push(thread);
    snapshot.ticks = 3_000;
    snapshot
}

pub(crate) fn names(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("module::zone_{at}")).collect()
}

/// An xorshift random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    pub(crate) self_ns: f64,
    /// The total time, in which recursive calls count only once.
    pub(crate) hier_ns: f64,
    pub(crate) entries: u64,
}

/// Returns each zone's totals, computed by definition from all stacks.
pub(crate) fn by_zone(snapshot: &Snapshot) -> Vec<Sums> {
    let mut zones = vec![Sums::default(); snapshot.zones.len()];
    for thread in &snapshot.threads {
        for (at, node) in thread.nodes.iter().enumerate() {
            let top = &mut zones[node.zone as usize];
            top.self_ns += snapshot.ns(node.ticks);
            top.entries += node.entries;
            let on_stack: BTreeSet<u32> = thread.stack(at).map(|node| node.zone).collect();
            for zone in on_stack {
                zones[zone as usize].hier_ns += snapshot.ns(node.ticks);
            }
        }
    }
    zones
}

/// Like [`by_zone`], but for readers that identify zones only by name. `rename` maps names as the format does.
pub(crate) fn by_name(
    snapshot: &Snapshot,
    rename: impl Fn(&str) -> String,
) -> BTreeMap<String, Sums> {
    let mut names = BTreeMap::<String, Sums>::new();
    for (zone, sums) in snapshot.zones.iter().zip(by_zone(snapshot)) {
        if sums.hier_ns > 0.0 || sums.entries > 0 {
            let before = names.insert(rename(&zone.name), sums);
            assert_eq!(before, None, "names should be unique in these tests");
        }
    }
    names
}

pub(crate) fn total_ns(snapshot: &Snapshot) -> f64 {
    by_zone(snapshot).iter().map(|zone| zone.self_ns).sum()
}

/// Returns each node paired with its caller.
pub(crate) fn calls(snapshot: &Snapshot) -> impl Iterator<Item = [SnapshotNode; 2]> {
    snapshot.threads.iter().flat_map(|thread| {
        let called = thread.nodes.iter().skip(1);
        called.map(|node| [thread.nodes[node.parent as usize], *node])
    })
}

/// Returns a name as line-based formats write it: control characters become spaces, and a blank name becomes
/// `(unnamed)`.
pub(crate) fn one_line(name: &str) -> String {
    match name.trim() {
        "" => "(unnamed)".into(),
        name => name.replace(|c: char| c.is_control(), " "),
    }
}
