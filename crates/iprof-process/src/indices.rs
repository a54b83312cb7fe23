//! Assigns indices to zones, rows and edges, so that per-zone data can be stored in arrays.
//!
//! A zone's index is assigned when its first node is added. A row is a zone, or a zone at one recursion depth. An edge
//! is a caller and its callee.
//!
//! # Zone groups
//!
//! A zone group consists of zones with a common name prefix, such as `physics::solve` and `physics::collide`. Reports
//! can group rows by zone group. A group's name ends at a `::` with text on both sides: `a::b::c` is in the group
//! `a::b::`, which is part of the group `a::`. The zones `a::`, `::a` and `a` are in no group.

use crate::NONE;
use crate::snapshot::ValueInfo;
use crate::text_parts::distinct_places;
use iprof_gather::{self as gather, Zone};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// A row of a flat report: a zone or, with [`Recursion::Spread`](enum.Recursion.html#variant.Spread), a zone at one
/// recursion depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ZoneKey {
    pub zone: u32,
    /// The number of ancestors that are the same zone. 0 if recursion is flattened.
    pub level: u32,
}

/// The index of the zone `(outside zones)`. It is the first one, because this zone is the root of every thread's tree.
pub const GLOBAL: u32 = 0;

#[derive(Clone, Copy, Debug)]
struct IncomingEdges {
    first: u32,
    shared: u32,
}

/// All zones, rows, edges and zone groups with an index, and the zones' names and properties.
#[derive(Debug, Default)]
pub struct Indices {
    zones: Interner<usize>,
    all: Vec<&'static Zone>,
    /// The zones that are named values, in ascending order.
    values: Vec<u32>,
    names: Vec<Arc<str>>,
    /// Each zone's name in rows. If other zones have the same name, it includes part of the source location.
    distinct: Vec<Arc<str>>,
    by_name: HashMap<Arc<str>, Vec<u32>>,
    /// The number of times that existing zones were given longer names.
    renamed: u64,
    locations: Vec<(&'static str, u32)>,
    own: Vec<bool>,
    idle: Vec<bool>,
    zone_group: Vec<u32>,
    zone_groups: ZoneGroups,
    spread: Interner<ZoneKey>,
    /// Edges as pairs of caller and callee. The root is its own caller.
    edges: Interner<(u32, u32)>,
    /// Each zone's first incoming edge, and its index in `shared`.
    incoming: Vec<IncomingEdges>,
    /// Zones with more than one incoming edge, paired with their first edge, in the order in which their second edge
    /// was added.
    shared: Vec<(u32, u32)>,
}

impl Indices {
    pub fn new() -> Indices {
        let mut indices = Indices::default();
        indices.zone(&gather::GLOBAL);
        indices
    }

    /// Returns the index of a zone. Zones are identified by their statics, not by their names.
    pub fn zone(&mut self, zone: &'static Zone) -> u32 {
        let id = self.zones.id(std::ptr::from_ref(zone) as usize);
        if id as usize == self.all.len() {
            self.all.push(zone);
            if zone.unit().is_some() {
                self.values.push(id);
            }
            self.describe(zone, id);
        }
        id
    }

    fn describe(&mut self, zone: &'static Zone, id: u32) {
        let label = zone.label();
        self.zone_group.push(self.zone_groups.of(&label));
        let name: Arc<str> = label.into();
        self.names.push(name.clone());
        self.distinct.push(name.clone());
        self.locations.push((zone.file(), zone.line()));
        self.idle.push(zone.is_idle());
        self.own.push(zone.is_own());
        self.tell_apart(name, id);
    }

    /// Assigns distinct names to a new zone and all existing zones with the same name.
    fn tell_apart(&mut self, name: Arc<str>, zone: u32) {
        let alike = self.by_name.entry(name.clone()).or_default();
        alike.push(zone);
        if alike.len() > 1 {
            let location = |zone: &u32| self.locations[*zone as usize];
            let locations: Vec<_> = alike.iter().map(location).collect();
            for (zone, place) in alike.iter().zip(distinct_places(&locations)) {
                self.distinct[*zone as usize] = format!("{name} ({place})").into();
            }
            self.renamed += 1;
        }
    }

    #[inline]
    pub fn zones(&self) -> impl Iterator<Item = &'static Zone> {
        self.all.iter().copied()
    }

    /// Returns the zones that are named values, in the order in which they were first added to.
    #[inline]
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    pub fn value_info(&self, zone: u32) -> ValueInfo {
        let zone = self.at(zone);
        let (unit, steps) = zone.unit().unwrap_or_default();
        ValueInfo {
            name: zone.label().into(),
            unit: unit.into(),
            steps,
        }
    }

    #[inline]
    pub fn value_infos(&self) -> impl Iterator<Item = ValueInfo> {
        self.values.iter().map(|zone| self.value_info(*zone))
    }

