//! `iprof::Allocator` counts what an independent allocator below it counts, in random programs on several threads, and
//! attributes it to the zones that allocate.

#![cfg(all(feature = "enable", not(loom)))]
#![allow(unsafe_code)] // An allocator is.

use iprof::{AllocationTotals, Allocator, Snapshot};
use proptest::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System, alloc, alloc_zeroed, dealloc, realloc};
use std::cell::RefCell;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Allocations, bytes, and both less what was freed.
static COUNTS: [AtomicI64; 4] = [const { AtomicI64::new(0) }; 4];
/// One test at a time: counts are the program's.
static ALONE: Mutex<()> = Mutex::new(());

struct Independent;

#[global_allocator]
static ALLOCATOR: Allocator<Independent> = Allocator::new(Independent);

fn count(allocations: i64, bytes: i64, live: i64, live_bytes: i64) {
    for (count, more) in COUNTS.iter().zip([allocations, bytes, live, live_bytes]) {
        count.fetch_add(more, Relaxed);
    }
}

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Independent {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64, 1, layout.size() as i64);
        // SAFETY: the caller's promise is the same, here and below.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64, 1, layout.size() as i64);
        // SAFETY: see above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(0, 0, -1, -(layout.size() as i64));
        // SAFETY: see above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size as i64, 0, size as i64 - layout.size() as i64);
        // SAFETY: see above.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// A block of memory, freed by the thread that drops it.
struct Block(*mut u8, Layout);

// SAFETY: a block has one owner, and memory may be freed by any thread.
unsafe impl Send for Block {}

impl Block {
    fn new(size: usize, zeroed: bool) -> Block {
        let layout = Layout::from_size_align(size.max(1), 8).unwrap();
        // SAFETY: the size is not 0.
        let memory = unsafe {
            match zeroed {
                true => alloc_zeroed(layout),
                false => alloc(layout),
            }
        };
        assert!(!memory.is_null());
        Block(memory, layout)
    }

    fn resize(&mut self, size: usize) {
        let new = Layout::from_size_align(size.max(1), 8).unwrap();
        // SAFETY: allocated with that layout; the new size is not 0.
        self.0 = unsafe { realloc(self.0, self.1, new.size()) };
        assert!(!self.0.is_null());
        self.1 = new;
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with that layout, and owned.
        unsafe { dealloc(self.0, self.1) };
    }
}

/// What a thread does.
#[derive(Clone, Copy, Debug)]
enum Step {
    Allocate(usize, bool),
    Resize(prop::sample::Index, usize),
    Free(prop::sample::Index),
    /// Gives a block to the next thread, which frees it.
    Send(prop::sample::Index),
    Enter(bool),
    Leave,
    /// Keeps a block in a thread-local, whose destructor frees it.
    Keep(usize),
    Update,
}

thread_local! {
    static KEPT: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

fn step() -> impl Strategy<Value = Step> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        6 => (1usize..3_000, any::<bool>()).prop_map(|(size, zeroed)| Step::Allocate(size, zeroed)),
        2 => (index(), 1usize..9_000).prop_map(|(at, size)| Step::Resize(at, size)),
        3 => index().prop_map(Step::Free),
        2 => index().prop_map(Step::Send),
        3 => any::<bool>().prop_map(Step::Enter),
        3 => Just(Step::Leave),
        1 => (1usize..500).prop_map(Step::Keep),
        1 => Just(Step::Update),
    ]
}

fn run(steps: &[Step], next: &Sender<Block>, given: &Receiver<Block>) {
    let (mut blocks, mut open) = (Vec::new(), Vec::new());
    for step in steps {
        match *step {
            Step::Allocate(size, zeroed) => blocks.push(Block::new(size, zeroed)),
            Step::Resize(at, size) if !blocks.is_empty() => {
                let at = at.index(blocks.len());
                blocks[at].resize(size);
            }
            Step::Free(at) if !blocks.is_empty() => {
                drop(blocks.swap_remove(at.index(blocks.len())));
            }
            Step::Send(at) if !blocks.is_empty() => {
                let _ = next.send(blocks.swap_remove(at.index(blocks.len())));
            }
            Step::Enter(true) => open.push(iprof::open_zone!(loads)),
            Step::Enter(false) => open.push(iprof::open_zone!(parses)),
            Step::Leave => drop(open.pop()),
            Step::Keep(size) => KEPT.with_borrow_mut(|kept| kept.push(Block::new(size, false))),
            Step::Update => iprof::update(true),
            _ => {}
        }
        given.try_iter().for_each(drop);
    }
    while open.pop().is_some() {}
}

