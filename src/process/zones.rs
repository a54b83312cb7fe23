//! Zones and what reports call rows, as small numbers: given once, when a node is first seen.

use super::families::Families;
use super::tree::NONE;
use crate::Zone;
use crate::report::Place;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// A row of a flat report: a zone, or with recursion spread a zone at one depth of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) zone: u32,
    /// How many of the same zone lie below it on the stack; 0 with recursion flattened.
    pub(crate) level: u32,
}

/// Everything that has been given a number.
#[derive(Debug, Default)]
pub(crate) struct Names {
    zones: Interner<usize>,
    all: Vec<&'static Zone>,
    names: Vec<Arc<str>>,
    places: Vec<Place>,
    /// Whether the zone is the profiler's own.
    own: Vec<bool>,
    /// By zone: its innermost family.
    family: Vec<u32>,
    families: Families,
    /// `Key`s with recursion spread.
    spread: Interner<Key>,
    /// Caller and callee; the caller of the root is itself.
    edges: Interner<(u32, u32)>,
    /// By zone: the first edge into it, and its place in `shared`.
    into: Vec<Into>,
    /// Zones with several edges into them, and the first of these, in the order in which they got the
    /// second.
    shared: Vec<(u32, u32)>,
    /// Whether there is no memory for new ones.
    pub(super) is_closed: bool,
}

/// What leads into a zone.
#[derive(Clone, Copy, Debug)]
struct Into {
    first: u32,
    shared: u32,
}

/// The zone `_global`, which is the root of every thread's tree and so the first to be seen.
pub(crate) const GLOBAL: u32 = 0;

impl Names {
    /// The number of a zone: which static it is decides, not its name.
    pub(crate) fn zone(&mut self, zone: &'static Zone) -> u32 {
        let id = self.zones.id(std::ptr::from_ref(zone) as usize);
        if id as usize == self.names.len() {
            let label = zone.label();
            self.family.push(self.families.of(&label));
            self.all.push(zone);
            self.names.push(label.into());
            self.places.push(Place {
                file: zone.file(),
                line: zone.line(),
            });
            self.own
                .push(zone.module().split("::").next() == Some(env!("CARGO_CRATE_NAME")));
        }
        id
    }

    /// By their numbers.
    pub(crate) fn zones(&self) -> impl Iterator<Item = &'static Zone> {
        self.all.iter().copied()
    }

    /// The zone of a number.
    pub(crate) fn at(&self, zone: u32) -> &'static Zone {
        self.all[zone as usize]
    }

    pub(crate) fn spread(&mut self, zone: u32, level: u32) -> u32 {
        self.spread.id(Key { zone, level })
    }

    pub(crate) fn edge(&mut self, caller: u32, zone: u32) -> u32 {
        let edge = self.edges.id((caller, zone));
        let place = zone as usize;
        if self.into.len() <= place {
            let none = Into {
                first: NONE,
                shared: NONE,
            };
            self.into.resize(place + 1, none);
        }
        let into = &mut self.into[place];
        if into.first == NONE {
            into.first = edge;
        } else if into.first != edge && into.shared == NONE {
            into.shared = self.shared.len() as u32;
            self.shared.push((zone, into.first));
        }
        edge
    }

    /// The zone that an edge leads into.
    pub(crate) fn callee(&self, edge: u32) -> u32 {
        self.edges.all[edge as usize].1
    }

    /// Whether several edges lead into a zone.
    #[inline(always)]
    pub(crate) fn is_shared(&self, zone: u32) -> bool {
        self.into[zone as usize].shared != NONE
    }

    /// Zones that several edges lead into, with the first of these: from the one on that is the
    /// `known`-th to get its second one.
    pub(crate) fn shared_since(&self, known: usize) -> &[(u32, u32)] {
        &self.shared[known..]
    }

    /// The edge that a zone's heat is that of, where the first `known` of the zones that several
    /// edges lead into have heat of their own.
    pub(crate) fn only_edge(&self, zone: u32, known: usize) -> Option<u32> {
        let into = self.into.get(zone as usize)?;
        Some(into.first).filter(|_| into.shared as usize >= known)
    }

    pub(crate) fn name(&self, zone: u32) -> &Arc<str> {
        &self.names[zone as usize]
    }

    pub(crate) fn place(&self, zone: u32) -> Place {
        self.places[zone as usize]
    }

    /// The innermost family of a zone, or [`NONE`](super::tree::NONE).
    pub(crate) fn family(&self, zone: u32) -> u32 {
        self.family[zone as usize]
    }

    pub(crate) fn families(&self) -> &Families {
        &self.families
    }

    pub(crate) fn is_own(&self, zone: u32) -> bool {
        self.own[zone as usize]
    }

    pub(crate) fn zone_count(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn spread_count(&self) -> usize {
        self.spread.all.len()
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.edges.all.len()
    }

    pub(crate) fn spread_key(&self, id: u32) -> Key {
        self.spread.all[id as usize]
    }

    pub(crate) fn find_spread(&self, key: Key) -> Option<u32> {
        self.spread.ids.get(&key).copied()
    }

    pub(crate) fn find_edge(&self, caller: u32, zone: u32) -> Option<u32> {
        self.edges.ids.get(&(caller, zone)).copied()
    }
}

/// Gives numbers from 0 on.
#[derive(Debug)]
struct Interner<T> {
    ids: HashMap<T, u32>,
    all: Vec<T>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner {
            ids: HashMap::new(),
            all: Vec::new(),
        }
    }
}

impl<T: Copy + Eq + Hash> Interner<T> {
    fn id(&mut self, item: T) -> u32 {
        *self.ids.entry(item).or_insert_with(|| {
            self.all.push(item);
            self.all.len() as u32 - 1
        })
    }
}
