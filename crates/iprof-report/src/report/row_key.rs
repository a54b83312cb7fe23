//! Identifies a row within its report, and in the next report.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The identity of a row: no other row of its report has it, and the same row of the next report does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowKey {
    #[doc(hidden)]
    pub section: Section,
    #[doc(hidden)]
    pub kind: RowKind,
    /// The number of the zone or of the zone group; 0 for other rows.
    #[doc(hidden)]
    pub zone: u32,
    #[doc(hidden)]
    pub level: u32,
    /// A hash of the keys of its parent rows; 0 at the top level.
    path: u64,
}

/// Two writes instead of the five of a derived one: a held order hashes every row.
impl Hash for RowKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.zone) << 32 | u64::from(self.level));
        let of_row = (self.section as u64) << 8 | self.kind as u64;
        // The path is a hash itself.
        state.write_u64(self.path ^ of_row);
    }
}

impl RowKey {
    /// A top-level row of a zone.
    #[doc(hidden)]
    pub fn top(section: Section, zone: u32, level: u32) -> RowKey {
        RowKey {
            section,
            kind: RowKind::Zone,
            zone,
            level,
            path: 0,
        }
    }

    /// A row of a zone below this row.
    #[doc(hidden)]
    pub fn under(&self, section: Section, zone: u32, level: u32) -> RowKey {
        RowKey {
            path: self.as_path(),
            ..RowKey::top(section, zone, level)
        }
    }

    /// The row of a zone group in a list of all zones. A group is listed once, so its key has no
    /// parent.
    #[doc(hidden)]
    pub fn zone_group(group: u32) -> RowKey {
        RowKey {
            kind: RowKind::ZoneGroup,
            ..RowKey::top(Section::Flat, group, 0)
        }
    }

    /// The top-level folded row of a section.
    #[doc(hidden)]
    pub fn top_others(section: Section) -> RowKey {
        RowKey {
            kind: RowKind::Others,
            ..RowKey::top(section, 0, 0)
        }
    }

    /// The folded row below this row.
    #[doc(hidden)]
    pub fn others(&self, section: Section) -> RowKey {
        RowKey {
            path: self.as_path(),
            ..RowKey::top_others(section)
        }
    }

    /// The row of everything that is idle, in a list of all zones.
    #[doc(hidden)]
    pub fn idle() -> RowKey {
        RowKey {
            kind: RowKind::Idle,
            ..RowKey::top(Section::Flat, 0, 0)
        }
    }

    /// The row of the idle time outside zones, in a list of all zones; `root` is the zone of roots.
    #[doc(hidden)]
    pub fn idle_outside_zones(root: u32) -> RowKey {
        RowKey::idle().under(Section::Flat, root, 0)
    }

    /// Whether it is the key of [idle time outside zones](RowKey::idle_outside_zones): in lists no other row of a zone
    /// has the key of a row under another one.
    #[doc(hidden)]
    pub fn is_idle_outside_zones(&self) -> bool {
        (self.section, self.kind) == (Section::Flat, RowKind::Zone) && self.path != 0
    }

    fn as_path(&self) -> u64 {
        let mut path = DefaultHasher::new();
        self.hash(&mut path);
        path.finish()
    }
}

/// What a row stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKind {
    #[default]
    Zone,
    /// A zone group: all zones with a common name prefix.
    ZoneGroup,
    /// Small rows, folded into one.
    Others,
    /// Idle zones and idle time outside zones, folded into one.
    Idle,
}

/// The part of a report that a row belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    #[default]
    Flat,
    Caller,
    Selected,
    Callee,
    Descendant,
    Tree,
}
