//! The names that exporters show for the zones of a snapshot: on one line, never blank, and different for
//! different zones, since readers merge what has the same name.

use super::name::one_line;
use crate::snapshot::{Snapshot, SnapshotZone};
use std::collections::{HashMap, HashSet};

/// By zone: its name on [one line](one_line). Zones that share a name have their source file behind it, and
/// if that is the same, more: `update (physics.rs)`, `update (physics.rs:12)`, `update (src/physics.rs:12)`
/// or `update (src/physics.rs:12 #2)`.
pub(super) fn zone_names(snapshot: &Snapshot) -> Vec<String> {
    let mut names: Vec<String> = snapshot
        .zones
        .iter()
        .map(|zone| one_line(&zone.name).into_owned())
        .collect();
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, name) in names.iter().enumerate() {
        by_name.entry(name).or_default().push(at);
    }
    let shared = by_name.into_values().filter(|zones| zones.len() > 1);
    for zones in shared.collect::<Vec<_>>() {
        let places = places(snapshot, &zones);
        for (zone, place) in zones.into_iter().zip(places) {
            names[zone] = format!("{} ({place})", names[zone]);
        }
    }
    names
}

/// The shortest kind of place that is different for each of the zones.
fn places(snapshot: &Snapshot, zones: &[usize]) -> Vec<String> {
    let file = |zone: &SnapshotZone| one_line(&zone.file).into_owned();
    let short = |zone: &SnapshotZone| match file(zone).rsplit(['/', '\\']).next() {
        Some(short) => short.to_owned(),
        None => file(zone),
    };
    let kinds: [&dyn Fn(&SnapshotZone) -> String; 3] = [
        &short,
        &|zone| format!("{}:{}", short(zone), zone.line),
        &|zone| format!("{}:{}", file(zone), zone.line),
    ];
    let mut places = Vec::new();
    for kind in kinds {
        let of = |zone: &usize| kind(&snapshot.zones[*zone]);
        places = zones.iter().map(of).collect();
        if places.iter().collect::<HashSet<_>>().len() == places.len() {
            return places;
        }
    }
    let numbered = places.iter().enumerate();
    let numbered = numbered.map(|(at, place)| format!("{place} #{}", at + 1));
    numbered.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(zones: &[(&str, &str, u32)]) -> Vec<String> {
        let mut snapshot = Snapshot::default();
        let zones = zones.iter();
        snapshot.zones = zones
            .map(|(name, file, line)| SnapshotZone::new(name, file, *line))
            .collect();
        zone_names(&snapshot)
    }

    #[test]
    fn zones_of_the_same_name_are_told_apart_by_as_little_as_needed() {
        assert_eq!(
            names(&[("a", "a.rs", 1), ("b", "a.rs", 1)]),
            ["a", "b"],
            "names are not changed without need"
        );
        assert_eq!(
            names(&[("a", "src/x.rs", 1), ("b", "", 2), (" a\n", "src/y.rs", 1)]),
            ["a (x.rs)", "b", "a (y.rs)"]
        );
        assert_eq!(
            names(&[("a", "src/x.rs", 1), ("a", "src/x.rs", 7)]),
            ["a (x.rs:1)", "a (x.rs:7)"]
        );
        assert_eq!(
            names(&[("", "p/x.rs", 1), ("", "q\\x.rs", 1)]),
            ["(unnamed) (p/x.rs:1)", "(unnamed) (q\\x.rs:1)"]
        );
        assert_eq!(
            names(&[("a", "x.rs", 1), ("a", "x.rs", 1), ("a", "y.rs", 1)]),
            ["a (x.rs:1 #1)", "a (x.rs:1 #2)", "a (y.rs:1 #3)"]
        );
    }
}
