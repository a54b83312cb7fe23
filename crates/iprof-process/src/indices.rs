//! Assigns indices to zones, so that data per zone can be stored in arrays, and to rows and edges.
//!
//! A zone gets its index when its first node is added. A row is a zone, or a zone at one recursion depth. An edge is a
//! caller and its callee.
//!
//! # Zone groups
//!
//! Zone groups are zones with a common name prefix, such as `physics::solve` and `physics::collide`. Reports can group
//! by them. The name of a zone group ends with a `::` that has text before and after it: `a::b::c` is in the zone group
//! `a::b::`, which is part of the zone group `a::`, whereas `a::`, `::a` and `a` are in none.

use crate::NONE;
use crate::snapshot::ValueInfo;
use crate::text_parts::distinct_places;
use iprof_gather::{self as gather, Zone};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// A row of a flat report: a zone, or a zone at one recursion depth with
/// [`Recursion::Spread`](enum.Recursion.html#variant.Spread).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ZoneKey {
    pub zone: u32,
    /// The number of ancestors of the same zone; 0 with recursion flattened.
    pub level: u32,
}

/// The zone `(outside zones)`. As the root of every thread's tree, it gets the first index.
pub const GLOBAL: u32 = 0;

#[derive(Clone, Copy, Debug)]
struct IncomingEdges {
    first: u32,
    shared: u32,
}

/// All zones, rows, edges and zone groups that have an index, with the descriptions of zones.
#[derive(Debug, Default)]
pub struct Indices {
    zones: Interner<usize>,
    all: Vec<&'static Zone>,
    /// The zones that are named values, in ascending order.
    values: Vec<u32>,
    names: Vec<Arc<str>>,
    /// By zone, its name in rows: with a part of the source location if other zones have the same name.
    distinct: Vec<Arc<str>>,
    by_name: HashMap<Arc<str>, Vec<u32>>,
    /// How many times existing zones got longer names.
    renamed: u64,
    locations: Vec<(&'static str, u32)>,
    own: Vec<bool>,
    idle: Vec<bool>,
    zone_group: Vec<u32>,
    zone_groups: ZoneGroups,
    spread: Interner<ZoneKey>,
    /// Edges as caller and callee. The caller of the root is the root itself.
    edges: Interner<(u32, u32)>,
    /// By zone, the first edge into it, and its index in `shared`.
    incoming: Vec<IncomingEdges>,
    /// Zones with several edges into them, each with the first of these, in the order in which they got the second one.
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

    /// Gives distinct names to a new zone and all others with the same name.
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

    /// Returns the edge that leads into a zone, if it is the only one.
    #[inline]
    pub fn edge_if_alone(&self, zone: u32) -> Option<u32> {
        self.only_edge(zone, NONE as usize)
    }

    /// Returns the zones that several edges lead into, each with the first of these, after the first `known` zones.
    #[inline]
    pub fn shared_since(&self, known: usize) -> &[(u32, u32)] {
        &self.shared[known..]
    }

    /// Returns the edge whose heat is also the zone's heat. `None` for the first `known` zones with several edges,
    /// which have separate heat.
    #[inline]
    pub fn only_edge(&self, zone: u32, known: usize) -> Option<u32> {
        let incoming = self.incoming.get(zone as usize)?;
        Some(incoming.first).filter(|_| incoming.shared as usize >= known)
    }

    /// Returns the name that the program gave to a zone. Several zones may have the same name.
    #[inline]
    pub fn name(&self, zone: u32) -> &Arc<str> {
        &self.names[zone as usize]
    }

    /// Returns the zone's unique name: its name, with [as much of the source location as needed](distinct_places), as
    /// in `update (physics.rs)`.
    #[inline]
    pub fn distinct_name(&self, zone: u32) -> &Arc<str> {
        &self.distinct[zone as usize]
    }

    #[inline]
    pub fn find_distinct(&self, name: &str) -> Option<u32> {
        let found = self.distinct.iter().position(|other| &**other == name);
        found.map(|zone| zone as u32)
    }

    /// Returns a number that changes whenever an existing zone gets another [distinct name](Indices::distinct_name).
    #[inline]
    pub fn renamed(&self) -> u64 {
        self.renamed
    }

    #[inline]
    pub fn location(&self, zone: u32) -> (&'static str, u32) {
        self.locations[zone as usize]
    }

    /// Returns the innermost zone group of a zone, or [`NONE`](crate::NONE).
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

/// All zone groups by index. A zone group comes after the one that it is part of.
#[derive(Debug, Default)]
pub struct ZoneGroups {
    ids: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
    /// By zone group, the group that it is part of, or [`NONE`].
    above: Vec<u32>,
}

impl ZoneGroups {
    /// Returns the innermost zone group of a zone with that name, or [`NONE`].
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

    /// Returns the zone groups of a zone, from the innermost to the outermost.
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
