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

/// Moves the items at `order` to the front, in that order, and drops all others. In place: large items are moved
/// once. No position may come twice.
pub(crate) fn arrange<T>(items: &mut Vec<T>, order: impl ExactSizeIterator<Item = u32>) {
    let count = order.len();
    // By item: its place; those to be dropped come last.
    let mut places: Vec<usize> = vec![usize::MAX; items.len()];
    for (place, at) in order.enumerate() {
        places[at as usize] = place;
    }
    let dropped = places.iter_mut().filter(|place| **place == usize::MAX);
    for (place, at) in dropped.zip(count..) {
        *place = at;
    }
    for at in 0..items.len() {
        // Each exchange brings one item to its place.
        while places[at] != at {
            let place = places[at];
            items.swap(at, place);
            places.swap(at, place);
        }
    }
    items.truncate(count);
}

/// Sorts items by their keys, smallest first; equal ones come in any order. It allocates nothing. Each type has its own
/// copy, so it is a heap sort, which has a tenth of the instructions of the standard library's sort.
pub(crate) fn in_place<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    // Moves the item at `at` down to where no child in the heap is larger.
    let sink = |heap: &mut [T], mut at: usize| {
        loop {
            let mut largest = 2 * at + 1;
            match heap.get(largest..) {
                Some([left, right, ..]) if key(left) < key(right) => largest += 1,
                Some([_, ..]) => {}
                _ => return,
            }
            if key(&heap[at]) >= key(&heap[largest]) {
                return;
            }
            heap.swap(at, largest);
            at = largest;
        }
    };
    for at in (0..items.len() / 2).rev() {
        sink(items, at);
    }
    for end in (1..items.len()).rev() {
        items.swap(0, end);
        sink(&mut items[..end], 0);
    }
}

/// The number that would be at `at` if they were sorted, in front of it those that are not larger, and behind it those that
/// are not smaller.
pub(crate) fn select(numbers: &mut [f64], at: usize) -> (&mut [f64], f64, &mut [f64]) {
    let (below, number, above) = numbers.select_nth_unstable_by(at, f64::total_cmp);
    (below, *number, above)
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
    // No two are equal, so that it need not be stable. Numbers alone are sorted faster than with a branch for ties.
    keyed.sort_unstable();
    for equal in keyed.chunk_by_mut(|a, b| a.0 == b.0) {
        if equal.len() > 1 {
            equal.sort_unstable_by(|a, b| tie(a.1 as usize, b.1 as usize).then(a.1.cmp(&b.1)));
        }
    }
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
        fn a_heap_sorts_as_the_standard_library(mut items in prop::collection::vec((0..9u64, 0..3u8), 0..60)) {
            let mut sorted = items.clone();
            sorted.sort();
            in_place(&mut items, |item| *item);
            prop_assert_eq!(items, sorted);
        }

        #[test]
        fn items_are_arranged_in_place(keys in prop::collection::vec(0..9u64, 0..60), kept in 0..60usize) {
            let mut order = by_key(keys.iter().copied(), &no_tie);
            order.truncate(kept);
            let mut items: Vec<u32> = (0..keys.len() as u32).collect();
            arrange(&mut items, order.iter().copied());
            prop_assert_eq!(items, order);
        }

        #[test]
        fn keys_of_floats_are_in_total_order(a: u64, b: u64) {
            let floats = [a, b].map(f64::from_bits);
            let keys = floats.map(float_key);
            prop_assert_eq!(keys[0].cmp(&keys[1]), floats[0].total_cmp(&floats[1]));
        }
    }
}
