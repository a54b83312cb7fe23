//! `tracing` with tracing-calltree: a call tree in which each node keeps its last hundred times.

use crate::contender::{BARE, Contender};
use crate::entry_counts::Counts;
use std::sync::OnceLock;
use tracing_calltree::CallTree;
use tracing_subscriber::layer::SubscriberExt;

pub(crate) const CALLTREE: Contender = Contender {
    name: "tracing-calltree",
    package: Some("tracing-calltree"),
    set: "info_span, entered; the global dispatcher is a Registry with its layer; max_depth 256 for the recursion, else as it comes; it has no frames",
    start: || {
        let subscriber = tracing_subscriber::registry().with(tree().layer());
        tracing::subscriber::set_global_default(subscriber).expect("a subscriber is already set");
    },
    counts: Some(counts),
    work: &WORK,
    ..BARE
};

static TREE: OnceLock<CallTree> = OnceLock::new();

fn tree() -> &'static CallTree {
    TREE.get_or_init(|| CallTree::builder().max_depth(256).build())
}

fn counts() -> Counts {
    let mut counts = Counts::new();
    let mut nodes = tree().snapshot().roots;
    while let Some(node) = nodes.pop() {
        *counts.entry(node.name).or_default() += node.total_calls;
        nodes.extend(node.children);
    }
    counts
}

macro_rules! enter {
    ($name:ident) => {
        let _zone = ::tracing::info_span!(stringify!($name)).entered();
    };
}
work!(zone, counter);
