//! Runs random programs on several threads, and compares the counts of `iprof::Allocator` with the counts of an
//! independent allocator below it. The totals and the sums for each call stack must match exactly.

#![cfg(all(feature = "enable", not(loom)))]
#![allow(unsafe_code)] // Implementing an allocator is unsafe.

use iprof::{AllocationTotals, Allocator, Snapshot};
use proptest::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System, alloc, alloc_zeroed, dealloc, realloc};
use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The number of allocations, allocated bytes, live allocations and live bytes.
static COUNTS: [AtomicI64; 4] = [const { AtomicI64::new(0) }; 4];
/// The maximum number of zones that a program has open at once. [`BY_STACK`] contains the counts of each call stack. In
/// binary, a stack's index is a 1 followed by one bit per zone, outermost first.
const DEPTH: usize = 5;
const STACKS: usize = 1 << (DEPTH + 1);
static BY_STACK: [[AtomicI64; 4]; STACKS] = [const { [const { AtomicI64::new(0) }; 4] }; STACKS];
/// Runs one test at a time, because the counts are global.
static ALONE: Mutex<()> = Mutex::new(());

struct Independent;

#[global_allocator]
static ALLOCATOR: Allocator<Independent> = Allocator::new(Independent);

fn count(allocations: i64, bytes: i64, live: i64, live_bytes: i64) {
    // `STACK` has no destructor, so it can be read until the thread has ended.
    let of_stack = &BY_STACK[STACK.get()];
    let more = [allocations, bytes, live, live_bytes];
    for ((count, of_stack), more) in COUNTS.iter().zip(of_stack).zip(more) {
        count.fetch_add(more, Relaxed);
        of_stack.fetch_add(more, Relaxed);
    }
}

// SAFETY: every call is forwarded to the system's allocator.
unsafe impl GlobalAlloc for Independent {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64, 1, layout.size() as i64);
        // SAFETY: the caller upholds the contract of the same method, here and below.
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

struct Block(*mut u8, Layout);

// SAFETY: a block has one owner, and any thread may free memory.
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
        // `black_box` keeps the compiler from removing an unused allocation.
        Block(black_box(memory), layout)
    }

    fn resize(&mut self, size: usize) {
        let new = Layout::from_size_align(size.max(1), 8).unwrap();
        // SAFETY: the block was allocated with this layout, and the new size is not 0.
        self.0 = black_box(unsafe { realloc(self.0, self.1, new.size()) });
        assert!(!self.0.is_null());
        self.1 = new;
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: the block was allocated with this layout, and has no other owner.
        unsafe { dealloc(self.0, self.1) };
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Allocate(usize, bool),
    Resize(prop::sample::Index, usize),
    Free(prop::sample::Index),
    /// Sends a block to the next thread, which frees it.
    Send(prop::sample::Index),
    Enter(bool),
    Leave,
    /// Stores a block in a thread-local. Its destructor frees the block, and also allocates and frees other blocks.
    Keep(usize),
    Update,
}

struct Kept(Vec<Block>);

impl Drop for Kept {
    fn drop(&mut self) {
        // The profiler's own thread-locals may or may not exist at this point, depending on which thread-locals were
        // used first.
        let mut last = Block::new(100 + self.0.len(), true);
        last.resize(300);
        self.0.push(last);
        iprof::zone!(ends);
        self.0.truncate(1);
        self.0.push(Block::new(50, false));
    }
}

thread_local! {
    static KEPT: RefCell<Kept> = const { RefCell::new(Kept(Vec::new())) };
    /// The index of the thread's call stack, or 0 outside of programs.
    static STACK: Cell<usize> = const { Cell::new(0) };
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
    // If a thread has never entered a zone, its allocations are added only to the totals.
    let program = iprof::open_zone!(program);
    STACK.set(1);
    // A block may also grow within a zone.
    let (mut blocks, mut open) = (Vec::new(), Vec::with_capacity(DEPTH));
    // A stack's counts are created when the stack first allocates.
    let touch = || drop(Block::new(1, false));
    touch();
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
            Step::Enter(loads) if open.len() < DEPTH => {
                open.push(match loads {
                    true => iprof::open_zone!(loads),
                    false => iprof::open_zone!(parses),
                });
                STACK.set(2 * STACK.get() + usize::from(loads));
                touch();
            }
            Step::Leave => {
                STACK.set((STACK.get() / 2).max(1));
                drop(open.pop());
            }
            Step::Keep(size) => KEPT.with_borrow_mut(|kept| kept.0.push(Block::new(size, false))),
            Step::Update => iprof::update(true),
            _ => {}
        }
        given.try_iter().for_each(drop);
    }
    while let Some(zone) = open.pop() {
        STACK.set(STACK.get() / 2);
        drop(zone);
    }
    drop((blocks, open));
    STACK.set(0);
    drop(program);
}

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

