//! How often each zone was entered, by the contender's own account.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Entries by the zone's name.
pub(crate) type Counts = BTreeMap<String, u64>;

static WATCHING: AtomicBool = AtomicBool::new(false);
static TALLY: Mutex<Counts> = Mutex::new(Counts::new());

/// From here on contenders that keep no totals of their own add up each frame. That takes time, so
/// nothing is timed in such a process; and it is called before anything else.
pub(crate) fn watch() {
    TALLY.lock().expect("nobody panics with it").clear();
    WATCHING.store(true, Relaxed);
}

pub(crate) fn is_watching() -> bool {
    WATCHING.load(Relaxed)
}

pub(crate) fn add(name: &str, entries: u64) {
    let mut tally = TALLY.lock().expect("nobody panics with it");
    match tally.get_mut(name) {
        Some(count) => *count += entries,
        None => {
            tally.insert(name.to_owned(), entries);
        }
    }
}

/// What was added since [`watch`].
pub(crate) fn added() -> Counts {
    TALLY.lock().expect("nobody panics with it").clone()
}

/// Where `counted` differs from `wanted` by more than the share `tolerance`.
pub(crate) fn differences(wanted: &Counts, counted: &Counts, tolerance: f64) -> Vec<String> {
    let off = |&(name, &wanted): &(&String, &u64)| {
        let counted = counted.get(name).copied().unwrap_or(0);
        let differs = counted.abs_diff(wanted) as f64 > tolerance * wanted as f64;
        differs.then(|| format!("{name}: {counted} instead of {wanted}"))
    };
    wanted.iter().filter_map(|pair| off(&pair)).collect()
}
