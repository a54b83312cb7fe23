//! The names that exporters show for the zones of a snapshot: on one line, never blank, and different for
//! different zones, since readers merge what has the same name.

use super::name::one_line;
use crate::places::distinct_places;
use crate::snapshot::Snapshot;
use std::collections::HashMap;

/// By zone: its name on [one line](one_line). Zones that share a name have behind it
/// [as much of their source location as tells them apart](distinct_places): `update (physics.rs)`.
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
        let files = zones
            .iter()
            .map(|zone| one_line(&snapshot.zones[*zone].file));
        let files: Vec<_> = files.collect();
        let lines = zones.iter().map(|zone| snapshot.zones[*zone].line);
        let locations: Vec<(&str, u32)> = files.iter().map(|file| &**file).zip(lines).collect();
        for (zone, place) in zones.into_iter().zip(distinct_places(&locations)) {
            names[zone] = format!("{} ({place})", names[zone]);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::SnapshotZone;

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
            ["(unnamed) (p/x.rs)", "(unnamed) (q\\x.rs)"]
        );
        assert_eq!(
            names(&[("a", "x.rs", 1), ("a", "x.rs", 1), ("a", "y.rs", 1)]),
            ["a (x.rs:1 #1)", "a (x.rs:1 #2)", "a (y.rs:1 #3)"]
        );
    }
}
