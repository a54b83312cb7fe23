//! Sorts positions by numbers. The standard library's sorting is compiled again for each type and each
//! comparison, several thousand instructions each time; all lists that are sorted for reports and files, where
//! comparisons are cheap beside all else, share this one copy of it.

use std::cmp::Ordering;

/// The positions of `keys`, smallest key first. Equal keys are in the order of `tie`, which gets two positions; what is
/// equal there, too, stays in order.
pub(crate) fn by_key(
    keys: impl IntoIterator<Item = u64>,
    tie: &dyn Fn(usize, usize) -> Ordering,
) -> Vec<u32> {
    let mut keyed: Vec<(u64, u32)> = keys.into_iter().zip(0..).collect();
    sort(&mut keyed, tie);
    keyed.into_iter().map(|(_, at)| at).collect()
}

/// As [`by_key`], largest key first.
pub(crate) fn by_key_falling(
    keys: impl IntoIterator<Item = u64>,
    tie: &dyn Fn(usize, usize) -> Ordering,
) -> Vec<u32> {
    by_key(keys.into_iter().map(|key| !key), tie)
}

/// For keys that decide alone.
pub(crate) fn no_tie(_: usize, _: usize) -> Ordering {
    Ordering::Equal
}

/// The items at `order`.
pub(crate) fn arranged<T: Copy>(items: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|at| items[*at as usize]).collect()
}

/// A key of the order that [`f64::total_cmp`] has.
pub(crate) fn float_key(value: f64) -> u64 {
    let bits = value.to_bits();
    if value.is_sign_negative() {
        !bits
    } else {
        bits | 1 << 63
    }
}

fn sort(keyed: &mut [(u64, u32)], tie: &dyn Fn(usize, usize) -> Ordering) {
    // No two are equal, so that it need not be stable.
    keyed.sort_unstable_by(|a, b| {
        let by_key = a.0.cmp(&b.0);
        by_key
            .then_with(|| tie(a.1 as usize, b.1 as usize))
            .then(a.1.cmp(&b.1))
    });
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_a_stable_sort(items in prop::collection::vec((0..4u64, 0..3u8), 0..60)) {
            let mut sorted = items.clone();
            let mut falling = items.clone();
            let tie = |a: usize, b: usize| items[a].1.cmp(&items[b].1);
            sorted.sort_by_key(|item| (item.0, item.1));
            falling.sort_by_key(|item| (std::cmp::Reverse(item.0), item.1));
            let keys = || items.iter().map(|item| item.0);
            prop_assert_eq!(arranged(&items, &by_key(keys(), &tie)), sorted);
            prop_assert_eq!(arranged(&items, &by_key_falling(keys(), &tie)), falling);
            let order = by_key(keys(), &no_tie);
            let mut stable: Vec<u32> = (0..items.len() as u32).collect();
            stable.sort_by_key(|at| items[*at as usize].0);
            prop_assert_eq!(order, stable);
        }

        #[test]
        fn keys_of_floats_are_in_total_order(a: u64, b: u64) {
            let floats = [a, b].map(f64::from_bits);
            let keys = floats.map(float_key);
            prop_assert_eq!(keys[0].cmp(&keys[1]), floats[0].total_cmp(&floats[1]));
        }
    }
}
