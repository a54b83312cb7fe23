//! Reads the timestamp counter twice per zone and does nothing else, which is the lower bound for exact timing.

use crate::contender::{BARE, Contender, FLOOR};
use std::hint::black_box;

pub(crate) const READS: Contender = Contender {
    name: FLOOR,
    set: "rdtsc without a fence at both ends of a zone, nothing kept: the floor",
    work: &WORK,
    ..BARE
};

/// Reads the counter when it is created and when it is dropped.
pub(crate) struct Reads;

impl Reads {
    #[inline(always)]
    pub(crate) fn new() -> Reads {
        black_box(counter());
        Reads
    }
}

impl Drop for Reads {
    #[inline(always)]
    fn drop(&mut self) {
        black_box(counter());
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn counter() -> u64 {
    // SAFETY: every x86-64 CPU supports `rdtsc`, which accesses no memory.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn counter() -> u64 {
    use std::time::{SystemTime, UNIX_EPOCH};
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}

macro_rules! enter {
    ($name:ident) => {
        let _zone = $crate::contenders::reads::Reads::new();
    };
}
work!(zone, counter);