/// Checks that both allocators have the same counts. Retries if they don't, because the test harness's main thread may
/// be allocating.
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
    fn totals_agree_with_independent_allocator(
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

/// A barrier that doesn't allocate, and doesn't wait for threads that have panicked.
struct Gate {
    threads: usize,
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    waiting: usize,
    times_opened: u32,
    is_broken: bool,
}

impl Gate {
    fn of(threads: usize) -> Gate {
        Gate {
            threads,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Panics if another thread has panicked.
    fn wait(&self) {
        let mut state = self.state();
        state.waiting += 1;
        let times_opened = state.times_opened;
        if state.waiting == self.threads {
            state.waiting = 0;
            state.times_opened += 1;
            self.changed.notify_all();
        }
        while state.times_opened == times_opened {
            assert!(!state.is_broken, "another thread has panicked");
            let changed = self.changed.wait(state);
            state = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Breaks the gate if the current thread panics, so that no other thread waits for this one.
struct BreaksGate<'a>(&'a Gate);

impl Drop for BreaksGate<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state().is_broken = true;
            self.0.changed.notify_all();
        }
    }
}

#[test]
fn panic_of_one_thread_releases_all_at_the_gate() {
    let gate = &Gate::of(3);
    let ended = thread::scope(|scope| {
        let panics = |has_to: bool| {
            let _breaks = BreaksGate(gate);
            assert!(!has_to, "a test panic");
            gate.wait();
        };
        let threads = [false, true, false].map(|has_to| scope.spawn(move || panics(has_to)));
        threads.map(|thread| thread.join().is_ok())
    });
    assert_eq!(ended, [false; 3]);
}

/// Returns the amounts that threads named `name` added to the four values, indexed by call stack.
fn by_stack(recorded: &Snapshot, name: &str) -> Vec<[i64; 4]> {
    let mut sums = vec![[0; 4]; STACKS];
    for thread in recorded.threads.iter().filter(|of| &*of.name == name) {
        for sum in &thread.values {
            let names = thread.stack(sum.node as usize);
            let mut names: Vec<&str> = names
                .map(|node| &*recorded.zones[node.zone as usize].name)
                .collect();
            names.reverse();
            let stack = names.iter().fold(1, |stack, name| match *name {
                "loads" => 2 * stack + 1,
                "parses" => 2 * stack,
                _ => stack,
            });
            sums[stack][sum.value as usize] += sum.steps;
        }
    }
    sums
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn call_stacks_agree_with_independent_allocator(
        programs in prop::collection::vec(prop::collection::vec(step(), 1..120), 1..4),
    ) {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let count = programs.len();
        let gate = &Gate::of(count + 1);
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..count).map(|_| channel()).unzip();
        let (recorded, counted) = thread::scope(|scope| {
            let start = |(at, (mut steps, given)): (usize, (Vec<Step>, Receiver<Block>))| {
                // `Update` allocates in iprof's own zone, which the independent allocator doesn't track.
                steps.retain(|step| !matches!(step, Step::Update));
                let next = senders[(at + 1) % count].clone();
                let work = move || {
                    let _breaks = BreaksGate(gate);
                    for _ in 0..2 {
                        run(&steps, &next, &given);
                        gate.wait();
                        gate.wait();
                    }
                };
                let builder = thread::Builder::new().name("by stack".into());
                builder.spawn_scoped(scope, work).unwrap()
            };
            let programs = programs.into_iter().zip(receivers).enumerate();
            let threads: Vec<_> = programs.map(start).collect();
            let _breaks = BreaksGate(gate);
            gate.wait();
            let before = iprof::snapshot();
            BY_STACK.iter().flatten().for_each(|count| count.store(0, Relaxed));
            gate.wait();
            gate.wait();
            let recorded = by_stack(&iprof::snapshot().since(&before), "by stack");
            let count = |of: &[AtomicI64; 4]| of.each_ref().map(|count| count.load(Relaxed));
            let counted: Vec<[i64; 4]> = BY_STACK.iter().map(count).collect();
            gate.wait();
            // Join the threads, because the scope doesn't wait for thread-local destructors. They would allocate during
            // the next program.
            for thread in threads {
                thread.join().unwrap();
            }
            (recorded, counted)
        });
        // Skip stack 0, which also includes allocations made outside of programs.
        prop_assert_eq!(&recorded[1..], &counted[1..]);
        prop_assert!(counted[1..].iter().flatten().any(|count| *count > 0));
    }
}

/// Returns the total added to a value in zones named `zone` and in their callees.
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
fn allocations_are_counted_in_the_allocating_zone() {
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
        // Starting a thread also allocates, so it gets a separate zone.
        iprof::zone!(starts);
        thread::scope(|scope| {
            let frees = || {
                iprof::zone!(frees_elsewhere);
                drop(kept);
            };
            scope.spawn(frees);
        });
    };
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
    assert_eq!(names, wanted, "value names should be those that pprof uses");
}
