//! Interned zones: copies of zones that stay in memory permanently.
//!
//! A zone's static, name and file may be in a library that the program unloads, but recorded data is kept. So recorded
//! data refers to a copy, the *interned* zone, which is created when the zone is first used and lives as long as the
//! program. The static caches a pointer to its copy, so the table is searched only once.
//!
//! # Which zones are the same
//!
//! Two statics are two zones, even if they have the same name. There is one exception: a library that is loaded again
//! has empty caches, so if one of its statics has the same address, name and location as an earlier static, the two are
//! the same zone. So a program may load and unload a library any number of times without using more memory.
//!
//! A [run-time zone](super::run_time) has no static. It is its own copy, with the address 0, in the list for its texts.
//! Two run-time zones with the same texts are the same zone.
//!
//! # Implementation
//!
//! The copies are in a hash table behind a lock. A signal handler that interrupts the thread holding the lock gets no
//! copy. Memory is allocated while the lock is not held, because the host's allocator may have zones. If another thread
//! has created the copy in the meantime, the memory is freed.

#![allow(unsafe_code)] // A static holds a pointer to its copy.

use super::{Name, Zone};
use crate::sync::is_forked;
use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

/// The number of lists: with 100,000 zones, about 25 per list.
const LISTS: usize = 4096;

/// The lists, indexed by the hash of the static's address or of the texts.
static TABLE: Mutex<[Option<&'static Interned>; LISTS]> = Mutex::new([None; LISTS]);

thread_local! {
    /// Whether this thread has locked the table, or is about to.
    static HOLDS_TABLE: Cell<bool> = const { Cell::new(false) };
}

struct Interned {
    zone: Zone,
    /// The static's address, or 0. The address is used only for comparison.
    address: usize,
    next: Option<&'static Interned>,
}

/// The properties that distinguish zones. The texts may have any lifetime.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Identity<'a> {
    /// The static's address, or 0 without a static.
    pub(super) address: usize,
    /// Whether the name is a label rather than a path from which a label is made.
    pub(super) is_label: bool,
    pub(super) line: u32,
    pub(super) is_idle: bool,
    pub(super) budget_us: u32,
    pub(super) steps: u32,
    /// The name, file, module and unit.
    pub(super) texts: [&'a str; 4],
}

impl Identity<'_> {
    fn of(zone: &Zone, address: usize) -> Identity<'_> {
        Identity {
            address,
            is_label: matches!(zone.name, Name::Label(_)),
            line: zone.line,
            is_idle: zone.idle,
            budget_us: zone.budget_us,
            steps: zone.steps,
            texts: [zone.name.text(), zone.file, zone.module, zone.unit],
        }
    }
}

#[inline]
pub(super) fn already_interned(zone: &Zone) -> Option<&'static Zone> {
    // Acquire: pairs with the release in `intern`.
    let copy = zone.interned.load(Ordering::Acquire);
    // SAFETY: the invariant of `Zone::interned`.
    unsafe { copy.as_ref() }
}

