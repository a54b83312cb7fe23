//! Entry counts by zone: those that a contender recorded, compared with the true ones.

use crate::contender::Contender;
use std::collections::BTreeMap;

/// Entries by the zone's name.
pub(crate) type Counts = BTreeMap<String, u64>;

pub(crate) fn add(counts: &mut Counts, name: &str, entries: u64) {
    match counts.get_mut(name) {
        Some(count) => *count += entries,
        None => {
            counts.insert(name.to_owned(), entries);
        }
    }
}

/// The text for a contender's counts: how they compare with the true ones.
///
/// # Panics
///
/// If they are wrong.
pub(crate) fn verdict(contender: &Contender, wanted: &Counts, counted: &Counts) -> &'static str {
    if contender.counts.is_none() {
        return "-";
    }
    assert!(!wanted.is_empty(), "the truth was not told");
    let wrong = differences(wanted, counted, contender.tolerance);
    assert!(wrong.is_empty(), "{}: {wrong:?}", contender.name);
    match contender.tolerance > 0.0 {
        true => "about",
        false => "right",
    }
}

/// Where `counted` differs from `wanted` by more than the share `tolerance`.
fn differences(wanted: &Counts, counted: &Counts, tolerance: f64) -> Vec<String> {
    let off = |&(name, &wanted): &(&String, &u64)| {
        let counted = counted.get(name).copied().unwrap_or(0);
        let differs = counted.abs_diff(wanted) as f64 > tolerance * wanted as f64;
        differs.then(|| format!("{name}: {counted} instead of {wanted}"))
    };
    wanted.iter().filter_map(|pair| off(&pair)).collect()
}
