//! Reads entry counts from reports, by call-graph edge.

use crate::measured::view;
use iprof::{Expansion, Recursion, Row, ThreadId, Threads};
use std::collections::BTreeMap;

/// The number of entries for each pair of caller and zone.
pub(crate) type Edges = BTreeMap<(String, String), u64>;

pub(crate) fn edges_of(list: &[(&str, &str, u64)]) -> Edges {
    let edge = |(caller, zone, count): &(&str, &str, u64)| {
        (((*caller).to_owned(), (*zone).to_owned()), *count)
    };
    list.iter().map(edge).collect()
}

/// Returns the edges of a thread's call graph in a frame, without the profiler's zones. Each recursion depth has
/// separate edges.
pub(crate) fn edges(thread: ThreadId, frame: u64) -> Edges {
    let mut list = view(Threads::One(thread), frame);
    list.recursion = Recursion::Spread;
    list.idle_ranked = true;
    let mut edges = Edges::new();
    let rows = list.report(&iprof::profiler()).rows.len();
    for at in 0..rows {
        let mut open = list.clone();
        open.act(&iprof::profiler(), iprof::Action::SetCursor(at));
        open.act(&iprof::profiler(), iprof::Action::Select);
        let rows = open.report(&iprof::profiler()).rows;
        let is_open = |row: &Row| row.expansion == Expansion::Expanded;
        let zone = rows
            .iter()
            .position(is_open)
            .expect("one row should be expanded");
        for caller in &rows[..zone] {
            let name = without_place(&rows[zone].name);
            if caller.value(iprof::ColumnId::Count).unwrap().number > 0.0
                && !name.starts_with("iprof_")
            {
                assert_eq!(
                    caller.value(iprof::ColumnId::Count).unwrap().number.fract(),
                    0.0
                );
                edges.insert(
                    (without_place(&caller.name), name),
                    caller.value(iprof::ColumnId::Count).unwrap().number as u64,
                );
            }
        }
    }
    edges
}

/// Removes the source location from a row's name. Reports add a location to distinguish the zone from zones with the
/// same name in other tests.
fn without_place(name: &str) -> String {
    match name.split_once(" (") {
        Some((zone, rest)) if rest.contains(".rs") => {
            let depth = rest.split_once(')').map_or("", |(_, depth)| depth);
            format!("{zone}{depth}")
        }
        _ => name.to_owned(),
    }
}
