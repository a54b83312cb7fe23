//! Atomics for builds with debug assertions on x86-64: their loads and stores are one instruction, inlined at any
//! level of optimization.
//!
//! Without optimization, a load or a store of the standard library's is two calls and a jump by its order: 23
//! instructions. A timed zone makes 28 of them, which took 70 of its 115 ns. Everything else is the standard library's,
//! and so is all of it under Miri and ThreadSanitizer, which would not see what an instruction orders.

#![allow(unsafe_code)] // The instructions.

use super::Ordering;
use std::arch::asm;
use std::ops::Deref;
use std::sync::atomic;

/// An atomic of the standard library, with loads and stores of its own.
///
/// On x86-64, `mov` of an aligned value is atomic; each load acquires and each store releases. That is as much as any
/// order says but `SeqCst`, which the crate does not use. The compiler moves no access to memory across the
/// instruction, since it may read and write memory.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(crate) struct Unoptimized<A>(A);

pub(crate) type AtomicBool = Unoptimized<atomic::AtomicBool>;
pub(crate) type AtomicPtr<T> = Unoptimized<atomic::AtomicPtr<T>>;
pub(crate) type AtomicU8 = Unoptimized<atomic::AtomicU8>;
pub(crate) type AtomicU16 = Unoptimized<atomic::AtomicU16>;
pub(crate) type AtomicU32 = Unoptimized<atomic::AtomicU32>;
pub(crate) type AtomicU64 = Unoptimized<atomic::AtomicU64>;

impl<A> Deref for Unoptimized<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

/// Whether ThreadSanitizer watches this build. Only the environment tells stable Rust so; docs/reliability.md says what
/// to do where the flag is in a file.
const IS_WATCHED: bool = match option_env!("RUSTFLAGS") {
    Some(flags) => contains(flags.as_bytes(), b"sanitizer=thread"),
    None => false,
};

const fn contains(mut text: &[u8], wanted: &[u8]) -> bool {
    while let [_, rest @ ..] = text {
        if starts_with(text, wanted) {
            return true;
        }
        text = rest;
    }
    false
}

const fn starts_with(text: &[u8], wanted: &[u8]) -> bool {
    match (text, wanted) {
        (_, []) => true,
        ([a, text @ ..], [b, wanted @ ..]) if *a == *b => starts_with(text, wanted),
        _ => false,
    }
}

/// `new`, `load` and `store` of an atomic of that value, which a register of that class holds; `mov` names the register
/// by its width.
macro_rules! by_one_instruction {
    ([$($T:ident)?] $atomic:ty, $value:ty, $class:ident, $load:literal, $store:literal) => {
        impl<$($T)?> Unoptimized<$atomic> {
            pub(crate) const fn new(value: $value) -> Self {
                Unoptimized(<$atomic>::new(value))
            }

            #[inline(always)]
            pub(crate) fn load(&self, order: Ordering) -> $value {
                if IS_WATCHED {
                    return self.0.load(order);
                }
                let value;
                // SAFETY: the reference is valid and aligned, and the value may be changed meanwhile.
                unsafe {
                    asm!($load, out($class) value, in(reg) &raw const self.0,
                        options(nostack, preserves_flags));
                }
                value
            }

            #[inline(always)]
            pub(crate) fn store(&self, value: $value, order: Ordering) {
                if IS_WATCHED {
                    return self.0.store(value, order);
                }
                // SAFETY: as above; an atomic may be written through a shared reference.
                unsafe {
                    asm!($store, in(reg) &raw const self.0, in($class) value,
                        options(nostack, preserves_flags));
                }
            }
        }
    };
}

by_one_instruction!([T] atomic::AtomicPtr<T>, *mut T, reg, "mov {}, [{}]", "mov [{}], {}");
by_one_instruction!([] atomic::AtomicU8, u8, reg_byte, "mov {}, [{}]", "mov [{}], {}");
by_one_instruction!([] atomic::AtomicU16, u16, reg, "mov {:x}, [{}]", "mov [{}], {:x}");
by_one_instruction!([] atomic::AtomicU32, u32, reg, "mov {:e}, [{}]", "mov [{}], {:e}");
by_one_instruction!([] atomic::AtomicU64, u64, reg, "mov {}, [{}]", "mov [{}], {}");

impl Unoptimized<atomic::AtomicBool> {
    pub(crate) const fn new(value: bool) -> Self {
        Unoptimized(atomic::AtomicBool::new(value))
    }

    #[inline(always)]
    pub(crate) fn load(&self, order: Ordering) -> bool {
        if IS_WATCHED {
            return self.0.load(order);
        }
        let byte: u8;
        // SAFETY: as above.
        unsafe {
            asm!("mov {}, [{}]", out(reg_byte) byte, in(reg) &raw const self.0,
                options(nostack, preserves_flags));
        }
        byte != 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use Ordering::{Acquire, Relaxed, Release};

    #[test]
    fn the_flag_of_the_sanitizer_is_found_wherever_it_stands() {
        let is_found = |flags: &str| contains(flags.as_bytes(), b"sanitizer=thread");
        assert!(is_found("-Zsanitizer=thread"));
        assert!(is_found("-C debuginfo=1 -Z sanitizer=thread --cfg x"));
        assert!(!is_found("-Zsanitizer=address,thre"));
        assert!(!is_found(""));
    }

    #[test]
    fn a_store_changes_its_own_value_alone_and_a_load_returns_it() {
        macro_rules! check {
            ($atomic:ty, $values:expr) => {
                for [before, new, after] in $values {
                    let three = [before, before, after].map(<$atomic>::new);
                    three[1].store(new, Release);
                    let loaded = three.each_ref().map(|one| one.load(Acquire));
                    assert_eq!(loaded, [before, new, after]);
                    assert_eq!(three[1].0.load(Relaxed), new);
                }
            };
        }
        check!(AtomicBool, [[true, false, true], [false, true, false]]);
        check!(AtomicU8, [[1, 0xfe, 2], [u8::MAX, 0, u8::MAX]]);
        check!(AtomicU16, [[1, 0xfedc, 2], [u16::MAX, 0, u16::MAX]]);
        check!(AtomicU32, [[1, 0xfedc_ba98, 2], [u32::MAX, 0, u32::MAX]]);
        let long = 0xfedc_ba98_7654_3210;
        check!(AtomicU64, [[1, long, 2], [u64::MAX, 0, u64::MAX]]);
        let (a, b) = (&raw mut *Box::new(1), std::ptr::null_mut());
        check!(AtomicPtr<i32>, [[a, b, a], [b, a, b]]);
    }
}
