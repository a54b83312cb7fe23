//! Whether there is memory, for what takes much of it and can do without: an allocation that fails ends
//! the program.

use std::hint::black_box;

/// Whether so many bytes can be allocated at this moment. They are not: another thread may take them
/// before the caller does.
pub(crate) fn can_allocate(bytes: usize) -> bool {
    let mut probe = Vec::<u8>::new();
    let result = probe.try_reserve_exact(bytes);
    // What nobody looks at, the compiler would not allocate.
    black_box(&probe);
    result.is_ok()
}

#[cfg(test)]
mod tests {
    use super::can_allocate;

    #[test]
    fn some_memory_is_there_and_not_all_of_the_address_space() {
        assert!(can_allocate(0) && can_allocate(1 << 20));
        assert!(!can_allocate(isize::MAX as usize) && !can_allocate(usize::MAX));
    }
}
