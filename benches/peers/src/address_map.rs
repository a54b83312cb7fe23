//! A hash map with addresses as keys, for contenders that identify zones by the address of a static.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type AddressMap<T> = HashMap<usize, T, BuildHasherDefault<AddressHasher>>;

/// A hasher that multiplies once. The upper bits of the product depend on the whole address, so they are rotated to the
/// low end, which selects the slot.
#[derive(Default)]
pub(crate) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("addresses are hashed by write_usize");
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (address as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(26);
    }
}
