//! The names that exporters show for the zones of a snapshot: on one line, never blank, and different for
//! different zones, since readers merge what has the same name.

use super::name::one_line;
use crate::short_places::distinct_places;
use crate::snapshot::{Snapshot, SnapshotZone};
use std::borrow::Cow;
use std::collections::HashMap;

/// By zone: its name on [one line](one_line). Zones that share a name have behind it
/// [as much of their source location as tells them apart](distinct_places): `update (physics.rs)`.
pub(super) fn zone_names(snapshot: &Snapshot) -> Vec<String> {
    let places = places_of_shared_names(snapshot.zones.iter());
    let names = snapshot.zones.iter().map(|zone| one_line(&zone.name));
    let named = names.zip(places).map(|(name, place)| match place {
        None => name.into_owned(),
        Some(place) => format!("{name} ({place})"),
    });
    named.collect()
}

/// By zone: for one that shares its name, what of its source location tells it apart.
pub(super) fn places_of_shared_names<'a>(
    zones: impl Iterator<Item = &'a SnapshotZone> + Clone,
) -> Vec<Option<String>> {
    let mut by_name: HashMap<Cow<'_, str>, Vec<(usize, &SnapshotZone)>> = HashMap::new();
    for (at, zone) in zones.clone().enumerate() {
        let same = by_name.entry(one_line(&zone.name)).or_default();
        same.push((at, zone));
    }
    let mut places = vec![None; zones.count()];
    for same in by_name.into_values().filter(|same| same.len() > 1) {
        let files: Vec<_> = same.iter().map(|(_, zone)| one_line(&zone.file)).collect();
        let lines = same.iter().map(|(_, zone)| zone.line);
        let locations: Vec<(&str, u32)> = files.iter().map(|file| &**file).zip(lines).collect();
        for ((zone, _), place) in same.into_iter().zip(distinct_places(&locations)) {
            places[zone] = Some(place);
        }
    }
    places
}

#[cfg(all(test, not(loom)))]
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
