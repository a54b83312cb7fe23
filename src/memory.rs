//! Tests for free memory before a large optional allocation: a failed allocation would end the
//! program.

use std::hint::black_box;

/// Whether `bytes` bytes can be allocated at this moment. They are not reserved: another thread may
/// take them before the caller does.
pub(crate) fn can_allocate(bytes: usize) -> bool {
    let mut probe = Vec::<u8>::new();
    let result = probe.try_reserve_exact(bytes);
    // The compiler would remove an allocation that is never used.
    black_box(&probe);
    result.is_ok()
}

#[cfg(test)]
mod tests {
    use super::can_allocate;

    #[test]
    fn some_memory_is_free_but_not_the_whole_address_space() {
        assert!(can_allocate(0) && can_allocate(1 << 20));
        assert!(!can_allocate(usize::MAX));
        // Of 32 bits, half of the addresses may be free.
        #[cfg(target_pointer_width = "64")]
        assert!(!can_allocate(isize::MAX as usize));
    }
}