    #[inline]
    pub fn at(&self, zone: u32) -> &'static Zone {
        self.all[zone as usize]
    }

    #[inline]
    pub fn zone_count(&self) -> usize {
        self.all.len()
    }

    #[inline]
    pub fn spread(&mut self, zone: u32, level: u32) -> u32 {
        self.spread.id(ZoneKey { zone, level })
    }

    pub fn edge(&mut self, caller: u32, zone: u32) -> u32 {
        let edge = self.edges.id((caller, zone));
        let index = zone as usize;
        if self.incoming.len() <= index {
            let none = IncomingEdges {
                first: NONE,
                shared: NONE,
            };
            self.incoming.resize(index + 1, none);
        }
        let incoming = &mut self.incoming[index];
        if incoming.first == NONE {
            incoming.first = edge;
        } else if incoming.first != edge && incoming.shared == NONE {
            incoming.shared = self.shared.len() as u32;
            self.shared.push((zone, incoming.first));
        }
        edge
    }

    #[inline]
    pub fn callee(&self, edge: u32) -> u32 {
        self.edges.all[edge as usize].1
    }

    #[inline(always)]
    pub fn is_shared(&self, zone: u32) -> bool {
        self.incoming[zone as usize].shared != NONE
    }

    /// Returns a zone's incoming edge, if there is exactly one.
    #[inline]
    pub fn edge_if_alone(&self, zone: u32) -> Option<u32> {
        self.only_edge(zone, NONE as usize)
    }

    /// Returns the zones with more than one incoming edge, paired with their first edge. Skips the first `known` zones.
    #[inline]
    pub fn shared_since(&self, known: usize) -> &[(u32, u32)] {
        &self.shared[known..]
    }

    /// Returns the edge whose heat is also the zone's heat. Returns `None` for the first `known` zones with more than
    /// one incoming edge, because their heat is tracked separately.
    #[inline]
    pub fn only_edge(&self, zone: u32, known: usize) -> Option<u32> {
        let incoming = self.incoming.get(zone as usize)?;
        Some(incoming.first).filter(|_| incoming.shared as usize >= known)
    }

    /// Returns a zone's name, as set by the program. Several zones may have the same name.
    #[inline]
    pub fn name(&self, zone: u32) -> &Arc<str> {
        &self.names[zone as usize]
    }

    /// Returns the zone's unique name: its name, with [as much of the source location as necessary](distinct_places).
    /// An example is `update (physics.rs)`.
    #[inline]
    pub fn distinct_name(&self, zone: u32) -> &Arc<str> {
        &self.distinct[zone as usize]
    }

    #[inline]
    pub fn find_distinct(&self, name: &str) -> Option<u32> {
        let found = self.distinct.iter().position(|other| &**other == name);
        found.map(|zone| zone as u32)
    }

    /// Returns a number that changes whenever an existing zone's [distinct name](Indices::distinct_name) changes.
    #[inline]
    pub fn renamed(&self) -> u64 {
        self.renamed
    }

    #[inline]
    pub fn location(&self, zone: u32) -> (&'static str, u32) {
        self.locations[zone as usize]
    }

    /// Returns a zone's innermost group, or [`NONE`](crate::NONE).
    #[inline]
    pub fn zone_group(&self, zone: u32) -> u32 {
        self.zone_group[zone as usize]
    }

    #[inline]
    pub fn zone_groups(&self) -> &ZoneGroups {
        &self.zone_groups
    }

    #[inline]
    pub fn is_own(&self, zone: u32) -> bool {
        self.own[zone as usize]
    }

    #[cfg(any(test, feature = "test-support"))]
    #[inline]
    pub fn set_idle(&mut self, zone: u32, idle: bool) {
        self.idle[zone as usize] = idle;
    }

    #[inline]
    pub fn is_idle(&self, zone: u32) -> bool {
        self.idle.get(zone as usize).copied().unwrap_or_default()
    }

    #[inline]
    pub fn spread_count(&self) -> usize {
        self.spread.all.len()
    }

    #[inline]
    pub fn edge_count(&self) -> usize {
        self.edges.all.len()
    }

    #[inline]
    pub fn spread_key(&self, id: u32) -> ZoneKey {
        self.spread.all[id as usize]
    }

    #[inline]
    pub fn find_spread(&self, key: ZoneKey) -> Option<u32> {
        self.spread.ids.get(&key).copied()
    }

    #[inline]
    pub fn find_edge(&self, caller: u32, zone: u32) -> Option<u32> {
        self.edges.ids.get(&(caller, zone)).copied()
    }
}

#[derive(Debug, Default)]
struct Interner<T> {
    ids: HashMap<T, u32>,
    all: Vec<T>,
}

impl<T: Copy + Eq + Hash> Interner<T> {
    fn id(&mut self, item: T) -> u32 {
        *self.ids.entry(item).or_insert_with(|| {
            self.all.push(item);
            self.all.len() as u32 - 1
        })
    }
}

/// All zone groups, by index. A group comes after the group that contains it.
#[derive(Debug, Default)]
pub struct ZoneGroups {
    ids: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
    /// For each group, the group that contains it, or [`NONE`].
    above: Vec<u32>,
}

impl ZoneGroups {
    /// Returns the innermost group of zones with this name, or [`NONE`].
    pub fn of(&mut self, zone: &str) -> u32 {
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

    #[inline]
    pub fn name(&self, zone_group: u32) -> &Arc<str> {
        &self.names[zone_group as usize]
    }

    #[inline]
    pub fn above(&self) -> &[u32] {
        &self.above
    }

    #[inline]
    pub fn count(&self) -> usize {
        self.names.len()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Returns a zone's groups, innermost first.
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
    fn zone_groups_end_at_inner_double_colons() {
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
