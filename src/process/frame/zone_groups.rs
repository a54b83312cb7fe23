//! Zone groups: zones with a common name prefix, as `physics::solve` and `physics::collide` have.
//! Reports can show them as groups.
//!
//! The name of a zone group ends with a `::` that has something before it and something after it.
//! So `a::b::c` is in the zone group `a::b::`, which is part of the zone group `a::`; and `a::`,
//! `::a` and `a` are in none.

use crate::process::NONE;
use std::collections::HashMap;
use std::sync::Arc;

/// All zone groups by index. A zone group comes after the one that it is part of.
#[derive(Debug, Default)]
pub(crate) struct ZoneGroups {
    ids: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
    /// By zone group: the one that it is part of, or [`NONE`].
    above: Vec<u32>,
}

impl ZoneGroups {
    /// The innermost zone group of a zone of that name; [`NONE`] if it is in none.
    pub(crate) fn of(&mut self, zone: &str) -> u32 {
        const END: &str = "::";
        let mut zone_group = NONE;
        for (at, _) in zone.match_indices(END) {
            let end = at + END.len();
            if at == 0 || end == zone.len() {
                continue;
            }
            zone_group = match self.ids.get(&zone[..end]) {
                Some(known) => *known,
                None => self.add(zone[..end].into(), zone_group),
            };
        }
        zone_group
    }

    fn add(&mut self, name: Arc<str>, above: u32) -> u32 {
        let id = self.names.len() as u32;
        self.ids.insert(name.clone(), id);
        self.names.push(name);
        self.above.push(above);
        id
    }

    pub(crate) fn name(&self, zone_group: u32) -> &Arc<str> {
        &self.names[zone_group as usize]
    }

    pub(crate) fn above(&self) -> &[u32] {
        &self.above
    }

    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// The zone groups of a zone, from the innermost to the outermost.
    fn groups_of(zone_groups: &mut ZoneGroups, zone: &str) -> Vec<String> {
        let mut zone_group = zone_groups.of(zone);
        let mut groups = Vec::new();
        while zone_group != NONE {
            groups.push(zone_groups.name(zone_group).to_string());
            zone_group = zone_groups.above()[zone_group as usize];
        }
        groups
    }

    #[test]
    fn a_zone_group_name_ends_at_a_double_colon_between_two_parts() {
        let mut zone_groups = ZoneGroups::default();
        for (zone, wanted) in [
            ("physics::solve", &["physics::"][..]),
            ("a::b::c", &["a::b::", "a::"]),
            ("a::d", &["a::"]),
            ("World::step (2)", &["World::"]),
            ("größe::ä", &["größe::"]),
            ("plain", &[]),
            ("::a", &[]),
            ("a::", &[]),
            ("::", &[]),
            ("", &[]),
            ("a:b", &[]),
            ("::a::b", &["::a::"]),
        ] {
            assert_eq!(groups_of(&mut zone_groups, zone), wanted, "{zone}");
        }
        assert_eq!(zone_groups.of("a::x"), zone_groups.of("a::y"));
        assert_ne!(zone_groups.of("a::x"), zone_groups.of("a::b::y"));
        assert!(
            (0u32..)
                .zip(zone_groups.above())
                .all(|(id, above)| *above == NONE || *above < id)
        );
    }
}