/// Returns the copy of `zone`, and creates it if necessary. Returns `None` if there is no memory for it.
pub(super) fn interned(zone: &'static Zone) -> Option<&'static Zone> {
    already_interned(zone).or_else(|| intern(zone))
}

#[cold]
#[inline(never)]
fn intern(zone: &'static Zone) -> Option<&'static Zone> {
    let identity = Identity::of(zone, ptr::from_ref(zone).addr());
    let (found, _) = find_or_make(hash(identity.address), &identity, || {}, || true)?;
    // Release: pairs with the acquire in `already_interned`. Other threads that store here store the same value.
    zone.interned
        .store(ptr::from_ref(found).cast_mut(), Ordering::Release);
    Some(found)
}

/// Returns the run-time zone with this identity, and whether it is new. Creates it only if `may_make` returns true.
pub(super) fn without_static(
    identity: &Identity,
    on_first_zone: fn(),
    may_make: impl FnOnce() -> bool,
) -> Option<(&'static Zone, bool)> {
    find_or_make(hash_of_texts(identity), identity, on_first_zone, may_make)
}

/// Returns the copy in `list` with this identity, and whether it is new. Creates it if `may_make` returns true and
/// there is memory.
fn find_or_make(
    list: usize,
    identity: &Identity,
    on_first_zone: fn(),
    may_make: impl FnOnce() -> bool,
) -> Option<(&'static Zone, bool)> {
    if let Some(found) = with_list(list, |first| find(*first, identity))? {
        return Some((found, false));
    }
    if !may_make() {
        return None;
    }
    let mut memory = Some(reserve(&identity.texts)?);
    with_list(list, |first| {
        // Another thread may have created the copy in the meantime.
        if let Some(found) = find(*first, identity) {
            return Some((found, false));
        }
        let copy = fill(memory.take()?, identity, on_first_zone, *first);
        *first = Some(copy);
        Some((&copy.zone, true))
    })?
}

/// Calls `f`, which must neither allocate nor panic, with the first copy in a list. Returns `None` in a signal handler
/// that interrupted such a call, and in a child of `fork`, where the lock might never be released.
fn with_list<R>(list: usize, f: impl FnOnce(&mut Option<&'static Interned>) -> R) -> Option<R> {
    if is_forked() || HOLDS_TABLE.replace(true) {
        return None;
    }
    let result = f(&mut TABLE.lock().unwrap_or_else(PoisonError::into_inner)[list]);
    HOLDS_TABLE.set(false);
    Some(result)
}

fn find(first: Option<&'static Interned>, identity: &Identity) -> Option<&'static Zone> {
    let mut copies = std::iter::successors(first, |copy| copy.next);
    let is_it = |copy: &&Interned| Identity::of(&copy.zone, copy.address) == *identity;
    copies.find(is_it).map(|copy| &copy.zone)
}

/// Returns the concatenated texts and room for a copy, or `None` if there is no memory.
fn reserve(texts: &[&str; 4]) -> Option<(String, Vec<Interned>)> {
    let mut text = String::new();
    let bytes = texts.iter().map(|text| text.len()).sum();
    text.try_reserve_exact(bytes).ok()?;
    text.extend(texts.iter().copied());
    let mut room = Vec::new();
    room.try_reserve_exact(1).ok()?;
    Some((text, room))
}

/// Creates a copy in the reserved memory, which is leaked.
fn fill(
    (text, mut room): (String, Vec<Interned>),
    identity: &Identity,
    on_first_zone: fn(),
    next: Option<&'static Interned>,
) -> &'static Interned {
    let mut rest: &'static str = text.leak();
    let [name, file, module, unit] = identity.texts.map(|text| {
        let (kept, after) = rest.split_at(text.len());
        rest = after;
        kept
    });
    room.push(Interned {
        zone: Zone {
            name: match identity.is_label {
                true => Name::Label(name),
                false => Name::Path(name),
            },
            file,
            line: identity.line,
            module,
            idle: identity.is_idle,
            budget_us: identity.budget_us,
            unit,
            steps: identity.steps,
            interned: AtomicPtr::new(ptr::null_mut()),
            on_first_zone,
        },
        address: identity.address,
        next,
    });
    let copy = &room.leak()[0];
    // Relaxed: other threads get the copy through the lock, or through the release in `intern`.
    let itself = ptr::from_ref(&copy.zone).cast_mut();
    copy.zone.interned.store(itself, Ordering::Relaxed);
    copy
}

/// Returns the index of the list for a static. Neighbors in memory are in different lists.
fn hash(address: usize) -> usize {
    (address / align_of::<Zone>()).wrapping_mul(0x9E37_79B1) / 16 % LISTS
}

fn hash_of_texts(identity: &Identity) -> usize {
    let mut hasher = DefaultHasher::new();
    identity.hash(&mut hasher);
    hasher.finish() as usize % LISTS
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Memory for successive zones, as if libraries were loaded one after another at the same address.
    struct Library(*mut Zone);

    impl Library {
        fn new() -> Library {
            Library(Box::into_raw(Box::new(Zone::new("", "", 0, ""))))
        }

        /// Writes a zone to the memory, interns it, and removes it along with its texts.
        fn see(&self, name: &str, file: &str, line: u32) -> &'static Zone {
            self.see_as(name, file, line, |zone| zone)
        }

        /// Like `see`, for a zone with a different declaration.
        fn see_as(
            &self,
            name: &str,
            file: &str,
            line: u32,
            declared: fn(Zone) -> Zone,
        ) -> &'static Zone {
            let texts =
                [name, file, "module"].map(|text| Box::into_raw(text.to_owned().into_boxed_str()));
            // SAFETY: this test owns the memory. The texts live until they are freed below, after the zone that refers
            // to them has been overwritten.
            unsafe {
                let [name, file, module] = texts.map(|text| &*text);
                self.0.write(declared(Zone::new(name, file, line, module)));
                let interned = (*self.0).interned().unwrap();
                assert!(ptr::eq((*self.0).interned().unwrap(), interned));
                self.0.write(Zone::new("gone", "gone", 0, "gone"));
                texts.into_iter().for_each(|text| drop(Box::from_raw(text)));
                interned
            }
        }
    }

    impl Drop for Library {
        fn drop(&mut self) {
            // SAFETY: the memory was allocated by `new`.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }

    #[test]
    fn interned_zone_outlives_its_static() {
        let library = Library::new();
        let seen = library.see("physics", "game.rs", 12);
        assert_eq!(seen.label(), "physics");
        assert_eq!(
            (seen.file(), seen.line(), seen.module()),
            ("game.rs", 12, "module")
        );
        assert!(
            ptr::eq(seen.interned().unwrap(), seen),
            "a copy should point to itself"
        );
    }

    #[test]
    fn zones_at_same_address_differ_by_name_and_place() {
        let (library, elsewhere) = (Library::new(), Library::new());
        let physics = library.see("physics", "game.rs", 12);
        for (name, file, line) in [
            ("sound", "game.rs", 12),
            ("physics", "other.rs", 12),
            ("physics", "game.rs", 13),
        ] {
            let other = library.see(name, file, line);
            assert!(!ptr::eq(other, physics));
            assert_eq!((other.label().as_str(), other.line()), (name, line));
            assert!(ptr::eq(library.see(name, file, line), other));
            assert!(ptr::eq(library.see("physics", "game.rs", 12), physics));
        }
        assert!(!ptr::eq(elsewhere.see("physics", "game.rs", 12), physics));
    }

    #[test]
    fn idle_and_working_zones_are_distinct() {
        let library = Library::new();
        let working = library.see("wait", "game.rs", 12);
        let idle = library.see_as("wait", "game.rs", 12, Zone::idle);
        assert!(idle.is_idle() && !working.is_idle());
        assert!(!ptr::eq(idle, working));
    }

    #[test]
    fn function_zone_keeps_its_name() {
        fn path() -> &'static str {
            "game::Brain<A>::think::here"
        }
        static ZONE: Zone = Zone::of_function(path, "game.rs", 1, "game");
        let seen = ZONE.interned().unwrap();
        assert_eq!(seen.label(), "Brain::think");
        assert!(seen.is_named_like(&ZONE));
        assert!(ptr::eq(ZONE.interned().unwrap(), seen));
    }

    #[test]
    fn concurrent_interning_creates_one_zone() {
        static ZONES: [Zone; 50] = [const { Zone::new("one", "", 0, "") }; 50];
        let all = || {
            ZONES
                .each_ref()
                .map(|zone| ptr::from_ref(zone.interned().unwrap()).addr())
        };
        let seen: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(all)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert!(seen.iter().all(|addresses| *addresses == seen[0]));
        let distinct: std::collections::HashSet<_> = seen[0].iter().collect();
        assert_eq!(
            distinct.len(),
            ZONES.len(),
            "statics with the same name should be distinct zones"
        );
    }
}
