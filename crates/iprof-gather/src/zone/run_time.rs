//! Zones whose names are known only at run time, such as the names of scripts, systems or spans.
//!
//! Run-time zones are never freed, so their number is limited.

use super::intern::{self, Identity};
use super::{UNNAMED, Zone};
use crate::IS_ENABLED;
use crate::sync::StaticU64;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The maximum length in bytes of names, files, modules and units. Longer texts are cut at a character boundary.
pub const MAX_TEXT: usize = 1_000;
/// The name of the zone that stands for all names beyond the limit.
pub const OTHER_NAMES: &str = "(other names)";

static LIMIT: AtomicUsize = AtomicUsize::new(DEFAULT_LIMIT);
pub const DEFAULT_LIMIT: usize = 10_000;
/// The number of run-time zones and values created so far.
static MADE: AtomicUsize = AtomicUsize::new(0);
/// How many times there was no zone or value for a name.
static REFUSED: StaticU64 = StaticU64::new(0);
static FIRST_REFUSED: OnceLock<Box<str>> = OnceLock::new();

/// A description of a run-time zone or value. Equal descriptions yield the same zone.
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    pub name: &'a str,
    pub file: &'a str,
    pub line: u32,
    pub module: &'a str,
    pub is_idle: bool,
    /// The budget in microseconds, or 0 without one.
    pub budget_us: u32,
    /// The unit of a named value.
    pub unit: &'a str,
    /// The number of steps per unit, or 0 if this is a zone.
    pub steps: u32,
}

impl<'a> Description<'a> {
    /// Describes a zone with this name.
    pub const fn new(name: &'a str) -> Description<'a> {
        Description {
            name,
            file: "",
            line: 0,
            module: "",
            is_idle: false,
            budget_us: 0,
            unit: "",
            steps: 0,
        }
    }
}

/// Returns the zone with this description. Returns `None` beyond the limit, if there is no memory, or if recording is
/// compiled out.
pub fn zone(description: Description, on_first_zone: fn()) -> Option<&'static Zone> {
    if !IS_ENABLED {
        return None;
    }
    let name = match cut(description.name) {
        "" => UNNAMED,
        name => name,
    };
    let identity = Identity {
        address: 0,
        is_label: true,
        line: description.line,
        is_idle: description.is_idle,
        budget_us: description.budget_us,
        steps: description.steps,
        texts: [
            name,
            cut(description.file),
            cut(description.module),
            cut(description.unit),
        ],
    };
    let may_make = || MADE.load(Relaxed) < LIMIT.load(Relaxed);
    let found = intern::without_static(&identity, on_first_zone, may_make);
    match found {
        Some((_, true)) => {
            MADE.fetch_add(1, Relaxed);
        }
        Some((_, false)) => {}
        None => {
            REFUSED.fetch_add(1, Relaxed);
            FIRST_REFUSED.get_or_init(|| name.into());
        }
    }
    found.map(|(zone, _)| zone)
}

/// Sets the maximum number of run-time zones and values. Existing ones are kept.
pub fn set_limit(limit: usize) {
    LIMIT.store(limit, Relaxed);
}

/// Returns how many times there was no zone or value for a name, the first such name, and the limit.
pub fn refused() -> Option<(u64, &'static str, usize)> {
    let name = FIRST_REFUSED.get()?;
    Some((REFUSED.load(Relaxed), name, LIMIT.load(Relaxed)))
}

/// Cuts the text to [`MAX_TEXT`] bytes, without splitting a character.
fn cut(text: &str) -> &str {
    let boundary = (0..=MAX_TEXT.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at));
    &text[..boundary.unwrap_or(0)]
}

#[cfg(all(test, not(loom), feature = "enable"))]
mod tests {
    use super::*;
    use std::ptr;

    const PATROL: Description = Description {
        file: "ai.lua",
        line: 12,
        module: "ai",
        ..Description::new("run-time patrol")
    };

    fn zone_of(description: Description) -> &'static Zone {
        zone(description, || {}).unwrap()
    }

    #[test]
    fn equal_descriptions_share_a_zone() {
        let patrol = zone_of(PATROL);
        let text = String::from("run-time ") + "patrol";
        assert!(ptr::eq(
            patrol,
            zone_of(Description {
                name: &text,
                ..PATROL
            })
        ));
        assert!(ptr::eq(patrol, patrol.already_interned().unwrap()));
        assert_eq!(patrol.label(), "run-time patrol");
        let place = (patrol.file(), patrol.line(), patrol.module());
        assert_eq!(place, ("ai.lua", 12, "ai"));
        for other in [
            Description {
                name: "run-time guard",
                ..PATROL
            },
            Description {
                file: "ai2.lua",
                ..PATROL
            },
            Description { line: 13, ..PATROL },
            Description {
                module: "ai2",
                ..PATROL
            },
            Description {
                is_idle: true,
                ..PATROL
            },
            Description {
                budget_us: 1,
                ..PATROL
            },
            Description { steps: 1, ..PATROL },
            Description {
                unit: "body",
                ..PATROL
            },
            // The concatenated texts are the same.
            Description {
                name: "run-time patrola",
                file: "i.lua",
                ..PATROL
            },
        ] {
            assert!(!ptr::eq(patrol, zone_of(other)), "{other:?}");
            assert!(ptr::eq(zone_of(other), zone_of(other)), "{other:?}");
        }
    }

    #[test]
    fn empty_and_long_names_are_accepted() {
        assert_eq!(
            zone_of(Description { name: "", ..PATROL }).label(),
            "(unnamed)"
        );
        // These characters have three bytes each, and the limit falls inside the last one.
        let long = "\u{20AC}".repeat(MAX_TEXT / 3 + 1);
        let label = zone_of(Description {
            name: &long,
            ..PATROL
        })
        .label();
        assert_eq!(label.len(), MAX_TEXT / 3 * 3);
    }

    #[test]
    fn static_with_same_texts_is_a_distinct_zone() {
        static PATROLS: Zone = Zone::new("run-time patrol", "ai.lua", 12, "ai");
        assert!(!ptr::eq(PATROLS.interned().unwrap(), zone_of(PATROL)));
    }

    #[test]
    fn concurrent_creation_creates_one_zone() {
        let names: Vec<String> = (0..50).map(|at| format!("run-time {at}")).collect();
        let all = || -> Vec<usize> {
            let zone = |name: &String| zone_of(Description { name, ..PATROL });
            names
                .iter()
                .map(|name| ptr::from_ref(zone(name)).addr())
                .collect()
        };
        let seen: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(all)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert!(seen.iter().all(|addresses| *addresses == seen[0]));
    }
}