/// What both count.
fn both() -> [[i64; 4]; 2] {
    let AllocationTotals {
        allocations,
        bytes,
        live_allocations,
        live_bytes,
        ..
    } = Allocator::totals();
    let own = [
        allocations as i64,
        bytes as i64,
        live_allocations,
        live_bytes,
    ];
    [own, COUNTS.each_ref().map(|count| count.load(Relaxed))]
}

/// Both count the same, but for what the test program's main thread is allocating at this moment.
fn check() {
    let is_equal = |_: &u32| {
        let [own, independent] = both();
        thread::sleep(Duration::from_millis(u64::from(own != independent)));
        own == independent
    };
    assert!((0..500).any(|at| is_equal(&at)), "{:?}", both());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn totals_are_those_of_an_independent_allocator(
        programs in prop::collection::vec(prop::collection::vec(step(), 1..120), 1..4),
    ) {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let count = programs.len();
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..count).map(|_| channel()).unzip();
        let threads: Vec<_> = programs
            .into_iter()
            .zip(receivers)
            .enumerate()
            .map(|(at, (steps, given))| {
                let next = senders[(at + 1) % count].clone();
                thread::spawn(move || run(&steps, &next, &given))
            })
            .collect();
        drop(senders);
        for thread in threads {
            thread.join().unwrap();
        }
        check();
    }
}

/// What was added to a value in a zone of that name, and below it.
fn sum(recorded: &Snapshot, zone: &str, value: &str) -> i64 {
    let value = recorded
        .values
        .iter()
        .position(|known| &*known.name == value);
    let value = value.unwrap() as u32;
    let sums = recorded.threads.iter().flat_map(|thread| {
        let is_in = |node: u32| {
            let mut stack = thread.stack(node as usize);
            stack.any(|node| &*recorded.zones[node.zone as usize].name == zone)
        };
        let sums = thread.values.iter();
        sums.filter(move |sum| sum.value == value && is_in(sum.node))
    });
    sums.map(|sum| sum.steps).sum()
}

#[test]
fn allocations_are_those_of_the_zones_that_make_them() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let round = || {
        iprof::zone!(makes);
        let mut block = Block::new(1_000, false);
        block.resize(3_000);
        {
            iprof::zone!(frees);
            drop(block);
        }
        let kept = Block::new(500, true);
        // What it takes to start a thread is not in the zone of these blocks.
        iprof::zone!(starts);
        thread::scope(|scope| {
            let frees = || {
                iprof::zone!(frees_elsewhere);
                drop(kept);
            };
            scope.spawn(frees);
        });
    };
    // The call stacks are made.
    round();
    let earlier = iprof::snapshot();
    round();
    let later = iprof::snapshot().since(&earlier);
    let of = |zone: &str| {
        [
            "alloc_objects",
            "alloc_space",
            "inuse_objects",
            "inuse_space",
        ]
        .map(|value| sum(&later, zone, value))
    };
    assert_eq!(of("frees"), [0, 0, -1, -3_000]);
    assert_eq!(of("frees_elsewhere"), [0, 0, -1, -500]);
    let (all, starts) = (of("makes"), of("starts"));
    let own: Vec<i64> = (0..4).map(|at| all[at] - starts[at]).collect();
    assert_eq!(own, [3, 4_500, 1, 500]);
    check();
    let values = later.values.iter().take(4);
    let names: Vec<(&str, &str)> = values.map(|value| (&*value.name, &*value.unit)).collect();
    let wanted = [
        ("alloc_objects", "count"),
        ("alloc_space", "bytes"),
        ("inuse_objects", "count"),
        ("inuse_space", "bytes"),
    ];
    assert_eq!(names, wanted, "as pprof calls them");
}
