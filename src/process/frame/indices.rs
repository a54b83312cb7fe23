//! Interns zones: each gets an index, from 0 on, when its first node is added, so that per-zone data are plain arrays.
//! What reports know besides is in `report_indices.rs`.

use crate::Zone;
use crate::gather;
use crate::process::frame::report_indices::ReportIndices;
use crate::value_info::ValueInfo;
use std::collections::HashMap;
use std::hash::Hash;

/// All that has an index.
#[derive(Debug, Default)]
pub(crate) struct Indices {
    zones: Interner<usize>,
    all: Vec<&'static Zone>,
    /// The zones that are named values.
    values: Vec<u32>,
    pub(super) of_reports: ReportIndices,
}

impl Indices {
    /// With the zone of the root, which frames without any thread have, too.
    pub(crate) fn new() -> Indices {
        let mut indices = Indices::default();
        indices.zone(&gather::GLOBAL);
        indices
    }

    /// The index of a zone. Zones are told apart by their statics, not by their names.
    pub(crate) fn zone(&mut self, zone: &'static Zone) -> u32 {
        let id = self.zones.id(std::ptr::from_ref(zone) as usize);
        if id as usize == self.all.len() {
            self.all.push(zone);
            if zone.unit().is_some() {
                self.values.push(id);
            }
            self.of_reports.describe(zone, id);
        }
        id
    }

    /// All zones in the order of their indices.
    pub(crate) fn zones(&self) -> impl Iterator<Item = &'static Zone> {
        self.all.iter().copied()
    }

    /// The zones that are named values, in the order in which they were first added to.
    pub(crate) fn values(&self) -> &[u32] {
        &self.values
    }

    /// What is known of the named value of a zone.
    pub(crate) fn value_info(&self, zone: u32) -> ValueInfo {
        let zone = self.at(zone);
        let (unit, steps) = zone.unit().unwrap_or_default();
        ValueInfo::with_steps(&zone.label(), unit, steps)
    }

    /// All named values, with what is known of them.
    pub(crate) fn value_infos(&self) -> impl Iterator<Item = ValueInfo> {
        self.values.iter().map(|zone| self.value_info(*zone))
    }

    /// The zone at an index.
    pub(crate) fn at(&self, zone: u32) -> &'static Zone {
        self.all[zone as usize]
    }

    pub(crate) fn zone_count(&self) -> usize {
        self.all.len()
    }
}

/// Assigns indices, starting at 0.
#[derive(Debug)]
pub(super) struct Interner<T> {
    pub(super) ids: HashMap<T, u32>,
    pub(super) all: Vec<T>,
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
    pub(super) fn id(&mut self, item: T) -> u32 {
        *self.ids.entry(item).or_insert_with(|| {
            self.all.push(item);
            self.all.len() as u32 - 1
        })
    }
}
