//! Counts of zone entries, by zone name.

use std::collections::BTreeMap;

pub(crate) type Counts = BTreeMap<String, u64>;

pub(crate) fn add(counts: &mut Counts, name: &str, entries: u64) {
    match counts.get_mut(name) {
        Some(count) => *count += entries,
        None => {
            counts.insert(name.to_owned(), entries);
        }
    }
}
