//! Interned zones: copies of zones in the program's own memory.
//!
//! A zone's static, its name and its file may lie in a library that the program unloads. Recorded data
//! stays. So recorded data refers to a copy of the zone, the *interned* zone, which is made when the
//! zone is first used and lives as long as the program. The static caches a pointer to its copy, so
//! that the table is searched once.
//!
//! # Which zones are the same
//!
//! Two statics are two zones, even if they have the same name. A library that is loaded again has an
//! empty cache. If a static with the same name and location was at the same address before, it is the same
//! zone again: so a program may load and unload a library any number of times without growing. A static
//! with another name or location at that address is another zone, and so is one at another address.
//!
//! A [run-time zone](super::run_time) has no static: it is its own copy, in the list of its texts, and has the
//! address 0. Two of the same texts are one zone.
//!
//! # How
//!
//! A table of lists. Any thread appends to a list with one compare-exchange, after it has made the
//! copy. There is no lock: the allocation may run a host's allocator with zones of its own, and the
//! caller may be a signal handler. A thread that loses the race frees its copy and uses the winner's.

#![allow(unsafe_code)] // Copies are published to other threads without a lock.

use super::{Name, Zone};
use std::alloc::{Layout, alloc, dealloc};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Number of lists; some 25 zones per list in a program with 100,000.
const LISTS: usize = 4096;

/// By the address of the static, or by the texts. Invariant of this and of [`Interned::next`]: null, or an [`Interned`]
/// that lives as long as the program.
static TABLE: [AtomicPtr<Interned>; LISTS] = [const { AtomicPtr::new(ptr::null_mut()) }; LISTS];

/// A copy of a zone, followed in memory by its texts.
struct Interned {
    zone: Zone,
    /// The address of the static, or 0; only compared.
    address: usize,
    /// Written before the copy is published, and only by the thread that made it.
    next: *mut Interned,
}

/// What tells a zone from others, without the lifetime of its texts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Identity<'a> {
    /// Of the static; 0 if there is none.
    pub(super) address: usize,
    /// Whether the name is a label, rather than a path from which a label is made.
    pub(super) is_label: bool,
    pub(super) line: u32,
    pub(super) is_idle: bool,
    pub(super) budget_us: u32,
    pub(super) steps: u32,
    /// Name, file, module, unit.
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

/// The copy of `zone`, if there is one.
#[inline]
pub(super) fn already_interned(zone: &Zone) -> Option<&'static Zone> {
    // Acquire: pairs with the release in `intern`.
    let copy = zone.interned.load(Ordering::Acquire);
    // SAFETY: invariant of `Zone::interned`.
    unsafe { copy.as_ref() }
}

