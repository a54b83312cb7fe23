//! Reads the entries and times of each call stack on a thread.

#![allow(
    unreachable_pub,
    reason = "these items would be public in a separate crate"
)]

use iprof::{SnapshotNode, SnapshotThread};
use std::collections::BTreeMap;

/// Runs `f` on a thread named `name`, and returns the entries by call stack, written as `outer/inner`.
pub fn entries(name: &str, f: impl FnOnce() + Send + 'static) -> BTreeMap<String, u64> {
    let thread = std::thread::Builder::new().name(name.into());
    thread.spawn(f).unwrap().join().unwrap();
    let mut found = BTreeMap::new();
    each_node(name, |path, node, _| {
        if node.entries > 0 {
            *found.entry(path.to_owned()).or_default() += node.entries;
        }
    });
    found
}

/// Returns the self nanoseconds by call stack on the thread named `name`, without the time outside zones.
#[allow(dead_code, reason = "not all tests need times")]
pub fn self_ns(name: &str) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    each_node(name, |path, _, ns| {
        if !path.is_empty() {
            *found.entry(path.to_owned()).or_default() += ns;
        }
    });
    found
}

/// Calls `f` with each node of the thread named `name`, along with the node's path and self time.
fn each_node(name: &str, mut f: impl FnMut(&str, &SnapshotNode, f64)) {
    let snapshot = iprof::snapshot();
    snapshot.validate().unwrap();
    let is_it = |thread: &&SnapshotThread| &*thread.name == name;
    let nodes = snapshot.threads.iter().find(is_it).map(|it| &it.nodes[..]);
    let mut paths = Vec::<String>::new();
    for (at, node) in nodes.unwrap_or_default().iter().enumerate() {
        let zone = &snapshot.zones[node.zone as usize].name;
        let path = match (at, node.parent) {
            (0, _) => String::new(),
            (_, 0) => zone.to_string(),
            (_, parent) => format!("{}/{zone}", paths[parent as usize]),
        };
        f(&path, node, snapshot.ns(node.ticks));
        paths.push(path);
    }
}

pub fn wanted<const N: usize>(of: [(&str, u64); N]) -> BTreeMap<String, u64> {
    let entries = of.into_iter();
    entries.map(|(path, count)| (path.into(), count)).collect()
}
