//! Tests for free memory before a large optional allocation: a failed allocation would end the
//! program.

use std::hint::black_box;

/// The largest piece that is allocated to test. With 32 bits, one allocation has at most half of the addresses,
/// which may be less than is free and less than a bound for many lists together.
const LARGEST_PIECE: usize = if usize::BITS > 32 {
    isize::MAX as usize
} else {
    1 << 30
};

/// Whether `bytes` bytes can be allocated at this moment. They are not reserved: another thread may
/// take them before the caller does.
pub(crate) fn can_allocate(bytes: usize) -> bool {
    let mut probe = Vec::<u8>::new();
    let result = probe.try_reserve_exact(bytes.min(LARGEST_PIECE));
    // The compiler would remove an allocation that is never used.
    black_box(&probe);
    result.is_ok() && (bytes <= LARGEST_PIECE || can_allocate(bytes - LARGEST_PIECE))
}

/// The sum of products, such as bytes for each of so many. With 32 bits it may be more than there are addresses: then
/// it is the largest number, which cannot be allocated.
pub(crate) fn sum_of_products<const N: usize>(factors: [(usize, usize); N]) -> usize {
    let products = factors.iter().map(|(a, b)| a.saturating_mul(*b));
    products.fold(0, usize::saturating_add)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{can_allocate, sum_of_products};

    #[test]
    fn some_memory_is_free_but_not_the_whole_address_space() {
        assert!(can_allocate(0) && can_allocate(1 << 20));
        assert!(!can_allocate(usize::MAX));
        // Of 32 bits, half of the addresses may be free.
        #[cfg(target_pointer_width = "64")]
        assert!(!can_allocate(isize::MAX as usize));
    }

    #[cfg(target_pointer_width = "32")]
    #[test]
    fn more_than_one_allocation_can_have_is_asked_for_in_pieces() {
        let half = isize::MAX as usize;
        assert!(Vec::<u8>::new().try_reserve_exact(half + 1).is_err());
        assert!(can_allocate(half + 1) || !can_allocate(half));
    }

    #[test]
    fn a_sum_that_is_no_address_is_the_largest_number() {
        assert_eq!(sum_of_products([(2, 3), (1, 4)]), 10);
        let half = usize::MAX / 2;
        for factors in [[(half, 3), (1, 1)], [(half, 2), (2, 1)]] {
            assert_eq!(sum_of_products(factors), usize::MAX);
        }
    }
}