/// The copy of `zone`; `None` if there is no memory for it.
pub(super) fn interned(zone: &'static Zone) -> Option<&'static Zone> {
    already_interned(zone).or_else(|| intern(zone))
}

#[cold]
#[inline(never)]
fn intern(zone: &'static Zone) -> Option<&'static Zone> {
    let identity = Identity::of(zone, ptr::from_ref(zone).addr());
    let (found, _) = find_or_make(&TABLE[hash(identity.address)], &identity, || {}, || true)?;
    // Release: pairs with the acquire in `already_interned`. Any other thread that stores here stores
    // the same value.
    zone.interned
        .store(ptr::from_ref(found).cast_mut(), Ordering::Release);
    Some(found)
}

/// The zone without a static that has that identity, and whether it is new. It is made if there is none and
/// `may_make` allows it.
pub(super) fn without_static(
    identity: &Identity,
    on_first_zone: fn(),
    may_make: impl FnOnce() -> bool,
) -> Option<(&'static Zone, bool)> {
    let list = &TABLE[hash_of_texts(identity)];
    find_or_make(list, identity, on_first_zone, may_make)
}

/// The copy in `list` with that identity, and whether it is new. It is made if there is none, `may_make` allows
/// it, and there is memory.
fn find_or_make(
    list: &AtomicPtr<Interned>,
    identity: &Identity,
    on_first_zone: fn(),
    may_make: impl FnOnce() -> bool,
) -> Option<(&'static Zone, bool)> {
    let mut may_make = Some(may_make);
    let mut copy: *mut Interned = ptr::null_mut();
    // Acquire, here and below: pairs with the release of the thread that published the copy.
    let mut first = list.load(Ordering::Acquire);
    let mut searched: *mut Interned = ptr::null_mut();
    let (found, is_new) = loop {
        if let Some(found) = find(first, searched, identity) {
            // SAFETY: null, or a copy that this thread made and did not publish.
            unsafe { destroy(copy) };
            break (found, false);
        }
        searched = first;
        if let Some(may_make) = may_make.take() {
            copy = may_make()
                .then(|| make(identity, on_first_zone))
                .flatten()?;
        }
        // SAFETY: made above, and not published yet.
        unsafe { (*copy).next = first };
        // Release: pairs with the acquires above.
        match list.compare_exchange(first, copy, Ordering::Release, Ordering::Acquire) {
            Ok(_) => break (copy, true),
            Err(other) => first = other,
        }
    };
    // SAFETY: `found` is published, and published copies live as long as the program.
    Some((unsafe { &(*found).zone }, is_new))
}

/// Searches the list from `first` up to `end`.
fn find(first: *mut Interned, end: *mut Interned, identity: &Identity) -> Option<*mut Interned> {
    let mut at = first;
    while at != end {
        // SAFETY: invariant of `TABLE` and `next`; the end of a list is null, and `end` is null or was
        // the first of the same list before.
        let interned = unsafe { at.as_ref() }?;
        if Identity::of(&interned.zone, interned.address) == *identity {
            return Some(at);
        }
        at = interned.next;
    }
    None
}

/// An unpublished copy; `None` if there is no memory for it.
fn make(identity: &Identity, on_first_zone: fn()) -> Option<*mut Interned> {
    let copy = allocate(layout(&identity.texts)?)?;
    // SAFETY: the memory is as large as `layout` says: first the copy, then the texts one after
    // another.
    unsafe {
        let mut text = copy.add(1).cast::<u8>();
        let mut keep = |from: &str| -> &'static str {
            ptr::copy_nonoverlapping(from.as_ptr(), text, from.len());
            let kept = std::slice::from_raw_parts(text, from.len());
            text = text.add(from.len());
            std::str::from_utf8_unchecked(kept)
        };
        let [name, file, module, unit] = identity.texts.map(&mut keep);
        copy.write(Interned {
            zone: Zone {
                name: if identity.is_label {
                    Name::Label(name)
                } else {
                    Name::Path(name)
                },
                file,
                line: identity.line,
                module,
                idle: identity.is_idle,
                budget_us: identity.budget_us,
                unit,
                steps: identity.steps,
                interned: AtomicPtr::new((&raw mut (*copy).zone).cast()),
                on_first_zone,
            },
            address: identity.address,
            next: ptr::null_mut(),
        });
    }
    Some(copy)
}

/// Frees an unpublished copy.
///
/// # Safety
///
/// `copy` is null, or a copy of [`make`] that was not published.
unsafe fn destroy(copy: *mut Interned) {
    // SAFETY: the caller's promise; and the texts and the layout are those that the copy was made with.
    unsafe {
        if let Some(made) = copy.as_ref()
            && let Some(layout) = layout(&Identity::of(&made.zone, made.address).texts)
        {
            dealloc(copy.cast(), layout);
        }
    }
}

/// The layout of a copy and its texts.
fn layout(texts: &[&str; 4]) -> Option<Layout> {
    let bytes = texts.iter().map(|text| text.len()).sum();
    let texts = Layout::array::<u8>(bytes).ok()?;
    Some(Layout::new::<Interned>().extend(texts).ok()?.0)
}

/// Returns `None` if there is no memory, instead of ending the program.
fn allocate(layout: Layout) -> Option<*mut Interned> {
    // SAFETY: the layout has the size of an `Interned` at least.
    let memory = unsafe { alloc(layout) }.cast::<Interned>();
    (!memory.is_null()).then_some(memory)
}

/// Neighbors in memory get different lists.
fn hash(address: usize) -> usize {
    (address / align_of::<Zone>()).wrapping_mul(0x9E37_79B1) / 16 % LISTS
}

/// The list of a zone without a static.
fn hash_of_texts(identity: &Identity) -> usize {
    let mut hasher = DefaultHasher::new();
    identity.hash(&mut hasher);
    hasher.finish() as usize % LISTS
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Memory for zones one after another: as when one library is unloaded and another is loaded at
    /// the same address.
    struct Library(*mut Zone);

    impl Library {
        fn new() -> Library {
            Library(Box::into_raw(Box::new(Zone::new("", "", 0, ""))))
        }

        /// Writes a zone there, interns it, and removes it with its texts.
        fn see(&self, name: &str, file: &str, line: u32) -> &'static Zone {
            self.see_as(name, file, line, |zone| zone)
        }

        /// As `see`, a zone that is declared otherwise.
        fn see_as(
            &self,
            name: &str,
            file: &str,
            line: u32,
            declared: fn(Zone) -> Zone,
        ) -> &'static Zone {
            let texts =
                [name, file, "module"].map(|text| Box::into_raw(text.to_owned().into_boxed_str()));
            // SAFETY: this test owns the memory; the texts live until they are freed below, and the
            // zone that refers to them is overwritten before.
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
            // SAFETY: made by `new`.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }

    #[test]
    fn an_interned_zone_outlives_its_static() {
        let library = Library::new();
        let seen = library.see("physics", "game.rs", 12);
        assert_eq!(seen.label(), "physics");
        assert_eq!(
            (seen.file(), seen.line(), seen.module()),
            ("game.rs", 12, "module")
        );
        assert!(
            ptr::eq(seen.interned().unwrap(), seen),
            "a copy refers to itself"
        );
    }

    #[test]
    fn zones_at_one_address_are_the_same_if_name_and_place_are() {
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
    fn an_idle_zone_stays_idle_and_is_another_one_than_a_working_zone() {
        let library = Library::new();
        let working = library.see("wait", "game.rs", 12);
        let idle = library.see_as("wait", "game.rs", 12, Zone::idle);
        assert!(idle.is_idle() && !working.is_idle());
        assert!(!ptr::eq(idle, working));
    }

    #[test]
    fn a_function_zone_keeps_its_name() {
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
    fn threads_that_intern_a_zone_at_once_agree() {
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
            "statics with one name are several zones"
        );
    }
}
